/* What every target must do: one set of tests for all of them.
 *
 * Each maker makes a target of a given shape.  Targets that store take pieces of known samples, which are then read
 * back from where they were stored; a direct target must hand out the memory that it was given.
 */
#include "support/test.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "target/target.h"
#include "zarr/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
    nz_target *target;
    nwbz_store *store;
    nwbz_array *array;
    int32_t *memory;
    unsigned n_dims;
    uint64_t shape[4];
} made;

/* Known samples: int32, never the fill value, 0. */
static int32_t sample_at(uint64_t i)
{
    return (int32_t)(i * 2654435761u >> 3) | 1;
}

/* ---- makers ------------------------------------------------------------------------ */

static void make_array(made *m, const char *codec, bool sharded, bool unknown_length)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    uint64_t chunk[4] = { 10, 3, 2, 2 }, shard[4] = { 20, 6, 2, 4 }, shape[4];
    memcpy(shape, m->shape, sizeof shape);
    if (unknown_length)
        shape[0] = 0;
    options.type = NWBZ_INT32;
    options.n_dims = m->n_dims;
    options.shape = shape;
    options.chunk_shape = chunk;
    options.shard_shape = sharded ? shard : NULL;
    options.codec = codec;
    assert_ok(nwbz_store_new_memory(&m->store, &err), &err);
    assert_ok(nwbz_array_create(m->store, "/group/data", &options, &m->array, &err), &err);
    assert_ok(nz_target_of_array(m->array, unknown_length, &m->target, &err), &err);
}

static void make_plain(made *m)
{
    make_array(m, "none", false, false);
}

static void make_zstd(made *m)
{
    make_array(m, "zstd:1+crc32c", false, false);
}

static void make_blosc(made *m)
{
    make_array(m, "blosc:zstd:1:bitshuffle", false, false);
}

static void make_shards(made *m)
{
    if (m->n_dims > 0)
        make_array(m, "zstd:1", true, false);
}

static void make_growing(made *m)
{
    if (m->n_dims > 0)
        make_array(m, "gzip:1", false, true);
}

static void make_memory(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    uint64_t cell[4] = { 10, 3, 2, 2 };
    nz_box all;
    nz_box_of_shape(&all, m->n_dims, m->shape);
    m->memory = nz_calloc(nz_box_count(&all), sizeof *m->memory);
    assert_ok(nz_target_of_memory(m->memory, NZ_DTYPE(NWBZ_INT32), m->n_dims, m->shape, &all, cell, &m->target, &err), &err);
}

static const struct {
    const char *name;
    void (*make)(made *);
    bool direct, grows;
} makers[] = { { "array, no codec", make_plain, false, false },   { "array, zstd and crc32c", make_zstd, false, false },
               { "array, blosc", make_blosc, false, false },      { "array in shards", make_shards, false, false },
               { "array that grows", make_growing, false, true }, { "memory", make_memory, true, false } };

static const struct {
    unsigned n_dims;
    uint64_t shape[4];
} shapes[] = { { 0, { 0 } },     { 1, { 37 } },       { 2, { 40, 6 } },
               { 2, { 25, 7 } }, { 3, { 21, 3, 5 } }, { 4, { 11, 4, 2, 3 } } };

static void for_all(void (*check)(made *, size_t maker))
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        unsigned n_made = 0;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            made m = { .n_dims = shapes[s].n_dims };
            memcpy(m.shape, shapes[s].shape, sizeof m.shape);
            makers[i].make(&m);
            if (!m.target)
                continue;
            n_made++;
            check(&m, i);
            m.target->class->free(m.target);
            nwbz_array_close(m.array);
            nwbz_store_close(m.store);
            nz_free(m.memory);
        }
        assert_true(n_made >= 4);
    }
}

/* ---- description --------------------------------------------------------------------- */

static void check_description(made *m, size_t maker)
{
    const nz_target_info *info = &m->target->info;
    const int32_t zero = 0;
    uint64_t index[4] = { 0 }, piece_bytes = 4;
    assert_int_equal(info->type, NWBZ_INT32);
    assert_int_equal(info->n_dims, m->n_dims);
    assert_non_null(info->name);
    assert_non_null(info->store_name);
    assert_memory_equal(info->fill_element, &zero, sizeof zero);
    for (unsigned d = 0; d < m->n_dims; d++) {
        uint64_t length = d == 0 && makers[maker].grows ? NWBZ_UNKNOWN_LENGTH : m->shape[d];
        assert_int_equal(info->shape[d], length);
        assert_true(info->piece_shape[d] > 0);
        assert_int_equal(info->object_shape[d] % info->piece_shape[d], 0);
        piece_bytes *= info->piece_shape[d];
    }
    assert_int_equal(info->piece_bytes, piece_bytes);
    assert_ptr_equal(info->direct, m->memory);
    if (!makers[maker].direct)
        assert_true(info->piece_bound_bytes >= info->piece_bytes);
    char *key = m->target->class->object_key(m->target, index);
    assert_non_null(key);
    nz_free(key);
}

static void a_target_says_what_it_is(void **state)
{
    (void)state;
    for_all(check_description);
}

/* ---- storing --------------------------------------------------------------------------- */

/* What is stored of each object, as object_finish() told it. */
typedef struct stored {
    uint64_t n_bytes;
    uint32_t crc;
} stored;

/* Set one piece at a place in the grid of pieces: the known samples, or (every fifth) nothing but fill value. */
static bool set_piece(const made *m, const uint64_t *piece_index, int32_t *piece)
{
    const nz_target_info *info = &m->target->info;
    uint64_t n = info->piece_bytes / 4, sum = 0;
    for (unsigned d = 0; d < m->n_dims; d++)
        sum += piece_index[d] * (d + 1);
    for (uint64_t i = 0; i < n; i++)
        piece[i] = sum % 5 == 4 ? 0 : sample_at(i + 1000 * sum);
    return sum % 5 != 4;
}

/* Turn position `p` in an object into the index of a piece. */
static void piece_index_of(const made *m, const uint64_t *object_index, uint64_t p, uint64_t *index)
{
    const nz_target_info *info = &m->target->info;
    uint64_t counts[4];
    for (unsigned d = 0; d < m->n_dims; d++)
        counts[d] = info->object_shape[d] / info->piece_shape[d];
    nz_index_of(p, m->n_dims, counts, index);
    for (unsigned d = 0; d < m->n_dims; d++)
        index[d] += object_index[d] * counts[d];
}

static uint64_t pieces_of(const made *m)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < m->n_dims; d++)
        n *= m->target->info.object_shape[d] / m->target->info.piece_shape[d];
    return n;
}

static stored store_object(made *m, const uint64_t *index)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const nz_target_class *class = m->target->class;
    const nz_target_info *info = &m->target->info;
    stored result = { 99, 99 };
    nz_target_object *object = NULL;
    void *worker = NULL;
    int32_t *piece = nz_malloc(info->piece_bytes);
    char *out = nz_malloc(info->piece_bound_bytes);
    assert_ok(class->worker_new(m->target, &worker, &err), &err);
    assert_ok(class->object_begin(m->target, index, &object, &err), &err);
    for (uint64_t p = 0; p < pieces_of(m); p++) {
        uint64_t piece_index[4];
        size_t n_out = 99;
        piece_index_of(m, index, p, piece_index);
        bool is_data = set_piece(m, piece_index, piece);
        assert_ok(class->encode_piece(m->target, worker, index, piece, out, info->piece_bound_bytes, &n_out, &err), &err);
        assert_int_equal(n_out > 0, is_data);
        if (n_out > 0)
            assert_ok(class->object_add(object, p, out, n_out, &err), &err);
    }
    assert_ok(class->object_finish(object, &result.n_bytes, &result.crc, &err), &err);
    class->worker_free(worker);
    nz_free(piece);
    nz_free(out);
    return result;
}

static bool check_object(made *m, const uint64_t *index, stored s)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    bool same = !s.n_bytes;
    assert_ok(m->target->class->object_check(m->target, index, s.n_bytes, s.crc, &same, &err), &err);
    return same;
}

/* The value under the object's key is what object_finish() told, and object_check() knows it from others. */
static void check_stored(made *m, const uint64_t *index, stored s)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    void *bytes = NULL;
    size_t n_bytes = 0;
    char *key = m->target->class->object_key(m->target, index);
    nwbz_code code = nwbz_store_get(m->store, key, &bytes, &n_bytes, &err);
    assert_int_equal(code, s.n_bytes ? NWBZ_OK : NWBZ_ENOTFOUND);
    if (s.n_bytes) {
        assert_int_equal(n_bytes, s.n_bytes);
        assert_int_equal(nz_crc32c(0, bytes, n_bytes), s.crc);
    }
    assert_true(check_object(m, index, s));
    assert_false(check_object(m, index, (stored){ s.n_bytes + 1, s.crc }));
    if (s.n_bytes) {
        assert_false(check_object(m, index, (stored){ s.n_bytes, s.crc ^ 1 }));
        assert_false(check_object(m, index, (stored){ 0, 0 }));
        ((char *)bytes)[n_bytes / 2] ^= 1; /* damaged in the store */
        assert_ok(nwbz_store_put(m->store, key, bytes, n_bytes, &err), &err);
        assert_false(check_object(m, index, s));
        ((char *)bytes)[n_bytes / 2] ^= 1;
        assert_ok(nwbz_store_put(m->store, key, bytes, n_bytes, &err), &err);
    }
    nwbz_free(bytes);
    nz_free(key);
}

/* Read back each piece of the object. */
static void check_pieces(made *m, nz_array_reader *reader, const uint64_t *index)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t n = m->target->info.piece_bytes;
    int32_t *wanted = nz_malloc(n), *found = nz_malloc(n);
    for (uint64_t p = 0; p < pieces_of(m); p++) {
        uint64_t piece_index[4];
        piece_index_of(m, index, p, piece_index);
        (void)set_piece(m, piece_index, wanted);
        assert_ok(nz_array_read_piece(m->array, reader, piece_index, found, &err), &err);
        assert_memory_equal(found, wanted, n);
    }
    nz_free(wanted);
    nz_free(found);
}

static void check_storing(made *m, size_t maker)
{
    if (makers[maker].direct)
        return;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_array_reader *reader = NULL;
    uint64_t counts[4], n_objects = 1;
    for (unsigned d = 0; d < m->n_dims; d++)
        n_objects *= counts[d] = (m->shape[d] + m->target->info.object_shape[d] - 1) / m->target->info.object_shape[d];
    stored *all = nz_calloc(n_objects, sizeof *all);
    for (uint64_t i = 0; i < n_objects; i++) {
        uint64_t index[4];
        nz_index_of(i, m->n_dims, counts, index);
        all[i] = store_object(m, index);
    }
    if (makers[maker].grows)
        assert_ok(m->target->class->grow(m->target, m->shape[0], &err), &err);
    assert_ok(nz_array_reader_new(m->array, &reader, &err), &err);
    for (uint64_t i = 0; i < n_objects; i++) {
        uint64_t index[4];
        nz_index_of(i, m->n_dims, counts, index);
        check_stored(m, index, all[i]);
        check_pieces(m, reader, index);
    }
    nz_array_reader_free(reader);
    nz_free(all);
}

static void pieces_are_read_back_as_they_were_added(void **state)
{
    (void)state;
    for_all(check_storing);
}

static void check_abort(made *m, size_t maker)
{
    if (makers[maker].direct)
        return;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_target_object *object = NULL;
    const uint64_t index[4] = { 0 };
    assert_ok(m->target->class->object_begin(m->target, index, &object, &err), &err);
    assert_ok(m->target->class->object_add(object, 0, "12345678", 8, &err), &err);
    m->target->class->object_abort(object);
    assert_true(check_object(m, index, (stored){ 0, 0 }));
    assert_ok(m->target->class->object_begin(m->target, index, &object, &err), &err);
    m->target->class->object_abort(object);
    m->target->class->object_abort(NULL);
    assert_true(check_object(m, index, (stored){ 0, 0 }));
}

static void an_aborted_object_leaves_nothing(void **state)
{
    (void)state;
    for_all(check_abort);
}

static void check_growing(made *m, size_t maker)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    if (!makers[maker].grows)
        return;
    assert_ok(m->target->class->grow(m->target, 12345, &err), &err);
    assert_int_equal(m->target->info.shape[0], 12345);
    assert_int_equal(m->array->meta.shape[0], 12345);
}

static void a_target_that_grows_tells_its_array(void **state)
{
    (void)state;
    for_all(check_growing);
}

/* ---- single cases -------------------------------------------------------------------------- */

/* Make a target of an array of `n` float64 in one chunk. */
static nz_target *float_target(nwbz_store *store, const double *fill, uint64_t n, nwbz_array **array)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_target *target = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_FLOAT64;
    options.n_dims = 1;
    options.shape = options.chunk_shape = &n;
    options.fill_value = fill;
    options.codec = "none";
    assert_ok(nwbz_array_create(store, "/f", &options, array, &err), &err);
    assert_ok(nz_target_of_array(*array, false, &target, &err), &err);
    return target;
}

static size_t encoded_size(nz_target *target, const double *elements)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char out[256];
    void *worker = NULL;
    size_t n_out = 99;
    assert_true(target->info.piece_bound_bytes <= sizeof out);
    assert_ok(target->class->worker_new(target, &worker, &err), &err);
    assert_ok(target->class->encode_piece(target, worker, (uint64_t[NWBZ_MAX_DIMS]){ 0 }, elements, out, target->info.piece_bound_bytes, &n_out, &err),
              &err);
    target->class->worker_free(worker);
    return n_out;
}

static void fill_value_is_compared_bit_for_bit(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const uint64_t nan_bits = 0x7ff8000000000000, other_bits = 0x7ff8000000000001;
    double nan, other_nan, zeros[4] = { 0, 0, 0, 0 }, minus[4] = { 0, 0, 0, -0.0 };
    memcpy(&nan, &nan_bits, sizeof nan);
    memcpy(&other_nan, &other_bits, sizeof nan);
    const double nans[4] = { nan, nan, nan, nan }, one_other[4] = { nan, nan, nan, other_nan };
    for (int fill_is_nan = 0; fill_is_nan < 2; fill_is_nan++) {
        nwbz_store *store = NULL;
        nwbz_array *array = NULL;
        assert_ok(nwbz_store_new_memory(&store, &err), &err);
        nz_target *target = float_target(store, fill_is_nan ? &nan : NULL, 4, &array);
        assert_int_equal(encoded_size(target, fill_is_nan ? nans : zeros), 0);
        assert_int_equal(encoded_size(target, fill_is_nan ? one_other : minus), 32);
        assert_int_equal(encoded_size(target, fill_is_nan ? zeros : nans), 32);
        target->class->free(target);
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void an_object_of_several_blocks_is_checked_to_its_end(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const uint64_t n = 400 * 1000, index[1] = { 0 }; /* 3.2 MB: three blocks and a part */
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    assert_ok(nwbz_store_new_memory(&store, &err), &err);
    nz_target *target = float_target(store, NULL, n, &array);
    char *bytes = nz_malloc(n * 8), *key = target->class->object_key(target, index);
    for (uint64_t i = 0; i < n * 8; i++)
        bytes[i] = (char)(i * 31 >> 5);
    uint32_t crc = nz_crc32c(0, bytes, n * 8);
    made m = { .target = target };
    assert_ok(nwbz_store_put(store, key, bytes, n * 8, &err), &err);
    assert_true(check_object(&m, index, (stored){ n * 8, crc }));
    bytes[n * 8 - 1] ^= 1;
    assert_ok(nwbz_store_put(store, key, bytes, n * 8, &err), &err);
    assert_false(check_object(&m, index, (stored){ n * 8, crc }));
    nz_free(bytes);
    nz_free(key);
    target->class->free(target);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void an_object_of_nothing_but_fill_removes_what_was_there(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const uint64_t index[1] = { 0 };
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nz_target_object *object = NULL;
    uint64_t n_bytes = 99;
    uint32_t crc = 99;
    assert_ok(nwbz_store_new_memory(&store, &err), &err);
    nz_target *target = float_target(store, NULL, 4, &array);
    made m = { .target = target };
    char *key = target->class->object_key(target, index);
    assert_ok(nwbz_store_put(store, key, "old", 3, &err), &err);
    assert_ok(target->class->object_begin(target, index, &object, &err), &err);
    assert_ok(target->class->object_finish(object, &n_bytes, &crc, &err), &err);
    assert_int_equal(n_bytes, 0);
    assert_true(check_object(&m, index, (stored){ 0, 0 }));
    nz_free(key);
    target->class->free(target);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void what_takes_no_samples_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_store *store = NULL;
    nwbz_array *array = NULL;
    nz_target *target = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_STRING;
    assert_ok(nwbz_store_new_memory(&store, &err), &err);
    assert_ok(nwbz_array_create(store, "/text", &options, &array, &err), &err);
    assert_int_equal(nz_target_of_array(array, false, &target, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "text"));
    nwbz_array_close(array);
    options.type = NWBZ_INT8;
    assert_ok(nwbz_array_create(store, "/scalar", &options, &array, &err), &err);
    assert_int_equal(nz_target_of_array(array, true, &target, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "scalar"));
    assert_ok(nz_target_of_array(array, false, &target, &err), &err);
    assert_int_equal(target->class->grow(target, 5, &err), NWBZ_EINVAL);
    target->class->free(target);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void memory_that_cannot_be_right_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_target *target = NULL;
    int32_t memory[4] = { 0 };
    const uint64_t shape[2] = { 2, 2 }, cell[2] = { 1, 2 }, zero[2] = { 1, 0 }, large[2] = { UINT64_MAX / 2, 4 };
    nz_box all = { 2, { 0, 0 }, { 2, 2 } }, none = { 2, { 0, 0 }, { 0, 2 } },
           huge = { 2, { 0, 0 }, { UINT64_MAX / 2, 4 } };
    assert_int_equal(nz_target_of_memory(memory, NZ_DTYPE(NWBZ_STRING), 2, shape, &all, cell, &target, &err), NWBZ_EINVAL);
    assert_int_equal(nz_target_of_memory(memory, NZ_DTYPE(NWBZ_INT32), 33, shape, &all, cell, &target, &err), NWBZ_EINVAL);
    assert_int_equal(nz_target_of_memory(memory, NZ_DTYPE(NWBZ_INT32), 2, shape, &all, zero, &target, &err), NWBZ_EINVAL);
    assert_int_equal(nz_target_of_memory(memory, NZ_DTYPE(NWBZ_INT32), 2, large, &huge, cell, &target, &err), NWBZ_EINVAL);
    assert_int_equal(nz_target_of_memory(memory, NZ_DTYPE(NWBZ_INT32), 2, shape, &all, large, &target, &err), NWBZ_EINVAL);
    assert_int_equal(nz_target_of_memory(NULL, NZ_DTYPE(NWBZ_INT32), 2, shape, &all, cell, &target, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "16 bytes"));
    assert_null(target);
    assert_ok(nz_target_of_memory(NULL, NZ_DTYPE(NWBZ_INT32), 2, shape, &none, cell, &target, &err), &err);
    assert_non_null(target->info.direct);
    target->class->free(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_says_what_it_is),
        cmocka_unit_test(pieces_are_read_back_as_they_were_added),
        cmocka_unit_test(an_aborted_object_leaves_nothing),
        cmocka_unit_test(a_target_that_grows_tells_its_array),
        cmocka_unit_test(fill_value_is_compared_bit_for_bit),
        cmocka_unit_test(an_object_of_several_blocks_is_checked_to_its_end),
        cmocka_unit_test(an_object_of_nothing_but_fill_removes_what_was_there),
        cmocka_unit_test(what_takes_no_samples_is_refused),
        cmocka_unit_test(memory_that_cannot_be_right_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
