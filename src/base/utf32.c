/* A lead byte says how many bytes follow it, and they have six bits each. */
#include "base/utf32.h"

#include <string.h>

uint64_t nz_utf32_count(const char *utf8, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)utf8[i] & 0xC0) != 0x80;
    return count;
}

/* Read the sequence at *at, which is well formed, and step behind it. */
static uint32_t next_point(const unsigned char *utf8, size_t *at)
{
    unsigned char lead = utf8[(*at)++];
    unsigned n_more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    uint32_t point = n_more == 0 ? lead : lead & (0x3FU >> n_more);
    while (n_more-- > 0)
        point = point << 6 | (utf8[(*at)++] & 0x3F);
    return point;
}

bool nz_utf32_encode(const char *utf8, size_t n, void *utf32, size_t room_bytes)
{
    size_t at = 0, done = 0;
    while (at < n) {
        if (room_bytes - done < sizeof(uint32_t))
            return false;
        uint32_t point = next_point((const unsigned char *)utf8, &at);
        memcpy((char *)utf32 + done, &point, sizeof point); /* little-endian machines only (nwbz/types.h) */
        done += sizeof point;
    }
    if (done < room_bytes)
        memset((char *)utf32 + done, 0, room_bytes - done);
    return true;
}

/* Write the UTF-8 of a code point; 0: it is none. */
static size_t put_point(uint32_t point, char *out)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
        return 0;
    size_t n = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, point >>= 6)
        out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)((0xF00U >> n & 0xF0) | point);
    return n;
}

nwbz_code nz_utf32_decode(const void *utf32, size_t n_bytes, nz_buffer *out, nwbz_error *err)
{
    const char *in = utf32;
    uint32_t point = 0;
    size_t n = n_bytes / sizeof point;
    for (; n > 0; n--) {
        memcpy(&point, in + (n - 1) * sizeof point, sizeof point);
        if (point != 0)
            break;
    }
    for (size_t i = 0; i < n; i++) {
        char utf8[4];
        memcpy(&point, in + i * sizeof point, sizeof point);
        size_t n_utf8 = put_point(point, utf8);
        if (n_utf8 == 0)
            return nz_fail(err, NWBZ_EFORMAT, "text of fixed width has 0x%08x at place %zu, which is no character",
                           (unsigned)point, i);
        NZ_TRY(nz_buffer_add(out, utf8, n_utf8, err));
    }
    return nz_buffer_add(out, "", 0, err);
}
