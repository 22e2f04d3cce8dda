/* Stores: places for keys and bytes, and when a result becomes visible.
 *
 *   create --> .NAME.nwbz/tree/... --commit (one rename)--> NAME
 *
 * A key is a path below the root without a leading slash: "acquisition/ts/data/c/0/1".  A store that was created is built in a
 * staging folder beside its final name and moved there when whole, so the final name is absent or whole at every moment.
 * Threads: one store may be used by many threads; create, commit and close are for one.
 */
#ifndef NWBZ_STORE_H
#define NWBZ_STORE_H

#include <nwbz/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nwbz_store nwbz_store;

/* What to do when the destination, or an unfinished tree of it, is already there. */
typedef enum nwbz_existing {
    NWBZ_EXISTING_ERROR = 0, /* NWBZ_EEXIST, naming what is there */
    NWBZ_EXISTING_SKIP,      /* a whole destination is left as it is; *store becomes NULL */
    NWBZ_EXISTING_OVERWRITE, /* a folder of nothing but Zarr keys is replaced, at commit; an unfinished, unlocked tree is begun anew */
    NWBZ_EXISTING_RESUME     /* an unfinished tree is continued; none: begun anew; none but a whole destination: *store becomes NULL */
} nwbz_existing;

/* Options of nwbz_store_create().  Zero means "default" for every field. */
typedef struct nwbz_create_options {
    size_t struct_size;       /* set by NWBZ_CREATE_OPTIONS_INIT */
    nwbz_existing existing;
    bool no_sync;             /* leave out the one sync before the move: faster, and not safe against a power cut */
    bool keep_unfinished;     /* nwbz_store_close() without commit keeps the staging folder, for a later resume */
} nwbz_create_options;

#define NWBZ_CREATE_OPTIONS_INIT { sizeof(nwbz_create_options), NWBZ_EXISTING_ERROR, false, false }

/*
 * Begin a new store at `path`, a folder to be; make its staging folder and take its lock.
 *
 * Ownership: *store is the caller's, to be closed; without a commit before, nothing appears at `path`.
 * On disk:   modes follow the umask.  Nothing but the own staging folder is ever deleted.
 * Returns NWBZ_OK, NWBZ_EEXIST, NWBZ_ELOCKED, NWBZ_ENOTFOUND (the parent folder is absent), NWBZ_EIO, NWBZ_ENOSPACE, NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_store_create(const char *path, const nwbz_create_options *options, nwbz_store **store,
                                                     nwbz_error *err);

/* Make the store visible at its final name: sync once, rename (or exchange with what is replaced), remove the staging folder. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_store_commit(nwbz_store *store, nwbz_error *err);

/* Open the Zarr folder at `path`; `writable` allows changes in place, each object whole or absent.  NWBZ_ENOTFOUND: not a Zarr store. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_store_open(const char *path, bool writable, nwbz_store **store, nwbz_error *err);

/* Make an empty store in memory.  Commit is a no-op. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_store_new_memory(nwbz_store **store, nwbz_error *err);

/* Close and free the store.  A created store that was not committed is removed, or kept if so asked.  NULL is fine. */
NWBZ_API void nwbz_store_close(nwbz_store *store);

/*
 * Return the folder that holds the tree now, for other programs that write into it: the staging folder's until commit, then the final one.
 * NULL for a store in memory.  Valid until commit or close.
 */
NWBZ_API const char *nwbz_store_path(const nwbz_store *store);

/* Keep, or not, the unfinished tree at close: overrides nwbz_create_options.keep_unfinished. */
NWBZ_API void nwbz_store_keep_unfinished(nwbz_store *store, bool keep);

/* Read the whole value of `key`.  Ownership: *bytes is the caller's (nwbz_free).  NWBZ_ENOTFOUND: no such key. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_store_get(nwbz_store *store, const char *key, void **bytes, size_t *n_bytes, nwbz_error *err);

/* Store `n_bytes` under `key`: whole or absent; an older value is replaced. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_store_put(nwbz_store *store, const char *key, const void *bytes, size_t n_bytes, nwbz_error *err);

#ifdef __cplusplus
}
#endif
#endif
