/* Fill values in every form that documents have. */
#include "fixture.h"

typedef struct form {
    nwbz_type type;
    const char *json;
    const char *bits;      /* hexadecimal, little-endian; NULL: refused */
    const char *formatted; /* NULL: as it was given */
} form;

static const form forms[] = {
    { NWBZ_BOOL, "true", "01", NULL },
    { NWBZ_BOOL, "false", "00", NULL },
    { NWBZ_BOOL, "1", NULL, NULL },
    { NWBZ_INT8, "-128", "80", NULL },
    { NWBZ_INT8, "127", "7f", NULL },
    { NWBZ_INT8, "128", NULL, NULL },
    { NWBZ_INT8, "-129", NULL, NULL },
    { NWBZ_UINT8, "255", "ff", NULL },
    { NWBZ_UINT8, "256", NULL, NULL },
    { NWBZ_UINT8, "-1", NULL, NULL },
    { NWBZ_INT16, "-2", "feff", NULL },
    { NWBZ_INT16, "3.0", "0300", "3" },
    { NWBZ_INT16, "3.5", NULL, NULL },
    { NWBZ_UINT16, "65536", NULL, NULL },
    { NWBZ_UINT16, "-1.0", NULL, NULL },
    { NWBZ_INT32, "2147483648", NULL, NULL },
    { NWBZ_INT32, "-2147483648", "00000080", NULL },
    { NWBZ_UINT32, "4294967295", "ffffffff", NULL },
    { NWBZ_INT64, "9223372036854775807", "ffffffffffffff7f", NULL },
    { NWBZ_INT64, "-9223372036854775808", "0000000000000080", NULL },
    { NWBZ_INT64, "9223372036854775808", NULL, NULL },
    { NWBZ_INT64, "1e300", NULL, NULL },
    { NWBZ_UINT64, "18446744073709551615", "ffffffffffffffff", NULL },
    { NWBZ_UINT64, "18446744073709551616", NULL, NULL },
    { NWBZ_INT64, "'7'", NULL, NULL },
    { NWBZ_FLOAT64, "0.1", "9a9999999999b93f", NULL },
    { NWBZ_FLOAT64, "-0.0", "0000000000000080", NULL },
    { NWBZ_FLOAT64, "3", "0000000000000840", "3.0" },
    { NWBZ_FLOAT64, "'NaN'", "000000000000f87f", NULL },
    { NWBZ_FLOAT64, "NaN", "000000000000f87f", "'NaN'" },
    { NWBZ_FLOAT64, "'Infinity'", "000000000000f07f", NULL },
    { NWBZ_FLOAT64, "'-Infinity'", "000000000000f0ff", NULL },
    { NWBZ_FLOAT64, "'0x7ff80000deadbeef'", "efbeadde0000f87f", NULL },
    { NWBZ_FLOAT64, "'0x7FF8000000000000'", "000000000000f87f", "'NaN'" },
    { NWBZ_FLOAT64, "'0xfff8000000000000'", "000000000000f8ff", NULL },
    { NWBZ_FLOAT64, "'0x3ff0000000000000'", "000000000000f03f", "1.0" },
    { NWBZ_FLOAT64, "'0x7fc00000'", NULL, NULL },
    { NWBZ_FLOAT64, "'0x7ff80000deadbeeg'", NULL, NULL },
    { NWBZ_FLOAT64, "'nan'", NULL, NULL },
    { NWBZ_FLOAT64, "null", NULL, NULL },
    { NWBZ_FLOAT64, "true", NULL, NULL },
    { NWBZ_FLOAT64, "[1.0]", NULL, NULL },
    { NWBZ_FLOAT32, "0.10000000149011612", "cdcccc3d", NULL },
    { NWBZ_FLOAT32, "'NaN'", "0000c07f", NULL },
    { NWBZ_FLOAT32, "'0xffc00001'", "0100c0ff", NULL },
    { NWBZ_FLOAT32, "'-Infinity'", "000080ff", NULL },
    { NWBZ_FLOAT32, "1e39", NULL, NULL },
    { NWBZ_FLOAT16, "1.5", "003e", NULL },
    { NWBZ_FLOAT16, "65504.0", "ff7b", NULL },
    { NWBZ_FLOAT16, "65520.0", NULL, NULL },
    { NWBZ_FLOAT16, "-65519.0", "fffb", "-65504.0" },
    { NWBZ_FLOAT16, "5.960464477539063e-08", "0100", NULL },
    { NWBZ_FLOAT16, "2.9e-08", "0000", "0.0" },
    { NWBZ_FLOAT16, "6.103515625e-05", "0004", NULL },
    { NWBZ_FLOAT16, "6.1035e-05", "0004", "6.103515625e-05" },
    { NWBZ_FLOAT16, "2049.0", "0068", "2048.0" },
    { NWBZ_FLOAT16, "2051.0", "0268", "2052.0" },
    { NWBZ_FLOAT16, "4095.9", "006c", "4096.0" },
    { NWBZ_FLOAT16, "'0x7e01'", "017e", NULL },
    { NWBZ_FLOAT16, "'NaN'", "007e", NULL },
    { NWBZ_COMPLEX64, "[1.5, -2.0]", "0000c03f000000c0", NULL },
    { NWBZ_COMPLEX64, "['NaN', '0x7fc00001']", "0000c07f0100c07f", NULL },
    { NWBZ_COMPLEX64, "[1]", NULL, NULL },
    { NWBZ_COMPLEX64, "[1, 2, 3]", NULL, NULL },
    { NWBZ_COMPLEX64, "1.0", NULL, NULL },
    { NWBZ_COMPLEX128, "['Infinity', 0.0]", "000000000000f07f0000000000000000", NULL },
    { NWBZ_STRING, "'\xc3\xa4 \\u0000 \\n'", NULL, NULL },
};

static void check_form(const form *it)
{
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    char bits[33] = "";
    nz_json *json = json_of(it->json), *formatted = NULL;
    meta.dtype.type = it->type;
    if (!it->bits) {
        REFUSED(NWBZ_EFORMAT, "fill_value", nz_fill_value_parse(json, &meta, &failed));
    } else {
        OK(nz_fill_value_parse(json, &meta, &failed));
        for (size_t i = 0; i < nwbz_type_size(it->type); i++)
            snprintf(bits + 2 * i, 3, "%02x", meta.fill_value[i]);
        assert_string_equal(bits, it->bits);
        OK(nz_fill_value_format(&meta, &formatted, &failed));
        assert_json_is(formatted, it->formatted ? it->formatted : it->json);
    }
    nz_json_free(json);
}

static void numbers_are_exact_and_others_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i + 1 < sizeof forms / sizeof *forms; i++)
        check_form(&forms[i]);
}

static void text_keeps_every_byte(void **state)
{
    nz_array_meta meta = NZ_ARRAY_META_INIT;
    nz_json *json = json_of(forms[sizeof forms / sizeof *forms - 1].json), *formatted = NULL, *number = json_of("3");
    (void)state;
    meta.dtype.type = NWBZ_STRING;
    OK(nz_fill_value_parse(json, &meta, &failed));
    assert_int_equal(meta.n_fill_text, 6);
    assert_memory_equal(meta.fill_text, "\xc3\xa4 \0 \n", 6);
    OK(nz_fill_value_format(&meta, &formatted, &failed));
    size_t n;
    assert_memory_equal(nz_json_text(formatted, &n), "\xc3\xa4 \0 \n", 6);
    assert_int_equal(n, 6);
    REFUSED(NWBZ_EFORMAT, "string", nz_fill_value_parse(number, &meta, &failed));
    REFUSED(NWBZ_EFORMAT, "missing", nz_fill_value_parse(NULL, &meta, &failed));
    nz_json_free(json);
    nz_json_free(formatted);
    nz_json_free(number);
    nz_array_meta_done(&meta);
}

static void every_half_survives(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; bits++) {
        nz_array_meta meta = NZ_ARRAY_META_INIT, again = NZ_ARRAY_META_INIT;
        nz_json *json = NULL;
        meta.dtype.type = again.dtype.type = NWBZ_FLOAT16;
        memcpy(meta.fill_value, &(uint16_t){ (uint16_t)bits }, 2);
        OK(nz_fill_value_format(&meta, &json, &failed));
        OK(nz_fill_value_parse(json, &again, &failed));
        assert_memory_equal(again.fill_value, meta.fill_value, 2);
        nz_json_free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_exact_and_others_refused),
        cmocka_unit_test(text_keeps_every_byte),
        cmocka_unit_test(every_half_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
