/* One table of required members, read in an order that leaves as much as possible behind when one is refused: the shape
 * before the type before the codecs, since listing shows arrays that cannot be read.  Codecs are only put into one form
 * here (names become objects); what they mean is the chain's business. */
#include "zarr/metadata.h"

#include "base/memory.h"
#include "zarr/data_type.h"
#include "zarr/grid.h"
#include "zarr/member.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void nz_array_meta_done(nz_array_meta *meta)
{
    nz_dtype_done(&meta->dtype);
    nz_free(meta->fill_bytes);
    nz_free(meta->fill_text);
    nz_json_free(meta->codecs);
    nz_json_free(meta->index_codecs);
    nz_json_free(meta->attributes);
    nz_json_free(meta->others);
    *meta = (nz_array_meta)NZ_ARRAY_META_INIT;
}

/* ---- what kind of document ---- */

static nwbz_code check_format(const nz_json *document, nwbz_error *err)
{
    if (nz_json_kind_of(document) != NZ_JSON_OBJECT)
        return nz_fail(err, NWBZ_EFORMAT, "the document is no JSON object");
    const nz_json *format = nz_json_get(document, "zarr_format");
    uint64_t number;
    if (format && nz_json_kind_of(format) == NZ_JSON_INT && nz_json_uint(format, &number) && number != 3)
        return nz_fail(err, NWBZ_EUNSUPPORTED,
                       "Zarr format %" PRIu64 " is not supported; this version reads Zarr format 3", number);
    if (format && nz_json_kind_of(format) == NZ_JSON_TEXT)
        return nz_member_fail(err, NWBZ_EUNSUPPORTED, "zarr_format", format,
                              "a draft of Zarr 3, which is not supported");
    if (!format || nz_json_kind_of(format) != NZ_JSON_INT)
        return nz_member_fail(err, NWBZ_EFORMAT, "zarr_format", format, "it must be 3");
    return NWBZ_OK;
}

nwbz_code nz_document_is_group(const nz_json *document, bool *is_group, nwbz_error *err)
{
    NZ_TRY(check_format(document, err));
    const char *kind = nz_json_get_text(document, "node_type");
    *is_group = kind && strcmp(kind, "group") == 0;
    if (!*is_group && (!kind || strcmp(kind, "array") != 0))
        return nz_member_fail(err, NWBZ_EFORMAT, "node_type", nz_json_get(document, "node_type"),
                              "it must be \"array\" or \"group\"");
    const nz_json *attributes = nz_json_get(document, "attributes");
    if (!nz_member_is_none(attributes) && nz_json_kind_of(attributes) != NZ_JSON_OBJECT)
        return nz_member_fail(err, NWBZ_EFORMAT, "attributes", attributes, "it must be an object");
    return NWBZ_OK;
}

/* ---- members that others may add ---- */

static const char *const read_members[] = {
    "shape",  "data_type",  "chunk_grid",  "chunk_key_encoding", "fill_value",
    "codecs", "attributes", "zarr_format", "node_type",          "storage_transformers"
};

static bool is_read_member(const char *key)
{
    for (size_t i = 0; i < sizeof read_members / sizeof *read_members; i++)
        if (strcmp(read_members[i], key) == 0)
            return true;
    return false;
}

static nwbz_code check_dimension_names(const nz_json *names, const nz_array_meta *meta, nwbz_error *err)
{
    bool sound = nz_json_kind_of(names) == NZ_JSON_ARRAY && nz_json_length(names) == meta->n_dims;
    for (size_t i = 0; sound && i < nz_json_length(names); i++) {
        nz_json_kind kind = nz_json_kind_of(nz_json_at(names, i));
        sound = kind == NZ_JSON_TEXT || kind == NZ_JSON_NULL;
    }
    return sound ? NWBZ_OK
                 : nz_member_fail(err, NWBZ_EFORMAT, "dimension_names", names,
                                  "it must be a list of one name or null an axis");
}

static nwbz_code keep_other(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    nz_array_meta *meta = user;
    if (is_read_member(key))
        return NWBZ_OK;
    if (strcmp(key, "dimension_names") == 0) {
        if (nz_member_is_none(value))
            return NWBZ_OK;
        NZ_TRY(check_dimension_names(value, meta, err));
    } else {
        const nz_json *must = nz_json_get(value, "must_understand");
        if (!must || nz_json_kind_of(must) != NZ_JSON_BOOL || nz_json_bool(must))
            return nz_fail(err, NWBZ_EUNSUPPORTED,
                           "the document has a member '%.100s', which this version does not know", key);
    }
    if (!meta->others && !(meta->others = nz_json_new_object()))
        return nz_fail_memory(err, 64, "a document");
    return nz_json_put(meta->others, key, nz_json_share(value), err);
}

/* ---- grid and keys ---- */

static nwbz_code parse_grid(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    static const char *const known[] = { "chunk_shape", NULL };
    const char *name;
    const nz_json *configuration;
    NZ_TRY(nz_member_named(json, "chunk_grid", &name, &configuration, err));
    if (strcmp(name, "regular") != 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the chunk grid '%.100s' is not supported", name);
    NZ_TRY(nz_member_only(configuration, "chunk_grid", known, err));
    NZ_TRY(nz_member_shape(nz_json_get(configuration, "chunk_shape"), "chunk_shape", false, &meta->n_dims,
                           meta->object_shape, err));
    for (unsigned d = 0; d < meta->n_dims; d++) {
        /* Some versions of zarr-python wrote chunks of 0 for axes of 0, where no chunk is ever stored. */
        if (meta->object_shape[d] == 0 && meta->shape[d] == 0)
            meta->object_shape[d] = 1;
        if (meta->object_shape[d] == 0)
            return nz_member_fail(err, NWBZ_EFORMAT, "chunk_shape", nz_json_get(configuration, "chunk_shape"),
                                  "each must be 1 or more");
    }
    memcpy(meta->piece_shape, meta->object_shape, sizeof meta->piece_shape);
    return NWBZ_OK;
}

static nwbz_code parse_keys(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    static const char *const known[] = { "separator", NULL };
    const char *name;
    const nz_json *configuration;
    NZ_TRY(nz_member_named(json, "chunk_key_encoding", &name, &configuration, err));
    meta->v2_keys = strcmp(name, "v2") == 0;
    if (!meta->v2_keys && strcmp(name, "default") != 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the chunk key encoding '%.100s' is not supported", name);
    NZ_TRY(nz_member_only(configuration, "chunk_key_encoding", known, err));
    meta->separator = meta->v2_keys ? '.' : '/';
    const nz_json *separator = configuration ? nz_json_get(configuration, "separator") : NULL;
    if (!separator)
        return NWBZ_OK;
    const char *text = nz_json_kind_of(separator) == NZ_JSON_TEXT ? nz_json_text(separator, NULL) : "";
    if (strcmp(text, "/") != 0 && strcmp(text, ".") != 0)
        return nz_member_fail(err, NWBZ_EFORMAT, "separator", separator, "it must be \"/\" or \".\"");
    meta->separator = text[0];
    return NWBZ_OK;
}

/* ---- codecs ---- */

/* Copy a list of codecs with names in the short form made objects; a codec for shards is refused. */
static nwbz_code normal_codecs(const nz_json *list, const char *member, nz_json **out, nwbz_error *err)
{
    *out = NULL;
    if (!list || nz_json_kind_of(list) != NZ_JSON_ARRAY)
        return nz_member_fail(err, NWBZ_EFORMAT, member, list, "it must be a list of codecs");
    nz_json *copy = nz_json_new_array();
    nwbz_code code = copy ? NWBZ_OK : nz_fail_memory(err, 64, "codecs");
    for (size_t i = 0; code == NWBZ_OK && i < nz_json_length(list); i++) {
        const char *name;
        const nz_json *configuration;
        code = nz_member_named(nz_json_at(list, i), member, &name, &configuration, err);
        if (code != NWBZ_OK)
            break;
        if (strcmp(name, "sharding_indexed") == 0)
            code =
                nz_fail(err, NWBZ_EUNSUPPORTED,
                        "the codec 'sharding_indexed' is not supported inside \"%s\" or beside other codecs", member);
        else if (nz_json_kind_of(nz_json_at(list, i)) == NZ_JSON_TEXT)
            code = nz_json_push(copy, nz_object_of("name", nz_json_new_text(name)), err);
        else
            code = nz_json_push(copy, nz_json_share(nz_json_at(list, i)), err);
    }
    if (code != NWBZ_OK) {
        nz_json_free(copy);
        copy = NULL;
    }
    *out = copy;
    return code;
}

/* The codecs that the specification of shards recommends for the index, and zarr-python assumes where a document has
 * none. */
static nz_json *usual_index_codecs(void)
{
    nz_json *list = nz_json_new_array();
    if (list &&
        nz_json_push(list, nz_named_new("bytes", nz_object_of("endian", nz_json_new_text("little"))), NULL) ==
            NWBZ_OK &&
        nz_json_push(list, nz_object_of("name", nz_json_new_text("crc32c")), NULL) == NWBZ_OK)
        return list;
    nz_json_free(list);
    return NULL;
}

static nwbz_code parse_index_codecs(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    if (json)
        return normal_codecs(json, "index_codecs", &meta->index_codecs, err);
    meta->index_codecs = usual_index_codecs();
    return meta->index_codecs ? NWBZ_OK : nz_fail_memory(err, 128, "codecs");
}

static nwbz_code parse_shard(const nz_json *configuration, nz_array_meta *meta, nwbz_error *err)
{
    static const char *const known[] = { "chunk_shape", "codecs", "index_codecs", "index_location", NULL };
    NZ_TRY(nz_member_only(configuration, "sharding_indexed", known, err));
    const nz_json *shape = configuration ? nz_json_get(configuration, "chunk_shape") : NULL;
    NZ_TRY(nz_member_shape(shape, "sharding_indexed: chunk_shape", false, &meta->n_dims, meta->piece_shape, err));
    meta->sharded = true;
    NZ_TRY(normal_codecs(nz_json_get(configuration, "codecs"), "sharding_indexed: codecs", &meta->codecs, err));
    NZ_TRY(parse_index_codecs(nz_json_get(configuration, "index_codecs"), meta, err));
    const nz_json *location = nz_json_get(configuration, "index_location");
    const char *text = !location                                   ? "end"
                       : nz_json_kind_of(location) == NZ_JSON_TEXT ? nz_json_text(location, NULL)
                                                                   : "";
    meta->index_at_end = strcmp(text, "end") == 0;
    if (!meta->index_at_end && strcmp(text, "start") != 0)
        return nz_member_fail(err, NWBZ_EFORMAT, "index_location", location, "it must be \"start\" or \"end\"");
    return NWBZ_OK;
}

static nwbz_code parse_codecs(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    if (json && nz_json_kind_of(json) == NZ_JSON_ARRAY && nz_json_length(json) == 1) {
        const char *name;
        const nz_json *configuration;
        NZ_TRY(nz_member_named(nz_json_at(json, 0), "codecs", &name, &configuration, err));
        if (strcmp(name, "sharding_indexed") == 0)
            return parse_shard(configuration, meta, err);
    }
    return normal_codecs(json, "codecs", &meta->codecs, err);
}

static nwbz_code parse_transformers(const nz_json *json, nwbz_error *err)
{
    if (nz_member_is_none(json))
        return NWBZ_OK;
    if (nz_json_kind_of(json) != NZ_JSON_ARRAY)
        return nz_member_fail(err, NWBZ_EFORMAT, "storage_transformers", json, "it must be a list");
    if (nz_json_length(json) == 0)
        return NWBZ_OK;
    const char *name;
    const nz_json *configuration;
    NZ_TRY(nz_member_named(nz_json_at(json, 0), "storage_transformers", &name, &configuration, err));
    return nz_fail(err, NWBZ_EUNSUPPORTED, "the storage transformer '%.100s' is not supported", name);
}

static nwbz_code parse_attributes(const nz_json *json, nz_array_meta *meta, nwbz_error *err)
{
    meta->attributes = nz_member_is_none(json) ? nz_json_new_object() : nz_json_share(json);
    return meta->attributes ? NWBZ_OK : nz_fail_memory(err, 64, "attributes");
}

nwbz_code nz_array_meta_parse(const nz_json *document, nz_array_meta *meta, nwbz_error *err)
{
    bool is_group;
    *meta = (nz_array_meta)NZ_ARRAY_META_INIT;
    NZ_TRY(nz_document_is_group(document, &is_group, err));
    if (is_group)
        return nz_fail(err, NWBZ_EFORMAT, "the document is that of a group, not of an array");
    NZ_TRY(parse_attributes(nz_json_get(document, "attributes"), meta, err));
    NZ_TRY(nz_member_shape(nz_json_get(document, "shape"), "shape", true, &meta->n_dims, meta->shape, err));
    NZ_TRY(parse_grid(nz_json_get(document, "chunk_grid"), meta, err));
    NZ_TRY(nz_data_type_parse(nz_json_get(document, "data_type"), &meta->dtype, err));
    NZ_TRY(nz_fill_value_parse(nz_json_get(document, "fill_value"), meta, err));
    NZ_TRY(parse_codecs(nz_json_get(document, "codecs"), meta, err));
    NZ_TRY(parse_keys(nz_json_get(document, "chunk_key_encoding"), meta, err));
    NZ_TRY(parse_transformers(nz_json_get(document, "storage_transformers"), err));
    NZ_TRY(nz_json_each(document, keep_other, meta, err));
    return nz_grid_check(meta, NWBZ_EFORMAT, err);
}

/* ---- formatting ---- */

static nz_json *format_shard(const nz_array_meta *meta)
{
    nz_json *configuration = nz_object_of("chunk_shape", nz_json_new_shape(meta->piece_shape, meta->n_dims));
    nz_json *list = nz_json_new_array();
    if (!configuration || !list || nz_json_put(configuration, "codecs", nz_json_share(meta->codecs), NULL) != NWBZ_OK ||
        nz_json_put(configuration, "index_codecs", nz_json_share(meta->index_codecs), NULL) != NWBZ_OK ||
        nz_json_put(configuration, "index_location", nz_json_new_text(meta->index_at_end ? "end" : "start"), NULL) !=
            NWBZ_OK) {
        nz_json_free(configuration);
        nz_json_free(list);
        return NULL;
    }
    if (nz_json_push(list, nz_named_new("sharding_indexed", configuration), NULL) == NWBZ_OK)
        return list;
    nz_json_free(list);
    return NULL;
}

static nwbz_code put_other(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    return nz_json_put(user, key, nz_json_share(value), err);
}

static nwbz_code fill_document(const nz_array_meta *meta, nz_json *document, nwbz_error *err)
{
    const char separator[2] = { meta->separator, 0 };
    nz_json *fill = NULL, *type = NULL;
    NZ_TRY(nz_json_put(document, "shape", nz_json_new_shape(meta->shape, meta->n_dims), err));
    NZ_TRY(nz_data_type_format(&meta->dtype, &type, err));
    NZ_TRY(nz_json_put(document, "data_type", type, err));
    NZ_TRY(nz_json_put(
        document, "chunk_grid",
        nz_named_new("regular", nz_object_of("chunk_shape", nz_json_new_shape(meta->object_shape, meta->n_dims))),
        err));
    NZ_TRY(nz_json_put(
        document, "chunk_key_encoding",
        nz_named_new(meta->v2_keys ? "v2" : "default", nz_object_of("separator", nz_json_new_text(separator))), err));
    NZ_TRY(nz_fill_value_format(meta, &fill, err));
    NZ_TRY(nz_json_put(document, "fill_value", fill, err));
    NZ_TRY(nz_json_put(document, "codecs", meta->sharded ? format_shard(meta) : nz_json_share(meta->codecs), err));
    NZ_TRY(nz_json_put(document, "attributes",
                       meta->attributes ? nz_json_share(meta->attributes) : nz_json_new_object(), err));
    NZ_TRY(nz_json_put(document, "zarr_format", nz_json_new_int(3), err));
    NZ_TRY(nz_json_put(document, "node_type", nz_json_new_text("array"), err));
    NZ_TRY(nz_json_put(document, "storage_transformers", nz_json_new_array(), err));
    return meta->others ? nz_json_each(meta->others, put_other, document, err) : NWBZ_OK;
}

nwbz_code nz_array_meta_format(const nz_array_meta *meta, nz_json **document, nwbz_error *err)
{
    *document = nz_json_new_object();
    nwbz_code code = *document ? fill_document(meta, *document, err) : nz_fail_memory(err, 64, "a document");
    if (code != NWBZ_OK) {
        nz_json_free(*document);
        *document = NULL;
    }
    return code;
}

nwbz_code nz_group_meta_format(const nz_json *attributes, nz_json **document, nwbz_error *err)
{
    *document = nz_object_of("attributes", attributes ? nz_json_share(attributes) : nz_json_new_object());
    nwbz_code code = *document ? NWBZ_OK : nz_fail_memory(err, 64, "a document");
    if (code == NWBZ_OK)
        code = nz_json_put(*document, "zarr_format", nz_json_new_int(3), err);
    if (code == NWBZ_OK)
        code = nz_json_put(*document, "node_type", nz_json_new_text("group"), err);
    if (code != NWBZ_OK) {
        nz_json_free(*document);
        *document = NULL;
    }
    return code;
}
