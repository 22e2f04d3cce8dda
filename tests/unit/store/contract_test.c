/* What every store promises, tried on each: a folder in place, a folder being made, memory. */
#include "fixture.h"

#include "base/thread.h"

typedef struct place {
    const char *name;
    nwbz_store *store;
} place;

static nwbz_error err;

static int open_in_place(void **state)
{
    static place opened = { "in place", NULL };
    if (make_folder(state) != 0)
        return -1;
    put_file("a.zarr/zarr.json", "{}");
    *state = &opened;
    return nwbz_store_open(test_path("a.zarr"), true, &opened.store, &err) == NWBZ_OK ? 0 : -1;
}

static int create_staged(void **state)
{
    static place created = { "staged", NULL };
    if (make_folder(state) != 0)
        return -1;
    *state = &created;
    if (nwbz_store_create(test_path("a.zarr"), NULL, &created.store, &err) != NWBZ_OK)
        return -1;
    return nwbz_store_put(created.store, "zarr.json", "{}", 2, &err) == NWBZ_OK ? 0 : -1;
}

static int make_memory(void **state)
{
    static place made = { "memory", NULL };
    if (make_folder(state) != 0 || nwbz_store_new_memory(&made.store, &err) != NWBZ_OK)
        return -1;
    *state = &made;
    return nwbz_store_put(made.store, "zarr.json", "{}", 2, &err) == NWBZ_OK ? 0 : -1;
}

static int close_place(void **state)
{
    place *at = *state;
    nwbz_store_close(at->store);
    return remove_folder(state);
}

static nwbz_store *store_of(void **state)
{
    return ((place *)*state)->store;
}

static void put(nwbz_store *store, const char *key, const char *text)
{
    assert_ok(nz_store_put(store, key, text, strlen(text), &err));
}

/* ---- Values -------------------------------------------------------------------------- */

static void a_value_is_what_was_put(void **state)
{
    nwbz_store *store = store_of(state);
    put(store, "acquisition/ts/data/c/0/1", "samples");
    assert_value(store, "acquisition/ts/data/c/0/1", "samples");
    put(store, "empty", "");
    assert_value(store, "empty", "");
    assert_true(nz_store_has(store, "empty"));
}

static void a_value_is_replaced(void **state)
{
    nwbz_store *store = store_of(state);
    put(store, "g/zarr.json", "a long first value");
    put(store, "g/zarr.json", "short");
    assert_value(store, "g/zarr.json", "short");
}

static void an_absent_key_is_not_found(void **state)
{
    nwbz_store *store = store_of(state);
    nz_buffer out = NZ_BUFFER_INIT(100);
    uint64_t n_bytes;
    put(store, "g/a", "x");
    const char *const absent[] = { "b", "g", "g/b", "g/a/b", "zarr.json/c" };
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        assert_fails(nz_store_get(store, absent[i], &out, &err), NWBZ_ENOTFOUND, absent[i]);
        assert_fails(store->class->size(store, absent[i], &n_bytes, &err), NWBZ_ENOTFOUND, absent[i]);
        assert_false(nz_store_has(store, absent[i]));
        assert_int_equal(nz_store_get(store, absent[i], &out, NULL), NWBZ_ENOTFOUND);
    }
    nz_buffer_done(&out);
}

static void check_range(nwbz_store *store, uint64_t offset, bool from_end, size_t n, const char *text)
{
    nz_buffer out = NZ_BUFFER_INIT(100);
    assert_ok(nz_buffer_add_text(&out, "what was there before", &err));
    assert_ok(store->class->get(store, "k", offset, from_end, n, &out, &err));
    assert_int_equal(out.n_bytes, strlen(text));
    assert_string_equal(out.bytes, text); /* a NUL follows */
    nz_buffer_done(&out);
}

static void a_range_is_cut_out_of_a_value(void **state)
{
    nwbz_store *store = store_of(state);
    put(store, "k", "0123456789");
    check_range(store, 0, false, SIZE_MAX, "0123456789");
    check_range(store, 2, false, 3, "234");
    check_range(store, 7, false, SIZE_MAX, "789");
    check_range(store, 10, false, SIZE_MAX, "");
    check_range(store, 10, false, 0, "");
    check_range(store, 4, true, 4, "6789");
    check_range(store, 4, true, 2, "67");
    check_range(store, 10, true, SIZE_MAX, "0123456789");
    check_range(store, 0, true, SIZE_MAX, "");
}

static void a_range_past_the_end_is_a_format_error(void **state)
{
    nwbz_store *store = store_of(state);
    nz_buffer out = NZ_BUFFER_INIT(100);
    put(store, "k", "0123456789");
    assert_fails(store->class->get(store, "k", 8, false, 3, &out, &err), NWBZ_EFORMAT, "'k'", "2 of the 3", "from 8");
    assert_fails(store->class->get(store, "k", 11, false, SIZE_MAX, &out, &err), NWBZ_EFORMAT, "10 bytes", "11");
    assert_fails(store->class->get(store, "k", 11, true, SIZE_MAX, &out, &err), NWBZ_EFORMAT, "10 bytes", "11");
    assert_fails(store->class->get(store, "k", 4, true, 5, &out, &err), NWBZ_EFORMAT, "4 of the 5");
    assert_fails(store->class->get(store, "k", UINT64_MAX, false, 5, &out, &err), NWBZ_EFORMAT, "10 bytes");
    assert_fails(store->class->get(store, "k", UINT64_MAX, true, 5, &out, &err), NWBZ_EFORMAT, "10 bytes");
    nz_buffer_done(&out);
}

static void a_value_over_the_buffers_maximum_is_refused(void **state)
{
    nwbz_store *store = store_of(state);
    nz_buffer out = NZ_BUFFER_INIT(5);
    put(store, "k", "0123456789");
    assert_fails(nz_store_get(store, "k", &out, &err), NWBZ_ELIMIT, "5 bytes");
    assert_ok(store->class->get(store, "k", 0, false, 5, &out, &err));
    nz_buffer_done(&out);
}

static void a_size_is_the_number_of_bytes(void **state)
{
    nwbz_store *store = store_of(state);
    uint64_t n_bytes = 0;
    put(store, "k", "0123456789");
    assert_ok(store->class->size(store, "k", &n_bytes, &err));
    assert_int_equal(n_bytes, 10);
}

static void a_large_value_comes_back(void **state)
{
    enum { N = 40 << 20, PART = 7 << 20 };
    nwbz_store *store = store_of(state);
    char *bytes = nz_malloc(N);
    nz_buffer out = NZ_BUFFER_INIT(N);
    nz_writer *writer;
    for (size_t i = 0; i < N; i++)
        bytes[i] = (char)(i * 2654435761u >> 24);
    assert_ok(store->class->writer_open(store, "c/0", &writer, &err));
    for (size_t at = 0; at < N; at += PART)
        assert_ok(store->class->writer_append(writer, bytes + at, N - at < PART ? N - at : PART, &err));
    assert_ok(store->class->writer_commit(writer, &err));
    assert_ok(nz_store_get(store, "c/0", &out, &err));
    assert_int_equal(out.n_bytes, N);
    assert_memory_equal(out.bytes, bytes, N);
    nz_buffer_done(&out);
    nz_free(bytes);
}

/* ---- Writers -------------------------------------------------------------------------- */

static void parts_are_appended_in_order(void **state)
{
    nwbz_store *store = store_of(state);
    nz_writer *writer;
    assert_ok(store->class->writer_open(store, "a/c/0", &writer, &err));
    assert_ok(store->class->writer_append(writer, "one ", 4, &err));
    assert_ok(store->class->writer_append(writer, "", 0, &err));
    assert_ok(store->class->writer_append(writer, "two", 3, &err));
    assert_ok(store->class->writer_commit(writer, &err));
    assert_value(store, "a/c/0", "one two");
}

static void an_aborted_value_is_not_there(void **state)
{
    nwbz_store *store = store_of(state);
    nz_writer *writer;
    assert_ok(store->class->writer_open(store, "a/c/0", &writer, &err));
    assert_ok(store->class->writer_append(writer, "half", 4, &err));
    store->class->writer_abort(writer);
    assert_false(nz_store_has(store, "a/c/0"));
}

/* Writers of one key each, on many threads. */
typedef struct task {
    nwbz_store *store;
    unsigned thread;
    nwbz_code code;
    nwbz_error err;
} task;

enum { N_THREADS = 4, N_KEYS = 200 };

static void *put_many(void *argument)
{
    task *mine = argument;
    nz_buffer out = NZ_BUFFER_INIT(1000);
    for (unsigned i = 0; i < N_KEYS && mine->code == NWBZ_OK; i++) {
        char key[64], text[64];
        snprintf(key, sizeof key, "data/c/%u/%u", i % 20, i / 20 * N_THREADS + mine->thread);
        int n = snprintf(text, sizeof text, "thread %u value %u", mine->thread, i);
        mine->code = nz_store_put(mine->store, key, text, (size_t)n, &mine->err);
        if (mine->code == NWBZ_OK)
            mine->code = nz_store_get(mine->store, key, &out, &mine->err);
        if (mine->code == NWBZ_OK && strcmp(out.bytes, text) != 0)
            mine->code = NWBZ_EFORMAT;
    }
    nz_buffer_done(&out);
    return NULL;
}

static nwbz_code count_name(const char *name, bool is_prefix, void *user, nwbz_error *error)
{
    (void)name, (void)is_prefix, (void)error;
    ++*(unsigned *)user;
    return NWBZ_OK;
}

static void many_threads_write_different_keys(void **state)
{
    nwbz_store *store = store_of(state);
    task tasks[N_THREADS];
    nz_thread threads[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++) {
        tasks[i] = (task){ store, i, NWBZ_OK, NWBZ_ERROR_INIT };
        assert_ok(nz_thread_start(&threads[i], put_many, &tasks[i], &err));
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        nz_thread_join(threads[i]);
    for (unsigned i = 0; i < N_THREADS; i++)
        if (tasks[i].code != NWBZ_OK)
            fail_msg("thread %u: %s: %s", i, nwbz_code_name(tasks[i].code), tasks[i].err.message);
    unsigned n_folders = 0, n_files = 0;
    assert_ok(store->class->list(store, "data/c", count_name, &n_folders, &err));
    assert_ok(store->class->list(store, "data/c/7", count_name, &n_files, &err));
    assert_int_equal(n_folders, 20);
    assert_int_equal(n_files, N_KEYS * N_THREADS / 20);
}

/* ---- Lists, removal ---------------------------------------------------------------------- */

typedef struct names {
    char text[32][32];
    unsigned n, n_most;
    nwbz_store *store;
} names;

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static nwbz_code note_name(const char *name, bool is_prefix, void *user, nwbz_error *error)
{
    names *all = user;
    if (all->n_most && all->n == all->n_most) {
        snprintf(error->message, sizeof error->message, "enough");
        return error->code = NWBZ_ECALLBACK;
    }
    snprintf(all->text[all->n++], sizeof all->text[0], "%s%s", name, is_prefix ? "/" : "");
    if (all->store) /* a callback may use the store */
        assert_true(nz_store_has(all->store, "zarr.json"));
    return NWBZ_OK;
}

static void check_list(nwbz_store *store, const char *prefix, const char *sorted)
{
    names all = { .store = store };
    char joined[32 * 33] = "";
    assert_ok(store->class->list(store, prefix, note_name, &all, &err));
    qsort(all.text, all.n, sizeof all.text[0], by_text);
    for (unsigned i = 0; i < all.n; i++)
        strcat(strcat(joined, i ? " " : ""), all.text[i]);
    assert_string_equal(joined, sorted);
}

static void a_list_has_the_names_directly_below(void **state)
{
    nwbz_store *store = store_of(state);
    const char *const keys[] = { "b/zarr.json", "a/c/0/0", "a/c/0/1", "a/c/10/0", "a/c/1/0",
                                 "a/zarr.json", "a-b/x",   "a.b/x",   "a0",       "aa/y" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        put(store, keys[i], keys[i]);
    check_list(store, "", "a-b/ a.b/ a/ a0 aa/ b/ zarr.json");
    check_list(store, "a", "c/ zarr.json");
    check_list(store, "a/c", "0/ 1/ 10/");
    check_list(store, "a/c/0", "0 1");
}

static void a_list_of_nothing_is_empty(void **state)
{
    nwbz_store *store = store_of(state);
    check_list(store, "nothing", "");
    check_list(store, "nothing/below", "");
    check_list(store, "zarr.json", "");
}

static void a_list_ends_with_the_callbacks_error(void **state)
{
    nwbz_store *store = store_of(state);
    names all = { .n_most = 2 };
    put(store, "x", "");
    put(store, "y", "");
    put(store, "z", "");
    assert_fails(store->class->list(store, "", note_name, &all, &err), NWBZ_ECALLBACK, "enough");
    assert_int_equal(all.n, 2);
}

static void a_removed_key_is_gone_and_others_stay(void **state)
{
    nwbz_store *store = store_of(state);
    char key[32];
    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "c/%u", i * 37 % 100);
        put(store, key, key);
    }
    for (unsigned i = 0; i < 100; i += 3) {
        snprintf(key, sizeof key, "c/%u", i);
        assert_ok(store->class->remove(store, key, &err));
    }
    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "c/%u", i);
        if (i % 3 == 0)
            assert_false(nz_store_has(store, key));
        else
            assert_value(store, key, key);
    }
    assert_ok(store->class->remove(store, "c/0", &err)); /* an absent one is fine */
    assert_ok(store->class->remove(store, "nothing/there", &err));
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static void what_is_no_key_is_refused(void **state)
{
    nwbz_store *store = store_of(state);
    static const char *const wrong[] = { "",
                                         "/",
                                         "/a",
                                         "a/",
                                         "a//b",
                                         ".",
                                         "..",
                                         "a/..",
                                         "../a",
                                         "a/../b",
                                         "a/./b",
                                         "./a",
                                         "a/.nwbz-tmp-0123abcd",
                                         ".nwbz-tmp-x" };
    nz_buffer out = NZ_BUFFER_INIT(100);
    nz_writer *writer;
    uint64_t n_bytes;
    unsigned n = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_fails(nz_store_get(store, wrong[i], &out, &err), NWBZ_EINVAL, "is no key");
        assert_fails(store->class->size(store, wrong[i], &n_bytes, &err), NWBZ_EINVAL, "is no key");
        assert_fails(store->class->writer_open(store, wrong[i], &writer, &err), NWBZ_EINVAL, "is no key");
        assert_null(writer);
        assert_fails(store->class->remove(store, wrong[i], &err), NWBZ_EINVAL, "is no key");
        if (*wrong[i])
            assert_fails(store->class->list(store, wrong[i], count_name, &n, &err), NWBZ_EINVAL, "is no key");
        assert_fails(nwbz_store_put(store, wrong[i], "x", 1, &err), NWBZ_EINVAL, "is no key", store->name);
    }
    assert_int_equal(n, 0);
    nz_buffer_done(&out);
}

static void dots_inside_a_name_are_fine(void **state)
{
    nwbz_store *store = store_of(state);
    static const char *const right[] = { ".specloc", "...", "a..b", "0.1", ".zattrs", "b/..c", "b/ d", "ü" };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        put(store, right[i], right[i]);
        assert_value(store, right[i], right[i]);
    }
}

static void missing_arguments_are_refused(void **state)
{
    nwbz_store *store = store_of(state);
    void *bytes;
    size_t n;
    assert_fails(nwbz_store_get(store, NULL, &bytes, &n, &err), NWBZ_EINVAL, "key");
    assert_fails(nwbz_store_get(NULL, "a", &bytes, &n, &err), NWBZ_EINVAL, "store");
    assert_fails(nwbz_store_put(store, "a", NULL, 1, &err), NWBZ_EINVAL, "bytes");
    assert_fails(nwbz_store_put(NULL, "a", "", 0, &err), NWBZ_EINVAL, "store");
    assert_ok(nwbz_store_put(store, "a", NULL, 0, &err));
    assert_value(store, "a", "");
    nwbz_store_close(NULL);
    nwbz_store_keep_unfinished(NULL, true);
}

/* ---- Records, and what is visible -------------------------------------------------------------- */

static void records_are_put_whole_and_appended_by_lines(void **state)
{
    nwbz_store *store = store_of(state);
    nz_buffer out = NZ_BUFFER_INIT(100);
    if (!store->staged) {
        assert_fails(store->class->record_get(store, "journal", &out, &err), NWBZ_EINVAL, "not being made");
        assert_fails(store->class->record_put(store, "journal", "x", 1, &err), NWBZ_EINVAL, "not being made");
        assert_fails(store->class->record_append(store, "journal", "x", 1, &err), NWBZ_EINVAL, "not being made");
        return;
    }
    assert_fails(store->class->record_get(store, "plan.json", &out, &err), NWBZ_ENOTFOUND, "plan.json");
    assert_fails(store->class->record_get(store, "notes", &out, &err), NWBZ_EINVAL, "notes");
    assert_fails(store->class->record_put(store, "tree/x", "x", 1, &err), NWBZ_EINVAL, "tree/x");
    assert_ok(store->class->record_put(store, "plan.json", "{\"a\": 1}", 8, &err));
    assert_ok(store->class->record_put(store, "plan.json", "{}", 2, &err));
    assert_ok(store->class->record_append(store, "journal", "one\n", 4, &err));
    assert_ok(store->class->record_append(store, "journal", "two\n", 4, &err));
    assert_ok(store->class->record_get(store, "plan.json", &out, &err));
    assert_string_equal(out.bytes, "{}");
    assert_ok(store->class->record_get(store, "journal", &out, &err));
    assert_string_equal(out.bytes, "one\ntwo\n");
    assert_ok(store->class->record_put(store, "journal", "anew\n", 5, &err));
    assert_ok(store->class->record_append(store, "journal", "three\n", 6, &err));
    assert_ok(store->class->record_get(store, "journal", &out, &err));
    assert_string_equal(out.bytes, "anew\nthree\n");
    nz_buffer_done(&out);
    assert_false(nz_store_has(store, "plan.json")); /* no record is a key */
}

static void *append_many(void *argument)
{
    task *mine = argument;
    for (unsigned i = 0; i < N_KEYS && mine->code == NWBZ_OK; i++) {
        char line[64];
        int n = snprintf(line, sizeof line, "%u %u a line of some length\n", mine->thread, i);
        mine->code = mine->store->class->record_append(mine->store, "journal", line, (size_t)n, &mine->err);
    }
    return NULL;
}

static void lines_of_many_threads_do_not_mix(void **state)
{
    nwbz_store *store = store_of(state);
    task tasks[N_THREADS];
    nz_thread threads[N_THREADS];
    nz_buffer out = NZ_BUFFER_INIT(1 << 20);
    if (!store->staged)
        return;
    for (unsigned i = 0; i < N_THREADS; i++) {
        tasks[i] = (task){ store, i, NWBZ_OK, NWBZ_ERROR_INIT };
        assert_ok(nz_thread_start(&threads[i], append_many, &tasks[i], &err));
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        nz_thread_join(threads[i]);
    assert_ok(store->class->record_get(store, "journal", &out, &err));
    unsigned next[N_THREADS] = { 0 }, n_lines = 0;
    for (const char *line = out.bytes; *line; line = strchr(line, '\n') + 1, n_lines++) {
        unsigned thread, i;
        int n = 0;
        assert_int_equal(sscanf(line, "%u %u a line of some length%n", &thread, &i, &n), 2);
        assert_int_equal(line[n], '\n');
        assert_int_equal(i, next[thread]++);
    }
    assert_int_equal(n_lines, N_THREADS * N_KEYS);
    nz_buffer_done(&out);
}

static void a_committed_store_goes_on_and_keeps_its_values(void **state)
{
    nwbz_store *store = store_of(state);
    nz_buffer out = NZ_BUFFER_INIT(100);
    put(store, "a/zarr.json", "document");
    assert_ok(nwbz_store_commit(store, &err));
    assert_false(store->staged);
    assert_value(store, "a/zarr.json", "document");
    put(store, "a/c/0", "later");
    put(store, "a/zarr.json", "changed");
    assert_value(store, "a/c/0", "later");
    assert_value(store, "a/zarr.json", "changed");
    assert_fails(store->class->record_get(store, "journal", &out, &err), NWBZ_EINVAL, "not being made");
    assert_ok(nwbz_store_commit(store, &err)); /* twice is fine */
    nz_buffer_done(&out);
}

#define ON_EACH_STORE(test)                                                                                            \
    cmocka_unit_test_setup_teardown(test, open_in_place, close_place),                                                 \
        cmocka_unit_test_setup_teardown(test, create_staged, close_place),                                             \
        cmocka_unit_test_setup_teardown(test, make_memory, close_place)

static void a_store_says_where_its_tree_lies_now(void **state)
{
    place *at = *state;
    const char *path = nwbz_store_path(at->store);
    if (strcmp(at->name, "memory") == 0) {
        assert_null(path);
        return;
    }
    assert_string_equal(path, strcmp(at->name, "staged") == 0 ? test_path(".a.zarr.nwbz/tree") : test_path("a.zarr"));
    assert_ok(nwbz_store_commit(at->store, &err));
    assert_string_equal(nwbz_store_path(at->store), test_path("a.zarr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_STORE(a_value_is_what_was_put),
        ON_EACH_STORE(a_value_is_replaced),
        ON_EACH_STORE(an_absent_key_is_not_found),
        ON_EACH_STORE(a_range_is_cut_out_of_a_value),
        ON_EACH_STORE(a_range_past_the_end_is_a_format_error),
        ON_EACH_STORE(a_value_over_the_buffers_maximum_is_refused),
        ON_EACH_STORE(a_size_is_the_number_of_bytes),
        ON_EACH_STORE(a_large_value_comes_back),
        ON_EACH_STORE(parts_are_appended_in_order),
        ON_EACH_STORE(an_aborted_value_is_not_there),
        ON_EACH_STORE(many_threads_write_different_keys),
        ON_EACH_STORE(a_list_has_the_names_directly_below),
        ON_EACH_STORE(a_list_of_nothing_is_empty),
        ON_EACH_STORE(a_list_ends_with_the_callbacks_error),
        ON_EACH_STORE(a_removed_key_is_gone_and_others_stay),
        ON_EACH_STORE(what_is_no_key_is_refused),
        ON_EACH_STORE(dots_inside_a_name_are_fine),
        ON_EACH_STORE(missing_arguments_are_refused),
        ON_EACH_STORE(records_are_put_whole_and_appended_by_lines),
        ON_EACH_STORE(lines_of_many_threads_do_not_mix),
        ON_EACH_STORE(a_committed_store_goes_on_and_keeps_its_values),
        ON_EACH_STORE(a_store_says_where_its_tree_lies_now),
    };
    return cmocka_run_group_tests_name("store.contract", tests, NULL, NULL);
}
