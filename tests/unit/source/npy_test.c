/* NPY: headers of all kinds, written here byte by byte, and one by NumPy's own rules of padding in the contract test.
 */
#include "unit/source/fixture.h"

/* Write a file of this version, header and data. */
static const char *npy_file(unsigned major, const char *header, const void *data, size_t n_data)
{
    const char *path = in_folder("t.npy");
    size_t n = strlen(header);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite("\x93NUMPY", 1, 6, file);
    fputc((int)major, file);
    fputc(0, file);
    for (unsigned i = 0; i < (major == 1 ? 2 : 4); i++)
        fputc((int)(n >> 8 * i & 255), file);
    fwrite(header, 1, n, file);
    fwrite(data, 1, n_data, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const unsigned char bytes[64] = { 1, 0, 1, 0, 1,  1,  0,  1,  9,  8,  7,  6, 5,
                                         4, 3, 2, 1, 20, 30, 40, 50, 60, 70, 80, 90 };

static void every_dtype_of_numbers_and_bool_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *descr;
        nwbz_type type;
    } dtypes[] = { { "|b1", NWBZ_BOOL },      { "|i1", NWBZ_INT8 },    { "<i2", NWBZ_INT16 },
                   { "<i4", NWBZ_INT32 },     { "<i8", NWBZ_INT64 },   { "|u1", NWBZ_UINT8 },
                   { "<u2", NWBZ_UINT16 },    { ">u4", NWBZ_UINT32 },  { ">u8", NWBZ_UINT64 },
                   { "<f2", NWBZ_FLOAT16 },   { "<f4", NWBZ_FLOAT32 }, { ">f8", NWBZ_FLOAT64 },
                   { "<c8", NWBZ_COMPLEX64 }, { "=i2", NWBZ_INT16 },   { ">c16", NWBZ_COMPLEX128 } };
    nwbz_error err = NWBZ_ERROR_INIT;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        nwbz_source *source = NULL;
        char header[200];
        unsigned char got[32];
        uint64_t n_rows;
        nz_box whole = { 1, { 0 }, { 2 } };
        size_t size = nwbz_type_size(dtypes[i].type), unit = dtypes[i].type >= NWBZ_COMPLEX64 ? size / 2 : size;
        bool big = dtypes[i].descr[0] == '>';
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }  \n",
                 dtypes[i].descr);
        assert_ok(nwbz_source_open_npy(npy_file(1 + i % 3, header, bytes, 2 * size), &source, &err), &err);
        assert_int_equal(nwbz_source_type(source), dtypes[i].type);
        assert_ok(read_once(source, &whole, got, &n_rows, &err), &err);
        for (size_t b = 0; b < 2 * size; b++)
            assert_int_equal(got[b], bytes[big ? b / unit * unit + (unit - 1 - b % unit) : b]);
        nwbz_source_close(source);
    }
}

static void check_shape(const char *header, unsigned n_dims, uint64_t first, uint64_t second)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    unsigned found = 99;
    size_t n_data = (n_dims > 0 ? first : 1) * (n_dims > 1 ? second : 1);
    assert_ok(nwbz_source_open_npy(npy_file(1, header, bytes, n_data), &source, &err), &err);
    const uint64_t *shape = nwbz_source_shape(source, &found);
    assert_int_equal(found, n_dims);
    if (n_dims > 0)
        assert_int_equal(shape[0], first);
    if (n_dims > 1)
        assert_int_equal(shape[1], second);
    nwbz_source_close(source);
}

static void headers_as_people_and_programs_write_them_are_read(void **state)
{
    (void)state;
    check_shape("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }          \n", 2, 3, 4);
    check_shape("{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"|u1\"}", 2, 3, 4);
    check_shape("{'descr': '|u1', 'fortran_order': False, 'shape': (3L, 4L)}\n", 2, 3, 4);
    check_shape("{'descr': 'uint8', 'fortran_order': False, 'shape': (5,)}\n", 1, 5, 0);
    check_shape("{'descr': '|u1', 'fortran_order': False, 'shape': ()}\n", 0, 0, 0);
    check_shape("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 7)}\n", 2, 0, 7);
}

static void a_scalar_is_read(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const double value = 2.5;
    double got = 0;
    uint64_t n_rows;
    nz_box box = { .n_dims = 0 };
    assert_ok(nwbz_source_open_npy(npy_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", &value, 8),
                                   &source, &err),
              &err);
    assert_ok(read_once(source, &box, &got, &n_rows, &err), &err);
    assert_true(got == value);
    nwbz_source_close(source);
}

static void fortran_order_is_read_where_it_is_the_same_and_refused_where_not(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    check_shape("{'descr': '|u1', 'fortran_order': True, 'shape': (6,), }\n", 1, 6, 0);
    check_shape("{'descr': '|u1', 'fortran_order': True, 'shape': (1, 6), }\n", 2, 1, 6);
    check_shape("{'descr': '|u1', 'fortran_order': True, 'shape': (0, 6), }\n", 2, 0, 6);
    const char *path = npy_file(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", bytes, 6);
    assert_fails(nwbz_source_open_npy(path, &source, &err), NWBZ_EUNSUPPORTED, "Fortran order", "ascontiguousarray");
    assert_non_null(strstr(err.where, "t.npy"));
    assert_null(source);
}

static void other_dtypes_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *word;
    } dtypes[] = { { "'|O'", "Python objects" }, { "'<U5'", "unicode" },      { "'|S3'", "bytes text" },
                   { "'<M8[ns]'", "dates" },     { "'<m8[s]'", "durations" }, { "'|V8'", "raw records" },
                   { "'<f16'", "'<f16'" },       { "'<c32'", "'<c32'" },      { "[('a', '<i2')]", "record" },
                   { "'string'", "'string'" },   { "'<i3'", "'<i3'" },        { "''", "''" } };
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        char header[200];
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': False, 'shape': (2,), }\n", dtypes[i].descr);
        assert_fails(nwbz_source_open_npy(npy_file(1, header, bytes, 64), &source, &err), NWBZ_EUNSUPPORTED,
                     dtypes[i].word);
    }
}

static void damaged_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header, *word;
    } headers[] = {
        { "", "'{' expected at byte 0 of 0" },
        { "{", "a key expected" },
        { "{}", "no 'descr'" },
        { "{'descr': '|u1', 'shape': (2,)}", "no 'fortran_order'" },
        { "{'descr': '|u1', 'fortran_order': False}", "no 'shape'" },
        { "{'descr': '|u1', 'descr': '|u1'}", "'descr' twice" },
        { "{'more': 1}", "'more'" },
        { "{'descr' '|u1'}", "':' expected" },
        { "{'descr': 5}", "a dtype expected" },
        { "{'descr': '|u1}", "a dtype expected" },
        { "{'descr': '0123456789012345678901234567890123456789'}", "40 bytes" },
        { "{'fortran_order': 0}", "True or False expected" },
        { "{'shape': 2}", "parentheses" },
        { "{'shape': (2)}", "tuple" },
        { "{'shape': (,)}", "length of an axis" },
        { "{'shape': (-2,)}", "length of an axis" },
        { "{'shape': (2 3)}", "','" },
        { "{'shape': (99999999999999999999,)}", "below 2^63" },
        { "{'shape': (2,", "length of an axis" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)} x", "the end expected" },
        { "{'descr': '|u1' 'shape': (2,)}", "',' or '}'" },
    };
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        assert_fails(nwbz_source_open_npy(npy_file(1, headers[i].header, bytes, 2), &source, &err), NWBZ_ESOURCE,
                     headers[i].word);
    const char *many = "{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}";
    assert_fails(nwbz_source_open_npy(npy_file(1, many, bytes, 2), &source, &err), NWBZ_EUNSUPPORTED, "32 axes");
}

static void what_is_no_npy_file_is_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    static const struct {
        const char *bytes;
        size_t n;
        nwbz_code code;
        const char *word;
    } files[] = { { "", 0, NWBZ_ESOURCE, "no NPY file" },
                  { "0123456789", 10, NWBZ_ESOURCE, "no NPY file" },
                  { "PK\3\4......", 10, NWBZ_ESOURCE, "NPZ" },
                  { "\x93NUMPY\4\0..", 10, NWBZ_EUNSUPPORTED, "version 4.0" },
                  { "\x93NUMPY\1\1..", 10, NWBZ_EUNSUPPORTED, "version 1.1" },
                  { "\x93NUMPY\2\0\1", 9, NWBZ_ESOURCE, "ends after 9 bytes" },
                  { "\x93NUMPY\1\0\100\0{'de", 14, NWBZ_ESOURCE, "ends after 14 bytes, within its header of 74 bytes" },
                  { "\x93NUMPY\2\0\377\377\377\377", 12, NWBZ_EUNSUPPORTED, "4294967295 bytes" } };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        test_file_write(in_folder("no.npy"), files[i].bytes, files[i].n);
        assert_fails(nwbz_source_open_npy(in_folder("no.npy"), &source, &err), files[i].code, files[i].word);
    }
    assert_fails(nwbz_source_open_npy(in_folder("missing.npy"), &source, &err), NWBZ_ESOURCE, "No such file");
    assert_fails(nwbz_source_open_npy(folder, &source, &err), NWBZ_ESOURCE, "folder");
}

static void a_truncated_file_is_refused_with_both_numbers(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const char *header = "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 4), }\n"; /* data from byte 70 on */
    assert_int_equal(strlen(header), 60);
    assert_fails(nwbz_source_open_npy(npy_file(1, header, bytes, 20), &source, &err), NWBZ_ESOURCE, "90 bytes",
                 "needs 94");
    assert_fails(nwbz_source_open_npy(npy_file(1, header, bytes, 25), &source, &err), NWBZ_ESOURCE, "95 bytes",
                 "needs 94");
    const char *huge = "{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n";
    assert_fails(nwbz_source_open_npy(npy_file(1, huge, bytes, 20), &source, &err), NWBZ_EINVAL,
                 "more bytes than a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dtype_of_numbers_and_bool_is_read),
        cmocka_unit_test(headers_as_people_and_programs_write_them_are_read),
        cmocka_unit_test(a_scalar_is_read),
        cmocka_unit_test(fortran_order_is_read_where_it_is_the_same_and_refused_where_not),
        cmocka_unit_test(other_dtypes_are_refused_by_name),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(what_is_no_npy_file_is_refused),
        cmocka_unit_test(a_truncated_file_is_refused_with_both_numbers),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
