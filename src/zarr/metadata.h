/* What a node's document says: one struct for arrays of both Zarr versions (v2 later), parsed from and formatted to
 * zarr.json. */
#ifndef NZ_ZARR_METADATA_H
#define NZ_ZARR_METADATA_H

#include "base/json.h"
#include "codec/chain.h"
#include "model/dtype.h"

typedef struct nz_array_meta {
    nz_dtype dtype;
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];
    uint64_t piece_shape[NWBZ_MAX_DIMS];  /* what is encoded: the chunk, or the inner chunk of a shard */
    uint64_t object_shape[NWBZ_MAX_DIMS]; /* what is stored: the chunk, or the shard */
    bool sharded, index_at_end;
    char separator;               /* '/' or '.' */
    bool v2_keys;                 /* chunk_key_encoding "v2": no "c" in front */
    unsigned char fill_value[16]; /* one element; text: fill_text; records, UTF-32 and raw bytes: fill_bytes */
    void *fill_bytes;             /* dtype.element_bytes; NULL: zeros (or another type) */
    char *fill_text;              /* of NWBZ_STRING; not NULL */
    size_t n_fill_text;
    nz_json *codecs;       /* of the pieces */
    nz_json *index_codecs; /* of the shard index; NULL: no shards */
    nz_json *attributes;   /* an object, never NULL in a parsed document */
    nz_json *others; /* members of a parsed document that are kept but not read (dimension_names, ...); NULL: none */
    int zarr_format; /* 3 */
} nz_array_meta;

#define NZ_ARRAY_META_INIT                                                                                             \
    {                                                                                                                  \
        .dtype = NZ_DTYPE_INIT, .separator = '/', .index_at_end = true, .zarr_format = 3                               \
    }

/* Free what it points to and make it empty again. */
void nz_array_meta_done(nz_array_meta *meta);

/*
 * Parse an array's document (docs/ON-DISK.md sections 2, 11 and 17 for what is accepted).
 * Returns NWBZ_EFORMAT (not sound: names the member), NWBZ_EUNSUPPORTED (sound, but a dtype, grid, codec or storage
 * transformer that we do not have: names it). NWBZ_ELIMIT: a chunk whose bytes, or a shard whose index, cannot be held.
 * Nested shards, rectilinear grids and transpose are unsupported for now. On failure *meta holds what was read until
 * then (shape first), for those who only list; nz_array_meta_done() in both cases.
 */
nwbz_code nz_array_meta_parse(const nz_json *document, nz_array_meta *meta, nwbz_error *err);

/* Make the document, with the keys of ON-DISK.md section 2, in that order, and no others. */
nwbz_code nz_array_meta_format(const nz_array_meta *meta, nz_json **document, nwbz_error *err);

/* Make a group's document ({"attributes", "zarr_format", "node_type"}); `attributes` (NULL: empty) is shared. */
nwbz_code nz_group_meta_format(const nz_json *attributes, nz_json **document, nwbz_error *err);

/* Parse and format a fill value as JSON (integers exact; "NaN", "Infinity", "0x7ff8..." ; complex as two; ON-DISK.md
 * section 11; records as objects, UTF-32 as text, raw bytes in base64).  A negative value for an unsigned type, or one
 * out of range, is NWBZ_EFORMAT; so is UTF-32 that is no text, when it is formatted. */
nwbz_code nz_fill_value_parse(const nz_json *json, nz_array_meta *meta, nwbz_error *err);
nwbz_code nz_fill_value_format(const nz_array_meta *meta, nz_json **json, nwbz_error *err);

/* Make fill_bytes zeros where the type needs them and they are not there. */
nwbz_code nz_fill_value_room(nz_array_meta *meta, nwbz_error *err);

/* Say whether the document is that of a group.  NWBZ_EFORMAT; NWBZ_EUNSUPPORTED: another Zarr format. */
nwbz_code nz_document_is_group(const nz_json *document, bool *is_group, nwbz_error *err);

/* Default chunk shape: zarr-python's rule, ON-DISK.md section 12 ("Chunks").  element_bytes 16 for text and references.
 */
void nz_default_chunk_shape(unsigned n_dims, const uint64_t *shape, uint64_t element_bytes, uint64_t *chunk_shape);

#endif
