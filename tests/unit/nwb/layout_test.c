/* Chunks of the samples: the default, the given ones, and those that fit given shards. */
#include "support/test.h"

#include "nwb/layout.h"

#include <string.h>

static nz_source_info info_of(nwbz_type type, unsigned n_dims, const uint64_t *shape)
{
    nz_source_info info = { .type = type, .n_dims = n_dims, .name = "s" };
    memcpy(info.shape, shape, n_dims * sizeof *shape);
    return info;
}

static void check_default(nwbz_type type, unsigned n_dims, const uint64_t *shape, const uint64_t *expected)
{
    nz_layout layout;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    nz_source_info info = info_of(type, n_dims, shape);
    assert_ok(nz_layout_of_data(&options, &info, &layout, &err), &err);
    assert_memory_equal(layout.chunk_shape, expected, n_dims * sizeof *expected);
    assert_int_equal(layout.shard_shape[0], 0);
    assert_string_equal(layout.codec, nwbz_default_codec());
}

static void chunks_are_at_most_64_columns_and_10_megabytes(void **state)
{
    (void)state;
    check_default(NWBZ_INT16, 2, (uint64_t[]){ 3600000, 384 }, (uint64_t[]){ 78125, 64 });
    check_default(NWBZ_INT16, 2, (uint64_t[]){ NWBZ_UNKNOWN_LENGTH, 384 }, (uint64_t[]){ 78125, 64 });
    check_default(NWBZ_INT16, 2, (uint64_t[]){ 3600000, 16 }, (uint64_t[]){ 312500, 16 });
    check_default(NWBZ_FLOAT64, 1, (uint64_t[]){ 3600000 }, (uint64_t[]){ 1250000 });
}

static void chunks_are_no_longer_than_the_data_and_at_least_one(void **state)
{
    (void)state;
    check_default(NWBZ_INT16, 2, (uint64_t[]){ 10, 4 }, (uint64_t[]){ 10, 4 });
    check_default(NWBZ_INT16, 2, (uint64_t[]){ 0, 4 }, (uint64_t[]){ 1, 4 });
    check_default(NWBZ_FLOAT64, 3, (uint64_t[]){ 10, 2000, 2000 }, (uint64_t[]){ 9, 64, 2000 });
    check_default(NWBZ_FLOAT64, 3, (uint64_t[]){ 10, 2000, 2000000 }, (uint64_t[]){ 1, 64, 2000000 });
}

static nwbz_code layout_of(const uint64_t *chunks, unsigned n_chunks, const uint64_t *shards, unsigned n_shards,
                           nz_layout *layout, nwbz_error *err)
{
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    nz_source_info info = info_of(NWBZ_INT16, 2, (uint64_t[]){ 3600000, 384 });
    options.chunk_shape = chunks;
    options.n_chunk_dims = n_chunks;
    options.shard_shape = shards;
    options.n_shard_dims = n_shards;
    return nz_layout_of_data(&options, &info, layout, err);
}

static void given_chunks_and_shards_are_taken(void **state)
{
    (void)state;
    nz_layout layout;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(layout_of((uint64_t[]){ 40000, 64 }, 2, (uint64_t[]){ 400000, 128 }, 2, &layout, &err), &err);
    assert_memory_equal(layout.chunk_shape, ((uint64_t[]){ 40000, 64 }), 16);
    assert_memory_equal(layout.shard_shape, ((uint64_t[]){ 400000, 128 }), 16);
}

static void shards_alone_are_cut_into_even_chunks(void **state)
{
    (void)state;
    nz_layout layout;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(layout_of(NULL, 0, (uint64_t[]){ 400000, 96 }, 2, &layout, &err), &err);
    assert_int_equal(layout.chunk_shape[0], 50000);
    assert_int_equal(layout.chunk_shape[1], 48);
    assert_code(layout_of(NULL, 0, (uint64_t[]){ 400009, 64 }, 2, &layout, &err), NWBZ_EINVAL, "400009", &err);
}

static void shapes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    nz_layout layout;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_code(layout_of((uint64_t[]){ 4 }, 1, NULL, 0, &layout, &err), NWBZ_EINVAL, "1 axes and the data 2", &err);
    assert_code(layout_of((uint64_t[]){ 4, 0 }, 2, NULL, 0, &layout, &err), NWBZ_EINVAL, "0 long along axis 1", &err);
    assert_code(layout_of((uint64_t[]){ 3, 64 }, 2, (uint64_t[]){ 10, 64 }, 2, &layout, &err), NWBZ_EINVAL,
                "no multiple", &err);
    assert_code(layout_of(NULL, 0, (uint64_t[]){ 0, 64 }, 2, &layout, &err), NWBZ_EINVAL, "shards cannot be 0 long",
                &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_at_most_64_columns_and_10_megabytes),
        cmocka_unit_test(chunks_are_no_longer_than_the_data_and_at_least_one),
        cmocka_unit_test(given_chunks_and_shards_are_taken),
        cmocka_unit_test(shards_alone_are_cut_into_even_chunks),
        cmocka_unit_test(shapes_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
