/* Options structs of the public API: struct_size first, append-only, so that a program built against an older header still fits. */
#ifndef NZ_BASE_OPTIONS_H
#define NZ_BASE_OPTIONS_H

#include <stddef.h>
#include <string.h>

/*
 * Take the caller's options (NULL: all defaults) into `options`, which holds the defaults and is `n_bytes` long.  What the caller's struct_size
 * does not reach keeps its default; struct_size 0 means that the caller forgot the _INIT macro, and counts as all of it.
 */
static inline void nz_options_take(void *options, size_t n_bytes, const void *given)
{
    size_t given_bytes = 0;
    if (!given)
        return;
    memcpy(&given_bytes, given, sizeof given_bytes);
    if (given_bytes == 0 || given_bytes > n_bytes)
        given_bytes = n_bytes;
    memcpy(options, given, given_bytes);
    memcpy(options, &n_bytes, sizeof n_bytes);
}

#endif
