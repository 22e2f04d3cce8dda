/* What became of a dataset is read off its array and its transfer. */
#include "engine/report.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

#define MANY_OBJECTS UINT64_C(100000)

/* Elements of the data as they are now; 0 while the length is not known. */
static uint64_t sample_bytes(const nwbz_array *array)
{
    uint64_t n_bytes;
    return nz_count(array->meta.shape, array->meta.n_dims, nz_dtype_bytes(&array->meta.dtype), &n_bytes) ? n_bytes
                                                                                                       : UINT64_MAX;
}

static uint64_t known(uint64_t count)
{
    return count == UINT64_MAX ? 0 : count;
}

/* Cells of the grid; an unknown length was 0 in the plan and is known after the run. */
static uint64_t count_cells(const nwbz_array *array, const uint64_t *cell)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < array->meta.n_dims; d++)
        if (!nz_mul(n, nz_ceil_div(array->meta.shape[d], cell[d]), &n))
            return UINT64_MAX;
    return n;
}

static void describe(const nwbz_array *array, const nz_transfer *transfer, nwbz_dataset_report *dataset)
{
    const nz_array_meta *meta = &array->meta;
    size_t n = meta->n_dims * sizeof(uint64_t);
    dataset->type = meta->dtype.type;
    dataset->n_dims = meta->n_dims;
    memcpy(dataset->shape, meta->shape, n);
    memcpy(dataset->chunk_shape, meta->piece_shape, n);
    if (meta->sharded)
        memcpy(dataset->shard_shape, meta->object_shape, n);
    dataset->bytes = sample_bytes(array);
    dataset->stored_bytes = transfer->stored_bytes;
    dataset->seconds = transfer->seconds;
    dataset->n_groups = known(transfer->plan.n_groups);
    dataset->n_objects = count_cells(array, meta->object_shape);
    bool copies = transfer->plan.feed == NZ_FEED_STORED;
    dataset->n_copied = copies ? transfer->n_copied : 0;
    dataset->n_read = copies ? transfer->n_read : count_cells(array, meta->piece_shape);
    dataset->source_reads = transfer->plan.source_reads;
}

nwbz_code nz_report_add_dataset(nwbz_report *report, const nwbz_array *array, const nz_transfer *transfer,
                                nwbz_error *err)
{
    if (report == NULL)
        return NWBZ_OK;
    nwbz_dataset_report *dataset = NULL;
    NZ_TRY(nz_report_dataset(report, array->path, array->codec_text != NULL ? array->codec_text : "", &dataset, err));
    describe(array, transfer, dataset);
    uint64_t n_objects = transfer->plan.feed == NZ_FEED_STORED ? transfer->n_objects_stored : dataset->n_objects; /* most may be absent */
    report->bytes_in += dataset->bytes;
    report->bytes_stored += dataset->stored_bytes;
    if (n_objects <= MANY_OBJECTS)
        return NWBZ_OK;
    return nz_report_warn(report, err, array->path,
                          "%" PRIu64 " objects, each a file: give shards (--shards), so that many chunks share one",
                          n_objects);
}
