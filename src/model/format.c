/* Single elements as text. */
#include "base/buffer.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/dtype.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_ROOM = 48 };

/* Round a double to float16, ties to even: the values near it are multiples of 2^-24 below 2^-14, of 2^(e-10) from
 * there on. */
static double round_to_half(double value)
{
    int exponent;
    (void)frexp(value, &exponent); /* value = m * 2^exponent, 0.5 <= |m| < 1 */
    int unit = exponent - 11 < -24 ? -24 : exponent - 11;
    double rounded = ldexp(nearbyint(ldexp(value, -unit)), unit);
    return fabs(rounded) >= 65520.0 ? copysign(INFINITY, value) : rounded;
}

/* Shortest text that reads back as this float16: 3 digits survive always, 5 are always enough (number.c has the
 * reasoning). */
static void half_format(uint16_t bits, char *text, size_t room)
{
    float value = nz_half_to_float(bits);
    bool subnormal = (bits & 0x7C00) == 0 && (bits & 0x3FF) != 0;
    double shorter = (double)value;
    for (int digits = subnormal ? 1 : 3; isfinite(value) && digits <= 5; digits++) {
        char trial[32];
        snprintf(trial, sizeof trial, "%.*e", digits - 1, (double)value);
        shorter = strtod(trial, NULL);
        if (round_to_half(shorter) == (double)value)
            break;
    }
    nz_double_format(shorter, text, room); /* at most 5 digits: prints just those */
}

/* Write a float in Python's spelling of the special ones, or quoted as JSON has no word for them. */
static void dress_special(nwbz_element_style style, char *text, size_t room)
{
    bool is_special = text[0] == 'N' || text[0] == 'I' || (text[0] == '-' && text[1] == 'I');
    if (!is_special)
        return;
    char plain[16];
    snprintf(plain, sizeof plain, "%s", text);
    if (style == NWBZ_STYLE_JSON)
        snprintf(text, room, "\"%s\"", plain);
    else
        snprintf(text, room, "%s", text[0] == 'N' ? "nan" : text[0] == 'I' ? "inf" : "-inf");
}

static void format_float(nwbz_type type, const void *element, nwbz_element_style style, char *text, size_t room)
{
    uint16_t half;
    float single;
    double number;
    if (type == NWBZ_FLOAT16) {
        memcpy(&half, element, sizeof half);
        half_format(half, text, room);
    } else if (type == NWBZ_FLOAT32) {
        memcpy(&single, element, sizeof single);
        nz_float_format(single, text, room);
    } else {
        memcpy(&number, element, sizeof number);
        nz_double_format(number, text, room);
    }
    dress_special(style, text, room);
}

/* Drop the ".0" of a whole number: Python writes 1+2j. */
static void drop_point(char *text)
{
    size_t n = strlen(text);
    if (n > 2 && strcmp(text + n - 2, ".0") == 0)
        text[n - 2] = 0;
}

static void format_complex(nwbz_type type, const void *element, nwbz_element_style style, char *text, size_t room)
{
    nwbz_type part = type == NWBZ_COMPLEX64 ? NWBZ_FLOAT32 : NWBZ_FLOAT64;
    char real[NUMBER_ROOM], imaginary[NUMBER_ROOM];
    format_float(part, element, style, real, sizeof real);
    format_float(part, (const char *)element + nwbz_type_size(part), style, imaginary, sizeof imaginary);
    if (style == NWBZ_STYLE_JSON) {
        snprintf(text, room, "[%s, %s]", real, imaginary);
        return;
    }
    drop_point(real);
    drop_point(imaginary);
    snprintf(text, room, "%s%s%sj", real, imaginary[0] == '-' ? "" : "+", imaginary);
}

static void format_integer(nwbz_type type, const void *element, char *text, size_t room)
{
    bool is_signed = type >= NWBZ_INT8 && type <= NWBZ_INT64;
    size_t size = nwbz_type_size(type);
    uint64_t bits = 0;
    memcpy(&bits, element, size); /* little-endian */
    if (!is_signed) {
        snprintf(text, room, "%" PRIu64, bits);
        return;
    }
    unsigned unused = 64 - 8 * (unsigned)size;
    snprintf(text, room, "%" PRId64, (int64_t)(bits << unused) >> unused);
}

static nwbz_code format_string(const nwbz_string *string, nwbz_element_style style, char **text, nwbz_error *err)
{
    if (style == NWBZ_STYLE_JSON) {
        nz_json *json = nz_json_new_text_n(string->bytes, (size_t)string->n_bytes);
        nwbz_code code =
            json ? nz_json_text_of(json, text, err) : nz_fail_memory(err, (size_t)string->n_bytes, "a text");
        nz_json_free(json);
        return code;
    }
    *text = nz_strndup(string->bytes ? string->bytes : "", (size_t)string->n_bytes);
    return *text ? NWBZ_OK : nz_fail_memory(err, (size_t)string->n_bytes, "a text");
}

nwbz_code nwbz_element_format(nwbz_type type, const void *element, nwbz_element_style style, char **text,
                              nwbz_error *err)
{
    char number[2 * NUMBER_ROOM + 8];
    *text = NULL;
    if (nwbz_type_size(type) == 0)
        return nz_fail(err, NWBZ_EINVAL, "type %d is none that can be formatted", (int)type);
    if (type == NWBZ_STRING)
        return format_string(element, style, text, err);
    if (type == NWBZ_BOOL)
        snprintf(number, sizeof number, "%s", *(const unsigned char *)element ? "true" : "false");
    else if (type >= NWBZ_COMPLEX64)
        format_complex(type, element, style, number, sizeof number);
    else if (type >= NWBZ_FLOAT16)
        format_float(type, element, style, number, sizeof number);
    else
        format_integer(type, element, number, sizeof number);
    *text = nz_strdup(number);
    return *text ? NWBZ_OK : nz_fail_memory(err, strlen(number), "a text");
}
