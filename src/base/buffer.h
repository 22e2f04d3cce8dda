/* Growing bytes with a maximum that is given when they are made. */
#ifndef NZ_BASE_BUFFER_H
#define NZ_BASE_BUFFER_H

#include "base/error.h"

/* Start with NZ_BUFFER_INIT(maximum).  `bytes` has always room for a NUL behind n_bytes once anything was added. */
typedef struct nz_buffer {
    char *bytes;
    size_t n_bytes, capacity, max_bytes;
} nz_buffer;

#define NZ_BUFFER_INIT(maximum) { NULL, 0, 0, (maximum) }

/* Make room for `n` more bytes.  NWBZ_ELIMIT over the maximum, NWBZ_ENOMEM. */
nwbz_code nz_buffer_reserve(nz_buffer *buffer, size_t n, nwbz_error *err);

/* Append bytes, text, or printf-formatted text; a NUL follows that n_bytes does not count. */
nwbz_code nz_buffer_add(nz_buffer *buffer, const void *bytes, size_t n, nwbz_error *err);
nwbz_code nz_buffer_add_text(nz_buffer *buffer, const char *text, nwbz_error *err);
nwbz_code nz_buffer_addf(nz_buffer *buffer, nwbz_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Free the bytes and start again; the maximum stays. */
void nz_buffer_done(nz_buffer *buffer);

#endif
