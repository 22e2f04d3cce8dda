/* The scheduler
 *
 * One mutex, one condition variable.  A worker takes the lock, picks the next step, does it without the lock, and takes the lock again to say
 * what became of it.  Steps, in the order in which a worker prefers them:
 *
 *   box      read the next natural box of a single-reader source and scatter it (first, since nothing else can feed the others)
 *   encode   encode some pieces of a filled group, and store the objects that become whole (encoding and storing are one step: the encoded
 *            bytes are still in the cache, and storing frees memory)
 *   slab     read one slab of an open group, or of the next group that a free slot can take
 *
 * Pieces of a shard are encoded in any order and added in ascending order: a piece that comes before its turn waits, encoded, in its own
 * buffer; the worker whose piece is next adds all that wait behind it.  So an object has one writer at a time, and its bytes do not depend on
 * the number of jobs.
 *
 * Why no queue: the state of a few slots says what can be done, and a scan of it under the lock costs less than one system call of a step.
 */
#include "engine/run.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/thread.h"
#include "base/time.h"
#include "engine/group.h"

#include <nwbz/types.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MEMORY_BYTES ((uint64_t)1 << 30)
#define PROGRESS_NS ((uint64_t)100 * 1000 * 1000)
enum { BATCH_BYTES = 256 << 10 }; /* small pieces are taken together, up to this */

typedef struct run run;

/* How far one transfer is.  Guarded by the lock, but for what the reader of boxes alone uses. */
typedef struct feed {
    uint64_t next_group; /* not yet in a slot */
    uint64_t n_groups;   /* UINT64_MAX while the length is not known */
    unsigned n_open;     /* slots in use */
    unsigned n_readers;  /* workers that read now */
    uint64_t next_box, n_boxes, box_counts[NWBZ_MAX_DIMS]; /* NZ_FEED_BOXES */
    uint64_t n_rows;     /* length of the first axis; NWBZ_UNKNOWN_LENGTH */
    void *box_bytes;     /* the natural box that is being read */
    void *reader;        /* of NZ_FEED_BOXES: the one */
    nz_group **bands;    /* the groups that the reader fills now */
    unsigned n_bands;
    uint64_t started_ns;
    bool done;
} feed;

typedef struct worker {
    run *run;
    unsigned id;         /* 0: the calling thread */
    nz_thread thread;
    bool started;
    size_t transfer;     /* whose contexts these are; SIZE_MAX: none */
    void *context, *reader;
    unsigned char *encoded, *slab;
    nwbz_error err;
} worker;

struct run {
    nz_transfer *transfers;
    size_t n_transfers;
    const nz_run_options *options;
    unsigned n_workers, n_slots;
    worker *workers;
    uint64_t started_ns, told_ns, total_bytes;
    /* the lock, and what it guards */
    nz_mutex mutex;
    nz_cond cond;
    feed *feeds;
    nz_group *slots;
    size_t current;      /* the transfer whose groups are opened now */
    size_t n_done;       /* transfers that are done */
    uint64_t done_bytes;
    uint64_t sequence;   /* of the group that is opened next */
    uint64_t slot_bytes; /* buffers of all slots, for the budget over several transfers */
    bool stop;
    nwbz_code code;
    nwbz_error error;
};

/* What a worker does next. */
typedef enum step_kind { STEP_NONE, STEP_BOX, STEP_ENCODE, STEP_SLAB } step_kind;
typedef struct step {
    step_kind kind;
    size_t transfer;
    nz_group *group;   /* STEP_ENCODE, STEP_SLAB */
    uint64_t first, n; /* pieces, or the number of the read */
    bool opens;        /* STEP_SLAB: the group's buffers are not ready yet */
    nz_box box;        /* STEP_BOX */
} step;

/* ---- errors ---- */

static void fail_locked(run *r, nwbz_code code, const nwbz_error *err)
{
    if (r->code == NWBZ_OK) {
        r->code = code;
        r->error = *err;
    }
    r->stop = true;
    nz_cond_wake_all(&r->cond);
}

/* ---- contexts of a worker ---- */

static void drop_contexts(worker *w)
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
    w->context = w->reader = NULL;
    w->encoded = w->slab = NULL;
    w->transfer = SIZE_MAX;
}

static void use_transfer(worker *w, size_t transfer)
{
    if (w->transfer == transfer)
        return;
    drop_contexts(w);
    w->transfer = transfer;
}

/* Get what encoding needs, once a transfer. */
static nwbz_code prepare_encode(worker *w, size_t transfer)
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
    return nz_count(shape, t->plan.n_dims, nwbz_type_size(t->target->info.type), &n) ? (size_t)n : SIZE_MAX;
}

/* Get what reading slabs needs, once a transfer. */
static nwbz_code prepare_slab(worker *w, size_t transfer)
{
    use_transfer(w, transfer);
    nz_transfer *t = &w->run->transfers[transfer];
    if (!w->reader && t->source->class->reader_new)
        NZ_TRY(t->source->class->reader_new(t->source, &w->reader, &w->err));
    if (!w->slab)
        w->slab = nz_malloc_large(bytes_of_box(t, t->plan.read_shape));
    return w->slab ? NWBZ_OK : nz_fail_memory(&w->err, bytes_of_box(t, t->plan.read_shape), "samples that are read");
}

/* ---- reading ---- */

/* Name the source and the rows in an error of the source's. */
static nwbz_code where_read(const nz_transfer *t, const nz_box *box, nwbz_code code, nwbz_error *err)
{
    if (t->plan.n_dims == 0)
        return nz_where(err, code, "%s (for %s:%s)", t->source->info.name, t->target->info.store_name, t->target->info.name);
    return nz_where(err, code, "%s rows %llu to %llu (for %s:%s)", t->source->info.name, (unsigned long long)box->start[0],
                    (unsigned long long)(box->start[0] + box->shape[0]), t->target->info.store_name, t->target->info.name);
}

/* Read one slab to where its samples belong. */
static nwbz_code do_slab(worker *w, const step *s)
{
    nz_transfer *t = &w->run->transfers[s->transfer];
    nz_box box;
    if (s->opens) {
        NZ_TRY(nz_group_open(s->group, w->run->options->record, &w->err));
        if (s->group->objects_left == 0 && !t->target->info.direct)
            return NWBZ_OK; /* an earlier run has stored all of it */
    }
    NZ_TRY(prepare_slab(w, s->transfer));
    nz_plan_read(&t->plan, &t->target->info, &s->group->box, s->first, &box);
    void *place = nz_group_place(s->group, &box), *to = place ? place : w->slab;
    uint64_t n_rows = t->plan.n_dims ? box.shape[0] : 1;
    NZ_TRY(where_read(t, &box, t->source->class->read_box(t->source, w->reader, &box, to, &n_rows, &w->err), &w->err));
    if (!place)
        nz_group_scatter(s->group, &box, to);
    return NWBZ_OK;
}

/* ---- encoding and storing ---- */

/* Bytes of samples of the piece that lie in the array. */
static uint64_t piece_sample_bytes(const nz_group *group, const nz_box *piece)
{
    nz_box cut;
    return nz_box_cut(piece, &group->box, &cut) ? nz_box_count(&cut) * nwbz_type_size(group->target->info.type) : 0;
}

static nwbz_code begin_object(nz_group *group, uint64_t o, nwbz_error *err)
{
    uint64_t index[NWBZ_MAX_DIMS];
    if (group->object_states[o].object)
        return NWBZ_OK;
    nz_group_object_index(group, o, index);
    return group->target->class->object_begin(group->target, index, &group->object_states[o].object, err);
}

/* Finish object `o`, and note it in the journal. */
static nwbz_code finish_object(worker *w, nz_group *group, uint64_t o)
{
    run *r = w->run;
    uint64_t n_bytes = 0, index[NWBZ_MAX_DIMS];
    uint32_t crc = 0;
    NZ_TRY(begin_object(group, o, &w->err)); /* one of nothing but fill value has not begun */
    nz_target_object *object = group->object_states[o].object;
    group->object_states[o].object = NULL;
    NZ_TRY(group->target->class->object_finish(object, &n_bytes, &crc, &w->err));
    if (r->options->record) {
        nz_group_object_index(group, o, index);
        char *key = group->target->class->object_key(group->target, index);
        nwbz_code code = key ? nz_record_add(r->options->record, key, n_bytes, crc, &w->err) : nz_fail_memory(&w->err, 0, "a key");
        nz_free(key);
        NZ_TRY(code);
    }
    nz_lock(&r->mutex);
    group->object_states[o].done = true;
    group->objects_left--;
    r->transfers[group->transfer].stored_bytes += n_bytes;
    r->transfers[group->transfer].n_objects_stored += n_bytes > 0;
    nz_unlock(&r->mutex);
    return NWBZ_OK;
}

/* The worker has set `storing`, and `encoded` is the piece at `next`: add it and all that wait behind it. */
static nwbz_code add_in_order(worker *w, nz_group *group, uint64_t o, const void *encoded, size_t n)
{
    run *r = w->run;
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
static nwbz_code store_piece(worker *w, nz_group *group, uint64_t p, size_t n)
{
    run *r = w->run;
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

static nwbz_code do_encode(worker *w, const step *s)
{
    run *r = w->run;
    nz_group *group = s->group;
    nz_transfer *t = &r->transfers[s->transfer];
    NZ_TRY(prepare_encode(w, s->transfer));
    for (uint64_t p = s->first; p < s->first + s->n; p++) {
        nz_box box;
        size_t n = 0;
        nwbz_code code = NWBZ_OK;
        uint64_t o = p / group->plan->pieces_per_object;
        if (nz_group_piece_box(group, p, &box))
            code = t->target->class->encode_piece(t->target, w->context, nz_group_piece(group, p), w->encoded,
                                                  (size_t)t->plan.piece_room_bytes, &n, &w->err);
        if (code == NWBZ_OK)
            code = store_piece(w, group, p, n);
        NZ_TRY(nz_group_where(group, o, code, &w->err));
        nz_lock(&r->mutex);
        r->done_bytes += piece_sample_bytes(group, &box);
        bool stop = r->stop;
        nz_unlock(&r->mutex);
        if (stop)
            return NWBZ_OK;
    }
    return NWBZ_OK;
}

/* ---- slots ---- */

static void release_locked(run *r, nz_group *group)
{
    group->stage = NZ_STAGE_FREE;
    r->feeds[group->transfer].n_open--;
}

/* A transfer is done when all its groups have been in a slot and have left it. */
static void check_done_locked(run *r, size_t transfer)
{
    feed *f = &r->feeds[transfer];
    if (f->done || f->n_open > 0 || f->next_group < f->n_groups || f->n_readers > 0 || f->next_box < f->n_boxes)
        return;
    f->done = true;
    r->n_done++;
    nz_transfer *t = &r->transfers[transfer];
    t->n_rows = f->n_rows;
    t->seconds = (double)(nz_clock_ns() - f->started_ns) * 1e-9;
}

/* The group has its samples: count what an earlier run stored, and let go of one with nothing left to do. */
static void filled_locked(run *r, nz_group *group)
{
    group->stage = NZ_STAGE_FILLED;
    if (group->target->info.direct) {
        r->done_bytes += nz_box_count(&group->box) * nwbz_type_size(group->target->info.type);
        release_locked(r, group);
        return;
    }
    for (uint64_t o = 0; o < group->n_objects; o++)
        for (uint64_t i = 0; group->object_states[o].done && i < group->plan->pieces_per_object; i++) {
            nz_box box;
            nz_group_piece_box(group, o * group->plan->pieces_per_object + i, &box);
            r->done_bytes += piece_sample_bytes(group, &box);
        }
    if (group->objects_left == 0)
        release_locked(r, group);
}

/* Find a free slot whose buffers the budget can hold: one that has them already, else one that must grow. */
static nz_group *free_slot_locked(run *r, const nz_plan *plan)
{
    nz_group *found = NULL;
    for (unsigned i = 0; i < r->n_slots; i++) {
        nz_group *slot = &r->slots[i];
        if (slot->stage == NZ_STAGE_FREE && (!found || slot->memory_bytes > found->memory_bytes))
            found = slot;
    }
    if (!found || found->memory_bytes >= plan->group_bytes)
        return found;
    uint64_t others = r->slot_bytes - found->memory_bytes, fixed = r->n_workers * plan->worker_bytes + plan->shared_bytes;
    for (unsigned i = 0; i < r->n_slots && others + plan->group_bytes + fixed > r->options->memory_limit_bytes; i++) {
        nz_group *slot = &r->slots[i];
        if (slot->stage != NZ_STAGE_FREE || slot == found)
            continue;
        others -= slot->memory_bytes;
        r->slot_bytes -= slot->memory_bytes;
        nz_group_done(slot);
    }
    bool none_open = true;
    for (unsigned i = 0; i < r->n_slots; i++)
        none_open &= r->slots[i].stage == NZ_STAGE_FREE;
    if (!none_open && others + plan->group_bytes + fixed > r->options->memory_limit_bytes)
        return NULL;
    r->slot_bytes += plan->group_bytes - found->memory_bytes;
    nz_group_done(found);
    return found;
}

static nz_group *open_slot_locked(run *r, size_t transfer)
{
    feed *f = &r->feeds[transfer];
    nz_transfer *t = &r->transfers[transfer];
    if (f->next_group >= f->n_groups || f->n_open >= t->plan.n_slots)
        return NULL;
    nz_group *slot = free_slot_locked(r, &t->plan);
    if (!slot)
        return NULL;
    if (f->started_ns == 0)
        f->started_ns = nz_clock_ns();
    nz_group_assign(slot, &t->plan, t->target, transfer, f->next_group++);
    slot->sequence = r->sequence++;
    f->n_open++;
    return slot;
}

/* ---- boxes of a single-reader source ---- */

/* Cut box `b` out of the array as long as it is known to be. */
static void box_at(const nz_transfer *t, const feed *f, uint64_t b, nz_box *box)
{
    uint64_t index[NWBZ_MAX_DIMS];
    nz_index_of(b, t->plan.n_dims, f->box_counts, index);
    box->n_dims = t->plan.n_dims;
    for (unsigned d = 0; d < t->plan.n_dims; d++) {
        uint64_t length = d == 0 ? f->n_rows : t->target->info.shape[d];
        box->start[d] = index[d] * t->plan.read_shape[d];
        box->shape[d] = nz_min(t->plan.read_shape[d], length - box->start[d]);
    }
}

/* True when the next box can be read now: nobody reads, and every band it meets has a slot. */
static bool pick_box_locked(worker *w, size_t transfer, step *s)
{
    run *r = w->run;
    feed *f = &r->feeds[transfer];
    nz_transfer *t = &r->transfers[transfer];
    if (f->n_readers > 0 || f->next_box >= f->n_boxes || (t->source->info.caller_thread_only && w->id != 0))
        return false;
    box_at(t, f, f->next_box, &s->box);
    uint64_t rows = t->plan.group_objects[0] * t->target->info.object_shape[0];
    uint64_t last_band = (s->box.start[0] + s->box.shape[0] - 1) / rows;
    while (f->next_group <= last_band)
        if (!open_slot_locked(r, transfer))
            return false; /* the bands opened so far stay open: they are the next ones in any case */
    f->n_bands = 0;
    for (unsigned i = 0; i < r->n_slots; i++)
        if (r->slots[i].transfer == transfer && (r->slots[i].stage == NZ_STAGE_OPENING || r->slots[i].stage == NZ_STAGE_FILLING))
            f->bands[f->n_bands++] = &r->slots[i];
    s->kind = STEP_BOX;
    s->transfer = transfer;
    f->n_readers++;
    f->next_box++;
    return true;
}

/* The source ended within `box`, after `n_rows` rows of it. */
static void end_at_locked(run *r, size_t transfer, const nz_box *box, uint64_t n_rows)
{
    feed *f = &r->feeds[transfer];
    nz_transfer *t = &r->transfers[transfer];
    uint64_t others = 1;
    f->n_rows = box->start[0] + n_rows;
    f->box_counts[0] = nz_ceil_div(f->n_rows, t->plan.read_shape[0]);
    for (unsigned d = 1; d < t->plan.n_dims; d++)
        others *= f->box_counts[d];
    f->n_boxes = f->box_counts[0] * others;
    f->n_groups = nz_ceil_div(f->n_rows, t->plan.group_objects[0] * t->target->info.object_shape[0]);
    f->next_group = nz_max(f->next_group, f->n_groups);
    for (unsigned i = 0; i < r->n_slots; i++) {
        nz_group *group = &r->slots[i];
        if (group->transfer != transfer || group->stage != NZ_STAGE_FILLING)
            continue;
        group->elements_left -= nz_group_truncate(group, f->n_rows);
        if (group->box.shape[0] == 0)
            release_locked(r, group);
        else if (group->elements_left == 0)
            filled_locked(r, group);
    }
}

/* Open the bands that are new, read the box into place or beside, scatter it. */
static nwbz_code do_box(worker *w, step *s)
{
    run *r = w->run;
    nz_transfer *t = &r->transfers[s->transfer];
    feed *f = &r->feeds[s->transfer];
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
    NZ_TRY(where_read(t, &s->box, t->source->class->read_box(t->source, f->reader, &s->box, to, &n_rows, &w->err), &w->err));
    if (n_rows < s->box.shape[0] && f->n_rows != NWBZ_UNKNOWN_LENGTH)
        return where_read(t, &s->box, nz_fail(&w->err, NWBZ_ESOURCE, "the source ended after %llu of %llu rows",
                                              (unsigned long long)(s->box.start[0] + n_rows), (unsigned long long)f->n_rows), &w->err);
    s->n = s->box.shape[0];
    s->box.shape[0] = n_rows;
    for (unsigned i = 0; i < f->n_bands && !place && n_rows > 0; i++)
        nz_group_scatter(f->bands[i], &s->box, to);
    return NWBZ_OK;
}

/* The box of `s` is in its bands; s->n rows were asked for. */
static void after_box_locked(run *r, const step *s)
{
    feed *f = &r->feeds[s->transfer];
    f->n_readers--;
    for (unsigned i = 0; i < f->n_bands; i++) {
        nz_box cut;
        nz_group *band = f->bands[i];
        band->stage = NZ_STAGE_FILLING;
        if (s->box.shape[0] > 0 && nz_box_cut(&s->box, &band->box, &cut))
            band->elements_left -= nz_box_count(&cut);
        if (band->elements_left == 0)
            filled_locked(r, band);
    }
    if (s->box.shape[0] < s->n)
        end_at_locked(r, s->transfer, &s->box, s->box.shape[0]);
}

/* ---- picking ---- */

/* The piece that is encoded next: objects that an earlier run stored are passed over. */
static bool has_piece_locked(nz_group *group)
{
    uint64_t n = group->plan->pieces_per_object;
    while (group->next_piece < group->n_pieces && group->next_piece % n == 0 && group->object_states[group->next_piece / n].done)
        group->next_piece += n;
    return group->next_piece < group->n_pieces;
}

/* How many pieces to take at once: small ones together, as long as the other workers find some too. */
static uint64_t batch_locked(const run *r, const nz_group *group)
{
    uint64_t left = group->n_pieces - group->next_piece, room = BATCH_BYTES / nz_max(group->target->info.piece_bytes, 1);
    uint64_t n = nz_max(nz_min(room, left / (2 * r->n_workers)), 1), per_object = group->plan->pieces_per_object, i = 1;
    while (i < n && !group->object_states[(group->next_piece + i) / per_object].done)
        i++;
    return i;
}

static bool pick_encode_locked(run *r, step *s)
{
    nz_group *found = NULL;
    for (unsigned i = 0; i < r->n_slots; i++) {
        nz_group *group = &r->slots[i];
        if (group->stage == NZ_STAGE_FILLED && (!found || group->sequence < found->sequence) && has_piece_locked(group))
            found = group;
    }
    if (!found)
        return false;
    *s = (step){ .kind = STEP_ENCODE, .group = found, .transfer = found->transfer, .first = found->next_piece, .n = batch_locked(r, found) };
    found->next_piece += s->n;
    found->n_busy++;
    return true;
}

static bool may_read_locked(const worker *w, size_t transfer)
{
    const nz_source_info *info = &w->run->transfers[transfer].source->info;
    if (info->caller_thread_only && w->id != 0)
        return false;
    unsigned most = info->caller_thread_only ? 1 : info->max_readers;
    return most == 0 || w->run->feeds[transfer].n_readers < most;
}

/* The next transfer that has groups to open. */
static void find_current_locked(run *r)
{
    while (r->current < r->n_transfers) {
        const feed *f = &r->feeds[r->current];
        if (r->transfers[r->current].plan.feed == NZ_FEED_BOXES ? f->next_box < f->n_boxes : f->next_group < f->n_groups)
            return;
        r->current++;
    }
}

static bool pick_slab_locked(worker *w, step *s)
{
    run *r = w->run;
    nz_group *found = NULL;
    for (unsigned i = 0; i < r->n_slots; i++) {
        nz_group *group = &r->slots[i];
        if (group->stage == NZ_STAGE_FILLING && group->next_read < group->n_reads && (!found || group->sequence < found->sequence) &&
            may_read_locked(w, group->transfer))
            found = group;
    }
    bool opens = !found && r->current < r->n_transfers && r->transfers[r->current].plan.feed == NZ_FEED_SLABS && may_read_locked(w, r->current);
    if (opens)
        found = open_slot_locked(r, r->current);
    if (!found)
        return false;
    *s = (step){ .kind = STEP_SLAB, .group = found, .transfer = found->transfer, .first = found->next_read++, .n = 1, .opens = opens };
    r->feeds[s->transfer].n_readers++;
    return true;
}

static bool pick_locked(worker *w, step *s)
{
    run *r = w->run;
    find_current_locked(r);
    bool boxes = r->current < r->n_transfers && r->transfers[r->current].plan.feed == NZ_FEED_BOXES;
    if (boxes && r->n_workers > 1 && pick_box_locked(w, r->current, s))
        return true;
    if (pick_encode_locked(r, s))
        return true;
    if (boxes && pick_box_locked(w, r->current, s)) /* one worker: what is filled goes first, it frees memory */
        return true;
    return pick_slab_locked(w, s);
}

/* ---- the loop ---- */

static void after_slab_locked(run *r, const step *s)
{
    nz_group *group = s->group;
    r->feeds[s->transfer].n_readers--;
    if (s->opens)
        group->stage = NZ_STAGE_FILLING;
    if (s->opens && group->objects_left == 0 && !group->target->info.direct)
        group->reads_left = 0;
    else
        group->reads_left--;
    if (group->reads_left == 0)
        filled_locked(r, group);
}

static nwbz_code do_step(worker *w, step *s)
{
    if (s->kind == STEP_BOX)
        return do_box(w, s);
    return s->kind == STEP_ENCODE ? do_encode(w, s) : do_slab(w, s);
}

static void after_step_locked(run *r, const step *s)
{
    if (s->kind == STEP_BOX)
        after_box_locked(r, s);
    else if (s->kind == STEP_SLAB)
        after_slab_locked(r, s);
    else if (--s->group->n_busy == 0 && s->group->objects_left == 0)
        release_locked(r, s->group);
    check_done_locked(r, s->transfer);
}

/* Tell how far the run is; the calling thread only, without the lock. */
static void tell(worker *w, bool last)
{
    run *r = w->run;
    uint64_t now = nz_clock_ns();
    if (!r->options->on_progress || (!last && now - r->told_ns < PROGRESS_NS))
        return;
    r->told_ns = now;
    nz_lock(&r->mutex);
    size_t at = nz_min(r->current, r->n_transfers - 1);
    nwbz_progress progress = { r->transfers[at].target->info.name, r->options->kind, r->done_bytes, r->total_bytes, now - r->started_ns,
                               r->n_workers };
    nz_unlock(&r->mutex);
    if (r->options->on_progress(&progress, r->options->user) == 0 || last)
        return;
    nz_fail(&w->err, NWBZ_ECANCELED, "canceled after %llu of %llu bytes", (unsigned long long)progress.done_bytes,
            (unsigned long long)progress.total_bytes);
    nz_where(&w->err, NWBZ_ECANCELED, "%s:%s", r->transfers[at].target->info.store_name, progress.dataset);
    nz_lock(&r->mutex);
    fail_locked(r, NWBZ_ECANCELED, &w->err);
    nz_unlock(&r->mutex);
}

/* Work until everything is done or something failed. */
static void *work(void *argument)
{
    worker *w = argument;
    run *r = w->run;
    nz_lock(&r->mutex);
    while (!r->stop && r->n_done < r->n_transfers) {
        step s = { .kind = STEP_NONE };
        if (!pick_locked(w, &s)) {
            nz_cond_wait(&r->cond, &r->mutex); /* until a step of another worker has ended */
        } else {
            nz_unlock(&r->mutex);
            nwbz_code code = do_step(w, &s);
            nz_lock(&r->mutex);
            if (code != NWBZ_OK)
                fail_locked(r, code, &w->err);
            else
                after_step_locked(r, &s);
            nz_cond_wake_all(&r->cond);
        }
        if (w->id == 0 && !r->stop) {
            nz_unlock(&r->mutex);
            tell(w, false);
            nz_lock(&r->mutex);
        }
    }
    nz_unlock(&r->mutex);
    drop_contexts(w);
    return NULL;
}

/* ---- setting up ---- */

static nwbz_code start_feed(run *r, size_t transfer, nwbz_error *err)
{
    nz_transfer *t = &r->transfers[transfer];
    feed *f = &r->feeds[transfer];
    f->n_groups = t->plan.n_groups;
    f->n_rows = t->plan.n_dims ? t->target->info.shape[0] : 1;
    t->stored_bytes = t->n_objects_stored = 0;
    if (t->plan.feed == NZ_FEED_BOXES) {
        f->n_boxes = t->plan.n_groups ? 1 : 0;
        for (unsigned d = 0; d < t->plan.n_dims && f->n_boxes; d++) {
            f->box_counts[d] = nz_ceil_div(t->target->info.shape[d], t->plan.read_shape[d]);
            if (!nz_mul(f->n_boxes, f->box_counts[d], &f->n_boxes))
                f->n_boxes = UINT64_MAX;
        }
        f->bands = nz_calloc(r->n_slots, sizeof *f->bands);
        if (!f->bands)
            return nz_fail_memory(err, r->n_slots * sizeof *f->bands, "a run");
    }
    uint64_t n_bytes = 0;
    if (t->plan.grows || !nz_count(t->plan.region.shape, t->plan.n_dims, nwbz_type_size(t->target->info.type), &n_bytes))
        r->total_bytes = UINT64_MAX; /* not known */
    else if (r->total_bytes != UINT64_MAX)
        r->total_bytes += n_bytes;
    return NWBZ_OK;
}

static nwbz_code start_run(run *r, nwbz_error *err)
{
    r->n_workers = r->options->number_of_jobs ? r->options->number_of_jobs : 1;
    for (size_t i = 0; i < r->n_transfers; i++) {
        r->n_workers = (unsigned)nz_min(r->n_workers, r->transfers[i].plan.n_workers);
        r->n_slots = (unsigned)nz_max(r->n_slots, r->transfers[i].plan.n_slots);
    }
    r->feeds = nz_calloc(r->n_transfers, sizeof *r->feeds);
    r->slots = nz_calloc(r->n_slots, sizeof *r->slots);
    r->workers = nz_calloc(r->n_workers, sizeof *r->workers);
    if (!r->feeds || !r->slots || !r->workers)
        return nz_fail_memory(err, r->n_transfers * sizeof *r->feeds, "a run");
    for (size_t i = 0; i < r->n_transfers; i++)
        NZ_TRY(start_feed(r, i, err));
    r->total_bytes = r->total_bytes == UINT64_MAX ? 0 : r->total_bytes;
    for (size_t i = 0; i < r->n_transfers; i++)
        check_done_locked(r, i); /* those without elements; no thread runs yet */
    for (unsigned i = 0; i < r->n_workers; i++) {
        r->workers[i].run = r;
        r->workers[i].id = i;
        r->workers[i].transfer = SIZE_MAX;
    }
    return NWBZ_OK;
}

static void free_run(run *r)
{
    for (unsigned i = 0; r->slots && i < r->n_slots; i++)
        nz_group_done(&r->slots[i]);
    for (size_t i = 0; r->feeds && i < r->n_transfers; i++) {
        nz_transfer *t = &r->transfers[i];
        if (r->feeds[i].reader && t->source->class->reader_free)
            t->source->class->reader_free(r->feeds[i].reader);
        nz_free(r->feeds[i].box_bytes);
        nz_free(r->feeds[i].bands);
    }
    nz_free(r->feeds);
    nz_free(r->slots);
    nz_free(r->workers);
}

/* Start the other workers, work, and join them. */
static nwbz_code work_all(run *r, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    for (unsigned i = 1; i < r->n_workers && code == NWBZ_OK; i++) {
        code = nz_thread_start(&r->workers[i].thread, work, &r->workers[i], err);
        r->workers[i].started = code == NWBZ_OK;
    }
    if (code == NWBZ_OK) {
        work(&r->workers[0]);
    } else {
        nz_lock(&r->mutex);
        r->stop = true;
        nz_cond_wake_all(&r->cond);
        nz_unlock(&r->mutex);
    }
    for (unsigned i = 1; i < r->n_workers; i++)
        if (r->workers[i].started)
            nz_thread_join(r->workers[i].thread);
    if (code == NWBZ_OK && r->code != NWBZ_OK) {
        code = r->code;
        if (err)
            *err = r->error;
    }
    return code;
}

/* Tell the targets the lengths that have become known. */
static nwbz_code grow_targets(run *r, nwbz_error *err)
{
    for (size_t i = 0; i < r->n_transfers; i++)
        if (r->transfers[i].plan.grows)
            NZ_TRY(r->transfers[i].target->class->grow(r->transfers[i].target, r->transfers[i].n_rows, err));
    return NWBZ_OK;
}

nwbz_code nz_run(nz_transfer *transfers, size_t n_transfers, const nz_run_options *options, nwbz_error *err)
{
    run r = { .transfers = transfers, .n_transfers = n_transfers, .options = options, .started_ns = nz_clock_ns() };
    if (n_transfers == 0)
        return NWBZ_OK;
    r.told_ns = r.started_ns;
    NZ_TRY(nz_mutex_init(&r.mutex, err));
    nwbz_code code = nz_cond_init(&r.cond, err);
    if (code != NWBZ_OK) {
        nz_mutex_done(&r.mutex);
        return code;
    }
    code = start_run(&r, err);
    if (code == NWBZ_OK)
        code = work_all(&r, err);
    if (code == NWBZ_OK)
        code = grow_targets(&r, err);
    if (code == NWBZ_OK)
        tell(&r.workers[0], true);
    free_run(&r);
    nz_cond_done(&r.cond);
    nz_mutex_done(&r.mutex);
    return code;
}

void nz_run_options_of(const nwbz_fill_options *options, nz_run_options *run_options)
{
    memset(run_options, 0, sizeof *run_options);
    run_options->number_of_jobs = options && options->number_of_jobs ? options->number_of_jobs : nwbz_jobs_usable();
    run_options->memory_limit_bytes = options && options->memory_limit_bytes ? options->memory_limit_bytes : DEFAULT_MEMORY_BYTES;
    run_options->on_progress = options ? options->on_progress : NULL;
    run_options->user = options ? options->user : NULL;
    run_options->kind = "write";
}
