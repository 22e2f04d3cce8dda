/* Sizes are checked here once, before anything is allocated; after that the products below cannot overflow. */
#include "zarr/grid.h"

#include "base/checked.h"
#include "zarr/data_type.h"

#include <inttypes.h>
#include <math.h>

/* The bytes of one entry of a shard's index. */
enum { ENTRY_BYTES = 16 };

static nwbz_code check_axis(const nz_array_meta *meta, unsigned d, nwbz_code bad, nwbz_error *err)
{
    if (meta->shape[d] > INT64_MAX || meta->object_shape[d] > INT64_MAX || meta->piece_shape[d] > INT64_MAX)
        return nz_fail(err, bad, "axis %u is longer than 2^63-1", d);
    if (meta->piece_shape[d] == 0 || meta->object_shape[d] == 0)
        return nz_fail(err, bad, "axis %u of the %s shape is 0; it must be 1 or more", d,
                       meta->piece_shape[d] == 0 ? "chunk" : "shard");
    if (meta->object_shape[d] % meta->piece_shape[d] != 0)
        return nz_fail(err, bad, "axis %u: shards of %" PRIu64 " are no whole multiple of chunks of %" PRIu64, d,
                       meta->object_shape[d], meta->piece_shape[d]);
    return NWBZ_OK;
}

nwbz_code nz_grid_check(const nz_array_meta *meta, nwbz_code bad, nwbz_error *err)
{
    for (unsigned d = 0; d < meta->n_dims; d++)
        NZ_TRY(check_axis(meta, d, bad, err));
    uint64_t n_bytes, counts[NWBZ_MAX_DIMS];
    NZ_TRY(nz_data_type_check(&meta->dtype, bad, err));
    if (!nz_count(meta->piece_shape, meta->n_dims, nz_dtype_bytes(&meta->dtype), &n_bytes) || n_bytes > INT64_MAX)
        return nz_fail(err, NWBZ_ELIMIT, "one chunk has more than 2^63-1 bytes");
    uint64_t n_texts = n_bytes / sizeof(nwbz_string),
             most_texts = NZ_CODEC_MAX_BYTES / 4; /* each takes 4 bytes at least */
    if (meta->dtype.type == NWBZ_STRING && n_texts > most_texts)
        return nz_fail(err, NWBZ_ELIMIT, "one chunk has %" PRIu64 " texts, of at most %" PRIu64, n_texts, most_texts);
    nz_grid_inner_counts(meta, counts);
    if (!nz_count(counts, meta->n_dims, ENTRY_BYTES, &n_bytes) || n_bytes > NZ_CODEC_MAX_BYTES)
        return nz_fail(err, NWBZ_ELIMIT, "one shard has more than %" PRIu64 " chunks: its index cannot be held",
                       NZ_CODEC_MAX_BYTES / ENTRY_BYTES);
    return NWBZ_OK;
}

void nz_grid_counts(unsigned n_dims, const uint64_t *shape, const uint64_t *cell, uint64_t *counts)
{
    for (unsigned d = 0; d < n_dims; d++)
        counts[d] = nz_ceil_div(shape[d], cell[d]);
}

void nz_grid_inner_counts(const nz_array_meta *meta, uint64_t *counts)
{
    for (unsigned d = 0; d < meta->n_dims; d++)
        counts[d] = meta->object_shape[d] / meta->piece_shape[d];
}

uint64_t nz_grid_pieces(const nz_array_meta *meta)
{
    uint64_t counts[NWBZ_MAX_DIMS], n = 0;
    nz_grid_inner_counts(meta, counts);
    return nz_count(counts, meta->n_dims, 1, &n) ? n : 0; /* it fits: nz_grid_check() */
}

uint64_t nz_grid_piece_bytes(const nz_array_meta *meta)
{
    uint64_t n = 0;
    return nz_count(meta->piece_shape, meta->n_dims, nz_dtype_bytes(&meta->dtype), &n) ? n : 0; /* fits: nz_grid_check() */
}

/* Multiply in doubles from the left, as NumPy's prod() does: the rule compares rounded numbers. */
static double chunk_bytes_of(unsigned n_dims, const double *chunk, double element_bytes)
{
    double n = 1;
    for (unsigned d = 0; d < n_dims; d++)
        n *= chunk[d];
    return n * element_bytes;
}

void nz_default_chunk_shape(unsigned n_dims, const uint64_t *shape, uint64_t element_bytes, uint64_t *chunk_shape)
{
    const double increment = 256 * 1024, least = 128 * 1024, most = 64 * 1024 * 1024, element = (double)element_bytes;
    double chunk[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < n_dims; d++)
        chunk[d] = (double)nz_max(shape[d], 1);
    double bytes = chunk_bytes_of(n_dims, chunk, element);
    double target = fmin(fmax(increment * pow(2, log10(bytes / (1024.0 * 1024))), least), most);
    for (unsigned i = 0; bytes > element; i = (i + 1) % n_dims) {
        if ((bytes < target || fabs(bytes - target) / target < 0.5) && bytes < most)
            break;
        chunk[i] = ceil(chunk[i] / 2);
        bytes = chunk_bytes_of(n_dims, chunk, element);
    }
    for (unsigned d = 0; d < n_dims; d++)
        chunk_shape[d] = (uint64_t)chunk[d];
}
