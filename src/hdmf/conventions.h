/* The attributes of a node as its document has them: those of the convention, and its own. */
#ifndef NZ_HDMF_CONVENTIONS_H
#define NZ_HDMF_CONVENTIONS_H

#include "hdmf/spec.h"
#include "model/node.h"
#include "zarr/metadata.h"

/*
 * Make the attributes of a group: _LINKS (sorted by name), its own, _HDF5 (its note, shared).
 * Returns NWBZ_OK; NWBZ_EINVAL (an attribute of its own has a name of the convention); NWBZ_ELIMIT; NWBZ_ENOMEM.
 */
nwbz_code nz_hdmf_group_attributes(const nz_node *group, nz_json **attributes, nwbz_error *err);

/*
 * Make the attributes of a dataset that is stored as `meta` says: _DTYPE, _REFERENCE_FIELDS, its own, _ARRAY_DIMENSIONS (unless it has them itself),
 * _HDF5.  Returns as above.
 */
nwbz_code nz_hdmf_array_attributes(const nz_node *dataset, const nz_array_meta *meta, const nz_specs *specs,
                                   nz_json **attributes, nwbz_error *err);

#endif
