/* A Zarr array as a source: a box is made of the pieces it meets.
 *
 * A piece that is the box is decoded straight to where it shall lie; any other is decoded to the reader's memory and
 * the common part copied.  Boxes on the natural grid, which is the pieces', decode each piece once.  Stored chunks are
 * the pieces as they lie in the store, without a look at what is in them.
 */
#include "source/source.h"

#include "base/memory.h"
#include "base/path.h"
#include "zarr/array.h"

#include <string.h>

typedef struct array_source {
    nwbz_source base;
    const nwbz_array *array; /* borrowed */
    char *name;
} array_source;

typedef struct reader {
    nz_array_reader *pieces;
    char *piece; /* a whole one, made when first needed */
} reader;

static const nwbz_array *array_of(const nwbz_source *source)
{
    return ((const array_source *)source)->array;
}

static void reader_free(void *argument)
{
    reader *self = argument;
    if (!self)
        return;
    nz_array_reader_free(self->pieces);
    nz_free(self->piece);
    nz_free(self);
}

static nwbz_code reader_new(nwbz_source *source, void **made, nwbz_error *err)
{
    *made = NULL;
    reader *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "reading an array");
    nwbz_code code = nz_array_reader_new(array_of(source), &self->pieces, err);
    if (code == NWBZ_OK)
        *made = self;
    else
        reader_free(self);
    return code;
}

static bool is_same(const nz_box *a, const nz_box *b)
{
    size_t n = a->n_dims * sizeof *a->start;
    return memcmp(a->start, b->start, n) == 0 && memcmp(a->shape, b->shape, n) == 0;
}

/* Read what `box` has of the piece at `index`. */
static nwbz_code read_piece(const nwbz_array *array, reader *self, const uint64_t *index, const nz_box *box,
                            void *elements, nwbz_error *err)
{
    nz_box piece = { .n_dims = box->n_dims }, common;
    for (unsigned d = 0; d < box->n_dims; d++) {
        piece.start[d] = index[d] * array->meta.piece_shape[d];
        piece.shape[d] = array->meta.piece_shape[d];
    }
    if (is_same(&piece, box))
        return nz_array_read_piece(array, self->pieces, index, elements, err);
    uint64_t piece_bytes = nz_array_piece_bytes(array);
    if (!self->piece)
        self->piece = nz_malloc_large((size_t)piece_bytes);
    if (!self->piece)
        return nz_fail_memory(err, (size_t)piece_bytes, "a chunk");
    NZ_TRY(nz_array_read_piece(array, self->pieces, index, self->piece, err));
    if (nz_box_cut(&piece, box, &common))
        nz_box_copy(&common, self->piece, &piece, elements, box, (size_t)nz_dtype_bytes(&array->meta.dtype));
    return NWBZ_OK;
}

static nwbz_code read_box(nwbz_source *source, void *argument, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err)
{
    const nwbz_array *array = array_of(source);
    uint64_t first[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS], index[NWBZ_MAX_DIMS], n_pieces = 1;
    (void)n_rows;
    if (nz_box_count(box) == 0)
        return NWBZ_OK;
    for (unsigned d = 0; d < box->n_dims; d++) {
        first[d] = box->start[d] / array->meta.piece_shape[d];
        counts[d] = (box->start[d] + box->shape[d] - 1) / array->meta.piece_shape[d] - first[d] + 1;
        n_pieces *= counts[d];
    }
    for (uint64_t i = 0; i < n_pieces; i++) {
        nz_index_of(i, box->n_dims, counts, index);
        for (unsigned d = 0; d < box->n_dims; d++)
            index[d] += first[d];
        NZ_TRY(read_piece(array, argument, index, box, elements, err));
    }
    return NWBZ_OK;
}

/* Add the stored bytes of the piece at `index`. */
static nwbz_code add_stored(const nwbz_array *array, reader *self, const uint64_t *index, nz_stored *chunk, nz_buffer *out, nwbz_error *err)
{
    const void *bytes = NULL;
    *chunk = (nz_stored){ .offset = out->n_bytes };
    NZ_TRY(nz_array_read_stored(array, self->pieces, index, &bytes, &chunk->n_bytes, err));
    chunk->is_absent = !bytes;
    return nz_where(err, nz_buffer_add(out, bytes, chunk->n_bytes, err), "%s:%s", array->store->name, array->path);
}

static nwbz_code read_stored(nwbz_source *source, void *argument, const uint64_t *indexes, size_t *n, size_t max_bytes, nz_stored *chunks,
                             nz_buffer *out, nwbz_error *err)
{
    const nwbz_array *array = array_of(source);
    size_t n_read = 0;
    while (n_read < *n && (n_read == 0 || out->n_bytes < max_bytes)) {
        NZ_TRY(add_stored(array, argument, indexes + n_read * source->info.n_dims, &chunks[n_read], out, err));
        n_read++;
    }
    *n = n_read;
    return NWBZ_OK;
}

static void array_close(nwbz_source *source)
{
    nz_free(((array_source *)source)->name);
    nz_free(source);
}

static const nz_source_class array_class = {
    .reader_new = reader_new,
    .reader_free = reader_free,
    .read_box = read_box,
    .read_stored = read_stored,
    .close = array_close,
};

nwbz_code nz_source_of_array(const nwbz_array *array, nwbz_source **source, nwbz_error *err)
{
    *source = NULL;
    if (array->meta.dtype.type == NWBZ_STRING)
        return nz_fail(err, NWBZ_EINVAL, "an array of text is read as text, not as samples");
    array_source *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a source");
    self->base.class = &array_class;
    self->array = array;
    self->name = nz_format("%s:%s", array->store->name, array->path);
    if (!self->name) {
        array_close(&self->base);
        return nz_fail_memory(err, strlen(array->path), "the name of a source");
    }
    nz_source_info *info = &self->base.info;
    info->type = array->meta.dtype.type;
    info->element_bytes = nz_dtype_bytes(&array->meta.dtype);
    info->n_dims = array->meta.n_dims;
    memcpy(info->shape, array->meta.shape, sizeof info->shape);
    memcpy(info->natural, array->meta.piece_shape, sizeof info->natural);
    info->whole_boxes = true;
    info->reader_bytes = nz_array_reader_bytes(array) + nz_array_piece_bytes(array);
    info->stored_bound_bytes = nz_chain_bound(array->chain, nz_array_piece_bytes(array));
    info->name = self->name;
    *source = &self->base;
    return NWBZ_OK;
}

nwbz_code nwbz_source_new_array(const nwbz_array *array, nwbz_source **source, nwbz_error *err)
{
    return nz_source_of_array(array, source, err);
}
