/* A piece without shards is the whole value of a key.  Of a shard, the index is read once and kept while pieces of the
 * same shard are asked for (readers walk in order), then exactly the piece's range.  Nothing is allocated by what the
 * bytes claim before it was compared with the size of the object that is really there. */
#include "zarr/reader.h"

#include "base/memory.h"
#include "base/checked.h"
#include "zarr/grid.h"
#include "zarr/key.h"
#include "zarr/shard.h"

#include <inttypes.h>
#include <string.h>

struct nz_array_reader {
    nz_chain_worker *worker, *index_worker;
    nz_buffer encoded, text;
    nwbz_string *strings; /* decoded text elements */
    uint64_t n_strings;
    /* the shard last used */
    nz_shard_entry *entries;
    char *key;
    uint64_t shard[NWBZ_MAX_DIMS];
    bool has_shard, shard_exists;
};

/* The most stored bytes of a piece.  Twice the bound: another encoder may do worse than ours, and a file that claims
 * more is not read into memory. */
static uint64_t most_stored_bytes(const nwbz_array *array)
{
    if (array->meta.dtype.type == NWBZ_STRING)
        return NZ_CODEC_MAX_BYTES;
    uint64_t bound = nz_chain_bound(array->chain, nz_grid_piece_bytes(&array->meta)), most;
    return nz_mul(bound, 2, &most) && nz_add(most, 65536, &most) ? nz_min(most, SIZE_MAX / 2) : SIZE_MAX / 2;
}

nwbz_code nz_array_reader_new(const nwbz_array *array, nz_array_reader **reader, nwbz_error *err)
{
    *reader = nz_calloc(1, sizeof **reader);
    if (!*reader)
        return nz_fail_memory(err, sizeof **reader, "a reader");
    (*reader)->encoded = (nz_buffer)NZ_BUFFER_INIT(most_stored_bytes(array));
    (*reader)->text = (nz_buffer)NZ_BUFFER_INIT(NZ_CODEC_MAX_BYTES);
    nwbz_code code = nz_chain_worker_new(array->chain, &(*reader)->worker, err);
    if (code == NWBZ_OK && array->index_chain)
        code = nz_chain_worker_new(array->index_chain, &(*reader)->index_worker, err);
    if (code != NWBZ_OK) {
        nz_array_reader_free(*reader);
        *reader = NULL;
    }
    return code;
}

void nz_array_reader_free(nz_array_reader *reader)
{
    if (!reader)
        return;
    nz_chain_worker_free(reader->worker);
    nz_chain_worker_free(reader->index_worker);
    nz_buffer_done(&reader->encoded);
    nz_buffer_done(&reader->text);
    nz_free(reader->strings);
    nz_free(reader->entries);
    nz_free(reader->key);
    nz_free(reader);
}

uint64_t nz_array_reader_bytes(const nwbz_array *array)
{
    uint64_t piece = array->meta.dtype.type == NWBZ_STRING ? 0 : nz_grid_piece_bytes(&array->meta);
    uint64_t n =
        sizeof(nz_array_reader) + nz_chain_bound(array->chain, piece) + nz_chain_work_bytes(array->chain, piece);
    return n + (array->index_chain ? 2 * nz_shard_index_bytes(array) : 0);
}

/* Get a value, or a range of it, that may be absent. */
static nwbz_code get_if_there(nwbz_store *store, const char *key, uint64_t offset, size_t n, nz_buffer *out,
                              bool *found, nwbz_error *err)
{
    nwbz_error local = NWBZ_ERROR_INIT;
    nwbz_code code = store->class->get(store, key, offset, false, n, out, &local);
    *found = code != NWBZ_ENOTFOUND;
    if (!*found)
        return NWBZ_OK;
    if (code == NWBZ_ELIMIT)
        return nz_fail(err, NWBZ_EFORMAT,
                       "the chunk is stored in more than %zu bytes, which its shape and codecs cannot need",
                       out->max_bytes);
    if (code != NWBZ_OK && err)
        *err = local;
    return code;
}

/* ---- shards ---- */

static nwbz_code load_index(const nwbz_array *array, nz_array_reader *reader, uint64_t object_bytes, nwbz_error *err)
{
    uint64_t index_bytes = nz_shard_index_bytes(array), n_pieces = nz_grid_pieces(&array->meta);
    if (object_bytes < index_bytes)
        return nz_fail(err, NWBZ_EFORMAT, "the shard has %" PRIu64 " bytes, fewer than the %" PRIu64 " of its index",
                       object_bytes, index_bytes);
    if (!reader->entries && !(reader->entries = nz_shard_entries_new(n_pieces)))
        return nz_fail_memory(err, n_pieces * sizeof *reader->entries, "a shard's index");
    nz_buffer index = NZ_BUFFER_INIT(index_bytes);
    uint64_t offset = array->meta.index_at_end ? object_bytes - index_bytes : 0;
    nwbz_code code = array->store->class->get(array->store, reader->key, offset, false, index_bytes, &index, err);
    if (code == NWBZ_OK)
        code = nz_shard_index_decode(array, reader->index_worker, index.bytes, index.n_bytes, object_bytes,
                                     reader->entries, err);
    nz_buffer_done(&index);
    return code;
}

/* Have the index of the shard at `shard` in the reader. */
static nwbz_code use_shard(const nwbz_array *array, nz_array_reader *reader, const uint64_t *shard, nwbz_error *err)
{
    size_t n = array->meta.n_dims * sizeof *shard;
    if (reader->has_shard && memcmp(reader->shard, shard, n) == 0)
        return NWBZ_OK;
    reader->has_shard = false;
    nz_free(reader->key);
    reader->key = nz_array_object_key(array, shard);
    if (!reader->key)
        return nz_fail_memory(err, 64, "a key");
    memcpy(reader->shard, shard, n);
    nwbz_error local = NWBZ_ERROR_INIT;
    uint64_t object_bytes = 0;
    nwbz_code code = array->store->class->size(array->store, reader->key, &object_bytes, &local);
    reader->shard_exists = code != NWBZ_ENOTFOUND;
    if (code != NWBZ_OK && reader->shard_exists) {
        if (err)
            *err = local;
        return code;
    }
    if (reader->shard_exists)
        NZ_TRY(load_index(array, reader, object_bytes, err));
    reader->has_shard = true;
    return NWBZ_OK;
}

/* Split the index of a piece into that of its object and that within the object. */
static void split_index(const nwbz_array *array, const uint64_t *index, uint64_t *object, uint64_t *inner)
{
    uint64_t counts[NWBZ_MAX_DIMS];
    nz_grid_inner_counts(&array->meta, counts);
    for (unsigned d = 0; d < array->meta.n_dims; d++) {
        object[d] = index[d] / counts[d];
        inner[d] = index[d] % counts[d];
    }
}

static nwbz_code fetch_inner(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, bool *found,
                             nwbz_error *err)
{
    uint64_t object[NWBZ_MAX_DIMS] = { 0 }, inner[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS];
    split_index(array, index, object, inner);
    nz_grid_inner_counts(&array->meta, counts);
    NZ_TRY(use_shard(array, reader, object, err));
    *found = false;
    if (!reader->shard_exists)
        return NWBZ_OK;
    nz_shard_entry entry = reader->entries[nz_position_of(array->meta.n_dims, counts, inner)];
    if (entry.offset == NZ_SHARD_ABSENT)
        return NWBZ_OK;
    NZ_TRY(get_if_there(array->store, reader->key, entry.offset, entry.n_bytes, &reader->encoded, found, err));
    if (!*found)
        return nz_fail(err, NWBZ_EFORMAT, "the shard went away while it was read");
    return NWBZ_OK;
}

/* ---- pieces ---- */

nwbz_code nz_reader_where(const nwbz_array *array, const uint64_t *index, nwbz_code code, nwbz_error *err)
{
    if (code == NWBZ_OK)
        return code;
    char text[NZ_INDEX_ROOM], inner_text[NZ_INDEX_ROOM];
    uint64_t object[NWBZ_MAX_DIMS], inner[NWBZ_MAX_DIMS];
    unsigned n_dims = array->meta.n_dims;
    split_index(array, index, object, inner);
    nz_index_text(n_dims, object, '/', text);
    nz_index_text(n_dims, inner, '/', inner_text);
    if (array->meta.sharded)
        return nz_where(err, code, "%s:%s shard %s chunk %s", array->store->name, array->path, n_dims ? text : "0",
                        n_dims ? inner_text : "0");
    return nz_where(err, code, "%s:%s chunk %s", array->store->name, array->path, n_dims ? text : "0");
}

nwbz_code nz_reader_fetch(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, bool *found,
                          nwbz_error *err)
{
    if (array->meta.sharded)
        return fetch_inner(array, reader, index, found, err);
    char *key = nz_array_object_key(array, index);
    if (!key)
        return nz_fail_memory(err, 64, "a key");
    nwbz_code code = get_if_there(array->store, key, 0, SIZE_MAX, &reader->encoded, found, err);
    nz_free(key);
    return code;
}

nwbz_code nz_array_read_stored(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index,
                               const void **bytes, size_t *n_bytes, nwbz_error *err)
{
    bool found = false;
    *bytes = NULL;
    *n_bytes = 0;
    NZ_TRY(nz_reader_where(array, index, nz_reader_fetch(array, reader, index, &found, err), err));
    if (!found)
        return NWBZ_OK;
    *bytes = reader->encoded.n_bytes ? reader->encoded.bytes : "";
    *n_bytes = reader->encoded.n_bytes;
    return NWBZ_OK;
}

nwbz_code nz_reader_decode_text(const nwbz_array *array, nz_array_reader *reader, uint64_t n,
                                const nwbz_string **elements, nwbz_error *err)
{
    reader->text.n_bytes = 0;
    NZ_TRY(nz_chain_decode_text(array->chain, reader->worker, reader->encoded.bytes, reader->encoded.n_bytes,
                                NZ_CODEC_MAX_BYTES, &reader->text, err));
    if (reader->text.n_bytes / 4 < n)
        return nz_fail(err, NWBZ_EFORMAT, "the chunk decodes to %zu bytes, too few for %" PRIu64 " texts",
                       reader->text.n_bytes, n);
    if (reader->n_strings < n) {
        nz_free(reader->strings);
        reader->n_strings = 0;
        reader->strings = nz_calloc(n, sizeof *reader->strings);
        if (!reader->strings)
            return nz_fail_memory(err, n * sizeof *reader->strings, "texts");
        reader->n_strings = n;
    }
    *elements = reader->strings;
    return nz_vlen_utf8_decode(reader->text.bytes, reader->text.n_bytes, n, reader->strings, err);
}

static nwbz_code read_piece(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, void *elements,
                            nwbz_error *err)
{
    size_t element_bytes = (size_t)nz_dtype_bytes(&array->meta.dtype);
    uint64_t n_bytes = nz_grid_piece_bytes(&array->meta), n = n_bytes / element_bytes;
    bool found;
    NZ_TRY(nz_reader_fetch(array, reader, index, &found, err));
    if (!found) {
        nz_elements_set(elements, nz_array_fill_element(array), element_bytes, n);
        return NWBZ_OK;
    }
    if (array->meta.dtype.type != NWBZ_STRING)
        return nz_chain_decode(array->chain, reader->worker, reader->encoded.bytes, reader->encoded.n_bytes, elements,
                               n_bytes, err);
    const nwbz_string *texts;
    NZ_TRY(nz_reader_decode_text(array, reader, n, &texts, err));
    memcpy(elements, texts, n_bytes);
    return NWBZ_OK;
}

nwbz_code nz_array_read_piece(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, void *elements,
                              nwbz_error *err)
{
    return nz_reader_where(array, index, read_piece(array, reader, index, elements, err), err);
}
