/* Attribute values and small datasets: typed elements with a shape, in no format. */
#ifndef NZ_MODEL_VALUE_H
#define NZ_MODEL_VALUE_H

#include "base/error.h"

#include <nwbz/types.h>

/* n_dims 0: a scalar.  Owns its elements and their text (one block).  An object reference is text, the absolute path of the target. */
typedef struct nz_value {
    nwbz_type type;
    bool is_reference; /* type is NWBZ_STRING, the elements are paths of nodes; "": of none */
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];
    void *elements;
    /* of what has no one type (type is NWBZ_TYPE_NONE): a list of values (names NULL: rows, arrays of records) or a record (a name for each) */
    struct nz_value *items;
    char **names;
    size_t n_items;
    char *region;      /* of a scalar reference to a part: its boxes as JSON, [[[start, stop], ...], ...]; NULL: the whole object */
} nz_value;

#define NZ_VALUE_INIT { .type = NWBZ_TYPE_NONE }

/* Say whether there is a value at all. */
static inline bool nz_value_is_set(const nz_value *value)
{
    return value->type != NWBZ_TYPE_NONE || value->items != NULL;
}

/* Make an empty list, with room for `n` items that begin empty, or a record with the names (copied). */
nwbz_code nz_value_set_list(nz_value *value, size_t n, nwbz_error *err);
nwbz_code nz_value_set_record(nz_value *value, const char *const *names, size_t n, nwbz_error *err);

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
