/* The codecs that exist, by name. */
#include "codec/codec.h"

#include <string.h>

static const nz_codec_class *const classes[] = {
    &nz_codec_bytes,
    &nz_codec_vlen_utf8,
    &nz_codec_gzip,
    &nz_codec_zstd,
    &nz_codec_blosc,
    &nz_codec_crc32c,
    &nz_codec_numcodecs_shuffle,
    &nz_codec_numcodecs_zlib,
    &nz_codec_numcodecs_zstd,
    &nz_codec_numcodecs_lz4,
    &nz_codec_numcodecs_blosc,
};

const nz_codec_class *nz_codec_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i]->name, name) == 0)
            return classes[i];
    return NULL;
}
