/* The links of one group.  They are taken in the order of the file, since for any other the library would first make a
 * list of its own, without end where a damaged B-tree leads back into itself.  Here such a loop is found by Brent's way:
 * of the names seen, the last one whose number is a power of two is kept; when it comes again, it came around.
 */
#include "base/memory.h"
#include "hdf5/tree_parts.h"
#include "hdf5/version.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_LINK_BYTES = 4, MAX_TARGET_BYTES = 1 << 20 };

typedef struct listing {
    nz_hdf5_place *place;
    hid_t group;
    nz_hdf5_link *links;
    size_t n, mark; /* mark: index of the name that is kept */
    nwbz_error *err;
    nwbz_code code;
} listing;

void nz_hdf5_link_done(nz_hdf5_link *link)
{
    nz_free(link->name);
    nz_free(link->target);
    nz_free(link->file);
    link->name = link->target = link->file = NULL;
}

/* ---- what a link says ----------------------------------------------------------------- */

/* Unpack what the library gives for an external link: its file and its path in there. */
static nwbz_code unpack(const char *value, size_t n_bytes, nz_hdf5_link *link, nwbz_error *err)
{
    const char *file, *path;
    unsigned flags;
    if (H5Lunpack_elink_val(value, n_bytes, &flags, &file, &path) < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the external link '%s' cannot be read", link->name);
    link->file = nz_strdup(file);
    link->target = nz_strdup(path);
    return link->file && link->target ? NWBZ_OK : nz_fail_memory(err, n_bytes, "an external link");
}

static nwbz_code read_value(hid_t group, nz_hdf5_link *link, size_t n_bytes, nwbz_error *err)
{
    if (n_bytes > MAX_TARGET_BYTES)
        return nz_fail(err, NWBZ_ESOURCE, "the link '%s' is damaged: its target has %zu bytes", link->name, n_bytes);
    char *value = nz_calloc(n_bytes + 1, 1);
    nwbz_code code = NWBZ_OK;
    if (!value)
        return nz_fail_memory(err, n_bytes + 1, "a link");
    if (H5Lget_val(group, link->name, value, n_bytes, H5P_DEFAULT) < 0)
        code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the link '%s' cannot be read", link->name);
    else if (link->kind == NZ_HDF5_EXTERNAL)
        code = unpack(value, n_bytes, link, err);
    else {
        link->target = value;
        value = NULL;
    }
    nz_free(value);
    return code;
}

static nwbz_code describe(const listing *l, nz_hdf5_link *link, const nz_hdf5_link_info *info, nwbz_error *err)
{
    switch (info->type) {
    case H5L_TYPE_HARD:
        link->kind = NZ_HDF5_HARD;
        link->address = nz_hdf5_link_address(info);
        return NWBZ_OK;
    case H5L_TYPE_SOFT:
        link->kind = NZ_HDF5_SOFT;
        return read_value(l->group, link, info->u.val_size, err);
    case H5L_TYPE_EXTERNAL:
        link->kind = NZ_HDF5_EXTERNAL;
        return read_value(l->group, link, info->u.val_size, err);
    default:
        return nz_fail(err, NWBZ_ESOURCE,
                       "the link '%s' is of a program's own kind (%d), for which Zarr has no form: leave it out",
                       link->name, (int)info->type);
    }
}

/* ---- the list ------------------------------------------------------------------------- */

static nwbz_code add(listing *l, const char *name, const nz_hdf5_link_info *info, nwbz_error *err)
{
    if (++l->place->n_links > l->place->size_bytes / LEAST_LINK_BYTES)
        return nz_fail(err, NWBZ_ESOURCE, "is damaged: it has more links than the file has room for");
    if (l->n > 0 && strcmp(name, l->links[l->mark].name) == 0)
        return nz_fail(err, NWBZ_ESOURCE, "is damaged: its list of links leads back into itself (at '%s')", name);
    NZ_TRY(nz_hdf5_grow(&l->links, l->n, sizeof *l->links, err));
    nz_hdf5_link *link = &l->links[l->n];
    *link = (nz_hdf5_link){ .object = NZ_HDF5_NO_OBJECT, .name = nz_strdup(name) };
    if (!link->name)
        return nz_fail_memory(err, strlen(name) + 1, "a link");
    if ((l->n & (l->n + 1)) == 0)
        l->mark = l->n;
    l->n++;
    return describe(l, link, info, err);
}

static herr_t on_link(hid_t group, const char *name, const nz_hdf5_link_info *info, void *user)
{
    listing *l = user;
    (void)group;
    l->code = add(l, name, info, l->err);
    return l->code == NWBZ_OK ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
    const nz_hdf5_link *x = a, *y = b;
    return strcmp(x->name, y->name); /* by unsigned bytes */
}

static nwbz_code sort(listing *l, nwbz_error *err)
{
    if (l->n > 1)
        qsort(l->links, l->n, sizeof *l->links, compare);
    for (size_t i = 1; i < l->n; i++)
        if (compare(&l->links[i - 1], &l->links[i]) == 0)
            return nz_fail(err, NWBZ_ESOURCE, "is damaged: two of its links are named '%s'", l->links[i].name);
    return NWBZ_OK;
}

nwbz_code nz_hdf5_links_list(nz_hdf5_tree *tree, size_t place, hid_t group, nz_hdf5_link **links, size_t *n,
                             nwbz_error *err)
{
    listing l = { .place = &tree->places[place], .group = group, .err = err };
    *links = NULL;
    *n = 0;
    if (nz_hdf5_each_link(group, on_link, &l) < 0 && l.code == NWBZ_OK)
        l.code = nz_hdf5_fail(err, NWBZ_ESOURCE, "its links cannot be read");
    if (l.code == NWBZ_OK)
        l.code = sort(&l, err);
    if (l.code == NWBZ_OK) {
        *links = l.links;
        *n = l.n;
        return NWBZ_OK;
    }
    for (size_t i = 0; i < l.n; i++)
        nz_hdf5_link_done(&l.links[i]);
    nz_free(l.links);
    return l.code;
}
