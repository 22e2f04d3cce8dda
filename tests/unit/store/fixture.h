/* What the tests of the stores share: a folder, trees written down as lists of paths, and looking at what lies there. */
#ifndef NZ_TESTS_STORE_FIXTURE_H
#define NZ_TESTS_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "store/store.h"

/* Fail with the library's message, which says more than the code. */
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        nwbz_code code_ = (call);                                                                                      \
        if (code_ != NWBZ_OK)                                                                                          \
            fail_msg("%s: %s: %s: %s", #call, nwbz_code_name(code_), err.where, err.message);                          \
    } while (0)

/* Check a failure: its code, and that where and message together hold each text. */
#define assert_fails(call, expected, ...)                                                                              \
    do {                                                                                                               \
        nwbz_code code_ = (call);                                                                                      \
        if (code_ != (expected))                                                                                       \
            fail_msg("%s: %s instead of %s: %s", #call, nwbz_code_name(code_), nwbz_code_name(expected), err.message); \
        assert_int_equal(err.code, expected);                                                                          \
        const char *texts_[] = { __VA_ARGS__ };                                                                        \
        for (size_t i_ = 0; i_ < sizeof texts_ / sizeof *texts_; i_++)                                                 \
            if (!strstr(err.message, texts_[i_]) && !strstr(err.where, texts_[i_]))                                    \
                fail_msg("'%s' is not in '%s: %s'", texts_[i_], err.where, err.message);                               \
    } while (0)

static char test_folder[64];

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(test_folder, sizeof test_folder, "%s/nwbz-store-XXXXXX", P_tmpdir);
    return mkdtemp(test_folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    return nz_tree_remove(test_folder, NULL) == NWBZ_OK ? 0 : -1;
}

/* A path in the folder; valid until the next but seven. */
static inline const char *test_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

/* Write a file with the folders it needs. */
static inline void put_file(const char *name, const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *path = test_path(name);
    assert_ok(nz_folder_make_parents(test_folder, path, &err));
    assert_ok(nz_file_write_all(path, text, strlen(text), &err));
}

/* Read a file; "" where there is none.  Valid until the next. */
static inline const char *text_of(const char *name)
{
    static char text[4096];
    char *bytes = NULL;
    size_t n = 0;
    if (nz_file_read_all(test_path(name), sizeof text - 1, &bytes, &n, NWBZ_EIO, NULL) != NWBZ_OK)
        n = 0;
    memcpy(text, bytes ? bytes : "", n);
    text[n] = 0;
    nz_free(bytes);
    return text;
}

static inline bool is_there(const char *name)
{
    struct stat st;
    return lstat(test_path(name), &st) == 0;
}

/* Check that a key of an open store has this text. */
static inline void assert_value(nwbz_store *store, const char *key, const char *text)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    void *bytes;
    size_t n;
    assert_ok(nwbz_store_get(store, key, &bytes, &n, &err));
    assert_int_equal(n, strlen(text));
    assert_memory_equal(bytes, text, n);
    nwbz_free(bytes);
}

#endif
