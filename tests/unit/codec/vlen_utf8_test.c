/* Text elements and their serialised bytes. */
#define _GNU_SOURCE
#include "data.h"

static const nwbz_string words[] = { { "hi", 2 }, { NULL, 0 }, { "\xc3\xa9\xf0\x9f\x90\xad", 6 }, { "a\0b", 3 } };
static const char bytes[] = "\4\0\0\0\2\0\0\0hi\0\0\0\0\6\0\0\0\xc3\xa9\xf0\x9f\x90\xad\3\0\0\0a\0b";
enum { N_WORDS = 4, N_BYTES = sizeof bytes - 1 };

static void elements_become_counts_and_bytes_and_come_back(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(1000);
    nwbz_string back[N_WORDS];
    (void)state;
    assert_int_equal(nz_vlen_utf8_encode(words, N_WORDS, &out, &err), NWBZ_OK);
    assert_int_equal(out.n_bytes, N_BYTES);
    assert_memory_equal(out.bytes, bytes, N_BYTES);
    assert_int_equal(nz_vlen_utf8_decode(out.bytes, out.n_bytes, N_WORDS, back, &err), NWBZ_OK);
    for (int i = 0; i < N_WORDS; i++) {
        assert_int_equal(back[i].n_bytes, words[i].n_bytes);
        if (words[i].n_bytes)
            assert_memory_equal(back[i].bytes, words[i].bytes, words[i].n_bytes);
    }
    nz_buffer_done(&out);
    assert_int_equal(nz_vlen_utf8_encode(NULL, 0, &out, &err), NWBZ_OK);
    assert_int_equal(out.n_bytes, 4);
    assert_int_equal(nz_vlen_utf8_decode(out.bytes, 4, 0, NULL, &err), NWBZ_OK);
    nz_buffer_done(&out);
}

static void every_truncation_is_an_error(void **state)
{
    nwbz_string back[N_WORDS];
    (void)state;
    for (size_t n = 0; n < N_BYTES; n++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char *exact = nz_memdup(bytes, n);
        assert_int_equal(nz_vlen_utf8_decode(exact, n, N_WORDS, back, &err), NWBZ_EFORMAT);
        nz_free(exact);
    }
}

static void wrong_counts_lengths_and_bytes_are_named(void **state)
{
    static const struct {
        const char *bytes;
        size_t n_bytes;
        uint64_t n;
        const char *names[2];
    } cases[] = {
        { "\1\0\0\0\0\0\0\0", 8, 2, { "holds 1", "2" } },
        { "\1\0\0\0\0\0\0\0", 8, 4294967297, { "holds 1", "4294967297" } },
        { "\1\0\0\0\5\0\0\0ab", 10, 1, { "5 bytes", "2 are left" } },
        { "\1\0\0\0\xff\xff\xff\xff"
          "ab",
          10,
          1,
          { "4294967295", "2 are left" } },
        { "\1\0\0\0\1\0\0\0ab", 10, 1, { "1 bytes behind", "9 of 10" } },
        { "\1\0\0\0\1\0\0\0\xff", 9, 1, { "element 0", "UTF-8" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_string back[2];
        assert_int_equal(nz_vlen_utf8_decode(cases[i].bytes, cases[i].n_bytes, cases[i].n, back, &err), NWBZ_EFORMAT);
        if (!strstr(err.message, cases[i].names[0]) || !strstr(err.message, cases[i].names[1]))
            fail_msg("case %zu: %s", i, err.message);
    }
}

static void text_that_is_not_utf8_is_not_encoded(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(1000);
    nwbz_string bad[] = { { "ok", 2 }, { "\xed\xa0\x80", 3 } };
    (void)state;
    assert_int_equal(nz_vlen_utf8_encode(bad, 2, &out, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "element 1"));
    nz_buffer_done(&out);
}

static void text_over_two_gigabytes_is_an_error_with_the_limit(void **state)
{
    enum { MILLION = 1000000 };
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(SIZE_MAX);
    char *text = nz_malloc(MILLION);
    nwbz_string *many = nz_calloc(2200, sizeof *many);
    (void)state;
    memset(text, 'x', MILLION);
    for (int i = 0; i < 2200; i++)
        many[i] = (nwbz_string){ text, MILLION };
    assert_int_equal(nz_vlen_utf8_encode(many, 2200, &out, &err), NWBZ_ELIMIT);
    assert_numbers(err.message, 2200, INT32_MAX);
    nz_free(text);
    nz_free(many);
    nz_buffer_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_become_counts_and_bytes_and_come_back),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(wrong_counts_lengths_and_bytes_are_named),
        cmocka_unit_test(text_that_is_not_utf8_is_not_encoded),
        cmocka_unit_test(text_over_two_gigabytes_is_an_error_with_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
