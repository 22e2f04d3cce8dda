/* JSON: the only door to json-c.
 *
 * Keeps the order of keys, all of int64 and uint64, and the bare NaN, Infinity, -Infinity that hdmf-zarr writes (docs/ON-DISK.md,
 * "Attributes").  A value is owned by one holder; putting it into an object or array gives it away, also on failure.
 * JSON null is a value of kind NZ_JSON_NULL, never a NULL pointer; a NULL nz_json* given to put/push means "no memory" and fails so, which
 * lets constructors stand inside calls.  The functions that look take a NULL nz_json* as "not there".
 * Threads: a value may be read by many at a time; making, changing, sharing and freeing it (or a part of it) is for one.
 */
#ifndef NZ_BASE_JSON_H
#define NZ_BASE_JSON_H

#include "base/buffer.h"

#include <stdint.h>

typedef struct nz_json nz_json;

typedef enum nz_json_kind {
    NZ_JSON_NULL,
    NZ_JSON_BOOL,
    NZ_JSON_INT,    /* fits int64 or uint64 */
    NZ_JSON_DOUBLE,
    NZ_JSON_TEXT,
    NZ_JSON_ARRAY,
    NZ_JSON_OBJECT
} nz_json_kind;

/*
 * Parse one value that fills all of `text`.  Strict: valid UTF-8, no trailing bytes, no duplicate keys dropped in silence (the last wins, as in
 * Python), depth at most 64, integers beyond 64 bits become doubles.
 * Returns NWBZ_EFORMAT with the offset of the first wrong byte; NWBZ_ELIMIT from 2 GiB on.
 */
nwbz_code nz_json_parse(const char *text, size_t n_bytes, nz_json **json, nwbz_error *err);

/* Append the text of `json`, compact ('{"a": 1}' without line breaks). */
nwbz_code nz_json_format(const nz_json *json, nz_buffer *out, nwbz_error *err);

/* Append text as a JSON string. */
nwbz_code nz_json_format_text(const char *text, size_t n, nz_buffer *out, nwbz_error *err);

/* Format a value as new NUL-terminated memory (nz_free). */
nwbz_code nz_json_text_of(const nz_json *json, char **text, nwbz_error *err);

/* Free; NULL is fine. */
void nz_json_free(nz_json *json);

/* Return a second hold on the same value (never changed afterwards), to be freed too. */
nz_json *nz_json_share(const nz_json *json);

/* Make values; NULL without memory. */
nz_json *nz_json_new_object(void);
nz_json *nz_json_new_array(void);
nz_json *nz_json_new_text(const char *text);
nz_json *nz_json_new_text_n(const char *text, size_t n);
nz_json *nz_json_new_int(int64_t value);
nz_json *nz_json_new_uint(uint64_t value);
nz_json *nz_json_new_double(double value); /* shortest text that reads back, always with point or exponent; NaN and infinities bare */
nz_json *nz_json_new_bool(bool value);
nz_json *nz_json_new_null(void);
/* An array of unsigned integers: a shape. */
nz_json *nz_json_new_shape(const uint64_t *values, unsigned n);

/* Add to an object (replacing a key) or to the end of an array.  `value` is given away, also on failure. */
nwbz_code nz_json_put(nz_json *object, const char *key, nz_json *value, nwbz_error *err);
nwbz_code nz_json_push(nz_json *array, nz_json *value, nwbz_error *err);
/* Remove a key, if there. */
void nz_json_remove(nz_json *object, const char *key);

/* Look.  NULL: no such key, or `json` is no object. */
nz_json_kind nz_json_kind_of(const nz_json *json);
const nz_json *nz_json_get(const nz_json *object, const char *key);
/* Members of an object or elements of an array; 0 otherwise. */
size_t nz_json_length(const nz_json *json);
const nz_json *nz_json_at(const nz_json *array, size_t i);
/* The value as it is; the caller has looked at the kind.  Text is valid as long as the value. */
const char *nz_json_text(const nz_json *json, size_t *n_bytes /* or NULL */);
bool nz_json_bool(const nz_json *json);
double nz_json_double(const nz_json *json); /* of ints too */
/* False when it is not an integer of that range. */
bool nz_json_int(const nz_json *json, int64_t *value);
bool nz_json_uint(const nz_json *json, uint64_t *value);
/* Return the text member `key` of an object, or NULL when it is absent or no text. */
const char *nz_json_get_text(const nz_json *object, const char *key);

/* Visit the members of an object in order.  Not NWBZ_OK: stops and is returned. */
typedef nwbz_code (*nz_json_fn)(const char *key, const nz_json *value, void *user, nwbz_error *err);
nwbz_code nz_json_each(const nz_json *object, nz_json_fn on_member, void *user, nwbz_error *err);

/* Write the shortest decimal text that reads back as `value`: "0.1", "3.0", "1e+300", "NaN", "-Infinity", "-0.0".  room >= 32. */
void nz_double_format(double value, char *text, size_t room);
/* The same for a float32: shortest that reads back as float32. */
void nz_float_format(float value, char *text, size_t room);

#endif
