/* What the tests of src/zarr share: a store in memory, documents from text with ' for ", and arrays. */
#ifndef NZ_TESTS_UNIT_ZARR_FIXTURE_H
#define NZ_TESTS_UNIT_ZARR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/memory.h"
#include "zarr/array.h"
#include "zarr/consolidated.h"

/* Run `call`, which takes &failed last, and show its error when the code is not the expected one. */
#define EXPECT(expected, call)                                                                                         \
    do {                                                                                                               \
        nwbz_error failed = NWBZ_ERROR_INIT;                                                                           \
        nwbz_code code_ = (call);                                                                                      \
        if (code_ != (expected))                                                                                       \
            fail_msg("%s instead of %s at %s:%d: %s: %s", nwbz_code_name(code_), #expected, __FILE__, __LINE__,        \
                     failed.where, failed.message);                                                                    \
    } while (0)
#define OK(call) EXPECT(NWBZ_OK, call)

/* The same, with words that the message must hold. */
#define REFUSED(expected, words, call)                                                                                 \
    do {                                                                                                               \
        nwbz_error failed = NWBZ_ERROR_INIT;                                                                           \
        nwbz_code code_ = (call);                                                                                      \
        if (code_ != (expected) || !strstr(failed.message, words) || failed.code != (expected))                        \
            fail_msg("%s (want %s, \"%s\") at %s:%d: %s: %s", nwbz_code_name(code_), #expected, words, __FILE__,       \
                     __LINE__, failed.where, failed.message);                                                          \
    } while (0)

/* Parse JSON in which ' stands for ". */
static inline nz_json *json_of(const char *text)
{
    char *copy = nz_strdup(text);
    nz_json *json = NULL;
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    OK(nz_json_parse(copy, strlen(copy), &json, &failed));
    nz_free(copy);
    return json;
}

/* Compare with expected text in which ' stands for ", and free both. */
static inline void assert_json_is(nz_json *json, const char *expected)
{
    char *text = NULL, *want = NULL;
    nz_json *parsed = json_of(expected);
    OK(nz_json_text_of(json, &text, &failed));
    OK(nz_json_text_of(parsed, &want, &failed));
    assert_string_equal(text, want);
    nz_free(text);
    nz_free(want);
    nz_json_free(parsed);
    nz_json_free(json);
}

static inline nwbz_store *memory_store(void)
{
    nwbz_store *store = NULL;
    OK(nwbz_store_new_memory(&store, &failed));
    return store;
}

static inline void put_text(nwbz_store *store, const char *key, const char *text)
{
    char *copy = nz_strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    OK(nwbz_store_put(store, key, copy, strlen(copy), &failed));
    nz_free(copy);
}

/* The value of a key as NUL-terminated text, to be freed with nwbz_free(). */
static inline char *text_of(nwbz_store *store, const char *key)
{
    void *bytes = NULL;
    size_t n = 0;
    OK(nwbz_store_get(store, key, &bytes, &n, &failed));
    char *text = nz_strndup(bytes, n);
    nwbz_free(bytes);
    return text;
}

static inline nwbz_string string_of(const char *text)
{
    return (nwbz_string){ text, strlen(text) };
}

/* Encode one piece of samples and add it to an object. */
static inline void add_piece(nwbz_array *array, nz_object *object, uint64_t position, const void *elements)
{
    uint64_t n = nz_array_piece_bytes(array), room = nz_chain_bound(array->chain, n);
    nz_chain_worker *worker = NULL;
    size_t n_out = 0;
    char *out = malloc(room);
    OK(nz_chain_worker_new(array->chain, &worker, &failed));
    OK(nz_chain_encode(array->chain, worker, elements, n, out, room, &n_out, &failed));
    OK(nz_object_add(object, position, out, n_out, &failed));
    nz_chain_worker_free(worker);
    free(out);
}

#endif
