/* nwbz_write(): what lies in the file, and that a run which was stopped goes on to the same bytes. */
#include "support/test.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "source/source.h"

#include <nwbz/nwbz.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 400000, CHANNELS = 4 };
static const uint64_t shape[] = { FRAMES, CHANNELS };
static const uint64_t chunks[] = { 20000, 2 };
static int16_t samples[FRAMES * CHANNELS];

static void make_samples(void)
{
    for (size_t i = 0; i < FRAMES * CHANNELS; i++)
        samples[i] = (int16_t)(i * 7 % 1000 - 500);
}

/* Write the samples as a raw file and open it. */
static nwbz_source *raw_source(const char *folder)
{
    nwbz_source *source = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    const char *path = test_path(folder, "rec.dat");
    make_samples();
    if (!test_exists(path))
        test_file_write(path, samples, sizeof samples);
    options.type = NWBZ_INT16;
    options.n_dims = 2;
    options.shape = shape;
    assert_ok(nwbz_source_open_raw(path, &options, &source, &err), &err);
    return source;
}

static nwbz_write_options usual_options(void)
{
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.metadata_json = "{\"NWBFile\": {\"session_start_time\": \"2024-05-01T10:00:00+02:00\"}}";
    options.rate_hz = 30000;
    options.chunk_shape = chunks;
    options.n_chunk_dims = 2;
    options.number_of_jobs = 1;
    options.no_sync = true;
    options.reproducible = true;
    return options;
}

/* Return one text attribute or member of a document, by a path of keys, from static memory; "" where there is none. */
static const char *member(const char *store, const char *key, const char *group, const char *name)
{
    static char text[512];
    nz_json *json = NULL;
    size_t n;
    char path[512], *found = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    snprintf(path, sizeof path, "%s/%s%szarr.json", store, key, *key ? "/" : "");
    char *document = test_file_read(path, &n);
    text[0] = 0;
    if (!document)
        return text;
    assert_ok(nz_json_parse(document, n, &json, &err), &err);
    const nz_json *value = nz_json_get(nz_json_get(json, group), name);
    if (value) {
        assert_ok(nz_json_text_of(value, &found, &err), &err);
        snprintf(text, sizeof text, "%s", found);
    }
    nz_free(found);
    nz_json_free(json);
    free(document);
    return text;
}

/* Read a scalar text dataset into static memory. */
static const char *scalar(const char *path, const char *dataset)
{
    static char text[512];
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_string *string = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nwbz_store_open(path, false, &store, &err), &err);
    assert_ok(nwbz_array_open(store, dataset, &array, &err), &err);
    assert_ok(nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 1 }, &string, &err), &err);
    snprintf(text, sizeof text, "%.*s", (int)string->n_bytes, string->bytes);
    nwbz_free(string);
    nwbz_array_close(array);
    nwbz_store_close(store);
    return text;
}

static void check_samples(const char *path, const char *dataset)
{
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    static int16_t read[FRAMES * CHANNELS];
    memset(read, 0, sizeof read);
    assert_ok(nwbz_store_open(path, false, &store, &err), &err);
    assert_ok(nwbz_array_open(store, dataset, &array, &err), &err);
    assert_ok(nwbz_array_read(array, (uint64_t[]){ 0, 0 }, shape, read, sizeof read, NULL, &err), &err);
    assert_memory_equal(read, samples, sizeof read);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* ---- Content ------------------------------------------------------------------------------------ */

static void a_time_series_has_its_attributes(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    const char *path = test_path(*state, "out.nwb.zarr");
    nwbz_source *source = raw_source(*state);
    assert_ok(nwbz_write(source, path, &options, NULL, &err), &err);
    nwbz_source_close(source);
    check_samples(path, "/acquisition/TimeSeries/data");
    assert_string_equal(member(path, "", "attributes", "nwb_version"), "\"2.11.0\"");
    assert_string_equal(member(path, "", "attributes", ".specloc"), "\"specifications\"");
    assert_string_equal(member(path, "acquisition/TimeSeries", "attributes", "neurodata_type"), "\"TimeSeries\"");
    assert_string_equal(member(path, "acquisition/TimeSeries", "attributes", "comments"), "\"no comments\"");
    assert_string_equal(member(path, "acquisition/TimeSeries/data", "attributes", "unit"), "\"unknown\"");
    assert_string_equal(member(path, "acquisition/TimeSeries/data", "attributes", "conversion"), "1.0");
    assert_string_equal(member(path, "acquisition/TimeSeries/data", "attributes", "_ARRAY_DIMENSIONS"),
                        "[\"num_times\", \"num_DIM2\"]");
    assert_string_equal(member(path, "acquisition/TimeSeries/starting_time", "attributes", "rate"), "30000.0");
    assert_string_equal(scalar(path, "/session_start_time"), "2024-05-01T10:00:00+02:00");
    assert_string_equal(scalar(path, "/timestamps_reference_time"), "2024-05-01T10:00:00+02:00");
    assert_string_equal(scalar(path, "/file_create_date"), "2024-05-01T10:00:00+02:00");
    assert_string_equal(scalar(path, "/session_description"), "no description");
    assert_true(test_exists(test_path(path, "stimulus/templates/zarr.json")));
    assert_false(test_exists(test_path(path, "general/devices")));
}

static void an_electrical_series_points_to_its_electrodes(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    const char *path = test_path(*state, "out.nwb.zarr");
    nwbz_source *source = raw_source(*state);
    options.electrical = true;
    options.metadata_json =
        "{\"NWBFile\": {\"session_start_time\": \"2024-05-01T10:00:00Z\"}, \"Device\": {\"name\": \"probe\"},"
        "\"ElectrodeGroup\": {\"name\": \"shank\", \"location\": \"CA1\"},"
        "\"ElectricalSeries\": {\"name\": \"raw\", \"conversion\": 2e-6, \"offset\": 0.5, \"channel_conversion\": [1, "
        "2, 3, 4]}}";
    assert_ok(nwbz_write(source, path, &options, NULL, &err), &err);
    nwbz_source_close(source);
    check_samples(path, "/acquisition/raw/data");
    assert_string_equal(member(path, "acquisition/raw/data", "attributes", "unit"), "\"volts\"");
    assert_string_equal(member(path, "acquisition/raw/data", "attributes", "conversion"), "2e-06");
    assert_string_equal(member(path, "acquisition/raw/data", "attributes", "offset"), "0.5");
    assert_string_equal(member(path, "acquisition/raw/channel_conversion", "attributes", "axis"), "1");
    assert_string_equal(member(path, "acquisition/raw/electrodes", "attributes", "table"),
                        "{\"_REFERENCE\": {\"source\": \".\", \"path\": \"/general/extracellular_ephys/electrodes\"}}");
    assert_string_equal(member(path, "general/extracellular_ephys/shank", "attributes", "_LINKS"),
                        "[{\"source\": \".\", \"path\": \"/general/devices/probe\", \"name\": \"device\"}]");
    assert_string_equal(member(path, "general/extracellular_ephys/electrodes", "attributes", "colnames"),
                        "[\"location\", \"group\", \"group_name\", \"channel_name\"]");
    assert_string_equal(scalar(path, "/general/extracellular_ephys/electrodes/group"),
                        "/general/extracellular_ephys/shank");
    assert_string_equal(scalar(path, "/general/extracellular_ephys/electrodes/location"), "CA1");
    assert_string_equal(scalar(path, "/general/extracellular_ephys/electrodes/channel_name"), "ch0");
}

static void a_start_time_that_was_not_given_is_the_sources_with_a_warning(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    nwbz_report report = NWBZ_REPORT_INIT;
    const char *path = test_path(*state, "out.nwb.zarr");
    nwbz_source *source = raw_source(*state);
    options.metadata_json = NULL;
    options.reproducible = false;
    assert_ok(nwbz_write(source, path, &options, &report, &err), &err);
    nwbz_source_close(source);
    assert_int_equal(report.n_warnings, 1);
    assert_non_null(strstr(report.warnings[0].text, "--session-start-time"));
    assert_int_equal(report.n_datasets, 1);
    assert_string_equal(report.datasets[0].path, "/acquisition/TimeSeries/data");
    assert_int_equal(report.datasets[0].n_objects, 40);
    assert_int_equal(report.bytes_in, sizeof samples);
    assert_true(report.bytes_stored > 0);
    assert_false(report.dry_run);
    nwbz_report_done(&report);
}

static void a_stream_of_unknown_length_gets_the_length_that_came(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    const char *path = test_path(*state, "out.nwb.zarr");
    nwbz_source_close(raw_source(*state));
    nwbz_source *source = NULL;
    nwbz_raw_options raw = NWBZ_RAW_OPTIONS_INIT;
    uint64_t unknown[] = { NWBZ_UNKNOWN_LENGTH, CHANNELS };
    int fd = -1;
    raw.type = NWBZ_INT16;
    raw.n_dims = 2;
    raw.shape = unknown;
    assert_ok(nz_file_open_read(test_path(*state, "rec.dat"), NWBZ_EIO, &fd, &err), &err);
    assert_ok(nwbz_source_new_stream(fd, &raw, NULL, NULL, &source, &err), &err);
    assert_ok(nwbz_write(source, path, &options, NULL, &err), &err);
    nwbz_source_close(source);
    nz_file_drop(fd);
    assert_string_equal(member(path, "acquisition/TimeSeries/data", "chunk_grid", "name"), "\"regular\"");
    check_samples(path, "/acquisition/TimeSeries/data");
}

static void timestamps_are_a_dataset_of_the_series(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    const char *path = test_path(*state, "out.nwb.zarr");
    static double times[FRAMES];
    uint64_t n = FRAMES;
    nwbz_source *source = raw_source(*state), *timestamps = NULL;
    for (size_t i = 0; i < FRAMES; i++)
        times[i] = (double)i / 7;
    assert_ok(nwbz_source_new_memory(times, NWBZ_FLOAT64, 1, &n, &timestamps, &err), &err);
    options.rate_hz = 0;
    options.timestamps = timestamps;
    assert_ok(nwbz_write(source, path, &options, NULL, &err), &err);
    assert_string_equal(member(path, "acquisition/TimeSeries/timestamps", "attributes", "interval"), "1");
    assert_string_equal(member(path, "acquisition/TimeSeries/timestamps", "attributes", "unit"), "\"seconds\"");
    assert_false(test_exists(test_path(path, "acquisition/TimeSeries/starting_time")));
    nwbz_source_close(timestamps);
    nwbz_source_close(source);
}

/* ---- Refusals --------------------------------------------------------------------------------------- */

static void check_refused(const char *folder, nwbz_write_options *options, nwbz_code code, const char *message)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = raw_source(folder);
    assert_code(nwbz_write(source, test_path(folder, "out.nwb.zarr"), options, NULL, &err), code, message, &err);
    nwbz_source_close(source);
    assert_int_equal(test_folder_count(folder), 1); /* the recording alone */
}

static void options_that_contradict_are_refused(void **state)
{
    static double times[FRAMES + 1];
    static float singles[FRAMES];
    uint64_t n_times = FRAMES + 1, n_singles = FRAMES;
    nwbz_source *longer = NULL, *narrow = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nwbz_source_new_memory(times, NWBZ_FLOAT64, 1, &n_times, &longer, &err), &err);
    assert_ok(nwbz_source_new_memory(singles, NWBZ_FLOAT32, 1, &n_singles, &narrow, &err), &err);
    nwbz_write_options options = usual_options();
    options.rate_hz = 0;
    check_refused(*state, &options, NWBZ_EINVAL, "neither a rate nor timestamps");
    options.rate_hz = -1;
    check_refused(*state, &options, NWBZ_EINVAL, "over 0");
    options.rate_hz = 1;
    options.timestamps = longer;
    check_refused(*state, &options, NWBZ_EINVAL, "a rate (1 Hz) and timestamps");
    options.rate_hz = 0;
    check_refused(*state, &options, NWBZ_ESOURCE, "400001 timestamps for 400000 frames");
    options.timestamps = narrow;
    check_refused(*state, &options, NWBZ_ESOURCE, "float32");
    options = usual_options();
    options.electrical = true;
    check_refused(*state, &options, NWBZ_EINVAL, "needs its conversion");
    options = usual_options();
    options.metadata_json = NULL;
    check_refused(*state, &options, NWBZ_EINVAL, "needs its session start time");
    options = usual_options();
    options.codec = "lzma";
    check_refused(*state, &options, NWBZ_EINVAL, "lzma");
    nwbz_source_close(longer);
    nwbz_source_close(narrow);
}

static void lists_must_have_one_element_per_channel(void **state)
{
    nwbz_write_options options = usual_options();
    options.electrical = true;
    options.metadata_name = "m.json";
    options.reproducible = false;
    options.metadata_json = "{\"ElectricalSeries\": {\"conversion\": 1, \"channel_names\": [\"a\"]}}";
    check_refused(*state, &options, NWBZ_ESOURCE, "channel_names: 1 given for 4 channels");
    options.metadata_json =
        "{\"ElectricalSeries\": {\"conversion\": 1, \"channel_names\": [\"a\", \"b\", \"c\", \"a\"]}}";
    check_refused(*state, &options, NWBZ_ESOURCE, "two channels are named \"a\"");
    options.metadata_json = "{\"ElectricalSeries\": {\"conversion\": 1, \"channel_conversion\": [1, 2, 3, 4, 5]}}";
    check_refused(*state, &options, NWBZ_ESOURCE, "channel_conversion: 5 given for 4 channels");
}

static void a_destination_that_is_the_source_is_refused(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    nwbz_source *source = raw_source(*state);
    options.existing = NWBZ_EXISTING_OVERWRITE;
    assert_code(nwbz_write(source, test_path(*state, "rec.dat"), &options, NULL, &err), NWBZ_EINVAL, "is the source",
                &err);
    assert_code(nwbz_write(source, test_path(*state, "rec.dat/x"), &options, NULL, &err), NWBZ_EINVAL,
                "inside the source", &err);
    nwbz_source_close(source);
    assert_int_equal(test_folder_count(*state), 1);
}

static void a_dry_run_reports_and_writes_nothing(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    nwbz_report report = NWBZ_REPORT_INIT;
    uint64_t narrow[] = { 5, 1 };
    nwbz_source *source = raw_source(*state);
    options.dry_run = true;
    options.chunk_shape = narrow;
    assert_ok(nwbz_write(source, test_path(*state, "out.nwb.zarr"), &options, &report, &err), &err);
    nwbz_source_close(source);
    assert_true(report.dry_run);
    assert_int_equal(report.datasets[0].n_objects, FRAMES / 5 * CHANNELS);
    assert_int_equal(report.n_warnings, 1);
    assert_int_equal(test_folder_count(*state), 1);
    nwbz_report_done(&report);
}

static void a_dry_run_finds_what_a_run_would_refuse(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    uint64_t huge[] = { 3000000000, 1 };
    nwbz_source *source = raw_source(*state);
    options.dry_run = true;
    assert_code(nwbz_write(source, test_path(*state, "rec.dat"), &options, NULL, &err), NWBZ_EINVAL, "is the source",
                &err);
    options.chunk_shape = huge;
    assert_code(nwbz_write(source, "out.nwb.zarr", &options, NULL, &err), NWBZ_ELIMIT, "6000000000", &err);
    assert_string_equal(err.where, "out.nwb.zarr:/acquisition/TimeSeries/data");
    nwbz_source_close(source);
    assert_int_equal(test_folder_count(*state), 1);
}

static void over_100000_objects_shards_are_suggested(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    nwbz_report report = NWBZ_REPORT_INIT;
    uint64_t one = 1, n = 100001;
    nwbz_source *source = NULL;
    int16_t *zeros = nz_calloc(n, sizeof *zeros);
    assert_ok(nwbz_source_new_memory(zeros, NWBZ_INT16, 1, &n, &source, &err), &err);
    options.dry_run = true;
    options.reproducible = false;
    options.chunk_shape = &one;
    options.n_chunk_dims = 1;
    assert_ok(nwbz_write(source, "out.nwb.zarr", &options, &report, &err), &err);
    assert_int_equal(report.n_warnings, 1);
    assert_non_null(strstr(report.warnings[0].text, "100001 objects"));
    assert_non_null(strstr(report.warnings[0].text, "--shards"));
    nwbz_report_done(&report);
    nwbz_source_close(source);
    nz_free(zeros);
}

/* ---- Reproducible, and resumed ------------------------------------------------------------------------ */

/* Compare two trees, byte by byte, both ways. */
static nwbz_code compare_entry(const char *name, bool is_folder, void *user, nwbz_error *err);

typedef struct nz_pair {
    const char *a, *b;
} nz_pair;

static void check_same(const char *a, const char *b)
{
    nz_pair pair = { a, b }, back = { b, a };
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_folder_each(a, compare_entry, &pair, &err), &err);
    assert_ok(nz_folder_each(b, compare_entry, &back, &err), &err);
}

static nwbz_code compare_entry(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    const nz_pair *pair = user;
    size_t n_a, n_b;
    char *a = nz_path_join(pair->a, name), *b = nz_path_join(pair->b, name);
    (void)err;
    if (!test_exists(b))
        fail_msg("%s has no %s", pair->b, name);
    if (is_folder) {
        nz_pair inner = { a, b };
        nwbz_error inner_err = NWBZ_ERROR_INIT;
        assert_ok(nz_folder_each(a, compare_entry, &inner, &inner_err), &inner_err);
    } else {
        char *bytes_a = test_file_read(a, &n_a), *bytes_b = test_file_read(b, &n_b);
        assert_int_equal(n_a, n_b);
        assert_memory_equal(bytes_a, bytes_b, n_a);
        free(bytes_a);
        free(bytes_b);
    }
    nz_free(a);
    nz_free(b);
    return NWBZ_OK;
}

static void write_to(const char *folder, const char *name, const nwbz_write_options *options)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = raw_source(folder);
    assert_ok(nwbz_write(source, test_path(folder, name), options, NULL, &err), &err);
    nwbz_source_close(source);
}

static void the_same_input_gives_the_same_bytes_whatever_jobs_and_memory(void **state)
{
    nwbz_write_options options = usual_options();
    write_to(*state, "a", &options);
    options.number_of_jobs = 3;
    options.memory_limit_bytes = (uint64_t)64 << 20;
    write_to(*state, "b", &options);
    check_same(test_path(*state, "a"), test_path(*state, "b"));
}

static void other_samples_or_metadata_give_other_ids(void **state)
{
    nwbz_write_options options = usual_options();
    char first[64], second[64];
    write_to(*state, "a", &options);
    snprintf(first, sizeof first, "%s", scalar(test_path(*state, "a"), "/identifier"));
    options.metadata_json = "{\"NWBFile\": {\"session_start_time\": \"2024-05-01T10:00:00+02:00\", \"lab\": \"L\"}}";
    write_to(*state, "b", &options);
    snprintf(second, sizeof second, "%s", scalar(test_path(*state, "b"), "/identifier"));
    assert_string_not_equal(first, second);
    options = usual_options();
    samples[5] ^= 1;
    test_file_write(test_path(*state, "rec.dat"), samples, sizeof samples);
    write_to(*state, "c", &options);
    assert_string_not_equal(first, scalar(test_path(*state, "c"), "/identifier"));
    assert_string_not_equal(second, scalar(test_path(*state, "c"), "/identifier"));
}

static void ids_are_random_unless_asked_otherwise(void **state)
{
    nwbz_write_options options = usual_options();
    char first[64];
    options.reproducible = false;
    write_to(*state, "a", &options);
    snprintf(first, sizeof first, "%s", scalar(test_path(*state, "a"), "/identifier"));
    write_to(*state, "b", &options);
    assert_int_equal(strlen(first), 36);
    assert_string_not_equal(first, scalar(test_path(*state, "b"), "/identifier"));
    assert_string_not_equal(member(test_path(*state, "a"), "", "attributes", "object_id"), "");
}

/* A source that stops the run at its n-th read: the class of the real one with another read_box.  One run at a time. */
static nz_source_class stopping_class;
static const nz_source_class *real_class;
static int reads_left;

static nwbz_code read_or_stop(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                              nwbz_error *err)
{
    if (reads_left-- == 0)
        return nz_fail(err, NWBZ_ECANCELED, "stopped");
    return real_class->read_box(source, reader, box, elements, n_rows, err);
}

static void make_stopping(nwbz_source *source, int reads)
{
    real_class = source->class;
    stopping_class = *real_class;
    stopping_class.read_box = read_or_stop;
    source->class = &stopping_class;
    reads_left = reads;
}

/* Begin a run on `name` that is stopped after so many reads.  One job, and little memory: objects are stored before
 * all is read. */
static void stop_a_run(const char *folder, const char *name, nwbz_write_options options, int reads)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = raw_source(folder);
    make_stopping(source, reads);
    options.memory_limit_bytes = (uint64_t)2 << 20;
    assert_code(nwbz_write(source, test_path(folder, name), &options, NULL, &err), NWBZ_ECANCELED, "stopped", &err);
    nwbz_source_close(source);
}

static void a_stopped_run_goes_on_to_the_same_bytes(void **state)
{
    nwbz_write_options options = usual_options();
    write_to(*state, "whole", &options);
    stop_a_run(*state, "out", options, 5);
    assert_true(test_folder_count(test_path(*state, ".out.nwbz/tree/acquisition/TimeSeries/data/c")) >
                0); /* some objects are there */
    assert_false(test_exists(test_path(*state, "out")));
    assert_true(test_exists(test_path(*state, ".out.nwbz/plan.json")));
    options.existing = NWBZ_EXISTING_RESUME;
    write_to(*state, "out", &options);
    check_same(test_path(*state, "whole"), test_path(*state, "out"));
    assert_false(test_exists(test_path(*state, ".out.nwbz")));
}

static void a_resumed_run_keeps_the_ids_of_the_first(void **state)
{
    nwbz_write_options options = usual_options();
    nz_json *plan = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t n;
    options.reproducible = false;
    options.metadata_json = NULL;
    stop_a_run(*state, "out", options, 5);
    char *text = test_file_read(test_path(*state, ".out.nwbz/plan.json"), &n);
    assert_ok(nz_json_parse(text, n, &plan, &err), &err);
    options.existing = NWBZ_EXISTING_RESUME;
    write_to(*state, "out", &options);
    const char *path = test_path(*state, "out");
    assert_string_equal(scalar(path, "/identifier"), nz_json_get_text(plan, "identifier"));
    assert_string_equal(scalar(path, "/file_create_date"), nz_json_get_text(plan, "file_create_date"));
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", nz_json_get_text(nz_json_get(plan, "ids"), "/acquisition/TimeSeries"));
    assert_string_equal(member(path, "acquisition/TimeSeries", "attributes", "object_id"), quoted);
    nz_json_free(plan);
    free(text);
}

static void check_resume_refused(const char *folder, nwbz_write_options options, nwbz_code code, const char *message)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = raw_source(folder);
    options.existing = NWBZ_EXISTING_RESUME;
    assert_code(nwbz_write(source, test_path(folder, "out"), &options, NULL, &err), code, message, &err);
    nwbz_source_close(source);
    assert_true(test_exists(test_path(folder, ".out.nwbz/plan.json"))); /* still there */
}

static void a_resume_with_other_options_or_another_source_is_refused_and_leaves_the_run(void **state)
{
    nwbz_write_options options = usual_options(), other;
    uint64_t other_chunks[] = { 50, 2 };
    stop_a_run(*state, "out", options, 5);
    other = options;
    other.chunk_shape = other_chunks;
    check_resume_refused(*state, other, NWBZ_EINVAL, "option chunks: [20000, 2] in the unfinished run, [50, 2] now");
    other = options;
    other.codec = "zstd:1";
    check_resume_refused(*state, other, NWBZ_EINVAL, "option codec");
    other = options;
    other.metadata_json = "{\"NWBFile\": {\"session_start_time\": \"2024-05-01T10:00:00+02:00\", \"lab\": \"L\"}}";
    check_resume_refused(*state, other, NWBZ_EINVAL, "metadata NWBFile.lab: not given in the unfinished run");
    samples[0] ^= 1;
    test_file_write(test_path(*state, "rec.dat"), samples, sizeof samples);
    check_resume_refused(*state, options, NWBZ_ESOURCE, "the source has changed");
}

static void an_unfinished_overwrite_is_resumed_with_resume_alone(void **state)
{
    nwbz_write_options options = usual_options();
    write_to(*state, "whole", &options);
    options.metadata_json = "{\"NWBFile\": {\"session_start_time\": \"2024-05-01T10:00:00+02:00\", \"lab\": \"old\"}}";
    write_to(*state, "out", &options);
    options = usual_options();
    options.existing = NWBZ_EXISTING_OVERWRITE;
    stop_a_run(*state, "out", options, 5);
    assert_string_equal(scalar(test_path(*state, "out"), "/general/lab"), "old");
    options.existing = NWBZ_EXISTING_RESUME;
    write_to(*state, "out", &options);
    check_same(test_path(*state, "whole"), test_path(*state, "out"));
}

static void a_stopped_run_of_a_source_that_cannot_be_read_again_is_removed(void **state)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = usual_options();
    nwbz_source *source = NULL;
    make_samples();
    assert_ok(nwbz_source_new_memory(samples, NWBZ_INT16, 2, shape, &source, &err), &err);
    make_stopping(source, 0);
    assert_code(nwbz_write(source, test_path(*state, "out"), &options, NULL, &err), NWBZ_ECANCELED, "stopped", &err);
    nwbz_source_close(source);
    assert_int_equal(test_folder_count(*state), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_time_series_has_its_attributes),
        IN_FOLDER(an_electrical_series_points_to_its_electrodes),
        IN_FOLDER(a_start_time_that_was_not_given_is_the_sources_with_a_warning),
        IN_FOLDER(a_stream_of_unknown_length_gets_the_length_that_came),
        IN_FOLDER(timestamps_are_a_dataset_of_the_series),
        IN_FOLDER(options_that_contradict_are_refused),
        IN_FOLDER(lists_must_have_one_element_per_channel),
        IN_FOLDER(a_destination_that_is_the_source_is_refused),
        IN_FOLDER(a_dry_run_reports_and_writes_nothing),
        IN_FOLDER(a_dry_run_finds_what_a_run_would_refuse),
        IN_FOLDER(over_100000_objects_shards_are_suggested),
        IN_FOLDER(the_same_input_gives_the_same_bytes_whatever_jobs_and_memory),
        IN_FOLDER(other_samples_or_metadata_give_other_ids),
        IN_FOLDER(ids_are_random_unless_asked_otherwise),
        IN_FOLDER(a_stopped_run_goes_on_to_the_same_bytes),
        IN_FOLDER(a_resumed_run_keeps_the_ids_of_the_first),
        IN_FOLDER(a_resume_with_other_options_or_another_source_is_refused_and_leaves_the_run),
        IN_FOLDER(an_unfinished_overwrite_is_resumed_with_resume_alone),
        IN_FOLDER(a_stopped_run_of_a_source_that_cannot_be_read_again_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
