/* A source that gives stored chunks, made of an array, with what a file may have beside: chunks in another encoding, natural boxes cut at the edge,
 * a call that fails. */
#ifndef NZ_TESTS_UNIT_ENGINE_STORED_SOURCE_H
#define NZ_TESTS_UNIT_ENGINE_STORED_SOURCE_H

#include "base/checked.h"
#include "base/memory.h"
#include "source/source.h"
#include "zarr/array.h"

#include <string.h>

typedef struct stored_source {
    nwbz_source base;
    nwbz_source *inner;                 /* the array's */
    unsigned other_every;               /* each chunk whose number in the grid is a multiple of it is in another encoding; 0: none */
    unsigned fail_at;                   /* the call of read_stored that fails; 0: none */
    unsigned n_calls, n_chunks, n_boxes;/* atomic */
} stored_source;

typedef struct stored_reader {
    const nz_source_class *class;
    void *inner;
} stored_reader;

static inline nwbz_code stored_reader_new(nwbz_source *source, void **made, nwbz_error *err)
{
    const stored_source *self = (const stored_source *)source;
    stored_reader *reader = nz_calloc(1, sizeof *reader);
    *made = NULL;
    if (!reader)
        return nz_fail_memory(err, sizeof *reader, "a reader");
    reader->class = self->inner->class;
    nwbz_code code = reader->class->reader_new(self->inner, &reader->inner, err);
    if (code == NWBZ_OK)
        *made = reader;
    else
        nz_free(reader);
    return code;
}

static inline void stored_reader_free(void *argument)
{
    stored_reader *reader = argument;
    reader->class->reader_free(reader->inner);
    nz_free(reader);
}

static inline nwbz_code stored_read_box(nwbz_source *source, void *argument, const nz_box *box, void *elements, uint64_t *n_rows, nwbz_error *err)
{
    stored_source *self = (stored_source *)source;
    const stored_reader *reader = argument;
    __atomic_add_fetch(&self->n_boxes, 1, __ATOMIC_RELAXED);
    return reader->class->read_box(self->inner, reader->inner, box, elements, n_rows, err);
}

static inline bool stored_is_other(const stored_source *self, const uint64_t *index)
{
    uint64_t number = 0;
    for (unsigned d = 0; d < self->base.info.n_dims; d++)
        number = number * nz_ceil_div(self->base.info.shape[d], self->base.info.natural[d]) + index[d];
    return self->other_every && number % self->other_every == 0;
}

static inline nwbz_code stored_read(nwbz_source *source, void *argument, const uint64_t *indexes, size_t *n, size_t max_bytes, nz_stored *chunks,
                                    nz_buffer *out, nwbz_error *err)
{
    stored_source *self = (stored_source *)source;
    const stored_reader *reader = argument;
    unsigned n_dims = source->info.n_dims;
    if (__atomic_add_fetch(&self->n_calls, 1, __ATOMIC_RELAXED) == self->fail_at)
        return nz_fail(err, NWBZ_ESOURCE, "chunk %llu is damaged", (unsigned long long)indexes[0]);
    size_t n_read = 0;
    while (n_read < *n && (n_read == 0 || out->n_bytes < max_bytes)) {
        const uint64_t *index = indexes + n_read * n_dims;
        size_t one = 1;
        nz_stored *chunk = &chunks[n_read++];
        size_t before = out->n_bytes;
        NZ_TRY(reader->class->read_stored(self->inner, reader->inner, index, &one, SIZE_MAX, chunk, out, err));
        if (!chunk->is_absent && stored_is_other(self, index)) {
            out->n_bytes = before;
            *chunk = (nz_stored){ .is_other = true };
        }
    }
    __atomic_add_fetch(&self->n_chunks, (unsigned)n_read, __ATOMIC_RELAXED);
    *n = n_read;
    return NWBZ_OK;
}

static inline void stored_close(nwbz_source *source)
{
    nwbz_source_close(((stored_source *)source)->inner);
}

/* Make it in place; closed by nwbz_source_close(), which frees nothing of its own. */
static inline nwbz_code stored_source_of(stored_source *self, const nwbz_array *array, nwbz_error *err)
{
    static const nz_source_class class = { .reader_new = stored_reader_new,
                                           .reader_free = stored_reader_free,
                                           .read_box = stored_read_box,
                                           .read_stored = stored_read,
                                           .close = stored_close };
    *self = (stored_source){ .base = { .class = &class } };
    NZ_TRY(nz_source_of_array(array, &self->inner, err));
    self->base.info = self->inner->info;
    for (unsigned d = 0; d < array->meta.n_dims; d++) /* as HDF5 sources say it */
        self->base.info.natural[d] = nz_max(nz_min(array->meta.piece_shape[d], array->meta.shape[d]), 1);
    return NWBZ_OK;
}

#endif
