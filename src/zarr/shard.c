/* The index is checked whole when it is decoded: an entry that leads out of the object would otherwise be met only by
 * the one who needs that piece. */
#include "zarr/shard.h"

#include "base/checked.h"
#include "base/memory.h"
#include "zarr/grid.h"

#include <inttypes.h>

nz_shard_entry *nz_shard_entries_new(uint64_t n)
{
    uint64_t n_bytes;
    nz_shard_entry *entries = nz_mul(n, sizeof *entries, &n_bytes) ? nz_malloc(n_bytes) : NULL;
    for (uint64_t i = 0; entries && i < n; i++)
        entries[i] = (nz_shard_entry){ NZ_SHARD_ABSENT, NZ_SHARD_ABSENT };
    return entries;
}

uint64_t nz_shard_index_bytes(const nwbz_array *array)
{
    return nz_chain_fixed_size(array->index_chain, nz_grid_pieces(&array->meta) * sizeof(nz_shard_entry));
}

nwbz_code nz_shard_index_encode(const nwbz_array *array, const nz_shard_entry *entries, nz_buffer *out, nwbz_error *err)
{
    size_t n_in = nz_grid_pieces(&array->meta) * sizeof *entries, n_out = 0;
    size_t room = nz_chain_bound(array->index_chain, n_in);
    nz_chain_worker *worker = NULL;
    nwbz_code code = nz_buffer_reserve(out, room, err);
    if (code == NWBZ_OK)
        code = nz_chain_worker_new(array->index_chain, &worker, err);
    if (code == NWBZ_OK)
        code = nz_chain_encode(array->index_chain, worker, entries, n_in, out->bytes + out->n_bytes, room, &n_out, err);
    if (code == NWBZ_OK)
        out->n_bytes += n_out;
    nz_chain_worker_free(worker);
    return code;
}

static nwbz_code check_entry(const nz_shard_entry *entry, uint64_t i, uint64_t object_bytes, nwbz_error *err)
{
    uint64_t end;
    if (entry->offset == NZ_SHARD_ABSENT && entry->n_bytes == NZ_SHARD_ABSENT)
        return NWBZ_OK;
    if (nz_add(entry->offset, entry->n_bytes, &end) && end <= object_bytes)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EFORMAT,
                   "the shard's index puts chunk number %" PRIu64 " at %" PRIu64 " with %" PRIu64
                   " bytes, in a shard of %" PRIu64 " bytes",
                   i, entry->offset, entry->n_bytes, object_bytes);
}

nwbz_code nz_shard_index_decode(const nwbz_array *array, nz_chain_worker *worker, const void *bytes, size_t n,
                                uint64_t object_bytes, nz_shard_entry *entries, nwbz_error *err)
{
    uint64_t n_pieces = nz_grid_pieces(&array->meta);
    NZ_TRY(nz_chain_decode(array->index_chain, worker, bytes, n, entries, n_pieces * sizeof *entries, err));
    for (uint64_t i = 0; i < n_pieces; i++)
        NZ_TRY(check_entry(&entries[i], i, object_bytes, err));
    return NWBZ_OK;
}
