/* Base64 with padding (RFC 4648, section 4): how Zarr documents write bytes. */
#ifndef NZ_BASE_BASE64_H
#define NZ_BASE_BASE64_H

#include "base/buffer.h"

#include <stdbool.h>

/* Append the text of `n` bytes. */
nwbz_code nz_base64_encode(const void *bytes, size_t n, nz_buffer *out, nwbz_error *err);

/* Read text that stands for exactly `n_bytes` bytes; false: other characters, wrong padding, another length. */
bool nz_base64_decode(const char *text, size_t n_text, void *bytes, size_t n_bytes);

#endif
