/* `gzip` (Zarr v3 core, codecs/gzip): one member, without name and time in its header, so that equal input gives equal
 * bytes.  `numcodecs.zlib`: the same compression as a zlib stream (RFC 1950), which is what HDF5's gzip filter stores.
 *
 * All levels are libdeflate's.  ISA-L's level 1 is twice as fast, but its bytes depend on what its context encoded
 * before (2 of 3,000 pieces differed, by a byte or so), which would make the store depend on the number of jobs.
 * Decoding is libdeflate's too, member by member (RFC 1952 allows several), of zlib exactly one stream; anything else
 * behind them is an error.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/config.h"

#include <libdeflate.h>
#include <string.h>

typedef struct gzip_codec {
    int level;
} gzip_codec;

typedef struct gzip_worker {
    struct libdeflate_compressor *compress;
    struct libdeflate_decompressor *decompress;
} gzip_worker;

enum { DEFAULT_LEVEL = 5, ZLIB_DEFAULT_LEVEL = 1, LEVEL_OF_MINUS_1 = 6 };
static const char *const members[] = { "level", NULL };

static nwbz_code open_level(const nz_json *configuration, const char *name, int fallback, int low, void **self,
                            nwbz_error *err)
{
    int64_t level = 0;
    NZ_TRY(nz_config_check(configuration, name, members, err));
    NZ_TRY(nz_config_int(configuration, name, "level", fallback, low, 9, &level, err));
    gzip_codec *codec = nz_malloc(sizeof *codec);
    if (!codec)
        return nz_fail_memory(err, sizeof *codec, "a codec");
    codec->level = (int)level;
    *self = codec;
    return NWBZ_OK;
}

static nwbz_code gzip_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    (void)dtype;
    return open_level(configuration, "gzip", DEFAULT_LEVEL, 0, self, err);
}

static nwbz_code zlib_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    (void)dtype;
    return open_level(configuration, "numcodecs.zlib", ZLIB_DEFAULT_LEVEL, -1, self, err);
}

static nwbz_code gzip_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    nz_json *object = nz_json_new_object();
    nwbz_code code = nz_json_put(object, "level", nz_json_new_int(((const gzip_codec *)self)->level), err);
    *configuration = code == NWBZ_OK ? object : NULL;
    if (code != NWBZ_OK)
        nz_json_free(object);
    return code;
}

static uint64_t gzip_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return libdeflate_gzip_compress_bound(NULL, (size_t)nz_min(n_bytes, SIZE_MAX / 2));
}

static uint64_t zlib_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return libdeflate_zlib_compress_bound(NULL, (size_t)nz_min(n_bytes, SIZE_MAX / 2));
}

static uint64_t gzip_work_bytes(const void *self, uint64_t n_bytes)
{
    (void)self, (void)n_bytes;
    return 1 << 20; /* measured: 0.7 MB with libdeflate 1.14 */
}

static void gzip_worker_free(void *worker)
{
    gzip_worker *w = worker;
    if (!w)
        return;
    libdeflate_free_compressor(w->compress);
    libdeflate_free_decompressor(w->decompress);
    nz_free(w);
}

static nwbz_code gzip_worker_new(const void *self, void **worker, nwbz_error *err)
{
    const gzip_codec *codec = self;
    gzip_worker *w = nz_calloc(1, sizeof *w);
    if (!w)
        return nz_fail_memory(err, sizeof *w, "a gzip worker");
    w->decompress = libdeflate_alloc_decompressor();
    w->compress = libdeflate_alloc_compressor(codec->level < 0 ? LEVEL_OF_MINUS_1 : codec->level);
    if (!w->decompress || !w->compress) {
        gzip_worker_free(w);
        return nz_fail(err, NWBZ_ENOMEM, "no memory for gzip's contexts");
    }
    *worker = w;
    return NWBZ_OK;
}

static nwbz_code gzip_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    gzip_worker *w = worker;
    (void)self;
    size_t got = 0;
    if (n <= NZ_CODEC_MAX_BYTES)
        got = libdeflate_gzip_compress(w->compress, in, n, out, room);
    if (got == 0)
        return nz_fail(err, NWBZ_EINVAL, "codec gzip: %zu bytes do not fit in room for %zu", n, room);
    *n_out = got;
    return NWBZ_OK;
}

static nwbz_code gzip_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    gzip_worker *w = worker;
    size_t at = 0, done = 0;
    char nothing = 0;
    (void)self;
    *n_out = 0;
    do {
        size_t used = 0, got = 0;
        enum libdeflate_result result =
            libdeflate_gzip_decompress_ex(w->decompress, (const char *)in + at, n - at,
                                          out ? (char *)out + done : &nothing, room - done, &used, &got);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
            return nz_fail(err, NWBZ_ELIMIT, "gzip data of %zu bytes hold more than the %zu that are expected", n,
                           room);
        if (result != LIBDEFLATE_SUCCESS && at > 0)
            return nz_fail(err, NWBZ_EFORMAT,
                           "behind a gzip member that ends at byte %zu of %zu stand bytes that are no whole member", at,
                           n);
        if (result != LIBDEFLATE_SUCCESS)
            return nz_fail(err, NWBZ_EFORMAT,
                           "gzip data of %zu bytes are cut or damaged (%zu bytes are expected from them)", n, room);
        at += used, done += got;
    } while (at < n);
    *n_out = done;
    return NWBZ_OK;
}

static nwbz_code zlib_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    gzip_worker *w = worker;
    (void)self;
    size_t got = 0;
    if (n <= NZ_CODEC_MAX_BYTES)
        got = libdeflate_zlib_compress(w->compress, in, n, out, room);
    if (got == 0)
        return nz_fail(err, NWBZ_EINVAL, "codec numcodecs.zlib: %zu bytes do not fit in room for %zu", n, room);
    *n_out = got;
    return NWBZ_OK;
}

static nwbz_code zlib_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    gzip_worker *w = worker;
    size_t used = 0, got = 0;
    char nothing = 0;
    (void)self;
    *n_out = 0;
    enum libdeflate_result result =
        libdeflate_zlib_decompress_ex(w->decompress, in, n, out ? out : &nothing, room, &used, &got);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return nz_fail(err, NWBZ_ELIMIT, "zlib data of %zu bytes hold more than the %zu that are expected", n, room);
    if (result != LIBDEFLATE_SUCCESS)
        return nz_fail(err, NWBZ_EFORMAT,
                       "zlib data of %zu bytes are cut or damaged (%zu bytes are expected from them)", n, room);
    if (used != n)
        return nz_fail(err, NWBZ_EFORMAT, "behind a zlib stream that ends at byte %zu of %zu stand others", used, n);
    *n_out = got;
    return NWBZ_OK;
}

const nz_codec_class nz_codec_gzip = {
    .name = "gzip",
    .array_to_bytes = false,
    .open = gzip_open,
    .close = nz_free,
    .format = gzip_format,
    .bound = gzip_bound,
    .work_bytes = gzip_work_bytes,
    .worker_new = gzip_worker_new,
    .worker_free = gzip_worker_free,
    .encode = gzip_encode,
    .decode = gzip_decode,
};

const nz_codec_class nz_codec_numcodecs_zlib = {
    .name = "numcodecs.zlib",
    .array_to_bytes = false,
    .open = zlib_open,
    .close = nz_free,
    .format = gzip_format,
    .bound = zlib_bound,
    .work_bytes = gzip_work_bytes,
    .worker_new = gzip_worker_new,
    .worker_free = gzip_worker_free,
    .encode = zlib_encode,
    .decode = zlib_decode,
};
