/* Names of axes from specifications.
 *
 *   node --context--> types, most derived first, that may describe its members --member--> shape, dims --match--> names
 *
 * The chain of inheritance is walked for each dataset that asks, which gives the answer of a set with all members
 * merged and costs microseconds.  What is missing at one level is taken from the next, so "the most derived wins" is
 * "the first that says something wins".
 */
#include "hdmf/spec_types.h"

#include <string.h>

enum { NAME_ROOM = 256 };

/* What may describe the members of a group: one specification per level of inheritance, the most derived first. */
typedef struct nz_context {
    nz_found levels[NZ_SPEC_LEVELS];
    unsigned n;
    bool is_type; /* members are completed from the types they include; those of plain groups inside a type are not */
} nz_context;

typedef struct nz_axes {
    const nz_json *shape, *dims;
} nz_axes;

/* ---- Context -------------------------------------------------------------------- */

/* Copy a scalar text attribute; false when it is none, or too long for a name of a type. */
static bool node_text(const nz_node *node, const char *name, char text[NAME_ROOM])
{
    const nz_attribute *attribute = nz_node_attribute(node, name);
    if (attribute == NULL || attribute->value.type != NWBZ_STRING || attribute->value.is_reference ||
        attribute->value.n_dims != 0)
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
    return node_text(node, "namespace", name) ? nz_specs_namespace(specs, name) : NULL;
}

static void context_of_type(const nz_specs *specs, const nz_namespace *ns, const char *type, nz_context *context)
{
    nz_found found;
    context->n = 0;
    context->is_type = true;
    while (context->n < NZ_SPEC_LEVELS && nz_specs_find_type(specs, ns, type, &found)) {
        context->levels[context->n++] = found;
        ns = found.ns;
        type = nz_spec_includes(found.spec);
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
        if (member != NULL && n == 0 && nz_spec_includes(member) != NULL)
            break; /* the specification has a type there and the group has none: nothing is known */
        if (member != NULL)
            context->levels[n++] = (nz_found){ context->levels[i].ns, member };
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
    for (unsigned i = 0; i < NZ_SPEC_LEVELS && nz_specs_find_type(specs, ns, type, &found); i++) {
        axes_take(axes, found.spec);
        ns = found.ns;
        type = nz_spec_includes(found.spec);
    }
}

/* Complete a member of level `i` from the type that it includes, where the rules have it so. */
static void axes_complete(const nz_specs *specs, const nz_context *context, unsigned i, const nz_json *member,
                          nz_axes *axes)
{
    if (context->is_type && nz_spec_includes(member) != NULL)
        axes_of_type(specs, context->levels[i].ns, nz_spec_includes(member), axes);
}

/* The member of that name at level `from` or above: its own shape and dims, then those of the same member above,
 * then those of its type. */
static const nz_json *axes_of_named(const nz_specs *specs, const nz_context *context, unsigned from, const char *name,
                                    nz_axes *axes)
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
static bool axes_of_unnamed(const nz_specs *specs, const nz_context *context, const nz_namespace *ns, const char *type,
                            nz_axes *axes)
{
    for (unsigned i = 0; i < context->n; i++) {
        const nz_json *members = nz_json_get(context->levels[i].spec, "datasets");
        for (size_t k = 0; nz_json_kind_of(members) == NZ_JSON_ARRAY && k < nz_json_length(members); k++) {
            const nz_json *member = nz_json_at(members, k);
            const char *of = nz_spec_includes(member) != NULL ? nz_spec_includes(member) : nz_spec_defines(member);
            if (nz_json_get_text(member, "name") != NULL || !nz_specs_is_a(specs, ns, type, of))
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
    nz_axes axes = { NULL, NULL };
    bool typed = node_text(node, "neurodata_type", type);
    context_of_group(specs, node->parent, &context);
    const nz_json *member = axes_of_named(specs, &context, 0, node->name, &axes);
    bool member_typed = member != NULL && (nz_spec_includes(member) != NULL || nz_spec_defines(member) != NULL);
    if (member != NULL && member_typed == typed)
        return axes;
    axes = (nz_axes){ NULL, NULL };
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

void nz_specs_find_dims(const nz_specs *specs, const nz_node *node, unsigned n_dims, const uint64_t *shape,
                        const char **names, unsigned *n)
{
    unsigned n_free;
    nz_axes axes = axes_of_dataset(specs, node);
    *n = 0;
    if (axes.shape == NULL || axes.dims == NULL || nz_json_kind_of(axes.shape) != NZ_JSON_ARRAY ||
        nz_json_length(axes.shape) == 0 || nz_json_kind_of(axes.dims) != NZ_JSON_ARRAY)
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
