/* Pieces are counted object by object: piece p is position p % pieces_per_object of object p / pieces_per_object. */
#include "engine/group.h"

#include "base/checked.h"
#include "base/memory.h"
#include "model/dtype.h"

#include <stdio.h>
#include <string.h>

void nz_group_assign(nz_group *group, const nz_plan *plan, nz_target *target, size_t transfer, uint64_t g)
{
    group->plan = plan;
    group->target = target;
    group->transfer = transfer;
    group->stage = NZ_STAGE_OPENING;
    nz_plan_group(plan, &target->info, g, &group->objects, &group->box);
    group->n_objects = nz_box_count(&group->objects);
    group->n_pieces = group->n_objects * plan->pieces_per_object;
    group->next_read = group->next_piece = 0;
    group->n_busy = 0;
    group->n_reads = group->reads_left = plan->feed == NZ_FEED_SLABS ? nz_plan_n_reads(plan, &group->box) : 0;
    group->elements_left = nz_box_count(&group->box);
    group->objects_left = target->info.direct ? 0 : group->n_objects;
}

/* Get the buffers; those of the group before serve again where they are large enough. */
static nwbz_code get_buffers(nz_group *group, nwbz_error *err)
{
    const nz_plan *plan = group->plan;
    size_t n_bytes = (size_t)(group->n_pieces * plan->piece_room_bytes);
    if (group->memory_bytes < n_bytes) {
        nz_free(group->memory);
        group->memory_bytes = 0;
        group->memory = nz_malloc_large((size_t)plan->group_bytes);
        if (!group->memory)
            return nz_fail_memory(err, (size_t)plan->group_bytes, "a group of chunks");
        group->memory_bytes = (size_t)plan->group_bytes;
    }
    if (group->room_pieces < group->n_pieces) {
        nz_free(group->encoded_bytes);
        group->room_pieces = 0;
        group->encoded_bytes = nz_calloc((size_t)plan->pieces_per_group, sizeof *group->encoded_bytes);
        if (!group->encoded_bytes)
            return nz_fail_memory(err, (size_t)plan->pieces_per_group * sizeof *group->encoded_bytes, "a group of chunks");
        group->room_pieces = (size_t)plan->pieces_per_group;
    }
    if (group->room_objects < group->n_objects) {
        size_t n = (size_t)(plan->pieces_per_group / plan->pieces_per_object);
        nz_free(group->object_states);
        group->room_objects = 0;
        group->object_states = nz_calloc(n, sizeof *group->object_states);
        if (!group->object_states)
            return nz_fail_memory(err, n * sizeof *group->object_states, "a group of chunks");
        group->room_objects = n;
    }
    return NWBZ_OK;
}

/* Set cell `position` of the object grid of pieces, as an index in the target's grid of pieces. */
static void piece_index(const nz_group *group, uint64_t p, uint64_t *index)
{
    const nz_target_info *info = &group->target->info;
    uint64_t inner_counts[NWBZ_MAX_DIMS], inner[NWBZ_MAX_DIMS];
    nz_group_object_index(group, p / group->plan->pieces_per_object, index);
    for (unsigned d = 0; d < info->n_dims; d++)
        inner_counts[d] = info->object_shape[d] / info->piece_shape[d];
    nz_index_of(p % group->plan->pieces_per_object, info->n_dims, inner_counts, inner);
    for (unsigned d = 0; d < info->n_dims; d++)
        index[d] = index[d] * inner_counts[d] + inner[d];
}

void nz_group_object_index(const nz_group *group, uint64_t o, uint64_t *index)
{
    nz_index_of(o, group->objects.n_dims, group->objects.shape, index);
    for (unsigned d = 0; d < group->objects.n_dims; d++)
        index[d] += group->objects.start[d];
}

unsigned char *nz_group_piece(const nz_group *group, uint64_t p)
{
    return group->memory + p * group->plan->piece_room_bytes;
}

bool nz_group_piece_box(const nz_group *group, uint64_t p, nz_box *box)
{
    const nz_target_info *info = &group->target->info;
    uint64_t index[NWBZ_MAX_DIMS];
    nz_box cut;
    piece_index(group, p, index);
    box->n_dims = info->n_dims;
    for (unsigned d = 0; d < info->n_dims; d++) {
        box->start[d] = index[d] * info->piece_shape[d];
        box->shape[d] = info->piece_shape[d];
    }
    return nz_box_cut(box, &group->box, &cut);
}

/* Fill whole pieces that are cut by the array's edge with the fill value: samples then cover their part. */
static void pad_edges(nz_group *group)
{
    const nz_target_info *info = &group->target->info;
    bool reaches_over = false;
    for (unsigned d = 0; d < info->n_dims; d++)
        reaches_over |= group->box.start[d] + group->box.shape[d] < (group->objects.start[d] + group->objects.shape[d]) * info->object_shape[d];
    if (!reaches_over)
        return;
    size_t element_bytes = (size_t)nz_target_element_bytes(info);
    for (uint64_t p = 0; p < group->n_pieces; p++) {
        nz_box box, cut;
        if (nz_group_piece_box(group, p, &box) && nz_box_cut(&box, &group->box, &cut) && nz_box_count(&cut) < nz_box_count(&box))
            nz_elements_set(nz_group_piece(group, p), info->fill_element, element_bytes, nz_box_count(&box));
    }
}

nwbz_code nz_object_is_stored(nz_target *target, const nz_record *record, const uint64_t *index, bool *stored, nwbz_error *err)
{
    uint64_t n_bytes = 0;
    uint32_t crc = 0;
    *stored = false;
    if (!record)
        return NWBZ_OK;
    char *key = target->class->object_key(target, index);
    if (!key)
        return nz_fail_memory(err, 0, "a key");
    bool noted = nz_record_find(record, key, &n_bytes, &crc);
    nz_free(key);
    return noted ? target->class->object_check(target, index, n_bytes, crc, stored, err) : NWBZ_OK;
}

/* Find what an earlier run has stored whole. */
static nwbz_code find_stored(nz_group *group, const nz_record *record, nwbz_error *err)
{
    for (uint64_t o = 0; o < group->n_objects; o++) {
        uint64_t index[NWBZ_MAX_DIMS];
        bool stored = false;
        nz_group_object_index(group, o, index);
        NZ_TRY(nz_object_is_stored(group->target, record, index, &stored, err));
        group->object_states[o].done = stored;
        group->objects_left -= stored;
    }
    return NWBZ_OK;
}

nwbz_code nz_group_open(nz_group *group, const nz_record *record, nwbz_error *err)
{
    if (group->target->info.direct)
        return NWBZ_OK;
    NZ_TRY(get_buffers(group, err));
    memset(group->object_states, 0, (size_t)group->n_objects * sizeof *group->object_states);
    for (uint64_t p = 0; p < group->n_pieces; p++)
        group->encoded_bytes[p] = SIZE_MAX;
    if (record)
        NZ_TRY(find_stored(group, record, err));
    pad_edges(group);
    return NWBZ_OK;
}

/* Set the pieces that `part` meets, as a box in the target's grid of pieces. */
static void pieces_met(const nz_target_info *info, const nz_box *part, nz_box *met)
{
    met->n_dims = info->n_dims;
    for (unsigned d = 0; d < info->n_dims; d++) {
        met->start[d] = part->start[d] / info->piece_shape[d];
        met->shape[d] = (part->start[d] + part->shape[d] - 1) / info->piece_shape[d] - met->start[d] + 1;
    }
}

/* Find the number in the group of the piece at `index` in the target's grid of pieces. */
static uint64_t piece_number(const nz_group *group, const uint64_t *index)
{
    const nz_target_info *info = &group->target->info;
    uint64_t object[NWBZ_MAX_DIMS], inner[NWBZ_MAX_DIMS], inner_counts[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < info->n_dims; d++) {
        inner_counts[d] = info->object_shape[d] / info->piece_shape[d];
        object[d] = index[d] / inner_counts[d] - group->objects.start[d];
        inner[d] = index[d] % inner_counts[d];
    }
    return nz_position_of(info->n_dims, group->objects.shape, object) * group->plan->pieces_per_object +
           nz_position_of(info->n_dims, inner_counts, inner);
}

void nz_group_scatter(nz_group *group, const nz_box *box, const void *elements)
{
    const nz_target_info *info = &group->target->info;
    size_t element_bytes = (size_t)nz_target_element_bytes(info);
    nz_box part, met;
    if (!nz_box_cut(box, &group->box, &part))
        return;
    if (info->direct) {
        nz_box_copy(&part, elements, box, info->direct, &info->region, element_bytes);
        return;
    }
    pieces_met(info, &part, &met);
    uint64_t n = nz_box_count(&met);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t index[NWBZ_MAX_DIMS];
        nz_box piece, run;
        nz_index_of(i, info->n_dims, met.shape, index);
        piece.n_dims = info->n_dims;
        for (unsigned d = 0; d < info->n_dims; d++) {
            index[d] += met.start[d];
            piece.start[d] = index[d] * info->piece_shape[d];
            piece.shape[d] = info->piece_shape[d];
        }
        if (nz_box_cut(&part, &piece, &run))
            nz_box_copy(&run, elements, box, nz_group_piece(group, piece_number(group, index)), &piece, element_bytes);
    }
}

void *nz_group_place(nz_group *group, const nz_box *box)
{
    const nz_target_info *info = &group->target->info;
    size_t element_bytes = (size_t)nz_target_element_bytes(info);
    uint64_t offset = 0;
    nz_box part, met, piece;
    if (!nz_box_cut(box, &group->box, &part) || nz_box_count(&part) != nz_box_count(box))
        return NULL;
    if (info->direct)
        return nz_box_is_run(box, &info->region, &offset) ? (unsigned char *)info->direct + offset * element_bytes : NULL;
    pieces_met(info, &part, &met);
    if (nz_box_count(&met) != 1)
        return NULL;
    piece.n_dims = info->n_dims;
    for (unsigned d = 0; d < info->n_dims; d++) {
        piece.start[d] = met.start[d] * info->piece_shape[d];
        piece.shape[d] = info->piece_shape[d];
    }
    return nz_box_is_run(box, &piece, &offset) ? nz_group_piece(group, piece_number(group, met.start)) + offset * element_bytes : NULL;
}

uint64_t nz_group_truncate(nz_group *group, uint64_t n_rows)
{
    const nz_target_info *info = &group->target->info;
    uint64_t before = nz_box_count(&group->box), end = group->box.start[0] + group->box.shape[0];
    if (end <= n_rows)
        return 0;
    group->box.shape[0] = n_rows > group->box.start[0] ? n_rows - group->box.start[0] : 0;
    if (group->box.shape[0] == 0)
        return before;
    size_t element_bytes = (size_t)nz_target_element_bytes(info);
    for (uint64_t p = 0; p < group->n_pieces; p++) {
        nz_box box;
        if (!nz_group_piece_box(group, p, &box) || box.start[0] + box.shape[0] <= n_rows)
            continue;
        uint64_t row_elements = nz_box_count(&box) / box.shape[0], kept = (n_rows - box.start[0]) * row_elements;
        nz_elements_set(nz_group_piece(group, p) + kept * element_bytes, info->fill_element, element_bytes, nz_box_count(&box) - kept);
    }
    return before - nz_box_count(&group->box);
}

nwbz_code nz_object_where(const nz_plan *plan, const nz_target_info *info, const uint64_t *index, nwbz_code code, nwbz_error *err)
{
    char text[32 * NWBZ_MAX_DIMS];
    size_t at = 0;
    if (code == NWBZ_OK || !err || err->where[0])
        return code;
    text[0] = 0;
    for (unsigned d = 0; d < info->n_dims; d++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu", d ? "/" : "", (unsigned long long)index[d]);
    return nz_where(err, code, "%s:%s %s %s", info->store_name, info->name, plan->pieces_per_object > 1 ? "shard" : "chunk", text);
}

nwbz_code nz_group_where(const nz_group *group, uint64_t o, nwbz_code code, nwbz_error *err)
{
    uint64_t index[NWBZ_MAX_DIMS];
    if (code == NWBZ_OK)
        return code;
    nz_group_object_index(group, o, index);
    return nz_object_where(group->plan, &group->target->info, index, code, err);
}

void nz_group_abort(nz_group *group)
{
    if (group->stage == NZ_STAGE_FREE || !group->object_states)
        return;
    for (uint64_t o = 0; o < nz_min(group->n_objects, group->room_objects); o++) {
        if (group->object_states[o].object)
            group->target->class->object_abort(group->object_states[o].object);
        group->object_states[o].object = NULL;
    }
}

void nz_group_done(nz_group *group)
{
    nz_group_abort(group);
    nz_free(group->memory);
    nz_free(group->encoded_bytes);
    nz_free(group->object_states);
    memset(group, 0, sizeof *group);
}
