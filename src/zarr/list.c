/* What a person sees of a tree: entries with attributes, and arrays that cannot be read with the reason. */
#include "zarr/array.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/path.h"
#include "zarr/consolidated.h"
#include "zarr/grid.h"
#include "zarr/key.h"
#include "zarr/names.h"

#include <stdlib.h>
#include <string.h>

/* ---- nwbz_list ---- */

typedef struct listing {
    nwbz_store *store;
    nwbz_entry_fn on_entry;
    void *user;
} listing;

static nwbz_code tell(const listing *self, const nwbz_entry *entry, nwbz_error *err)
{
    if (self->on_entry(entry, self->user) == 0)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_ECANCELED, "the listing was stopped at '%s'", entry->path);
}

static nwbz_code tell_group(const listing *self, const char *path, const nz_json *document, nwbz_error *err)
{
    char *text = NULL;
    const nz_json *attributes = nz_json_get(document, "attributes");
    if (attributes && nz_json_kind_of(attributes) == NZ_JSON_OBJECT)
        NZ_TRY(nz_json_text_of(attributes, &text, err));
    nwbz_entry entry = { .path = path, .attributes_json = text ? text : "{}" };
    nwbz_code code = tell(self, &entry, err);
    nz_free(text);
    return code;
}

/* Damage of one array must not hide the others: its reason is shown like that of an unsupported one. */
static bool is_about_array(nwbz_code code)
{
    return code == NWBZ_EUNSUPPORTED || code == NWBZ_EFORMAT || code == NWBZ_ELIMIT;
}

static nwbz_code tell_array(const listing *self, const char *path, const nz_json *document, nwbz_error *err)
{
    nwbz_array *array = NULL;
    nwbz_error why = NWBZ_ERROR_INIT;
    nwbz_code code = nz_array_of_document_to_list(self->store, path, document, &array, &why);
    if (array && (code == NWBZ_OK || is_about_array(code))) {
        nwbz_entry entry = { .path = path, .is_array = true, .unsupported = code == NWBZ_OK ? NULL : why.message };
        nwbz_array_get_info(array, &entry.array);
        entry.attributes_json = entry.array.attributes_json;
        code = tell(self, &entry, err);
    } else if (err) {
        *err = why;
    }
    nwbz_array_close(array);
    return code;
}

static nwbz_code tell_document(const char *key, const nz_json *document, void *user, nwbz_error *err)
{
    const listing *self = user;
    bool is_group;
    NZ_TRY(nz_document_is_group(document, &is_group, err));
    char *path = nz_path_of_key(key);
    if (!path)
        return nz_fail_memory(err, 64, "a path");
    nwbz_code code = is_group ? tell_group(self, path, document, err) : tell_array(self, path, document, err);
    nz_free(path);
    return code;
}

nwbz_code nwbz_list(nwbz_store *store, const char *path, uint32_t depth, nwbz_entry_fn on_entry, void *user,
                    nwbz_error *err)
{
    char *key = NULL;
    listing self = { store, on_entry, user };
    nwbz_code code = nz_path_key(path, &key, err);
    if (code == NWBZ_OK)
        code = nz_documents_each(store, key, depth, tell_document, &self, err);
    nz_free(key);
    return nz_where(err, code, "%s:%s%s", store->name, *path == '/' ? "" : "/", path);
}

/* ---- nwbz_array_stored ---- */

typedef struct tally {
    const nwbz_array *array;
    uint64_t counts[NWBZ_MAX_DIMS]; /* objects per axis */
    uint64_t n_objects, n_bytes;
} tally;

/* Read a decimal number without leading zeros below `limit`, up to `end` or `separator`; NULL: none. */
static const char *number_in(const char *text, uint64_t limit, char separator)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (!nz_mul(value, 10, &value) || !nz_add(value, (uint64_t)(*at - '0'), &value))
            return NULL;
    bool sound = at > text && (text[0] != '0' || at == text + 1) && value < limit && (*at == 0 || *at == separator);
    return sound ? at : NULL;
}

/* Say whether `text` is an index of axes from..to-1 in the grid of objects. */
static bool is_index(const tally *self, const char *text, unsigned from, unsigned to, char separator)
{
    for (unsigned d = from; d < to; d++) {
        text = number_in(text, self->counts[d], separator);
        if (!text || (*text == 0) != (d + 1 == to))
            return false;
        text += *text != 0;
    }
    return true;
}

static nwbz_code count_key(tally *self, const char *prefix, const char *name, nwbz_error *err)
{
    char *key = nz_path_join(prefix, name);
    uint64_t n_bytes = 0;
    nwbz_error absent = NWBZ_ERROR_INIT;
    nwbz_store *store = self->array->store;
    nwbz_code code = key ? store->class->size(store, key, &n_bytes, &absent) : nz_fail_memory(&absent, 64, "a key");
    nz_free(key);
    if (code == NWBZ_ENOTFOUND)
        return NWBZ_OK;
    if (code != NWBZ_OK && err)
        *err = absent;
    self->n_objects += code == NWBZ_OK;
    self->n_bytes += n_bytes;
    return code;
}

/* Count the values below `prefix` whose names are indices of axes from..n_dims-1 in one part. */
static nwbz_code count_flat(tally *self, const char *prefix, const char *lead, unsigned from, char separator,
                            nwbz_error *err)
{
    nz_names names;
    size_t n_lead = strlen(lead);
    NZ_TRY(nz_names_list(self->array->store, prefix, false, &names, err));
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; code == NWBZ_OK && i < names.n; i++)
        if (strncmp(names.items[i], lead, n_lead) == 0 &&
            is_index(self, names.items[i] + n_lead, from, self->array->meta.n_dims, separator))
            code = count_key(self, prefix, names.items[i], err);
    nz_names_done(&names);
    return code;
}

/* Count below `prefix`, a folder for each part of the index. */
static nwbz_code count_nested(tally *self, const char *prefix, unsigned axis, nwbz_error *err)
{
    if (axis + 1 == self->array->meta.n_dims)
        return count_flat(self, prefix, "", axis, 0, err);
    nz_names names;
    NZ_TRY(nz_names_list(self->array->store, prefix, true, &names, err));
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; code == NWBZ_OK && i < names.n; i++) {
        if (!is_index(self, names.items[i], axis, axis + 1, 0))
            continue;
        char *below = nz_path_join(prefix, names.items[i]);
        code = below ? count_nested(self, below, axis + 1, err) : nz_fail_memory(err, 64, "a key");
        nz_free(below);
    }
    nz_names_done(&names);
    return code;
}

static nwbz_code count_all(tally *self, nwbz_error *err)
{
    const nz_array_meta *meta = &self->array->meta;
    const char *key = self->array->path + 1;
    if (meta->n_dims == 0)
        return count_key(self, key, meta->v2_keys ? "0" : "c", err);
    if (meta->separator == '.')
        return count_flat(self, key, meta->v2_keys ? "" : "c.", 0, '.', err);
    if (meta->v2_keys)
        return count_nested(self, key, 0, err);
    char *below = nz_path_join(key, "c");
    nwbz_code code = below ? count_nested(self, below, 0, err) : nz_fail_memory(err, 64, "a key");
    nz_free(below);
    return code;
}

nwbz_code nwbz_array_stored(const nwbz_array *array, uint64_t *n_objects, uint64_t *n_bytes, nwbz_error *err)
{
    tally self = { .array = array };
    nz_grid_counts(array->meta.n_dims, array->meta.shape, array->meta.object_shape, self.counts);
    nwbz_code code = count_all(&self, err);
    *n_objects = self.n_objects;
    *n_bytes = self.n_bytes;
    return nz_where(err, code, "%s:%s", array->store->name, array->path);
}
