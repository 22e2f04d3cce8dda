/* `crc32c`: the bytes, then their CRC-32C in 4 bytes, little-endian (Zarr v3 core, codecs/crc32c). */
#include "base/crc32c.h"

#include "codec/codec.h"
#include "codec/config.h"

#include <string.h>

enum { SUM_BYTES = 4 };

static nwbz_code crc32c_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    static const char *const none[] = { NULL };
    (void)dtype;
    *self = NULL;
    return nz_config_check(configuration, "crc32c", none, err);
}

static void crc32c_close(void *self)
{
    (void)self;
}

static nwbz_code crc32c_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    (void)self, (void)err;
    *configuration = NULL;
    return NWBZ_OK;
}

static uint64_t crc32c_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return n_bytes + SUM_BYTES;
}

static uint64_t crc32c_work_bytes(const void *self, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    return 0;
}

static nwbz_code crc32c_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                               size_t *n_out, nwbz_error *err)
{
    (void)self, (void)worker;
    if (room < SUM_BYTES || n > room - SUM_BYTES)
        return nz_fail(err, NWBZ_EINVAL, "codec crc32c: %zu bytes and their sum, room for %zu", n, room);
    uint32_t sum = nz_crc32c(0, in, n);
    if (n && out != in)
        memcpy(out, in, n);
    for (int i = 0; i < SUM_BYTES; i++)
        ((unsigned char *)out)[n + (size_t)i] = (unsigned char)(sum >> 8 * i);
    *n_out = n + SUM_BYTES;
    return NWBZ_OK;
}

static nwbz_code crc32c_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                               size_t *n_out, nwbz_error *err)
{
    (void)self, (void)worker;
    if (n < SUM_BYTES)
        return nz_fail(err, NWBZ_EFORMAT, "crc32c: %zu bytes, and the sum alone takes %d", n, SUM_BYTES);
    *n_out = n - SUM_BYTES;
    if (*n_out > room)
        return nz_fail(err, NWBZ_ELIMIT, "crc32c: %zu bytes are stored, room for %zu", *n_out, room);
    const unsigned char *at = (const unsigned char *)in + *n_out;
    uint32_t stored = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint32_t sum = nz_crc32c(0, in, *n_out);
    if (sum != stored)
        return nz_fail(err, NWBZ_EFORMAT, "crc32c: the %zu bytes have the sum %08x, stored is %08x", *n_out,
                       (unsigned)sum, (unsigned)stored);
    if (*n_out && out != in)
        memcpy(out, in, *n_out);
    return NWBZ_OK;
}

const nz_codec_class nz_codec_crc32c = {
    .name = "crc32c",
    .array_to_bytes = false,
    .fixed_size = true,
    .is_trailer = true,
    .open = crc32c_open,
    .close = crc32c_close,
    .format = crc32c_format,
    .bound = crc32c_bound,
    .work_bytes = crc32c_work_bytes,
    .encode = crc32c_encode,
    .decode = crc32c_decode,
};
