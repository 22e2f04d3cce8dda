/* Put a tree down in Zarr by HDMF's conventions (ON-DISK.md): _DTYPE, _LINKS, _REFERENCE, _ARRAY_DIMENSIONS,
 * .specloc. */
#ifndef NZ_HDMF_WRITE_H
#define NZ_HDMF_WRITE_H

#include "hdmf/spec.h"
#include "model/node.h"
#include "zarr/consolidated.h"

#include <nwbz/array.h>

/* How a dataset whose samples come through the engine is stored: found by `user` of its node. */
typedef struct nz_layout {
    uint64_t chunk_shape[NWBZ_MAX_DIMS], shard_shape[NWBZ_MAX_DIMS]; /* shard_shape[0] 0: no shards */
    const char *codec;
    nwbz_array *array; /* out: made by nz_hdmf_make_arrays(); owned by the caller */
} nz_layout;

/* Make (in memory) the arrays of all datasets that have no value of their own; node->user is their nz_layout.
 * Nothing is written yet. */
nwbz_code nz_hdmf_make_arrays(nz_node *root, nwbz_store *store, const nz_specs *specs, nwbz_error *err);

/* Write the small datasets' chunks, then every document, then the root with consolidated metadata.  Shapes of the
 * arrays made before are taken as they are now. */
nwbz_code nz_hdmf_put_tree(const nz_node *root, nwbz_store *store, const nz_specs *specs, nwbz_error *err);

/* Add /specifications (texts of the built-in schema) to the root, and .specloc. */
nwbz_code nz_hdmf_add_specifications(nz_node *root, nwbz_error *err);

/* Convert one attribute value to JSON (docs/ON-DISK.md, "Attributes").  *json stays NULL for a value that is left
 * out: a reference to nothing. */
nwbz_code nz_hdmf_attribute_json(const nz_value *value, nz_json **json, nwbz_error *err);

#endif
