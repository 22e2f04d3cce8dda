/* What tells a file of samples from another. */
#ifndef NZ_SOURCE_IDENTITY_H
#define NZ_SOURCE_IDENTITY_H

#include "base/json.h"

/* Put path (absolute), size_bytes, mtime_ns, crc32c_first and crc32c_last (of 64 KiB each) of the file into `json`. */
nwbz_code nz_identity_put_file(nz_json *json, int fd, const char *path, nwbz_error *err);

#endif
