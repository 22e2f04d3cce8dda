/* A Zarr array as a target: pieces go through the array's chain, objects to its store.
 *
 * A piece of nothing but the fill value is found before it is encoded, bit for bit (a -0.0 is no 0.0, and a NaN of
 * another payload is another NaN): the scan stops at the first element that differs, which in recorded data is one of
 * the first.
 */
#include "target/target.h"

#include "base/memory.h"
#include "zarr/array.h"

#include <string.h>

typedef struct array_target {
    nz_target base;
    nwbz_array *array; /* borrowed */
    uint64_t piece_elements;
} array_target;

static nwbz_array *array_of(nz_target *target)
{
    return ((array_target *)target)->array;
}

/* Both types are incomplete here and in the engine: the object of the array is the object of the target. */
static nz_object *object_of(nz_target_object *object)
{
    return (nz_object *)object;
}

static nwbz_code worker_new(nz_target *target, void **worker, nwbz_error *err)
{
    nz_chain_worker *chain_worker = NULL;
    *worker = NULL;
    NZ_TRY(nz_chain_worker_new(array_of(target)->chain, &chain_worker, err));
    *worker = chain_worker;
    return NWBZ_OK;
}

static void worker_free(void *worker)
{
    nz_chain_worker_free(worker);
}

static nwbz_code encode_piece(nz_target *target, void *worker, const uint64_t *index, const void *elements, void *out,
                              size_t room, size_t *n_out, nwbz_error *err)
{
    (void)index;
    const array_target *self = (const array_target *)target;
    *n_out = 0;
    if (nz_elements_are(elements, target->info.fill_element, target->info.type,
                        (size_t)nz_target_element_bytes(&target->info), self->piece_elements))
        return NWBZ_OK;
    return nz_chain_encode(self->array->chain, worker, elements, (size_t)target->info.piece_bytes, out, room, n_out,
                           err);
}

static nwbz_code object_begin(nz_target *target, const uint64_t *index, nz_target_object **object, nwbz_error *err)
{
    nz_object *begun = NULL;
    *object = NULL;
    NZ_TRY(nz_object_begin(array_of(target), index, &begun, err));
    *object = (nz_target_object *)begun;
    return NWBZ_OK;
}

static nwbz_code object_add(nz_target_object *object, uint64_t position, const void *bytes, size_t n, nwbz_error *err)
{
    return nz_object_add(object_of(object), position, bytes, n, err);
}

static nwbz_code object_finish(nz_target_object *object, uint64_t *n_bytes, uint32_t *crc, nwbz_error *err)
{
    return nz_object_finish(object_of(object), n_bytes, crc, err);
}

static void object_abort(nz_target_object *object)
{
    nz_object_abort(object_of(object));
}

static char *object_key(nz_target *target, const uint64_t *index)
{
    return nz_array_object_key(array_of(target), index);
}

static nwbz_code object_check(nz_target *target, const uint64_t *index, uint64_t n_bytes, uint32_t crc, bool *same,
                              nwbz_error *err)
{
    return nz_array_object_check(array_of(target), index, n_bytes, crc, same, err);
}

static nwbz_code grow(nz_target *target, uint64_t n_rows, nwbz_error *err)
{
    if (target->info.n_dims == 0)
        return nz_fail(err, NWBZ_EINVAL, "a scalar cannot grow to %llu rows", (unsigned long long)n_rows);
    target->info.shape[0] = n_rows;
    array_of(target)->meta.shape[0] = n_rows;
    return NWBZ_OK;
}

static void target_free(nz_target *target)
{
    nz_free(target);
}

static const nz_target_class array_class = {
    .worker_new = worker_new,
    .worker_free = worker_free,
    .encode_piece = encode_piece,
    .object_begin = object_begin,
    .object_add = object_add,
    .object_finish = object_finish,
    .object_abort = object_abort,
    .object_key = object_key,
    .object_check = object_check,
    .grow = grow,
    .free = target_free,
};

static void describe(const nwbz_array *array, bool unknown_length, nz_target_info *info)
{
    const nz_array_meta *meta = &array->meta;
    info->type = meta->dtype.type;
    info->element_bytes = nz_dtype_bytes(&meta->dtype);
    info->n_dims = meta->n_dims;
    memcpy(info->shape, meta->shape, sizeof info->shape);
    memcpy(info->piece_shape, meta->piece_shape, sizeof info->piece_shape);
    memcpy(info->object_shape, meta->object_shape, sizeof info->object_shape);
    if (unknown_length)
        info->shape[0] = NWBZ_UNKNOWN_LENGTH;
    info->piece_bytes = nz_array_piece_bytes(array);
    info->piece_bound_bytes = nz_chain_bound(array->chain, info->piece_bytes);
    info->work_bytes = nz_chain_work_bytes(array->chain, info->piece_bytes);
    info->fill_element = nz_array_fill_element(array);
    info->name = array->path;
    info->store_name = array->store->name;
    info->direct = NULL;
}

nwbz_code nz_target_of_array(nwbz_array *array, bool unknown_length, nz_target **target, nwbz_error *err)
{
    *target = NULL;
    if (array->meta.dtype.type == NWBZ_STRING)
        return nz_fail(err, NWBZ_EINVAL, "an array of text takes no samples: it is written whole, from text");
    if (unknown_length && array->meta.n_dims == 0)
        return nz_fail(err, NWBZ_EINVAL, "a scalar cannot take samples of unknown length");
    array_target *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a target");
    self->base.class = &array_class;
    self->array = array;
    describe(array, unknown_length, &self->base.info);
    self->piece_elements = self->base.info.piece_bytes / self->base.info.element_bytes;
    *target = &self->base;
    return NWBZ_OK;
}
