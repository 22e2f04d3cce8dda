/* The "data_type" member: every form that is read, what is written, and what is refused. */
#include "fixture.h"

#include "zarr/data_type.h"

#define UTF32(n) "{'name': 'fixed_length_utf32', 'configuration': {'length_bytes': " #n "}}"
#define RAW(n)   "{'name': 'raw_bytes', 'configuration': {'length_bytes': " #n "}}"
#define STRUCT(fields) "{'name': 'struct', 'configuration': {'fields': [" fields "]}}"
#define FIELD(name, type) "{'name': '" name "', 'data_type': " type "}"

/* Each is written as it is read, or in the second form. */
static const char *const forms[][2] = {
    { "'int16'", NULL },
    { "'string'", NULL },
    { "{'name': 'float64'}", "'float64'" },
    { "{'name': 'float64', 'configuration': {}}", "'float64'" },
    { UTF32(4), NULL },
    { UTF32(67108864), NULL },
    { RAW(1), NULL },
    { "'r8'", RAW(1) },
    { "'r48'", RAW(6) },
    /* docs/ON-DISK.md section 7 */
    { STRUCT(FIELD("idx_start", "'int32'") ", " FIELD("count", "'int32'") ", " FIELD("timeseries", UTF32(2048))), NULL },
    { STRUCT(FIELD("", "'bool'") ", " FIELD("\xc3\xa4.b/c", "'complex128'")), NULL },
    { STRUCT(FIELD("in", STRUCT(FIELD("x", "'uint8'") ", " FIELD("r", RAW(3))))), NULL },
    { "{'name': 'structured', 'configuration': {'fields': [['a', 'int32'], ['b', " UTF32(8) "]]}}",
      STRUCT(FIELD("a", "'int32'") ", " FIELD("b", UTF32(8))) },
    { "{'name': 'struct', 'configuration': {'fields': [['a', 'int32'], {'name': 'b', 'data_type': 'r16'}]}}",
      STRUCT(FIELD("a", "'int32'") ", " FIELD("b", RAW(2))) },
};

static void every_form_is_read_and_one_is_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        nz_json *json = json_of(forms[i][0]), *formatted = NULL;
        nz_dtype dtype, copy;
        OK(nz_data_type_parse(json, &dtype, &failed));
        OK(nz_data_type_format(&dtype, &formatted, &failed));
        assert_json_is(formatted, forms[i][1] ? forms[i][1] : forms[i][0]);
        OK(nz_dtype_copy(&copy, &dtype, &failed));
        assert_true(nz_dtype_is(&copy, &dtype));
        nz_dtype_done(&copy);
        nz_dtype_done(&dtype);
        nz_json_free(json);
    }
}

static void fields_lie_behind_each_other_without_padding(void **state)
{
    nz_json *json = json_of(STRUCT(FIELD("a", "'uint8'") ", " FIELD("b", "'float64'") ", " FIELD(
        "c", STRUCT(FIELD("x", "'int16'") ", " FIELD("y", UTF32(12)))) ", " FIELD("d", "'bool'")));
    nz_dtype dtype;
    (void)state;
    OK(nz_data_type_parse(json, &dtype, &failed));
    assert_int_equal(dtype.type, NWBZ_STRUCT);
    assert_int_equal(dtype.n_fields, 4);
    assert_int_equal(dtype.element_bytes, 1 + 8 + 14 + 1);
    assert_int_equal(dtype.fields[1].offset_bytes, 1);
    assert_int_equal(dtype.fields[2].offset_bytes, 9);
    assert_int_equal(dtype.fields[2].dtype.fields[1].offset_bytes, 2);
    assert_int_equal(dtype.fields[3].offset_bytes, 23);
    assert_string_equal(dtype.fields[2].dtype.fields[1].name, "y");
    assert_true(nz_dtype_has_order(&dtype));
    nz_dtype_done(&dtype);
    nz_json_free(json);
}

static const struct refusal {
    nwbz_code code;
    const char *words, *json;
} refusals[] = {
    { NWBZ_EFORMAT, "data_type", "3" },
    { NWBZ_EFORMAT, "data_type", "{'configuration': {}}" },
    { NWBZ_EUNSUPPORTED, "'r7'", "'r7'" },
    { NWBZ_EUNSUPPORTED, "'r08'", "'r08'" },
    { NWBZ_EUNSUPPORTED, "'r99999999999999999999999'", "'r99999999999999999999999'" },
    { NWBZ_EUNSUPPORTED, "'null_terminated_bytes'", "{'name': 'null_terminated_bytes', 'configuration': {'length_bytes': 4}}" },
    { NWBZ_EUNSUPPORTED, "'int16'", "{'name': 'int16', 'configuration': {'endian': 'little'}}" },
    { NWBZ_EFORMAT, "\"length_bytes\" is missing", "'raw_bytes'" },
    { NWBZ_EFORMAT, "\"length_bytes\" is 0", RAW(0) },
    { NWBZ_EFORMAT, "\"length_bytes\" is -4", RAW(-4) },
    { NWBZ_EFORMAT, "\"length_bytes\" is 4.0", RAW(4.0) },
    { NWBZ_EFORMAT, "\"length_bytes\" is \"4\"", RAW('4') },
    { NWBZ_ELIMIT, "67108865 bytes, of at most 67108864", RAW(67108865) },
    { NWBZ_ELIMIT, "18446744073709551615 bytes", RAW(18446744073709551615) },
    { NWBZ_EFORMAT, "multiple of 4", UTF32(6) },
    { NWBZ_EUNSUPPORTED, "'width'", "{'name': 'fixed_length_utf32', 'configuration': {'length_bytes': 8, 'width': 2}}" },
    { NWBZ_EFORMAT, "\"fields\" is missing", "'struct'" },
    { NWBZ_EFORMAT, "\"fields\" is []", STRUCT("") },
    { NWBZ_EFORMAT, "\"fields\" is {}", "{'name': 'struct', 'configuration': {'fields': {}}}" },
    { NWBZ_EUNSUPPORTED, "'align'", "{'name': 'struct', 'configuration': {'fields': [['a', 'int8']], 'align': true}}" },
    { NWBZ_EFORMAT, "each field must be an object", STRUCT("'a'") },
    { NWBZ_EFORMAT, "each field must be an object", STRUCT("['a']") },
    { NWBZ_EFORMAT, "must have a \"name\"", STRUCT("{'data_type': 'int8'}") },
    { NWBZ_EFORMAT, "must have a \"name\"", STRUCT("[3, 'int8']") },
    { NWBZ_EFORMAT, "without NUL", STRUCT("['a\\u0000b', 'int8']") },
    { NWBZ_EFORMAT, "\"data_type\" is missing", STRUCT("{'name': 'a'}") },
    { NWBZ_EUNSUPPORTED, "'offset'", STRUCT("{'name': 'a', 'data_type': 'int8', 'offset': 4}") },
    { NWBZ_EFORMAT, "two fields of the name 'a'", STRUCT("['a', 'int8'], ['b', 'int8'], ['a', 'int16']") },
    { NWBZ_EUNSUPPORTED, "field 'a': text of any length", STRUCT("['a', 'string']") },
    { NWBZ_EUNSUPPORTED, "'int12'", STRUCT("['a', 'int12']") },
    { NWBZ_ELIMIT, "67108865 bytes", STRUCT("['a', " RAW(67108864) "], ['b', 'int8']") },
};

static void what_is_not_sound_or_not_ours_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        nz_json *json = json_of(refusals[i].json);
        nz_dtype dtype;
        REFUSED(refusals[i].code, refusals[i].words, nz_data_type_parse(json, &dtype, &failed));
        nz_dtype_done(&dtype);
        nz_json_free(json);
    }
    nz_dtype dtype;
    REFUSED(NWBZ_EFORMAT, "\"data_type\" is missing", nz_data_type_parse(NULL, &dtype, &failed));
}

/* A record of `n` fields, each of `type`; with `depth` above it, in records of one field. */
static nz_json *record_of(size_t n, const char *type, unsigned depth)
{
    nz_buffer text = NZ_BUFFER_INIT(1 << 20);
    for (unsigned d = 0; d < depth; d++)
        OK(nz_buffer_add_text(&text, "{'name': 'struct', 'configuration': {'fields': [['f', ", &failed));
    OK(nz_buffer_add_text(&text, "{'name': 'struct', 'configuration': {'fields': [", &failed));
    for (size_t i = 0; i < n; i++)
        OK(nz_buffer_addf(&text, &failed, "%s['%zu', %s]", i ? ", " : "", i, type));
    OK(nz_buffer_add_text(&text, "]}}", &failed));
    for (unsigned d = 0; d < depth; d++)
        OK(nz_buffer_add_text(&text, "]]}}", &failed));
    nz_json *json = json_of(text.bytes);
    nz_buffer_done(&text);
    return json;
}

static void fields_depth_and_size_are_bounded(void **state)
{
    static const struct {
        size_t n;
        const char *type;
        unsigned depth;
        nwbz_code code;
        const char *words;
    } cases[] = {
        { 4096, "'int8'", 0, NWBZ_OK, "" },
        { 4097, "'int8'", 0, NWBZ_ELIMIT, "4097 fields, of at most 4096" },
        { 1, "'int8'", 11, NWBZ_OK, "" },
        { 1, "'int8'", 12, NWBZ_ELIMIT, "more than 12 deep" },
        { 4096, RAW(67108864), 0, NWBZ_ELIMIT, "are more than 4294967295" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nz_json *json = record_of(cases[i].n, cases[i].type, cases[i].depth);
        nz_dtype dtype;
        if (cases[i].code == NWBZ_OK)
            OK(nz_data_type_parse(json, &dtype, &failed));
        else
            REFUSED(cases[i].code, cases[i].words, nz_data_type_parse(json, &dtype, &failed));
        nz_dtype_done(&dtype);
        nz_json_free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read_and_one_is_written),
        cmocka_unit_test(fields_lie_behind_each_other_without_padding),
        cmocka_unit_test(what_is_not_sound_or_not_ours_is_refused_by_name),
        cmocka_unit_test(fields_depth_and_size_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
