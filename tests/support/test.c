/* The C library alone: what is tested must not be what checks it. */
#define _GNU_SOURCE
#include "support/test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void test_check_code(nwbz_code got, nwbz_code want, const char *text, const nwbz_error *err, const char *file, int line)
{
    const char *message = err ? err->message : "";
    if (got != want)
        print_error("%s, not %s: %s\n", nwbz_code_name(got), nwbz_code_name(want), message);
    if (got != want)
        _fail(file, line);
    if (text && !strstr(message, text))
        print_error("'%s' is not in the message: %s\n", text, message);
    if (text && !strstr(message, text))
        _fail(file, line);
    if (want != NWBZ_OK && err && err->code != want)
        _fail(file, line);
}

int test_folder_setup(void **state)
{
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/nwbz-test-XXXXXX", base && *base ? base : "/tmp") < 0 || !mkdtemp(path))
        return -1;
    *state = path;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

int test_folder_teardown(void **state)
{
    int failed = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return failed;
}

const char *test_path(const char *folder, const char *name)
{
    static char paths[64][4096];
    static unsigned next;
    char *path = paths[next++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void test_file_write(const char *path, const void *bytes, size_t n_bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
    assert_int_equal(fclose(file), 0);
}

char *test_file_read(const char *path, size_t *n_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    size_t n = fread(text, 1, (size_t)size, file);
    assert_int_equal(fclose(file), 0);
    text[n] = 0;
    if (n_bytes)
        *n_bytes = n;
    return text;
}

bool test_exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

size_t test_folder_count(const char *path)
{
    DIR *listing = opendir(path);
    assert_non_null(listing);
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(listing));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(listing);
    return n;
}
