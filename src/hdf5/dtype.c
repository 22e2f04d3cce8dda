/* Types of HDF5 that are ours.  A type is taken only if every property of it is the one expected (no padding bits, an
 * IEEE layout), else the numbers would be read as others; then memory has the same type with little-endian bytes, so
 * that the library swaps bytes at most and converts no value.
 */
#include "hdf5/library.h"

#include "model/dtype.h"

#include <string.h>

/* ---- what is not ours --------------------------------------------------------------- */

static const char *class_name(H5T_class_t class)
{
    static const struct {
        H5T_class_t class;
        const char *name;
    } names[] = {
        { H5T_INTEGER, "integers of another width than 8, 16, 32 or 64 bits, or with unused bits" },
        { H5T_FLOAT, "floats that are not IEEE's of 16, 32 or 64 bits" },
        { H5T_TIME, "times" },
        { H5T_STRING, "text" },
        { H5T_BITFIELD, "bit fields" },
        { H5T_OPAQUE, "opaque bytes" },
        { H5T_COMPOUND, "a compound that is not two equal floats r, i" },
        { H5T_REFERENCE, "references" },
        { H5T_ENUM, "an enumeration that is not FALSE=0, TRUE=1 in one byte" },
        { H5T_VLEN, "sequences of variable length" },
        { H5T_ARRAY, "arrays as elements" },
#if H5_VERSION_GE(2, 0, 0)
        { H5T_COMPLEX, "HDF5's own complex numbers" },
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].class == class)
            return names[i].name;
    return "a class of types that is not known here";
}

static nwbz_code fail_class(hid_t type, nwbz_error *err)
{
    H5T_class_t class = H5Tget_class(type);
    if (class == H5T_NO_CLASS)
        return nz_hdf5_fail(err, NWBZ_ESOURCE, "the type of the dataset cannot be read");
    return nz_fail(err, NWBZ_EUNSUPPORTED, "the HDF5 dataset holds %s; samples must be numbers or bool",
                   class_name(class));
}

/* ---- numbers ------------------------------------------------------------------------ */

static bool is_plain(hid_t type, size_t size)
{
    H5T_order_t order = H5Tget_order(type);
    return H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0 &&
           (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
}

static nwbz_type integer_of(hid_t type)
{
    static const nwbz_type types[2][9] = {
        { [1] = NWBZ_UINT8, [2] = NWBZ_UINT16, [4] = NWBZ_UINT32, [8] = NWBZ_UINT64 },
        { [1] = NWBZ_INT8, [2] = NWBZ_INT16, [4] = NWBZ_INT32, [8] = NWBZ_INT64 },
    };
    size_t size = H5Tget_size(type);
    H5T_sign_t sign = H5Tget_sign(type);
    if (size > 8 || !is_plain(type, size) || (sign != H5T_SGN_NONE && sign != H5T_SGN_2))
        return NWBZ_TYPE_NONE;
    return types[sign == H5T_SGN_2][size];
}

static nwbz_type float_of(hid_t type)
{
    static const struct {
        size_t size, sign_at, exponent_at, exponent_bits, mantissa_bits, bias;
        nwbz_type type;
    } ieee[] = { { 2, 15, 10, 5, 10, 15, NWBZ_FLOAT16 },
                 { 4, 31, 23, 8, 23, 127, NWBZ_FLOAT32 },
                 { 8, 63, 52, 11, 52, 1023, NWBZ_FLOAT64 } };
    size_t size = H5Tget_size(type), sign_at, exponent_at, exponent_bits, mantissa_at, mantissa_bits;
    if (!is_plain(type, size) || H5Tget_norm(type) != H5T_NORM_IMPLIED ||
        H5Tget_fields(type, &sign_at, &exponent_at, &exponent_bits, &mantissa_at, &mantissa_bits) < 0)
        return NWBZ_TYPE_NONE;
    for (size_t i = 0; i < sizeof ieee / sizeof *ieee; i++)
        if (size == ieee[i].size && sign_at == ieee[i].sign_at && exponent_at == ieee[i].exponent_at &&
            exponent_bits == ieee[i].exponent_bits && mantissa_at == 0 && mantissa_bits == ieee[i].mantissa_bits &&
            H5Tget_ebias(type) == ieee[i].bias)
            return ieee[i].type;
    return NWBZ_TYPE_NONE;
}

/* ---- h5py's bool and complex -------------------------------------------------------- */

static bool is_member(hid_t type, unsigned index, const char *name)
{
    char *found = H5Tget_member_name(type, index);
    bool is_same = found && strcmp(found, name) == 0;
    if (found)
        (void)H5free_memory(found);
    return is_same;
}

static nwbz_type bool_of(hid_t type)
{
    static const char *const names[] = { "FALSE", "TRUE" };
    if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2)
        return NWBZ_TYPE_NONE;
    for (unsigned i = 0; i < 2; i++) {
        unsigned char value = 2;
        if (H5Tget_member_value(type, i, &value) < 0 || value > 1 || !is_member(type, i, names[value]))
            return NWBZ_TYPE_NONE;
    }
    return NWBZ_BOOL;
}

static nwbz_type part_of(hid_t type, unsigned index)
{
    hid_t part = H5Tget_member_type(type, index);
    nwbz_type found = part >= 0 && H5Tget_class(part) == H5T_FLOAT ? float_of(part) : NWBZ_TYPE_NONE;
    if (part >= 0)
        (void)H5Tclose(part);
    return found;
}

static nwbz_type complex_of(hid_t type)
{
    if (H5Tget_nmembers(type) != 2 || !is_member(type, 0, "r") || !is_member(type, 1, "i"))
        return NWBZ_TYPE_NONE;
    nwbz_type part = part_of(type, 0);
    if (part != part_of(type, 1))
        return NWBZ_TYPE_NONE;
    return part == NWBZ_FLOAT32 ? NWBZ_COMPLEX64 : part == NWBZ_FLOAT64 ? NWBZ_COMPLEX128 : NWBZ_TYPE_NONE;
}

/* ---- memory ------------------------------------------------------------------------- */

static hid_t complex_in_memory(nwbz_type type)
{
    size_t part_bytes = nz_type_swap_size(type);
    hid_t part = type == NWBZ_COMPLEX64 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    hid_t made = H5Tcreate(H5T_COMPOUND, 2 * part_bytes);
    if (made >= 0 && (H5Tinsert(made, "r", 0, part) < 0 || H5Tinsert(made, "i", part_bytes, part) < 0)) {
        (void)H5Tclose(made);
        return H5I_INVALID_HID;
    }
    return made;
}

static hid_t in_memory(hid_t file_type, nwbz_type type)
{
    if (type == NWBZ_COMPLEX64 || type == NWBZ_COMPLEX128)
        return complex_in_memory(type);
    hid_t made = H5Tcopy(file_type);
    if (made >= 0 && type != NWBZ_BOOL && H5Tset_order(made, H5T_ORDER_LE) < 0) {
        (void)H5Tclose(made);
        return H5I_INVALID_HID;
    }
    return made;
}

nwbz_code nz_hdf5_type_of(hid_t file_type, nwbz_type *type, hid_t *memory_type, nwbz_error *err)
{
    static const struct {
        H5T_class_t class;
        nwbz_type (*type_of)(hid_t);
    } classes[] = {
        { H5T_INTEGER, integer_of }, { H5T_FLOAT, float_of }, { H5T_ENUM, bool_of }, { H5T_COMPOUND, complex_of }
    };
    H5T_class_t class = H5Tget_class(file_type);
    *type = NWBZ_TYPE_NONE;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (class == classes[i].class)
            *type = classes[i].type_of(file_type);
    if (*type == NWBZ_TYPE_NONE)
        return fail_class(file_type, err);
    *memory_type = in_memory(file_type, *type);
    return *memory_type < 0 ? nz_hdf5_fail(err, NWBZ_ESOURCE, "no type in memory for %s", nwbz_type_name(*type))
                            : NWBZ_OK;
}
