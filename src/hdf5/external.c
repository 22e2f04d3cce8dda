/* External links.  A file is looked for beside the one that has the link, as the library does, but not in the working
 * directory; it is opened as any other, once, however many links lead there.  Within it the library follows the path.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "hdf5/tree_parts.h"
#include "hdf5/version.h"

#include <string.h>

/* ---- files -------------------------------------------------------------------------------- */

typedef struct root_look {
    nz_hdf5_place *place;
} root_look;

static nwbz_code look_at_root(void *argument, nwbz_error *err)
{
    nz_hdf5_place *place = ((root_look *)argument)->place;
    uint64_t address;
    hid_t root = H5Gopen2(place->file->id, "/", H5P_DEFAULT);
    if (root < 0 || nz_hdf5_identify(root, &place->number, &address) < 0) {
        nwbz_code code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the root group cannot be opened");
        if (root >= 0)
            (void)H5Gclose(root);
        return code;
    }
    (void)H5Gclose(root);
    return NWBZ_OK;
}

nwbz_code nz_hdf5_place_add(nz_hdf5_tree *tree, nz_hdf5_file *file, bool is_ours, size_t *place, nwbz_error *err)
{
    nz_file_info info = { 0 };
    nz_hdf5_place added = { .file = file, .is_ours = is_ours };
    nwbz_code code = nz_file_look_fd(file->descriptor, file->path, &info, err);
    if (code == NWBZ_OK)
        code = nz_hdf5_run(look_at_root, &(root_look){ &added }, err);
    if (code == NWBZ_OK)
        code = nz_hdf5_grow(&tree->places, tree->n_places, sizeof *tree->places, err);
    if (code != NWBZ_OK) {
        if (is_ours)
            nz_hdf5_file_close(file);
        return code;
    }
    added.device = info.device;
    added.inode = info.inode;
    added.size_bytes = info.size_bytes;
    *place = tree->n_places;
    tree->places[tree->n_places++] = added;
    return NWBZ_OK;
}

/* Look at the file at `folder`/`name`; *path is the caller's. */
static nwbz_code look(const char *folder, const char *name, char **path, nz_file_info *info, nwbz_error *err)
{
    *path = *name == '/' ? nz_strdup(name) : nz_path_join(folder, name);
    return *path ? nz_file_look(*path, true, info, err) : nz_fail_memory(err, strlen(name), "a path");
}

/* Find the file of a link: by its path; an absolute one that is gone, by its name. */
static nwbz_code find_file(const nz_hdf5_place *from, const char *name, char **path, nz_file_info *info,
                           nwbz_error *err)
{
    char *folder = nz_path_parent(from->file->path), *last = nz_path_name(name);
    nwbz_code code = folder && last ? look(folder, name, path, info, err) : nz_fail_memory(err, strlen(name), "a path");
    if (code == NWBZ_OK && info->kind == NZ_FILE_ABSENT && *name == '/') {
        nz_free(*path);
        code = look(folder, last, path, info, err);
    }
    nz_free(folder);
    nz_free(last);
    return code;
}

static nwbz_code open_place(nz_hdf5_tree *tree, const char *path, const nz_file_info *info, size_t *place,
                            nwbz_error *err)
{
    nz_hdf5_file *file = NULL;
    for (*place = 0; *place < tree->n_places; ++*place)
        if (tree->places[*place].device == info->device && tree->places[*place].inode == info->inode)
            return NWBZ_OK;
    NZ_TRY(nz_hdf5_file_open(path, &file, err));
    return nz_hdf5_place_add(tree, file, true, place, err);
}

/* ---- the object in it ------------------------------------------------------------------------- */

typedef struct object_look {
    hid_t file;
    const char *path;
    unsigned long number;
    uint64_t address;
    char name[4096]; /* of the file that it lies in, which may be a third one */
} object_look;

/* What the library opens on its way must be opened as we do it. */
static hid_t links_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), links = H5Pcreate(H5P_LINK_ACCESS);
    if (access < 0 || links < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_elink_fapl(links, access) < 0) {
        if (links >= 0)
            (void)H5Pclose(links);
        links = H5I_INVALID_HID;
    }
    if (access >= 0)
        (void)H5Pclose(access);
    return links;
}

static nwbz_code look_at_object(void *argument, nwbz_error *err)
{
    object_look *l = argument;
    hid_t access = links_access(), object = access < 0 ? access : H5Oopen(l->file, l->path, access);
    nwbz_code code = NWBZ_OK;
    if (object < 0 || nz_hdf5_identify(object, &l->number, &l->address) < 0 ||
        H5Fget_name(object, l->name, sizeof l->name) < 0)
        code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the object cannot be opened");
    if (object >= 0)
        (void)H5Oclose(object);
    if (access >= 0)
        (void)H5Pclose(access);
    return code;
}

/* Find the object at the end of the path, and the file it lies in. */
static nwbz_code find_object(nz_hdf5_tree *tree, const char *path, size_t *place, uint64_t *address, nwbz_error *err)
{
    object_look l = { .file = tree->places[*place].file->id, .path = path };
    nz_file_info info = { 0 };
    NZ_TRY(nz_hdf5_run(look_at_object, &l, err));
    *address = l.address;
    if (l.number == tree->places[*place].number)
        return NWBZ_OK;
    NZ_TRY(nz_file_look(l.name, true, &info, err));
    return open_place(tree, l.name, &info, place, err);
}

/* ---- the link --------------------------------------------------------------------------------- */

static nwbz_code fail_link(const nz_hdf5_link *link, nwbz_code code, nwbz_error *err)
{
    char why[sizeof err->message];
    if (code != NWBZ_ESOURCE || !err)
        return code;
    memcpy(why, err->message, sizeof why);
    return nz_fail(
        err, code,
        "the external link leads to '%s' in the file '%s', which cannot be copied: %s; put the file back, or keep "
        "external links as notes (external keep)",
        link->target, link->file, why);
}

/* Remember where another file was entered, for absolute soft links in there. */
static nwbz_code add_entrance(nz_hdf5_tree *tree, size_t place, const char *path, nwbz_error *err)
{
    NZ_TRY(nz_hdf5_grow(&tree->entrances, tree->n_entrances, sizeof *tree->entrances, err));
    char *copy = nz_strdup(path);
    if (!copy)
        return nz_fail_memory(err, strlen(path), "a path");
    tree->entrances[tree->n_entrances++] = (nz_hdf5_entrance){ (uint32_t)place, copy, tree->n_objects - 1 };
    return NWBZ_OK;
}

/* The object at the link's end becomes one of the tree's, at the link's place, unless it is one already. */
static nwbz_code enter(nz_hdf5_tree *tree, nz_hdf5_link *link, const char *path, const nz_file_info *info,
                       nwbz_error *err)
{
    size_t place, entered;
    uint64_t address = 0;
    NZ_TRY(open_place(tree, path, info, &place, err));
    entered = place;
    NZ_TRY(find_object(tree, link->target, &place, &address, err));
    link->object = nz_hdf5_object_find(tree, place, address);
    if (link->object != NZ_HDF5_NO_OBJECT)
        return NWBZ_OK;
    if (place == 0) { /* back in our own file, by way of another: to be found when all is visited */
        link->kind = NZ_HDF5_EXTERNAL;
        link->address = address;
        return NWBZ_OK;
    }
    char *name = link->name;
    link->name = NULL;
    NZ_TRY(nz_hdf5_object_add(tree, place, address, link->group, name, err));
    return entered == place ? add_entrance(tree, place, link->target, err) : NWBZ_OK;
}

static nwbz_code left_out(const nz_hdf5_tree *tree, const nz_hdf5_link *link, bool *is, nwbz_error *err)
{
    *is = false;
    if (!tree->options.wants)
        return NWBZ_OK;
    char *group = nz_node_path(link->group), *path = group ? nz_path_join(group, link->name) : NULL;
    if (path)
        *is = !tree->options.wants(path, true, tree->options.user) &&
              !tree->options.wants(path, false, tree->options.user);
    nz_free(group);
    nz_free(path);
    return path ? NWBZ_OK : nz_fail_memory(err, 256, "a path");
}

nwbz_code nz_hdf5_external_enter(nz_hdf5_tree *tree, nz_hdf5_link *link, nwbz_error *err)
{
    const nz_hdf5_place *from = &tree->places[nz_hdf5_object_of(tree, link->group)->place];
    nz_file_info info = { 0 };
    char *path = NULL;
    bool is_left_out;
    NZ_TRY(left_out(tree, link, &is_left_out, err));
    nwbz_code code = is_left_out ? NWBZ_OK : find_file(from, link->file, &path, &info, err);
    if (code == NWBZ_OK && path && info.kind != NZ_FILE_ABSENT && info.device == tree->places[0].device &&
        info.inode == tree->places[0].inode)
        link->is_inside = true;
    else if (code == NWBZ_OK && path && !tree->options.keep_external)
        code = fail_link(link, enter(tree, link, path, &info, err), err);
    nz_free(path);
    return code;
}
