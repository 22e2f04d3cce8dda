/* malloc with one name.  Large buffers ask for huge pages: a run touches each of its slot buffers once, and 4 KiB
 * faults on 60 MB cost more than the copy into them. */
#define _GNU_SOURCE
#include "base/memory.h"

#include <nwbz/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE_BYTES = 2 << 20, CACHE_LINE_BYTES = 64 };

void *nz_malloc(size_t n_bytes)
{
    return malloc(n_bytes ? n_bytes : 1);
}

void *nz_calloc(size_t n, size_t element_bytes)
{
    return calloc(n ? n : 1, element_bytes ? element_bytes : 1);
}

void *nz_realloc(void *pointer, size_t n_bytes)
{
    return realloc(pointer, n_bytes ? n_bytes : 1);
}

char *nz_strdup(const char *text)
{
    return nz_strndup(text, strlen(text));
}

char *nz_strndup(const char *text, size_t n)
{
    char *copy = nz_malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

void *nz_memdup(const void *bytes, size_t n_bytes)
{
    void *copy = nz_malloc(n_bytes);
    if (copy && n_bytes)
        memcpy(copy, bytes, n_bytes);
    return copy;
}

void nz_free(void *pointer)
{
    free(pointer);
}

void *nz_malloc_large(size_t n_bytes)
{
    size_t alignment = n_bytes >= 2 * (size_t)HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : CACHE_LINE_BYTES;
    void *pointer = NULL;
    if (posix_memalign(&pointer, alignment, n_bytes ? n_bytes : 1) != 0)
        return NULL;
    if (alignment == HUGE_PAGE_BYTES) /* advice only: a kernel without huge pages says no, and that is fine */
        (void)madvise(pointer, n_bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES, MADV_HUGEPAGE);
    return pointer;
}

void nwbz_free(void *pointer)
{
    nz_free(pointer);
}
