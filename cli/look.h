/* PATH[::/object]: which store, and what in it.  Shared by ls, info and cat. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include <nwbz/store.h>

typedef struct cli_look {
    char *store_path; /* as typed, without the object */
    char *object;     /* "/acquisition/ts", "/" */
    nwbz_store *store;
} cli_look;

#define CLI_LOOK_INIT                                                                                                  \
    {                                                                                                                  \
        NULL, NULL, NULL                                                                                               \
    }

/*
 * Open what `text` names: PATH::/object, PATH/object, or PATH alone for the root.  A store inside a store is the
 * outer one's object.
 * Returns NWBZ_OK; NWBZ_ENOTFOUND (no such path, or no Zarr there: says what is); what nwbz_store_open() returns;
 * NWBZ_ENOMEM.
 */
nwbz_code cli_look_open(cli_look *look, const char *text, nwbz_error *err);
void cli_look_done(cli_look *look);

#endif
