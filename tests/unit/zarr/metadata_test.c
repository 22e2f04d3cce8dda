/* Documents: what is written, every form that is read, and what is refused. */
#include "fixture.h"

#define GRID   "'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': [128, 6]}}"
#define KEYS   "'chunk_key_encoding': {'name': 'default', 'configuration': {'separator': '/'}}"
#define CODECS "'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}]"
#define REST   "'zarr_format': 3, 'node_type': 'array'"
#define GOOD   "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, " CODECS ", " REST "}"

/* The documents of docs/ON-DISK.md section 2. */
static const char golden_numbers[] =
    "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, "
    "'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}, {'name': 'zstd', 'configuration': {'level': "
    "0, 'checksum': false}}], "
    "'attributes': {'_DTYPE': 'int16', '_ARRAY_DIMENSIONS': ['num_times', 'num_channels'], 'unit': 'volts', "
    "'conversion': 1e-06, 'offset': 0.0, "
    "'resolution': -1.0}, 'zarr_format': 3, 'node_type': 'array', 'storage_transformers': []}";
static const char golden_text[] =
    "{'shape': [], 'data_type': 'string', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': "
    "[]}}, " KEYS ", 'fill_value': '', "
    "'codecs': [{'name': 'vlen-utf8', 'configuration': {}}, {'name': 'zstd', 'configuration': {'level': 0, 'checksum': "
    "false}}], "
    "'attributes': {'_DTYPE': 'str'}, 'zarr_format': 3, 'node_type': 'array', 'storage_transformers': []}";
static const char golden_bool[] = "{'shape': [3], 'data_type': 'bool', 'chunk_grid': {'name': 'regular', "
                                  "'configuration': {'chunk_shape': [3]}}, " KEYS ", 'fill_value': false, "
                                  "'codecs': [{'name': 'bytes'}, {'name': 'zstd', 'configuration': {'level': 0, "
                                  "'checksum': false}}], 'attributes': {}, 'zarr_format': 3, "
                                  "'node_type': 'array', 'storage_transformers': []}";
static const char golden_shards[] =
    "{'shape': [500, 6], 'data_type': 'int16', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': "
    "[256, 6]}}, " KEYS ", 'fill_value': -1, 'codecs': [{'name': 'sharding_indexed', 'configuration': {'chunk_shape': "
    "[64, 3], 'codecs': [{'name': 'bytes', 'configuration': "
    "{'endian': 'little'}}, {'name': 'zstd', 'configuration': {'level': 3, 'checksum': false}}], 'index_codecs': "
    "[{'name': 'bytes', 'configuration': "
    "{'endian': 'little'}}, {'name': 'crc32c'}], 'index_location': 'end'}}], 'attributes': {}, 'zarr_format': 3, "
    "'node_type': 'array', "
    "'storage_transformers': []}";

static void check_made(const nwbz_array_options *options, const char *golden)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nz_json *document = NULL;
    OK(nz_array_new(store, "/a", options, &array, &failed));
    OK(nz_array_meta_format(&array->meta, &document, &failed));
    assert_json_is(document, golden);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void what_is_written_is_the_contracts_document(void **state)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    (void)state;
    options.type = NWBZ_INT16;
    options.n_dims = 2;
    options.shape = (uint64_t[]){ 500, 6 };
    options.chunk_shape = (uint64_t[]){ 128, 6 };
    options.attributes_json =
        "{\"_DTYPE\": \"int16\", \"_ARRAY_DIMENSIONS\": [\"num_times\", \"num_channels\"], \"unit\": \"volts\", "
        "\"conversion\": 1e-06, \"offset\": 0.0, \"resolution\": -1.0}";
    check_made(&options, golden_numbers);
    options.attributes_json = NULL;
    options.chunk_shape = (uint64_t[]){ 64, 3 };
    options.shard_shape = (uint64_t[]){ 256, 6 };
    options.fill_value = &(int16_t){ -1 };
    options.codec = "zstd:3";
    check_made(&options, golden_shards);

    options = (nwbz_array_options)NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_STRING;
    options.attributes_json = "{\"_DTYPE\": \"str\"}";
    check_made(&options, golden_text);

    options = (nwbz_array_options)NWBZ_ARRAY_OPTIONS_INIT;
    options.type = NWBZ_BOOL;
    options.n_dims = 1;
    options.shape = (uint64_t[]){ 3 };
    check_made(&options, golden_bool);
}

static void what_is_written_is_read_the_same(void **state)
{
    static const char *const goldens[] = { golden_numbers, golden_text, golden_bool, golden_shards };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        nz_array_meta meta;
        nz_json *document = json_of(goldens[i]), *again = NULL;
        OK(nz_array_meta_parse(document, &meta, &failed));
        OK(nz_array_meta_format(&meta, &again, &failed));
        assert_json_is(again, goldens[i]);
        nz_array_meta_done(&meta);
        nz_json_free(document);
    }
}

static void a_group_has_three_members(void **state)
{
    nz_json *document = NULL, *attributes = json_of("{'description': 'd'}");
    (void)state;
    OK(nz_group_meta_format(attributes, &document, &failed));
    assert_json_is(document, "{'attributes': {'description': 'd'}, 'zarr_format': 3, 'node_type': 'group'}");
    OK(nz_group_meta_format(NULL, &document, &failed));
    assert_json_is(document, "{'attributes': {}, 'zarr_format': 3, 'node_type': 'group'}");
    nz_json_free(attributes);
}

/* Parse, and make the array so that the codecs are prepared too. */
static nwbz_code read_document(const char *text, nwbz_error *err)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nz_json *document = json_of(text);
    nwbz_code code = nz_array_of_document(store, "/a", document, &array, err);
    assert_int_equal(code == NWBZ_OK, array != NULL);
    nwbz_array_close(array);
    nz_json_free(document);
    nwbz_store_close(store);
    return code;
}

static void every_form_that_others_write_is_read(void **state)
{
    static const char *const documents[] = {
        GOOD,
        /* names in the short form, members that may be missing */
        "{'zarr_format': 3, 'node_type': 'array', 'shape': [4], 'data_type': 'uint8', 'chunk_grid': {'name': "
        "'regular', 'configuration': "
        "{'chunk_shape': [2]}}, 'chunk_key_encoding': 'default', 'fill_value': 0, 'codecs': ['bytes']}",
        "{" REST ", 'shape': [4], 'data_type': {'name': 'uint8'}, 'chunk_grid': {'name': 'regular', 'configuration': "
        "{'chunk_shape': [2]}}, "
        "'chunk_key_encoding': {'name': 'v2'}, 'fill_value': 0, 'codecs': [{'name': 'bytes', 'configuration': {}}, "
        "'crc32c']}",
        /* members with null for none */
        "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, " CODECS
        ", 'attributes': null, 'dimension_names': null, "
        "'storage_transformers': null, " REST "}",
        /* names of axes, and members that need not be understood */
        "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, " CODECS
        ", 'dimension_names': ['t', null], "
        "'note': {'must_understand': false, 'x': 1}, 'consolidated_metadata': {'kind': 'inline', 'must_understand': "
        "false, 'metadata': {}}, " REST "}",
        /* what zarr-python once wrote for an axis of 0 */
        "{'shape': [0], 'data_type': 'uint8', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': "
        "[0]}}, " KEYS ", 'fill_value': 0, 'codecs': [{'name': 'bytes'}], " REST "}",
        /* big-endian; shards with the index at the start, and with the usual index codecs left out */
        "{'shape': [4], 'data_type': 'float32', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': "
        "[4]}}, " KEYS ", 'fill_value': 'NaN', 'codecs': [{'name': 'bytes', 'configuration': {'endian': 'big'}}, "
        "{'name': 'gzip', 'configuration': {'level': 1}}], " REST "}",
        "{'shape': [4], 'data_type': 'uint8', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': "
        "[4]}}, " KEYS ", 'fill_value': 0, 'codecs': [{'name': 'sharding_indexed', 'configuration': {'chunk_shape': "
        "[2], 'codecs': ['bytes'], 'index_location': "
        "'start'}}], " REST "}",
        "{'shape': [4], 'data_type': 'string', 'chunk_grid': {'name': 'regular', 'configuration': {'chunk_shape': "
        "[4]}}, " KEYS ", 'fill_value': 'x', 'codecs': [{'name': 'sharding_indexed', 'configuration': {'chunk_shape': "
        "[2], 'codecs': ['vlen-utf8'], 'index_codecs': "
        "[{'name': 'bytes', 'configuration': {'endian': 'big'}}]}}], " REST "}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        OK(read_document(documents[i], &failed));
}

typedef struct refusal {
    nwbz_code code;
    const char *words; /* the message names this */
    const char *document;
} refusal;

#define WITH(member)                                                                                                   \
    "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, " CODECS ", " REST ", " member "}"
#define SHAPE(text)                                                                                                    \
    "{'shape': " text ", 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, " CODECS ", " REST "}"
#define TYPE(text)                                                                                                     \
    "{'shape': [500, 6], 'data_type': " text ", " GRID ", " KEYS ", 'fill_value': 0, " CODECS ", " REST "}"
#define CHUNKS(text)                                                                                                   \
    "{'shape': [500, 6], 'data_type': 'int16', 'chunk_grid': " text ", " KEYS ", 'fill_value': 0, " CODECS ", " REST "}"
#define KEYED(text)                                                                                                    \
    "{'shape': [500, 6], 'data_type': 'int16', " GRID ", 'chunk_key_encoding': " text ", 'fill_value': 0, " CODECS     \
    ", " REST "}"
#define CODED(text)                                                                                                    \
    "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, 'codecs': " text ", " REST "}"
#define SHARD(text) CODED("[{'name': 'sharding_indexed', 'configuration': " text "}]")
#define INNER       "'chunk_shape': [64, 3], 'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}]"

static const refusal refusals[] = {
    { NWBZ_EFORMAT, "no JSON object", "[]" },
    { NWBZ_EFORMAT, "no JSON object", "3" },
    { NWBZ_EFORMAT, "\"zarr_format\" is missing", "{}" },
    { NWBZ_EFORMAT, "\"zarr_format\" is true", "{'zarr_format': true}" },
    { NWBZ_EUNSUPPORTED, "Zarr format 2", "{'zarr_format': 2}" },
    { NWBZ_EUNSUPPORTED, "Zarr format 4", "{'zarr_format': 4}" },
    { NWBZ_EUNSUPPORTED, "draft", "{'zarr_format': 'https://purl.org/zarr/spec/protocol/core/3.0'}" },
    { NWBZ_EFORMAT, "\"node_type\" is missing", "{'zarr_format': 3}" },
    { NWBZ_EFORMAT, "\"node_type\" is \"folder\"", "{'zarr_format': 3, 'node_type': 'folder'}" },
    { NWBZ_EFORMAT, "of a group", "{'zarr_format': 3, 'node_type': 'group'}" },
    { NWBZ_EFORMAT, "\"attributes\" is [1]", WITH("'attributes': [1]") },
    { NWBZ_EUNSUPPORTED, "'extra'", WITH("'extra': 3") },
    { NWBZ_EUNSUPPORTED, "'extra'", WITH("'extra': {'must_understand': true}") },
    { NWBZ_EFORMAT, "dimension_names", WITH("'dimension_names': ['a']") },
    { NWBZ_EFORMAT, "dimension_names", WITH("'dimension_names': 'ab'") },
    { NWBZ_EFORMAT, "dimension_names", WITH("'dimension_names': ['a', 2]") },
    { NWBZ_EUNSUPPORTED, "storage transformer 'turn'", WITH("'storage_transformers': [{'name': 'turn'}]") },
    { NWBZ_EFORMAT, "storage_transformers", WITH("'storage_transformers': {}") },
    { NWBZ_EFORMAT, "\"shape\" is missing", "{" REST "}" },
    { NWBZ_EFORMAT, "\"shape\" is 500", SHAPE("500") },
    { NWBZ_EFORMAT, "\"shape\" is [500,", SHAPE("[500, -6]") },
    { NWBZ_EFORMAT, "2^63-1", SHAPE("[500, 9223372036854775808]") },
    { NWBZ_EFORMAT, "2^63-1", SHAPE("[500, 1e30]") },
    { NWBZ_EFORMAT, "2^63-1", SHAPE("[500, '6']") },
    { NWBZ_EFORMAT, "2^63-1", SHAPE("[500, 6.5]") },
    { NWBZ_EFORMAT, "2^63-1", SHAPE("[500, null]") },
    { NWBZ_EFORMAT, "has 2 axes where the array has 3", SHAPE("[500, 6, 1]") },
    { NWBZ_EUNSUPPORTED, "33 axes", SHAPE("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]") },
    { NWBZ_EUNSUPPORTED, "data type 'int12'", TYPE("'int12'") },
    { NWBZ_EUNSUPPORTED, "data type 'numpy.datetime64'",
      TYPE("{'name': 'numpy.datetime64', 'configuration': {'unit': 's'}}") },
    { NWBZ_EFORMAT, "data_type", TYPE("3") },
    { NWBZ_EFORMAT, "data_type", TYPE("{'configuration': {}}") },
    { NWBZ_EFORMAT, "fill_value", TYPE("'string'") },
    { NWBZ_EUNSUPPORTED, "chunk grid 'rectilinear'",
      CHUNKS("{'name': 'rectilinear', 'configuration': {'kind': 'inline', 'chunk_shapes': [4, 4]}}") },
    { NWBZ_EFORMAT, "\"chunk_shape\" is missing", CHUNKS("'regular'") },
    { NWBZ_EFORMAT, "1 or more", CHUNKS("{'name': 'regular', 'configuration': {'chunk_shape': [128, 0]}}") },
    { NWBZ_EFORMAT, "\"chunk_shape\" has 1 axes",
      CHUNKS("{'name': 'regular', 'configuration': {'chunk_shape': [128]}}") },
    { NWBZ_EUNSUPPORTED, "'tilt'",
      CHUNKS("{'name': 'regular', 'configuration': {'chunk_shape': [128, 6], 'tilt': 1}}") },
    { NWBZ_EFORMAT, "configuration", CHUNKS("{'name': 'regular', 'configuration': [128]}") },
    { NWBZ_ELIMIT, "more than 2^63-1 bytes",
      CHUNKS("{'name': 'regular', 'configuration': {'chunk_shape': [9223372036854775807, 2]}}") },
    { NWBZ_EUNSUPPORTED, "chunk key encoding 'fanout'", KEYED("{'name': 'fanout'}") },
    { NWBZ_EFORMAT, "separator", KEYED("{'name': 'default', 'configuration': {'separator': '-'}}") },
    { NWBZ_EFORMAT, "separator", KEYED("{'name': 'default', 'configuration': {'separator': 1}}") },
    { NWBZ_EFORMAT, "chunk_key_encoding", KEYED("[]") },
    { NWBZ_EFORMAT, "\"codecs\" is {", CODED("{}") },
    { NWBZ_EFORMAT, "codec", CODED("[]") },
    { NWBZ_EFORMAT, "\"codecs\" is 3", CODED("[3]") },
    { NWBZ_EUNSUPPORTED, "transpose",
      CODED("[{'name': 'transpose', 'configuration': {'order': [1, 0]}}, {'name': 'bytes', 'configuration': {'endian': "
            "'little'}}]") },
    { NWBZ_EUNSUPPORTED, "numcodecs.lzma",
      CODED("[{'name': 'bytes', 'configuration': {'endian': 'little'}}, {'name': 'numcodecs.lzma', 'configuration': "
            "{'level': 1}}]") },
    { NWBZ_EFORMAT, "", CODED("['vlen-utf8']") },
    { NWBZ_EUNSUPPORTED, "sharding_indexed",
      CODED("[{'name': 'sharding_indexed', 'configuration': {" INNER "}}, 'crc32c']") },
    { NWBZ_EUNSUPPORTED, "sharding_indexed",
      SHARD("{'chunk_shape': [64, 3], 'codecs': [{'name': 'sharding_indexed', 'configuration': {" INNER "}}]}") },
    { NWBZ_EFORMAT, "chunk_shape", CODED("['sharding_indexed']") },
    { NWBZ_EFORMAT, "chunk_shape", SHARD("{'chunk_shape': [64], 'codecs': ['bytes']}") },
    { NWBZ_EFORMAT, "no whole multiple",
      SHARD("{'chunk_shape': [60, 3], 'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}]}") },
    { NWBZ_EFORMAT, "chunk shape is 0",
      SHARD("{'chunk_shape': [0, 3], 'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}]}") },
    { NWBZ_EFORMAT, "codecs", SHARD("{'chunk_shape': [64, 3]}") },
    { NWBZ_EFORMAT, "index_location", SHARD("{" INNER ", 'index_location': 'middle'}") },
    { NWBZ_EUNSUPPORTED, "'flavour'", SHARD("{" INNER ", 'flavour': 1}") },
    { NWBZ_EUNSUPPORTED, "index_codecs",
      SHARD("{" INNER ", 'index_codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}, {'name': 'gzip', "
            "'configuration': {'level': 1}}]}") },
    { NWBZ_EFORMAT, "", SHARD("{" INNER ", 'index_codecs': []}") },
};

static void what_is_not_sound_or_not_ours_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_code code = read_document(refusals[i].document, &err);
        if (code != refusals[i].code || err.code != code || !strstr(err.message, refusals[i].words))
            fail_msg("refusal %zu: %s (%s) for %s", i, nwbz_code_name(code), err.message, refusals[i].document);
        assert_string_equal(err.where, "memory:/a");
    }
}

static void a_required_member_that_is_missing_is_named(void **state)
{
    static const char *const required[] = { "zarr_format", "node_type",          "shape",      "data_type",
                                            "chunk_grid",  "chunk_key_encoding", "fill_value", "codecs" };
    (void)state;
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        nz_array_meta meta;
        nz_json *document = json_of(GOOD);
        nz_json_remove(document, required[i]);
        REFUSED(NWBZ_EFORMAT, required[i], nz_array_meta_parse(document, &meta, &failed));
        nz_array_meta_done(&meta);
        nz_json_free(document);
    }
}

static void what_could_be_read_of_a_refused_array_is_kept_for_listing(void **state)
{
    nz_array_meta meta;
    nz_json *document = json_of(TYPE("'int12'"));
    (void)state;
    EXPECT(NWBZ_EUNSUPPORTED, nz_array_meta_parse(document, &meta, &failed));
    assert_int_equal(meta.n_dims, 2);
    assert_int_equal(meta.shape[0], 500);
    assert_int_equal(meta.piece_shape[1], 6);
    nz_array_meta_done(&meta);
    nz_json_free(document);
}

static void members_of_others_are_kept(void **state)
{
    nz_array_meta meta;
    nz_json *document = json_of(WITH("'dimension_names': ['t', null], 'note': {'must_understand': false}")),
            *again = NULL;
    (void)state;
    OK(nz_array_meta_parse(document, &meta, &failed));
    OK(nz_array_meta_format(&meta, &again, &failed));
    assert_json_is(again, "{'shape': [500, 6], 'data_type': 'int16', " GRID ", " KEYS ", 'fill_value': 0, " CODECS
                          ", 'attributes': {}, 'zarr_format': 3, 'node_type': 'array', 'storage_transformers': [], "
                          "'dimension_names': ['t', null], "
                          "'note': {'must_understand': false}}");
    nz_array_meta_done(&meta);
    nz_json_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_the_contracts_document),
        cmocka_unit_test(what_is_written_is_read_the_same),
        cmocka_unit_test(a_group_has_three_members),
        cmocka_unit_test(every_form_that_others_write_is_read),
        cmocka_unit_test(what_is_not_sound_or_not_ours_is_refused_by_name),
        cmocka_unit_test(a_required_member_that_is_missing_is_named),
        cmocka_unit_test(what_could_be_read_of_a_refused_array_is_kept_for_listing),
        cmocka_unit_test(members_of_others_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
