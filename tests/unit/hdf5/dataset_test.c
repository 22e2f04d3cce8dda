/* Datasets: every type that is ours in both byte orders, every layout, and what is refused by name. */
#include "unit/hdf5/fixture.h"

#include "base/thread.h"
#include "hdf5/dataset.h"

#include <math.h>

static ssize_t n_open_before;

/* Open /group/data of a file. */
static nz_hdf5_dataset *open_data(const char *path, nz_hdf5_file **file)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_dataset *dataset = NULL;
    n_open_before = hdf5_count_open();
    assert_ok(nz_hdf5_file_open(path, file, &err), &err);
    assert_ok(nz_hdf5_dataset_open(*file, "/group/data", &dataset, &err), &err);
    return dataset;
}

/* Close both, and see that nothing of the library is left open. */
static void close_data(nz_hdf5_dataset *dataset, nz_hdf5_file *file)
{
    nz_hdf5_dataset_close(dataset);
    nz_hdf5_file_close(file);
    assert_int_equal(hdf5_count_open(), n_open_before);
}

static void check_refused_at(const char *path, const char *dataset_path, nwbz_code code, const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_file *file = NULL;
    nz_hdf5_dataset *dataset = NULL;
    n_open_before = hdf5_count_open();
    assert_ok(nz_hdf5_file_open(path, &file, &err), &err);
    assert_fails(nz_hdf5_dataset_open(file, dataset_path, &dataset, &err), code, text);
    assert_null(dataset);
    nz_hdf5_file_close(file);
    assert_int_equal(hdf5_count_open(), n_open_before);
}

/* ---- types ---------------------------------------------------------------------------- */

static const unsigned char bytes[64] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 250, 251, 252, 253, 254, 255,
                                         17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,  28,  29,  30,  31,  32 };

/* Write `type` with either order, as bytes without conversion, and read them back. */
static void check_number(hid_t type, nwbz_type expected)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t size = H5Tget_size(type);
    hsize_t shape[] = { 4 };
    hdf5_layout layout = { 1, shape, NULL, false };
    nz_box whole = { 1, { 0 }, { 4 } };
    for (unsigned big = 0; big < 2; big++) {
        nz_hdf5_file *file = NULL;
        unsigned char got[64] = { 0 };
        assert_hdf5(H5Tset_order(type, big ? H5T_ORDER_BE : H5T_ORDER_LE));
        hdf5_file(in_folder("type.h5"), type, &layout, type, bytes);
        nz_hdf5_dataset *dataset = open_data(in_folder("type.h5"), &file);
        assert_int_equal(nz_hdf5_dataset_look(dataset)->dtype.type, expected);
        assert_int_equal(nwbz_type_size(expected), size);
        assert_ok(nz_hdf5_dataset_read(dataset, &whole, got, &err), &err);
        for (size_t i = 0; i < 4 * size; i++)
            assert_int_equal(got[i], bytes[big ? i / size * size + (size - 1 - i % size) : i]);
        close_data(dataset, file);
    }
    assert_hdf5(H5Tclose(type));
}

static hid_t float16_type(void)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    assert_hdf5(H5Tset_fields(type, 15, 10, 5, 0, 10));
    assert_hdf5(H5Tset_size(type, 2));
    assert_hdf5(H5Tset_ebias(type, 15));
    return type;
}

static void every_number_of_either_byte_order_is_read(void **state)
{
    (void)state;
    check_number(H5Tcopy(H5T_STD_I8LE), NWBZ_INT8);
    check_number(H5Tcopy(H5T_STD_I16LE), NWBZ_INT16);
    check_number(H5Tcopy(H5T_STD_I32LE), NWBZ_INT32);
    check_number(H5Tcopy(H5T_STD_I64LE), NWBZ_INT64);
    check_number(H5Tcopy(H5T_STD_U8LE), NWBZ_UINT8);
    check_number(H5Tcopy(H5T_STD_U16LE), NWBZ_UINT16);
    check_number(H5Tcopy(H5T_STD_U32LE), NWBZ_UINT32);
    check_number(H5Tcopy(H5T_STD_U64LE), NWBZ_UINT64);
    check_number(float16_type(), NWBZ_FLOAT16);
    check_number(H5Tcopy(H5T_IEEE_F32LE), NWBZ_FLOAT32);
    check_number(H5Tcopy(H5T_IEEE_F64LE), NWBZ_FLOAT64);
}

/* As h5py stores bool, with the given names and values. */
static hid_t enum_type(hid_t base, const char *first, const char *second, int second_value)
{
    int64_t values[2] = { 0, second_value };
    hid_t type = H5Tenum_create(base);
    assert_hdf5(H5Tenum_insert(type, first, &values[0]));
    assert_hdf5(H5Tenum_insert(type, second, &values[1]));
    return type;
}

static void the_bool_of_h5py_is_read(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    hid_t type = enum_type(H5T_STD_I8LE, "FALSE", "TRUE", 1);
    hsize_t shape[] = { 6 };
    unsigned char elements[6] = { 0, 1, 1, 0, 1, 0 }, got[6] = { 0 };
    hdf5_layout layout = { 1, shape, shape, true };
    nz_box whole = { 1, { 0 }, { 6 } };
    nz_hdf5_file *file = NULL;
    hdf5_file(in_folder("bool.h5"), type, &layout, type, elements);
    nz_hdf5_dataset *dataset = open_data(in_folder("bool.h5"), &file);
    assert_int_equal(nz_hdf5_dataset_look(dataset)->dtype.type, NWBZ_BOOL);
    assert_ok(nz_hdf5_dataset_read(dataset, &whole, got, &err), &err);
    assert_memory_equal(got, elements, sizeof got);
    close_data(dataset, file);
    elements[4] = 7;
    hdf5_file(in_folder("bool.h5"), type, &layout, type, elements);
    dataset = open_data(in_folder("bool.h5"), &file);
    assert_fails(nz_hdf5_dataset_read(dataset, &whole, got, &err), NWBZ_ESOURCE, "element 4", "is 7");
    close_data(dataset, file);
    assert_hdf5(H5Tclose(type));
}

static hid_t pair_type(const char *first, const char *second, hid_t part, hid_t second_part, size_t padding)
{
    size_t size = H5Tget_size(part);
    hid_t type = H5Tcreate(H5T_COMPOUND, size + padding + H5Tget_size(second_part));
    assert_hdf5(H5Tinsert(type, first, 0, part));
    assert_hdf5(H5Tinsert(type, second, size + padding, second_part));
    return type;
}

static void check_complex(hid_t part, hid_t memory_part, nwbz_type expected, size_t padding)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    hid_t type = pair_type("r", "i", part, part, padding), memory = pair_type("r", "i", memory_part, memory_part, 0);
    double wide[4] = { 1.5, -2.25, 3e10, INFINITY }, got_wide[4] = { 0 };
    float narrow[4] = { 1.5F, -2.25F, 3e10F, INFINITY }, got_narrow[4] = { 0 };
    bool is_wide = expected == NWBZ_COMPLEX128;
    hsize_t shape[] = { 2 };
    hdf5_layout layout = { 1, shape, NULL, false };
    nz_box whole = { 1, { 0 }, { 2 } };
    nz_hdf5_file *file = NULL;
    hdf5_file(in_folder("complex.h5"), type, &layout, memory, is_wide ? (void *)wide : (void *)narrow);
    nz_hdf5_dataset *dataset = open_data(in_folder("complex.h5"), &file);
    assert_int_equal(nz_hdf5_dataset_look(dataset)->dtype.type, expected);
    assert_ok(nz_hdf5_dataset_read(dataset, &whole, is_wide ? (void *)got_wide : (void *)got_narrow, &err), &err);
    assert_memory_equal(got_wide, is_wide ? wide : (double[4]){ 0 }, sizeof wide);
    assert_memory_equal(got_narrow, is_wide ? (float[4]){ 0 } : narrow, sizeof narrow);
    close_data(dataset, file);
    assert_hdf5(H5Tclose(type));
    assert_hdf5(H5Tclose(memory));
}

static void the_complex_numbers_of_h5py_are_read(void **state)
{
    (void)state;
    check_complex(H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, NWBZ_COMPLEX64, 0);
    check_complex(H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, NWBZ_COMPLEX64, 0);
    check_complex(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NWBZ_COMPLEX128, 8);
    check_complex(H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, NWBZ_COMPLEX128, 0);
}

/* Refuse a type (given away) with a text. */
static void check_type_refused(hid_t type, const char *text)
{
    hsize_t shape[] = { 3 };
    hdf5_layout layout = { 1, shape, NULL, false };
    assert_hdf5(type);
    hdf5_file(in_folder("refused.h5"), type, &layout, type, NULL);
    assert_hdf5(H5Tclose(type));
    check_refused_at(in_folder("refused.h5"), "/group/data", NWBZ_EUNSUPPORTED, text);
}

static hid_t packed_integer(void)
{
    hid_t type = H5Tcopy(H5T_STD_I32LE);
    assert_hdf5(H5Tset_precision(type, 24));
    return type;
}

static hid_t bfloat16(void)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    assert_hdf5(H5Tset_fields(type, 15, 7, 8, 0, 7));
    assert_hdf5(H5Tset_size(type, 2));
    return type;
}

static hid_t sized(hid_t like, size_t size)
{
    hid_t type = H5Tcopy(like);
    assert_hdf5(H5Tset_size(type, size));
    return type;
}

static void other_types_are_refused_by_their_class(void **state)
{
    (void)state;
    hsize_t three = 3;
    check_type_refused(packed_integer(), "integers of another width");
    check_type_refused(sized(H5T_STD_I32LE, 3), "integers of another width");
    check_type_refused(bfloat16(), "floats that are not IEEE's");
    check_type_refused(H5Tcopy(H5T_NATIVE_LDOUBLE), "floats that are not IEEE's");
    check_type_refused(sized(H5T_C_S1, 8), "text");
    check_type_refused(sized(H5T_C_S1, H5T_VARIABLE), "text");
    check_type_refused(H5Tcopy(H5T_UNIX_D32LE), "times");
    check_type_refused(H5Tcopy(H5T_STD_B8LE), "bit fields");
    check_type_refused(H5Tcreate(H5T_OPAQUE, 5), "opaque");
    check_type_refused(H5Tcopy(H5T_STD_REF_OBJ), "references");
    check_type_refused(H5Tvlen_create(H5T_STD_I16LE), "variable length");
    check_type_refused(H5Tarray_create2(H5T_STD_I16LE, 1, &three), "arrays as elements");
    check_type_refused(enum_type(H5T_STD_I8LE, "FALSE", "TRUE", 2), "enumeration");
    check_type_refused(enum_type(H5T_STD_I8LE, "OFF", "ON", 1), "enumeration");
    check_type_refused(enum_type(H5T_STD_I64LE, "FALSE", "TRUE", 1), "enumeration");
    check_type_refused(pair_type("x", "y", H5T_IEEE_F32LE, H5T_IEEE_F32LE, 0), "compound");
    check_type_refused(pair_type("r", "i", H5T_IEEE_F32LE, H5T_IEEE_F64LE, 0), "compound");
    check_type_refused(pair_type("r", "i", H5T_STD_I32LE, H5T_STD_I32LE, 0), "compound");
}

/* ---- shapes and layouts ----------------------------------------------------------------- */

static void a_dataset_says_its_shape_and_chunks(void **state)
{
    (void)state;
    hsize_t shape[] = { 10, 3 }, chunk[] = { 4, 8 };
    int16_t elements[30] = { 0 };
    hdf5_layout chunked = { 2, shape, chunk, true }, contiguous = { 2, shape, NULL, false };
    nz_hdf5_file *file = NULL;
    hdf5_file(in_folder("shape.h5"), H5T_STD_I16LE, &chunked, H5T_NATIVE_INT16, elements);
    nz_hdf5_dataset *dataset = open_data(in_folder("shape.h5"), &file);
    const nz_hdf5_dataset_info *info = nz_hdf5_dataset_look(dataset);
    assert_int_equal(info->n_dims, 2);
    assert_true(info->shape[0] == 10 && info->shape[1] == 3);
    assert_true(info->is_chunked && info->chunk_shape[0] == 4 && info->chunk_shape[1] == 8);
    assert_int_equal(nz_hdf5_dataset_read_bytes(dataset), (2 << 20) + 2 * 4 * 8 * 2);
    close_data(dataset, file);
    hdf5_file(in_folder("shape.h5"), H5T_STD_I16LE, &contiguous, H5T_NATIVE_INT16, elements);
    dataset = open_data(in_folder("shape.h5"), &file);
    assert_false(nz_hdf5_dataset_look(dataset)->is_chunked);
    close_data(dataset, file);
}

static void a_scalar_and_no_elements_are_read(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    int16_t element = -77, got = 0;
    hsize_t shape[] = { 0, 5 };
    hdf5_layout scalar = { 0, NULL, NULL, false }, empty = { 2, shape, NULL, false };
    nz_box point = { .n_dims = 0 }, none = { 2, { 0 }, { 0, 5 } };
    nz_hdf5_file *file = NULL;
    hdf5_file(in_folder("scalar.h5"), H5T_STD_I16BE, &scalar, H5T_NATIVE_INT16, &element);
    nz_hdf5_dataset *dataset = open_data(in_folder("scalar.h5"), &file);
    assert_int_equal(nz_hdf5_dataset_look(dataset)->n_dims, 0);
    assert_ok(nz_hdf5_dataset_read(dataset, &point, &got, &err), &err);
    assert_int_equal(got, -77);
    close_data(dataset, file);
    hdf5_file(in_folder("scalar.h5"), H5T_STD_I16BE, &empty, H5T_NATIVE_INT16, NULL);
    dataset = open_data(in_folder("scalar.h5"), &file);
    assert_ok(nz_hdf5_dataset_read(dataset, &none, &got, &err), &err);
    assert_int_equal(got, -77);
    close_data(dataset, file);
}

static void what_was_never_written_is_the_fill_value(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    hsize_t shape[] = { 6 }, chunk[] = { 2 };
    int16_t fill = 42, got[6] = { 0 };
    nz_box whole = { 1, { 0 }, { 6 } };
    nz_hdf5_file *file = NULL;
    hid_t made = H5Fcreate(in_folder("fill.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, shape, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    assert_hdf5(H5Pset_chunk(properties, 1, chunk));
    assert_hdf5(H5Pset_fill_value(properties, H5T_NATIVE_INT16, &fill));
    hid_t group = H5Gcreate2(made, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = H5Dcreate2(group, "data", H5T_STD_I16BE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_hdf5(H5Dclose(data));
    assert_hdf5(H5Gclose(group));
    assert_hdf5(H5Pclose(properties));
    assert_hdf5(H5Sclose(space));
    assert_hdf5(H5Fclose(made));
    nz_hdf5_dataset *dataset = open_data(in_folder("fill.h5"), &file);
    assert_ok(nz_hdf5_dataset_read(dataset, &whole, got, &err), &err);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(got[i], 42);
    close_data(dataset, file);
}

static void a_null_dataspace_is_refused(void **state)
{
    (void)state;
    hid_t made = H5Fcreate(in_folder("null.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_NULL);
    hid_t data = H5Dcreate2(made, "data", H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_hdf5(H5Dclose(data));
    assert_hdf5(H5Sclose(space));
    assert_hdf5(H5Fclose(made));
    check_refused_at(in_folder("null.h5"), "/data", NWBZ_EUNSUPPORTED, "null dataspace");
}

/* ---- names -------------------------------------------------------------------------------- */

static const char *plain_file(const char *name)
{
    hsize_t shape[] = { 4 };
    int16_t elements[4] = { 1, 2, 3, 4 };
    hdf5_layout layout = { 1, shape, NULL, false };
    hdf5_file(in_folder(name), H5T_STD_I16LE, &layout, H5T_NATIVE_INT16, elements);
    return in_folder(name);
}

static void names_that_are_no_dataset_are_refused(void **state)
{
    (void)state;
    const char *path = plain_file("names.h5");
    check_refused_at(path, "/group/other", NWBZ_ESOURCE,
                     "the dataset '/group/other' cannot be opened; there is none of that name");
    check_refused_at(path, "/none/data", NWBZ_ESOURCE, "there is none of that name");
    check_refused_at(path, "/group", NWBZ_ESOURCE, "it is a group");
    check_refused_at(path, "", NWBZ_ESOURCE, "cannot be opened");
}

static void links_within_the_file_are_followed(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_hdf5_file *file = NULL;
    nz_hdf5_dataset *dataset = NULL;
    hid_t made = H5Fopen(plain_file("links.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_hdf5(H5Lcreate_soft("/group/data", made, "soft", H5P_DEFAULT, H5P_DEFAULT));
    assert_hdf5(H5Fclose(made));
    n_open_before = hdf5_count_open();
    assert_ok(nz_hdf5_file_open(in_folder("links.h5"), &file, &err), &err);
    assert_ok(nz_hdf5_dataset_open(file, "/soft", &dataset, &err), &err);
    close_data(dataset, file);
}

static void samples_in_other_files_are_refused(void **state)
{
    (void)state;
    hsize_t shape[] = { 4 };
    hid_t made = H5Fopen(plain_file("elsewhere.h5"), H5F_ACC_RDWR, H5P_DEFAULT),
          space = H5Screate_simple(1, shape, NULL);
    hid_t external = H5Pcreate(H5P_DATASET_CREATE), virtual = H5Pcreate(H5P_DATASET_CREATE);
    plain_file("other.h5");
    assert_hdf5(H5Lcreate_external("other.h5", "/group/data", made, "linked", H5P_DEFAULT, H5P_DEFAULT));
    assert_hdf5(H5Pset_external(external, "samples.raw", 0, 8));
    assert_hdf5(H5Pset_virtual(virtual, space, "other.h5", "/group/data", space));
    hid_t data = H5Dcreate2(made, "external", H5T_STD_I16LE, space, H5P_DEFAULT, external, H5P_DEFAULT);
    assert_hdf5(H5Dclose(data));
    data = H5Dcreate2(made, "virtual", H5T_STD_I16LE, space, H5P_DEFAULT, virtual, H5P_DEFAULT);
    assert_hdf5(H5Dclose(data));
    assert_hdf5(H5Pclose(external));
    assert_hdf5(H5Pclose(virtual));
    assert_hdf5(H5Sclose(space));
    assert_hdf5(H5Fclose(made));
    check_refused_at(in_folder("elsewhere.h5"), "/linked", NWBZ_EUNSUPPORTED, "external link leads to another file");
    check_refused_at(in_folder("elsewhere.h5"), "/external", NWBZ_EUNSUPPORTED, "external storage");
    check_refused_at(in_folder("elsewhere.h5"), "/virtual", NWBZ_EUNSUPPORTED, "virtual dataset");
}

/* ---- filters and damage ------------------------------------------------------------------- */

static size_t same_bytes(unsigned flags, size_t n_values, const unsigned values[], size_t n, size_t *room,
                         void **buffer)
{
    (void)flags, (void)n_values, (void)values, (void)room, (void)buffer;
    return n;
}

static void write_with_filter(const char *path, H5Z_filter_t filter)
{
    H5Z_class2_t class = { H5Z_CLASS_T_VERS, filter, 1, 1, "a filter of this test", NULL, NULL, same_bytes };
    hsize_t shape[] = { 4 };
    int16_t elements[4] = { 1, 2, 3, 4 };
    assert_hdf5(H5Zregister(&class));
    hid_t made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, shape, NULL);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    assert_hdf5(H5Pset_chunk(properties, 1, shape));
    assert_hdf5(H5Pset_filter(properties, filter, 0, 0, NULL));
    hid_t data = H5Dcreate2(made, "data", H5T_STD_I16LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_hdf5(H5Dwrite(data, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    assert_hdf5(H5Dclose(data));
    assert_hdf5(H5Pclose(properties));
    assert_hdf5(H5Sclose(space));
    assert_hdf5(H5Fclose(made));
    assert_hdf5(H5Zunregister(filter));
}

static void a_filter_that_is_not_installed_is_named_with_the_way_to_get_it(void **state)
{
    (void)state;
    write_with_filter(in_folder("filter.h5"), 311);
    check_refused_at(in_folder("filter.h5"), "/data", NWBZ_EUNSUPPORTED, "filter 311 (see the list");
    write_with_filter(in_folder("filter.h5"), 32015);
    check_refused_at(in_folder("filter.h5"), "/data", NWBZ_EUNSUPPORTED, "filter 32015 (zstd), which is not installed");
    check_refused_at(in_folder("filter.h5"), "/data", NWBZ_EUNSUPPORTED, "HDF5_PLUGIN_PATH");
}

static void a_damaged_chunk_is_an_error(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    static int16_t elements[20000], got[20000];
    hsize_t shape[] = { 20000 };
    hdf5_layout layout = { 1, shape, shape, true };
    nz_box whole = { 1, { 0 }, { 20000 } };
    nz_hdf5_file *file = NULL;
    size_t n_bytes = 0;
    for (unsigned i = 0; i < 20000; i++)
        elements[i] = sample_at(i * i);
    hdf5_file(in_folder("damaged.h5"), H5T_STD_I16LE, &layout, H5T_NATIVE_INT16, elements);
    char *text = test_file_read(in_folder("damaged.h5"), &n_bytes);
    text[n_bytes / 2] = (char)(text[n_bytes / 2] ^ 0x10);
    test_file_write(in_folder("damaged.h5"), text, n_bytes);
    nz_hdf5_dataset *dataset = open_data(in_folder("damaged.h5"), &file);
    assert_fails(nz_hdf5_dataset_read(dataset, &whole, got, &err), NWBZ_ESOURCE,
                 "samples cannot be read; a chunk is damaged");
    close_data(dataset, file);
    free(text);
}

/* ---- threads ------------------------------------------------------------------------------ */

enum { N_ROWS = 3000, N_COLUMNS = 7, N_THREADS = 4 };

static void *read_alone(void *argument)
{
    unsigned *n_right = argument;
    uint64_t whole[] = { N_ROWS, N_COLUMNS }, seed = (uintptr_t)argument;
    nz_hdf5_file *file = NULL;
    nz_hdf5_dataset *dataset = NULL;
    int16_t *got = nz_malloc(sizeof(int16_t) * N_ROWS * N_COLUMNS);
    if (nz_hdf5_file_open(in_folder("threads.h5"), &file, NULL) == NWBZ_OK &&
        nz_hdf5_dataset_open(file, "/group/data", &dataset, NULL) == NWBZ_OK)
        for (unsigned i = 0; got && i < 30; i++) {
            nz_box box;
            random_box(&box, 2, whole, &seed);
            *n_right += nz_hdf5_dataset_read(dataset, &box, got, NULL) == NWBZ_OK && is_known(&box, whole, got);
        }
    nz_hdf5_dataset_close(dataset);
    nz_hdf5_file_close(file);
    nz_free(got);
    return NULL;
}

static void threads_with_files_of_their_own_share_the_library(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    static int16_t elements[N_ROWS * N_COLUMNS];
    hsize_t shape[] = { N_ROWS, N_COLUMNS }, chunk[] = { 100, 4 };
    hdf5_layout layout = { 2, shape, chunk, true };
    nz_thread threads[N_THREADS];
    unsigned n_right[N_THREADS] = { 0 };
    for (unsigned i = 0; i < N_ROWS * N_COLUMNS; i++)
        elements[i] = sample_at(i);
    hdf5_file(in_folder("threads.h5"), H5T_STD_I16BE, &layout, H5T_NATIVE_INT16, elements);
    n_open_before = hdf5_count_open();
    for (unsigned i = 0; i < N_THREADS; i++)
        assert_ok(nz_thread_start(&threads[i], read_alone, &n_right[i], &err), &err);
    for (unsigned i = 0; i < N_THREADS; i++)
        nz_thread_join(threads[i]);
    for (unsigned i = 0; i < N_THREADS; i++)
        assert_int_equal(n_right[i], 30);
    assert_int_equal(hdf5_count_open(), n_open_before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_either_byte_order_is_read),
        cmocka_unit_test(the_bool_of_h5py_is_read),
        cmocka_unit_test(the_complex_numbers_of_h5py_are_read),
        cmocka_unit_test(other_types_are_refused_by_their_class),
        cmocka_unit_test(a_dataset_says_its_shape_and_chunks),
        cmocka_unit_test(a_scalar_and_no_elements_are_read),
        cmocka_unit_test(what_was_never_written_is_the_fill_value),
        cmocka_unit_test(a_null_dataspace_is_refused),
        cmocka_unit_test(names_that_are_no_dataset_are_refused),
        cmocka_unit_test(links_within_the_file_are_followed),
        cmocka_unit_test(samples_in_other_files_are_refused),
        cmocka_unit_test(a_filter_that_is_not_installed_is_named_with_the_way_to_get_it),
        cmocka_unit_test(a_damaged_chunk_is_an_error),
        cmocka_unit_test(threads_with_files_of_their_own_share_the_library),
    };
    (void)setenv("HDF5_PLUGIN_PRELOAD",
                 "::", 1); /* no plugins: filters that this machine has are not this test's matter */
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
