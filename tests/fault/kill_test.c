/* A run killed before each change it makes to the file system, then met by the next run: what stands at the destination is always whole, and each
 * way to begin knows the state (the table in src/store/staging.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/test.h"

#include "base/file.h"
#include "fault/fault.h"
#include "fault/kill.h"
#include "store/staging.h"
#include "store/store.h"

#define NAME   "a.zarr"
#define FOLDER ".a.zarr.nwbz"

static const char new_document[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"is\": \"new\"}}";
static const char old_document[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"is\": \"old\"}}";

typedef struct world {
    const char *folder;
    bool has_old, has_plan,
        is_committed; /* is_committed: counting begins with the commit; else with the run, which is dropped at its end */
    bool cannot_exchange;
} world;

static bool has_text(const world *in, const char *name, const char *text)
{
    char *found = test_file_read(test_path(in->folder, name), NULL);
    bool same = found && strcmp(found, text) == 0;
    free(found);
    return same;
}

static void prepare(const world *in)
{
    static const char *const old_names[] = { NAME, NAME "/sub", NAME "/sub/c" };
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_tree_remove(test_path(in->folder, NAME), &err), &err);
    assert_ok(nz_tree_remove(test_path(in->folder, FOLDER), &err), &err);
    if (!in->has_old)
        return;
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++) {
        assert_int_equal(mkdir(test_path(in->folder, old_names[i]), 0777), 0);
    }
    test_file_write(test_path(in->folder, NAME "/zarr.json"), old_document, strlen(old_document));
    test_file_write(test_path(in->folder, NAME "/sub/zarr.json"), "{\"node_type\": \"array\"}", 22);
    test_file_write(test_path(in->folder, NAME "/sub/c/0"), "old samples", 11);
}

/* ---- The run that is killed ----------------------------------------------------------- */

static nwbz_code fill(nwbz_store *store, bool has_plan, nwbz_error *err)
{
    if (has_plan)
        NZ_TRY(store->class->record_put(store, "plan.json", "{}", 2, err));
    NZ_TRY(nwbz_store_put(store, "data/zarr.json", "{\"node_type\": \"array\"}", 22, err));
    NZ_TRY(nwbz_store_put(store, "data/c/0", "new samples", 11, err));
    if (has_plan)
        NZ_TRY(store->class->record_append(store, "journal", "data/c/0\n", 9, err));
    return nwbz_store_put(store, "zarr.json", new_document, strlen(new_document), err);
}

static nwbz_code create_fill_commit(const world *in, nwbz_existing existing, bool is_committed, nwbz_error *err)
{
    nwbz_store *store = NULL;
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    options.existing = existing;
    NZ_TRY(nwbz_store_create(test_path(in->folder, NAME), &options, &store, err));
    if (!store)
        return NWBZ_OK;
    nwbz_code code = fill(store, in->has_plan, err);
    if (code == NWBZ_OK && in->is_committed)
        kill_arm();
    if (code == NWBZ_OK && is_committed)
        code = nwbz_store_commit(store, err);
    nwbz_store_close(store);
    return code;
}

static nwbz_code killed_run(void *user, nwbz_error *err)
{
    const world *in = user;
    kill_forbid_exchange(in->cannot_exchange);
    return create_fill_commit(in, in->has_old ? NWBZ_EXISTING_OVERWRITE : NWBZ_EXISTING_ERROR, in->is_committed, err);
}

/* ---- What the next run finds -------------------------------------------------------------- */

static bool is_old(const world *in)
{
    return has_text(in, NAME "/zarr.json", old_document) && has_text(in, NAME "/sub/c/0", "old samples") &&
           !test_exists(test_path(in->folder, NAME "/data"));
}

static bool is_new(const world *in)
{
    return has_text(in, NAME "/zarr.json", new_document) && has_text(in, NAME "/data/c/0", "new samples") &&
           !test_exists(test_path(in->folder, NAME "/sub"));
}

static bool is_absent(const world *in)
{
    return !test_exists(test_path(in->folder, NAME));
}

/* Only where names cannot be exchanged is there a moment without the old store: it lies aside, whole. */
static void check_whole_or_absent(const world *in)
{
    if (is_new(in) || (in->has_old && is_old(in)))
        return;
    assert_true(is_absent(in));
    if (in->has_old) {
        assert_true(in->cannot_exchange);
        assert_true(has_text(in, FOLDER "/old/zarr.json", old_document));
        assert_true(has_text(in, FOLDER "/old/sub/c/0", "old samples"));
    }
}

static void check_settled(const world *in)
{
    assert_true(is_new(in) || (in->has_old ? is_old(in) : is_absent(in)));
}

/* -e error: refused where something stands, else made anew; nothing is lost and nothing half-done is seen. */
static void meet_with_error(const world *in)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_code code = create_fill_commit(in, NWBZ_EXISTING_ERROR, true, &err);
    if (code == NWBZ_OK) {
        assert_false(in->has_old);
        assert_true(is_new(in));
        return;
    }
    assert_code(code, NWBZ_EEXIST, NULL, &err);
    check_settled(in);
}

/* -e overwrite: the new store, whatever was left. */
static void meet_with_overwrite(const world *in)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(create_fill_commit(in, NWBZ_EXISTING_OVERWRITE, true, &err), &err);
    assert_true(is_new(in));
    assert_false(test_exists(test_path(in->folder, FOLDER)));
}

/* -e resume: continues, or begins anew, or is done already; a store that was to be replaced and whose run was not begun counts as done. */
static void meet_with_resume(const world *in)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    bool had_plan = has_text(in, FOLDER "/plan.json", "{}");
    assert_ok(create_fill_commit(in, NWBZ_EXISTING_RESUME, true, &err), &err);
    assert_true(is_new(in) || (in->has_old && !had_plan && is_old(in)));
    assert_false(test_exists(test_path(in->folder, FOLDER)));
}

static void kill_everywhere(world *in, void (*meet)(const world *in), unsigned n_least)
{
    unsigned k = 1;
    for (bool was_killed = true; was_killed; k++) {
        prepare(in);
        was_killed = kill_at(k, killed_run, in);
        check_whole_or_absent(in);
        meet(in);
    }
    assert_true(k - 2 >= n_least);
}

static void meet_in_every_way(const char *folder, bool is_committed, unsigned n_least)
{
    for (unsigned i = 0; i < 8; i++) {
        world in = { folder, i & 1, i & 2, is_committed, i & 4 };
        if (in.cannot_exchange && !in.has_old)
            continue;
        kill_everywhere(&in, meet_with_error, n_least);
        kill_everywhere(&in, meet_with_overwrite, n_least);
        kill_everywhere(&in, meet_with_resume, n_least);
    }
}

static void a_run_killed_before_each_step_of_its_commit_is_recognised(void **state)
{
    meet_in_every_way(*state, true, 5);
}

static void a_run_killed_before_each_step_until_it_is_dropped_is_recognised(void **state)
{
    meet_in_every_way(*state, false, 12);
}

/* The next run too is killed while it settles what the first one left, and then a third one comes. */
static nwbz_code settling_run(void *user, nwbz_error *err)
{
    const world *in = user;
    kill_forbid_exchange(in->cannot_exchange);
    kill_arm();
    return create_fill_commit(in, NWBZ_EXISTING_OVERWRITE, true, err);
}

static void a_run_killed_while_it_settles_is_recognised_too(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        world in = { *state, true, true, true, i };
        world next = in;
        next.is_committed = false; /* counts from its begin */
        unsigned k = 1, n_killed = 0;
        for (bool first = true; first; k++) {
            bool second = true;
            for (unsigned j = 1 + k % 4; second; j += 4) { /* each j, with some of the k */
                prepare(&in);
                first = kill_at(k, killed_run, &in);
                second = kill_at(j, settling_run, &next);
                n_killed += second;
                check_whole_or_absent(&in);
                meet_with_resume(&in);
            }
        }
        assert_true(n_killed > 20);
    }
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, fault_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(a_run_killed_before_each_step_of_its_commit_is_recognised),
        IN_A_FOLDER(a_run_killed_before_each_step_until_it_is_dropped_is_recognised),
        IN_A_FOLDER(a_run_killed_while_it_settles_is_recognised_too),
    };
    return cmocka_run_group_tests_name("fault.kill", tests, NULL, NULL);
}
