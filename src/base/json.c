/* json-c behind a door.
 *
 * A nz_json is a json_object, but for null: json-c's null is the NULL pointer, which here means "no memory" or "no
 * such key", so null is the address of a marker that is only compared.  Text goes through json_scan first.  The
 * formatter is ours: json-c's own writes doubles with 17 digits and changes the objects that it prints.
 */
#include "base/json.h"

#include "base/json_scan.h"
#include "base/memory.h"

#include <json-c/json.h>
#include <limits.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

static const char null_marker;

static nz_json *null_value(void)
{
    return (nz_json *)&null_marker;
}

static bool is_null(const nz_json *json)
{
    return (const char *)json == &null_marker;
}

/* The two ways through the door. */
static json_object *inside(const nz_json *json)
{
    return is_null(json) ? NULL : (json_object *)json;
}

static nz_json *outside(json_object *object)
{
    return object ? (nz_json *)object : null_value();
}

static bool is_type(const nz_json *json, json_type type)
{
    return json && json_object_is_type(inside(json), type);
}

/* ---- Parse --------------------------------------------------------------------------- */

static nwbz_code parse_with(json_tokener *tokener, const char *text, size_t n_bytes, nz_json **json, nwbz_error *err)
{
    json_object *object = json_tokener_parse_ex(tokener, text, (int)n_bytes);
    enum json_tokener_error failed = json_tokener_get_error(tokener);
    bool all_read = failed == json_tokener_continue;
    if (all_read) { /* a number or a word may still go on: the NUL says that it does not */
        object = json_tokener_parse_ex(tokener, "", 1);
        failed = json_tokener_get_error(tokener);
    }
    if (failed == json_tokener_success) {
        *json = outside(object);
        return NWBZ_OK;
    }
    if (all_read)
        return nz_fail(err, NWBZ_EFORMAT, "not JSON at byte %zu: the text ends too early", n_bytes);
    return nz_fail(err, NWBZ_EFORMAT, "not JSON at byte %zu: %s", json_tokener_get_parse_end(tokener),
                   json_tokener_error_desc(failed));
}

nwbz_code nz_json_parse(const char *text, size_t n_bytes, nz_json **json, nwbz_error *err)
{
    *json = NULL;
    if (n_bytes >= INT_MAX)
        return nz_fail(err, NWBZ_ELIMIT, "JSON text of %zu bytes is over the limit of %d", n_bytes, INT_MAX - 1);
    if (n_bytes == 0)
        return nz_fail(err, NWBZ_EFORMAT, "not JSON at byte 0: the text is empty");
    char *copy = NULL;
    NZ_TRY(nz_json_scan(text, n_bytes, &copy, err));
    json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
    nwbz_code code;
    if (tokener) {
        json_tokener_set_flags(tokener, JSON_TOKENER_STRICT); /* UTF-8 is checked, and more strictly, by the scan */
        code = parse_with(tokener, copy ? copy : text, n_bytes, json, err);
        json_tokener_free(tokener);
    } else {
        code = nz_fail_memory(err, n_bytes, "a JSON parser");
    }
    nz_free(copy);
    return code;
}

/* ---- Format -------------------------------------------------------------------------- */

nwbz_code nz_json_format_text(const char *text, size_t n, nz_buffer *out, nwbz_error *err)
{
    static const char short_forms[][3] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"
    };
    NZ_TRY(nz_buffer_add(out, "\"", 1, err));
    size_t start = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        NZ_TRY(nz_buffer_add(out, text + start, i - start, err));
        start = i + 1;
        if (c >= 0x20)
            NZ_TRY(nz_buffer_add(out, c == '"' ? "\\\"" : "\\\\", 2, err));
        else if (c < sizeof short_forms / sizeof *short_forms && short_forms[c][0])
            NZ_TRY(nz_buffer_add(out, short_forms[c], 2, err));
        else
            NZ_TRY(nz_buffer_addf(out, err, "\\u%04x", (unsigned)c));
    }
    NZ_TRY(nz_buffer_add(out, text + start, n - start, err));
    return nz_buffer_add(out, "\"", 1, err);
}

static nwbz_code format_number(const nz_json *json, nz_buffer *out, nwbz_error *err)
{
    char text[40];
    int64_t number = 0;
    uint64_t rest = 0;
    if (nz_json_kind_of(json) == NZ_JSON_DOUBLE) {
        nz_double_format(nz_json_double(json), text, sizeof text);
        return nz_buffer_add_text(out, text, err);
    }
    bool negative = nz_json_int(json, &number) && number < 0;
    if (negative)
        rest = 0 - (uint64_t)number;
    else
        (void)nz_json_uint(json, &rest);
    size_t at = sizeof text; /* digits from the right: chunk shapes fill metadata, and printf is slow for them */
    do
        text[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (negative)
        text[--at] = '-';
    return nz_buffer_add(out, text + at, sizeof text - at, err);
}

static nwbz_code format_array(const nz_json *json, nz_buffer *out, nwbz_error *err)
{
    NZ_TRY(nz_buffer_add(out, "[", 1, err));
    size_t n = nz_json_length(json);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            NZ_TRY(nz_buffer_add(out, ", ", 2, err));
        NZ_TRY(nz_json_format(nz_json_at(json, i), out, err));
    }
    return nz_buffer_add(out, "]", 1, err);
}

typedef struct member_state {
    nz_buffer *out;
    bool later;
} member_state;

static nwbz_code format_member(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    member_state *state = user;
    if (state->later)
        NZ_TRY(nz_buffer_add(state->out, ", ", 2, err));
    state->later = true;
    NZ_TRY(nz_json_format_text(key, strlen(key), state->out, err));
    NZ_TRY(nz_buffer_add(state->out, ": ", 2, err));
    return nz_json_format(value, state->out, err);
}

static nwbz_code format_object(const nz_json *json, nz_buffer *out, nwbz_error *err)
{
    member_state state = { out, false };
    NZ_TRY(nz_buffer_add(out, "{", 1, err));
    NZ_TRY(nz_json_each(json, format_member, &state, err));
    return nz_buffer_add(out, "}", 1, err);
}

nwbz_code nz_json_format(const nz_json *json, nz_buffer *out, nwbz_error *err)
{
    size_t n;
    const char *text;
    switch (nz_json_kind_of(json)) {
    case NZ_JSON_NULL:
        return nz_buffer_add(out, "null", 4, err);
    case NZ_JSON_BOOL:
        return nz_buffer_add_text(out, nz_json_bool(json) ? "true" : "false", err);
    case NZ_JSON_INT:
    case NZ_JSON_DOUBLE:
        return format_number(json, out, err);
    case NZ_JSON_TEXT:
        text = nz_json_text(json, &n);
        return nz_json_format_text(text, n, out, err);
    case NZ_JSON_ARRAY:
        return format_array(json, out, err);
    case NZ_JSON_OBJECT:
        return format_object(json, out, err);
    }
    return nz_fail(err, NWBZ_EINVAL, "no kind of JSON value");
}

nwbz_code nz_json_text_of(const nz_json *json, char **text, nwbz_error *err)
{
    nz_buffer out = NZ_BUFFER_INIT(SIZE_MAX / 4);
    *text = NULL;
    nwbz_code code = nz_json_format(json, &out, err);
    if (code == NWBZ_OK)
        *text = out.bytes;
    else
        nz_buffer_done(&out);
    return code;
}

/* ---- Own ----------------------------------------------------------------------------- */

void nz_json_free(nz_json *json)
{
    if (json)
        json_object_put(inside(json));
}

nz_json *nz_json_share(const nz_json *json)
{
    return json && !is_null(json) ? (nz_json *)json_object_get(inside(json)) : (nz_json *)json;
}

nz_json *nz_json_new_object(void)
{
    return (nz_json *)json_object_new_object();
}

nz_json *nz_json_new_array(void)
{
    return (nz_json *)json_object_new_array();
}

nz_json *nz_json_new_text(const char *text)
{
    return nz_json_new_text_n(text, strlen(text));
}

nz_json *nz_json_new_text_n(const char *text, size_t n)
{
    return n < INT_MAX ? (nz_json *)json_object_new_string_len(n ? text : "", (int)n) : NULL;
}

nz_json *nz_json_new_int(int64_t value)
{
    return (nz_json *)json_object_new_int64(value);
}

nz_json *nz_json_new_uint(uint64_t value)
{
    return (nz_json *)json_object_new_uint64(value);
}

nz_json *nz_json_new_double(double value)
{
    return (nz_json *)json_object_new_double(value);
}

nz_json *nz_json_new_bool(bool value)
{
    return (nz_json *)json_object_new_boolean(value);
}

nz_json *nz_json_new_null(void)
{
    return null_value();
}

nz_json *nz_json_new_shape(const uint64_t *values, unsigned n)
{
    nz_json *array = nz_json_new_array();
    for (unsigned i = 0; array && i < n; i++)
        if (nz_json_push(array, nz_json_new_uint(values[i]), NULL) != NWBZ_OK) {
            nz_json_free(array);
            array = NULL;
        }
    return array;
}

nwbz_code nz_json_put(nz_json *object, const char *key, nz_json *value, nwbz_error *err)
{
    if (is_type(object, json_type_object) && value && json_object_object_add(inside(object), key, inside(value)) == 0)
        return NWBZ_OK;
    nz_json_free(value);
    if (object && !is_type(object, json_type_object))
        return nz_fail(err, NWBZ_EINVAL, "cannot put \"%s\" into a JSON value that is no object", key);
    return nz_fail(err, NWBZ_ENOMEM, "no memory for the JSON member \"%s\"", key);
}

nwbz_code nz_json_push(nz_json *array, nz_json *value, nwbz_error *err)
{
    if (is_type(array, json_type_array) && value && json_object_array_add(inside(array), inside(value)) == 0)
        return NWBZ_OK;
    nz_json_free(value);
    if (array && !is_type(array, json_type_array))
        return nz_fail(err, NWBZ_EINVAL, "cannot push to a JSON value that is no array");
    return nz_fail(err, NWBZ_ENOMEM, "no memory for an element of a JSON array");
}

void nz_json_remove(nz_json *object, const char *key)
{
    if (is_type(object, json_type_object))
        json_object_object_del(inside(object), key);
}

/* ---- Look ---------------------------------------------------------------------------- */

nz_json_kind nz_json_kind_of(const nz_json *json)
{
    static const nz_json_kind kinds[] = {
        [json_type_null] = NZ_JSON_NULL,  [json_type_boolean] = NZ_JSON_BOOL,  [json_type_double] = NZ_JSON_DOUBLE,
        [json_type_int] = NZ_JSON_INT,    [json_type_object] = NZ_JSON_OBJECT, [json_type_array] = NZ_JSON_ARRAY,
        [json_type_string] = NZ_JSON_TEXT
    };
    return json ? kinds[json_object_get_type(inside(json))] : NZ_JSON_NULL;
}

const nz_json *nz_json_get(const nz_json *object, const char *key)
{
    json_object *value;
    if (!is_type(object, json_type_object) || !json_object_object_get_ex(inside(object), key, &value))
        return NULL;
    return outside(value);
}

size_t nz_json_length(const nz_json *json)
{
    if (is_type(json, json_type_array))
        return json_object_array_length(inside(json));
    return is_type(json, json_type_object) ? (size_t)json_object_object_length(inside(json)) : 0;
}

const nz_json *nz_json_at(const nz_json *array, size_t i)
{
    if (!is_type(array, json_type_array) || i >= json_object_array_length(inside(array)))
        return NULL;
    return outside(json_object_array_get_idx(inside(array), i));
}

const char *nz_json_text(const nz_json *json, size_t *n_bytes)
{
    bool is_text = is_type(json, json_type_string);
    if (n_bytes)
        *n_bytes = is_text ? (size_t)json_object_get_string_len(inside(json)) : 0;
    return is_text ? json_object_get_string(inside(json)) : NULL;
}

bool nz_json_bool(const nz_json *json)
{
    return is_type(json, json_type_boolean) && json_object_get_boolean(inside(json));
}

bool nz_json_int(const nz_json *json, int64_t *value)
{
    if (!is_type(json, json_type_int))
        return false;
    *value = json_object_get_int64(inside(json)); /* clamped, where only a uint64 holds it */
    return *value != INT64_MAX || json_object_get_uint64(inside(json)) == INT64_MAX;
}

bool nz_json_uint(const nz_json *json, uint64_t *value)
{
    if (!is_type(json, json_type_int) || json_object_get_int64(inside(json)) < 0)
        return false;
    *value = json_object_get_uint64(inside(json));
    return true;
}

double nz_json_double(const nz_json *json)
{
    int64_t number;
    uint64_t large;
    if (nz_json_int(json, &number))
        return (double)number;
    if (nz_json_uint(json, &large))
        return (double)large;
    return is_type(json, json_type_double) ? json_object_get_double(inside(json)) : 0.0;
}

const char *nz_json_get_text(const nz_json *object, const char *key)
{
    return nz_json_text(nz_json_get(object, key), NULL);
}

nwbz_code nz_json_each(const nz_json *object, nz_json_fn on_member, void *user, nwbz_error *err)
{
    if (!is_type(object, json_type_object))
        return NWBZ_OK;
    /* the entries themselves: json-c's iterator calls three functions for each */
    const struct lh_entry *at = lh_table_head(json_object_get_object(inside(object)));
    for (; at; at = lh_entry_next(at))
        NZ_TRY(on_member(lh_entry_k(at), outside(lh_entry_v(at)), user, err));
    return NWBZ_OK;
}
