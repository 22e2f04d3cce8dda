/* The tree of an HDF5 file: every group, dataset, attribute and link, read in one visit to each object.
 *
 *   file --nz_hdf5_tree_read--> nz_node tree, and for each dataset without a value its description (node->user) --nz_hdf5_dataset_*--> samples
 *
 * Objects are visited breadth first, names in byte order, so that the first name that leads to an object is its primary path (docs/ON-DISK.md
 * section 6); every other name is a link.  What needs primary paths (links, references in attributes and in values) is settled when all are known.
 * Nothing is dropped in silence: what Zarr has no form for becomes a note of its node (node->note) and a conversion in the report, or is refused.
 */
#ifndef NZ_HDF5_TREE_H
#define NZ_HDF5_TREE_H

#include "hdf5/dataset.h"
#include "model/node.h"
#include "model/report.h"

typedef struct nz_hdf5_tree nz_hdf5_tree;

/*
 * Say whether an object is wanted, by its primary path; what is not is left out with all below it, and links and references to it lead nowhere (names within it are
 * not seen: an object with another name elsewhere has that as its primary path).  A link is asked for by its own path, is_group saying what it finally leads to; one
 * that is not wanted is left out without a note.
 */
typedef bool (*nz_hdf5_wants_fn)(const char *path, bool is_group, void *user);

typedef struct nz_hdf5_tree_options {
    bool keep_external;       /* external links become notes; else what they lead to is copied to their place */
    bool text_latin1;         /* text that is not UTF-8 is Latin-1, listed; else NWBZ_ESOURCE names object and element */
    bool strict;              /* each conversion is an error */
    uint64_t value_bytes;     /* datasets without chunks and filters up to this size are read as values of their nodes; 0: none */
    uint64_t all_values_bytes;/* ... as long as all of them together stay below this */
    nz_hdf5_wants_fn wants;   /* NULL: all */
    void *user;
    nwbz_report *report;      /* or NULL: conversions and warnings */
} nz_hdf5_tree_options;

/*
 * Read the tree.
 *
 * Ownership: *tree is the caller's, to be freed before `file`, which is borrowed; files that external links lead to are its own.
 * Values:    node->value of small datasets of numbers and text (references too); the others have node->user, a nz_hdf5_dataset of the tree, and
 *            node->type, n_dims, shape as they will be stored.  A dataset without elements or space has neither value nor samples to read
 *            (nz_hdf5_dataset_info.is_written false).
 * Returns NWBZ_OK; NWBZ_ESOURCE (damaged, a B-tree that loops, a name or type that Zarr cannot hold, text that is not UTF-8, an external link that leads
 * nowhere: err->where names the object); NWBZ_ELIMIT; NWBZ_ENOMEM.
 */
nwbz_code nz_hdf5_tree_read(nz_hdf5_file *file, const nz_hdf5_tree_options *options, nz_hdf5_tree **tree, nwbz_error *err);
nz_node *nz_hdf5_tree_root(nz_hdf5_tree *tree);
void nz_hdf5_tree_free(nz_hdf5_tree *tree);

/* The files that were opened beside the first, for the identity of the source. */
size_t nz_hdf5_tree_n_files(const nz_hdf5_tree *tree);
const nz_hdf5_file *nz_hdf5_tree_file(const nz_hdf5_tree *tree, size_t i);

/* Bytes of the user block in front of the file; 0: none. */
uint64_t nz_hdf5_tree_user_block_bytes(const nz_hdf5_tree *tree);

#endif
