/* Text of fixed width, and base64. */
#include "support/test.h"

#include "base/base64.h"
#include "base/utf32.h"

#include <string.h>

static void text_of_every_length_of_sequence_survives(void **state)
{
    static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf";
    static const uint32_t points[] = { 'a', 0xe4, 0x20ac, 0x1f600, 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10ffff, 0, 0 };
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(100);
    uint32_t utf32[12];
    (void)state;
    memset(utf32, 0xff, sizeof utf32);
    assert_int_equal(nz_utf32_count(text, sizeof text - 1), 10);
    assert_true(nz_utf32_encode(text, sizeof text - 1, utf32, sizeof utf32));
    assert_memory_equal(utf32, points, sizeof points);
    assert_ok(nz_utf32_decode(utf32, sizeof utf32, &out, &err), &err);
    assert_string_equal(out.bytes, text);
    assert_true(nz_utf32_encode(text, sizeof text - 1, utf32, 40));
    assert_false(nz_utf32_encode(text, sizeof text - 1, utf32, 36));
    nz_buffer_done(&out);
}

static void a_nul_inside_stays_and_those_at_the_end_go(void **state)
{
    static const uint32_t points[] = { 0, 'a', 0, 'b', 0, 0 };
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(100);
    (void)state;
    assert_ok(nz_utf32_decode(points, sizeof points, &out, &err), &err);
    assert_int_equal(out.n_bytes, 4);
    assert_memory_equal(out.bytes, "\0a\0b", 5);
    out.n_bytes = 0;
    assert_ok(nz_utf32_decode(points, 4, &out, &err), &err);
    assert_int_equal(out.n_bytes, 0);
    nz_buffer_done(&out);
}

static void what_is_no_character_is_an_error_that_shows_it(void **state)
{
    static const uint32_t wrong[] = { 0xd800, 0xdfff, 0x110000, 0xffffffff };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t points[] = { 'a', wrong[i], 0 };
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_buffer out = NZ_BUFFER_INIT(100);
        assert_int_equal(nz_utf32_decode(points, sizeof points, &out, &err), NWBZ_EFORMAT);
        assert_non_null(strstr(err.message, "place 1"));
        nz_buffer_done(&out);
    }
}

/* RFC 4648, section 10, and bytes with all bits. */
static const char *const texts[][2] = {
    { "", "" },           { "f", "Zg==" },         { "fo", "Zm8=" },         { "foo", "Zm9v" },
    { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfb", "//77" },
    { "\xfb\xff", "+/8=" },
};

static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_buffer out = NZ_BUFFER_INIT(100);
        char bytes[8] = "";
        size_t n = strlen(texts[i][0]);
        assert_ok(nz_base64_encode(texts[i][0], n, &out, &err), &err);
        assert_string_equal(out.bytes, texts[i][1]);
        assert_true(nz_base64_decode(texts[i][1], strlen(texts[i][1]), bytes, n));
        assert_memory_equal(bytes, texts[i][0], n);
        nz_buffer_done(&out);
    }
}

static void base64_that_is_not_exact_is_refused(void **state)
{
    static const struct {
        const char *text;
        size_t n_bytes;
    } wrong[] = { { "Zg==", 2 }, { "Zg==", 0 }, { "Zh==", 1 }, { "Zm9=", 2 }, { "Zg=", 1 },     { "Zg", 1 },  { "Z===", 1 },
                  { "Zm-v", 3 }, { "Zm9v", 2 }, { "Zm9v", 4 }, { "====", 1 }, { "Zm9vZg==", 3 }, { "", 1 }, { "Zm9vZ=g=", 4 } };
    char bytes[8];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(nz_base64_decode(wrong[i].text, strlen(wrong[i].text), bytes, wrong[i].n_bytes));
    assert_false(nz_base64_decode("Zm\0v", 4, bytes, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_every_length_of_sequence_survives),
        cmocka_unit_test(a_nul_inside_stays_and_those_at_the_end_go),
        cmocka_unit_test(what_is_no_character_is_an_error_that_shows_it),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(base64_that_is_not_exact_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
