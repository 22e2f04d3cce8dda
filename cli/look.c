/* PATH/object needs no mark between its parts: the store is the outermost folder of PATH that is a Zarr group,
 * found by walking up from the longest part that opens, for as long as the parent opens too. */
#include "look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opt.h"

static char *copy_part(const char *text, size_t n)
{
    char *part = malloc(n + 2);
    if (!part)
        return NULL;
    memcpy(part, text, n);
    part[n] = 0;
    return part;
}

/* Return the length of the parent's name: "a/b" of "a/b//c"; 0: there is none. */
static size_t parent_length(const char *path, size_t n)
{
    while (n > 0 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

/* Open the first `n` bytes of `path` as a store. */
static nwbz_code open_part(const char *path, size_t n, nwbz_store **store, nwbz_error *err)
{
    char *part = copy_part(path, n);
    if (!part)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
    nwbz_code code = nwbz_store_open(part, false, store, err);
    free(part);
    return code;
}

static bool opens(const char *path, size_t n)
{
    nwbz_store *store = NULL;
    nwbz_error ignored = NWBZ_ERROR_INIT;
    bool opened = n > 0 && open_part(path, n, &store, &ignored) == NWBZ_OK;
    nwbz_store_close(store);
    return opened;
}

static bool exists(const char *path, size_t n)
{
    struct stat status;
    char *part = copy_part(path, n);
    bool found = part && stat(part, &status) == 0;
    free(part);
    return found;
}

/* Return the length of the outermost store's name in `path`, 0: none. */
static size_t store_length(const char *path)
{
    size_t n = strlen(path);
    while (n > 0 && !opens(path, n))
        n = parent_length(path, n);
    for (size_t parent = n ? parent_length(path, n) : 0; parent > 0 && opens(path, parent);
         parent = parent_length(path, parent))
        n = parent;
    return n;
}

/* Make "/a/b" of "a//b/", in place of a copy with room for one more byte. */
static char *clean_object(const char *text)
{
    char *object = malloc(strlen(text) + 2);
    size_t n = 0;
    if (!object)
        return NULL;
    while (*text) {
        text += strspn(text, "/");
        size_t n_name = strcspn(text, "/");
        if (!n_name)
            break;
        object[n++] = '/';
        memcpy(object + n, text, n_name);
        n += n_name;
        text += n_name;
    }
    if (!n)
        object[n++] = '/';
    object[n] = 0;
    return object;
}

/* Say what stands where no store does. */
static nwbz_code fail_no_store(const char *path, nwbz_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return cli_fail(err, NWBZ_ENOTFOUND, path, "%s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return cli_fail(err, NWBZ_ENOTFOUND, path, "is a folder without a Zarr document (zarr.json)");
    return cli_fail(err, NWBZ_ENOTFOUND, path, "is a file, not a Zarr folder; other formats come with a later version");
}

nwbz_code cli_look_open(cli_look *look, const char *text, nwbz_error *err)
{
    const char *mark = strstr(text, "::");
    while (mark && mark[2] != '/' && mark[2] != 0 && !exists(text, (size_t)(mark - text))) /* names may hold "::" */
        mark = strstr(mark + 1, "::");
    size_t n_store = mark ? (size_t)(mark - text) : store_length(text);
    if (n_store == 0)
        return fail_no_store(text, err);
    look->store_path = copy_part(text, n_store);
    look->object = clean_object(mark ? mark + 2 : text + n_store);
    if (!look->store_path || !look->object)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
    nwbz_code code = nwbz_store_open(look->store_path, false, &look->store, err);
    if (code != NWBZ_ENOTFOUND)
        return code;
    nwbz_error plain = NWBZ_ERROR_INIT;
    (void)fail_no_store(look->store_path, &plain);
    *err = plain;
    return code;
}

void cli_look_done(cli_look *look)
{
    nwbz_store_close(look->store);
    free(look->store_path);
    free(look->object);
    *look = (cli_look)CLI_LOOK_INIT;
}
