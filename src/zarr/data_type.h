/* The "data_type" member of an array's document: a name, or a name with a configuration. */
#ifndef NZ_ZARR_DATA_TYPE_H
#define NZ_ZARR_DATA_TYPE_H

#include "base/json.h"
#include "model/dtype.h"

/* The most bytes of one element: a chunk has at least one, and every reader holds a few. */
#define NZ_ELEMENT_MAX_BYTES ((uint64_t)64 << 20)

/* The most fields of one record, and records inside records (JSON itself ends at a depth of 64). */
enum { NZ_MAX_FIELDS = 4096, NZ_MAX_RECORD_DEPTH = 12 };

/*
 * Parse it: the types of fixed size by name; `struct` and its older name `structured`, with fields as objects or as pairs;
 * `fixed_length_utf32`; `raw_bytes`, and the core specification's r8, r16, ...
 * Ownership: *dtype is to be given to nz_dtype_done(), also on failure.
 * Returns NWBZ_EFORMAT (not sound: names the member), NWBZ_EUNSUPPORTED (names the type), NWBZ_ELIMIT (over the limits above).
 */
nwbz_code nz_data_type_parse(const nz_json *json, nz_dtype *dtype, nwbz_error *err);

/* Make it, in the form of ON-DISK.md section 7. */
nwbz_code nz_data_type_format(const nz_dtype *dtype, nz_json **json, nwbz_error *err);

/* Refuse an element over NZ_ELEMENT_MAX_BYTES (NWBZ_ELIMIT), and one of 0 bytes (`bad`). */
nwbz_code nz_data_type_check(const nz_dtype *dtype, nwbz_code bad, nwbz_error *err);

#endif
