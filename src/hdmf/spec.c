/* Names of axes from specifications.
 *
 *   node --context--> the types (most derived first) that may say something about its members --member--> shape, dims --match--> names
 *
 * Nothing is merged beforehand: HDMF resolves every type with all its members when a namespace is loaded, and then uses a handful.  Here the chain
 * of inheritance is walked for each dataset that asks, which gives the same answer and costs microseconds.  What is missing at one level is taken
 * from the next, so "the most derived wins" is "the first that says something wins".
 */
#include "hdmf/spec.h"

#include "base/memory.h"
#include "hdmf/schema.h"

#include <string.h>

enum {
    MAX_NAMESPACES = 256,
    MAX_LEVELS = 64, /* of inheritance: a type that includes itself ends here */
    NAME_ROOM = 256
};

typedef struct nz_spec_type {
    const char *name;
    const nz_json *spec;
} nz_spec_type;

/* One source of a namespace and the types it defines, sorted by name. */
typedef struct nz_spec_source {
    char *name;
    nz_json *json;
    nz_spec_type *types;
    size_t n_types, capacity;
} nz_spec_source;

typedef struct nz_namespace {
    char *name, *version;
    nz_json *json; /* of its own text; NULL: not added yet */
    nz_spec_source *sources;
    size_t n_sources;
} nz_namespace;

struct nz_specs {
    nz_namespace *namespaces;
    size_t n;
};

typedef struct nz_found {
    const nz_namespace *ns;
    const nz_json *spec;
} nz_found;

/* What may describe the members of a group: one specification per level of inheritance, the most derived first. */
typedef struct nz_context {
    nz_found levels[MAX_LEVELS];
    unsigned n;
    bool is_type; /* members are completed from the types they include; those of plain groups inside a type are not */
} nz_context;

typedef struct nz_axes {
    const nz_json *shape, *dims;
} nz_axes;

/* ---- Making the set --------------------------------------------------------- */

static const char *type_defined(const nz_json *spec)
{
    const char *name = nz_json_get_text(spec, "neurodata_type_def");
    return name != NULL ? name : nz_json_get_text(spec, "data_type_def");
}

static const char *type_included(const nz_json *spec)
{
    const char *name = nz_json_get_text(spec, "neurodata_type_inc");
    return name != NULL ? name : nz_json_get_text(spec, "data_type_inc");
}

/* Return where `name` stands, or would: *found says which. */
static size_t type_position(const nz_spec_source *source, const char *name, bool *found)
{
    size_t low = 0, high = source->n_types;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(source->types[middle].name, name);
        if (order == 0)
            *found = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

static nwbz_code type_add(nz_spec_source *source, const char *name, const nz_json *spec, nwbz_error *err)
{
    bool found;
    size_t at = type_position(source, name, &found);
    if (found) {
        source->types[at].spec = spec;
        return NWBZ_OK;
    }
    if (source->n_types == source->capacity) {
        size_t capacity = source->capacity == 0 ? 32 : source->capacity * 2;
        nz_spec_type *types = nz_realloc(source->types, capacity * sizeof *types);
        if (types == NULL)
            return nz_fail_memory(err, capacity * sizeof *types, "specifications");
        source->types = types;
        source->capacity = capacity;
    }
    memmove(source->types + at + 1, source->types + at, (source->n_types - at) * sizeof *source->types);
    source->types[at] = (nz_spec_type){name, spec};
    source->n_types++;
    return NWBZ_OK;
}

/* Add the types that the members of `spec` define, those inside other types too.  The depth is that of the JSON, which is bounded. */
static nwbz_code types_index(nz_spec_source *source, const nz_json *spec, nwbz_error *err)
{
    static const char *const kinds[] = {"datasets", "groups"};
    for (size_t k = 0; k < 2; k++) {
        const nz_json *members = nz_json_get(spec, kinds[k]);
        for (size_t i = 0; nz_json_kind_of(members) == NZ_JSON_ARRAY && i < nz_json_length(members); i++) {
            const nz_json *member = nz_json_at(members, i);
            const char *name = type_defined(member);
            if (name != NULL)
                NZ_TRY(type_add(source, name, member, err));
            NZ_TRY(types_index(source, member, err));
        }
    }
    return NWBZ_OK;
}

static void namespace_empty(nz_namespace *ns)
{
    for (size_t i = 0; i < ns->n_sources; i++) {
        nz_free(ns->sources[i].name);
        nz_free(ns->sources[i].types);
        nz_json_free(ns->sources[i].json);
    }
    nz_free(ns->sources);
    nz_json_free(ns->json);
    ns->json = NULL;
    ns->sources = NULL;
    ns->n_sources = 0;
}

static nz_namespace *namespace_find(const nz_specs *specs, const char *name)
{
    for (size_t i = 0; i < specs->n; i++)
        if (strcmp(specs->namespaces[i].name, name) == 0)
            return &specs->namespaces[i];
    return NULL;
}

static nwbz_code namespace_add(nz_specs *specs, const char *name, const char *version, nz_namespace **out, nwbz_error *err)
{
    if (specs->n == MAX_NAMESPACES)
        return nz_fail(err, NWBZ_ELIMIT, "more than %d namespaces of specifications", MAX_NAMESPACES);
    nz_namespace *namespaces = nz_realloc(specs->namespaces, (specs->n + 1) * sizeof *namespaces);
    if (namespaces == NULL)
        return nz_fail_memory(err, (specs->n + 1) * sizeof *namespaces, "specifications");
    specs->namespaces = namespaces;
    nz_namespace *ns = &namespaces[specs->n];
    *ns = (nz_namespace){.name = nz_strdup(name), .version = nz_strdup(version)};
    if (ns->name == NULL || ns->version == NULL) {
        nz_free(ns->name);
        nz_free(ns->version);
        return nz_fail_memory(err, strlen(name), "the name of a namespace");
    }
    specs->n++;
    *out = ns;
    return NWBZ_OK;
}

/* Find or make the namespace for this version.  *out is NULL when a later version is there. */
static nwbz_code namespace_of(nz_specs *specs, const char *name, const char *version, nz_namespace **out, nwbz_error *err)
{
    nz_namespace *ns = namespace_find(specs, name);
    if (ns == NULL)
        return namespace_add(specs, name, version, out, err);
    int order = strcmp(version, ns->version);
    *out = order < 0 ? NULL : ns;
    if (order <= 0)
        return NWBZ_OK;
    char *copy = nz_strdup(version);
    if (copy == NULL)
        return nz_fail_memory(err, strlen(version), "the version of a namespace");
    namespace_empty(ns);
    nz_free(ns->version);
    ns->version = copy;
    return NWBZ_OK;
}

/* Takes `json`, also on failure. */
static nwbz_code source_add(nz_namespace *ns, const char *name, nz_json *json, nwbz_error *err)
{
    nz_spec_source *sources = nz_realloc(ns->sources, (ns->n_sources + 1) * sizeof *sources);
    if (sources != NULL)
        ns->sources = sources;
    char *copy = nz_strdup(name);
    if (sources == NULL || copy == NULL) {
        nz_free(copy);
        nz_json_free(json);
        return nz_fail_memory(err, (ns->n_sources + 1) * sizeof *sources, "specifications");
    }
    nz_spec_source *source = &sources[ns->n_sources++];
    *source = (nz_spec_source){.name = copy, .json = json};
    return types_index(source, json, err);
}

nwbz_code nz_specs_new(nz_specs **specs, nwbz_error *err)
{
    *specs = nz_calloc(1, sizeof **specs);
    return *specs != NULL ? NWBZ_OK : nz_fail_memory(err, sizeof **specs, "specifications");
}

void nz_specs_free(nz_specs *specs)
{
    if (specs == NULL)
        return;
    for (size_t i = 0; i < specs->n; i++) {
        namespace_empty(&specs->namespaces[i]);
        nz_free(specs->namespaces[i].name);
        nz_free(specs->namespaces[i].version);
    }
    nz_free(specs->namespaces);
    nz_free(specs);
}

nwbz_code nz_specs_add(nz_specs *specs, const char *namespace_name, const char *version, const char *source_name, const char *text, size_t n_bytes,
                       nwbz_error *err)
{
    nz_namespace *ns = NULL;
    nz_json *json = NULL;
    NZ_TRY(namespace_of(specs, namespace_name, version, &ns, err));
    if (ns == NULL)
        return NWBZ_OK;
    nwbz_code code = nz_json_parse(text, n_bytes, &json, err);
    if (code == NWBZ_ENOMEM)
        return code;
    if (code != NWBZ_OK) {
        if (err != NULL)
            *err = (nwbz_error)NWBZ_ERROR_INIT;
        return NWBZ_OK;
    }
    if (strcmp(source_name, "namespace") != 0)
        return source_add(ns, source_name, json, err);
    nz_json_free(ns->json);
    ns->json = json;
    return NWBZ_OK;
}

nwbz_code nz_specs_add_builtin(nz_specs *specs, nwbz_error *err)
{
    size_t n;
    const nz_schema_text *texts = nz_schema_texts(&n);
    for (size_t i = 0; i < n; i++)
        NZ_TRY(nz_specs_add(specs, texts[i].namespace_name, texts[i].version, texts[i].name, texts[i].text, texts[i].n_bytes, err));
    return NWBZ_OK;
}

/* ---- Types -------------------------------------------------------------------- */

/* Return part `i` of the "schema" list of a namespace; NULL behind the last. */
static const nz_json *schema_part(const nz_namespace *ns, size_t i)
{
    const nz_json *list = nz_json_get(ns->json, "namespaces");
    const nz_json *first = nz_json_kind_of(list) == NZ_JSON_ARRAY && nz_json_length(list) > 0 ? nz_json_at(list, 0) : NULL;
    const nz_json *parts = first != NULL ? nz_json_get(first, "schema") : NULL;
    return parts != NULL && nz_json_kind_of(parts) == NZ_JSON_ARRAY && i < nz_json_length(parts) ? nz_json_at(parts, i) : NULL;
}

/* Find a type that the namespace itself defines; the last source that does counts. */
static const nz_json *own_type(const nz_namespace *ns, const char *type)
{
    const nz_json *spec = NULL, *part;
    for (size_t i = 0; (part = schema_part(ns, i)) != NULL; i++) {
        const char *name = nz_json_get_text(part, "source");
        for (size_t k = 0; name != NULL && k < ns->n_sources; k++) {
            bool found = false;
            size_t at = strcmp(ns->sources[k].name, name) == 0 ? type_position(&ns->sources[k], type, &found) : 0;
            if (found)
                spec = ns->sources[k].types[at].spec;
        }
    }
    return spec;
}

/* Find a type in a namespace, then in those it includes, in order.  `seen` keeps circles of namespaces from going round. */
static bool type_find_in(const nz_specs *specs, const nz_namespace *ns, const char *type, bool *seen, nz_found *out)
{
    if (ns == NULL || ns->json == NULL || seen[ns - specs->namespaces])
        return false;
    seen[ns - specs->namespaces] = true;
    *out = (nz_found){ns, own_type(ns, type)};
    if (out->spec != NULL)
        return true;
    const nz_json *part;
    for (size_t i = 0; (part = schema_part(ns, i)) != NULL; i++) {
        const char *other = nz_json_get_text(part, "namespace");
        if (other != NULL && type_find_in(specs, namespace_find(specs, other), type, seen, out))
            return true;
    }
    return false;
}

static bool type_find(const nz_specs *specs, const nz_namespace *ns, const char *type, nz_found *out)
{
    bool seen[MAX_NAMESPACES] = {false};
    return type != NULL && type_find_in(specs, ns, type, seen, out);
}

/* Say whether `type` is `ancestor` or inherits from it, by name. */
static bool type_is_a(const nz_specs *specs, const nz_namespace *ns, const char *type, const char *ancestor)
{
    for (unsigned i = 0; type != NULL && ancestor != NULL && i < MAX_LEVELS; i++) {
        nz_found found;
        if (strcmp(type, ancestor) == 0)
            return true;
        if (!type_find(specs, ns, type, &found))
            return false;
        ns = found.ns;
        type = type_included(found.spec);
    }
    return false;
}

/* ---- Context -------------------------------------------------------------------- */

/* Copy a scalar text attribute; false when it is none, or too long for a name of a type. */
static bool node_text(const nz_node *node, const char *name, char text[NAME_ROOM])
{
    const nz_attribute *attribute = nz_node_attribute(node, name);
    if (attribute == NULL || attribute->value.type != NWBZ_STRING || attribute->value.is_reference || attribute->value.n_dims != 0)
        return false;
    const nwbz_string *string = attribute->value.elements;
    if (string->n_bytes >= NAME_ROOM)
        return false;
    if (string->n_bytes > 0)
        memcpy(text, string->bytes, (size_t)string->n_bytes);
    text[string->n_bytes] = 0;
    return true;
}

/* The namespace that a node names; NULL: none that we have. */
static const nz_namespace *node_namespace(const nz_specs *specs, const nz_node *node)
{
    char name[NAME_ROOM];
    return node_text(node, "namespace", name) ? namespace_find(specs, name) : NULL;
}

static void context_of_type(const nz_specs *specs, const nz_namespace *ns, const char *type, nz_context *context)
{
    nz_found found;
    context->n = 0;
    context->is_type = true;
    while (context->n < MAX_LEVELS && type_find(specs, ns, type, &found)) {
        context->levels[context->n++] = found;
        ns = found.ns;
        type = type_included(found.spec);
    }
}

/* Return the member of that name in a "groups" or "datasets" list. */
static const nz_json *member_named(const nz_json *spec, const char *kind, const char *name)
{
    const nz_json *members = nz_json_get(spec, kind);
    for (size_t i = 0; nz_json_kind_of(members) == NZ_JSON_ARRAY && i < nz_json_length(members); i++) {
        const char *own = nz_json_get_text(nz_json_at(members, i), "name");
        if (own != NULL && strcmp(own, name) == 0)
            return nz_json_at(members, i);
    }
    return NULL;
}

/* Go from a group's context to that of its plain member group. */
static void context_narrow(nz_context *context, const char *name)
{
    unsigned n = 0;
    for (unsigned i = 0; i < context->n; i++) {
        const nz_json *member = member_named(context->levels[i].spec, "groups", name);
        if (member != NULL && n == 0 && type_included(member) != NULL)
            break; /* the specification has a type there and the group has none: nothing is known */
        if (member != NULL)
            context->levels[n++] = (nz_found){context->levels[i].ns, member};
    }
    context->n = n;
    context->is_type = false;
}

static void context_of_group(const nz_specs *specs, const nz_node *group, nz_context *context)
{
    char type[NAME_ROOM];
    context->n = 0;
    if (group == NULL)
        return;
    if (node_text(group, "neurodata_type", type)) {
        context_of_type(specs, node_namespace(specs, group), type, context);
    } else if (group->parent != NULL) {
        context_of_group(specs, group->parent, context);
        context_narrow(context, group->name);
    }
}

/* ---- Shape and dims ---------------------------------------------------------------- */

static const nz_json *present(const nz_json *json)
{
    return json != NULL && nz_json_kind_of(json) != NZ_JSON_NULL ? json : NULL;
}

/* Take what is missing yet. */
static void axes_take(nz_axes *axes, const nz_json *spec)
{
    if (axes->shape == NULL)
        axes->shape = present(nz_json_get(spec, "shape"));
    if (axes->dims == NULL)
        axes->dims = present(nz_json_get(spec, "dims"));
}

static void axes_of_type(const nz_specs *specs, const nz_namespace *ns, const char *type, nz_axes *axes)
{
    nz_found found;
    for (unsigned i = 0; i < MAX_LEVELS && type_find(specs, ns, type, &found); i++) {
        axes_take(axes, found.spec);
        ns = found.ns;
        type = type_included(found.spec);
    }
}

/* Complete a member of level `i` from the type that it includes, where the rules have it so. */
static void axes_complete(const nz_specs *specs, const nz_context *context, unsigned i, const nz_json *member, nz_axes *axes)
{
    if (context->is_type && type_included(member) != NULL)
        axes_of_type(specs, context->levels[i].ns, type_included(member), axes);
}

/* The member of that name at level `from` or above: its own shape and dims, then those of the same member above, then those of its type. */
static const nz_json *axes_of_named(const nz_specs *specs, const nz_context *context, unsigned from, const char *name, nz_axes *axes)
{
    for (unsigned i = from; i < context->n; i++) {
        const nz_json *member = member_named(context->levels[i].spec, "datasets", name);
        if (member == NULL)
            continue;
        axes_take(axes, member);
        axes_of_named(specs, context, i + 1, name, axes);
        axes_complete(specs, context, i, member, axes);
        return member;
    }
    return NULL;
}

/* The first unnamed member whose type the dataset has or inherits. */
static bool axes_of_unnamed(const nz_specs *specs, const nz_context *context, const nz_namespace *ns, const char *type, nz_axes *axes)
{
    for (unsigned i = 0; i < context->n; i++) {
        const nz_json *members = nz_json_get(context->levels[i].spec, "datasets");
        for (size_t k = 0; nz_json_kind_of(members) == NZ_JSON_ARRAY && k < nz_json_length(members); k++) {
            const nz_json *member = nz_json_at(members, k);
            const char *of = type_included(member) != NULL ? type_included(member) : type_defined(member);
            if (nz_json_get_text(member, "name") != NULL || !type_is_a(specs, ns, type, of))
                continue;
            axes_take(axes, member);
            axes_complete(specs, context, i, member, axes);
            return true;
        }
    }
    return false;
}

static nz_axes axes_of_dataset(const nz_specs *specs, const nz_node *node)
{
    char type[NAME_ROOM];
    nz_context context;
    nz_axes axes = {NULL, NULL};
    bool typed = node_text(node, "neurodata_type", type);
    context_of_group(specs, node->parent, &context);
    const nz_json *member = axes_of_named(specs, &context, 0, node->name, &axes);
    bool member_typed = member != NULL && (type_included(member) != NULL || type_defined(member) != NULL);
    if (member != NULL && member_typed == typed)
        return axes;
    axes = (nz_axes){NULL, NULL};
    if (!typed)
        return axes;
    const nz_namespace *ns = node_namespace(specs, node);
    if (!axes_of_unnamed(specs, &context, ns, type, &axes))
        axes_of_type(specs, ns, type, &axes);
    return axes;
}

/* ---- Matching ------------------------------------------------------------------------ */

/* Say whether a list of lengths (null: any) allows the shape; *n_free counts the nulls. */
static bool shape_allows(const nz_json *allowed, unsigned n_dims, const uint64_t *shape, unsigned *n_free)
{
    *n_free = 0;
    if (nz_json_kind_of(allowed) != NZ_JSON_ARRAY || nz_json_length(allowed) != n_dims)
        return false;
    for (unsigned d = 0; d < n_dims; d++) {
        uint64_t length;
        const nz_json *item = nz_json_at(allowed, d);
        if (nz_json_kind_of(item) == NZ_JSON_NULL)
            ++*n_free;
        else if (!nz_json_uint(item, &length) || length != shape[d])
            return false;
    }
    return true;
}

/* Of a list of lists: the dims of the allowed shape with the fewest free axes, the first of those. */
static const nz_json *dims_of_several(const nz_axes *axes, unsigned n_dims, const uint64_t *shape)
{
    const nz_json *best = NULL;
    unsigned best_free = 0, n_free;
    for (size_t i = 0; i < nz_json_length(axes->shape); i++) {
        if (!shape_allows(nz_json_at(axes->shape, i), n_dims, shape, &n_free) || (best != NULL && n_free >= best_free))
            continue;
        best = i < nz_json_length(axes->dims) ? nz_json_at(axes->dims, i) : NULL;
        best_free = n_free;
        if (best == NULL)
            return NULL;
    }
    return best;
}

void nz_specs_find_dims(const nz_specs *specs, const nz_node *node, unsigned n_dims, const uint64_t *shape, const char **names, unsigned *n)
{
    unsigned n_free;
    nz_axes axes = axes_of_dataset(specs, node);
    *n = 0;
    if (axes.shape == NULL || axes.dims == NULL || nz_json_kind_of(axes.shape) != NZ_JSON_ARRAY || nz_json_length(axes.shape) == 0 ||
        nz_json_kind_of(axes.dims) != NZ_JSON_ARRAY)
        return;
    const nz_json *dims = axes.dims;
    if (nz_json_kind_of(nz_json_at(axes.shape, 0)) == NZ_JSON_ARRAY)
        dims = dims_of_several(&axes, n_dims, shape);
    else if (!shape_allows(axes.shape, n_dims, shape, &n_free))
        return;
    if (dims == NULL || nz_json_kind_of(dims) != NZ_JSON_ARRAY || nz_json_length(dims) != n_dims)
        return;
    for (unsigned d = 0; d < n_dims; d++) {
        if (nz_json_kind_of(nz_json_at(dims, d)) != NZ_JSON_TEXT)
            return;
        names[d] = nz_json_text(nz_json_at(dims, d), NULL);
    }
    *n = n_dims;
}
