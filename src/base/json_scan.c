/* One pass over the bytes.  json-c in its strict mode still takes control characters in strings, halves of surrogate
 * pairs (as U+FFFD), keys with a NUL (cut there), "1." and integers of any size (clamped): each would change or lose
 * what was written. */
#include "base/json_scan.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    const char *text;
    size_t n, at;
    char *copy;
} scan;

static nwbz_code fail_at(size_t offset, const char *what, nwbz_error *err)
{
    return nz_fail(err, NWBZ_EFORMAT, "not JSON at byte %zu: %s", offset, what);
}

static bool is_digit(const scan *s, size_t at)
{
    return at < s->n && s->text[at] >= '0' && s->text[at] <= '9';
}

/* ---- Strings --------------------------------------------------------------------- */

/* Read the four hexadecimal digits at `at`; -1: none. */
static int hex4(const scan *s, size_t at)
{
    int value = 0;
    for (size_t i = at; i < at + 4; i++) {
        if (i >= s->n || !isxdigit((unsigned char)s->text[i]))
            return -1;
        int c = s->text[i];
        value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* Step over the escape at s->at; *has_nul becomes true for \u0000. */
static nwbz_code scan_escape(scan *s, bool *has_nul, nwbz_error *err)
{
    size_t start = s->at;
    s->at += 2;
    if (start + 1 >= s->n || s->text[start + 1] != 'u')
        return NWBZ_OK;
    int unit = hex4(s, s->at);
    s->at += 4;
    if (unit < 0)
        return fail_at(start, "\\u needs four hexadecimal digits", err);
    *has_nul |= unit == 0;
    if (unit < 0xD800 || unit > 0xDFFF)
        return NWBZ_OK;
    bool has_second = unit < 0xDC00 && s->at + 1 < s->n && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u';
    int second = has_second ? hex4(s, s->at + 2) : -1;
    if (second < 0xDC00 || second > 0xDFFF)
        return fail_at(start, "half of a surrogate pair", err);
    s->at += 6;
    return NWBZ_OK;
}

/* Step over the string whose quote is at s->at. */
static nwbz_code scan_string(scan *s, nwbz_error *err)
{
    size_t start = s->at++;
    bool has_nul = false;
    while (s->at < s->n && s->text[s->at] != '"') {
        if ((unsigned char)s->text[s->at] < 0x20)
            return fail_at(s->at, "a control character in a string", err);
        if (s->text[s->at] == '\\')
            NZ_TRY(scan_escape(s, &has_nul, err));
        else
            s->at++;
    }
    if (s->at >= s->n)
        return fail_at(s->n, "the text ends within a string", err);
    s->at++;
    if (!has_nul)
        return NWBZ_OK;
    size_t next = s->at;
    while (next < s->n && strchr(" \t\r\n", s->text[next]) && s->text[next])
        next++;
    if (next < s->n && s->text[next] == ':')
        return fail_at(start, "a key with a NUL character", err);
    return NWBZ_OK;
}

/* ---- Numbers --------------------------------------------------------------------- */

/* Say whether the integer text[start..end) fits neither int64 nor uint64. */
static bool is_too_large(const char *text, size_t start, size_t end)
{
    bool negative = text[start] == '-';
    const char *most = negative ? "9223372036854775808" : "18446744073709551615";
    size_t n = end - start - negative, n_most = strlen(most);
    return n > n_most || (n == n_most && memcmp(text + start + negative, most, n) > 0);
}

/* Write the integer text[start..end) into the copy as 17 digits with an exponent, filled up with blanks: it is at
 * least 19 digits long. */
static nwbz_code rewrite_as_double(scan *s, size_t start, size_t end, nwbz_error *err)
{
    if (!s->copy && !(s->copy = nz_strndup(s->text, s->n)))
        return nz_fail_memory(err, s->n, "JSON text");
    char *number = nz_strndup(s->text + start, end - start), printed[40], digits[20], *exponent;
    if (!number)
        return nz_fail_memory(err, end - start, "a number");
    double value = strtod(number, NULL);
    nz_free(number);
    bool negative = value < 0;
    int n;
    char out[48];
    if (isinf(value)) {
        n = snprintf(out, sizeof out, "%s1e999", negative ? "-" : "");
    } else {
        snprintf(printed, sizeof printed, "%.16e", fabs(value));
        exponent = strchr(printed, 'e');
        size_t n_digits = 0;
        for (const char *p = printed; p < exponent; p++)
            if (isdigit((unsigned char)*p) && n_digits < 17)
                digits[n_digits++] = *p;
        n = snprintf(out, sizeof out, "%s%.*se%ld", negative ? "-" : "", (int)n_digits, digits,
                     strtol(exponent + 1, NULL, 10) - 16);
    }
    memset(s->copy + start, ' ', end - start);
    memcpy(s->copy + start, out, (size_t)n);
    return NWBZ_OK;
}

/* Step over the number at s->at. */
static nwbz_code scan_number(scan *s, nwbz_error *err)
{
    size_t start = s->at;
    s->at += s->text[start] == '-';
    while (is_digit(s, s->at))
        s->at++;
    size_t end = s->at;
    char next = end < s->n ? s->text[end] : 0;
    if (next == '.' && !is_digit(s, end + 1))
        return fail_at(end, "no digit behind the point", err);
    if (next != '.' && next != 'e' && next != 'E')
        return is_too_large(s->text, start, end) ? rewrite_as_double(s, start, end, err) : NWBZ_OK;
    while (is_digit(s, s->at) || (s->at < s->n && s->text[s->at] && strchr(".eE+-", s->text[s->at])))
        s->at++;
    return NWBZ_OK;
}

nwbz_code nz_json_scan(const char *text, size_t n_bytes, char **copy, nwbz_error *err)
{
    scan s = { text, n_bytes, 0, NULL };
    *copy = NULL;
    size_t valid = nz_utf8_valid_prefix(text, n_bytes);
    if (valid < n_bytes)
        return fail_at(valid, "not UTF-8", err);
    nwbz_code code = NWBZ_OK;
    while (code == NWBZ_OK && s.at < n_bytes) {
        if (text[s.at] == '"')
            code = scan_string(&s, err);
        else if (text[s.at] == '-' || is_digit(&s, s.at))
            code = scan_number(&s, err);
        else if (!text[s.at])
            code = fail_at(s.at, "a NUL character", err);
        else
            s.at++;
    }
    if (code != NWBZ_OK) {
        nz_free(s.copy);
        return code;
    }
    *copy = s.copy;
    return NWBZ_OK;
}
