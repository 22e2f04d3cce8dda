/* One struct, written once.  A place that is too long loses its beginning: the end names the dataset and the chunk. */
#define _GNU_SOURCE
#include "base/error.h"

#include "base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = { "NWBZ_OK",        "NWBZ_EINVAL",       "NWBZ_ESOURCE", "NWBZ_EFORMAT",
                                     "NWBZ_ENOTFOUND", "NWBZ_EUNSUPPORTED", "NWBZ_EEXIST",  "NWBZ_ELOCKED",
                                     "NWBZ_ENOSPACE",  "NWBZ_ELIMIT",       "NWBZ_EIO",     "NWBZ_ENOMEM",
                                     "NWBZ_ECANCELED", "NWBZ_ECALLBACK" };

const char *nwbz_code_name(nwbz_code code)
{
    return (unsigned)code < sizeof names / sizeof *names ? names[code] : "NWBZ_E?";
}

/* Drop the beginning of a UTF-8 sequence that was cut off at the end of `text`. */
static void trim_end(char *text)
{
    size_t n = strlen(text), start = n;
    while (start > 0 && n - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    unsigned char lead = start > 0 ? (unsigned char)text[start - 1] : 0;
    size_t needs = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (needs > 1 && n - (start - 1) < needs)
        text[start - 1] = 0;
}

/* Put the message into `err`.  By way of a copy: the arguments may point into `err` itself. */
static void put_message(nwbz_error *err, nwbz_code code, int os_errno, const char *format, va_list arguments)
{
    char text[sizeof err->message];
    vsnprintf(text, sizeof text, format, arguments);
    size_t n = strlen(text);
    char reason[128];
    if (os_errno)
        snprintf(text + n, sizeof text - n, ": %s", strerror_r(os_errno, reason, sizeof reason));
    trim_end(text);
    memcpy(err->message, text, sizeof text);
    err->code = code;
    err->os_errno = os_errno;
    err->where[0] = 0;
}

nwbz_code nz_fail(nwbz_error *err, nwbz_code code, const char *format, ...)
{
    if (!err)
        return code;
    va_list arguments;
    va_start(arguments, format);
    put_message(err, code, 0, format, arguments);
    va_end(arguments);
    return code;
}

static nwbz_code code_of_errno(nwbz_code code, int os_errno)
{
    if (os_errno == ENOSPC || os_errno == EDQUOT || os_errno == EFBIG)
        return NWBZ_ENOSPACE;
    return os_errno == ENOMEM ? NWBZ_ENOMEM : code;
}

nwbz_code nz_fail_os(nwbz_error *err, nwbz_code code, int os_errno, const char *format, ...)
{
    code = code_of_errno(code, os_errno);
    if (!err)
        return code;
    va_list arguments;
    va_start(arguments, format);
    put_message(err, code, os_errno, format, arguments);
    va_end(arguments);
    return code;
}

nwbz_code nz_fail_memory(nwbz_error *err, size_t n_bytes, const char *what)
{
    return nz_fail(err, NWBZ_ENOMEM, "no memory: %zu bytes for %s", n_bytes, what);
}

/* Copy `text` to where, dropping its beginning when it is too long. */
static void put_where(nwbz_error *err, const char *text)
{
    size_t n = strlen(text), room = sizeof err->where - 1;
    if (n <= room) {
        memmove(err->where, text, n + 1);
        return;
    }
    const char *kept = text + (n - (room - 3));
    while (((unsigned char)*kept & 0xC0) == 0x80) /* not from the middle of a character */
        kept++;
    memmove(err->where + 3, kept, strlen(kept) + 1);
    memcpy(err->where, "...", 3);
}

nwbz_code nz_where(nwbz_error *err, nwbz_code code, const char *format, ...)
{
    if (!err || code == NWBZ_OK || err->where[0])
        return code;
    char text[sizeof err->where], *whole = NULL;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(text, sizeof text, format, arguments);
    if (n >= (int)sizeof text && (whole = nz_malloc((size_t)n + 1)))
        vsnprintf(whole, (size_t)n + 1, format, again);
    va_end(again);
    va_end(arguments);
    put_where(err, whole ? whole : text); /* without memory the beginning is better than nothing */
    nz_free(whole);
    return code;
}

nwbz_code nz_where_prefix(nwbz_error *err, nwbz_code code, const char *prefix)
{
    if (!err || code == NWBZ_OK)
        return code;
    char place[sizeof err->where];
    memcpy(place, err->where, sizeof place);
    err->where[0] = 0;
    return nz_where(err, code, "%s%s", prefix, place);
}
