/* A stream as a source: read once, in order, by the calling thread (a signal must reach the read, to end it).
 *
 * A pipe gives what it has, most often 64 KiB, and not whole frames: reading goes on until the frames asked for are
 * whole or the stream ends.  So nothing is carried from one box to the next, and an end within a frame is seen where
 * it is.
 */
#include "source/rows.h"

#include "base/checked.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"

#include <inttypes.h>

/* What is best read at once, and the memory in which channels are picked: this, or one frame. */
#define BLOCK_BYTES ((uint64_t)1 << 20)

typedef struct stream_source {
    nwbz_source base;
    nz_rows rows;
    int fd; /* borrowed */
    int (*interrupted)(void *);
    void *user;
    char *scratch;          /* where frames are picked from or skipped to; NULL: neither */
    uint64_t scratch_bytes; /* at least one frame */
    uint64_t position;      /* in frames */
    bool begun, ended;
} stream_source;

static stream_source *stream_of(nwbz_source *source)
{
    return (stream_source *)source;
}

/* Read until `n` bytes are there or the stream ends. */
static nwbz_code read_until(stream_source *self, char *bytes, uint64_t n, uint64_t *n_read, nwbz_error *err)
{
    *n_read = 0;
    while (*n_read < n && !self->ended) {
        int64_t got = 0;
        NZ_TRY(nz_file_read_stream(self->fd, bytes + *n_read, (size_t)(n - *n_read), &got, err));
        if (got < 0 && self->interrupted && self->interrupted(self->user) != 0)
            return nz_fail(err, NWBZ_ECANCELED, "interrupted while reading, after %" PRIu64 " frames", self->position);
        if (got == 0)
            self->ended = true;
        else if (got > 0)
            *n_read += (uint64_t)got;
    }
    return NWBZ_OK;
}

static nwbz_code skip_offset(stream_source *self, nwbz_error *err)
{
    uint64_t left = self->rows.offset_bytes, got = 0;
    for (; left > 0 && !self->ended; left -= got)
        NZ_TRY(read_until(self, self->scratch, nz_min(left, self->scratch_bytes), &got, err));
    if (left == 0)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_ESOURCE, "the stream ends after %" PRIu64 " bytes, before offset %" PRIu64,
                   self->rows.offset_bytes - left, self->rows.offset_bytes);
}

/* Read up to `n` frames to `out`, all channels or those wanted; *n_frames is how many came. */
static nwbz_code read_frames(stream_source *self, uint64_t n, char *out, uint64_t *n_frames, nwbz_error *err)
{
    const nz_rows *rows = &self->rows;
    uint64_t n_read = 0;
    char *to = rows->channels ? self->scratch : out;
    NZ_TRY(read_until(self, to, n * rows->row_bytes, &n_read, err));
    *n_frames = n_read / rows->row_bytes;
    if (n_read % rows->row_bytes != 0)
        return nz_fail(err, NWBZ_ESOURCE,
                       "the stream ends in the middle of a frame: %" PRIu64 " of %" PRIu64 " bytes, after %" PRIu64
                       " whole frames",
                       n_read % rows->row_bytes, rows->row_bytes, self->position + *n_frames);
    if (rows->channels)
        nz_rows_pick(rows, to, 0, *n_frames, 0, rows->n_channels, out);
    self->position += *n_frames;
    return nz_rows_finish(rows, out,
                          *n_frames * (rows->channels ? rows->n_channels * rows->element_bytes : rows->row_bytes), err);
}

/* Read `n` frames, or those that come before the end; channels are picked block by block. */
static nwbz_code read_blocks(stream_source *self, uint64_t n, char *out, uint64_t *n_frames, nwbz_error *err)
{
    const nz_rows *rows = &self->rows;
    uint64_t most = rows->channels ? self->scratch_bytes / rows->row_bytes : n, got = 0;
    uint64_t out_bytes = rows->channels ? rows->n_channels * rows->element_bytes : rows->row_bytes;
    for (*n_frames = 0; *n_frames < n && !self->ended; *n_frames += got)
        NZ_TRY(read_frames(self, nz_min(most, n - *n_frames), out + *n_frames * out_bytes, &got, err));
    return NWBZ_OK;
}

/* After the last frame of a declared length: nothing more may come. */
static nwbz_code check_end(stream_source *self, nwbz_error *err)
{
    char byte;
    uint64_t n_read = 0;
    NZ_TRY(read_until(self, &byte, 1, &n_read, err));
    if (n_read == 0)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_ESOURCE, "the stream goes on after the %" PRIu64 " frames of its shape", self->position);
}

static nwbz_code read_next(stream_source *self, const nz_box *box, char *elements, uint64_t *n_rows, nwbz_error *err)
{
    uint64_t length = self->base.info.shape[0];
    if (box->start[0] != self->position)
        return nz_fail(err, NWBZ_EINVAL, "a stream is read in order: frame %" PRIu64 " comes next, not %" PRIu64,
                       self->position, box->start[0]);
    if (!self->begun)
        NZ_TRY(skip_offset(self, err));
    self->begun = true;
    if (nz_box_count(box) > 0)
        NZ_TRY(read_blocks(self, box->shape[0], elements, n_rows, err));
    else
        self->position += box->shape[0]; /* frames without channels take no bytes */
    if (length == NWBZ_UNKNOWN_LENGTH)
        return NWBZ_OK;
    if (*n_rows < box->shape[0])
        return nz_fail(err, NWBZ_ESOURCE, "the stream ends after %" PRIu64 " of %" PRIu64 " frames", self->position,
                       length);
    return self->position == length ? check_end(self, err) : NWBZ_OK;
}

static nwbz_code read_box(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err)
{
    (void)reader;
    return nz_where(err, read_next(stream_of(source), box, elements, n_rows, err), "%s", source->info.name);
}

static void stream_close(nwbz_source *source)
{
    stream_source *self = stream_of(source);
    nz_rows_done(&self->rows);
    nz_free(self->scratch);
    nz_free(self);
}

static const nz_source_class stream_class = { .read_box = read_box, .close = stream_close };

static nwbz_code prepare(stream_source *self, const nwbz_raw_options *options, nwbz_error *err)
{
    nz_source_info *info = &self->base.info;
    const nz_rows *rows = &self->rows;
    NZ_TRY(nz_rows_init(&self->rows, options, 1, info, err));
    uint64_t out_bytes = rows->channels ? rows->n_channels * rows->element_bytes : rows->row_bytes;
    info->natural[0] = nz_max(nz_min(BLOCK_BYTES / nz_max(out_bytes, 1), info->shape[0]), 1);
    info->forward = info->whole_boxes = info->caller_thread_only = true;
    info->max_readers = 1;
    info->name = self->fd == 0 ? "standard input" : "stream";
    if (!rows->channels && rows->offset_bytes == 0)
        return NWBZ_OK;
    self->scratch_bytes = rows->channels ? nz_max(BLOCK_BYTES, rows->row_bytes) : BLOCK_BYTES;
    info->reader_bytes = self->scratch_bytes;
    self->scratch = nz_malloc_large((size_t)self->scratch_bytes);
    return self->scratch ? NWBZ_OK : nz_fail_memory(err, (size_t)self->scratch_bytes, "reading a stream");
}

nwbz_code nwbz_source_new_stream(int fd, const nwbz_raw_options *options, int (*interrupted)(void *), void *user,
                                 nwbz_source **source, nwbz_error *err)
{
    nwbz_raw_options own = NWBZ_RAW_OPTIONS_INIT;
    *source = NULL;
    NZ_TRY(nz_options_take(&own, sizeof own, options, err));
    stream_source *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a source");
    self->base.class = &stream_class;
    self->fd = fd;
    self->interrupted = interrupted;
    self->user = user;
    nwbz_code code = prepare(self, &own, err);
    if (code != NWBZ_OK) {
        stream_close(&self->base);
        return code;
    }
    *source = &self->base;
    return NWBZ_OK;
}
