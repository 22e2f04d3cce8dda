#include "support/test.h"

#include "base/error.h"

#include <errno.h>
#include <nwbz/nwbz.h>
#include <stdio.h>
#include <string.h>

static void fill(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i % 26);
    text[n] = 0;
}

static void a_failure_writes_code_and_message_and_clears_the_rest(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    err.os_errno = 7;
    snprintf(err.where, sizeof err.where, "old");
    assert_int_equal(nz_fail(&err, NWBZ_EFORMAT, "ends after %d of %d bytes", 812, 4096), NWBZ_EFORMAT);
    assert_int_equal(err.code, NWBZ_EFORMAT);
    assert_string_equal(err.message, "ends after 812 of 4096 bytes");
    assert_string_equal(err.where, "");
    assert_int_equal(err.os_errno, 0);
}

static void a_null_error_is_fine_everywhere(void **state)
{
    (void)state;
    assert_int_equal(nz_fail(NULL, NWBZ_EIO, "x"), NWBZ_EIO);
    assert_int_equal(nz_fail_os(NULL, NWBZ_EIO, ENOSPC, "x"), NWBZ_ENOSPACE);
    assert_int_equal(nz_fail_memory(NULL, 1, "x"), NWBZ_ENOMEM);
    assert_int_equal(nz_where(NULL, NWBZ_EIO, "x"), NWBZ_EIO);
    assert_int_equal(nz_where_prefix(NULL, NWBZ_EIO, "x"), NWBZ_EIO);
}

static void a_system_error_says_why_and_a_full_disk_is_enospace(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nz_fail_os(&err, NWBZ_EIO, EACCES, "cannot open %s", "x"), NWBZ_EIO);
    assert_string_equal(err.message, "cannot open x: Permission denied");
    assert_int_equal(err.os_errno, EACCES);
    const int full[] = { ENOSPC, EDQUOT, EFBIG };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(nz_fail_os(&err, NWBZ_EIO, full[i], "x"), NWBZ_ENOSPACE);
    assert_int_equal(nz_fail_os(&err, NWBZ_EIO, ENOMEM, "x"), NWBZ_ENOMEM);
}

static void a_message_may_be_built_from_the_old_message(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)nz_fail(&err, NWBZ_EIO, "inner");
    (void)nz_fail(&err, NWBZ_EFORMAT, "outer: %s", err.message);
    assert_string_equal(err.message, "outer: inner");
}

static void a_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    char text[600];
    memset(text, 'x', sizeof text);
    memcpy(text + 510, "\xC3\xA9", 3); /* the last byte that fits would be half of it */
    (void)nz_fail(&err, NWBZ_EIO, "%s", text);
    assert_int_equal(strlen(err.message), 510);
    memcpy(text + 509, "\xC3\xA9", 3); /* fits exactly */
    (void)nz_fail(&err, NWBZ_EIO, "%s", text);
    assert_int_equal(strlen(err.message), 511);
}

static void the_place_is_set_once_and_only_on_failure(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nz_where(&err, NWBZ_OK, "never"), NWBZ_OK);
    assert_string_equal(err.where, "");
    assert_int_equal(nz_where(&err, NWBZ_EIO, "chunk %d/%d", 0, 3), NWBZ_EIO);
    assert_int_equal(nz_where(&err, NWBZ_EIO, "later"), NWBZ_EIO);
    assert_string_equal(err.where, "chunk 0/3");
    assert_int_equal(nz_where_prefix(&err, NWBZ_EIO, "rec.nwb:"), NWBZ_EIO);
    assert_string_equal(err.where, "rec.nwb:chunk 0/3");
}

static void a_long_place_loses_its_beginning_however_long(void **state)
{
    (void)state;
    const size_t lengths[] = { 256, 300, 5000, 60000 };
    static char text[60001];
    for (size_t i = 0; i < 4; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        fill(text, lengths[i]);
        (void)nz_where(&err, NWBZ_EIO, "%s chunk 0/3", text);
        assert_int_equal(strlen(err.where), 255);
        assert_memory_equal(err.where, "...", 3);
        assert_string_equal(err.where + 255 - 10, " chunk 0/3");
    }
}

static void a_place_that_just_fits_is_kept_whole(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    char text[256];
    fill(text, 255);
    (void)nz_where(&err, NWBZ_EIO, "%s", text);
    assert_string_equal(err.where, text);
}

static void a_long_prefix_leaves_the_end_of_the_place(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    char prefix[401];
    fill(prefix, 400);
    (void)nz_where(&err, NWBZ_EIO, ":/acquisition/ts/data chunk 7");
    (void)nz_where_prefix(&err, NWBZ_EIO, prefix);
    assert_int_equal(strlen(err.where), 255);
    assert_non_null(strstr(err.where, ":/acquisition/ts/data chunk 7"));
}

static void a_place_is_not_cut_within_a_character(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 4; extra++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char text[512] = "";
        for (size_t i = 0; i < 100; i++)
            strcat(text, "\xE2\x82\xAC");
        memset(text + 300, 'x', extra);
        text[300 + extra] = 0;
        (void)nz_where(&err, NWBZ_EIO, "%s", text);
        assert_int_equal((unsigned char)err.where[3], 0xE2);
        assert_true(strlen(err.where) >= 253);
    }
}

static void every_code_has_its_own_name(void **state)
{
    (void)state;
    assert_string_equal(nwbz_code_name(NWBZ_OK), "NWBZ_OK");
    assert_string_equal(nwbz_code_name(NWBZ_EIO), "NWBZ_EIO");
    assert_string_equal(nwbz_code_name(NWBZ_ECALLBACK), "NWBZ_ECALLBACK");
    assert_string_equal(nwbz_code_name((nwbz_code)14), "NWBZ_E?");
    assert_string_equal(nwbz_code_name((nwbz_code)-1), "NWBZ_E?");
    for (int a = 0; a <= NWBZ_ECALLBACK; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(nwbz_code_name((nwbz_code)a), nwbz_code_name((nwbz_code)b));
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", NWBZ_VERSION_MAJOR, NWBZ_VERSION_MINOR, NWBZ_VERSION_PATCH);
    assert_string_equal(nwbz_version(), text);
    assert_string_equal(NWBZ_VERSION, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_writes_code_and_message_and_clears_the_rest),
        cmocka_unit_test(a_null_error_is_fine_everywhere),
        cmocka_unit_test(a_system_error_says_why_and_a_full_disk_is_enospace),
        cmocka_unit_test(a_message_may_be_built_from_the_old_message),
        cmocka_unit_test(a_long_message_is_cut_between_characters),
        cmocka_unit_test(the_place_is_set_once_and_only_on_failure),
        cmocka_unit_test(a_long_place_loses_its_beginning_however_long),
        cmocka_unit_test(a_place_that_just_fits_is_kept_whole),
        cmocka_unit_test(a_long_prefix_leaves_the_end_of_the_place),
        cmocka_unit_test(a_place_is_not_cut_within_a_character),
        cmocka_unit_test(every_code_has_its_own_name),
        cmocka_unit_test(the_version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
