/* The root's copy of all documents is made from the texts that were added, word for word, and written after all of them.
 * A group's entry is its text with an empty copy put in before the last brace, and so is the root's with the full one. */
#include "zarr/documents.h"

#include "base/memory.h"
#include "base/path.h"
#include "zarr/group.h"
#include "zarr/key.h"

#include <nwbz/array.h>
#include <string.h>

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

/* The root's document goes to the store as it is made, in blocks: consolidated metadata of 100,000 nodes is 80 MB. */
typedef struct root_text {
    nwbz_store *store;
    nz_writer *writer;
    nz_buffer block;
} root_text;

enum { BLOCK_BYTES = 1 << 20 };

static nwbz_code flush(root_text *self, nwbz_error *err)
{
    size_t n = self->block.n_bytes;
    self->block.n_bytes = 0;
    return n ? self->store->class->writer_append(self->writer, self->block.bytes, n, err) : NWBZ_OK;
}

static nwbz_code add(root_text *self, const char *text, size_t n, nwbz_error *err)
{
    NZ_TRY(nz_buffer_add(&self->block, text, n, err));
    return self->block.n_bytes >= BLOCK_BYTES ? flush(self, err) : NWBZ_OK;
}

/* Begin the copy in the text of a group's document, whose last character, a brace, is left for the end. */
static nwbz_code add_group(root_text *self, const nz_document *group, nwbz_error *err)
{
    static const char begin[] =
        ", \"" NZ_CONSOLIDATED_MEMBER "\": {\"kind\": \"inline\", \"must_understand\": false, \"metadata\": {";
    NZ_TRY(add(self, group->text, group->n_bytes - 1, err));
    return add(self, begin, sizeof begin - 1, err);
}

static nwbz_code add_end(root_text *self, nwbz_error *err)
{
    return add(self, "}}}", 3, err);
}

/* Add one member of the copy. */
static nwbz_code add_entry(root_text *self, const nz_document *item, bool is_first, nwbz_error *err)
{
    if (!is_first)
        NZ_TRY(add(self, ", ", 2, err));
    NZ_TRY(nz_json_format_text(item->key, strlen(item->key), &self->block, err));
    NZ_TRY(add(self, ": ", 2, err));
    if (!item->is_group)
        return add(self, item->text, item->n_bytes, err);
    NZ_TRY(add_group(self, item, err));
    return add_end(self, err);
}

static nwbz_code add_all(root_text *self, const nz_documents *documents, nwbz_error *err)
{
    NZ_TRY(add_group(self, &documents->items[0], err));
    for (size_t i = 1; i < documents->n; i++)
        NZ_TRY(add_entry(self, &documents->items[i], i == 1, err));
    NZ_TRY(add_end(self, err));
    return flush(self, err);
}

/* The documents are sorted by depth, so the root comes first. */
static nwbz_code check_sorted(const nz_documents *documents, nwbz_error *err)
{
    if (documents->n == 0 || documents->items[0].key[0] != 0)
        return nz_fail(err, NWBZ_EINVAL, "the tree has no root");
    if (!documents->items[0].is_group)
        return nz_fail(err, NWBZ_EINVAL, "the root is an array: there is nothing below it to consolidate");
    for (size_t i = 1; i < documents->n; i++)
        if (strcmp(documents->items[i - 1].key, documents->items[i].key) == 0)
            return nz_fail(err, NWBZ_EEXIST, "'/%s' is there twice", documents->items[i].key);
    return NWBZ_OK;
}

static nwbz_code put_sorted_root(const nz_documents *documents, nwbz_store *store, nwbz_error *err)
{
    root_text self = { store, NULL, NZ_BUFFER_INIT(NZ_DOCUMENT_MAX_BYTES) };
    char *key = nz_document_key("");
    nwbz_code code = key ? store->class->writer_open(store, key, &self.writer, err) : nz_fail_memory(err, 64, "a key");
    nz_free(key);
    if (code == NWBZ_OK) {
        code = add_all(&self, documents, err);
        if (code == NWBZ_OK)
            code = store->class->writer_commit(self.writer, err);
        else
            store->class->writer_abort(self.writer);
    }
    nz_buffer_done(&self.block);
    return nz_where(err, code, "%s:/", store->name);
}

nwbz_code nz_documents_put_root(nz_documents *documents, nwbz_store *store, nwbz_error *err)
{
    nz_documents_sort(documents);
    NZ_TRY(check_sorted(documents, err));
    return put_sorted_root(documents, store, err);
}

nwbz_code nz_documents_put(nz_documents *documents, nwbz_store *store, nwbz_error *err)
{
    nz_documents_sort(documents);
    NZ_TRY(check_sorted(documents, err));
    for (size_t i = 1; i < documents->n; i++) {
        const nz_document *item = &documents->items[i];
        NZ_TRY(nz_document_put_text(store, item->key, item->text, item->n_bytes, err));
    }
    return put_sorted_root(documents, store, err);
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
    if (code == NWBZ_OK)
        code = nz_documents_put_root(documents, store, err);
    nz_documents_free(documents);
    return nz_where(err, code, "%s:/", store->name);
}
