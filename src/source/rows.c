/* Channels are picked row by row, run by run: channels that follow one another in the file are copied at once.
 * Single channels are copied by code that knows the element's size, since a copy of unknown length would cost a call
 * for each two bytes.
 */
#include "source/rows.h"

#include "base/checked.h"
#include "base/memory.h"
#include "model/dtype.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static nwbz_code check_layout(const nwbz_raw_options *options, unsigned min_dims, nwbz_error *err)
{
    if (options->type == NWBZ_STRING || nwbz_type_size(options->type) == 0)
        return nz_fail(err, NWBZ_EINVAL, "raw samples are numbers or bool, not of type '%s'",
                       nwbz_type_name(options->type));
    if (options->n_dims < min_dims || options->n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "a shape of %u axes is given; it must be %u to %d", options->n_dims, min_dims,
                       NWBZ_MAX_DIMS);
    if (options->n_dims > 0 && !options->shape)
        return nz_fail(err, NWBZ_EINVAL, "no shape is given for %u axes", options->n_dims);
    for (unsigned d = 1; d < options->n_dims; d++)
        if (options->shape[d] == NWBZ_UNKNOWN_LENGTH)
            return nz_fail(err, NWBZ_EINVAL, "only the first axis may have an unknown length, not axis %u", d);
    if (options->channels && options->n_dims != 2)
        return nz_fail(err, NWBZ_EINVAL, "channels can be picked where the shape is frames,channels, not of %u axes",
                       options->n_dims);
    if (options->channels && options->n_channels == 0)
        return nz_fail(err, NWBZ_EINVAL, "the list of channels is empty");
    return NWBZ_OK;
}

/* Take the sizes; all that is computed with later fits a file offset. */
static nwbz_code take_layout(nz_rows *rows, const nwbz_raw_options *options, nwbz_error *err)
{
    rows->type = options->type;
    rows->element_bytes = nwbz_type_size(options->type);
    rows->big_endian = options->big_endian;
    rows->swap_bytes = options->big_endian ? nz_type_swap_size(options->type) : 1;
    rows->n_dims = options->n_dims;
    rows->offset_bytes = options->offset_bytes;
    if (rows->n_dims)
        memcpy(rows->shape, options->shape, rows->n_dims * sizeof *rows->shape);
    unsigned n_inner = rows->n_dims ? rows->n_dims - 1 : 0;
    if (!nz_count(rows->shape + 1, n_inner, rows->element_bytes, &rows->row_bytes) || rows->row_bytes > INT64_MAX)
        return nz_fail(err, NWBZ_EINVAL, "one frame of the shape has more bytes than a file can have");
    uint64_t total = rows->row_bytes;
    if (rows->n_dims && rows->shape[0] == NWBZ_UNKNOWN_LENGTH) {
        if (rows->row_bytes == 0)
            return nz_fail(err, NWBZ_EINVAL, "the number of frames cannot be found where a frame has 0 bytes");
    } else if (rows->n_dims && !nz_mul(rows->shape[0], rows->row_bytes, &total)) {
        total = UINT64_MAX;
    }
    if (!nz_add(total, rows->offset_bytes, &total) || total > INT64_MAX)
        return nz_fail(err, NWBZ_EINVAL, "offset %" PRIu64 " and the shape are more bytes than a file can have",
                       rows->offset_bytes);
    return NWBZ_OK;
}

static int compare_channels(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static nwbz_code check_channels(const nwbz_raw_options *options, nwbz_error *err)
{
    size_t n = options->n_channels;
    for (size_t i = 0; i < n; i++)
        if (options->channels[i] >= options->shape[1])
            return nz_fail(err, NWBZ_EINVAL,
                           "channel %" PRIu64 " does not exist: there are %" PRIu64 ", counted from 0",
                           options->channels[i], options->shape[1]);
    uint64_t *sorted = nz_calloc(n, sizeof *sorted);
    if (!sorted)
        return nz_fail_memory(err, n, "the list of channels");
    memcpy(sorted, options->channels, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_channels);
    nwbz_code code = NWBZ_OK;
    for (size_t i = 1; i < n && code == NWBZ_OK; i++)
        if (sorted[i] == sorted[i - 1])
            code = nz_fail(err, NWBZ_EINVAL, "channel %" PRIu64 " is in the list twice", sorted[i]);
    nz_free(sorted);
    return code;
}

static nwbz_code take_channels(nz_rows *rows, const nwbz_raw_options *options, nwbz_error *err)
{
    NZ_TRY(check_channels(options, err));
    size_t n = options->n_channels;
    rows->channels = nz_calloc(n, sizeof *rows->channels);
    rows->run_lengths = nz_calloc(n, sizeof *rows->run_lengths);
    if (!rows->channels || !rows->run_lengths)
        return nz_fail_memory(err, n * sizeof *rows->channels, "the list of channels");
    rows->n_channels = n;
    memcpy(rows->channels, options->channels, n * sizeof *rows->channels);
    for (size_t i = n; i-- > 0;) {
        bool joined = i + 1 < n && rows->channels[i + 1] == rows->channels[i] + 1;
        rows->run_lengths[i] = joined ? rows->run_lengths[i + 1] + 1 : 1;
    }
    return NWBZ_OK;
}

static void describe(const nz_rows *rows, nz_source_info *info)
{
    info->type = rows->type;
    info->n_dims = rows->n_dims;
    memcpy(info->shape, rows->shape, sizeof info->shape);
    if (rows->channels)
        info->shape[1] = rows->n_channels;
    for (unsigned d = 0; d < rows->n_dims; d++)
        info->natural[d] = d == 0 ? 1 : nz_max(info->shape[d], 1);
}

nwbz_code nz_rows_init(nz_rows *rows, const nwbz_raw_options *options, unsigned min_dims, nz_source_info *info,
                       nwbz_error *err)
{
    memset(rows, 0, sizeof *rows);
    NZ_TRY(check_layout(options, min_dims, err));
    NZ_TRY(take_layout(rows, options, err));
    if (options->channels)
        NZ_TRY(take_channels(rows, options, err));
    describe(rows, info);
    return NWBZ_OK;
}

void nz_rows_done(nz_rows *rows)
{
    nz_free(rows->channels);
    nz_free(rows->run_lengths);
    rows->channels = rows->run_lengths = NULL;
}

void nz_rows_span(const nz_rows *rows, uint64_t first, uint64_t n, uint64_t *skip_bytes, uint64_t *span_bytes)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint64_t i = first; i < first + n; i += rows->run_lengths[i]) {
        uint64_t end = rows->channels[i] + nz_min(rows->run_lengths[i], first + n - i);
        low = nz_min(low, rows->channels[i]);
        high = nz_max(high, end);
    }
    *skip_bytes = low * rows->element_bytes;
    *span_bytes = (high - low) * rows->element_bytes;
}

/* Pick from one frame, of which `row` holds what lies behind `skip_bytes`; return the end of what was written. */
static inline char *pick_row(const nz_rows *rows, const char *row, uint64_t skip_bytes, uint64_t first, uint64_t n,
                             char *out, size_t element_bytes)
{
    for (uint64_t i = first, end = first + n; i < end;) {
        uint64_t run = nz_min(rows->run_lengths[i], end - i);
        const char *from = row + (rows->channels[i] * element_bytes - skip_bytes);
        if (run == 1)
            memcpy(out, from, element_bytes);
        else
            memcpy(out, from, run * element_bytes);
        out += run * element_bytes;
        i += run;
    }
    return out;
}

void nz_rows_pick(const nz_rows *rows, const char *in, uint64_t skip_bytes, uint64_t n_rows, uint64_t first, uint64_t n,
                  char *out)
{
    const char *row = in;
    for (uint64_t r = 0; r < n_rows; r++, row += rows->row_bytes)
        switch (rows->element_bytes) { /* constant sizes: a single channel is one load and one store */
        case 1:
            out = pick_row(rows, row, skip_bytes, first, n, out, 1);
            break;
        case 2:
            out = pick_row(rows, row, skip_bytes, first, n, out, 2);
            break;
        case 4:
            out = pick_row(rows, row, skip_bytes, first, n, out, 4);
            break;
        case 8:
            out = pick_row(rows, row, skip_bytes, first, n, out, 8);
            break;
        default:
            out = pick_row(rows, row, skip_bytes, first, n, out, 16);
        }
}

static nwbz_code check_bools(const unsigned char *bytes, uint64_t n, nwbz_error *err)
{
    unsigned char seen = 0;
    for (uint64_t i = 0; i < n; i++)
        seen |= bytes[i];
    if (seen <= 1)
        return NWBZ_OK;
    while (*bytes <= 1)
        bytes++;
    return nz_fail(err, NWBZ_ESOURCE, "a byte is %u where a bool, 0 or 1, is expected; read it as uint8", *bytes);
}

nwbz_code nz_rows_finish(const nz_rows *rows, void *elements, uint64_t n_bytes, nwbz_error *err)
{
    if (rows->swap_bytes > 1)
        nz_swap_bytes(elements, elements, (size_t)(n_bytes / rows->swap_bytes), rows->swap_bytes);
    return rows->type == NWBZ_BOOL ? check_bools(elements, n_bytes, err) : NWBZ_OK;
}
