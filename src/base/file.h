/* Files and folders: what the operating system gives, with errors that name the path.
 *
 * All reading and writing of src/ goes through here, so that tests can fail the k-th read or write (they wrap these symbols).
 * Modes follow the umask: 0666 for files, 0777 for folders.
 */
#ifndef NZ_BASE_FILE_H
#define NZ_BASE_FILE_H

#include "base/error.h"

#include <stdint.h>

/* Open for reading.  Errors get `code` (NWBZ_ESOURCE for inputs, NWBZ_EIO for our own files); ENOENT gives NWBZ_ENOTFOUND if `code` is NWBZ_EIO. */
nwbz_code nz_file_open_read(const char *path, nwbz_code code, int *fd, nwbz_error *err);

/* Create or empty a file for writing; `append`: keep what is there and write at its end. */
nwbz_code nz_file_open_write(const char *path, bool append, int *fd, nwbz_error *err);

/* Read up to `n` bytes at `offset` until the file ends: *n_read < n means its end.  Goes on after EINTR. */
nwbz_code nz_file_read_at(int fd, void *bytes, size_t n, uint64_t offset, size_t *n_read, nwbz_code code, const char *path, nwbz_error *err);

/* Read once from a stream: *n_read is 0 at its end, and -1 when a signal interrupted it or nothing came for a while. */
nwbz_code nz_file_read_stream(int fd, void *bytes, size_t n, int64_t *n_read, nwbz_error *err);

/* Write all `n` bytes. */
nwbz_code nz_file_write(int fd, const void *bytes, size_t n, const char *path, nwbz_error *err);

/* Close; an error at close (a quota over NFS) is a failed write. */
nwbz_code nz_file_close(int fd, const char *path, nwbz_error *err);

/* Close in a cleanup; -1 is fine. */
void nz_file_drop(int fd);

/* Read a whole file of at most `max_bytes`.  Ownership: *bytes is the caller's (nz_free), with a NUL behind. */
nwbz_code nz_file_read_all(const char *path, size_t max_bytes, char **bytes, size_t *n_bytes, nwbz_code code, nwbz_error *err);

/* What the names of temporary files beside a file begin with; a kill can leave one. */
#define NZ_TEMPORARY_PREFIX ".nwbz-tmp-"

/* Write a whole file: under a temporary name beside it, then renamed. */
nwbz_code nz_file_write_all(const char *path, const void *bytes, size_t n_bytes, nwbz_error *err);

typedef enum nz_file_kind { NZ_FILE_ABSENT = 0, NZ_FILE_REGULAR, NZ_FILE_FOLDER, NZ_FILE_OTHER } nz_file_kind;

typedef struct nz_file_info {
    nz_file_kind kind; /* a symlink is what it is: NZ_FILE_OTHER, unless followed */
    uint64_t size_bytes;
    int64_t mtime_ns; /* since 1970, UTC */
    uint64_t device, inode;
} nz_file_info;

/* Look at `path`; an absent one is no error. */
nwbz_code nz_file_look(const char *path, bool follow, nz_file_info *info, nwbz_error *err);
nwbz_code nz_file_look_fd(int fd, const char *path, nz_file_info *info, nwbz_error *err);

/* Make one folder; an existing one is fine. */
nwbz_code nz_folder_make(const char *path, nwbz_error *err);

/* Make the folders that `path` (a file to be) needs, below `root`, which exists and with which `path` begins (else NWBZ_EINVAL). */
nwbz_code nz_folder_make_parents(const char *root, const char *path, nwbz_error *err);

/* Called for each entry of a folder, but "." and "..", in no order.  Not NWBZ_OK: stops and is returned. */
typedef nwbz_code (*nz_folder_fn)(const char *name, bool is_folder, void *user, nwbz_error *err);
nwbz_code nz_folder_each(const char *path, nz_folder_fn on_entry, void *user, nwbz_error *err);

/* Remove a file or a whole tree; symlinks are removed, never followed; an absent one is fine.  Only for what is our own. */
nwbz_code nz_tree_remove(const char *path, nwbz_error *err);

/* Remove a folder if it is empty; an absent one, and one that is not empty, is fine. */
nwbz_code nz_folder_remove(const char *path, nwbz_error *err);

/* Rename; `exchange`: the two names change places at once (NWBZ_EUNSUPPORTED where the file system cannot). */
nwbz_code nz_file_rename(const char *from, const char *to, bool exchange, nwbz_error *err);

/* Remove a file; an absent one is fine. */
nwbz_code nz_file_remove(const char *path, nwbz_error *err);

/* Sync the whole file system that `path` is on (else each file and folder below it). */
nwbz_code nz_tree_sync(const char *path, nwbz_error *err);

/* Sync one folder's entries. */
nwbz_code nz_folder_sync(const char *path, nwbz_error *err);

/* Take the lock of a file, without waiting: *fd is -1 when another process holds it.  Closing *fd gives it back. */
nwbz_code nz_file_lock(const char *path, int *fd, nwbz_error *err);

/* Return the absolute path without symlinks, of a file that exists; or of its parent, with the name behind, where it does not. */
nwbz_code nz_path_resolve(const char *path, char **resolved, nwbz_error *err);

#endif
