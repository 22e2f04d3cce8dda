/* libuuid: random ids, and ids of names in a namespace of our own. */
#include "base/uuid.h"

#include <uuid/uuid.h>

/* The namespace of nwbz, a7498564-a13a-4bf5-9276-1a7bded2f5c2: drawn once, never to change, or reproducible runs
 * would get other ids. */
static const unsigned char nwbz_namespace[16] = { 0xa7, 0x49, 0x85, 0x64, 0xa1, 0x3a, 0x4b, 0xf5,
                                                  0x92, 0x76, 0x1a, 0x7b, 0xde, 0xd2, 0xf5, 0xc2 };

void nz_uuid_random(char text[NZ_UUID_ROOM])
{
    uuid_t id;
    uuid_generate_random(id);
    uuid_unparse_lower(id, text);
}

void nz_uuid_of(const void *name, size_t n_bytes, char text[NZ_UUID_ROOM])
{
    uuid_t id;
    uuid_generate_sha1(id, nwbz_namespace, name, n_bytes);
    uuid_unparse_lower(id, text);
}
