/* How groups are chosen
 *
 * NZ_FEED_SLABS.  A group begins as the objects under one natural box (the column blocks of a row band), since reading per object would read the
 * source once for each of them.  Small groups are joined, last axis first, until a group is worth a visit to the lock.  A group over the
 * budget is cut, last axis first, in equal parts; what is then read more than once is told by source_reads.
 *
 * NZ_FEED_BOXES.  A source with one reader that gives whole natural boxes (an iterator, a stream) is read in its own order.  Groups are bands
 * of whole rows of objects, and a box is scattered to all the bands it meets; so boxes and objects need not line up, nothing is read twice, and
 * no two groups ever touch one object.  The bands that one row of boxes meets must fit into the budget together: else a source that can be read at
 * random falls back to slabs, and a forward one is refused by name.
 *
 * NZ_FEED_STORED.  Nothing is put together, so there are no groups: a worker takes some chunks, or the chunks of a shard, and moves them through
 * a buffer of its own.  Small chunks are asked for many at once, since a visit to the source may cost a lock.
 */
#include "engine/plan.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum {
    SLAB_BYTES = 256 << 10,      /* stays in a core's cache between reading and scattering */
    SMALL_GROUP_BYTES = 4 << 20, /* below this, groups are joined */
    VISIT_BYTES = 1 << 20,       /* of stored chunks that are asked for at once */
    VISIT_CHUNKS = 1024,
    PIECE_ALIGNMENT = 64
};

/* What planning works with. */
typedef struct planner {
    const nz_source_info *source;
    const nz_target_info *target;
    nz_plan *plan;
    uint64_t element_bytes, object_bytes; /* object_bytes: buffers of one object */
    uint64_t budget_bytes;                /* for groups */
    unsigned jobs;
    uint64_t limit_bytes;
} planner;

static nwbz_code check_shapes(const nz_source_info *source, const nz_target_info *target, nwbz_error *err)
{
    if (source->type != target->type)
        return nz_fail(err, NWBZ_EINVAL, "the source holds %s and the array %s", nwbz_type_name(source->type), nwbz_type_name(target->type));
    if (nz_source_element_bytes(source) != nz_target_element_bytes(target))
        return nz_fail(err, NWBZ_EINVAL, "elements of type '%s' have %llu bytes in the source and %llu in the array", nwbz_type_name(source->type),
                       (unsigned long long)nz_source_element_bytes(source), (unsigned long long)nz_target_element_bytes(target));
    if (source->n_dims != target->n_dims)
        return nz_fail(err, NWBZ_EINVAL, "the source has %u axes and the array %u", source->n_dims, target->n_dims);
    for (unsigned d = 0; d < source->n_dims; d++)
        if (source->shape[d] != target->shape[d])
            return nz_fail(err, NWBZ_EINVAL, "axis %u is %llu long in the source and %llu in the array", d,
                           (unsigned long long)source->shape[d], (unsigned long long)target->shape[d]);
    return NWBZ_OK;
}

/* Multiply, and stay at the top when it does not fit: only ever compared with budgets. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return nz_mul(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t product_of(const uint64_t *values, unsigned n)
{
    uint64_t product = 1;
    for (unsigned d = 0; d < n; d++)
        product = times(product, values[d]);
    return product;
}

/* Cells of a grid that [start, start + n) meets. */
static uint64_t cells_met(uint64_t start, uint64_t n, uint64_t cell)
{
    return n == 0 ? 0 : (start + (n - 1)) / cell - start / cell + 1;
}

static void set_objects(planner *p, const nz_box *region)
{
    nz_plan *plan = p->plan;
    const nz_target_info *target = p->target;
    plan->n_dims = target->n_dims;
    if (region)
        plan->region = *region;
    else
        nz_box_of_shape(&plan->region, target->n_dims, target->shape);
    plan->grows = target->n_dims > 0 && target->shape[0] == NWBZ_UNKNOWN_LENGTH;
    plan->pieces_per_object = 1;
    for (unsigned d = 0; d < target->n_dims; d++) {
        plan->object_first[d] = plan->region.start[d] / target->object_shape[d];
        plan->object_counts[d] = cells_met(plan->region.start[d], plan->region.shape[d], target->object_shape[d]);
        plan->pieces_per_object = times(plan->pieces_per_object, target->object_shape[d] / target->piece_shape[d]);
    }
    plan->piece_room_bytes = target->direct ? 0 : nz_ceil_div(nz_max(target->piece_bytes, target->piece_bound_bytes), PIECE_ALIGNMENT) *
                                                      PIECE_ALIGNMENT;
    p->element_bytes = nz_target_element_bytes(target);
    p->object_bytes = times(plan->pieces_per_object, plan->piece_room_bytes);
}

static uint64_t group_bytes(const planner *p, const uint64_t *objects)
{
    return times(product_of(objects, p->plan->n_dims), p->object_bytes);
}

/* Bytes of samples in one group (before encoding). */
static uint64_t group_sample_bytes(const planner *p)
{
    return times(product_of(p->plan->group_objects, p->plan->n_dims), times(product_of(p->target->object_shape, p->plan->n_dims), p->element_bytes));
}

/* Join small groups, last axis first, but leave several for each job. */
static void join_groups(planner *p)
{
    nz_plan *plan = p->plan;
    for (unsigned d = plan->n_dims; d-- > 0;)
        while (plan->group_objects[d] < plan->object_counts[d] && group_sample_bytes(p) < SMALL_GROUP_BYTES) {
            uint64_t wider = nz_min(times(plan->group_objects[d], 2), plan->object_counts[d]);
            uint64_t groups = 1;
            for (unsigned e = 0; e < plan->n_dims; e++)
                groups = times(groups, nz_ceil_div(plan->object_counts[e], e == d ? wider : plan->group_objects[e]));
            if (groups < 4 * (uint64_t)p->jobs && group_sample_bytes(p) >= SLAB_BYTES)
                break;
            plan->group_objects[d] = wider;
        }
}

/* Cut one axis of a group over `room` bytes into equal parts, of `least` objects or more. */
static void cut_axis(planner *p, uint64_t room, unsigned d, uint64_t least)
{
    uint64_t *objects = &p->plan->group_objects[d], bytes = group_bytes(p, p->plan->group_objects);
    if (bytes <= room || *objects <= least)
        return;
    uint64_t fit = nz_max(room / nz_max(bytes / *objects, 1), least);
    *objects = nz_ceil_div(*objects, nz_ceil_div(*objects, fit));
}

/* Objects along axis d under one natural box of the source. */
static uint64_t objects_under(const planner *p, unsigned d)
{
    return nz_max(nz_min(nz_ceil_div(nz_max(p->source->natural[d], 1), p->target->object_shape[d]), p->plan->object_counts[d]), 1);
}

/* Cut a group over `room` bytes: rows first, which costs nothing down to one natural box, then the last axis first. */
static void cut_group(planner *p, uint64_t room)
{
    if (p->plan->n_dims > 0)
        cut_axis(p, room, 0, objects_under(p, 0));
    for (unsigned d = p->plan->n_dims; d-- > 0;)
        cut_axis(p, room, d, 1);
}

/* How often each natural box is read: cells met by the groups over cells there are, axis by axis. */
static double count_source_reads(const planner *p)
{
    const nz_plan *plan = p->plan;
    double reads = 1.0;
    for (unsigned d = 0; d < plan->n_dims; d++) {
        uint64_t n = plan->region.shape[d], start = plan->region.start[d], natural = nz_max(p->source->natural[d], 1);
        uint64_t step = plan->group_objects[d] * p->target->object_shape[d];
        if (n == 0 || natural == 1 || step >= n)
            continue;
        uint64_t met = 0, at = start, end = start + n;
        if (n / step > 1000000) { /* too many to walk: the average over aligned ones */
            reads *= natural <= step ? 1.0 + (double)(natural - 1) / (double)step * (step % natural != 0) : (double)natural / (double)step;
            continue;
        }
        while (at < end) {
            uint64_t next = nz_min((at / step + 1) * step, end);
            met += cells_met(at, next - at, natural);
            at = next;
        }
        reads *= (double)met / (double)cells_met(start, n, natural);
    }
    return reads;
}

/* What is read at once within a group: rows that fit SLAB_BYTES, in whole natural boxes where the source asks for those. */
static void set_slab(planner *p)
{
    nz_plan *plan = p->plan;
    plan->read_on_grid = p->source->whole_boxes;
    if (plan->read_on_grid) {
        memcpy(plan->read_shape, p->source->natural, sizeof plan->read_shape);
        return;
    }
    for (unsigned d = 0; d < plan->n_dims; d++)
        plan->read_shape[d] = nz_max(nz_min(times(plan->group_objects[d], p->target->object_shape[d]), plan->region.shape[d]), 1);
    for (unsigned d = 0; d < plan->n_dims; d++) {
        uint64_t others = times(product_of(plan->read_shape, plan->n_dims) / plan->read_shape[d], p->element_bytes);
        if (times(others, plan->read_shape[d]) <= SLAB_BYTES)
            return;
        plan->read_shape[d] = nz_max(nz_min(SLAB_BYTES / nz_max(others, 1), plan->read_shape[d]), 1);
    }
}

static uint64_t read_bytes(const planner *p)
{
    return times(product_of(p->plan->read_shape, p->plan->n_dims), p->element_bytes);
}

/* Format "{ 78125, 64 }" for messages. */
static void format_shape(const uint64_t *shape, unsigned n, char *text, size_t room)
{
    size_t at = (size_t)snprintf(text, room, "{ ");
    for (unsigned d = 0; d < n && at < room; d++)
        at += (size_t)snprintf(text + at, room - at, "%s%llu", d ? ", " : "", (unsigned long long)shape[d]);
    if (at < room)
        snprintf(text + at, room - at, " }");
}

/* Say that one unit does not fit, with both numbers. */
static nwbz_code fail_limit(const planner *p, const char *unit, const uint64_t *shape, uint64_t unit_bytes, nwbz_error *err)
{
    char text[256];
    format_shape(shape, p->plan->n_dims, text, sizeof text);
    nz_fail(err, NWBZ_ELIMIT, "%s of shape %s needs %llu bytes in memory, and %llu for one job beside it; the limit is %llu bytes: raise the memory limit, "
                              "or choose smaller chunks or shards",
            unit, text, (unsigned long long)unit_bytes, (unsigned long long)(p->plan->worker_bytes + p->plan->shared_bytes),
            (unsigned long long)p->limit_bytes);
    return nz_where(err, NWBZ_ELIMIT, "%s:%s", p->target->store_name, p->target->name);
}

/* Take as many workers as leave room for `unit_bytes` of groups; false when not even one does. */
static bool set_workers(planner *p, uint64_t unit_bytes)
{
    nz_plan *plan = p->plan;
    for (unsigned n = p->jobs; n > 0; n--) {
        uint64_t taken = times(n, plan->worker_bytes);
        if (!nz_add(taken, plan->shared_bytes, &taken) || taken > p->limit_bytes || p->limit_bytes - taken < unit_bytes)
            continue;
        plan->n_workers = n;
        p->budget_bytes = p->limit_bytes - taken;
        return true;
    }
    return false;
}

static void set_worker_bytes(planner *p, bool reads)
{
    p->plan->worker_bytes = p->plan->piece_room_bytes + p->target->work_bytes + p->source->reader_bytes + (reads ? read_bytes(p) : 0);
}

static void set_counts(planner *p)
{
    nz_plan *plan = p->plan;
    plan->n_groups = plan->n_objects = 1;
    for (unsigned d = 0; d < plan->n_dims; d++) {
        plan->group_counts[d] = plan->object_counts[d] == 0 ? 0 : nz_ceil_div(plan->object_counts[d], plan->group_objects[d]);
        plan->n_groups = times(plan->n_groups, plan->group_counts[d]);
        plan->n_objects = times(plan->n_objects, plan->object_counts[d]);
    }
    for (unsigned d = 0; d < plan->n_dims; d++)
        if (plan->object_counts[d] == 0)
            plan->n_groups = plan->n_objects = 0;
    if (plan->grows && plan->n_groups)
        plan->n_groups = plan->n_objects = UINT64_MAX;
    plan->group_bytes = group_bytes(p, plan->group_objects);
    plan->pieces_per_group = times(product_of(plan->group_objects, plan->n_dims), plan->pieces_per_object);
}

/* Groups in flight: enough pieces for every worker while another group is read, no more than the budget holds. */
static void set_slots(planner *p, uint64_t at_least)
{
    nz_plan *plan = p->plan;
    uint64_t wanted = nz_max(nz_ceil_div(plan->n_workers, nz_max(plan->pieces_per_group, 1)) + 1, at_least + (p->source->max_readers == 1));
    uint64_t fit = plan->group_bytes ? nz_max(p->budget_bytes / plan->group_bytes, 1) : wanted;
    plan->n_slots = (unsigned)nz_min(nz_max(nz_min(wanted, fit), at_least), nz_max(nz_min(plan->n_groups, 1u << 16), 1));
}

static nwbz_code plan_slabs(planner *p, nwbz_error *err)
{
    nz_plan *plan = p->plan;
    plan->feed = NZ_FEED_SLABS;
    for (unsigned d = 0; d < plan->n_dims; d++)
        plan->group_objects[d] = objects_under(p, d);
    set_slab(p);
    set_worker_bytes(p, true);
    if (!set_workers(p, p->object_bytes))
        return fail_limit(p, plan->pieces_per_object > 1 ? "a shard" : "a chunk", p->target->object_shape, p->object_bytes, err);
    cut_group(p, p->budget_bytes);
    join_groups(p);
    cut_group(p, p->budget_bytes);
    set_slab(p);
    set_counts(p);
    set_slots(p, 1);
    plan->source_reads = count_source_reads(p);
    return NWBZ_OK;
}

/* Bands that one row of natural boxes can meet at once. */
static uint64_t bands_met(const planner *p)
{
    uint64_t rows = times(p->plan->group_objects[0], p->target->object_shape[0]), box_rows = nz_min(p->source->natural[0], p->plan->region.shape[0]);
    uint64_t met = (box_rows + rows - 2) / rows + 1;
    return nz_max(nz_min(met, nz_ceil_div(p->plan->object_counts[0], p->plan->group_objects[0])), 1);
}

/* True when it fits the budget. */
static bool plan_boxes(planner *p, uint64_t *needed_bytes)
{
    nz_plan *plan = p->plan;
    plan->feed = NZ_FEED_BOXES;
    plan->read_on_grid = true;
    for (unsigned d = 0; d < plan->n_dims; d++) {
        plan->read_shape[d] = nz_max(p->source->natural[d], 1);
        plan->group_objects[d] = d == 0 ? 1 : nz_max(plan->object_counts[d], 1);
    }
    plan->shared_bytes = read_bytes(p);
    set_worker_bytes(p, false);
    join_groups(p);
    *needed_bytes = times(bands_met(p), group_bytes(p, plan->group_objects));
    if (!set_workers(p, *needed_bytes) && plan->group_objects[0] > 1) {
        plan->group_objects[0] = 1;
        *needed_bytes = times(bands_met(p), group_bytes(p, plan->group_objects));
    }
    if (!set_workers(p, *needed_bytes))
        return false;
    set_counts(p);
    set_slots(p, bands_met(p));
    plan->source_reads = 1.0;
    return true;
}

nwbz_code nz_plan_make(const nz_source_info *source, const nz_target_info *target, const nz_box *region, unsigned number_of_jobs,
                       uint64_t memory_limit_bytes, nz_plan *plan, nwbz_error *err)
{
    memset(plan, 0, sizeof *plan);
    NZ_TRY(check_shapes(source, target, err));
    planner p = { source, target, plan, 0, 0, 0, number_of_jobs ? number_of_jobs : 1, memory_limit_bytes };
    set_objects(&p, region);
    bool one_reader = source->forward || source->caller_thread_only || source->max_readers == 1;
    uint64_t needed = 0;
    if (plan->n_dims > 0 && !target->direct && (source->forward || (source->whole_boxes && one_reader))) {
        if (plan_boxes(&p, &needed))
            return NWBZ_OK;
        if (source->forward) {
            uint64_t band[NWBZ_MAX_DIMS];
            for (unsigned d = 0; d < plan->n_dims; d++)
                band[d] = d == 0 ? times(bands_met(&p), target->object_shape[0]) : target->shape[d];
            return fail_limit(&p, "a band of rows that this source, which is read once and in order, must fill at once,", band, needed, err);
        }
        plan->shared_bytes = 0;
    }
    return plan_slabs(&p, err);
}

/* Check that each natural box is a piece; a box may end at the array's edge where the piece goes on. */
static nwbz_code check_same_grid(const nz_source_info *source, const nz_target_info *target, nwbz_error *err)
{
    if (target->direct || (source->n_dims > 0 && source->shape[0] == NWBZ_UNKNOWN_LENGTH))
        return nz_fail(err, NWBZ_EINVAL, "stored chunks go from a source of known length to a target that stores them");
    for (unsigned d = 0; d < source->n_dims; d++) {
        uint64_t natural = source->natural[d], piece = target->piece_shape[d];
        if (natural != piece && !(nz_min(natural, piece) >= source->shape[d]))
            return nz_fail(err, NWBZ_EINVAL, "axis %u of a chunk is %llu long in the source and %llu in the array: it cannot be copied", d,
                           (unsigned long long)natural, (unsigned long long)piece);
    }
    return NWBZ_OK;
}

/* Set what one visit to the source brings. */
static void set_visit(planner *p)
{
    nz_plan *plan = p->plan;
    uint64_t bound = p->source->stored_bound_bytes ? p->source->stored_bound_bytes : p->target->piece_bound_bytes;
    plan->visit_bytes = VISIT_BYTES;
    plan->visit_chunks = nz_max(nz_min(VISIT_BYTES / nz_max(p->target->piece_bytes, 1), VISIT_CHUNKS), 1);
    plan->stored_room_bytes = (plan->visit_chunks > 1 ? VISIT_BYTES : 0) + bound + 1; /* buffers keep a byte for a NUL */
    memcpy(plan->read_shape, p->source->natural, sizeof plan->read_shape);
    plan->read_on_grid = true;
}

/* Take workers that can also read and encode; or, where not one of them fits, such that can only copy. */
static bool set_copy_workers(planner *p)
{
    nz_plan *plan = p->plan;
    uint64_t indexes = plan->visit_chunks * (sizeof(nz_stored) + plan->n_dims * sizeof(uint64_t));
    uint64_t copies = plan->stored_room_bytes + indexes + p->source->reader_bytes;
    set_worker_bytes(p, true);
    plan->worker_bytes += plan->piece_room_bytes + plan->stored_room_bytes + indexes;
    if (set_workers(p, 0))
        return true;
    plan->never_reads = true;
    plan->worker_bytes = copies;
    return set_workers(p, 0);
}

nwbz_code nz_plan_make_copy(const nz_source_info *source, const nz_target_info *target, unsigned number_of_jobs, uint64_t memory_limit_bytes,
                            nz_plan *plan, nwbz_error *err)
{
    memset(plan, 0, sizeof *plan);
    NZ_TRY(check_shapes(source, target, err));
    NZ_TRY(check_same_grid(source, target, err));
    planner p = { source, target, plan, 0, 0, 0, number_of_jobs ? number_of_jobs : 1, memory_limit_bytes };
    set_objects(&p, NULL);
    plan->feed = NZ_FEED_STORED;
    for (unsigned d = 0; d < plan->n_dims; d++)
        plan->group_objects[d] = 1;
    set_visit(&p);
    if (!set_copy_workers(&p))
        return fail_limit(&p, "a chunk", target->piece_shape, plan->stored_room_bytes, err);
    plan->stored_most_bytes = plan->stored_room_bytes + p.budget_bytes / plan->n_workers;
    set_counts(&p);
    plan->group_bytes = 0;
    plan->n_slots = 0;
    plan->source_reads = 1.0;
    return NWBZ_OK;
}

void nz_plan_group(const nz_plan *plan, const nz_target_info *target, uint64_t g, nz_box *objects, nz_box *box)
{
    uint64_t index[NWBZ_MAX_DIMS];
    nz_box cells;
    nz_index_of(g, plan->n_dims, plan->group_counts, index);
    objects->n_dims = cells.n_dims = plan->n_dims;
    for (unsigned d = 0; d < plan->n_dims; d++) {
        uint64_t first = index[d] * plan->group_objects[d];
        objects->start[d] = plan->object_first[d] + first;
        objects->shape[d] = nz_min(plan->group_objects[d], plan->object_counts[d] - first);
        cells.start[d] = objects->start[d] * target->object_shape[d];
        cells.shape[d] = objects->shape[d] * target->object_shape[d];
    }
    if (!nz_box_cut(&cells, &plan->region, box))
        *box = cells; /* does not happen: every group meets the region */
}

/* The grid of reads over a group: its origin and counts. */
static void reads_of_group(const nz_plan *plan, const nz_box *group, uint64_t *first, uint64_t *counts)
{
    for (unsigned d = 0; d < plan->n_dims; d++) {
        first[d] = plan->read_on_grid ? group->start[d] / plan->read_shape[d] : 0;
        counts[d] = plan->read_on_grid ? cells_met(group->start[d], group->shape[d], plan->read_shape[d])
                                       : nz_ceil_div(group->shape[d], plan->read_shape[d]);
    }
}

uint64_t nz_plan_n_reads(const nz_plan *plan, const nz_box *group_box)
{
    uint64_t first[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS];
    reads_of_group(plan, group_box, first, counts);
    return product_of(counts, plan->n_dims);
}

void nz_plan_read(const nz_plan *plan, const nz_target_info *target, const nz_box *group_box, uint64_t i, nz_box *box)
{
    uint64_t first[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS], index[NWBZ_MAX_DIMS];
    reads_of_group(plan, group_box, first, counts);
    nz_index_of(i, plan->n_dims, counts, index);
    box->n_dims = plan->n_dims;
    for (unsigned d = 0; d < plan->n_dims; d++) {
        uint64_t start = (plan->read_on_grid ? 0 : group_box->start[d]) + (first[d] + index[d]) * plan->read_shape[d];
        uint64_t end = plan->read_on_grid ? target->shape[d] : group_box->start[d] + group_box->shape[d];
        box->start[d] = start;
        box->shape[d] = nz_min(plan->read_shape[d], end - start);
    }
}
