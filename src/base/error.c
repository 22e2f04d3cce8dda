/* One struct, written once.  A place that is too long loses its beginning: the end names the dataset and the chunk. */
#define _GNU_SOURCE
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = { "NWBZ_OK",     "NWBZ_EINVAL",  "NWBZ_ESOURCE", "NWBZ_EFORMAT",  "NWBZ_ENOTFOUND",
                                     "NWBZ_EUNSUPPORTED", "NWBZ_EEXIST", "NWBZ_ELOCKED", "NWBZ_ENOSPACE", "NWBZ_ELIMIT",
                                     "NWBZ_EIO",    "NWBZ_ENOMEM",  "NWBZ_ECANCELED", "NWBZ_ECALLBACK" };

const char *nwbz_code_name(nwbz_code code)
{
    return (unsigned)code < sizeof names / sizeof *names ? names[code] : "NWBZ_E?";
}

nwbz_code nz_fail(nwbz_error *err, nwbz_code code, const char *format, ...)
{
    if (!err)
        return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    err->code = code;
    err->os_errno = 0;
    err->where[0] = 0;
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
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    size_t n = strlen(err->message);
    char text[128];
    snprintf(err->message + n, sizeof err->message - n, ": %s", strerror_r(os_errno, text, sizeof text));
    err->code = code;
    err->os_errno = os_errno;
    err->where[0] = 0;
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
    memmove(err->where + 3, text + (n - (room - 3)), room - 3 + 1);
    memcpy(err->where, "...", 3);
}

nwbz_code nz_where(nwbz_error *err, nwbz_code code, const char *format, ...)
{
    if (!err || code == NWBZ_OK || err->where[0])
        return code;
    char text[4096 + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_where(err, text);
    return code;
}

nwbz_code nz_where_prefix(nwbz_error *err, nwbz_code code, const char *prefix)
{
    if (!err || code == NWBZ_OK)
        return code;
    char text[4096 + sizeof err->where];
    snprintf(text, sizeof text, "%s%s", prefix, err->where);
    put_where(err, text);
    return code;
}
