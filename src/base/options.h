/* Options structs of the public API: struct_size first, append-only, so that a program built against an older header still fits. */
#ifndef NZ_BASE_OPTIONS_H
#define NZ_BASE_OPTIONS_H

#include "base/error.h"

#include <string.h>

/*
 * Take the caller's options (NULL: all defaults) into `options`, which holds the defaults and is `n_bytes` long.  What the caller's struct_size
 * does not reach keeps its default.  NWBZ_EINVAL: struct_size is not set, the caller forgot the _INIT macro.
 */
static inline nwbz_code nz_options_take(void *options, size_t n_bytes, const void *given, nwbz_error *err)
{
    size_t given_bytes = 0;
    if (!given)
        return NWBZ_OK;
    memcpy(&given_bytes, given, sizeof given_bytes);
    if (given_bytes < sizeof given_bytes)
        return nz_fail(err, NWBZ_EINVAL, "struct_size of the options is %zu: begin with the _INIT macro", given_bytes);
    memcpy(options, given, given_bytes < n_bytes ? given_bytes : n_bytes);
    memcpy(options, &n_bytes, sizeof n_bytes);
    return NWBZ_OK;
}

#endif
