#include "support/test.h"

#include "base/json.h"
#include "base/memory.h"
#include "model/report.h"

#include <nwbz/types.h>
#include <stdio.h>
#include <string.h>

static nwbz_report full_report(void)
{
    nwbz_report report = NWBZ_REPORT_INIT;
    report.source = nz_strdup("rec.bin");
    report.destination = nz_strdup("rec.nwb.zarr");
    report.seconds = 1.5;
    report.bytes_in = UINT64_MAX;
    report.bytes_stored = 7;
    report.number_of_jobs = 4;
    report.datasets = nz_calloc(2, sizeof *report.datasets);
    report.n_datasets = 2;
    report.datasets[0] = (nwbz_dataset_report){ .path = nz_strdup("/acquisition/ts/data"),
                                                .type = NWBZ_INT16,
                                                .n_dims = 2,
                                                .shape = { 1000, 384 },
                                                .chunk_shape = { 100, 64 },
                                                .codec = nz_strdup("zstd:1"),
                                                .bytes = 768000,
                                                .stored_bytes = 400000,
                                                .seconds = 0.25,
                                                .n_groups = 3,
                                                .n_objects = 60,
                                                .n_copied = 1,
                                                .n_recoded = 2,
                                                .n_read = 57,
                                                .source_reads = 1.0 };
    report.datasets[1] = (nwbz_dataset_report){ .path = nz_strdup("/x"),
                                                .type = NWBZ_FLOAT64,
                                                .n_dims = 1,
                                                .shape = { 0 },
                                                .chunk_shape = { 1 },
                                                .shard_shape = { 10 } };
    report.conversions = nz_calloc(1, sizeof *report.conversions);
    report.n_conversions = 1;
    report.conversions[0] =
        (nwbz_conversion){ nz_strdup("/a"), NULL, nz_strdup("link"), nz_strdup("made \"absolute\"") };
    report.warnings = nz_calloc(1, sizeof *report.warnings);
    report.n_warnings = 1;
    report.warnings[0] = (nwbz_warning){ nz_strdup("/"), nz_strdup("no start time") };
    return report;
}

static void a_report_has_all_its_keys(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_report report = full_report();
    char *json = NULL;
    assert_ok(nwbz_report_format(&report, &json, &err), &err);
    assert_string_equal(
        json, "{\"source\": \"rec.bin\", \"destination\": \"rec.nwb.zarr\", \"seconds\": 1.5, \"bytes_in\": "
              "18446744073709551615, "
              "\"bytes_stored\": 7, \"number_of_jobs\": 4, \"dry_run\": false, \"already_done\": false, \"datasets\": ["
              "{\"path\": \"/acquisition/ts/data\", \"shape\": [1000, 384], \"dtype\": \"int16\", \"chunks\": [100, "
              "64], \"shards\": null, "
              "\"codec\": \"zstd:1\", \"bytes\": 768000, \"stored_bytes\": 400000, \"seconds\": 0.25, \"groups\": 3, "
              "\"objects\": 60, "
              "\"moves\": {\"copy\": 1, \"recode\": 2, \"read\": 57}, \"source_reads\": 1.0}, "
              "{\"path\": \"/x\", \"shape\": [0], \"dtype\": \"float64\", \"chunks\": [1], \"shards\": [10], "
              "\"codec\": null, \"bytes\": 0, "
              "\"stored_bytes\": 0, \"seconds\": 0.0, \"groups\": 0, \"objects\": 0, \"moves\": {\"copy\": 0, "
              "\"recode\": 0, \"read\": 0}, "
              "\"source_reads\": 0.0}], \"conversions\": [{\"path\": \"/a\", \"attribute\": null, \"kind\": \"link\", "
              "\"detail\": \"made \\\"absolute\\\"\"}], \"warnings\": [{\"path\": \"/\", \"text\": \"no start "
              "time\"}], \"verified\": \"none\"}");
    nwbz_free(json);
    nwbz_report_done(&report);
}

static void an_empty_report_is_an_object_too(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_report report = NWBZ_REPORT_INIT;
    char *json = NULL;
    nz_json *parsed = NULL;
    assert_ok(nwbz_report_format(&report, &json, &err), &err);
    assert_ok(nz_json_parse(json, strlen(json), &parsed, &err), &err);
    assert_int_equal(nz_json_kind_of(nz_json_get(parsed, "source")), NZ_JSON_NULL);
    assert_int_equal(nz_json_length(nz_json_get(parsed, "datasets")), 0);
    assert_string_equal(nz_json_get_text(parsed, "verified"), "none");
    nz_json_free(parsed);
    nwbz_free(json);
    nwbz_report_done(&report);
}

static void a_freed_report_is_empty_and_can_be_used_again(void **state)
{
    (void)state;
    nwbz_report report = full_report();
    nwbz_report_done(&report);
    assert_null(report.source);
    assert_null(report.datasets);
    assert_int_equal(report.n_datasets + report.n_conversions + report.n_warnings, 0);
    assert_int_equal(report.struct_size, sizeof report);
    assert_string_equal(report.verified, "none");
    nwbz_report_done(&report);
}

static void a_report_grows_to_any_number_of_entries(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_report report = NWBZ_REPORT_INIT;
    char path[32];
    const unsigned n = 100000;
    assert_ok(nz_report_begin(&report, "a.nwb", "a.nwb.zarr", &err), &err);
    for (unsigned i = 0; i < n; i++) {
        nwbz_dataset_report *dataset = NULL;
        snprintf(path, sizeof path, "/d%u", i);
        assert_ok(nz_report_dataset(&report, path, "zstd:0", &dataset, &err), &err);
        assert_true(dataset->bytes == 0 && dataset->n_dims == 0);
        dataset->bytes = i;
        assert_ok(nz_report_convert(&report, &err, path, i % 2 ? "unit" : NULL, "enum", "member %u", i), &err);
        assert_ok(nz_report_warn(&report, &err, path, "name %u", i), &err);
    }
    assert_true(report.n_datasets == n && report.n_conversions == n && report.n_warnings == n);
    assert_string_equal(report.source, "a.nwb");
    for (unsigned i = 0; i < n; i += 4999) {
        char text[32];
        snprintf(path, sizeof path, "/d%u", i);
        snprintf(text, sizeof text, "member %u", i);
        assert_string_equal(report.datasets[i].path, path);
        assert_string_equal(report.datasets[i].codec, "zstd:0");
        assert_int_equal(report.datasets[i].bytes, i);
        assert_string_equal(report.conversions[i].path, path);
        assert_string_equal(report.conversions[i].kind, "enum");
        assert_string_equal(report.conversions[i].detail, text);
        assert_true((report.conversions[i].attribute != NULL) == (i % 2 == 1));
        assert_string_equal(report.warnings[i].path, path);
    }
    nwbz_report_done(&report);
}

static void long_texts_are_kept_whole(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_report report = NWBZ_REPORT_INIT;
    char text[2001];
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 2 * i, "\xc3\xa9", 2); /* a cut at an odd byte would be no UTF-8 */
    text[2000] = 0;
    assert_ok(nz_report_convert(&report, &err, "/a", NULL, "text", "x%s", text), &err);
    assert_ok(nz_report_warn(&report, &err, "/a", "x%s", text), &err);
    assert_int_equal(strlen(report.conversions[0].detail), 2001);
    assert_string_equal(report.warnings[0].text + 1, text);
    nwbz_report_done(&report);
}

static void without_a_report_nothing_is_said(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_dataset_report *dataset = (nwbz_dataset_report *)&err;
    assert_ok(nz_report_begin(NULL, "a", "b", &err), &err);
    assert_ok(nz_report_convert(NULL, &err, "/a", NULL, "enum", "x"), &err);
    assert_ok(nz_report_warn(NULL, &err, "/a", "x"), &err);
    assert_ok(nz_report_dataset(NULL, "/a", "none", &dataset, &err), &err);
    assert_null(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_has_all_its_keys),
        cmocka_unit_test(an_empty_report_is_an_object_too),
        cmocka_unit_test(a_freed_report_is_empty_and_can_be_used_again),
        cmocka_unit_test(a_report_grows_to_any_number_of_entries),
        cmocka_unit_test(long_texts_are_kept_whole),
        cmocka_unit_test(without_a_report_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
