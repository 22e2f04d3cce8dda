/* Attributes in the order in which hdmf-zarr writes them: the mark of the type, what the file's own are, the names of the
 * axes; the note comes last. */
#include "hdmf/conventions.h"

#include "base/memory.h"
#include "hdmf/write.h"

#include <stdlib.h>
#include <string.h>

/* ---- Own attributes ------------------------------------------------------------------ */

static nwbz_code refuse_reserved(const char *name, nwbz_error *err)
{
    static const char *const reserved[] = {
        "_DTYPE", "_LINKS", "_REFERENCE_FIELDS", "_HDF5", "zarr_dtype", "zarr_link"
    };
    if (*name != '_' && *name != 'z')
        return NWBZ_OK;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return nz_fail(err, NWBZ_EINVAL, "an attribute cannot be named %s: the name belongs to the format", name);
    return NWBZ_OK;
}

/* .specloc is the path of the group of specifications, without the slash in front.  NULL: not that attribute, or one
 * that leads nowhere. */
static nz_json *specloc_json(const nz_node *node, const nz_attribute *attribute)
{
    const nz_value *value = &attribute->value;
    const nwbz_string *path = value->elements;
    if (node->parent != NULL || strcmp(attribute->name, ".specloc") != 0 || !value->is_reference ||
        value->n_dims != 0 || path->n_bytes == 0 || path->bytes[0] != '/')
        return NULL;
    return nz_json_new_text_n(path->bytes + 1, (size_t)path->n_bytes - 1);
}

static nwbz_code put_own(const nz_node *node, nz_json *attributes, nwbz_error *err)
{
    for (size_t i = 0; i < node->n_attributes; i++) {
        const nz_attribute *attribute = &node->attributes[i];
        NZ_TRY(refuse_reserved(attribute->name, err));
        nz_json *json = specloc_json(node, attribute);
        if (json == NULL)
            NZ_TRY(nz_hdmf_attribute_json(&attribute->value, &json, err));
        if (json != NULL)
            NZ_TRY(nz_json_put(attributes, attribute->name, json, err));
    }
    return NWBZ_OK;
}

static nwbz_code put_note(const nz_node *node, nz_json *attributes, nwbz_error *err)
{
    return node->note != NULL ? nz_json_put(attributes, "_HDF5", nz_json_share(node->note), err) : NWBZ_OK;
}

/* Put a list of texts. */
static nwbz_code put_texts(nz_json *attributes, const char *name, const char *const *texts, size_t n, nwbz_error *err)
{
    nz_json *list = nz_json_new_array();
    for (size_t i = 0; i < n; i++) {
        nwbz_code code = nz_json_push(list, nz_json_new_text(texts[i]), err);
        if (code != NWBZ_OK) {
            nz_json_free(list);
            return code;
        }
    }
    return nz_json_put(attributes, name, list, err);
}

/* ---- Groups -------------------------------------------------------------------------- */

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

static size_t count_links(const nz_node *group)
{
    size_t n = 0;
    for (size_t i = 0; i < group->n_children; i++)
        n += group->children[i]->kind == NZ_SOFT_LINK;
    return n;
}

/* Put "_LINKS": one entry per link of the group, sorted by name.  None: nothing. */
static nwbz_code put_links(const nz_node *group, nz_json *attributes, nwbz_error *err)
{
    size_t n = count_links(group), filled = 0;
    if (n == 0)
        return NWBZ_OK;
    nwbz_code code = NWBZ_OK;
    const nz_node **links = nz_calloc(n, sizeof *links);
    nz_json *list = nz_json_new_array();
    if (links == NULL || list == NULL)
        code = nz_fail_memory(err, n * sizeof *links, "links");
    for (size_t i = 0; code == NWBZ_OK && i < group->n_children; i++)
        if (group->children[i]->kind == NZ_SOFT_LINK)
            links[filled++] = group->children[i];
    if (filled > 1)
        qsort(links, filled, sizeof *links, compare_names);
    for (size_t i = 0; code == NWBZ_OK && i < filled; i++)
        code = link_entry(links[i], list, err);
    nz_free(links);
    if (code == NWBZ_OK)
        return nz_json_put(attributes, "_LINKS", list, err);
    nz_json_free(list);
    return code;
}

static nwbz_code fill_group(const nz_node *group, nz_json *attributes, nwbz_error *err)
{
    NZ_TRY(put_links(group, attributes, err));
    NZ_TRY(put_own(group, attributes, err));
    return put_note(group, attributes, err);
}

/* ---- Datasets ------------------------------------------------------------------------ */

/* Say whether the dataset holds references: of its value, or of the samples that come another way. */
static bool is_reference(const nz_node *node)
{
    return nz_value_is_set(&node->value) ? node->value.is_reference : node->is_reference;
}

static bool note_says(const nz_node *node, const char *key, const char *word)
{
    const char *text = nz_json_get_text(node->note, key);
    return text != NULL && strcmp(text, word) == 0;
}

/* Say whether a scalar reference is none that hdmf-zarr could look up when it opens the file: to nothing, or to a part. */
static bool leads_nowhere(const nz_node *node)
{
    const nz_value *value = &node->value;
    if (nz_value_is_set(value) && (value->region != NULL || ((const nwbz_string *)value->elements)->n_bytes == 0))
        return true;
    return note_says(node, "target", "none") || note_says(node, "class", "region_reference");
}

/* Return the mark of a dataset's type; NULL: it has none. */
static const char *type_mark(const nz_node *node, const nz_array_meta *meta)
{
    switch (meta->dtype.type) {
    case NWBZ_STRUCT:
    case NWBZ_RAW:
        return NULL;
    case NWBZ_UTF32:
        return "str";
    case NWBZ_STRING:
        return is_reference(node) && (meta->n_dims > 0 || !leads_nowhere(node)) ? "object_reference" : "str";
    default:
        return nwbz_type_name(meta->dtype.type);
    }
}

/* hdmf-zarr does not open a file in which a record without axes has these. */
static nwbz_code put_reference_fields(const nz_node *node, const nz_array_meta *meta, nz_json *attributes,
                                      nwbz_error *err)
{
    size_t n = 0;
    if (node->reference_fields == NULL || meta->n_dims == 0)
        return NWBZ_OK;
    while (node->reference_fields[n] != NULL)
        n++;
    return n > 0 ? put_texts(attributes, "_REFERENCE_FIELDS", (const char *const *)node->reference_fields, n, err)
                 : NWBZ_OK;
}

static nwbz_code put_dims(const nz_node *node, const nz_array_meta *meta, const nz_specs *specs, nz_json *attributes,
                          nwbz_error *err)
{
    const char *names[NWBZ_MAX_DIMS];
    unsigned n = 0;
    if (nz_node_attribute(node, "_ARRAY_DIMENSIONS") != NULL)
        return NWBZ_OK;
    nz_specs_find_dims(specs, node, meta->n_dims, meta->shape, names, &n);
    return n > 0 ? put_texts(attributes, "_ARRAY_DIMENSIONS", names, n, err) : NWBZ_OK;
}

static nwbz_code fill_array(const nz_node *node, const nz_array_meta *meta, const nz_specs *specs, nz_json *attributes,
                            nwbz_error *err)
{
    const char *mark = type_mark(node, meta);
    if (mark != NULL)
        NZ_TRY(nz_json_put(attributes, "_DTYPE", nz_json_new_text(mark), err));
    NZ_TRY(put_reference_fields(node, meta, attributes, err));
    NZ_TRY(put_own(node, attributes, err));
    NZ_TRY(put_dims(node, meta, specs, attributes, err));
    return put_note(node, attributes, err);
}

/* ---- Both ---------------------------------------------------------------------------- */

/* Hand over what was filled, or drop it. */
static nwbz_code finish(nwbz_code code, nz_json *filled, nz_json **attributes)
{
    *attributes = code == NWBZ_OK ? filled : NULL;
    if (code != NWBZ_OK)
        nz_json_free(filled);
    return code;
}

nwbz_code nz_hdmf_group_attributes(const nz_node *group, nz_json **attributes, nwbz_error *err)
{
    nz_json *made = nz_json_new_object();
    nwbz_code code = made != NULL ? fill_group(group, made, err) : nz_fail_memory(err, 64, "attributes");
    return finish(code, made, attributes);
}

nwbz_code nz_hdmf_array_attributes(const nz_node *dataset, const nz_array_meta *meta, const nz_specs *specs,
                                   nz_json **attributes, nwbz_error *err)
{
    nz_json *made = nz_json_new_object();
    nwbz_code code = made != NULL ? fill_array(dataset, meta, specs, made, err) : nz_fail_memory(err, 64, "attributes");
    return finish(code, made, attributes);
}
