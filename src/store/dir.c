/* Keys as files of a folder.
 *
 * Being made (staged), a file is written under its own name at once: nobody sees the tree, and the journal says which
 * files are whole.  In place it is written beside its name and renamed, so that a reader meets the old value or the
 * new one. Folders are made when opening a file says that they are missing, which costs nothing for all files but the
 * first of each folder.  Nothing is synced here: commit does it once. */
#include "store/place.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/thread.h"
#include "base/uuid.h"
#include "store/staging.h"

#include <errno.h>
#include <string.h>

typedef struct dir_store {
    nwbz_store base;
    char *root; /* of the tree: in the staging folder until commit */
    nz_staging staging;
    bool no_sync;
    nz_mutex mutex;
    /* guarded by the mutex */
    int append_fds[NZ_N_RECORDS]; /* of records that lines are added to; -1: not open */
} dir_store;

struct nz_writer {
    int fd;
    char *path;
    char *temporary; /* what is written, until it is renamed to path; NULL: path itself */
};

static dir_store *dir_of(nwbz_store *store)
{
    return (dir_store *)store;
}

static nwbz_code path_of(nwbz_store *store, const char *key, char **path, nwbz_error *err)
{
    *path = NULL;
    NZ_TRY(nz_key_check(key, err));
    *path = nz_path_join(dir_of(store)->root, key);
    return *path ? NWBZ_OK : nz_fail_memory(err, strlen(key), "a path");
}

/* ---- Reading ------------------------------------------------------------------------ */

static nwbz_code no_key(const nwbz_store *store, const char *key, nwbz_error *err)
{
    return nz_fail(err, NWBZ_ENOTFOUND, "there is no key '%s' in %s", key, store->name);
}

static nwbz_code read_range(int fd, const char *path, const char *key, uint64_t start, size_t n, nz_buffer *out,
                            nwbz_error *err)
{
    NZ_TRY(nz_buffer_reserve(out, n, err));
    size_t n_read;
    NZ_TRY(nz_file_read_at(fd, out->bytes, n, start, &n_read, NWBZ_EIO, path, err));
    if (n_read < n)
        return nz_fail(err, NWBZ_EFORMAT, "'%s' became shorter while it was read: %zu of %zu bytes", key, n_read, n);
    out->n_bytes = n;
    out->bytes[n] = 0;
    return NWBZ_OK;
}

static nwbz_code dir_get(nwbz_store *store, const char *key, uint64_t offset, bool from_end, size_t n, nz_buffer *out,
                         nwbz_error *err)
{
    char *path = NULL;
    int fd = -1;
    uint64_t start = 0;
    nz_file_info info;
    out->n_bytes = 0;
    nwbz_code code = path_of(store, key, &path, err);
    if (code == NWBZ_OK)
        code = nz_file_open_read(path, NWBZ_EIO, &fd, err);
    if (code == NWBZ_ENOTFOUND)
        code = no_key(store, key, err);
    if (code == NWBZ_OK)
        code = nz_file_look_fd(fd, path, &info, err);
    if (code == NWBZ_OK && info.kind != NZ_FILE_REGULAR)
        code = no_key(store, key, err);
    if (code == NWBZ_OK)
        code = nz_value_range(key, info.size_bytes, offset, from_end, &n, &start, err);
    if (code == NWBZ_OK)
        code = read_range(fd, path, key, start, n, out, err);
    nz_file_drop(fd);
    nz_free(path);
    return code;
}

static nwbz_code dir_size(nwbz_store *store, const char *key, uint64_t *n_bytes, nwbz_error *err)
{
    char *path;
    nz_file_info info;
    NZ_TRY(path_of(store, key, &path, err));
    nwbz_code code = nz_file_look(path, true, &info, err);
    if (code == NWBZ_OK && info.kind != NZ_FILE_REGULAR)
        code = no_key(store, key, err);
    if (code == NWBZ_OK)
        *n_bytes = info.size_bytes;
    nz_free(path);
    return code;
}

typedef struct listing {
    nz_list_fn on_name;
    void *user;
} listing;

static nwbz_code list_entry(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    const listing *to = user;
    return nz_name_is_temporary(name) ? NWBZ_OK : to->on_name(name, is_folder, to->user, err);
}

static nwbz_code dir_list(nwbz_store *store, const char *prefix, nz_list_fn on_name, void *user, nwbz_error *err)
{
    NZ_TRY(nz_prefix_check(prefix, err));
    char *path = nz_path_join(dir_of(store)->root, prefix);
    if (!path)
        return nz_fail_memory(err, strlen(prefix), "a path");
    nz_file_info info;
    nwbz_code code = nz_file_look(path, true, &info, err);
    if (code == NWBZ_OK && info.kind == NZ_FILE_FOLDER)
        code = nz_folder_each(path, list_entry, &(listing){ on_name, user }, err);
    nz_free(path);
    return code;
}

/* ---- Writing ------------------------------------------------------------------------ */

static nwbz_code refuse_read_only(const nwbz_store *store, nwbz_error *err)
{
    if (store->writable)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EINVAL, "%s was opened for reading only", store->name);
}

static void writer_free(nz_writer *writer)
{
    nz_free(writer->path);
    nz_free(writer->temporary);
    nz_free(writer);
}

static void dir_writer_abort(nz_writer *writer)
{
    if (!writer)
        return;
    if (writer->fd >= 0) {
        nz_file_drop(writer->fd);
        (void)nz_file_remove(writer->temporary ? writer->temporary : writer->path, NULL);
    }
    writer_free(writer);
}

/* Name what is written until it is renamed: in the same folder, by a name that is no key. */
static char *temporary_of(const char *path)
{
    char id[NZ_UUID_ROOM];
    nz_uuid_random(id);
    int n_folder = (int)(strrchr(path, '/') - path);
    return nz_format("%.*s/" NZ_TEMPORARY_PREFIX "%.8s", n_folder, path, id);
}

static nwbz_code open_file(const char *root, const char *path, int *fd, nwbz_error *err)
{
    nwbz_error failed = NWBZ_ERROR_INIT;
    nwbz_code code = nz_file_open_write(path, false, fd, &failed);
    if (code != NWBZ_OK && failed.os_errno == ENOENT) {
        NZ_TRY(nz_folder_make_parents(root, path, err));
        code = nz_file_open_write(path, false, fd, &failed);
    }
    if (code != NWBZ_OK && err)
        *err = failed;
    return code;
}

static nwbz_code dir_writer_open(nwbz_store *store, const char *key, nz_writer **writer, nwbz_error *err)
{
    *writer = NULL;
    NZ_TRY(refuse_read_only(store, err));
    nz_writer *new = nz_calloc(1, sizeof *new);
    if (!new)
        return nz_fail_memory(err, sizeof *new, "a writer");
    new->fd = -1;
    nwbz_code code = path_of(store, key, &new->path, err);
    if (code == NWBZ_OK && !store->staged && !(new->temporary = temporary_of(new->path)))
        code = nz_fail_memory(err, strlen(new->path), "a path");
    if (code == NWBZ_OK)
        code = open_file(dir_of(store)->root, new->temporary ? new->temporary : new->path, &new->fd, err);
    if (code != NWBZ_OK) {
        dir_writer_abort(new);
        return code;
    }
    *writer = new;
    return NWBZ_OK;
}

static nwbz_code dir_writer_append(nz_writer *writer, const void *bytes, size_t n, nwbz_error *err)
{
    return nz_file_write(writer->fd, bytes, n, writer->path, err);
}

static nwbz_code dir_writer_commit(nz_writer *writer, nwbz_error *err)
{
    const char *written = writer->temporary ? writer->temporary : writer->path;
    nwbz_code code = nz_file_close(writer->fd, writer->path, err);
    if (code == NWBZ_OK && writer->temporary)
        code = nz_file_rename(writer->temporary, writer->path, false, err);
    if (code != NWBZ_OK)
        (void)nz_file_remove(written, NULL);
    writer_free(writer);
    return code;
}

static nwbz_code dir_remove(nwbz_store *store, const char *key, nwbz_error *err)
{
    char *path;
    NZ_TRY(refuse_read_only(store, err));
    NZ_TRY(path_of(store, key, &path, err));
    nwbz_code code = nz_file_remove(path, err);
    nz_free(path);
    return code;
}

/* ---- Records -------------------------------------------------------------------------- */

static nwbz_code record_path(nwbz_store *store, const char *name, unsigned *index, char **path, nwbz_error *err)
{
    *path = NULL;
    NZ_TRY(nz_record_check(store, name, index, err));
    *path = nz_path_join(dir_of(store)->staging.folder, name);
    return *path ? NWBZ_OK : nz_fail_memory(err, strlen(name), "a path");
}

static nwbz_code dir_record_get(nwbz_store *store, const char *name, nz_buffer *out, nwbz_error *err)
{
    unsigned i;
    char *path, *bytes = NULL;
    size_t n_bytes;
    out->n_bytes = 0;
    NZ_TRY(record_path(store, name, &i, &path, err));
    nwbz_code code = nz_file_read_all(path, out->max_bytes, &bytes, &n_bytes, NWBZ_EIO, err);
    if (code == NWBZ_OK)
        code = nz_buffer_add(out, bytes, n_bytes, err);
    nz_free(bytes);
    nz_free(path);
    return code;
}

static void close_append(dir_store *dir, unsigned i)
{
    nz_lock(&dir->mutex);
    nz_file_drop(dir->append_fds[i]);
    dir->append_fds[i] = -1;
    nz_unlock(&dir->mutex);
}

static nwbz_code dir_record_put(nwbz_store *store, const char *name, const void *bytes, size_t n, nwbz_error *err)
{
    unsigned i;
    char *path;
    NZ_TRY(record_path(store, name, &i, &path, err));
    close_append(dir_of(store), i); /* it is of the file that is replaced */
    nwbz_code code = nz_file_write_all(path, bytes, n, err);
    nz_free(path);
    return code;
}

/* One write a line, at the end, by one thread at a time: lines never mix, a kill tears none but the last. */
static nwbz_code dir_record_append(nwbz_store *store, const char *name, const void *bytes, size_t n, nwbz_error *err)
{
    unsigned i;
    char *path;
    dir_store *dir = dir_of(store);
    NZ_TRY(record_path(store, name, &i, &path, err));
    nz_lock(&dir->mutex);
    nwbz_code code = dir->append_fds[i] >= 0 ? NWBZ_OK : nz_file_open_write(path, true, &dir->append_fds[i], err);
    if (code == NWBZ_OK)
        code = nz_file_write(dir->append_fds[i], bytes, n, path, err);
    nz_unlock(&dir->mutex);
    nz_free(path);
    return code;
}

/* ---- The whole -------------------------------------------------------------------------- */

static void close_appends(dir_store *dir)
{
    for (unsigned i = 0; i < NZ_N_RECORDS; i++)
        close_append(dir, i);
}

/* A store that was committed is from then on one that was opened in place. */
static nwbz_code dir_commit(nwbz_store *store, nwbz_error *err)
{
    dir_store *dir = dir_of(store);
    char *root = nz_strdup(dir->staging.destination);
    if (!root)
        return nz_fail_memory(err, strlen(dir->staging.destination), "a path");
    nwbz_code code = nz_staging_commit(&dir->staging, dir->no_sync, err);
    if (code != NWBZ_OK) {
        nz_free(root);
        return code;
    }
    close_appends(dir);
    nz_free(dir->root);
    dir->root = root;
    store->staged = false;
    return NWBZ_OK;
}

static void dir_abort(nwbz_store *store, bool keep)
{
    dir_store *dir = dir_of(store);
    close_appends(dir);
    nz_staging_abort(&dir->staging, keep);
    store->staged = false;
    store->writable = false;
}

static void dir_close(nwbz_store *store)
{
    dir_store *dir = dir_of(store);
    close_appends(dir);
    nz_staging_done(&dir->staging);
    nz_mutex_done(&dir->mutex);
    nz_free(dir->root);
    nz_free(store->name);
    nz_free(dir);
}

static const nz_store_class dir_class = {
    .get = dir_get,
    .size = dir_size,
    .writer_open = dir_writer_open,
    .writer_append = dir_writer_append,
    .writer_commit = dir_writer_commit,
    .writer_abort = dir_writer_abort,
    .list = dir_list,
    .remove = dir_remove,
    .commit = dir_commit,
    .abort = dir_abort,
    .record_get = dir_record_get,
    .record_put = dir_record_put,
    .record_append = dir_record_append,
    .close = dir_close,
};

const char *nwbz_store_path(const nwbz_store *store)
{
    return store && store->class == &dir_class ? ((const dir_store *)store)->root : NULL;
}

/* Make the object: `root` and `name` are copied. */
static nwbz_code dir_new(const char *root, const char *name, dir_store **dir, nwbz_error *err)
{
    dir_store *new = nz_calloc(1, sizeof *new);
    char *root_copy = nz_strdup(root), *name_copy = nz_strdup(name);
    nwbz_code code = new &&root_copy &&name_copy
                         ? nz_mutex_init(&new->mutex, err)
                         : nz_fail_memory(err, sizeof *new + strlen(root) + strlen(name), "a store");
    if (code != NWBZ_OK) {
        nz_free(root_copy);
        nz_free(name_copy);
        nz_free(new);
        return code;
    }
    new->base = (nwbz_store){ .class = &dir_class, .name = name_copy };
    new->root = root_copy;
    new->staging = (nz_staging)NZ_STAGING_INIT;
    for (unsigned i = 0; i < NZ_N_RECORDS; i++)
        new->append_fds[i] = -1;
    *dir = new;
    return NWBZ_OK;
}

nwbz_code nz_dir_create(const char *path, const nwbz_create_options *options, nwbz_store **store, nwbz_error *err)
{
    nz_staging staging = NZ_STAGING_INIT;
    dir_store *dir = NULL;
    bool done = false;
    *store = NULL;
    nwbz_code code = nz_staging_begin(&staging, path, options->existing, &done, err);
    if (code == NWBZ_OK && !done)
        code = dir_new(staging.tree, path, &dir, err);
    if (code != NWBZ_OK || done) {
        nz_staging_abort(&staging, staging.resumed);
        nz_staging_done(&staging);
        return code;
    }
    dir->staging = staging;
    dir->no_sync = options->no_sync;
    dir->base.staged = dir->base.writable = true;
    dir->base.resumed = staging.resumed;
    dir->base.keep_unfinished = options->keep_unfinished;
    *store = &dir->base;
    return NWBZ_OK;
}

/* Find the document that makes the folder a store; *name is NULL where there is none. */
static nwbz_code find_document(const char *folder, const char **name, nwbz_error *err)
{
    for (const char *const *at = nz_document_names; *at; at++) {
        nz_file_info info;
        char *path = nz_path_join(folder, *at);
        nwbz_code code = path ? nz_file_look(path, true, &info, err) : nz_fail_memory(err, strlen(folder), "a path");
        nz_free(path);
        NZ_TRY(code);
        *name = *at;
        if (info.kind == NZ_FILE_REGULAR)
            return NWBZ_OK;
    }
    *name = NULL;
    return NWBZ_OK;
}

static nwbz_code refuse_no_store(const char *path, nwbz_error *err)
{
    nz_file_info info;
    const char *document = NULL;
    NZ_TRY(nz_file_look(path, true, &info, err));
    if (info.kind == NZ_FILE_ABSENT)
        return nz_fail(err, NWBZ_ENOTFOUND, "there is no such folder");
    if (info.kind != NZ_FILE_FOLDER)
        return nz_fail(err, NWBZ_ENOTFOUND, "it is no folder, and so no Zarr store");
    NZ_TRY(find_document(path, &document, err));
    if (!document)
        return nz_fail(err, NWBZ_ENOTFOUND, "the folder is no Zarr store: it has no %s", nz_document_names[0]);
    if (document != nz_document_names[0])
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the folder has %s: Zarr v2 cannot be read by this version", document);
    return NWBZ_OK;
}

nwbz_code nz_dir_open(const char *path, bool writable, nwbz_store **store, nwbz_error *err)
{
    char *root = NULL;
    dir_store *dir = NULL;
    nwbz_code code = refuse_no_store(path, err);
    if (code == NWBZ_OK)
        code = nz_path_resolve(path, &root, err);
    if (code == NWBZ_OK)
        code = dir_new(root, path, &dir, err);
    nz_free(root);
    if (code != NWBZ_OK)
        return code;
    dir->base.writable = writable;
    *store = &dir->base;
    return NWBZ_OK;
}
