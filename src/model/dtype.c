/* One table of types; everything else is arithmetic on bytes. */
#include "model/dtype.h"

#include "base/checked.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct type_row {
    const char *name;
    uint8_t size, swap_size;
    char kind; /* NumPy's letter; its size is the digit behind it */
} type_row;

static const type_row types[] = {
    [NWBZ_TYPE_NONE] = { "none", 0, 1, 0 },
    [NWBZ_BOOL] = { "bool", 1, 1, 'b' },
    [NWBZ_INT8] = { "int8", 1, 1, 'i' },
    [NWBZ_INT16] = { "int16", 2, 2, 'i' },
    [NWBZ_INT32] = { "int32", 4, 4, 'i' },
    [NWBZ_INT64] = { "int64", 8, 8, 'i' },
    [NWBZ_UINT8] = { "uint8", 1, 1, 'u' },
    [NWBZ_UINT16] = { "uint16", 2, 2, 'u' },
    [NWBZ_UINT32] = { "uint32", 4, 4, 'u' },
    [NWBZ_UINT64] = { "uint64", 8, 8, 'u' },
    [NWBZ_FLOAT16] = { "float16", 2, 2, 'f' },
    [NWBZ_FLOAT32] = { "float32", 4, 4, 'f' },
    [NWBZ_FLOAT64] = { "float64", 8, 8, 'f' },
    [NWBZ_COMPLEX64] = { "complex64", 8, 4, 'c' },
    [NWBZ_COMPLEX128] = { "complex128", 16, 8, 'c' },
    [NWBZ_STRING] = { "string", sizeof(nwbz_string), 1, 0 },
    [NWBZ_STRUCT] = { "struct", 0, 1, 0 },
    [NWBZ_UTF32] = { "fixed_length_utf32", 0, 4, 0 },
    [NWBZ_RAW] = { "raw_bytes", 0, 1, 0 },
};

enum { N_TYPES = sizeof types / sizeof *types };

/* ---- Sizes and names ----------------------------------------------------------- */

size_t nwbz_type_size(nwbz_type type)
{
    return (unsigned)type < N_TYPES ? types[type].size : 0;
}

const char *nwbz_type_name(nwbz_type type)
{
    return (unsigned)type < N_TYPES ? types[type].name : "none";
}

size_t nz_type_swap_size(nwbz_type type)
{
    return (unsigned)type < N_TYPES ? types[type].swap_size : 1;
}

nwbz_type nz_type_of_name(const char *zarr_name)
{
    for (unsigned i = NWBZ_TYPE_NONE + 1; i < N_TYPES; i++)
        if (types[i].size > 0 && strcmp(zarr_name, types[i].name) == 0)
            return (nwbz_type)i;
    return NWBZ_TYPE_NONE;
}

/* "i2", "f8", "c16", "?". */
static nwbz_type type_of_numpy(const char *name)
{
    if (strcmp(name, "?") == 0)
        return NWBZ_BOOL;
    for (unsigned i = NWBZ_TYPE_NONE + 1; i < N_TYPES; i++) {
        char numpy[8];
        snprintf(numpy, sizeof numpy, "%c%u", types[i].kind, types[i].size);
        if (types[i].kind && strcmp(name, numpy) == 0)
            return (nwbz_type)i;
    }
    return NWBZ_TYPE_NONE;
}

nwbz_code nwbz_type_parse(const char *name, nwbz_type *type, bool *big_endian, nwbz_error *err)
{
    bool has_order = *name && strchr("<>=|", *name), big = *name == '>';
    *type = has_order ? NWBZ_TYPE_NONE : nz_type_of_name(name);
    if (*type == NWBZ_TYPE_NONE)
        *type = type_of_numpy(name + has_order);
    if (*type == NWBZ_TYPE_NONE || (*name == '|' && nwbz_type_size(*type) > 1)) {
        *type = NWBZ_TYPE_NONE;
        return nz_fail(err, NWBZ_EINVAL,
                       "'%s' is no type: use bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, "
                       "float32, float64, "
                       "complex64, complex128, string, or NumPy's <i2, >i2, |u1, =f4",
                       name);
    }
    big = big && nz_type_swap_size(*type) > 1;
    if (big && !big_endian)
        return nz_fail(err, NWBZ_EINVAL, "'%s' is big-endian, which is not possible here", name);
    if (big_endian)
        *big_endian = big;
    return NWBZ_OK;
}

/* ---- Bytes ----------------------------------------------------------------------- */

/* Loads and stores through memcpy: samples need not be aligned, and in == out is fine. */
#define SWAP_LOOP(type, swap)                                                                                          \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        type unit;                                                                                                     \
        memcpy(&unit, from + i * sizeof unit, sizeof unit);                                                            \
        unit = swap(unit);                                                                                             \
        memcpy(to + i * sizeof unit, &unit, sizeof unit);                                                              \
    }

void nz_swap_bytes(const void *in, void *out, size_t n, size_t unit_bytes)
{
    const char *from = in;
    char *to = out;
    if (unit_bytes == 2) {
        SWAP_LOOP(uint16_t, __builtin_bswap16)
    } else if (unit_bytes == 4) {
        SWAP_LOOP(uint32_t, __builtin_bswap32)
    } else if (unit_bytes == 8) {
        SWAP_LOOP(uint64_t, __builtin_bswap64)
    } else if (in != out && n > 0) {
        memcpy(out, in, n * unit_bytes);
    }
}

/* ---- Types with a size of their own ---------------------------------------------- */

uint64_t nz_dtype_bytes(const nz_dtype *dtype)
{
    return dtype->element_bytes ? dtype->element_bytes : nwbz_type_size(dtype->type);
}

nz_dtype nz_dtype_of(nwbz_type type)
{
    return (nz_dtype){ type, nwbz_type_size(type), NULL, 0 };
}

void nz_dtype_done(nz_dtype *dtype)
{
    for (size_t i = 0; i < dtype->n_fields; i++) {
        nz_free(dtype->fields[i].name);
        nz_dtype_done(&dtype->fields[i].dtype);
    }
    nz_free(dtype->fields);
    *dtype = (nz_dtype)NZ_DTYPE_INIT;
}

nwbz_code nz_dtype_add_field(nz_dtype *record, const char *name, nz_dtype *dtype, nwbz_error *err)
{
    uint64_t n_bytes = 0, field_bytes = nz_dtype_bytes(dtype);
    nwbz_code code = NWBZ_OK;
    if (dtype->type == NWBZ_STRING || field_bytes == 0)
        code = nz_fail(err, NWBZ_EINVAL, "the field '%s' of a record is of type %s, which has no fixed size", name,
                       nwbz_type_name(dtype->type));
    else if (!nz_add(record->element_bytes, field_bytes, &n_bytes) || n_bytes > UINT32_MAX)
        code = nz_fail(err, NWBZ_ELIMIT, "a record of %llu bytes and a field of %llu are more than 4294967295",
                       (unsigned long long)record->element_bytes, (unsigned long long)field_bytes);
    char *copy = code == NWBZ_OK ? nz_strdup(name) : NULL;
    nz_field *fields = copy ? nz_realloc(record->fields, (record->n_fields + 1) * sizeof *fields) : NULL;
    if (fields) {
        record->fields = fields;
        fields[record->n_fields++] = (nz_field){ copy, record->element_bytes, *dtype };
        record->type = NWBZ_STRUCT;
        record->element_bytes = n_bytes;
        *dtype = (nz_dtype)NZ_DTYPE_INIT;
        return NWBZ_OK;
    }
    nz_free(copy);
    nz_dtype_done(dtype);
    return code != NWBZ_OK ? code : nz_fail_memory(err, sizeof *fields, "a field of a record");
}

nwbz_code nz_dtype_copy(nz_dtype *to, const nz_dtype *from, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    *to = (nz_dtype){ from->type, from->type == NWBZ_STRUCT ? 0 : from->element_bytes, NULL, 0 };
    for (size_t i = 0; i < from->n_fields && code == NWBZ_OK; i++) {
        nz_dtype field;
        code = nz_dtype_copy(&field, &from->fields[i].dtype, err);
        if (code == NWBZ_OK)
            code = nz_dtype_add_field(to, from->fields[i].name, &field, err);
    }
    if (code != NWBZ_OK)
        nz_dtype_done(to);
    return code;
}

bool nz_dtype_is(const nz_dtype *a, const nz_dtype *b)
{
    if (a->type != b->type || nz_dtype_bytes(a) != nz_dtype_bytes(b) || a->n_fields != b->n_fields)
        return false;
    for (size_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, b->fields[i].name) != 0 || !nz_dtype_is(&a->fields[i].dtype, &b->fields[i].dtype))
            return false;
    return true;
}

bool nz_dtype_has_order(const nz_dtype *dtype)
{
    for (size_t i = 0; i < dtype->n_fields; i++)
        if (nz_dtype_has_order(&dtype->fields[i].dtype))
            return true;
    return nz_type_swap_size(dtype->type) > 1;
}

/* ---- Elements -------------------------------------------------------------------- */

void nz_elements_set(void *out, const void *element, size_t element_bytes, uint64_t n)
{
    size_t total = (size_t)n * element_bytes, done = element_bytes;
    if (total == 0)
        return;
    memmove(out, element, element_bytes);
    while (done < total) { /* twice as much each time */
        size_t part = done < total - done ? done : total - done;
        memcpy((char *)out + done, out, part);
        done += part;
    }
}

static bool texts_are(const nwbz_string *texts, const nwbz_string *text, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (texts[i].n_bytes != text->n_bytes ||
            (text->n_bytes && memcmp(texts[i].bytes, text->bytes, text->n_bytes) != 0))
            return false;
    return true;
}

bool nz_elements_are(const void *elements, const void *element, nwbz_type type, size_t element_bytes, uint64_t n)
{
    if (n == 0)
        return true;
    if (type == NWBZ_STRING)
        return texts_are(elements, element, n);
    size_t size = element_bytes;
    /* The first is right, and each is like the one before it: memcmp compares at the speed of memory and stops early.
     */
    return memcmp(elements, element, size) == 0 &&
           memcmp(elements, (const char *)elements + size, (size_t)(n - 1) * size) == 0;
}

float nz_half_to_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF, whole;
    float value;
    if (exponent == 0) { /* zero and subnormals: fraction * 2^-24, exact in a float */
        value = (float)fraction * 0x1p-24F;
        memcpy(&whole, &value, sizeof whole);
        whole |= sign;
    } else {
        whole = sign | (exponent == 31 ? 0x7F800000U : (exponent + 112) << 23) | fraction << 13;
    }
    memcpy(&value, &whole, sizeof value);
    return value;
}
