/* Names of objects in a file. */
#ifndef NZ_NWB_NAME_H
#define NZ_NWB_NAME_H

#include <stddef.h>

/* Say why `name` (n bytes, a NUL behind) cannot name an object in a Zarr store (docs/ON-DISK.md, "Names"); NULL: it
 * can.  Static text. */
const char *nz_name_problem(const char *name, size_t n);

#endif
