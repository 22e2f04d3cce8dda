/* Recursion over the fields of records, as deep as records may stand in each other; JSON is bounded in depth already, but
 * types also come from elsewhere. */
#include "zarr/data_type.h"

#include "base/memory.h"
#include "zarr/member.h"

#include <inttypes.h>
#include <string.h>

static nwbz_code parse_type(const nz_json *json, unsigned depth, nz_dtype *dtype, nwbz_error *err);

/* ---- length_bytes ---- */

static nwbz_code parse_length(const nz_json *configuration, const char *name, uint64_t unit, uint64_t *length,
                              nwbz_error *err)
{
    static const char *const known[] = { "length_bytes", NULL };
    NZ_TRY(nz_member_only(configuration, name, known, err));
    const nz_json *json = configuration ? nz_json_get(configuration, "length_bytes") : NULL;
    if (!json || nz_json_kind_of(json) != NZ_JSON_INT || !nz_json_uint(json, length) || *length == 0 ||
        *length % unit != 0)
        return nz_member_fail(err, NWBZ_EFORMAT, "length_bytes", json,
                              unit == 1 ? "it must be 1 or more" : "it must be a multiple of 4, and not 0");
    return NWBZ_OK;
}

/* Read the core specification's "r" and a number of bits, a multiple of 8; 0: it is none. */
static uint64_t raw_bytes_of(const char *name)
{
    uint64_t bits = 0;
    if (name[0] != 'r' || name[1] < '1' || name[1] > '9')
        return 0;
    for (const char *at = name + 1; *at; at++) {
        if (*at < '0' || *at > '9' || bits > NZ_ELEMENT_MAX_BYTES * 8)
            return 0;
        bits = bits * 10 + (uint64_t)(*at - '0');
    }
    return bits % 8 == 0 ? bits / 8 : 0;
}

/* ---- records ---- */

/* A field is {"name", "data_type"}; earlier it was [name, data_type]. */
static nwbz_code read_field(const nz_json *field, const nz_json **name, const nz_json **type, nwbz_error *err)
{
    static const char *const known[] = { "name", "data_type", NULL };
    bool is_pair = nz_json_kind_of(field) == NZ_JSON_ARRAY && nz_json_length(field) == 2;
    if (!is_pair && nz_json_kind_of(field) != NZ_JSON_OBJECT)
        return nz_member_fail(err, NWBZ_EFORMAT, "fields", field,
                              "each field must be an object with \"name\" and \"data_type\"");
    if (!is_pair)
        NZ_TRY(nz_member_only(field, "fields", known, err));
    *name = is_pair ? nz_json_at(field, 0) : nz_json_get(field, "name");
    *type = is_pair ? nz_json_at(field, 1) : nz_json_get(field, "data_type");
    size_t n = 0;
    if (!*name || nz_json_kind_of(*name) != NZ_JSON_TEXT || strlen(nz_json_text(*name, &n)) != n)
        return nz_member_fail(err, NWBZ_EFORMAT, "fields", field, "each field must have a \"name\", a text without NUL");
    return NWBZ_OK;
}

/* Add one field to the record; `names` has those of the fields before it. */
static nwbz_code parse_field(const nz_json *field, unsigned depth, nz_json *names, nz_dtype *record, nwbz_error *err)
{
    const nz_json *name = NULL, *type = NULL;
    nz_dtype dtype = NZ_DTYPE_INIT;
    NZ_TRY(read_field(field, &name, &type, err));
    const char *text = nz_json_text(name, NULL);
    if (nz_json_get(names, text))
        return nz_fail(err, NWBZ_EFORMAT, "\"fields\" has two fields of the name '%.100s'", text);
    NZ_TRY(nz_json_put(names, text, nz_json_new_bool(true), err));
    nwbz_code code = parse_type(type, depth + 1, &dtype, err);
    if (code == NWBZ_OK && dtype.type == NWBZ_STRING)
        code = nz_fail(err, NWBZ_EUNSUPPORTED, "field '%.100s': text of any length in a record is not supported", text);
    if (code != NWBZ_OK) {
        nz_dtype_done(&dtype);
        return code;
    }
    return nz_dtype_add_field(record, text, &dtype, err);
}

static nwbz_code parse_record(const nz_json *configuration, unsigned depth, nz_dtype *record, nwbz_error *err)
{
    static const char *const known[] = { "fields", NULL };
    NZ_TRY(nz_member_only(configuration, "struct", known, err));
    const nz_json *fields = configuration ? nz_json_get(configuration, "fields") : NULL;
    size_t n = nz_json_length(fields);
    if (!fields || nz_json_kind_of(fields) != NZ_JSON_ARRAY || n == 0)
        return nz_member_fail(err, NWBZ_EFORMAT, "fields", fields, "it must be a list of at least one field");
    if (n > NZ_MAX_FIELDS || depth >= NZ_MAX_RECORD_DEPTH)
        return n > NZ_MAX_FIELDS
                   ? nz_fail(err, NWBZ_ELIMIT, "a record has %zu fields, of at most %d", n, NZ_MAX_FIELDS)
                   : nz_fail(err, NWBZ_ELIMIT, "records stand more than %d deep in each other", NZ_MAX_RECORD_DEPTH);
    nz_json *names = nz_json_new_object();
    nwbz_code code = names ? NWBZ_OK : nz_fail_memory(err, 64, "the fields of a record");
    for (size_t i = 0; i < n && code == NWBZ_OK; i++)
        code = parse_field(nz_json_at(fields, i), depth, names, record, err);
    nz_json_free(names);
    return code;
}

/* ---- any type ---- */

nwbz_code nz_data_type_check(const nz_dtype *dtype, nwbz_code bad, nwbz_error *err)
{
    uint64_t n = nz_dtype_bytes(dtype);
    if (n == 0)
        return nz_fail(err, bad, "an element of %s has no bytes", nwbz_type_name(dtype->type));
    if (n > NZ_ELEMENT_MAX_BYTES)
        return nz_fail(err, NWBZ_ELIMIT, "an element of %s has %" PRIu64 " bytes, of at most %" PRIu64,
                       nwbz_type_name(dtype->type), n, NZ_ELEMENT_MAX_BYTES);
    return NWBZ_OK;
}

static nwbz_code parse_named(const char *name, const nz_json *configuration, unsigned depth, nz_dtype *dtype,
                             nwbz_error *err)
{
    if (strcmp(name, "struct") == 0 || strcmp(name, "structured") == 0)
        return parse_record(configuration, depth, dtype, err);
    bool is_raw = strcmp(name, "raw_bytes") == 0;
    if (is_raw || strcmp(name, "fixed_length_utf32") == 0) {
        NZ_TRY(parse_length(configuration, name, is_raw ? 1 : 4, &dtype->element_bytes, err));
        dtype->type = is_raw ? NWBZ_RAW : NWBZ_UTF32;
        return NWBZ_OK;
    }
    nwbz_type type = configuration ? NWBZ_TYPE_NONE : nz_type_of_name(name);
    uint64_t raw_bytes = configuration ? 0 : raw_bytes_of(name);
    if (type == NWBZ_TYPE_NONE && raw_bytes == 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the data type '%.100s' is not supported", name);
    *dtype = type != NWBZ_TYPE_NONE ? nz_dtype_of(type) : (nz_dtype){ NWBZ_RAW, raw_bytes, NULL, 0 };
    return NWBZ_OK;
}

static nwbz_code parse_type(const nz_json *json, unsigned depth, nz_dtype *dtype, nwbz_error *err)
{
    const char *name;
    const nz_json *configuration;
    NZ_TRY(nz_member_named(json, "data_type", &name, &configuration, err));
    NZ_TRY(parse_named(name, configuration, depth, dtype, err));
    return nz_data_type_check(dtype, NWBZ_EFORMAT, err);
}

nwbz_code nz_data_type_parse(const nz_json *json, nz_dtype *dtype, nwbz_error *err)
{
    *dtype = (nz_dtype)NZ_DTYPE_INIT;
    return parse_type(json, 0, dtype, err);
}

/* ---- formatting ---- */

static nwbz_code push_field(const nz_field *field, nz_json *fields, nwbz_error *err)
{
    nz_json *type = NULL, *object = nz_object_of("name", nz_json_new_text(field->name));
    nwbz_code code = object ? nz_data_type_format(&field->dtype, &type, err) : nz_fail_memory(err, 64, "a data type");
    if (code == NWBZ_OK)
        code = nz_json_put(object, "data_type", type, err);
    if (code == NWBZ_OK)
        return nz_json_push(fields, object, err);
    nz_json_free(object);
    return code;
}

static nwbz_code format_record(const nz_dtype *dtype, nz_json **json, nwbz_error *err)
{
    nz_json *fields = nz_json_new_array();
    nwbz_code code = fields ? NWBZ_OK : nz_fail_memory(err, 64, "a data type");
    for (size_t i = 0; i < dtype->n_fields && code == NWBZ_OK; i++)
        code = push_field(&dtype->fields[i], fields, err);
    if (code != NWBZ_OK) {
        nz_json_free(fields);
        return code;
    }
    *json = nz_named_new("struct", nz_object_of("fields", fields));
    return *json ? NWBZ_OK : nz_fail_memory(err, 64, "a data type");
}

nwbz_code nz_data_type_format(const nz_dtype *dtype, nz_json **json, nwbz_error *err)
{
    const char *name = nwbz_type_name(dtype->type);
    *json = NULL;
    if (dtype->type == NWBZ_STRUCT)
        return format_record(dtype, json, err);
    if (dtype->type == NWBZ_UTF32 || dtype->type == NWBZ_RAW)
        *json = nz_named_new(name, nz_object_of("length_bytes", nz_json_new_uint(dtype->element_bytes)));
    else
        *json = nz_json_new_text(name);
    return *json ? NWBZ_OK : nz_fail_memory(err, 64, "a data type");
}
