/* Plain string work; nothing touches the disk. */
#include "base/path.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *nz_format(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = n < 0 ? NULL : nz_malloc((size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

char *nz_path_join(const char *parent, const char *name)
{
    size_t n = strlen(parent);
    if (n == 0)
        return nz_strdup(name);
    if (!*name)
        return nz_strdup(parent);
    return nz_format("%s%s%s", parent, parent[n - 1] == '/' ? "" : "/", name);
}

/* Find the last component: [*start, *end). */
static void last_component(const char *path, size_t *start, size_t *end)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] == '/')
        n--;
    *end = n;
    while (n > 0 && path[n - 1] != '/')
        n--;
    *start = n;
}

char *nz_path_parent(const char *path)
{
    size_t start, end;
    last_component(path, &start, &end);
    if (start == 0)
        return nz_strdup(*path == '/' ? "/" : ".");
    while (start > 1 && path[start - 1] == '/')
        start--;
    return nz_strndup(path, start);
}

char *nz_path_name(const char *path)
{
    size_t start, end;
    last_component(path, &start, &end);
    return nz_strndup(path + start, end - start);
}

nwbz_code nz_path_key(const char *path, char **key, nwbz_error *err)
{
    *key = NULL;
    const char *at = path + (*path == '/');
    for (const char *part = at; *part;) {
        size_t n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
            return nz_fail(err, NWBZ_EINVAL, "'%s' is no path of a node: it has an empty part, '.' or '..'", path);
        part += n;
        if (*part == '/' && !*++part)
            return nz_fail(err, NWBZ_EINVAL, "'%s' is no path of a node: it ends with a slash", path);
    }
    *key = nz_strdup(at);
    return *key ? NWBZ_OK : nz_fail_memory(err, strlen(at), "a path");
}
