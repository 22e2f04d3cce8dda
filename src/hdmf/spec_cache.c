/* The specifications that a file carries: /specifications/NAMESPACE/VERSION/SOURCE, texts.
 *
 * Only the version that counts is read: files that were appended to carry many, of half a megabyte each.
 */
#include "base/memory.h"
#include "hdmf/write.h"

#include <string.h>

typedef struct reading {
    nz_hdmf_text_fn fetch;
    void *user;
    nz_specs *specs;
} reading;

static const nz_node *root_of(const nz_node *node)
{
    while (node->parent != NULL)
        node = node->parent;
    return node;
}

/* Return what a link leads to (paths of links go through no other link); NULL: nothing. */
static const nz_node *follow(const nz_node *link, nwbz_error *err, nwbz_code *code)
{
    const nz_node *at = root_of(link);
    char *path = nz_strdup(link->target), *rest = path;
    *code = path != NULL ? NWBZ_OK : nz_fail_memory(err, strlen(link->target), "a path");
    while (rest != NULL && at != NULL) {
        char *slash = strchr(rest, '/'), *name = rest;
        if (slash != NULL)
            *slash = 0;
        rest = slash != NULL ? slash + 1 : NULL;
        if (*name != 0)
            at = at->kind == NZ_GROUP ? nz_node_child(at, name) : NULL;
    }
    nz_free(path);
    return at;
}

/* Return the node, or what it leads to where it is a link; NULL: nothing of that kind. */
static const nz_node *resolve(const nz_node *node, nz_node_kind kind, nwbz_error *err, nwbz_code *code)
{
    *code = NWBZ_OK;
    if (node->kind == NZ_SOFT_LINK)
        node = follow(node, err, code);
    return node != NULL && node->kind == kind ? node : NULL;
}

static bool is_one_text(const nz_node *node)
{
    return node->type == NWBZ_STRING && node->n_dims == 0 && !node->is_reference && !node->value.is_reference;
}

static nwbz_code add_source(const reading *self, const char *ns, const char *version, const char *source,
                            const nz_node *dataset, nwbz_error *err)
{
    char *fetched = NULL;
    size_t n_bytes = 0;
    if (nz_value_is_set(&dataset->value)) {
        const nwbz_string *text = dataset->value.elements;
        return nz_specs_add(self->specs, ns, version, source, text->bytes, (size_t)text->n_bytes, err);
    }
    if (self->fetch == NULL)
        return nz_fail(err, NWBZ_EINVAL, "the specification '%s' of %s %s has no value", source, ns, version);
    nwbz_code code = self->fetch(dataset, self->user, &fetched, &n_bytes, err);
    if (code == NWBZ_OK)
        code = nz_specs_add(self->specs, ns, version, source, fetched, n_bytes, err);
    nz_free(fetched);
    return code;
}

static nwbz_code add_version(const reading *self, const char *ns, const nz_node *entry, nwbz_error *err)
{
    nwbz_code code;
    const nz_node *version = resolve(entry, NZ_GROUP, err, &code);
    for (size_t i = 0; version != NULL && code == NWBZ_OK && i < version->n_children; i++) {
        const nz_node *child = version->children[i], *dataset = resolve(child, NZ_DATASET, err, &code);
        if (dataset != NULL && is_one_text(dataset))
            code = add_source(self, ns, entry->name, child->name, dataset, err);
    }
    return code;
}

static nwbz_code add_namespace(const reading *self, const nz_node *entry, nwbz_error *err)
{
    nwbz_code code;
    const nz_node *ns = resolve(entry, NZ_GROUP, err, &code), *last = NULL;
    for (size_t i = 0; ns != NULL && i < ns->n_children; i++)
        if (last == NULL || strcmp(ns->children[i]->name, last->name) > 0)
            last = ns->children[i];
    return last != NULL ? add_version(self, entry->name, last, err) : code;
}

nwbz_code nz_hdmf_specs_of_tree(const nz_node *group, nz_hdmf_text_fn fetch, void *user, nz_specs *specs,
                                nwbz_error *err)
{
    reading self = { fetch, user, specs };
    for (size_t i = 0; i < group->n_children; i++)
        NZ_TRY(add_namespace(&self, group->children[i], err));
    return NWBZ_OK;
}
