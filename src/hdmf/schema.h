/* The NWB schema that this library was built with: compact JSON texts, as HDMF caches them in a file (made at build
 * time from the pynwb wheel). */
#ifndef NZ_HDMF_SCHEMA_H
#define NZ_HDMF_SCHEMA_H

#include <stddef.h>

typedef struct nz_schema_text {
    const char *namespace_name, *version, *name; /* "core", "2.11.0", "nwb.base" */
    const char *text;                            /* JSON, NUL-terminated */
    size_t n_bytes;
} nz_schema_text;

/* Return all texts, ordered by namespace and name. */
const nz_schema_text *nz_schema_texts(size_t *n);

/* Return the version of a namespace, "2.11.0"; NULL: none of that name. */
const char *nz_schema_version(const char *namespace_name);

#endif
