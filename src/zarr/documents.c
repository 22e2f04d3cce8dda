/* Documents are formatted once, when they come, and kept as text: as JSON values they would take ten times the memory, and
 * be formatted twice.  qsort over an array: n log n comparisons for 100,000 nodes are nothing against that. */
#include "zarr/documents.h"

#include "base/memory.h"
#include "zarr/group.h"
#include "zarr/key.h"
#include "zarr/metadata.h"

#include <stdlib.h>
#include <string.h>

nwbz_code nz_documents_new(nz_documents **documents, nwbz_error *err)
{
    *documents = nz_calloc(1, sizeof **documents);
    return *documents ? NWBZ_OK : nz_fail_memory(err, sizeof **documents, "documents");
}

void nz_documents_free(nz_documents *documents)
{
    if (!documents)
        return;
    for (size_t i = 0; i < documents->n; i++) {
        nz_free(documents->items[i].key);
        nz_free(documents->items[i].text);
    }
    nz_free(documents->items);
    nz_free(documents);
}

/* ---- text ---- */

static nwbz_code copy_member(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    return strcmp(key, NZ_CONSOLIDATED_MEMBER) == 0 ? NWBZ_OK : nz_json_put(user, key, nz_json_share(value), err);
}

/* Format without the copy of all metadata. */
static nwbz_code format_without_copy(const nz_json *document, nz_buffer *text, nwbz_error *err)
{
    nz_json *rest = nz_json_new_object();
    nwbz_code code = rest ? nz_json_each(document, copy_member, rest, err) : nz_fail_memory(err, 64, "a document");
    if (code == NWBZ_OK)
        code = nz_json_format(rest, text, err);
    nz_json_free(rest);
    return code;
}

static nwbz_code format_document(const nz_json *document, nz_document *out, nwbz_error *err)
{
    nz_buffer text = NZ_BUFFER_INIT(NZ_DOCUMENT_MAX_BYTES);
    nwbz_code code = nz_document_is_group(document, &out->is_group, err);
    if (code == NWBZ_OK)
        code = nz_json_get(document, NZ_CONSOLIDATED_MEMBER) ? format_without_copy(document, &text, err)
                                                             : nz_json_format(document, &text, err);
    if (code == NWBZ_OK) {
        out->n_bytes = text.n_bytes;
        out->text = nz_memdup(text.bytes, text.n_bytes); /* the buffer has up to twice the room */
        code = out->text ? NWBZ_OK : nz_fail_memory(err, text.n_bytes, "a document");
    }
    nz_buffer_done(&text);
    return code;
}

static nwbz_code set(nz_document *out, const char *key, const nz_json *document, nwbz_error *err)
{
    nz_document made = { .key = nz_strdup(key), .depth = nz_key_depth(key) };
    nwbz_code code = made.key ? NWBZ_OK : nz_fail_memory(err, strlen(key), "a key");
    if (code == NWBZ_OK)
        code = format_document(document, &made, err);
    if (code != NWBZ_OK) {
        nz_free(made.key);
        return nz_where(err, code, "/%s", key);
    }
    *out = made;
    return NWBZ_OK;
}

/* ---- the list ---- */

nwbz_code nz_documents_add_places(nz_documents *documents, size_t n, size_t *first, nwbz_error *err)
{
    size_t capacity = documents->capacity ? documents->capacity : 64;
    while (capacity - documents->n < n && capacity <= SIZE_MAX / 2 / sizeof *documents->items)
        capacity *= 2;
    if (capacity - documents->n < n)
        return nz_fail_memory(err, SIZE_MAX, "documents");
    if (capacity > documents->capacity) {
        nz_document *items = nz_realloc(documents->items, capacity * sizeof *items);
        if (!items)
            return nz_fail_memory(err, capacity * sizeof *items, "documents");
        documents->items = items;
        documents->capacity = capacity;
    }
    if (n)
        memset(documents->items + documents->n, 0, n * sizeof *documents->items);
    *first = documents->n;
    documents->n += n;
    return NWBZ_OK;
}

nwbz_code nz_documents_add(nz_documents *documents, const char *key, nz_json *document, nwbz_error *err)
{
    size_t i = 0;
    nwbz_code code = document ? nz_documents_add_places(documents, 1, &i, err) : nz_fail_memory(err, 64, "a document");
    if (code == NWBZ_OK)
        code = set(&documents->items[i], key, document, err);
    nz_json_free(document);
    return code;
}

nwbz_code nz_documents_set_and_put(nz_documents *documents, size_t i, const char *key, const nz_json *document,
                                   nwbz_store *store, nwbz_error *err)
{
    nz_document *item = &documents->items[i];
    NZ_TRY(set(item, key, document, err));
    return *key ? nz_document_put_text(store, key, item->text, item->n_bytes, err) : NWBZ_OK;
}

static int by_depth(const void *a, const void *b)
{
    const nz_document *left = a, *right = b;
    if (left->depth != right->depth)
        return left->depth < right->depth ? -1 : 1;
    return strcmp(left->key, right->key);
}

/* Places without a document go. */
static void drop_empty(nz_documents *documents)
{
    size_t n = 0;
    for (size_t i = 0; i < documents->n; i++)
        if (documents->items[i].key)
            documents->items[n++] = documents->items[i];
    documents->n = n;
}

void nz_documents_sort(nz_documents *documents)
{
    drop_empty(documents);
    if (documents->n)
        qsort(documents->items, documents->n, sizeof *documents->items, by_depth);
}
