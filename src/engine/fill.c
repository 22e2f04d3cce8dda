/* The public calls that move samples of one array: each is a plan and a run.
 *
 * Appending is the same groups filled from outside: rows wait in a band of whole objects, and a full band is a run of its own over the memory it
 * waits in, so that acquisition pays for encoding once a band, in parallel, and the bytes are those of nwbz_array_fill().  The document is
 * renewed after the objects, so it never names rows that are not stored.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "base/options.h"
#include "engine/run.h"
#include "zarr/array.h"

#include <nwbz/array.h>
#include <string.h>

enum { BAND_BYTES = 64 << 20 }; /* what an append waits for, where objects are smaller */

/* Plan and run one transfer. */
static nwbz_code move(nwbz_source *source, nz_target *target, const nz_box *region, const nz_run_options *options, uint64_t *n_rows, nwbz_error *err)
{
    nz_transfer transfer = { .source = source, .target = target };
    NZ_TRY(nz_plan_make(&source->info, &target->info, region, options->number_of_jobs, options->memory_limit_bytes, &transfer.plan, err));
    NZ_TRY(nz_run(&transfer, 1, options, err));
    if (n_rows)
        *n_rows = transfer.n_rows;
    return NWBZ_OK;
}

static nwbz_code take_options(const nwbz_fill_options *given, const char *kind, nz_run_options *run, nwbz_error *err)
{
    nwbz_fill_options options = NWBZ_FILL_OPTIONS_INIT;
    NZ_TRY(nz_options_take(&options, sizeof options, given, err));
    nz_run_options_of(&options, run);
    run->kind = kind;
    return NWBZ_OK;
}

static nwbz_code refuse_text(const nwbz_array *array, const char *instead, nwbz_error *err)
{
    if (array->meta.dtype.type != NWBZ_STRING)
        return NWBZ_OK;
    return nz_where(err, nz_fail(err, NWBZ_EINVAL, "the array holds text: use %s", instead), "%s:%s", array->store->name, array->path);
}

nwbz_code nwbz_array_fill(nwbz_array *array, nwbz_source *source, const nwbz_fill_options *options, nwbz_error *err)
{
    nz_run_options run;
    nz_target *target = NULL;
    NZ_TRY(refuse_text(array, "nwbz_array_write_strings()", err));
    bool grows = source->info.n_dims > 0 && source->info.shape[0] == NWBZ_UNKNOWN_LENGTH;
    if (grows && (array->meta.n_dims == 0 || array->meta.shape[0] != 0))
        return nz_where(err, nz_fail(err, NWBZ_EINVAL, "a source of unknown length needs an array whose first axis is 0"), "%s:%s",
                        array->store->name, array->path);
    NZ_TRY(take_options(options, "write", &run, err));
    NZ_TRY(nz_target_of_array(array, grows, &target, err));
    nwbz_code code = move(source, target, NULL, &run, NULL, err);
    if (code == NWBZ_OK && grows)
        code = nz_array_put_document(array, err);
    target->class->free(target);
    return nz_where(err, code, "%s:%s", array->store->name, array->path);
}

/* Check that the box lies in the array, and that `n_bytes` is its size. */
static nwbz_code check_box(const nwbz_array *array, const uint64_t *start, const uint64_t *shape, size_t n_bytes, nz_box *box, nwbz_error *err)
{
    const nz_array_meta *meta = &array->meta;
    uint64_t wanted = 0;
    box->n_dims = meta->n_dims;
    for (unsigned d = 0; d < meta->n_dims; d++) {
        uint64_t end;
        if (!nz_add(start[d], shape[d], &end) || end > meta->shape[d])
            return nz_fail(err, NWBZ_EINVAL, "%llu to %llu is outside axis %u, which is %llu long", (unsigned long long)start[d],
                           (unsigned long long)(start[d] + shape[d]), d, (unsigned long long)meta->shape[d]);
        box->start[d] = start[d];
        box->shape[d] = shape[d];
    }
    if (!nz_count(box->shape, box->n_dims, nz_dtype_bytes(&meta->dtype), &wanted) || wanted != n_bytes)
        return nz_fail(err, NWBZ_EINVAL, "the box holds %llu bytes, and room is given for %zu", (unsigned long long)wanted, n_bytes);
    return NWBZ_OK;
}

nwbz_code nwbz_array_read(const nwbz_array *array, const uint64_t *start, const uint64_t *shape, void *elements, size_t n_bytes,
                          const nwbz_fill_options *options, nwbz_error *err)
{
    nz_run_options run;
    nz_box box;
    nwbz_source *source = NULL;
    nz_target *target = NULL;
    NZ_TRY(refuse_text(array, "nwbz_array_read_strings()", err));
    nwbz_code code = check_box(array, start, shape, n_bytes, &box, err);
    if (code != NWBZ_OK || n_bytes == 0)
        return nz_where(err, code, "%s:%s", array->store->name, array->path);
    NZ_TRY(take_options(options, "read", &run, err));
    code = nz_source_of_array(array, &source, err);
    if (code == NWBZ_OK)
        code = nz_target_of_memory(elements, &array->meta.dtype, array->meta.n_dims, array->meta.shape, &box, source->info.natural, &target, err);
    if (code == NWBZ_OK)
        code = move(source, target, &box, &run, NULL, err);
    if (target)
        target->class->free(target);
    nwbz_source_close(source);
    return nz_where(err, code, "%s:%s", array->store->name, array->path);
}

/* ---- append ---- */

/* The rows that wait: they begin at row `first` of the array, a multiple of the objects' rows. */
typedef struct band {
    unsigned char *bytes;
    uint64_t first, n_rows, room_rows, row_bytes;
} band;

static void free_band(void *append)
{
    band *b = append;
    if (b)
        nz_free(b->bytes);
    nz_free(b);
}

/* The band as a source of the array's rows, read where they lie. */
typedef struct band_source {
    nwbz_source base;
    const unsigned char *bytes;
    nz_box box; /* what the bytes are */
} band_source;

static nwbz_code read_band(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows, nwbz_error *err)
{
    const band_source *self = (const band_source *)source;
    (void)reader, (void)n_rows, (void)err;
    nz_box_copy(box, self->bytes, &self->box, elements, box, (size_t)nz_source_element_bytes(&source->info));
    return NWBZ_OK;
}

static const nz_source_class band_class = { .read_box = read_band };

/* Describe the band's rows, `region` of the array. */
static void describe_band(const nwbz_array *array, const band *b, const nz_box *region, band_source *source)
{
    nz_source_info *info = &source->base.info;
    source->base.class = &band_class;
    source->bytes = b->bytes;
    source->box = *region;
    info->type = array->meta.dtype.type;
    info->element_bytes = nz_dtype_bytes(&array->meta.dtype);
    info->n_dims = array->meta.n_dims;
    info->name = "appended rows";
    for (unsigned d = 0; d < info->n_dims; d++) {
        info->shape[d] = array->meta.shape[d];
        info->natural[d] = d == 0 ? 1 : nz_max(array->meta.shape[d], 1);
    }
}

/* Bytes of one row, and rows of a band: whole rows of objects, of about BAND_BYTES. */
static nwbz_code size_band(const nwbz_array *array, band *b, nwbz_error *err)
{
    const nz_array_meta *meta = &array->meta;
    uint64_t n_bytes = 0;
    if (!nz_count(meta->shape + 1, meta->n_dims - 1, nz_dtype_bytes(&meta->dtype), &b->row_bytes) ||
        !nz_mul(b->row_bytes, meta->object_shape[0], &n_bytes))
        return nz_fail(err, NWBZ_ELIMIT, "a row of chunks has more bytes than can be counted");
    b->room_rows = meta->object_shape[0] * nz_max(BAND_BYTES / nz_max(n_bytes, 1), 1);
    b->first = meta->shape[0] / meta->object_shape[0] * meta->object_shape[0];
    b->n_rows = meta->shape[0] - b->first;
    return NWBZ_OK;
}

/* Begin: rows of a last row of objects that is not full come back into memory, since it is written anew with what follows. */
static nwbz_code start_band(nwbz_array *array, const nwbz_fill_options *options, nwbz_error *err)
{
    uint64_t start[NWBZ_MAX_DIMS] = { 0 }, shape[NWBZ_MAX_DIMS];
    band *b = nz_calloc(1, sizeof *b);
    if (!b)
        return nz_fail_memory(err, sizeof *b, "rows to append");
    array->append = b;
    array->append_free = free_band;
    NZ_TRY(size_band(array, b, err));
    b->bytes = nz_malloc_large((size_t)(b->room_rows * b->row_bytes));
    if (!b->bytes)
        return nz_fail_memory(err, (size_t)(b->room_rows * b->row_bytes), "rows to append");
    memcpy(shape, array->meta.shape, sizeof shape);
    start[0] = b->first;
    shape[0] = b->n_rows;
    return nwbz_array_read(array, start, shape, b->bytes, (size_t)(b->n_rows * b->row_bytes), options, err);
}

/* Store what waits as rows first .. first + n_rows, then the document. */
static nwbz_code store_band(nwbz_array *array, band *b, const nwbz_fill_options *options, nwbz_error *err)
{
    uint64_t before = array->meta.shape[0];
    nz_run_options run;
    nz_box region;
    band_source source = { .bytes = NULL };
    nz_target *target = NULL;
    if (b->n_rows == 0 || b->first + b->n_rows == before)
        return NWBZ_OK;
    NZ_TRY(take_options(options, "write", &run, err));
    array->meta.shape[0] = b->first + b->n_rows;
    nz_box_of_shape(&region, array->meta.n_dims, array->meta.shape);
    region.start[0] = b->first;
    region.shape[0] = b->n_rows;
    describe_band(array, b, &region, &source);
    nwbz_code code = nz_target_of_array(array, false, &target, err);
    if (code == NWBZ_OK)
        code = move(&source.base, target, &region, &run, NULL, err);
    if (code == NWBZ_OK)
        code = nz_array_put_document(array, err);
    if (code != NWBZ_OK)
        array->meta.shape[0] = before;
    if (target)
        target->class->free(target);
    return code;
}

/* Let go of the whole rows of objects that are stored. */
static void empty_band(const nwbz_array *array, band *b)
{
    if (b->n_rows % array->meta.object_shape[0] != 0)
        return; /* the last row of objects is not full: it is stored again with what follows */
    b->first += b->n_rows;
    b->n_rows = 0;
}

nwbz_code nwbz_array_append(nwbz_array *array, const void *elements, uint64_t n_rows, const nwbz_fill_options *options, nwbz_error *err)
{
    NZ_TRY(refuse_text(array, "nwbz_array_write_strings()", err));
    if (array->meta.n_dims == 0)
        return nz_where(err, nz_fail(err, NWBZ_EINVAL, "a scalar has no rows to append to"), "%s:%s", array->store->name, array->path);
    if (!array->append) {
        nwbz_code code = start_band(array, options, err);
        if (code != NWBZ_OK) {
            free_band(array->append);
            array->append = NULL;
            return nz_where(err, code, "%s:%s", array->store->name, array->path);
        }
    }
    band *b = array->append;
    for (const unsigned char *at = elements; n_rows > 0;) {
        uint64_t n = nz_min(n_rows, b->room_rows - b->n_rows);
        memcpy(b->bytes + b->n_rows * b->row_bytes, at, (size_t)(n * b->row_bytes));
        b->n_rows += n;
        at += n * b->row_bytes;
        n_rows -= n;
        if (b->n_rows < b->room_rows)
            break;
        nwbz_code code = store_band(array, b, options, err);
        if (code != NWBZ_OK)
            return nz_where(err, code, "%s:%s", array->store->name, array->path);
        empty_band(array, b);
    }
    return NWBZ_OK;
}

nwbz_code nwbz_array_flush(nwbz_array *array, const nwbz_fill_options *options, nwbz_error *err)
{
    band *b = array->append;
    if (!b)
        return NWBZ_OK;
    nwbz_code code = store_band(array, b, options, err);
    if (code == NWBZ_OK)
        empty_band(array, b);
    return nz_where(err, code, "%s:%s", array->store->name, array->path);
}
