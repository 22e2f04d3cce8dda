/* Whether a destination is fit, before anything is made there. */
#ifndef NZ_SOURCE_DESTINATION_H
#define NZ_SOURCE_DESTINATION_H

#include "base/json.h"

/*
 * Check that `path` is neither the file of this source identity nor lies inside it, by name (symlinks followed) and
 * by file.
 * Returns NWBZ_OK (also where the source is no file), NWBZ_EINVAL naming both, NWBZ_ENOMEM.
 */
nwbz_code nz_destination_check(const char *path, const nz_json *source_identity, nwbz_error *err);

#endif
