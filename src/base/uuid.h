/* Object ids. */
#ifndef NZ_BASE_UUID_H
#define NZ_BASE_UUID_H

#include <stddef.h>

enum { NZ_UUID_ROOM = 37 };

/* Make a random UUID (version 4). */
void nz_uuid_random(char text[NZ_UUID_ROOM]);

/* Make the UUID that `name` has in the namespace of nwbz (version 5, RFC 9562): the same name, the same id. */
void nz_uuid_of(const void *name, size_t n_bytes, char text[NZ_UUID_ROOM]);

#endif
