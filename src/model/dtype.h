/* Element types: sizes, names, and single elements.  The public part is in <nwbz/types.h>. */
#ifndef NZ_MODEL_DTYPE_H
#define NZ_MODEL_DTYPE_H

#include "base/error.h"

#include <nwbz/types.h>

/* Find a type by its Zarr v3 name only; NWBZ_TYPE_NONE: none of ours. */
nwbz_type nz_type_of_name(const char *zarr_name);

/* Return the bytes of the part that byte order applies to: half an element for complex, 1 for one-byte types and text. */
size_t nz_type_swap_size(nwbz_type type);

/* Swap the bytes of each of `n` units of `unit_bytes` (1, 2, 4, 8) from `in` to `out`, which may be the same. */
void nz_swap_bytes(const void *in, void *out, size_t n, size_t unit_bytes);

/* Fill `n` elements at `out` with copies of the one at `element`. */
void nz_elements_set(void *out, const void *element, size_t element_bytes, uint64_t n);

/* Say whether all `n` elements equal the one at `element`, bit for bit (text: byte for byte).  Stops at the first that does not. */
bool nz_elements_are(const void *elements, const void *element, nwbz_type type, uint64_t n);

/* Convert between float16 bits and float. */
float nz_half_to_float(uint16_t bits);

#endif
