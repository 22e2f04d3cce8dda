/* The list of chunks that are stored, by which a huge grid costs what is in it.
 *
 * It comes in C order of the grid of chunks.  That is also the order of the objects where an object is a chunk, or where
 * shards are as wide as the array; elsewhere one shard's chunks stand in several places of the list, and are brought together by sorting numbers of
 * entries.  Within a shard they stay in C order, which is that of its positions.
 */
#include "engine/state.h"

#include "base/checked.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* An entry of the list, and the number of its object in C order. */
typedef struct keyed {
    uint64_t object, entry;
} keyed;

/* Set the grid of chunks, and how many of them an object has along each axis. */
static void grids_of(const nz_transfer *t, uint64_t *counts, uint64_t *inner)
{
    const nz_target_info *info = &t->target->info;
    for (unsigned d = 0; d < info->n_dims; d++) {
        counts[d] = nz_ceil_div(info->shape[d], info->piece_shape[d]);
        inner[d] = info->object_shape[d] / info->piece_shape[d];
    }
}

static int compare_indexes(const uint64_t *a, const uint64_t *b, unsigned n_dims)
{
    for (unsigned d = 0; d < n_dims; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return 0;
}

static nwbz_code check_entry(const nz_transfer *t, const uint64_t *counts, uint64_t i, nwbz_error *err)
{
    unsigned n_dims = t->plan.n_dims;
    const uint64_t *index = t->chunk_list + i * n_dims;
    for (unsigned d = 0; d < n_dims; d++)
        if (index[d] >= counts[d])
            return nz_fail(err, NWBZ_EINVAL, "chunk %llu along axis %u is listed, of %llu", (unsigned long long)index[d], d,
                           (unsigned long long)counts[d]);
    if (i > 0 && compare_indexes(index - n_dims, index, n_dims) >= 0)
        return nz_fail(err, NWBZ_EINVAL, "the list of chunks is not in C order: entry %llu does not come after the one before it", (unsigned long long)i);
    return NWBZ_OK;
}

uint64_t nz_copy_sample_bytes(const nz_target_info *info, const uint64_t *index)
{
    nz_box box;
    nz_box_of_cell(&box, info->n_dims, info->shape, info->piece_shape, index);
    return nz_box_count(&box) * nz_target_element_bytes(info);
}

/* Say whether each object's chunks follow each other already, and objects come in their order. */
static bool is_by_objects(const nz_transfer *t, const uint64_t *inner)
{
    unsigned n_dims = t->plan.n_dims;
    uint64_t before[NWBZ_MAX_DIMS], object[NWBZ_MAX_DIMS];
    for (uint64_t i = 0; i < t->n_chunks; i++) {
        for (unsigned d = 0; d < n_dims; d++)
            object[d] = t->chunk_list[i * n_dims + d] / inner[d];
        if (i > 0 && compare_indexes(before, object, n_dims) > 0)
            return false;
        memcpy(before, object, n_dims * sizeof *object);
    }
    return true;
}

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* Sort the numbers of entries by their objects. */
static nwbz_code sort_by_objects(const nz_transfer *t, const uint64_t *inner, uint64_t **order, nwbz_error *err)
{
    unsigned n_dims = t->plan.n_dims;
    uint64_t object[NWBZ_MAX_DIMS], n_bytes = 0;
    if (t->plan.n_objects == UINT64_MAX)
        return nz_fail(err, NWBZ_ELIMIT, "the grid has more than 2^64 shards");
    keyed *entries = nz_mul(t->n_chunks, sizeof *entries, &n_bytes) ? nz_malloc((size_t)n_bytes) : NULL;
    *order = entries ? nz_malloc((size_t)(t->n_chunks * sizeof **order)) : NULL;
    if (!*order) {
        nz_free(entries);
        return nz_fail_memory(err, (size_t)n_bytes, "the list of chunks");
    }
    for (uint64_t i = 0; i < t->n_chunks; i++) {
        for (unsigned d = 0; d < n_dims; d++)
            object[d] = t->chunk_list[i * n_dims + d] / inner[d];
        entries[i] = (keyed){ nz_position_of(n_dims, t->plan.object_counts, object), i };
    }
    qsort(entries, (size_t)t->n_chunks, sizeof *entries, compare_keyed);
    for (uint64_t i = 0; i < t->n_chunks; i++)
        (*order)[i] = entries[i].entry;
    nz_free(entries);
    return NWBZ_OK;
}

nwbz_code nz_copy_take_list(const nz_transfer *t, uint64_t **order, uint64_t *sample_bytes, nwbz_error *err)
{
    uint64_t counts[NWBZ_MAX_DIMS], inner[NWBZ_MAX_DIMS];
    *order = NULL;
    *sample_bytes = 0;
    grids_of(t, counts, inner);
    if (t->plan.n_dims == 0 && t->n_chunks > 1)
        return nz_fail(err, NWBZ_EINVAL, "%llu chunks of a scalar are listed", (unsigned long long)t->n_chunks);
    for (uint64_t i = 0; i < t->n_chunks; i++) {
        NZ_TRY(check_entry(t, counts, i, err));
        if (!nz_add(*sample_bytes, nz_copy_sample_bytes(&t->target->info, t->chunk_list + i * t->plan.n_dims), sample_bytes))
            *sample_bytes = UINT64_MAX; /* not known */
    }
    return is_by_objects(t, inner) ? NWBZ_OK : sort_by_objects(t, inner, order, err);
}
