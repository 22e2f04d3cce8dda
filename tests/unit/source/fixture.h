/* What the tests of the sources share: a folder for files, known samples, random boxes, and the right values of a
 * box. */
#ifndef NZ_TESTS_SOURCE_FIXTURE_H
#define NZ_TESTS_SOURCE_FIXTURE_H

#include "support/test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Check a failure: its code, and that its message holds each text. */
#define assert_fails(call, expected, ...)                                                                              \
    do {                                                                                                               \
        nwbz_code code_ = (call);                                                                                      \
        if (code_ != (expected))                                                                                       \
            fail_msg("%s: %s instead of %s: %s", #call, nwbz_code_name(code_), nwbz_code_name(expected), err.message); \
        assert_int_equal(err.code, expected);                                                                          \
        const char *texts_[] = { __VA_ARGS__ };                                                                        \
        for (size_t i_ = 0; i_ < sizeof texts_ / sizeof *texts_; i_++)                                                 \
            if (!strstr(err.message, texts_[i_]))                                                                      \
                fail_msg("'%s' is not in the message '%s'", texts_[i_], err.message);                                  \
    } while (0)

/* One folder for all tests of a program, and the path of a file in it (valid as test_path() says). */
static const char *folder;

static inline int make_folder(void **state)
{
    int failed = test_folder_setup(state);
    folder = *state;
    return failed;
}

static inline const char *in_folder(const char *name)
{
    return test_path(folder, name);
}

/* A small generator, so that a failure comes again. */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % n;
}

/* The known samples: int16, all over its range, other at each index. */
static inline int16_t sample_at(uint64_t index)
{
    return (int16_t)(index * 40503u + (index >> 16) + 7u);
}

/* The index of an element of a box in the whole array, both in C order. */
static inline uint64_t index_in_whole(const nz_box *box, const uint64_t *shape, uint64_t element)
{
    uint64_t index = 0, step = 1;
    for (unsigned d = box->n_dims; d-- > 0;) {
        index += (box->start[d] + element % box->shape[d]) * step;
        element /= box->shape[d];
        step *= shape[d];
    }
    return index;
}

static inline uint64_t count_of(const nz_box *box)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < box->n_dims; d++)
        n *= box->shape[d];
    return n;
}

/* Say whether `elements` are the known samples of `box` in an array of `shape`. */
static inline bool is_known(const nz_box *box, const uint64_t *shape, const int16_t *elements)
{
    for (uint64_t i = 0, n = count_of(box); i < n; i++)
        if (elements[i] != sample_at(index_in_whole(box, shape, i)))
            return false;
    return true;
}

/* Any box of an array without zero axes, edges and whole axes more often than by chance. */
static inline void random_box(nz_box *box, unsigned n_dims, const uint64_t *shape, uint64_t *state)
{
    box->n_dims = n_dims;
    for (unsigned d = 0; d < n_dims; d++) {
        uint64_t kind = random_below(state, 4);
        box->start[d] = kind == 0 ? 0 : random_below(state, shape[d]);
        box->shape[d] = kind < 2 ? shape[d] - box->start[d] : 1 + random_below(state, shape[d] - box->start[d]);
    }
}

/* Read a box with a reader of its own. */
static inline nwbz_code read_once(nwbz_source *source, const nz_box *box, void *elements, uint64_t *n_rows,
                                  nwbz_error *err)
{
    void *reader = NULL;
    if (source->class->reader_new)
        NZ_TRY(source->class->reader_new(source, &reader, err));
    *n_rows = box->n_dims ? box->shape[0] : 1;
    nwbz_code code = source->class->read_box(source, reader, box, elements, n_rows, err);
    if (source->class->reader_free)
        source->class->reader_free(reader);
    return code;
}

#endif
