/* Names that a store cannot hold: a name is one component of a key, and some components mean something to Zarr. */
#include "nwb/name.h"

#include <string.h>

enum { MAX_NAME_BYTES = 255 };

const char *nz_name_problem(const char *name, size_t n)
{
    static const char *const taken[] = { ".", "..", "zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata" };
    if (n == 0)
        return "it is empty";
    if (n > MAX_NAME_BYTES)
        return "it is longer than 255 bytes";
    if (memchr(name, 0, n) != NULL || memchr(name, '/', n) != NULL || memchr(name, '\\', n) != NULL)
        return "a name holds no slash, backslash or NUL";
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return "Zarr uses that name";
    return NULL;
}
