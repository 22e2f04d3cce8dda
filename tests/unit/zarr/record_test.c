/* Arrays of records, of text of fixed width and of raw bytes. */
#include "fixture.h"

#define RECORD                                                                                                         \
    "{'name': 'struct', 'configuration': {'fields': [{'name': 'n', 'data_type': 'int16'}, {'name': 'x', 'data_type': " \
    "'float64'}, {'name': 't', 'data_type': {'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 8}}}, "   \
    "{'name': 'r', 'data_type': {'name': 'raw_bytes', 'configuration': {'length_bytes': 3}}}, {'name': 'in', "         \
    "'data_type': {'name': 'struct', 'configuration': {'fields': [{'name': 'b', 'data_type': 'bool'}, {'name': 'c', "  \
    "'data_type': 'complex64'}]}}}]}}"
#define FILL                                                                                                           \
    "{'n': -2, 'x': 'NaN', 't': '\xc3\xa4', 'r': 'AQID', 'in': {'b': true, 'c': [1.5, 'Infinity']}}"
#define LITTLE "[{'name': 'bytes', 'configuration': {'endian': 'little'}}]"
#define BIG    "[{'name': 'bytes', 'configuration': {'endian': 'big'}}]"

enum { RECORD_BYTES = 2 + 8 + 8 + 3 + 9 };

/* The record of FILL, as it lies in memory and little-endian on disk; and big-endian. */
static const unsigned char little[RECORD_BYTES] = { 0xfe, 0xff, 0, 0,    0,    0,    0, 0, 0xf8, 0x7f, 0xe4, 0, 0, 0, 0,
                                                    0,    0,    0, 1,    2,    3,    1, 0, 0,    0xc0, 0x3f, 0, 0, 0x80, 0x7f };
static const unsigned char big[RECORD_BYTES] = { 0xff, 0xfe, 0x7f, 0xf8, 0, 0, 0, 0, 0,    0,    0, 0, 0,    0xe4, 0,
                                                 0,    0,    0,    1,    2, 3, 1, 0x3f, 0xc0, 0,    0, 0x7f, 0x80, 0,    0 };

static void put_array(nwbz_store *store, const char *type, const char *fill, const char *codecs)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{'zarr_format': 3, 'node_type': 'array', 'shape': [5], 'data_type': %s, 'chunk_grid': {'name': 'regular', "
             "'configuration': {'chunk_shape': [2]}}, 'chunk_key_encoding': 'default', 'fill_value': %s, 'codecs': %s, "
             "'attributes': {}}",
             type, fill, codecs);
    put_text(store, "r/zarr.json", text);
}

static void the_fill_value_is_a_record(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    nwbz_array_info info;
    unsigned char read[5 * RECORD_BYTES];
    (void)state;
    put_array(store, RECORD, FILL, LITTLE);
    OK(nwbz_array_open(store, "/r", &array, &failed));
    nwbz_array_get_info(array, &info);
    assert_int_equal(info.type, NWBZ_STRUCT);
    assert_int_equal(info.element_bytes, RECORD_BYTES);
    assert_memory_equal(info.fill_value, little, RECORD_BYTES);
    assert_json_is(json_of(info.data_type_json), RECORD);
    assert_json_is(json_of(info.fill_value_json), FILL);
    OK(nwbz_array_read(array, (uint64_t[]){ 0 }, (uint64_t[]){ 5 }, read, sizeof read, NULL, &failed));
    for (int i = 0; i < 5; i++)
        assert_memory_equal(read + i * RECORD_BYTES, little, RECORD_BYTES);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void records_are_read_in_either_byte_order(void **state)
{
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = NULL;
        unsigned char stored[2 * RECORD_BYTES], read[3 * RECORD_BYTES];
        memcpy(stored, is_big ? big : little, RECORD_BYTES);
        memset(stored + RECORD_BYTES, 0, RECORD_BYTES);
        put_array(store, RECORD, "{}", is_big ? BIG : LITTLE);
        OK(nwbz_store_put(store, "r/c/1", stored, sizeof stored, &failed));
        OK(nwbz_array_open(store, "/r", &array, &failed));
        OK(nwbz_array_read(array, (uint64_t[]){ 1 }, (uint64_t[]){ 3 }, read, sizeof read, NULL, &failed));
        for (int i = 0; i < RECORD_BYTES; i++) {
            assert_int_equal(read[i], 0);
            assert_int_equal(read[2 * RECORD_BYTES + i], 0);
        }
        assert_memory_equal(read + RECORD_BYTES, little, RECORD_BYTES);
        REFUSED(NWBZ_EINVAL, "the box holds 90 bytes",
                nwbz_array_read(array, (uint64_t[]){ 1 }, (uint64_t[]){ 3 }, read, sizeof read - 1, NULL, &failed));
        OK(nwbz_store_put(store, "r/c/1", stored, sizeof stored - 1, &failed));
        EXPECT(NWBZ_EFORMAT,
               nwbz_array_read(array, (uint64_t[]){ 1 }, (uint64_t[]){ 3 }, read, sizeof read, NULL, &failed));
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void records_are_written_in_either_byte_order(void **state)
{
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = NULL;
        nz_array_meta meta = NZ_ARRAY_META_INIT;
        nz_object *object = NULL;
        unsigned char piece[2 * RECORD_BYTES];
        uint64_t n_bytes;
        uint32_t crc;
        put_array(store, RECORD, FILL, is_big ? BIG : LITTLE);
        char *text = text_of(store, "r/zarr.json");
        nz_json *document = json_of(text);
        OK(nz_array_meta_parse(document, &meta, &failed));
        OK(nz_array_new_of_meta(store, "/w", &meta, &array, &failed));
        OK(nz_array_put_document(array, &failed));
        memcpy(piece, little, RECORD_BYTES);
        memcpy(piece + RECORD_BYTES, little, RECORD_BYTES);
        OK(nz_object_begin(array, (uint64_t[]){ 1 }, &object, &failed));
        add_piece(array, object, 0, piece);
        OK(nz_object_finish(object, &n_bytes, &crc, &failed));
        void *stored = NULL;
        size_t n = 0;
        OK(nwbz_store_get(store, "w/c/1", &stored, &n, &failed));
        assert_int_equal(n, sizeof piece);
        assert_memory_equal(stored, is_big ? big : little, RECORD_BYTES);
        assert_memory_equal((char *)stored + RECORD_BYTES, is_big ? big : little, RECORD_BYTES);
        nwbz_free(stored);
        char *written = text_of(store, "w/zarr.json");
        nz_json *again = json_of(written);
        char *type = NULL;
        OK(nz_json_text_of(nz_json_get(again, "data_type"), &type, &failed));
        assert_json_is(json_of(type), RECORD);
        nz_free(type);
        OK(nz_json_text_of(nz_json_get(again, "codecs"), &type, &failed));
        assert_json_is(json_of(type), is_big ? BIG : LITTLE);
        nz_free(type);
        nz_json_free(again);
        nwbz_free(written);
        nwbz_free(text);
        nz_json_free(document);
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void elements_are_text(void **state)
{
    static const char json[] = "{\"n\": -2, \"x\": \"NaN\", \"t\": \"\xc3\xa4\", \"r\": \"AQID\", \"in\": {\"b\": true, "
                               "\"c\": [1.5, \"Infinity\"]}}";
    static const uint32_t quoted[] = { '"', 0 }, wrong[] = { 0xd800, 0 };
    static const struct {
        const char *type;
        const void *element;
        const char *text, *json;
    } cases[] = {
        { RECORD, little, json, json },
        { "{'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 8}}", quoted, "\"", "\"\\\"\"" },
        { "{'name': 'raw_bytes', 'configuration': {'length_bytes': 2}}", "\xff\x00", "/wA=", "\"/wA=\"" },
        { "'int8'", "\xff", "-1", "-1" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = NULL;
        char *text = NULL;
        put_array(store, cases[i].type, i == 0 ? "{}" : i == 1 ? "''" : i == 2 ? "'AAA='" : "0", LITTLE);
        OK(nwbz_array_open(store, "/r", &array, &failed));
        OK(nwbz_array_format_element(array, cases[i].element, NWBZ_STYLE_TEXT, &text, &failed));
        assert_string_equal(text, cases[i].text);
        nwbz_free(text);
        OK(nwbz_array_format_element(array, cases[i].element, NWBZ_STYLE_JSON, &text, &failed));
        assert_string_equal(text, cases[i].json);
        nwbz_free(text);
        if (i == 1)
            REFUSED(NWBZ_EFORMAT, "0x0000d800",
                    nwbz_array_format_element(array, wrong, NWBZ_STYLE_JSON, &text, &failed));
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

static void one_byte_fields_need_no_byte_order(void **state)
{
    nwbz_store *store = memory_store();
    nwbz_array *array = NULL;
    (void)state;
    put_array(store, "{'name': 'struct', 'configuration': {'fields': [['a', 'uint8'], ['b', 'r24']]}}", "{}", "['bytes']");
    OK(nwbz_array_open(store, "/r", &array, &failed));
    nwbz_array_close(array);
    put_array(store, RECORD, "{}", "['bytes']");
    REFUSED(NWBZ_EFORMAT, "\"endian\" is missing, and elements of type struct",
            nwbz_array_open(store, "/r", &array, &failed));
    put_array(store, RECORD, "{}", "['vlen-utf8']");
    REFUSED(NWBZ_EFORMAT, "not struct", nwbz_array_open(store, "/r", &array, &failed));
    nwbz_store_close(store);
}

static const struct fill {
    const char *type, *fill, *bits, *formatted; /* bits NULL: refused, with these words */
} fills[] = {
    { "['a', 'int16'], ['b', 'uint8']", "{'b': 3}", "000003", "{'a': 0, 'b': 3}" },
    { "['a', 'int16'], ['b', 'uint8']", "'AQID'", "010203", "{'a': 513, 'b': 3}" }, /* as older zarr-pythons write it */
    { "['a', 'int16'], ['b', 'uint8']", "'AQI='", NULL, "no value of struct" },
    { "['a', 'int16'], ['b', 'uint8']", "0", NULL, "no value of struct" },
    { "['a', 'int16'], ['b', 'uint8']", "[1, 2]", NULL, "no value of struct" },
    { "['a', 'int16'], ['b', 'uint8']", "{'b': 256}", NULL, "\"fill_value.b\" is 256: it is no value of uint8" },
    { "['a', 'int16'], ['b', 'uint8']", "{'c': 1}", NULL, "\"c\" is 1: a fill value for a field" },
    { "['a', ['x']]", "0", NULL, "data_type" },
    { "['a', {'name': 'struct', 'configuration': {'fields': [['x', 'bool']]}}]", "{'a': {'x': 1}}", NULL,
      "\"fill_value.a.x\" is 1" },
    { "['t', {'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 4}}]", "{'t': 'ab'}", NULL,
      "\"fill_value.t\" has 2 characters, of at most 1" },
    { "['t', {'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 4}}]", "{'t': 7}", NULL,
      "no value of fixed_length_utf32" },
    { "['r', 'r16']", "{'r': [1, 255]}", "01ff", "{'r': 'Af8='}" },
    { "['r', 'r16']", "{'r': [1, 256]}", NULL, "no value of raw_bytes" },
    { "['r', 'r16']", "{'r': [1]}", NULL, "no value of raw_bytes" },
    { "['r', 'r16']", "{'r': 'Af9='}", NULL, "no value of raw_bytes" },
};

static void fill_values_of_records_are_read_in_every_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        nwbz_store *store = memory_store();
        nwbz_array *array = NULL;
        char type[256], bits[16] = "";
        snprintf(type, sizeof type, "{'name': 'struct', 'configuration': {'fields': [%s]}}", fills[i].type);
        put_array(store, type, fills[i].fill, LITTLE);
        if (!fills[i].bits) {
            REFUSED(NWBZ_EFORMAT, fills[i].formatted, nwbz_array_open(store, "/r", &array, &failed));
        } else {
            nwbz_array_info info;
            OK(nwbz_array_open(store, "/r", &array, &failed));
            nwbz_array_get_info(array, &info);
            for (size_t k = 0; k < info.element_bytes; k++)
                snprintf(bits + 2 * k, 3, "%02x", ((const unsigned char *)info.fill_value)[k]);
            assert_string_equal(bits, fills[i].bits);
            assert_json_is(json_of(info.fill_value_json), fills[i].formatted);
        }
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fill_value_is_a_record),
        cmocka_unit_test(records_are_read_in_either_byte_order),
        cmocka_unit_test(records_are_written_in_either_byte_order),
        cmocka_unit_test(elements_are_text),
        cmocka_unit_test(one_byte_fields_need_no_byte_order),
        cmocka_unit_test(fill_values_of_records_are_read_in_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
