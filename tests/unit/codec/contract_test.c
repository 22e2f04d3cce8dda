/* What every codec keeps, whatever its name: one table of configurations, one set of tests. */
#define _GNU_SOURCE
#include "data.h"

typedef struct sample {
    const char *codec, *configuration;
    nwbz_type type;
    size_t unit;  /* sizes are multiples of it */
    bool has_sum; /* damage is always seen */
    bool is_slow;
} sample;

static const sample samples[] = {
    { "bytes", "{\"endian\": \"little\"}", NWBZ_INT16, 2, false, false },
    { "bytes", "{\"endian\": \"big\"}", NWBZ_INT16, 2, false, false },
    { "bytes", "{\"endian\": \"big\"}", NWBZ_INT32, 4, false, false },
    { "bytes", "{\"endian\": \"big\"}", NWBZ_COMPLEX128, 8, false, false },
    { "bytes", NULL, NWBZ_UINT8, 1, false, false },
    { "vlen-utf8", "{}", NWBZ_STRING, 1, false, false },
    { "gzip", "{\"level\": 0}", NWBZ_INT16, 1, true, false },
    { "gzip", "{\"level\": 1}", NWBZ_INT16, 1, true, false },
    { "gzip", "{\"level\": 2}", NWBZ_INT16, 1, true, false },
    { "gzip", "{\"level\": 5}", NWBZ_INT16, 1, true, false },
    { "gzip", "{\"level\": 9}", NWBZ_INT16, 1, true, true },
    { "zstd", "{\"level\": 0, \"checksum\": false}", NWBZ_INT16, 1, false, false },
    { "zstd", "{\"level\": 1, \"checksum\": true}", NWBZ_INT16, 1, true, false },
    { "zstd", "{\"level\": -7, \"checksum\": false}", NWBZ_INT16, 1, false, false },
    { "zstd", "{\"level\": 9, \"checksum\": true}", NWBZ_INT16, 1, true, false },
    { "zstd", "{\"level\": 22, \"checksum\": false}", NWBZ_INT16, 1, false, true },
    { "blosc", "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": \"shuffle\", \"typesize\": 2, \"blocksize\": 0}",
      NWBZ_INT16, 1, false, false },
    { "blosc", "{\"cname\": \"lz4\", \"clevel\": 0, \"shuffle\": \"noshuffle\", \"typesize\": 4, \"blocksize\": 0}",
      NWBZ_INT32, 1, false, false },
    { "blosc",
      "{\"cname\": \"lz4hc\", \"clevel\": 3, \"shuffle\": \"bitshuffle\", \"typesize\": 8, \"blocksize\": 256}",
      NWBZ_FLOAT64, 1, false, false },
    { "blosc", "{\"cname\": \"blosclz\", \"clevel\": 9, \"shuffle\": \"shuffle\", \"typesize\": 300, \"blocksize\": 0}",
      NWBZ_INT16, 1, false, false },
    { "blosc", "{\"cname\": \"zlib\", \"clevel\": 1, \"shuffle\": \"bitshuffle\", \"typesize\": 1, \"blocksize\": 0}",
      NWBZ_UINT8, 1, false, false },
    { "blosc", "{\"cname\": \"zstd\", \"clevel\": 1, \"shuffle\": \"bitshuffle\", \"typesize\": 2, \"blocksize\": 0}",
      NWBZ_INT16, 1, false, false },
    { "blosc", "{\"cname\": \"zstd\", \"clevel\": 9, \"shuffle\": \"noshuffle\", \"typesize\": 2, \"blocksize\": 0}",
      NWBZ_INT16, 1, false, true },
    { "blosc",
      "{\"cname\": \"zstd\", \"clevel\": 3, \"shuffle\": \"shuffle\", \"typesize\": 16, \"blocksize\": 100000}",
      NWBZ_COMPLEX128, 1, false, false },
    { "crc32c", NULL, NWBZ_INT16, 1, true, false },
    { "numcodecs.shuffle", "{\"elementsize\": 1}", NWBZ_INT16, 1, false, false },
    { "numcodecs.shuffle", "{\"elementsize\": 2}", NWBZ_INT16, 2, false, false },
    { "numcodecs.shuffle", "{\"elementsize\": 3}", NWBZ_INT16, 3, false, false },
    { "numcodecs.shuffle", "{\"elementsize\": 4}", NWBZ_FLOAT32, 4, false, false },
    { "numcodecs.shuffle", NULL, NWBZ_FLOAT64, 8, false, false },
    { "numcodecs.shuffle", "{\"elementsize\": 12}", NWBZ_UINT8, 12, false, false },
    { "numcodecs.shuffle", NULL, NWBZ_COMPLEX128, 16, false, false },
    { "numcodecs.zlib", NULL, NWBZ_INT16, 1, true, false },
    { "numcodecs.zlib", "{\"level\": -1}", NWBZ_INT16, 1, true, false },
    { "numcodecs.zlib", "{\"level\": 0}", NWBZ_INT16, 1, true, false },
    { "numcodecs.zlib", "{\"level\": 4}", NWBZ_INT16, 1, true, false },
    { "numcodecs.zlib", "{\"level\": 9}", NWBZ_INT16, 1, true, true },
    { "numcodecs.zstd", NULL, NWBZ_INT16, 1, false, false },
    { "numcodecs.zstd", "{\"level\": 1, \"checksum\": true}", NWBZ_INT16, 1, true, false },
    { "numcodecs.zstd", "{\"level\": -1000000}", NWBZ_INT16, 1, false, false },
    { "numcodecs.zstd", "{\"level\": 1000}", NWBZ_INT16, 1, false, true },
    { "numcodecs.lz4", NULL, NWBZ_INT16, 1, false, false },
    { "numcodecs.lz4", "{\"acceleration\": -3}", NWBZ_INT16, 1, false, false },
    { "numcodecs.lz4", "{\"acceleration\": 1000}", NWBZ_INT16, 1, false, false },
    { "numcodecs.blosc", NULL, NWBZ_INT16, 1, false, false },
    { "numcodecs.blosc", "{\"cname\": \"zstd\", \"clevel\": 3, \"shuffle\": -1, \"blocksize\": 0}", NWBZ_FLOAT32, 1,
      false, false },
    { "numcodecs.blosc", "{\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": -1, \"blocksize\": 256}", NWBZ_UINT8, 1,
      false, false },
    { "numcodecs.blosc", "{\"cname\": \"lz4\", \"shuffle\": 2, \"typesize\": 300}", NWBZ_INT16, 1, false, false },
};
enum { N_SAMPLES = sizeof samples / sizeof *samples };

static const size_t sizes[] = { 0, 8, 1, 3, 7, 24, 63, 1000, 4096, 65535, 65544, 300008 };

/* A codec of a sample with one worker. */
typedef struct opened {
    const nz_codec_class *class;
    void *self, *worker;
} opened;

static opened open_sample(const sample *s)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    opened o = { nz_codec_find(s->codec), NULL, NULL };
    nz_json *configuration = json_of(s->configuration);
    assert_non_null(o.class);
    if (o.class->open(configuration, NZ_DTYPE(s->type), &o.self, &err) != NWBZ_OK)
        fail_msg("%s %s: %s", s->codec, s->configuration, err.message);
    nz_json_free(configuration);
    if (o.class->worker_new)
        assert_int_equal(o.class->worker_new(o.self, &o.worker, &err), NWBZ_OK);
    return o;
}

static void close_sample(opened *o)
{
    if (o->worker)
        o->class->worker_free(o->worker);
    o->class->close(o->self);
}

static unsigned char *encode(const opened *o, const void *in, size_t n, size_t *n_out)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t room = o->class->bound(o->self, n);
    unsigned char *out = nz_malloc(room);
    if (o->class->encode(o->self, o->worker, in, n, out, room, n_out, &err) != NWBZ_OK)
        fail_msg("%s: %s", o->class->name, err.message);
    assert_true(*n_out <= room);
    if (o->class->fixed_size)
        assert_int_equal(*n_out, room);
    return out;
}

/* Call `check` with each sample, kind of data and size up to `most`. */
static void for_each(size_t most, void (*check)(const sample *s, const opened *o, const unsigned char *in, size_t n))
{
    for (size_t i = 0; i < N_SAMPLES; i++) {
        opened o = open_sample(&samples[i]);
        for (int kind = 0; kind < N_DATA_KINDS; kind++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                if (sizes[k] > most || sizes[k] % samples[i].unit || (samples[i].is_slow && sizes[k] > 70000))
                    continue;
                unsigned char *in = make_data(kind, sizes[k]);
                check(&samples[i], &o, in, sizes[k]);
                nz_free(in);
            }
        close_sample(&o);
    }
}

static void check_round_trip(const sample *s, const opened *o, const unsigned char *in, size_t n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t n_encoded = 0, n_out = 0;
    unsigned char *encoded = encode(o, in, n, &n_encoded), *out = nz_malloc(n);
    if (o->class->decode(o->self, o->worker, encoded, n_encoded, out, n, &n_out, &err) != NWBZ_OK)
        fail_msg("%s %s, %zu bytes: %s", s->codec, s->configuration, n, err.message);
    assert_int_equal(n_out, n);
    assert_memory_equal(out, in, n);
    if (o->class->is_identity && o->class->is_identity(o->self))
        assert_memory_equal(encoded, in, n);
    if (o->class->is_trailer)
        assert_memory_equal(encoded, in, n);
    nz_free(encoded);
    nz_free(out);
}

static void what_is_encoded_decodes_to_the_same_within_its_bound(void **state)
{
    (void)state;
    for_each(SIZE_MAX, check_round_trip);
}

static void check_same_bytes(const sample *s, const opened *used, const unsigned char *in, size_t n)
{
    opened fresh = open_sample(s);
    size_t n_used = 0, n_fresh = 0;
    unsigned char *a = encode(used, in, n, &n_used), *b = encode(&fresh, in, n, &n_fresh);
    assert_int_equal(n_used, n_fresh);
    assert_memory_equal(a, b, n_used);
    nz_free(a);
    nz_free(b);
    close_sample(&fresh);
}

static void a_used_worker_gives_the_same_bytes_as_a_fresh_one(void **state)
{
    (void)state;
    for_each(70000, check_same_bytes);
}

/* Pieces of many sizes and kinds, one after another: what a context keeps of those before shows seldom. */
static void bytes_do_not_depend_on_the_thousands_encoded_before(void **state)
{
    enum { N_PIECES = 500, ALL = 200000 };
    unsigned char *all[N_DATA_KINDS];
    (void)state;
    for (int kind = 0; kind < N_DATA_KINDS; kind++)
        all[kind] = make_data(kind, ALL);
    for (size_t i = 0; i < N_SAMPLES; i++) {
        uint32_t random = 7;
        if (!nz_codec_find(samples[i].codec)->worker_new || samples[i].is_slow)
            continue;
        opened used = open_sample(&samples[i]);
        for (int piece = 0; piece < N_PIECES; piece++) {
            size_t n = next_random(&random) % (piece % 50 ? 3000 : 60000), at = next_random(&random) % (ALL - 60000);
            check_same_bytes(&samples[i], &used, all[next_random(&random) % N_DATA_KINDS] + at, n);
        }
        close_sample(&used);
    }
    for (int kind = 0; kind < N_DATA_KINDS; kind++)
        nz_free(all[kind]);
}

static void check_too_small(const sample *s, const opened *o, const unsigned char *in, size_t n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t n_encoded = 0, n_out = 0;
    unsigned char *encoded = encode(o, in, n, &n_encoded);
    (void)s;
    for (size_t less = 1; less <= n; less = less * 2 + 1) {
        size_t room = n - less;
        unsigned char *out = nz_malloc(room);
        assert_int_equal(o->class->decode(o->self, o->worker, encoded, n_encoded, out, room, &n_out, &err),
                         NWBZ_ELIMIT);
        assert_numbers(err.message, n_out ? n_out : n_encoded, room);
        if (n_out)
            assert_int_equal(n_out, n);
        nz_free(out);
    }
    nz_free(encoded);
}

static void decoding_into_too_little_room_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    for_each(5000, check_too_small);
}

static void check_no_room(const sample *s, const opened *o, const unsigned char *in, size_t n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t n_encoded = 0, n_out = 0;
    nz_free(encode(o, in, n, &n_encoded));
    (void)s;
    for (size_t less = 1; less <= n_encoded; less = less * 2 + 1) {
        size_t room = n_encoded - less;
        guarded out = guarded_new(NULL, room);
        nwbz_code code = o->class->encode(o->self, o->worker, in, n, out.bytes, room, &n_out, &err);
        if (code == NWBZ_OK) /* less room may choose another, smaller form; never one that does not fit */
            assert_true(n_out <= room);
        else {
            assert_int_equal(code, NWBZ_EINVAL);
            assert_numbers(err.message, n, room);
        }
        guarded_free(out);
    }
}

static void encoding_into_too_little_room_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    for_each(5000, check_no_room);
}

/* Decode damaged bytes: an error with words, or (without a sum, or where nothing hangs on the bit) something that
 * fits. */
static void decode_damaged(const sample *s, const opened *o, const unsigned char *bytes, size_t n_bytes,
                           const unsigned char *in, size_t n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t n_out = 0;
    guarded exact = guarded_new(bytes, n_bytes), out = guarded_new(NULL, n);
    nwbz_code code = o->class->decode(o->self, o->worker, exact.bytes, n_bytes, out.bytes, n, &n_out, &err);
    if (code == NWBZ_OK) {
        assert_true(n_out <= n);
        if (s->has_sum) {
            assert_int_equal(n_out, n);
            assert_memory_equal(out.bytes, in, n);
        }
    } else {
        assert_true(code == NWBZ_EFORMAT || code == NWBZ_ELIMIT);
        assert_true(strlen(err.message) > 10);
    }
    guarded_free(exact);
    guarded_free(out);
}

static void check_truncations(const sample *s, const opened *o, const unsigned char *in, size_t n)
{
    size_t n_encoded = 0;
    unsigned char *encoded = encode(o, in, n, &n_encoded);
    for (size_t cut = 0; cut<n_encoded; cut += n_encoded> 600 ? 37 : 1)
        decode_damaged(s, o, encoded, cut, in, n);
    nz_free(encoded);
}

static void every_truncation_is_an_error_or_harmless(void **state)
{
    (void)state;
    for_each(5000, check_truncations);
}

static void check_flips(const sample *s, const opened *o, const unsigned char *in, size_t n)
{
    size_t n_encoded = 0;
    uint32_t random = 99;
    unsigned char *encoded = encode(o, in, n, &n_encoded);
    for (int i = 0; i < 300 && n_encoded; i++) {
        /* the first bytes are headers: try them more often */
        size_t at = next_random(&random) % (i % 3 ? n_encoded : n_encoded < 40 ? n_encoded : 40);
        unsigned char old = encoded[at];
        encoded[at] ^= (unsigned char)(1u << next_random(&random) % 8);
        decode_damaged(s, o, encoded, n_encoded, in, n);
        encoded[at] = old;
    }
    nz_free(encoded);
}

static void flipped_bits_are_an_error_or_harmless(void **state)
{
    (void)state;
    for_each(5000, check_flips);
}

static void random_bytes_are_an_error_or_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        opened o = open_sample(&samples[i]);
        sample without_sum = samples[i];
        without_sum.has_sum = false;
        for (size_t n = 0; n < 200; n++) {
            unsigned char *bytes = make_data(DATA_RANDOM, n);
            decode_damaged(&without_sum, &o, bytes, n, NULL, 5000);
            nz_free(bytes);
        }
        close_sample(&o);
    }
}

static void what_was_opened_formats_to_what_opens_the_same(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        opened o = open_sample(&samples[i]);
        nz_json *once = NULL, *twice = NULL;
        char *a = NULL, *b = NULL;
        void *again = NULL;
        assert_int_equal(o.class->format(o.self, &once, &err), NWBZ_OK);
        assert_int_equal(o.class->open(once, NZ_DTYPE(samples[i].type), &again, &err), NWBZ_OK);
        assert_int_equal(o.class->format(again, &twice, &err), NWBZ_OK);
        if (once) {
            assert_int_equal(nz_json_text_of(once, &a, &err), NWBZ_OK);
            assert_int_equal(nz_json_text_of(twice, &b, &err), NWBZ_OK);
            assert_string_equal(a, b);
        }
        nz_free(a);
        nz_free(b);
        nz_json_free(once);
        nz_json_free(twice);
        o.class->close(again);
        close_sample(&o);
    }
}

static void an_unknown_configuration_member_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        void *self = NULL;
        nz_json *configuration = samples[i].configuration ? json_of(samples[i].configuration) : nz_json_new_object();
        assert_int_equal(nz_json_put(configuration, "flavour", nz_json_new_int(1), &err), NWBZ_OK);
        assert_int_equal(nz_codec_find(samples[i].codec)->open(configuration, NZ_DTYPE(samples[i].type), &self, &err),
                         NWBZ_EFORMAT);
        assert_non_null(strstr(err.message, "flavour"));
        assert_non_null(strstr(err.message, samples[i].codec));
        nz_json_free(configuration);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_encoded_decodes_to_the_same_within_its_bound),
        cmocka_unit_test(a_used_worker_gives_the_same_bytes_as_a_fresh_one),
        cmocka_unit_test(bytes_do_not_depend_on_the_thousands_encoded_before),
        cmocka_unit_test(decoding_into_too_little_room_is_an_error_with_both_numbers),
        cmocka_unit_test(encoding_into_too_little_room_is_an_error_with_both_numbers),
        cmocka_unit_test(every_truncation_is_an_error_or_harmless),
        cmocka_unit_test(flipped_bits_are_an_error_or_harmless),
        cmocka_unit_test(random_bytes_are_an_error_or_harmless),
        cmocka_unit_test(what_was_opened_formats_to_what_opens_the_same),
        cmocka_unit_test(an_unknown_configuration_member_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
