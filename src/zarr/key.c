/* Plain text work.  Names are checked where nodes are made, so that nothing that another reader would trip over is ever
 * written. */
#include "zarr/key.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAME_BYTES = 255 };

/* Names that are documents of Zarr itself. */
static const char *const reserved_names[] = { "zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata" };

static nwbz_code check_name(const char *path, const char *name, size_t n, nwbz_error *err)
{
    if (n > MAX_NAME_BYTES)
        return nz_fail(err, NWBZ_EINVAL, "'%.200s': a name in it has %zu bytes, of at most %d", path, n,
                       MAX_NAME_BYTES);
    if (memchr(name, '\\', n))
        return nz_fail(err, NWBZ_EINVAL, "'%.300s': the name '%.*s' holds a backslash, which others take for a slash",
                       path, (int)n, name);
    for (size_t i = 0; i < sizeof reserved_names / sizeof *reserved_names; i++)
        if (n == strlen(reserved_names[i]) && memcmp(name, reserved_names[i], n) == 0)
            return nz_fail(err, NWBZ_EINVAL, "'%.300s': the name '%s' belongs to Zarr itself", path, reserved_names[i]);
    return NWBZ_OK;
}

nwbz_code nz_node_key(const char *path, char **key, nwbz_error *err)
{
    *key = NULL;
    if (!nz_utf8_is_valid(path, strlen(path)))
        return nz_fail(err, NWBZ_EINVAL, "the path of a node is not UTF-8");
    NZ_TRY(nz_path_key(path, key, err));
    for (const char *name = *key; *name;) {
        size_t n = strcspn(name, "/");
        nwbz_code code = check_name(path, name, n, err);
        if (code != NWBZ_OK) {
            nz_free(*key);
            *key = NULL;
            return code;
        }
        name += n + (name[n] == '/');
    }
    return NWBZ_OK;
}

bool nz_key_is_safe(const char *key)
{
    if (!*key)
        return true;
    for (const char *name = key;; name++) {
        size_t n = strcspn(name, "/");
        if (n == 0 || (n <= 2 && memcmp(name, "..", n) == 0))
            return false;
        name += n;
        if (!*name)
            return true;
    }
}

char *nz_document_key(const char *key)
{
    return nz_path_join(key, "zarr.json");
}

char *nz_path_of_key(const char *key)
{
    return nz_format("/%s", key);
}

void nz_index_text(unsigned n_dims, const uint64_t *index, char separator, char text[NZ_INDEX_ROOM])
{
    size_t n = 0;
    text[0] = 0;
    for (unsigned d = 0; d < n_dims; d++) {
        if (d)
            text[n++] = separator;
        n += (size_t)snprintf(text + n, NZ_INDEX_ROOM - n, "%" PRIu64, index[d]);
    }
}

char *nz_object_key_of(const char *key, const nz_array_meta *meta, const uint64_t *index)
{
    char text[NZ_INDEX_ROOM];
    nz_index_text(meta->n_dims, index, meta->separator, text);
    const char *slash = *key ? "/" : "";
    if (meta->v2_keys)
        return nz_format("%s%s%s", key, slash, meta->n_dims ? text : "0");
    if (meta->n_dims == 0)
        return nz_format("%s%sc", key, slash);
    return nz_format("%s%sc%c%s", key, slash, meta->separator, text);
}

int nz_key_compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    /* The end comes before a slash, and a slash before every other byte. */
    int left = !*a ? 0 : *a == '/' ? 1 : (unsigned char)*a + 2;
    int right = !*b ? 0 : *b == '/' ? 1 : (unsigned char)*b + 2;
    return (left > right) - (left < right);
}

uint32_t nz_key_depth(const char *key)
{
    uint32_t depth = *key != 0;
    for (; *key; key++)
        depth += *key == '/';
    return depth;
}
