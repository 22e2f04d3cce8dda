/* A new node's parents are looked for upwards, until one is there: while a tree is written that is the first. */
#include "zarr/group.h"

#include "base/memory.h"
#include "base/path.h"
#include "zarr/consolidated.h"
#include "zarr/key.h"
#include "zarr/metadata.h"

#include <nwbz/array.h>
#include <string.h>

nwbz_code nz_document_put_text(nwbz_store *store, const char *key, const char *text, size_t n_bytes, nwbz_error *err)
{
    char *document_key = nz_document_key(key);
    nwbz_code code =
        document_key ? nz_store_put(store, document_key, text, n_bytes, err) : nz_fail_memory(err, 64, "a key");
    nz_free(document_key);
    return nz_where(err, code, "%s:/%s", store->name, key);
}

nwbz_code nz_document_put(nwbz_store *store, const char *key, const nz_json *document, nwbz_error *err)
{
    nz_buffer text = NZ_BUFFER_INIT(NZ_DOCUMENT_MAX_BYTES);
    nwbz_code code = nz_where(err, nz_json_format(document, &text, err), "%s:/%s", store->name, key);
    if (code == NWBZ_OK)
        code = nz_document_put_text(store, key, text.bytes, text.n_bytes, err);
    nz_buffer_done(&text);
    return code;
}

nwbz_code nz_document_exists(nwbz_store *store, const char *key, bool *exists, nwbz_error *err)
{
    uint64_t n_bytes;
    nwbz_error failed = NWBZ_ERROR_INIT;
    char *document_key = nz_document_key(key);
    if (!document_key)
        return nz_fail_memory(err, 64, "a key");
    nwbz_code code = store->class->size(store, document_key, &n_bytes, &failed);
    nz_free(document_key);
    *exists = code == NWBZ_OK;
    if (code == NWBZ_OK || code == NWBZ_ENOTFOUND)
        return NWBZ_OK;
    if (err)
        *err = failed;
    return nz_where(err, code, "%s:/%s", store->name, key);
}

/* Look at the node `key`: absent, a group, or an array. */
static nwbz_code look(nwbz_store *store, const char *key, bool *exists, bool *is_group, nwbz_error *err)
{
    nz_json *document = NULL;
    *is_group = false;
    NZ_TRY(nz_document_exists(store, key, exists, err));
    if (!*exists)
        return NWBZ_OK;
    nwbz_code code = nz_document_get(store, key, &document, err);
    if (code == NWBZ_OK)
        code = nz_document_is_group(document, is_group, err);
    nz_json_free(document);
    return code;
}

static nwbz_code put_group(nwbz_store *store, const char *key, const nz_json *attributes, nwbz_error *err)
{
    nz_json *document = NULL;
    nwbz_code code = nz_group_meta_format(attributes, &document, err);
    if (code == NWBZ_OK)
        code = nz_document_put(store, key, document, err);
    nz_json_free(document);
    return code;
}

/* Put groups at every prefix of `key` that is longer than `from` (an existing group) and shorter than the key. */
static nwbz_code put_below(nwbz_store *store, char *key, size_t from, nwbz_error *err)
{
    for (size_t i = from; key[i]; i++) {
        if (key[i] != '/' || i == from)
            continue;
        key[i] = 0;
        nwbz_code code = put_group(store, key, NULL, err);
        key[i] = '/';
        NZ_TRY(code);
    }
    return NWBZ_OK;
}

/* Find the nearest group above: *length is that of its key; *exists false: not even the root. */
static nwbz_code find_above(nwbz_store *store, char *key, size_t *length, bool *exists, nwbz_error *err)
{
    size_t n = strlen(key);
    *exists = false;
    while (n > 0 && !*exists) {
        do
            n--;
        while (n > 0 && key[n] != '/');
        char saved = key[n];
        bool is_group = false;
        key[n] = 0;
        nwbz_code code = look(store, key, exists, &is_group, err);
        if (code == NWBZ_OK && *exists && !is_group)
            code = nz_fail(err, NWBZ_EEXIST, "'/%s' is an array, and has nothing below it", key);
        key[n] = saved;
        NZ_TRY(code);
    }
    *length = n;
    return NWBZ_OK;
}

nwbz_code nz_group_put_parents(nwbz_store *store, const char *key, nwbz_error *err)
{
    if (!*key)
        return NWBZ_OK;
    char *copy = nz_strdup(key);
    if (!copy)
        return nz_fail_memory(err, strlen(key), "a key");
    size_t length;
    bool exists;
    nwbz_code code = find_above(store, copy, &length, &exists, err);
    if (code == NWBZ_OK && !exists)
        code = put_group(store, "", NULL, err);
    if (code == NWBZ_OK)
        code = put_below(store, copy, length, err);
    nz_free(copy);
    return code;
}

nwbz_code nz_attributes_parse(const char *text, nz_json **attributes, nwbz_error *err)
{
    *attributes = NULL;
    if (!text) {
        *attributes = nz_json_new_object();
        return *attributes ? NWBZ_OK : nz_fail_memory(err, 64, "attributes");
    }
    nwbz_code code = nz_json_parse(text, strlen(text), attributes, err);
    if (code == NWBZ_EFORMAT) { /* the parser thinks of files; this is an argument */
        code = NWBZ_EINVAL;
        if (err)
            err->code = code;
    }
    NZ_TRY(code);
    if (nz_json_kind_of(*attributes) == NZ_JSON_OBJECT)
        return NWBZ_OK;
    nz_json_free(*attributes);
    *attributes = NULL;
    return nz_fail(err, NWBZ_EINVAL, "attributes must be one JSON object");
}

/* An existing group stays as it is, unless there are attributes to give it. */
static nwbz_code create(nwbz_store *store, const char *key, const char *attributes_json, const nz_json *attributes,
                        nwbz_error *err)
{
    bool exists, is_group;
    NZ_TRY(look(store, key, &exists, &is_group, err));
    if (exists && !is_group)
        return nz_fail(err, NWBZ_EEXIST, "an array is there");
    if (exists && !attributes_json)
        return NWBZ_OK;
    if (!exists)
        NZ_TRY(nz_group_put_parents(store, key, err));
    return put_group(store, key, attributes, err);
}

nwbz_code nwbz_group_create(nwbz_store *store, const char *path, const char *attributes_json, nwbz_error *err)
{
    char *key = NULL;
    nz_json *attributes = NULL;
    nwbz_code code = nz_node_key(path, &key, err);
    if (code == NWBZ_OK)
        code = nz_attributes_parse(attributes_json, &attributes, err);
    if (code == NWBZ_OK)
        code = create(store, key, attributes_json, attributes, err);
    nz_json_free(attributes);
    nz_free(key);
    return nz_where(err, code, "%s:%s%s", store->name, *path == '/' ? "" : "/", path);
}
