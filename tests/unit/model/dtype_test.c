#include "support/test.h"

#include "base/memory.h"
#include "model/dtype.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ------------------------------------------------------------------------- */

static void every_type_has_a_size_and_a_name_that_finds_it(void **state)
{
    (void)state;
    const size_t sizes[] = { 0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16, sizeof(nwbz_string) };
    const size_t swaps[] = { 1, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 4, 8, 1 };
    for (int type = NWBZ_TYPE_NONE; type <= NWBZ_STRING; type++) {
        assert_int_equal(nwbz_type_size((nwbz_type)type), sizes[type]);
        assert_int_equal(nz_type_swap_size((nwbz_type)type), swaps[type]);
        assert_int_equal(nz_type_of_name(nwbz_type_name((nwbz_type)type)), type);
    }
    assert_string_equal(nwbz_type_name(NWBZ_INT16), "int16");
    assert_string_equal(nwbz_type_name((nwbz_type)99), "none");
    assert_int_equal(nwbz_type_size((nwbz_type)99), 0);
}

static void zarr_and_numpy_names_are_understood(void **state)
{
    (void)state;
    const struct {
        const char *name;
        nwbz_type type;
        bool big;
    } cases[] = { { "int16", NWBZ_INT16, false },    { "bool", NWBZ_BOOL, false },    { "string", NWBZ_STRING, false },
                  { "<i2", NWBZ_INT16, false },      { ">i2", NWBZ_INT16, true },     { "i2", NWBZ_INT16, false },
                  { "=f4", NWBZ_FLOAT32, false },    { "|u1", NWBZ_UINT8, false },    { ">u1", NWBZ_UINT8, false },
                  { "<f2", NWBZ_FLOAT16, false },    { ">c8", NWBZ_COMPLEX64, true }, { "c16", NWBZ_COMPLEX128, false },
                  { "|b1", NWBZ_BOOL, false },       { "?", NWBZ_BOOL, false },       { ">u8", NWBZ_UINT64, true },
                  { "float64", NWBZ_FLOAT64, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_type type;
        bool big = !cases[i].big;
        assert_ok(nwbz_type_parse(cases[i].name, &type, &big, &err), &err);
        assert_int_equal(type, cases[i].type);
        assert_int_equal(big, cases[i].big);
    }
}

static void other_names_are_refused_with_the_list(void **state)
{
    (void)state;
    const char *refused[] = { "",      "int24", "none", "<",      "<int16", "i3",  "f16", "|i2",
                              "INT16", "i2 ",   "<U5",  "object", ">>i2",   " 16", "i" };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_type type = NWBZ_INT8;
        bool big;
        assert_code(nwbz_type_parse(refused[i], &type, &big, &err), NWBZ_EINVAL, "complex128", &err);
        assert_int_equal(type, NWBZ_TYPE_NONE);
    }
}

static void big_endian_is_refused_where_it_cannot_be(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_type type;
    assert_code(nwbz_type_parse(">i2", &type, NULL, &err), NWBZ_EINVAL, ">i2", &err);
    assert_ok(nwbz_type_parse("<i2", &type, NULL, &err), &err);
    assert_ok(nwbz_type_parse(">i1", &type, NULL, &err), &err); /* one byte has no order */
}

/* ---- Bytes ------------------------------------------------------------------------- */

static void bytes_are_swapped_in_place_and_aside_at_any_alignment(void **state)
{
    (void)state;
    for (size_t unit = 1; unit <= 8; unit *= 2)
        for (size_t shift = 0; shift < 3; shift++) {
            unsigned char in[200], out[200], want[200];
            size_t n = 20;
            for (size_t i = 0; i < sizeof in; i++)
                in[i] = (unsigned char)(i * 7);
            for (size_t i = 0; i < n * unit; i++)
                want[i] = in[shift + i / unit * unit + (unit - 1 - i % unit)];
            nz_swap_bytes(in + shift, out + 1, n, unit);
            assert_memory_equal(out + 1, want, n * unit);
            nz_swap_bytes(in + shift, in + shift, n, unit);
            assert_memory_equal(in + shift, want, n * unit);
        }
    nz_swap_bytes(NULL, NULL, 0, 4);
}

static void memory_is_filled_with_copies_of_an_element(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 16; size++)
        for (uint64_t n = 0; n < 20; n++) {
            char element[16], *out = nz_malloc(n * size);
            for (size_t i = 0; i < size; i++)
                element[i] = (char)(i + 1);
            nz_elements_set(out, element, size, n);
            for (uint64_t i = 0; i < n; i++)
                assert_memory_equal(out + i * size, element, size);
            nz_free(out);
        }
}

static void one_other_element_anywhere_is_found(void **state)
{
    (void)state;
    const nwbz_type types[] = { NWBZ_BOOL, NWBZ_INT16, NWBZ_UINT32, NWBZ_FLOAT64, NWBZ_COMPLEX128 };
    for (size_t t = 0; t < 5; t++) {
        size_t size = nwbz_type_size(types[t]), n = 50;
        char element[16] = "abcdefghijklmno", *elements = nz_malloc(n * size);
        nz_elements_set(elements, element, size, n);
        assert_true(nz_elements_are(elements, element, types[t], nwbz_type_size(types[t]), n));
        assert_true(nz_elements_are(elements, element, types[t], nwbz_type_size(types[t]), 1));
        assert_true(nz_elements_are(NULL, element, types[t], nwbz_type_size(types[t]), 0));
        for (size_t byte = 0; byte < n * size; byte++) {
            elements[byte] ^= 1;
            assert_false(nz_elements_are(elements, element, types[t], nwbz_type_size(types[t]), n));
            elements[byte] ^= 1;
        }
        nz_free(elements);
    }
    const double zeros[] = { -0.0, -0.0 }, zero = 0.0; /* equal as numbers, not as bits */
    assert_false(nz_elements_are(zeros, &zero, NWBZ_FLOAT64, nwbz_type_size(NWBZ_FLOAT64), 2));
    const double nans[] = { NAN, NAN }, nan_value = NAN;
    assert_true(nz_elements_are(nans, &nan_value, NWBZ_FLOAT64, nwbz_type_size(NWBZ_FLOAT64), 2));
}

static void texts_are_compared_by_their_bytes(void **state)
{
    (void)state;
    char copy[] = "ab";
    nwbz_string texts[] = { { "ab", 2 }, { copy, 2 }, { "abc", 2 } }, text = { "ab", 2 },
                empty[] = { { NULL, 0 }, { "", 0 } };
    assert_true(nz_elements_are(texts, &text, NWBZ_STRING, nwbz_type_size(NWBZ_STRING), 3));
    texts[2].n_bytes = 3;
    assert_false(nz_elements_are(texts, &text, NWBZ_STRING, nwbz_type_size(NWBZ_STRING), 3));
    assert_true(nz_elements_are(empty, &empty[1], NWBZ_STRING, nwbz_type_size(NWBZ_STRING), 2));
    assert_false(nz_elements_are(empty, &text, NWBZ_STRING, nwbz_type_size(NWBZ_STRING), 2));
}

static void half_floats_have_the_values_of_ieee(void **state)
{
    (void)state;
    const struct {
        uint16_t bits;
        float value;
    } cases[] = { { 0x3C00, 1.0F },         { 0xC000, -2.0F },    { 0x7BFF, 65504.0F },  { 0x0400, 0x1p-14F },
                  { 0x03FF, 0x1.FF8p-15F }, { 0x0001, 0x1p-24F }, { 0x8001, -0x1p-24F }, { 0x3555, 0x1.554p-2F },
                  { 0x7C00, INFINITY },     { 0xFC00, -INFINITY } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(nz_half_to_float(cases[i].bits) == cases[i].value);
    assert_true(signbit(nz_half_to_float(0x8000)) && nz_half_to_float(0x8000) == 0);
    assert_true(isnan(nz_half_to_float(0x7E00)) && isnan(nz_half_to_float(0x7C01)));
}

/* ---- Elements as text -------------------------------------------------------------- */

static void check_format(nwbz_type type, const void *element, const char *text, const char *json)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char *got = NULL;
    assert_ok(nwbz_element_format(type, element, NWBZ_STYLE_TEXT, &got, &err), &err);
    assert_string_equal(got, text);
    nwbz_free(got);
    assert_ok(nwbz_element_format(type, element, NWBZ_STYLE_JSON, &got, &err), &err);
    assert_string_equal(got, json);
    nwbz_free(got);
}

#define CHECK_NUMBER(type, c_type, value, text) check_format((type), &(c_type){ (value) }, (text), (text))

static void integers_are_written_with_their_whole_range(void **state)
{
    (void)state;
    CHECK_NUMBER(NWBZ_BOOL, uint8_t, 1, "true");
    CHECK_NUMBER(NWBZ_BOOL, uint8_t, 0, "false");
    CHECK_NUMBER(NWBZ_INT8, int8_t, INT8_MIN, "-128");
    CHECK_NUMBER(NWBZ_INT16, int16_t, -1, "-1");
    CHECK_NUMBER(NWBZ_INT32, int32_t, INT32_MIN, "-2147483648");
    CHECK_NUMBER(NWBZ_INT64, int64_t, INT64_MIN, "-9223372036854775808");
    CHECK_NUMBER(NWBZ_INT64, int64_t, INT64_MAX, "9223372036854775807");
    CHECK_NUMBER(NWBZ_UINT8, uint8_t, 255, "255");
    CHECK_NUMBER(NWBZ_UINT16, uint16_t, 65535, "65535");
    CHECK_NUMBER(NWBZ_UINT32, uint32_t, UINT32_MAX, "4294967295");
    CHECK_NUMBER(NWBZ_UINT64, uint64_t, UINT64_MAX, "18446744073709551615");
}

static void floats_are_written_shortest_and_special_ones_in_each_style(void **state)
{
    (void)state;
    CHECK_NUMBER(NWBZ_FLOAT32, float, 0.1F, "0.1");
    CHECK_NUMBER(NWBZ_FLOAT64, double, 0.1, "0.1");
    CHECK_NUMBER(NWBZ_FLOAT64, double, 0.1F, "0.10000000149011612");
    CHECK_NUMBER(NWBZ_FLOAT64, double, -0.0, "-0.0");
    check_format(NWBZ_FLOAT64, &(double){ NAN }, "nan", "\"NaN\"");
    check_format(NWBZ_FLOAT32, &(float){ INFINITY }, "inf", "\"Infinity\"");
    check_format(NWBZ_FLOAT32, &(float){ -INFINITY }, "-inf", "\"-Infinity\"");
    check_format(NWBZ_FLOAT16, &(uint16_t){ 0x7E00 }, "nan", "\"NaN\"");
    check_format(NWBZ_FLOAT16, &(uint16_t){ 0xFC00 }, "-inf", "\"-Infinity\"");
    CHECK_NUMBER(NWBZ_FLOAT16, uint16_t, 0x3555, "0.3333");
    CHECK_NUMBER(NWBZ_FLOAT16, uint16_t, 0x2E66, "0.1");
    CHECK_NUMBER(NWBZ_FLOAT16, uint16_t, 0x7BFF, "65500.0");
    CHECK_NUMBER(NWBZ_FLOAT16, uint16_t, 0x0001, "6e-08");
    CHECK_NUMBER(NWBZ_FLOAT16, uint16_t, 0x8000, "-0.0");
    CHECK_NUMBER(NWBZ_FLOAT16, uint16_t, 0xC000, "-2.0");
}

/* Find the float16 nearest to a number by looking at all of them; ties go to the even one. */
static uint16_t nearest_half(double value)
{
    uint16_t best = 0;
    for (uint32_t bits = 0; bits < 0x7C00; bits++) {
        double distance = fabs((double)nz_half_to_float((uint16_t)bits) - value),
               least = fabs((double)nz_half_to_float(best) - value);
        if (distance < least || (distance == least && !(bits & 1)))
            best = (uint16_t)bits;
    }
    return best;
}

static void float16_text_reads_back_as_the_same_float16(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x7C00; bits += bits < 1100 ? 7 : 101) { /* subnormals more closely */
        char *text = NULL;
        assert_int_equal(nwbz_element_format(NWBZ_FLOAT16, &(uint16_t){ (uint16_t)bits }, NWBZ_STYLE_TEXT, &text, NULL),
                         NWBZ_OK);
        assert_int_equal(nearest_half(strtod(text, NULL)), bits);
        assert_true(strlen(text) <= 10);
        nwbz_free(text);
    }
}

static void complex_numbers_are_written_as_python_does_and_as_pairs(void **state)
{
    (void)state;
    check_format(NWBZ_COMPLEX64, (float[]){ 1, 2 }, "1+2j", "[1.0, 2.0]");
    check_format(NWBZ_COMPLEX64, (float[]){ 0.1F, -2.5F }, "0.1-2.5j", "[0.1, -2.5]");
    check_format(NWBZ_COMPLEX128, (double[]){ -0.0, NAN }, "-0+nanj", "[-0.0, \"NaN\"]");
    check_format(NWBZ_COMPLEX128, (double[]){ INFINITY, -INFINITY }, "inf-infj", "[\"Infinity\", \"-Infinity\"]");
    check_format(NWBZ_COMPLEX128, (double[]){ -1.7976931348623157e308, -2.2250738585072014e-308 },
                 "-1.7976931348623157e+308-2.2250738585072014e-308j",
                 "[-1.7976931348623157e+308, -2.2250738585072014e-308]");
}

static void text_is_written_as_it_is_or_quoted(void **state)
{
    (void)state;
    check_format(NWBZ_STRING, &(nwbz_string){ "a \"b\"\n\xC2\xB5V", 9 }, "a \"b\"\n\xC2\xB5V",
                 "\"a \\\"b\\\"\\n\xC2\xB5V\"");
    check_format(NWBZ_STRING, &(nwbz_string){ "not all of it", 3 }, "not", "\"not\"");
    check_format(NWBZ_STRING, &(nwbz_string){ NULL, 0 }, "", "\"\"");
}

static void no_type_cannot_be_formatted(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    char *text = (char *)"set";
    assert_code(nwbz_element_format(NWBZ_TYPE_NONE, "", NWBZ_STYLE_TEXT, &text, &err), NWBZ_EINVAL, "0", &err);
    assert_null(text);
}

/* ---- Types with a size of their own -------------------------------------------------- */

/* Make {"x": int32, "name": fixed_length_utf32 of 8 bytes, "inner": {"re": float64}}. */
static nz_dtype a_record(void)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_dtype record = NZ_DTYPE_INIT, inner = NZ_DTYPE_INIT, field = nz_dtype_of(NWBZ_INT32);
    assert_ok(nz_dtype_add_field(&record, "x", &field, &err), &err);
    assert_int_equal(field.type, NWBZ_TYPE_NONE); /* moved */
    field = (nz_dtype){ NWBZ_UTF32, 8, NULL, 0 };
    assert_ok(nz_dtype_add_field(&record, "name", &field, &err), &err);
    field = nz_dtype_of(NWBZ_FLOAT64);
    assert_ok(nz_dtype_add_field(&inner, "re", &field, &err), &err);
    assert_ok(nz_dtype_add_field(&record, "inner", &inner, &err), &err);
    assert_null(inner.fields);
    return record;
}

static void types_of_fixed_size_know_it_with_or_without_being_told(void **state)
{
    (void)state;
    nz_dtype dtype = nz_dtype_of(NWBZ_COMPLEX64);
    assert_true(dtype.type == NWBZ_COMPLEX64 && dtype.element_bytes == 8 && dtype.n_fields == 0);
    dtype.element_bytes = 0; /* as documents that were parsed have it */
    assert_int_equal(nz_dtype_bytes(&dtype), 8);
    dtype = (nz_dtype){ NWBZ_RAW, 5, NULL, 0 };
    assert_int_equal(nz_dtype_bytes(&dtype), 5);
    assert_int_equal(nz_dtype_bytes(&(nz_dtype)NZ_DTYPE_INIT), 0);
}

static void fields_of_a_record_follow_each_other_without_padding(void **state)
{
    (void)state;
    nz_dtype record = a_record();
    assert_true(record.type == NWBZ_STRUCT && record.n_fields == 3);
    assert_int_equal(record.element_bytes, 20);
    assert_string_equal(record.fields[1].name, "name");
    assert_int_equal(record.fields[1].offset_bytes, 4);
    assert_int_equal(record.fields[2].offset_bytes, 12);
    assert_int_equal(record.fields[2].dtype.fields[0].offset_bytes, 0);
    nz_dtype_done(&record);
    assert_true(record.fields == NULL && record.n_fields == 0 && record.type == NWBZ_TYPE_NONE);
    nz_dtype_done(&record);
}

static void records_of_thousands_of_fields_keep_them_all(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_dtype record = NZ_DTYPE_INIT;
    char name[16];
    for (int i = 0; i < 4096; i++) {
        nz_dtype field = nz_dtype_of(NWBZ_UINT16);
        snprintf(name, sizeof name, "%d", i);
        assert_ok(nz_dtype_add_field(&record, name, &field, &err), &err);
    }
    assert_true(record.n_fields == 4096 && record.element_bytes == 8192);
    assert_string_equal(record.fields[4095].name, "4095");
    assert_int_equal(record.fields[4095].offset_bytes, 8190);
    nz_dtype_done(&record);
}

static void a_copy_of_a_record_is_the_same_and_lives_alone(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_dtype record = a_record(), copy = NZ_DTYPE_INIT;
    assert_ok(nz_dtype_copy(&copy, &record, &err), &err);
    assert_true(nz_dtype_is(&record, &copy));
    assert_true(copy.fields != record.fields && copy.fields[0].name != record.fields[0].name);
    nz_dtype_done(&record);
    assert_string_equal(copy.fields[2].dtype.fields[0].name, "re");
    assert_int_equal(copy.element_bytes, 20);
    nz_dtype_done(&copy);
    nz_dtype text = { NWBZ_UTF32, 2048, NULL, 0 };
    assert_ok(nz_dtype_copy(&copy, &text, &err), &err);
    assert_true(nz_dtype_is(&copy, &text));
}

static void records_differ_by_type_size_name_and_order_of_fields(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_dtype record = a_record(), other = a_record();
    assert_true(nz_dtype_is(&record, &other));
    other.fields[0].name[0] = 'y';
    assert_false(nz_dtype_is(&record, &other));
    other.fields[0].name[0] = 'x';
    other.fields[0].dtype.type = NWBZ_UINT32;
    assert_false(nz_dtype_is(&record, &other));
    other.fields[0].dtype.type = NWBZ_INT32;
    other.fields[2].dtype.fields[0].name[0] = 'R';
    assert_false(nz_dtype_is(&record, &other));
    other.fields[2].dtype.fields[0].name[0] = 'r';
    nz_dtype more = nz_dtype_of(NWBZ_BOOL);
    assert_ok(nz_dtype_add_field(&other, "more", &more, &err), &err);
    assert_false(nz_dtype_is(&record, &other));
    nz_dtype_done(&record);
    nz_dtype_done(&other);
    nz_dtype implied = { NWBZ_INT16, 0, NULL, 0 }, said = nz_dtype_of(NWBZ_INT16);
    assert_true(nz_dtype_is(&implied, &said));
    assert_false(nz_dtype_is(&(nz_dtype){ NWBZ_RAW, 4, NULL, 0 }, &(nz_dtype){ NWBZ_RAW, 5, NULL, 0 }));
}

static void fields_without_a_fixed_size_and_records_too_large_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_dtype record = NZ_DTYPE_INIT, field = nz_dtype_of(NWBZ_STRING);
    assert_code(nz_dtype_add_field(&record, "s", &field, &err), NWBZ_EINVAL, "'s'", &err);
    assert_code(nz_dtype_add_field(&record, "n", &field, &err), NWBZ_EINVAL, "none", &err);
    assert_int_equal(record.n_fields, 0);
    field = (nz_dtype){ NWBZ_RAW, UINT32_MAX, NULL, 0 };
    assert_ok(nz_dtype_add_field(&record, "all", &field, &err), &err);
    nz_dtype inner = a_record();
    assert_code(nz_dtype_add_field(&record, "one", &inner, &err), NWBZ_ELIMIT, "4294967295", &err);
    assert_null(inner.fields); /* moved also on failure */
    field = (nz_dtype){ NWBZ_RAW, UINT64_MAX, NULL, 0 };
    assert_code(nz_dtype_add_field(&record, "endless", &field, &err), NWBZ_ELIMIT, "18446744073709551615", &err);
    assert_int_equal(record.n_fields, 1);
    nz_dtype_done(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_a_size_and_a_name_that_finds_it),
        cmocka_unit_test(zarr_and_numpy_names_are_understood),
        cmocka_unit_test(other_names_are_refused_with_the_list),
        cmocka_unit_test(big_endian_is_refused_where_it_cannot_be),
        cmocka_unit_test(bytes_are_swapped_in_place_and_aside_at_any_alignment),
        cmocka_unit_test(memory_is_filled_with_copies_of_an_element),
        cmocka_unit_test(one_other_element_anywhere_is_found),
        cmocka_unit_test(texts_are_compared_by_their_bytes),
        cmocka_unit_test(half_floats_have_the_values_of_ieee),
        cmocka_unit_test(integers_are_written_with_their_whole_range),
        cmocka_unit_test(floats_are_written_shortest_and_special_ones_in_each_style),
        cmocka_unit_test(float16_text_reads_back_as_the_same_float16),
        cmocka_unit_test(complex_numbers_are_written_as_python_does_and_as_pairs),
        cmocka_unit_test(text_is_written_as_it_is_or_quoted),
        cmocka_unit_test(no_type_cannot_be_formatted),
        cmocka_unit_test(types_of_fixed_size_know_it_with_or_without_being_told),
        cmocka_unit_test(fields_of_a_record_follow_each_other_without_padding),
        cmocka_unit_test(records_of_thousands_of_fields_keep_them_all),
        cmocka_unit_test(a_copy_of_a_record_is_the_same_and_lives_alone),
        cmocka_unit_test(records_differ_by_type_size_name_and_order_of_fields),
        cmocka_unit_test(fields_without_a_fixed_size_and_records_too_large_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
