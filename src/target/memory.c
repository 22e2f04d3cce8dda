/* Memory as a direct target: samples are put where they lie, so nothing is encoded or stored.
 *
 * Its pieces and objects are the natural boxes of the source, which lets the plan of a parallel read be the plan of a
 * write: a group is what shares natural boxes, and no two groups touch one byte.
 */
#include "target/target.h"

#include "base/buffer.h"
#include "base/checked.h"
#include "base/memory.h"

#include <string.h>

/* Nothing is padded in memory, so the fill element is never read; it is there because a target has one. */
static const unsigned char zeros[16];

/* An object's key is its index, for errors alone: "0/3". */
static char *object_key(nz_target *target, const uint64_t *index)
{
    nz_buffer key = NZ_BUFFER_INIT(32 * NWBZ_MAX_DIMS);
    nwbz_code code = nz_buffer_add_text(&key, "", NULL);
    for (unsigned d = 0; d < target->info.n_dims && code == NWBZ_OK; d++)
        code = nz_buffer_addf(&key, NULL, d ? "/%llu" : "%llu", (unsigned long long)index[d]);
    if (code == NWBZ_OK)
        return key.bytes;
    nz_buffer_done(&key);
    return NULL;
}

static void target_free(nz_target *target)
{
    nz_free(target);
}

/* The others are for what encodes and stores. */
static const nz_target_class memory_class = { .object_key = object_key, .free = target_free };

/* Check what the plan will compute with: no cell axis of 0, and sizes that fit. */
static nwbz_code check_shapes(unsigned n_dims, const uint64_t *shape, const uint64_t *cell, size_t element_bytes,
                              uint64_t *n_bytes, uint64_t *cell_bytes, nwbz_error *err)
{
    if (n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "%u axes are more than %d", n_dims, NWBZ_MAX_DIMS);
    for (unsigned d = 0; d < n_dims; d++)
        if (cell[d] == 0)
            return nz_fail(err, NWBZ_EINVAL, "axis %u of the cell is 0", d);
    if (!nz_count(shape, n_dims, element_bytes, n_bytes) || *n_bytes > SIZE_MAX)
        return nz_fail(err, NWBZ_EINVAL, "the shape needs more bytes than memory can have");
    if (!nz_count(cell, n_dims, element_bytes, cell_bytes))
        return nz_fail(err, NWBZ_EINVAL, "the cell needs more bytes than memory can have");
    return NWBZ_OK;
}

nwbz_code nz_target_of_memory(void *elements, const nz_dtype *dtype, unsigned n_dims, const uint64_t *shape,
                              const nz_box *region, const uint64_t *cell, nz_target **target, nwbz_error *err)
{
    *target = NULL;
    uint64_t n_bytes = 0, cell_bytes = 0;
    if (dtype->type == NWBZ_STRING || nz_dtype_bytes(dtype) == 0)
        return nz_fail(err, NWBZ_EINVAL, "memory takes elements of one size, not of type '%s'",
                       nwbz_type_name(dtype->type));
    NZ_TRY(check_shapes(n_dims, region->shape, cell, (size_t)nz_dtype_bytes(dtype), &n_bytes, &cell_bytes, err));
    if (!elements && n_bytes > 0)
        return nz_fail(err, NWBZ_EINVAL, "no memory is given for %llu bytes", (unsigned long long)n_bytes);
    nz_target *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a target");
    self->class = &memory_class;
    self->info.type = dtype->type;
    self->info.element_bytes = nz_dtype_bytes(dtype);
    self->info.n_dims = n_dims;
    if (n_dims) {
        memcpy(self->info.shape, shape, n_dims * sizeof *shape);
        memcpy(self->info.piece_shape, cell, n_dims * sizeof *cell);
        memcpy(self->info.object_shape, cell, n_dims * sizeof *cell);
    }
    self->info.region = *region;
    self->info.piece_bytes = cell_bytes;
    self->info.fill_element = zeros;
    self->info.name = "memory";
    self->info.store_name = "";
    self->info.direct = elements ? elements : self; /* a box of no elements may come without memory, and stays direct */
    *target = self;
    return NWBZ_OK;
}
