/* Every allocation, read and write of nwbz_write() made to fail: an error with a message, nothing at the final path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#include "base/file.h"
#include "fault/fault.h"

#include <nwbz/nwbz.h>

#define NAME   "a.nwb.zarr"
#define FOLDER ".a.nwb.zarr.nwbz"

enum { N_FRAMES = 200, N_CHANNELS = 4, N_SAMPLES = N_FRAMES * N_CHANNELS };

typedef struct world {
    const char *folder;
    bool electrical, is_file, has_timestamps, is_sharded;
    unsigned number_of_jobs;
    nwbz_existing existing;
} world;

static void clean(void *user)
{
    const world *in = user;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_tree_remove(test_path(in->folder, NAME), &err), &err);
    assert_ok(nz_tree_remove(test_path(in->folder, FOLDER), &err), &err);
}

static const int16_t *samples(void)
{
    static int16_t values[N_SAMPLES];
    for (int i = 0; i < N_SAMPLES; i++)
        values[i] = (int16_t)(i * 37 % 1000 - 500);
    return values;
}

static const double *times(void)
{
    static double seconds[N_FRAMES];
    for (int i = 0; i < N_FRAMES; i++)
        seconds[i] = i / 100.0;
    return seconds;
}

/* ---- The run ------------------------------------------------------------------------------ */

static nwbz_code open_source(const world *in, nwbz_source **source, nwbz_error *err)
{
    static const uint64_t shape[] = { N_FRAMES, N_CHANNELS };
    nwbz_raw_options raw = NWBZ_RAW_OPTIONS_INIT;
    raw.type = NWBZ_INT16;
    raw.n_dims = 2;
    raw.shape = shape;
    if (in->is_file)
        return nwbz_source_open_raw(test_path(in->folder, "samples.dat"), &raw, source, err);
    return nwbz_source_new_memory(samples(), NWBZ_INT16, 2, shape, source, err);
}

static nwbz_code write_from(const world *in, nwbz_source *source, nwbz_source *timestamps, nwbz_report *report,
                            nwbz_error *err)
{
    static const nwbz_field fields[] = { { "NWBFile", "session_start_time", "2024-01-31T12:00:00+00:00" },
                                         { "Subject", "subject_id", "m1" },
                                         { "ElectricalSeries", "conversion", "1e-6" } };
    static const uint64_t chunk[] = { 50, 2 }, shard[] = { 100, 4 };
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.metadata_json =
        "{\"NWBFile\": {\"experimenter\": [\"A, B\"], \"lab\": \"one\"}, \"Device\": {\"name\": \"probe\"}}";
    options.fields = fields;
    options.n_fields = in->electrical ? 3 : 2;
    options.electrical = in->electrical;
    options.rate_hz = in->has_timestamps ? 0 : 100;
    options.timestamps = timestamps;
    options.chunk_shape = chunk;
    options.n_chunk_dims = 2;
    options.shard_shape = in->is_sharded ? shard : NULL;
    options.n_shard_dims = in->is_sharded ? 2 : 0;
    options.codec = "zstd:1";
    options.reproducible = true;
    options.number_of_jobs = in->number_of_jobs;
    options.existing = in->existing;
    options.no_sync = true;
    return nwbz_write(source, test_path(in->folder, NAME), &options, report, err);
}

static nwbz_code write_recording(void *user, nwbz_error *err)
{
    static const uint64_t shape[] = { N_FRAMES };
    const world *in = user;
    nwbz_source *source = NULL, *timestamps = NULL;
    nwbz_report report = NWBZ_REPORT_INIT;
    nwbz_code code = open_source(in, &source, err);
    if (code == NWBZ_OK && in->has_timestamps)
        code = nwbz_source_new_memory(times(), NWBZ_FLOAT64, 1, shape, &timestamps, err);
    if (code == NWBZ_OK)
        code = write_from(in, source, timestamps, &report, err);
    nwbz_report_done(&report);
    nwbz_source_close(timestamps);
    nwbz_source_close(source);
    return code;
}

/* ---- What must hold ---------------------------------------------------------------------- */

static void nothing_is_visible(void *user, fault_kind kind, const nwbz_error *err)
{
    const world *in = user;
    (void)err;
    assert_false(test_exists(test_path(in->folder, NAME)));
    if (kind != FAULT_FULL) { /* a full disk keeps what can be resumed */
        assert_false(test_exists(test_path(in->folder, FOLDER)));
        return;
    }
    world next = *in;
    nwbz_error failed = NWBZ_ERROR_INIT;
    next.existing = NWBZ_EXISTING_RESUME;
    assert_ok(write_recording(&next, &failed), &failed);
    assert_true(test_exists(test_path(in->folder, NAME "/zarr.json")));
    assert_false(test_exists(test_path(in->folder, FOLDER)));
}

static const char *data_path(const world *in)
{
    return in->electrical ? "/acquisition/ElectricalSeries/data" : "/acquisition/TimeSeries/data";
}

static void the_samples_are_there(void *user)
{
    static const uint64_t start[] = { 0, 0 }, count[] = { N_FRAMES, N_CHANNELS };
    static int16_t found[N_SAMPLES];
    const world *in = user;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_store *store;
    nwbz_array *array;
    assert_ok(nwbz_store_open(test_path(in->folder, NAME), false, &store, &err), &err);
    assert_ok(nwbz_array_open(store, data_path(in), &array, &err), &err);
    assert_ok(nwbz_array_read(array, start, count, found, sizeof found, NULL, &err), &err);
    assert_memory_equal(found, samples(), sizeof found);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void try_each(const world *in, fault_kind kind, unsigned stride, unsigned n_least)
{
    world copy = *in;
    fault_scenario scenario = { clean, write_recording, nothing_is_visible, the_samples_are_there, &copy, stride };
    if (in->is_file)
        test_file_write(test_path(in->folder, "samples.dat"), samples(), N_SAMPLES * sizeof(int16_t));
    unsigned n = fault_try_all(&scenario, kind);
    if (n < n_least)
        fail_msg("%u steps were made to fail, fewer than the %u there must be", n, n_least);
}

/* One job runs all on the calling thread: its k-th step is the same each time. */
static const world everything = {
    .electrical = true, .is_file = true, .has_timestamps = true, .is_sharded = true, .number_of_jobs = 1
};

static void each_allocation_of_a_write_may_fail(void **state)
{
    world in = everything;
    in.folder = *state;
    try_each(&in, FAULT_ALLOCATION, 1, 500);
}

static void each_read_of_a_write_may_fail(void **state)
{
    world in = everything;
    in.folder = *state;
    try_each(&in, FAULT_READ, 1, 10);
}

static void each_write_of_a_write_may_fail(void **state)
{
    world in = everything;
    in.folder = *state;
    try_each(&in, FAULT_WRITE, 1, 100);
}

static void the_disk_may_be_full_at_each_moment_and_the_rest_is_resumed(void **state)
{
    world in = everything;
    in.folder = *state;
    try_each(&in, FAULT_FULL, 1, 50);
}

/* With more jobs a step may belong to any thread; each error must find its way out of whichever it is. */
static void each_step_may_fail_on_any_of_many_threads(void **state)
{
    world in = { .folder = *state, .number_of_jobs = 4 };
    try_each(&in, FAULT_READ, 1, 1);
    try_each(&in, FAULT_WRITE, 1, 50);
    try_each(&in, FAULT_FULL, 1, 20);
    try_each(&in, FAULT_ALLOCATION, 7, 300);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, fault_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(each_allocation_of_a_write_may_fail),
        IN_A_FOLDER(each_read_of_a_write_may_fail),
        IN_A_FOLDER(each_write_of_a_write_may_fail),
        IN_A_FOLDER(the_disk_may_be_full_at_each_moment_and_the_rest_is_resumed),
        IN_A_FOLDER(each_step_may_fail_on_any_of_many_threads),
    };
    return cmocka_run_group_tests_name("fault.write", tests, NULL, NULL);
}
