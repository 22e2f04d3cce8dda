/* What every cmocka test includes, and small helpers: an empty folder for each test, files in it, JSON and errors checked. */
#ifndef NZ_TESTS_SUPPORT_TEST_H
#define NZ_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nwbz/error.h>
#include <stdbool.h>

/* Check that a call gives NWBZ_OK, or a certain code with a message that holds `text`.  Both fail with the message of `err`. */
#define assert_ok(code, err)               test_check_code((code), NWBZ_OK, NULL, (err), __FILE__, __LINE__)
#define assert_code(code, want, text, err) test_check_code((code), (want), (text), (err), __FILE__, __LINE__)

void test_check_code(nwbz_code got, nwbz_code want, const char *text, const nwbz_error *err, const char *file,
                     int line);

/* cmocka setup and teardown: *state becomes the path of an empty folder below TMPDIR (/tmp), which is removed with all in it. */
int test_folder_setup(void **state);
int test_folder_teardown(void **state);

/* Return folder/name in static memory: valid until 64 more calls. */
const char *test_path(const char *folder, const char *name);

/* Write and read whole files with the C library alone; test_file_read() returns a NUL-terminated text to free(), NULL for no such file. */
void test_file_write(const char *path, const void *bytes, size_t n_bytes);
char *test_file_read(const char *path, size_t *n_bytes);

/* Say whether something (a symlink too) has that name. */
bool test_exists(const char *path);

/* Count the entries of a folder, but "." and "..". */
size_t test_folder_count(const char *path);

#endif
