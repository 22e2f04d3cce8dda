/* `bytes`: elements one after another in one byte order (Zarr v3 core, codecs/bytes).
 *
 * In memory numbers are little-endian, so "little" changes nothing and the chain leaves it out; "big" swaps every unit
 * (half an element for complex).  One-byte types have no byte order: a configuration is read and forgotten.
 */
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/config.h"
#include "model/dtype.h"

#include <inttypes.h>
#include <string.h>

typedef struct bytes_codec {
    size_t unit_bytes; /* 1: no byte order */
    bool big_endian;
} bytes_codec;

enum { LITTLE, BIG, NOT_SAID };
static const char *const endians[] = { "little", "big", NULL };
static const char *const members[] = { "endian", NULL };

static nwbz_code bytes_open(const nz_json *configuration, nwbz_type type, void **self, nwbz_error *err)
{
    unsigned endian = NOT_SAID;
    if (type == NWBZ_STRING)
        return nz_fail(err, NWBZ_EFORMAT,
                       "codec bytes: elements of type string have no fixed size (vlen-utf8 stores them)");
    NZ_TRY(nz_config_check(configuration, "bytes", members, err));
    NZ_TRY(nz_config_choice(configuration, "bytes", "endian", endians, NOT_SAID, &endian, err));
    size_t unit_bytes = nz_type_swap_size(type);
    if (unit_bytes > 1 && endian == NOT_SAID)
        return nz_fail(err, NWBZ_EFORMAT, "codec bytes: \"endian\" is missing, and elements of type %s need it",
                       nwbz_type_name(type));
    bytes_codec *codec = nz_malloc(sizeof *codec);
    if (!codec)
        return nz_fail_memory(err, sizeof *codec, "a codec");
    codec->unit_bytes = unit_bytes;
    codec->big_endian = endian == BIG && unit_bytes > 1;
    *self = codec;
    return NWBZ_OK;
}

static nwbz_code bytes_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    const bytes_codec *codec = self;
    *configuration = NULL;
    if (codec->unit_bytes == 1)
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

static nwbz_code copy(const bytes_codec *codec, const void *in, size_t n, void *out, size_t *n_out)
{
    *n_out = n;
    if (n && codec->big_endian)
        nz_swap_bytes(in, out, n / codec->unit_bytes, codec->unit_bytes);
    else if (n)
        memcpy(out, in, n);
    return NWBZ_OK;
}

static nwbz_code bytes_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                              size_t *n_out, nwbz_error *err)
{
    const bytes_codec *codec = self;
    (void)worker;
    if (n > room)
        return nz_fail(err, NWBZ_EINVAL, "codec bytes: %zu bytes, room for %zu", n, room);
    if (n % codec->unit_bytes)
        return nz_fail(err, NWBZ_EINVAL, "codec bytes: %zu bytes are no whole number of %zu-byte units", n,
                       codec->unit_bytes);
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
    if (n % codec->unit_bytes)
        return nz_fail(err, NWBZ_EFORMAT, "%zu bytes are stored: no whole number of %zu-byte units", n,
                       codec->unit_bytes);
    return copy(codec, in, n, out, n_out);
}

const nz_codec_class nz_codec_bytes = {
    .name = "bytes",
    .array_to_bytes = true,
    .fixed_size = true,
    .open = bytes_open,
    .close = nz_free,
    .format = bytes_format,
    .is_identity = bytes_is_identity,
    .bound = bytes_bound,
    .work_bytes = bytes_work_bytes,
    .encode = bytes_encode,
    .decode = bytes_decode,
};
