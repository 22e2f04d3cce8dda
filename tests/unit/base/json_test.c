#include "support/test.h"

#include "base/json.h"
#include "base/memory.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static nz_json *parse(const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    assert_ok(nz_json_parse(text, strlen(text), &json, &err), &err);
    assert_non_null(json);
    return json;
}

/* Check the text of a value, and free it. */
static void check_text(nz_json *json, const char *want)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char *text = NULL;
    assert_ok(nz_json_text_of(json, &text, &err), &err);
    assert_string_equal(text, want);
    nz_free(text);
    nz_json_free(json);
}

static void check_same(const char *text)
{
    check_text(parse(text), text);
}

/* ---- Round trips ------------------------------------------------------------------- */

static void text_comes_back_as_it_was(void **state)
{
    (void)state;
    const char *same[] = { "null",
                           "true",
                           "false",
                           "0",
                           "-1",
                           "0.0",
                           "-0.0",
                           "3.0",
                           "0.1",
                           "1e+300",
                           "5e-324",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "\"\"",
                           "[]",
                           "{}",
                           "[[], {}, null]",
                           "{\"b\": 1, \"a\": {\"c\": [1, 2.5]}}",
                           "\"a/b \\\" \\\\ \\n\\t\\r\\b\\f \\u0001 \xC3\xA9 \x7F\"",
                           "[NaN, Infinity, -Infinity]",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "9223372036854775808",
                           "18446744073709551615",
                           "{\"\": 1}",
                           "{\"k\\\"\\n\": null}",
                           "1.7976931348623157e+308",
                           "2.2250738585072014e-308" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_same(same[i]);
}

static void other_spellings_get_the_one_form(void **state)
{
    (void)state;
    const char *cases[][2] = { { " {\"a\":[1,2]}\n", "{\"a\": [1, 2]}" },
                               { "\"\\/\\u00e9\\ud83d\\ude00\"", "\"/\xC3\xA9\xF0\x9F\x98\x80\"" },
                               { "1E5", "100000.0" },
                               { "1e-5", "1e-05" },
                               { "-0", "0" },
                               { "100e-2", "1.0" },
                               { "0.30000000000000004", "0.30000000000000004" },
                               { "\"\\u001F\"", "\"\\u001f\"" },
                               { "123456789012345678", "123456789012345678" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_text(parse(cases[i][0]), cases[i][1]);
}

static void a_text_may_hold_a_nul(void **state)
{
    (void)state;
    nz_json *json = parse("\"a\\u0000b\"");
    size_t n;
    assert_memory_equal(nz_json_text(json, &n), "a\0b", 4);
    assert_int_equal(n, 3);
    check_text(json, "\"a\\u0000b\"");
    check_text(nz_json_new_text_n("x\0y", 3), "\"x\\u0000y\"");
    check_text(nz_json_new_text_n(NULL, 0), "\"\"");
}

static void the_last_of_equal_keys_wins_at_the_place_of_the_first(void **state)
{
    (void)state;
    check_text(parse("{\"a\": 1, \"b\": 2, \"a\": 3}"), "{\"a\": 3, \"b\": 2}");
}

/* ---- Numbers ----------------------------------------------------------------------- */

static void integers_keep_all_of_int64_and_uint64(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool is_int, is_uint;
        int64_t number;
        uint64_t unsigned_number;
    } cases[] = { { "0", true, true, 0, 0 },
                  { "-1", true, false, -1, 0 },
                  { "9223372036854775807", true, true, INT64_MAX, INT64_MAX },
                  { "9223372036854775808", false, true, 0, UINT64_C(9223372036854775808) },
                  { "18446744073709551615", false, true, 0, UINT64_MAX },
                  { "-9223372036854775808", true, false, INT64_MIN, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nz_json *json = parse(cases[i].text);
        int64_t number = 0;
        uint64_t unsigned_number = 0;
        assert_int_equal(nz_json_kind_of(json), NZ_JSON_INT);
        assert_int_equal(nz_json_int(json, &number), cases[i].is_int);
        assert_int_equal(nz_json_uint(json, &unsigned_number), cases[i].is_uint);
        if (cases[i].is_int)
            assert_true(number == cases[i].number);
        if (cases[i].is_uint)
            assert_true(unsigned_number == cases[i].unsigned_number);
        nz_json_free(json);
    }
}

static void integers_beyond_64_bits_become_doubles_and_are_never_clamped(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = { { "18446744073709551616", 18446744073709551616.0 },
                  { "-9223372036854775809", -9223372036854775808.0 },
                  { "99999999999999999999", 1e20 },
                  { "123456789012345678901234567890", 123456789012345678901234567890.0 },
                  { "-1000000000000000000000000000000000000000000", -1e42 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nz_json *json = parse(cases[i].text);
        int64_t number;
        uint64_t unsigned_number;
        assert_int_equal(nz_json_kind_of(json), NZ_JSON_DOUBLE);
        assert_true(nz_json_double(json) == cases[i].value);
        assert_false(nz_json_int(json, &number));
        assert_false(nz_json_uint(json, &unsigned_number));
        nz_json_free(json);
    }
    char digits[401];
    memset(digits, '9', 400);
    digits[400] = 0;
    nz_json *json = parse(digits);
    assert_true(nz_json_double(json) == INFINITY);
    nz_json_free(json);
    /* in the midst of others, and digits within text stay what they are */
    check_text(parse("[1,99999999999999999999999,\"99999999999999999999999\",-7]"),
               "[1, 1e+23, \"99999999999999999999999\", -7]");
}

static void doubles_are_the_shortest_text_that_reads_back(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = { { 0.1, "0.1" },
                  { 3.0, "3.0" },
                  { 1e300, "1e+300" },
                  { -0.0, "-0.0" },
                  { 0.0, "0.0" },
                  { 1.0 / 3.0, "0.3333333333333333" },
                  { 30000.0, "30000.0" },
                  { 1e-6, "1e-06" },
                  { 5e-324, "5e-324" },
                  { 1e-310, "1e-310" },
                  { 0.1 + 0.2, "0.30000000000000004" },
                  { 2.34e-06, "2.34e-06" },
                  { 123456789012345680.0, "1.2345678901234568e+17" },
                  { NAN, "NaN" },
                  { INFINITY, "Infinity" },
                  { -INFINITY, "-Infinity" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        nz_double_format(cases[i].value, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        check_text(nz_json_new_double(cases[i].value), cases[i].text);
    }
}

static void random_doubles_and_floats_read_back_bit_for_bit(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value, again;
        float single, single_again;
        char text[32];
        memcpy(&value, &bits, sizeof value);
        memcpy(&single, &bits, sizeof single);
        if (isfinite(value)) {
            nz_double_format(value, text, sizeof text);
            again = strtod(text, NULL);
            assert_memory_equal(&again, &value, sizeof value);
            assert_non_null(strpbrk(text, ".e"));
        }
        if (isfinite(single)) {
            nz_float_format(single, text, sizeof text);
            single_again = strtof(text, NULL);
            assert_memory_equal(&single_again, &single, sizeof single);
        }
    }
}

static void floats_are_the_shortest_text_that_reads_back_as_float32(void **state)
{
    (void)state;
    const struct {
        float value;
        const char *text;
    } cases[] = { { 0.1F, "0.1" },
                  { 16777216.0F, "16777216.0" },
                  { 1e-45F, "1e-45" },
                  { 3.4028235e38F, "3.4028235e+38" },
                  { -2.5F, "-2.5" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        nz_float_format(cases[i].value, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void the_locales_decimal_comma_never_shows(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        skip(); /* no locale with a comma is installed */
        return;
    }
    check_same("[0.5, 1.25e-07, 3.0]");
    setlocale(LC_NUMERIC, "C");
}

/* ---- What is refused --------------------------------------------------------------- */

static void what_is_not_strict_json_is_refused_with_its_offset(void **state)
{
    (void)state;
    const struct {
        const char *text, *offset;
    } cases[] = { { "", "byte 0" },
                  { "  ", "byte 2" },
                  { "[1,]", "byte 3" },
                  { "{\"a\":1,}", "byte 7" },
                  { "{\"a\":1}x", "byte 7" },
                  { "[1]//c", "byte 3" },
                  { "/*c*/[1]", "byte 0" },
                  { "'a'", "byte 0" },
                  { "\"a\tb\"", "byte 2" },
                  { "01", "byte" },
                  { "1.", "byte 1" },
                  { ".5", "byte 0" },
                  { "-", "byte 1" },
                  { "+1", "byte 0" },
                  { "nan", "byte" },
                  { "-NaN", "byte" },
                  { "TRUE", "byte 0" },
                  { "tru", "byte 3" },
                  { "[1 2]", "byte 3" },
                  { "[1,,2]", "byte 3" },
                  { "[", "byte 1" },
                  { "{\"a\" 1}", "byte" },
                  { "{a:1}", "byte 1" },
                  { "1e", "byte 2" },
                  { "--1", "byte 1" },
                  { "0x10", "byte 1" },
                  { "\"\\x\"", "byte" },
                  { "\"\\u12g4\"", "byte 1" },
                  { "\"abc", "byte 4" },
                  { "\"\\", "byte" },
                  { "[1]\v", "byte 3" },
                  { "\xEF\xBB\xBF[1]", "byte" },
                  { "\"\\ud800\"", "byte 1" },
                  { "\"\\ude00\\ud83d\"", "byte 1" },
                  { "\"\\ud83d\\u0041\"", "byte 1" },
                  { "\"\xFF\"", "byte 1" },
                  { "[\"\xED\xA0\x80\"]", "byte 2" },
                  { "{\"a\\u0000b\" : 1}", "byte 1" },
                  { "[1] [2]", "byte 4" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nz_json *json = (nz_json *)&err;
        assert_code(nz_json_parse(cases[i].text, strlen(cases[i].text), &json, &err), NWBZ_EFORMAT, cases[i].offset,
                    &err);
        assert_null(json);
    }
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json;
    assert_code(nz_json_parse("[1]\0", 4, &json, &err), NWBZ_EFORMAT, "byte 3", &err);
}

static void offsets_stay_right_behind_a_large_integer(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json;
    const char *text = "[99999999999999999999999,x]";
    assert_code(nz_json_parse(text, strlen(text), &json, &err), NWBZ_EFORMAT, "byte 25", &err);
}

static void depth_64_is_read_and_65_is_refused(void **state)
{
    (void)state;
    for (size_t depth = 64; depth <= 65; depth++) {
        char text[130];
        nz_json *json;
        nwbz_error err = NWBZ_ERROR_INIT;
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        nwbz_code code = nz_json_parse(text, 2 * depth, &json, &err);
        assert_int_equal(code, depth == 64 ? NWBZ_OK : NWBZ_EFORMAT);
        nz_json_free(json);
    }
}

static void the_text_need_not_end_with_a_nul(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    char *text = nz_memdup("123", 3); /* exactly as long, so that a sanitizer sees a byte too far */
    assert_ok(nz_json_parse(text, 3, &json, &err), &err);
    check_text(json, "123");
    assert_ok(nz_json_parse("12345", 2, &json, &err), &err);
    check_text(json, "12");
    nz_free(text);
}

/* ---- Make and look ----------------------------------------------------------------- */

static void values_are_made_put_and_removed(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const uint64_t shape[] = { 0, 384, UINT64_MAX };
    nz_json *object = nz_json_new_object(), *array = nz_json_new_array();
    assert_ok(nz_json_push(array, nz_json_new_bool(true), &err), &err);
    assert_ok(nz_json_push(array, nz_json_new_null(), &err), &err);
    assert_ok(nz_json_push(array, nz_json_new_int(INT64_MIN), &err), &err);
    assert_ok(nz_json_put(object, "array", array, &err), &err);
    assert_ok(nz_json_put(object, "shape", nz_json_new_shape(shape, 3), &err), &err);
    assert_ok(nz_json_put(object, "gone", nz_json_new_text("x"), &err), &err);
    assert_ok(nz_json_put(object, "null", nz_json_new_null(), &err), &err);
    assert_ok(nz_json_put(object, "array2", nz_json_new_shape(NULL, 0), &err), &err);
    nz_json_remove(object, "gone");
    nz_json_remove(object, "never there");
    assert_ok(nz_json_put(object, "null", nz_json_new_uint(UINT64_MAX), &err), &err);
    check_text(object, "{\"array\": [true, null, -9223372036854775808], \"shape\": [0, 384, 18446744073709551615], "
                       "\"null\": 18446744073709551615, \"array2\": []}");
}

static void null_is_a_value_and_absent_is_not(void **state)
{
    (void)state;
    nz_json *json = parse("{\"a\": null, \"b\": [null]}");
    const nz_json *null = nz_json_get(json, "a");
    assert_non_null(null);
    assert_int_equal(nz_json_kind_of(null), NZ_JSON_NULL);
    assert_non_null(nz_json_at(nz_json_get(json, "b"), 0));
    assert_null(nz_json_get(json, "c"));
    assert_null(nz_json_at(nz_json_get(json, "b"), 1));
    assert_null(nz_json_get(null, "x"));
    assert_null(nz_json_get(NULL, "x"));
    assert_null(nz_json_text(null, NULL));
    assert_int_equal(nz_json_length(null), 0);
    assert_int_equal(nz_json_length(json), 2);
    nz_json *shared = nz_json_share(null);
    nz_json_free(json);
    check_text(shared, "null");
}

static void no_memory_inside_a_call_comes_out_of_it(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *object = nz_json_new_object(), *array = nz_json_new_array();
    assert_code(nz_json_put(object, "k", NULL, &err), NWBZ_ENOMEM, "k", &err);
    assert_code(nz_json_push(array, NULL, &err), NWBZ_ENOMEM, NULL, &err);
    assert_code(nz_json_put(NULL, "k", nz_json_new_int(1), &err), NWBZ_ENOMEM, "k", &err);
    assert_code(nz_json_push(NULL, nz_json_new_int(1), &err), NWBZ_ENOMEM, NULL, &err);
    assert_code(nz_json_put(array, "k", nz_json_new_int(1), &err), NWBZ_EINVAL, "k", &err);
    assert_code(nz_json_push(object, nz_json_new_int(1), &err), NWBZ_EINVAL, NULL, &err);
    assert_int_equal(nz_json_length(object) + nz_json_length(array), 0);
    nz_json_free(object);
    nz_json_free(array);
    nz_json_free(NULL);
}

static void a_shared_value_lives_until_both_are_freed(void **state)
{
    (void)state;
    nz_json *json = parse("{\"a\": [1, 2]}"), *part = nz_json_share(nz_json_get(json, "a"));
    nz_json_free(json);
    check_text(part, "[1, 2]");
    assert_null(nz_json_share(NULL));
}

static void looking_at_the_wrong_kind_gives_nothing(void **state)
{
    (void)state;
    nz_json *json = parse("{\"t\": \"x\", \"n\": 2, \"d\": 2.5, \"b\": true}");
    int64_t number;
    assert_string_equal(nz_json_get_text(json, "t"), "x");
    assert_null(nz_json_get_text(json, "n"));
    assert_null(nz_json_get_text(json, "absent"));
    assert_false(nz_json_int(nz_json_get(json, "d"), &number));
    assert_false(nz_json_int(nz_json_get(json, "t"), &number));
    assert_false(nz_json_int(nz_json_get(json, "b"), &number));
    assert_true(nz_json_double(nz_json_get(json, "n")) == 2.0);
    assert_true(nz_json_bool(nz_json_get(json, "b")));
    assert_false(nz_json_bool(nz_json_get(json, "t")));
    nz_json_free(json);
}

static nwbz_code stop_at_c(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    (void)value;
    strcat(user, key);
    return strcmp(key, "c") == 0 ? nz_fail(err, NWBZ_ECANCELED, "enough") : NWBZ_OK;
}

static void members_are_visited_in_their_order_until_one_says_stop(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    char seen[16] = "";
    nz_json *json = parse("{\"b\": 1, \"a\": 2, \"c\": 3, \"d\": 4}");
    assert_code(nz_json_each(json, stop_at_c, seen, &err), NWBZ_ECANCELED, "enough", &err);
    assert_string_equal(seen, "bac");
    nz_json_free(json);
}

static void a_full_buffer_stops_formatting(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = parse("[1, 2, 3, \"long enough\"]");
    for (size_t room = 0; room < 24; room++) {
        nz_buffer out = NZ_BUFFER_INIT(room);
        assert_int_equal(nz_json_format(json, &out, &err), NWBZ_ELIMIT);
        nz_buffer_done(&out);
    }
    nz_json_free(json);
}

/* Seconds of processor time to parse and format an object of `n` members. */
static double seconds_for(int n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer text = NZ_BUFFER_INIT(SIZE_MAX / 2), again = NZ_BUFFER_INIT(SIZE_MAX / 2);
    assert_ok(nz_buffer_add_text(&text, "{", &err), &err);
    for (int i = 0; i < n; i++)
        assert_ok(nz_buffer_addf(&text, &err, "%s\"acquisition/%d\": {\"shape\": [%d, 64]}", i ? ", " : "", i, i),
                  &err);
    assert_ok(nz_buffer_add_text(&text, "}", &err), &err);
    clock_t start = clock();
    nz_json *json = NULL;
    assert_ok(nz_json_parse(text.bytes, text.n_bytes, &json, &err), &err);
    assert_ok(nz_json_format(json, &again, &err), &err);
    nz_json_free(json);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_string_equal(text.bytes, again.bytes);
    nz_buffer_done(&text);
    nz_buffer_done(&again);
    return seconds;
}

static void large_objects_take_linear_time(void **state)
{
    (void)state;
    double small = seconds_for(5000), large = seconds_for(40000);
    assert_true(large < 8 * 4 * small + 0.05); /* eight times as much; quadratic would be sixty-four */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_back_as_it_was),
        cmocka_unit_test(other_spellings_get_the_one_form),
        cmocka_unit_test(a_text_may_hold_a_nul),
        cmocka_unit_test(the_last_of_equal_keys_wins_at_the_place_of_the_first),
        cmocka_unit_test(integers_keep_all_of_int64_and_uint64),
        cmocka_unit_test(integers_beyond_64_bits_become_doubles_and_are_never_clamped),
        cmocka_unit_test(doubles_are_the_shortest_text_that_reads_back),
        cmocka_unit_test(random_doubles_and_floats_read_back_bit_for_bit),
        cmocka_unit_test(floats_are_the_shortest_text_that_reads_back_as_float32),
        cmocka_unit_test(the_locales_decimal_comma_never_shows),
        cmocka_unit_test(what_is_not_strict_json_is_refused_with_its_offset),
        cmocka_unit_test(offsets_stay_right_behind_a_large_integer),
        cmocka_unit_test(depth_64_is_read_and_65_is_refused),
        cmocka_unit_test(the_text_need_not_end_with_a_nul),
        cmocka_unit_test(values_are_made_put_and_removed),
        cmocka_unit_test(null_is_a_value_and_absent_is_not),
        cmocka_unit_test(no_memory_inside_a_call_comes_out_of_it),
        cmocka_unit_test(a_shared_value_lives_until_both_are_freed),
        cmocka_unit_test(looking_at_the_wrong_kind_gives_nothing),
        cmocka_unit_test(members_are_visited_in_their_order_until_one_says_stop),
        cmocka_unit_test(a_full_buffer_stops_formatting),
        cmocka_unit_test(large_objects_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
