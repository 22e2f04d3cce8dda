/* The set of specifications: texts by namespace and source, and the types that they define.
 *
 * Nothing is merged here: HDMF resolves every type with all its members when a namespace is loaded, and then uses a
 * handful.  A type is found by its name in the types of its namespace (sorted, so by halving), then in the namespaces
 * that one includes: the axes of 100,000 datasets are asked for, and each asks for some ten types.
 *
 * Texts come in any order.  Which sources count, and which of two that define a type (the last in the namespace's list), is
 * known with the namespace's own text; types are entered when that and the source are there.
 */
#include "base/memory.h"
#include "hdmf/schema.h"
#include "hdmf/spec_types.h"

#include <string.h>

enum { MAX_NAMESPACES = 256 };

typedef struct nz_spec_type {
    const char *name;
    const nz_json *spec;
    size_t rank; /* of its source in the namespace's list */
} nz_spec_type;

typedef struct nz_spec_source {
    char *name;
    nz_json *json;
} nz_spec_source;

struct nz_namespace {
    char *name, *version;
    nz_json *json; /* of its own text; NULL: not added yet */
    nz_spec_source *sources;
    size_t n_sources;
    nz_spec_type *types; /* sorted by name */
    size_t n_types, capacity;
};

struct nz_specs {
    nz_namespace *namespaces;
    size_t n;
};

/* ---- Making the set --------------------------------------------------------- */

const char *nz_spec_defines(const nz_json *spec)
{
    const char *name = nz_json_get_text(spec, "neurodata_type_def");
    return name != NULL ? name : nz_json_get_text(spec, "data_type_def");
}

const char *nz_spec_includes(const nz_json *spec)
{
    const char *name = nz_json_get_text(spec, "neurodata_type_inc");
    return name != NULL ? name : nz_json_get_text(spec, "data_type_inc");
}

/* Return part `i` of the "schema" list of a namespace; NULL behind the last. */
static const nz_json *schema_part(const nz_namespace *ns, size_t i)
{
    const nz_json *list = nz_json_get(ns->json, "namespaces");
    const nz_json *parts = nz_json_get(nz_json_at(list, 0), "schema");
    return nz_json_at(parts, i);
}

/* Return where `name` stands, or would: *found says which. */
static size_t type_position(const nz_namespace *ns, const char *name, bool *found)
{
    size_t low = 0, high = ns->n_types;
    *found = false;
    while (low < high && !*found) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(ns->types[middle].name, name);
        if (order == 0)
            *found = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

static nwbz_code type_add(nz_namespace *ns, size_t rank, const char *name, const nz_json *spec, nwbz_error *err)
{
    bool found;
    size_t at = type_position(ns, name, &found);
    if (found) {
        if (rank >= ns->types[at].rank)
            ns->types[at] = (nz_spec_type){ name, spec, rank };
        return NWBZ_OK;
    }
    if (ns->n_types == ns->capacity) {
        size_t capacity = ns->capacity == 0 ? 32 : ns->capacity * 2;
        nz_spec_type *types = nz_realloc(ns->types, capacity * sizeof *types);
        if (types == NULL)
            return nz_fail_memory(err, capacity * sizeof *types, "specifications");
        ns->types = types;
        ns->capacity = capacity;
    }
    memmove(ns->types + at + 1, ns->types + at, (ns->n_types - at) * sizeof *ns->types);
    ns->types[at] = (nz_spec_type){ name, spec, rank };
    ns->n_types++;
    return NWBZ_OK;
}

/* Add the types that the members of `spec` define, those inside other types too.  The depth is that of the JSON,
 * which is bounded. */
static nwbz_code types_add(nz_namespace *ns, size_t rank, const nz_json *spec, nwbz_error *err)
{
    static const char *const kinds[] = { "datasets", "groups" };
    for (size_t k = 0; k < 2; k++) {
        const nz_json *members = nz_json_get(spec, kinds[k]);
        for (size_t i = 0; i < nz_json_length(members) && nz_json_kind_of(members) == NZ_JSON_ARRAY; i++) {
            const nz_json *member = nz_json_at(members, i);
            const char *name = nz_spec_defines(member);
            if (name != NULL)
                NZ_TRY(type_add(ns, rank, name, member, err));
            NZ_TRY(types_add(ns, rank, member, err));
        }
    }
    return NWBZ_OK;
}

/* Enter the types of a source, if the namespace lists it: with the rank of the last place where it does. */
static nwbz_code types_of_source(nz_namespace *ns, const nz_spec_source *source, nwbz_error *err)
{
    size_t rank = 0;
    const nz_json *part;
    bool listed = false;
    for (size_t i = 0; (part = schema_part(ns, i)) != NULL; i++) {
        const char *name = nz_json_get_text(part, "source");
        if (name != NULL && strcmp(name, source->name) == 0) {
            listed = true;
            rank = i;
        }
    }
    return listed ? types_add(ns, rank, source->json, err) : NWBZ_OK;
}

static void namespace_empty(nz_namespace *ns)
{
    for (size_t i = 0; i < ns->n_sources; i++) {
        nz_free(ns->sources[i].name);
        nz_json_free(ns->sources[i].json);
    }
    nz_free(ns->sources);
    nz_free(ns->types);
    nz_json_free(ns->json);
    ns->json = NULL;
    ns->sources = NULL;
    ns->types = NULL;
    ns->n_sources = ns->n_types = ns->capacity = 0;
}

static nz_namespace *namespace_find(const nz_specs *specs, const char *name)
{
    for (size_t i = 0; i < specs->n; i++)
        if (strcmp(specs->namespaces[i].name, name) == 0)
            return &specs->namespaces[i];
    return NULL;
}

const nz_namespace *nz_specs_namespace(const nz_specs *specs, const char *name)
{
    return namespace_find(specs, name);
}

static nwbz_code namespace_add(nz_specs *specs, const char *name, const char *version, nz_namespace **out,
                               nwbz_error *err)
{
    if (specs->n == MAX_NAMESPACES)
        return nz_fail(err, NWBZ_ELIMIT, "more than %d namespaces of specifications", MAX_NAMESPACES);
    nz_namespace *namespaces = nz_realloc(specs->namespaces, (specs->n + 1) * sizeof *namespaces);
    if (namespaces == NULL)
        return nz_fail_memory(err, (specs->n + 1) * sizeof *namespaces, "specifications");
    specs->namespaces = namespaces;
    nz_namespace *ns = &namespaces[specs->n];
    *ns = (nz_namespace){ .name = nz_strdup(name), .version = nz_strdup(version) };
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
static nwbz_code namespace_of(nz_specs *specs, const char *name, const char *version, nz_namespace **out,
                              nwbz_error *err)
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
    *source = (nz_spec_source){ .name = copy, .json = json };
    return types_of_source(ns, source, err);
}

/* Takes `json`.  Types are entered anew: which sources count may have changed. */
static nwbz_code namespace_text(nz_namespace *ns, nz_json *json, nwbz_error *err)
{
    nz_json_free(ns->json);
    ns->json = json;
    ns->n_types = 0;
    for (size_t i = 0; i < ns->n_sources; i++)
        NZ_TRY(types_of_source(ns, &ns->sources[i], err));
    return NWBZ_OK;
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

nwbz_code nz_specs_add(nz_specs *specs, const char *namespace_name, const char *version, const char *source_name,
                       const char *text, size_t n_bytes, nwbz_error *err)
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
    return strcmp(source_name, "namespace") == 0 ? namespace_text(ns, json, err)
                                                 : source_add(ns, source_name, json, err);
}

nwbz_code nz_specs_add_builtin(nz_specs *specs, nwbz_error *err)
{
    size_t n;
    const nz_schema_text *texts = nz_schema_texts(&n);
    for (size_t i = 0; i < n; i++)
        NZ_TRY(nz_specs_add(specs, texts[i].namespace_name, texts[i].version, texts[i].name, texts[i].text,
                            texts[i].n_bytes, err));
    return NWBZ_OK;
}

/* ---- Types -------------------------------------------------------------------- */

/* Find a type that the namespace itself defines. */
static const nz_json *own_type(const nz_namespace *ns, const char *type)
{
    bool found;
    size_t at = type_position(ns, type, &found);
    return found ? ns->types[at].spec : NULL;
}

/* Find a type in a namespace, then in those it includes, in order.  `seen` keeps circles of namespaces from going
 * round. */
static bool type_find_in(const nz_specs *specs, const nz_namespace *ns, const char *type, bool *seen, nz_found *out)
{
    if (ns == NULL || ns->json == NULL || seen[ns - specs->namespaces])
        return false;
    seen[ns - specs->namespaces] = true;
    *out = (nz_found){ ns, own_type(ns, type) };
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

bool nz_specs_find_type(const nz_specs *specs, const nz_namespace *ns, const char *type, nz_found *out)
{
    bool seen[MAX_NAMESPACES] = { false };
    return type != NULL && type_find_in(specs, ns, type, seen, out);
}

bool nz_specs_is_a(const nz_specs *specs, const nz_namespace *ns, const char *type, const char *ancestor)
{
    for (unsigned i = 0; type != NULL && ancestor != NULL && i < NZ_SPEC_LEVELS; i++) {
        nz_found found;
        if (strcmp(type, ancestor) == 0)
            return true;
        if (!nz_specs_find_type(specs, ns, type, &found))
            return false;
        ns = found.ns;
        type = nz_spec_includes(found.spec);
    }
    return false;
}
