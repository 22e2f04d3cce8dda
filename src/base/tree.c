/* Folders and what lies below them.  Removal goes from descriptor to descriptor (openat, unlinkat), so that nobody
 * can lead it elsewhere with a symlink put in place of a folder. */
#define _GNU_SOURCE
#include "base/file.h"

#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Making ------------------------------------------------------------------ */

enum { FOLDER_TRIES = 100 };

nwbz_code nz_folder_make(const char *path, nwbz_error *err)
{
    int failed = 0;
    for (int tries = 0; tries < FOLDER_TRIES; tries++) {
        struct stat st;
        if (mkdir(path, 0777) == 0)
            return NWBZ_OK;
        failed = errno;
        if (failed != EEXIST)
            break;
        if (stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                return NWBZ_OK;
            break;
        }
        /* another run has removed it between the two looks (the staging folder of a run that ends): make it anew */
    }
    return nz_fail_os(err, NWBZ_EIO, failed, "cannot make the folder %s", path);
}

/* Make the folder path[0..n), and those above it as far as they are below `root`.  From the deepest up: mostly it is
 * there, or its parent is. */
static nwbz_code make_up(char *path, size_t n, size_t n_root, nwbz_error *err)
{
    while (n > n_root && path[n - 1] == '/')
        n--;
    if (n <= n_root)
        return NWBZ_OK;
    char kept = path[n];
    path[n] = 0;
    int failed = mkdir(path, 0777) == 0 ? 0 : errno;
    nwbz_code code = NWBZ_OK;
    if (failed == ENOENT) {
        size_t parent = n;
        while (parent > n_root && path[parent - 1] != '/')
            parent--;
        code = make_up(path, parent, n_root, err);
    }
    if (failed && code == NWBZ_OK)
        code = nz_folder_make(path, err); /* also says what is wrong when it is no folder */
    path[n] = kept;
    return code;
}

nwbz_code nz_folder_make_parents(const char *root, const char *path, nwbz_error *err)
{
    size_t n_root = strlen(root);
    while (n_root > 1 && root[n_root - 1] == '/')
        n_root--;
    if (strncmp(path, root, n_root) != 0 || (root[n_root - 1] != '/' && path[n_root] != '/'))
        return nz_fail(err, NWBZ_EINVAL, "%s does not lie below %s", path, root);
    char *copy = nz_strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
    if (!copy)
        return nz_fail_memory(err, strlen(path), "a path");
    nwbz_code code = slash ? make_up(copy, (size_t)(slash - copy), n_root, err) : NWBZ_OK;
    nz_free(copy);
    return code;
}

/* ---- Looking ----------------------------------------------------------------- */

static bool is_dot(const char *name)
{
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

static bool is_folder_entry(int folder, const struct dirent *entry)
{
    struct stat st;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* Open the folder `name` in `folder` for listing; NULL with errno. */
static DIR *open_folder(int folder, const char *name, int flags)
{
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0)
        return NULL;
    DIR *listing = fdopendir(fd);
    if (!listing) {
        int failed = errno;
        (void)close(fd);
        errno = failed;
    }
    return listing;
}

nwbz_code nz_folder_each(const char *path, nz_folder_fn on_entry, void *user, nwbz_error *err)
{
    DIR *listing = open_folder(AT_FDCWD, path, 0);
    if (!listing)
        return nz_fail_os(err, errno == ENOENT ? NWBZ_ENOTFOUND : NWBZ_EIO, errno, "cannot list %s", path);
    nwbz_code code = NWBZ_OK;
    while (code == NWBZ_OK) {
        errno = 0;
        struct dirent *entry = readdir(listing);
        if (!entry && errno)
            code = nz_fail_os(err, NWBZ_EIO, errno, "cannot list %s", path);
        if (!entry)
            break;
        if (!is_dot(entry->d_name))
            code = on_entry(entry->d_name, is_folder_entry(dirfd(listing), entry), user, err);
    }
    (void)closedir(listing);
    return code;
}

/* ---- Removing ------------------------------------------------------------------ */

static int remove_entry(int folder, const char *name, bool is_folder);

/* Remove the entries that one pass over the folder finds.  Some file systems skip entries when others go meanwhile,
 * so the caller passes again. */
static int remove_pass(DIR *listing, size_t *n_removed)
{
    rewinddir(listing);
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(listing);
        if (!entry)
            return errno;
        if (is_dot(entry->d_name))
            continue;
        int failed = remove_entry(dirfd(listing), entry->d_name, is_folder_entry(dirfd(listing), entry));
        if (failed)
            return failed;
        (*n_removed)++;
    }
}

static int remove_folder(int folder, const char *name)
{
    DIR *listing = open_folder(folder, name, O_NOFOLLOW);
    if (!listing)
        return errno;
    int failed;
    size_t n_removed;
    do {
        n_removed = 0;
        failed = remove_pass(listing, &n_removed);
    } while (!failed && n_removed > 0);
    (void)closedir(listing);
    if (!failed && unlinkat(folder, name, AT_REMOVEDIR) != 0)
        failed = errno;
    return failed;
}

/* Remove one entry; 0 or an errno. */
static int remove_entry(int folder, const char *name, bool is_folder)
{
    int failed;
    if (is_folder)
        failed = remove_folder(folder, name);
    else
        failed = unlinkat(folder, name, 0) == 0 ? 0 : errno;
    return failed == ENOENT ? 0 : failed;
}

nwbz_code nz_tree_remove(const char *path, nwbz_error *err)
{
    struct stat st;
    if (lstat(path, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return NWBZ_OK;
        return nz_fail_os(err, NWBZ_EIO, errno, "cannot look at %s", path);
    }
    int failed = remove_entry(AT_FDCWD, path, S_ISDIR(st.st_mode));
    return failed ? nz_fail_os(err, NWBZ_EIO, failed, "cannot remove %s", path) : NWBZ_OK;
}

nwbz_code nz_folder_remove(const char *path, nwbz_error *err)
{
    if (rmdir(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST)
        return NWBZ_OK;
    return nz_fail_os(err, NWBZ_EIO, errno, "cannot remove the folder %s", path);
}

/* ---- Syncing ------------------------------------------------------------------- */

static nwbz_code sync_path(const char *path, bool is_folder, nwbz_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0));
    if (fd < 0)
        return nz_fail_os(err, NWBZ_EIO, errno, "cannot open %s to sync it", path);
    int failed = fsync(fd) == 0 ? 0 : errno;
    nz_file_drop(fd);
    if (failed && !(is_folder && failed == EINVAL)) /* file systems that cannot sync folders keep them otherwise */
        return nz_fail_os(err, NWBZ_EIO, failed, "cannot sync %s", path);
    return NWBZ_OK;
}

nwbz_code nz_folder_sync(const char *path, nwbz_error *err)
{
    return sync_path(path, true, err);
}

static nwbz_code sync_below(const char *path, nwbz_error *err);

static nwbz_code sync_entry(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    char *path = nz_path_join(user, name);
    if (!path)
        return nz_fail_memory(err, strlen(name), "a path");
    nwbz_code code = is_folder ? sync_below(path, err) : sync_path(path, false, err);
    nz_free(path);
    return code;
}

/* Sync each file below `path`, then the folder. */
static nwbz_code sync_below(const char *path, nwbz_error *err)
{
    NZ_TRY(nz_folder_each(path, sync_entry, (void *)path, err));
    return sync_path(path, true, err);
}

nwbz_code nz_tree_sync(const char *path, nwbz_error *err)
{
#ifdef __linux__
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return nz_fail_os(err, NWBZ_EIO, errno, "cannot open %s to sync it", path);
    int failed = syncfs(fd) == 0 ? 0 : errno;
    nz_file_drop(fd);
    if (!failed)
        return NWBZ_OK;
    if (failed != ENOSYS && failed != EINVAL && failed != EOPNOTSUPP)
        return nz_fail_os(err, NWBZ_EIO, failed, "cannot sync the file system of %s", path);
#endif
    nz_file_info info;
    NZ_TRY(nz_file_look(path, false, &info, err));
    return info.kind == NZ_FILE_FOLDER ? sync_below(path, err) : sync_path(path, false, err);
}
