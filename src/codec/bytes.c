/* `bytes`: elements one after another in one byte order (Zarr v3 core, codecs/bytes).
 *
 * In memory numbers are little-endian, so "little" changes nothing and the chain leaves it out; "big" swaps every unit:
 * a number, half a complex one, a character of UTF-32, and in records those of each field (zarr-extensions,
 * data-types/struct).  What a record needs is put down once as runs of equal units.  One-byte types have no byte order: a
 * configuration is read and forgotten.
 */
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/config.h"

#include <inttypes.h>
#include <string.h>

/* `n` units of `unit_bytes`, more than 1, at a place of the element. */
typedef struct swap_run {
    uint64_t offset_bytes, n;
    size_t unit_bytes;
} swap_run;

typedef struct bytes_codec {
    uint64_t element_bytes;
    uint64_t whole_bytes; /* what is swapped at once: an element, or one unit where it is nothing but equal units */
    bool has_order, big_endian;
    swap_run *runs; /* of an element; NULL where nothing is swapped */
    size_t n_runs;
} bytes_codec;

enum { LITTLE, BIG, NOT_SAID };
static const char *const endians[] = { "little", "big", NULL };
static const char *const members[] = { "endian", NULL };

static void bytes_close(void *self)
{
    bytes_codec *codec = self;
    if (codec)
        nz_free(codec->runs);
    nz_free(codec);
}

/* ---- Where to swap ---- */

static size_t count_leaves(const nz_dtype *dtype)
{
    size_t n = dtype->type != NWBZ_STRUCT;
    for (size_t i = 0; i < dtype->n_fields; i++)
        n += count_leaves(&dtype->fields[i].dtype);
    return n;
}

/* Add the runs of an element that lies at `offset` of the record, joined to the one before where they touch. */
static void add_runs(bytes_codec *codec, const nz_dtype *dtype, uint64_t offset)
{
    size_t unit_bytes = nz_type_swap_size(dtype->type);
    swap_run *last = codec->n_runs ? &codec->runs[codec->n_runs - 1] : NULL;
    for (size_t i = 0; i < dtype->n_fields; i++)
        add_runs(codec, &dtype->fields[i].dtype, offset + dtype->fields[i].offset_bytes);
    if (dtype->type == NWBZ_STRUCT || unit_bytes < 2)
        return;
    uint64_t n = nz_dtype_bytes(dtype) / unit_bytes;
    if (last && last->unit_bytes == unit_bytes && last->offset_bytes + last->n * unit_bytes == offset)
        last->n += n;
    else
        codec->runs[codec->n_runs++] = (swap_run){ offset, n, unit_bytes };
}

static nwbz_code make_runs(bytes_codec *codec, const nz_dtype *dtype, nwbz_error *err)
{
    size_t n = count_leaves(dtype);
    codec->runs = nz_calloc(n, sizeof *codec->runs);
    if (!codec->runs)
        return nz_fail_memory(err, n * sizeof *codec->runs, "a codec");
    add_runs(codec, dtype, 0);
    if (codec->n_runs == 1 && codec->runs->n * codec->runs->unit_bytes == codec->element_bytes)
        codec->whole_bytes = codec->runs->unit_bytes;
    return NWBZ_OK;
}

static nwbz_code bytes_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    unsigned endian = NOT_SAID;
    if (dtype->type == NWBZ_STRING)
        return nz_fail(err, NWBZ_EFORMAT,
                       "codec bytes: elements of type string have no fixed size (vlen-utf8 stores them)");
    NZ_TRY(nz_config_check(configuration, "bytes", members, err));
    NZ_TRY(nz_config_choice(configuration, "bytes", "endian", endians, NOT_SAID, &endian, err));
    bool has_order = nz_dtype_has_order(dtype);
    if (has_order && endian == NOT_SAID)
        return nz_fail(err, NWBZ_EFORMAT, "codec bytes: \"endian\" is missing, and elements of type %s need it",
                       nwbz_type_name(dtype->type));
    bytes_codec *codec = nz_calloc(1, sizeof *codec);
    if (!codec)
        return nz_fail_memory(err, sizeof *codec, "a codec");
    codec->element_bytes = codec->whole_bytes = nz_dtype_bytes(dtype);
    codec->has_order = has_order;
    codec->big_endian = endian == BIG && has_order;
    nwbz_code code = codec->big_endian ? make_runs(codec, dtype, err) : NWBZ_OK;
    if (code == NWBZ_OK)
        *self = codec;
    else
        bytes_close(codec);
    return code;
}

static nwbz_code bytes_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    const bytes_codec *codec = self;
    *configuration = NULL;
    if (!codec->has_order)
        return NWBZ_OK;
    nz_json *object = nz_json_new_object();
    nwbz_code code = nz_json_put(object, "endian", nz_json_new_text(endians[codec->big_endian]), err);
    if (code == NWBZ_OK)
        *configuration = object;
    else
        nz_json_free(object);
    return code;
}

static bool bytes_is_identity(const void *self)
{
    return !((const bytes_codec *)self)->big_endian;
}

static uint64_t bytes_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return n_bytes;
}

static uint64_t bytes_work_bytes(const void *self, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    return 0;
}

/* Copy whole elements, and swap what is to be swapped on the way, or where there is more than one run, behind it. */
static nwbz_code copy(const bytes_codec *codec, const void *in, size_t n, void *out, size_t *n_out)
{
    const swap_run *run = codec->runs;
    *n_out = n;
    if (codec->n_runs && codec->whole_bytes < codec->element_bytes) {
        nz_swap_bytes(in, out, n / run->unit_bytes, run->unit_bytes);
        return NWBZ_OK;
    }
    if (n)
        memcpy(out, in, n);
    for (size_t at = 0; codec->n_runs && at < n; at += codec->element_bytes)
        for (size_t i = 0; i < codec->n_runs; i++) {
            char *place = (char *)out + at + run[i].offset_bytes;
            nz_swap_bytes(place, place, run[i].n, run[i].unit_bytes);
        }
    return NWBZ_OK;
}

/* Swapping needs whole units, or whole records. */
static bool is_whole(const bytes_codec *codec, size_t n)
{
    return codec->n_runs == 0 || n % codec->whole_bytes == 0;
}

static nwbz_code bytes_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                              size_t *n_out, nwbz_error *err)
{
    const bytes_codec *codec = self;
    (void)worker;
    if (n > room)
        return nz_fail(err, NWBZ_EINVAL, "codec bytes: %zu bytes, room for %zu", n, room);
    if (!is_whole(codec, n))
        return nz_fail(err, NWBZ_EINVAL, "codec bytes: %zu bytes are no whole number of %" PRIu64 "-byte units", n,
                       codec->whole_bytes);
    return copy(codec, in, n, out, n_out);
}

static nwbz_code bytes_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                              size_t *n_out, nwbz_error *err)
{
    const bytes_codec *codec = self;
    (void)worker;
    *n_out = n;
    if (n > room)
        return nz_fail(err, NWBZ_ELIMIT, "%zu bytes are stored where %zu are expected", n, room);
    if (!is_whole(codec, n))
        return nz_fail(err, NWBZ_EFORMAT, "%zu bytes are stored: no whole number of %" PRIu64 "-byte units", n,
                       codec->whole_bytes);
    return copy(codec, in, n, out, n_out);
}

const nz_codec_class nz_codec_bytes = {
    .name = "bytes",
    .array_to_bytes = true,
    .fixed_size = true,
    .open = bytes_open,
    .close = bytes_close,
    .format = bytes_format,
    .is_identity = bytes_is_identity,
    .bound = bytes_bound,
    .work_bytes = bytes_work_bytes,
    .encode = bytes_encode,
    .decode = bytes_decode,
};
