/* When a tree becomes visible: every state that a kill can leave (the table in staging.c), each made by hand and met by each way to begin; locks;
 * what is refused, with both ways on.  tests/fault/kill_test.c kills for real. */
#include "fixture.h"

#include "base/thread.h"
#include "store/staging.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#define FOLDER ".a.zarr.nwbz"

static nwbz_error err;

static const char *document(const char *label)
{
    static char text[128];
    snprintf(text, sizeof text, "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"is\": \"%s\"}}",
             label);
    return text;
}

static void put_tree(const char *name, const char *label)
{
    char path[256];
    snprintf(path, sizeof path, "%s/zarr.json", name);
    put_file(path, document(label));
    snprintf(path, sizeof path, "%s/sub/zarr.json", name);
    put_file(path, document(label));
}

static void check_tree(const char *name, const char *label)
{
    char path[256];
    if (!label) {
        assert_false(is_there(name));
        return;
    }
    snprintf(path, sizeof path, "%s/zarr.json", name);
    assert_string_equal(text_of(path), document(label));
}

/* ---- The states ------------------------------------------------------------------------ */

typedef enum met { DONE, EXISTS, ANEW, ANEW_REPLACING, GO_ON, GO_ON_REPLACING } met;

typedef struct made_state {
    const char *name;
    const char *plan; /* text of plan.json; NULL: none */
    bool tree, old, destination;
    char mark;    /* whose inode number F/replaces holds: t(ree), d(estination), x neither; 0: no such file */
    bool is_kept; /* refused or done, the folder stays with its tree */
    met error, skip, overwrite, resume;
    const char *after; /* what the destination is after begin: "tree", "old", "destination", NULL */
} made_state;

static const char plan[] = "{\"existing\": \"error\"}";

static const made_state made_states[] = {
    { "1 nothing", NULL, false, false, false, 0, false, ANEW, ANEW, ANEW, ANEW, NULL },
    { "1 not begun", NULL, true, false, false, 0, false, ANEW, ANEW, ANEW, ANEW, NULL },
    { "1 not begun, destination", NULL, true, false, true, 0, false, EXISTS, DONE, ANEW_REPLACING, DONE,
      "destination" },
    { "1 torn plan", "{\"existing\": \"err", true, false, false, 0, false, ANEW, ANEW, ANEW, ANEW, NULL },
    { "1 empty plan", "", true, false, false, 0, false, ANEW, ANEW, ANEW, ANEW, NULL },
    { "1 plan of another kind", "[1]", true, false, false, 0, false, ANEW, ANEW, ANEW, ANEW, NULL },
    { "1 not begun, mark", NULL, true, false, true, 't', false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "2 unfinished", plan, true, false, false, 0, true, EXISTS, EXISTS, ANEW, GO_ON, NULL },
    { "3 unfinished, replaces", plan, true, false, true, 't', true, EXISTS, DONE, ANEW_REPLACING, GO_ON_REPLACING,
      "destination" },
    { "3 what it replaces has gone", plan, true, false, false, 't', true, EXISTS, EXISTS, ANEW, GO_ON, NULL },
    { "4 destination appeared", plan, true, false, true, 0, true, EXISTS, DONE, ANEW_REPLACING, EXISTS, "destination" },
    { "5 exchanged", plan, true, false, true, 'd', false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "5 exchanged, no plan", NULL, true, false, true, 'd', false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "6 aside", plan, true, true, false, 't', true, EXISTS, DONE, ANEW_REPLACING, GO_ON_REPLACING, "old" },
    { "6 aside, no plan", NULL, true, true, false, 't', false, EXISTS, DONE, ANEW_REPLACING, DONE, "old" },
    { "7 moved", plan, false, true, true, 'd', false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "7 moved, no plan", NULL, false, true, true, 0, false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "8 moved, old removed", plan, false, false, true, 0, false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "8 plan without tree", plan, false, false, false, 0, false, ANEW, ANEW, ANEW, ANEW, NULL },
    { "9 appeared while aside", plan, true, true, true, 't', true, EXISTS, EXISTS, EXISTS, EXISTS, "destination" },
    { "9 the same, no plan", NULL, true, true, true, 0, true, EXISTS, EXISTS, EXISTS, EXISTS, "destination" },
    { "10 moved, then taken away", plan, false, true, false, 'x', false, EXISTS, DONE, ANEW_REPLACING, DONE, "old" },
    { "11 copied", plan, true, false, true, 'x', false, EXISTS, DONE, ANEW_REPLACING, DONE, "destination" },
    { "11 copied, destination gone", plan, true, false, false, 'x', false, ANEW, ANEW, ANEW, ANEW, NULL },
};

static void make_mark(char mark)
{
    struct stat st = { .st_ino = 0 };
    char text[32];
    if (!mark)
        return;
    if (mark == 't')
        assert_int_equal(lstat(test_path(FOLDER "/tree"), &st), 0);
    if (mark == 'd')
        assert_int_equal(lstat(test_path("a.zarr"), &st), 0);
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)st.st_ino);
    put_file(FOLDER "/replaces", text);
}

static void make_state(const made_state *made)
{
    put_file(FOLDER "/lock", "");
    put_file(FOLDER "/journal", "line\n");
    put_file(FOLDER "/.nwbz-tmp-01234567", "{\"existing");
    if (made->plan)
        put_file(FOLDER "/plan.json", made->plan);
    if (made->tree)
        put_tree(FOLDER "/tree", "tree");
    if (made->old)
        put_tree(FOLDER "/old", "old");
    if (made->destination)
        put_tree("a.zarr", "destination");
    make_mark(made->mark);
}

/* Finish a run that was begun: the destination becomes what the tree holds. */
static void finish(nz_staging *staging, met outcome)
{
    bool is_new = outcome == ANEW || outcome == ANEW_REPLACING;
    assert_true(is_there(FOLDER "/tree"));
    assert_int_equal(staging->resumed, !is_new);
    assert_int_equal(staging->replace, outcome == ANEW_REPLACING || outcome == GO_ON_REPLACING);
    if (is_new) {
        assert_false(is_there(FOLDER "/tree/zarr.json"));
        assert_false(is_there(FOLDER "/plan.json"));
        assert_false(is_there(FOLDER "/journal"));
        put_tree(FOLDER "/tree", "fresh");
    }
    assert_ok(nz_staging_commit(staging, true, &err));
    check_tree("a.zarr", is_new ? "fresh" : "tree");
    assert_true(is_there("a.zarr/sub/zarr.json"));
    assert_false(is_there(FOLDER));
}

static void meet_state(const made_state *made, nwbz_existing existing, met outcome)
{
    nz_staging staging;
    bool done;
    make_state(made);
    nwbz_code code = nz_staging_begin(&staging, test_path("a.zarr"), existing, &done, &err);
    if (code != (outcome == EXISTS ? NWBZ_EEXIST : NWBZ_OK) || done != (outcome == DONE))
        fail_msg("%s, existing %d: %s, done %d: %s", made->name, existing, nwbz_code_name(code), done, err.message);
    check_tree("a.zarr", made->after);
    if (outcome == DONE || outcome == EXISTS) {
        assert_int_equal(staging.lock_fd, -1);
        assert_int_equal(is_there(FOLDER), made->is_kept);
        assert_int_equal(is_there(FOLDER "/tree/zarr.json"), made->is_kept);
    } else {
        finish(&staging, outcome);
    }
    nz_staging_done(&staging);
    assert_ok(nz_tree_remove(test_path(FOLDER), &err));
    assert_ok(nz_tree_remove(test_path("a.zarr"), &err));
}

static void every_state_is_recognised_by_every_way_to_begin(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof made_states / sizeof *made_states; i++) {
        const made_state *made = &made_states[i];
        meet_state(made, NWBZ_EXISTING_ERROR, made->error);
        meet_state(made, NWBZ_EXISTING_SKIP, made->skip);
        meet_state(made, NWBZ_EXISTING_OVERWRITE, made->overwrite);
        meet_state(made, NWBZ_EXISTING_RESUME, made->resume);
    }
}

/* ---- From begin to end ------------------------------------------------------------------- */

static nwbz_store *create(const char *name, nwbz_existing existing, bool keep)
{
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    nwbz_store *store;
    options.existing = existing;
    options.keep_unfinished = keep;
    assert_ok(nwbz_store_create(test_path(name), &options, &store, &err));
    return store;
}

static nwbz_code try_create(const char *path, nwbz_existing existing)
{
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    nwbz_store *store = NULL;
    options.existing = existing;
    nwbz_code code = nwbz_store_create(path, &options, &store, &err);
    assert_null(store);
    return code;
}

static void put(nwbz_store *store, const char *key, const char *text)
{
    assert_ok(nwbz_store_put(store, key, text, strlen(text), &err));
}

static void nothing_is_visible_before_commit_and_all_is_after(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    put(store, "zarr.json", document("new"));
    assert_true(is_there(FOLDER "/tree/zarr.json"));
    assert_false(is_there("a.zarr"));
    assert_value(store, "zarr.json", document("new"));
    assert_ok(nwbz_store_commit(store, &err)); /* with the sync */
    check_tree("a.zarr", "new");
    assert_false(is_there(FOLDER));
    nwbz_store_close(store);
    check_tree("a.zarr", "new");
}

static void a_closed_store_leaves_nothing(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    put(store, "zarr.json", document("new"));
    assert_ok(store->class->record_put(store, "plan.json", "{}", 2, &err));
    nwbz_store_close(store);
    assert_false(is_there("a.zarr"));
    assert_false(is_there(FOLDER));
}

static void a_kept_store_is_resumed(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, true);
    assert_false(store->resumed);
    put(store, "c/0", "samples");
    assert_ok(store->class->record_put(store, "plan.json", "{}", 2, &err));
    assert_ok(store->class->record_append(store, "journal", "line\n", 5, &err));
    nwbz_store_close(store);
    assert_false(is_there("a.zarr"));
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_ERROR), NWBZ_EEXIST, test_path("a.zarr"), "unfinished",
                 FOLDER, "--resume", "--overwrite");
    store = create("a.zarr", NWBZ_EXISTING_RESUME, false);
    assert_true(store->resumed);
    assert_value(store, "c/0", "samples");
    assert_string_equal(text_of(FOLDER "/journal"), "line\n");
    put(store, "zarr.json", document("resumed"));
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree("a.zarr", "resumed");
    assert_string_equal(text_of("a.zarr/c/0"), "samples");
}

static void a_kept_store_without_a_plan_is_not_resumable_and_goes(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    put(store, "c/0", "samples");
    nwbz_store_keep_unfinished(store, true);
    nwbz_store_close(store);
    assert_false(is_there(FOLDER));
}

static void keeping_can_be_decided_at_the_end(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    assert_ok(store->class->record_put(store, "plan.json", "{}", 2, &err));
    nwbz_store_keep_unfinished(store, true);
    nwbz_store_close(store);
    assert_true(is_there(FOLDER "/plan.json"));
    store = create("a.zarr", NWBZ_EXISTING_RESUME, true);
    nwbz_store_keep_unfinished(store, false);
    nwbz_store_close(store);
    assert_false(is_there(FOLDER));
}

static void an_overwritten_store_is_there_until_the_new_one_is(void **state)
{
    (void)state;
    put_tree("a.zarr", "before");
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_OVERWRITE, true);
    put(store, "zarr.json", document("new"));
    assert_ok(store->class->record_put(store, "plan.json", "{}", 2, &err));
    check_tree("a.zarr", "before");
    nwbz_store_close(store);
    check_tree("a.zarr", "before");
    store = create("a.zarr", NWBZ_EXISTING_RESUME, false); /* resume alone: it goes on to replace */
    assert_true(store->resumed);
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree("a.zarr", "new");
    assert_false(is_there("a.zarr/sub"));
    assert_false(is_there(FOLDER));
}

static void a_whole_destination_is_skipped_or_done(void **state)
{
    (void)state;
    put_tree("a.zarr", "before");
    assert_ok(try_create(test_path("a.zarr"), NWBZ_EXISTING_SKIP));
    assert_ok(try_create(test_path("a.zarr"), NWBZ_EXISTING_RESUME));
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_ERROR), NWBZ_EEXIST, test_path("a.zarr"), "exists",
                 "--overwrite", "skip");
    check_tree("a.zarr", "before");
    assert_false(is_there(FOLDER));
}

/* ---- What is never replaced ------------------------------------------------------------------ */

static void a_folder_with_a_foreign_entry_is_not_replaced(void **state)
{
    (void)state;
    put_tree("a.zarr", "before");
    put_file("a.zarr/sub/notes.txt", "mine");
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_OVERWRITE), NWBZ_EEXIST, "sub/notes.txt",
                 "not replaced");
    assert_string_equal(text_of("a.zarr/sub/notes.txt"), "mine");
    check_tree("a.zarr", "before");
    assert_false(is_there(FOLDER));
}

static void an_unfinished_tree_survives_a_refused_overwrite(void **state)
{
    (void)state;
    put_tree(FOLDER "/tree", "tree");
    put_file(FOLDER "/plan.json", "{}");
    put_file("a.zarr/notes.txt", "mine");
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_OVERWRITE), NWBZ_EEXIST, "notes.txt");
    check_tree(FOLDER "/tree", "tree");
    assert_true(is_there(FOLDER "/plan.json"));
}

static void a_foreign_entry_that_comes_later_stops_the_commit(void **state)
{
    (void)state;
    put_tree("a.zarr", "before");
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_OVERWRITE, false);
    put(store, "zarr.json", document("new"));
    put_file("a.zarr/notes.txt", "mine");
    assert_fails(nwbz_store_commit(store, &err), NWBZ_EEXIST, test_path("a.zarr"), "notes.txt");
    nwbz_store_close(store);
    check_tree("a.zarr", "before");
    assert_string_equal(text_of("a.zarr/notes.txt"), "mine");
    assert_false(is_there(FOLDER));
}

static void a_destination_that_appears_later_stops_the_commit(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_OVERWRITE, false);
    put(store, "zarr.json", document("new"));
    put_tree("a.zarr", "another's");
    assert_fails(nwbz_store_commit(store, &err), NWBZ_EEXIST, "appeared");
    nwbz_store_close(store);
    check_tree("a.zarr", "another's");
    store = create("b.zarr", NWBZ_EXISTING_ERROR, false);
    put_file("b.zarr", "a file");
    assert_fails(nwbz_store_commit(store, &err), NWBZ_EEXIST, "appeared");
    nwbz_store_close(store);
    assert_string_equal(text_of("b.zarr"), "a file");
}

static void files_and_symlinks_are_never_replaced(void **state)
{
    (void)state;
    put_tree("store", "before");
    put_file("file", "mine");
    assert_int_equal(symlink("store", test_path("link")), 0);
    assert_int_equal(symlink("nowhere", test_path("dangling")), 0);
    assert_int_equal(mkfifo(test_path("pipe"), 0666), 0);
    static const char *const names[] = { "file", "link", "link/", "dangling", "pipe" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_fails(try_create(test_path(names[i]), NWBZ_EXISTING_OVERWRITE), NWBZ_EEXIST,
                     "only a Zarr folder is ever replaced");
        assert_fails(try_create(test_path(names[i]), NWBZ_EXISTING_ERROR), NWBZ_EEXIST, "is no Zarr store");
        assert_fails(try_create(test_path(names[i]), NWBZ_EXISTING_SKIP), NWBZ_EEXIST, "is no Zarr store");
        assert_fails(try_create(test_path(names[i]), NWBZ_EXISTING_RESUME), NWBZ_EEXIST, "is no Zarr store");
    }
    check_tree("store", "before");
    assert_string_equal(text_of("file"), "mine");
    assert_false(is_there(".link.nwbz"));
    assert_false(is_there(".file.nwbz"));
}

static void an_empty_folder_is_replaced_only_when_asked(void **state)
{
    (void)state;
    assert_int_equal(mkdir(test_path("a.zarr"), 0777), 0);
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_ERROR), NWBZ_EEXIST, "is no Zarr store");
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_OVERWRITE, false);
    put(store, "zarr.json", document("new"));
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree("a.zarr", "new");
}

static void what_stands_at_the_staging_folders_name_is_left_alone(void **state)
{
    (void)state;
    put_file(FOLDER, "a file");
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_OVERWRITE), NWBZ_EEXIST, FOLDER, "in the way");
    assert_string_equal(text_of(FOLDER), "a file");
    put_tree("store", "before");
    assert_int_equal(symlink("store", test_path(".b.zarr.nwbz")), 0);
    assert_fails(try_create(test_path("b.zarr"), NWBZ_EXISTING_ERROR), NWBZ_EEXIST, ".b.zarr.nwbz", "in the way");
    check_tree("store", "before");
}

static void foreign_files_in_the_staging_folder_stay(void **state)
{
    (void)state;
    put_file(FOLDER "/notes.txt", "mine");
    put_file(FOLDER "/data/notes.txt", "mine");
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    put(store, "zarr.json", document("new"));
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree("a.zarr", "new");
    assert_string_equal(text_of(FOLDER "/notes.txt"), "mine");
    assert_string_equal(text_of(FOLDER "/data/notes.txt"), "mine");
    assert_false(is_there(FOLDER "/lock"));
}

/* ---- Locks ---------------------------------------------------------------------------------- */

static void a_second_run_on_the_same_destination_is_refused(void **state)
{
    (void)state;
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    put(store, "zarr.json", document("new"));
    for (int existing = NWBZ_EXISTING_ERROR; existing <= NWBZ_EXISTING_RESUME; existing++)
        assert_fails(try_create(test_path("a.zarr"), (nwbz_existing)existing), NWBZ_ELOCKED, test_path("a.zarr"),
                     FOLDER, "another run");
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree("a.zarr", "new");
}

static void the_lock_of_an_unlocked_destination_stays_with_the_other_destination(void **state)
{
    (void)state;
    nwbz_store *one = create("a.zarr", NWBZ_EXISTING_ERROR, false),
               *other = create("b.zarr", NWBZ_EXISTING_ERROR, false);
    nwbz_store_close(one);
    assert_fails(try_create(test_path("b.zarr"), NWBZ_EXISTING_ERROR), NWBZ_ELOCKED, ".b.zarr.nwbz");
    nwbz_store_close(other);
}

static void a_whole_destination_is_skipped_while_it_is_being_replaced(void **state)
{
    (void)state;
    put_tree("a.zarr", "before");
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_OVERWRITE, false);
    assert_ok(try_create(test_path("a.zarr"), NWBZ_EXISTING_SKIP));
    assert_fails(try_create(test_path("a.zarr"), NWBZ_EXISTING_OVERWRITE), NWBZ_ELOCKED, FOLDER);
    nwbz_store_close(store);
    check_tree("a.zarr", "before");
}

static void a_lock_whose_holder_was_killed_is_free(void **state)
{
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        nz_staging staging;
        bool done;
        _Exit(nz_staging_begin(&staging, test_path("a.zarr"), NWBZ_EXISTING_ERROR, &done, NULL) == NWBZ_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(is_there(FOLDER "/lock"));
    nwbz_store *store = create("a.zarr", NWBZ_EXISTING_ERROR, false);
    nwbz_store_close(store);
    assert_false(is_there(FOLDER));
}

/* Many runs that begin, commit or drop at the same time: one at a time holds the lock, none is ever misled by another's removal. */
typedef struct rival {
    char path[512];
    unsigned seed, n_begun;
    int *n_inside; /* how many hold it: never more than one */
    bool is_wrong;
    nwbz_error err;
} rival;

static void *begin_and_end(void *argument)
{
    rival *mine = argument;
    for (unsigned i = 0; i < 300 && !mine->is_wrong; i++) {
        nz_staging staging;
        bool done;
        nwbz_code code = nz_staging_begin(&staging, mine->path, NWBZ_EXISTING_OVERWRITE, &done, &mine->err);
        mine->is_wrong = code != NWBZ_OK && code != NWBZ_ELOCKED;
        if (code == NWBZ_OK) {
            mine->n_begun++;
            mine->is_wrong |= __atomic_add_fetch(mine->n_inside, 1, __ATOMIC_SEQ_CST) != 1;
            bool is_dropped = (mine->seed = mine->seed * 1664525 + 1013904223) >> 31;
            code = is_dropped ? NWBZ_OK : nz_folder_make(staging.tree, &mine->err); /* still there */
            mine->is_wrong |= code != NWBZ_OK;
            __atomic_sub_fetch(mine->n_inside, 1, __ATOMIC_SEQ_CST);
            if (is_dropped)
                nz_staging_abort(&staging, false);
            else
                mine->is_wrong |= nz_staging_commit(&staging, true, &mine->err) != NWBZ_OK;
        }
        nz_staging_done(&staging);
    }
    return NULL;
}

static void runs_that_race_for_the_lock_hold_it_one_at_a_time(void **state)
{
    (void)state;
    enum { N = 4 };
    static rival rivals[N];
    nz_thread threads[N];
    int n_inside = 0;
    for (unsigned i = 0; i < N; i++) {
        rivals[i] = (rival){ .seed = i, .n_inside = &n_inside };
        snprintf(rivals[i].path, sizeof rivals[i].path, "%s", test_path("a.zarr"));
        assert_ok(nz_thread_start(&threads[i], begin_and_end, &rivals[i], &err));
    }
    unsigned n_begun = 0;
    for (unsigned i = 0; i < N; i++) {
        nz_thread_join(threads[i]);
        n_begun += rivals[i].n_begun;
    }
    for (unsigned i = 0; i < N; i++)
        if (rivals[i].is_wrong)
            fail_msg("rival %u: %s: %s", i, nwbz_code_name(rivals[i].err.code), rivals[i].err.message);
    assert_true(n_begun > 0);
    assert_false(is_there(FOLDER));
}

/* ---- Paths ------------------------------------------------------------------------------------- */

static void check_created_at(const char *path, const char *name)
{
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    nwbz_store *store;
    options.no_sync = true;
    assert_ok(nwbz_store_create(path, &options, &store, &err));
    put(store, "zarr.json", document("new"));
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree(name, "new");
    assert_ok(nz_tree_remove(test_path(name), &err));
}

static void a_destination_can_be_written_in_many_ways(void **state)
{
    (void)state;
    char here[4096];
    assert_int_equal(mkdir(test_path("d"), 0777), 0);
    assert_int_equal(symlink("d", test_path("link")), 0);
    check_created_at(test_path("a.zarr/"), "a.zarr");
    check_created_at(test_path("d//a.zarr///"), "d/a.zarr");
    check_created_at(test_path("link/a.zarr"), "d/a.zarr");
    check_created_at(test_path("d/../a.zarr"), "a.zarr");
    check_created_at(test_path("d/a b\n.zarr"), "d/a b\n.zarr");
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(test_path("d")), 0);
    check_created_at("a.zarr", "d/a.zarr");
    check_created_at("./a.zarr", "d/a.zarr");
    check_created_at("../a.zarr", "a.zarr");
    assert_int_equal(chdir(here), 0);
}

static void a_relative_destination_stays_where_it_was_after_chdir(void **state)
{
    (void)state;
    char here[4096];
    nwbz_store *store;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(test_folder), 0);
    assert_ok(nwbz_store_create("a.zarr", NULL, &store, &err));
    assert_int_equal(chdir(here), 0);
    put(store, "zarr.json", document("new"));
    assert_ok(nwbz_store_commit(store, &err));
    nwbz_store_close(store);
    check_tree("a.zarr", "new");
}

static void a_destination_without_parent_or_name_is_refused(void **state)
{
    (void)state;
    put_file("file", "mine");
    assert_fails(try_create(test_path("no/a.zarr"), NWBZ_EXISTING_ERROR), NWBZ_ENOTFOUND, test_path("no"),
                 "does not exist");
    assert_fails(try_create(test_path("no/such/a.zarr"), NWBZ_EXISTING_ERROR), NWBZ_ENOTFOUND, test_path("no/such"),
                 "does not exist");
    assert_fails(try_create(test_path("file/a.zarr"), NWBZ_EXISTING_ERROR), NWBZ_ENOTFOUND, test_path("file"),
                 "not a folder");
    assert_fails(try_create(test_path("."), NWBZ_EXISTING_OVERWRITE), NWBZ_EINVAL, "name of a folder");
    assert_fails(try_create(test_path(".."), NWBZ_EXISTING_OVERWRITE), NWBZ_EINVAL, "name of a folder");
    assert_fails(try_create("/", NWBZ_EXISTING_OVERWRITE), NWBZ_EINVAL, "name of a folder");
    assert_fails(try_create("", NWBZ_EXISTING_ERROR), NWBZ_EINVAL, "no path");
    assert_fails(try_create(NULL, NWBZ_EXISTING_ERROR), NWBZ_EINVAL, "no path");
    assert_fails(try_create(test_path("a.zarr"), (nwbz_existing)7), NWBZ_EINVAL, "7");
}

static void a_name_that_is_too_long_says_so(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'a', sizeof name);
    name[252] = 0;
    assert_fails(try_create(test_path(name), NWBZ_EXISTING_ERROR), NWBZ_EIO, "too long");
}

static void options_without_their_size_are_refused(void **state)
{
    (void)state;
    nwbz_store *store;
    nwbz_create_options options = { 0 };
    assert_fails(nwbz_store_create(test_path("a.zarr"), &options, &store, &err), NWBZ_EINVAL, "_INIT");
    assert_fails(nwbz_store_create(test_path("a.zarr"), NULL, NULL, &err), NWBZ_EINVAL, "store");
}

/* Root may write everywhere: another user's child tries it. */
static void a_folder_without_the_right_to_write_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(chmod(test_folder, 0555), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        nwbz_store *store;
        if (geteuid() == 0 && setuid(65534) != 0)
            _Exit(2);
        nwbz_code code = nwbz_store_create(test_path("a.zarr"), NULL, &store, &err);
        bool is_right = code == NWBZ_EIO && strstr(err.message, FOLDER) && strstr(err.message, "denied");
        _Exit(is_right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(test_folder, 0755), 0);
    assert_int_equal(status, 0);
    assert_false(is_there(FOLDER));
}

static mode_t mode_of(const char *name)
{
    struct stat st;
    assert_int_equal(lstat(test_path(name), &st), 0);
    return st.st_mode & 07777;
}

static void modes_follow_the_umask(void **state)
{
    (void)state;
    static const mode_t masks[] = { 022, 002, 077 };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        mode_t before = umask(masks[i]);
        nwbz_store *store = create("a.zarr", NWBZ_EXISTING_OVERWRITE, false);
        put(store, "g/c/0", "samples");
        assert_ok(nwbz_store_commit(store, &err));
        put(store, "g/c/1", "in place");
        nwbz_store_close(store);
        umask(before);
        assert_int_equal(mode_of("a.zarr"), 0777 & ~masks[i]);
        assert_int_equal(mode_of("a.zarr/g/c"), 0777 & ~masks[i]);
        assert_int_equal(mode_of("a.zarr/g/c/0"), 0666 & ~masks[i]);
        assert_int_equal(mode_of("a.zarr/g/c/1"), 0666 & ~masks[i]);
        assert_ok(nz_tree_remove(test_path("a.zarr"), &err));
    }
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(every_state_is_recognised_by_every_way_to_begin),
        IN_A_FOLDER(nothing_is_visible_before_commit_and_all_is_after),
        IN_A_FOLDER(a_closed_store_leaves_nothing),
        IN_A_FOLDER(a_kept_store_is_resumed),
        IN_A_FOLDER(a_kept_store_without_a_plan_is_not_resumable_and_goes),
        IN_A_FOLDER(keeping_can_be_decided_at_the_end),
        IN_A_FOLDER(an_overwritten_store_is_there_until_the_new_one_is),
        IN_A_FOLDER(a_whole_destination_is_skipped_or_done),
        IN_A_FOLDER(a_folder_with_a_foreign_entry_is_not_replaced),
        IN_A_FOLDER(an_unfinished_tree_survives_a_refused_overwrite),
        IN_A_FOLDER(a_foreign_entry_that_comes_later_stops_the_commit),
        IN_A_FOLDER(a_destination_that_appears_later_stops_the_commit),
        IN_A_FOLDER(files_and_symlinks_are_never_replaced),
        IN_A_FOLDER(an_empty_folder_is_replaced_only_when_asked),
        IN_A_FOLDER(what_stands_at_the_staging_folders_name_is_left_alone),
        IN_A_FOLDER(foreign_files_in_the_staging_folder_stay),
        IN_A_FOLDER(a_second_run_on_the_same_destination_is_refused),
        IN_A_FOLDER(the_lock_of_an_unlocked_destination_stays_with_the_other_destination),
        IN_A_FOLDER(a_whole_destination_is_skipped_while_it_is_being_replaced),
        IN_A_FOLDER(a_lock_whose_holder_was_killed_is_free),
        IN_A_FOLDER(runs_that_race_for_the_lock_hold_it_one_at_a_time),
        IN_A_FOLDER(a_destination_can_be_written_in_many_ways),
        IN_A_FOLDER(a_relative_destination_stays_where_it_was_after_chdir),
        IN_A_FOLDER(a_destination_without_parent_or_name_is_refused),
        IN_A_FOLDER(a_name_that_is_too_long_says_so),
        IN_A_FOLDER(options_without_their_size_are_refused),
        IN_A_FOLDER(a_folder_without_the_right_to_write_is_an_error),
        IN_A_FOLDER(modes_follow_the_umask),
    };
    return cmocka_run_group_tests_name("store.staging", tests, NULL, NULL);
}
