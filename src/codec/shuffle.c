/* `numcodecs.shuffle`: the first bytes of all elements, then the second ones, and so on; what HDF5's shuffle filter gives.
 *
 * Blocks of 256 elements go through a tile on the stack whose planes stand apart by a constant: with the element's size
 * constant too, the compiler makes vector permutations of the loops: 12 to 18 GB/s a core for 2, 4 and 8 bytes, 6 to 9 for
 * 16 (release build, SSE2).  Straight from `in` to `out` it could not, as it does not know that the planes are apart.  Other
 * sizes go byte by byte, at 2.5 GB/s.
 *
 * As numcodecs: a size of 1 or less changes nothing, and bytes that are no whole number of elements are an error.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/config.h"

#include <inttypes.h>
#include <string.h>

typedef struct shuffle_codec {
    int64_t said; /* "elementsize", as it stands */
    size_t element_bytes;
} shuffle_codec;

enum { BLOCK = 256, MAX_TILED = 16 };
static const char codec_name[] = "numcodecs.shuffle";
static const char *const members[] = { "elementsize", NULL };

static nwbz_code shuffle_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    int64_t said = 0;
    NZ_TRY(nz_config_check(configuration, codec_name, members, err));
    /* Left out it is the element's size, which zarr-python fills in. */
    if (!nz_json_get(configuration, "elementsize") && dtype->type == NWBZ_STRING)
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"elementsize\" is missing, and text has no size of its own",
                       codec_name);
    NZ_TRY(nz_config_int(configuration, codec_name, "elementsize", (int64_t)nz_min(nz_dtype_bytes(dtype), INT32_MAX),
                         INT32_MIN, INT32_MAX, &said, err));
    shuffle_codec *codec = nz_malloc(sizeof *codec);
    if (!codec)
        return nz_fail_memory(err, sizeof *codec, "a codec");
    codec->said = said;
    codec->element_bytes = said > 1 ? (size_t)said : 1;
    *self = codec;
    return NWBZ_OK;
}

static nwbz_code shuffle_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    nz_json *object = nz_json_new_object();
    nwbz_code code =
        nz_json_put(object, "elementsize", nz_json_new_int(((const shuffle_codec *)self)->said), err);
    *configuration = code == NWBZ_OK ? object : NULL;
    if (code != NWBZ_OK)
        nz_json_free(object);
    return code;
}

static uint64_t shuffle_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return n_bytes;
}

static uint64_t shuffle_work_bytes(const void *self, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    return 0;
}

/* ---- Bytes of elements into planes, and back ---- */

/* Split all whole blocks; inlined with a constant `size` of at most MAX_TILED.  Returns the elements that were done. */
static inline size_t split_blocks(const unsigned char *restrict in, unsigned char *restrict out, size_t n_elements,
                                  size_t size)
{
    unsigned char tile[MAX_TILED * BLOCK];
    size_t at = 0;
    for (; n_elements - at >= BLOCK; at += BLOCK) {
        for (size_t i = 0; i < BLOCK; i++)
            for (size_t k = 0; k < size; k++)
                tile[k * BLOCK + i] = in[(at + i) * size + k];
        for (size_t k = 0; k < size; k++)
            memcpy(out + k * n_elements + at, tile + k * BLOCK, BLOCK);
    }
    return at;
}

static inline size_t join_blocks(const unsigned char *restrict in, unsigned char *restrict out, size_t n_elements,
                                 size_t size)
{
    unsigned char tile[MAX_TILED * BLOCK];
    size_t at = 0;
    for (; n_elements - at >= BLOCK; at += BLOCK) {
        for (size_t k = 0; k < size; k++)
            memcpy(tile + k * BLOCK, in + k * n_elements + at, BLOCK);
        for (size_t i = 0; i < BLOCK; i++)
            for (size_t k = 0; k < size; k++)
                out[(at + i) * size + k] = tile[k * BLOCK + i];
    }
    return at;
}

static void split(const unsigned char *restrict in, unsigned char *restrict out, size_t n_elements, size_t size)
{
    size_t done = size == 2    ? split_blocks(in, out, n_elements, 2)
                  : size == 4  ? split_blocks(in, out, n_elements, 4)
                  : size == 8  ? split_blocks(in, out, n_elements, 8)
                  : size == 16 ? split_blocks(in, out, n_elements, 16)
                               : 0;
    for (; done < n_elements; done += nz_min(BLOCK, n_elements - done)) {
        size_t end = done + nz_min(BLOCK, n_elements - done);
        for (size_t k = 0; k < size; k++)
            for (size_t i = done; i < end; i++)
                out[k * n_elements + i] = in[i * size + k];
    }
}

static void join(const unsigned char *restrict in, unsigned char *restrict out, size_t n_elements, size_t size)
{
    size_t done = size == 2    ? join_blocks(in, out, n_elements, 2)
                  : size == 4  ? join_blocks(in, out, n_elements, 4)
                  : size == 8  ? join_blocks(in, out, n_elements, 8)
                  : size == 16 ? join_blocks(in, out, n_elements, 16)
                               : 0;
    for (; done < n_elements; done += nz_min(BLOCK, n_elements - done)) {
        size_t end = done + nz_min(BLOCK, n_elements - done);
        for (size_t k = 0; k < size; k++)
            for (size_t i = done; i < end; i++)
                out[i * size + k] = in[k * n_elements + i];
    }
}

/* ---- The codec ---- */

static nwbz_code shuffle_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                                size_t *n_out, nwbz_error *err)
{
    const shuffle_codec *codec = self;
    (void)worker;
    if (n > room)
        return nz_fail(err, NWBZ_EINVAL, "codec %s: %zu bytes, room for %zu", codec_name, n, room);
    if (n % codec->element_bytes)
        return nz_fail(err, NWBZ_EINVAL, "codec %s: %zu bytes are no whole number of elements of %zu bytes", codec_name,
                       n, codec->element_bytes);
    if (codec->element_bytes > 1)
        split(in, out, n / codec->element_bytes, codec->element_bytes);
    else if (n)
        memcpy(out, in, n);
    *n_out = n;
    return NWBZ_OK;
}

static nwbz_code shuffle_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                                size_t *n_out, nwbz_error *err)
{
    const shuffle_codec *codec = self;
    (void)worker;
    *n_out = n;
    if (n > room)
        return nz_fail(err, NWBZ_ELIMIT, "%zu shuffled bytes are stored where %zu are expected", n, room);
    if (n % codec->element_bytes)
        return nz_fail(err, NWBZ_EFORMAT, "%zu shuffled bytes are stored: no whole number of elements of %zu bytes", n,
                       codec->element_bytes);
    if (codec->element_bytes > 1)
        join(in, out, n / codec->element_bytes, codec->element_bytes);
    else if (n)
        memcpy(out, in, n);
    return NWBZ_OK;
}

const nz_codec_class nz_codec_numcodecs_shuffle = {
    .name = codec_name,
    .array_to_bytes = false,
    .fixed_size = true,
    .open = shuffle_open,
    .close = nz_free,
    .format = shuffle_format,
    .bound = shuffle_bound,
    .work_bytes = shuffle_work_bytes,
    .encode = shuffle_encode,
    .decode = shuffle_decode,
};
