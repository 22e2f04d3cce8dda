/* Chunk shapes for recordings: narrow in channels, so that few channels can be read without the rest, and long in
 * frames, so that a chunk has the 10 MB that codecs and disks like.  A length that is not known counts as long. */
#include "nwb/layout.h"

#include "base/checked.h"

#include <string.h>

enum { MAX_COLUMNS = 64, MIN_PART = 8 };
#define CHUNK_BYTES UINT64_C(10000000)

/* Axis 1 is cut at 64 columns, further axes are whole; `frames`: at most so many (UINT64_MAX: any). */
static void default_chunks(const nz_source_info *info, uint64_t frames, uint64_t *chunk)
{
    uint64_t row_bytes;
    chunk[0] = 1;
    for (unsigned d = 1; d < info->n_dims; d++)
        chunk[d] = nz_max(1, d == 1 ? nz_min(info->shape[d], MAX_COLUMNS) : info->shape[d]);
    if (!nz_count(chunk, info->n_dims, nwbz_type_size(info->type), &row_bytes))
        row_bytes = UINT64_MAX;
    chunk[0] = nz_max(1, nz_min(CHUNK_BYTES / row_bytes, frames));
}

/* The largest divisor of `shard` up to `wanted`. */
static uint64_t part_of(uint64_t shard, uint64_t wanted)
{
    uint64_t best = 1;
    for (uint64_t i = 1; i <= shard / i; i++) {
        if (shard % i != 0)
            continue;
        if (i <= wanted)
            best = nz_max(best, i);
        if (shard / i <= wanted)
            return nz_max(best, shard / i); /* the first that fits is the largest of those */
    }
    return best;
}

/* Fit chunks to given shards, where no chunks are given. */
static nwbz_code fit_chunks(const nz_source_info *info, const uint64_t *shard, uint64_t *chunk, nwbz_error *err)
{
    default_chunks(info, UINT64_MAX, chunk);
    for (unsigned d = 0; d < info->n_dims; d++) {
        uint64_t part = part_of(shard[d], chunk[d]);
        if (part < nz_min(chunk[d], shard[d]) / MIN_PART)
            return nz_fail(err, NWBZ_EINVAL,
                           "shards of %llu along axis %u cannot be cut evenly into chunks of some %llu: give chunks, "
                           "or other shards",
                           (unsigned long long)shard[d], d, (unsigned long long)chunk[d]);
        chunk[d] = part;
    }
    return NWBZ_OK;
}

static nwbz_code check_shape(const char *what, const uint64_t *shape, unsigned n, unsigned n_dims, nwbz_error *err)
{
    if (n != n_dims)
        return nz_fail(err, NWBZ_EINVAL, "%s have %u axes and the data %u", what, n, n_dims);
    for (unsigned d = 0; d < n; d++)
        if (shape[d] == 0)
            return nz_fail(err, NWBZ_EINVAL, "%s cannot be 0 long along axis %u", what, d);
    return NWBZ_OK;
}

nwbz_code nz_layout_of_data(const nwbz_write_options *options, const nz_source_info *info, nz_layout *layout,
                            nwbz_error *err)
{
    memset(layout, 0, sizeof *layout);
    layout->codec = options->codec != NULL ? options->codec : nwbz_default_codec();
    if (options->chunk_shape != NULL) {
        NZ_TRY(check_shape("chunks", options->chunk_shape, options->n_chunk_dims, info->n_dims, err));
        memcpy(layout->chunk_shape, options->chunk_shape, info->n_dims * sizeof *layout->chunk_shape);
    }
    if (options->shard_shape != NULL) {
        NZ_TRY(check_shape("shards", options->shard_shape, options->n_shard_dims, info->n_dims, err));
        memcpy(layout->shard_shape, options->shard_shape, info->n_dims * sizeof *layout->shard_shape);
    }
    if (options->chunk_shape == NULL && options->shard_shape != NULL)
        return fit_chunks(info, layout->shard_shape, layout->chunk_shape, err);
    if (options->chunk_shape == NULL)
        default_chunks(info, info->shape[0], layout->chunk_shape);
    for (unsigned d = 0; options->shard_shape != NULL && d < info->n_dims; d++)
        if (layout->shard_shape[d] % layout->chunk_shape[d] != 0)
            return nz_fail(err, NWBZ_EINVAL, "shards of %llu along axis %u are no multiple of chunks of %llu",
                           (unsigned long long)layout->shard_shape[d], d, (unsigned long long)layout->chunk_shape[d]);
    return NWBZ_OK;
}

void nz_layout_of_timestamps(const nwbz_write_options *options, const nz_source_info *info, nz_layout *layout)
{
    memset(layout, 0, sizeof *layout);
    layout->codec = options->codec != NULL ? options->codec : nwbz_default_codec();
    default_chunks(info, info->shape[0], layout->chunk_shape);
}
