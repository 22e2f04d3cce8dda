/* CRC-32C (Castagnoli), as Zarr's crc32c codec and the journal use it. */
#ifndef NZ_BASE_CRC32C_H
#define NZ_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continue `crc` (0 to begin) over `n` bytes. */
uint32_t nz_crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
