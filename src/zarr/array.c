/* From options or from a document to one prepared struct: shapes are checked first, then the codecs are prepared for
 * pieces of that size, so that whatever is allocated later is known to fit. */
#include "zarr/array.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "zarr/consolidated.h"
#include "zarr/data_type.h"
#include "zarr/grid.h"
#include "zarr/group.h"
#include "zarr/key.h"
#include "zarr/member.h"
#include "zarr/shard.h"

#include <inttypes.h>
#include <string.h>

/* What zarr-python counts for an element of text when it chooses chunks. */
enum { TEXT_ELEMENT_BYTES = 16 };

void nwbz_array_close(nwbz_array *array)
{
    if (!array)
        return;
    if (array->append && array->append_free)
        array->append_free(array->append);
    nz_chain_close(array->chain);
    nz_chain_close(array->index_chain);
    nz_array_meta_done(&array->meta);
    nz_free(array->codec_text);
    nz_free(array->attributes_text);
    nz_free(array->type_text);
    nz_free(array->fill_value_text);
    nz_free(array->path);
    nz_free(array);
}

/* The key of the array's node: its path without the slash in front. */
static const char *key_of(const nwbz_array *array)
{
    return array->path + 1;
}

static nwbz_code array_where(const nwbz_store *store, const char *path, nwbz_code code, nwbz_error *err)
{
    return nz_where(err, code, "%s:%s%s", store->name, *path == '/' ? "" : "/", path);
}

/* Make an array that has a path and nothing else. */
static nwbz_code new_blank(nwbz_store *store, const char *path, nwbz_array **array, nwbz_error *err)
{
    char *key = NULL;
    *array = NULL;
    NZ_TRY(nz_node_key(path, &key, err));
    nwbz_array *new = nz_calloc(1, sizeof *new);
    if (new) {
        new->store = store;
        new->meta = (nz_array_meta)NZ_ARRAY_META_INIT;
        new->path = nz_path_of_key(key);
    }
    nz_free(key);
    if (!new || !new->path) {
        nwbz_array_close(new);
        return nz_fail_memory(err, sizeof *new, "an array");
    }
    *array = new;
    return NWBZ_OK;
}

/* ---- preparing ---- */

static nwbz_code open_index_chain(nwbz_array *array, nwbz_error *err)
{
    uint64_t n_bytes = nz_grid_pieces(&array->meta) * sizeof(nz_shard_entry);
    NZ_TRY(nz_chain_open(array->meta.index_codecs, NZ_DTYPE(NWBZ_UINT64), n_bytes, &array->index_chain, err));
    if (nz_chain_fixed_size(array->index_chain, n_bytes) == 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "\"index_codecs\" of a shard must give a fixed size: bytes and crc32c");
    return NWBZ_OK;
}

static nwbz_code open_chains(nwbz_array *array, nwbz_error *err)
{
    bool is_text = array->meta.dtype.type == NWBZ_STRING;
    uint64_t piece_bytes = is_text ? 0 : nz_grid_piece_bytes(&array->meta);
    NZ_TRY(nz_chain_open(array->meta.codecs, &array->meta.dtype, piece_bytes, &array->chain, err));
    if (nz_chain_is_text(array->chain) != is_text)
        return nz_fail(err, NWBZ_EFORMAT, "the first codec is not for elements of %s",
                       nwbz_type_name(array->meta.dtype.type));
    return array->meta.sharded ? open_index_chain(array, err) : NWBZ_OK;
}

/* Prepare what hangs on a whole `meta`. */
static nwbz_code prepare(nwbz_array *array, nwbz_error *err)
{
    nz_array_meta *meta = &array->meta;
    if (!meta->fill_text && !(meta->fill_text = nz_strdup("")))
        return nz_fail_memory(err, 1, "a fill value");
    NZ_TRY(nz_fill_value_room(meta, err));
    array->fill_string = (nwbz_string){ meta->fill_text, meta->n_fill_text };
    return open_chains(array, err);
}

static nwbz_code make_type_texts(nwbz_array *array, nwbz_error *err)
{
    nz_json *type = NULL, *fill = NULL;
    nwbz_code code = nz_data_type_format(&array->meta.dtype, &type, err);
    if (code == NWBZ_OK)
        code = nz_json_text_of(type, &array->type_text, err);
    bool has_fill = array->meta.codecs != NULL; /* read after the fill value, where reading stopped early */
    if (code == NWBZ_OK && has_fill)
        code = nz_fill_value_format(&array->meta, &fill, err);
    if (code == NWBZ_OK && has_fill)
        code = nz_json_text_of(fill, &array->fill_value_text, err);
    nz_json_free(type);
    nz_json_free(fill);
    return code;
}

/* Make the texts for nwbz_array_get_info() of what is there. */
static nwbz_code make_texts(nwbz_array *array, nwbz_error *err)
{
    if (array->meta.codecs && !array->codec_text)
        NZ_TRY(nz_codec_format_text(array->meta.codecs, &array->codec_text, err));
    if (array->meta.dtype.type != NWBZ_TYPE_NONE && !array->type_text)
        NZ_TRY(make_type_texts(array, err));
    if (array->meta.attributes && !array->attributes_text)
        NZ_TRY(nz_json_text_of(array->meta.attributes, &array->attributes_text, err));
    return NWBZ_OK;
}

/* The index's codecs: what the specification of shards recommends. */
static nwbz_code index_codecs(nz_array_meta *meta, nwbz_error *err)
{
    return meta->sharded ? nz_codec_parse_text("none+crc32c", NZ_DTYPE(NWBZ_UINT64), false, &meta->index_codecs, err) : NWBZ_OK;
}

/* Put a codec list into the full form that its chain says. */
static nwbz_code say_in_full(const nz_chain *chain, nz_json **codecs, nwbz_error *err)
{
    nz_json *full = NULL;
    NZ_TRY(nz_chain_format(chain, &full, err));
    nz_json_free(*codecs);
    *codecs = full;
    return NWBZ_OK;
}

/* Prepare an array that has no document yet: what it will say of its codecs leaves nothing to a reader's defaults. */
static nwbz_code prepare_new(nwbz_array *array, nwbz_error *err)
{
    NZ_TRY(prepare(array, err));
    NZ_TRY(say_in_full(array->chain, &array->meta.codecs, err));
    if (array->meta.sharded)
        NZ_TRY(say_in_full(array->index_chain, &array->meta.index_codecs, err));
    return make_texts(array, err);
}

/* ---- from options ---- */

static nwbz_code take_shapes(const nwbz_array_options *options, nz_array_meta *meta, nwbz_error *err)
{
    unsigned n = options->n_dims;
    if (n > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "%u axes, of at most %d", n, NWBZ_MAX_DIMS);
    if (n && !options->shape)
        return nz_fail(err, NWBZ_EINVAL, "an array of %u axes needs a shape", n);
    if (n && options->shard_shape && !options->chunk_shape)
        return nz_fail(err, NWBZ_EINVAL, "shards need a chunk shape");
    meta->n_dims = n;
    meta->sharded = options->shard_shape != NULL;
    if (n == 0)
        return NWBZ_OK;
    memcpy(meta->shape, options->shape, n * sizeof *meta->shape);
    if (options->chunk_shape)
        memcpy(meta->piece_shape, options->chunk_shape, n * sizeof *meta->piece_shape);
    else
        nz_default_chunk_shape(n, options->shape,
                               meta->dtype.type == NWBZ_STRING ? TEXT_ELEMENT_BYTES : nwbz_type_size(meta->dtype.type),
                               meta->piece_shape);
    memcpy(meta->object_shape, meta->sharded ? options->shard_shape : meta->piece_shape,
           n * sizeof *meta->object_shape);
    return NWBZ_OK;
}

static nwbz_code take_fill(const nwbz_array_options *options, nz_array_meta *meta, nwbz_error *err)
{
    if (!options->fill_value)
        return NWBZ_OK;
    if (meta->dtype.type != NWBZ_STRING) {
        memcpy(meta->fill_value, options->fill_value, nwbz_type_size(meta->dtype.type));
        if (meta->dtype.type == NWBZ_BOOL && meta->fill_value[0] > 1)
            return nz_fail(err, NWBZ_EINVAL, "the fill value %u is no bool", meta->fill_value[0]);
        return NWBZ_OK;
    }
    const nwbz_string *text = options->fill_value;
    if (text->n_bytes && !nz_utf8_is_valid(text->bytes, text->n_bytes))
        return nz_fail(err, NWBZ_EINVAL, "the fill value is not UTF-8");
    meta->fill_text = nz_strndup(text->n_bytes ? text->bytes : "", text->n_bytes);
    meta->n_fill_text = text->n_bytes;
    return meta->fill_text ? NWBZ_OK : nz_fail_memory(err, text->n_bytes, "a fill value");
}

static nwbz_code take_options(const nwbz_array_options *options, nwbz_array *array, nwbz_error *err)
{
    nz_array_meta *meta = &array->meta;
    if (nwbz_type_size(options->type) == 0)
        return nz_fail(err, NWBZ_EINVAL, "an array needs a type");
    meta->dtype = nz_dtype_of(options->type);
    NZ_TRY(take_shapes(options, meta, err));
    NZ_TRY(nz_grid_check(meta, NWBZ_EINVAL, err));
    NZ_TRY(take_fill(options, meta, err));
    NZ_TRY(nz_attributes_parse(options->attributes_json, &meta->attributes, err));
    NZ_TRY(nz_codec_parse_text(options->codec ? options->codec : "zstd:0", &meta->dtype, options->big_endian,
                               &meta->codecs, err));
    NZ_TRY(index_codecs(meta, err));
    return prepare_new(array, err);
}

nwbz_code nz_array_new(nwbz_store *store, const char *path, const nwbz_array_options *options, nwbz_array **array,
                       nwbz_error *err)
{
    nwbz_array_options own = NWBZ_ARRAY_OPTIONS_INIT;
    *array = NULL;
    if (!options || options->struct_size < sizeof own.struct_size)
        return array_where(store, path, nz_fail(err, NWBZ_EINVAL, "options must begin as NWBZ_ARRAY_OPTIONS_INIT"),
                           err);
    memcpy(&own, options, nz_min(options->struct_size, sizeof own)); /* a caller of an older version has fewer fields */
    nwbz_array *new = NULL;
    nwbz_code code = new_blank(store, path, &new, err);
    if (code == NWBZ_OK)
        code = take_options(&own, new, err);
    if (code != NWBZ_OK) {
        nwbz_array_close(new);
        return array_where(store, path, code, err);
    }
    *array = new;
    return NWBZ_OK;
}

/* ---- from metadata ---- */

static nwbz_code take_meta(nwbz_array *array, nwbz_error *err)
{
    nz_array_meta *meta = &array->meta;
    if (nz_dtype_bytes(&meta->dtype) == 0)
        return nz_fail(err, NWBZ_EINVAL, "an array needs a type");
    if (meta->n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "%u axes, of at most %d", meta->n_dims, NWBZ_MAX_DIMS);
    if (!meta->codecs)
        return nz_fail(err, NWBZ_EINVAL, "an array needs codecs");
    NZ_TRY(nz_grid_check(meta, NWBZ_EINVAL, err));
    if (!meta->attributes && !(meta->attributes = nz_json_new_object()))
        return nz_fail_memory(err, 64, "attributes");
    if (!meta->index_codecs)
        NZ_TRY(index_codecs(meta, err));
    return prepare_new(array, err);
}

nwbz_code nz_array_new_of_meta(nwbz_store *store, const char *path, nz_array_meta *meta, nwbz_array **array,
                               nwbz_error *err)
{
    nwbz_array *new = NULL;
    nwbz_code code = new_blank(store, path, &new, err);
    if (code == NWBZ_OK) {
        new->meta = *meta;
        *meta = (nz_array_meta)NZ_ARRAY_META_INIT;
        code = take_meta(new, err);
    }
    nz_array_meta_done(meta);
    if (code != NWBZ_OK) {
        nwbz_array_close(new);
        new = NULL;
    }
    *array = new;
    return array_where(store, path, code, err);
}

/* ---- from a document ---- */

nwbz_code nz_array_of_document_to_list(nwbz_store *store, const char *path, const nz_json *document, nwbz_array **array,
                                       nwbz_error *err)
{
    nwbz_code code = new_blank(store, path, array, err);
    if (code == NWBZ_OK)
        code = nz_array_meta_parse(document, &(*array)->meta, err);
    if (code == NWBZ_OK)
        code = prepare(*array, err);
    nwbz_code texts = *array ? make_texts(*array, code == NWBZ_OK ? err : NULL) : NWBZ_OK;
    return array_where(store, path, code != NWBZ_OK ? code : texts, err);
}

nwbz_code nz_array_of_document(nwbz_store *store, const char *path, const nz_json *document, nwbz_array **array,
                               nwbz_error *err)
{
    nwbz_code code = nz_array_of_document_to_list(store, path, document, array, err);
    if (code != NWBZ_OK) {
        nwbz_array_close(*array);
        *array = NULL;
    }
    return code;
}

/* ---- looking ---- */

uint64_t nz_array_piece_bytes(const nwbz_array *array)
{
    return nz_grid_piece_bytes(&array->meta);
}

uint64_t nz_array_pieces_per_object(const nwbz_array *array)
{
    return nz_grid_pieces(&array->meta);
}

const void *nz_array_fill_element(const nwbz_array *array)
{
    const nz_array_meta *meta = &array->meta;
    if (meta->dtype.type == NWBZ_STRING)
        return &array->fill_string;
    return nwbz_type_size(meta->dtype.type) ? meta->fill_value : meta->fill_bytes;
}

char *nz_array_object_key(const nwbz_array *array, const uint64_t *index)
{
    return nz_object_key_of(key_of(array), &array->meta, index);
}

void nwbz_array_get_info(const nwbz_array *array, nwbz_array_info *info)
{
    const nz_array_meta *meta = &array->meta;
    bool has_chunks = meta->n_dims == 0 || meta->piece_shape[0] > 0; /* an array that is only listed may lack them */
    *info = (nwbz_array_info){ .type = meta->dtype.type,
                               .n_dims = meta->n_dims,
                               .shape = meta->shape,
                               .chunk_shape = has_chunks ? meta->piece_shape : NULL,
                               .shard_shape = meta->sharded ? meta->object_shape : NULL,
                               .fill_value = nz_array_fill_element(array),
                               .codec = array->codec_text ? array->codec_text : "",
                               .attributes_json = array->attributes_text ? array->attributes_text : "{}",
                               .zarr_format = meta->zarr_format,
                               .element_bytes = (size_t)nz_dtype_bytes(&meta->dtype),
                               .data_type_json = array->type_text ? array->type_text : "",
                               .fill_value_json = array->fill_value_text ? array->fill_value_text : "" };
}

nwbz_code nwbz_array_format_element(const nwbz_array *array, const void *element, nwbz_element_style style, char **text,
                                    nwbz_error *err)
{
    nz_buffer out = NZ_BUFFER_INIT(SIZE_MAX / 2);
    *text = NULL;
    nwbz_code code = nz_element_add(&array->meta.dtype, element, style, &out, err);
    if (code == NWBZ_OK)
        *text = out.bytes;
    else
        nz_buffer_done(&out);
    return array_where(array->store, array->path, code, err);
}

/* ---- in the store ---- */

nwbz_code nz_array_put_document(const nwbz_array *array, nwbz_error *err)
{
    nz_json *document = NULL;
    nwbz_code code = nz_array_meta_format(&array->meta, &document, err);
    if (code == NWBZ_OK)
        code = nz_document_put(array->store, key_of(array), document, err);
    nz_json_free(document);
    return array_where(array->store, array->path, code, err);
}

static nwbz_code refuse_existing(const nwbz_array *array, nwbz_error *err)
{
    bool exists;
    NZ_TRY(nz_document_exists(array->store, key_of(array), &exists, err));
    return exists ? nz_fail(err, NWBZ_EEXIST, "a group or array is already there") : NWBZ_OK;
}

nwbz_code nwbz_array_create(nwbz_store *store, const char *path, const nwbz_array_options *options, nwbz_array **array,
                            nwbz_error *err)
{
    nwbz_array *new = NULL;
    *array = NULL;
    NZ_TRY(nz_array_new(store, path, options, &new, err));
    nwbz_code code = refuse_existing(new, err);
    if (code == NWBZ_OK)
        code = nz_group_put_parents(store, key_of(new), err);
    if (code == NWBZ_OK)
        code = nz_array_put_document(new, err);
    if (code != NWBZ_OK) {
        nwbz_array_close(new);
        return array_where(store, path, code, err);
    }
    *array = new;
    return NWBZ_OK;
}

/* NWBZ_ENOTFOUND when the document is that of a group. */
static nwbz_code check_array(const nz_json *document, nwbz_error *err)
{
    bool is_group;
    NZ_TRY(nz_document_is_group(document, &is_group, err));
    return is_group ? nz_fail(err, NWBZ_ENOTFOUND, "a group is there, not an array") : NWBZ_OK;
}

nwbz_code nwbz_array_open(nwbz_store *store, const char *path, nwbz_array **array, nwbz_error *err)
{
    char *key = NULL;
    nz_json *document = NULL;
    *array = NULL;
    nwbz_code code = nz_path_key(path, &key, err);
    if (code == NWBZ_OK)
        code = nz_document_get(store, key, &document, err);
    if (code == NWBZ_OK)
        code = check_array(document, err);
    if (code == NWBZ_OK)
        code = nz_array_of_document(store, path, document, array, err);
    nz_json_free(document);
    nz_free(key);
    return array_where(store, path, code, err);
}
