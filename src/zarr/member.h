/* Members of a document: looked up with errors that name the member and show what stands there. */
#ifndef NZ_ZARR_MEMBER_H
#define NZ_ZARR_MEMBER_H

#include "base/json.h"

#include <nwbz/types.h>

/* Fail with `"member" is VALUE (cut): WHAT`; a NULL value reads "is missing". */
nwbz_code nz_member_fail(nwbz_error *err, nwbz_code code, const char *member, const nz_json *value, const char *what);

/* Read a list of n_dims unsigned integers up to INT64_MAX; *n_dims is set when `any_length`, else compared.
 * NWBZ_EFORMAT. */
nwbz_code nz_member_shape(const nz_json *value, const char *member, bool any_length, unsigned *n_dims, uint64_t *shape,
                          nwbz_error *err);

/*
 * Read an extension point: "name", or {"name", "configuration"}.  *configuration is NULL where absent or empty of
 * members. NWBZ_EFORMAT.  Zarr core specification 3.1, "extension definition".
 */
nwbz_code nz_member_named(const nz_json *value, const char *member, const char **name, const nz_json **configuration,
                          nwbz_error *err);

/* Refuse members of `object` (NULL: fine) that are not among the NULL-ended `known`: NWBZ_EUNSUPPORTED names it. */
nwbz_code nz_member_only(const nz_json *object, const char *member, const char *const *known, nwbz_error *err);

/* Make {"name": name, "configuration": configuration}; the configuration (NULL: no memory) is given away.  NULL without
 * memory. */
nz_json *nz_named_new(const char *name, nz_json *configuration);

/* Make {member: value}; `value` is given away.  NULL without memory. */
nz_json *nz_object_of(const char *member, nz_json *value);

/* Say whether the value is absent or null: what several writers put for "none". */
bool nz_member_is_none(const nz_json *value);

#endif
