/* A tree put into a store in memory: its documents, word by word, and its values. */
#include "support/test.h"

#include "base/memory.h"
#include "hdmf/write.h"
#include "store/store.h"
#include "zarr/array.h"

#include <stdio.h>
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

/* ---- Options ------------------------------------------------------------------------------ */

static void add_value(nz_node *group, const char *name, nz_value *value)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_node_add_dataset(group, name, value, NULL, &err), &err);
}

/* Chunks of two, four of them in a shard, for what is named "sharded"; the default for the rest. */
static nwbz_code array_for_value(const nz_node *node, void *user, nwbz_array **array, nwbz_error *err)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    if (strncmp(node->name, "sharded", 7) != 0)
        return NWBZ_OK;
    options.type = node->type;
    options.n_dims = 1;
    options.shape = node->shape;
    options.chunk_shape = (const uint64_t[]){ 2 };
    options.shard_shape = (const uint64_t[]){ 8 };
    options.codec = "gzip:1";
    char *path = nz_node_path(node);
    nwbz_code code = nz_array_new(user, path, &options, array, err);
    nz_free(path);
    return code;
}

static void the_caller_may_choose_the_layout_of_values(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    nwbz_array *array = NULL;
    nwbz_array_info info;
    nwbz_string *texts = NULL;
    int32_t read[9];
    const int32_t numbers[9] = { 1, 2, 0, 0, 5, 6, 7, 8, 9 };
    assert_ok(nz_value_set(&value, NWBZ_INT32, 1, (uint64_t[]){ 9 }, numbers, &err), &err);
    add_value(f.root, "sharded", &value);
    assert_ok(nz_value_set_texts(&value, (const char *const[]){ "a", "", "c" }, 3, &err), &err);
    add_value(f.root, "sharded text", &value);
    assert_ok(nz_value_set_int(&value, 5, &err), &err);
    add_value(f.root, "default", &value);
    nz_hdmf_put_options options = {
        .store = f.store, .specs = f.specs, .array_for_value = array_for_value, .user = f.store
    };
    assert_ok(nz_hdmf_put_tree(f.root, &options, &err), &err);
    assert_ok(nwbz_array_open(f.store, "/sharded", &array, &err), &err);
    nwbz_array_get_info(array, &info);
    assert_true(info.chunk_shape[0] == 2 && info.shard_shape[0] == 8);
    assert_string_equal(info.codec, "gzip:1");
    assert_string_equal(info.attributes_json, "{\"_DTYPE\": \"int32\"}");
    assert_ok(nwbz_array_read(array, (uint64_t[]){ 0 }, (uint64_t[]){ 9 }, read, sizeof read, NULL, &err), &err);
    assert_memory_equal(read, numbers, sizeof read);
    nwbz_array_close(array);
    assert_ok(nwbz_array_open(f.store, "/sharded text", &array, &err), &err);
    assert_ok(nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 3 }, &texts, &err), &err);
    assert_true(texts[0].n_bytes == 1 && texts[1].n_bytes == 0 && texts[2].bytes[0] == 'c');
    nwbz_free(texts);
    nwbz_array_close(array);
    assert_ok(nwbz_array_open(f.store, "/default", &array, &err), &err);
    nwbz_array_get_info(array, &info);
    assert_string_equal(info.codec, "zstd:0");
    nwbz_array_close(array);
    done(&f);
}

static nwbz_array *the_array(const nz_node *node, void *user)
{
    return strcmp(node->name, "known") == 0 ? user : NULL;
}

static void a_dataset_that_was_never_written_has_its_document_alone(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array *array = NULL, *read = NULL;
    nwbz_array_options make = NWBZ_ARRAY_OPTIONS_INIT;
    uint64_t n_objects, n_bytes;
    make.type = NWBZ_UINT8;
    make.n_dims = 1;
    make.shape = (const uint64_t[]){ UINT64_C(1) << 62 };
    make.chunk_shape = (const uint64_t[]){ 1000 };
    assert_ok(nz_node_add_samples(f.root, "known", NWBZ_UINT8, 1, make.shape, NULL, &err), &err);
    assert_ok(nz_array_new(f.store, "/known", &make, &array, &err), &err);
    nz_hdmf_put_options options = { .store = f.store, .specs = f.specs, .array_of = the_array, .user = array };
    assert_ok(nz_hdmf_put_tree(f.root, &options, &err), &err);
    assert_ok(nwbz_array_stored(array, &n_objects, &n_bytes, &err), &err);
    assert_int_equal(n_objects, 0);
    assert_int_equal(options.stored_bytes, 0);
    assert_ok(nwbz_array_open(f.store, "/known", &read, &err), &err);
    nwbz_array_close(read);
    assert_ok(nz_node_add_samples(f.root, "unknown", NWBZ_UINT8, 1, make.shape, NULL, &err), &err);
    assert_code(nz_hdmf_put_tree(f.root, &options, &err), NWBZ_EINVAL, "neither", &err);
    assert_non_null(strstr(err.where, "/unknown"));
    nwbz_array_close(array);
    done(&f);
}

static void a_scalar_reference_to_a_part_is_json_in_text(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    nwbz_array *array = NULL;
    nwbz_string *text = NULL;
    const char expected[] = "{\"source\": \".\", \"path\": \"/m\", \"region\": [[[2, 5], [1, 3]]]}";
    assert_ok(nz_value_set_reference(&value, "/m", &err), &err);
    value.region = nz_strdup("[[[2, 5], [1, 3]]]");
    add_value(f.root, "part", &value);
    put(&f);
    assert_ok(nwbz_array_open(f.store, "/part", &array, &err), &err);
    assert_ok(nwbz_array_read_strings(array, NULL, NULL, &text, &err), &err);
    assert_int_equal(text->n_bytes, strlen(expected));
    assert_memory_equal(text->bytes, expected, strlen(expected));
    nwbz_free(text);
    nwbz_array_close(array);
    done(&f);
}

static void values_without_elements_and_of_nothing_but_zeros_have_no_chunks(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    const char *const names[] = { "none", "zeros", "no texts", "empty texts", "minus zero" };
    assert_ok(nz_value_set(&value, NWBZ_FLOAT64, 2, (uint64_t[]){ 0, 3 }, NULL, &err), &err);
    add_value(f.root, names[0], &value);
    assert_ok(nz_value_set(&value, NWBZ_FLOAT64, 1, (uint64_t[]){ 2 }, (double[]){ 0.0, 0.0 }, &err), &err);
    add_value(f.root, names[1], &value);
    assert_ok(nz_value_set_texts(&value, NULL, 0, &err), &err);
    add_value(f.root, names[2], &value);
    assert_ok(nz_value_set_texts(&value, (const char *const[]){ "", "" }, 2, &err), &err);
    add_value(f.root, names[3], &value);
    assert_ok(nz_value_set_double(&value, -0.0, &err), &err);
    add_value(f.root, names[4], &value);
    put(&f);
    for (size_t i = 0; i < 5; i++) {
        char path[32];
        nwbz_array *array = NULL;
        uint64_t n_objects, n_bytes;
        snprintf(path, sizeof path, "/%s", names[i]);
        assert_ok(nwbz_array_open(f.store, path, &array, &err), &err);
        assert_ok(nwbz_array_stored(array, &n_objects, &n_bytes, &err), &err);
        assert_int_equal(n_objects, i == 4);
        nwbz_array_close(array);
    }
    done(&f);
}

static void what_cannot_be_written_is_refused_by_the_name_of_its_node(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    for (int i = 0; i < 4; i++) {
        static const char *const messages[] = { "element 1 is not UTF-8", "zarr.json", "_DTYPE", "none" };
        nz_fixture f = begin();
        nz_node *group = NULL, *node = NULL;
        assert_ok(nz_node_add_group(f.root, "g", &group, &err), &err);
        assert_ok(nz_value_set_texts(&value, (const char *const[]){ "a", i == 0 ? "\xff" : "b" }, 2, &err), &err);
        if (i == 3) {
            nz_value_done(&value);
            assert_ok(nz_value_set_list(&value, 1, &err), &err);
        }
        assert_ok(nz_node_add_dataset(group, i == 1 ? "zarr.json" : "d", &value, &node, &err), &err);
        if (i == 2)
            assert_ok(nz_node_add_text(node, "_DTYPE", "x", &err), &err);
        nz_hdmf_put_options options = { .store = f.store, .specs = f.specs };
        err = (nwbz_error)NWBZ_ERROR_INIT;
        assert_code(nz_hdmf_put_tree(f.root, &options, &err), NWBZ_EINVAL, messages[i], &err);
        assert_non_null(strstr(err.where, i == 1 ? "/g/zarr.json" : "/g/d"));
        assert_code(nwbz_store_get(f.store, "zarr.json", &(void *){ NULL }, &(size_t){ 0 }, &err), NWBZ_ENOTFOUND, NULL,
                    &err);
        done(&f);
    }
}

/* ---- Reading back ---------------------------------------------------------------------------- */

static const nz_store_class *undamaged;
static unsigned n_read_back;

/* A place that loses the last byte, or changes one, or the whole. */
static nwbz_code get_changed(nwbz_store *store, const char *key, uint64_t offset, bool from_end, size_t n,
                             nz_buffer *out, nwbz_error *err)
{
    NZ_TRY(undamaged->get(store, key, offset, from_end, n, out, err));
    n_read_back++;
    if (strncmp(key, "short/", 6) == 0)
        out->n_bytes--;
    if (strncmp(key, "other/", 6) == 0)
        out->bytes[out->n_bytes - 1] ^= 1;
    if (strncmp(key, "lost/", 5) == 0)
        return nz_fail(err, NWBZ_ENOTFOUND, "lost");
    return NWBZ_OK;
}

static void each_object_of_a_value_is_read_back_when_asked_for(void **state)
{
    (void)state;
    const char *const names[] = { "whole", "short", "other", "lost" };
    const char *const messages[] = { NULL, "is not the 23 bytes", "CRC-32C", "that were written" };
    for (int i = 0; i < 4; i++)
        for (int verify = 0; verify < 2; verify++) {
            nz_fixture f = begin();
            nwbz_error err = NWBZ_ERROR_INIT;
            nz_value value;
            nz_store_class changed = *f.store->class;
            undamaged = f.store->class;
            changed.get = get_changed;
            f.store->class = &changed;
            assert_ok(nz_value_set_texts(&value, (const char *const[]){ "a", "b" }, 2, &err), &err);
            add_value(f.root, names[i], &value);
            n_read_back = 0;
            nz_hdmf_put_options options = { .store = f.store, .specs = f.specs, .verify_crc = verify };
            assert_code(nz_hdmf_put_tree(f.root, &options, &err), verify && i > 0 ? NWBZ_EIO : NWBZ_OK,
                        verify ? messages[i] : NULL, &err);
            assert_int_equal(n_read_back, verify);
            assert_true(!verify || i == 0 || strstr(err.where, names[i]) != NULL);
            f.store->class = undamaged;
            done(&f);
        }
}

static void stored_bytes_are_those_of_the_values_chunks(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_value value;
    nwbz_array *array = NULL;
    uint64_t n_objects, n_bytes, total = 0;
    assert_ok(nz_value_set_text(&value, "some text", &err), &err);
    add_value(f.root, "t", &value);
    assert_ok(nz_value_set_int(&value, 77, &err), &err);
    add_value(f.root, "i", &value);
    nz_hdmf_put_options options = { .store = f.store, .specs = f.specs, .stored_bytes = 99 };
    assert_ok(nz_hdmf_put_tree(f.root, &options, &err), &err);
    for (const char *path = "/t"; path != NULL; path = strcmp(path, "/t") == 0 ? "/i" : NULL) {
        assert_ok(nwbz_array_open(f.store, path, &array, &err), &err);
        assert_ok(nwbz_array_stored(array, &n_objects, &n_bytes, &err), &err);
        total += n_bytes;
        nwbz_array_close(array);
    }
    assert_true(total > 0 && options.stored_bytes == total);
    done(&f);
}

/* ---- Many ------------------------------------------------------------------------------------ */

/* Groups with values of all kinds, shapes and types that follow each other. */
static void add_many(nz_node *root, unsigned n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    for (unsigned i = 0; i < n; i++) {
        char name[32];
        double numbers[20];
        nz_value value;
        nz_node *group = NULL;
        snprintf(name, sizeof name, "g%u", i);
        assert_ok(nz_node_add_group(root, name, &group, &err), &err);
        assert_ok(nz_node_add_int(group, "number", i, &err), &err);
        for (unsigned k = 0; k < 20; k++)
            numbers[k] = i + k / 7.0;
        assert_ok(nz_value_set(&value, NWBZ_FLOAT64, 1, (uint64_t[]){ i % 20 }, numbers, &err), &err);
        add_value(group, "list", &value);
        assert_ok(nz_value_set(&value, NWBZ_FLOAT64, i % 3, (uint64_t[]){ 2, 5 }, numbers, &err), &err);
        add_value(group, "shapes", &value);
        assert_ok(nz_value_set_text(&value, name, &err), &err);
        add_value(group, "name", &value);
        assert_ok(nz_value_set_reference(&value, "/g0", &err), &err);
        add_value(group, "first", &value);
    }
}

static void put_many(nwbz_store *store, unsigned jobs)
{
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    add_many(f.root, 200);
    nz_hdmf_put_options options = { .store = store, .specs = f.specs, .number_of_jobs = jobs, .verify_crc = true };
    assert_ok(nz_hdmf_put_tree(f.root, &options, &err), &err);
    done(&f);
}

/* Check that both stores have the same values below `prefix`. */
typedef struct nz_pair {
    nwbz_store *one, *other;
    const char *prefix;
    unsigned n;
} nz_pair;

static nwbz_code compare_below(const char *name, bool is_prefix, void *user, nwbz_error *err)
{
    nz_pair *pair = user;
    char key[256];
    nz_buffer a = NZ_BUFFER_INIT(SIZE_MAX / 4), b = NZ_BUFFER_INIT(SIZE_MAX / 4);
    snprintf(key, sizeof key, "%s%s%s", pair->prefix, *pair->prefix ? "/" : "", name);
    if (is_prefix) {
        nz_pair below = { pair->one, pair->other, key, 0 };
        NZ_TRY(pair->one->class->list(pair->one, key, compare_below, &below, err));
        pair->n += below.n;
        return NWBZ_OK;
    }
    assert_ok(nz_store_get(pair->one, key, &a, err), err);
    assert_ok(nz_store_get(pair->other, key, &b, err), err);
    assert_int_equal(a.n_bytes, b.n_bytes);
    assert_memory_equal(a.bytes, b.bytes, a.n_bytes);
    nz_buffer_done(&a);
    nz_buffer_done(&b);
    pair->n++;
    return NWBZ_OK;
}

static void any_number_of_jobs_gives_the_same_bytes(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_store *one = NULL, *other = NULL;
    assert_ok(nwbz_store_new_memory(&one, &err), &err);
    put_many(one, 1);
    for (unsigned jobs = 2; jobs <= 5; jobs += 3) {
        assert_ok(nwbz_store_new_memory(&other, &err), &err);
        put_many(other, jobs);
        nz_pair pair = { one, other, "", 0 }, back = { other, one, "", 0 };
        assert_ok(one->class->list(one, "", compare_below, &pair, &err), &err);
        assert_ok(one->class->list(other, "", compare_below, &back, &err), &err);
        assert_true(pair.n > 1600 && pair.n == back.n);
        nwbz_store_close(other);
    }
    nwbz_store_close(one);
}

static void contexts_that_are_used_again_leave_nothing_behind(void **state)
{
    (void)state;
    nz_fixture f = begin();
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array *array = NULL;
    add_many(f.root, 200);
    put(&f);
    for (unsigned i = 0; i < 200; i += 23) {
        char path[32];
        double read[20];
        nwbz_string *text = NULL;
        nwbz_array_info info;
        snprintf(path, sizeof path, "/g%u/list", i);
        assert_ok(nwbz_array_open(f.store, path, &array, &err), &err);
        nwbz_array_get_info(array, &info);
        assert_true(info.n_dims == 1 && info.shape[0] == i % 20);
        assert_ok(nwbz_array_read(array, (uint64_t[]){ 0 }, info.shape, read, i % 20 * sizeof *read, NULL, &err), &err);
        for (unsigned k = 0; k < i % 20; k++)
            assert_true(read[k] == i + k / 7.0);
        nwbz_array_close(array);
        snprintf(path, sizeof path, "/g%u/name", i);
        assert_ok(nwbz_array_open(f.store, path, &array, &err), &err);
        assert_ok(nwbz_array_read_strings(array, NULL, NULL, &text, &err), &err);
        path[strlen(path) - 5] = 0;
        assert_int_equal(text->n_bytes, strlen(path + 1));
        assert_memory_equal(text->bytes, path + 1, text->n_bytes);
        nwbz_free(text);
        nwbz_array_close(array);
        snprintf(path, sizeof path, "/g%u/shapes", i);
        assert_ok(nwbz_array_open(f.store, path, &array, &err), &err);
        nwbz_array_get_info(array, &info);
        assert_int_equal(info.n_dims, i % 3);
        nwbz_array_close(array);
    }
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
        cmocka_unit_test(the_caller_may_choose_the_layout_of_values),
        cmocka_unit_test(a_dataset_that_was_never_written_has_its_document_alone),
        cmocka_unit_test(a_scalar_reference_to_a_part_is_json_in_text),
        cmocka_unit_test(values_without_elements_and_of_nothing_but_zeros_have_no_chunks),
        cmocka_unit_test(what_cannot_be_written_is_refused_by_the_name_of_its_node),
        cmocka_unit_test(each_object_of_a_value_is_read_back_when_asked_for),
        cmocka_unit_test(stored_bytes_are_those_of_the_values_chunks),
        cmocka_unit_test(any_number_of_jobs_gives_the_same_bytes),
        cmocka_unit_test(contexts_that_are_used_again_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
