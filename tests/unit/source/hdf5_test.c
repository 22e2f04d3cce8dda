/* HDF5 datasets as sources: natural boxes, identity, where errors are, and a whole fill through the engine. */
#include "unit/hdf5/fixture.h"

static nwbz_source *open_data(const char *path)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    assert_ok(nwbz_source_open_hdf5(path, "/group/data", &source, &err), &err);
    return source;
}

static void check_natural(const hdf5_layout *layout, const uint64_t *expected)
{
    hdf5_file(in_folder("natural.h5"), H5T_STD_I16LE, layout, H5T_NATIVE_INT16, NULL);
    nwbz_source *source = open_data(in_folder("natural.h5"));
    for (unsigned d = 0; d < layout->n_dims; d++)
        assert_int_equal(source->info.natural[d], expected[d]);
    assert_true(source->info.whole_boxes && source->info.max_readers == 1 && !source->info.forward);
    assert_false(source->info.caller_thread_only);
    nwbz_source_close(source);
}

static void the_natural_box_is_a_chunk_or_about_a_mebibyte(void **state)
{
    (void)state;
    hsize_t shape[] = { 100, 5 }, chunk[] = { 30, 8 }, tall[] = { 1000000, 384 }, wide[] = { 3, 4, 1 << 21 };
    check_natural(&(hdf5_layout){ 2, shape, chunk, false }, (uint64_t[]){ 30, 5 });
    check_natural(&(hdf5_layout){ 2, shape, NULL, false }, (uint64_t[]){ 100, 5 });
    check_natural(&(hdf5_layout){ 2, tall, NULL, false }, (uint64_t[]){ 1365, 384 });
    check_natural(&(hdf5_layout){ 3, wide, NULL, false }, (uint64_t[]){ 1, 1, 1 << 19 });
    check_natural(&(hdf5_layout){ 0, NULL, NULL, false }, NULL);
}

/* Write a dataset of the known samples. */
static void write_known(const char *path, hsize_t n_rows, const hsize_t *chunk, uint64_t offset)
{
    hsize_t shape[] = { n_rows, 4 };
    int16_t *elements = nz_malloc(n_rows * 4 * sizeof *elements);
    assert_non_null(elements);
    for (uint64_t i = 0; i < n_rows * 4; i++)
        elements[i] = sample_at(i + offset);
    hdf5_layout layout = { 2, shape, chunk, chunk != NULL };
    hdf5_file(path, H5T_STD_I16LE, &layout, H5T_NATIVE_INT16, elements);
    nz_free(elements);
}

static char *identity_of(const char *path)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    char *text = NULL;
    nwbz_source *source = open_data(path);
    assert_ok(source->class->identity(source, &json, &err), &err);
    assert_ok(nz_json_text_of(json, &text, &err), &err);
    nz_json_free(json);
    nwbz_source_close(source);
    return text;
}

static void the_identity_names_the_dataset_and_changes_with_the_samples(void **state)
{
    (void)state;
    write_known(in_folder("identity.h5"), 50, NULL, 0);
    char *first = identity_of(in_folder("identity.h5")), *again = identity_of(in_folder("identity.h5"));
    write_known(in_folder("identity.h5"), 50, NULL, 1);
    char *other = identity_of(in_folder("identity.h5"));
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    const char *parts[] = { "identity.h5\"",   "\"size_bytes\"", "\"mtime_ns\"", "\"crc32c_first\"",
                            "\"crc32c_last\"", "/group/data",    "int16" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(first, parts[i]))
            fail_msg("no %s in %s", parts[i], first);
    nz_free(first);
    nz_free(again);
    nz_free(other);
}

static void an_error_says_the_file_and_the_dataset(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    write_known(in_folder("where.h5"), 5, NULL, 0);
    assert_fails(nwbz_source_open_hdf5(in_folder("none.h5"), "/data", &source, &err), NWBZ_ESOURCE, "No such file");
    assert_non_null(strstr(err.where, "none.h5"));
    assert_null(strstr(err.where, "/data"));
    assert_fails(nwbz_source_open_hdf5(in_folder("where.h5"), "group/none", &source, &err), NWBZ_ESOURCE,
                 "none of that name");
    assert_non_null(strstr(err.where, "where.h5:/group/none"));
    assert_null(source);
}

/* ---- through the engine ------------------------------------------------------------------ */

static nwbz_array *new_array(nwbz_store *store, const char *path, uint64_t n_rows, uint64_t chunk_rows)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nwbz_array *array = NULL;
    uint64_t shape[] = { n_rows, 4 }, chunk[] = { chunk_rows, 3 };
    options.type = NWBZ_INT16;
    options.n_dims = 2;
    options.shape = shape;
    options.chunk_shape = chunk;
    assert_ok(nwbz_array_create(store, path, &options, &array, &err), &err);
    return array;
}

static void check_array(const nwbz_array *array, uint64_t n_rows)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_box whole = { 2, { 0 }, { n_rows, 4 } };
    int16_t *got = nz_malloc(n_rows * 4 * sizeof *got);
    assert_ok(nwbz_array_read(array, whole.start, whole.shape, got, n_rows * 8, NULL, &err), &err);
    assert_true(is_known(&whole, whole.shape, got));
    nz_free(got);
}

/* Chunks of both that do not line up; from HDF5 to an array, and from that array to another. */
static void check_fill(const char *path, uint64_t n_rows, unsigned jobs)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_fill_options options = NWBZ_FILL_OPTIONS_INIT;
    nwbz_store *store = NULL;
    nwbz_source *source = open_data(path), *second_source = NULL;
    options.number_of_jobs = jobs;
    assert_ok(nwbz_store_new_memory(&store, &err), &err);
    nwbz_array *array = new_array(store, "/first", n_rows, 730), *second = new_array(store, "/second", n_rows, 41);
    assert_ok(nwbz_array_fill(array, source, &options, &err), &err);
    check_array(array, n_rows);
    assert_ok(nwbz_source_new_array(array, &second_source, &err), &err);
    assert_ok(nwbz_array_fill(second, second_source, &options, &err), &err);
    check_array(second, n_rows);
    nwbz_source_close(second_source);
    nwbz_source_close(source);
    nwbz_array_close(array);
    nwbz_array_close(second);
    nwbz_store_close(store);
}

static void an_array_is_filled_from_hdf5_and_another_from_that_array(void **state)
{
    (void)state;
    hsize_t chunk[] = { 100, 3 };
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        write_known(in_folder("fill.h5"), 4001, chunk, 0);
        check_fill(in_folder("fill.h5"), 4001, jobs);
        write_known(in_folder("fill.h5"), 4001, NULL, 0);
        check_fill(in_folder("fill.h5"), 4001, jobs);
    }
}

static void text_is_no_source(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nwbz_source *source = NULL;
    options.type = NWBZ_STRING;
    assert_ok(nwbz_store_new_memory(&store, &err), &err);
    assert_ok(nwbz_array_create(store, "/text", &options, &array, &err), &err);
    assert_fails(nwbz_source_new_array(array, &source, &err), NWBZ_EINVAL, "text");
    nwbz_array_close(array);
    nwbz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_natural_box_is_a_chunk_or_about_a_mebibyte),
        cmocka_unit_test(the_identity_names_the_dataset_and_changes_with_the_samples),
        cmocka_unit_test(an_error_says_the_file_and_the_dataset),
        cmocka_unit_test(an_array_is_filled_from_hdf5_and_another_from_that_array),
        cmocka_unit_test(text_is_no_source),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
