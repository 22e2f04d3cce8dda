/* A value is one block: its elements, and behind them the text that they point to; or a list of values. */
#include "model/value.h"

#include "base/checked.h"
#include "base/memory.h"

#include <string.h>

uint64_t nz_value_count(const nz_value *value)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < value->n_dims; d++)
        n *= value->shape[d];
    return n;
}

void nz_value_done(nz_value *value)
{
    for (size_t i = 0; i < value->n_items; i++) {
        nz_value_done(&value->items[i]);
        if (value->names)
            nz_free(value->names[i]);
    }
    nz_free(value->items);
    nz_free(value->names);
    nz_free(value->region);
    nz_free(value->elements);
    *value = (nz_value)NZ_VALUE_INIT;
}

/* Add the bytes of the text, each with a NUL behind, to *total; false when it does not fit. */
static bool add_text_bytes(const nwbz_string *texts, uint64_t n, uint64_t *total)
{
    for (uint64_t i = 0; i < n; i++)
        if (!nz_add(*total, texts[i].n_bytes, total) || !nz_add(*total, 1, total))
            return false;
    return true;
}

/* Copy text behind the `n` elements of the block. */
static void copy_texts(nwbz_string *block, const nwbz_string *texts, uint64_t n)
{
    char *at = (char *)(block + n);
    for (uint64_t i = 0; i < n; i++) {
        block[i] = (nwbz_string){ at, texts[i].n_bytes };
        if (texts[i].n_bytes)
            memcpy(at, texts[i].bytes, (size_t)texts[i].n_bytes);
        at += texts[i].n_bytes;
        *at++ = 0;
    }
}

nwbz_code nz_value_set(nz_value *value, nwbz_type type, unsigned n_dims, const uint64_t *shape, const void *elements,
                       nwbz_error *err)
{
    *value = (nz_value)NZ_VALUE_INIT;
    size_t size = nwbz_type_size(type);
    if (size == 0 || n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "no value of type %d with %u axes: at most %d", (int)type, n_dims,
                       NWBZ_MAX_DIMS);
    uint64_t element_bytes, total, n;
    if (!nz_count(shape, n_dims, size, &element_bytes))
        return nz_fail(err, NWBZ_ELIMIT, "a value's shape is too large to be counted in bytes");
    n = element_bytes / size;
    total = element_bytes;
    if ((type == NWBZ_STRING && !add_text_bytes(elements, n, &total)) || total > SIZE_MAX)
        return nz_fail(err, NWBZ_ELIMIT, "the text of a value is too large");
    void *block = nz_malloc((size_t)total);
    if (!block)
        return nz_fail_memory(err, (size_t)total, "a value");
    if (type == NWBZ_STRING)
        copy_texts(block, elements, n);
    else if (total)
        memcpy(block, elements, (size_t)total);
    value->type = type;
    value->n_dims = n_dims;
    if (n_dims)
        memcpy(value->shape, shape, n_dims * sizeof *shape);
    value->elements = block;
    return NWBZ_OK;
}

nwbz_code nz_value_set_list(nz_value *value, size_t n, nwbz_error *err)
{
    *value = (nz_value)NZ_VALUE_INIT;
    value->items = nz_calloc(n, sizeof *value->items);
    if (!value->items)
        return nz_fail_memory(err, n * sizeof *value->items, "a list of values");
    value->n_items = n;
    return NWBZ_OK;
}

nwbz_code nz_value_set_record(nz_value *value, const char *const *names, size_t n, nwbz_error *err)
{
    NZ_TRY(nz_value_set_list(value, n, err));
    value->names = nz_calloc(n, sizeof *value->names);
    for (size_t i = 0; value->names && i < n; i++)
        if (!(value->names[i] = nz_strdup(names[i]))) {
            nz_value_done(value);
            return nz_fail_memory(err, strlen(names[i]), "a record");
        }
    if (value->names)
        return NWBZ_OK;
    nz_value_done(value);
    return nz_fail_memory(err, n * sizeof *value->names, "a record");
}

nwbz_code nz_value_set_text(nz_value *value, const char *text, nwbz_error *err)
{
    nwbz_string string = { text, strlen(text) };
    return nz_value_set(value, NWBZ_STRING, 0, NULL, &string, err);
}

nwbz_code nz_value_set_double(nz_value *value, double number, nwbz_error *err)
{
    return nz_value_set(value, NWBZ_FLOAT64, 0, NULL, &number, err);
}

nwbz_code nz_value_set_int(nz_value *value, int64_t number, nwbz_error *err)
{
    return nz_value_set(value, NWBZ_INT64, 0, NULL, &number, err);
}

nwbz_code nz_value_set_reference(nz_value *value, const char *path, nwbz_error *err)
{
    NZ_TRY(nz_value_set_text(value, path, err));
    value->is_reference = true;
    return NWBZ_OK;
}

nwbz_code nz_value_set_texts(nz_value *value, const char *const *texts, size_t n, nwbz_error *err)
{
    *value = (nz_value)NZ_VALUE_INIT;
    uint64_t shape[1] = { n };
    nwbz_string *strings = nz_calloc(n, sizeof *strings);
    if (!strings)
        return nz_fail_memory(err, n * sizeof *strings, "a list of texts");
    for (size_t i = 0; i < n; i++)
        strings[i] = (nwbz_string){ texts[i], strlen(texts[i]) };
    nwbz_code code = nz_value_set(value, NWBZ_STRING, 1, shape, strings, err);
    nz_free(strings);
    return code;
}
