/* The one place where memory comes from.
 *
 * All of src/ allocates here, so that tests can fail the k-th allocation (they wrap these symbols when they link).  Errors are NULL: the caller
 * turns them into NWBZ_ENOMEM with what was asked for.
 */
#ifndef NZ_BASE_MEMORY_H
#define NZ_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Allocate `n_bytes` (0: one byte). */
void *nz_malloc(size_t n_bytes);

/* Allocate `n` zeroed elements; NULL also when n * element_bytes overflows. */
void *nz_calloc(size_t n, size_t element_bytes);

/* Change the size of an allocation; on failure the old one stays. */
void *nz_realloc(void *pointer, size_t n_bytes);

/* Copy a NUL-terminated string, or `n` bytes of it with a NUL behind them. */
char *nz_strdup(const char *text);
char *nz_strndup(const char *text, size_t n);

/* Copy `n_bytes` bytes. */
void *nz_memdup(const void *bytes, size_t n_bytes);

/* Free what the functions above gave.  NULL is fine. */
void nz_free(void *pointer);

/* Allocate a large buffer for samples, aligned to 64 bytes (to 2 MiB, with huge pages asked for, from 4 MiB on).  nz_free() frees it. */
void *nz_malloc_large(size_t n_bytes);

#endif
