/* The root's copy of all documents is made from the documents as they were added, word for word, and written after all
 * of them.  Documents of groups that hold a copy of their own (zarr-python writes such) are entered without it. */
#include "zarr/documents.h"

#include "base/memory.h"
#include "base/path.h"
#include "zarr/group.h"
#include "zarr/key.h"
#include "zarr/member.h"
#include "zarr/metadata.h"

#include <nwbz/array.h>
#include <string.h>

#define MEMBER "consolidated_metadata"

nwbz_code nz_document_get(nwbz_store *store, const char *key, nz_json **document, nwbz_error *err)
{
    static const char *const v2_names[] = { ".zarray", ".zgroup" };
    nz_buffer text = NZ_BUFFER_INIT(NZ_DOCUMENT_MAX_BYTES);
    char *name = nz_document_key(key);
    *document = NULL;
    nwbz_code code = name ? nz_store_get(store, name, &text, err) : nz_fail_memory(err, 64, "a key");
    nz_free(name);
    if (code == NWBZ_OK)
        code = nz_json_parse(text.bytes, text.n_bytes, document, err);
    else if (code == NWBZ_ENOTFOUND)
        code = nz_fail(err, code, "no group or array is there");
    nz_buffer_done(&text);
    for (size_t i = 0; code == NWBZ_ENOTFOUND && i < sizeof v2_names / sizeof *v2_names; i++) {
        char *v2_key = nz_path_join(key, v2_names[i]);
        if (v2_key && nz_store_has(store, v2_key))
            code = nz_fail(err, NWBZ_EUNSUPPORTED, "it has a %s: Zarr format 2, which this version does not read",
                           v2_names[i]);
        nz_free(v2_key);
    }
    return nz_where(err, code, "%s:/%s", store->name, key);
}

/* ---- writing ---- */

static nwbz_code copy_member(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    return strcmp(key, MEMBER) == 0 ? NWBZ_OK : nz_json_put(user, key, nz_json_share(value), err);
}

/* Make {"kind": "inline", "must_understand": false, "metadata": metadata}; `metadata` is given away. */
static nz_json *inline_copy(nz_json *metadata)
{
    nz_json *copy = nz_object_of("kind", nz_json_new_text("inline"));
    if (!copy || nz_json_put(copy, "must_understand", nz_json_new_bool(false), NULL) != NWBZ_OK) {
        nz_json_free(metadata);
        nz_json_free(copy);
        return NULL;
    }
    if (nz_json_put(copy, "metadata", metadata, NULL) == NWBZ_OK)
        return copy;
    nz_json_free(copy);
    return NULL;
}

/* Make the group's document with a copy of `metadata` (given away) in it. */
static nwbz_code group_with_copy(const nz_json *document, nz_json *metadata, nz_json **out, nwbz_error *err)
{
    *out = nz_json_new_object();
    nz_json *copy = inline_copy(metadata);
    nwbz_code code = *out ? nz_json_each(document, copy_member, *out, err) : nz_fail_memory(err, 64, "a document");
    if (code == NWBZ_OK)
        code = nz_json_put(*out, MEMBER, copy, err);
    else
        nz_json_free(copy);
    if (code != NWBZ_OK) {
        nz_json_free(*out);
        *out = NULL;
    }
    return code;
}

/* Put one document into the copy. */
static nwbz_code enter(nz_json *metadata, const nz_keyed *item, nwbz_error *err)
{
    bool is_group;
    nz_json *entry = NULL;
    NZ_TRY(nz_where(err, nz_document_is_group(item->document, &is_group, err), "/%s", item->key));
    if (is_group)
        NZ_TRY(group_with_copy(item->document, nz_json_new_object(), &entry, err));
    else
        entry = nz_json_share(item->document);
    return nz_json_put(metadata, item->key, entry, err);
}

/* The documents are sorted by depth, so the root comes first. */
static nwbz_code check_sorted(const nz_documents *documents, nwbz_error *err)
{
    bool is_group;
    if (documents->n == 0 || documents->items[0].key[0] != 0)
        return nz_fail(err, NWBZ_EINVAL, "the tree has no root");
    NZ_TRY(nz_document_is_group(documents->items[0].document, &is_group, err));
    if (!is_group)
        return nz_fail(err, NWBZ_EINVAL, "the root is an array: there is nothing below it to consolidate");
    for (size_t i = 1; i < documents->n; i++)
        if (strcmp(documents->items[i - 1].key, documents->items[i].key) == 0)
            return nz_fail(err, NWBZ_EEXIST, "'/%s' is there twice", documents->items[i].key);
    return NWBZ_OK;
}

static nwbz_code put_root(const nz_documents *documents, nwbz_store *store, nwbz_error *err)
{
    nz_json *metadata = nz_json_new_object(), *root = NULL;
    nwbz_code code = metadata ? NWBZ_OK : nz_fail_memory(err, 64, "a document");
    for (size_t i = 1; code == NWBZ_OK && i < documents->n; i++)
        code = enter(metadata, &documents->items[i], err);
    if (code != NWBZ_OK) {
        nz_json_free(metadata);
        return code;
    }
    NZ_TRY(group_with_copy(documents->items[0].document, metadata, &root, err));
    code = nz_document_put(store, "", root, err);
    nz_json_free(root);
    return code;
}

nwbz_code nz_documents_put(nz_documents *documents, nwbz_store *store, nwbz_error *err)
{
    nz_documents_sort_by_depth(documents);
    NZ_TRY(check_sorted(documents, err));
    for (size_t i = 1; i < documents->n; i++)
        NZ_TRY(nz_document_put(store, documents->items[i].key, documents->items[i].document, err));
    return put_root(documents, store, err);
}

static nwbz_code add_document(const char *key, const nz_json *document, void *user, nwbz_error *err)
{
    return nz_documents_add(user, key, nz_json_share(document), err);
}

nwbz_code nwbz_consolidate(nwbz_store *store, nwbz_error *err)
{
    nz_documents *documents = NULL;
    nwbz_code code = nz_documents_new(&documents, err);
    if (code == NWBZ_OK)
        code = nz_documents_each_listed(store, "", UINT32_MAX, add_document, documents, err);
    if (code == NWBZ_OK) {
        nz_documents_sort_by_depth(documents);
        code = check_sorted(documents, err);
    }
    if (code == NWBZ_OK)
        code = put_root(documents, store, err);
    nz_documents_free(documents);
    return nz_where(err, code, "%s:/", store->name);
}
