/* The store interface: a place for keys and bytes, and when a tree becomes visible.
 *
 *   get, writer, list, remove, sync           every store
 *   commit, abort, record_*                   how the whole becomes visible, and what is kept beside it until then
 *
 * A key is a path below the root, no slash in front.  An object is whole or absent.  In a tree that was begun by nwbz_store_create() nothing is
 * visible yet, so objects are written under their own names at once (a rename each would double the cost of small ones) and what the
 * journal does not name is not taken for whole; in a store opened in place, an object is written beside its name and renamed.
 * Threads: get, writers (of different keys), remove, record_append may run on many threads at once; commit and abort run alone.
 */
#ifndef NZ_STORE_STORE_H
#define NZ_STORE_STORE_H

#include "base/buffer.h"

#include <nwbz/store.h>

typedef struct nz_writer nz_writer;

/* Called for each entry directly below a prefix: the name, and whether more lies below it. */
typedef nwbz_code (*nz_list_fn)(const char *name, bool is_prefix, void *user, nwbz_error *err);

typedef struct nz_store_class {
    /* Read `n` bytes at `offset` (n SIZE_MAX: to the end; offset counted from the end where `from_end`) into *out, which is emptied first.
       NWBZ_ENOTFOUND: no such key; NWBZ_EFORMAT: the value ends before. */
    nwbz_code (*get)(nwbz_store *store, const char *key, uint64_t offset, bool from_end, size_t n, nz_buffer *out, nwbz_error *err);
    /* Say how long the value is. */
    nwbz_code (*size)(nwbz_store *store, const char *key, uint64_t *n_bytes, nwbz_error *err);

    /* Begin a value; append to it; make it the key's value, or drop it.  Commit and abort both free the writer. */
    nwbz_code (*writer_open)(nwbz_store *store, const char *key, nz_writer **writer, nwbz_error *err);
    nwbz_code (*writer_append)(nz_writer *writer, const void *bytes, size_t n, nwbz_error *err);
    nwbz_code (*writer_commit)(nz_writer *writer, nwbz_error *err);
    void (*writer_abort)(nz_writer *writer);

    nwbz_code (*list)(nwbz_store *store, const char *prefix, nz_list_fn on_name, void *user, nwbz_error *err);
    nwbz_code (*remove)(nwbz_store *store, const char *key, nwbz_error *err);

    /* Make the tree visible; or drop it (`keep`: leave it for a later resume). */
    nwbz_code (*commit)(nwbz_store *store, nwbz_error *err);
    void (*abort)(nwbz_store *store, bool keep);

    /* Small files beside the unfinished tree: "plan.json", "journal".  put replaces it whole; append adds one line. */
    nwbz_code (*record_get)(nwbz_store *store, const char *name, nz_buffer *out, nwbz_error *err);
    nwbz_code (*record_put)(nwbz_store *store, const char *name, const void *bytes, size_t n, nwbz_error *err);
    nwbz_code (*record_append)(nwbz_store *store, const char *name, const void *bytes, size_t n, nwbz_error *err);

    void (*close)(nwbz_store *store); /* frees; abort was called before if it was not committed */
} nz_store_class;

/* Every store begins with this. */
struct nwbz_store {
    const nz_store_class *class;
    char *name;      /* for errors: the final path, or "memory" */
    bool staged;     /* created, not committed: record_* may be used */
    bool resumed;    /* staged, and continued from an unfinished tree */
    bool writable;
    bool keep_unfinished;
};

/* The most bytes of a document or of attributes that is read (consolidated metadata of 100,000 nodes is some 80 MB). */
#define NZ_DOCUMENT_MAX_BYTES ((size_t)1 << 30)

/* Read and write whole values through any store. */
nwbz_code nz_store_get(nwbz_store *store, const char *key, nz_buffer *out, nwbz_error *err);
nwbz_code nz_store_put(nwbz_store *store, const char *key, const void *bytes, size_t n_bytes, nwbz_error *err);
bool nz_store_has(nwbz_store *store, const char *key);

#endif
