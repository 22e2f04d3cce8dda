/* The record beside an unfinished tree: the caller's plan as JSON that the engine does not read, and the journal of whole objects.
 *
 * journal: one line per object, "CRC32C SIZE KEY\n" (8 hex digits, decimal, the key with blanks, control characters and % as
 * %XX); size 0: not stored because it holds
 * nothing but fill value.  A line that is torn or wrong ends the reading: what comes after does not count.
 */
#ifndef NZ_ENGINE_RECORD_H
#define NZ_ENGINE_RECORD_H

#include "base/json.h"
#include "store/store.h"

typedef struct nz_record nz_record;

/* Open the record of a staged store: reads the journal where the store was resumed. */
nwbz_code nz_record_open(nwbz_store *store, nz_record **record, nwbz_error *err);
void nz_record_close(nz_record *record);

/* Read or write plan.json.  NWBZ_ENOTFOUND: none. */
nwbz_code nz_record_get_plan(nwbz_store *store, nz_json **plan, nwbz_error *err);
nwbz_code nz_record_put_plan(nwbz_store *store, const nz_json *plan, nwbz_error *err);

/* Note a whole object.  Threads: any. */
nwbz_code nz_record_add(nz_record *record, const char *key, uint64_t n_bytes, uint32_t crc, nwbz_error *err);

/* Find what the journal of the earlier run says of `key`.  False: nothing. */
bool nz_record_find(const nz_record *record, const char *key, uint64_t *n_bytes, uint32_t *crc);

#endif
