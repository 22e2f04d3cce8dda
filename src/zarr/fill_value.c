/* A fill value is one element.  Its JSON forms are those of the Zarr core specification 3.1, "fill value", and what
 * ON-DISK.md section 11 says of NaN: the three usual quiet NaNs are "NaN", every other bit pattern is written in
 * hexadecimal, so that no bit is lost. */
#include "zarr/metadata.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "zarr/member.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The bytes of the number, of both parts for complex; and whether it has a sign. */
typedef struct number_form {
    nwbz_type type;
    unsigned bytes;
    char kind; /* i, u, f, c */
} number_form;

static const number_form forms[] = {
    { NWBZ_INT8, 1, 'i' },       { NWBZ_INT16, 2, 'i' },   { NWBZ_INT32, 4, 'i' },   { NWBZ_INT64, 8, 'i' },
    { NWBZ_UINT8, 1, 'u' },      { NWBZ_UINT16, 2, 'u' },  { NWBZ_UINT32, 4, 'u' },  { NWBZ_UINT64, 8, 'u' },
    { NWBZ_FLOAT16, 2, 'f' },    { NWBZ_FLOAT32, 4, 'f' }, { NWBZ_FLOAT64, 8, 'f' }, { NWBZ_COMPLEX64, 4, 'c' },
    { NWBZ_COMPLEX128, 8, 'c' },
};

static const number_form *form_of(nwbz_type type)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].type == type)
            return &forms[i];
    return NULL;
}

static nwbz_code refuse(const nz_json *json, nwbz_type type, nwbz_error *err)
{
    char what[64];
    snprintf(what, sizeof what, "it is no value of %s", nwbz_type_name(type));
    return nz_member_fail(err, NWBZ_EFORMAT, "fill_value", json, what);
}

/* ---- integers ---- */

/* Read an integer, also from a number like 3.0, which some writers put for 3. */
static bool read_int(const nz_json *json, bool is_signed, int64_t *i, uint64_t *u)
{
    if (nz_json_kind_of(json) == NZ_JSON_INT)
        return is_signed ? nz_json_int(json, i) : nz_json_uint(json, u);
    if (nz_json_kind_of(json) != NZ_JSON_DOUBLE)
        return false;
    double value = nz_json_double(json);
    if (!(fabs(value) <= 9007199254740992.0) || value != floor(value) || (!is_signed && value < 0))
        return false;
    *i = (int64_t)value;
    *u = is_signed ? 0 : (uint64_t)value;
    return true;
}

static bool parse_int(const nz_json *json, const number_form *form, unsigned char *out)
{
    int64_t i = 0;
    uint64_t u = 0;
    unsigned bits = form->bytes * 8;
    if (!read_int(json, form->kind == 'i', &i, &u))
        return false;
    if (form->kind == 'u') {
        if (bits < 64 && u >> bits)
            return false;
        memcpy(out, &u, form->bytes);
        return true;
    }
    int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
    if (i > most || i < -most - 1)
        return false;
    memcpy(out, &i, form->bytes);
    return true;
}

static nz_json *format_int(const number_form *form, const unsigned char *in)
{
    uint64_t u = 0;
    memcpy(&u, in, form->bytes);
    if (form->kind == 'u')
        return nz_json_new_uint(u);
    unsigned unused = 64 - form->bytes * 8;
    uint64_t shifted = u << unused;
    int64_t i;
    memcpy(&i, &shifted, sizeof i);
    return nz_json_new_int(i >> unused);
}

/* ---- floats ---- */

/* Round a finite or infinite double to binary16, half to even; infinity when it is out of range. */
static uint16_t half_of_double(double value)
{
    double a = fabs(value);
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    if (a >= 65520.0)
        return sign | 0x7c00;
    if (a < 0x1p-14) /* subnormal: units of 2^-24; 1024 of them are the smallest normal number, as the bits are too */
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(a, 24)));
    double fraction = frexp(a, &exponent); /* [0.5, 1) */
    unsigned mantissa = (unsigned)nearbyint(ldexp(fraction, 11));
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + (mantissa - 1024)));
}

/* Store `value`, not a NaN, as a float of that many bytes; false when it is finite and out of range. */
static bool store_float(double value, unsigned bytes, unsigned char *out)
{
    if (bytes == 8) {
        memcpy(out, &value, 8);
        return true;
    }
    if (bytes == 4) {
        float narrow = (float)value;
        memcpy(out, &narrow, 4);
        return isinf(value) || !isinf(narrow);
    }
    uint16_t half = half_of_double(value);
    memcpy(out, &half, 2);
    return isinf(value) || (half & 0x7fff) != 0x7c00;
}

/* The bits of the usual quiet NaN, with which "NaN" is meant. */
static uint64_t usual_nan(unsigned bytes)
{
    return bytes == 2 ? 0x7e00 : bytes == 4 ? 0x7fc00000 : 0x7ff8000000000000;
}

static bool parse_hex(const char *text, size_t n, unsigned bytes, uint64_t *bits)
{
    if (n != 2 + bytes * 2 || text[0] != '0' || text[1] != 'x')
        return false;
    *bits = 0;
    for (size_t i = 2; i < n; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        *bits = *bits << 4 | (uint64_t)((digit - digits) % 16);
    }
    return true;
}

static bool parse_float(const nz_json *json, unsigned bytes, unsigned char *out)
{
    nz_json_kind kind = nz_json_kind_of(json);
    uint64_t bits = usual_nan(bytes);
    if (kind == NZ_JSON_INT || kind == NZ_JSON_DOUBLE) {
        double value = nz_json_double(json);
        if (!isnan(value))
            return store_float(value, bytes, out);
    } else if (kind == NZ_JSON_TEXT) {
        size_t n;
        const char *text = nz_json_text(json, &n);
        if (strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0)
            return store_float(text[0] == '-' ? -INFINITY : INFINITY, bytes, out);
        if (strcmp(text, "NaN") != 0 && !parse_hex(text, n, bytes, &bits))
            return false;
    } else {
        return false;
    }
    memcpy(out, &bits, bytes); /* little-endian machines only (nwbz/types.h) */
    return true;
}

static double load_float(const unsigned char *in, unsigned bytes, uint64_t *bits)
{
    double value;
    float narrow;
    uint16_t half;
    *bits = 0;
    memcpy(bits, in, bytes);
    memcpy(&half, in, sizeof half);
    if (bytes == 2)
        return (double)nz_half_to_float(half);
    if (bytes == 4) {
        memcpy(&narrow, in, 4);
        return (double)narrow;
    }
    memcpy(&value, in, 8);
    return value;
}

static nz_json *format_float(const unsigned char *in, unsigned bytes)
{
    uint64_t bits;
    double value = load_float(in, bytes, &bits);
    if (isinf(value))
        return nz_json_new_text(value < 0 ? "-Infinity" : "Infinity");
    if (!isnan(value))
        return nz_json_new_double(value);
    if (bits == usual_nan(bytes))
        return nz_json_new_text("NaN");
    char text[32];
    snprintf(text, sizeof text, "0x%0*" PRIx64, (int)bytes * 2, bits);
    return nz_json_new_text(text);
}

static nz_json *format_complex(const unsigned char *in, unsigned bytes)
{
    nz_json *list = nz_json_new_array();
    for (unsigned part = 0; list && part < 2; part++)
        if (nz_json_push(list, format_float(in + part * bytes, bytes), NULL) != NWBZ_OK) {
            nz_json_free(list);
            list = NULL;
        }
    return list;
}

/* ---- text ---- */

static nwbz_code parse_text(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    if (nz_json_kind_of(json) != NZ_JSON_TEXT)
        return refuse(json, meta->dtype.type, err);
    size_t n;
    const char *text = nz_json_text(json, &n);
    char *copy = nz_strndup(text, n);
    if (!copy)
        return nz_fail_memory(err, n, "a fill value");
    nz_free(meta->fill_text);
    meta->fill_text = copy;
    meta->n_fill_text = n;
    return NWBZ_OK;
}

/* ---- all ---- */

static bool parse_number(const nz_json *json, const number_form *form, unsigned char *out)
{
    if (form->kind == 'f')
        return parse_float(json, form->bytes, out);
    if (form->kind != 'c')
        return parse_int(json, form, out);
    return nz_json_kind_of(json) == NZ_JSON_ARRAY && nz_json_length(json) == 2 &&
           parse_float(nz_json_at(json, 0), form->bytes, out) &&
           parse_float(nz_json_at(json, 1), form->bytes, out + form->bytes);
}

nwbz_code nz_fill_value_parse(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    memset(meta->fill_value, 0, sizeof meta->fill_value);
    if (!json)
        return nz_member_fail(err, NWBZ_EFORMAT, "fill_value", json, "every array must have one");
    if (meta->dtype.type == NWBZ_STRING)
        return parse_text(json, meta, err);
    if (meta->dtype.type == NWBZ_BOOL) {
        if (nz_json_kind_of(json) != NZ_JSON_BOOL)
            return refuse(json, meta->dtype.type, err);
        meta->fill_value[0] = nz_json_bool(json);
        return NWBZ_OK;
    }
    const number_form *form = form_of(meta->dtype.type);
    if (!form)
        return nz_fail(err, NWBZ_EINVAL, "a fill value needs a type");
    return parse_number(json, form, meta->fill_value) ? NWBZ_OK : refuse(json, meta->dtype.type, err);
}

nwbz_code nz_fill_value_format(const nz_array_meta *meta, nz_json **json, nwbz_error *err)
{
    const number_form *form = form_of(meta->dtype.type);
    *json = NULL;
    if (meta->dtype.type == NWBZ_STRING)
        *json = nz_json_new_text_n(meta->fill_text ? meta->fill_text : "", meta->n_fill_text);
    else if (meta->dtype.type == NWBZ_BOOL)
        *json = nz_json_new_bool(meta->fill_value[0] != 0);
    else if (!form)
        return nz_fail(err, NWBZ_EINVAL, "a fill value needs a type");
    else if (form->kind == 'f')
        *json = format_float(meta->fill_value, form->bytes);
    else if (form->kind == 'c')
        *json = format_complex(meta->fill_value, form->bytes);
    else
        *json = format_int(form, meta->fill_value);
    return *json ? NWBZ_OK : nz_fail_memory(err, 64, "a fill value");
}
