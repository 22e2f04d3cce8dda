/* The walk: breadth first, names in byte order, so that the first name of an object is its primary path.  The list of
 * objects is the queue.  Each object is opened once, by its address: a lookup by name would search its group again.
 */
#include "base/memory.h"
#include "base/path.h"
#include "hdf5/tree_parts.h"
#include "hdf5/version.h"

#include <string.h>

/* One object that is looked at. */
typedef struct visit {
    nz_hdf5_tree *tree;
    size_t index;
    const char *path;
    nz_node *node; /* NULL: left out */
    nz_hdf5_link *links;
    size_t n_links;
} visit;

/* ---- under the lock ------------------------------------------------------------------- */

static bool is_wanted(const visit *v, bool is_group)
{
    const nz_hdf5_tree_options *options = &v->tree->options;
    return v->index == 0 || !options->wants || options->wants(v->path, is_group, options->user);
}

static nwbz_code make_node(visit *v, bool is_dataset, nwbz_error *err)
{
    nz_hdf5_object *object = &v->tree->objects[v->index];
    nz_value none = NZ_VALUE_INIT;
    if (v->index == 0) {
        NZ_TRY(nz_node_new_root(&v->node, err));
        v->tree->root = v->node;
    } else {
        NZ_TRY(nz_hdf5_name_check(object->name, err));
        NZ_TRY(is_dataset ? nz_node_add_dataset(object->parent, object->name, &none, &v->node, err)
                          : nz_node_add_group(object->parent, object->name, &v->node, err));
        nz_free(object->name);
        object->name = NULL;
    }
    object->node = v->node;
    if (!is_dataset)
        v->node->user = (void *)(uintptr_t)(v->index + 1);
    return NWBZ_OK;
}

static nwbz_code take(visit *v, hid_t id, nwbz_error *err)
{
    H5I_type_t type = H5Iget_type(id);
    if (type != H5I_GROUP && type != H5I_DATASET && type != H5I_DATATYPE)
        return nz_fail(err, NWBZ_ESOURCE, "is an object of a kind that Zarr has no form for (%d): leave it out",
                       (int)type);
    if (!is_wanted(v, type != H5I_DATASET))
        return NWBZ_OK;
    NZ_TRY(make_node(v, type == H5I_DATASET, err));
    if (type == H5I_GROUP)
        return nz_hdf5_links_list(v->tree, v->tree->objects[v->index].place, id, &v->links, &v->n_links, err);
    return NWBZ_OK;
}

/* What cannot be opened can still be left out. */
static nwbz_code look_at(void *argument, nwbz_error *err)
{
    visit *v = argument;
    const nz_hdf5_object *object = &v->tree->objects[v->index];
    hid_t id = nz_hdf5_open_at(v->tree->places[object->place].file->id, object->address);
    if (id < 0) {
        nwbz_code code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the object cannot be opened");
        return is_wanted(v, true) || is_wanted(v, false) ? code : NWBZ_OK;
    }
    nwbz_code code = take(v, id, err);
    (void)H5Oclose(id);
    return code;
}

static nwbz_code find_root(void *argument, nwbz_error *err)
{
    const nz_hdf5_tree *tree = ((visit *)argument)->tree;
    unsigned long number;
    uint64_t address;
    hid_t root = H5Gopen2(tree->places[0].file->id, "/", H5P_DEFAULT);
    nwbz_code code = NWBZ_OK;
    if (root < 0 || nz_hdf5_identify(root, &number, &address) < 0)
        code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the root group cannot be opened");
    else
        code = nz_hdf5_object_add(((visit *)argument)->tree, 0, address, NULL, NULL, err);
    if (root >= 0)
        (void)H5Gclose(root);
    return code;
}

/* ---- the links of a group --------------------------------------------------------------- */

/* The link's name becomes that of an object that was not seen before; else it stays a link. */
static nwbz_code find_object(visit *v, nz_hdf5_link *link, nwbz_error *err)
{
    nz_hdf5_tree *tree = v->tree;
    size_t place = tree->objects[v->index].place;
    link->group = v->node;
    if (link->kind == NZ_HDF5_EXTERNAL)
        return nz_hdf5_external_enter(tree, link, err);
    if (link->kind != NZ_HDF5_HARD)
        return NWBZ_OK;
    link->object = nz_hdf5_object_find(tree, place, link->address);
    if (link->object != NZ_HDF5_NO_OBJECT)
        return NWBZ_OK;
    char *name = link->name;
    link->name = NULL;
    return nz_hdf5_object_add(tree, place, link->address, v->node, name, err);
}

static nwbz_code keep(visit *v, nz_hdf5_link *link, nwbz_error *err)
{
    nz_hdf5_tree *tree = v->tree;
    NZ_TRY(nz_hdf5_grow(&tree->links, tree->n_links, sizeof *tree->links, err));
    tree->links[tree->n_links++] = *link;
    tree->objects[v->index].n_links++;
    *link = (nz_hdf5_link){ .name = NULL };
    return NWBZ_OK;
}

static nwbz_code take_links(visit *v, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    v->tree->objects[v->index].first_link = v->tree->n_links;
    for (size_t i = 0; i < v->n_links; i++) {
        nz_hdf5_link *link = &v->links[i];
        if (code == NWBZ_OK)
            code = find_object(v, link, err);
        if (link->kind == NZ_HDF5_EXTERNAL && link->name)
            nz_where(err, code, "%s%s%s", v->path, v->index == 0 ? "" : "/", link->name);
        if (code == NWBZ_OK && link->name)
            code = keep(v, link, err);
        nz_hdf5_link_done(link);
    }
    nz_free(v->links);
    return code;
}

/* ---- the objects ---------------------------------------------------------------------------- */

/* The path of an object that may have no node yet. */
static char *path_of(const nz_hdf5_object *object)
{
    char *parent = object->parent ? nz_node_path(object->parent) : nz_strdup("/");
    char *path = parent && object->name ? nz_path_join(parent, object->name) : nz_strdup("/");
    nz_free(parent);
    return path;
}

static nwbz_code visit_object(nz_hdf5_tree *tree, size_t index, nwbz_error *err)
{
    char *path = path_of(&tree->objects[index]);
    visit v = { .tree = tree, .index = index, .path = path };
    if (!path)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = nz_hdf5_run(look_at, &v, err);
    if (code == NWBZ_OK)
        code = take_links(&v, err);
    nz_where(err, code, "%s", path);
    nz_free(path);
    return code;
}

nwbz_code nz_hdf5_walk(nz_hdf5_tree *tree, nwbz_error *err)
{
    NZ_TRY(nz_hdf5_run(find_root, &(visit){ .tree = tree }, err));
    for (size_t i = 0; i < tree->n_objects; i++)
        NZ_TRY(visit_object(tree, i, err));
    return NWBZ_OK;
}
