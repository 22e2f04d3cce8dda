/* Paths as text: of the file system, and of nodes in a store. */
#ifndef NZ_BASE_PATH_H
#define NZ_BASE_PATH_H

#include "base/error.h"

/* Join with one slash; either part may be empty.  Ownership: the caller's (nz_free); NULL without memory. */
char *nz_path_join(const char *parent, const char *name);

/* Copy the part before the last component ("." when there is none, "/" of "/x"); trailing slashes do not count. */
char *nz_path_parent(const char *path);

/* Copy the last component; trailing slashes do not count; of "/" it is "". */
char *nz_path_name(const char *path);

/*
 * Turn a node's path into a key: no slash in front or at the end ("/" is "").  NWBZ_EINVAL for empty components, "." and "..".
 * Ownership: *key is the caller's.
 */
nwbz_code nz_path_key(const char *path, char **key, nwbz_error *err);

/* Format into new memory; NULL without memory. */
char *nz_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
