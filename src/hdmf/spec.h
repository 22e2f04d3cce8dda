/* Specifications: types of NWB namespaces, resolved as far as names of axes need it (ON-DISK.md section 12, rules 1
 * to 5). */
#ifndef NZ_HDMF_SPEC_H
#define NZ_HDMF_SPEC_H

#include "base/json.h"
#include "model/node.h"

typedef struct nz_specs nz_specs;

/* Make an empty set; free it. */
nwbz_code nz_specs_new(nz_specs **specs, nwbz_error *err);
void nz_specs_free(nz_specs *specs);

/*
 * Add one text of a namespace: "namespace" itself, or a source that it names.  Of several versions the last name in
 * byte order counts, whatever the order of adding.  A text that is no JSON says nothing, as for HDMF.
 *
 * Ownership: everything is copied.
 * Returns NWBZ_OK, NWBZ_ELIMIT (more than 256 namespaces), NWBZ_ENOMEM.
 */
nwbz_code nz_specs_add(nz_specs *specs, const char *namespace_name, const char *version, const char *source_name,
                       const char *text, size_t n_bytes, nwbz_error *err);

/* Add everything the library was built with (schema.h). */
nwbz_code nz_specs_add_builtin(nz_specs *specs, nwbz_error *err);

/*
 * Find the names of the axes of dataset `node`, whose place in the tree gives the context, for the shape that it has
 * (`n_dims` and `shape`: beside the node, since a length may become known later).  *n is 0 when the specifications
 * say nothing, else n_dims.
 *
 * Ownership: names point into `specs`; the array has room for NWBZ_MAX_DIMS.
 * Threads:   any number, once everything is added.
 */
void nz_specs_find_dims(const nz_specs *specs, const nz_node *node, unsigned n_dims, const uint64_t *shape,
                        const char **names, unsigned *n);

#endif
