/* References by identity.  One to an object holds the object's address, so it is found without a call of the library;
 * one to a region names an entry of the file, which the library opens.  What is not in the tree (null, deleted, left
 * out, of another part of a file that was entered by an external link) is nothing.
 *
 * Note that HDF5 gives the address of a deleted object to new ones: such a reference cannot be told from a sound one.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "hdf5/tree_parts.h"
#include "hdf5/version.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_BOXES = 1000000, MAX_REGION_BYTES = 256 << 20 };

/* ---- objects ------------------------------------------------------------------------------ */

/* The file that `in` lies in. */
static nwbz_code place_of(const nz_hdf5_tree *tree, hid_t in, size_t *place, nwbz_error *err)
{
    unsigned long number;
    uint64_t address;
    *place = 0;
    if (tree->n_places == 1)
        return NWBZ_OK;
    if (nz_hdf5_identify(in, &number, &address) < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the file of a reference cannot be found");
    *place = nz_hdf5_place_of(tree, number);
    return NWBZ_OK;
}

static nwbz_code find(const nz_hdf5_tree *tree, size_t place, uint64_t address, char **path, nwbz_error *err)
{
    size_t i = nz_hdf5_object_find(tree, place, address);
    const nz_node *node = i != NZ_HDF5_NO_OBJECT ? tree->objects[i].node : NULL;
    *path = node ? nz_node_path(node) : NULL;
    return node && !*path ? nz_fail_memory(err, 256, "a path") : NWBZ_OK;
}

static nwbz_code find_object(const nz_hdf5_tree *tree, hid_t in, const void *reference, char **path, nwbz_error *err)
{
    hobj_ref_t address;
    size_t place;
    memcpy(&address, reference, sizeof address);
    if (address == 0)
        return NWBZ_OK;
    NZ_TRY(place_of(tree, in, &place, err));
    return find(tree, place, address, path, err);
}

/* ---- regions -------------------------------------------------------------------------------- */

/* Write boxes; each has its first corner and its last one, of `rank` indexes each, or the same one for both. */
static nwbz_code add_boxes(const hsize_t *corners, uint64_t n, unsigned rank, bool is_points, nz_buffer *out,
                           nwbz_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        const hsize_t *first = corners + i * rank * (is_points ? 1 : 2), *last = is_points ? first : first + rank;
        NZ_TRY(nz_buffer_add_text(out, i ? ", [" : "[", err));
        for (unsigned d = 0; d < rank; d++)
            NZ_TRY(nz_buffer_addf(out, err, "%s[%" PRIu64 ", %" PRIu64 "]", d ? ", " : "", (uint64_t)first[d],
                                  (uint64_t)last[d] + 1));
        NZ_TRY(nz_buffer_add_text(out, "]", err));
    }
    return NWBZ_OK;
}

static nwbz_code add_listed(hid_t space, unsigned rank, bool is_points, nz_buffer *out, nwbz_error *err)
{
    hssize_t n = is_points ? H5Sget_select_elem_npoints(space) : H5Sget_select_hyper_nblocks(space);
    if (n < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the region of a reference cannot be read");
    if (n > MAX_BOXES)
        return nz_fail(err, NWBZ_ELIMIT, "a reference to a region of %lld boxes; at most %d are stored", (long long)n,
                       MAX_BOXES);
    hsize_t *corners = nz_calloc((size_t)n * rank, 2 * sizeof *corners);
    if (!corners)
        return nz_fail_memory(err, (size_t)n * rank * 2 * sizeof *corners, "a region");
    herr_t status = n == 0      ? 0
                    : is_points ? H5Sget_select_elem_pointlist(space, 0, (hsize_t)n, corners)
                                : H5Sget_select_hyper_blocklist(space, 0, (hsize_t)n, corners);
    nwbz_code code = status < 0 ? nz_hdf5_fail(err, NWBZ_ESOURCE, "the region of a reference cannot be read")
                                : add_boxes(corners, (uint64_t)n, rank, is_points, out, err);
    nz_free(corners);
    return code;
}

/* All of a dataset is one box; of an empty one, a box without elements. */
static nwbz_code add_all(hid_t space, unsigned rank, nz_buffer *out, nwbz_error *err)
{
    hsize_t corners[2 * NWBZ_MAX_DIMS] = { 0 };
    if (H5Sget_simple_extent_dims(space, corners + rank, NULL) < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the shape of a region cannot be read");
    for (unsigned d = 0; d < rank; d++)
        corners[rank + d]--; /* UINT64_MAX and one more is 0 */
    return add_boxes(corners, 1, rank, false, out, err);
}

static nwbz_code add_region(hid_t space, nz_buffer *out, nwbz_error *err)
{
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > NWBZ_MAX_DIMS)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the shape of a region cannot be read");
    NZ_TRY(nz_buffer_add_text(out, "[", err));
    switch (H5Sget_select_type(space)) {
    case H5S_SEL_NONE:
        break;
    case H5S_SEL_ALL:
        NZ_TRY(add_all(space, (unsigned)rank, out, err));
        break;
    case H5S_SEL_POINTS:
        NZ_TRY(add_listed(space, (unsigned)rank, true, out, err));
        break;
    case H5S_SEL_HYPERSLABS:
        NZ_TRY(add_listed(space, (unsigned)rank, false, out, err));
        break;
    default:
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the region of a reference cannot be read");
    }
    return nz_buffer_add_text(out, "]", err);
}

static nwbz_code read_region(hid_t in, const void *reference, char **region, nwbz_error *err)
{
    nz_buffer text = NZ_BUFFER_INIT(MAX_REGION_BYTES);
    hid_t space = H5Rget_region(in, H5R_DATASET_REGION, reference);
    if (space < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the region of a reference cannot be read");
    nwbz_code code = add_region(space, &text, err);
    (void)H5Sclose(space);
    if (code == NWBZ_OK)
        *region = text.bytes;
    else
        nz_buffer_done(&text);
    return code;
}

static nwbz_code find_region(const nz_hdf5_tree *tree, hid_t in, const void *reference, nz_hdf5_target *target,
                             nwbz_error *err)
{
    static const hdset_reg_ref_t none;
    unsigned long number;
    uint64_t address;
    if (memcmp(reference, &none, sizeof none) == 0)
        return NWBZ_OK;
    hid_t object = H5Rdereference2(in, H5P_DEFAULT, H5R_DATASET_REGION, reference);
    if (object < 0)
        return NWBZ_OK; /* deleted */
    herr_t status = nz_hdf5_identify(object, &number, &address);
    (void)H5Oclose(object);
    if (status < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the dataset of a reference to a region cannot be looked at");
    NZ_TRY(find(tree, nz_hdf5_place_of(tree, number), address, &target->path, err));
    return target->path ? read_region(in, reference, &target->region, err) : NWBZ_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

nwbz_code nz_hdf5_reference(hid_t in, bool is_region, const void *reference, void *user, nz_hdf5_target *target,
                            nwbz_error *err)
{
    const nz_hdf5_tree *tree = user;
    *target = (nz_hdf5_target){ NULL, NULL };
    nwbz_code code = is_region ? find_region(tree, in, reference, target, err)
                               : find_object(tree, in, reference, &target->path, err);
    if (code != NWBZ_OK) {
        nz_free(target->path);
        nz_free(target->region);
        *target = (nz_hdf5_target){ NULL, NULL };
    }
    return code;
}
