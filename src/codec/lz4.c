/* `numcodecs.lz4`: the number of bytes in 4, little-endian, then one LZ4 block.
 *
 * The state that encoding needs is the worker's and set up anew by the library for each block, so that equal input gives
 * equal bytes.  A block cannot hold more than 255 bytes for each of its own: a number over that is damage, and is never
 * asked memory for.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/config.h"

#include <inttypes.h>
#include <lz4.h>
#include <string.h>

typedef struct lz4_codec {
    int acceleration;
} lz4_codec;

enum { HEADER_BYTES = 4, MOST_PER_BYTE = 255 };
static const char codec_name[] = "numcodecs.lz4";
static const char *const members[] = { "acceleration", NULL };

static nwbz_code lz4_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    int64_t acceleration = 0;
    (void)dtype;
    NZ_TRY(nz_config_check(configuration, codec_name, members, err));
    /* numcodecs takes any number; the library makes 1 of those below, and its most of those above. */
    NZ_TRY(nz_config_int(configuration, codec_name, "acceleration", 1, INT32_MIN, INT32_MAX, &acceleration, err));
    lz4_codec *codec = nz_malloc(sizeof *codec);
    if (!codec)
        return nz_fail_memory(err, sizeof *codec, "a codec");
    codec->acceleration = (int)acceleration;
    *self = codec;
    return NWBZ_OK;
}

static nwbz_code lz4_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    nz_json *object = nz_json_new_object();
    nwbz_code code =
        nz_json_put(object, "acceleration", nz_json_new_int(((const lz4_codec *)self)->acceleration), err);
    *configuration = code == NWBZ_OK ? object : NULL;
    if (code != NWBZ_OK)
        nz_json_free(object);
    return code;
}

static uint64_t lz4_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    /* Above what the library takes at once the chain refuses by this number. */
    return n_bytes > LZ4_MAX_INPUT_SIZE ? nz_max(n_bytes, NZ_CODEC_MAX_BYTES) + 1 + n_bytes / 255
                                        : HEADER_BYTES + (uint64_t)LZ4_compressBound((int)n_bytes);
}

static uint64_t lz4_work_bytes(const void *self, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    return (uint64_t)LZ4_sizeofState() + 64;
}

static nwbz_code lz4_worker_new(const void *self, void **worker, nwbz_error *err)
{
    size_t n_bytes = (size_t)LZ4_sizeofState();
    (void)self;
    *worker = nz_malloc(n_bytes);
    return *worker ? NWBZ_OK : nz_fail_memory(err, n_bytes, "an LZ4 worker");
}

static nwbz_code lz4_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                            size_t *n_out, nwbz_error *err)
{
    unsigned char *header = out;
    int got = 0;
    if (n <= LZ4_MAX_INPUT_SIZE && room > HEADER_BYTES)
        got = LZ4_compress_fast_extState(worker, in, (char *)out + HEADER_BYTES, (int)n,
                                         (int)nz_min(room - HEADER_BYTES, INT32_MAX),
                                         ((const lz4_codec *)self)->acceleration);
    if (got <= 0)
        return nz_fail(err, NWBZ_EINVAL, "codec %s: %zu bytes (at most %d) do not fit in room for %zu", codec_name, n,
                       LZ4_MAX_INPUT_SIZE, room);
    for (int i = 0; i < HEADER_BYTES; i++)
        header[i] = (unsigned char)(n >> 8 * i);
    *n_out = HEADER_BYTES + (size_t)got;
    return NWBZ_OK;
}

static nwbz_code lz4_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                            size_t *n_out, nwbz_error *err)
{
    const unsigned char *header = in;
    (void)self, (void)worker;
    *n_out = 0;
    if (n <= HEADER_BYTES || n - HEADER_BYTES > INT32_MAX)
        return nz_fail(err, NWBZ_EFORMAT, "LZ4 data of %zu bytes: their header takes %d, their block 1 to %d", n,
                       HEADER_BYTES, INT32_MAX);
    size_t n_block = n - HEADER_BYTES;
    uint32_t claim = (uint32_t)header[0] | (uint32_t)header[1] << 8 | (uint32_t)header[2] << 16 |
                     (uint32_t)header[3] << 24;
    if (claim > LZ4_MAX_INPUT_SIZE || claim > (uint64_t)n_block * MOST_PER_BYTE)
        return nz_fail(err, NWBZ_EFORMAT,
                       "LZ4 data of %zu bytes are damaged: they cannot hold the %" PRIu32 " bytes of their header", n,
                       claim);
    *n_out = claim;
    if (claim > room)
        return nz_fail(err, NWBZ_ELIMIT, "LZ4 data hold %" PRIu32 " bytes, room for %zu", claim, room);
    char nothing = 0;
    int got = LZ4_decompress_safe((const char *)in + HEADER_BYTES, claim ? out : &nothing, (int)n_block, (int)claim);
    if (got < 0 || (uint32_t)got != claim)
        return nz_fail(err, NWBZ_EFORMAT,
                       "LZ4 data of %zu bytes are damaged: %" PRIu32 " bytes are expected, the library returned %d", n,
                       claim, got);
    return NWBZ_OK;
}

const nz_codec_class nz_codec_numcodecs_lz4 = {
    .name = codec_name,
    .array_to_bytes = false,
    .open = lz4_open,
    .close = nz_free,
    .format = lz4_format,
    .bound = lz4_bound,
    .work_bytes = lz4_work_bytes,
    .worker_new = lz4_worker_new,
    .worker_free = nz_free,
    .encode = lz4_encode,
    .decode = lz4_decode,
};
