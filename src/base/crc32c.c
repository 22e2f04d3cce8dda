/* ISA-L's routine keeps the register as it is; CRC-32C proper inverts it before and after. */
#include "base/crc32c.h"

#include <isa-l/crc.h>

enum { MOST_AT_ONCE = 1 << 30 }; /* its length is an int */

uint32_t nz_crc32c(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint32_t state = ~crc;
    while (n > 0) {
        size_t part = n < MOST_AT_ONCE ? n : MOST_AT_ONCE;
        state = crc32_iscsi((unsigned char *)at, (int)part, state); /* reads only, whatever its type says */
        at += part;
        n -= part;
    }
    return ~state;
}
