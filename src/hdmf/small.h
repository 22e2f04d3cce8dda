/* Small datasets, whose elements are in memory: written piece by piece, without the engine.
 *
 *   value --cut--> piece --encode--> object --> store [--> read back]
 *
 * There may be 100,000 of them, so contexts of codecs, buffers and the arrays of the usual layout are kept from one to the next.
 * Threads: each has a nz_small of its own.
 */
#ifndef NZ_HDMF_SMALL_H
#define NZ_HDMF_SMALL_H

#include "model/value.h"
#include "zarr/array.h"

typedef struct nz_small nz_small;

/* Make the contexts of one thread.  `verify_crc`: each object is read back, its size and CRC-32C must be those of what was written. */
nwbz_code nz_small_new(nwbz_store *store, bool verify_crc, nz_small **small, nwbz_error *err);
void nz_small_free(nz_small *small);

/* Find the array with the default chunks and codec for a value at `path`.  Ownership: of `small`, valid until the next call. */
nwbz_code nz_small_array(nz_small *small, const char *path, const nz_value *value, nwbz_array **array, nwbz_error *err);

/*
 * Write the elements of `value` to `array`, which has its type and shape: references as text (docs/ON-DISK.md), objects of nothing but fill value not at all.
 * *stored_bytes grows by what was stored.
 *
 * Returns NWBZ_OK; NWBZ_EINVAL (type or shape differ; text that is not UTF-8); NWBZ_ELIMIT (a chunk over what its codec takes); NWBZ_EIO (also: what
 * was read back differs), NWBZ_ENOSPACE; NWBZ_ENOMEM.
 */
nwbz_code nz_small_put(nz_small *small, nwbz_array *array, const nz_value *value, uint64_t *stored_bytes, nwbz_error *err);

#endif
