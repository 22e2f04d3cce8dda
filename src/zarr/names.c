/* One growing list, sorted once. */
#include "zarr/names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static nwbz_code add_name(const char *name, bool is_prefix, void *user, nwbz_error *err)
{
    nz_names *names = user;
    if (is_prefix != names->want_prefixes)
        return NWBZ_OK;
    if (names->n == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 16;
        char **items = nz_realloc(names->items, capacity * sizeof *items);
        if (!items)
            return nz_fail_memory(err, capacity * sizeof *items, "names");
        names->items = items;
        names->capacity = capacity;
    }
    char *copy = nz_strdup(name);
    if (!copy)
        return nz_fail_memory(err, strlen(name), "a name");
    names->items[names->n++] = copy;
    return NWBZ_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

nwbz_code nz_names_list(nwbz_store *store, const char *prefix, bool want_prefixes, nz_names *names, nwbz_error *err)
{
    *names = (nz_names)NZ_NAMES_INIT;
    names->want_prefixes = want_prefixes;
    nwbz_code code = store->class->list(store, prefix, add_name, names, err);
    if (code == NWBZ_ENOTFOUND)
        code = NWBZ_OK;
    if (code != NWBZ_OK)
        nz_names_done(names);
    else if (names->n)
        qsort(names->items, names->n, sizeof *names->items, by_bytes);
    return code;
}

void nz_names_done(nz_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        nz_free(names->items[i]);
    nz_free(names->items);
    *names = (nz_names)NZ_NAMES_INIT;
}
