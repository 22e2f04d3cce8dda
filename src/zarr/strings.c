/* Text goes piece by piece on the calling thread: NWB holds little of it.  Reading appends the text behind the elements
 * in one growing buffer, with offsets in place of pointers until its place in memory is final. */
#include "zarr/array.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "zarr/grid.h"
#include "zarr/reader.h"

#include <inttypes.h>
#include <string.h>

/* The most bytes of elements and text that are read at once. */
#define MAX_RESULT_BYTES ((size_t)1 << 40)

static nwbz_code strings_where(const nwbz_array *array, nwbz_code code, nwbz_error *err)
{
    return nz_where(err, code, "%s:%s", array->store->name, array->path);
}

static nwbz_code check_text(const nwbz_array *array, nwbz_error *err)
{
    if (array->meta.dtype.type == NWBZ_STRING)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EINVAL, "the array's type is %s, not string", nwbz_type_name(array->meta.dtype.type));
}

/* ---- the pieces that a box meets ---- */

typedef struct piece_walk {
    unsigned n_dims;
    uint64_t first[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS], n; /* in the grid of pieces */
} piece_walk;

static void walk_of_box(const nz_array_meta *meta, const nz_box *box, piece_walk *walk)
{
    walk->n_dims = meta->n_dims;
    walk->n = nz_box_count(box) > 0;
    for (unsigned d = 0; d < meta->n_dims && walk->n; d++) {
        walk->first[d] = box->start[d] / meta->piece_shape[d];
        walk->counts[d] = (box->start[d] + box->shape[d] - 1) / meta->piece_shape[d] - walk->first[d] + 1;
    }
    for (unsigned d = 0; d < meta->n_dims && walk->n; d++)
        walk->n *= walk->counts[d]; /* no more pieces than elements in the box */
}

static void walk_index(const piece_walk *walk, uint64_t i, uint64_t *index)
{
    nz_index_of(i, walk->n_dims, walk->counts, index);
    for (unsigned d = 0; d < walk->n_dims; d++)
        index[d] += walk->first[d];
}

/* The whole box of the piece, over the array's edge too. */
static void box_of_piece(const nz_array_meta *meta, const uint64_t *index, nz_box *box)
{
    nz_box_of_shape(box, meta->n_dims, meta->piece_shape);
    for (unsigned d = 0; d < meta->n_dims; d++)
        box->start[d] = index[d] * meta->piece_shape[d];
}

/* Position of element number i of `part` in memory that holds `whole`. */
static uint64_t position_in(const nz_box *part, uint64_t i, const nz_box *whole)
{
    uint64_t index[NWBZ_MAX_DIMS];
    nz_index_of(i, part->n_dims, part->shape, index);
    for (unsigned d = 0; d < part->n_dims; d++)
        index[d] += part->start[d] - whole->start[d];
    return nz_position_of(part->n_dims, whole->shape, index);
}

/* ---- reading ---- */

typedef struct text_reading {
    const nwbz_array *array;
    nz_array_reader *reader;
    nz_box box;
    nz_buffer out; /* the elements, then their text; bytes of an element is an offset until the end */
} text_reading;

static nwbz_code check_box(const nwbz_array *array, const uint64_t *start, const uint64_t *shape, nz_box *box,
                           uint64_t *n_bytes, nwbz_error *err)
{
    const nz_array_meta *meta = &array->meta;
    uint64_t end;
    box->n_dims = meta->n_dims;
    for (unsigned d = 0; d < meta->n_dims; d++) {
        if (!nz_add(start[d], shape[d], &end) || end > meta->shape[d])
            return nz_fail(err, NWBZ_EINVAL,
                           "axis %u: %" PRIu64 " from %" PRIu64 " on are outside the array, which has %" PRIu64, d,
                           shape[d], start[d], meta->shape[d]);
        box->start[d] = start[d];
        box->shape[d] = shape[d];
    }
    if (!nz_count(box->shape, meta->n_dims, sizeof(nwbz_string), n_bytes) || *n_bytes > MAX_RESULT_BYTES)
        return nz_fail(err, NWBZ_ELIMIT, "the box has more texts than the limit of %zu bytes holds", MAX_RESULT_BYTES);
    return NWBZ_OK;
}

/* Put one element's text behind the others. */
static nwbz_code put_text(text_reading *self, uint64_t position, const nwbz_string *text, nwbz_error *err)
{
    uint64_t offset = self->out.n_bytes;
    if (text->n_bytes)
        NZ_TRY(nz_buffer_add(&self->out, text->bytes, text->n_bytes, err));
    nwbz_string *elements = (nwbz_string *)(void *)self->out.bytes;
    elements[position] = (nwbz_string){ (const char *)(uintptr_t)offset, text->n_bytes };
    return NWBZ_OK;
}

static nwbz_code read_piece(text_reading *self, const uint64_t *index, nwbz_error *err)
{
    const nz_array_meta *meta = &self->array->meta;
    const nwbz_string *texts = NULL;
    nz_box piece, part;
    bool found;
    box_of_piece(meta, index, &piece);
    if (!nz_box_cut(&piece, &self->box, &part))
        return NWBZ_OK;
    NZ_TRY(nz_reader_fetch(self->array, self->reader, index, &found, err));
    if (found)
        NZ_TRY(nz_reader_decode_text(self->array, self->reader, nz_box_count(&piece), &texts, err));
    for (uint64_t i = 0, n = nz_box_count(&part); i < n; i++)
        NZ_TRY(put_text(self, position_in(&part, i, &self->box),
                        texts ? &texts[position_in(&part, i, &piece)] : &self->array->fill_string, err));
    return NWBZ_OK;
}

static nwbz_code read_pieces(text_reading *self, nwbz_error *err)
{
    piece_walk walk;
    uint64_t index[NWBZ_MAX_DIMS];
    walk_of_box(&self->array->meta, &self->box, &walk);
    for (uint64_t i = 0; i < walk.n; i++) {
        walk_index(&walk, i, index);
        NZ_TRY(nz_reader_where(self->array, index, read_piece(self, index, err), err));
    }
    return NWBZ_OK;
}

/* Turn offsets into pointers; an element without text points to its end of the block, not nowhere. */
static void point_elements(nz_buffer *out, uint64_t n)
{
    nwbz_string *elements = (nwbz_string *)(void *)out->bytes;
    for (uint64_t i = 0; i < n; i++)
        elements[i].bytes = out->bytes + (uintptr_t)elements[i].bytes;
}

nwbz_code nwbz_array_read_strings(const nwbz_array *array, const uint64_t *start, const uint64_t *shape,
                                  nwbz_string **elements, nwbz_error *err)
{
    text_reading self = { .array = array, .out = NZ_BUFFER_INIT(MAX_RESULT_BYTES) };
    uint64_t n_bytes = 0;
    *elements = NULL;
    nwbz_code code = check_text(array, err);
    if (code == NWBZ_OK)
        code = check_box(array, start, shape, &self.box, &n_bytes, err);
    if (code == NWBZ_OK)
        code = nz_buffer_reserve(&self.out, n_bytes, err);
    if (code == NWBZ_OK)
        code = nz_array_reader_new(array, &self.reader, err);
    if (code == NWBZ_OK) {
        self.out.n_bytes = n_bytes;
        code = read_pieces(&self, err);
    }
    nz_array_reader_free(self.reader);
    if (code != NWBZ_OK) {
        nz_buffer_done(&self.out);
        return strings_where(array, code, err);
    }
    point_elements(&self.out, n_bytes / sizeof(nwbz_string));
    *elements = (nwbz_string *)(void *)self.out.bytes;
    return NWBZ_OK;
}

/* ---- writing ---- */

typedef struct text_writing {
    nwbz_array *array;
    const nwbz_string *elements; /* of `box`: the whole shape, or the part of one object */
    nz_box box;
    nz_chain_worker *worker;
    nwbz_string *piece;
    nz_buffer serialised, encoded;
} text_writing;

static nwbz_code check_elements(const nwbz_string *elements, uint64_t n, nwbz_error *err)
{
    for (uint64_t i = 0; i < n; i++)
        if (elements[i].n_bytes && (!elements[i].bytes || !nz_utf8_is_valid(elements[i].bytes, elements[i].n_bytes)))
            return nz_fail(err, NWBZ_EINVAL, "element %" PRIu64 " is not UTF-8", i);
    return NWBZ_OK;
}

static bool same_text(const nwbz_string *a, const nwbz_string *b)
{
    return a->n_bytes == b->n_bytes && (a->n_bytes == 0 || memcmp(a->bytes, b->bytes, a->n_bytes) == 0);
}

/* Gather the piece's elements, "" over the array's edge.  *all_fill: those inside are nothing but fill value. */
static void gather(text_writing *self, const nz_box *piece, const nz_box *part, bool *all_fill)
{
    uint64_t n_piece = nz_box_count(piece), n_part = nz_box_count(part);
    if (n_part < n_piece)
        for (uint64_t i = 0; i < n_piece; i++)
            self->piece[i] = (nwbz_string){ "", 0 };
    *all_fill = true;
    for (uint64_t i = 0; i < n_part; i++) {
        const nwbz_string *element = &self->elements[position_in(part, i, &self->box)];
        self->piece[position_in(part, i, piece)] = *element;
        *all_fill = *all_fill && same_text(element, &self->array->fill_string);
    }
}

static nwbz_code encode_piece(text_writing *self, uint64_t n, nwbz_error *err)
{
    const nz_chain *chain = self->array->chain;
    size_t n_out = 0;
    self->serialised.n_bytes = self->encoded.n_bytes = 0;
    NZ_TRY(nz_vlen_utf8_encode(self->piece, n, &self->serialised, err));
    size_t room = nz_chain_bound(chain, self->serialised.n_bytes);
    NZ_TRY(nz_buffer_reserve(&self->encoded, room, err));
    NZ_TRY(nz_chain_encode(chain, self->worker, self->serialised.bytes, self->serialised.n_bytes, self->encoded.bytes,
                           room, &n_out, err));
    self->encoded.n_bytes = n_out;
    return NWBZ_OK;
}

/* Write the piece at `index` of the grid of pieces, if it lies in the array and holds more than fill value. */
static nwbz_code write_piece(text_writing *self, nz_object *object, uint64_t position, const uint64_t *index,
                             nwbz_error *err)
{
    nz_box piece, part;
    bool all_fill;
    box_of_piece(&self->array->meta, index, &piece);
    if (!nz_box_cut(&piece, &self->box, &part))
        return NWBZ_OK;
    gather(self, &piece, &part, &all_fill);
    if (all_fill)
        return NWBZ_OK;
    NZ_TRY(nz_reader_where(self->array, index, encode_piece(self, nz_box_count(&piece), err), err));
    return nz_object_add(object, position, self->encoded.bytes, self->encoded.n_bytes, err);
}

static nwbz_code write_object(text_writing *self, const uint64_t *index, uint64_t *n_bytes, uint32_t *crc,
                              nwbz_error *err)
{
    uint64_t inner_counts[NWBZ_MAX_DIMS], piece_index[NWBZ_MAX_DIMS];
    nz_object *object = NULL;
    unsigned n_dims = self->array->meta.n_dims;
    nz_grid_inner_counts(&self->array->meta, inner_counts);
    NZ_TRY(nz_object_begin(self->array, index, &object, err));
    for (uint64_t i = 0, n = nz_grid_pieces(&self->array->meta); i < n; i++) {
        nz_index_of(i, n_dims, inner_counts, piece_index);
        for (unsigned d = 0; d < n_dims; d++)
            piece_index[d] += index[d] * inner_counts[d];
        nwbz_code code = write_piece(self, object, i, piece_index, err);
        if (code != NWBZ_OK) {
            nz_object_abort(object);
            return code;
        }
    }
    return nz_object_finish(object, n_bytes, crc, err);
}

/* Check the elements of self->box, and make what encoding them takes. */
static nwbz_code writing_begin(text_writing *self, nwbz_error *err)
{
    uint64_t n_bytes = 0, n_piece = nz_grid_piece_bytes(&self->array->meta);
    self->serialised = (nz_buffer)NZ_BUFFER_INIT(NZ_CODEC_MAX_BYTES);
    self->encoded = (nz_buffer)NZ_BUFFER_INIT(2 * NZ_CODEC_MAX_BYTES);
    NZ_TRY(check_text(self->array, err));
    if (!nz_count(self->box.shape, self->box.n_dims, sizeof *self->elements, &n_bytes))
        return nz_fail(err, NWBZ_EINVAL, "the array has more elements than memory can hold");
    NZ_TRY(check_elements(self->elements, n_bytes / sizeof *self->elements, err));
    if (n_bytes == 0)
        return NWBZ_OK;
    self->piece = nz_malloc(n_piece);
    if (!self->piece)
        return nz_fail_memory(err, n_piece, "a chunk of text");
    return nz_chain_worker_new(self->array->chain, &self->worker, err);
}

static void writing_end(text_writing *self)
{
    nz_chain_worker_free(self->worker);
    nz_free(self->piece);
    nz_buffer_done(&self->serialised);
    nz_buffer_done(&self->encoded);
}

static nwbz_code write_objects(text_writing *self, nwbz_error *err)
{
    const nz_array_meta *meta = &self->array->meta;
    uint64_t counts[NWBZ_MAX_DIMS], index[NWBZ_MAX_DIMS], n = 0, n_bytes;
    uint32_t crc;
    nz_grid_counts(meta->n_dims, meta->shape, meta->object_shape, counts);
    if (!nz_count(counts, meta->n_dims, 1, &n))
        return nz_fail(err, NWBZ_EINVAL, "the array has more than 2^64-1 chunks");
    for (uint64_t i = 0; i < n; i++) {
        nz_index_of(i, meta->n_dims, counts, index);
        NZ_TRY(write_object(self, index, &n_bytes, &crc, err));
    }
    return NWBZ_OK;
}

nwbz_code nwbz_array_write_strings(nwbz_array *array, const nwbz_string *elements, nwbz_error *err)
{
    text_writing self = { .array = array, .elements = elements };
    nz_box_of_shape(&self.box, array->meta.n_dims, array->meta.shape);
    nwbz_code code = writing_begin(&self, err);
    if (code == NWBZ_OK)
        code = write_objects(&self, err);
    writing_end(&self);
    return strings_where(array, code, err);
}

/* Refuse a box that is not the part of the object at `index` that lies in the array. */
static nwbz_code check_object_box(const nwbz_array *array, const uint64_t *index, const nz_box *box, nwbz_error *err)
{
    const nz_array_meta *meta = &array->meta;
    if (box->n_dims != meta->n_dims)
        return nz_fail(err, NWBZ_EINVAL, "a box of %u axes for an array of %u", box->n_dims, meta->n_dims);
    for (unsigned d = 0; d < meta->n_dims; d++) {
        uint64_t start = 0;
        if (!nz_mul(index[d], meta->object_shape[d], &start) || start >= meta->shape[d])
            return nz_fail(err, NWBZ_EINVAL, "axis %u has no object %" PRIu64, d, index[d]);
        uint64_t length = nz_min(meta->object_shape[d], meta->shape[d] - start);
        if (box->start[d] != start || box->shape[d] != length)
            return nz_fail(err, NWBZ_EINVAL,
                           "axis %u: %" PRIu64 " elements from %" PRIu64 " on are given for an object of %" PRIu64
                           " from %" PRIu64 " on",
                           d, box->shape[d], box->start[d], length, start);
    }
    return NWBZ_OK;
}

nwbz_code nz_array_put_strings(nwbz_array *array, const uint64_t *index, const nz_box *box, const nwbz_string *elements,
                               uint64_t *n_bytes, uint32_t *crc, nwbz_error *err)
{
    text_writing self = { .array = array, .elements = elements, .box = *box };
    *n_bytes = 0;
    *crc = 0;
    nwbz_code code = check_object_box(array, index, box, err);
    if (code == NWBZ_OK)
        code = writing_begin(&self, err);
    if (code == NWBZ_OK)
        code = write_object(&self, index, n_bytes, crc, err);
    writing_end(&self);
    return strings_where(array, code, err);
}
