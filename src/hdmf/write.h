/* Put a tree down in Zarr by HDMF's conventions (ON-DISK.md): _DTYPE, _LINKS, _REFERENCE, _REFERENCE_FIELDS, _ARRAY_DIMENSIONS,
 * .specloc, and the notes of _HDF5. */
#ifndef NZ_HDMF_WRITE_H
#define NZ_HDMF_WRITE_H

#include "engine/run.h"
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

/* How a tree is put down.  All borrowed. */
typedef struct nz_hdmf_put_options {
    nwbz_store *store;
    const nz_specs *specs;
    /* Find the array that holds the samples of a dataset without a value; NULL: node->user is its nz_layout. */
    nwbz_array *(*array_of)(const nz_node *node, void *user);
    /* Make the array (caller's: nwbz_array_close()) of a dataset that has a value; NULL: default chunks and codec (section 12). */
    nwbz_code (*array_for_value)(const nz_node *node, void *user, nwbz_array **array, nwbz_error *err);
    void *user;
    bool verify_crc;       /* read each object of a value back */
    unsigned number_of_jobs; /* of writing values and documents; 0: 1 */
    /* out */
    uint64_t stored_bytes; /* of values */
} nz_hdmf_put_options;

/* Write the small datasets' chunks, then every document, then the root with consolidated metadata.  Shapes of the
 * arrays made before are taken as they are now.  Nodes of a tree of 100,000 take time that grows with their number, and memory for their documents as text. */
nwbz_code nz_hdmf_put_tree(const nz_node *root, nz_hdmf_put_options *options, nwbz_error *err);

/* Add /specifications (texts of the built-in schema) to the root, and .specloc. */
nwbz_code nz_hdmf_add_specifications(nz_node *root, nwbz_error *err);

/* Add the texts cached in the tree below `group` (groups namespace/version, datasets of text with values) to `specs`; false texts say nothing. */
nwbz_code nz_hdmf_specs_of_tree(const nz_node *group, nz_specs *specs, nwbz_error *err);

/* Convert one attribute value to JSON (docs/ON-DISK.md, "Attributes").  *json stays NULL for a value that is left
 * out: a reference to nothing. */
nwbz_code nz_hdmf_attribute_json(const nz_value *value, nz_json **json, nwbz_error *err);

#endif
