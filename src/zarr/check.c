/* Comparing a stored object with the size and checksum that it had when it was written.  The size is looked at first: an
 * object that another run cut short is told apart without reading it.  Blocks, so that a shard need not fit into memory. */
#include "zarr/array.h"

#include "base/checked.h"
#include "base/crc32c.h"
#include "base/memory.h"

#include <string.h>

/* What is held of a stored object at once. */
#define CHECK_BLOCK_BYTES ((uint64_t)1 << 20)

/* Read the value of `key`, which has `n_bytes`, and take its CRC-32C. */
static nwbz_code stored_crc(nwbz_store *store, const char *key, uint64_t n_bytes, uint32_t *crc, nwbz_error *err)
{
    nz_buffer block = NZ_BUFFER_INIT(CHECK_BLOCK_BYTES);
    nwbz_code code = NWBZ_OK;
    *crc = 0;
    for (uint64_t at = 0; at < n_bytes && code == NWBZ_OK; at += CHECK_BLOCK_BYTES) {
        size_t n = (size_t)nz_min(CHECK_BLOCK_BYTES, n_bytes - at);
        code = store->class->get(store, key, at, false, n, &block, err);
        if (code == NWBZ_OK)
            *crc = nz_crc32c(*crc, block.bytes, block.n_bytes);
    }
    nz_buffer_done(&block);
    return code;
}

/* Say whether the value of `key` has this size and CRC; an absent one has size 0. */
static nwbz_code stored_is(nwbz_store *store, const char *key, uint64_t n_bytes, uint32_t crc, bool *same,
                           nwbz_error *err)
{
    uint64_t stored_bytes = 0;
    nwbz_code code = store->class->size(store, key, &stored_bytes, err);
    if (code == NWBZ_ENOTFOUND) {
        *same = n_bytes == 0;
        return NWBZ_OK;
    }
    if (code != NWBZ_OK || n_bytes == 0 || stored_bytes != n_bytes)
        return code;
    uint32_t found = 0;
    code = stored_crc(store, key, n_bytes, &found, err);
    *same = code == NWBZ_OK && found == crc;
    return code;
}

nwbz_code nz_array_object_check(const nwbz_array *array, const uint64_t *index, uint64_t n_bytes, uint32_t crc,
                                bool *same, nwbz_error *err)
{
    *same = false;
    char *key = nz_array_object_key(array, index);
    if (!key)
        return nz_fail_memory(err, strlen(array->path), "the key of an object");
    nwbz_code code = stored_is(array->store, key, n_bytes, crc, same, err);
    nz_free(key);
    return code;
}
