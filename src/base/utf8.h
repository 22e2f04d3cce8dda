/* UTF-8. */
#ifndef NZ_BASE_UTF8_H
#define NZ_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Say whether the bytes are UTF-8 (no surrogates, nothing overlong, nothing past U+10FFFF; RFC 3629). */
bool nz_utf8_is_valid(const void *bytes, size_t n);

/* Return how many bytes from the beginning are UTF-8: n, or the offset of the first wrong sequence. */
size_t nz_utf8_valid_prefix(const void *bytes, size_t n);

#endif
