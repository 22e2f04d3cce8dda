/* The tree: read in one visit to each object, then settled, since only then all primary paths are known. */
#include "hdf5/tree.h"

#include "base/memory.h"
#include "hdf5/tree_parts.h"

/* ---- the user block ------------------------------------------------------------------- */

static nwbz_code look_at_user_block(void *argument, nwbz_error *err)
{
    nz_hdf5_tree *tree = argument;
    hsize_t n_bytes = 0;
    hid_t properties = H5Fget_create_plist(tree->places[0].file->id);
    herr_t status = properties < 0 ? -1 : H5Pget_userblock(properties, &n_bytes);
    if (properties >= 0)
        (void)H5Pclose(properties);
    tree->user_block_bytes = n_bytes;
    return status < 0 ? nz_hdf5_fail(err, NWBZ_ESOURCE, "the properties of the file cannot be read") : NWBZ_OK;
}

static nwbz_code warn_of_user_block(nz_hdf5_tree *tree, nwbz_error *err)
{
    NZ_TRY(nz_hdf5_run(look_at_user_block, tree, err));
    if (tree->user_block_bytes == 0)
        return NWBZ_OK;
    return nz_report_warn(tree->options.report, err, "/",
                          "the user block in front of the file, of %llu bytes, is not copied",
                          (unsigned long long)tree->user_block_bytes);
}

/* ---- read and free ---------------------------------------------------------------------- */

/* During the walk a group's node knows its object. */
static void forget_objects(nz_hdf5_tree *tree)
{
    for (size_t i = 0; i < tree->n_objects; i++)
        if (tree->objects[i].node && tree->objects[i].node->kind == NZ_GROUP)
            tree->objects[i].node->user = NULL;
}

static nwbz_code read_tree(nz_hdf5_tree *tree, nz_hdf5_file *file, nwbz_error *err)
{
    size_t place;
    NZ_TRY(nz_hdf5_place_add(tree, file, false, &place, err));
    NZ_TRY(warn_of_user_block(tree, err));
    NZ_TRY(nz_hdf5_walk(tree, err));
    NZ_TRY(nz_hdf5_links_settle(tree, err));
    NZ_TRY(nz_hdf5_names_warn(tree, err));
    forget_objects(tree);
    return NWBZ_OK;
}

nwbz_code nz_hdf5_tree_read(nz_hdf5_file *file, const nz_hdf5_tree_options *options, nz_hdf5_tree **tree,
                            nwbz_error *err)
{
    *tree = NULL;
    nz_hdf5_tree *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "the tree of an HDF5 file");
    self->options = *options;
    nwbz_code code = read_tree(self, file, err);
    if (code == NWBZ_OK)
        *tree = self;
    else
        nz_hdf5_tree_free(self);
    return code;
}

nz_node *nz_hdf5_tree_root(nz_hdf5_tree *tree)
{
    return tree->root;
}

size_t nz_hdf5_tree_n_files(const nz_hdf5_tree *tree)
{
    return tree->n_places - 1;
}

const nz_hdf5_file *nz_hdf5_tree_file(const nz_hdf5_tree *tree, size_t i)
{
    return tree->places[i + 1].file;
}

uint64_t nz_hdf5_tree_user_block_bytes(const nz_hdf5_tree *tree)
{
    return tree->user_block_bytes;
}

void nz_hdf5_tree_free(nz_hdf5_tree *tree)
{
    if (!tree)
        return;
    nz_node_free(tree->root);
    for (size_t i = 0; i < tree->n_objects; i++)
        nz_free(tree->objects[i].name);
    for (size_t i = 0; i < tree->n_links; i++)
        nz_hdf5_link_done(&tree->links[i]);
    for (size_t i = 0; i < tree->n_entrances; i++)
        nz_free(tree->entrances[i].path);
    for (size_t i = 0; i < tree->n_places; i++)
        if (tree->places[i].is_ours)
            nz_hdf5_file_close(tree->places[i].file);
    nz_free(tree->objects);
    nz_free(tree->links);
    nz_free(tree->entrances);
    nz_free(tree->places);
    nz_free(tree->slots);
    nz_free(tree);
}
