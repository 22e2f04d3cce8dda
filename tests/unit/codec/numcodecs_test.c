/* The codecs of numcodecs: bytes that it made, and its words for what cannot be. */
#define _GNU_SOURCE
#include "data.h"

/* Made with numcodecs 0.17.1:  codec(**configuration).encode(values)  of
 *   squares = numpy.array([i * i // 7 % 300 - 20 for i in range(40)], "<i2")
 *   steps = numpy.repeat(numpy.array([1, 2, 3], "<i2"), 30)
 */
static const int16_t squares[] = {
    -20, -20, -20, -19, -18, -17, -15, -13, -11, -9, -6, -3, 0, 4, 8, 12, 16, 21, 26, 31, 37, 43, 49, 55, 62, 69,
    76, 84, 92, 100, 108, 117, 126, 135, 145, 155, 165, 175, 186, 197,
};
static const int16_t steps[] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
};

typedef struct golden {
    const char *codec, *configuration;
    const void *in;
    size_t n_in;
    size_t n_same; /* bytes from the first that every version of the library below gives: all, or a header */
    size_t n_stored;
    const char *stored;
} golden;

static const golden goldens[] = {
    { "numcodecs.shuffle", "{\"elementsize\": 2}", squares, sizeof squares, 80, 80,
      "\xec\xec\xec\xed\xee\xef\xf1\xf3\xf5\xf7\xfa\xfd\x00\x04\x08\x0c\x10\x15\x1a\x1f\x25\x2b"
      "\x31\x37\x3e\x45\x4c\x54\x5c\x64\x6c\x75\x7e\x87\x91\x9b\xa5\xaf\xba\xc5\xff\xff\xff\xff"
      "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" },
    { "numcodecs.shuffle", "{\"elementsize\": 4}", squares, sizeof squares, 80, 80,
      "\xec\xec\xee\xf1\xf5\xfa\x00\x08\x10\x1a\x25\x31\x3e\x4c\x5c\x6c\x7e\x91\xa5\xba\xff\xff"
      "\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xec\xed\xef\xf3"
      "\xf7\xfd\x04\x0c\x15\x1f\x2b\x37\x45\x54\x64\x75\x87\x9b\xaf\xc5\xff\xff\xff\xff\xff\xff"
      "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" },
    { "numcodecs.shuffle", "{\"elementsize\": 5}", squares, sizeof squares, 80, 80,
      "\xec\xff\xef\xff\xfa\x00\x0c\x00\x25\x00\x45\x00\x6c\x00\x9b\x00\xff\xed\xff\xf5\xff\x04"
      "\x00\x1a\x00\x37\x00\x5c\x00\x87\x00\xba\xec\xff\xf1\xff\xfd\x00\x10\x00\x2b\x00\x4c\x00"
      "\x75\x00\xa5\x00\xff\xee\xff\xf7\xff\x08\x00\x1f\x00\x3e\x00\x64\x00\x91\x00\xc5\xec\xff"
      "\xf3\xff\x00\x00\x15\x00\x31\x00\x54\x00\x7e\x00\xaf\x00" },
    { "numcodecs.shuffle", "{\"elementsize\": 8}", squares, sizeof squares, 80, 80,
      "\xec\xee\xf5\x00\x10\x25\x3e\x5c\x7e\xa5\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\xec\xef"
      "\xf7\x04\x15\x2b\x45\x64\x87\xaf\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\xec\xf1\xfa\x08"
      "\x1a\x31\x4c\x6c\x91\xba\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\xed\xf3\xfd\x0c\x1f\x37"
      "\x54\x75\x9b\xc5\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00" },
    { "numcodecs.shuffle", "{\"elementsize\": 16}", squares, sizeof squares, 80, 80,
      "\xec\xf5\x10\x3e\x7e\xff\xff\x00\x00\x00\xec\xf7\x15\x45\x87\xff\xff\x00\x00\x00\xec\xfa"
      "\x1a\x4c\x91\xff\xff\x00\x00\x00\xed\xfd\x1f\x54\x9b\xff\xff\x00\x00\x00\xee\x00\x25\x5c"
      "\xa5\xff\x00\x00\x00\x00\xef\x04\x2b\x64\xaf\xff\x00\x00\x00\x00\xf1\x08\x31\x6c\xba\xff"
      "\x00\x00\x00\x00\xf3\x0c\x37\x75\xc5\xff\x00\x00\x00\x00" },
    { "numcodecs.shuffle", "{\"elementsize\": 0}", steps, sizeof steps, 180, 180,
      "\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00"
      "\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00"
      "\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x01\x00\x02\x00\x02\x00\x02\x00"
      "\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00"
      "\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00"
      "\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00"
      "\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00"
      "\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00\x03\x00"
      "\x03\x00\x03\x00" },
    { "numcodecs.zlib", "{\"level\": 0}", squares, sizeof squares, 91, 91,
      "\x78\x01\x01\x50\x00\xaf\xff\xec\xff\xec\xff\xec\xff\xed\xff\xee\xff\xef\xff\xf1\xff\xf3"
      "\xff\xf5\xff\xf7\xff\xfa\xff\xfd\xff\x00\x00\x04\x00\x08\x00\x0c\x00\x10\x00\x15\x00\x1a"
      "\x00\x1f\x00\x25\x00\x2b\x00\x31\x00\x37\x00\x3e\x00\x45\x00\x4c\x00\x54\x00\x5c\x00\x64"
      "\x00\x6c\x00\x75\x00\x7e\x00\x87\x00\x91\x00\x9b\x00\xa5\x00\xaf\x00\xba\x00\xc5\x00\xd5"
      "\x84\x20\x40" },
    { "numcodecs.zlib", "{\"level\": 4}", squares, sizeof squares, 2, 86,
      "\x78\x5e\x0d\xc2\xa1\x0e\x40\x60\x00\x46\xd1\x1b\x04\x41\x50\x14\x45\x92\x24\x49\xd3\x34"
      "\x51\x14\x45\x55\x55\x65\x59\x96\x75\xdd\xdb\xfc\x98\x99\xd9\x6c\xf6\xb1\x73\x8c\xcc\x6f"
      "\xd5\xa6\x5d\x87\x4e\x5d\xba\xf5\xe8\x15\x58\xd8\x38\xb8\x78\xf8\x04\x84\x44\xc4\x24\xa4"
      "\x64\xe4\x14\x94\x54\xd4\x34\xb4\x74\xf4\x0c\x8c\x4c\xcc\x2c\x7c\xd5\x84\x20\x40" },
    { "numcodecs.zlib", "{\"level\": 9}", steps, sizeof steps, 2, 18,
      "\x78\xda\x63\x64\x60\x24\x1b\x32\x51\x00\x99\x29\x80\x00\x32\xa0\x00\xb5" },
    { "numcodecs.zlib", "{\"level\": -1}", steps, sizeof steps, 2, 18,
      "\x78\x9c\x63\x64\x60\x24\x1b\x32\x51\x00\x99\x29\x80\x00\x32\xa0\x00\xb5" },
    { "numcodecs.zstd", "{\"level\": 3}", squares, sizeof squares, 6, 82,
      "\x28\xb5\x2f\xfd\x20\x50\x4d\x02\x00\x02\x45\x11\x1b\xb0\x1b\xc6\xbf\xdb\x8e\x2d\x8d\x09"
      "\xa9\x61\x5a\x0c\x18\x9a\xd5\x10\x12\x75\x46\x2e\x10\x82\x1e\xc2\xe1\x52\x6b\x67\x63\x5f"
      "\x5b\x57\x53\x4f\x4b\x47\x43\x3f\x3b\x37\x33\x2f\x2b\x27\x23\x1f\x1b\x17\x13\x0f\x0b\x07"
      "\x03\xdf\xb1\x62\xc3\x82\xfd\xea\xb5\x2b\xd7\xad\xd9\x6c\x06\x00" },
    { "numcodecs.zstd", "{\"level\": 3, \"checksum\": true}", steps, sizeof steps, 6, 28,
      "\x28\xb5\x2f\xfd\x24\xb4\x7d\x00\x00\x20\x01\x00\x02\x03\x03\x00\x00\x92\x00\x48\xf7\x9d"
      "\x0e\x0b\xd9\x61\x7a\x09" },
    { "numcodecs.lz4", "{\"acceleration\": 1}", steps, sizeof steps, 4, 26,
      "\xb4\x00\x00\x00\x2f\x01\x00\x02\x00\x27\x1f\x02\x02\x00\x28\x1f\x03\x02\x00\x23\x50\x00"
      "\x03\x00\x03\x00" },
    { "numcodecs.lz4", "{\"acceleration\": 50}", squares, sizeof squares, 4, 85,
      "\x50\x00\x00\x00\x20\xec\xff\x02\x00\xf0\x3b\xed\xff\xee\xff\xef\xff\xf1\xff\xf3\xff\xf5"
      "\xff\xf7\xff\xfa\xff\xfd\xff\x00\x00\x04\x00\x08\x00\x0c\x00\x10\x00\x15\x00\x1a\x00\x1f"
      "\x00\x25\x00\x2b\x00\x31\x00\x37\x00\x3e\x00\x45\x00\x4c\x00\x54\x00\x5c\x00\x64\x00\x6c"
      "\x00\x75\x00\x7e\x00\x87\x00\x91\x00\x9b\x00\xa5\x00\xaf\x00\xba\x00\xc5\x00" },
    { "numcodecs.blosc", "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": 1, \"blocksize\": 0}", steps, sizeof steps, 12, 50,
      "\x02\x01\x31\x02\xb4\x00\x00\x00\xb4\x00\x00\x00\x32\x00\x00\x00\x14\x00\x00\x00\x1a\x00"
      "\x00\x00\x1f\x01\x01\x00\x0a\x1f\x02\x01\x00\x0a\x1f\x03\x01\x00\x0a\x1f\x00\x01\x00\x41"
      "\x50\x00\x00\x00\x00\x00" },
    { "numcodecs.blosc", "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": -1, \"blocksize\": 0}", steps, sizeof steps, 12, 50,
      "\x02\x01\x31\x02\xb4\x00\x00\x00\xb4\x00\x00\x00\x32\x00\x00\x00\x14\x00\x00\x00\x1a\x00"
      "\x00\x00\x1f\x01\x01\x00\x0a\x1f\x02\x01\x00\x0a\x1f\x03\x01\x00\x0a\x1f\x00\x01\x00\x41"
      "\x50\x00\x00\x00\x00\x00" },
    { "numcodecs.blosc", "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": -1, \"blocksize\": 0, \"typesize\": 1}", steps, sizeof steps, 12, 46,
      "\x02\x01\x24\x01\xb4\x00\x00\x00\xb4\x00\x00\x00\x2e\x00\x00\x00\x14\x00\x00\x00\x16\x00"
      "\x00\x00\x2f\x01\x00\x02\x00\x27\x1f\x02\x02\x00\x28\x1f\x03\x02\x00\x23\x50\x00\x03\x00"
      "\x03\x00" },
    { "numcodecs.blosc", "{\"cname\": \"zstd\", \"clevel\": 3, \"shuffle\": 2, \"blocksize\": 0}", steps, sizeof steps, 12, 48,
      "\x02\x01\x94\x02\xb4\x00\x00\x00\xb4\x00\x00\x00\x30\x00\x00\x00\x14\x00\x00\x00\x18\x00"
      "\x00\x00\x28\xb5\x2f\xfd\x20\xb4\x7d\x00\x00\x20\x01\x00\x02\x03\x03\x00\x00\x92\x00\x48"
      "\xf7\x9d\x0e\x0b" },
    { "numcodecs.blosc", "{\"cname\": \"zlib\", \"clevel\": 3, \"shuffle\": 0, \"blocksize\": 64}", steps, sizeof steps, 12, 65,
      "\x02\x01\x70\x02\xb4\x00\x00\x00\x80\x00\x00\x00\x41\x00\x00\x00\x18\x00\x00\x00\x30\x00"
      "\x00\x00\x14\x00\x00\x00\x78\x5e\x63\x64\x60\x24\x1b\x32\x31\x90\x0f\x99\x19\x20\x10\x00"
      "\x15\x7a\x00\x67\x0d\x00\x00\x00\x78\x5e\x63\x66\x60\x26\x19\x02\x00\x08\x6e\x00\x4f" },
};
enum { N_GOLDENS = sizeof goldens / sizeof *goldens };

/* A codec with one worker, for int16. */
typedef struct opened {
    const nz_codec_class *class;
    void *self, *worker;
} opened;

static opened open_codec(const char *name, const char *configuration)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    opened o = { nz_codec_find(name), NULL, NULL };
    nz_json *json = json_of(configuration);
    assert_non_null(o.class);
    if (o.class->open(json, NZ_DTYPE(NWBZ_INT16), &o.self, &err) != NWBZ_OK)
        fail_msg("%s %s: %s", name, configuration, err.message);
    nz_json_free(json);
    if (o.class->worker_new)
        assert_int_equal(o.class->worker_new(o.self, &o.worker, &err), NWBZ_OK);
    return o;
}

static void close_codec(opened *o)
{
    if (o->worker)
        o->class->worker_free(o->worker);
    o->class->close(o->self);
}

static void what_numcodecs_made_decodes_to_its_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_GOLDENS; i++) {
        const golden *g = &goldens[i];
        nwbz_error err = NWBZ_ERROR_INIT;
        opened o = open_codec(g->codec, g->configuration);
        unsigned char *out = nz_malloc(g->n_in), *stored = nz_memdup(g->stored, g->n_stored);
        size_t n_out = 0;
        if (o.class->decode(o.self, o.worker, stored, g->n_stored, out, g->n_in, &n_out, &err) != NWBZ_OK)
            fail_msg("%s %s: %s", g->codec, g->configuration, err.message);
        assert_int_equal(n_out, g->n_in);
        assert_memory_equal(out, g->in, g->n_in);
        nz_free(out), nz_free(stored);
        close_codec(&o);
    }
}

static void we_make_what_numcodecs_makes(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_GOLDENS; i++) {
        const golden *g = &goldens[i];
        nwbz_error err = NWBZ_ERROR_INIT;
        opened o = open_codec(g->codec, g->configuration);
        size_t room = o.class->bound(o.self, g->n_in), n_out = 0;
        unsigned char *out = nz_malloc(room);
        assert_int_equal(o.class->encode(o.self, o.worker, g->in, g->n_in, out, room, &n_out, &err), NWBZ_OK);
        assert_true(n_out >= g->n_same);
        if (g->n_same == g->n_stored)
            assert_int_equal(n_out, g->n_stored);
        if (memcmp(out, g->stored, g->n_same) != 0)
            fail_msg("%s %s gives other bytes than numcodecs", g->codec, g->configuration);
        nz_free(out);
        close_codec(&o);
    }
}

/* The plain way to say what a shuffle is. */
static void a_shuffle_of_any_size_is_a_transpose(void **state)
{
    static const size_t sizes[] = { 2, 3, 4, 7, 8, 15, 16, 17, 300 }, counts[] = { 0, 1, 255, 256, 257, 1000 };
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            nwbz_error err = NWBZ_ERROR_INIT;
            char configuration[64];
            size_t n = sizes[s] * counts[c], n_out = 0;
            snprintf(configuration, sizeof configuration, "{\"elementsize\": %zu}", sizes[s]);
            opened o = open_codec("numcodecs.shuffle", configuration);
            unsigned char *in = make_data(DATA_RANDOM, n);
            guarded out = guarded_new(NULL, n);
            assert_int_equal(o.class->encode(o.self, NULL, in, n, out.bytes, n, &n_out, &err), NWBZ_OK);
            assert_int_equal(n_out, n);
            for (size_t i = 0; i < counts[c]; i++)
                for (size_t k = 0; k < sizes[s]; k++)
                    assert_int_equal(out.bytes[k * counts[c] + i], in[i * sizes[s] + k]);
            guarded_free(out);
            nz_free(in);
            close_codec(&o);
        }
}

/* ---- What cannot be ---- */

static void assert_fails(const char *codec, const char *configuration, const void *in, size_t n, size_t room,
                         nwbz_code code, const char *words)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    opened o = open_codec(codec, configuration);
    guarded exact = guarded_new(in, n), out = guarded_new(NULL, room);
    size_t n_out = 0;
    nwbz_code got = o.class->decode(o.self, o.worker, exact.bytes, n, out.bytes, room, &n_out, &err);
    if (got != code || !strstr(err.message, words))
        fail_msg("%s of %zu bytes gives %d \"%s\", not \"%s\"", codec, n, got, err.message, words);
    guarded_free(exact);
    guarded_free(out);
    close_codec(&o);
}

static void shuffled_bytes_are_whole_elements(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    unsigned char out[8];
    size_t n_out = 0;
    (void)state;
    assert_fails("numcodecs.shuffle", "{\"elementsize\": 4}", "abcdef", 6, 6, NWBZ_EFORMAT,
                 "6 shuffled bytes are stored: no whole number of elements of 4 bytes");
    assert_fails("numcodecs.shuffle", "{\"elementsize\": 2}", "abcdef", 6, 4, NWBZ_ELIMIT, "6 shuffled bytes");
    opened o = open_codec("numcodecs.shuffle", "{\"elementsize\": 4}");
    assert_int_equal(o.class->encode(o.self, NULL, "abcdef", 6, out, 8, &n_out, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "6 bytes are no whole number of elements of 4 bytes"));
    close_codec(&o);
}

static void lz4_headers_that_lie_are_named(void **state)
{
    static const unsigned char block[] = { 4, 0, 0, 0, 0x40, 'a', 'b', 'c', 'd' };
    unsigned char in[sizeof block];
    (void)state;
    memcpy(in, block, sizeof block);
    assert_fails("numcodecs.lz4", NULL, in, 0, 10, NWBZ_EFORMAT, "LZ4 data of 0 bytes");
    assert_fails("numcodecs.lz4", NULL, in, 4, 10, NWBZ_EFORMAT, "LZ4 data of 4 bytes");
    assert_fails("numcodecs.lz4", NULL, in, sizeof in, 3, NWBZ_ELIMIT, "hold 4 bytes, room for 3");
    assert_fails("numcodecs.lz4", NULL, in, sizeof in - 1, 10, NWBZ_EFORMAT, "4 bytes are expected");
    in[0] = 5;
    assert_fails("numcodecs.lz4", NULL, in, sizeof in, 10, NWBZ_EFORMAT, "5 bytes are expected, the library returned 4");
    in[0] = 3;
    assert_fails("numcodecs.lz4", NULL, in, sizeof in, 10, NWBZ_EFORMAT, "3 bytes are expected");
    in[3] = 0x7f; /* over what the library takes */
    assert_fails("numcodecs.lz4", NULL, in, sizeof in, 10, NWBZ_EFORMAT, "cannot hold the 2130706435 bytes");
    in[3] = 0, in[1] = 5; /* 1283 bytes of a block of 5 */
    assert_fails("numcodecs.lz4", NULL, in, sizeof in, 2000, NWBZ_EFORMAT, "cannot hold the 1283 bytes");
}

static void the_densest_lz4_block_is_within_the_limit_of_its_header(void **state)
{
    enum { N = 4 << 20 };
    nwbz_error err = NWBZ_ERROR_INIT;
    opened o = open_codec("numcodecs.lz4", NULL);
    unsigned char *in = nz_calloc(1, N), *out = nz_malloc(N);
    size_t room = o.class->bound(o.self, N), n = 0, n_out = 0;
    unsigned char *stored = nz_malloc(room);
    (void)state;
    assert_int_equal(o.class->encode(o.self, o.worker, in, N, stored, room, &n, &err), NWBZ_OK);
    assert_true(n < N / 250);
    assert_int_equal(o.class->decode(o.self, o.worker, stored, n, out, N, &n_out, &err), NWBZ_OK);
    assert_memory_equal(in, out, N);
    nz_free(in), nz_free(out), nz_free(stored);
    close_codec(&o);
}

static void a_zlib_stream_ends_where_the_chunk_ends(void **state)
{
    static const unsigned char stream[] = { 0x78, 1, 1, 2, 0, 0xfd, 0xff, 'a', 'b', 1, 0x26, 0, 0xc4 };
    static const unsigned char gzip[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    unsigned char in[sizeof stream + 1] = { 0 };
    (void)state;
    memcpy(in, stream, sizeof stream);
    assert_fails("numcodecs.zlib", NULL, in, sizeof in, 2, NWBZ_EFORMAT, "ends at byte 13 of 14");
    assert_fails("numcodecs.zlib", NULL, in, sizeof stream, 1, NWBZ_ELIMIT, "more than the 1");
    assert_fails("numcodecs.zlib", NULL, in, sizeof stream - 1, 2, NWBZ_EFORMAT, "12 bytes are cut or damaged");
    assert_fails("numcodecs.zlib", NULL, in, 0, 2, NWBZ_EFORMAT, "0 bytes are cut or damaged");
    in[12] ^= 1;
    assert_fails("numcodecs.zlib", NULL, in, sizeof stream, 2, NWBZ_EFORMAT, "damaged");
    assert_fails("numcodecs.zlib", NULL, gzip, sizeof gzip, 2, NWBZ_EFORMAT, "damaged");
}

static void chunks_over_what_lz4_takes_are_refused_beforehand(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_chain *chain = NULL;
    nz_json *codecs = json_of("[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, \"numcodecs.lz4\"]");
    (void)state;
    assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), 0x7e000002, &chain, &err), NWBZ_ELIMIT);
    assert_non_null(strstr(err.message, "2113929218"));
    assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), 0x7e000000, &chain, &err), NWBZ_OK);
    nz_chain_close(chain);
    nz_json_free(codecs);
}

/* ---- Configurations ---- */

static void configurations_are_kept_and_completed(void **state)
{
    static const char *const cases[][3] = {
        { "numcodecs.shuffle", NULL, "{\"elementsize\": 2}" },
        { "numcodecs.shuffle", "{\"elementsize\": -1}", "{\"elementsize\": -1}" },
        { "numcodecs.zlib", NULL, "{\"level\": 1}" },
        { "numcodecs.zlib", "{\"level\": -1}", "{\"level\": -1}" },
        { "numcodecs.zstd", NULL, "{\"level\": 0}" },
        { "numcodecs.zstd", "{\"level\": 100, \"checksum\": false}", "{\"level\": 100}" },
        { "numcodecs.zstd", "{\"checksum\": true}", "{\"level\": 0, \"checksum\": true}" },
        { "numcodecs.lz4", "{\"acceleration\": 0}", "{\"acceleration\": 0}" },
        { "numcodecs.blosc", NULL, "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": 1, \"blocksize\": 0}" },
        { "numcodecs.blosc", "{\"shuffle\": -1, \"typesize\": 4}",
          "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": -1, \"blocksize\": 0, \"typesize\": 4}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        opened o = open_codec(cases[i][0], cases[i][1]);
        nz_json *configuration = NULL, *want = json_of(cases[i][2]);
        char *a = NULL, *b = NULL;
        assert_int_equal(o.class->format(o.self, &configuration, &err), NWBZ_OK);
        assert_int_equal(nz_json_text_of(configuration, &a, &err), NWBZ_OK);
        assert_int_equal(nz_json_text_of(want, &b, &err), NWBZ_OK);
        assert_string_equal(a, b);
        nz_free(a), nz_free(b);
        nz_json_free(configuration), nz_json_free(want);
        close_codec(&o);
    }
}

static void values_that_numcodecs_refuses_are_refused_with_the_range(void **state)
{
    static const char *const cases[][3] = {
        { "numcodecs.shuffle", "{\"elementsize\": 2.5}", "not an integer" },
        { "numcodecs.zlib", "{\"level\": 10}", "-1 to 9" },
        { "numcodecs.zlib", "{\"level\": -2}", "-1 to 9" },
        { "numcodecs.zstd", "{\"level\": \"3\"}", "not an integer" },
        { "numcodecs.zstd", "{\"checksum\": 1}", "neither true nor false" },
        { "numcodecs.lz4", "{\"acceleration\": 2147483648}", "2147483647" },
        { "numcodecs.blosc", "{\"shuffle\": 3}", "-1 to 2" },
        { "numcodecs.blosc", "{\"shuffle\": \"shuffle\"}", "not an integer" },
        { "numcodecs.blosc", "{\"typesize\": 0}", "1 to" },
        { "numcodecs.blosc", "{\"cname\": \"lz5\"}", "lz4hc" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        void *self = NULL;
        nz_json *configuration = json_of(cases[i][1]);
        nwbz_code code = nz_codec_find(cases[i][0])->open(configuration, NZ_DTYPE(NWBZ_INT16), &self, &err);
        if (code != NWBZ_EFORMAT || !strstr(err.message, cases[i][2]) || !strstr(err.message, cases[i][0]))
            fail_msg("%s %s gives %d \"%s\"", cases[i][0], cases[i][1], code, err.message);
        nz_json_free(configuration);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_numcodecs_made_decodes_to_its_values),
        cmocka_unit_test(we_make_what_numcodecs_makes),
        cmocka_unit_test(a_shuffle_of_any_size_is_a_transpose),
        cmocka_unit_test(shuffled_bytes_are_whole_elements),
        cmocka_unit_test(lz4_headers_that_lie_are_named),
        cmocka_unit_test(the_densest_lz4_block_is_within_the_limit_of_its_header),
        cmocka_unit_test(a_zlib_stream_ends_where_the_chunk_ends),
        cmocka_unit_test(chunks_over_what_lz4_takes_are_refused_beforehand),
        cmocka_unit_test(configurations_are_kept_and_completed),
        cmocka_unit_test(values_that_numcodecs_refuses_are_refused_with_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
