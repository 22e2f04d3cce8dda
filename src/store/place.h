/* The places that a store can be, one file each, and what they share. */
#ifndef NZ_STORE_PLACE_H
#define NZ_STORE_PLACE_H

#include "store/store.h"

/* The documents that make a folder a Zarr store, v3's first; NULL ends the list. */
extern const char *const nz_document_names[];

/* Begin a folder store in a staging folder beside `path`.  *store is NULL with NWBZ_OK where nothing is to be done. */
nwbz_code nz_dir_create(const char *path, const nwbz_create_options *options, nwbz_store **store, nwbz_error *err);

/* Open a folder store in place. */
nwbz_code nz_dir_open(const char *path, bool writable, nwbz_store **store, nwbz_error *err);

/* Make a memory store; its records are kept in memory until commit. */
nwbz_code nz_memory_new(nwbz_store **store, nwbz_error *err);

/* Refuse what is no key: "", a slash in front or at the end, empty parts, ".", "..", names of our own temporary files.
 * NWBZ_EINVAL. */
nwbz_code nz_key_check(const char *key, nwbz_error *err);

/* The same for the prefix of a list, which may be "" (the root). */
nwbz_code nz_prefix_check(const char *prefix, nwbz_error *err);

/* Refuse record names that are not in the list, and stores that are not staged.  *index: its place there. */
enum { NZ_RECORD_PLAN = 0, NZ_RECORD_JOURNAL, NZ_N_RECORDS };
extern const char *const nz_record_names[NZ_N_RECORDS];
nwbz_code nz_record_check(const nwbz_store *store, const char *name, unsigned *index, nwbz_error *err);

/* Say whether `name` is one that a write of ours gives to a file until it is renamed. */
bool nz_name_is_temporary(const char *name);

/* Turn the arguments of get into a range of a value of `size` bytes.  NWBZ_EFORMAT: the value ends before. */
nwbz_code nz_value_range(const char *key, uint64_t size, uint64_t offset, bool from_end, size_t *n, uint64_t *start,
                         nwbz_error *err);

#endif
