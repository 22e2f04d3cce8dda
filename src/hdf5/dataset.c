/* A dataset is looked at once when it is opened, all in one visit to the library; a read is one more visit.  What could
 * only fail later, or give other values than the file has, is refused at once: a filter that is not there, and samples
 * in other files, which the library replaces by the fill value where such a file is missing.
 */
#include "hdf5/dataset.h"

#include "base/checked.h"
#include "base/memory.h"
#include "hdf5/library.h"

#include <string.h>

/* The library's chunk cache of a dataset and its buffer for swapping bytes, 1 MiB each by default. */
#define LIBRARY_BYTES ((uint64_t)2 << 20)

struct nz_hdf5_dataset {
    nz_hdf5_dataset_info info;
    hid_t id, space, memory_type;
};

/* ---- filters ------------------------------------------------------------------------ */

static const char *filter_name(H5Z_filter_t filter)
{
    static const struct {
        H5Z_filter_t filter;
        const char *name;
    } names[] = { { 1, "gzip" },      { 2, "shuffle" },  { 3, "fletcher32" },
                  { 4, "szip" },      { 307, "bzip2" },  { 32000, "lzf, of h5py alone" },
                  { 32001, "blosc" }, { 32004, "lz4" },  { 32008, "bitshuffle" },
                  { 32013, "zfp" },   { 32015, "zstd" }, { 32017, "sz" },
                  { 32026, "blosc2" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].filter == filter)
            return names[i].name;
    return "see the list of registered filters of the HDF Group";
}

static nwbz_code check_filters(hid_t properties, nwbz_error *err)
{
    int n = H5Pget_nfilters(properties);
    for (int i = 0; i < n; i++) {
        unsigned flags = 0, config = 0;
        size_t n_values = 0;
        char name[1] = "";
        H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &n_values, NULL, sizeof name, name, &config);
        if (filter < 0)
            return nz_hdf5_fail(err, NWBZ_ESOURCE, "filter %d of %d of the dataset cannot be read", i + 1, n);
        if (H5Zfilter_avail(filter) <= 0)
            return nz_fail(err, NWBZ_EUNSUPPORTED,
                           "the chunks need HDF5 filter %d (%s), which is not installed: install a plugin for it (pip "
                           "install hdf5plugin has many) and set HDF5_PLUGIN_PATH to the folder it is in",
                           (int)filter, filter_name(filter));
    }
    return n < 0 ? nz_hdf5_fail(err, NWBZ_ESOURCE, "the filters of the dataset cannot be read") : NWBZ_OK;
}

/* ---- where the samples lie ---------------------------------------------------------- */

/* External links lead to other files; the library follows them without a word. */
static nwbz_code check_file(const nz_hdf5_file *file, hid_t id, nwbz_error *err)
{
    enum { MAX_NAME = 4096 };
    nwbz_code code = NWBZ_OK;
    char *names = nz_calloc(2, MAX_NAME);
    if (!names)
        return nz_fail_memory(err, (size_t)2 * MAX_NAME, "the names of HDF5 files");
    if (H5Fget_name(file->id, names, MAX_NAME) < 0 || H5Fget_name(id, names + MAX_NAME, MAX_NAME) < 0)
        code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the file of the dataset cannot be found");
    else if (strcmp(names, names + MAX_NAME) != 0)
        code = nz_fail(err, NWBZ_EUNSUPPORTED, "an external link leads to another file: open '%s' itself",
                       names + MAX_NAME);
    nz_free(names);
    return code;
}

static nwbz_code check_place(hid_t properties, H5D_layout_t layout, nwbz_error *err)
{
    if (layout < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the layout of the dataset cannot be read");
    if (layout == H5D_VIRTUAL)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "is a virtual dataset: its samples lie in other datasets");
    if (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) > 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "has external storage: its samples lie in other files");
    return NWBZ_OK;
}

/* ---- describe ----------------------------------------------------------------------- */

static nwbz_code describe_shape(nz_hdf5_dataset *self, nwbz_error *err)
{
    hsize_t shape[NWBZ_MAX_DIMS] = { 0 };
    uint64_t n_bytes;
    H5S_class_t class = H5Sget_simple_extent_type(self->space);
    if (class == H5S_NULL)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the HDF5 dataset has a null dataspace: no elements and no shape");
    int n_dims = H5Sget_simple_extent_ndims(self->space);
    if (class == H5S_NO_CLASS || n_dims < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the shape of the dataset cannot be read");
    if (n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the HDF5 dataset has %d axes, which is more than %d", n_dims,
                       NWBZ_MAX_DIMS);
    if (H5Sget_simple_extent_dims(self->space, shape, NULL) < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the shape of the dataset cannot be read");
    self->info.n_dims = (unsigned)n_dims;
    for (int d = 0; d < n_dims; d++)
        self->info.shape[d] = shape[d];
    if (!nz_count(self->info.shape, self->info.n_dims, nwbz_type_size(self->info.dtype.type), &n_bytes) ||
        n_bytes > INT64_MAX)
        return nz_fail(err, NWBZ_ESOURCE, "the shape of the dataset needs more bytes than a file can have");
    return NWBZ_OK;
}

static nwbz_code describe_chunks(nz_hdf5_dataset *self, hid_t properties, nwbz_error *err)
{
    hsize_t shape[NWBZ_MAX_DIMS] = { 0 };
    H5D_layout_t layout = H5Pget_layout(properties);
    NZ_TRY(check_place(properties, layout, err));
    if (layout != H5D_CHUNKED)
        return NWBZ_OK;
    if (H5Pget_chunk(properties, (int)self->info.n_dims, shape) != (int)self->info.n_dims)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the shape of the chunks cannot be read");
    self->info.is_chunked = true;
    for (unsigned d = 0; d < self->info.n_dims; d++)
        if ((self->info.chunk_shape[d] = shape[d]) == 0)
            return nz_fail(err, NWBZ_ESOURCE, "the chunks have length 0 in axis %u", d);
    return check_filters(properties, err);
}

static nwbz_code describe(nz_hdf5_dataset *self, nwbz_error *err)
{
    hid_t type = H5Dget_type(self->id), properties = H5Dget_create_plist(self->id);
    self->space = H5Dget_space(self->id);
    nwbz_code code = NWBZ_OK;
    if (type < 0 || properties < 0 || self->space < 0)
        code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the description of the dataset cannot be read");
    if (code == NWBZ_OK)
        code = nz_hdf5_type_of(type, &self->info.dtype.type, &self->memory_type, err);
    if (code == NWBZ_OK)
        code = describe_shape(self, err);
    if (code == NWBZ_OK)
        code = describe_chunks(self, properties, err);
    if (type >= 0)
        (void)H5Tclose(type);
    if (properties >= 0)
        (void)H5Pclose(properties);
    return code;
}

/* ---- open and close ----------------------------------------------------------------- */

typedef struct opening {
    const nz_hdf5_file *file;
    const char *path;
    nz_hdf5_dataset *dataset;
} opening;

static nwbz_code open_dataset(void *argument, nwbz_error *err)
{
    opening *o = argument;
    o->dataset->id = H5Dopen2(o->file->id, o->path, H5P_DEFAULT);
    if (o->dataset->id < 0)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the dataset '%s' cannot be opened", o->path);
    NZ_TRY(check_file(o->file, o->dataset->id, err));
    return describe(o->dataset, err);
}

static nwbz_code close_dataset(void *argument, nwbz_error *err)
{
    const nz_hdf5_dataset *self = argument;
    (void)err;
    if (self->memory_type >= 0)
        (void)H5Tclose(self->memory_type);
    if (self->space >= 0)
        (void)H5Sclose(self->space);
    if (self->id >= 0)
        (void)H5Dclose(self->id);
    return NWBZ_OK;
}

nwbz_code nz_hdf5_dataset_open(nz_hdf5_file *file, const char *path, nz_hdf5_dataset **dataset, nwbz_error *err)
{
    *dataset = NULL;
    nz_hdf5_dataset *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "an HDF5 dataset");
    self->id = self->space = self->memory_type = H5I_INVALID_HID;
    opening o = { file, path, self };
    nwbz_code code = nz_hdf5_run(open_dataset, &o, err);
    if (code == NWBZ_OK)
        *dataset = self;
    else
        nz_hdf5_dataset_close(self);
    return code;
}

void nz_hdf5_dataset_close(nz_hdf5_dataset *dataset)
{
    if (!dataset)
        return;
    (void)nz_hdf5_run(close_dataset, dataset, NULL);
    nz_free(dataset);
}

const nz_hdf5_dataset_info *nz_hdf5_dataset_look(const nz_hdf5_dataset *dataset)
{
    return &dataset->info;
}

/* ---- read --------------------------------------------------------------------------- */

uint64_t nz_hdf5_dataset_read_bytes(const nz_hdf5_dataset *dataset)
{
    uint64_t chunk_bytes = 0; /* it is below 4 GiB in every file */
    if (dataset->info.is_chunked &&
        (!nz_count(dataset->info.chunk_shape, dataset->info.n_dims, nwbz_type_size(dataset->info.dtype.type), &chunk_bytes) ||
         chunk_bytes > UINT32_MAX))
        chunk_bytes = UINT32_MAX;
    return LIBRARY_BYTES + 2 * chunk_bytes; /* stored and decoded */
}

typedef struct reading {
    const nz_hdf5_dataset *dataset;
    const nz_box *box;
    void *elements;
} reading;

static nwbz_code read_box(void *argument, nwbz_error *err)
{
    const reading *r = argument;
    const nz_hdf5_dataset *self = r->dataset;
    hsize_t start[NWBZ_MAX_DIMS] = { 0 }, shape[NWBZ_MAX_DIMS] = { 0 };
    hid_t memory = H5S_ALL;
    for (unsigned d = 0; d < r->box->n_dims; d++) {
        start[d] = r->box->start[d];
        shape[d] = r->box->shape[d];
    }
    bool is_ready = self->info.n_dims == 0;
    if (!is_ready) {
        memory = H5Screate_simple((int)self->info.n_dims, shape, NULL);
        is_ready = memory >= 0 && H5Sselect_hyperslab(self->space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0;
    }
    nwbz_code code = NWBZ_OK;
    if (!is_ready || H5Dread(self->id, self->memory_type, memory, self->info.n_dims ? self->space : H5S_ALL,
                             H5P_DEFAULT, r->elements) < 0)
        code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the samples cannot be read");
    if (memory > 0)
        (void)H5Sclose(memory);
    return code;
}

/* The library takes the bytes of an enumeration as they are. */
static nwbz_code check_bools(const unsigned char *elements, uint64_t n, nwbz_error *err)
{
    for (uint64_t i = 0; i < n; i++)
        if (elements[i] > 1)
            return nz_fail(err, NWBZ_ESOURCE, "the bool at element %llu of the box is %u, neither 0 nor 1",
                           (unsigned long long)i, elements[i]);
    return NWBZ_OK;
}

nwbz_code nz_hdf5_dataset_read(const nz_hdf5_dataset *dataset, const nz_box *box, void *elements, nwbz_error *err)
{
    uint64_t n = nz_box_count(box);
    reading r = { dataset, box, elements };
    if (n == 0)
        return NWBZ_OK;
    NZ_TRY(nz_hdf5_run(read_box, &r, err));
    return dataset->info.dtype.type == NWBZ_BOOL ? check_bools(elements, n, err) : NWBZ_OK;
}
