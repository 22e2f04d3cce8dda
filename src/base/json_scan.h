/* What strict JSON forbids and json-c lets pass, found before json-c sees the text. */
#ifndef NZ_BASE_JSON_SCAN_H
#define NZ_BASE_JSON_SCAN_H

#include "base/error.h"

/*
 * Check strings and numbers of `text`; all else is the parser's to check.  Integers beyond 64 bits, which json-c
 * would clamp, are written anew in a copy of the same length as the doubles that they are; without any, *copy is
 * NULL.
 * Ownership: *copy is the caller's.  Returns NWBZ_EFORMAT with the offset, NWBZ_ENOMEM.
 */
nwbz_code nz_json_scan(const char *text, size_t n_bytes, char **copy, nwbz_error *err);

#endif
