/* An object is made from its pieces in order; a piece from the elements in it, filled up over the array's edge.
 *
 * What costs time for a dozen bytes is not their encoding but what stands ready for it: a zstd context takes longer to make
 * than to use.  So a thread keeps one array of the default layout for each type, which is given another path and shape for
 * each value, and the chains and workers of the last few lists of codecs that callers chose.
 */
#include "hdmf/small.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "model/reference.h"
#include "zarr/grid.h"
#include "zarr/key.h"

#include <inttypes.h>
#include <string.h>

enum {
    N_TYPES = NWBZ_STRING + 1, /* values have one of these */
    N_ENCODERS = 8,            /* lists of codecs that are kept */
    TEXT_ELEMENT_BYTES = 16    /* as zarr-python counts for the default chunks */
};

/* A prepared list of codecs for one type. */
typedef struct encoder {
    nwbz_type type;
    char *codecs; /* as text: the key */
    nz_chain *chain;
    nz_chain_worker *worker;
} encoder;

struct nz_small {
    nwbz_store *store;
    bool verify_crc;
    nwbz_array *arrays[N_TYPES]; /* of the default layout */
    encoder encoders[N_ENCODERS];
    unsigned next; /* the encoder to be replaced */
    nz_buffer key, texts, text, piece, serialised, encoded;
};

/* One value on its way. */
typedef struct writing {
    nz_small *small;
    nwbz_array *array;
    const encoder *encoder;
    const void *elements; /* of the whole shape */
    nz_box whole;
    uint64_t element_bytes;
} writing;

nwbz_code nz_small_new(nwbz_store *store, bool verify_crc, nz_small **small, nwbz_error *err)
{
    *small = nz_calloc(1, sizeof **small);
    if (*small == NULL)
        return nz_fail_memory(err, sizeof **small, "the contexts of small datasets");
    nz_small *new = *small;
    new->store = store;
    new->verify_crc = verify_crc;
    new->key = new->texts = new->text = new->piece = (nz_buffer)NZ_BUFFER_INIT(SIZE_MAX / 4);
    new->serialised = (nz_buffer)NZ_BUFFER_INIT(NZ_CODEC_MAX_BYTES);
    new->encoded = (nz_buffer)NZ_BUFFER_INIT(SIZE_MAX / 4);
    return NWBZ_OK;
}

static void encoder_done(encoder *self)
{
    nz_chain_worker_free(self->worker);
    nz_chain_close(self->chain);
    nz_free(self->codecs);
    *self = (encoder){ NWBZ_TYPE_NONE, NULL, NULL, NULL };
}

void nz_small_free(nz_small *small)
{
    if (small == NULL)
        return;
    for (size_t i = 0; i < N_ENCODERS; i++)
        encoder_done(&small->encoders[i]);
    for (size_t i = 0; i < N_TYPES; i++)
        nwbz_array_close(small->arrays[i]);
    nz_buffer *buffers[] = { &small->key,   &small->texts,      &small->text,
                             &small->piece, &small->serialised, &small->encoded };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        nz_buffer_done(buffers[i]);
    nz_free(small);
}

/* ---- Arrays of the default layout ------------------------------------------------------ */

static nwbz_code make_array(nz_small *small, const char *path, const nz_value *value, nwbz_error *err)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    options.type = value->type;
    options.n_dims = value->n_dims;
    options.shape = value->shape;
    return nz_array_new(small->store, path, &options, &small->arrays[value->type], err);
}

/* Give an array another path; the name is checked as for a new one. */
static nwbz_code move_array(nwbz_array *array, const char *path, nwbz_error *err)
{
    char *key = NULL;
    NZ_TRY(nz_node_key(path, &key, err));
    char *moved = nz_path_of_key(key);
    nz_free(key);
    if (moved == NULL)
        return nz_fail_memory(err, strlen(path), "a path");
    nz_free(array->path);
    array->path = moved;
    return NWBZ_OK;
}

/* Give it another shape.  Its chain stays: the size of a piece is checked when it is encoded. */
static nwbz_code reshape_array(nwbz_array *array, const nz_value *value, nwbz_error *err)
{
    nz_array_meta *meta = &array->meta;
    size_t n_bytes = value->n_dims * sizeof *meta->shape;
    meta->n_dims = value->n_dims;
    if (n_bytes == 0)
        return NWBZ_OK;
    memcpy(meta->shape, value->shape, n_bytes);
    nz_default_chunk_shape(value->n_dims, value->shape,
                           value->type == NWBZ_STRING ? TEXT_ELEMENT_BYTES : nwbz_type_size(value->type),
                           meta->piece_shape);
    memcpy(meta->object_shape, meta->piece_shape, n_bytes);
    return nz_grid_check(meta, NWBZ_EINVAL, err);
}

nwbz_code nz_small_array(nz_small *small, const char *path, const nz_value *value, nwbz_array **array, nwbz_error *err)
{
    *array = NULL;
    if (nwbz_type_size(value->type) == 0)
        return nz_fail(err, NWBZ_EINVAL, "a small dataset of type %s cannot be written", nwbz_type_name(value->type));
    nwbz_array *kept = small->arrays[value->type];
    nwbz_code code = kept != NULL ? move_array(kept, path, err) : make_array(small, path, value, err);
    if (code == NWBZ_OK && kept != NULL)
        code = reshape_array(kept, value, err);
    if (code == NWBZ_OK)
        *array = small->arrays[value->type];
    return nz_where(err, code, "%s:%s", small->store->name, path);
}

/* ---- Encoders ---------------------------------------------------------------------------- */

static nwbz_code make_encoder(encoder *self, const nwbz_array *array, const nz_buffer *key, nwbz_error *err)
{
    encoder_done(self);
    self->codecs = nz_strndup(key->bytes, key->n_bytes);
    if (self->codecs == NULL)
        return nz_fail_memory(err, key->n_bytes, "the codecs of an array");
    self->type = array->meta.dtype.type;
    nwbz_code code = nz_chain_open(array->meta.codecs, &array->meta.dtype, 0, &self->chain, err);
    if (code == NWBZ_OK)
        code = nz_chain_worker_new(self->chain, &self->worker, err);
    if (code != NWBZ_OK)
        encoder_done(self);
    return code;
}

/* Find what encodes the array's pieces, or make it. */
static nwbz_code find_encoder(nz_small *small, const nwbz_array *array, const encoder **found, nwbz_error *err)
{
    small->key.n_bytes = 0;
    NZ_TRY(nz_json_format(array->meta.codecs, &small->key, err));
    for (size_t i = 0; i < N_ENCODERS; i++) {
        const encoder *at = &small->encoders[i];
        *found = at;
        if (at->chain != NULL && at->type == array->meta.dtype.type && strcmp(at->codecs, small->key.bytes) == 0)
            return NWBZ_OK;
    }
    encoder *made = &small->encoders[small->next];
    small->next = (small->next + 1) % N_ENCODERS;
    *found = made;
    return make_encoder(made, array, &small->key, err);
}

/* ---- Pieces ------------------------------------------------------------------------------- */

/* Make room for `n` bytes and say that all of them are there; their content is the caller's next step. */
static nwbz_code set_size(nz_buffer *buffer, uint64_t n, nwbz_error *err)
{
    buffer->n_bytes = 0;
    NZ_TRY(nz_buffer_reserve(buffer, (size_t)n, err));
    buffer->n_bytes = (size_t)n;
    return NWBZ_OK;
}

static bool is_text(const writing *self)
{
    return self->array->meta.dtype.type == NWBZ_STRING;
}

/* Copy the elements of `part` into the piece, filled up over the array's edge: text with "", as other writers do it.
 * *all_fill: those of the part are nothing but fill value. */
static nwbz_code gather(writing *self, const nz_box *piece, const nz_box *part, bool *all_fill, nwbz_error *err)
{
    static const nwbz_string no_text = { "", 0 };
    size_t size = (size_t)self->element_bytes;
    uint64_t n = nz_box_count(piece);
    const void *fill = nz_array_fill_element(self->array), *pad = is_text(self) ? &no_text : fill;
    NZ_TRY(set_size(&self->small->piece, n * size, err)); /* fits: nz_grid_check() */
    void *out = self->small->piece.bytes;
    nz_elements_set(out, fill, size, n);
    nz_box_copy(part, self->elements, &self->whole, out, piece, size);
    *all_fill = nz_elements_are(out, fill, self->array->meta.dtype.type, size, n);
    if (*all_fill || !is_text(self) || nz_box_count(part) == n)
        return NWBZ_OK;
    nz_elements_set(out, pad, size, n);
    nz_box_copy(part, self->elements, &self->whole, out, piece, size);
    return NWBZ_OK;
}

static nwbz_code encode(writing *self, nwbz_error *err)
{
    nz_small *small = self->small;
    const nz_buffer *in = &small->piece;
    size_t n_out = 0;
    if (is_text(self)) {
        small->serialised.n_bytes = 0;
        NZ_TRY(nz_vlen_utf8_encode((const nwbz_string *)(const void *)in->bytes, in->n_bytes / sizeof(nwbz_string),
                                   &small->serialised, err));
        in = &small->serialised;
    }
    uint64_t room = nz_chain_bound(self->encoder->chain, in->n_bytes);
    NZ_TRY(set_size(&small->encoded, room, err));
    NZ_TRY(nz_chain_encode(self->encoder->chain, self->encoder->worker, in->bytes, in->n_bytes, small->encoded.bytes,
                           (size_t)room, &n_out, err));
    small->encoded.n_bytes = n_out;
    return NWBZ_OK;
}

/* Add the piece at `index` of the grid of pieces to its object, if it lies in the array and holds more than fill value. */
static nwbz_code add_piece(writing *self, nz_object *object, uint64_t position, const uint64_t *index, nwbz_error *err)
{
    const nz_array_meta *meta = &self->array->meta;
    nz_box piece, part;
    bool all_fill;
    nz_box_of_shape(&piece, meta->n_dims, meta->piece_shape);
    for (unsigned d = 0; d < meta->n_dims; d++)
        if (!nz_mul(index[d], meta->piece_shape[d], &piece.start[d]))
            return NWBZ_OK; /* past the end of any array */
    if (!nz_box_cut(&piece, &self->whole, &part))
        return NWBZ_OK;
    NZ_TRY(gather(self, &piece, &part, &all_fill, err));
    if (all_fill)
        return NWBZ_OK;
    NZ_TRY(encode(self, err));
    return nz_object_add(object, position, self->small->encoded.bytes, self->small->encoded.n_bytes, err);
}

/* ---- Objects ------------------------------------------------------------------------------- */

/* Read the object back: what another layer lost or changed must not become visible. */
static nwbz_code check_object(const writing *self, const uint64_t *index, uint64_t n_bytes, uint32_t crc,
                              nwbz_error *err)
{
    bool same = false;
    nwbz_code code = nz_array_object_check(self->array, index, n_bytes, crc, &same, err);
    if (code == NWBZ_ENOTFOUND || code == NWBZ_EFORMAT) /* gone, or shorter, since it was looked at */
        same = false;
    else if (code != NWBZ_OK || same)
        return code;
    return nz_fail(err, NWBZ_EIO,
                   "what is read back is not the %" PRIu64 " bytes with CRC-32C %08" PRIx32 " that were written",
                   n_bytes, crc);
}

static nwbz_code put_object(writing *self, const uint64_t *index, uint64_t *stored_bytes, nwbz_error *err)
{
    const nz_array_meta *meta = &self->array->meta;
    uint64_t inner_counts[NWBZ_MAX_DIMS], piece_index[NWBZ_MAX_DIMS], n_bytes = 0;
    uint32_t crc = 0;
    nz_object *object = NULL;
    nz_grid_inner_counts(meta, inner_counts);
    NZ_TRY(nz_object_begin(self->array, index, &object, err));
    for (uint64_t i = 0, n = nz_grid_pieces(meta); i < n; i++) {
        nz_index_of(i, meta->n_dims, inner_counts, piece_index);
        for (unsigned d = 0; d < meta->n_dims; d++)
            piece_index[d] += index[d] * inner_counts[d];
        nwbz_code code = add_piece(self, object, i, piece_index, err);
        if (code != NWBZ_OK) {
            nz_object_abort(object);
            return code;
        }
    }
    NZ_TRY(nz_object_finish(object, &n_bytes, &crc, err));
    *stored_bytes += n_bytes;
    return self->small->verify_crc && n_bytes > 0 ? check_object(self, index, n_bytes, crc, err) : NWBZ_OK;
}

static nwbz_code put_objects(writing *self, uint64_t *stored_bytes, nwbz_error *err)
{
    const nz_array_meta *meta = &self->array->meta;
    uint64_t counts[NWBZ_MAX_DIMS], index[NWBZ_MAX_DIMS], n = 1;
    char text[NZ_INDEX_ROOM];
    nz_grid_counts(meta->n_dims, meta->shape, meta->object_shape, counts);
    for (unsigned d = 0; d < meta->n_dims; d++)
        n *= counts[d]; /* no more objects than elements in memory */
    for (uint64_t i = 0; i < n; i++) {
        nz_index_of(i, meta->n_dims, counts, index);
        nwbz_code code = put_object(self, index, stored_bytes, err);
        if (code == NWBZ_OK)
            continue;
        nz_index_text(meta->n_dims, index, '/', text);
        return nz_where(err, code, "%s:%s %s %s", self->small->store->name, self->array->path,
                        meta->sharded ? "shard" : "chunk", meta->n_dims > 0 ? text : "0");
    }
    return NWBZ_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The elements of references as they are stored: the root is an object in text, and so is a part of a dataset. */
static nwbz_code reference_texts(nz_small *small, const nz_value *value, nwbz_error *err)
{
    static const char root_reference[] = "{\"source\": \".\"}";
    const nwbz_string *paths = value->elements;
    uint64_t n = nz_value_count(value);
    NZ_TRY(set_size(&small->texts, n * sizeof *paths, err)); /* fits: as large as the value */
    nwbz_string *texts = (nwbz_string *)(void *)small->texts.bytes;
    for (uint64_t i = 0; i < n; i++) {
        bool is_root = paths[i].n_bytes == 1 && paths[i].bytes[0] == '/';
        texts[i] = is_root ? (nwbz_string){ root_reference, sizeof root_reference - 1 } : paths[i];
    }
    if (value->region == NULL)
        return NWBZ_OK;
    small->text.n_bytes = 0;
    NZ_TRY(nz_reference_text(paths[0].bytes, value->region, &small->text, err));
    texts[0] = (nwbz_string){ small->text.bytes, small->text.n_bytes };
    return NWBZ_OK;
}

static nwbz_code check_value(const nwbz_array *array, const nz_value *value, nwbz_error *err)
{
    const nz_array_meta *meta = &array->meta;
    bool same = meta->dtype.type == value->type && meta->n_dims == value->n_dims && nwbz_type_size(value->type) > 0;
    for (unsigned d = 0; same && d < value->n_dims; d++)
        same = meta->shape[d] == value->shape[d];
    if (!same)
        return nz_fail(err, NWBZ_EINVAL, "a value of type %s with %u axes does not fit an array of type %s with %u",
                       nwbz_type_name(value->type), value->n_dims, nwbz_type_name(meta->dtype.type), meta->n_dims);
    const nwbz_string *texts = value->elements;
    for (uint64_t i = 0, n = value->type == NWBZ_STRING ? nz_value_count(value) : 0; i < n; i++)
        if (texts[i].n_bytes > 0 && !nz_utf8_is_valid(texts[i].bytes, (size_t)texts[i].n_bytes))
            return nz_fail(err, NWBZ_EINVAL, "element %" PRIu64 " is not UTF-8", i);
    return NWBZ_OK;
}

static nwbz_code put(nz_small *small, nwbz_array *array, const nz_value *value, uint64_t *stored_bytes, nwbz_error *err)
{
    writing self = { .small = small, .array = array, .elements = value->elements };
    NZ_TRY(check_value(array, value, err));
    NZ_TRY(find_encoder(small, array, &self.encoder, err));
    if (value->is_reference) {
        NZ_TRY(reference_texts(small, value, err));
        self.elements = small->texts.bytes;
    }
    self.element_bytes = nwbz_type_size(value->type);
    nz_box_of_shape(&self.whole, value->n_dims, value->shape);
    return put_objects(&self, stored_bytes, err);
}

nwbz_code nz_small_put(nz_small *small, nwbz_array *array, const nz_value *value, uint64_t *stored_bytes,
                       nwbz_error *err)
{
    nwbz_code code = put(small, array, value, stored_bytes, err);
    return nz_where(err, code, "%s:%s", small->store->name, array->path);
}
