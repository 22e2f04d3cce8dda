/* A tree in Zarr, by HDMF's conventions.
 *
 *   nodes, parents first --each, by several threads--> value --> objects
 *                                                      attributes of the convention + its own --> document
 *                                                                                                    |
 *                                                        the root, with its copy of all, last <------+
 *
 * A node's document comes after its chunks and the root's after all, so that at no moment a document promises what is not
 * there.  Nodes do not depend on each other: any number of threads gives the same bytes.  Small values are written without
 * the engine: starting it for a dozen bytes would cost more than they do.
 */
#include "hdmf/write.h"

#include "base/memory.h"
#include "engine/each.h"
#include "hdmf/conventions.h"
#include "hdmf/small.h"
#include "zarr/array.h"

#include <string.h>

/* ---- The arrays whose samples come through the engine ------------------------------ */

static nwbz_code make_array(nz_node *node, nwbz_store *store, nwbz_error *err)
{
    nz_layout *layout = node->user;
    uint64_t shape[NWBZ_MAX_DIMS] = { 0 };
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    memcpy(shape, node->shape, node->n_dims * sizeof *shape);
    if (node->n_dims > 0 && shape[0] == NWBZ_UNKNOWN_LENGTH)
        shape[0] = 0;
    options.type = node->type;
    options.n_dims = node->n_dims;
    options.shape = shape;
    options.chunk_shape = layout->chunk_shape;
    options.shard_shape = layout->shard_shape[0] != 0 ? layout->shard_shape : NULL;
    options.codec = layout->codec;
    char *path = nz_node_path(node);
    if (path == NULL)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = nz_array_new(store, path, &options, &layout->array, err);
    nz_where(err, code, "%s:%s", store->name, path);
    nz_free(path);
    return code;
}

nwbz_code nz_hdmf_make_arrays(nz_node *root, nwbz_store *store, const nz_specs *specs, nwbz_error *err)
{
    if (root->kind == NZ_DATASET && !nz_value_is_set(&root->value))
        return make_array(root, store, err);
    for (size_t i = 0; root->kind == NZ_GROUP && i < root->n_children; i++)
        NZ_TRY(nz_hdmf_make_arrays(root->children[i], store, specs, err));
    return NWBZ_OK;
}

/* ---- One node -------------------------------------------------------------------------- */

/* What the threads share; each changes what is its own alone. */
typedef struct putting {
    const nz_hdmf_put_options *options;
    nz_documents *documents;
    const nz_node **nodes;
    size_t n, first;  /* documents from `first` on are those of the nodes */
    nz_small **small; /* of each thread */
    uint64_t *stored_bytes;
    unsigned jobs;
} putting;

static nwbz_code put_group(const nz_node *node, nz_json **document, nwbz_error *err)
{
    nz_json *attributes = NULL;
    NZ_TRY(nz_hdmf_group_attributes(node, &attributes, err));
    nwbz_code code = nz_group_meta_format(attributes, document, err);
    nz_json_free(attributes);
    return code;
}

/* The document of an array, with its shape as it is now; the array keeps the attributes. */
static nwbz_code put_array(const nz_node *node, nwbz_array *array, const nz_specs *specs, nz_json **document,
                           nwbz_error *err)
{
    nz_json *attributes = NULL;
    NZ_TRY(nz_hdmf_array_attributes(node, &array->meta, specs, &attributes, err));
    nz_json_free(array->meta.attributes);
    array->meta.attributes = attributes;
    return nz_array_meta_format(&array->meta, document, err);
}

static nwbz_code put_value(const putting *self, const nz_node *node, const char *path, unsigned job, nz_json **document,
                           nwbz_error *err)
{
    const nz_hdmf_put_options *options = self->options;
    nwbz_array *own = NULL, *array = NULL;
    if (options->array_for_value != NULL)
        NZ_TRY(options->array_for_value(node, options->user, &own, err));
    array = own;
    nwbz_code code = own == NULL ? nz_small_array(self->small[job], path, &node->value, &array, err) : NWBZ_OK;
    if (code == NWBZ_OK)
        code = nz_small_put(self->small[job], array, &node->value, &self->stored_bytes[job], err);
    if (code == NWBZ_OK)
        code = put_array(node, array, options->specs, document, err);
    nwbz_array_close(own);
    return code;
}

static nwbz_code put_samples(const nz_hdmf_put_options *options, const nz_node *node, nz_json **document,
                             nwbz_error *err)
{
    nwbz_array *array = NULL;
    if (options->array_of != NULL)
        array = options->array_of(node, options->user);
    else if (node->user != NULL)
        array = ((nz_layout *)node->user)->array;
    if (array == NULL)
        return nz_fail(err, NWBZ_EINVAL, "the dataset has neither a value nor an array");
    return put_array(node, array, options->specs, document, err);
}

static nwbz_code make_document(const putting *self, const nz_node *node, const char *path, unsigned job,
                               nz_json **document, nwbz_error *err)
{
    if (node->kind == NZ_GROUP)
        return put_group(node, document, err);
    return nz_value_is_set(&node->value) ? put_value(self, node, path, job, document, err)
                                         : put_samples(self->options, node, document, err);
}

static nwbz_code put_node(uint64_t i, unsigned job, void *user, nwbz_error *err)
{
    const putting *self = user;
    nwbz_store *store = self->options->store;
    nz_json *document = NULL;
    char *path = nz_node_path(self->nodes[i]);
    if (path == NULL)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = make_document(self, self->nodes[i], path, job, &document, err);
    if (code == NWBZ_OK)
        code = nz_documents_set_and_put(self->documents, self->first + (size_t)i, path + 1, document, store, err);
    nz_json_free(document);
    nz_where(err, code, "%s:%s", store->name, path);
    nz_free(path);
    return code;
}

/* ---- The whole tree -------------------------------------------------------------------- */

/* List groups and datasets, parents first: breadth first, by the list itself, since the depth of a tree is the file's. */
static nwbz_code list_nodes(putting *self, const nz_node *root, nwbz_error *err)
{
    size_t room = 1;
    self->nodes = nz_malloc(sizeof *self->nodes);
    if (self->nodes == NULL)
        return nz_fail_memory(err, sizeof *self->nodes, "the nodes of a tree");
    self->nodes[self->n++] = root;
    for (size_t i = 0; i < self->n; i++)
        for (size_t k = 0; self->nodes[i]->kind == NZ_GROUP && k < self->nodes[i]->n_children; k++) {
            const nz_node *child = self->nodes[i]->children[k];
            if (self->n == room) {
                const nz_node **grown = nz_realloc(self->nodes, 2 * room * sizeof *grown);
                if (grown == NULL)
                    return nz_fail_memory(err, 2 * room * sizeof *grown, "the nodes of a tree");
                self->nodes = grown;
                room *= 2;
            }
            if (child->kind != NZ_SOFT_LINK)
                self->nodes[self->n++] = child;
        }
    return NWBZ_OK;
}

static nwbz_code begin(putting *self, const nz_node *root, nwbz_error *err)
{
    const nz_hdmf_put_options *options = self->options;
    NZ_TRY(list_nodes(self, root, err));
    NZ_TRY(nz_documents_new(&self->documents, err));
    NZ_TRY(nz_documents_add_places(self->documents, self->n, &self->first, err));
    self->small = nz_calloc(self->jobs, sizeof *self->small);
    self->stored_bytes = nz_calloc(self->jobs, sizeof *self->stored_bytes);
    if (self->small == NULL || self->stored_bytes == NULL)
        return nz_fail_memory(err, self->jobs * sizeof *self->small, "the threads of a tree");
    for (unsigned i = 0; i < self->jobs; i++)
        NZ_TRY(nz_small_new(options->store, options->verify_crc, &self->small[i], err));
    return NWBZ_OK;
}

static void putting_done(putting *self)
{
    for (unsigned i = 0; self->small != NULL && i < self->jobs; i++)
        nz_small_free(self->small[i]);
    nz_free(self->small);
    nz_free(self->stored_bytes);
    nz_free(self->nodes);
    nz_documents_free(self->documents);
}

nwbz_code nz_hdmf_put_tree(const nz_node *root, nz_hdmf_put_options *options, nwbz_error *err)
{
    putting self = { .options = options, .jobs = options->number_of_jobs > 0 ? options->number_of_jobs : 1 };
    options->stored_bytes = 0;
    nwbz_code code = begin(&self, root, err);
    if (code == NWBZ_OK)
        code = nz_each(self.n, self.jobs, put_node, &self, err);
    for (unsigned i = 0; code == NWBZ_OK && i < self.jobs; i++)
        options->stored_bytes += self.stored_bytes[i];
    if (code == NWBZ_OK)
        code = nz_documents_put_root(self.documents, options->store, err);
    putting_done(&self);
    return code;
}
