#include "support/test.h"

#include "base/time.h"

#include <string.h>
#include <time.h>

static void clocks_go_forward(void **state)
{
    (void)state;
    uint64_t a = nz_clock_ns(), b = nz_clock_ns();
    assert_true(b >= a);
    int64_t wall = nz_clock_wall_ns();
    assert_true(wall / 1000000000 - (int64_t)time(NULL) <= 1 && wall / 1000000000 - (int64_t)time(NULL) >= -1);
}

static void times_are_written_in_utc_with_a_fraction_where_there_is_one(void **state)
{
    (void)state;
    const struct {
        int64_t ns;
        const char *text;
    } cases[] = { { 0, "1970-01-01T00:00:00+00:00" },
                  { -1000, "1969-12-31T23:59:59.999999+00:00" },
                  { -1, "1969-12-31T23:59:59.999999+00:00" },
                  { 1706702400 * INT64_C(1000000000), "2024-01-31T12:00:00+00:00" },
                  { 1706702400 * INT64_C(1000000000) + 999, "2024-01-31T12:00:00+00:00" },
                  { 1706702400 * INT64_C(1000000000) + 1000, "2024-01-31T12:00:00.000001+00:00" },
                  { 951782400 * INT64_C(1000000000), "2000-02-29T00:00:00+00:00" },
                  { 1709251199 * INT64_C(1000000000), "2024-02-29T23:59:59+00:00" },
                  { INT64_MAX, "2262-04-11T23:47:16.854775+00:00" },
                  { INT64_MIN, "1677-09-21T00:12:43.145224+00:00" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[40];
        nz_time_format(cases[i].ns, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void each_day_of_the_calendar_is_written_as_gmtime_counts_it(void **state)
{
    (void)state;
    for (int64_t day = -106000; day < 106000; day += 13) { /* 1679 to 2260 */
        time_t seconds = (time_t)(day * 86400 + 86399);
        struct tm parts;
        char text[40], want[40];
        assert_non_null(gmtime_r(&seconds, &parts));
        strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%S+00:00", &parts);
        nz_time_format((int64_t)seconds * 1000000000, text, sizeof text);
        assert_string_equal(text, want);
    }
}

static void iso_texts_get_the_form_of_isoformat(void **state)
{
    (void)state;
    const struct {
        const char *text, *canonical;
        bool has_zone;
    } cases[] = { { "2024-01-31T12:00:00+01:00", "2024-01-31T12:00:00+01:00", true },
                  { "2024-01-31T12:00:00.5+01:00", "2024-01-31T12:00:00.500000+01:00", true },
                  { "2024-01-31T12:00:00.123456789Z", "2024-01-31T12:00:00.123456+00:00", true },
                  { "2024-01-31T12:00:00,25", "2024-01-31T12:00:00.250000", false },
                  { "2024-01-31T12:00:00.0000001Z", "2024-01-31T12:00:00+00:00", true },
                  { "2024-01-31 12:00:00z", "2024-01-31T12:00:00+00:00", true },
                  { "2024-01-31t12:00", "2024-01-31T12:00:00", false },
                  { "2024-01-31T12", "2024-01-31T12:00:00", false },
                  { "2024-01-31", "2024-01-31T00:00:00", false },
                  { "2024-02-29", "2024-02-29T00:00:00", false },
                  { "2000-02-29T23:59:59Z", "2000-02-29T23:59:59+00:00", true },
                  { "2024-01-31T12:00:00-0530", "2024-01-31T12:00:00-05:30", true },
                  { "2024-01-31T12:00:00-08", "2024-01-31T12:00:00-08:00", true },
                  { "2024-01-31T12:00:00-00:00", "2024-01-31T12:00:00+00:00", true },
                  { "2024-01-31T12:00:00+23:59:59", "2024-01-31T12:00:00+23:59:59", true },
                  { "2024-01-31T12:00+02:00", "2024-01-31T12:00:00+02:00", true },
                  { "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00", true },
                  { "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999+00:00", true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char canonical[40];
        bool has_zone;
        assert_ok(nz_time_parse(cases[i].text, canonical, sizeof canonical, &has_zone, &err), &err);
        assert_string_equal(canonical, cases[i].canonical);
        assert_int_equal(has_zone, cases[i].has_zone);
        char again[40];
        assert_ok(nz_time_parse(canonical, again, sizeof again, &has_zone, &err), &err);
        assert_string_equal(again, canonical);
    }
}

static void what_is_no_date_is_refused_by_name(void **state)
{
    (void)state;
    const char *refused[] = { "",
                              "yesterday",
                              "2023-02-29",
                              "1900-02-29",
                              "2024-02-30",
                              "2024-13-01",
                              "2024-00-01",
                              "2024-01-00",
                              "2024-04-31",
                              "0000-01-01",
                              "24-01-31",
                              "2024-1-31",
                              "20240131",
                              "2024-01-31T",
                              "2024-01-31T24:00:00",
                              "2024-01-31T12:60:00",
                              "2024-01-31T12:00:60",
                              "2024-01-31T12:00:00.",
                              "2024-01-31T12:00:0",
                              "2024-01-31T12:00:00 ",
                              " 2024-01-31",
                              "2024-01-31X12:00:00",
                              "2024-01-31T12:00:00+1",
                              "2024-01-31T12:00:00+24:00",
                              "2024-01-31T12:00:00+01:60",
                              "2024-01-31T12:00:00+01:",
                              "2024-01-31T12:00:00+01:00:",
                              "2024-01-31T12:00:00Zz",
                              "2024-01-31T12:00:00+010",
                              "2024-01-31Z",
                              "2024-01-31T12:00:00 UTC",
                              "31.01.2024",
                              "-024-01-31" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        char canonical[40];
        bool has_zone = true;
        assert_code(nz_time_parse(refused[i], canonical, sizeof canonical, &has_zone, &err), NWBZ_EINVAL, refused[i],
                    &err);
        assert_false(has_zone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_go_forward),
        cmocka_unit_test(times_are_written_in_utc_with_a_fraction_where_there_is_one),
        cmocka_unit_test(each_day_of_the_calendar_is_written_as_gmtime_counts_it),
        cmocka_unit_test(iso_texts_get_the_form_of_isoformat),
        cmocka_unit_test(what_is_no_date_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
