/* Memory as a source: a box is copied run by run; nothing is kept per reader. */
#include "source/source.h"

#include "base/checked.h"
#include "base/memory.h"
#include "model/dtype.h"

#include <string.h>

typedef struct memory_source {
    nwbz_source base;
    const void *elements; /* borrowed */
    nz_box whole;
} memory_source;

static nwbz_code read_box(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err)
{
    const memory_source *self = (const memory_source *)source;
    (void)reader, (void)n_rows, (void)err;
    if (nz_box_count(box) > 0)
        nz_box_copy(box, self->elements, &self->whole, elements, box, (size_t)nz_source_element_bytes(&source->info));
    return NWBZ_OK;
}

static void memory_close(nwbz_source *source)
{
    nz_free(source);
}

static const nz_source_class memory_class = { .read_box = read_box, .close = memory_close };

static nwbz_code check(const void *elements, const nz_dtype *dtype, unsigned n_dims, const uint64_t *shape, nwbz_error *err)
{
    uint64_t n_bytes;
    if (dtype->type == NWBZ_STRING || nz_dtype_bytes(dtype) == 0)
        return nz_fail(err, NWBZ_EINVAL, "a source has elements of one size, not of type '%s'", nwbz_type_name(dtype->type));
    if (n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "%u axes are more than %d", n_dims, NWBZ_MAX_DIMS);
    if (n_dims > 0 && !shape)
        return nz_fail(err, NWBZ_EINVAL, "no shape is given for %u axes", n_dims);
    if (!nz_count(shape, n_dims, nz_dtype_bytes(dtype), &n_bytes) || n_bytes > SIZE_MAX)
        return nz_fail(err, NWBZ_EINVAL, "the shape needs more bytes than memory can have");
    if (!elements && n_bytes > 0)
        return nz_fail(err, NWBZ_EINVAL, "no memory is given for %llu bytes", (unsigned long long)n_bytes);
    return NWBZ_OK;
}

nwbz_code nz_source_of_memory(const void *elements, const nz_dtype *dtype, unsigned n_dims, const uint64_t *shape,
                              nwbz_source **source, nwbz_error *err)
{
    *source = NULL;
    NZ_TRY(check(elements, dtype, n_dims, shape, err));
    memory_source *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a source");
    self->base.class = &memory_class;
    self->elements = elements;
    nz_source_info *info = &self->base.info;
    info->type = dtype->type;
    info->element_bytes = nz_dtype_bytes(dtype);
    info->n_dims = n_dims;
    info->name = "memory";
    for (unsigned d = 0; d < n_dims; d++) {
        info->shape[d] = shape[d];
        info->natural[d] = d == 0 ? 1 : nz_max(shape[d], 1);
    }
    nz_box_of_shape(&self->whole, n_dims, shape);
    *source = &self->base;
    return NWBZ_OK;
}

nwbz_code nwbz_source_new_memory(const void *elements, nwbz_type type, unsigned n_dims, const uint64_t *shape,
                                 nwbz_source **source, nwbz_error *err)
{
    return nz_source_of_memory(elements, NZ_DTYPE(type), n_dims, shape, source, err);
}
