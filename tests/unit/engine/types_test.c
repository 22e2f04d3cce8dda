/* Elements of every kind go through the engine and back: numbers, records, text of fixed width, raw bytes; and what was stored is compared. */
#include "unit/zarr/fixture.h"

#include "base/checked.h"
#include "engine/run.h"

#define BYTES "[{'name': 'bytes', 'configuration': {'endian': 'little'}}, {'name': 'zstd', 'configuration': {'level': 1, 'checksum': false}}]"
#define SHARDS                                                                                                                       \
    "[{'name': 'sharding_indexed', 'configuration': {'chunk_shape': [%u, %u], 'codecs': " BYTES                                      \
    ", 'index_codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}, {'name': 'crc32c'}], 'index_location': 'end'}}]"

static const struct {
    const char *type, *fill;
    unsigned element_bytes;
} types[] = {
    { "'int64'", "7", 8 },
    { "'complex64'", "[0.0, 0.0]", 8 },
    { "{'name': 'struct', 'configuration': {'fields': [{'name': 'a', 'data_type': 'int32'}, {'name': 'b', 'data_type': 'uint8'}]}}",
      "{'a': 1, 'b': 2}", 5 },
    { "{'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 12}}", "''", 12 },
    { "{'name': 'raw_bytes', 'configuration': {'length_bytes': 37}}", "'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=='", 37 },
};

enum { ROWS = 41, COLUMNS = 7 };

static nwbz_array *put_array(nwbz_store *store, const char *path, size_t t, bool sharded)
{
    char text[2048], codecs[1024];
    nwbz_array *array = NULL;
    snprintf(codecs, sizeof codecs, sharded ? SHARDS : BYTES, 4, 3);
    snprintf(text, sizeof text,
             "{'zarr_format': 3, 'node_type': 'array', 'shape': [%d, %d], 'data_type': %s, 'chunk_grid': {'name': 'regular', "
             "'configuration': {'chunk_shape': [%d, %d]}}, 'chunk_key_encoding': 'default', 'fill_value': %s, 'codecs': %s, "
             "'attributes': {}}",
             ROWS, COLUMNS, types[t].type, sharded ? 12 : 4, sharded ? 6 : 3, types[t].fill, codecs);
    char *key = nz_strdup(path + 1), document[64];
    snprintf(document, sizeof document, "%s/zarr.json", key);
    nz_free(key);
    put_text(store, document, text);
    OK(nwbz_array_open(store, path, &array, &failed));
    return array;
}

static nz_run_options options_of(unsigned jobs)
{
    nz_run_options options;
    nwbz_fill_options fill = NWBZ_FILL_OPTIONS_INIT;
    fill.number_of_jobs = jobs;
    nz_run_options_of(&fill, &options);
    return options;
}

/* Plan and run; frees the target and closes the source. */
static nwbz_code move(nwbz_source *source, nz_target *target, unsigned jobs, nwbz_error *err)
{
    nz_transfer transfer = { .source = source, .target = target };
    nz_run_options options = options_of(jobs);
    nwbz_code code = nz_plan_make(&source->info, &target->info, NULL, jobs, options.memory_limit_bytes, &transfer.plan, err);
    if (code == NWBZ_OK)
        code = nz_run(&transfer, 1, &options, err);
    target->class->free(target);
    nwbz_source_close(source);
    return code;
}

/* Elements that are text where the type is (below U+10FFFF), and the fill value in whole chunks. */
static unsigned char *make_elements(const nwbz_array *array)
{
    size_t size = nz_dtype_bytes(&array->meta.dtype);
    unsigned char *elements = nz_malloc(ROWS * COLUMNS * size);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        for (size_t k = 0; k < size; k++)
            elements[i * size + k] = array->meta.dtype.type == NWBZ_UTF32 ? (k % 4 == 0 ? 'a' + (i + k) % 26 : 0) : (unsigned char)(i * 31 + k * 7);
    for (size_t i = 8 * COLUMNS; i < 20 * COLUMNS; i++)
        memcpy(elements + i * size, nz_array_fill_element(array), size);
    return elements;
}

static void fill(nwbz_array *array, const void *elements, unsigned jobs)
{
    nwbz_source *source = NULL;
    nz_target *target = NULL;
    OK(nz_source_of_memory(elements, &array->meta.dtype, 2, array->meta.shape, &source, &failed));
    OK(nz_target_of_array(array, false, &target, &failed));
    OK(move(source, target, jobs, &failed));
}

static nwbz_code compare(nwbz_array *array, const void *elements, unsigned jobs, nwbz_error *err)
{
    nwbz_source *source = NULL;
    nz_target *target = NULL;
    OK(nz_source_of_memory(elements, &array->meta.dtype, 2, array->meta.shape, &source, &failed));
    OK(nz_target_compare(array, &target, &failed));
    return move(source, target, jobs, err);
}

static void for_all_types(void (*check)(nwbz_store *store, nwbz_array *array, size_t t))
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int sharded = 0; sharded < 2; sharded++) {
            nwbz_store *store = memory_store();
            nwbz_array *array = put_array(store, "/a", t, sharded);
            assert_int_equal(nz_dtype_bytes(&array->meta.dtype), types[t].element_bytes);
            check(store, array, t);
            nwbz_array_close(array);
            nwbz_store_close(store);
        }
}

static void check_moves(nwbz_store *store, nwbz_array *array, size_t t)
{
    size_t n_bytes = ROWS * COLUMNS * (size_t)types[t].element_bytes;
    unsigned char *elements = make_elements(array), *read = nz_malloc(n_bytes);
    fill(array, elements, 3);
    OK(nwbz_array_read(array, (uint64_t[]){ 0, 0 }, (uint64_t[]){ ROWS, COLUMNS }, read, n_bytes, NULL, &failed));
    assert_memory_equal(read, elements, n_bytes);
    /* from array to array, into another layout */
    nwbz_array *other = put_array(store, "/b", t, !array->meta.sharded);
    nwbz_source *source = NULL;
    nz_target *target = NULL;
    OK(nz_source_of_array(array, &source, &failed));
    OK(nz_target_of_array(other, false, &target, &failed));
    OK(move(source, target, 2, &failed));
    OK(compare(other, elements, 2, &failed));
    nwbz_array_close(other);
    nz_free(read);
    nz_free(elements);
}

static void elements_of_any_size_move(void **state)
{
    (void)state;
    for_all_types(check_moves);
}

static void check_append(nwbz_store *store, nwbz_array *array, size_t t)
{
    (void)store;
    size_t row_bytes = COLUMNS * (size_t)types[t].element_bytes, n_bytes = ROWS * row_bytes;
    unsigned char *elements = make_elements(array), *read = nz_malloc(n_bytes);
    array->meta.shape[0] = 0;
    for (uint64_t at = 0, n = 1; at < ROWS; at += n, n = nz_min(n + 4, ROWS - at)) {
        OK(nwbz_array_append(array, elements + at * row_bytes, n, NULL, &failed));
        OK(nwbz_array_flush(array, NULL, &failed));
    }
    assert_int_equal(array->meta.shape[0], ROWS);
    OK(nwbz_array_read(array, (uint64_t[]){ 0, 0 }, (uint64_t[]){ ROWS, COLUMNS }, read, n_bytes, NULL, &failed));
    assert_memory_equal(read, elements, n_bytes);
    nz_free(read);
    nz_free(elements);
}

static void elements_of_any_size_are_appended(void **state)
{
    (void)state;
    for_all_types(check_append);
}

/* One byte of one element differs, wherever it is. */
static void check_difference(nwbz_store *store, nwbz_array *array, size_t t)
{
    (void)store;
    size_t size = types[t].element_bytes;
    unsigned char *elements = make_elements(array);
    fill(array, elements, 2);
    OK(compare(array, elements, 1, &failed));
    for (unsigned i = 0; i < ROWS * COLUMNS; i += 13) {
        char element[40], chunk[40];
        nwbz_error err = NWBZ_ERROR_INIT;
        elements[i * size + i % size / 4 * 4] ^= 2;
        assert_int_equal(compare(array, elements, 1 + i % 3, &err), NWBZ_EIO);
        snprintf(element, sizeof element, "element (%u, %u) was stored as ", i / COLUMNS, i % COLUMNS);
        snprintf(chunk, sizeof chunk, "/a chunk %u/%u", i / COLUMNS / 4, i % COLUMNS / 3);
        if (!strstr(err.message, element) || !strstr(err.where, chunk))
            fail_msg("'%s' and '%s' instead of %s: %s", chunk, element, err.where, err.message);
        elements[i * size + i % size / 4 * 4] ^= 2;
    }
    OK(compare(array, elements, 3, &failed));
    nz_free(elements);
}

static void one_element_that_differs_is_named(void **state)
{
    (void)state;
    for_all_types(check_difference);
}

static void a_difference_is_told_with_both_values(void **state)
{
    (void)state;
    nwbz_store *store = memory_store();
    nwbz_array *array = put_array(store, "/a", 0, false);
    unsigned char *elements = make_elements(array);
    int64_t value = -5;
    nwbz_error err = NWBZ_ERROR_INIT;
    memcpy(elements + 8, &value, 8);
    fill(array, elements, 1);
    value = 12345678901;
    memcpy(elements + 8, &value, 8);
    assert_int_equal(compare(array, elements, 1, &err), NWBZ_EIO);
    assert_string_equal(err.message, "element (0, 1) was stored as -5 and is 12345678901 in the source");
    nz_free(elements);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* Chunks of other writers hold anything beyond the array's edge. */
static void what_lies_beyond_the_edge_is_not_compared(void **state)
{
    (void)state;
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    int16_t stored[6] = { 1, 2, 99, 3, 4, 98 }, elements[4] = { 1, 2, 3, 4 }, other[4] = { 1, 2, 3, 5 };
    put_text(store, "a/zarr.json",
             "{'zarr_format': 3, 'node_type': 'array', 'shape': [2, 2], 'data_type': 'int16', 'chunk_grid': {'name': 'regular', 'configuration': "
             "{'chunk_shape': [2, 3]}}, 'chunk_key_encoding': 'default', 'fill_value': 0, 'codecs': [{'name': 'bytes', 'configuration': "
             "{'endian': 'little'}}], 'attributes': {}}");
    OK(nwbz_store_put(store, "a/c/0/0", stored, sizeof stored, &failed));
    OK(nwbz_array_open(store, "/a", &array, &failed));
    OK(compare(array, elements, 1, &failed));
    REFUSED(NWBZ_EIO, "element (1, 1) was stored as 4 and is 5", compare(array, other, 1, &failed));
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void types_of_other_sizes_are_refused(void **state)
{
    (void)state;
    nwbz_store *store = memory_store();
    nwbz_array *array = put_array(store, "/a", 4, false);
    nwbz_source *source = NULL;
    nz_target *target = NULL;
    unsigned char *elements = make_elements(array);
    nz_dtype shorter = { NWBZ_RAW, 36, NULL, 0 };
    OK(nz_source_of_memory(elements, &shorter, 2, array->meta.shape, &source, &failed));
    OK(nz_target_of_array(array, false, &target, &failed));
    REFUSED(NWBZ_EINVAL, "36 bytes in the source and 37 in the array", move(source, target, 1, &failed));
    nz_free(elements);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_any_size_move),
        cmocka_unit_test(elements_of_any_size_are_appended),
        cmocka_unit_test(one_element_that_differs_is_named),
        cmocka_unit_test(a_difference_is_told_with_both_values),
        cmocka_unit_test(what_lies_beyond_the_edge_is_not_compared),
        cmocka_unit_test(types_of_other_sizes_are_refused),
    };
    return cmocka_run_group_tests_name("engine.types", tests, NULL, NULL);
}
