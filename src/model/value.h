/* Attribute values and small datasets: typed elements with a shape, in no format. */
#ifndef NZ_MODEL_VALUE_H
#define NZ_MODEL_VALUE_H

#include "base/error.h"

#include <nwbz/types.h>

/* n_dims 0: a scalar.  Owns its elements and their text (one block).  An object reference is text, the absolute path of the target. */
typedef struct nz_value {
    nwbz_type type;
    bool is_reference; /* type is NWBZ_STRING, the elements are paths of nodes */
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];
    void *elements;
} nz_value;

#define NZ_VALUE_INIT { NWBZ_TYPE_NONE, false, 0, { 0 }, NULL }

/* Copy elements (and text, with a NUL behind each) into a new value: what *value held is not looked at, nor freed.  After a failure it is
 * empty.  NWBZ_EINVAL (no type, too many axes), NWBZ_ELIMIT (too large to count), NWBZ_ENOMEM. */
nwbz_code nz_value_set(nz_value *value, nwbz_type type, unsigned n_dims, const uint64_t *shape, const void *elements, nwbz_error *err);

/* The usual ones. */
nwbz_code nz_value_set_text(nz_value *value, const char *text, nwbz_error *err);
nwbz_code nz_value_set_double(nz_value *value, double number, nwbz_error *err);
nwbz_code nz_value_set_int(nz_value *value, int64_t number, nwbz_error *err);
nwbz_code nz_value_set_reference(nz_value *value, const char *path, nwbz_error *err);
/* One axis of NUL-terminated texts. */
nwbz_code nz_value_set_texts(nz_value *value, const char *const *texts, size_t n, nwbz_error *err);

/* Count the elements. */
uint64_t nz_value_count(const nz_value *value);

void nz_value_done(nz_value *value);

#endif
