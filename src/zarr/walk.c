/* Two ways through a tree, one order.  From the root's copy: the entries below the key, sorted by path.  By listing: a
 * node, then its children by name; what lies below an array are its chunks, and is never listed. */
#include "zarr/consolidated.h"

#include "base/memory.h"
#include "base/path.h"
#include "zarr/group.h"
#include "zarr/key.h"
#include "zarr/metadata.h"
#include "zarr/names.h"

#include <stdlib.h>
#include <string.h>

/* Deeper trees than the longest path of a file system can hold are damage, and would only exhaust the stack. */
enum { MAX_DEPTH = 2048 };

/* ---- by listing ---- */

typedef struct walk {
    nwbz_store *store;
    nz_document_fn on_document;
    void *user;
    uint32_t depth; /* of the node that the walk is at */
} walk;

static nwbz_code visit_node(walk *self, const char *key, uint32_t depth, bool may_be_absent, nwbz_error *err);

static nwbz_code visit_children(walk *self, const char *key, uint32_t depth, nwbz_error *err)
{
    nz_names names;
    if (self->depth >= MAX_DEPTH)
        return nz_fail(err, NWBZ_ELIMIT, "the tree is deeper than %d levels", MAX_DEPTH);
    NZ_TRY(nz_names_list(self->store, key, true, &names, err));
    nwbz_code code = NWBZ_OK;
    self->depth++;
    for (size_t i = 0; code == NWBZ_OK && i < names.n; i++) {
        char *child = nz_path_join(key, names.items[i]);
        code = child ? visit_node(self, child, depth, true, err) : nz_fail_memory(err, 64, "a key");
        nz_free(child);
    }
    self->depth--;
    nz_names_done(&names);
    return code;
}

/* A folder without a document is no node of a Zarr 3 tree, and neither is what lies below it. */
static nwbz_code visit_node(walk *self, const char *key, uint32_t depth, bool may_be_absent, nwbz_error *err)
{
    nz_json *document = NULL;
    bool is_group = false;
    bool exists = true;
    if (may_be_absent)
        NZ_TRY(nz_document_exists(self->store, key, &exists, err));
    if (!exists)
        return NWBZ_OK;
    nwbz_code code = nz_document_get(self->store, key, &document, err);
    if (code == NWBZ_OK)
        code = nz_where(err, nz_document_is_group(document, &is_group, err), "%s:/%s", self->store->name, key);
    if (code == NWBZ_OK)
        code = self->on_document(key, document, self->user, err);
    nz_json_free(document);
    if (code == NWBZ_OK && is_group && depth > 0)
        code = visit_children(self, key, depth - 1, err);
    return code;
}

nwbz_code nz_documents_each_listed(nwbz_store *store, const char *key, uint32_t depth, nz_document_fn on_document,
                                   void *user, nwbz_error *err)
{
    walk self = { store, on_document, user, 0 };
    return visit_node(&self, key, depth, false, err);
}

/* ---- from the root's copy ---- */

/* The copy in a root's document; NULL: none that we can use. */
static const nz_json *copy_of(const nz_json *root)
{
    const nz_json *copy = nz_json_get(root, "consolidated_metadata");
    const char *kind = copy ? nz_json_get_text(copy, "kind") : NULL;
    const nz_json *metadata = kind && strcmp(kind, "inline") == 0 ? nz_json_get(copy, "metadata") : NULL;
    return metadata && nz_json_kind_of(metadata) == NZ_JSON_OBJECT ? metadata : NULL;
}

/* One entry of the copy, which is borrowed. */
typedef struct entry {
    const char *key;
    const nz_json *document;
} entry;

typedef struct choice {
    const char *key;
    uint32_t depth, key_depth;
    entry *entries; /* room for all of the copy, and the root */
    size_t n;
} choice;

/* Take an entry that is at or below the key, not too deep. */
static nwbz_code choose(const char *key, const nz_json *document, void *user, nwbz_error *err)
{
    choice *self = user;
    size_t n = strlen(self->key);
    bool below = n == 0 || (strncmp(key, self->key, n) == 0 && (key[n] == 0 || key[n] == '/'));
    if (!nz_key_is_safe(key) || !*key)
        return nz_fail(err, NWBZ_EFORMAT, "consolidated metadata has an entry '%.100s', which is no path of a node",
                       key);
    if (!below || nz_key_depth(key) - self->key_depth > self->depth)
        return NWBZ_OK;
    self->entries[self->n++] = (entry){ key, document };
    return NWBZ_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return nz_key_compare(((const entry *)a)->key, ((const entry *)b)->key);
}

static nwbz_code visit_all(nwbz_store *store, const choice *all, nz_document_fn on_document, void *user,
                           nwbz_error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        const entry *item = &all->entries[i];
        bool is_group;
        NZ_TRY(nz_where(err, nz_document_is_group(item->document, &is_group, err), "%s:/%s", store->name, item->key));
        NZ_TRY(on_document(item->key, item->document, user, err));
    }
    return NWBZ_OK;
}

static nwbz_code collect(const nz_json *root, choice *self, nwbz_error *err)
{
    if (!*self->key)
        self->entries[self->n++] = (entry){ "", root };
    NZ_TRY(nz_json_each(copy_of(root), choose, self, err));
    if (self->n)
        qsort(self->entries, self->n, sizeof *self->entries, compare_paths);
    return NWBZ_OK;
}

/* *used false: the copy does not know the key (it is older than the node); nothing was visited. */
static nwbz_code each_in_copy(nwbz_store *store, const nz_json *root, const char *key, uint32_t depth,
                              nz_document_fn on_document, void *user, bool *used, nwbz_error *err)
{
    size_t room = nz_json_length(copy_of(root)) + 1;
    choice self = { key, depth, nz_key_depth(key), nz_calloc(room, sizeof *self.entries), 0 };
    *used = false;
    if (!self.entries)
        return nz_fail_memory(err, room * sizeof *self.entries, "consolidated metadata");
    nwbz_code code = nz_where(err, collect(root, &self, err), "%s:/", store->name);
    *used = code == NWBZ_OK && self.n > 0 && strcmp(self.entries[0].key, key) == 0;
    if (*used)
        code = visit_all(store, &self, on_document, user, err);
    nz_free(self.entries);
    return code;
}

nwbz_code nz_documents_each(nwbz_store *store, const char *key, uint32_t depth, nz_document_fn on_document, void *user,
                            nwbz_error *err)
{
    nz_json *root = NULL;
    bool used = false;
    nwbz_code code = nz_document_get(store, "", &root, err);
    if (code == NWBZ_OK && copy_of(root))
        code = each_in_copy(store, root, key, depth, on_document, user, &used, err);
    else if (code == NWBZ_ENOTFOUND && *key)
        code = NWBZ_OK; /* a tree without a root is no store of ours, and yet its nodes can be shown */
    nz_json_free(root);
    if (code != NWBZ_OK || used)
        return code;
    return nz_documents_each_listed(store, key, depth, on_document, user, err);
}
