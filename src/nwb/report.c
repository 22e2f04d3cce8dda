/* The report grows by one entry at a time: there are a handful in a run. */
#include "nwb/report.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MANY_OBJECTS UINT64_C(100000)

static nwbz_code set_text(char **to, const char *text, nwbz_error *err)
{
    nz_free(*to);
    *to = nz_strdup(text);
    return *to != NULL ? NWBZ_OK : nz_fail_memory(err, strlen(text) + 1, "the report");
}

/* Add a zeroed entry to a list. */
static void *add_entry(void **list, size_t *n, size_t entry_bytes)
{
    char *grown = nz_realloc(*list, (*n + 1) * entry_bytes);
    if (grown == NULL)
        return NULL;
    *list = grown;
    memset(grown + *n * entry_bytes, 0, entry_bytes);
    return grown + (*n)++ * entry_bytes;
}

nwbz_code nz_report_begin(nwbz_report *report, const char *source, const char *destination, nwbz_error *err)
{
    if (report == NULL)
        return NWBZ_OK;
    NZ_TRY(set_text(&report->source, source, err));
    return set_text(&report->destination, destination, err);
}

nwbz_code nz_report_warn(nwbz_report *report, nwbz_error *err, const char *path, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (report == NULL)
        return NWBZ_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nwbz_warning *warning = add_entry((void **)&report->warnings, &report->n_warnings, sizeof *warning);
    if (warning == NULL)
        return nz_fail_memory(err, sizeof *warning, "the report");
    NZ_TRY(set_text(&warning->path, path, err));
    return set_text(&warning->text, text, err);
}

/* Elements of the data as they are now; 0 while the length is not known. */
static uint64_t sample_bytes(const nwbz_array *array)
{
    uint64_t n_bytes;
    return nz_count(array->meta.shape, array->meta.n_dims, nwbz_type_size(array->meta.type), &n_bytes) ? n_bytes
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
    dataset->type = meta->type;
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
    dataset->n_read = count_cells(array, meta->piece_shape);
    dataset->source_reads = transfer->plan.source_reads;
}

nwbz_code nz_report_add_dataset(nwbz_report *report, const nwbz_array *array, const nz_transfer *transfer,
                                nwbz_error *err)
{
    if (report == NULL)
        return NWBZ_OK;
    nwbz_dataset_report *dataset = add_entry((void **)&report->datasets, &report->n_datasets, sizeof *dataset);
    if (dataset == NULL)
        return nz_fail_memory(err, sizeof *dataset, "the report");
    describe(array, transfer, dataset);
    uint64_t n_objects = dataset->n_objects;
    report->bytes_in += dataset->bytes;
    report->bytes_stored += dataset->stored_bytes;
    NZ_TRY(set_text(&dataset->path, array->path, err));
    NZ_TRY(set_text(&dataset->codec, array->codec_text != NULL ? array->codec_text : "", err));
    if (n_objects <= MANY_OBJECTS)
        return NWBZ_OK;
    return nz_report_warn(report, err, array->path,
                          "%" PRIu64 " objects, each a file: give shards (--shards), so that many chunks share one",
                          n_objects);
}
