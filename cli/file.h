/* Files that the command line itself looks at. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <nwbz/types.h>

/* Read a whole text file (a pipe too), at most 64 MiB.  *text is the caller's, NUL-terminated, to be freed. 
 * NWBZ_ESOURCE. */
nwbz_code cli_file_read(const char *path, char **text, nwbz_error *err);

/* Say whether `path`, which need not exist, is `other` or lies inside it. */
bool cli_file_is_inside(const char *path, const char *other);

#endif
