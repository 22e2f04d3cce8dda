/* An object goes to the store as its pieces come; only the index is kept until the end.  Where the index stands at the
 * start (arrays of others, grown in place) the pieces wait in memory, since their lengths come first.  The store is not
 * touched before the first piece: an object without pieces must leave nothing. */
#include "zarr/array.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "zarr/grid.h"
#include "zarr/key.h"
#include "zarr/shard.h"

#include <inttypes.h>

struct nz_object {
    nwbz_array *array;
    uint64_t index[NWBZ_MAX_DIMS];
    char *key;
    nz_writer *writer;        /* NULL: nothing was added yet */
    nz_shard_entry *entries;  /* NULL: no shards */
    nz_buffer held;           /* the pieces, where the index stands before them */
    uint64_t n_pieces, next;  /* positions from `next` on may be added */
    uint64_t n_bytes, offset; /* appended to the store; where the next piece begins */
    uint32_t crc;
    bool any;
};

static void object_free(nz_object *object)
{
    if (!object)
        return;
    if (object->writer)
        object->array->store->class->writer_abort(object->writer);
    nz_buffer_done(&object->held);
    nz_free(object->entries);
    nz_free(object->key);
    nz_free(object);
}

/* Say where, for an error of this object. */
static nwbz_code object_where(const nz_object *object, nwbz_code code, nwbz_error *err)
{
    char text[NZ_INDEX_ROOM];
    nz_index_text(object->array->meta.n_dims, object->index, '/', text);
    return nz_where(err, code, "%s:%s %s %s", object->array->store->name, object->array->path,
                    object->entries ? "shard" : "chunk", object->array->meta.n_dims ? text : "0");
}

nwbz_code nz_object_begin(nwbz_array *array, const uint64_t *index, nz_object **object, nwbz_error *err)
{
    *object = NULL;
    nz_object *new = nz_calloc(1, sizeof *new);
    if (!new)
        return nz_fail_memory(err, sizeof *new, "an object");
    new->array = array;
    new->held = (nz_buffer)NZ_BUFFER_INIT(SIZE_MAX / 2);
    for (unsigned d = 0; d < array->meta.n_dims; d++)
        new->index[d] = index[d];
    new->n_pieces = nz_grid_pieces(&array->meta);
    new->key = nz_array_object_key(array, index);
    if (array->meta.sharded) {
        new->entries = nz_shard_entries_new(new->n_pieces);
        new->offset = array->meta.index_at_end ? 0 : nz_shard_index_bytes(array);
    }
    if (!new->key || (array->meta.sharded && !new->entries)) {
        object_free(new);
        return nz_fail_memory(err, 64, "an object");
    }
    *object = new;
    return NWBZ_OK;
}

/* Append to the store's value, counting. */
static nwbz_code append(nz_object *object, const void *bytes, size_t n, nwbz_error *err)
{
    const nz_store_class *class = object->array->store->class;
    if (!object->writer)
        NZ_TRY(class->writer_open(object->array->store, object->key, &object->writer, err));
    NZ_TRY(class->writer_append(object->writer, bytes, n, err));
    object->crc = nz_crc32c(object->crc, bytes, n);
    object->n_bytes += n;
    return NWBZ_OK;
}

static nwbz_code add(nz_object *object, uint64_t position, const void *bytes, size_t n, nwbz_error *err)
{
    if (position < object->next || position >= object->n_pieces)
        return nz_fail(err, NWBZ_EINVAL, "a piece at position %" PRIu64 ", where %" PRIu64 " to %" PRIu64 " may come",
                       position, object->next, object->n_pieces - 1);
    if (object->entries && !object->array->meta.index_at_end)
        NZ_TRY(nz_buffer_add(&object->held, bytes, n, err));
    else
        NZ_TRY(append(object, bytes, n, err));
    if (object->entries)
        object->entries[position] = (nz_shard_entry){ object->offset, n };
    object->offset += n;
    object->next = position + 1;
    object->any = true;
    return NWBZ_OK;
}

nwbz_code nz_object_add(nz_object *object, uint64_t position, const void *bytes, size_t n, nwbz_error *err)
{
    return object_where(object, add(object, position, bytes, n, err), err);
}

static nwbz_code append_index(nz_object *object, nwbz_error *err)
{
    nz_buffer index = NZ_BUFFER_INIT(SIZE_MAX / 2);
    nwbz_code code = nz_shard_index_encode(object->array, object->entries, &index, err);
    if (code == NWBZ_OK)
        code = append(object, index.bytes, index.n_bytes, err);
    nz_buffer_done(&index);
    return code;
}

/* Remove what an earlier run stored under the key: now all of it is fill value. */
static nwbz_code remove_older(nz_object *object, nwbz_error *err)
{
    nwbz_error absent = NWBZ_ERROR_INIT;
    nwbz_code code = object->array->store->class->remove(object->array->store, object->key, &absent);
    if (code == NWBZ_OK || code == NWBZ_ENOTFOUND)
        return NWBZ_OK;
    if (err)
        *err = absent;
    return code;
}

static nwbz_code finish(nz_object *object, nwbz_error *err)
{
    if (!object->any)
        return remove_older(object, err);
    if (object->entries)
        NZ_TRY(append_index(object, err));
    if (object->held.n_bytes)
        NZ_TRY(append(object, object->held.bytes, object->held.n_bytes, err));
    nz_writer *writer = object->writer;
    object->writer = NULL; /* commit frees it, also on failure */
    return object->array->store->class->writer_commit(writer, err);
}

nwbz_code nz_object_finish(nz_object *object, uint64_t *n_bytes, uint32_t *crc, nwbz_error *err)
{
    nwbz_code code = object_where(object, finish(object, err), err);
    *n_bytes = object->n_bytes;
    *crc = object->crc;
    object_free(object);
    return code;
}

void nz_object_abort(nz_object *object)
{
    object_free(object);
}
