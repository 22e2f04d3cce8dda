/* `vlen-utf8`: text of any length (zarr-extensions, codecs/vlen-utf8).
 *
 *   uint32 number of elements, then for each: uint32 length, bytes; little-endian
 *
 * Text has no fixed size, so the work is in two functions between elements and serialised bytes; as a codec of a chain
 * those bytes pass unchanged.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "codec/codec.h"
#include "codec/config.h"

#include <inttypes.h>
#include <string.h>

enum { COUNT_BYTES = 4 };

static void put_u32(char *out, uint32_t value)
{
    for (int i = 0; i < COUNT_BYTES; i++)
        out[i] = (char)(unsigned char)(value >> 8 * i);
}

static uint32_t get_u32(const unsigned char *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

/* Sum what the elements take, refusing those that no reader could take. */
static nwbz_code serialised_bytes(const nwbz_string *elements, uint64_t n, size_t *n_bytes, nwbz_error *err)
{
    uint64_t total = COUNT_BYTES;
    for (uint64_t i = 0; i < n; i++) {
        if (elements[i].n_bytes && !nz_utf8_is_valid(elements[i].bytes, elements[i].n_bytes))
            return nz_fail(err, NWBZ_EINVAL, "element %" PRIu64 " is not UTF-8", i);
        if (!nz_add(total, elements[i].n_bytes, &total) || !nz_add(total, COUNT_BYTES, &total) ||
            total > NZ_CODEC_MAX_BYTES)
            return nz_fail(err, NWBZ_ELIMIT,
                           "text of %" PRIu64 " elements takes more than the %" PRIu64 " bytes that one chunk can hold",
                           n, NZ_CODEC_MAX_BYTES);
    }
    *n_bytes = (size_t)total;
    return NWBZ_OK;
}

nwbz_code nz_vlen_utf8_encode(const nwbz_string *elements, uint64_t n, nz_buffer *out, nwbz_error *err)
{
    size_t n_bytes = 0;
    NZ_TRY(serialised_bytes(elements, n, &n_bytes, err));
    NZ_TRY(nz_buffer_reserve(out, n_bytes, err));
    char *at = out->bytes + out->n_bytes;
    put_u32(at, (uint32_t)n);
    at += COUNT_BYTES;
    for (uint64_t i = 0; i < n; i++) {
        put_u32(at, (uint32_t)elements[i].n_bytes);
        at += COUNT_BYTES;
        if (elements[i].n_bytes)
            memcpy(at, elements[i].bytes, elements[i].n_bytes);
        at += elements[i].n_bytes;
    }
    out->n_bytes += n_bytes;
    out->bytes[out->n_bytes] = 0;
    return NWBZ_OK;
}

nwbz_code nz_vlen_utf8_decode(const void *in, size_t n_bytes, uint64_t n, nwbz_string *elements, nwbz_error *err)
{
    const unsigned char *at = in;
    size_t left = n_bytes;
    if (left < COUNT_BYTES)
        return nz_fail(err, NWBZ_EFORMAT, "text chunk of %zu bytes, too short for its number of elements", n_bytes);
    if (get_u32(at) != n)
        return nz_fail(err, NWBZ_EFORMAT, "text chunk holds %" PRIu32 " elements, not %" PRIu64, get_u32(at), n);
    at += COUNT_BYTES, left -= COUNT_BYTES;
    for (uint64_t i = 0; i < n; i++) {
        if (left < COUNT_BYTES)
            return nz_fail(err, NWBZ_EFORMAT, "text chunk ends within the length of element %" PRIu64 " of %" PRIu64, i,
                           n);
        uint32_t length = get_u32(at);
        at += COUNT_BYTES, left -= COUNT_BYTES;
        if (length > left)
            return nz_fail(err, NWBZ_EFORMAT,
                           "element %" PRIu64 " of %" PRIu64 " has %" PRIu32 " bytes where %zu are left", i, n, length,
                           left);
        if (!nz_utf8_is_valid(at, length))
            return nz_fail(err, NWBZ_EFORMAT, "element %" PRIu64 " of %" PRIu64 " is not UTF-8", i, n);
        elements[i].bytes = (const char *)at;
        elements[i].n_bytes = length;
        at += length, left -= length;
    }
    if (left)
        return nz_fail(err, NWBZ_EFORMAT, "text chunk has %zu bytes behind its last element, at %zu of %zu", left,
                       n_bytes - left, n_bytes);
    return NWBZ_OK;
}

static nwbz_code vlen_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    static const char *const none[] = { NULL };
    *self = NULL;
    if (dtype->type != NWBZ_STRING)
        return nz_fail(err, NWBZ_EFORMAT, "codec vlen-utf8: it stores elements of type string, not %s",
                       nwbz_type_name(dtype->type));
    return nz_config_check(configuration, "vlen-utf8", none, err);
}

/* zarr-python writes {} rather than nothing, and so does hdmf-zarr through it. */
static nwbz_code vlen_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    (void)self;
    *configuration = nz_json_new_object();
    return *configuration ? NWBZ_OK : nz_fail_memory(err, 0, "a codec's configuration");
}

static bool vlen_is_identity(const void *self)
{
    (void)self;
    return true;
}

static uint64_t vlen_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return n_bytes;
}

static uint64_t vlen_work_bytes(const void *self, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    return 0;
}

static nwbz_code vlen_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    (void)self, (void)worker;
    if (n > room)
        return nz_fail(err, NWBZ_EINVAL, "codec vlen-utf8: %zu bytes, room for %zu", n, room);
    if (n)
        memcpy(out, in, n);
    *n_out = n;
    return NWBZ_OK;
}

static nwbz_code vlen_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    *n_out = n;
    if (n > room)
        return nz_fail(err, NWBZ_ELIMIT, "%zu bytes of text are stored, room for %zu", n, room);
    return vlen_encode(self, worker, in, n, out, room, n_out, err);
}

static void vlen_close(void *self)
{
    (void)self;
}

const nz_codec_class nz_codec_vlen_utf8 = {
    .name = "vlen-utf8",
    .array_to_bytes = true,
    .fixed_size = false,
    .open = vlen_open,
    .close = vlen_close,
    .format = vlen_format,
    .is_identity = vlen_is_identity,
    .bound = vlen_bound,
    .work_bytes = vlen_work_bytes,
    .encode = vlen_encode,
    .decode = vlen_decode,
};
