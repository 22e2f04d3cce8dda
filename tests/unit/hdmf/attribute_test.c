/* Attribute values as JSON text. */
#include "support/test.h"

#include "base/memory.h"
#include "hdmf/write.h"

#include <math.h>
#include <string.h>

/* Check the JSON of a value, and free it. */
static void check(nz_value *value, const char *expected)
{
    nz_json *json = NULL;
    char *text = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_hdmf_attribute_json(value, &json, &err), &err);
    assert_non_null(json);
    assert_ok(nz_json_text_of(json, &text, &err), &err);
    assert_string_equal(text, expected);
    nz_free(text);
    nz_json_free(json);
    nz_value_done(value);
}

static nz_value value_of(nwbz_type type, unsigned n_dims, const uint64_t *shape, const void *elements)
{
    nz_value value = NZ_VALUE_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set(&value, type, n_dims, shape, elements, &err), &err);
    return value;
}

static void check_scalar(nwbz_type type, const void *element, const char *expected)
{
    nz_value value = value_of(type, 0, NULL, element);
    check(&value, expected);
}

static void integers_have_no_point_and_are_exact(void **state)
{
    (void)state;
    check_scalar(NWBZ_INT8, &(int8_t){ -128 }, "-128");
    check_scalar(NWBZ_INT16, &(int16_t){ -2 }, "-2");
    check_scalar(NWBZ_INT32, &(int32_t){ INT32_MIN }, "-2147483648");
    check_scalar(NWBZ_INT64, &(int64_t){ INT64_MIN }, "-9223372036854775808");
    check_scalar(NWBZ_UINT8, &(uint8_t){ 255 }, "255");
    check_scalar(NWBZ_UINT32, &(uint32_t){ UINT32_MAX }, "4294967295");
    check_scalar(NWBZ_UINT64, &(uint64_t){ UINT64_MAX }, "18446744073709551615");
}

static void floats_have_a_point_and_a_float32_is_widened(void **state)
{
    (void)state;
    check_scalar(NWBZ_FLOAT64, &(double){ 3.0 }, "3.0");
    check_scalar(NWBZ_FLOAT64, &(double){ -0.0 }, "-0.0");
    check_scalar(NWBZ_FLOAT64, &(double){ 0.1 }, "0.1");
    check_scalar(NWBZ_FLOAT32, &(float){ 0.1f }, "0.10000000149011612");
    check_scalar(NWBZ_FLOAT16, &(uint16_t){ 0x3c00 }, "1.0");
    check_scalar(NWBZ_FLOAT64, &(double){ NAN }, "NaN");
    check_scalar(NWBZ_FLOAT64, &(double){ -INFINITY }, "-Infinity");
    check_scalar(NWBZ_COMPLEX64, (float[]){ 1.0f, -2.0f }, "[1.0, -2.0]");
    check_scalar(NWBZ_COMPLEX128, (double[]){ 0.5, 2.0 }, "[0.5, 2.0]");
}

static void booleans_and_text_are_themselves(void **state)
{
    (void)state;
    check_scalar(NWBZ_BOOL, &(uint8_t){ 1 }, "true");
    check_scalar(NWBZ_BOOL, &(uint8_t){ 0 }, "false");
    check_scalar(NWBZ_STRING, &(nwbz_string){ "a \"b\"", 5 }, "\"a \\\"b\\\"\"");
    check_scalar(NWBZ_STRING, &(nwbz_string){ NULL, 0 }, "\"\"");
}

static void shapes_are_lists_in_lists(void **state)
{
    (void)state;
    nz_value value = value_of(NWBZ_INT16, 1, (uint64_t[]){ 1 }, (int16_t[]){ 5 });
    check(&value, "[5]");
    value = value_of(NWBZ_INT16, 1, (uint64_t[]){ 0 }, "");
    check(&value, "[]");
    value = value_of(NWBZ_INT16, 2, (uint64_t[]){ 2, 0 }, "");
    check(&value, "[[], []]");
    value = value_of(NWBZ_INT16, 2, (uint64_t[]){ 2, 3 }, (int16_t[]){ 1, 2, 3, 4, 5, 6 });
    check(&value, "[[1, 2, 3], [4, 5, 6]]");
}

static void a_reference_is_the_object_that_hdmf_zarr_looks_up(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_reference(&value, "/units/spike_times", &err), &err);
    check(&value, "{\"_REFERENCE\": {\"source\": \".\", \"path\": \"/units/spike_times\"}}");
    assert_ok(nz_value_set_reference(&value, "/", &err), &err);
    check(&value, "{\"_REFERENCE\": {\"source\": \".\"}}");
}

static void a_scalar_reference_to_nothing_is_left_out(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nz_json *json = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_reference(&value, "", &err), &err);
    assert_ok(nz_hdmf_attribute_json(&value, &json, &err), &err);
    assert_null(json);
    nz_value_done(&value);
}

/* ---- Lists and records ---------------------------------------------------------------- */

static void set_region(nz_value *value, const char *path, const char *region)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_reference(value, path, &err), &err);
    value->region = nz_strdup(region);
}

static void lists_hold_rows_of_any_length(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_list(&value, 3, &err), &err);
    value.items[0] = value_of(NWBZ_INT16, 1, (uint64_t[]){ 3 }, (int16_t[]){ 1, 2, 3 });
    value.items[1] = value_of(NWBZ_INT16, 1, (uint64_t[]){ 0 }, "");
    assert_ok(nz_value_set_list(&value.items[2], 1, &err), &err);
    value.items[2].items[0] = value_of(NWBZ_BOOL, 0, NULL, &(uint8_t){ 1 });
    check(&value, "[[1, 2, 3], [], [true]]");
    assert_ok(nz_value_set_list(&value, 0, &err), &err);
    check(&value, "[]");
}

static void records_are_objects_with_their_fields_in_order(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_list(&value, 2, &err), &err);
    for (size_t i = 0; i < 2; i++) {
        nz_value *record = &value.items[i];
        assert_ok(nz_value_set_record(record, (const char *const[]){ "z", "a", "in" }, 3, &err), &err);
        record->items[0] = value_of(NWBZ_FLOAT32, 0, NULL, &(float){ 0.1f });
        record->items[1] = value_of(NWBZ_STRING, 0, NULL, &(nwbz_string){ "x", 1 });
        assert_ok(nz_value_set_record(&record->items[2], (const char *const[]){ "c" }, 1, &err), &err);
        record->items[2].items[0] = value_of(NWBZ_COMPLEX128, 0, NULL, (double[]){ 1.0, -0.0 });
    }
    check(&value, "[{\"z\": 0.10000000149011612, \"a\": \"x\", \"in\": {\"c\": [1.0, -0.0]}}, "
                  "{\"z\": 0.10000000149011612, \"a\": \"x\", \"in\": {\"c\": [1.0, -0.0]}}]");
}

static void a_reference_to_a_part_says_which(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    set_region(&value, "/m", "[[[2, 5], [1, 3]]]");
    check(&value, "{\"_REFERENCE\": {\"source\": \".\", \"path\": \"/m\", \"region\": [[[2, 5], [1, 3]]]}}");
    assert_ok(nz_value_set_list(&value, 1, &err), &err);
    set_region(&value.items[0], "/m", "[[[0, 1]]]");
    check(&value, "[{\"_REFERENCE\": {\"source\": \".\", \"path\": \"/m\", \"region\": [[[0, 1]]]}}]");
    nz_json *json = NULL;
    set_region(&value, "/m", "[[[0, 1]");
    assert_code(nz_hdmf_attribute_json(&value, &json, &err), NWBZ_EFORMAT, "byte 8", &err);
    assert_null(json);
    nz_value_done(&value);
}

static void references_to_nothing_keep_their_places_in_lists_and_records(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_texts(&value, (const char *const[]){ "/a", "" }, 2, &err), &err);
    value.is_reference = true;
    check(&value, "[{\"_REFERENCE\": {\"source\": \".\", \"path\": \"/a\"}}, "
                  "{\"_REFERENCE\": {\"source\": \".\", \"path\": \"\"}}]");
    assert_ok(nz_value_set_record(&value, (const char *const[]){ "target" }, 1, &err), &err);
    assert_ok(nz_value_set_reference(&value.items[0], "", &err), &err);
    check(&value, "{\"target\": {\"_REFERENCE\": {\"source\": \".\", \"path\": \"\"}}}");
    assert_ok(nz_value_set_texts(&value, NULL, 0, &err), &err);
    value.is_reference = true;
    check(&value, "[]");
}

static void what_json_cannot_hold_is_refused(void **state)
{
    (void)state;
    nz_value value = NZ_VALUE_INIT;
    nz_json *json = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_value_set_list(&value, 2, &err), &err);
    value.items[0] = value_of(NWBZ_BOOL, 0, NULL, &(uint8_t){ 1 });
    assert_code(nz_hdmf_attribute_json(&value, &json, &err), NWBZ_EINVAL, "none", &err); /* an item was not set */
    nz_value_done(&value);
    value = value_of(NWBZ_INT8, 3, (uint64_t[]){ 1000, 1001, 0 }, "");
    assert_code(nz_hdmf_attribute_json(&value, &json, &err), NWBZ_ELIMIT, "1001000", &err);
    nz_value_done(&value);
    value = value_of(NWBZ_INT8, 3, (uint64_t[]){ UINT64_MAX, UINT64_MAX, 0 }, "");
    assert_code(nz_hdmf_attribute_json(&value, &json, &err), NWBZ_ELIMIT, "1000000", &err);
    nz_value_done(&value);
    assert_null(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_no_point_and_are_exact),
        cmocka_unit_test(floats_have_a_point_and_a_float32_is_widened),
        cmocka_unit_test(booleans_and_text_are_themselves),
        cmocka_unit_test(shapes_are_lists_in_lists),
        cmocka_unit_test(a_reference_is_the_object_that_hdmf_zarr_looks_up),
        cmocka_unit_test(a_scalar_reference_to_nothing_is_left_out),
        cmocka_unit_test(lists_hold_rows_of_any_length),
        cmocka_unit_test(records_are_objects_with_their_fields_in_order),
        cmocka_unit_test(a_reference_to_a_part_says_which),
        cmocka_unit_test(references_to_nothing_keep_their_places_in_lists_and_records),
        cmocka_unit_test(what_json_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
