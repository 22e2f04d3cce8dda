/* Groups, consolidated metadata and listing. */
#include "fixture.h"

#include "zarr/documents.h"

#include <time.h>

static void a_group_gets_attributes_and_parents(void **state)
{
    nwbz_store *store = memory_store();
    (void)state;
    OK(nwbz_group_create(store, "/a/b", "{\"x\": 1}", &failed));
    char *text = text_of(store, "a/b/zarr.json");
    assert_json_is(json_of(text), "{'attributes': {'x': 1}, 'zarr_format': 3, 'node_type': 'group'}");
    nwbz_free(text);
    OK(nwbz_group_create(store, "/a/b", NULL, &failed)); /* stays as it is */
    text = text_of(store, "a/b/zarr.json");
    assert_non_null(strstr(text, "\"x\""));
    nwbz_free(text);
    OK(nwbz_group_create(store, "/a/b", "{\"y\": 2}", &failed));
    text = text_of(store, "a/b/zarr.json");
    assert_null(strstr(text, "\"x\""));
    nwbz_free(text);
    text = text_of(store, "zarr.json");
    assert_json_is(json_of(text), "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group'}");
    nwbz_free(text);
    REFUSED(NWBZ_EINVAL, "object", nwbz_group_create(store, "/c", "3", &failed));
    REFUSED(NWBZ_EINVAL, "empty", nwbz_group_create(store, "/c//d", NULL, &failed));
    assert_false(nz_store_has(store, "c/zarr.json"));
    nwbz_store_close(store);
}

#define GROUP       "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group'}"
#define EMPTY_COPY  "'consolidated_metadata': {'kind': 'inline', 'must_understand': false, 'metadata': {}}"
#define GROUP_ENTRY "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group', " EMPTY_COPY "}"
#define ARRAY                                                                                                          \
    "{'shape': [4], 'data_type': 'uint8', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': [2]}}, "  \
    "'chunk_key_encoding': "                                                                                           \
    "{'name': 'default', 'configuration': {'separator': '/'}}, 'fill_value': 0, 'codecs': [{'name': 'bytes'}], "       \
    "'attributes': {'k': 1}, "                                                                                         \
    "'zarr_format': 3, 'node_type': 'array', 'storage_transformers': []}"

static void documents_are_written_and_copied_by_depth_then_bytes(void **state)
{
    nwbz_store *store = memory_store();
    nz_documents *documents = NULL;
    static const char *const keys[] = { "b/a", "", "b", "Z", "b/a/c", "a", "b!" };
    (void)state;
    OK(nz_documents_new(&documents, &failed));
    for (size_t i = 0; i < 7; i++)
        OK(nz_documents_add(documents, keys[i],
                            json_of(i == 4   ? ARRAY
                                    : i == 1 ? "{'attributes': {'r': 1}, 'zarr_format': 3, 'node_type': 'group'}"
                                             : GROUP),
                            &failed));
    OK(nz_documents_put(documents, store, &failed));
    char *text = text_of(store, "zarr.json");
    assert_json_is(json_of(text), "{'attributes': {'r': 1}, 'zarr_format': 3, 'node_type': 'group', "
                                  "'consolidated_metadata': {'kind': 'inline', 'must_understand': false, "
                                  "'metadata': {'Z': " GROUP_ENTRY ", 'a': " GROUP_ENTRY ", 'b': " GROUP_ENTRY
                                  ", 'b!': " GROUP_ENTRY ", 'b/a': " GROUP_ENTRY ", 'b/a/c': " ARRAY "}}}");
    nwbz_free(text);
    text = text_of(store, "b/a/zarr.json");
    assert_json_is(json_of(text), GROUP);
    nwbz_free(text);
    nz_documents_free(documents);
    nz_documents_free(NULL);
    nwbz_store_close(store);
}

static void a_tree_without_a_root_or_with_a_twin_is_refused(void **state)
{
    nwbz_store *store = memory_store();
    nz_documents *documents = NULL;
    (void)state;
    OK(nz_documents_new(&documents, &failed));
    REFUSED(NWBZ_EINVAL, "no root", nz_documents_put(documents, store, &failed));
    OK(nz_documents_add(documents, "a", json_of(GROUP), &failed));
    REFUSED(NWBZ_EINVAL, "no root", nz_documents_put(documents, store, &failed));
    OK(nz_documents_add(documents, "", json_of(GROUP), &failed));
    OK(nz_documents_add(documents, "a", json_of(GROUP), &failed));
    REFUSED(NWBZ_EEXIST, "'/a'", nz_documents_put(documents, store, &failed));
    nz_documents_free(documents);
    nwbz_store_close(store);
}

static void consolidating_again_takes_the_documents_as_they_are(void **state)
{
    nwbz_store *store = memory_store();
    (void)state;
    put_text(store, "zarr.json",
             "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group', 'consolidated_metadata': {'kind': 'inline', "
             "'must_understand': false, 'metadata': {'gone': " GROUP "}}}");
    put_text(store, "a/zarr.json", ARRAY);
    put_text(store, "a/c/0", "xx");
    put_text(store, "a/c/zarr.json", GROUP); /* below an array: not a node */
    put_text(store, "g/zarr.json",
             "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group', 'consolidated_metadata': null}");
    put_text(store, "stray/b/zarr.json", GROUP); /* its parent is no group */
    OK(nwbz_consolidate(store, &failed));
    char *text = text_of(store, "zarr.json");
    assert_json_is(
        json_of(text),
        "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group', 'consolidated_metadata': {'kind': 'inline', "
        "'must_understand': false, 'metadata': {'a': " ARRAY ", 'g': " GROUP_ENTRY "}}}");
    nwbz_free(text);
    nwbz_store_close(store);

    store = memory_store();
    put_text(store, "zarr.json", ARRAY);
    REFUSED(NWBZ_EINVAL, "the root is an array", nwbz_consolidate(store, &failed));
    nwbz_store_close(store);
}

/* ---- listing ---- */

static int add_path(const nwbz_entry *entry, void *user)
{
    char *out = user;
    strcat(out, entry->path);
    strcat(out, entry->is_array ? entry->unsupported ? "? " : "* " : " ");
    return 0;
}

static void check_list(nwbz_store *store, const char *path, uint32_t depth, const char *expected)
{
    char got[1000] = "";
    OK(nwbz_list(store, path, depth, add_path, got, &failed));
    assert_string_equal(got, expected);
}

static nwbz_store *small_tree(void)
{
    nwbz_store *store = memory_store();
    put_text(store, "zarr.json", GROUP);
    put_text(store, "a/zarr.json", GROUP);
    put_text(store, "a/b/zarr.json", GROUP);
    put_text(store, "a/b/x/zarr.json", ARRAY);
    put_text(store, "a/b/x/c/0", "xx");
    put_text(store, "a/y/zarr.json", "{'zarr_format': 3, 'node_type': 'array', 'shape': [3], 'data_type': 'int7'}");
    put_text(store, "a!/zarr.json", GROUP);
    put_text(store, "B/zarr.json", GROUP);
    return store;
}

static void the_tree_is_shown_in_the_order_of_paths(void **state)
{
    nwbz_store *store = small_tree();
    (void)state;
    for (int consolidated = 0; consolidated < 2; consolidated++) {
        check_list(store, "/", UINT32_MAX, "/ /B /a /a/b /a/b/x* /a/y? /a! ");
        check_list(store, "/", 0, "/ ");
        check_list(store, "/", 1, "/ /B /a /a! ");
        check_list(store, "/a", UINT32_MAX, "/a /a/b /a/b/x* /a/y? ");
        check_list(store, "/a", 1, "/a /a/b /a/y? ");
        check_list(store, "/a/b/x", 5, "/a/b/x* ");
        EXPECT(NWBZ_ENOTFOUND, nwbz_list(store, "/a/z", 1, add_path, (char[100]){ 0 }, &failed));
        EXPECT(NWBZ_EINVAL, nwbz_list(store, "/a/../B", 1, add_path, NULL, &failed));
        OK(nwbz_consolidate(store, &failed));
    }
    put_text(store, "new/zarr.json", GROUP); /* the copy does not know it, and yet it is found */
    check_list(store, "/new", 1, "/new ");
    nwbz_store_close(store);
}

static int check_unsupported(const nwbz_entry *entry, void *user)
{
    if (strcmp(entry->path, "/a/y") != 0)
        return 0;
    ++*(int *)user;
    assert_non_null(strstr(entry->unsupported, "int7"));
    assert_int_equal(entry->array.n_dims, 1);
    assert_int_equal(entry->array.shape[0], 3);
    assert_int_equal(entry->array.chunk_shape[0], 2);
    assert_int_equal(entry->array.type, NWBZ_TYPE_NONE);
    assert_string_equal(entry->attributes_json, "{}");
    return 0;
}

static void an_array_that_cannot_be_read_is_listed_with_the_reason(void **state)
{
    nwbz_store *store = small_tree();
    int n = 0;
    (void)state;
    put_text(
        store, "a/y/zarr.json",
        "{'zarr_format': 3, 'node_type': 'array', 'shape': [3], 'data_type': 'int7', 'chunk_grid': {'name': 'regular', "
        "'configuration': {'chunk_shape': [2]}}, 'chunk_key_encoding': 'default', 'fill_value': 0, 'codecs': "
        "['bytes']}");
    put_text(store, "a/z/zarr.json", "{'zarr_format': 3, 'node_type': 'array', 'shape': -1}");
    char got[1000] = "";
    OK(nwbz_list(store, "/a", 1, add_path, got, &failed));
    assert_string_equal(got, "/a /a/b /a/y? /a/z? ");
    OK(nwbz_list(store, "/", 9, check_unsupported, &n, &failed));
    assert_int_equal(n, 1);
    nwbz_store_close(store);
}

static int stop(const nwbz_entry *entry, void *user)
{
    (void)entry;
    return ++*(int *)user == 2;
}

static void a_callback_can_stop_the_listing(void **state)
{
    nwbz_store *store = small_tree();
    int n = 0;
    (void)state;
    EXPECT(NWBZ_ECANCELED, nwbz_list(store, "/", UINT32_MAX, stop, &n, &failed));
    assert_int_equal(n, 2);
    nwbz_store_close(store);
}

static void a_copy_that_leads_out_of_the_store_is_refused(void **state)
{
    static const char *const bad[] = { "../x", "/a", "a/../b", "", "a//b" };
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        nwbz_store *store = memory_store();
        char text[400];
        snprintf(text, sizeof text,
                 "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group', 'consolidated_metadata': {'kind': "
                 "'inline', 'metadata': {'%s': " GROUP "}}}",
                 bad[i]);
        put_text(store, "zarr.json", text);
        REFUSED(NWBZ_EFORMAT, "consolidated", nwbz_list(store, "/", 9, add_path, (char[200]){ 0 }, &failed));
        nwbz_store_close(store);
    }
}

static void a_copy_of_another_kind_is_left_alone(void **state)
{
    static const char *const others[] = { "null", "3", "{'kind': 'external', 'must_understand': false}",
                                          "{'kind': 'inline', 'metadata': []}" };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        nwbz_store *store = memory_store();
        char text[400];
        snprintf(text, sizeof text,
                 "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group', 'consolidated_metadata': %s}", others[i]);
        put_text(store, "zarr.json", text);
        put_text(store, "a/zarr.json", GROUP);
        check_list(store, "/", 9, "/ /a ");
        nwbz_store_close(store);
    }
}

static void stored_objects_are_counted_by_their_keys(void **state)
{
    static const struct {
        const char *keys, *first, *others[6];
    } cases[] = {
        { "{'name': 'default', 'configuration': {'separator': '/'}}",
          "a/c/0/0",
          { "a/c/1/2", "a/c/2/0", "a/c/0/3", "a/c/00/0", "a/c/x/0", "a/c/0/0.tmp" } },
        { "{'name': 'default', 'configuration': {'separator': '.'}}",
          "a/c.0.0",
          { "a/c.1.2", "a/c.2.0", "a/c.0.3", "a/c.0", "a/c.0.0.0", "a/d.0.0" } },
        { "{'name': 'v2', 'configuration': {'separator': '.'}}",
          "a/0.0",
          { "a/1.2", "a/2.0", "a/0.3", "a/0", "a/0.0.0", "a/.0.0" } },
        { "{'name': 'v2', 'configuration': {'separator': '/'}}",
          "a/0/0",
          { "a/1/2", "a/2/0", "a/0/3", "a/0.0", "a/0/0.0", "a/1/01" } },
    };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = NULL;
        char text[600];
        uint64_t n_objects = 9, n_bytes = 9;
        snprintf(text, sizeof text,
                 "{'zarr_format': 3, 'node_type': 'array', 'shape': [4, 6], 'data_type': 'uint8', 'chunk_grid': "
                 "{'name': 'regular', "
                 "'configuration': {'chunk_shape': [2, 2]}}, 'chunk_key_encoding': %s, 'fill_value': 0, 'codecs': "
                 "['bytes']}",
                 cases[i].keys);
        put_text(store, "a/zarr.json", text);
        OK(nwbz_array_open(store, "/a", &array, &failed));
        OK(nwbz_array_stored(array, &n_objects, &n_bytes, &failed));
        assert_int_equal(n_objects, 0);
        put_text(store, cases[i].first, "four");
        for (size_t j = 0; j < 6; j++)
            put_text(store, cases[i].others[j], "eleven more");
        OK(nwbz_array_stored(array, &n_objects, &n_bytes, &failed));
        assert_int_equal(n_objects, 2); /* and no key outside the grid */
        assert_int_equal(n_bytes, 4 + 11);
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void many_nodes_take_linear_time(void **state)
{
    clock_t took[2] = { 0, 0 }; /* of the processor: other programs do not count */
    (void)state;
    for (int large = 0; large < 2; large++) {
        const int n = large ? 20000 : 5000;
        nwbz_store *store = memory_store();
        nz_documents *documents = NULL;
        OK(nz_documents_new(&documents, &failed));
        nz_json *group = json_of(GROUP), *array = json_of(ARRAY);
        OK(nz_documents_add(documents, "", nz_json_share(group), &failed));
        clock_t start = clock();
        for (int i = 0; i < n; i++) {
            char key[64];
            snprintf(key, sizeof key, "group%03d%s%d", i % 200, i < 200 ? "" : "/node", i < 200 ? 0 : i);
            if (i < 200)
                key[8] = 0;
            OK(nz_documents_add(documents, key, nz_json_share(i < 200 ? group : array), &failed));
        }
        OK(nz_documents_put(documents, store, &failed));
        int count = 1 << 30;
        EXPECT(NWBZ_OK, nwbz_list(store, "/", UINT32_MAX, stop, &count, &failed));
        assert_int_equal(count, (1 << 30) + n + 1);
        took[large] = clock() - start;
        nz_json_free(group);
        nz_json_free(array);
        nz_documents_free(documents);
        nwbz_store_close(store);
    }
    assert_true(took[1] < took[0] * 12); /* four times the nodes; quadratic would be sixteen times */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_gets_attributes_and_parents),
        cmocka_unit_test(documents_are_written_and_copied_by_depth_then_bytes),
        cmocka_unit_test(a_tree_without_a_root_or_with_a_twin_is_refused),
        cmocka_unit_test(consolidating_again_takes_the_documents_as_they_are),
        cmocka_unit_test(the_tree_is_shown_in_the_order_of_paths),
        cmocka_unit_test(an_array_that_cannot_be_read_is_listed_with_the_reason),
        cmocka_unit_test(a_callback_can_stop_the_listing),
        cmocka_unit_test(a_copy_that_leads_out_of_the_store_is_refused),
        cmocka_unit_test(a_copy_of_another_kind_is_left_alone),
        cmocka_unit_test(stored_objects_are_counted_by_their_keys),
        cmocka_unit_test(many_nodes_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
