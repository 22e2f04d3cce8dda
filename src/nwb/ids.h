/* Object ids: random, or made from a seed; kept by the path of their object, so that a resumed run gives each object
 * the id it had. */
#ifndef NZ_NWB_IDS_H
#define NZ_NWB_IDS_H

#include "base/json.h"
#include "base/uuid.h"

#include <stdbool.h>

typedef struct nz_ids {
    nz_json *known; /* {path: id} */
    bool reproducible;
    char seed[NZ_UUID_ROOM];
} nz_ids;

/* Start without ids.  `seed_text` (NULL: random ids) is all that reproducible ids depend on. */
nwbz_code nz_ids_begin(nz_ids *ids, const char *seed_text, nwbz_error *err);
void nz_ids_done(nz_ids *ids);

/* Give the object at `path` its id. */
nwbz_code nz_ids_get(nz_ids *ids, const char *path, char id[NZ_UUID_ROOM], nwbz_error *err);

#endif
