/* Opening a raw file: it must hold exactly what the options say, since a wrong number of channels gives numbers that
 * look like data.  Sizes are asked of the open file, not of its name, so that both are of the same file.
 */
#include "source/raw.h"

#include "base/checked.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "source/identity.h"

#include <inttypes.h>
#include <stdio.h>

static nz_raw_source *raw_of(nwbz_source *source)
{
    return (nz_raw_source *)source;
}

/* ---- the file and its size --------------------------------------------------- */

static nwbz_code open_file(nz_raw_source *self, uint64_t *size_bytes, nwbz_error *err)
{
    nz_file_info look = { 0 };
    NZ_TRY(nz_file_open_read(self->path, NWBZ_ESOURCE, &self->fd, err)); /* does not wait for the other end of a pipe */
    NZ_TRY(nz_file_look_fd(self->fd, self->path, &look, err));
    *size_bytes = look.size_bytes;
    if (look.kind == NZ_FILE_FOLDER)
        return nz_fail(err, NWBZ_ESOURCE, "is a folder, not a file of samples");
    if (look.kind != NZ_FILE_REGULAR)
        return nz_fail(err, NWBZ_ESOURCE, "is no regular file; a pipe can be given as standard input");
    return NWBZ_OK;
}

/* Write "3600000,384"; of no axes "()". */
static void format_shape(const nz_rows *rows, char *text, size_t room)
{
    int n = snprintf(text, room, rows->n_dims ? "" : "()");
    for (unsigned d = 0; d < rows->n_dims && n >= 0 && (size_t)n < room; d++)
        n += snprintf(text + n, room - (size_t)n, d ? ",%" PRIu64 : "%" PRIu64, rows->shape[d]);
}

static nwbz_code fail_size(const nz_rows *rows, uint64_t size_bytes, uint64_t need_bytes, nwbz_error *err)
{
    char shape[160], hint[120] = "";
    format_shape(rows, shape, sizeof shape);
    uint64_t have = size_bytes > rows->offset_bytes ? size_bytes - rows->offset_bytes : 0;
    uint64_t n_over = rows->row_bytes ? have % rows->row_bytes : 0;
    if (rows->n_dims && rows->row_bytes)
        snprintf(hint, sizeof hint,
                 n_over ? "; %" PRIu64 " frames of %" PRIu64 " bytes would fit, and %" PRIu64 " be left over"
                        : "; %" PRIu64 " frames of %" PRIu64 " bytes would fit",
                 have / rows->row_bytes, rows->row_bytes, n_over);
    return nz_fail(err, NWBZ_ESOURCE,
                   "the file has %" PRIu64 " bytes, but shape %s of %s at offset %" PRIu64 " needs %" PRIu64 "%s",
                   size_bytes, shape, nwbz_type_name(rows->type), rows->offset_bytes, need_bytes, hint);
}

/* Find the number of frames where it is not known. */
static nwbz_code count_frames(nz_rows *rows, uint64_t size_bytes, nwbz_error *err)
{
    if (size_bytes < rows->offset_bytes)
        return nz_fail(err, NWBZ_ESOURCE, "the file has %" PRIu64 " bytes, so it ends before offset %" PRIu64,
                       size_bytes, rows->offset_bytes);
    uint64_t have = size_bytes - rows->offset_bytes;
    if (have % rows->row_bytes != 0)
        return nz_fail(err, NWBZ_ESOURCE,
                       "the file has %" PRIu64 " bytes: from offset %" PRIu64 " on that is %" PRIu64
                       " frames of %" PRIu64 " bytes, and %" PRIu64 " are left over",
                       size_bytes, rows->offset_bytes, have / rows->row_bytes, rows->row_bytes, have % rows->row_bytes);
    rows->shape[0] = have / rows->row_bytes;
    return NWBZ_OK;
}

static nwbz_code check_size(nz_raw_source *self, uint64_t size_bytes, nwbz_error *err)
{
    nz_rows *rows = &self->rows;
    if (rows->n_dims && rows->shape[0] == NWBZ_UNKNOWN_LENGTH) {
        NZ_TRY(count_frames(rows, size_bytes, err));
        self->base.info.shape[0] = rows->shape[0];
        return NWBZ_OK;
    }
    uint64_t need =
        rows->n_dims ? rows->shape[0] * rows->row_bytes : rows->row_bytes; /* nz_rows_init() saw that it fits */
    need += rows->offset_bytes;
    if (need == size_bytes || (self->longer_is_fine && need < size_bytes))
        return NWBZ_OK;
    return fail_size(rows, size_bytes, need, err);
}

/* ---- identity ------------------------------------------------------------------- */

static nwbz_code put_layout(const nz_rows *rows, nz_json *json, nwbz_error *err)
{
    NZ_TRY(nz_json_put(json, "dtype", nz_json_new_text(nwbz_type_name(rows->type)), err));
    NZ_TRY(nz_json_put(json, "big_endian", nz_json_new_bool(rows->big_endian), err));
    NZ_TRY(nz_json_put(json, "shape", nz_json_new_shape(rows->shape, rows->n_dims), err));
    NZ_TRY(nz_json_put(json, "offset_bytes", nz_json_new_uint(rows->offset_bytes), err));
    if (!rows->channels)
        return NWBZ_OK;
    return nz_json_put(json, "channels", nz_json_new_shape(rows->channels, (unsigned)rows->n_channels), err);
}

static nwbz_code identity(nwbz_source *source, nz_json **identity_json, nwbz_error *err)
{
    nz_raw_source *self = raw_of(source);
    *identity_json = NULL;
    nz_json *json = nz_json_new_object();
    if (!json)
        return nz_fail_memory(err, 0, "the identity of the source");
    nwbz_code code = nz_identity_put_file(json, self->fd, self->path, err);
    if (code == NWBZ_OK)
        code = put_layout(&self->rows, json, err);
    if (code == NWBZ_OK)
        *identity_json = json;
    else
        nz_json_free(json);
    return nz_where(err, code, "%s", self->path);
}

/* ---- open and close ------------------------------------------------------------- */

static nwbz_code reader_new(nwbz_source *source, void **reader, nwbz_error *err)
{
    (void)source;
    *reader = nz_malloc(NZ_RAW_SCRATCH_BYTES);
    return *reader ? NWBZ_OK : nz_fail_memory(err, NZ_RAW_SCRATCH_BYTES, "reading a raw file");
}

static void raw_close(nwbz_source *source)
{
    nz_raw_source *self = raw_of(source);
    nz_file_drop(self->fd);
    nz_rows_done(&self->rows);
    nz_free(self->path);
    nz_free(self);
}

static const nz_source_class raw_class = {
    .reader_new = reader_new,
    .reader_free = nz_free,
    .read_box = nz_raw_read_box,
    .identity = identity,
    .close = raw_close,
};

nwbz_code nz_raw_open(const char *path, const nwbz_raw_options *options, unsigned min_dims, nwbz_source **source,
                      nwbz_error *err)
{
    *source = NULL;
    nz_raw_source *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a source");
    self->base.class = &raw_class;
    self->fd = -1;
    uint64_t size_bytes = 0;
    nwbz_code code = NWBZ_OK;
    self->path = nz_strdup(path);
    if (!self->path)
        code = nz_fail_memory(err, 0, "the path of a source");
    if (code == NWBZ_OK)
        code = nz_rows_init(&self->rows, options, min_dims, &self->base.info, err);
    self->longer_is_fine = options->longer_is_fine;
    if (code == NWBZ_OK)
        code = open_file(self, &size_bytes, err);
    if (code == NWBZ_OK)
        code = check_size(self, size_bytes, err);
    if (code != NWBZ_OK) {
        raw_close(&self->base);
        return nz_where(err, code, "%s", path);
    }
    self->base.info.name = self->path;
    self->base.info.reader_bytes = NZ_RAW_SCRATCH_BYTES;
    *source = &self->base;
    return NWBZ_OK;
}

nwbz_code nwbz_source_open_raw(const char *path, const nwbz_raw_options *options, nwbz_source **source, nwbz_error *err)
{
    nwbz_raw_options own = NWBZ_RAW_OPTIONS_INIT;
    *source = NULL;
    NZ_TRY(nz_options_take(&own, sizeof own, options, err));
    return nz_raw_open(path, &own, 1, source, err);
}
