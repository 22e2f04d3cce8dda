/* A growing list of (key, text of a document). */
#ifndef NZ_ZARR_DOCUMENTS_H
#define NZ_ZARR_DOCUMENTS_H

#include "zarr/consolidated.h"

/* The member that holds a root's copy of all metadata. */
#define NZ_CONSOLIDATED_MEMBER "consolidated_metadata"

typedef struct nz_document {
    char *key; /* NULL: not set yet */
    char *text;
    size_t n_bytes;
    uint32_t depth;
    bool is_group;
} nz_document;

struct nz_documents {
    nz_document *items;
    size_t n, capacity;
};

/* Sort as consolidated metadata is written: by depth, then byte order. */
void nz_documents_sort(nz_documents *documents);

#endif
