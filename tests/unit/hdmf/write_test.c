/* A tree put into a store in memory: its documents, word by word, and its values. */
#include "support/test.h"

#include "base/memory.h"
#include "hdmf/write.h"
#include "zarr/array.h"

#include <string.h>

#define CODECS_TEXT                                                                                                    \
    "[{\"name\": \"vlen-utf8\", \"configuration\": {}}, {\"name\": \"zstd\", \"configuration\": {\"level\": 0, "       \
    "\"checksum\": false}}]"
#define CODECS_NUMBERS                                                                                                 \
    "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"zstd\", \"configuration\": "    \
    "{\"level\": 0, \"checksum\": false}}]"

typedef struct nz_fixture {
    nz_node *root;
    nwbz_store *store;
    nz_specs *specs;
} nz_fixture;

static nz_fixture begin(void)
{
    nz_fixture f = { NULL, NULL, NULL };
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_node_new_root(&f.root, &err), &err);
    assert_ok(nwbz_store_new_memory(&f.store, &err), &err);
    assert_ok(nz_specs_new(&f.specs, &err), &err);
    return f;
}

static void put(nz_fixture *f)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdmf_put_options options = { .store = f->store, .specs = f->specs };
    assert_ok(nz_hdmf_put_tree(f->root, &options, &err), &err);
}

static void done(nz_fixture *f)
{
    nz_node_free(f->root);
    nwbz_store_close(f->store);
    nz_specs_free(f->specs);
}

/* Check that a key's value, reformatted, is this JSON. */
static void check_document(nz_fixture *f, const char *key, const char *expected)
{
    void *bytes = NULL;
    size_t n = 0;
    nz_json *json = NULL;
    char *text = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nwbz_store_get(f->store, key, &bytes, &n, &err), &err);
    assert_ok(nz_json_parse(bytes, n, &json, &err), &err);
    assert_ok(nz_json_text_of(json, &text, &err), &err);
    assert_string_equal(text, expected);
    nz_free(text);
    nz_json_free(json);
    nwbz_free(bytes);
}

static void a_group_has_its_links_first_sorted_by_name(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *group = NULL;
    assert_ok(nz_node_add_group(f.root, "g", &group, &err), &err);
    assert_ok(nz_node_add_text(group, "description", "d", &err), &err);
    assert_ok(nz_node_add_link(group, "z", "/x", &err), &err);
    assert_ok(nz_node_add_link(group, "a", "/y/w", &err), &err);
    put(&f);
    check_document(&f, "g/zarr.json",
                   "{\"attributes\": {\"_LINKS\": [{\"source\": \".\", \"path\": \"/y/w\", \"name\": \"a\"}, "
                   "{\"source\": \".\", \"path\": \"/x\", "
                   "\"name\": \"z\"}], \"description\": \"d\"}, \"zarr_format\": 3, \"node_type\": \"group\"}");
    done(&f);
}

static void a_scalar_text_is_an_array_of_no_axes(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value = NZ_VALUE_INIT;
    assert_ok(nz_value_set_text(&value, "id", &err), &err);
    assert_ok(nz_node_add_dataset(f.root, "identifier", &value, NULL, &err), &err);
    put(&f);
    check_document(&f, "identifier/zarr.json",
                   "{\"shape\": [], \"data_type\": \"string\", \"chunk_grid\": {\"name\": \"regular\", "
                   "\"configuration\": {\"chunk_shape\": []}}, "
                   "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}, "
                   "\"fill_value\": \"\", \"codecs\": " CODECS_TEXT
                   ", \"attributes\": {\"_DTYPE\": \"str\"}, \"zarr_format\": 3, \"node_type\": \"array\", "
                   "\"storage_transformers\": []}");
    done(&f);
}

static void numbers_have_their_attributes_between_dtype_and_dimensions(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value = NZ_VALUE_INIT;
    nz_node *node = NULL, *series = NULL;
    assert_ok(nz_specs_add_builtin(f.specs, &err), &err);
    assert_ok(nz_node_add_group(f.root, "ts", &series, &err), &err);
    assert_ok(nz_node_add_text(series, "namespace", "core", &err), &err);
    assert_ok(nz_node_add_text(series, "neurodata_type", "TimeSeries", &err), &err);
    assert_ok(nz_value_set(&value, NWBZ_FLOAT64, 1, (uint64_t[]){ 3 }, (double[]){ 1.0, 2.5, -3.0 }, &err), &err);
    assert_ok(nz_node_add_dataset(series, "timestamps", &value, &node, &err), &err);
    assert_ok(nz_node_add_text(node, "unit", "seconds", &err), &err);
    put(&f);
    check_document(&f, "ts/timestamps/zarr.json",
                   "{\"shape\": [3], \"data_type\": \"float64\", \"chunk_grid\": {\"name\": \"regular\", "
                   "\"configuration\": {\"chunk_shape\": [3]}}, "
                   "\"chunk_key_encoding\": {\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}, "
                   "\"fill_value\": 0.0, \"codecs\": " CODECS_NUMBERS
                   ", \"attributes\": {\"_DTYPE\": \"float64\", \"unit\": \"seconds\", \"_ARRAY_DIMENSIONS\": "
                   "[\"num_times\"]}, \"zarr_format\": 3, "
                   "\"node_type\": \"array\", \"storage_transformers\": []}");
    nwbz_array *array = NULL;
    double read[3];
    assert_ok(nwbz_array_open(f.store, "/ts/timestamps", &array, &err), &err);
    assert_ok(nwbz_array_read(array, (uint64_t[]){ 0 }, (uint64_t[]){ 3 }, read, sizeof read, NULL, &err), &err);
    assert_memory_equal(read, ((double[]){ 1.0, 2.5, -3.0 }), sizeof read);
    nwbz_array_close(array);
    done(&f);
}

static void a_value_of_several_chunks_is_read_as_it_was(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value = NZ_VALUE_INIT;
    nwbz_array *array = NULL;
    nwbz_array_info info;
    uint64_t shape[2] = { 301, 257 };
    size_t n = 301 * 257, bytes = n * sizeof(int64_t);
    int64_t *numbers = nz_calloc(n, sizeof *numbers), *read = nz_calloc(n, sizeof *read);
    for (size_t i = 0; i < n; i++)
        numbers[i] = (int64_t)(i * i);
    assert_ok(nz_value_set(&value, NWBZ_INT64, 2, shape, numbers, &err), &err);
    assert_ok(nz_node_add_dataset(f.root, "d", &value, NULL, &err), &err);
    put(&f);
    assert_ok(nwbz_array_open(f.store, "/d", &array, &err), &err);
    nwbz_array_get_info(array, &info);
    assert_true(info.chunk_shape[0] < 301 && 301 % info.chunk_shape[0] != 0); /* the last chunk is a short one */
    assert_ok(nwbz_array_read(array, (uint64_t[]){ 0, 0 }, shape, read, bytes, NULL, &err), &err);
    assert_memory_equal(read, numbers, bytes);
    nwbz_array_close(array);
    nz_free(numbers);
    nz_free(read);
    done(&f);
}

static void references_are_paths_and_the_root_an_object_in_text(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value = NZ_VALUE_INIT;
    nwbz_array *array = NULL;
    nwbz_string *texts = NULL;
    assert_ok(nz_value_set_texts(&value, (const char *const[]){ "/a/b", "/", "" }, 3, &err), &err);
    value.is_reference = true;
    assert_ok(nz_node_add_dataset(f.root, "r", &value, NULL, &err), &err);
    assert_ok(nz_value_set_reference(&value, "", &err), &err);
    assert_ok(nz_node_add_dataset(f.root, "none", &value, NULL, &err), &err);
    put(&f);
    assert_ok(nwbz_array_open(f.store, "/r", &array, &err), &err);
    nwbz_array_info info;
    nwbz_array_get_info(array, &info);
    assert_string_equal(info.attributes_json, "{\"_DTYPE\": \"object_reference\"}");
    assert_ok(nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 3 }, &texts, &err), &err);
    assert_int_equal(texts[0].n_bytes, 4);
    assert_memory_equal(texts[0].bytes, "/a/b", 4);
    assert_int_equal(texts[1].n_bytes, 15);
    assert_memory_equal(texts[1].bytes, "{\"source\": \".\"}", 15);
    assert_int_equal(texts[2].n_bytes, 0);
    nwbz_free(texts);
    nwbz_array_close(array);
    assert_ok(nwbz_array_open(f.store, "/none", &array, &err), &err);
    nwbz_array_get_info(array, &info);
    assert_string_equal(info.attributes_json, "{\"_DTYPE\": \"str\"}");
    nwbz_array_close(array);
    done(&f);
}

static void the_root_holds_a_copy_of_every_document_by_depth(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *b = NULL;
    assert_ok(nz_node_add_group(f.root, "b", &b, &err), &err);
    assert_ok(nz_node_add_group(b, "c", NULL, &err), &err);
    assert_ok(nz_node_add_group(f.root, "a", NULL, &err), &err);
    put(&f);
    check_document(&f, "zarr.json",
                   "{\"attributes\": {}, \"zarr_format\": 3, \"node_type\": \"group\", \"consolidated_metadata\": "
                   "{\"kind\": \"inline\", "
                   "\"must_understand\": false, \"metadata\": {"
                   "\"a\": {\"attributes\": {}, \"zarr_format\": 3, \"node_type\": \"group\", "
                   "\"consolidated_metadata\": {\"kind\": \"inline\", "
                   "\"must_understand\": false, \"metadata\": {}}}, "
                   "\"b\": {\"attributes\": {}, \"zarr_format\": 3, \"node_type\": \"group\", "
                   "\"consolidated_metadata\": {\"kind\": \"inline\", "
                   "\"must_understand\": false, \"metadata\": {}}}, "
                   "\"b/c\": {\"attributes\": {}, \"zarr_format\": 3, \"node_type\": \"group\", "
                   "\"consolidated_metadata\": {\"kind\": \"inline\", "
                   "\"must_understand\": false, \"metadata\": {}}}}}}");
    done(&f);
}

static void samples_get_their_array_before_and_their_document_after(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_node *node = NULL;
    nz_layout layout = { .chunk_shape = { 4, 2 }, .shard_shape = { 8, 2 }, .codec = "none" };
    assert_ok(nz_node_add_samples(f.root, "data", NWBZ_INT16, 2, (uint64_t[]){ NWBZ_UNKNOWN_LENGTH, 2 }, &node, &err),
              &err);
    node->user = &layout;
    assert_ok(nz_hdmf_make_arrays(f.root, f.store, f.specs, &err), &err);
    assert_int_equal(layout.array->meta.shape[0], 0);
    layout.array->meta.shape[0] = 9;
    put(&f);
    nwbz_array *array = NULL;
    nwbz_array_info info;
    assert_ok(nwbz_array_open(f.store, "/data", &array, &err), &err);
    nwbz_array_get_info(array, &info);
    assert_int_equal(info.shape[0], 9);
    assert_int_equal(info.chunk_shape[0], 4);
    assert_int_equal(info.shard_shape[0], 8);
    assert_string_equal(info.attributes_json, "{\"_DTYPE\": \"int16\"}");
    nwbz_array_close(array);
    nwbz_array_close(layout.array);
    done(&f);
}

static void the_specifications_are_there_and_the_root_says_where(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array *array = NULL;
    nwbz_string *text = NULL;
    assert_ok(nz_hdmf_add_specifications(f.root, &err), &err);
    put(&f);
    assert_ok(nwbz_array_open(f.store, "/specifications/core/2.11.0/namespace", &array, &err), &err);
    assert_ok(nwbz_array_read_strings(array, NULL, NULL, &text, &err), &err);
    nz_json *json = NULL;
    assert_ok(nz_json_parse(text->bytes, (size_t)text->n_bytes, &json, &err), &err);
    assert_string_equal(nz_json_get_text(nz_json_at(nz_json_get(json, "namespaces"), 0), "name"), "core");
    nz_json_free(json);
    nwbz_free(text);
    nwbz_array_close(array);
    const nz_attribute *location = nz_node_attribute(f.root, ".specloc");
    assert_non_null(location);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_has_its_links_first_sorted_by_name),
        cmocka_unit_test(a_scalar_text_is_an_array_of_no_axes),
        cmocka_unit_test(numbers_have_their_attributes_between_dtype_and_dimensions),
        cmocka_unit_test(a_value_of_several_chunks_is_read_as_it_was),
        cmocka_unit_test(references_are_paths_and_the_root_an_object_in_text),
        cmocka_unit_test(the_root_holds_a_copy_of_every_document_by_depth),
        cmocka_unit_test(samples_get_their_array_before_and_their_document_after),
        cmocka_unit_test(the_specifications_are_there_and_the_root_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
