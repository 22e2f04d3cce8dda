/* What the codec texts and the two names of blosc (`blosc`, `numcodecs.blosc`) share. */
#ifndef NZ_CODEC_BLOSC_H
#define NZ_CODEC_BLOSC_H

#include "codec/codec.h"

/* Return the bytes of an element as blosc counts them for its shuffles: 1 for text, and over its limit of 255. */
size_t nz_blosc_typesize(const nz_dtype *dtype);

#endif
