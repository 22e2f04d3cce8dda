/* Every allocation, read and write of the stores made to fail: an error with a message, the destination as it was, nothing left behind. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/test.h"

#include "base/file.h"
#include "fault/fault.h"
#include "store/store.h"

#define NAME   "a.zarr"
#define FOLDER ".a.zarr.nwbz"

static const char new_document[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"is\": \"new\"}}";
static const char old_document[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"is\": \"old\"}}";

typedef struct world {
    const char *folder;
    nwbz_existing existing;
    bool has_old, is_kept, is_synced;
} world;

static bool has_text(const world *in, const char *name, const char *text)
{
    char *found = test_file_read(test_path(in->folder, name), NULL);
    bool same = found && strcmp(found, text) == 0;
    free(found);
    return same;
}

static void clean(const world *in)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_tree_remove(test_path(in->folder, NAME), &err), &err);
    assert_ok(nz_tree_remove(test_path(in->folder, FOLDER), &err), &err);
}

static void make_old(const world *in)
{
    assert_int_equal(mkdir(test_path(in->folder, NAME), 0777), 0);
    test_file_write(test_path(in->folder, NAME "/zarr.json"), old_document, strlen(old_document));
}

static void prepare(void *user)
{
    clean(user);
    if (((world *)user)->has_old)
        make_old(user);
}

/* ---- Create, put, commit ------------------------------------------------------------------ */

static nwbz_code fill(nwbz_store *store, nwbz_error *err)
{
    NZ_TRY(store->class->record_put(store, "plan.json", "{}", 2, err));
    NZ_TRY(nwbz_store_put(store, "data/c/0/0", "samples", 7, err));
    NZ_TRY(store->class->record_append(store, "journal", "first\n", 6, err));
    NZ_TRY(nwbz_store_put(store, "data/c/0/1", "more", 4, err));
    NZ_TRY(store->class->record_append(store, "journal", "second\n", 7, err));
    return nwbz_store_put(store, "zarr.json", new_document, strlen(new_document), err);
}

static nwbz_code create_and_commit(void *user, nwbz_error *err)
{
    const world *in = user;
    nwbz_store *store = NULL;
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    options.existing = in->existing;
    options.no_sync = !in->is_synced;
    options.keep_unfinished = in->is_kept;
    nwbz_code code = nwbz_store_create(test_path(in->folder, NAME), &options, &store, err);
    if (code == NWBZ_OK)
        code = fill(store, err);
    if (code == NWBZ_OK)
        code = nwbz_store_commit(store, err);
    nwbz_store_close(store);
    return code;
}

static void check_destination_is_as_before(const world *in)
{
    if (!in->has_old)
        assert_false(test_exists(test_path(in->folder, NAME)));
    else
        assert_true(has_text(in, NAME "/zarr.json", old_document));
    assert_false(test_exists(test_path(in->folder, NAME "/data")));
}

static void check_is_new(const world *in)
{
    assert_true(has_text(in, NAME "/zarr.json", new_document));
    assert_true(has_text(in, NAME "/data/c/0/0", "samples"));
    assert_true(has_text(in, NAME "/data/c/0/1", "more"));
    assert_int_equal(test_folder_count(test_path(in->folder, NAME)), 2);
}

static void nothing_is_left(void *user, fault_kind kind, const nwbz_error *err)
{
    (void)kind, (void)err;
    const world *in = user;
    check_destination_is_as_before(in);
    assert_false(test_exists(test_path(in->folder, FOLDER)));
}

/* What was kept is resumed, or was not begun: either way the same result. */
static void the_next_run_finishes(void *user, fault_kind kind, const nwbz_error *failed)
{
    (void)kind, (void)failed;
    world next = *(const world *)user;
    nwbz_error err = NWBZ_ERROR_INIT;
    check_destination_is_as_before(&next);
    bool is_kept = test_exists(test_path(next.folder, FOLDER "/plan.json"));
    if (is_kept || !next.has_old)
        next.existing = NWBZ_EXISTING_RESUME;
    assert_ok(create_and_commit(&next, &err), &err);
    check_is_new(&next);
    assert_false(test_exists(test_path(next.folder, FOLDER)));
}

/* Where removing what is left over was made to fail, the next run does it. */
static void all_is_there(void *user)
{
    const world *in = user;
    nwbz_store *store;
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    check_is_new(in);
    options.existing = NWBZ_EXISTING_RESUME;
    assert_ok(nwbz_store_create(test_path(in->folder, NAME), &options, &store, &err), &err);
    assert_null(store);
    check_is_new(in);
    assert_false(test_exists(test_path(in->folder, FOLDER)));
}

static void try_all(world *in, fault_kind kind)
{
    fault_scenario scenario = {
        prepare, create_and_commit, in->is_kept ? the_next_run_finishes : nothing_is_left, all_is_there, in, 1
    };
    unsigned n = fault_try_all(&scenario, kind);
    assert_true(n >= 5);
    clean(in);
}

static void try_each_way(const char *folder, fault_kind kind)
{
    for (unsigned i = 0; i < 8; i++) {
        world in = { folder, i & 1 ? NWBZ_EXISTING_OVERWRITE : NWBZ_EXISTING_ERROR, i & 1, i & 2, i & 4 };
        try_all(&in, kind);
    }
}

static void each_allocation_of_a_new_store_may_fail(void **state)
{
    try_each_way(*state, FAULT_ALLOCATION);
}

static void each_read_of_a_new_store_may_fail(void **state)
{
    try_each_way(*state, FAULT_READ);
}

static void each_write_of_a_new_store_may_fail(void **state)
{
    try_each_way(*state, FAULT_WRITE);
}

static void the_disk_may_be_full_at_each_moment(void **state)
{
    try_each_way(*state, FAULT_FULL);
}

/* ---- In place ------------------------------------------------------------------------------ */

static nwbz_code count_name(const char *name, bool is_prefix, void *user, nwbz_error *err)
{
    (void)name, (void)is_prefix, (void)err;
    ++*(unsigned *)user;
    return NWBZ_OK;
}

static nwbz_code use(nwbz_store *store, nwbz_error *err)
{
    void *bytes = NULL;
    size_t n_bytes;
    unsigned n = 0;
    NZ_TRY(nwbz_store_get(store, "zarr.json", &bytes, &n_bytes, err));
    nwbz_free(bytes);
    NZ_TRY(nwbz_store_put(store, "zarr.json", new_document, strlen(new_document), err));
    NZ_TRY(nwbz_store_put(store, "data/c/0", "samples", 7, err));
    NZ_TRY(store->class->list(store, "data/c", count_name, &n, err));
    return store->class->remove(store, "data/c/0", err);
}

static nwbz_code open_and_use(void *user, nwbz_error *err)
{
    nwbz_store *store = NULL;
    nwbz_code code = nwbz_store_open(test_path(((world *)user)->folder, NAME), true, &store, err);
    if (code == NWBZ_OK)
        code = use(store, err);
    nwbz_store_close(store);
    return code;
}

static void the_value_is_old_or_new(void *user, fault_kind kind, const nwbz_error *err)
{
    (void)kind, (void)err;
    const world *in = user;
    assert_true(has_text(in, NAME "/zarr.json", old_document) || has_text(in, NAME "/zarr.json", new_document));
    size_t n_others = test_exists(test_path(in->folder, NAME "/data"));
    assert_int_equal(test_folder_count(test_path(in->folder, NAME)), 1 + n_others); /* no temporary file is left */
}

static void the_value_is_new(void *user)
{
    assert_true(has_text(user, NAME "/zarr.json", new_document));
    assert_false(test_exists(test_path(((world *)user)->folder, NAME "/data/c/0")));
}

static void each_step_in_place_may_fail(void **state)
{
    world in = { .folder = *state, .has_old = true };
    fault_scenario scenario = { prepare, open_and_use, the_value_is_old_or_new, the_value_is_new, &in, 1 };
    for (fault_kind kind = FAULT_ALLOCATION; kind <= FAULT_FULL; kind++)
        fault_try_all(&scenario, kind);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static nwbz_code use_memory(void *user, nwbz_error *err)
{
    (void)user;
    nwbz_store *store = NULL;
    nz_buffer out = NZ_BUFFER_INIT(100);
    NZ_TRY(nwbz_store_new_memory(&store, err));
    nwbz_code code = fill(store, err);
    if (code == NWBZ_OK)
        code = use(store, err);
    if (code == NWBZ_OK)
        code = store->class->record_get(store, "journal", &out, err);
    nz_buffer_done(&out);
    nwbz_store_close(store);
    return code;
}

static void each_allocation_of_a_memory_store_may_fail(void **state)
{
    (void)state;
    fault_scenario scenario = { .run = use_memory };
    assert_true(fault_try_all(&scenario, FAULT_ALLOCATION) > 15);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, fault_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(each_allocation_of_a_new_store_may_fail),
        IN_A_FOLDER(each_read_of_a_new_store_may_fail),
        IN_A_FOLDER(each_write_of_a_new_store_may_fail),
        IN_A_FOLDER(the_disk_may_be_full_at_each_moment),
        IN_A_FOLDER(each_step_in_place_may_fail),
        cmocka_unit_test(each_allocation_of_a_memory_store_may_fail),
    };
    return cmocka_run_group_tests_name("fault.store", tests, NULL, NULL);
}
