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
 * Why no queue: the state of a few slots says what can be done, and a scan of it under the lock costs less than one system call of a step.
 */#include "engine/run.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/time.h"
#include "engine/state.h"

#include <nwbz/types.h>

#include <string.h>

#define DEFAULT_MEMORY_BYTES ((uint64_t)1 << 30)
#define PROGRESS_NS ((uint64_t)100 * 1000 * 1000)

/* ---- errors ---- */

static void fail_locked(nz_run_state *r, nwbz_code code, const nwbz_error *err)
{
    if (r->code == NWBZ_OK) {
        r->code = code;
        r->error = *err;
    }
    r->stop = true;
    nz_cond_wake_all(&r->cond);
}
/* ---- the loop ---- */

/* Tell how far the run is; the calling thread only, without the lock. */
static void tell(nz_worker *w, bool last)
{
    nz_run_state *r = w->run;
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
    nz_worker *w = argument;
    nz_run_state *r = w->run;
    nz_lock(&r->mutex);
    while (!r->stop && r->n_done < r->n_transfers) {
        nz_step s = { .kind = NZ_STEP_NONE };
        if (!nz_schedule_pick_locked(w, &s)) {
            nz_cond_wait(&r->cond, &r->mutex); /* until a step of another worker has ended */
        } else {
            nz_unlock(&r->mutex);
            nwbz_code code = nz_step_do(w, &s);
            nz_lock(&r->mutex);
            if (code != NWBZ_OK)
                fail_locked(r, code, &w->err);
            else
                nz_schedule_after_locked(r, &s);
            nz_cond_wake_all(&r->cond);
        }
        if (w->id == 0 && !r->stop) {
            nz_unlock(&r->mutex);
            tell(w, false);
            nz_lock(&r->mutex);
        }
    }
    nz_unlock(&r->mutex);
    nz_step_drop_contexts(w);
    return NULL;
}

/* ---- setting up ---- */

static void add_total(nz_run_state *r, uint64_t n_bytes)
{
    if (!nz_add(r->total_bytes, n_bytes, &r->total_bytes))
        r->total_bytes = UINT64_MAX; /* not known */
}

static nwbz_code start_copy(nz_run_state *r, size_t transfer, nwbz_error *err)
{
    nz_transfer *t = &r->transfers[transfer];
    uint64_t n_bytes = 0;
    if (t->chunk_list) {
        r->feeds[transfer].n_groups = t->n_chunks;
        NZ_TRY(nz_where(err, nz_copy_take_list(t, &r->feeds[transfer].order, &n_bytes, err), "%s (for %s:%s)", t->source->info.name,
                        t->target->info.store_name, t->target->info.name));
    } else if (t->plan.n_groups == UINT64_MAX) {
        return nz_where(err, nz_fail(err, NWBZ_ELIMIT, "the grid has more than 2^64 chunks, of which none is known to be absent"), "%s:%s",
                        t->target->info.store_name, t->target->info.name);
    } else if (!nz_count(t->plan.region.shape, t->plan.n_dims, nz_target_element_bytes(&t->target->info), &n_bytes)) {
        n_bytes = UINT64_MAX;
    }
    add_total(r, n_bytes);
    return NWBZ_OK;
}

static nwbz_code start_feed(nz_run_state *r, size_t transfer, nwbz_error *err)
{
    nz_transfer *t = &r->transfers[transfer];
    nz_run_feed *f = &r->feeds[transfer];
    f->n_groups = t->plan.n_groups;
    f->n_rows = t->plan.n_dims ? t->target->info.shape[0] : 1;
    t->stored_bytes = t->n_objects_stored = t->n_copied = t->n_read = 0;
    if (t->plan.feed == NZ_FEED_STORED)
        return start_copy(r, transfer, err);
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
    if (t->plan.grows || !nz_count(t->plan.region.shape, t->plan.n_dims, nz_target_element_bytes(&t->target->info), &n_bytes))
        n_bytes = UINT64_MAX;
    add_total(r, n_bytes);
    return NWBZ_OK;
}

static nwbz_code start_run(nz_run_state *r, nwbz_error *err)
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
        nz_schedule_check_done_locked(r, i); /* those without elements; no thread runs yet */
    for (unsigned i = 0; i < r->n_workers; i++) {
        r->workers[i].run = r;
        r->workers[i].id = i;
        r->workers[i].transfer = SIZE_MAX;
    }
    return NWBZ_OK;
}

static void free_run(nz_run_state *r)
{
    for (unsigned i = 0; r->slots && i < r->n_slots; i++)
        nz_group_done(&r->slots[i]);
    for (size_t i = 0; r->feeds && i < r->n_transfers; i++) {
        nz_transfer *t = &r->transfers[i];
        if (r->feeds[i].reader && t->source->class->reader_free)
            t->source->class->reader_free(r->feeds[i].reader);
        nz_free(r->feeds[i].box_bytes);
        nz_free(r->feeds[i].bands);
        nz_free(r->feeds[i].order);
    }
    nz_free(r->feeds);
    nz_free(r->slots);
    nz_free(r->workers);
}

/* Start the other workers, work, and join them. */
static nwbz_code work_all(nz_run_state *r, nwbz_error *err)
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
static nwbz_code grow_targets(nz_run_state *r, nwbz_error *err)
{
    for (size_t i = 0; i < r->n_transfers; i++)
        if (r->transfers[i].plan.grows)
            NZ_TRY(r->transfers[i].target->class->grow(r->transfers[i].target, r->transfers[i].n_rows, err));
    return NWBZ_OK;
}

nwbz_code nz_run(nz_transfer *transfers, size_t n_transfers, const nz_run_options *options, nwbz_error *err)
{
    nz_run_state r = { .transfers = transfers, .n_transfers = n_transfers, .options = options, .started_ns = nz_clock_ns() };
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
