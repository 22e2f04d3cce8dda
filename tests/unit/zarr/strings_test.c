/* Arrays of text. */
#include "fixture.h"

static nwbz_array *make_array(nwbz_store *store, unsigned n_dims, const uint64_t *shape, const uint64_t *chunk,
                              const uint64_t *shard, const char *fill)
{
    nwbz_array *array = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nwbz_string fill_string = string_of(fill);
    options.type = NWBZ_STRING;
    options.n_dims = n_dims;
    options.shape = shape;
    options.chunk_shape = chunk;
    options.shard_shape = shard;
    options.fill_value = &fill_string;
    OK(nwbz_array_create(store, "/t", &options, &array, &failed));
    return array;
}

static bool is_text(const nwbz_string *element, const char *text)
{
    return element->n_bytes == strlen(text) && memcmp(element->bytes, text, element->n_bytes) == 0;
}

static void text_in_every_chunk_shape_is_read_equal(void **state)
{
    static const uint64_t shape[] = { 5, 3 };
    static const uint64_t chunks[][2] = { { 1, 1 }, { 2, 2 }, { 5, 3 }, { 7, 4 }, { 1, 3 }, { 5, 1 } };
    char texts[15][32];
    nwbz_string elements[15];
    (void)state;
    for (int i = 0; i < 15; i++) {
        snprintf(texts[i], sizeof texts[i], "%.*s\xc3\xa4%d", i, "abcdefghijklmnop", i);
        elements[i] = string_of(texts[i]);
    }
    elements[4] = (nwbz_string){ NULL, 0 };
    for (int c = 0; c < 12; c++) {
        nwbz_store *store = memory_store();
        uint64_t shard[] = { chunks[c % 6][0] * 2, chunks[c % 6][1] * 2 };
        nwbz_array *array = make_array(store, 2, shape, chunks[c % 6], c < 6 ? NULL : shard, "");
        nwbz_string *read = NULL;
        OK(nwbz_array_write_strings(array, elements, &failed));
        OK(nwbz_array_read_strings(array, (uint64_t[]){ 0, 0 }, shape, &read, &failed));
        for (int i = 0; i < 15; i++)
            assert_true(is_text(&read[i], i == 4 ? "" : texts[i]));
        nwbz_free(read);
        OK(nwbz_array_read_strings(array, (uint64_t[]){ 1, 1 }, (uint64_t[]){ 3, 2 }, &read, &failed));
        assert_true(is_text(&read[0], ""));
        assert_true(is_text(&read[1], texts[5]));
        assert_true(is_text(&read[5], texts[11]));
        nwbz_free(read);
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void a_short_last_chunk_is_padded_with_empty_text(void **state)
{
    static const unsigned char expected[] = { 3, 0, 0, 0, 1, 0, 0, 0, 'z', 0, 0, 0, 0, 0, 0, 0, 0 };
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    const nwbz_string elements[] = { { "w", 1 }, { "x", 1 }, { "y", 1 }, { "z", 1 } };
    (void)state;
    options.type = NWBZ_STRING;
    options.n_dims = 1;
    options.shape = (uint64_t[]){ 4 };
    options.chunk_shape = (uint64_t[]){ 3 };
    options.fill_value = &(nwbz_string){ "fill", 4 };
    options.codec = "none";
    OK(nwbz_array_create(store, "/t", &options, &array, &failed));
    OK(nwbz_array_write_strings(array, elements, &failed));
    void *bytes = NULL;
    size_t n;
    OK(nwbz_store_get(store, "t/c/1", &bytes, &n, &failed));
    assert_int_equal(n, sizeof expected);
    assert_memory_equal(bytes, expected, n);
    nwbz_free(bytes);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void chunks_of_nothing_but_fill_value_are_not_stored(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, 1, (uint64_t[]){ 5 }, (uint64_t[]){ 2 }, NULL, "f");
    const nwbz_string elements[] = { { "f", 1 }, { "f", 1 }, { "f", 1 }, { "", 0 }, { "f", 1 } },
                      all[] = { { "f", 1 }, { "f", 1 }, { "f", 1 }, { "f", 1 }, { "f", 1 } };
    nwbz_string *read = NULL;
    uint64_t n_objects, n_bytes;
    (void)state;
    OK(nwbz_array_write_strings(array, elements, &failed));
    assert_false(nz_store_has(store, "t/c/0"));
    assert_true(nz_store_has(store, "t/c/1"));
    assert_false(nz_store_has(store, "t/c/2"));
    OK(nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 5 }, &read, &failed));
    for (int i = 0; i < 5; i++)
        assert_true(is_text(&read[i], i == 3 ? "" : "f"));
    nwbz_free(read);
    OK(nwbz_array_write_strings(array, all, &failed)); /* what was stored before goes */
    OK(nwbz_array_stored(array, &n_objects, &n_bytes, &failed));
    assert_int_equal(n_objects, 0);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_scalar_and_an_axis_of_zero_are_text_too(void **state)
{
    nwbz_store *store = memory_store(), *empty_store = memory_store();
    nwbz_array *scalar = make_array(store, 0, NULL, NULL, NULL, ""),
               *empty = make_array(empty_store, 2, (uint64_t[]){ 0, 3 }, NULL, NULL, "x");
    nwbz_string *read = NULL;
    (void)state;
    OK(nwbz_array_write_strings(scalar, &(nwbz_string){ "one\0two", 7 }, &failed));
    OK(nwbz_array_read_strings(scalar, NULL, NULL, &read, &failed));
    assert_int_equal(read[0].n_bytes, 7);
    assert_memory_equal(read[0].bytes, "one\0two", 7);
    nwbz_free(read);
    OK(nwbz_array_write_strings(empty, NULL, &failed));
    OK(nwbz_array_read_strings(empty, (uint64_t[]){ 0, 0 }, (uint64_t[]){ 0, 3 }, &read, &failed));
    assert_non_null(read);
    nwbz_free(read);
    nwbz_array_close(scalar);
    nwbz_array_close(empty);
    nwbz_store_close(store);
    nwbz_store_close(empty_store);
}

static void what_is_no_text_or_outside_is_refused(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, 1, (uint64_t[]){ 3 }, NULL, NULL, ""), *numbers = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    const nwbz_string elements[] = { { "a", 1 }, { "b", 1 }, { "\xc3", 1 } };
    nwbz_string *read = NULL;
    (void)state;
    options.type = NWBZ_INT8;
    OK(nwbz_array_create(store, "/n", &options, &numbers, &failed));
    REFUSED(NWBZ_EINVAL, "element 2 is not UTF-8", nwbz_array_write_strings(array, elements, &failed));
    assert_false(nz_store_has(store, "t/c/0"));
    REFUSED(NWBZ_EINVAL, "int8", nwbz_array_write_strings(numbers, elements, &failed));
    REFUSED(NWBZ_EINVAL, "int8", nwbz_array_read_strings(numbers, NULL, NULL, &read, &failed));
    REFUSED(NWBZ_EINVAL, "axis 0: 3 from 1 on are outside the array, which has 3",
            nwbz_array_read_strings(array, (uint64_t[]){ 1 }, (uint64_t[]){ 3 }, &read, &failed));
    REFUSED(NWBZ_EINVAL, "outside",
            nwbz_array_read_strings(array, (uint64_t[]){ 2 }, (uint64_t[]){ UINT64_MAX }, &read, &failed));
    assert_null(read);
    nwbz_array_close(array);
    nwbz_array_close(numbers);
    nwbz_store_close(store);
}

static void damaged_text_is_an_error_that_names_the_chunk(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    static const struct {
        const char *bytes;
        size_t n;
    } damaged[] = {
        { "\1\0\0\0\0\0\0\0", 8 },              /* one text where there are two */
        { "\2\0\0\0\0\0\0\0\5\0\0\0ab", 14 },   /* a length past the end */
        { "\2\0\0\0\0\0\0\0\1\0\0\0\xff", 13 }, /* not UTF-8 */
        { "\2\0", 2 },
        { "", 0 },
    };
    nwbz_string *read = NULL;
    (void)state;
    options.type = NWBZ_STRING;
    options.n_dims = 1;
    options.shape = (uint64_t[]){ 4 };
    options.chunk_shape = (uint64_t[]){ 2 };
    options.codec = "none";
    OK(nwbz_array_create(store, "/t", &options, &array, &failed));
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        OK(nwbz_store_put(store, "t/c/1", damaged[i].bytes, damaged[i].n, &failed));
        assert_int_equal(nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 4 }, &read, &err),
                         NWBZ_EFORMAT);
        assert_string_equal(err.where, "memory:/t chunk 1");
        assert_null(read);
    }
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_large_chunk_that_is_not_stored_costs_no_memory(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_string *read = NULL;
    (void)state;
    /* 400 million texts a chunk: 6.4 GB of elements */
    put_text(
        store, "t/zarr.json",
        "{'zarr_format': 3, 'node_type': 'array', 'shape': [2], 'data_type': 'string', 'chunk_grid': {'name': "
        "'regular', "
        "'configuration': {'chunk_shape': [400000000]}}, 'chunk_key_encoding': 'default', 'fill_value': 'f', 'codecs': "
        "['vlen-utf8']}");
    OK(nwbz_array_open(store, "/t", &array, &failed));
    OK(nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 2 }, &read, &failed));
    assert_true(is_text(&read[1], "f"));
    nwbz_free(read);
    OK(nwbz_store_put(store, "t/c/0", "\0\x84\xd7\x17", 4, &failed));
    REFUSED(NWBZ_EFORMAT, "too few for 400000000 texts",
            nwbz_array_read_strings(array, (uint64_t[]){ 0 }, (uint64_t[]){ 2 }, &read, &failed));
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* Both stores hold the same values under the same keys that begin with "t/c". */
static void assert_same_objects(nwbz_store *a, nwbz_store *b, const char *const *keys)
{
    for (; *keys; keys++) {
        assert_int_equal(nz_store_has(a, *keys), nz_store_has(b, *keys));
        if (!nz_store_has(a, *keys))
            continue;
        void *bytes[2];
        size_t n[2];
        OK(nwbz_store_get(a, *keys, &bytes[0], &n[0], &failed));
        OK(nwbz_store_get(b, *keys, &bytes[1], &n[1], &failed));
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        nwbz_free(bytes[0]);
        nwbz_free(bytes[1]);
    }
}

static void objects_put_one_by_one_are_those_of_the_whole(void **state)
{
    static const char *const keys[] = { "t/c/0/0", "t/c/0/1", "t/c/1/0", "t/c/1/1", "t/c/2/0", "t/c/2/1", NULL };
    static const uint64_t shape[] = { 5, 3 }, chunk[] = { 1, 1 }, object[] = { 2, 2 };
    char texts[15][16];
    nwbz_string elements[15], part[4];
    (void)state;
    for (int i = 0; i < 15; i++) {
        snprintf(texts[i], sizeof texts[i], "text %d", i);
        elements[i] = string_of(i / 3 < 2 && i % 3 < 2 ? "" : texts[i]); /* object 0/0 is nothing but fill value */
    }
    for (int sharded = 0; sharded < 2; sharded++) {
        nwbz_store *whole = memory_store(), *parts = memory_store();
        nwbz_array *a = make_array(whole, 2, shape, sharded ? chunk : object, sharded ? object : NULL, "");
        nwbz_array *b = make_array(parts, 2, shape, sharded ? chunk : object, sharded ? object : NULL, "");
        OK(nwbz_array_write_strings(a, elements, &failed));
        for (uint64_t row = 0; row < 3; row++)
            for (uint64_t column = 0; column < 2; column++) {
                nz_box box = { 2, { row * 2, column * 2 }, { row < 2 ? 2 : 1, column < 1 ? 2 : 1 } };
                uint64_t n = 0, n_bytes = 99;
                uint32_t crc = 99;
                bool same = false;
                for (uint64_t r = 0; r < box.shape[0]; r++)
                    for (uint64_t c = 0; c < box.shape[1]; c++)
                        part[n++] = elements[(box.start[0] + r) * 3 + box.start[1] + c];
                const uint64_t index[] = { row, column };
                OK(nz_array_put_strings(b, index, &box, part, &n_bytes, &crc, &failed));
                assert_int_equal(n_bytes == 0, row == 0 && column == 0);
                OK(nz_array_object_check(a, index, n_bytes, crc, &same, &failed));
                assert_true(same);
            }
        assert_same_objects(whole, parts, keys);
        nwbz_array_close(a);
        nwbz_array_close(b);
        nwbz_store_close(whole);
        nwbz_store_close(parts);
    }
}

static void an_object_takes_the_elements_of_its_box_and_no_others(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = make_array(store, 1, (uint64_t[]){ 5 }, (uint64_t[]){ 2 }, NULL, "");
    nwbz_string elements[] = { string_of("a"), string_of("\xff") };
    nz_box right = { 1, { 4 }, { 1 } }, too_long = { 1, { 4 }, { 2 } }, elsewhere = { 1, { 3 }, { 1 } };
    nz_box first = { 1, { 0 }, { 2 } }, scalar = { 0, { 0 }, { 0 } };
    uint64_t n_bytes;
    uint32_t crc;
    (void)state;
    OK(nz_array_put_strings(array, (uint64_t[]){ 2 }, &right, elements, &n_bytes, &crc, &failed));
    REFUSED(NWBZ_EINVAL, "2 elements from 4 on are given for an object of 1 from 4 on",
            nz_array_put_strings(array, (uint64_t[]){ 2 }, &too_long, elements, &n_bytes, &crc, &failed));
    REFUSED(NWBZ_EINVAL, "1 elements from 3 on",
            nz_array_put_strings(array, (uint64_t[]){ 2 }, &elsewhere, elements, &n_bytes, &crc, &failed));
    REFUSED(NWBZ_EINVAL, "no object 3",
            nz_array_put_strings(array, (uint64_t[]){ 3 }, &right, elements, &n_bytes, &crc, &failed));
    REFUSED(NWBZ_EINVAL, "no object",
            nz_array_put_strings(array, (uint64_t[]){ UINT64_MAX }, &right, elements, &n_bytes, &crc, &failed));
    REFUSED(NWBZ_EINVAL, "a box of 0 axes",
            nz_array_put_strings(array, (uint64_t[]){ 2 }, &scalar, elements, &n_bytes, &crc, &failed));
    REFUSED(NWBZ_EINVAL, "element 1 is not UTF-8",
            nz_array_put_strings(array, (uint64_t[]){ 0 }, &first, elements, &n_bytes, &crc, &failed));
    assert_false(nz_store_has(store, "t/c/0"));
    nwbz_array_close(array);
    nwbz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_in_every_chunk_shape_is_read_equal),
        cmocka_unit_test(a_short_last_chunk_is_padded_with_empty_text),
        cmocka_unit_test(chunks_of_nothing_but_fill_value_are_not_stored),
        cmocka_unit_test(a_scalar_and_an_axis_of_zero_are_text_too),
        cmocka_unit_test(what_is_no_text_or_outside_is_refused),
        cmocka_unit_test(damaged_text_is_an_error_that_names_the_chunk),
        cmocka_unit_test(a_large_chunk_that_is_not_stored_costs_no_memory),
        cmocka_unit_test(objects_put_one_by_one_are_those_of_the_whole),
        cmocka_unit_test(an_object_takes_the_elements_of_its_box_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
