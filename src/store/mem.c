/* Keys and values in memory.
 *
 * The keys form a treap (a search tree that random priorities keep flat): ordered, so that a list finds the next name
 * below a prefix in logarithmic time, and with cheap inserts in whatever order the chunks come.  A value never changes
 * once it is there; readers hold it by a count, so that copying a large one keeps no lock.  One mutex guards tree,
 * counts, records. */
#include "store/place.h"

#include "base/memory.h"
#include "base/thread.h"

#include <string.h>

typedef struct value {
    size_t n_bytes;
    char *bytes;
    size_t n_holds; /* guarded by the store's mutex */
} value;

typedef struct node {
    struct node *left, *right;
    uint32_t priority; /* that of a parent is the largest */
    value *value;
    char key[];
} node;

typedef struct mem_store {
    nwbz_store base;
    nz_mutex mutex;
    /* guarded by the mutex */
    node *root;
    uint32_t random;
    nz_buffer records[NZ_N_RECORDS];
    bool has_record[NZ_N_RECORDS];
} mem_store;

struct nz_writer {
    mem_store *store;
    node *node; /* with the key; the value comes at commit */
    nz_buffer buffer;
};

static mem_store *mem_of(nwbz_store *store)
{
    return (mem_store *)store;
}

/* ---- The tree ---------------------------------------------------------------------- */

static value *value_new(nz_buffer *buffer)
{
    value *new = nz_malloc(sizeof *new);
    if (!new)
        return NULL;
    char *exact = nz_realloc(buffer->bytes, buffer->n_bytes); /* without memory for that the larger one serves too */
    if (!exact && !buffer->bytes) {
        nz_free(new);
        return NULL;
    }
    *new = (value){ buffer->n_bytes, exact ? exact : buffer->bytes, 1 };
    *buffer = (nz_buffer)NZ_BUFFER_INIT(buffer->max_bytes);
    return new;
}

static void value_release_locked(value *old)
{
    if (!old || --old->n_holds > 0)
        return;
    nz_free(old->bytes);
    nz_free(old);
}

static node *node_new(const char *key)
{
    size_t n = strlen(key) + 1;
    node *new = nz_calloc(1, sizeof *new + n);
    if (new)
        memcpy(new->key, key, n);
    return new;
}

static void node_free(node *old)
{
    if (!old)
        return;
    node_free(old->left);
    node_free(old->right);
    value_release_locked(old->value);
    nz_free(old);
}

/* Find the first node whose key is `key` or comes after it. */
static node *tree_find_from(node *at, const char *key)
{
    node *found = NULL;
    while (at) {
        bool is_before = strcmp(at->key, key) < 0;
        found = is_before ? found : at;
        at = is_before ? at->right : at->left;
    }
    return found;
}

static node *tree_find(node *at, const char *key)
{
    node *found = tree_find_from(at, key);
    return found && strcmp(found->key, key) == 0 ? found : NULL;
}

/* Insert a node whose key is not there yet; return the tree's new root. */
static node *tree_insert(node *at, node *new)
{
    if (!at)
        return new;
    node **side = strcmp(new->key, at->key) < 0 ? &at->left : &at->right;
    node *child = *side = tree_insert(*side, new);
    if (child->priority <= at->priority)
        return at;
    node **inner = side == &at->left ? &child->right : &child->left;
    *side = *inner;
    *inner = at;
    return child;
}

static node *tree_merge(node *left, node *right)
{
    if (!left || !right)
        return left ? left : right;
    if (left->priority > right->priority) {
        left->right = tree_merge(left->right, right);
        return left;
    }
    right->left = tree_merge(left, right->left);
    return right;
}

/* Take the node of `key` out of the tree; NULL when it is not there. */
static node *tree_take(node **at, const char *key)
{
    while (*at) {
        int order = strcmp(key, (*at)->key);
        if (order == 0) {
            node *taken = *at;
            *at = tree_merge(taken->left, taken->right);
            taken->left = taken->right = NULL;
            return taken;
        }
        at = order < 0 ? &(*at)->left : &(*at)->right;
    }
    return NULL;
}

static uint32_t next_random_locked(mem_store *mem)
{
    mem->random ^= mem->random << 13; /* xorshift32 (Marsaglia 2003) */
    mem->random ^= mem->random >> 17;
    mem->random ^= mem->random << 5;
    return mem->random;
}

/* ---- Reading ------------------------------------------------------------------------ */

/* Hold the value of `key`, or NULL. */
static value *hold(mem_store *mem, const char *key)
{
    nz_lock(&mem->mutex);
    node *found = tree_find(mem->root, key);
    value *held = found ? found->value : NULL;
    if (held)
        held->n_holds++;
    nz_unlock(&mem->mutex);
    return held;
}

static void release(mem_store *mem, value *held)
{
    nz_lock(&mem->mutex);
    value_release_locked(held);
    nz_unlock(&mem->mutex);
}

static nwbz_code mem_get(nwbz_store *store, const char *key, uint64_t offset, bool from_end, size_t n, nz_buffer *out,
                         nwbz_error *err)
{
    out->n_bytes = 0;
    NZ_TRY(nz_key_check(key, err));
    value *held = hold(mem_of(store), key);
    if (!held)
        return nz_fail(err, NWBZ_ENOTFOUND, "there is no key '%s' in %s", key, store->name);
    uint64_t start = 0;
    nwbz_code code = nz_value_range(key, held->n_bytes, offset, from_end, &n, &start, err);
    if (code == NWBZ_OK)
        code = nz_buffer_add(out, held->bytes + start, n, err);
    release(mem_of(store), held);
    return code;
}

static nwbz_code mem_size(nwbz_store *store, const char *key, uint64_t *n_bytes, nwbz_error *err)
{
    NZ_TRY(nz_key_check(key, err));
    value *held = hold(mem_of(store), key);
    if (!held)
        return nz_fail(err, NWBZ_ENOTFOUND, "there is no key '%s' in %s", key, store->name);
    *n_bytes = held->n_bytes;
    release(mem_of(store), held);
    return NWBZ_OK;
}

/* Copy the first key at or after `cursor` that begins with the n_prefix bytes of it; not found: none is left. */
static nwbz_code next_key(mem_store *mem, const nz_buffer *cursor, size_t n_prefix, nz_buffer *key, bool *found,
                          nwbz_error *err)
{
    key->n_bytes = 0;
    nz_lock(&mem->mutex);
    node *next = tree_find_from(mem->root, cursor->bytes);
    *found = next && strncmp(next->key, cursor->bytes, n_prefix) == 0;
    nwbz_code code = *found ? nz_buffer_add_text(key, next->key, err) : NWBZ_OK;
    nz_unlock(&mem->mutex);
    return code;
}

/* Visit name after name.  '0' is the character after '/', so that "p/name0" is where the keys below "p/name/" end. */
static nwbz_code list_from(mem_store *mem, nz_buffer *cursor, nz_buffer *key, nz_list_fn on_name, void *user,
                           nwbz_error *err)
{
    const size_t n_prefix = cursor->n_bytes;
    for (;;) {
        bool found;
        NZ_TRY(next_key(mem, cursor, n_prefix, key, &found, err));
        if (!found)
            return NWBZ_OK;
        size_t n_name = strcspn(key->bytes + n_prefix, "/");
        bool is_prefix = key->bytes[n_prefix + n_name] == '/';
        key->bytes[n_prefix + n_name] = 0;
        NZ_TRY(on_name(key->bytes + n_prefix, is_prefix, user, err));
        cursor->n_bytes = n_prefix;
        NZ_TRY(nz_buffer_addf(cursor, err, "%s%s", key->bytes + n_prefix, is_prefix ? "0" : "\001"));
    }
}

static nwbz_code mem_list(nwbz_store *store, const char *prefix, nz_list_fn on_name, void *user, nwbz_error *err)
{
    NZ_TRY(nz_prefix_check(prefix, err));
    nz_buffer cursor = NZ_BUFFER_INIT(SIZE_MAX / 4), key = NZ_BUFFER_INIT(SIZE_MAX / 4);
    nwbz_code code = nz_buffer_addf(&cursor, err, "%s%s", prefix, *prefix ? "/" : "");
    if (code == NWBZ_OK)
        code = list_from(mem_of(store), &cursor, &key, on_name, user, err);
    nz_buffer_done(&cursor);
    nz_buffer_done(&key);
    return code;
}

/* ---- Writing ------------------------------------------------------------------------ */

static void mem_writer_abort(nz_writer *writer)
{
    if (!writer)
        return;
    node_free(writer->node);
    nz_buffer_done(&writer->buffer);
    nz_free(writer);
}

static nwbz_code mem_writer_open(nwbz_store *store, const char *key, nz_writer **writer, nwbz_error *err)
{
    *writer = NULL;
    NZ_TRY(nz_key_check(key, err));
    nz_writer *new = nz_malloc(sizeof *new);
    if (new)
        *new = (nz_writer){ mem_of(store), node_new(key), NZ_BUFFER_INIT(SIZE_MAX / 4) };
    if (!new || !new->node) {
        mem_writer_abort(new);
        return nz_fail_memory(err, sizeof *new + strlen(key), "a writer");
    }
    *writer = new;
    return NWBZ_OK;
}

static nwbz_code mem_writer_append(nz_writer *writer, const void *bytes, size_t n, nwbz_error *err)
{
    return nz_buffer_add(&writer->buffer, bytes, n, err);
}

static nwbz_code mem_writer_commit(nz_writer *writer, nwbz_error *err)
{
    mem_store *mem = writer->store;
    writer->node->value = value_new(&writer->buffer);
    if (!writer->node->value) {
        mem_writer_abort(writer);
        return nz_fail_memory(err, sizeof(value), "a value");
    }
    nz_lock(&mem->mutex);
    node *there = tree_find(mem->root, writer->node->key);
    if (there) {
        value *old = there->value;
        there->value = writer->node->value;
        writer->node->value = old; /* goes with the writer */
    } else {
        writer->node->priority = next_random_locked(mem);
        mem->root = tree_insert(mem->root, writer->node);
        writer->node = NULL;
    }
    mem_writer_abort(writer);
    nz_unlock(&mem->mutex);
    return NWBZ_OK;
}

static nwbz_code mem_remove(nwbz_store *store, const char *key, nwbz_error *err)
{
    NZ_TRY(nz_key_check(key, err));
    mem_store *mem = mem_of(store);
    nz_lock(&mem->mutex);
    node_free(tree_take(&mem->root, key));
    nz_unlock(&mem->mutex);
    return NWBZ_OK;
}

/* ---- The whole, and its records ------------------------------------------------------- */

static void drop_records(mem_store *mem)
{
    for (unsigned i = 0; i < NZ_N_RECORDS; i++) {
        nz_buffer_done(&mem->records[i]);
        mem->has_record[i] = false;
    }
}

static nwbz_code mem_commit(nwbz_store *store, nwbz_error *err)
{
    (void)err;
    store->staged = false;
    drop_records(mem_of(store));
    return NWBZ_OK;
}

/* Nothing of a memory store outlives the process, so that nothing can be kept. */
static void mem_abort(nwbz_store *store, bool keep)
{
    (void)keep;
    mem_store *mem = mem_of(store);
    store->staged = false;
    drop_records(mem);
    node_free(mem->root);
    mem->root = NULL;
}

static nwbz_code mem_record_get(nwbz_store *store, const char *name, nz_buffer *out, nwbz_error *err)
{
    unsigned i;
    out->n_bytes = 0;
    NZ_TRY(nz_record_check(store, name, &i, err));
    mem_store *mem = mem_of(store);
    nz_lock(&mem->mutex);
    nwbz_code code = mem->has_record[i]
                         ? nz_buffer_add(out, mem->records[i].bytes, mem->records[i].n_bytes, err)
                         : nz_fail(err, NWBZ_ENOTFOUND, "there is no record '%s' of %s", name, store->name);
    nz_unlock(&mem->mutex);
    return code;
}

/* Add to a record, or (`anew`) put it whole. */
static nwbz_code record_add(nwbz_store *store, const char *name, bool anew, const void *bytes, size_t n,
                            nwbz_error *err)
{
    unsigned i;
    NZ_TRY(nz_record_check(store, name, &i, err));
    mem_store *mem = mem_of(store);
    nz_lock(&mem->mutex);
    nz_buffer *record = &mem->records[i];
    nwbz_code code = nz_buffer_reserve(record, n, err);
    if (code == NWBZ_OK) {
        record->n_bytes = anew ? 0 : record->n_bytes;
        mem->has_record[i] = true;
        code = nz_buffer_add(record, bytes, n, err);
    }
    nz_unlock(&mem->mutex);
    return code;
}

static nwbz_code mem_record_put(nwbz_store *store, const char *name, const void *bytes, size_t n, nwbz_error *err)
{
    return record_add(store, name, true, bytes, n, err);
}

static nwbz_code mem_record_append(nwbz_store *store, const char *name, const void *bytes, size_t n, nwbz_error *err)
{
    return record_add(store, name, false, bytes, n, err);
}

static void mem_close(nwbz_store *store)
{
    mem_store *mem = mem_of(store);
    drop_records(mem);
    node_free(mem->root);
    nz_mutex_done(&mem->mutex);
    nz_free(store->name);
    nz_free(mem);
}

static const nz_store_class mem_class = {
    .get = mem_get,
    .size = mem_size,
    .writer_open = mem_writer_open,
    .writer_append = mem_writer_append,
    .writer_commit = mem_writer_commit,
    .writer_abort = mem_writer_abort,
    .list = mem_list,
    .remove = mem_remove,
    .commit = mem_commit,
    .abort = mem_abort,
    .record_get = mem_record_get,
    .record_put = mem_record_put,
    .record_append = mem_record_append,
    .close = mem_close,
};

nwbz_code nz_memory_new(nwbz_store **store, nwbz_error *err)
{
    mem_store *mem = nz_calloc(1, sizeof *mem);
    char *name = nz_strdup("memory");
    nwbz_code code = mem && name ? nz_mutex_init(&mem->mutex, err) : nz_fail_memory(err, sizeof *mem, "a store");
    if (code != NWBZ_OK) {
        nz_free(name);
        nz_free(mem);
        return code;
    }
    mem->base = (nwbz_store){ .class = &mem_class, .name = name, .staged = true, .writable = true };
    mem->random = 2463534242u;
    for (unsigned i = 0; i < NZ_N_RECORDS; i++)
        mem->records[i] = (nz_buffer)NZ_BUFFER_INIT(SIZE_MAX / 4);
    *store = &mem->base;
    return NWBZ_OK;
}
