/* Comparing instead of storing: an "encoded" piece is one that was read back from the array and found equal.
 *
 * Only the part of a piece that lies in the array is compared.  What a chunk holds beyond the edge belongs to nobody:
 * other writers leave anything there, and a chunk that was copied as it is has it still.
 */
#include "target/target.h"

#include "base/memory.h"
#include "zarr/array.h"

#include <stdio.h>
#include <string.h>

/* Of a value in a message. */
enum { VALUE_BYTES = 200 };

typedef struct compare_target {
    nz_target base;
    const nwbz_array *array; /* borrowed */
} compare_target;

typedef struct worker {
    nz_array_reader *reader;
    char *piece;
} worker;

static const nwbz_array *array_of(const nz_target *target)
{
    return ((const compare_target *)target)->array;
}

static void worker_free(void *argument)
{
    worker *self = argument;
    if (!self)
        return;
    nz_array_reader_free(self->reader);
    nz_free(self->piece);
    nz_free(self);
}

static nwbz_code worker_new(nz_target *target, void **made, nwbz_error *err)
{
    *made = NULL;
    worker *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "comparing an array");
    nwbz_code code = nz_array_reader_new(array_of(target), &self->reader, err);
    if (code == NWBZ_OK && !(self->piece = nz_malloc_large((size_t)target->info.piece_bytes)))
        code = nz_fail_memory(err, (size_t)target->info.piece_bytes, "a chunk");
    if (code == NWBZ_OK)
        *made = self;
    else
        worker_free(self);
    return code;
}

/* Format an element for a message; what cannot be formatted is named by its bytes alone. */
static void format_value(const nwbz_array *array, const char *element, char text[VALUE_BYTES])
{
    nz_buffer value = NZ_BUFFER_INIT(1 << 20);
    if (nz_element_add(&array->meta.dtype, element, NWBZ_STYLE_TEXT, &value, NULL) == NWBZ_OK)
        snprintf(text, VALUE_BYTES, "%s", value.bytes);
    else
        snprintf(text, VALUE_BYTES, "a value of %llu bytes", (unsigned long long)nz_dtype_bytes(&array->meta.dtype));
    nz_buffer_done(&value);
}

/* Say which element differs: number `i` of the piece that begins where `piece` does. */
static nwbz_code differ(const nwbz_array *array, const nz_box *piece, uint64_t i, const char *ours, const char *stored, nwbz_error *err)
{
    char place[24 * NWBZ_MAX_DIMS] = "", is[VALUE_BYTES], wanted[VALUE_BYTES];
    uint64_t index[NWBZ_MAX_DIMS];
    size_t at = 0, element_bytes = (size_t)nz_dtype_bytes(&array->meta.dtype);
    nz_index_of(i, piece->n_dims, piece->shape, index);
    for (unsigned d = 0; d < piece->n_dims; d++)
        at += (size_t)snprintf(place + at, sizeof place - at, "%s%llu", d ? ", " : "", (unsigned long long)(piece->start[d] + index[d]));
    format_value(array, stored + i * element_bytes, is);
    format_value(array, ours + i * element_bytes, wanted);
    return nz_fail(err, NWBZ_EIO, "element (%s) was stored as %s and is %s in the source", place, is, wanted);
}

/* Find the first of `n` elements that differs. */
static uint64_t first_difference(const char *a, const char *b, size_t element_bytes, uint64_t n)
{
    uint64_t i = 0;
    while (i < n && memcmp(a + i * element_bytes, b + i * element_bytes, element_bytes) == 0)
        i++;
    return i;
}

/* Compare the first `part` of a piece of shape `piece`, run by run: inner axes that are whole are one run with the one that is cut. */
static nwbz_code compare(const nwbz_array *array, const nz_box *piece, const nz_box *part, const char *ours, const char *stored, nwbz_error *err)
{
    size_t element_bytes = (size_t)nz_dtype_bytes(&array->meta.dtype);
    uint64_t run = 1, n_runs = 1, index[NWBZ_MAX_DIMS] = { 0 };
    unsigned n_outer = piece->n_dims;
    while (n_outer > 0 && part->shape[n_outer - 1] == piece->shape[n_outer - 1])
        run *= part->shape[--n_outer];
    if (n_outer > 0)
        run *= part->shape[--n_outer];
    for (unsigned d = 0; d < n_outer; d++)
        n_runs *= part->shape[d];
    for (uint64_t r = 0; r < n_runs; r++) {
        nz_index_of(r, n_outer, part->shape, index);
        uint64_t at = nz_position_of(piece->n_dims, piece->shape, index);
        const char *a = ours + at * element_bytes, *b = stored + at * element_bytes;
        if (memcmp(a, b, (size_t)run * element_bytes) != 0)
            return differ(array, piece, at + first_difference(a, b, element_bytes, run), ours, stored, err);
    }
    return NWBZ_OK;
}

static nwbz_code encode_piece(nz_target *target, void *argument, const uint64_t *index, const void *elements, void *out, size_t room,
                              size_t *n_out, nwbz_error *err)
{
    const nwbz_array *array = array_of(target);
    worker *self = argument;
    nz_box whole, piece = { .n_dims = target->info.n_dims }, part;
    (void)out, (void)room;
    *n_out = 0;
    for (unsigned d = 0; d < piece.n_dims; d++) {
        piece.start[d] = index[d] * target->info.piece_shape[d];
        piece.shape[d] = target->info.piece_shape[d];
    }
    nz_box_of_shape(&whole, piece.n_dims, target->info.shape);
    if (!nz_box_cut(&piece, &whole, &part))
        return NWBZ_OK;
    NZ_TRY(nz_array_read_piece(array, self->reader, index, self->piece, err));
    return compare(array, &piece, &part, elements, self->piece, err);
}

/* Objects are for what stores; the target itself stands for the one that is begun. */
static nwbz_code object_begin(nz_target *target, const uint64_t *index, nz_target_object **object, nwbz_error *err)
{
    (void)index, (void)err;
    *object = (nz_target_object *)target;
    return NWBZ_OK;
}

static nwbz_code object_add(nz_target_object *object, uint64_t position, const void *bytes, size_t n, nwbz_error *err)
{
    (void)object, (void)position, (void)bytes, (void)n;
    return nz_fail(err, NWBZ_EINVAL, "a target that compares takes no stored chunks");
}

static nwbz_code object_finish(nz_target_object *object, uint64_t *n_bytes, uint32_t *crc, nwbz_error *err)
{
    (void)object, (void)err;
    *n_bytes = 0;
    *crc = 0;
    return NWBZ_OK;
}

static void object_abort(nz_target_object *object)
{
    (void)object;
}

/* Of the object that the piece at `index` lies in. */
static char *object_key(nz_target *target, const uint64_t *index)
{
    const nz_array_meta *meta = &array_of(target)->meta;
    uint64_t object[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < meta->n_dims; d++)
        object[d] = index[d] / (meta->object_shape[d] / meta->piece_shape[d]);
    return nz_array_object_key(array_of(target), object);
}

/* Nothing was compared by an earlier run. */
static nwbz_code object_check(nz_target *target, const uint64_t *index, uint64_t n_bytes, uint32_t crc, bool *same, nwbz_error *err)
{
    (void)target, (void)index, (void)n_bytes, (void)crc, (void)err;
    *same = false;
    return NWBZ_OK;
}

static nwbz_code grow(nz_target *target, uint64_t n_rows, nwbz_error *err)
{
    if (target->info.n_dims > 0 && target->info.shape[0] == n_rows)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EIO, "%llu rows are in the source, and another number was stored", (unsigned long long)n_rows);
}

static void target_free(nz_target *target)
{
    nz_free(target);
}

static const nz_target_class compare_class = {
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

nwbz_code nz_target_compare(const nwbz_array *array, nz_target **target, nwbz_error *err)
{
    const nz_array_meta *meta = &array->meta;
    *target = NULL;
    if (meta->dtype.type == NWBZ_STRING)
        return nz_fail(err, NWBZ_EINVAL, "an array of text is compared as text, not as samples");
    compare_target *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a target");
    self->base.class = &compare_class;
    self->array = array;
    nz_target_info *info = &self->base.info;
    info->type = meta->dtype.type;
    info->element_bytes = nz_dtype_bytes(&meta->dtype);
    info->n_dims = meta->n_dims;
    memcpy(info->shape, meta->shape, sizeof info->shape);
    memcpy(info->piece_shape, meta->piece_shape, sizeof info->piece_shape);
    memcpy(info->object_shape, meta->piece_shape, sizeof info->object_shape); /* a shard's chunks are compared one by one */
    info->piece_bytes = nz_array_piece_bytes(array);
    info->work_bytes = nz_array_reader_bytes(array) + info->piece_bytes;
    info->fill_element = nz_array_fill_element(array);
    info->name = array->path;
    info->store_name = array->store->name;
    *target = &self->base;
    return NWBZ_OK;
}
