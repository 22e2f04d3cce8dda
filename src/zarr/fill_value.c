/* A fill value is one element.  Its JSON forms are those of the Zarr core specification 3.1, "fill value", and what
 * ON-DISK.md section 11 says of NaN: the three usual quiet NaNs are "NaN", every other bit pattern is written in
 * hexadecimal, so that no bit is lost. */
#include "zarr/metadata.h"

#include "base/base64.h"
#include "base/memory.h"
#include "base/utf32.h"
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

/* Say that the value at `where` ("fill_value", or with the names of fields behind it) is none of the type. */
static nwbz_code refuse(const nz_json *json, nwbz_type type, const char *where, nwbz_error *err)
{
    char what[64];
    snprintf(what, sizeof what, "it is no value of %s", nwbz_type_name(type));
    return nz_member_fail(err, NWBZ_EFORMAT, where, json, what);
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
        return refuse(json, NWBZ_STRING, "fill_value", err);
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

/* ---- numbers ---- */

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

static nz_json *format_number(const unsigned char *in, const number_form *form)
{
    return form->kind == 'f' ? format_float(in, form->bytes)
           : form->kind == 'c' ? format_complex(in, form->bytes)
                               : format_int(form, in);
}

/* ---- text of fixed width, and bytes ---- */

static nwbz_code parse_utf32(const nz_json *json, const nz_dtype *dtype, const char *where, unsigned char *out,
                             nwbz_error *err)
{
    if (nz_json_kind_of(json) != NZ_JSON_TEXT)
        return refuse(json, dtype->type, where, err);
    size_t n;
    const char *text = nz_json_text(json, &n);
    if (nz_utf32_encode(text, n, out, (size_t)dtype->element_bytes))
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EFORMAT, "\"%s\" has %" PRIu64 " characters, of at most %" PRIu64, where,
                   nz_utf32_count(text, n), dtype->element_bytes / 4);
}

static nwbz_code format_utf32(const unsigned char *in, const nz_dtype *dtype, nz_json **json, nwbz_error *err)
{
    nz_buffer text = NZ_BUFFER_INIT((size_t)dtype->element_bytes);
    nwbz_code code = nz_utf32_decode(in, (size_t)dtype->element_bytes, &text, err);
    if (code == NWBZ_OK)
        *json = nz_json_new_text_n(text.bytes, text.n_bytes);
    nz_buffer_done(&text);
    return code;
}

/* Read a list of bytes as numbers, which the core specification has for r8, r16, ... */
static bool parse_byte_list(const nz_json *json, unsigned char *out, uint64_t n_bytes)
{
    if (nz_json_kind_of(json) != NZ_JSON_ARRAY || nz_json_length(json) != n_bytes)
        return false;
    for (size_t i = 0; i < n_bytes; i++) {
        uint64_t byte;
        if (nz_json_kind_of(nz_json_at(json, i)) != NZ_JSON_INT || !nz_json_uint(nz_json_at(json, i), &byte) ||
            byte > UINT8_MAX)
            return false;
        out[i] = (unsigned char)byte;
    }
    return true;
}

/* Read base64 of the bytes of an element: how raw bytes are written, and once records too. */
static bool parse_base64(const nz_json *json, unsigned char *out, uint64_t n_bytes)
{
    if (nz_json_kind_of(json) != NZ_JSON_TEXT)
        return false;
    size_t n;
    const char *text = nz_json_text(json, &n);
    return nz_base64_decode(text, n, out, (size_t)n_bytes);
}

static nwbz_code format_raw(const unsigned char *in, const nz_dtype *dtype, nz_json **json, nwbz_error *err)
{
    nz_buffer text = NZ_BUFFER_INIT(SIZE_MAX / 2);
    nwbz_code code = nz_base64_encode(in, (size_t)dtype->element_bytes, &text, err);
    if (code == NWBZ_OK)
        *json = nz_json_new_text_n(text.bytes, text.n_bytes);
    nz_buffer_done(&text);
    return code;
}

/* ---- records ---- */

static nwbz_code parse_element(const nz_json *json, const nz_dtype *dtype, const char *where, unsigned char *out,
                               nwbz_error *err);
static nwbz_code format_element(const unsigned char *in, const nz_dtype *dtype, nz_json **json, nwbz_error *err);

static nwbz_code check_field(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    const nz_dtype *record = user;
    for (size_t i = 0; i < record->n_fields; i++)
        if (strcmp(record->fields[i].name, key) == 0)
            return NWBZ_OK;
    return nz_member_fail(err, NWBZ_EFORMAT, key, value, "a fill value for a field that the record does not have");
}

/* A field that is left out is zeros, as in zarr-python. */
static nwbz_code parse_record(const nz_json *json, const nz_dtype *record, const char *where, unsigned char *out,
                              nwbz_error *err)
{
    nz_dtype known = *record;
    if (parse_base64(json, out, record->element_bytes))
        return NWBZ_OK;
    memset(out, 0, (size_t)record->element_bytes);
    if (nz_json_kind_of(json) != NZ_JSON_OBJECT)
        return refuse(json, record->type, where, err);
    NZ_TRY(nz_json_each(json, check_field, &known, err));
    for (size_t i = 0; i < record->n_fields; i++) {
        char name[256];
        const nz_field *field = &record->fields[i];
        const nz_json *value = nz_json_get(json, field->name);
        snprintf(name, sizeof name, "%.120s.%.120s", where, field->name);
        if (value)
            NZ_TRY(parse_element(value, &field->dtype, name, out + field->offset_bytes, err));
    }
    return NWBZ_OK;
}

static nwbz_code format_record(const unsigned char *in, const nz_dtype *record, nz_json **json, nwbz_error *err)
{
    nz_json *object = nz_json_new_object();
    nwbz_code code = object ? NWBZ_OK : nz_fail_memory(err, 64, "a fill value");
    for (size_t i = 0; i < record->n_fields && code == NWBZ_OK; i++) {
        const nz_field *field = &record->fields[i];
        nz_json *value = NULL;
        code = format_element(in + field->offset_bytes, &field->dtype, &value, err);
        if (code == NWBZ_OK)
            code = nz_json_put(object, field->name, value, err);
    }
    if (code == NWBZ_OK)
        *json = object;
    else
        nz_json_free(object);
    return code;
}

/* ---- any element but text of any length ---- */

static nwbz_code parse_element(const nz_json *json, const nz_dtype *dtype, const char *where, unsigned char *out,
                               nwbz_error *err)
{
    const number_form *form = form_of(dtype->type);
    bool right = false;
    if (dtype->type == NWBZ_STRUCT)
        return parse_record(json, dtype, where, out, err);
    if (dtype->type == NWBZ_UTF32)
        return parse_utf32(json, dtype, where, out, err);
    if (dtype->type == NWBZ_RAW) {
        right = parse_base64(json, out, dtype->element_bytes) || parse_byte_list(json, out, dtype->element_bytes);
    } else if (dtype->type == NWBZ_BOOL) {
        right = nz_json_kind_of(json) == NZ_JSON_BOOL;
        *out = right && nz_json_bool(json);
    } else if (!form) {
        return nz_fail(err, NWBZ_EINVAL, "a fill value needs a type");
    } else {
        right = parse_number(json, form, out);
    }
    return right ? NWBZ_OK : refuse(json, dtype->type, where, err);
}

static nwbz_code format_element(const unsigned char *in, const nz_dtype *dtype, nz_json **json, nwbz_error *err)
{
    const number_form *form = form_of(dtype->type);
    *json = NULL;
    if (dtype->type == NWBZ_STRUCT)
        NZ_TRY(format_record(in, dtype, json, err));
    else if (dtype->type == NWBZ_UTF32)
        NZ_TRY(format_utf32(in, dtype, json, err));
    else if (dtype->type == NWBZ_RAW)
        NZ_TRY(format_raw(in, dtype, json, err));
    else if (dtype->type == NWBZ_BOOL)
        *json = nz_json_new_bool(*in != 0);
    else if (!form)
        return nz_fail(err, NWBZ_EINVAL, "a fill value needs a type");
    else
        *json = format_number(in, form);
    return *json ? NWBZ_OK : nz_fail_memory(err, 64, "a fill value");
}

nwbz_code nz_fill_value_room(nz_array_meta *meta, nwbz_error *err)
{
    if (meta->fill_bytes || meta->dtype.type == NWBZ_STRING || nwbz_type_size(meta->dtype.type) > 0)
        return NWBZ_OK;
    meta->fill_bytes = nz_calloc(1, (size_t)meta->dtype.element_bytes);
    return meta->fill_bytes ? NWBZ_OK : nz_fail_memory(err, (size_t)meta->dtype.element_bytes, "a fill value");
}

nwbz_code nz_fill_value_parse(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    memset(meta->fill_value, 0, sizeof meta->fill_value);
    if (!json)
        return nz_member_fail(err, NWBZ_EFORMAT, "fill_value", json, "every array must have one");
    if (meta->dtype.type == NWBZ_STRING)
        return parse_text(json, meta, err);
    NZ_TRY(nz_fill_value_room(meta, err));
    return parse_element(json, &meta->dtype, "fill_value", meta->fill_bytes ? meta->fill_bytes : meta->fill_value, err);
}

nwbz_code nz_fill_value_format(const nz_array_meta *meta, nz_json **json, nwbz_error *err)
{
    nz_array_meta zeros = *meta;
    if (meta->dtype.type == NWBZ_STRING) {
        *json = nz_json_new_text_n(meta->fill_text ? meta->fill_text : "", meta->n_fill_text);
        return *json ? NWBZ_OK : nz_fail_memory(err, meta->n_fill_text, "a fill value");
    }
    NZ_TRY(nz_fill_value_room(&zeros, err));
    nwbz_code code = format_element(zeros.fill_bytes ? zeros.fill_bytes : meta->fill_value, &meta->dtype, json, err);
    if (zeros.fill_bytes != meta->fill_bytes)
        nz_free(zeros.fill_bytes);
    return code;
}
