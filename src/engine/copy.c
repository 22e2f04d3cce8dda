/* Moving stored chunks as they are: NZ_FEED_STORED.
 *
 *   chunks of the step --visit: read_stored--> bytes in the worker's buffer --in ascending order--> objects of the step
 *
 * A step is whole objects, so an object has one writer and its chunks come in the order of its positions whatever the number of jobs; nothing waits
 * and nothing is put together.  Moving is as fast as memory, and so a shard is one worker's: several would write to one file in turns.
 * A chunk that is stored in another encoding than its array says is read and encoded as any other source is, in its turn.
 */
#include "engine/state.h"

#include "base/checked.h"
#include "base/memory.h"

#include <string.h>

/* What a worker keeps from step to step, and the object that it writes. */
struct nz_copy {
    uint64_t *indexes;   /* of the chunks of one visit, visit_chunks * n_dims */
    nz_stored *chunks;   /* what each is */
    nz_buffer out;       /* their bytes */
    unsigned char *piece;/* of one that is read and encoded: a whole piece */
    /* the object that is written; `has_object` also when it is not begun, since nothing of it was stored until now */
    bool has_object;
    uint64_t object_index[NWBZ_MAX_DIMS];
    nz_target_object *object;
    /* done since the run was last told */
    uint64_t sample_bytes, stored_bytes, n_objects, n_copied, n_read;
};

/* Where a step is: the next chunk that is asked for, and what became of its object. */
typedef struct cursor {
    uint64_t item, end;       /* objects; or entries of the list */
    uint64_t position;        /* of the object `item` */
    bool has_object, is_done; /* an earlier run has stored the object at object_index */
    uint64_t object_index[NWBZ_MAX_DIMS];
} cursor;

void nz_copy_free(nz_copy *copy)
{
    if (!copy)
        return;
    nz_free(copy->indexes);
    nz_free(copy->chunks);
    nz_free(copy->piece);
    nz_buffer_done(&copy->out);
    nz_free(copy);
}

/* Get the reader and the buffers, once a transfer. */
static nwbz_code prepare(nz_worker *w, size_t transfer)
{
    const nz_plan *plan = &w->run->transfers[transfer].plan;
    NZ_TRY(nz_step_prepare_reader(w, transfer));
    if (w->copy)
        return NWBZ_OK;
    nz_copy *copy = w->copy = nz_calloc(1, sizeof *copy);
    if (!copy)
        return nz_fail_memory(&w->err, sizeof *copy, "copying chunks");
    copy->out = (nz_buffer)NZ_BUFFER_INIT((size_t)nz_min(plan->stored_most_bytes, SIZE_MAX / 2));
    copy->indexes = nz_calloc((size_t)plan->visit_chunks, nz_max(plan->n_dims, 1) * sizeof *copy->indexes);
    copy->chunks = nz_calloc((size_t)plan->visit_chunks, sizeof *copy->chunks);
    copy->out.bytes = nz_malloc_large((size_t)plan->stored_room_bytes);
    if (!copy->indexes || !copy->chunks || !copy->out.bytes)
        return nz_fail_memory(&w->err, (size_t)plan->stored_room_bytes, "copying chunks");
    copy->out.capacity = (size_t)plan->stored_room_bytes;
    return NWBZ_OK;
}

/* ---- which chunks ---- */

/* Find the object of the chunk at `index`, and the chunk's position in it. */
static uint64_t object_of(const nz_target_info *info, const uint64_t *index, uint64_t *object)
{
    uint64_t inner[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < info->n_dims; d++) {
        counts[d] = info->object_shape[d] / info->piece_shape[d];
        object[d] = index[d] / counts[d];
        inner[d] = index[d] % counts[d];
    }
    return nz_position_of(info->n_dims, counts, inner);
}

static bool is_same_index(const uint64_t *a, const uint64_t *b, unsigned n_dims)
{
    return memcmp(a, b, n_dims * sizeof *a) == 0;
}

/* The entry of the list that comes as number `item`. */
static const uint64_t *listed(const nz_transfer *t, const nz_run_feed *f, uint64_t item)
{
    return t->chunk_list + (f->order ? f->order[item] : item) * t->plan.n_dims;
}

/* Set `index` to the next chunk of the grid's objects that lies in the array. */
static bool next_of_grid(const nz_transfer *t, cursor *c, uint64_t *index)
{
    const nz_target_info *info = &t->target->info;
    uint64_t object[NWBZ_MAX_DIMS], inner[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS];
    for (; c->item < c->end; c->item++, c->position = 0) {
        nz_index_of(c->item, info->n_dims, t->plan.object_counts, object);
        for (unsigned d = 0; d < info->n_dims; d++)
            counts[d] = info->object_shape[d] / info->piece_shape[d];
        while (c->position < t->plan.pieces_per_object) {
            bool inside = true;
            nz_index_of(c->position++, info->n_dims, counts, inner);
            for (unsigned d = 0; d < info->n_dims; d++) {
                index[d] = object[d] * counts[d] + inner[d];
                inside = inside && index[d] < nz_ceil_div(info->shape[d], info->piece_shape[d]);
            }
            if (inside)
                return true;
        }
    }
    return false;
}

static bool next_chunk(const nz_transfer *t, const nz_run_feed *f, cursor *c, uint64_t *index)
{
    if (!t->chunk_list)
        return next_of_grid(t, c, index);
    if (c->item == c->end)
        return false;
    memcpy(index, listed(t, f, c->item++), t->plan.n_dims * sizeof *index);
    return true;
}

uint64_t nz_copy_n_next(const nz_transfer *t, const nz_run_feed *f, unsigned n_workers)
{
    const nz_target_info *info = &t->target->info;
    uint64_t left = f->n_groups - f->next_group, per_item = t->chunk_list ? 1 : t->plan.pieces_per_object;
    uint64_t n = nz_max(nz_min(t->plan.visit_chunks / per_item, left / (2 * n_workers)), 1); /* so that the others find some too */
    if (!t->chunk_list || t->plan.pieces_per_object == 1)
        return n;
    uint64_t last[NWBZ_MAX_DIMS], object[NWBZ_MAX_DIMS];
    (void)object_of(info, listed(t, f, f->next_group + n - 1), last);
    for (; n < left; n++) { /* the whole of the last object */
        (void)object_of(info, listed(t, f, f->next_group + n), object);
        if (!is_same_index(object, last, info->n_dims))
            break;
    }
    return n;
}

/* Collect the chunks of the next visit; those of objects that an earlier run has stored are passed over. */
static nwbz_code next_visit(nz_worker *w, nz_transfer *t, const nz_run_feed *f, cursor *c, size_t *n)
{
    const nz_target_info *info = &t->target->info;
    nz_copy *copy = w->copy;
    uint64_t object[NWBZ_MAX_DIMS];
    *n = 0;
    while (*n < t->plan.visit_chunks) {
        uint64_t *index = copy->indexes + *n * info->n_dims;
        if (!next_chunk(t, f, c, index))
            return NWBZ_OK;
        (void)object_of(info, index, object);
        if (!c->has_object || !is_same_index(object, c->object_index, info->n_dims)) {
            nwbz_code code = nz_object_is_stored(t->target, w->run->options->record, object, &c->is_done, &w->err);
            NZ_TRY(nz_object_where(&t->plan, info, object, code, &w->err));
            memcpy(c->object_index, object, info->n_dims * sizeof *object);
            c->has_object = true;
        }
        if (c->is_done)
            copy->sample_bytes += nz_copy_sample_bytes(info, index);
        else
            (*n)++;
    }
    return NWBZ_OK;
}

/* ---- one chunk that is read and encoded ---- */

/* Read the chunk at `index` to w->copy->piece, with the fill value where it reaches over the array's edge. */
static nwbz_code read_piece(nz_worker *w, nz_transfer *t, const nz_box *piece, const nz_box *box)
{
    const nz_target_info *info = &t->target->info;
    bool is_whole = nz_box_count(box) == nz_box_count(piece);
    void *to = is_whole ? w->copy->piece : w->slab;
    uint64_t n_rows = info->n_dims ? box->shape[0] : 1;
    NZ_TRY(nz_step_where_read(t, box, t->source->class->read_box(t->source, w->reader, box, to, &n_rows, &w->err), &w->err));
    if (is_whole)
        return NWBZ_OK;
    size_t element_bytes = (size_t)nz_target_element_bytes(info);
    nz_elements_set(w->copy->piece, info->fill_element, element_bytes, nz_box_count(piece));
    nz_box_copy(box, w->slab, box, w->copy->piece, piece, element_bytes);
    return NWBZ_OK;
}

/* Read and encode the chunk at `index` to w->encoded. */
static nwbz_code encode_other(nz_worker *w, size_t transfer, const uint64_t *index, size_t *n)
{
    nz_transfer *t = &w->run->transfers[transfer];
    const nz_target_info *info = &t->target->info;
    nz_box piece = { .n_dims = info->n_dims }, box;
    if (t->plan.never_reads)
        return nz_fail(&w->err, NWBZ_ELIMIT, "a chunk of %llu bytes is stored with other filters than its dataset says, and the memory limit leaves no room to "
                                             "decode it: raise the limit", (unsigned long long)info->piece_bytes);
    NZ_TRY(nz_step_prepare_slab(w, transfer));
    NZ_TRY(nz_step_prepare_encode(w, transfer));
    if (!w->copy->piece && !(w->copy->piece = nz_malloc_large((size_t)t->plan.piece_room_bytes)))
        return nz_fail_memory(&w->err, (size_t)t->plan.piece_room_bytes, "a chunk");
    nz_box_of_cell(&box, info->n_dims, info->shape, info->piece_shape, index);
    for (unsigned d = 0; d < info->n_dims; d++) {
        piece.start[d] = box.start[d];
        piece.shape[d] = info->piece_shape[d];
    }
    NZ_TRY(read_piece(w, t, &piece, &box));
    return nz_step_encode_piece(w, t, &piece, w->copy->piece, n);
}

/* ---- objects ---- */

static nwbz_code finish_object(nz_worker *w, size_t transfer)
{
    nz_copy *copy = w->copy;
    const nz_transfer *t = &w->run->transfers[transfer];
    nz_target_object *object = copy->object;
    uint64_t n_bytes = 0;
    if (!copy->has_object)
        return NWBZ_OK;
    copy->has_object = false;
    copy->object = NULL;
    nwbz_code code = nz_step_finish(w, transfer, copy->object_index, object, &n_bytes);
    copy->stored_bytes += n_bytes;
    copy->n_objects += n_bytes > 0;
    return nz_object_where(&t->plan, &t->target->info, copy->object_index, code, &w->err);
}

static void abort_object(nz_copy *copy, const nz_transfer *t)
{
    if (copy->object)
        t->target->class->object_abort(copy->object);
    copy->object = NULL;
    copy->has_object = false;
}

/* Add `n` bytes to the object that the worker writes. */
static nwbz_code add_bytes(nz_worker *w, nz_transfer *t, uint64_t position, const void *bytes, size_t n)
{
    nz_copy *copy = w->copy;
    const nz_target_class *class = t->target->class;
    if (!copy->object)
        NZ_TRY(class->object_begin(t->target, copy->object_index, &copy->object, &w->err));
    return class->object_add(copy->object, position, bytes, n, &w->err);
}

/* Bring one chunk to its object; the object before it, if it was another, is whole then. */
static nwbz_code place_chunk(nz_worker *w, size_t transfer, const uint64_t *index, const nz_stored *chunk)
{
    nz_copy *copy = w->copy;
    nz_transfer *t = &w->run->transfers[transfer];
    const nz_target_info *info = &t->target->info;
    uint64_t object[NWBZ_MAX_DIMS], position = object_of(info, index, object);
    size_t n = chunk->n_bytes;
    if (!copy->has_object || !is_same_index(object, copy->object_index, info->n_dims)) {
        NZ_TRY(finish_object(w, transfer));
        memcpy(copy->object_index, object, info->n_dims * sizeof *object);
        copy->has_object = true;
    }
    const void *bytes = copy->out.bytes + chunk->offset;
    nwbz_code code = NWBZ_OK;
    if (chunk->is_other) {
        code = encode_other(w, transfer, index, &n);
        bytes = w->encoded;
    }
    bool stores = !chunk->is_absent && !(chunk->is_other && n == 0); /* encoding has found nothing but fill value */
    if (code == NWBZ_OK && stores)
        code = add_bytes(w, t, position, bytes, n);
    copy->n_read += chunk->is_other && stores;
    copy->n_copied += !chunk->is_other && stores;
    copy->sample_bytes += nz_copy_sample_bytes(info, index);
    return nz_object_where(&t->plan, info, object, code, &w->err);
}

/* ---- the step ---- */

/* Tell the run what was done; true when it has been stopped. */
static bool tell(nz_worker *w, nz_transfer *t)
{
    nz_run_state *r = w->run;
    nz_copy *copy = w->copy;
    nz_lock(&r->mutex);
    r->done_bytes += copy->sample_bytes;
    t->stored_bytes += copy->stored_bytes;
    t->n_objects_stored += copy->n_objects;
    t->n_copied += copy->n_copied;
    t->n_read += copy->n_read;
    bool stop = r->stop;
    nz_unlock(&r->mutex);
    copy->sample_bytes = copy->stored_bytes = copy->n_objects = copy->n_copied = copy->n_read = 0;
    return stop;
}

/* Move `n` chunks, by as many calls as the source needs for them. */
static nwbz_code move_chunks(nz_worker *w, size_t transfer, size_t n)
{
    nz_copy *copy = w->copy;
    nz_transfer *t = &w->run->transfers[transfer];
    size_t n_dims = t->plan.n_dims;
    for (size_t at = 0, got; at < n; at += got) {
        const uint64_t *indexes = copy->indexes + at * n_dims;
        got = n - at;
        copy->out.n_bytes = 0;
        nwbz_code code = t->source->class->read_stored(t->source, w->reader, indexes, &got, (size_t)t->plan.visit_bytes, copy->chunks, &copy->out, &w->err);
        NZ_TRY(nz_where(&w->err, code, "%s (for %s:%s)", t->source->info.name, t->target->info.store_name, t->target->info.name));
        for (size_t i = 0; i < got; i++)
            NZ_TRY(place_chunk(w, transfer, indexes + i * n_dims, &copy->chunks[i]));
    }
    return NWBZ_OK;
}

static nwbz_code move_all(nz_worker *w, const nz_step *s)
{
    nz_transfer *t = &w->run->transfers[s->transfer];
    const nz_run_feed *f = &w->run->feeds[s->transfer];
    cursor c = { .item = s->first, .end = s->first + s->n };
    for (size_t n = 1; n > 0;) {
        NZ_TRY(next_visit(w, t, f, &c, &n));
        NZ_TRY(move_chunks(w, s->transfer, n));
        if (tell(w, t))
            return NWBZ_OK; /* the object that is begun is dropped */
    }
    NZ_TRY(finish_object(w, s->transfer));
    (void)tell(w, t);
    return NWBZ_OK;
}

nwbz_code nz_copy_do(nz_worker *w, const nz_step *s)
{
    NZ_TRY(prepare(w, s->transfer));
    nwbz_code code = move_all(w, s);
    abort_object(w->copy, &w->run->transfers[s->transfer]);
    return code;
}
