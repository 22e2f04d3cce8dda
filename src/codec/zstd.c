/* `zstd` (zarr-extensions, codecs/zstd): one frame with its content size; level 0 is the library's default, 3.
 * `numcodecs.zstd`: the same frame; any level, of which the library takes the nearest that it has.
 *
 * A worker keeps one context for each direction.  Its bytes do not depend on what it compressed before
 * (tests/unit/codec). Decoding goes frame by frame: zarr-python, zarrs and tensorstore write one frame, with or without
 * content size; several in a row and skippable ones are in the format (RFC 8878).  Frames older than version 0.8 are
 * refused, although the library may read them: no Zarr writer made any.
 */
#include "codec/zstd.h"

#include "base/checked.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "codec/config.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

typedef struct zstd_codec {
    int level;
    bool checksum;
} zstd_codec;

typedef struct zstd_worker {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
} zstd_worker;

enum { MAGIC_BYTES = 4, MiB = 1 << 20 };
static const char *const members[] = { "level", "checksum", NULL };

/* MiB of a context for inputs of any size, by level from 0: measured with ZSTD_sizeof_CCtx() of 1.5.4 up to level
 * 16, computed from the sizes of its hash and chain tables above; rounded up where other versions differ. */
static const unsigned context_mib[] = { 2,  1,  1,  2,  3,  4,  4,  7,   7,   13,  25, 50,
                                        50, 66, 66, 66, 66, 66, 66, 100, 170, 330, 650 };

uint64_t nz_zstd_work_bytes(int64_t level, uint64_t n_bytes)
{
    enum { N_LEVELS = sizeof context_mib / sizeof *context_mib };
    uint64_t whole = (uint64_t)MiB * context_mib[level < 0 ? 1 : level >= N_LEVELS ? N_LEVELS - 1 : level];
    /* Tables shrink with the input: at most 20 bytes for each byte of the next power of two. */
    uint64_t rounded = 1024;
    while (rounded < n_bytes && rounded < NZ_CODEC_MAX_BYTES)
        rounded *= 2;
    return nz_min(whole, 20 * rounded + 768 * 1024);
}

static nwbz_code open_level(const nz_json *configuration, const char *name, int low, int high, void **self,
                            nwbz_error *err)
{
    int64_t level = 0;
    bool checksum = false;
    NZ_TRY(nz_config_check(configuration, name, members, err));
    NZ_TRY(nz_config_int(configuration, name, "level", 0, low, high, &level, err));
    NZ_TRY(nz_config_bool(configuration, name, "checksum", false, &checksum, err));
    zstd_codec *codec = nz_malloc(sizeof *codec);
    if (!codec)
        return nz_fail_memory(err, sizeof *codec, "a codec");
    codec->level = (int)level;
    codec->checksum = checksum;
    *self = codec;
    return NWBZ_OK;
}

static nwbz_code zstd_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    (void)dtype;
    return open_level(configuration, "zstd", ZSTD_minCLevel(), ZSTD_maxCLevel(), self, err);
}

static nwbz_code numcodecs_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    (void)dtype;
    return open_level(configuration, "numcodecs.zstd", INT32_MIN, INT32_MAX, self, err);
}

static nwbz_code zstd_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    const zstd_codec *codec = self;
    nz_json *object = nz_json_new_object();
    nwbz_code code = nz_json_put(object, "level", nz_json_new_int(codec->level), err);
    if (code == NWBZ_OK)
        code = nz_json_put(object, "checksum", nz_json_new_bool(codec->checksum), err);
    *configuration = code == NWBZ_OK ? object : NULL;
    if (code != NWBZ_OK)
        nz_json_free(object);
    return code;
}

/* Older numcodecs does not know "checksum": written where it is true. */
static nwbz_code numcodecs_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    const zstd_codec *codec = self;
    nz_json *object = nz_json_new_object();
    nwbz_code code = nz_json_put(object, "level", nz_json_new_int(codec->level), err);
    if (code == NWBZ_OK && codec->checksum)
        code = nz_json_put(object, "checksum", nz_json_new_bool(true), err);
    *configuration = code == NWBZ_OK ? object : NULL;
    if (code != NWBZ_OK)
        nz_json_free(object);
    return code;
}

static uint64_t zstd_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    /* Above what one chunk may hold the library has no answer; the chain refuses such sizes by this number. */
    return n_bytes > NZ_CODEC_MAX_BYTES ? n_bytes + n_bytes / 256 : ZSTD_compressBound((size_t)n_bytes);
}

static uint64_t zstd_work_bytes(const void *self, uint64_t n_bytes)
{
    enum { DECOMPRESS_BYTES = 192 * 1024 };
    return nz_zstd_work_bytes(((const zstd_codec *)self)->level, n_bytes) + DECOMPRESS_BYTES;
}

static void zstd_worker_free(void *worker)
{
    zstd_worker *w = worker;
    if (!w)
        return;
    ZSTD_freeCCtx(w->compress);
    ZSTD_freeDCtx(w->decompress);
    nz_free(w);
}

static nwbz_code zstd_worker_new(const void *self, void **worker, nwbz_error *err)
{
    const zstd_codec *codec = self;
    zstd_worker *w = nz_calloc(1, sizeof *w);
    if (!w)
        return nz_fail_memory(err, sizeof *w, "a zstd worker");
    w->compress = ZSTD_createCCtx();
    w->decompress = ZSTD_createDCtx();
    if (!w->compress || !w->decompress ||
        ZSTD_isError(ZSTD_CCtx_setParameter(w->compress, ZSTD_c_compressionLevel, codec->level)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(w->compress, ZSTD_c_checksumFlag, codec->checksum))) {
        zstd_worker_free(w);
        return nz_fail(err, NWBZ_ENOMEM, "no memory for zstd's contexts");
    }
    *worker = w;
    return NWBZ_OK;
}

static nwbz_code zstd_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    zstd_worker *w = worker;
    (void)self;
    size_t got = ZSTD_compress2(w->compress, out, room, in, n);
    if (!ZSTD_isError(got)) {
        *n_out = got;
        return NWBZ_OK;
    }
    nwbz_code code = ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? NWBZ_ENOMEM : NWBZ_EINVAL;
    return nz_fail(err, code, "codec zstd: %zu bytes with room for %zu: %s", n, room, ZSTD_getErrorName(got));
}

static bool is_skippable(uint32_t magic)
{
    return (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

/* Find where the frame at `in` ends; refuse what is no frame of today's format. */
static nwbz_code find_frame(const unsigned char *in, size_t at, size_t n, size_t *n_frame, bool *skippable,
                            nwbz_error *err)
{
    uint32_t magic = 0;
    for (size_t i = 0; i < MAGIC_BYTES && at + i < n; i++)
        magic |= (uint32_t)in[at + i] << 8 * i;
    *skippable = is_skippable(magic);
    if (n - at < MAGIC_BYTES || (magic != ZSTD_MAGICNUMBER && !*skippable))
        return nz_fail(err, NWBZ_EFORMAT, "no zstd frame begins at byte %zu of %zu", at, n);
    size_t got = ZSTD_findFrameCompressedSize(in + at, n - at);
    if (ZSTD_isError(got) || got > n - at)
        return nz_fail(err, NWBZ_EFORMAT, "zstd frame at byte %zu of %zu is cut or damaged: %s", at, n,
                       ZSTD_isError(got) ? ZSTD_getErrorName(got) : "too long");
    *n_frame = got;
    return NWBZ_OK;
}

/* Say that what the n bytes hold does not fit: `done` bytes came before the frame of `content` bytes (or unknown). */
static nwbz_code fail_room(size_t n, size_t done, unsigned long long content, size_t room, size_t *n_out,
                           nwbz_error *err)
{
    uint64_t needed = 0;
    *n_out = 0;
    if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR || !nz_add(done, content, &needed) ||
        needed > SIZE_MAX)
        return nz_fail(err, NWBZ_ELIMIT, "zstd data of %zu bytes hold more than the %zu that are expected", n, room);
    *n_out = (size_t)needed;
    return nz_fail(err, NWBZ_ELIMIT, "zstd data hold %" PRIu64 " bytes or more, room for %zu", needed, room);
}

static nwbz_code zstd_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                             size_t *n_out, nwbz_error *err)
{
    zstd_worker *w = worker;
    size_t at = 0, done = 0;
    char nothing = 0;
    (void)self;
    *n_out = 0;
    if (n == 0)
        return nz_fail(err, NWBZ_EFORMAT, "0 bytes are stored where a zstd frame is expected");
    while (at < n) {
        size_t n_frame = 0;
        bool skippable = false;
        NZ_TRY(find_frame(in, at, n, &n_frame, &skippable, err));
        const char *frame = (const char *)in + at;
        at += n_frame;
        if (skippable)
            continue;
        unsigned long long content = ZSTD_getFrameContentSize(frame, n_frame);
        if (content < ZSTD_CONTENTSIZE_ERROR && content > room - done)
            return fail_room(n, done, content, room, n_out, err);
        size_t got =
            ZSTD_decompressDCtx(w->decompress, out ? (char *)out + done : &nothing, room - done, frame, n_frame);
        if (ZSTD_isError(got)) {
            if (ZSTD_getErrorCode(got) == ZSTD_error_dstSize_tooSmall && content == ZSTD_CONTENTSIZE_UNKNOWN)
                return fail_room(n, done, content, room, n_out, err);
            return nz_fail(err, NWBZ_EFORMAT, "zstd frame that ends at byte %zu of %zu is damaged: %s", at, n,
                           ZSTD_getErrorName(got));
        }
        done += got;
    }
    *n_out = done;
    return NWBZ_OK;
}

const nz_codec_class nz_codec_zstd = {
    .name = "zstd",
    .array_to_bytes = false,
    .open = zstd_open,
    .close = nz_free,
    .format = zstd_format,
    .bound = zstd_bound,
    .work_bytes = zstd_work_bytes,
    .worker_new = zstd_worker_new,
    .worker_free = zstd_worker_free,
    .encode = zstd_encode,
    .decode = zstd_decode,
};

const nz_codec_class nz_codec_numcodecs_zstd = {
    .name = "numcodecs.zstd",
    .array_to_bytes = false,
    .open = numcodecs_open,
    .close = nz_free,
    .format = numcodecs_format,
    .bound = zstd_bound,
    .work_bytes = zstd_work_bytes,
    .worker_new = zstd_worker_new,
    .worker_free = zstd_worker_free,
    .encode = zstd_encode,
    .decode = zstd_decode,
};
