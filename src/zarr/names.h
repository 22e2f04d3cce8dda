/* The names directly below a prefix of a store, collected and in byte order: stores list in any order, and must not be
 * called from their own callback. */
#ifndef NZ_ZARR_NAMES_H
#define NZ_ZARR_NAMES_H

#include "store/store.h"

typedef struct nz_names {
    char **items;
    size_t n, capacity;
    bool want_prefixes;
} nz_names;

#define NZ_NAMES_INIT                                                                                                  \
    {                                                                                                                  \
        NULL, 0, 0, false                                                                                              \
    }

/* Collect the names below `prefix`, those below which more lies or the others. */
nwbz_code nz_names_list(nwbz_store *store, const char *prefix, bool want_prefixes, nz_names *names, nwbz_error *err);

void nz_names_done(nz_names *names);

#endif
