/* Buffers, paths, UTF-8, ids, checksums, counts. */
#include "support/test.h"

#include "base/buffer.h"
#include "base/checked.h"
#include "base/crc32c.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/uuid.h"

#include <stdlib.h>
#include <string.h>

/* ---- Counts ---------------------------------------------------------------------- */

static void counts_that_overflow_are_refused_and_zero_axes_never_overflow(void **state)
{
    (void)state;
    uint64_t n = 7;
    const uint64_t large[] = { UINT64_MAX, 2 }, with_zero[] = { UINT64_MAX, UINT64_MAX, 0 };
    const uint64_t fits[] = { UINT64_C(1) << 31, UINT64_C(1) << 32 };
    assert_false(nz_count(large, 2, 1, &n));
    assert_true(nz_count(with_zero, 3, 8, &n));
    assert_int_equal(n, 0);
    assert_true(nz_count(NULL, 0, 8, &n));
    assert_int_equal(n, 8);
    assert_true(nz_count(fits, 2, 1, &n));
    assert_true(n == UINT64_C(1) << 63);
    assert_false(nz_count(fits, 2, 2, &n));
    assert_int_equal(nz_ceil_div(UINT64_MAX, 2), UINT64_C(1) << 63);
    assert_int_equal(nz_ceil_div(0, 5), 0);
    assert_int_equal(nz_min(3, 2) + nz_max(3, 2), 5);
}

static void an_allocation_whose_size_overflows_is_null(void **state)
{
    (void)state;
    volatile size_t huge = SIZE_MAX / 2; /* volatile: compilers warn of it otherwise */
    assert_null(nz_calloc(huge, 4));
    void *large = nz_malloc_large(5 << 20);
    assert_non_null(large);
    assert_int_equal((uintptr_t)large % (2 << 20), 0);
    nz_free(large);
    large = nz_malloc_large(100);
    assert_int_equal((uintptr_t)large % 64, 0);
    nz_free(large);
    nz_free(NULL);
}

/* ---- Buffers --------------------------------------------------------------------- */

static void a_buffer_grows_keeps_a_nul_and_stops_at_its_maximum(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer buffer = NZ_BUFFER_INIT(100);
    for (int i = 0; i < 10; i++)
        assert_ok(nz_buffer_addf(&buffer, &err, "%09d,", i), &err);
    assert_int_equal(buffer.n_bytes, 100);
    assert_int_equal(strlen(buffer.bytes), 100);
    assert_memory_equal(buffer.bytes + 90, "000000009,", 11);
    assert_code(nz_buffer_add(&buffer, "x", 1, &err), NWBZ_ELIMIT, "100", &err);
    assert_int_equal(buffer.n_bytes, 100);
    assert_ok(nz_buffer_add(&buffer, NULL, 0, &err), &err);
    nz_buffer_done(&buffer);
    assert_null(buffer.bytes);
    assert_ok(nz_buffer_add_text(&buffer, "again", &err), &err);
    assert_string_equal(buffer.bytes, "again");
    nz_buffer_done(&buffer);
}

static void a_buffer_refuses_sizes_that_overflow(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer buffer = NZ_BUFFER_INIT(SIZE_MAX);
    assert_ok(nz_buffer_add_text(&buffer, "abc", &err), &err);
    assert_int_equal(nz_buffer_reserve(&buffer, SIZE_MAX - 3, &err), NWBZ_ELIMIT);
    assert_int_equal(nz_buffer_reserve(&buffer, SIZE_MAX, &err), NWBZ_ELIMIT);
    assert_string_equal(buffer.bytes, "abc");
    nz_buffer_done(&buffer);
}

/* ---- Paths ----------------------------------------------------------------------- */

static void check_owned(char *got, const char *want)
{
    assert_non_null(got);
    assert_string_equal(got, want);
    nz_free(got);
}

static void paths_join_with_one_slash(void **state)
{
    (void)state;
    check_owned(nz_path_join("a", "b"), "a/b");
    check_owned(nz_path_join("a/", "b"), "a/b");
    check_owned(nz_path_join("", "b"), "b");
    check_owned(nz_path_join("a", ""), "a");
    check_owned(nz_path_join("/", "b"), "/b");
    check_owned(nz_path_join("", ""), "");
}

static void a_path_has_a_parent_and_a_name(void **state)
{
    (void)state;
    const char *cases[][3] = { { "a/b", "a", "b" }, { "a", ".", "a" },    { "/x", "/", "x" },
                               { "/", "/", "" },    { "a/b/", "a", "b" }, { "a//b", "a", "b" },
                               { "a/", ".", "a" },  { "//x", "/", "x" },  { "/a/b/c///", "/a/b", "c" },
                               { "", ".", "" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_owned(nz_path_parent(cases[i][0]), cases[i][1]);
        check_owned(nz_path_name(cases[i][0]), cases[i][2]);
    }
}

static void a_nodes_path_becomes_a_key(void **state)
{
    (void)state;
    const char *cases[][2] = {
        { "/", "" }, { "", "" }, { "/a", "a" }, { "a", "a" }, { "/a/b c/..d", "a/b c/..d" }, { "/.a/...", ".a/..." }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char *key = NULL;
        assert_ok(nz_path_key(cases[i][0], &key, &err), &err);
        check_owned(key, cases[i][1]);
    }
}

static void paths_with_empty_parts_or_dots_are_no_keys(void **state)
{
    (void)state;
    const char *refused[] = { "//", "//a", "/a//b", "/a/", "a/", "/.", "/..", "/a/../b", "/a/./b", "..", "/a/.." };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char *key = (char *)"set";
        assert_code(nz_path_key(refused[i], &key, &err), NWBZ_EINVAL, refused[i], &err);
        assert_null(key);
    }
}

/* ---- UTF-8 ----------------------------------------------------------------------- */

static void well_formed_text_is_valid(void **state)
{
    (void)state;
    const char *valid[] = { "",
                            "plain text of more than eight bytes",
                            "\x7F",
                            "\xC2\x80",
                            "\xDF\xBF",
                            "\xE0\xA0\x80",
                            "\xED\x9F\xBF",
                            "\xEE\x80\x80",
                            "\xEF\xBF\xBF",
                            "\xF0\x90\x80\x80",
                            "\xF4\x8F\xBF\xBF",
                            "\xC2\xB5V at eight: 1234567\xE2\x82\xAC 12345678\xF0\x9F\x90\xAD" };
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_true(nz_utf8_is_valid(valid[i], strlen(valid[i])));
    assert_true(nz_utf8_is_valid("a\0b", 3));
}

static void malformed_text_is_not_and_its_place_is_known(void **state)
{
    (void)state;
    const char *invalid[] = { "\x80",
                              "\xBF",
                              "\xC0\x80",
                              "\xC1\xBF",
                              "\xE0\x9F\xBF",
                              "\xED\xA0\x80",
                              "\xED\xBF\xBF",
                              "\xF0\x8F\xBF\xBF",
                              "\xF4\x90\x80\x80",
                              "\xF5\x80\x80\x80",
                              "\xFF",
                              "\xFE",
                              "\xC2",
                              "\xE2\x82",
                              "\xF0\x9F\x90",
                              "\xC2\xC2",
                              "\xE2\x82\x41",
                              "\xF0\x9F\x41\x80",
                              "\xE2\x28\xA1" };
    char text[64];
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        for (size_t before = 0; before < 18; before++) { /* at each place of the eight-byte steps */
            memset(text, 'a', before);
            strcpy(text + before, invalid[i]);
            size_t n = before + strlen(invalid[i]);
            assert_false(nz_utf8_is_valid(text, n));
            assert_int_equal(nz_utf8_valid_prefix(text, n), before);
        }
}

/* ---- Ids and checksums ----------------------------------------------------------- */

static void random_ids_are_version_4_and_differ(void **state)
{
    (void)state;
    char a[NZ_UUID_ROOM], b[NZ_UUID_ROOM];
    nz_uuid_random(a);
    nz_uuid_random(b);
    assert_int_equal(strlen(a), 36);
    assert_int_equal(a[14], '4');
    assert_non_null(strchr("89ab", a[19]));
    assert_int_equal(strspn(a, "0123456789abcdef-"), 36);
    assert_string_not_equal(a, b);
}

static void named_ids_are_version_5_and_never_change(void **state)
{
    (void)state;
    char a[NZ_UUID_ROOM], b[NZ_UUID_ROOM];
    nz_uuid_of("session", 7, a);
    /* by Python: uuid.uuid5(uuid.UUID("a7498564-a13a-4bf5-9276-1a7bded2f5c2"), "session") */
    assert_string_equal(a, "2bcb2ecc-e37d-579e-bf9d-93eef5f8f799");
    nz_uuid_of("session\0", 8, b);
    assert_string_not_equal(a, b);
    nz_uuid_of("", 0, b);
    assert_string_equal(b, "903a9c02-3745-5637-bf31-8a5f7e8a667e");
}

static void crc32c_has_its_check_value_and_can_be_continued(void **state)
{
    (void)state;
    assert_int_equal(nz_crc32c(0, "123456789", 9), 0xE3069283);
    assert_int_equal(nz_crc32c(nz_crc32c(0, "1234", 4), "56789", 5), 0xE3069283);
    assert_int_equal(nz_crc32c(0, "", 0), 0);
    unsigned char bytes[32]; /* RFC 3720, B.4 */
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(nz_crc32c(0, bytes, 32), 0x8A9136AA);
    memset(bytes, 0xFF, sizeof bytes);
    assert_int_equal(nz_crc32c(0, bytes, 32), 0x62A8AB43);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(nz_crc32c(0, bytes, 32), 0x46DD794E);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_overflow_are_refused_and_zero_axes_never_overflow),
        cmocka_unit_test(an_allocation_whose_size_overflows_is_null),
        cmocka_unit_test(a_buffer_grows_keeps_a_nul_and_stops_at_its_maximum),
        cmocka_unit_test(a_buffer_refuses_sizes_that_overflow),
        cmocka_unit_test(paths_join_with_one_slash),
        cmocka_unit_test(a_path_has_a_parent_and_a_name),
        cmocka_unit_test(a_nodes_path_becomes_a_key),
        cmocka_unit_test(paths_with_empty_parts_or_dots_are_no_keys),
        cmocka_unit_test(well_formed_text_is_valid),
        cmocka_unit_test(malformed_text_is_not_and_its_place_is_known),
        cmocka_unit_test(random_ids_are_version_4_and_differ),
        cmocka_unit_test(named_ids_are_version_5_and_never_change),
        cmocka_unit_test(crc32c_has_its_check_value_and_can_be_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
