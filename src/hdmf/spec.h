/* Specifications: types of NWB namespaces, resolved as far as names of axes need it (ON-DISK.md section 12, rules 1 to 5). */
#ifndef NZ_HDMF_SPEC_H
#define NZ_HDMF_SPEC_H

#include "base/json.h"
#include "model/node.h"

typedef struct nz_specs nz_specs;

/* Make an empty set; add the texts of one namespace version; both texts and parsed JSON live in it. */
nwbz_code nz_specs_new(nz_specs **specs, nwbz_error *err);
void nz_specs_free(nz_specs *specs);
nwbz_code nz_specs_add(nz_specs *specs, const char *namespace_name, const char *version, const char *source_name, const char *text, size_t n_bytes,
                       nwbz_error *err);
/* Add everything the library was built with (schema.h). */
nwbz_code nz_specs_add_builtin(nz_specs *specs, nwbz_error *err);

/*
 * Find the names of the axes of dataset `node` (its place in the tree gives the context).  *n is 0 when the specifications say nothing.
 * Ownership: names point into `specs`; the array has room for NWBZ_MAX_DIMS.
 */
nwbz_code nz_specs_find_dims(const nz_specs *specs, const nz_node *node, const char **names, unsigned *n, nwbz_error *err);

#endif
