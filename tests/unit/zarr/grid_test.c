/* Grids and default chunk shapes. */
#include "fixture.h"

#include "zarr/grid.h"

static void check_default(unsigned n_dims, const uint64_t *shape, uint64_t element_bytes, const uint64_t *expected)
{
    uint64_t chunk[NWBZ_MAX_DIMS] = { 0 };
    nz_default_chunk_shape(n_dims, shape, element_bytes, chunk);
    for (unsigned d = 0; d < n_dims; d++)
        assert_int_equal(chunk[d], expected[d]);
}

/* What zarr-python 3.4 chooses; tests/interop/zarr_arrays_test.py compares 200 more. */
static void the_default_chunk_is_zarr_pythons(void **state)
{
    (void)state;
    check_default(0, NULL, 8, NULL);
    check_default(1, (uint64_t[]){ 0 }, 8, (uint64_t[]){ 1 });
    check_default(1, (uint64_t[]){ 10 }, 8, (uint64_t[]){ 10 });
    check_default(2, (uint64_t[]){ 3600000, 384 }, 2, (uint64_t[]){ 112500, 12 });
    check_default(3, (uint64_t[]){ 0, 5, 0 }, 8, (uint64_t[]){ 1, 5, 1 });
}

static nz_array_meta meta_of(nwbz_type type, uint64_t shape, uint64_t object, uint64_t piece)
{
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    meta.dtype.type = type;
    meta.n_dims = 2;
    for (unsigned d = 0; d < 2; d++) {
        meta.shape[d] = shape;
        meta.object_shape[d] = object;
        meta.piece_shape[d] = piece;
    }
    return meta;
}

static void sizes_that_cannot_be_held_are_refused(void **state)
{
    (void)state;
    nz_array_meta meta = meta_of(NWBZ_INT16, 100, 20, 10);
    OK(nz_grid_check(&meta, NWBZ_EINVAL, &failed));
    meta = meta_of(NWBZ_INT16, 0, 1000, 1000);
    OK(nz_grid_check(&meta, NWBZ_EINVAL, &failed));
    meta = meta_of(NWBZ_INT16, 100, 25, 10);
    REFUSED(NWBZ_EINVAL, "shards of 25", nz_grid_check(&meta, NWBZ_EINVAL, &failed));
    meta = meta_of(NWBZ_INT16, 100, 10, 0);
    REFUSED(NWBZ_EFORMAT, "chunk shape is 0", nz_grid_check(&meta, NWBZ_EFORMAT, &failed));
    meta = meta_of(NWBZ_INT16, UINT64_MAX, 10, 10);
    REFUSED(NWBZ_EINVAL, "2^63-1", nz_grid_check(&meta, NWBZ_EINVAL, &failed));
    meta = meta_of(NWBZ_INT16, 100, UINT64_C(1) << 32, UINT64_C(1) << 32);
    REFUSED(NWBZ_ELIMIT, "one chunk has more than", nz_grid_check(&meta, NWBZ_EINVAL, &failed));
    meta = meta_of(NWBZ_INT8, 100, UINT64_C(1) << 31, 1);
    REFUSED(NWBZ_ELIMIT, "its index", nz_grid_check(&meta, NWBZ_EINVAL, &failed));
    meta = meta_of(NWBZ_STRING, 3, UINT64_C(1) << 16, UINT64_C(1) << 16);
    REFUSED(NWBZ_ELIMIT, "4294967296 texts", nz_grid_check(&meta, NWBZ_EINVAL, &failed));
}

static void a_short_last_chunk_counts(void **state)
{
    uint64_t counts[3], shape[3] = { 10, 11, 0 }, cell[3] = { 5, 5, 5 };
    (void)state;
    nz_grid_counts(3, shape, cell, counts);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 3);
    assert_int_equal(counts[2], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_chunk_is_zarr_pythons),
        cmocka_unit_test(sizes_that_cannot_be_held_are_refused),
        cmocka_unit_test(a_short_last_chunk_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
