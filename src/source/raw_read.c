/* Reading a box of a raw file: as few reads as the box allows, and never more memory than the reader's scratch.
 *
 *   box --axes that are whole are merged--> runs of bytes in lines of the file --read_run | read_lines--> elements
 *
 * A box as wide as the array is one run: one read, straight to where it shall lie.  Otherwise each line of the file
 * (a row, most often) holds one run that is wanted.  Lines are read in blocks, first to last wanted byte, and cut in
 * memory, as long as what lies between two runs is less than what a read of its own costs; else each run is read by
 * itself.  Measured with the file in the page cache: a read of its own costs 0.8 to 1.3 us, as much as 2 to 5 KiB more
 * in a block (rows of 512 to 16384 int16, runs of 8 to 256).  Channels out of order go the same way, but are picked
 * from scratch.
 */
#include "source/raw.h"

#include "base/checked.h"
#include "base/file.h"

#include <inttypes.h>
#include <string.h>

/* The gap between two runs above which each run is read by itself. */
#define GAP_BYTES ((uint64_t)4 << 10)

/* Equal runs at equal distances in the file: `n` lines, of which the bytes [at, at + span) of the first are wanted. */
typedef struct lines {
    uint64_t at, stride, span, n;
    uint64_t skip, first, n_channels; /* where channels are picked: `skip` bytes of the frame lie before `at` */
} lines;

/* One merged axis of the array, in elements. */
typedef struct axis {
    uint64_t length, start, count;
} axis;

/* ---- bytes ------------------------------------------------------------------------ */

static nwbz_code read_exactly(const nz_raw_source *self, void *bytes, size_t n, uint64_t offset, nwbz_error *err)
{
    size_t n_read = 0;
    NZ_TRY(nz_file_read_at(self->fd, bytes, n, offset, &n_read, NWBZ_ESOURCE, self->path, err));
    if (n_read == n)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_ESOURCE, "the file shrank while it was read: %zu of %zu bytes at offset %" PRIu64, n_read,
                   n, offset);
}

/* Read a run of elements to where it shall lie.  What is swapped or checked after reading comes in parts that stay in
 * the cache. */
static nwbz_code read_run(const nz_raw_source *self, uint64_t at, uint64_t n_bytes, char *out, nwbz_error *err)
{
    bool as_it_is = self->rows.swap_bytes <= 1 && self->rows.type != NWBZ_BOOL;
    uint64_t part = as_it_is ? n_bytes : NZ_RAW_SCRATCH_BYTES;
    for (uint64_t done = 0; done < n_bytes; done += part) {
        uint64_t n = nz_min(part, n_bytes - done);
        NZ_TRY(read_exactly(self, out + done, (size_t)n, at + done, err));
        NZ_TRY(nz_rows_finish(&self->rows, out + done, n, err));
    }
    return NWBZ_OK;
}

/* ---- lines -------------------------------------------------------------------------- */

/* Bytes that a line gives. */
static uint64_t line_bytes(const nz_raw_source *self, const lines *l)
{
    return self->rows.channels ? l->n_channels * self->rows.element_bytes : l->span;
}

/* Move what is wanted of `n` lines from `block`, which begins at the first wanted byte, to `out`. */
static nwbz_code cut_lines(const nz_raw_source *self, const lines *l, const char *block, uint64_t n, char *out,
                           nwbz_error *err)
{
    if (self->rows.channels)
        nz_rows_pick(&self->rows, block, l->skip, n, l->first, l->n_channels, out);
    else
        for (uint64_t i = 0; i < n; i++)
            memcpy(out + i * l->span, block + i * l->stride, l->span);
    return nz_rows_finish(&self->rows, out, n * line_bytes(self, l), err);
}

/*
 * Pick channels from one line that is longer than the scratch: a window of the file is kept there and moved to each
 * run that is not in it.  Ascending channels read each byte at most once.
 */
static nwbz_code pick_by_window(const nz_raw_source *self, char *scratch, const lines *l, uint64_t at, char *out,
                                nwbz_error *err)
{
    const nz_rows *rows = &self->rows;
    uint64_t row = at - l->skip, end = at + l->span, window = 0, window_end = 0, n_out = 0;
    for (uint64_t i = l->first; i < l->first + l->n_channels; i++) {
        uint64_t from = row + rows->channels[i] * rows->element_bytes;
        if (from < window || from + rows->element_bytes > window_end) {
            window = from;
            window_end = nz_min(end, from + NZ_RAW_SCRATCH_BYTES);
            NZ_TRY(read_exactly(self, scratch, (size_t)(window_end - window), window, err));
        }
        memcpy(out + n_out, scratch + (from - window), rows->element_bytes);
        n_out += rows->element_bytes;
    }
    return nz_rows_finish(rows, out, n_out, err);
}

/* Read each line by itself. */
static nwbz_code read_one_by_one(const nz_raw_source *self, char *scratch, const lines *l, char *out, nwbz_error *err)
{
    uint64_t n_out = line_bytes(self, l);
    for (uint64_t i = 0; i < l->n; i++, out += n_out) {
        uint64_t at = l->at + i * l->stride;
        if (!self->rows.channels) {
            NZ_TRY(read_run(self, at, l->span, out, err));
        } else if (l->span > NZ_RAW_SCRATCH_BYTES) {
            NZ_TRY(pick_by_window(self, scratch, l, at, out, err));
        } else {
            NZ_TRY(read_exactly(self, scratch, (size_t)l->span, at, err));
            NZ_TRY(cut_lines(self, l, scratch, 1, out, err));
        }
    }
    return NWBZ_OK;
}

static nwbz_code read_lines(const nz_raw_source *self, char *scratch, const lines *l, char *out, nwbz_error *err)
{
    if (!self->rows.channels && (l->n == 1 || l->stride == l->span))
        return read_run(self, l->at, l->n * l->span, out, err);
    if (l->stride > NZ_RAW_SCRATCH_BYTES || l->stride - l->span > GAP_BYTES)
        return read_one_by_one(self, scratch, l, out, err);
    uint64_t most = NZ_RAW_SCRATCH_BYTES / l->stride, n_out = line_bytes(self, l);
    for (uint64_t i = 0; i < l->n; i += most) {
        uint64_t n = nz_min(most, l->n - i);
        NZ_TRY(read_exactly(self, scratch, (size_t)((n - 1) * l->stride + l->span), l->at + i * l->stride, err));
        NZ_TRY(cut_lines(self, l, scratch, n, out + i * n_out, err));
    }
    return NWBZ_OK;
}

/* ---- boxes ------------------------------------------------------------------------------ */

/* Merge each axis that the box takes wholly into the one outside it; return how many are left (1 for a scalar). */
static unsigned merge_axes(const nz_rows *rows, const nz_box *box, axis *axes)
{
    unsigned n = 0;
    axes[0] = (axis){ 1, 0, 1 };
    for (unsigned d = 0; d < box->n_dims; d++) {
        axis *outer = n ? &axes[n - 1] : NULL;
        if (outer && box->start[d] == 0 && box->shape[d] == rows->shape[d]) {
            outer->length *= rows->shape[d];
            outer->start *= rows->shape[d];
            outer->count *= rows->shape[d];
        } else {
            axes[n++] = (axis){ rows->shape[d], box->start[d], box->shape[d] };
        }
    }
    return n ? n : 1;
}

/* Read a box of all channels: an outer loop over all axes but the last two, which are lines and the run in each. */
static nwbz_code read_plain(const nz_raw_source *self, char *scratch, const nz_box *box, char *out, nwbz_error *err)
{
    axis axes[NWBZ_MAX_DIMS + 1];
    unsigned n_axes = merge_axes(&self->rows, box, axes);
    unsigned n_outer = n_axes > 2 ? n_axes - 2 : 0;
    uint64_t counts[NWBZ_MAX_DIMS], index[NWBZ_MAX_DIMS] = { 0 }, n_times = 1;
    for (unsigned d = 0; d < n_outer; d++)
        n_times *= counts[d] = axes[d].count;
    const axis *run = &axes[n_axes - 1], *line = n_axes > 1 ? &axes[n_axes - 2] : NULL;
    lines l = { .stride = run->length * self->rows.element_bytes, .span = run->count * self->rows.element_bytes };
    l.n = line ? line->count : 1;
    for (uint64_t i = 0; i < n_times; i++) {
        uint64_t at = 0;
        nz_index_of(i, n_outer, counts, index);
        for (unsigned d = 0; d < n_outer; d++)
            at = (at + axes[d].start + index[d]) * axes[d + 1].length;
        if (line)
            at = (at + line->start) * run->length;
        l.at = self->rows.offset_bytes + (at + run->start) * self->rows.element_bytes;
        NZ_TRY(read_lines(self, scratch, &l, out + i * l.n * l.span, err));
    }
    return NWBZ_OK;
}

static nwbz_code read_channels(const nz_raw_source *self, char *scratch, const nz_box *box, char *out, nwbz_error *err)
{
    lines l = {
        .stride = self->rows.row_bytes, .n = box->shape[0], .first = box->start[1], .n_channels = box->shape[1]
    };
    nz_rows_span(&self->rows, l.first, l.n_channels, &l.skip, &l.span);
    l.at = self->rows.offset_bytes + box->start[0] * l.stride + l.skip;
    return read_lines(self, scratch, &l, out, err);
}

nwbz_code nz_raw_read_box(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err)
{
    const nz_raw_source *self = (const nz_raw_source *)source;
    (void)n_rows;
    if (nz_box_count(box) == 0)
        return NWBZ_OK;
    nwbz_code code = self->rows.channels ? read_channels(self, reader, box, elements, err)
                                         : read_plain(self, reader, box, elements, err);
    return nz_where(err, code, "%s", self->path);
}
