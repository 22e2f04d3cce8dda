/* The text that stands for an object reference where elements are text (docs/ON-DISK.md section 6).
 *
 *   "/acquisition/ts"                                               an object
 *   {"source": "."}                                                 the root, which hdmf-zarr cannot look up by its path
 *   {"source": ".", "path": "/m", "region": [[[2, 5], [1, 3]]]}     a part of a dataset
 *   ""                                                              none
 */
#ifndef NZ_MODEL_REFERENCE_H
#define NZ_MODEL_REFERENCE_H

#include "base/buffer.h"

/* Append the text of a reference to `path` ("" or NULL: to none), or to the part `region` of it (JSON; NULL: all). */
nwbz_code nz_reference_text(const char *path, const char *region, nz_buffer *out, nwbz_error *err);

#endif
