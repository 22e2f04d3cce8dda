/* A reproducible id is the UUIDv5 of the seed's UUIDv5 and the object's path: the same file, the same ids, and no
 * two alike in it. */
#include "nwb/ids.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

nwbz_code nz_ids_begin(nz_ids *ids, const char *seed_text, nwbz_error *err)
{
    ids->reproducible = seed_text != NULL;
    if (seed_text != NULL)
        nz_uuid_of(seed_text, strlen(seed_text), ids->seed);
    ids->known = nz_json_new_object();
    return ids->known != NULL ? NWBZ_OK : nz_fail_memory(err, 64, "object ids");
}

void nz_ids_done(nz_ids *ids)
{
    nz_json_free(ids->known);
    ids->known = NULL;
}

static nwbz_code make(const nz_ids *ids, const char *path, char id[NZ_UUID_ROOM], nwbz_error *err)
{
    if (!ids->reproducible) {
        nz_uuid_random(id);
        return NWBZ_OK;
    }
    nz_buffer name = NZ_BUFFER_INIT((size_t)1 << 20);
    nwbz_code code = nz_buffer_addf(&name, err, "%s\n%s", ids->seed, path);
    if (code == NWBZ_OK)
        nz_uuid_of(name.bytes, name.n_bytes, id);
    nz_buffer_done(&name);
    return code;
}

nwbz_code nz_ids_get(nz_ids *ids, const char *path, char id[NZ_UUID_ROOM], nwbz_error *err)
{
    const char *known = nz_json_get_text(ids->known, path);
    if (known != NULL) {
        snprintf(id, NZ_UUID_ROOM, "%s", known);
        return NWBZ_OK;
    }
    NZ_TRY(make(ids, path, id, err));
    return nz_json_put(ids->known, path, nz_json_new_text(id), err);
}
