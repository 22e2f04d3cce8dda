/* Creating, opening and closing arrays. */
#include "fixture.h"

static nwbz_array_options options_of(nwbz_type type, unsigned n_dims, const uint64_t *shape, const uint64_t *chunk)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = type;
    options.n_dims = n_dims;
    options.shape = shape;
    options.chunk_shape = chunk;
    return options;
}

static const uint64_t shape[] = { 10, 4 }, chunk[] = { 4, 2 };

static void a_created_array_opens_as_what_it_is(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_info info;
    nwbz_array_options options = options_of(NWBZ_FLOAT32, 2, shape, chunk);
    uint32_t nan_bits = 0x7fc00123;
    (void)state;
    options.fill_value = &nan_bits;
    options.codec = "blosc:zstd:1:bitshuffle";
    options.shard_shape = (uint64_t[]){ 8, 4 };
    options.attributes_json = "{\"unit\": \"volts\", \"x\": NaN}";
    OK(nwbz_array_create(store, "/acquisition/ts/data", &options, &array, &failed));
    nwbz_array_close(array);
    OK(nwbz_array_open(store, "/acquisition/ts/data", &array, &failed));
    nwbz_array_get_info(array, &info);
    assert_int_equal(info.type, NWBZ_FLOAT32);
    assert_int_equal(info.n_dims, 2);
    assert_memory_equal(info.shape, shape, sizeof shape);
    assert_memory_equal(info.chunk_shape, chunk, sizeof chunk);
    assert_int_equal(info.shard_shape[0], 8);
    assert_int_equal(info.shard_shape[1], 4);
    assert_memory_equal(info.fill_value, &nan_bits, 4);
    assert_string_equal(info.codec, "blosc:zstd:1:bitshuffle");
    assert_non_null(strstr(info.attributes_json, "NaN"));
    assert_int_equal(info.zarr_format, 3);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void parents_are_made_where_they_are_absent(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = options_of(NWBZ_INT8, 2, shape, NULL);
    (void)state;
    OK(nwbz_group_create(store, "/a", "{\"kept\": 1}", &failed));
    OK(nwbz_array_create(store, "/a/b/c", &options, &array, &failed));
    nwbz_array_close(array);
    assert_true(nz_store_has(store, "zarr.json"));
    assert_true(nz_store_has(store, "a/b/zarr.json"));
    char *text = text_of(store, "a/zarr.json");
    assert_non_null(strstr(text, "kept"));
    nwbz_free(text);
    nwbz_store_close(store);
}

static void an_array_may_be_the_root(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = options_of(NWBZ_INT8, 0, NULL, NULL);
    (void)state;
    OK(nwbz_array_create(store, "/", &options, &array, &failed));
    char *key = nz_array_object_key(array, NULL);
    assert_string_equal(key, "c");
    nz_free(key);
    nwbz_array_close(array);
    OK(nwbz_array_open(store, "/", &array, &failed));
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void what_is_there_is_not_replaced(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = options_of(NWBZ_INT8, 2, shape, NULL);
    (void)state;
    OK(nwbz_group_create(store, "/g", NULL, &failed));
    OK(nwbz_array_create(store, "/a", &options, &array, &failed));
    nwbz_array_close(array);
    REFUSED(NWBZ_EEXIST, "already there", nwbz_array_create(store, "/g", &options, &array, &failed));
    REFUSED(NWBZ_EEXIST, "already there", nwbz_array_create(store, "/a", &options, &array, &failed));
    REFUSED(NWBZ_EEXIST, "'/a' is an array", nwbz_array_create(store, "/a/b", &options, &array, &failed));
    REFUSED(NWBZ_EEXIST, "'/a' is an array", nwbz_group_create(store, "/a/b/c", NULL, &failed));
    REFUSED(NWBZ_EEXIST, "an array is there", nwbz_group_create(store, "/a", NULL, &failed));
    assert_null(array);
    nwbz_store_close(store);
}

static void options_that_cannot_be_right_are_refused(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    const uint64_t big[] = { UINT64_C(1) << 40, UINT64_C(1) << 40 };
    nwbz_array_options options = options_of(NWBZ_INT16, 2, shape, chunk);
    (void)state;
#define TRY_OPTIONS(code, words) REFUSED(code, words, nwbz_array_create(store, "/a", &options, &array, &failed))
    options.type = NWBZ_TYPE_NONE;
    TRY_OPTIONS(NWBZ_EINVAL, "type");
    options = options_of(NWBZ_INT16, 33, shape, chunk);
    TRY_OPTIONS(NWBZ_EINVAL, "33 axes, of at most 32");
    options = options_of(NWBZ_INT16, 2, NULL, chunk);
    TRY_OPTIONS(NWBZ_EINVAL, "needs a shape");
    options = options_of(NWBZ_INT16, 2, shape, (uint64_t[]){ 4, 0 });
    TRY_OPTIONS(NWBZ_EINVAL, "0; it must be 1 or more");
    options = options_of(NWBZ_INT16, 2, shape, NULL);
    options.shard_shape = shape;
    TRY_OPTIONS(NWBZ_EINVAL, "shards need a chunk shape");
    options.chunk_shape = chunk;
    TRY_OPTIONS(NWBZ_EINVAL, "shards of 10 are no whole multiple of chunks of 4");
    options = options_of(NWBZ_INT16, 2, big, big);
    TRY_OPTIONS(NWBZ_ELIMIT, "bytes");
    options = options_of(NWBZ_INT16, 2, shape, chunk);
    options.codec = "lzma";
    TRY_OPTIONS(NWBZ_EINVAL, "lzma");
    options.codec = NULL;
    options.attributes_json = "[1]";
    TRY_OPTIONS(NWBZ_EINVAL, "one JSON object");
    options.attributes_json = "{\"a\": ";
    TRY_OPTIONS(NWBZ_EINVAL, "");
    options = options_of(NWBZ_STRING, 2, shape, chunk);
    options.fill_value = &(nwbz_string){ "\xff", 1 };
    TRY_OPTIONS(NWBZ_EINVAL, "UTF-8");
    options = options_of(NWBZ_BOOL, 2, shape, chunk);
    options.fill_value = &(unsigned char){ 2 };
    TRY_OPTIONS(NWBZ_EINVAL, "no bool");
    options.struct_size = 0;
    TRY_OPTIONS(NWBZ_EINVAL, "NWBZ_ARRAY_OPTIONS_INIT");
    REFUSED(NWBZ_EINVAL, "NWBZ_ARRAY_OPTIONS_INIT", nwbz_array_create(store, "/a", NULL, &array, &failed));
    options = options_of(NWBZ_INT16, 2, shape, chunk);
    REFUSED(NWBZ_EINVAL, "zarr.json", nwbz_array_create(store, "/zarr.json", &options, &array, &failed));
    assert_null(array);
    assert_false(nz_store_has(store, "a/zarr.json"));
    nwbz_store_close(store);
}

static void a_caller_of_an_older_version_passes_fewer_options(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = options_of(NWBZ_INT16, 2, shape, chunk);
    (void)state;
    options.attributes_json = "{\"not\": \"read\"}";
    options.struct_size = offsetof(nwbz_array_options, attributes_json);
    OK(nwbz_array_create(store, "/a", &options, &array, &failed));
    assert_string_equal(array->attributes_text, "{}");
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void opening_says_what_is_wrong(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    (void)state;
    OK(nwbz_group_create(store, "/g", NULL, &failed));
    put_text(store, "broken/zarr.json", "{'shape': ");
    put_text(store, "old/.zarray", "{}");
    put_text(store, "oldgroup/.zgroup", "{}");
    REFUSED(NWBZ_ENOTFOUND, "no group or array", nwbz_array_open(store, "/absent", &array, &failed));
    REFUSED(NWBZ_ENOTFOUND, "a group is there", nwbz_array_open(store, "/g", &array, &failed));
    REFUSED(NWBZ_EFORMAT, "", nwbz_array_open(store, "/broken", &array, &failed));
    REFUSED(NWBZ_EUNSUPPORTED, "Zarr format 2", nwbz_array_open(store, "/old", &array, &failed));
    REFUSED(NWBZ_EUNSUPPORTED, "Zarr format 2", nwbz_array_open(store, "/oldgroup", &array, &failed));
    REFUSED(NWBZ_EINVAL, "", nwbz_array_open(store, "/../g", &array, &failed));
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nwbz_array_open(store, "/broken", &array, &err), NWBZ_EFORMAT);
    assert_string_equal(err.where, "memory:/broken");
    assert_null(array);
    nwbz_array_close(NULL);
    nwbz_store_close(store);
}

static void the_document_follows_the_shape(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_options options = options_of(NWBZ_INT16, 2, (uint64_t[]){ 0, 4 }, chunk);
    (void)state;
    OK(nwbz_array_create(store, "/a", &options, &array, &failed));
    array->meta.shape[0] = 12;
    OK(nz_array_put_document(array, &failed));
    nwbz_array_close(array);
    OK(nwbz_array_open(store, "/a", &array, &failed));
    assert_int_equal(array->meta.shape[0], 12);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

/* Metadata of 10 x 4 elements of `type` in chunks of 4 x 2. */
static nz_array_meta meta_of(nwbz_type type, const char *codecs)
{
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    meta.dtype = nz_dtype_of(type);
    meta.n_dims = 2;
    memcpy(meta.shape, shape, sizeof shape);
    memcpy(meta.piece_shape, chunk, sizeof chunk);
    memcpy(meta.object_shape, chunk, sizeof chunk);
    meta.codecs = codecs ? json_of(codecs) : NULL;
    return meta;
}

static void an_array_made_of_metadata_says_its_codecs_in_full(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_info info;
    nz_array_meta meta = meta_of(NWBZ_INT16, "[{'name': 'bytes', 'configuration': {'endian': 'little'}}, 'zstd']");
    (void)state;
    meta.object_shape[0] = 8;
    meta.sharded = true;
    meta.attributes = json_of("{'unit': 'volts'}");
    OK(nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    assert_null(meta.codecs);
    assert_null(meta.attributes);
    assert_int_equal(meta.n_dims, 0);
    assert_false(nz_store_has(store, "a/zarr.json"));
    OK(nz_array_put_document(array, &failed));
    nwbz_array_close(array);
    OK(nwbz_array_open(store, "/a", &array, &failed));
    nwbz_array_get_info(array, &info);
    assert_string_equal(info.codec, "zstd:0");
    assert_string_equal(info.attributes_json, "{\"unit\": \"volts\"}");
    assert_int_equal(info.shard_shape[0], 8);
    char *text = text_of(store, "a/zarr.json");
    assert_non_null(strstr(text, "{\"name\": \"zstd\", \"configuration\": {\"level\": 0, \"checksum\": false}}"));
    assert_non_null(strstr(text, "\"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, "
                                 "{\"name\": \"crc32c\"}]"));
    nwbz_free(text);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void metadata_that_cannot_be_right_are_refused_and_emptied(void **state)
{
    static const char numbers[] = "[{'name': 'bytes', 'configuration': {'endian': 'little'}}]";
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    (void)state;
    nz_array_meta meta = meta_of(NWBZ_TYPE_NONE, numbers);
    REFUSED(NWBZ_EINVAL, "needs a type", nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    assert_null(array);
    assert_null(meta.codecs);
    meta = meta_of(NWBZ_INT16, NULL);
    REFUSED(NWBZ_EINVAL, "needs codecs", nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    meta = meta_of(NWBZ_INT16, numbers);
    meta.piece_shape[1] = 0;
    REFUSED(NWBZ_EINVAL, "is 0", nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    meta = meta_of(NWBZ_INT16, numbers);
    meta.n_dims = NWBZ_MAX_DIMS + 1;
    REFUSED(NWBZ_EINVAL, "33 axes", nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    meta = meta_of(NWBZ_STRING, numbers);
    REFUSED(NWBZ_EFORMAT, "string", nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    meta = meta_of(NWBZ_INT16, "['vlen-utf8']");
    REFUSED(NWBZ_EFORMAT, "int16", nz_array_new_of_meta(store, "/a", &meta, &array, &failed));
    nwbz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_created_array_opens_as_what_it_is),
        cmocka_unit_test(parents_are_made_where_they_are_absent),
        cmocka_unit_test(an_array_may_be_the_root),
        cmocka_unit_test(what_is_there_is_not_replaced),
        cmocka_unit_test(options_that_cannot_be_right_are_refused),
        cmocka_unit_test(a_caller_of_an_older_version_passes_fewer_options),
        cmocka_unit_test(opening_says_what_is_wrong),
        cmocka_unit_test(the_document_follows_the_shape),
        cmocka_unit_test(an_array_made_of_metadata_says_its_codecs_in_full),
        cmocka_unit_test(metadata_that_cannot_be_right_are_refused_and_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
