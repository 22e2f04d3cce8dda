/* The tree.  Lists grow by doubling, their capacity being the next power of two; a group with many children also has
 * a hash table of their names (open addressing, at most half full), since files with 100,000 objects in one group
 * exist. */
#include "model/node.h"

#include "base/memory.h"

#include <string.h>

enum { FIRST_INDEXED = 16 }; /* fewer children are found as fast by looking at each */

struct nz_node_index {
    size_t n_slots; /* a power of two */
    nz_node *slots[];
};

/* Make room for one more in a list of `n`: its capacity is n rounded up to a power of two. */
static bool grow(void **list, size_t n, size_t element_bytes)
{
    if (n & (n - 1))
        return true;
    size_t capacity = n ? 2 * n : 1;
    if (capacity > SIZE_MAX / element_bytes)
        return false;
    void *larger = nz_realloc(*list, capacity * element_bytes);
    if (!larger)
        return false;
    *list = larger;
    return true;
}

/* ---- Index of names ------------------------------------------------------------- */

/* FNV-1a. */
static size_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* Return the slot that holds `name`, or the free one where it belongs. */
static nz_node **find_slot(nz_node_index *index, const char *name)
{
    size_t at = hash_name(name) & (index->n_slots - 1);
    while (index->slots[at] && strcmp(index->slots[at]->name, name) != 0)
        at = (at + 1) & (index->n_slots - 1);
    return &index->slots[at];
}

/* Make the index large enough for one more child; false without memory. */
static bool grow_index(nz_node *group)
{
    size_t n = group->n_children + 1, n_slots = 4 * FIRST_INDEXED;
    if (n < FIRST_INDEXED || (group->index && group->index->n_slots >= 2 * n))
        return true;
    while (n_slots < 4 * n)
        n_slots *= 2;
    nz_node_index *index = nz_calloc(1, sizeof *index + n_slots * sizeof(nz_node *));
    if (!index)
        return false;
    index->n_slots = n_slots;
    for (size_t i = 0; i < group->n_children; i++)
        *find_slot(index, group->children[i]->name) = group->children[i];
    nz_free(group->index);
    group->index = index;
    return true;
}

/* ---- Make ---------------------------------------------------------------------------- */

static nz_node *new_node(nz_node_kind kind, const char *name)
{
    nz_node *node = nz_calloc(1, sizeof *node);
    if (node && !(node->name = nz_strdup(name))) {
        nz_free(node);
        node = NULL;
    }
    if (node)
        node->kind = kind;
    return node;
}

nwbz_code nz_node_new_root(nz_node **root, nwbz_error *err)
{
    *root = new_node(NZ_GROUP, "");
    return *root ? NWBZ_OK : nz_fail_memory(err, sizeof **root, "a tree");
}

static nwbz_code add_child(nz_node *group, nz_node_kind kind, const char *name, nz_node **child, nwbz_error *err)
{
    *child = NULL;
    if (group->kind != NZ_GROUP)
        return nz_fail(err, NWBZ_EINVAL, "'%s' cannot be added to '%s', which is no group", name, group->name);
    if (!*name || strchr(name, '/'))
        return nz_fail(err, NWBZ_EINVAL, "'%s' is no name: it is empty or has a slash", name);
    if (nz_node_child(group, name))
        return nz_fail(err, NWBZ_EEXIST, "the group '%s' has a '%s' already", group->name, name);
    nz_node *node = NULL;
    void *children = group->children;
    bool has_room = grow(&children, group->n_children, sizeof *group->children);
    group->children = children;
    if (!has_room || !grow_index(group) || !(node = new_node(kind, name)))
        return nz_fail_memory(err, sizeof *node, "a node of the tree");
    node->parent = group;
    group->children[group->n_children++] = node;
    if (group->index)
        *find_slot(group->index, name) = node;
    *child = node;
    return NWBZ_OK;
}

nwbz_code nz_node_add_group(nz_node *group, const char *name, nz_node **child, nwbz_error *err)
{
    nz_node *node;
    nwbz_code code = add_child(group, NZ_GROUP, name, &node, err);
    if (child)
        *child = node;
    return code;
}

nwbz_code nz_node_add_dataset(nz_node *group, const char *name, nz_value *value, nz_node **child, nwbz_error *err)
{
    nz_node *node;
    nwbz_code code = add_child(group, NZ_DATASET, name, &node, err);
    if (code == NWBZ_OK) {
        node->value = *value;
        node->type = value->type;
        node->n_dims = value->n_dims;
        memcpy(node->shape, value->shape, sizeof node->shape);
        *value = (nz_value)NZ_VALUE_INIT;
    }
    nz_value_done(value);
    if (child)
        *child = node;
    return code;
}

nwbz_code nz_node_add_samples(nz_node *group, const char *name, nwbz_type type, unsigned n_dims, const uint64_t *shape,
                              nz_node **child, nwbz_error *err)
{
    nz_node *node = NULL;
    if (child)
        *child = NULL;
    if (nwbz_type_size(type) == 0 || n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "no samples of type %d with %u axes: at most %d", (int)type, n_dims,
                       NWBZ_MAX_DIMS);
    NZ_TRY(add_child(group, NZ_DATASET, name, &node, err));
    node->type = type;
    node->n_dims = n_dims;
    if (n_dims)
        memcpy(node->shape, shape, n_dims * sizeof *shape);
    if (child)
        *child = node;
    return NWBZ_OK;
}

nwbz_code nz_node_add_link(nz_node *group, const char *name, const char *target, nwbz_error *err)
{
    nz_node *node;
    char *copy = nz_strdup(target);
    if (!copy)
        return nz_fail_memory(err, strlen(target), "a link");
    nwbz_code code = add_child(group, NZ_SOFT_LINK, name, &node, err);
    if (code == NWBZ_OK)
        node->target = copy;
    else
        nz_free(copy);
    return code;
}

/* ---- Attributes ----------------------------------------------------------------------- */

nwbz_code nz_node_add_attribute(nz_node *node, const char *name, nz_value *value, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    void *attributes = node->attributes;
    char *copy = NULL;
    if (nz_node_attribute(node, name))
        code = nz_fail(err, NWBZ_EEXIST, "'%s' has an attribute '%s' already", node->name, name);
    else if (!grow(&attributes, node->n_attributes, sizeof *node->attributes) || !(copy = nz_strdup(name)))
        code = nz_fail_memory(err, sizeof *node->attributes, "an attribute");
    node->attributes = attributes;
    if (code == NWBZ_OK) {
        node->attributes[node->n_attributes++] = (nz_attribute){ copy, *value };
        *value = (nz_value)NZ_VALUE_INIT;
    }
    nz_value_done(value);
    return code;
}

nwbz_code nz_node_add_text(nz_node *node, const char *name, const char *text, nwbz_error *err)
{
    nz_value value;
    NZ_TRY(nz_value_set_text(&value, text, err));
    return nz_node_add_attribute(node, name, &value, err);
}

nwbz_code nz_node_add_double(nz_node *node, const char *name, double number, nwbz_error *err)
{
    nz_value value;
    NZ_TRY(nz_value_set_double(&value, number, err));
    return nz_node_add_attribute(node, name, &value, err);
}

nwbz_code nz_node_add_int(nz_node *node, const char *name, int64_t number, nwbz_error *err)
{
    nz_value value;
    NZ_TRY(nz_value_set_int(&value, number, err));
    return nz_node_add_attribute(node, name, &value, err);
}

/* ---- Find ------------------------------------------------------------------------------- */

nz_node *nz_node_child(const nz_node *group, const char *name)
{
    if (group->index)
        return *find_slot(group->index, name);
    for (size_t i = 0; i < group->n_children; i++)
        if (strcmp(group->children[i]->name, name) == 0)
            return group->children[i];
    return NULL;
}

const nz_attribute *nz_node_attribute(const nz_node *node, const char *name)
{
    for (size_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attributes[i].name, name) == 0)
            return &node->attributes[i];
    return NULL;
}

char *nz_node_path(const nz_node *node)
{
    size_t n = 0;
    for (const nz_node *at = node; at->parent; at = at->parent)
        n += 1 + strlen(at->name);
    char *path = nz_malloc(n + 2);
    if (!path)
        return NULL;
    path[n] = 0;
    for (const nz_node *at = node; at->parent; at = at->parent) {
        size_t length = strlen(at->name);
        n -= length;
        memcpy(path + n, at->name, length);
        path[--n] = '/';
    }
    if (!node->parent)
        memcpy(path, "/", 2);
    return path;
}

/* Leaves first, without recursion: the depth of a tree is the file's. */
void nz_node_free(nz_node *node)
{
    nz_node *stop = node ? node->parent : NULL;
    while (node && node != stop) {
        if (node->n_children > 0) {
            node = node->children[--node->n_children];
            continue;
        }
        nz_node *parent = node->parent;
        for (size_t i = 0; i < node->n_attributes; i++) {
            nz_free(node->attributes[i].name);
            nz_value_done(&node->attributes[i].value);
        }
        nz_free(node->attributes);
        nz_free(node->children);
        nz_free(node->index);
        nz_value_done(&node->value);
        nz_free(node->name);
        nz_free(node->target);
        nz_json_free(node->note);
        for (char **field = node->reference_fields; field && *field; field++)
            nz_free(*field);
        nz_free(node->reference_fields);
        nz_free(node);
        node = parent;
    }
}
