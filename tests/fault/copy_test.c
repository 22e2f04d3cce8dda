/* Every allocation, read and write of copying stored chunks into a folder made to fail: with the journal, read back, and resumed. */
#include "support/test.h"

#include "base/file.h"
#include "engine/record.h"
#include "engine/run.h"
#include "fault/fault.h"
#include "unit/engine/stored_source.h"

#define NAME   "a.zarr"
#define FOLDER ".a.zarr.nwbz"

enum { ROWS = 60, COLUMNS = 5, N = ROWS * COLUMNS };
static const uint64_t shape[] = { ROWS, COLUMNS }, chunk[] = { 8, 2 }, shard[] = { 16, 4 };

typedef struct world {
    const char *folder;
    const nwbz_array *source;
    bool is_sharded, keeps;
    unsigned number_of_jobs, other_every;
    nwbz_existing existing;
} world;

static int32_t sample_at(int i)
{
    return i / 40 % 3 == 1 ? 0 : i * 31 % 997 + 1; /* some chunks are absent */
}

/* Without its document, which comes after the chunks. */
static nwbz_code new_array(nwbz_store *store, bool is_sharded, nwbz_array **array, nwbz_error *err)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_INT32;
    options.n_dims = 2;
    options.shape = shape;
    options.chunk_shape = chunk;
    options.shard_shape = is_sharded ? shard : NULL;
    options.codec = "zstd:1";
    return nz_array_new(store, "/data", &options, array, err);
}

static nwbz_code put_documents(nwbz_store *store, const nwbz_array *array, nwbz_error *err)
{
    static const char group[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {}}";
    NZ_TRY(nz_array_put_document(array, err));
    return nz_store_put(store, "zarr.json", group, strlen(group), err);
}

/* ---- The run ------------------------------------------------------------------------------ */

static nwbz_code move(const world *in, nwbz_source *source, nwbz_array *array, nz_record *record, nwbz_error *err)
{
    nz_transfer transfer = { .source = source };
    nz_run_options options = { .number_of_jobs = in->number_of_jobs, .memory_limit_bytes = 64 << 20, .kind = "export", .record = record,
                               .verify_crc = true };
    NZ_TRY(nz_target_of_array(array, false, &transfer.target, err));
    nwbz_code code = nz_plan_make_copy(&source->info, &transfer.target->info, in->number_of_jobs, options.memory_limit_bytes, &transfer.plan, err);
    if (code == NWBZ_OK)
        code = nz_run(&transfer, 1, &options, err);
    transfer.target->class->free(transfer.target);
    return code;
}

/* The plan first, since without it there is nothing to resume. */
static nwbz_code put_plan(nwbz_store *store, nwbz_error *err)
{
    nz_json *plan = nz_json_new_object();
    nwbz_code code = plan ? nz_record_put_plan(store, plan, err) : nz_fail_memory(err, 0, "a plan");
    nz_json_free(plan);
    return code;
}

static nwbz_code copy_into(const world *in, nwbz_store *store, nwbz_error *err)
{
    nz_record *record = NULL;
    nwbz_array *array = NULL;
    stored_source source;
    NZ_TRY(stored_source_of(&source, in->source, err));
    source.other_every = in->other_every;
    nwbz_code code = put_plan(store, err);
    if (code == NWBZ_OK)
        code = nz_record_open(store, &record, err);
    if (code == NWBZ_OK)
        code = new_array(store, in->is_sharded, &array, err);
    if (code == NWBZ_OK)
        code = move(in, &source.base, array, record, err);
    if (code == NWBZ_OK)
        code = put_documents(store, array, err);
    nwbz_array_close(array);
    nz_record_close(record);
    nwbz_source_close(&source.base);
    return code == NWBZ_OK ? nwbz_store_commit(store, err) : code;
}

static nwbz_code copy_chunks(void *user, nwbz_error *err)
{
    const world *in = user;
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    nwbz_store *store = NULL;
    options.existing = in->existing;
    options.no_sync = true;
    options.keep_unfinished = in->keeps;
    NZ_TRY(nwbz_store_create(test_path(in->folder, NAME), &options, &store, err));
    nwbz_code code = copy_into(in, store, err);
    nwbz_store_close(store);
    return code;
}

/* ---- What must hold ---------------------------------------------------------------------- */

static void clean(void *user)
{
    const world *in = user;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_tree_remove(test_path(in->folder, NAME), &err), &err);
    assert_ok(nz_tree_remove(test_path(in->folder, FOLDER), &err), &err);
}

static void the_chunks_are_there(void *user)
{
    static int32_t found[N];
    const world *in = user;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    uint64_t start[] = { 0, 0 };
    assert_ok(nwbz_store_open(test_path(in->folder, NAME), false, &store, &err), &err);
    assert_ok(nwbz_array_open(store, "/data", &array, &err), &err);
    assert_ok(nwbz_array_read(array, start, shape, found, sizeof found, NULL, &err), &err);
    for (int i = 0; i < N; i++)
        assert_int_equal(found[i], sample_at(i));
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void nothing_is_visible(void *user, fault_kind kind, const nwbz_error *err)
{
    const world *in = user;
    (void)kind, (void)err;
    assert_false(test_exists(test_path(in->folder, NAME)));
    if (!in->keeps) {
        assert_false(test_exists(test_path(in->folder, FOLDER)));
        return;
    }
    world next = *in;
    nwbz_error failed = NWBZ_ERROR_INIT;
    next.existing = NWBZ_EXISTING_RESUME;
    assert_ok(copy_chunks(&next, &failed), &failed);
    the_chunks_are_there(&next);
    assert_false(test_exists(test_path(in->folder, FOLDER)));
}

/* The array that is copied, in memory. */
static nwbz_array *make_source(nwbz_store **store)
{
    static int32_t samples[N];
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array *array = NULL;
    nwbz_source *source = NULL;
    for (int i = 0; i < N; i++)
        samples[i] = sample_at(i);
    assert_ok(nwbz_store_new_memory(store, &err), &err);
    assert_ok(new_array(*store, false, &array, &err), &err);
    assert_ok(nwbz_source_new_memory(samples, NWBZ_INT32, 2, shape, &source, &err), &err);
    assert_ok(nwbz_array_fill(array, source, NULL, &err), &err);
    nwbz_source_close(source);
    return array;
}

static void try_each(const char *folder, fault_kind kind, world in, unsigned stride, unsigned n_least)
{
    nwbz_store *store = NULL;
    nwbz_array *source = make_source(&store);
    fault_scenario scenario = { clean, copy_chunks, nothing_is_visible, the_chunks_are_there, &in, stride };
    in.folder = folder;
    in.source = source;
    unsigned n = fault_try_all(&scenario, kind);
    if (n < n_least)
        fail_msg("%u steps were made to fail, fewer than the %u there must be", n, n_least);
    nwbz_array_close(source);
    nwbz_store_close(store);
}

static void each_allocation_may_fail(void **state)
{
    try_each(*state, FAULT_ALLOCATION, (world){ .number_of_jobs = 1, .other_every = 4 }, 1, 300);
    try_each(*state, FAULT_ALLOCATION, (world){ .number_of_jobs = 1, .is_sharded = true }, 1, 200);
}

static void each_read_may_fail(void **state)
{
    try_each(*state, FAULT_READ, (world){ .number_of_jobs = 1, .keeps = true }, 1, 50);
    try_each(*state, FAULT_READ, (world){ .number_of_jobs = 1, .is_sharded = true }, 1, 20);
}

static void each_write_may_fail(void **state)
{
    try_each(*state, FAULT_WRITE, (world){ .number_of_jobs = 1, .keeps = true }, 1, 80);
    try_each(*state, FAULT_WRITE, (world){ .number_of_jobs = 1, .is_sharded = true }, 1, 40);
}

static void the_disk_may_be_full_at_each_moment_and_the_rest_is_resumed(void **state)
{
    try_each(*state, FAULT_FULL, (world){ .number_of_jobs = 1, .keeps = true, .other_every = 3 }, 1, 60);
    try_each(*state, FAULT_FULL, (world){ .number_of_jobs = 1, .keeps = true, .is_sharded = true }, 1, 40);
}

static void each_step_may_fail_on_any_of_many_threads(void **state)
{
    try_each(*state, FAULT_READ, (world){ .number_of_jobs = 4 }, 1, 50);
    try_each(*state, FAULT_WRITE, (world){ .number_of_jobs = 4 }, 1, 80);
    try_each(*state, FAULT_FULL, (world){ .number_of_jobs = 4, .keeps = true }, 1, 60);
    try_each(*state, FAULT_ALLOCATION, (world){ .number_of_jobs = 4, .is_sharded = true }, 5, 200);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, fault_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(each_allocation_may_fail),
        IN_A_FOLDER(each_read_may_fail),
        IN_A_FOLDER(each_write_may_fail),
        IN_A_FOLDER(the_disk_may_be_full_at_each_moment_and_the_rest_is_resumed),
        IN_A_FOLDER(each_step_may_fail_on_any_of_many_threads),
    };
    return cmocka_run_group_tests_name("fault.copy", tests, NULL, NULL);
}
