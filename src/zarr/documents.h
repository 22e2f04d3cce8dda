/* A growing list of (key, document), and its two orders. */
#ifndef NZ_ZARR_DOCUMENTS_H
#define NZ_ZARR_DOCUMENTS_H

#include "zarr/consolidated.h"

typedef struct nz_keyed {
    char *key;
    uint32_t depth;
    nz_json *document;
} nz_keyed;

struct nz_documents {
    nz_keyed *items;
    size_t n, capacity;
};

/* Sort as consolidated metadata is written: by depth, then byte order. */
void nz_documents_sort_by_depth(nz_documents *documents);

/* Sort as trees are shown: depth first, names in byte order. */
void nz_documents_sort_by_path(nz_documents *documents);

#endif
