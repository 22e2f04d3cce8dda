/* Eight ASCII bytes at a time; else the table of well-formed sequences of RFC 3629, section 4, by the range of the
 * second byte. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Return the length of the well-formed sequence at `s`, which has `n` >= 1 bytes; 0: none. */
static size_t sequence_length(const unsigned char *s, size_t n)
{
    unsigned char lead = s[0], low = 0x80, high = 0xBF;
    size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length < 2)
        return length;
    if (lead == 0xE0)
        low = 0xA0; /* shorter forms exist below */
    else if (lead == 0xED)
        high = 0x9F; /* surrogates */
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F; /* past U+10FFFF */
    if (length > n || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

size_t nz_utf8_valid_prefix(const void *bytes, size_t n)
{
    const unsigned char *s = bytes;
    size_t at = 0;
    while (at < n) {
        uint64_t eight;
        if (n - at >= sizeof eight) {
            memcpy(&eight, s + at, sizeof eight);
            if (!(eight & UINT64_C(0x8080808080808080))) {
                at += sizeof eight;
                continue;
            }
        }
        size_t length = sequence_length(s + at, n - at);
        if (length == 0)
            return at;
        at += length;
    }
    return n;
}

bool nz_utf8_is_valid(const void *bytes, size_t n)
{
    return nz_utf8_valid_prefix(bytes, n) == n;
}
