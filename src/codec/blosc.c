/* `blosc` (Zarr v3 core, codecs/blosc): c-blosc 1 chunks.  `numcodecs.blosc`: the same chunks, its shuffle a number.
 *
 * Only the calls with a context of their own, one inner thread each: no global state, no environment variables, no
 * threads of the library's.  Equal input gives equal bytes.  Decoding trusts nothing but the header of the bytes,
 * checked by blosc_cbuffer_validate() and, for better words, before it.  The library allocates two blocks (32 KiB to 1
 * MiB each) per call: that is its own way, a chunk is hundreds of blocks.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "codec/blosc.h"
#include "codec/config.h"
#include "codec/zstd.h"

#include <blosc.h>
#include <inttypes.h>
#include <string.h>

typedef struct blosc_codec {
    unsigned cname, shuffle; /* places in the lists below */
    int level;
    size_t typesize, blocksize;
    int said_shuffle;   /* numcodecs: its number as it stands, AUTOSHUFFLE too */
    bool said_typesize; /* numcodecs: it stands there */
} blosc_codec;

static const char *const members[] = { "typesize", "cname", "clevel", "shuffle", "blocksize", NULL };
static const char *const cnames[] = { "lz4", "lz4hc", "blosclz", "snappy", "zlib", "zstd", NULL };
static const char *const shuffles[] = { "noshuffle", "shuffle", "bitshuffle",
                                        NULL }; /* the library's numbers 0, 1, 2 */
enum { CNAME_LZ4 = 0, CNAME_ZSTD = 5, DEFAULT_LEVEL = 5, AUTOSHUFFLE = -1, MAX_AUTOMATIC_BLOCK = 1 << 20 };

size_t nz_blosc_typesize(const nz_dtype *dtype)
{
    uint64_t n_bytes = dtype->type == NWBZ_STRING ? 1 : nz_dtype_bytes(dtype);
    return n_bytes == 0 || n_bytes > BLOSC_MAX_TYPESIZE ? 1 : (size_t)n_bytes;
}

/* Read all but the shuffle. */
static nwbz_code read_configuration(const nz_json *configuration, const char *name, size_t element_bytes,
                                    unsigned cname, blosc_codec *codec, nwbz_error *err)
{
    int64_t level = 0, typesize = 0, blocksize = 0;
    NZ_TRY(nz_config_check(configuration, name, members, err));
    NZ_TRY(nz_config_choice(configuration, name, "cname", cnames, cname, &codec->cname, err));
    NZ_TRY(nz_config_int(configuration, name, "clevel", DEFAULT_LEVEL, 0, 9, &level, err));
    NZ_TRY(nz_config_int(configuration, name, "typesize", (int64_t)element_bytes, 1, INT32_MAX, &typesize, err));
    NZ_TRY(nz_config_int(configuration, name, "blocksize", 0, 0, INT32_MAX, &blocksize, err));
    codec->level = (int)level;
    codec->typesize = (size_t)typesize;
    codec->blocksize = (size_t)blocksize;
    return NWBZ_OK;
}

static nwbz_code keep(const blosc_codec *read, const char *name, void **self, nwbz_error *err)
{
    if (blosc_compname_to_compcode(cnames[read->cname]) < 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED,
                       "codec %s: compressor %s is not in this blosc library (%s), which has %s", name,
                       cnames[read->cname], blosc_get_version_string(), blosc_list_compressors());
    *self = nz_memdup(read, sizeof *read);
    return *self ? NWBZ_OK : nz_fail_memory(err, sizeof *read, "a codec");
}

/* Defaults are zarr-python's: the specification has none. */
static nwbz_code blosc_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    blosc_codec read = { 0 };
    size_t element_bytes = nz_blosc_typesize(dtype);
    unsigned shuffle = element_bytes == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
    NZ_TRY(read_configuration(configuration, "blosc", element_bytes, CNAME_ZSTD, &read, err));
    NZ_TRY(nz_config_choice(configuration, "blosc", "shuffle", shuffles, shuffle, &read.shuffle, err));
    return keep(&read, "blosc", self, err);
}

/* Defaults are numcodecs'.  Where it has no "typesize" it takes the element's size of the array that it is given; that
 * zarr-python gives it single bytes is not followed: their shuffle would do nothing. */
static nwbz_code numcodecs_open(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err)
{
    static const char name[] = "numcodecs.blosc";
    blosc_codec read = { 0 };
    int64_t shuffle = 0;
    NZ_TRY(read_configuration(configuration, name, nz_blosc_typesize(dtype), CNAME_LZ4, &read, err));
    NZ_TRY(nz_config_int(configuration, name, "shuffle", BLOSC_SHUFFLE, AUTOSHUFFLE, BLOSC_BITSHUFFLE, &shuffle, err));
    read.said_shuffle = (int)shuffle;
    read.said_typesize = nz_json_get(configuration, "typesize") != NULL;
    read.shuffle = shuffle != AUTOSHUFFLE    ? (unsigned)shuffle
                   : read.typesize == 1 ? BLOSC_BITSHUFFLE
                                        : BLOSC_SHUFFLE;
    return keep(&read, name, self, err);
}

typedef struct member {
    const char *name;
    nz_json *value; /* NULL: no memory */
} member;

/* Make the object of n members, whose values are given away, also on failure. */
static nwbz_code put_members(const member *put, size_t n, nz_json **configuration, nwbz_error *err)
{
    nz_json *object = nz_json_new_object();
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; i < n; i++) {
        if (code == NWBZ_OK)
            code = nz_json_put(object, put[i].name, put[i].value, err);
        else
            nz_json_free(put[i].value);
    }
    *configuration = code == NWBZ_OK ? object : NULL;
    if (code != NWBZ_OK)
        nz_json_free(object);
    return code;
}

static nwbz_code blosc_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    const blosc_codec *codec = self;
    const member put[] = {
        { "typesize", nz_json_new_uint(codec->typesize) },   { "cname", nz_json_new_text(cnames[codec->cname]) },
        { "clevel", nz_json_new_int(codec->level) },         { "shuffle", nz_json_new_text(shuffles[codec->shuffle]) },
        { "blocksize", nz_json_new_uint(codec->blocksize) },
    };
    return put_members(put, sizeof put / sizeof *put, configuration, err);
}

/* In numcodecs' order; older ones do not know "typesize", which is not made up. */
static nwbz_code numcodecs_format(const void *self, nz_json **configuration, nwbz_error *err)
{
    const blosc_codec *codec = self;
    const member put[] = {
        { "cname", nz_json_new_text(cnames[codec->cname]) },  { "clevel", nz_json_new_int(codec->level) },
        { "shuffle", nz_json_new_int(codec->said_shuffle) },  { "blocksize", nz_json_new_uint(codec->blocksize) },
        { "typesize", codec->said_typesize ? nz_json_new_uint(codec->typesize) : NULL },
    };
    return put_members(put, sizeof put / sizeof *put - !codec->said_typesize, configuration, err);
}

static uint64_t blosc_bound(const void *self, uint64_t n_bytes)
{
    (void)self;
    return n_bytes + BLOSC_MAX_OVERHEAD;
}

/* Two temporary blocks, one more for bit shuffling, and what the inner compressor takes for one block. */
static uint64_t blosc_work_bytes(const void *self, uint64_t n_bytes)
{
    static const unsigned zstd_block_kib[] = { 16, 32, 64, 128, 256, 256, 512, 512, 512, 1024 };
    static const int zstd_level[] = { 0, 1, 3, 5, 7, 9, 11, 13, 20, 22 }; /* what blosc asks zstd for */
    const blosc_codec *codec = self;
    bool is_zstd = codec->cname == CNAME_ZSTD;
    uint64_t block = codec->blocksize ? codec->blocksize
                     : is_zstd        ? zstd_block_kib[codec->level] * UINT64_C(1024)
                                      : MAX_AUTOMATIC_BLOCK;
    block = nz_min(block, n_bytes);
    uint64_t inner = is_zstd ? nz_zstd_work_bytes(zstd_level[codec->level], block) : UINT64_C(512) * 1024;
    return 3 * block + inner + 4 * nz_min(codec->typesize, BLOSC_MAX_TYPESIZE) + 128 * 1024;
}

static nwbz_code blosc_encode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                              size_t *n_out, nwbz_error *err)
{
    const blosc_codec *codec = self;
    (void)worker;
    /* Given less than its bound the library (1.21.3) writes the list of its blocks past the end. */
    if (n > BLOSC_MAX_BUFFERSIZE || room < n + BLOSC_MAX_OVERHEAD)
        return nz_fail(err, NWBZ_EINVAL, "codec blosc: %zu bytes (at most %d) need %d more in room for %zu", n,
                       BLOSC_MAX_BUFFERSIZE, BLOSC_MAX_OVERHEAD, room);
    int got = blosc_compress_ctx(codec->level, (int)codec->shuffle, codec->typesize, n, in, out, room,
                                 cnames[codec->cname], codec->blocksize, 1);
    if (got <= 0)
        return nz_fail(err, NWBZ_EINVAL, "codec blosc: the library returned %d for %zu bytes", got, n);
    *n_out = (size_t)got;
    return NWBZ_OK;
}

static nwbz_code blosc_decode(const void *self, void *worker, const void *in, size_t n, void *out, size_t room,
                              size_t *n_out, nwbz_error *err)
{
    size_t n_bytes = 0, n_stored = 0, block = 0;
    int version = 0, inner_version = 0;
    (void)self, (void)worker;
    *n_out = 0;
    if (n < BLOSC_MIN_HEADER_LENGTH)
        return nz_fail(err, NWBZ_EFORMAT, "blosc data of %zu bytes: the header alone takes %d", n,
                       BLOSC_MIN_HEADER_LENGTH);
    blosc_cbuffer_versions(in, &version, &inner_version);
    if (version != BLOSC_VERSION_FORMAT)
        return nz_fail(err, NWBZ_EFORMAT, "blosc data of format version %d, not %d", version, BLOSC_VERSION_FORMAT);
    blosc_cbuffer_sizes(in, &n_bytes, &n_stored, &block);
    if (n_stored != n)
        return nz_fail(err, NWBZ_EFORMAT, "blosc data of %zu bytes, their header says %zu", n, n_stored);
    if (blosc_cbuffer_validate(in, n, &n_bytes) < 0)
        return nz_fail(err, NWBZ_EFORMAT, "blosc data of %zu bytes have a damaged header (%zu bytes, blocks of %zu)", n,
                       n_bytes, block);
    *n_out = n_bytes;
    if (n_bytes > room)
        return nz_fail(err, NWBZ_ELIMIT, "blosc data hold %zu bytes, room for %zu", n_bytes, room);
    if (n_bytes == 0)
        return NWBZ_OK;
    int got = blosc_decompress_ctx(in, out, n_bytes, 1);
    if (got < 0 || (size_t)got != n_bytes)
        return nz_fail(err, NWBZ_EFORMAT,
                       "blosc data of %zu bytes are damaged: %zu bytes are expected, the library returned %d", n,
                       n_bytes, got);
    return NWBZ_OK;
}

const nz_codec_class nz_codec_blosc = {
    .name = "blosc",
    .array_to_bytes = false,
    .open = blosc_open,
    .close = nz_free,
    .format = blosc_format,
    .bound = blosc_bound,
    .work_bytes = blosc_work_bytes,
    .encode = blosc_encode,
    .decode = blosc_decode,
};

const nz_codec_class nz_codec_numcodecs_blosc = {
    .name = "numcodecs.blosc",
    .array_to_bytes = false,
    .open = numcodecs_open,
    .close = nz_free,
    .format = numcodecs_format,
    .bound = blosc_bound,
    .work_bytes = blosc_work_bytes,
    .encode = blosc_encode,
    .decode = blosc_decode,
};
