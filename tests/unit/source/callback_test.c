/* Callbacks and memory: what they refuse, and that a callback which says something wrong is not believed. */
#include "unit/source/fixture.h"

static int result;
static uint64_t rows_given;

/* Give what the test has set. */
static int give(void *user, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows)
{
    (void)start;
    assert_ptr_equal(user, &result);
    memset(elements, 1, shape[0] * shape[1]);
    if (rows_given != UINT64_MAX)
        *n_rows = rows_given;
    return result;
}

static nwbz_callback_options options_of(const uint64_t *shape)
{
    nwbz_callback_options options = NWBZ_CALLBACK_OPTIONS_INIT;
    options.type = NWBZ_UINT8;
    options.n_dims = 2;
    options.shape = shape;
    options.read_box = give;
    options.user = &result;
    return options;
}

static void an_error_of_the_callback_is_its_own(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 10, 4 };
    nz_box box = { 2, { 0, 0 }, { 1, 4 } };
    unsigned char elements[4];
    uint64_t n_rows;
    nwbz_callback_options options = options_of(shape);
    assert_ok(nwbz_source_new_callback(&options, &source, &err), &err);
    result = -7;
    rows_given = UINT64_MAX;
    assert_fails(read_once(source, &box, elements, &n_rows, &err), NWBZ_ECALLBACK, "-7");
    result = 0;
    assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
    assert_int_equal(n_rows, 1);
    nwbz_source_close(source);
}

static void wrong_numbers_of_rows_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 10, 4 }, unknown[2] = { NWBZ_UNKNOWN_LENGTH, 4 }, natural[2] = { 5, 4 };
    nz_box box = { 2, { 0, 0 }, { 5, 4 } };
    unsigned char elements[20];
    uint64_t n_rows;
    nwbz_callback_options options = options_of(shape);
    options.natural_box = natural;
    assert_ok(nwbz_source_new_callback(&options, &source, &err), &err);
    rows_given = 3;
    assert_fails(read_once(source, &box, elements, &n_rows, &err), NWBZ_ECALLBACK, "3 of 5 rows", "10 rows");
    nwbz_source_close(source);

    options.shape = unknown;
    options.forward = true;
    assert_ok(nwbz_source_new_callback(&options, &source, &err), &err);
    rows_given = 6;
    assert_fails(read_once(source, &box, elements, &n_rows, &err), NWBZ_ECALLBACK, "6 rows where 5");
    rows_given = 3;
    assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
    assert_int_equal(n_rows, 3);
    rows_given = 0;
    assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
    assert_int_equal(n_rows, 0);
    nwbz_source_close(source);
}

static void the_description_follows_from_the_options(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 10, 4 }, natural[2] = { 100, 3 };
    nwbz_callback_options options = options_of(shape);
    options.max_readers = 3;
    assert_ok(nwbz_source_new_callback(&options, &source, &err), &err);
    assert_int_equal(source->info.max_readers, 3);
    assert_int_equal(source->info.natural[0], 1);
    assert_int_equal(source->info.natural[1], 4);
    assert_true(source->info.whole_boxes);
    assert_null(source->class->identity);
    nwbz_source_close(source);

    options.caller_thread_only = true;
    options.natural_box = natural;
    assert_ok(nwbz_source_new_callback(&options, &source, &err), &err);
    assert_int_equal(source->info.max_readers, 1);
    assert_true(source->info.caller_thread_only);
    assert_int_equal(source->info.natural[0], 10);
    assert_int_equal(source->info.natural[1], 3);
    nwbz_source_close(source);

    options.caller_thread_only = false;
    options.forward = true;
    assert_ok(nwbz_source_new_callback(&options, &source, &err), &err);
    assert_int_equal(source->info.max_readers, 1);
    assert_true(source->info.forward);
    nwbz_source_close(source);
}

static void options_that_cannot_be_right_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 10, 4 }, unknown[2] = { NWBZ_UNKNOWN_LENGTH, 4 },
                   inside[2] = { 4, NWBZ_UNKNOWN_LENGTH }, zero[2] = { 1, 0 }, large[2] = { UINT64_MAX / 2, 4 };
    nwbz_callback_options options = options_of(unknown), unset = { 0 };
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "forward");
    options = options_of(inside);
    options.forward = true;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "axis 1");
    options = options_of(large);
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "more bytes");
    options = options_of(shape);
    options.natural_box = zero;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "axis 1 of the natural box is 0");
    options = options_of(NULL);
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "no shape");
    options = options_of(shape);
    options.n_dims = 0;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "0 axes");
    options.n_dims = 33;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "33 axes");
    options = options_of(shape);
    options.type = NWBZ_STRING;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "'string'");
    options.type = NWBZ_TYPE_NONE;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "'none'");
    options = options_of(shape);
    options.read_box = NULL;
    assert_fails(nwbz_source_new_callback(&options, &source, &err), NWBZ_EINVAL, "read_box");
    assert_fails(nwbz_source_new_callback(&unset, &source, &err), NWBZ_EINVAL, "struct_size");
    assert_null(source);
}

static void memory_that_cannot_be_right_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { 2, 2 }, large[2] = { UINT64_MAX / 2, 4 }, none[2] = { 0, 2 };
    const unsigned char elements[4] = { 0 };
    assert_fails(nwbz_source_new_memory(elements, NWBZ_STRING, 2, shape, &source, &err), NWBZ_EINVAL, "'string'");
    assert_fails(nwbz_source_new_memory(elements, NWBZ_UINT8, 33, shape, &source, &err), NWBZ_EINVAL, "33 axes");
    assert_fails(nwbz_source_new_memory(elements, NWBZ_UINT8, 2, NULL, &source, &err), NWBZ_EINVAL, "no shape");
    assert_fails(nwbz_source_new_memory(elements, NWBZ_UINT8, 2, large, &source, &err), NWBZ_EINVAL, "more bytes");
    assert_fails(nwbz_source_new_memory(NULL, NWBZ_UINT8, 2, shape, &source, &err), NWBZ_EINVAL, "4 bytes");
    assert_null(source);
    assert_ok(nwbz_source_new_memory(NULL, NWBZ_UINT8, 2, none, &source, &err), &err);
    nwbz_source_close(source);
}

static void a_scalar_in_memory_is_read(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const int32_t value = -5;
    int32_t got = 0;
    uint64_t n_rows;
    nz_box box = { .n_dims = 0 };
    assert_ok(nwbz_source_new_memory(&value, NWBZ_INT32, 0, NULL, &source, &err), &err);
    assert_ok(read_once(source, &box, &got, &n_rows, &err), &err);
    assert_int_equal(got, value);
    nwbz_source_close(source);
    nwbz_source_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_the_callback_is_its_own),
        cmocka_unit_test(wrong_numbers_of_rows_are_refused),
        cmocka_unit_test(the_description_follows_from_the_options),
        cmocka_unit_test(options_that_cannot_be_right_are_refused),
        cmocka_unit_test(memory_that_cannot_be_right_is_refused),
        cmocka_unit_test(a_scalar_in_memory_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
