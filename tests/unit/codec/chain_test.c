/* Chains: what stands in "codecs", run in order. */
#define _GNU_SOURCE
#include "data.h"

#define LITTLE "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define BIG    "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}"
#define ZSTD   "{\"name\": \"zstd\", \"configuration\": {\"level\": 1, \"checksum\": false}}"
#define GZIP   "{\"name\": \"gzip\", \"configuration\": {\"level\": 1}}"
#define BLOSC                                                                                                          \
    "{\"name\": \"blosc\", \"configuration\": {\"cname\": \"zstd\", \"clevel\": 1, \"shuffle\": \"bitshuffle\", "      \
    "\"typesize\": 2, \"blocksize\": 0}}"
#define CRC  "{\"name\": \"crc32c\"}"
#define TEXT "{\"name\": \"vlen-utf8\", \"configuration\": {}}"

static const char *const chains[] = {
    "[" LITTLE "]",
    "[" BIG "]",
    "[" LITTLE "," ZSTD "]",
    "[" BIG "," BLOSC "]",
    "[" LITTLE "," CRC "]",
    "[" LITTLE "," CRC "," CRC "]",
    "[" BIG "," CRC "]",
    "[" LITTLE "," BLOSC "," CRC "]",
    "[" LITTLE "," CRC "," ZSTD "]",
    "[" BIG "," GZIP "," CRC "," ZSTD "]",
    "[" BIG "," GZIP "," CRC "," ZSTD "," CRC "," CRC "]",
    "[" LITTLE "," GZIP "," ZSTD "," BLOSC "]",
};
enum { N_CHAINS = sizeof chains / sizeof *chains };

static unsigned char *encode(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n, size_t *n_out)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t room = nz_chain_bound(chain, n);
    unsigned char *out = nz_malloc(room);
    if (nz_chain_encode(chain, worker, in, n, out, room, n_out, &err) != NWBZ_OK)
        fail_msg("%s", err.message);
    assert_true(*n_out <= room);
    return out;
}

static void every_chain_gives_back_its_piece_and_leaves_the_input_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CHAINS; i++)
        for (size_t n = 0; n <= 300000; n = n * 7 + 2) {
            nwbz_error err = NWBZ_ERROR_INIT;
            nz_chain *chain = chain_of(chains[i], NWBZ_INT16, n);
            nz_chain_worker *worker = worker_of(chain);
            for (int kind = 0; kind < N_DATA_KINDS; kind++) {
                size_t n_encoded = 0;
                unsigned char *in = make_data(kind, n), *copy = make_data(kind, n), *out = nz_malloc(n);
                unsigned char *encoded = encode(chain, worker, in, n, &n_encoded);
                assert_memory_equal(in, copy, n);
                if (nz_chain_decode(chain, worker, encoded, n_encoded, out, n, &err) != NWBZ_OK)
                    fail_msg("%s: %s", chains[i], err.message);
                assert_memory_equal(in, out, n);
                uint64_t fixed = nz_chain_fixed_size(chain, n);
                assert_true(fixed == 0 || fixed == n_encoded);
                nz_free(in), nz_free(copy), nz_free(out), nz_free(encoded);
            }
            nz_chain_worker_free(worker);
            nz_chain_close(chain);
        }
}

static void a_chain_without_work_copies(void **state)
{
    nz_chain *chain = chain_of("[" LITTLE "]", NWBZ_INT16, 10);
    nz_chain_worker *worker = worker_of(chain);
    size_t n_encoded = 0;
    (void)state;
    unsigned char *encoded = encode(chain, worker, "0123456789", 10, &n_encoded);
    assert_int_equal(n_encoded, 10);
    assert_memory_equal(encoded, "0123456789", 10);
    assert_int_equal(nz_chain_bound(chain, 10), 10);
    assert_int_equal(nz_chain_work_bytes(chain, 10), 0);
    nz_free(encoded);
    nz_chain_worker_free(worker);
    nz_chain_close(chain);
}

static void big_endian_swaps_each_element(void **state)
{
    nz_chain *chain = chain_of("[" BIG "," CRC "]", NWBZ_INT32, 8);
    nz_chain_worker *worker = worker_of(chain);
    size_t n_encoded = 0;
    (void)state;
    unsigned char *encoded = encode(chain, worker, "abcdefgh", 8, &n_encoded);
    assert_int_equal(n_encoded, 12);
    assert_memory_equal(encoded, "dcbahgfe", 8);
    nz_free(encoded);
    nz_chain_worker_free(worker);
    nz_chain_close(chain);
}

/* A piece has a size, so that what a codec without a sum lets through is still found by it. */
static void every_truncation_and_extension_is_an_error(void **state)
{
    enum { N = 2000 };
    (void)state;
    for (size_t i = 0; i < N_CHAINS; i++) {
        nz_chain *chain = chain_of(chains[i], NWBZ_INT16, N);
        nz_chain_worker *worker = worker_of(chain);
        size_t n_encoded = 0;
        unsigned char *in = make_data(DATA_NEURAL, N), *out = nz_malloc(N);
        unsigned char *encoded = encode(chain, worker, in, N, &n_encoded);
        for (size_t cut = 0; cut <= n_encoded + 1; cut += cut + 20 < n_encoded ? 13 : 1) {
            nwbz_error err = NWBZ_ERROR_INIT;
            if (cut == n_encoded)
                continue;
            unsigned char *exact = nz_calloc(cut, 1);
            memcpy(exact, encoded, cut < n_encoded ? cut : n_encoded);
            nwbz_code code = nz_chain_decode(chain, worker, exact, cut, out, N, &err);
            if (code != NWBZ_EFORMAT)
                fail_msg("%s cut to %zu of %zu gives %d", chains[i], cut, n_encoded, code);
            assert_int_equal(err.code, NWBZ_EFORMAT);
            nz_free(exact);
        }
        nz_free(in), nz_free(out), nz_free(encoded);
        nz_chain_worker_free(worker);
        nz_chain_close(chain);
    }
}

static void a_piece_of_another_size_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CHAINS; i++) {
        nz_chain *chain = chain_of(chains[i], NWBZ_INT16, 2000);
        nz_chain_worker *worker = worker_of(chain);
        size_t n_encoded = 0;
        unsigned char *in = make_data(DATA_CONSTANT, 2000), *out = nz_malloc(2222);
        unsigned char *encoded = encode(chain, worker, in, 2000, &n_encoded);
        nwbz_error err = NWBZ_ERROR_INIT;
        assert_int_equal(nz_chain_decode(chain, worker, encoded, n_encoded, out, 2222, &err), NWBZ_EFORMAT);
        assert_numbers(err.message, 2000, 2222);
        assert_int_equal(nz_chain_decode(chain, worker, encoded, n_encoded, out, 1111 * 1, &err), NWBZ_EFORMAT);
        assert_non_null(strstr(err.message, "1111"));
        nz_free(in), nz_free(out), nz_free(encoded);
        nz_chain_worker_free(worker);
        nz_chain_close(chain);
    }
}

static void a_wrong_sum_is_named_with_the_right_one(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_chain *chain = chain_of("[" LITTLE "," CRC "]", NWBZ_UINT8, 9);
    nz_chain_worker *worker = worker_of(chain);
    unsigned char encoded[] = "123456789\x83\x92\x06\xe3", out[9]; /* the check value of CRC-32C */
    (void)state;
    assert_int_equal(nz_chain_decode(chain, worker, encoded, 13, out, 9, &err), NWBZ_OK);
    encoded[12] = 0xe2;
    assert_int_equal(nz_chain_decode(chain, worker, encoded, 13, out, 9, &err), NWBZ_EFORMAT);
    assert_non_null(strstr(err.message, "e3069283"));
    assert_non_null(strstr(err.message, "e2069283"));
    nz_chain_worker_free(worker);
    nz_chain_close(chain);
}

/* ---- Text ------------------------------------------------------------------------ */

static void text_of_any_size_comes_back(void **state)
{
    static const char *const texts[] = { "[" TEXT "]", "[" TEXT "," ZSTD "]", "[" TEXT "," GZIP "]",
                                         "[" TEXT "," GZIP "," CRC "," ZSTD "," CRC "]" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nz_chain *chain = chain_of(texts[i], NWBZ_STRING, 0);
        nz_chain_worker *worker = worker_of(chain);
        assert_true(nz_chain_is_text(chain));
        for (size_t n = 0; n < 3000000; n = n * 9 + 5) {
            nwbz_error err = NWBZ_ERROR_INIT;
            nz_buffer out = NZ_BUFFER_INIT(4000000);
            size_t n_encoded = 0;
            unsigned char *in = make_data(DATA_CONSTANT, n); /* the size is far over four times what it is encoded */
            unsigned char *encoded = encode(chain, worker, in, n, &n_encoded);
            assert_int_equal(nz_buffer_add_text(&out, "left over", &err), NWBZ_OK);
            if (nz_chain_decode_text(chain, worker, encoded, n_encoded, 4000000, &out, &err) != NWBZ_OK)
                fail_msg("%s: %s", texts[i], err.message);
            assert_int_equal(out.n_bytes, n);
            if (n)
                assert_memory_equal(out.bytes, in, n);
            if (n > 10) {
                assert_int_equal(nz_chain_decode_text(chain, worker, encoded, n_encoded, n - 1, &out, &err),
                                 NWBZ_ELIMIT);
                assert_non_null(strstr(err.message, i == 0 ? "limit" : "bytes"));
            }
            nz_free(in), nz_free(encoded);
            nz_buffer_done(&out);
        }
        nz_chain_worker_free(worker);
        nz_chain_close(chain);
    }
}

/* ---- Documents ---------------------------------------------------------------------- */

static void a_document_comes_back_with_every_member(void **state)
{
    static const struct {
        const char *in, *out;
        nwbz_type type;
    } cases[] = {
        { "[" LITTLE "," BLOSC "," CRC "]", NULL, NWBZ_INT16 },
        { "[{\"name\":\"bytes\"},\"crc32c\"]", "[{\"name\":\"bytes\"},{\"name\":\"crc32c\"}]", NWBZ_BOOL },
        { "[\"bytes\",{\"name\":\"gzip\"}]",
          "[{\"name\":\"bytes\"},{\"name\":\"gzip\",\"configuration\":{\"level\":5}}]", NWBZ_INT8 },
        { "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"zstd\",\"must_understand\":true}"
          "]",
          "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"zstd\",\"configuration\":{"
          "\"level\":0,\"checksum\":false}}]",
          NWBZ_FLOAT64 },
        { "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},{\"name\":\"blosc\"}]",
          "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},{\"name\":\"blosc\",\"configuration\":{"
          "\"typesize\":4,"
          "\"cname\":\"zstd\",\"clevel\":5,\"shuffle\":\"shuffle\",\"blocksize\":0}}]",
          NWBZ_UINT32 },
        { "[\"vlen-utf8\"]", "[{\"name\":\"vlen-utf8\",\"configuration\":{}}]", NWBZ_STRING },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char *got = NULL, *want = NULL;
        nz_json *formatted = NULL, *expected = json_of(cases[i].out ? cases[i].out : cases[i].in);
        nz_chain *chain = chain_of(cases[i].in, cases[i].type, 100);
        assert_int_equal(nz_chain_format(chain, &formatted, &err), NWBZ_OK);
        assert_int_equal(nz_json_text_of(formatted, &got, &err), NWBZ_OK);
        assert_int_equal(nz_json_text_of(expected, &want, &err), NWBZ_OK);
        /* blosc writes typesize first, as zarr-python does; the sample above has it later */
        if (cases[i].out)
            assert_string_equal(got, want);
        else
            assert_int_equal(strlen(got), strlen(want));
        nz_free(got), nz_free(want);
        nz_json_free(formatted);
        nz_json_free(expected);
        nz_chain_close(chain);
    }
}

static void documents_that_cannot_be_right_are_refused_by_name(void **state)
{
    static const struct {
        const char *codecs;
        nwbz_type type;
        nwbz_code code;
        const char *names;
    } cases[] = {
        { "[]", NWBZ_INT16, NWBZ_EFORMAT, "codecs" },
        { "{}", NWBZ_INT16, NWBZ_EFORMAT, "codecs" },
        { "[1]", NWBZ_INT16, NWBZ_EFORMAT, "no name" },
        { "[{\"configuration\": {}}]", NWBZ_INT16, NWBZ_EFORMAT, "no name" },
        { "[" ZSTD "]", NWBZ_INT16, NWBZ_EFORMAT, "zstd" },
        { "[" LITTLE "," LITTLE "]", NWBZ_INT16, NWBZ_EFORMAT, "bytes" },
        { "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," LITTLE "]", NWBZ_INT16, NWBZ_EUNSUPPORTED,
          "transpose" },
        { "[" LITTLE ",{\"name\":\"numcodecs.lzma\"}]", NWBZ_INT16, NWBZ_EUNSUPPORTED, "numcodecs.lzma" },
        { "[" LITTLE ",{\"name\":\"zlib2\",\"must_understand\":false}]", NWBZ_INT16, NWBZ_EUNSUPPORTED, "zlib2" },
        { "[{\"name\":\"bytes\"}]", NWBZ_INT16, NWBZ_EFORMAT, "endian" },
        { "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"middle\"}}]", NWBZ_INT16, NWBZ_EFORMAT, "middle" },
        { "[{\"name\":\"bytes\",\"configuration\":{\"endian\":1}}]", NWBZ_INT16, NWBZ_EFORMAT, "endian" },
        { "[{\"name\":\"bytes\",\"configuration\":[]}]", NWBZ_INT8, NWBZ_EFORMAT, "configuration" },
        { "[{\"name\":\"bytes\",\"colour\":1}]", NWBZ_INT8, NWBZ_EFORMAT, "colour" },
        { "[" LITTLE "]", NWBZ_STRING, NWBZ_EFORMAT, "string" },
        { "[" TEXT "]", NWBZ_INT16, NWBZ_EFORMAT, "int16" },
        { "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":23}}]", NWBZ_INT16, NWBZ_EFORMAT, "23" },
        { "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":1.5}}]", NWBZ_INT16, NWBZ_EFORMAT, "level" },
        { "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":18446744073709551615}}]", NWBZ_INT16,
          NWBZ_EFORMAT, "level" },
        { "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"checksum\":1}}]", NWBZ_INT16, NWBZ_EFORMAT, "checksum" },
        { "[" LITTLE ",{\"name\":\"gzip\",\"configuration\":{\"level\":-1}}]", NWBZ_INT16, NWBZ_EFORMAT, "-1" },
        { "[" LITTLE ",{\"name\":\"gzip\",\"configuration\":{\"level\":10}}]", NWBZ_INT16, NWBZ_EFORMAT, "10" },
        { "[" LITTLE ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz5\"}}]", NWBZ_INT16, NWBZ_EFORMAT, "lz5" },
        { "[" LITTLE ",{\"name\":\"blosc\",\"configuration\":{\"shuffle\":1}}]", NWBZ_INT16, NWBZ_EFORMAT, "shuffle" },
        { "[" LITTLE ",{\"name\":\"blosc\",\"configuration\":{\"clevel\":10}}]", NWBZ_INT16, NWBZ_EFORMAT, "clevel" },
        { "[" LITTLE ",{\"name\":\"blosc\",\"configuration\":{\"typesize\":0}}]", NWBZ_INT16, NWBZ_EFORMAT,
          "typesize" },
        { "[" LITTLE ",{\"name\":\"blosc\",\"configuration\":{\"blocksize\":-1}}]", NWBZ_INT16, NWBZ_EFORMAT,
          "blocksize" },
        { "[" LITTLE ",{\"name\":\"crc32c\",\"configuration\":{\"level\":1}}]", NWBZ_INT16, NWBZ_EFORMAT, "level" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_chain *chain = NULL;
        nz_json *codecs = json_of(cases[i].codecs);
        nwbz_code code = nz_chain_open(codecs, NZ_DTYPE(cases[i].type), 100, &chain, &err);
        if (code != cases[i].code || !strstr(err.message, cases[i].names))
            fail_msg("%s gives %d \"%s\"", cases[i].codecs, code, err.message);
        assert_null(chain);
        nz_json_free(codecs);
    }
}

static void a_piece_over_what_a_codec_takes_is_an_error_with_both_numbers(void **state)
{
    static const struct {
        const char *codecs;
        uint64_t most;
    } cases[] = {
        { "[" LITTLE "," BLOSC "]", INT32_MAX - 16 },
        { "[" BIG "]", INT32_MAX },
        { "[" LITTLE "," CRC "]", INT32_MAX - 4 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_json *codecs = json_of(cases[i].codecs);
        nz_chain *chain = NULL;
        assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), cases[i].most, &chain, &err), NWBZ_OK);
        nz_chain_close(chain);
        assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), cases[i].most + 1, &chain, &err), NWBZ_ELIMIT);
        assert_numbers(err.message, cases[i].most + 1, INT32_MAX);
        assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), UINT64_MAX, &chain, &err), NWBZ_ELIMIT);
        nz_json_free(codecs);
    }
    static const char *const compressors[] = { "[" LITTLE "," GZIP "]", "[" LITTLE "," ZSTD "]" };
    for (size_t i = 0; i < 2; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_json *codecs = json_of(compressors[i]);
        nz_chain *chain = NULL;
        assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), INT32_MAX, &chain, &err), NWBZ_ELIMIT);
        assert_numbers(err.message, INT32_MAX, INT32_MAX);
        assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), 2000000000, &chain, &err), NWBZ_OK);
        nz_chain_close(chain);
        nz_json_free(codecs);
    }
    /* Without work there is no limit. */
    nz_chain_close(chain_of("[" LITTLE "]", NWBZ_INT16, UINT64_C(1) << 40));
}

static void a_worker_of_large_pieces_is_counted(void **state)
{
    nz_chain *chain = chain_of("[" BIG "," GZIP "," ZSTD "]", NWBZ_INT16, 10000000);
    (void)state;
    /* two buffers between three codecs, and what the compressors take */
    assert_true(nz_chain_work_bytes(chain, 10000000) > 20000000);
    assert_true(nz_chain_work_bytes(chain, 10000000) < 30000000);
    nz_chain_close(chain);
}

static void registry_knows_exactly_its_names(void **state)
{
    static const char *const names[] = { "bytes", "vlen-utf8", "gzip", "zstd", "blosc", "crc32c" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(nz_codec_find(names[i])->name, names[i]);
    assert_null(nz_codec_find("Blosc"));
    assert_null(nz_codec_find(""));
    assert_null(nz_codec_find(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chain_gives_back_its_piece_and_leaves_the_input_alone),
        cmocka_unit_test(a_chain_without_work_copies),
        cmocka_unit_test(big_endian_swaps_each_element),
        cmocka_unit_test(every_truncation_and_extension_is_an_error),
        cmocka_unit_test(a_piece_of_another_size_is_an_error_with_both_numbers),
        cmocka_unit_test(a_wrong_sum_is_named_with_the_right_one),
        cmocka_unit_test(text_of_any_size_comes_back),
        cmocka_unit_test(a_document_comes_back_with_every_member),
        cmocka_unit_test(documents_that_cannot_be_right_are_refused_by_name),
        cmocka_unit_test(a_piece_over_what_a_codec_takes_is_an_error_with_both_numbers),
        cmocka_unit_test(a_worker_of_large_pieces_is_counted),
        cmocka_unit_test(registry_knows_exactly_its_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
