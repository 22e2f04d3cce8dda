/* Groups and documents in a store. */
#ifndef NZ_ZARR_GROUP_H
#define NZ_ZARR_GROUP_H

#include "base/json.h"
#include "store/store.h"

/* Make the groups above the node `key`, where they are absent.  NWBZ_EEXIST: one of them is an array. */
nwbz_code nz_group_put_parents(nwbz_store *store, const char *key, nwbz_error *err);

/* Say whether the node `key` has a document.  What keeps from knowing (memory, permission) is an error, not "no". */
nwbz_code nz_document_exists(nwbz_store *store, const char *key, bool *exists, nwbz_error *err);

/* Write a node's document. */
nwbz_code nz_document_put(nwbz_store *store, const char *key, const nz_json *document, nwbz_error *err);

/* The same of a document that is text already. */
nwbz_code nz_document_put_text(nwbz_store *store, const char *key, const char *text, size_t n_bytes, nwbz_error *err);

/* Parse attributes that a caller gave (NULL: none).  NWBZ_EINVAL: not one JSON object. */
nwbz_code nz_attributes_parse(const char *text, nz_json **attributes, nwbz_error *err);

#endif
