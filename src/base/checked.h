/* Arithmetic on sizes that come from outside: every count from a file goes through here. */
#ifndef NZ_BASE_CHECKED_H
#define NZ_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set *out to a * b; false when it does not fit. */
static inline bool nz_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* Set *out to a + b; false when it does not fit. */
static inline bool nz_add(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* Multiply the n values of `shape`, and `element_bytes`, into *out (1 * element_bytes for n = 0); false when it does not fit.  A zero axis
 * gives 0 whatever the others are. */
static inline bool nz_count(const uint64_t *shape, unsigned n, uint64_t element_bytes, uint64_t *out)
{
    uint64_t total = element_bytes;
    for (unsigned i = 0; i < n; i++)
        if (shape[i] == 0) {
            *out = 0;
            return true;
        }
    for (unsigned i = 0; i < n; i++)
        if (!nz_mul(total, shape[i], &total))
            return false;
    *out = total;
    return true;
}

static inline uint64_t nz_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t nz_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* a / b rounded up; b > 0. */
static inline uint64_t nz_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
