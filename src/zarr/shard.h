/* The index of a shard: for each piece its offset and length in the object, or twice 2^64-1 for one that is not there.
 *
 *   entries (uint64 pairs, C order of the inner grid)  --index codecs-->  the last (or first) bytes of the object
 */
#ifndef NZ_ZARR_SHARD_H
#define NZ_ZARR_SHARD_H

#include "zarr/array.h"

#define NZ_SHARD_ABSENT UINT64_MAX

typedef struct nz_shard_entry {
    uint64_t offset, n_bytes;
} nz_shard_entry;

/* Make the entries of a shard without pieces; NULL without memory. */
nz_shard_entry *nz_shard_entries_new(uint64_t n);

/* The bytes of an encoded index; never 0 for an array that was opened. */
uint64_t nz_shard_index_bytes(const nwbz_array *array);

/* Encode the entries, appending to `out`. */
nwbz_code nz_shard_index_encode(const nwbz_array *array, const nz_shard_entry *entries, nz_buffer *out,
                                nwbz_error *err);

/*
 * Decode and check an index of an object of `object_bytes`: every entry is absent or lies in the object.
 * NWBZ_EFORMAT: damaged (checksum), or an entry that leads out of the object (both numbers).
 */
nwbz_code nz_shard_index_decode(const nwbz_array *array, nz_chain_worker *worker, const void *bytes, size_t n,
                                uint64_t object_bytes, nz_shard_entry *entries, nwbz_error *err);

#endif
