/* Inside of a set of specifications: what spec.c makes and dims.c reads. */
#ifndef NZ_HDMF_SPEC_TYPES_H
#define NZ_HDMF_SPEC_TYPES_H

#include "hdmf/spec.h"

enum { NZ_SPEC_LEVELS = 64 }; /* of inheritance: a type that includes itself ends here */

typedef struct nz_namespace nz_namespace;

/* A type, and the namespace that defines it. */
typedef struct nz_found {
    const nz_namespace *ns;
    const nz_json *spec;
} nz_found;

/* Return the type that a specification defines, or includes; NULL: none. */
const char *nz_spec_defines(const nz_json *spec);
const char *nz_spec_includes(const nz_json *spec);

/* Find a namespace by name; NULL: not there. */
const nz_namespace *nz_specs_namespace(const nz_specs *specs, const char *name);

/* Find a type (NULL: none) in its namespace (NULL: none), then in those that it includes, in order. */
bool nz_specs_find_type(const nz_specs *specs, const nz_namespace *ns, const char *type, nz_found *out);

/* Say whether `type` is `ancestor` or inherits from it, by name. */
bool nz_specs_is_a(const nz_specs *specs, const nz_namespace *ns, const char *type, const char *ancestor);

#endif
