/* Codecs: bytes to bytes, one file per codec name.
 *
 *   nz_codec_class (static table)  --open(configuration, dtype)-->  self: immutable, shared by all threads
 *   self + worker (one per thread: the compressor's context)  --encode/decode-->  bytes
 *
 * A codec never knows coordinates.  The serializers `bytes` and `vlen-utf8` stand first in a chain (array to bytes);
 * `sharding_indexed` is not here but in zarr/shard, because it knows coordinates.
 */
#ifndef NZ_CODEC_CODEC_H
#define NZ_CODEC_CODEC_H

#include "base/json.h"
#include "model/dtype.h"

/* The most bytes that a codec takes or gives at once: blosc's limit, and zlib's and vlen-utf8's 32-bit counts. */
#define NZ_CODEC_MAX_BYTES ((uint64_t)INT32_MAX)

typedef struct nz_codec_class {
    const char *name;       /* in the "name" member of Zarr v3 documents */
    bool array_to_bytes;
    bool fixed_size;        /* encoding n bytes gives exactly bound(n), whatever they hold */
    bool is_trailer;        /* encoded is the input and more behind it: with out == in, encode appends, decode checks */

    /* Prepare from the "configuration" object (NULL: absent), for elements of `dtype`, which is not kept.  Unknown members are NWBZ_EFORMAT naming them; values
     * out of range too. */
    nwbz_code (*open)(const nz_json *configuration, const nz_dtype *dtype, void **self, nwbz_error *err);
    void (*close)(void *self);

    /* Make the configuration object as it stands in the document, all members written out; *configuration NULL:
     * none. */
    nwbz_code (*format)(const void *self, nz_json **configuration, nwbz_error *err);

    /* Say that encoding n bytes changes nothing (`bytes` in the machine's order): the chain then skips it.  NULL:
     * never. */
    bool (*is_identity)(const void *self);

    /* Most bytes that encoding n gives; memory that encoding and decoding n take beside in and out, for the budget. */
    uint64_t (*bound)(const void *self, uint64_t n_bytes);
    uint64_t (*work_bytes)(const void *self, uint64_t n_bytes);

    /* One per thread; NULL functions: none needed. */
    nwbz_code (*worker_new)(const void *self, void **worker, nwbz_error *err);
    void (*worker_free)(void *worker);

    /* Encode.  `room` is at least bound(n). */
    nwbz_code (*encode)(const void *self, void *worker, const void *in, size_t n, void *out, size_t room, size_t *n_out,
                        nwbz_error *err);
    /* Decode untrusted bytes to at most `room`: damaged is NWBZ_EFORMAT; more than `room` is NWBZ_ELIMIT with both
     * numbers and *n_out the bytes it takes (0: not known before decoding).  Never reads past in + n nor writes past
     * out + room. */
    nwbz_code (*decode)(const void *self, void *worker, const void *in, size_t n, void *out, size_t room, size_t *n_out,
                        nwbz_error *err);
} nz_codec_class;

/* The registry: one static table of the classes below.  NULL: not ours. */
const nz_codec_class *nz_codec_find(const char *name);

extern const nz_codec_class nz_codec_bytes, nz_codec_vlen_utf8, nz_codec_gzip, nz_codec_zstd, nz_codec_blosc,
    nz_codec_crc32c;

/*
 * What zarr-python writes with numcodecs (0.17), under its names: "numcodecs.shuffle" and so on.  Members that are left
 * out are numcodecs' defaults, and values that it clamps or takes without effect are taken; what they are is kept.
 *   shuffle {"elementsize": 2}                        left out: the element's size; 1 or less changes nothing; bytes that
 *                                                     are no whole number of elements are an error both ways
 *   zlib    {"level": 1}                              -1 (which is 6) to 9; one zlib stream
 *   zstd    {"level": 0, "checksum": false}           "checksum" is written where it is true
 *   lz4     {"acceleration": 1}                       uint32 number of bytes, little-endian, and one LZ4 block
 *   blosc   {"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
 *                                                     shuffle 0, 1, 2 or -1 (AUTOSHUFFLE: 2 for a typesize of 1, else 1);
 *                                                     "typesize" where it is not the element's size
 */
extern const nz_codec_class nz_codec_numcodecs_shuffle, nz_codec_numcodecs_zlib, nz_codec_numcodecs_zstd,
    nz_codec_numcodecs_lz4, nz_codec_numcodecs_blosc;

/* Note on blosc: every member is written out, `typesize` too where the shuffle is "noshuffle", as zarr-python does
 * (tensorstore and zarrs read it).  Decoding trusts the header of the bytes after blosc_cbuffer_validate, not the
 * configuration. */

/*
 * Turn a person's codec text into the "codecs" array of a Zarr v3 document for elements of `dtype`, serializer included:
 *   none | CODEC | portable, each followed by any "+CODEC" and "+crc32c", in the order of encoding
 *   CODEC: zstd[:LEVEL] | gzip[:LEVEL] | blosc[:CNAME[:LEVEL[:SHUFFLE[:BLOCKSIZE]]]] | numcodecs.shuffle[:BYTES] |
 *          numcodecs.zlib[:LEVEL] | numcodecs.zstd[:LEVEL] | numcodecs.lz4[:ACCELERATION] |
 *          numcodecs.blosc[:CNAME[:LEVEL[:SHUFFLE[:BLOCKSIZE]]]]
 * Behind `none` stands nothing but +crc32c.  SHUFFLE is noshuffle, shuffle or bitshuffle, and autoshuffle for
 * numcodecs.blosc.  What is left out: zstd:0, gzip:5, blosc:zstd:1:bitshuffle:0 (the library's own block size);
 * numcodecs' own defaults, zlib:1, zstd:0, lz4:1, blosc:lz4:5:shuffle:0; the element's size for numcodecs.shuffle.
 * `portable` is the default of `write` as long as that is in the Zarr v3 core.  Big-endian only changes the serializer.
 * Returns NWBZ_EINVAL with the forms that exist.
 */
nwbz_code nz_codec_parse_text(const char *text, const nz_dtype *dtype, bool big_endian, nz_json **codecs, nwbz_error *err);

/* The reverse, as short as possible ("blosc:zstd:1:bitshuffle", "none", "numcodecs.shuffle:2+numcodecs.zlib:4"); codecs
 * that it cannot say go by name.  nz_free(). */
nwbz_code nz_codec_format_text(const nz_json *codecs, char **text, nwbz_error *err);

/* vlen-utf8 as functions, since text has no fixed size: uint32 count, then uint32 length and bytes for each,
 * little-endian. */
nwbz_code nz_vlen_utf8_encode(const nwbz_string *elements, uint64_t n, nz_buffer *out, nwbz_error *err);
/* Decode exactly `n` elements; they point into `in`.  NWBZ_EFORMAT: another count, a length past the end, not UTF-8. */
nwbz_code nz_vlen_utf8_decode(const void *in, size_t n_bytes, uint64_t n, nwbz_string *elements, nwbz_error *err);

#endif
