/* What is next, under the lock: which group a free slot takes, which step a worker takes, and what a step that is done has changed. */
#include "engine/state.h"

#include "base/checked.h"
#include "base/time.h"

enum { BATCH_BYTES = 256 << 10 }; /* small pieces are taken together, up to this */

/* ---- slots ---- */

static void release_locked(nz_run_state *r, nz_group *group)
{
    group->stage = NZ_STAGE_FREE;
    r->feeds[group->transfer].n_open--;
}

/* A transfer is done when all its groups have been in a slot and have left it. */
void nz_schedule_check_done_locked(nz_run_state *r, size_t transfer)
{
    nz_run_feed *f = &r->feeds[transfer];
    if (f->done || f->n_open > 0 || f->next_group < f->n_groups || f->n_readers > 0 || f->next_box < f->n_boxes)
        return;
    f->done = true;
    r->n_done++;
    nz_transfer *t = &r->transfers[transfer];
    t->n_rows = f->n_rows;
    t->seconds = (double)(nz_clock_ns() - f->started_ns) * 1e-9;
}

/* The group has its samples: count what an earlier run stored, and let go of one with nothing left to do. */
static void filled_locked(nz_run_state *r, nz_group *group)
{
    group->stage = NZ_STAGE_FILLED;
    if (group->target->info.direct) {
        r->done_bytes += nz_box_count(&group->box) * nz_target_element_bytes(&group->target->info);
        release_locked(r, group);
        return;
    }
    for (uint64_t o = 0; o < group->n_objects; o++)
        for (uint64_t i = 0; group->object_states[o].done && i < group->plan->pieces_per_object; i++) {
            nz_box box;
            nz_group_piece_box(group, o * group->plan->pieces_per_object + i, &box);
            r->done_bytes += nz_step_sample_bytes(group, &box);
        }
    if (group->objects_left == 0)
        release_locked(r, group);
}

/* Find a free slot whose buffers the budget can hold: one that has them already, else one that must grow. */
static nz_group *free_slot_locked(nz_run_state *r, const nz_plan *plan)
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

static nz_group *open_slot_locked(nz_run_state *r, size_t transfer)
{
    nz_run_feed *f = &r->feeds[transfer];
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
static void box_at(const nz_transfer *t, const nz_run_feed *f, uint64_t b, nz_box *box)
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
static bool pick_box_locked(nz_worker *w, size_t transfer, nz_step *s)
{
    nz_run_state *r = w->run;
    nz_run_feed *f = &r->feeds[transfer];
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
    s->kind = NZ_STEP_BOX;
    s->transfer = transfer;
    f->n_readers++;
    f->next_box++;
    return true;
}

/* The source ended within `box`, after `n_rows` rows of it. */
static void end_at_locked(nz_run_state *r, size_t transfer, const nz_box *box, uint64_t n_rows)
{
    nz_run_feed *f = &r->feeds[transfer];
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
/* The box of `s` is in its bands; s->n rows were asked for. */
static void after_box_locked(nz_run_state *r, const nz_step *s)
{
    nz_run_feed *f = &r->feeds[s->transfer];
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
static uint64_t batch_locked(const nz_run_state *r, const nz_group *group)
{
    uint64_t left = group->n_pieces - group->next_piece, room = BATCH_BYTES / nz_max(group->target->info.piece_bytes, 1);
    uint64_t n = nz_max(nz_min(room, left / (2 * r->n_workers)), 1), per_object = group->plan->pieces_per_object, i = 1;
    while (i < n && !group->object_states[(group->next_piece + i) / per_object].done)
        i++;
    return i;
}

static bool pick_encode_locked(nz_run_state *r, nz_step *s)
{
    nz_group *found = NULL;
    for (unsigned i = 0; i < r->n_slots; i++) {
        nz_group *group = &r->slots[i];
        if (group->stage == NZ_STAGE_FILLED && (!found || group->sequence < found->sequence) && has_piece_locked(group))
            found = group;
    }
    if (!found)
        return false;
    *s = (nz_step){ .kind = NZ_STEP_ENCODE, .group = found, .transfer = found->transfer, .first = found->next_piece, .n = batch_locked(r, found) };
    found->next_piece += s->n;
    found->n_busy++;
    return true;
}

static bool may_read_locked(const nz_worker *w, size_t transfer)
{
    const nz_source_info *info = &w->run->transfers[transfer].source->info;
    if (info->caller_thread_only && w->id != 0)
        return false;
    unsigned most = info->caller_thread_only ? 1 : info->max_readers;
    return most == 0 || w->run->feeds[transfer].n_readers < most;
}

/* The next transfer that has groups to open. */
static void find_current_locked(nz_run_state *r)
{
    while (r->current < r->n_transfers) {
        const nz_run_feed *f = &r->feeds[r->current];
        if (r->transfers[r->current].plan.feed == NZ_FEED_BOXES ? f->next_box < f->n_boxes : f->next_group < f->n_groups)
            return;
        r->current++;
    }
}

static bool pick_slab_locked(nz_worker *w, nz_step *s)
{
    nz_run_state *r = w->run;
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
    *s = (nz_step){ .kind = NZ_STEP_SLAB, .group = found, .transfer = found->transfer, .first = found->next_read++, .n = 1, .opens = opens };
    r->feeds[s->transfer].n_readers++;
    return true;
}

/* True when the buffers of slots, which stay with them, leave room for those of copying; else slots that are free give them back. */
static bool has_room_to_copy_locked(nz_run_state *r, const nz_plan *plan)
{
    uint64_t fixed = r->n_workers * plan->worker_bytes;
    bool none_open = true;
    for (unsigned i = 0; i < r->n_slots && r->slot_bytes + fixed > r->options->memory_limit_bytes; i++) {
        none_open &= r->slots[i].stage == NZ_STAGE_FREE;
        if (r->slots[i].stage != NZ_STAGE_FREE)
            continue;
        r->slot_bytes -= r->slots[i].memory_bytes;
        nz_group_done(&r->slots[i]);
    }
    return none_open || r->slot_bytes + fixed <= r->options->memory_limit_bytes;
}

static bool pick_copy_locked(nz_worker *w, nz_step *s)
{
    nz_run_state *r = w->run;
    if (r->current == r->n_transfers || r->transfers[r->current].plan.feed != NZ_FEED_STORED || !may_read_locked(w, r->current))
        return false;
    nz_transfer *t = &r->transfers[r->current];
    nz_run_feed *f = &r->feeds[r->current];
    if (!has_room_to_copy_locked(r, &t->plan))
        return false;
    if (f->started_ns == 0)
        f->started_ns = nz_clock_ns();
    *s = (nz_step){ .kind = NZ_STEP_COPY, .transfer = r->current, .first = f->next_group, .n = nz_copy_n_next(t, f, r->n_workers) };
    f->next_group += s->n;
    f->n_readers++;
    return true;
}

bool nz_schedule_pick_locked(nz_worker *w, nz_step *s)
{
    nz_run_state *r = w->run;
    find_current_locked(r);
    bool boxes = r->current < r->n_transfers && r->transfers[r->current].plan.feed == NZ_FEED_BOXES;
    if (boxes && r->n_workers > 1 && pick_box_locked(w, r->current, s))
        return true;
    if (pick_encode_locked(r, s))
        return true;
    if (boxes && pick_box_locked(w, r->current, s)) /* one worker: what is filled goes first, it frees memory */
        return true;
    return pick_slab_locked(w, s) || pick_copy_locked(w, s);
}
/* ---- what a step has changed ---- */

static void after_slab_locked(nz_run_state *r, const nz_step *s)
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
void nz_schedule_after_locked(nz_run_state *r, const nz_step *s)
{
    if (s->kind == NZ_STEP_BOX)
        after_box_locked(r, s);
    else if (s->kind == NZ_STEP_SLAB)
        after_slab_locked(r, s);
    else if (s->kind == NZ_STEP_COPY)
        r->feeds[s->transfer].n_readers--;
    else if (--s->group->n_busy == 0 && s->group->objects_left == 0)
        release_locked(r, s->group);
    nz_schedule_check_done_locked(r, s->transfer);
}
