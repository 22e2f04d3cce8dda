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

/* How a tree is put down.  All borrowed.  The callbacks are called by several threads at once where number_of_jobs is more than 1. */
typedef struct nz_hdmf_put_options {
    nwbz_store *store;
    const nz_specs *specs;
    /* Find the array that holds the samples of a dataset without a value (whatever of them is stored: only its document is written); it keeps the
       attributes.  NULL: node->user is its nz_layout. */
    nwbz_array *(*array_of)(const nz_node *node, void *user);
    /* Make the array of a dataset that has a value, which is closed here.  NULL, or *array left NULL (cheaper than an array): default chunks and codec
       (section 12). */
    nwbz_code (*array_for_value)(const nz_node *node, void *user, nwbz_array **array, nwbz_error *err);
    void *user;
    bool verify_crc;       /* read each object of a value back */
    unsigned number_of_jobs; /* of writing values and documents; 0: 1; never changes the bytes */
    /* out */
    uint64_t stored_bytes; /* of values */
} nz_hdmf_put_options;

/*
 * Write the small datasets' chunks and every document, then the root's with consolidated metadata.  Shapes of the arrays made before are taken as they
 * are now.  Nodes of a tree of 100,000 take time that grows with their number, and memory for their documents as text.
 *
 * Returns NWBZ_OK; NWBZ_EINVAL (a dataset without value and array, an attribute with a name of the convention, text that is not UTF-8; err->where names the node);
 * NWBZ_ELIMIT; NWBZ_EIO (also: what was read back differs), NWBZ_ENOSPACE; NWBZ_ENOMEM.
 */
nwbz_code nz_hdmf_put_tree(const nz_node *root, nz_hdmf_put_options *options, nwbz_error *err);

/* Add /specifications (texts of the built-in schema) to the root, and .specloc. */
nwbz_code nz_hdmf_add_specifications(nz_node *root, nwbz_error *err);

/* Fetch the text of a scalar dataset that has no value in the tree (it was too large to travel with it).  Ownership: *text is the caller's (nz_free()). */
typedef nwbz_code (*nz_hdmf_text_fn)(const nz_node *dataset, void *user, char **text, size_t *n_bytes, nwbz_error *err);

/*
 * Add the specifications cached in a tree below `group` to `specs`: of each namespace the version with the last name in byte order, of that all datasets of
 * one text.  Links are followed.  Texts that are no JSON say nothing.
 *
 * `fetch` is asked for texts that the tree does not hold; NULL where it holds all.
 * Returns NWBZ_OK; what `fetch` returned; NWBZ_EINVAL (a text without a value, and no `fetch`: names it); NWBZ_ELIMIT; NWBZ_ENOMEM.
 */
nwbz_code nz_hdmf_specs_of_tree(const nz_node *group, nz_hdmf_text_fn fetch, void *user, nz_specs *specs, nwbz_error *err);

/* Convert one attribute value to JSON (docs/ON-DISK.md, "Attributes").  *json stays NULL for a value that is left
 * out: a scalar reference to nothing.  NWBZ_EINVAL: a type without JSON; NWBZ_EFORMAT: a region that is no JSON; NWBZ_ELIMIT. */
nwbz_code nz_hdmf_attribute_json(const nz_value *value, nz_json **json, nwbz_error *err);

#endif
