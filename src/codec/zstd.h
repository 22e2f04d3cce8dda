/* What zstd takes to compress, for the codecs that use it (zstd itself, and blosc around it). */
#ifndef NZ_CODEC_ZSTD_H
#define NZ_CODEC_ZSTD_H

#include <stdint.h>

/* Return an upper bound of the bytes that a compression context takes at `level` for inputs of n bytes. */
uint64_t nz_zstd_work_bytes(int64_t level, uint64_t n_bytes);

#endif
