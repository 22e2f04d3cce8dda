/* Keys: where a node's document and an array's objects lie in a store. */
#ifndef NZ_ZARR_KEY_H
#define NZ_ZARR_KEY_H

#include "zarr/metadata.h"

/* Room for the text of any index: "0/3". */
enum { NZ_INDEX_ROOM = NWBZ_MAX_DIMS * 21 + 8 };

/*
 * Turn the path of a node into its key, with the names that Zarr stores cannot hold refused (docs/ON-DISK.md, "Names
 * and refusals"). Ownership: *key is the caller's.  NWBZ_EINVAL names the part.
 */
nwbz_code nz_node_key(const char *path, char **key, nwbz_error *err);

/* Say whether `key` is a key that a node may have when it is read: no empty part, "." or "..". */
bool nz_key_is_safe(const char *key);

/* Format the key of a node's document, KEY/zarr.json, and the node's path, /KEY, into new memory; NULL: no memory. */
char *nz_document_key(const char *key);
char *nz_path_of_key(const char *key);

/* Write an index as text with `separator` between; "" for no axes. */
void nz_index_text(unsigned n_dims, const uint64_t *index, char separator, char text[NZ_INDEX_ROOM]);

/* Format the key of an object of the array whose key is `key`, by the array's key encoding; NULL without memory. */
char *nz_object_key_of(const char *key, const nz_array_meta *meta, const uint64_t *index);

/* Compare keys in the order of paths: depth first, names in byte order. */
int nz_key_compare(const char *a, const char *b);

/* Count the parts of a key; "" has none. */
uint32_t nz_key_depth(const char *key);

#endif
