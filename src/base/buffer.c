/* Doubling growth, up to the maximum. */
#include "base/buffer.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

nwbz_code nz_buffer_reserve(nz_buffer *buffer, size_t n, nwbz_error *err)
{
    if (n >= SIZE_MAX - buffer->n_bytes || n > buffer->max_bytes || buffer->n_bytes > buffer->max_bytes - n)
        return nz_fail(err, NWBZ_ELIMIT, "%zu bytes and %zu more are over the limit of %zu bytes", buffer->n_bytes, n,
                       buffer->max_bytes);
    size_t need = buffer->n_bytes + n + 1;
    if (need <= buffer->capacity)
        return NWBZ_OK;
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < need)
        capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
    char *bytes = nz_realloc(buffer->bytes, capacity);
    if (!bytes)
        return nz_fail_memory(err, capacity, "a buffer");
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return NWBZ_OK;
}

nwbz_code nz_buffer_add(nz_buffer *buffer, const void *bytes, size_t n, nwbz_error *err)
{
    NZ_TRY(nz_buffer_reserve(buffer, n, err));
    if (n)
        memcpy(buffer->bytes + buffer->n_bytes, bytes, n);
    buffer->n_bytes += n;
    buffer->bytes[buffer->n_bytes] = 0;
    return NWBZ_OK;
}

nwbz_code nz_buffer_add_text(nz_buffer *buffer, const char *text, nwbz_error *err)
{
    return nz_buffer_add(buffer, text, strlen(text), err);
}

nwbz_code nz_buffer_addf(nz_buffer *buffer, nwbz_error *err, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    nwbz_code code = n < 0 ? nz_fail(err, NWBZ_EINVAL, "'%s' cannot be formatted", format)
                           : nz_buffer_reserve(buffer, (size_t)n, err);
    if (code == NWBZ_OK) {
        vsnprintf(buffer->bytes + buffer->n_bytes, (size_t)n + 1, format, again);
        buffer->n_bytes += (size_t)n;
    }
    va_end(again);
    return code;
}

void nz_buffer_done(nz_buffer *buffer)
{
    nz_free(buffer->bytes);
    buffer->bytes = NULL;
    buffer->n_bytes = buffer->capacity = 0;
}
