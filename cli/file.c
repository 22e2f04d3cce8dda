#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "opt.h"

enum { MOST_BYTES = 64 << 20, FIRST_BYTES = 1 << 16 };

/* Read to the end, doubling; the text ends with a NUL. */
static nwbz_code read_all(FILE *file, const char *path, char **text, nwbz_error *err)
{
    size_t n = 0, room = FIRST_BYTES;
    for (;;) {
        char *grown = realloc(*text, room + 1);
        if (!grown)
            return cli_fail(err, NWBZ_ENOMEM, path, "out of memory");
        *text = grown;
        n += fread(*text + n, 1, room - n, file);
        if (cli_signal())
            return cli_fail(err, NWBZ_ECANCELED, path, "interrupted");
        if (ferror(file))
            return cli_fail(err, NWBZ_ESOURCE, path, "cannot be read: %s", strerror(errno));
        if (n < room)
            break;
        if (room >= MOST_BYTES)
            return cli_fail(err, NWBZ_ESOURCE, path, "is larger than 64 MiB; metadata never is");
        room *= 2;
    }
    (*text)[n] = 0;
    if (strlen(*text) != n)
        return cli_fail(err, NWBZ_ESOURCE, path, "is not text: a NUL byte at %zu", strlen(*text));
    return NWBZ_OK;
}

nwbz_code cli_file_read(const char *path, char **text, nwbz_error *err)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file && cli_signal())
        return cli_fail(err, NWBZ_ECANCELED, path, "interrupted");
    if (!file)
        return cli_fail(err, NWBZ_ESOURCE, path, "cannot be opened: %s", strerror(errno));
    nwbz_code code = read_all(file, path, text, err);
    (void)fclose(file);
    if (code != NWBZ_OK) {
        free(*text);
        *text = NULL;
    }
    return code;
}

/* Resolve links of the longest part of `path` that exists, and keep the rest; the caller's, NULL: no memory. */
static char *resolve(const char *path)
{
    char *head = strdup(path);
    char *found = NULL;
    size_t n_head = head ? strlen(head) : 0;
    while (head && !(found = realpath(*head ? head : ".", NULL)) && n_head > 0) {
        while (n_head > 0 && head[n_head - 1] == '/') /* trailing slashes */
            n_head--;
        while (n_head > 0 && head[n_head - 1] != '/') /* the last name */
            n_head--;
        while (n_head > 1 && head[n_head - 1] == '/')
            n_head--;
        head[n_head] = 0;
    }
    free(head);
    if (!found)
        return NULL;
    const char *rest = path + n_head + strspn(path + n_head, "/");
    char *whole = malloc(strlen(found) + strlen(rest) + 2);
    if (whole)
        (void)sprintf(whole, "%s%s%s", found, *rest ? "/" : "", rest);
    free(found);
    return whole;
}

bool cli_file_is_inside(const char *path, const char *other)
{
    char *a = resolve(path), *b = resolve(other);
    size_t n = b ? strlen(b) : 0;
    while (n > 1 && b[n - 1] == '/')
        n--;
    bool inside = a && b && strncmp(a, b, n) == 0 && (a[n] == 0 || a[n] == '/');
    free(a);
    free(b);
    return inside;
}
