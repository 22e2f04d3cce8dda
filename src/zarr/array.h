/* An array in a store: its document, and its objects and pieces.
 *
 *   object (chunk or shard file) = pieces (chunks or inner chunks), each through the chain
 *
 * A piece's place is its index in the grid of pieces; an object's, its index in the grid of objects.  No threads here:
 * callers may use one array on many threads, each with its own worker.
 */
#ifndef NZ_ZARR_ARRAY_H
#define NZ_ZARR_ARRAY_H

#include "model/box.h"
#include "store/store.h"
#include "zarr/metadata.h"

#include <nwbz/array.h>

struct nwbz_array {
    nwbz_store *store; /* borrowed */
    char *path;        /* absolute: "/acquisition/ts/data" */
    nz_array_meta meta;
    nz_chain *chain;                    /* of the pieces */
    nz_chain *index_chain;              /* of the shard index; NULL: no shards */
    nwbz_string fill_string;            /* meta.fill_text as an element */
    char *codec_text, *attributes_text, *type_text, *fill_value_text; /* for nwbz_array_get_info() */
    void *append;                       /* engine's, while rows wait; freed by append_free */
    void (*append_free)(void *);
};

/* Make the array object of `options` without touching the store (no document yet); checks all that nwbz_array_create()
 * promises. */
nwbz_code nz_array_new(nwbz_store *store, const char *path, const nwbz_array_options *options, nwbz_array **array,
                       nwbz_error *err);

/* Make it of `meta`, which is moved (and emptied), also on failure, and whose codecs are put into full form; no document is written. */
nwbz_code nz_array_new_of_meta(nwbz_store *store, const char *path, nz_array_meta *meta, nwbz_array **array, nwbz_error *err);

/* Make it of a parsed document (shared).  The second leaves *array also where it fails, holding what was read until
 * then: for listing only. */
nwbz_code nz_array_of_document(nwbz_store *store, const char *path, const nz_json *document, nwbz_array **array,
                               nwbz_error *err);
nwbz_code nz_array_of_document_to_list(nwbz_store *store, const char *path, const nz_json *document, nwbz_array **array,
                                       nwbz_error *err);

/* Write the document at its key (PATH/zarr.json), with `meta.shape` as it is now. */
nwbz_code nz_array_put_document(const nwbz_array *array, nwbz_error *err);

/* The bytes of one piece in memory (nwbz_string elements for text), and the pieces in one object. */
uint64_t nz_array_piece_bytes(const nwbz_array *array);
uint64_t nz_array_pieces_per_object(const nwbz_array *array);

/* One piece's fill value as an element (a nwbz_string for text), valid as long as the array. */
const void *nz_array_fill_element(const nwbz_array *array);

/* Format the key of the object at `index` into new memory ("acquisition/ts/data/c/0/1"; a scalar's is ".../c"). */
char *nz_array_object_key(const nwbz_array *array, const uint64_t *index);

/* ---- writing objects ---- */

typedef struct nz_object nz_object;

/* Begin the object at `index`.  `n_pieces` positions in it are counted in C order of the object's inner grid. */
nwbz_code nz_object_begin(nwbz_array *array, const uint64_t *index, nz_object **object, nwbz_error *err);

/* Add an encoded piece at its position, in ascending order; positions left out read as fill value. */
nwbz_code nz_object_add(nz_object *object, uint64_t position, const void *bytes, size_t n, nwbz_error *err);

/* Finish: write the shard index where there is one.  An object without pieces is not stored (and one that was there
 * before is removed): *n_bytes 0. crc is the CRC-32C of all stored bytes.  Frees the object, also on failure. */
nwbz_code nz_object_finish(nz_object *object, uint64_t *n_bytes, uint32_t *crc, nwbz_error *err);

/* Drop it; nothing was stored.  NULL is fine. */
void nz_object_abort(nz_object *object);

/*
 * Store the object at `index` of an array of text.  `elements` are those of `box`, the part of the object that lies in the array, in C order.
 * *n_bytes 0: nothing but fill value, not stored.  NWBZ_EINVAL: another box, or an element that is not UTF-8 (named).
 */
nwbz_code nz_array_put_strings(nwbz_array *array, const uint64_t *index, const nz_box *box, const nwbz_string *elements, uint64_t *n_bytes,
                               uint32_t *crc, nwbz_error *err);

/* Say whether the stored object at `index` has this size and CRC-32C (n_bytes 0: is absent). */
nwbz_code nz_array_object_check(const nwbz_array *array, const uint64_t *index, uint64_t n_bytes, uint32_t crc, bool *same, nwbz_error *err);

/* ---- reading pieces ---- */

/* One per thread: the chain's contexts, the bytes read, and the index of the shard last used. */
typedef struct nz_array_reader nz_array_reader;
nwbz_code nz_array_reader_new(const nwbz_array *array, nz_array_reader **reader, nwbz_error *err);
void nz_array_reader_free(nz_array_reader *reader);

/* Memory that a reader takes, for the budget. */
uint64_t nz_array_reader_bytes(const nwbz_array *array);

/* Fetch the stored bytes of the piece at `index` as they are, valid until the reader's next call; *bytes NULL: it is not stored. */
nwbz_code nz_array_read_stored(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, const void **bytes, size_t *n_bytes,
                               nwbz_error *err);

/*
 * Decode the piece at `index` (in the grid of pieces) into `elements` (a whole piece; a missing one is filled with the
 * fill value). Text points into the reader, until its next call, or into the array (fill value). Errors name the chunk
 * in err->where: "STORE:/path chunk 0/3" ("... shard 0/1 chunk 2" for inner ones).
 */
nwbz_code nz_array_read_piece(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, void *elements,
                              nwbz_error *err);

#endif
