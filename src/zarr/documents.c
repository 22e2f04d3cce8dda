/* qsort over an array: n log n comparisons for 100,000 nodes are nothing against formatting their documents. */
#include "zarr/documents.h"

#include "base/memory.h"
#include "zarr/key.h"

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
        nz_json_free(documents->items[i].document);
    }
    nz_free(documents->items);
    nz_free(documents);
}

static nwbz_code make_room(nz_documents *documents, nwbz_error *err)
{
    if (documents->n < documents->capacity)
        return NWBZ_OK;
    size_t capacity = documents->capacity ? documents->capacity * 2 : 64;
    nz_keyed *items = nz_realloc(documents->items, capacity * sizeof *items);
    if (!items)
        return nz_fail_memory(err, capacity * sizeof *items, "documents");
    documents->items = items;
    documents->capacity = capacity;
    return NWBZ_OK;
}

nwbz_code nz_documents_add(nz_documents *documents, const char *key, nz_json *document, nwbz_error *err)
{
    nwbz_code code = document ? make_room(documents, err) : nz_fail_memory(err, 64, "a document");
    char *copy = code == NWBZ_OK ? nz_strdup(key) : NULL;
    if (code == NWBZ_OK && !copy)
        code = nz_fail_memory(err, strlen(key), "a key");
    if (code != NWBZ_OK) {
        nz_json_free(document);
        return code;
    }
    documents->items[documents->n++] = (nz_keyed){ copy, nz_key_depth(copy), document };
    return NWBZ_OK;
}

static int by_depth(const void *a, const void *b)
{
    const nz_keyed *left = a, *right = b;
    if (left->depth != right->depth)
        return left->depth < right->depth ? -1 : 1;
    return strcmp(left->key, right->key);
}

static int by_path(const void *a, const void *b)
{
    return nz_key_compare(((const nz_keyed *)a)->key, ((const nz_keyed *)b)->key);
}

void nz_documents_sort_by_depth(nz_documents *documents)
{
    if (documents->n)
        qsort(documents->items, documents->n, sizeof *documents->items, by_depth);
}

void nz_documents_sort_by_path(nz_documents *documents)
{
    if (documents->n)
        qsort(documents->items, documents->n, sizeof *documents->items, by_path);
}
