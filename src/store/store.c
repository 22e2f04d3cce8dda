/* What all places share: which keys there are, ranges, whole values, and the public functions, which only pass on. */
#include "store/store.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "store/place.h"

#include <string.h>

const char *const nz_document_names[] = { "zarr.json", ".zgroup", ".zarray", ".zmetadata", NULL };
const char *const nz_record_names[NZ_N_RECORDS] = { "plan.json", "journal" };

/* ---- Keys and ranges ----------------------------------------------------------- */

bool nz_name_is_temporary(const char *name)
{
    size_t n_prefix = strlen(NZ_TEMPORARY_PREFIX);
    return strncmp(name, NZ_TEMPORARY_PREFIX, n_prefix) == 0 && strspn(name + n_prefix, "0123456789abcdef") == 8 &&
           name[n_prefix + 8] == 0;
}

static nwbz_code part_check(const char *key, const char *part, size_t n, nwbz_error *err)
{
    if (n == 0)
        return nz_fail(err, NWBZ_EINVAL, "'%s' is no key: it has an empty part", key);
    if (n <= 2 && strncmp(part, "..", n) == 0)
        return nz_fail(err, NWBZ_EINVAL, "'%s' is no key: it has the part '%.*s'", key, (int)n, part);
    if (strncmp(part, NZ_TEMPORARY_PREFIX, strlen(NZ_TEMPORARY_PREFIX)) == 0)
        return nz_fail(err, NWBZ_EINVAL, "'%s' is no key: names that begin with '%s' are for temporary files", key,
                       NZ_TEMPORARY_PREFIX);
    return NWBZ_OK;
}

nwbz_code nz_key_check(const char *key, nwbz_error *err)
{
    for (const char *part = key;; part++) {
        size_t n = strcspn(part, "/");
        NZ_TRY(part_check(key, part, n, err));
        part += n;
        if (!*part)
            return NWBZ_OK;
    }
}

nwbz_code nz_prefix_check(const char *prefix, nwbz_error *err)
{
    return *prefix ? nz_key_check(prefix, err) : NWBZ_OK;
}

nwbz_code nz_record_check(const nwbz_store *store, const char *name, unsigned *index, nwbz_error *err)
{
    if (!store->staged)
        return nz_fail(err, NWBZ_EINVAL, "%s has no record '%s': it is not being made", store->name, name);
    for (*index = 0; *index < NZ_N_RECORDS; ++*index)
        if (strcmp(name, nz_record_names[*index]) == 0)
            return NWBZ_OK;
    return nz_fail(err, NWBZ_EINVAL, "there is no record of the name '%s'", name);
}

nwbz_code nz_value_range(const char *key, uint64_t size, uint64_t offset, bool from_end, size_t *n, uint64_t *start,
                         nwbz_error *err)
{
    if (offset > size)
        return nz_fail(err, NWBZ_EFORMAT, "'%s' has %llu bytes, and %llu %s were asked for", key,
                       (unsigned long long)size, (unsigned long long)offset,
                       from_end ? "from its end" : "before those that");
    *start = from_end ? size - offset : offset;
    uint64_t rest = size - *start;
    if (*n == SIZE_MAX)
        *n = (size_t)rest;
    if (*n > rest)
        return nz_fail(err, NWBZ_EFORMAT, "'%s' ends after %llu of the %zu bytes from %llu on", key,
                       (unsigned long long)rest, *n, (unsigned long long)*start);
    return NWBZ_OK;
}

/* ---- Whole values ---------------------------------------------------------------- */

nwbz_code nz_store_get(nwbz_store *store, const char *key, nz_buffer *out, nwbz_error *err)
{
    return store->class->get(store, key, 0, false, SIZE_MAX, out, err);
}

nwbz_code nz_store_put(nwbz_store *store, const char *key, const void *bytes, size_t n_bytes, nwbz_error *err)
{
    nz_writer *writer = NULL;
    NZ_TRY(store->class->writer_open(store, key, &writer, err));
    nwbz_code code = store->class->writer_append(writer, bytes, n_bytes, err);
    if (code == NWBZ_OK)
        return store->class->writer_commit(writer, err);
    store->class->writer_abort(writer);
    return code;
}

bool nz_store_has(nwbz_store *store, const char *key)
{
    uint64_t n_bytes;
    return store->class->size(store, key, &n_bytes, NULL) == NWBZ_OK;
}

/* ---- The public functions ---------------------------------------------------------- */

nwbz_code nwbz_store_create(const char *path, const nwbz_create_options *options, nwbz_store **store, nwbz_error *err)
{
    nwbz_create_options chosen = NWBZ_CREATE_OPTIONS_INIT;
    if (!store)
        return nz_fail(err, NWBZ_EINVAL, "no place for the new store was given");
    *store = NULL;
    if (!path || !*path)
        return nz_fail(err, NWBZ_EINVAL, "no path was given");
    NZ_TRY(nz_options_take(&chosen, sizeof chosen, options, err));
    if ((unsigned)chosen.existing > NWBZ_EXISTING_RESUME)
        return nz_fail(err, NWBZ_EINVAL, "%u is no value of nwbz_existing", (unsigned)chosen.existing);
    return nz_dir_create(path, &chosen, store, err);
}

nwbz_code nwbz_store_commit(nwbz_store *store, nwbz_error *err)
{
    if (!store)
        return nz_fail(err, NWBZ_EINVAL, "no store was given");
    if (!store->staged)
        return NWBZ_OK;
    return nz_where(err, store->class->commit(store, err), "%s", store->name);
}

nwbz_code nwbz_store_open(const char *path, bool writable, nwbz_store **store, nwbz_error *err)
{
    if (!store)
        return nz_fail(err, NWBZ_EINVAL, "no place for the store was given");
    *store = NULL;
    if (!path || !*path)
        return nz_fail(err, NWBZ_EINVAL, "no path was given");
    return nz_where(err, nz_dir_open(path, writable, store, err), "%s", path);
}

nwbz_code nwbz_store_new_memory(nwbz_store **store, nwbz_error *err)
{
    if (!store)
        return nz_fail(err, NWBZ_EINVAL, "no place for the new store was given");
    *store = NULL;
    return nz_memory_new(store, err);
}

void nwbz_store_close(nwbz_store *store)
{
    if (!store)
        return;
    if (store->staged)
        store->class->abort(store, store->keep_unfinished);
    store->class->close(store);
}

void nwbz_store_keep_unfinished(nwbz_store *store, bool keep)
{
    if (store)
        store->keep_unfinished = keep;
}

nwbz_code nwbz_store_get(nwbz_store *store, const char *key, void **bytes, size_t *n_bytes, nwbz_error *err)
{
    if (!store || !key || !bytes || !n_bytes)
        return nz_fail(err, NWBZ_EINVAL, "store, key, bytes and n_bytes must be given");
    *bytes = NULL;
    *n_bytes = 0;
    nz_buffer value = NZ_BUFFER_INIT(SIZE_MAX / 4);
    nwbz_code code = nz_store_get(store, key, &value, err);
    if (code == NWBZ_OK)
        code = nz_buffer_reserve(&value, 0, err); /* an empty value is memory too, not NULL */
    if (code != NWBZ_OK) {
        nz_buffer_done(&value);
        return nz_where(err, code, "%s", store->name);
    }
    *bytes = value.bytes;
    *n_bytes = value.n_bytes;
    return NWBZ_OK;
}

nwbz_code nwbz_store_put(nwbz_store *store, const char *key, const void *bytes, size_t n_bytes, nwbz_error *err)
{
    if (!store || !key || (!bytes && n_bytes))
        return nz_fail(err, NWBZ_EINVAL, "store, key and bytes must be given");
    return nz_where(err, nz_store_put(store, key, bytes, n_bytes, err), "%s", store->name);
}
