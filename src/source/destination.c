/* Writing a store over its own source would destroy it: names are compared after following symlinks, and files by
 * device and number (hard links). */
#include "source/destination.h"

#include "base/file.h"
#include "base/memory.h"

#include <string.h>

static bool is_same_or_inside(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == 0 || path[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

static bool is_same_file(const char *a, const char *b)
{
    nz_file_info x, y;
    return nz_file_look(a, true, &x, NULL) == NWBZ_OK && nz_file_look(b, true, &y, NULL) == NWBZ_OK &&
           x.kind != NZ_FILE_ABSENT && x.kind == y.kind && x.device == y.device && x.inode == y.inode;
}

nwbz_code nz_destination_check(const char *path, const nz_json *source_identity, nwbz_error *err)
{
    char *resolved = NULL;
    const char *source = nz_json_get_text(source_identity, "path");
    nwbz_error ignored = NWBZ_ERROR_INIT;
    if (source == NULL)
        return NWBZ_OK;
    nwbz_code code = nz_path_resolve(path, &resolved, &ignored);
    if (code == NWBZ_ENOMEM)
        return nz_fail_memory(err, strlen(path), "a path");
    if (code != NWBZ_OK) /* a parent that is absent: the store says so, with its own code */
        return is_same_or_inside(path, source)
                   ? nz_fail(err, NWBZ_EINVAL, "the destination lies inside the source %s", source)
                   : NWBZ_OK;
    if (is_same_or_inside(resolved, source) || is_same_file(resolved, source))
        code = nz_fail(err, NWBZ_EINVAL, "the destination is the source %s, or lies inside it", source);
    nz_free(resolved);
    return code;
}
