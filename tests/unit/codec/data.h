/* What the tests of this folder feed to codecs. */
#ifndef TEST_CODEC_DATA_H
#define TEST_CODEC_DATA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/memory.h"
#include "codec/chain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum data_kind { DATA_RANDOM, DATA_CONSTANT, DATA_NEURAL, N_DATA_KINDS } data_kind;

/* xorshift: the same numbers on every machine. */
static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state;
}

/* Make exactly n bytes (so that a sanitizer sees one byte too many), as int16 where the kind has a type. */
static inline unsigned char *make_data(data_kind kind, size_t n)
{
    unsigned char *bytes = nz_malloc(n);
    uint32_t state = 12345u + (uint32_t)n;
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        int wave = (int)(60 * sin((double)(i / 2) / 80)) + (int)(next_random(&state) % 11) - 5;
        bytes[i] = kind == DATA_RANDOM     ? (unsigned char)next_random(&state)
                   : kind == DATA_CONSTANT ? 7
                                           : (unsigned char)(wave >> (i % 2 ? 8 : 0));
    }
    return bytes;
}

/* Bytes whose end is the end of a page that nobody may touch: the libraries that decode are not built with
 * sanitizers. */
typedef struct guarded {
    unsigned char *bytes;
    void *map;
    size_t map_bytes;
} guarded;

static inline guarded guarded_new(const void *bytes, size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (n + page - 1) / page * page;
    guarded g = { NULL, NULL, whole + page };
    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.map != MAP_FAILED);
    assert_int_equal(mprotect((char *)g.map + whole, page, PROT_NONE), 0);
    g.bytes = (unsigned char *)g.map + whole - n;
    if (bytes && n)
        memcpy(g.bytes, bytes, n);
    return g;
}

static inline void guarded_free(guarded g)
{
    munmap(g.map, g.map_bytes);
}

static inline nz_json *json_of(const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *json = NULL;
    if (!text)
        return NULL;
    if (nz_json_parse(text, strlen(text), &json, &err) != NWBZ_OK)
        fail_msg("%s: %s", text, err.message);
    return json;
}

/* Open a chain of JSON text. */
static inline nz_chain *chain_of(const char *text, nwbz_type type, uint64_t piece_bytes)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_chain *chain = NULL;
    nz_json *codecs = json_of(text);
    nwbz_code code = nz_chain_open(codecs, NZ_DTYPE(type), piece_bytes, &chain, &err);
    nz_json_free(codecs);
    if (code != NWBZ_OK)
        fail_msg("%s: %s", text, err.message);
    return chain;
}

static inline nz_chain_worker *worker_of(const nz_chain *chain)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_chain_worker *worker = NULL;
    assert_int_equal(nz_chain_worker_new(chain, &worker, &err), NWBZ_OK);
    return worker;
}

/* Say that `message` holds both numbers in decimal. */
static inline void assert_numbers(const char *message, uint64_t a, uint64_t b)
{
    char first[32], second[32];
    snprintf(first, sizeof first, "%llu", (unsigned long long)a);
    snprintf(second, sizeof second, "%llu", (unsigned long long)b);
    if (!strstr(message, first) || !strstr(message, second))
        fail_msg("\"%s\" should name %s and %s", message, first, second);
}

#endif
