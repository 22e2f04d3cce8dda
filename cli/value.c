/* Parsers of typed values.  Each reads the whole text or fails: "40000,64x" is never taken for its first part. */
#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANNELS = 1 << 24 };

/* Name the option and what was typed: "--shape 40000,". */
static nwbz_code fail(nwbz_error *err, const char *where, const char *text, const char *what)
{
    char place[256];
    (void)snprintf(place, sizeof place, "%s %s", where, text);
    return cli_fail(err, NWBZ_EINVAL, place, "%s", what);
}

/* Read digits at *text and move it past them; false: none, or over 2^64. */
static bool read_digits(const char **text, uint64_t *value)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(*text, &end, 10);
    if (errno)
        return false;
    *value = number;
    *text = end;
    return true;
}

/* Read a whole number that may have a minus sign. */
static bool read_signed(const char **text, int64_t *value)
{
    bool negative = **text == '-';
    uint64_t number = 0;
    const char *at = *text + (negative || **text == '+');
    if (!read_digits(&at, &number) || number > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)number : (int64_t)number;
    *text = at;
    return true;
}

nwbz_code cli_value_count(const char *where, const char *text, uint64_t *value, nwbz_error *err)
{
    const char *at = text;
    if (!read_digits(&at, value) || *at)
        return fail(err, where, text, "not a whole number of 0 or more; for example 1024");
    return NWBZ_OK;
}

nwbz_code cli_value_number(const char *where, const char *text, double *value, nwbz_error *err)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (end == text || *end || isspace((unsigned char)*text) || !isfinite(*value))
        return fail(err, where, text, "not a number; for example 30000 or 2.34e-6");
    return NWBZ_OK;
}

/* ---- Sizes --------------------------------------------------------------------------- */

/* Return what a unit stands for ("", "K", "KiB", "kb" ...), 0 for none that is known. */
static double unit_bytes(const char *unit)
{
    static const char letters[] = "KMGT";
    if (!*unit)
        return 1;
    const char *found = strchr(letters, toupper((unsigned char)*unit));
    if (!found || !(strcmp(unit + 1, "") == 0 || strcmp(unit + 1, "iB") == 0 || strcmp(unit + 1, "B") == 0))
        return 0;
    return ldexp(1, 10 * (int)(found - letters + 1));
}

nwbz_code cli_value_size(const char *where, const char *text, uint64_t *bytes, nwbz_error *err)
{
    char *end = NULL;
    double number = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;
    double product = end ? number * unit_bytes(end) : -1;
    if (!(product >= 1) || product >= ldexp(1, 63))
        return fail(err, where, text,
                    "not a size of 1 byte or more; for example 512M or 2G (K, M, G, T: powers of 1024)");
    *bytes = (uint64_t)product;
    return NWBZ_OK;
}

/* ---- Shapes --------------------------------------------------------------------------- */

static bool read_axis(const char **text, bool first, bool unknown, uint64_t *axis)
{
    if (**text == '-' && first && unknown && !isdigit((unsigned char)(*text)[1])) {
        *axis = NWBZ_UNKNOWN_LENGTH;
        ++*text;
        return true;
    }
    bool zero_allowed = first && unknown;
    return read_digits(text, axis) && *axis != NWBZ_UNKNOWN_LENGTH && (*axis > 0 || zero_allowed);
}

nwbz_code cli_value_shape(const char *where, const char *text, bool unknown, cli_shape *shape, nwbz_error *err)
{
    static const char what[] = "not a shape; for example 40000,64 (each 1 or more)";
    static const char what_unknown[] = "not a shape; for example 3600000,384, or -,384 for frames that are not known";
    const char *at = text;
    cli_shape parsed = { { 0 }, 0 };
    for (;;) {
        if (parsed.n_dims == NWBZ_MAX_DIMS)
            return fail(err, where, text, "more than 32 axes");
        if (!read_axis(&at, parsed.n_dims == 0, unknown, &parsed.axes[parsed.n_dims]))
            return fail(err, where, text, unknown ? what_unknown : what);
        parsed.n_dims++;
        if (!*at)
            break;
        if (*at != ',' && *at != 'x')
            return fail(err, where, text, unknown ? what_unknown : what);
        at++;
    }
    *shape = parsed;
    return NWBZ_OK;
}

/* ---- Channels --------------------------------------------------------------------------- */

/* Read `7` or `0:384` as [start, stop). */
static bool read_range(const char **text, uint64_t *start, uint64_t *stop)
{
    if (!read_digits(text, start) || *start == UINT64_MAX)
        return false;
    *stop = *start + 1;
    if (**text != ':')
        return true;
    ++*text;
    return read_digits(text, stop) && *stop > *start;
}

static nwbz_code add_channels(uint64_t **list, size_t *n, uint64_t start, uint64_t stop, nwbz_error *err)
{
    uint64_t *grown = realloc(*list, (*n + (size_t)(stop - start)) * sizeof **list);
    if (!grown)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
    for (uint64_t channel = start; channel < stop; channel++)
        grown[(*n)++] = channel;
    *list = grown;
    return NWBZ_OK;
}

nwbz_code cli_value_channels(const char *where, const char *text, uint64_t **channels, size_t *n_channels,
                             nwbz_error *err)
{
    const char *at = text;
    uint64_t *list = NULL, start = 0, stop = 0;
    size_t n = 0;
    nwbz_code code = NWBZ_OK;
    for (;; at++) {
        if (!read_range(&at, &start, &stop) || (*at && *at != ','))
            code = fail(err, where, text, "not a list of channels; for example 0:384,385 (ends are not included)");
        else if (stop - start > MOST_CHANNELS - n)
            code = fail(err, where, text, "more than 16777216 channels");
        else
            code = add_channels(&list, &n, start, stop, err);
        if (code != NWBZ_OK || !*at)
            break;
    }
    if (code != NWBZ_OK) {
        free(list);
        return code;
    }
    free(*channels);
    *channels = list;
    *n_channels = n;
    return NWBZ_OK;
}

/* ---- Slices ------------------------------------------------------------------------------- */

static bool read_slice(const char **text, cli_slice *slice)
{
    *slice = (cli_slice){ false, false, false, 0, 0 };
    if (**text != ':') {
        if (!read_signed(text, &slice->start))
            return false;
        slice->has_start = true;
    }
    if (**text != ':') {
        slice->index = true;
        return true;
    }
    ++*text;
    if (!**text || **text == ',')
        return true;
    slice->has_stop = true;
    return read_signed(text, &slice->stop);
}

nwbz_code cli_value_slices(const char *where, const char *text, cli_slice *slices, unsigned *n_slices, nwbz_error *err)
{
    const char *at = text;
    unsigned n = 0;
    for (;; at++) {
        if (n == NWBZ_MAX_DIMS)
            return fail(err, where, text, "more than 32 axes");
        if (!read_slice(&at, &slices[n++]) || (*at && *at != ','))
            return fail(err, where, text,
                        "not a selection; for example 0:1000,: or 5,-4: (start:stop without step, one a dimension)");
        if (!*at)
            break;
    }
    *n_slices = n;
    return NWBZ_OK;
}

/* ---- Jobs --------------------------------------------------------------------------------- */

nwbz_code cli_value_jobs(const char *where, const char *text, unsigned *jobs, nwbz_error *err)
{
    char *end = NULL;
    double number = strtod(text, &end);
    if (end == text || *end || isspace((unsigned char)*text))
        return fail(err, where, text,
                    "not a number of jobs; for example 4, -1 (all CPUs), -2 (all but one) or 0.5 (half of them)");
    nwbz_error cause = NWBZ_ERROR_INIT;
    if (nwbz_jobs_resolve(number, jobs, &cause) != NWBZ_OK)
        return fail(err, where, text, cause.message);
    return NWBZ_OK;
}
