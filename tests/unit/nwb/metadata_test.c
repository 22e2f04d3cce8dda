/* Metadata: what is taken, what is refused and in which words, and flags that win over the text. */
#include "support/test.h"

#include "base/memory.h"
#include "nwb/metadata.h"

#include <stdio.h>
#include <string.h>

/* Read a text (and flags) and check the code, the message and where. */
static void check_refused(bool electrical, const char *text, const nwbz_field *flags, size_t n_flags, nwbz_code code,
                          const char *message)
{
    nz_metadata metadata;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.metadata_json = text;
    options.metadata_name = "m.json";
    options.electrical = electrical;
    options.fields = flags;
    options.n_fields = n_flags;
    assert_code(nz_metadata_read(&options, &metadata, &err), code, message, &err);
    assert_string_equal(err.where, code == NWBZ_ESOURCE ? "m.json" : "");
    nz_metadata_done(&metadata);
}

static void check_text(const char *text, const char *message)
{
    check_refused(false, text, NULL, 0, NWBZ_ESOURCE, message);
}

static void check_flag(const char *object, const char *name, const char *value, const char *message)
{
    nwbz_field flag = { object, name, value };
    check_refused(false, NULL, &flag, 1, NWBZ_EINVAL, message);
}

/* Read what must be fine, and check all that was given, as JSON. */
static void check_taken(bool electrical, const char *text, const nwbz_field *flags, size_t n_flags,
                        const char *expected)
{
    nz_metadata metadata;
    nz_json *json = NULL;
    char *found = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.metadata_json = text;
    options.electrical = electrical;
    options.fields = flags;
    options.n_fields = n_flags;
    assert_ok(nz_metadata_read(&options, &metadata, &err), &err);
    assert_ok(nz_metadata_json(&metadata, &json, &err), &err);
    assert_ok(nz_json_text_of(json, &found, &err), &err);
    assert_string_equal(found, expected);
    nz_free(found);
    nz_json_free(json);
    nz_metadata_done(&metadata);
}

static void no_metadata_is_fine(void **state)
{
    (void)state;
    check_taken(false, NULL, NULL, 0, "{}");
    check_taken(false, "{}", NULL, 0, "{}");
}

static void values_are_normalised(void **state)
{
    (void)state;
    check_taken(
        false,
        "{\"NWBFile\": {\"experimenter\": \"A\", \"keywords\": [\"x\", \"y\"], \"session_start_time\": \"2024-05-01 "
        "10:00:00Z\", \"stimulus\": \"s\"},"
        " \"Subject\": {\"weight\": 0.02, \"date_of_birth\": \"2024-01-02\"}, \"TimeSeries\": {\"conversion\": 2}}",
        NULL, 0,
        "{\"NWBFile.session_start_time\": \"2024-05-01T10:00:00+00:00\", \"NWBFile.experimenter\": [\"A\"], "
        "\"NWBFile.keywords\": [\"x\", \"y\"], "
        "\"NWBFile.stimulus_notes\": \"s\", \"Subject.date_of_birth\": \"2024-01-02T00:00:00+00:00\", "
        "\"Subject.weight\": \"0.02 kg\", "
        "\"TimeSeries.conversion\": 2}");
}

static void every_field_of_the_table_is_taken_under_its_name(void **state)
{
    (void)state;
    static const char *const values[] = { [NZ_FIELD_TEXT] = "\"t\"",
                                          [NZ_FIELD_TEXTS] = "[\"t\"]",
                                          [NZ_FIELD_NAME] = "\"t\"",
                                          [NZ_FIELD_TIME] = "\"2024-01-31T12:00:00+01:00\"",
                                          [NZ_FIELD_TIMES] = "[\"2024-01-31T12:00:00+01:00\"]",
                                          [NZ_FIELD_BIRTH] = "\"2024-01-31T12:00:00+01:00\"",
                                          [NZ_FIELD_WEIGHT] = "\"t\"",
                                          [NZ_FIELD_NUMBER] = "1.5",
                                          [NZ_FIELD_NUMBERS] = "[1.5]",
                                          [NZ_FIELD_PAIRS] = "[[\"a\", \"1\"]]" };
    static const char *const together[NZ_META_COUNT] = { [NZ_META_SOURCE_SCRIPT_FILE_NAME] =
                                                             "\"source_script\": \"s\", ",
                                                         [NZ_META_SUBJECT_AGE_REFERENCE] = "\"age\": \"P1D\", " };
    for (unsigned i = 0; i < NZ_META_COUNT; i++) {
        const nz_field_spec *spec = &nz_field_table[i];
        const char *object = strcmp(spec->object, "Series") == 0 ? "ElectricalSeries" : spec->object;
        const char *value = values[spec->kind];
        char text[256], expected[256];
        nz_metadata metadata;
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
        if (i == NZ_META_SUBJECT_AGE_REFERENCE)
            value = "\"gestational\"";
        if (i == NZ_META_SERIES_UNIT)
            value = "\"volts\"";
        snprintf(text, sizeof text, "{\"%s\": {%s\"%s\": %s}}", object, together[i] ? together[i] : "", spec->name,
                 value);
        options.metadata_json = text;
        options.electrical = true;
        assert_ok(nz_metadata_read(&options, &metadata, &err), &err);
        char *found = NULL;
        assert_ok(nz_json_text_of(metadata.values[i], &found, &err), &err);
        snprintf(expected, sizeof expected, "%s", value);
        assert_string_equal(found, expected);
        nz_free(found);
        nz_metadata_done(&metadata);
    }
}

static void wrong_types_name_field_wanted_and_found(void **state)
{
    (void)state;
    check_text("{\"NWBFile\": {\"lab\": 5}}", "NWBFile.lab: wanted text, found a number");
    check_text("{\"NWBFile\": {\"lab\": null}}", "NWBFile.lab: wanted text, found null");
    check_text("{\"NWBFile\": {\"lab\": [\"a\"]}}", "NWBFile.lab: wanted text, found a list");
    check_text("{\"NWBFile\": {\"keywords\": [\"a\", 1]}}", "NWBFile.keywords: wanted text, found a number");
    check_text("{\"NWBFile\": {\"keywords\": {}}}", "NWBFile.keywords: wanted text or a list of text, found an object");
    check_text("{\"NWBFile\": {\"session_start_time\": 2024}}",
               "NWBFile.session_start_time: wanted text, found a number");
    check_text("{\"NWBFile\": {\"was_generated_by\": [\"a\"]}}", "wanted a list of [name, version]");
    check_text("{\"Subject\": {\"weight\": true}}",
               "Subject.weight: wanted text, or a number of kg, found true or false");
    check_text("{\"TimeSeries\": {\"conversion\": \"1\"}}", "TimeSeries.conversion: wanted a number, found text");
    check_text("{\"TimeSeries\": {\"conversion\": NaN}}", "TimeSeries.conversion: wanted a finite number");
    check_text("{\"Subject\": 3}", "Subject: wanted an object, found a number");
    check_text("[]", "wanted an object of objects, found a list");
    check_refused(true, "{\"ElectricalSeries\": {\"channel_conversion\": 1}}", NULL, 0, NWBZ_ESOURCE,
                  "wanted a list of numbers, found a number");
    check_refused(true, "{\"ElectricalSeries\": {\"channel_conversion\": [1, \"2\"]}}", NULL, 0, NWBZ_ESOURCE,
                  "wanted a number, found text");
}

static void unknown_names_are_named(void **state)
{
    (void)state;
    check_text("{\"NWBFile\": {\"labb\": \"x\"}}", "unknown field \"labb\" of NWBFile");
    check_text("{\"Subjekt\": {}}", "unknown object \"Subjekt\"");
    check_text("{\"TimeSeries\": {\"channel_names\": []}}", "unknown field \"channel_names\" of TimeSeries");
    check_text("{\"Ecephys\": {}}", "Ecephys is not read");
    check_text("{\"Behavior\": {}}", "Behavior is not read");
    check_text("{\"Ophys\": {}}", "Ophys is not read");
}

static void an_object_without_a_place_in_the_file_is_refused(void **state)
{
    (void)state;
    check_text("{\"ElectricalSeries\": {}}", "the series is a TimeSeries");
    check_text("{\"ElectrodeGroup\": {}}", "the series is a TimeSeries");
    check_refused(true, "{\"TimeSeries\": {}}", NULL, 0, NWBZ_ESOURCE, "the series is an ElectricalSeries");
}

static void text_that_is_not_json_says_where(void **state)
{
    (void)state;
    check_text("{\"NWBFile\": ", "byte");
    check_text("", "byte");
}

static void times_need_a_zone_and_a_date_of_birth_does_not(void **state)
{
    (void)state;
    check_text("{\"NWBFile\": {\"session_start_time\": \"2024-01-01T00:00:00\"}}", "has no time zone");
    check_text("{\"NWBFile\": {\"timestamps_reference_time\": \"2024-01-01\"}}", "has no time zone");
    check_text("{\"NWBFile\": {\"file_create_date\": [\"2024-01-01T00:00:00Z\", \"2024-01-01T00:00:00\"]}}",
               "has no time zone");
    check_text("{\"NWBFile\": {\"session_start_time\": \"yesterday\"}}", "\"yesterday\" is no ISO 8601 date and time");
    check_text("{\"Subject\": {\"date_of_birth\": \"2024-13-01\"}}", "\"2024-13-01\" is no ISO 8601 date and time");
    check_taken(false, "{\"Subject\": {\"date_of_birth\": \"2024-01-01\"}}", NULL, 0,
                "{\"Subject.date_of_birth\": \"2024-01-01T00:00:00+00:00\"}");
}

static void names_that_a_store_cannot_hold_are_refused(void **state)
{
    (void)state;
    check_text("{\"TimeSeries\": {\"name\": \"\"}}", "it is empty");
    check_text("{\"TimeSeries\": {\"name\": \"a/b\"}}", "no slash");
    check_text("{\"TimeSeries\": {\"name\": \"a\\\\b\"}}", "backslash");
    check_text("{\"TimeSeries\": {\"name\": \"..\"}}", "Zarr uses that name");
    check_text("{\"TimeSeries\": {\"name\": \"zarr.json\"}}", "Zarr uses that name");
    check_text("{\"Device\": {\"name\": \"models\"}}", "group of device models");
    check_refused(true, "{\"ElectrodeGroup\": {\"name\": \"electrodes\"}}", NULL, 0, NWBZ_ESOURCE,
                  "table of electrodes");
}

static void fields_that_need_each_other_say_so(void **state)
{
    (void)state;
    check_text("{\"NWBFile\": {\"source_script_file_name\": \"a.py\"}}", "source_script must be given too");
    check_text("{\"Subject\": {\"age\": \"P1D\", \"age__reference\": \"today\"}}", "neither birth nor gestational");
    check_text("{\"NWBFile\": {\"stimulus\": \"a\", \"stimulus_notes\": \"b\"}}", "given twice");
    check_refused(true, "{\"ElectricalSeries\": {\"unit\": \"mV\"}}", NULL, 0, NWBZ_ESOURCE, "in volts, not \"mV\"");
}

static void flags_win_over_the_text(void **state)
{
    (void)state;
    static const nwbz_field flags[] = { { "NWBFile", "lab", "flag" },
                                        { "NWBFile", "keywords", "a" },
                                        { "NWBFile", "keywords", "b" },
                                        { "TimeSeries", "conversion", "1e-6" },
                                        { "Subject", "weight", "20 g" } };
    check_taken(false, "{\"NWBFile\": {\"lab\": \"text\", \"keywords\": [\"t\"], \"notes\": \"n\"}}", flags, 5,
                "{\"NWBFile.keywords\": [\"a\", \"b\"], \"NWBFile.lab\": \"flag\", \"NWBFile.notes\": \"n\", "
                "\"Subject.weight\": \"20 g\", "
                "\"TimeSeries.conversion\": 1e-06}");
}

static void a_wrong_flag_is_the_callers_error(void **state)
{
    (void)state;
    check_flag("NWBFile", "session_start_time", "2024-01-01T00:00:00", "has no time zone");
    check_flag("NWBFile", "labb", "x", "unknown field \"labb\"");
    check_flag("TimeSeries", "conversion", "much", "wanted a number, found \"much\"");
    check_flag("TimeSeries", "conversion", "\"1\"", "wanted a number");
    check_flag("NWBFile", "lab", "\xff", "not UTF-8");
    check_flag("NWBFile", "was_generated_by", "x", "cannot be given as a flag");
    check_flag("NWBFile", NULL, "x", "lacks its object, name or value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_metadata_is_fine),
        cmocka_unit_test(values_are_normalised),
        cmocka_unit_test(every_field_of_the_table_is_taken_under_its_name),
        cmocka_unit_test(wrong_types_name_field_wanted_and_found),
        cmocka_unit_test(unknown_names_are_named),
        cmocka_unit_test(an_object_without_a_place_in_the_file_is_refused),
        cmocka_unit_test(text_that_is_not_json_says_where),
        cmocka_unit_test(times_need_a_zone_and_a_date_of_birth_does_not),
        cmocka_unit_test(names_that_a_store_cannot_hold_are_refused),
        cmocka_unit_test(fields_that_need_each_other_say_so),
        cmocka_unit_test(flags_win_over_the_text),
        cmocka_unit_test(a_wrong_flag_is_the_callers_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
