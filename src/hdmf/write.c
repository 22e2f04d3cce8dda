/* A tree in Zarr, by HDMF's conventions.
 *
 *   node --> attributes of the convention + its own --> document --+
 *   small value --> pieces, one object after the other ------------+--> documents, the root with its copy of all last
 *
 * Chunks go first and documents last, so that at no moment a document promises what is not there.  Small values are
 * written by one thread and without the engine: starting it for a dozen bytes would cost more than they do.
 */
#include "hdmf/write.h"

#include "base/memory.h"
#include "model/dtype.h"
#include "target/target.h"
#include "zarr/array.h"

#include <stdlib.h>
#include <string.h>

static bool has_value(const nz_node *node)
{
    return node->value.type != NWBZ_TYPE_NONE;
}

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
    if (root->kind == NZ_DATASET && !has_value(root))
        return make_array(root, store, err);
    for (size_t i = 0; root->kind == NZ_GROUP && i < root->n_children; i++)
        NZ_TRY(nz_hdmf_make_arrays(root->children[i], store, specs, err));
    return NWBZ_OK;
}

/* ---- Attributes ---------------------------------------------------------------------- */

static nwbz_code put_own_attributes(const nz_node *node, nz_json *attributes, nwbz_error *err)
{
    for (size_t i = 0; i < node->n_attributes; i++) {
        nz_json *json = NULL;
        NZ_TRY(nz_hdmf_attribute_json(&node->attributes[i].value, &json, err));
        if (json != NULL)
            NZ_TRY(nz_json_put(attributes, node->attributes[i].name, json, err));
    }
    return NWBZ_OK;
}

static int compare_names(const void *a, const void *b)
{
    const nz_node *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static nwbz_code link_entry(const nz_node *link, nz_json *list, nwbz_error *err)
{
    nz_json *entry = nz_json_new_object();
    nwbz_code code = nz_json_put(entry, "source", nz_json_new_text("."), err);
    if (code == NWBZ_OK)
        code = nz_json_put(entry, "path", nz_json_new_text(link->target), err);
    if (code == NWBZ_OK)
        code = nz_json_put(entry, "name", nz_json_new_text(link->name), err);
    if (code != NWBZ_OK) {
        nz_json_free(entry);
        return code;
    }
    return nz_json_push(list, entry, err);
}

/* Put "_LINKS": one entry per link of the group, sorted by name.  None: nothing. */
static nwbz_code put_links(const nz_node *group, nz_json *attributes, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    size_t n = 0;
    const nz_node **links = nz_calloc(group->n_children + 1, sizeof *links);
    nz_json *list = nz_json_new_array();
    if (links == NULL || list == NULL)
        code = nz_fail_memory(err, group->n_children * sizeof *links, "links");
    for (size_t i = 0; code == NWBZ_OK && i < group->n_children; i++)
        if (group->children[i]->kind == NZ_SOFT_LINK)
            links[n++] = group->children[i];
    if (n > 1)
        qsort(links, n, sizeof *links, compare_names);
    for (size_t i = 0; code == NWBZ_OK && i < n; i++)
        code = link_entry(links[i], list, err);
    if (code == NWBZ_OK && n > 0) {
        code = nz_json_put(attributes, "_LINKS", list, err);
        list = NULL;
    }
    nz_json_free(list);
    nz_free(links);
    return code;
}

/* A scalar reference is looked up when the file is opened, so one that leads nowhere must not say that it is one. */
static const char *dtype_mark(const nz_node *node, nwbz_type type)
{
    const nz_value *value = &node->value;
    if (type != NWBZ_STRING)
        return nwbz_type_name(type);
    if (!value->is_reference)
        return "str";
    return value->n_dims == 0 && ((const nwbz_string *)value->elements)->n_bytes == 0 ? "str" : "object_reference";
}

static nwbz_code put_dims(const nz_node *node, const nz_array_meta *meta, const nz_specs *specs, nz_json *attributes,
                          nwbz_error *err)
{
    const char *names[NWBZ_MAX_DIMS];
    unsigned n = 0;
    if (nz_node_attribute(node, "_ARRAY_DIMENSIONS") != NULL)
        return NWBZ_OK;
    nz_specs_find_dims(specs, node, meta->n_dims, meta->shape, names, &n);
    if (n == 0)
        return NWBZ_OK;
    nz_json *list = nz_json_new_array();
    for (unsigned d = 0; d < n; d++) {
        nwbz_code code = nz_json_push(list, nz_json_new_text(names[d]), err);
        if (code != NWBZ_OK) {
            nz_json_free(list);
            return code;
        }
    }
    return nz_json_put(attributes, "_ARRAY_DIMENSIONS", list, err);
}

/* ---- Documents -------------------------------------------------------------------------- */

/* Make the key of a node ("" for the root) and add its document. */
static nwbz_code add_document(const nz_node *node, nz_documents *documents, nz_json *document, nwbz_error *err)
{
    char *path = nz_node_path(node);
    if (path == NULL) {
        nz_json_free(document);
        return nz_fail_memory(err, 256, "a path");
    }
    nwbz_code code = nz_documents_add(documents, path + 1, document, err);
    nz_free(path);
    return code;
}

static nwbz_code put_group(const nz_node *node, nz_documents *documents, nwbz_error *err)
{
    nz_json *document = NULL, *attributes = nz_json_new_object();
    nwbz_code code = attributes != NULL ? put_links(node, attributes, err) : nz_fail_memory(err, 64, "attributes");
    if (code == NWBZ_OK)
        code = put_own_attributes(node, attributes, err);
    if (code == NWBZ_OK)
        code = nz_group_meta_format(attributes, &document, err);
    nz_json_free(attributes);
    return code == NWBZ_OK ? add_document(node, documents, document, err) : code;
}

/* The document of an array, with its shape as it is now; the array keeps the attributes. */
static nwbz_code put_array(const nz_node *node, nwbz_array *array, const nz_specs *specs, nz_documents *documents,
                           nwbz_error *err)
{
    nz_json *document = NULL, *attributes = nz_json_new_object();
    nwbz_code code = nz_json_put(attributes, "_DTYPE", nz_json_new_text(dtype_mark(node, array->meta.dtype.type)), err);
    if (code == NWBZ_OK)
        code = put_own_attributes(node, attributes, err);
    if (code == NWBZ_OK)
        code = put_dims(node, &array->meta, specs, attributes, err);
    if (code != NWBZ_OK) {
        nz_json_free(attributes);
        return code;
    }
    nz_json_free(array->meta.attributes);
    array->meta.attributes = attributes;
    NZ_TRY(nz_array_meta_format(&array->meta, &document, err));
    return add_document(node, documents, document, err);
}

/* ---- Small values ---------------------------------------------------------------------- */

/* What one small value needs on its way: its target, a worker of it, room for a piece and for a piece encoded. */
typedef struct nz_small {
    nz_target *target;
    void *worker;
    void *piece, *encoded;
    nz_target_object *object;
} nz_small;

static nwbz_code small_begin(nwbz_array *array, nz_small *small, nwbz_error *err)
{
    NZ_TRY(nz_target_of_array(array, false, &small->target, err));
    const nz_target_info *info = &small->target->info;
    if (small->target->class->worker_new != NULL)
        NZ_TRY(small->target->class->worker_new(small->target, &small->worker, err));
    small->piece = nz_malloc((size_t)info->piece_bytes);
    small->encoded = nz_malloc((size_t)info->piece_bound_bytes);
    if (small->piece == NULL || small->encoded == NULL)
        return nz_fail_memory(err, (size_t)(info->piece_bytes + info->piece_bound_bytes), "a chunk");
    return NWBZ_OK;
}

static void small_done(nz_small *small)
{
    if (small->object != NULL)
        small->target->class->object_abort(small->object);
    if (small->worker != NULL && small->target->class->worker_free != NULL)
        small->target->class->worker_free(small->worker);
    if (small->target != NULL)
        small->target->class->free(small->target);
    nz_free(small->piece);
    nz_free(small->encoded);
}

/* Write the object (one piece: small values have no shards) at `index`. */
static nwbz_code small_put(nz_small *small, const nz_value *value, const uint64_t *index, nwbz_error *err)
{
    const nz_target_info *info = &small->target->info;
    const nz_target_class *class = small->target->class;
    size_t element_bytes = nwbz_type_size(info->type), n_encoded = 0;
    uint64_t n_bytes;
    uint32_t crc;
    nz_box cell, part, whole;
    nz_box_of_shape(&whole, value->n_dims, value->shape);
    nz_box_of_cell(&part, value->n_dims, value->shape, info->piece_shape, index);
    cell = part;
    memcpy(cell.shape, info->piece_shape, value->n_dims * sizeof *cell.shape);
    nz_elements_set(small->piece, info->fill_element, element_bytes, nz_box_count(&cell));
    nz_box_copy(&part, value->elements, &whole, small->piece, &cell, element_bytes);
    NZ_TRY(class->encode_piece(small->target, small->worker, index, small->piece, small->encoded,
                               (size_t)info->piece_bound_bytes, &n_encoded, err));
    NZ_TRY(class->object_begin(small->target, index, &small->object, err));
    if (n_encoded > 0)
        NZ_TRY(class->object_add(small->object, 0, small->encoded, n_encoded, err));
    nz_target_object *object = small->object;
    small->object = NULL;
    return class->object_finish(object, &n_bytes, &crc, err);
}

static nwbz_code put_numbers(nwbz_array *array, const nz_value *value, nwbz_error *err)
{
    nz_small small = { NULL, NULL, NULL, NULL, NULL };
    uint64_t counts[NWBZ_MAX_DIMS], index[NWBZ_MAX_DIMS] = { 0 }, n = 1;
    for (unsigned d = 0; d < value->n_dims; d++) {
        counts[d] = value->shape[d] == 0 ? 0 : (value->shape[d] - 1) / array->meta.object_shape[d] + 1;
        n *= counts[d]; /* no more objects than elements in memory */
    }
    nwbz_code code = small_begin(array, &small, err);
    for (uint64_t i = 0; code == NWBZ_OK && i < n; i++) {
        nz_index_of(i, value->n_dims, counts, index);
        code = small_put(&small, value, index, err);
    }
    small_done(&small);
    return code;
}

/* References in arrays: the path, but for the root, which hdmf-zarr cannot look up by its path. */
static nwbz_code put_references(nwbz_array *array, const nz_value *value, nwbz_error *err)
{
    static const char root_reference[] = "{\"source\": \".\"}";
    uint64_t n = nz_value_count(value);
    nwbz_string *texts = nz_calloc((size_t)n, sizeof *texts);
    if (texts == NULL)
        return nz_fail_memory(err, (size_t)n * sizeof *texts, "references");
    for (uint64_t i = 0; i < n; i++) {
        texts[i] = ((const nwbz_string *)value->elements)[i];
        if (texts[i].n_bytes == 1 && texts[i].bytes[0] == '/')
            texts[i] = (nwbz_string){ root_reference, sizeof root_reference - 1 };
    }
    nwbz_code code = nwbz_array_write_strings(array, texts, err);
    nz_free(texts);
    return code;
}

static nwbz_code put_value(const nz_node *node, nwbz_store *store, const nz_specs *specs, nz_documents *documents,
                           nwbz_error *err)
{
    const nz_value *value = &node->value;
    nwbz_array *array = NULL;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = value->type;
    options.n_dims = value->n_dims;
    options.shape = value->shape;
    char *path = nz_node_path(node);
    if (path == NULL)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = nz_array_new(store, path, &options, &array, err);
    if (code == NWBZ_OK && value->type != NWBZ_STRING)
        code = put_numbers(array, value, err);
    else if (code == NWBZ_OK)
        code = value->is_reference ? put_references(array, value, err)
                                   : nwbz_array_write_strings(array, value->elements, err);
    if (code == NWBZ_OK)
        code = put_array(node, array, specs, documents, err);
    nz_where(err, code, "%s:%s", store->name, path);
    nwbz_array_close(array);
    nz_free(path);
    return code;
}

/* ---- The whole tree ------------------------------------------------------------------------ */

static nwbz_code put_node(const nz_node *node, nwbz_store *store, const nz_specs *specs, nz_documents *documents,
                          nwbz_error *err)
{
    if (node->kind == NZ_SOFT_LINK)
        return NWBZ_OK;
    if (node->kind == NZ_DATASET && has_value(node))
        return put_value(node, store, specs, documents, err);
    if (node->kind == NZ_DATASET)
        return put_array(node, ((nz_layout *)node->user)->array, specs, documents, err);
    NZ_TRY(put_group(node, documents, err));
    for (size_t i = 0; i < node->n_children; i++)
        NZ_TRY(put_node(node->children[i], store, specs, documents, err));
    return NWBZ_OK;
}

nwbz_code nz_hdmf_put_tree(const nz_node *root, nz_hdmf_put_options *options, nwbz_error *err)
{
    nz_documents *documents = NULL;
    NZ_TRY(nz_documents_new(&documents, err));
    nwbz_code code = put_node(root, options->store, options->specs, documents, err);
    if (code == NWBZ_OK)
        code = nz_documents_put(documents, options->store, err);
    nz_documents_free(documents);
    return code;
}
