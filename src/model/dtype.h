/* Element types: sizes, names, and single elements.  The public part is in <nwbz/types.h>. */
#ifndef NZ_MODEL_DTYPE_H
#define NZ_MODEL_DTYPE_H

#include "base/buffer.h"

#include <nwbz/types.h>

/* The type of an array's elements: one of the types of fixed size, or one whose size is the array's. */
typedef struct nz_field nz_field;
typedef struct nz_dtype {
    nwbz_type type;
    uint64_t element_bytes; /* in memory and, but for text, as stored */
    nz_field *fields;       /* of NWBZ_STRUCT, in their order; owned */
    size_t n_fields;
} nz_dtype;

/* One field of a record; they follow each other without padding. */
struct nz_field {
    char *name;             /* owned */
    uint64_t offset_bytes;
    nz_dtype dtype;         /* never NWBZ_STRING */
};

#define NZ_DTYPE_INIT { NWBZ_TYPE_NONE, 0, NULL, 0 }

/* A pointer to the type of fixed size, for a call. */
#define NZ_DTYPE(of_type) (&(nz_dtype){ (of_type), nwbz_type_size(of_type), NULL, 0 })

/* Return the bytes of an element: element_bytes, or where that is 0 those of the type. */
uint64_t nz_dtype_bytes(const nz_dtype *dtype);

/* Make the type of fixed size; nothing to free. */
nz_dtype nz_dtype_of(nwbz_type type);

/* Copy with all fields; add a field (dtype is moved and emptied, also on failure); free.  NWBZ_ELIMIT: a record over UINT32_MAX bytes;
 * NWBZ_EINVAL: a field without a fixed size (text, a record without fields). */
nwbz_code nz_dtype_copy(nz_dtype *to, const nz_dtype *from, nwbz_error *err);
nwbz_code nz_dtype_add_field(nz_dtype *record, const char *name, nz_dtype *dtype, nwbz_error *err);
void nz_dtype_done(nz_dtype *dtype);

/* Say whether both have the same elements: type, size, names and types of fields. */
bool nz_dtype_is(const nz_dtype *a, const nz_dtype *b);

/* Find a type of fixed size by its Zarr v3 name only; NWBZ_TYPE_NONE: none of ours. */
nwbz_type nz_type_of_name(const char *zarr_name);

/* Return the bytes of the part that byte order applies to: half an element for complex, 1 for one-byte types and text. */
size_t nz_type_swap_size(nwbz_type type);

/* Say whether stored bytes of the type depend on byte order: units of more than one byte, in any field of a record. */
bool nz_dtype_has_order(const nz_dtype *dtype);

/* Swap the bytes of each of `n` units of `unit_bytes` (1, 2, 4, 8) from `in` to `out`, which may be the same. */
void nz_swap_bytes(const void *in, void *out, size_t n, size_t unit_bytes);

/* Fill `n` elements at `out` with copies of the one at `element`. */
void nz_elements_set(void *out, const void *element, size_t element_bytes, uint64_t n);

/* Say whether all `n` elements equal the one at `element`, bit for bit (text: byte for byte).  Stops at the first that does not. */
bool nz_elements_are(const void *elements, const void *element, nwbz_type type, size_t element_bytes, uint64_t n);

/*
 * Append the text of an element of any type: nwbz_element_format()'s for those of fixed size, records as JSON objects in either style, UTF-32 as
 * text, raw bytes in base64 (both quoted in JSON).  NWBZ_EFORMAT: UTF-32 that is no text.
 */
nwbz_code nz_element_add(const nz_dtype *dtype, const void *element, nwbz_element_style style, nz_buffer *out, nwbz_error *err);

/* Convert between float16 bits and float. */
float nz_half_to_float(uint16_t bits);

#endif
