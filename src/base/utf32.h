/* Text of fixed width: UTF-32 code points, little-endian, with NUL behind them up to the width (NumPy's "U", Zarr's
 * fixed_length_utf32). */
#ifndef NZ_BASE_UTF32_H
#define NZ_BASE_UTF32_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Count the code points of valid UTF-8. */
uint64_t nz_utf32_count(const char *utf8, size_t n);

/* Write valid UTF-8 to `room_bytes` (a multiple of 4), NUL behind it; false: it needs more. */
bool nz_utf32_encode(const char *utf8, size_t n, void *utf32, size_t room_bytes);

/* Append the UTF-8 of `n_bytes` (a multiple of 4) without the NUL at the end; a NUL before other text stays.  NWBZ_EFORMAT:
 * what is no Unicode character. */
nwbz_code nz_utf32_decode(const void *utf32, size_t n_bytes, nz_buffer *out, nwbz_error *err);

#endif
