/* Consolidated metadata: the root's copy of every document below it (ON-DISK.md section 13). */
#ifndef NZ_ZARR_CONSOLIDATED_H
#define NZ_ZARR_CONSOLIDATED_H

#include "base/json.h"
#include "store/store.h"

/* Documents collected while a tree is written, in any order, as text: a tree of 100,000 nodes has some 60 MB of it. */
typedef struct nz_documents nz_documents;
nwbz_code nz_documents_new(nz_documents **documents, nwbz_error *err);
void nz_documents_free(nz_documents *documents);

/* Add the document of the node with this key ("" is the root); `document` is given away, also on failure.  A copy of all metadata that it holds
 * (zarr-python writes such for groups) is left out. */
nwbz_code nz_documents_add(nz_documents *documents, const char *key, nz_json *document, nwbz_error *err);

/* Add `n` places whose documents nz_documents_set() gives; before that they count as not there.  *first: the number of the first. */
nwbz_code nz_documents_add_places(nz_documents *documents, size_t n, size_t *first, nwbz_error *err);

/* Give place `i` its document (borrowed), and write it to KEY/zarr.json unless it is the root's.  Threads: many, each with other places. */
nwbz_code nz_documents_set_and_put(nz_documents *documents, size_t i, const char *key, const nz_json *document,
                                   nwbz_store *store, nwbz_error *err);

/* Write every document below the root to KEY/zarr.json, then the root's with "consolidated_metadata" (by depth, then
 * byte order), last. */
nwbz_code nz_documents_put(nz_documents *documents, nwbz_store *store, nwbz_error *err);

/* Write the root's alone, the others being there. */
nwbz_code nz_documents_put_root(nz_documents *documents, nwbz_store *store, nwbz_error *err);

/* Read the document of one node: NWBZ_ENOTFOUND, NWBZ_EFORMAT. */
nwbz_code nz_document_get(nwbz_store *store, const char *key, nz_json **document, nwbz_error *err);

/* Visit documents at and below `key` in order of paths (depth first, names in byte order), from consolidated metadata
 * at the root where it is, else by listing.  depth as in nwbz_list(). */
typedef nwbz_code (*nz_document_fn)(const char *key, const nz_json *document, void *user, nwbz_error *err);
nwbz_code nz_documents_each(nwbz_store *store, const char *key, uint32_t depth, nz_document_fn on_document, void *user,
                            nwbz_error *err);

/* The same by listing alone, whatever the root says. */
nwbz_code nz_documents_each_listed(nwbz_store *store, const char *key, uint32_t depth, nz_document_fn on_document,
                                   void *user, nwbz_error *err);

#endif
