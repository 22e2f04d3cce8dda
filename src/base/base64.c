/* Three bytes are four characters of six bits.  Decoding is strict: one text for each value, so that nothing is guessed. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

nwbz_code nz_base64_encode(const void *bytes, size_t n, nz_buffer *out, nwbz_error *err)
{
    const unsigned char *in = bytes;
    if (n > SIZE_MAX / 2)
        return nz_fail(err, NWBZ_ELIMIT, "%zu bytes are too many for a text", n);
    NZ_TRY(nz_buffer_reserve(out, (n + 2) / 3 * 4, err));
    for (size_t i = 0; i < n; i += 3) {
        size_t have = n - i < 3 ? n - i : 3;
        uint32_t bits = (uint32_t)in[i] << 16 | (have > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (have > 2 ? in[i + 2] : 0);
        char four[] = { digits[bits >> 18], digits[bits >> 12 & 63], '=', '=' };
        if (have > 1)
            four[2] = digits[bits >> 6 & 63];
        if (have > 2)
            four[3] = digits[bits & 63];
        NZ_TRY(nz_buffer_add(out, four, sizeof four, err));
    }
    return nz_buffer_add(out, "", 0, err);
}

/* Read four characters of which the last `padding` are "="; the bits that they leave over must be 0. */
static bool decode_four(const char *text, unsigned padding, uint32_t *bits)
{
    *bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        bool is_padding = i >= 4 - padding;
        if (is_padding ? text[i] != '=' : !digit)
            return false;
        *bits = *bits << 6 | (is_padding ? 0 : (uint32_t)(digit - digits));
    }
    return padding == 0 || (*bits & ((1U << 8 * padding) - 1)) == 0;
}

bool nz_base64_decode(const char *text, size_t n_text, void *bytes, size_t n_bytes)
{
    unsigned char *out = bytes;
    if (n_text / 4 != n_bytes / 3 + (n_bytes % 3 != 0) || n_text % 4 != 0)
        return false;
    for (size_t i = 0; i < n_bytes; i += 3) {
        size_t have = n_bytes - i < 3 ? n_bytes - i : 3;
        uint32_t bits = 0;
        if (!decode_four(text + i / 3 * 4, (unsigned)(3 - have), &bits))
            return false;
        for (size_t k = 0; k < have; k++)
            out[i + k] = (unsigned char)(bits >> (16 - 8 * k));
    }
    return true;
}
