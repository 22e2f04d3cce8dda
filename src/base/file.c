/* Descriptors and whole files.  Each call goes on after EINTR and after partial transfers; each failure names the
 * path.  Every descriptor is closed on exec, so that programs started meanwhile hold no lock of ours. */
#define _GNU_SOURCE
#include "base/file.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/uuid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_AT_ONCE = 1 << 30, FIRST_READ_BYTES = 4096, MOST_WAIT_MS = 200 };

static int open_again(const char *path, int flags)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

nwbz_code nz_file_open_read(const char *path, nwbz_code code, int *fd, nwbz_error *err)
{
    /* O_NONBLOCK: a FIFO without writer opens at once and is refused for what it is.  A file under a lease answers
     * EWOULDBLOCK: wait for it. */
    *fd = open_again(path, O_RDONLY | O_NONBLOCK);
    if (*fd < 0 && errno == EWOULDBLOCK)
        *fd = open_again(path, O_RDONLY);
    if (*fd >= 0)
        return NWBZ_OK;
    int failed = errno;
    if (code == NWBZ_EIO && (failed == ENOENT || failed == ENOTDIR))
        code = NWBZ_ENOTFOUND;
    return nz_fail_os(err, code, failed, "cannot open %s", path);
}

nwbz_code nz_file_open_write(const char *path, bool append, int *fd, nwbz_error *err)
{
    *fd = open_again(path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC));
    return *fd < 0 ? nz_fail_os(err, NWBZ_EIO, errno, "cannot open %s for writing", path) : NWBZ_OK;
}

nwbz_code nz_file_read_at(int fd, void *bytes, size_t n, uint64_t offset, size_t *n_read, nwbz_code code,
                          const char *path, nwbz_error *err)
{
    *n_read = 0;
    if (offset > (uint64_t)INT64_MAX - n)
        return nz_fail(err, code, "cannot read %s: no file has an offset of %llu bytes", path,
                       (unsigned long long)offset);
    while (*n_read < n) {
        ssize_t got = pread(fd, (char *)bytes + *n_read, n - *n_read, (off_t)(offset + *n_read));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return nz_fail_os(err, code, errno, "cannot read %s", path);
        if (got == 0)
            return NWBZ_OK;
        *n_read += (size_t)got;
    }
    return NWBZ_OK;
}

nwbz_code nz_file_read_stream(int fd, void *bytes, size_t n, int64_t *n_read, nwbz_error *err)
{
    *n_read = -1;
    /* A signal that comes just before a read would not end it: so no wait is long. */
    struct pollfd ready = { fd, POLLIN, 0 };
    int n_ready = poll(&ready, 1, MOST_WAIT_MS);
    if (n_ready == 0 || (n_ready < 0 && errno == EINTR))
        return NWBZ_OK;
    ssize_t got = read(fd, bytes, n < MOST_AT_ONCE ? n : MOST_AT_ONCE);
    if (got < 0 && errno != EINTR)
        return nz_fail_os(err, NWBZ_ESOURCE, errno, "cannot read from the stream");
    *n_read = got;
    return NWBZ_OK;
}

nwbz_code nz_file_write(int fd, const void *bytes, size_t n, const char *path, nwbz_error *err)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t put = write(fd, at, n < MOST_AT_ONCE ? n : MOST_AT_ONCE);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return nz_fail_os(err, NWBZ_EIO, put < 0 ? errno : EIO, "cannot write %zu more bytes to %s", n, path);
        at += put;
        n -= (size_t)put;
    }
    return NWBZ_OK;
}

nwbz_code nz_file_close(int fd, const char *path, nwbz_error *err)
{
    /* On Linux the descriptor is gone even after EINTR; a second close could hit another thread's. */
    if (close(fd) != 0 && errno != EINTR)
        return nz_fail_os(err, NWBZ_EIO, errno, "cannot close %s", path);
    return NWBZ_OK;
}

void nz_file_drop(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* Read until the end, growing: sizes of files below /proc and /sys are 0, and a file may grow meanwhile. */
static nwbz_code read_to_end(int fd, size_t room, size_t max_bytes, char **bytes, size_t *n_bytes, nwbz_code code,
                             const char *path, nwbz_error *err)
{
    for (;;) {
        char *larger = nz_realloc(*bytes, room + 1);
        if (!larger)
            return nz_fail_memory(err, room + 1, path);
        *bytes = larger;
        size_t got;
        NZ_TRY(nz_file_read_at(fd, *bytes + *n_bytes, room - *n_bytes, *n_bytes, &got, code, path, err));
        *n_bytes += got;
        if (*n_bytes < room)
            return NWBZ_OK;
        if (room > max_bytes)
            return nz_fail(err, NWBZ_ELIMIT, "%s is larger than the limit of %zu bytes", path, max_bytes);
        room = room > max_bytes / 2 ? max_bytes + 1 : room * 2;
    }
}

nwbz_code nz_file_read_all(const char *path, size_t max_bytes, char **bytes, size_t *n_bytes, nwbz_code code,
                           nwbz_error *err)
{
    int fd = -1;
    *bytes = NULL;
    *n_bytes = 0;
    if (max_bytes > SIZE_MAX / 2)
        max_bytes = SIZE_MAX / 2;
    nz_file_info info;
    nwbz_code result = nz_file_open_read(path, code, &fd, err);
    if (result == NWBZ_OK)
        result = nz_file_look_fd(fd, path, &info, err);
    if (result == NWBZ_OK && info.kind == NZ_FILE_REGULAR && info.size_bytes > max_bytes)
        result = nz_fail(err, NWBZ_ELIMIT, "%s has %llu bytes, over the limit of %zu", path,
                         (unsigned long long)info.size_bytes, max_bytes);
    if (result == NWBZ_OK) /* one byte more than its size: a whole read then shows the end at once */
        result = read_to_end(fd, info.size_bytes ? (size_t)info.size_bytes + 1 : FIRST_READ_BYTES, max_bytes, bytes,
                             n_bytes, code, path, err);
    if (result == NWBZ_OK && *n_bytes > max_bytes)
        result = nz_fail(err, NWBZ_ELIMIT, "%s is larger than the limit of %zu bytes", path, max_bytes);
    nz_file_drop(fd);
    if (result != NWBZ_OK) {
        nz_free(*bytes);
        *bytes = NULL;
        *n_bytes = 0;
        return result;
    }
    (*bytes)[*n_bytes] = 0;
    return NWBZ_OK;
}

/* Name a temporary file beside `path`, which no other thread or machine uses. */
static char *temporary_beside(const char *path)
{
    char id[NZ_UUID_ROOM];
    nz_uuid_random(id);
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) + 1 : 0;
    return nz_format("%.*s" NZ_TEMPORARY_PREFIX "%.8s", n, path, id);
}

nwbz_code nz_file_write_all(const char *path, const void *bytes, size_t n_bytes, nwbz_error *err)
{
    int fd = -1;
    char *temporary = temporary_beside(path);
    if (!temporary)
        return nz_fail_memory(err, strlen(path), "a path");
    nwbz_code code = nz_file_open_write(temporary, false, &fd, err);
    bool made = code == NWBZ_OK;
    if (code == NWBZ_OK)
        code = nz_file_write(fd, bytes, n_bytes, path, err);
    if (code == NWBZ_OK) {
        code = nz_file_close(fd, path, err);
        fd = -1;
    }
    if (code == NWBZ_OK)
        code = nz_file_rename(temporary, path, false, err);
    nz_file_drop(fd);
    if (code != NWBZ_OK && made)
        (void)unlink(temporary);
    nz_free(temporary);
    return code;
}

static void fill_info(const struct stat *st, nz_file_info *info)
{
    info->kind = S_ISREG(st->st_mode) ? NZ_FILE_REGULAR : S_ISDIR(st->st_mode) ? NZ_FILE_FOLDER : NZ_FILE_OTHER;
    info->size_bytes = (uint64_t)st->st_size;
    if (__builtin_mul_overflow((int64_t)st->st_mtim.tv_sec, INT64_C(1000000000), &info->mtime_ns))
        info->mtime_ns =
            st->st_mtim.tv_sec < 0 ? INT64_MIN : INT64_MAX - INT64_C(999999999); /* no such time: any fixed one */
    info->mtime_ns += st->st_mtim.tv_nsec;
    info->device = (uint64_t)st->st_dev;
    info->inode = (uint64_t)st->st_ino;
}

nwbz_code nz_file_look(const char *path, bool follow, nz_file_info *info, nwbz_error *err)
{
    memset(info, 0, sizeof *info);
    struct stat st;
    if ((follow ? stat(path, &st) : lstat(path, &st)) == 0) {
        fill_info(&st, info);
        return NWBZ_OK;
    }
    if (errno == ENOENT || errno == ENOTDIR)
        return NWBZ_OK;
    return nz_fail_os(err, NWBZ_EIO, errno, "cannot look at %s", path);
}

nwbz_code nz_file_look_fd(int fd, const char *path, nz_file_info *info, nwbz_error *err)
{
    memset(info, 0, sizeof *info);
    struct stat st;
    if (fstat(fd, &st) != 0)
        return nz_fail_os(err, NWBZ_EIO, errno, "cannot look at %s", path);
    fill_info(&st, info);
    return NWBZ_OK;
}

nwbz_code nz_file_rename(const char *from, const char *to, bool exchange, nwbz_error *err)
{
    if (!exchange)
        return rename(from, to) == 0 ? NWBZ_OK : nz_fail_os(err, NWBZ_EIO, errno, "cannot rename %s to %s", from, to);
#ifdef RENAME_EXCHANGE
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return NWBZ_OK;
    int failed = errno;
#else
    int failed = ENOSYS;
#endif
    bool unsupported = failed == EINVAL || failed == ENOSYS || failed == EOPNOTSUPP;
    return nz_fail_os(err, unsupported ? NWBZ_EUNSUPPORTED : NWBZ_EIO, failed, "cannot exchange %s and %s", from, to);
}

nwbz_code nz_file_remove(const char *path, nwbz_error *err)
{
    if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
        return NWBZ_OK;
    return nz_fail_os(err, NWBZ_EIO, errno, "cannot remove %s", path);
}

/* Say whether `path` still names the file that is open: its last holder may have removed it between our open and our
 * lock. */
static bool is_still_there(int fd, const char *path)
{
    struct stat open_one, named_one;
    return fstat(fd, &open_one) == 0 && stat(path, &named_one) == 0 && open_one.st_dev == named_one.st_dev &&
           open_one.st_ino == named_one.st_ino;
}

nwbz_code nz_file_lock(const char *path, int *fd, nwbz_error *err)
{
    for (;;) {
        *fd = open_again(path, O_RDWR | O_CREAT);
        if (*fd < 0)
            return nz_fail_os(err, NWBZ_EIO, errno, "cannot open %s", path);
        int failed;
        do
            failed = flock(*fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        while (failed == EINTR);
        if (failed == 0 && is_still_there(*fd, path))
            return NWBZ_OK;
        nz_file_drop(*fd);
        *fd = -1;
        if (failed)
            return failed == EWOULDBLOCK ? NWBZ_OK : nz_fail_os(err, NWBZ_EIO, failed, "cannot lock %s", path);
    }
}

nwbz_code nz_path_resolve(const char *path, char **resolved, nwbz_error *err)
{
    *resolved = NULL;
    char whole[PATH_MAX];
    if (realpath(path, whole)) {
        *resolved = nz_strdup(whole);
        return *resolved ? NWBZ_OK : nz_fail_memory(err, strlen(whole), "a path");
    }
    if (errno != ENOENT)
        return nz_fail_os(err, NWBZ_EIO, errno, "cannot find %s", path);
    char *parent = nz_path_parent(path), *name = nz_path_name(path);
    nwbz_code code = NWBZ_OK;
    if (!parent || !name)
        code = nz_fail_memory(err, strlen(path), "a path");
    else if (!realpath(parent, whole))
        code = nz_fail_os(err, NWBZ_EIO, errno, "cannot find the folder of %s", path);
    else if (!(*resolved = nz_path_join(whole, name)))
        code = nz_fail_memory(err, strlen(whole) + strlen(name), "a path");
    nz_free(parent);
    nz_free(name);
    return code;
}
