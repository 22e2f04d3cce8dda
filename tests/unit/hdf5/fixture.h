/* HDF5 files made by the library itself, for the tests of what reads them. */
#ifndef NZ_TESTS_HDF5_FIXTURE_H
#define NZ_TESTS_HDF5_FIXTURE_H

#include "unit/source/fixture.h"

#include <hdf5.h>

/* Check a call of the library; its own printing says why. */
#define assert_hdf5(call) assert_true((call) >= 0)

/* Count what is open in the library: files, groups, datasets and types. */
static inline ssize_t hdf5_count_open(void)
{
    return H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL);
}

/* How a dataset is stored. */
typedef struct hdf5_layout {
    unsigned n_dims;
    const hsize_t *shape, *chunk; /* chunk NULL: contiguous */
    bool filters;                 /* shuffle, gzip, fletcher32 */
} hdf5_layout;

/* Create the dataset /group/data in a new file, of `file_type`, from elements of `memory_type` (NULL: none). */
static inline void hdf5_file(const char *path, hid_t file_type, const hdf5_layout *layout, hid_t memory_type,
                             const void *elements)
{
    static const hsize_t none[NWBZ_MAX_DIMS] = { 0 };
    hsize_t most[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < layout->n_dims; d++)
        most[d] = layout->chunk ? H5S_UNLIMITED : layout->shape[d];
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = layout->n_dims ? H5Screate_simple((int)layout->n_dims, layout->shape ? layout->shape : none, most)
                                 : H5Screate(H5S_SCALAR);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (layout->chunk)
        assert_hdf5(H5Pset_chunk(properties, (int)layout->n_dims, layout->chunk));
    if (layout->filters) {
        assert_hdf5(H5Pset_shuffle(properties));
        assert_hdf5(H5Pset_deflate(properties, 1));
        assert_hdf5(H5Pset_fletcher32(properties));
    }
    hid_t dataset = H5Dcreate2(group, "data", file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_hdf5(dataset);
    if (elements)
        assert_hdf5(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    assert_hdf5(H5Dclose(dataset));
    assert_hdf5(H5Pclose(properties));
    assert_hdf5(H5Sclose(space));
    assert_hdf5(H5Gclose(group));
    assert_hdf5(H5Fclose(file));
}

#endif
