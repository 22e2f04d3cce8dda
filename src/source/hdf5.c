/* An HDF5 dataset as a source: boxes are read by the HDF5 library, one after the other.
 *
 * The natural box is the chunk, since the library decodes a whole one for any part of it.  A dataset without chunks has
 * boxes of about 1 MiB, whole rows where they fit: large enough that a call costs nothing, small enough to stay in a
 * cache and to give many workers something.
 */
#include "source/source.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/path.h"
#include "hdf5/dataset.h"
#include "source/identity.h"

#include <string.h>

/* A natural box of a dataset without chunks. */
#define BOX_BYTES ((uint64_t)1 << 20)

typedef struct hdf5_source {
    nwbz_source base;
    nz_hdf5_file *file;
    nz_hdf5_dataset *dataset;
    char *dataset_path;
    char *name; /* PATH:/dataset */
} hdf5_source;

static nwbz_code read_box(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err)
{
    const hdf5_source *self = (const hdf5_source *)source;
    (void)reader, (void)n_rows;
    return nz_where(err, nz_hdf5_dataset_read(self->dataset, box, elements, err), "%s", self->name);
}

static nwbz_code put_all(const hdf5_source *self, nz_json *json, nwbz_error *err)
{
    const nz_source_info *info = &self->base.info;
    NZ_TRY(nz_identity_put_file(json, nz_hdf5_file_descriptor(self->file), nz_hdf5_file_path(self->file), err));
    NZ_TRY(nz_json_put(json, "dataset", nz_json_new_text(self->dataset_path), err));
    NZ_TRY(nz_json_put(json, "dtype", nz_json_new_text(nwbz_type_name(info->type)), err));
    return nz_json_put(json, "shape", nz_json_new_shape(info->shape, info->n_dims), err);
}

static nwbz_code identity(nwbz_source *source, nz_json **identity_json, nwbz_error *err)
{
    const hdf5_source *self = (const hdf5_source *)source;
    *identity_json = NULL;
    nz_json *json = nz_json_new_object();
    nwbz_code code = json ? put_all(self, json, err) : nz_fail_memory(err, 0, "the identity of the source");
    if (code == NWBZ_OK)
        *identity_json = json;
    else
        nz_json_free(json);
    return nz_where(err, code, "%s", self->name);
}

static void hdf5_close(nwbz_source *source)
{
    hdf5_source *self = (hdf5_source *)source;
    nz_hdf5_dataset_close(self->dataset);
    nz_hdf5_file_close(self->file);
    nz_free(self->dataset_path);
    nz_free(self->name);
    nz_free(self);
}

static const nz_source_class hdf5_class = { .read_box = read_box, .identity = identity, .close = hdf5_close };

/* Set natural boxes of a dataset without chunks: whole inner axes while they fit, a part of the next, 1 of the rest. */
static void set_box(nz_source_info *info)
{
    uint64_t room = BOX_BYTES / nwbz_type_size(info->type);
    for (unsigned d = info->n_dims; d-- > 0;) {
        info->natural[d] = nz_max(nz_min(info->shape[d], room), 1);
        room = info->natural[d] < info->shape[d] ? 1 : room / info->natural[d];
    }
}

static void describe(hdf5_source *self)
{
    const nz_hdf5_dataset_info *dataset = nz_hdf5_dataset_look(self->dataset);
    nz_source_info *info = &self->base.info;
    info->type = dataset->dtype.type;
    info->n_dims = dataset->n_dims;
    memcpy(info->shape, dataset->shape, sizeof info->shape);
    if (!dataset->is_chunked)
        set_box(info);
    for (unsigned d = 0; dataset->is_chunked && d < info->n_dims; d++)
        info->natural[d] = nz_max(nz_min(dataset->chunk_shape[d], info->shape[d]), 1);
    info->whole_boxes = true;
    info->max_readers = 1;
    info->reader_bytes = nz_hdf5_dataset_read_bytes(self->dataset);
    info->name = self->name;
}

static nwbz_code open_hdf5(hdf5_source *self, const char *path, const char *dataset, nwbz_error *err)
{
    self->name = nz_format(dataset[0] == '/' ? "%s:%s" : "%s:/%s", path, dataset);
    self->dataset_path = nz_strdup(dataset);
    if (!self->name || !self->dataset_path)
        return nz_fail_memory(err, strlen(path) + strlen(dataset), "the name of a source");
    NZ_TRY(nz_where(err, nz_hdf5_file_open(path, &self->file, err), "%s", path));
    NZ_TRY(nz_where(err, nz_hdf5_dataset_open(self->file, dataset, &self->dataset, err), "%s", self->name));
    describe(self);
    return NWBZ_OK;
}

nwbz_code nwbz_source_open_hdf5(const char *path, const char *dataset, nwbz_source **source, nwbz_error *err)
{
    *source = NULL;
    hdf5_source *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a source");
    self->base.class = &hdf5_class;
    nwbz_code code = open_hdf5(self, path, dataset, err);
    if (code == NWBZ_OK)
        *source = &self->base;
    else
        hdf5_close(&self->base);
    return code;
}
