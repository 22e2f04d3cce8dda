/* A file is known again by its path, size, time and both ends: what changes when a recording is written anew, without
 * reading all of it. */
#include "source/identity.h"

#include "base/crc32c.h"
#include "base/file.h"
#include "base/memory.h"

/* How much of each end. */
#define IDENTITY_BYTES ((size_t)64 << 10)

/* CRC-32C of `n` bytes at `offset`, fewer where the file ends. */
static nwbz_code crc_at(int fd, const char *path, uint64_t offset, uint32_t *crc, nwbz_error *err)
{
    size_t n_read = 0;
    char *bytes = nz_malloc(IDENTITY_BYTES);
    if (!bytes)
        return nz_fail_memory(err, IDENTITY_BYTES, "the identity of the source");
    nwbz_code code = nz_file_read_at(fd, bytes, IDENTITY_BYTES, offset, &n_read, NWBZ_ESOURCE, path, err);
    *crc = code == NWBZ_OK ? nz_crc32c(0, bytes, n_read) : 0;
    nz_free(bytes);
    return code;
}

nwbz_code nz_identity_put_file(nz_json *json, int fd, const char *path, nwbz_error *err)
{
    nz_file_info look = { 0 };
    uint32_t first = 0, last = 0;
    char *resolved = NULL;
    NZ_TRY(nz_file_look_fd(fd, path, &look, err));
    NZ_TRY(crc_at(fd, path, 0, &first, err));
    NZ_TRY(crc_at(fd, path, look.size_bytes > IDENTITY_BYTES ? look.size_bytes - IDENTITY_BYTES : 0, &last, err));
    NZ_TRY(nz_path_resolve(path, &resolved, err));
    nwbz_code code = nz_json_put(json, "path", nz_json_new_text(resolved), err);
    nz_free(resolved);
    NZ_TRY(code);
    NZ_TRY(nz_json_put(json, "size_bytes", nz_json_new_uint(look.size_bytes), err));
    NZ_TRY(nz_json_put(json, "mtime_ns", nz_json_new_int(look.mtime_ns), err));
    NZ_TRY(nz_json_put(json, "crc32c_first", nz_json_new_uint(first), err));
    return nz_json_put(json, "crc32c_last", nz_json_new_uint(last), err);
}
