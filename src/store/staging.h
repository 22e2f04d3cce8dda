/* The staging folder of a folder store: `.NAME.nwbz` beside the destination NAME.
 *
 *   .NAME.nwbz/ lock plan.json journal tree/   --commit-->   NAME        (and NAME -> .NAME.nwbz/old when it is replaced)
 *
 * Rules (docs/ARCHITECTURE.md, "Whole or absent"): without a whole plan.json it counts as not begun; without tree/ and with a whole
 * destination it counts as done; old/ is removed last, by a later run if need be.  Nothing else is ever deleted.
 */
#ifndef NZ_STORE_STAGING_H
#define NZ_STORE_STAGING_H

#include "base/error.h"

#include <nwbz/store.h>

typedef struct nz_staging {
    char *destination;  /* NAME, absolute */
    char *folder;       /* .NAME.nwbz */
    char *tree;         /* .NAME.nwbz/tree */
    int lock_fd;        /* -1: not held */
    bool resumed;       /* tree/ was there with a plan.json, and is continued */
    bool replace;       /* the destination is a store that commit replaces */
} nz_staging;

#define NZ_STAGING_INIT { NULL, NULL, NULL, -1, false, false }

/*
 * Begin (or continue) the staging of `path` by the rules of `existing`.  *done: the destination is whole and nothing is to be done.
 * Returns NWBZ_EEXIST (destination, or unfinished tree: the message names it and both ways on), NWBZ_ELOCKED, NWBZ_EEXIST naming the first foreign
 * entry where `overwrite` meets a folder that holds more than Zarr keys, NWBZ_ENOTFOUND (parent), NWBZ_EIO, NWBZ_ENOSPACE.
 */
nwbz_code nz_staging_begin(nz_staging *staging, const char *path, nwbz_existing existing, bool *done, nwbz_error *err);

/* Sync (unless no_sync), move the tree to the destination, remove the folder. */
nwbz_code nz_staging_commit(nz_staging *staging, bool no_sync, nwbz_error *err);

/* Drop: remove the folder, or keep it; give the lock back.  Safe on a half-begun one. */
void nz_staging_abort(nz_staging *staging, bool keep);

void nz_staging_done(nz_staging *staging);

/* Say whether the folder `path` holds nothing but Zarr keys; if not, *foreign is the first entry that is none (the caller's). */
nwbz_code nz_staging_is_zarr_only(const char *path, bool *zarr_only, char **foreign, nwbz_error *err);

#endif
