/* Doing a step, without the lock: read a slab or a box to where its samples belong, or encode pieces and store the objects that become
 * whole.
 *
 * Pieces of a shard are encoded in any order and added in ascending order: a piece that comes before its turn waits, encoded, in its own
 * buffer; the worker whose piece is next adds all that wait behind it.  So an object has one writer at a time, and its bytes do not depend on
 * the number of jobs.
 */
#include "engine/state.h"

#include "base/checked.h"
#include "base/memory.h"

#include <string.h>

/* ---- contexts of a worker ---- */

void nz_step_drop_contexts(nz_worker *w)
{
    if (w->transfer == SIZE_MAX)
        return;
    nz_transfer *t = &w->run->transfers[w->transfer];
    if (w->context)
        t->target->class->worker_free(w->context);
    if (w->reader && t->source->class->reader_free)
        t->source->class->reader_free(w->reader);
    nz_free(w->encoded);
    nz_free(w->slab);
    nz_copy_free(w->copy);
    w->context = w->reader = NULL;
    w->encoded = w->slab = NULL;
    w->copy = NULL;
    w->transfer = SIZE_MAX;
}

static void use_transfer(nz_worker *w, size_t transfer)
{
    if (w->transfer == transfer)
        return;
    nz_step_drop_contexts(w);
    w->transfer = transfer;
}

nwbz_code nz_step_prepare_encode(nz_worker *w, size_t transfer)
{
    use_transfer(w, transfer);
    nz_transfer *t = &w->run->transfers[transfer];
    if (!w->context && t->target->class->worker_new)
        NZ_TRY(t->target->class->worker_new(t->target, &w->context, &w->err));
    if (!w->encoded)
        w->encoded = nz_malloc_large((size_t)t->plan.piece_room_bytes);
    return w->encoded ? NWBZ_OK : nz_fail_memory(&w->err, (size_t)t->plan.piece_room_bytes, "an encoded chunk");
}

static size_t bytes_of_box(const nz_transfer *t, const uint64_t *shape)
{
    uint64_t n = 0;
    return nz_count(shape, t->plan.n_dims, nz_target_element_bytes(&t->target->info), &n) ? (size_t)n : SIZE_MAX;
}

nwbz_code nz_step_prepare_reader(nz_worker *w, size_t transfer)
{
    use_transfer(w, transfer);
    nz_transfer *t = &w->run->transfers[transfer];
    return w->reader || !t->source->class->reader_new ? NWBZ_OK : t->source->class->reader_new(t->source, &w->reader, &w->err);
}

nwbz_code nz_step_prepare_slab(nz_worker *w, size_t transfer)
{
    nz_transfer *t = &w->run->transfers[transfer];
    NZ_TRY(nz_step_prepare_reader(w, transfer));
    if (!w->slab)
        w->slab = nz_malloc_large(bytes_of_box(t, t->plan.read_shape));
    return w->slab ? NWBZ_OK : nz_fail_memory(&w->err, bytes_of_box(t, t->plan.read_shape), "samples that are read");
}

/* ---- reading ---- */

nwbz_code nz_step_where_read(const nz_transfer *t, const nz_box *box, nwbz_code code, nwbz_error *err)
{
    if (t->plan.n_dims == 0)
        return nz_where(err, code, "%s (for %s:%s)", t->source->info.name, t->target->info.store_name, t->target->info.name);
    return nz_where(err, code, "%s rows %llu to %llu (for %s:%s)", t->source->info.name, (unsigned long long)box->start[0],
                    (unsigned long long)(box->start[0] + box->shape[0]), t->target->info.store_name, t->target->info.name);
}

/* Read one slab to where its samples belong. */
static nwbz_code do_slab(nz_worker *w, const nz_step *s)
{
    nz_transfer *t = &w->run->transfers[s->transfer];
    nz_box box;
    if (s->opens) {
        NZ_TRY(nz_group_open(s->group, w->run->options->record, &w->err));
        if (s->group->objects_left == 0 && !t->target->info.direct)
            return NWBZ_OK; /* an earlier run has stored all of it */
    }
    NZ_TRY(nz_step_prepare_slab(w, s->transfer));
    nz_plan_read(&t->plan, &t->target->info, &s->group->box, s->first, &box);
    void *place = nz_group_place(s->group, &box), *to = place ? place : w->slab;
    uint64_t n_rows = t->plan.n_dims ? box.shape[0] : 1;
    NZ_TRY(nz_step_where_read(t, &box, t->source->class->read_box(t->source, w->reader, &box, to, &n_rows, &w->err), &w->err));
    if (!place)
        nz_group_scatter(s->group, &box, to);
    return NWBZ_OK;
}

/* ---- encoding and storing ---- */

/* Bytes of samples of the piece that lie in the array. */
uint64_t nz_step_sample_bytes(const nz_group *group, const nz_box *piece)
{
    nz_box cut;
    return nz_box_cut(piece, &group->box, &cut) ? nz_box_count(&cut) * nz_target_element_bytes(&group->target->info) : 0;
}

static nwbz_code begin_object(nz_group *group, uint64_t o, nwbz_error *err)
{
    uint64_t index[NWBZ_MAX_DIMS];
    if (group->object_states[o].object)
        return NWBZ_OK;
    nz_group_object_index(group, o, index);
    return group->target->class->object_begin(group->target, index, &group->object_states[o].object, err);
}

/* Read a stored object back, through the store: it must be what was written. */
static nwbz_code verify(nz_target *target, const uint64_t *index, uint64_t n_bytes, uint32_t crc, nwbz_error *err)
{
    bool same = false;
    NZ_TRY(target->class->object_check(target, index, n_bytes, crc, &same, err));
    if (same)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EIO, "%llu bytes with the CRC-32C %08x were written, and something else is read back: the disk or the memory is not to be "
                                  "trusted", (unsigned long long)n_bytes, crc);
}

static nwbz_code note(nz_target *target, nz_record *record, const uint64_t *index, uint64_t n_bytes, uint32_t crc, nwbz_error *err)
{
    char *key = target->class->object_key(target, index);
    nwbz_code code = key ? nz_record_add(record, key, n_bytes, crc, err) : nz_fail_memory(err, 0, "a key");
    nz_free(key);
    return code;
}

nwbz_code nz_step_finish(nz_worker *w, size_t transfer, const uint64_t *index, nz_target_object *object, uint64_t *n_bytes)
{
    nz_run_state *r = w->run;
    nz_target *target = r->transfers[transfer].target;
    uint32_t crc = 0;
    *n_bytes = 0;
    if (!object)
        NZ_TRY(target->class->object_begin(target, index, &object, &w->err));
    NZ_TRY(target->class->object_finish(object, n_bytes, &crc, &w->err));
    if (r->options->verify_crc && *n_bytes > 0)
        NZ_TRY(verify(target, index, *n_bytes, crc, &w->err));
    return r->options->record ? note(target, r->options->record, index, *n_bytes, crc, &w->err) : NWBZ_OK;
}

static nwbz_code finish_object(nz_worker *w, nz_group *group, uint64_t o)
{
    nz_run_state *r = w->run;
    uint64_t n_bytes = 0, index[NWBZ_MAX_DIMS];
    nz_target_object *object = group->object_states[o].object;
    nz_group_object_index(group, o, index);
    group->object_states[o].object = NULL;
    NZ_TRY(nz_step_finish(w, group->transfer, index, object, &n_bytes));
    nz_lock(&r->mutex);
    group->object_states[o].done = true;
    group->objects_left--;
    r->transfers[group->transfer].stored_bytes += n_bytes;
    r->transfers[group->transfer].n_objects_stored += n_bytes > 0;
    nz_unlock(&r->mutex);
    return NWBZ_OK;
}

/* The worker has set `storing`, and `encoded` is the piece at `next`: add it and all that wait behind it. */
static nwbz_code add_in_order(nz_worker *w, nz_group *group, uint64_t o, const void *encoded, size_t n)
{
    nz_run_state *r = w->run;
    nz_group_object *object = &group->object_states[o];
    uint64_t n_positions = group->plan->pieces_per_object, first = o * n_positions;
    for (;;) {
        if (n > 0) {
            NZ_TRY(begin_object(group, o, &w->err));
            NZ_TRY(group->target->class->object_add(object->object, object->next, encoded, n, &w->err));
        }
        nz_lock(&r->mutex);
        object->next++;
        bool more = object->next < n_positions && group->encoded_bytes[first + object->next] != SIZE_MAX;
        if (!more && object->next < n_positions)
            object->storing = false;
        uint64_t next = object->next;
        if (more)
            n = group->encoded_bytes[first + next];
        nz_unlock(&r->mutex);
        if (next == n_positions)
            return finish_object(w, group, o);
        if (!more)
            return NWBZ_OK;
        encoded = nz_group_piece(group, first + next);
    }
}

/* Bring the encoded piece `p` to its object: at once if it is its turn, else it waits in its own buffer. */
static nwbz_code store_piece(nz_worker *w, nz_group *group, uint64_t p, size_t n)
{
    nz_run_state *r = w->run;
    uint64_t o = p / group->plan->pieces_per_object, position = p % group->plan->pieces_per_object;
    nz_group_object *object = &group->object_states[o];
    if (group->plan->pieces_per_object == 1)
        return add_in_order(w, group, o, w->encoded, n);
    nz_lock(&r->mutex);
    bool turn = object->next == position && !object->storing;
    if (turn)
        object->storing = true;
    nz_unlock(&r->mutex);
    if (turn)
        return add_in_order(w, group, o, w->encoded, n);
    memcpy(nz_group_piece(group, p), w->encoded, n);
    nz_lock(&r->mutex);
    group->encoded_bytes[p] = n;
    turn = object->next == position && !object->storing; /* it has become its turn meanwhile */
    if (turn)
        object->storing = true;
    nz_unlock(&r->mutex);
    return turn ? add_in_order(w, group, o, nz_group_piece(group, p), n) : NWBZ_OK;
}

nwbz_code nz_step_encode_piece(nz_worker *w, nz_transfer *t, const nz_box *box, const void *elements, size_t *n)
{
    uint64_t index[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < box->n_dims; d++)
        index[d] = box->start[d] / t->target->info.piece_shape[d];
    return t->target->class->encode_piece(t->target, w->context, index, elements, w->encoded, (size_t)t->plan.piece_room_bytes, n, &w->err);
}

static nwbz_code do_encode(nz_worker *w, const nz_step *s)
{
    nz_run_state *r = w->run;
    nz_group *group = s->group;
    nz_transfer *t = &r->transfers[s->transfer];
    NZ_TRY(nz_step_prepare_encode(w, s->transfer));
    for (uint64_t p = s->first; p < s->first + s->n; p++) {
        nz_box box;
        size_t n = 0;
        nwbz_code code = NWBZ_OK;
        uint64_t o = p / group->plan->pieces_per_object;
        if (nz_group_piece_box(group, p, &box))
            code = nz_step_encode_piece(w, t, &box, nz_group_piece(group, p), &n);
        if (code == NWBZ_OK)
            code = store_piece(w, group, p, n);
        NZ_TRY(nz_group_where(group, o, code, &w->err));
        nz_lock(&r->mutex);
        r->done_bytes += nz_step_sample_bytes(group, &box);
        t->n_read += n > 0;
        bool stop = r->stop;
        nz_unlock(&r->mutex);
        if (stop)
            return NWBZ_OK;
    }
    return NWBZ_OK;
}
/* ---- boxes ---- */

/* Open the bands that are new, read the box into place or beside, scatter it. */
static nwbz_code do_box(nz_worker *w, nz_step *s)
{
    nz_run_state *r = w->run;
    nz_transfer *t = &r->transfers[s->transfer];
    nz_run_feed *f = &r->feeds[s->transfer];
    uint64_t n_rows = s->box.shape[0];
    void *place = NULL;
    if (!f->box_bytes && !(f->box_bytes = nz_malloc_large((size_t)t->plan.shared_bytes)))
        return nz_fail_memory(&w->err, (size_t)t->plan.shared_bytes, "samples that are read");
    if (!f->reader && t->source->class->reader_new)
        NZ_TRY(t->source->class->reader_new(t->source, &f->reader, &w->err));
    for (unsigned i = 0; i < f->n_bands; i++)
        if (f->bands[i]->stage == NZ_STAGE_OPENING)
            NZ_TRY(nz_group_open(f->bands[i], r->options->record, &w->err));
    for (unsigned i = 0; i < f->n_bands && !place; i++)
        place = nz_group_place(f->bands[i], &s->box);
    void *to = place ? place : f->box_bytes;
    NZ_TRY(nz_step_where_read(t, &s->box, t->source->class->read_box(t->source, f->reader, &s->box, to, &n_rows, &w->err), &w->err));
    if (n_rows < s->box.shape[0] && f->n_rows != NWBZ_UNKNOWN_LENGTH)
        return nz_step_where_read(t, &s->box, nz_fail(&w->err, NWBZ_ESOURCE, "the source ended after %llu of %llu rows",
                                              (unsigned long long)(s->box.start[0] + n_rows), (unsigned long long)f->n_rows), &w->err);
    s->n = s->box.shape[0];
    s->box.shape[0] = n_rows;
    for (unsigned i = 0; i < f->n_bands && !place && n_rows > 0; i++)
        nz_group_scatter(f->bands[i], &s->box, to);
    return NWBZ_OK;
}
nwbz_code nz_step_do(nz_worker *w, nz_step *s)
{
    if (s->kind == NZ_STEP_BOX)
        return do_box(w, s);
    if (s->kind == NZ_STEP_COPY)
        return nz_copy_do(w, s);
    return s->kind == NZ_STEP_ENCODE ? do_encode(w, s) : do_slab(w, s);
}
