/* Objects written and pieces read: chunks, shards with the index at either end, and damaged ones. */
#include "fixture.h"

#include "base/crc32c.h"
#include "zarr/shard.h"

enum { ROWS = 10, COLUMNS = 6 };

/* An array of 10 x 6 int32 in chunks of 4 x 2, in shards of 8 x 4 where asked. */
static nwbz_array *make_array(nwbz_store *store, bool sharded, bool index_at_end, const char *codec)
{
    nwbz_array *array = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_INT32;
    options.n_dims = 2;
    options.shape = (uint64_t[]){ ROWS, COLUMNS };
    options.chunk_shape = (uint64_t[]){ 4, 2 };
    options.shard_shape = sharded ? (uint64_t[]){ 8, 4 } : NULL;
    options.fill_value = &(int32_t){ -7 };
    options.codec = codec;
    OK(nwbz_array_create(store, "/d/a", &options, &array, &failed));
    array->meta.index_at_end = index_at_end;
    OK(nz_array_put_document(array, &failed));
    return array;
}

/* The piece at a place of the grid of pieces: its elements say where they are. */
static void make_piece(uint64_t row, uint64_t column, int32_t *elements)
{
    for (int i = 0; i < 8; i++)
        elements[i] = (int32_t)(row * 1000 + column * 100) + i;
}

static void check_piece(nwbz_array *array, nz_array_reader *reader, uint64_t row, uint64_t column, bool stored)
{
    int32_t expected[8], got[8] = { 0 };
    make_piece(row, column, expected);
    for (int i = 0; i < 8 && !stored; i++)
        expected[i] = -7;
    OK(nz_array_read_piece(array, reader, (uint64_t[]){ row, column }, got, &failed));
    assert_memory_equal(got, expected, sizeof got);
}

static void a_chunk_is_written_and_read(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, false, true, "zstd:1+crc32c");
    nz_array_reader *reader = NULL;
    nz_object *object = NULL;
    int32_t piece[8];
    uint64_t n_bytes = 0;
    uint32_t crc = 0;
    (void)state;
    make_piece(2, 1, piece);
    OK(nz_object_begin(array, (uint64_t[]){ 2, 1 }, &object, &failed));
    add_piece(array, object, 0, piece);
    OK(nz_object_finish(object, &n_bytes, &crc, &failed));
    char *stored = text_of(store, "d/a/c/2/1");
    assert_int_equal(crc, nz_crc32c(0, stored, n_bytes));
    nwbz_free(stored);
    OK(nz_array_reader_new(array, &reader, &failed));
    check_piece(array, reader, 2, 1, true);
    check_piece(array, reader, 0, 0, false);
    nz_array_reader_free(reader);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* Write shard (row, column) with the pieces at the given positions. */
static void put_shard(nwbz_array *array, uint64_t row, uint64_t column, const int *positions, size_t n,
                      uint64_t *n_bytes, uint32_t *crc)
{
    nz_object *object = NULL;
    int32_t piece[8];
    OK(nz_object_begin(array, (uint64_t[]){ row, column }, &object, &failed));
    for (size_t i = 0; i < n; i++) {
        make_piece(row * 2 + (uint64_t)positions[i] / 2, column * 2 + (uint64_t)positions[i] % 2, piece);
        add_piece(array, object, (uint64_t)positions[i], piece);
    }
    OK(nz_object_finish(object, n_bytes, crc, &failed));
}

static void a_shard_is_read_with_its_index_at_either_end(void **state)
{
    (void)state;
    for (int at_end = 0; at_end < 2; at_end++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = make_array(store, true, at_end, "gzip:1");
        nz_array_reader *reader = NULL;
        uint64_t n_bytes = 0;
        uint32_t crc = 0;
        void *bytes = NULL;
        size_t n = 0;
        put_shard(array, 0, 1, (int[]){ 0, 3 }, 2, &n_bytes, &crc);
        put_shard(array, 0, 0, (int[]){ 0, 1, 2, 3 }, 4, &n_bytes, &crc);
        OK(nwbz_store_get(store, "d/a/c/0/0", &bytes, &n, &failed));
        assert_int_equal(n, n_bytes);
        assert_int_equal(crc, nz_crc32c(0, bytes, n));
        nwbz_free(bytes);
        nwbz_array_close(array);

        OK(nwbz_array_open(store, "/d/a", &array, &failed));
        assert_int_equal(array->meta.index_at_end, at_end);
        OK(nz_array_reader_new(array, &reader, &failed));
        for (uint64_t row = 0; row < 2; row++)
            for (uint64_t column = 0; column < 2; column++)
                check_piece(array, reader, row, column, true);
        check_piece(array, reader, 0, 2, true);
        check_piece(array, reader, 1, 2, false);
        check_piece(array, reader, 0, 0, true);
        check_piece(array, reader, 2, 0, false); /* a shard that is not there */
        nz_array_reader_free(reader);
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void an_object_without_pieces_is_not_stored_and_an_older_one_goes(void **state)
{
    (void)state;
    for (int sharded = 0; sharded < 2; sharded++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = make_array(store, sharded, true, "none");
        uint64_t n_bytes = 9;
        uint32_t crc = 9;
        put_shard(array, 0, 0, (int[]){ 0 }, 1, &n_bytes, &crc);
        assert_true(nz_store_has(store, "d/a/c/0/0"));
        put_shard(array, 0, 0, NULL, 0, &n_bytes, &crc);
        assert_false(nz_store_has(store, "d/a/c/0/0"));
        assert_int_equal(n_bytes, 0);
        put_shard(array, 0, 0, NULL, 0, &n_bytes, &crc); /* nor is it an error when there was none */
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void an_aborted_object_leaves_nothing(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, true, true, "none");
    nz_object *object = NULL;
    int32_t piece[8];
    (void)state;
    make_piece(0, 0, piece);
    OK(nz_object_begin(array, (uint64_t[]){ 0, 0 }, &object, &failed));
    add_piece(array, object, 1, piece);
    REFUSED(NWBZ_EINVAL, "position 1, where 2 to 3", nz_object_add(object, 1, piece, sizeof piece, &failed));
    REFUSED(NWBZ_EINVAL, "position 4", nz_object_add(object, 4, piece, sizeof piece, &failed));
    nz_object_abort(object);
    nz_object_abort(NULL);
    assert_false(nz_store_has(store, "d/a/c/0/0"));
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* Read the piece (0, 1) of what lies at the key and expect a refusal. */
static void expect_damage(nwbz_array *array, const char *words, const char *where)
{
    nz_array_reader *reader = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    int32_t got[8];
    OK(nz_array_reader_new(array, &reader, &failed));
    nwbz_code code = nz_array_read_piece(array, reader, (uint64_t[]){ 0, 1 }, got, &err);
    if (code != NWBZ_EFORMAT || !strstr(err.message, words))
        fail_msg("%s: %s", nwbz_code_name(code), err.message);
    assert_string_equal(err.where, where);
    nz_array_reader_free(reader);
}

static void a_damaged_chunk_is_an_error_that_names_it(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, false, true, "none");
    char bytes[200] = { 0 };
    (void)state;
    OK(nwbz_store_put(store, "d/a/c/0/1", bytes, 31, &failed));
    expect_damage(array, "31", "memory:/d/a chunk 0/1");
    OK(nwbz_store_put(store, "d/a/c/0/1", bytes, 33, &failed));
    expect_damage(array, "33", "memory:/d/a chunk 0/1");
    OK(nwbz_store_put(store, "d/a/c/0/1", bytes, 0, &failed));
    expect_damage(array, "", "memory:/d/a chunk 0/1");
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_chunk_larger_than_its_codecs_can_make_is_not_read(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, false, true, "none");
    size_t n = 1 << 20;
    char *bytes = calloc(1, n);
    (void)state;
    OK(nwbz_store_put(store, "d/a/c/0/1", bytes, n, &failed));
    expect_damage(array, "cannot need", "memory:/d/a chunk 0/1");
    free(bytes);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* Store a shard of 4 entries with its checksum, pieces of zeros before it. */
static void put_index(nwbz_store *store, const nz_shard_entry *entries)
{
    char bytes[128 + 68] = { 0 };
    memcpy(bytes + 128, entries, 64);
    uint32_t crc = nz_crc32c(0, bytes + 128, 64);
    memcpy(bytes + 192, &crc, 4);
    OK(nwbz_store_put(store, "d/a/c/0/0", bytes, sizeof bytes, &failed));
}

static void a_damaged_index_is_an_error_that_names_the_shard(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, true, true, "none");
    const nz_shard_entry none = { NZ_SHARD_ABSENT, NZ_SHARD_ABSENT };
    const char *where = "memory:/d/a shard 0/0 chunk 0/1";
    char bytes[68] = { 0 };
    (void)state;
    OK(nwbz_store_put(store, "d/a/c/0/0", bytes, 67, &failed));
    expect_damage(array, "67 bytes, fewer than the 68 of its index", where);
    OK(nwbz_store_put(store, "d/a/c/0/0", bytes, 68, &failed));
    expect_damage(array, "crc", where);
    put_index(store, (nz_shard_entry[]){ none, { 0, 197 }, none, none });
    expect_damage(array, "at 0 with 197 bytes, in a shard of 196", where);
    put_index(store, (nz_shard_entry[]){ none, { 165, 32 }, none, none });
    expect_damage(array, "at 165 with 32", where);
    put_index(store, (nz_shard_entry[]){ none, { UINT64_MAX - 1, 32 }, none, none });
    expect_damage(array, "", where);
    put_index(store, (nz_shard_entry[]){ none, { 32, UINT64_MAX }, none, none });
    expect_damage(array, "", where);
    put_index(store, (nz_shard_entry[]){ none, { UINT64_MAX, 0 }, none, none });
    expect_damage(array, "", where);
    put_index(store, (nz_shard_entry[]){ { 0, 1000 }, none, none, none }); /* also when another piece is asked for */
    expect_damage(array, "chunk number 0", where);
    put_index(store, (nz_shard_entry[]){ none, { 0, 31 }, none, none });
    expect_damage(array, "31", where);
    put_index(store, (nz_shard_entry[]){ none, { 0, 0 }, none, none });
    expect_damage(array, "", where);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_good_shard_is_read_after_a_damaged_one(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, true, true, "none");
    nz_array_reader *reader = NULL;
    int32_t got[8];
    uint64_t n_bytes;
    uint32_t crc;
    (void)state;
    put_shard(array, 0, 0, (int[]){ 1 }, 1, &n_bytes, &crc);
    OK(nwbz_store_put(store, "d/a/c/1/0", "short", 5, &failed));
    OK(nz_array_reader_new(array, &reader, &failed));
    check_piece(array, reader, 0, 1, true);
    EXPECT(NWBZ_EFORMAT, nz_array_read_piece(array, reader, (uint64_t[]){ 2, 0 }, got, &failed));
    EXPECT(NWBZ_EFORMAT, nz_array_read_piece(array, reader, (uint64_t[]){ 2, 0 }, got, &failed));
    check_piece(array, reader, 0, 1, true);
    nz_array_reader_free(reader);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_scalar_has_one_chunk(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nz_object *object = NULL;
    nz_array_reader *reader = NULL;
    double value = 2.5, got = 0;
    uint64_t n_bytes;
    uint32_t crc;
    (void)state;
    options.type = NWBZ_FLOAT64;
    options.big_endian = true;
    OK(nwbz_array_create(store, "/s", &options, &array, &failed));
    OK(nz_object_begin(array, NULL, &object, &failed));
    add_piece(array, object, 0, &value);
    OK(nz_object_finish(object, &n_bytes, &crc, &failed));
    assert_true(nz_store_has(store, "s/c"));
    OK(nz_array_reader_new(array, &reader, &failed));
    OK(nz_array_read_piece(array, reader, NULL, &got, &failed));
    assert_true(got == 2.5);
    OK(nwbz_store_put(store, "s/c", "x", 1, &failed));
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nz_array_read_piece(array, reader, NULL, &got, &err), NWBZ_EFORMAT);
    assert_string_equal(err.where, "memory:/s chunk 0");
    nz_array_reader_free(reader);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void stored_bytes_are_fetched_as_they_are(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, false, true, "zstd:1");
    nz_array_reader *reader = NULL;
    const void *bytes = NULL;
    size_t n = 0;
    (void)state;
    OK(nwbz_store_put(store, "d/a/c/1/2", "any bytes", 9, &failed));
    OK(nwbz_store_put(store, "d/a/c/0/0", "", 0, &failed));
    OK(nz_array_reader_new(array, &reader, &failed));
    OK(nz_array_read_stored(array, reader, (uint64_t[]){ 1, 2 }, &bytes, &n, &failed));
    assert_int_equal(n, 9);
    assert_memory_equal(bytes, "any bytes", 9);
    OK(nz_array_read_stored(array, reader, (uint64_t[]){ 0, 0 }, &bytes, &n, &failed));
    assert_non_null(bytes);
    assert_int_equal(n, 0);
    OK(nz_array_read_stored(array, reader, (uint64_t[]){ 0, 1 }, &bytes, &n, &failed));
    assert_null(bytes);
    nz_array_reader_free(reader);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void stored_bytes_of_a_piece_in_a_shard_are_fetched_too(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, true, true, "none");
    nz_array_reader *reader = NULL;
    nz_object *object = NULL;
    int32_t piece[8];
    const void *bytes = NULL;
    size_t n = 0;
    uint64_t n_bytes;
    uint32_t crc;
    (void)state;
    make_piece(1, 1, piece);
    OK(nz_object_begin(array, (uint64_t[]){ 0, 0 }, &object, &failed));
    add_piece(array, object, 3, piece);
    OK(nz_object_finish(object, &n_bytes, &crc, &failed));
    OK(nz_array_reader_new(array, &reader, &failed));
    OK(nz_array_read_stored(array, reader, (uint64_t[]){ 1, 1 }, &bytes, &n, &failed));
    assert_int_equal(n, sizeof piece);
    assert_memory_equal(bytes, piece, n);
    OK(nz_array_read_stored(array, reader, (uint64_t[]){ 0, 1 }, &bytes, &n, &failed));
    assert_null(bytes);
    nwbz_error err = NWBZ_ERROR_INIT;
    OK(nwbz_store_put(store, "d/a/c/0/1", "short", 5, &failed));
    assert_int_equal(nz_array_read_stored(array, reader, (uint64_t[]){ 0, 2 }, &bytes, &n, &err), NWBZ_EFORMAT);
    assert_string_equal(err.where, "memory:/d/a shard 0/1 chunk 0/0");
    nz_array_reader_free(reader);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_stored_object_is_told_from_others_by_size_and_checksum(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, false, true, "none");
    const uint64_t index[] = { 1, 0 };
    uint32_t crc = nz_crc32c(0, "nine byte", 9);
    bool same = true;
    (void)state;
    OK(nz_array_object_check(array, index, 9, crc, &same, &failed));
    assert_false(same);
    OK(nz_array_object_check(array, index, 0, 0, &same, &failed));
    assert_true(same);
    OK(nwbz_store_put(store, "d/a/c/1/0", "nine byte", 9, &failed));
    OK(nz_array_object_check(array, index, 9, crc, &same, &failed));
    assert_true(same);
    OK(nz_array_object_check(array, index, 9, crc ^ 1, &same, &failed));
    assert_false(same);
    OK(nz_array_object_check(array, index, 8, crc, &same, &failed));
    assert_false(same);
    OK(nz_array_object_check(array, index, 0, 0, &same, &failed));
    assert_false(same);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void an_object_larger_than_a_block_is_checked_whole(void **state)
{
    enum { BYTES = 3 << 20 };
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, false, true, "none");
    char *bytes = calloc(1, BYTES);
    bool same = false;
    (void)state;
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 2654435761U >> 13);
    OK(nwbz_store_put(store, "d/a/c/0/0", bytes, BYTES - 5, &failed));
    OK(nz_array_object_check(array, (uint64_t[]){ 0, 0 }, BYTES - 5, nz_crc32c(0, bytes, BYTES - 5), &same, &failed));
    assert_true(same);
    bytes[BYTES - 6] ^= 1;
    OK(nz_array_object_check(array, (uint64_t[]){ 0, 0 }, BYTES - 5, nz_crc32c(0, bytes, BYTES - 5), &same, &failed));
    assert_false(same);
    free(bytes);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_is_written_and_read),
        cmocka_unit_test(a_shard_is_read_with_its_index_at_either_end),
        cmocka_unit_test(an_object_without_pieces_is_not_stored_and_an_older_one_goes),
        cmocka_unit_test(an_aborted_object_leaves_nothing),
        cmocka_unit_test(a_damaged_chunk_is_an_error_that_names_it),
        cmocka_unit_test(a_chunk_larger_than_its_codecs_can_make_is_not_read),
        cmocka_unit_test(a_damaged_index_is_an_error_that_names_the_shard),
        cmocka_unit_test(a_good_shard_is_read_after_a_damaged_one),
        cmocka_unit_test(a_scalar_has_one_chunk),
        cmocka_unit_test(stored_bytes_are_fetched_as_they_are),
        cmocka_unit_test(stored_bytes_of_a_piece_in_a_shard_are_fetched_too),
        cmocka_unit_test(a_stored_object_is_told_from_others_by_size_and_checksum),
        cmocka_unit_test(an_object_larger_than_a_block_is_checked_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
