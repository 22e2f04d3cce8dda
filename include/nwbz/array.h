/* Groups and arrays in a store, and filling, reading and appending in parallel.
 *
 *   nwbz_source  --read-->  box  --encode-->  chunk  --put-->  nwbz_store
 *
 * Shapes count elements, outermost dimension first, C order: the data of an ElectricalSeries is { samples, channels }.
 * A path is absolute ("/acquisition/ts/data"); "/" is the root.  Attributes are JSON text, one object.
 */
#ifndef NWBZ_ARRAY_H
#define NWBZ_ARRAY_H

#include <nwbz/source.h>
#include <nwbz/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nwbz_array nwbz_array;

/* ---- Create and open ----------------------------------------------------------- */

/* Create the group at `path` (parents too, where absent) with `attributes_json` (NULL: none).  NWBZ_EEXIST: an array is there. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_group_create(nwbz_store *store, const char *path, const char *attributes_json, nwbz_error *err);

/* What array to create.  Zero means "default" for every field. */
typedef struct nwbz_array_options {
    size_t struct_size;          /* set by NWBZ_ARRAY_OPTIONS_INIT */
    nwbz_type type;              /* required */
    unsigned n_dims;             /* 0: a scalar */
    const uint64_t *shape;       /* required where n_dims > 0; an axis may be 0 */
    const uint64_t *chunk_shape; /* each 1 or more; NULL: zarr-python's default shape (docs/ON-DISK.md, "Chunks") */
    const uint64_t *shard_shape; /* multiples of chunk_shape; NULL: no shards */
    const void *fill_value;      /* one element; NULL: 0, false, "" */
    const char *codec;           /* "blosc:zstd:1:bitshuffle", "zstd:3", "gzip:5", "none"; several with "+", as "zstd:3+crc32c" and
                                    "numcodecs.shuffle:2+numcodecs.zlib:4" (docs/codecs.md); NULL: hdmf-zarr's default, "zstd:0" */
    bool big_endian;             /* of the stored bytes */
    const char *attributes_json; /* NULL: none */
} nwbz_array_options;

#define NWBZ_ARRAY_OPTIONS_INIT { sizeof(nwbz_array_options), NWBZ_TYPE_NONE, 0, 0, 0, 0, 0, 0, false, 0 }

/*
 * Create an array (its document, parents where absent; no chunks yet): what is never written reads as the fill value.
 *
 * Ownership: *array is the caller's, to be closed before the store.
 * Returns NWBZ_OK; NWBZ_EINVAL (shapes, codec text); NWBZ_ELIMIT (a chunk over what its codec can take: both numbers); NWBZ_EEXIST.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_create(nwbz_store *store, const char *path, const nwbz_array_options *options,
                                                     nwbz_array **array, nwbz_error *err);

/* Open the array at `path`.  NWBZ_ENOTFOUND, NWBZ_EFORMAT (damaged document), NWBZ_EUNSUPPORTED (names the dtype or codec). */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_open(nwbz_store *store, const char *path, nwbz_array **array, nwbz_error *err);

/* Close and free.  NULL is fine. */
NWBZ_API void nwbz_array_close(nwbz_array *array);

/* What an array is; pointers are valid until it is closed. */
typedef struct nwbz_array_info {
    nwbz_type type;
    unsigned n_dims;
    const uint64_t *shape;
    const uint64_t *chunk_shape;
    const uint64_t *shard_shape; /* NULL: no shards */
    const void *fill_value;      /* one element; NULL: of an array that is only listed, because it cannot be read */
    const char *codec;           /* short text, as nwbz_array_options takes it where it can say all */
    const char *attributes_json;
    int zarr_format;
    size_t element_bytes;        /* in memory: nwbz_type_size(type), or the array's own for records, fixed_length_utf32 and raw_bytes */
    const char *data_type_json;  /* as it stands in the document: "\"int16\"", or the object that lists the fields of a record */
    const char *fill_value_json; /* the same of the fill value: "0", "\"NaN\"", an object for a record; "" where fill_value is not known */
} nwbz_array_info;

/* Say what the array is. */
NWBZ_API void nwbz_array_get_info(const nwbz_array *array, nwbz_array_info *info);

/*
 * Format one element of an array of any type: as nwbz_element_format() does; records are JSON objects in either style, fixed_length_utf32 is
 * text, raw_bytes base64 (both quoted in JSON).
 *
 * Ownership: *text is the caller's, to be given to nwbz_free().
 * Returns NWBZ_OK; NWBZ_EFORMAT: text of fixed width that holds what is no character; NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_format_element(const nwbz_array *array, const void *element, nwbz_element_style style,
                                                             char **text, nwbz_error *err);

/* ---- Fill, read, append ------------------------------------------------------------ */

/* Options of nwbz_array_fill(), _read() and _append().  Zero means "default" for every field.  They never change the bytes on disk. */
typedef struct nwbz_fill_options {
    size_t struct_size;          /* set by NWBZ_FILL_OPTIONS_INIT */
    unsigned number_of_jobs;     /* 0: one per usable CPU; 1: only the calling thread */
    uint64_t memory_limit_bytes; /* all buffers in flight together; 0: 1 GiB */
    nwbz_progress_fn on_progress;/* NULL: none; nonzero return cancels */
    void *user;                  /* passed to on_progress, never read */
} nwbz_fill_options;

#define NWBZ_FILL_OPTIONS_INIT { sizeof(nwbz_fill_options), 0, 0, 0, 0 }

/*
 * Read all of `source` and write it to `array`, object by object, in parallel.
 *
 * Shapes:    equal shape and type; where the source's first axis is not known, the array's must be 0 and grows to what came.
 * Ownership: both are borrowed until the call returns; neither is closed.
 * Threads:   on_progress runs on the calling thread only, with no lock held, at most 10 times a second.  All workers have ended on return.
 * On disk:   an object is either absent or whole; objects of nothing but fill value are not stored.  The bytes depend on neither
 *            number_of_jobs nor memory_limit_bytes.  After a failure, objects already written stay.
 * Returns NWBZ_OK; NWBZ_EINVAL (shapes or types differ); NWBZ_ELIMIT (one object needs more than memory_limit_bytes: both numbers);
 * NWBZ_ESOURCE, NWBZ_ECALLBACK (reading failed); NWBZ_EIO, NWBZ_ENOSPACE (writing failed); NWBZ_ECANCELED; NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_fill(nwbz_array *array, nwbz_source *source, const nwbz_fill_options *options,
                                                   nwbz_error *err);

/*
 * Read the box `start` .. `start + shape` into `elements` (C order), decoding chunks in parallel.  Not for NWBZ_STRING.
 *
 * Returns NWBZ_OK; NWBZ_EINVAL (outside the array, or `n_bytes` is not the box's size); NWBZ_EFORMAT (err->where names the chunk);
 * NWBZ_EIO; NWBZ_ECANCELED; NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_read(const nwbz_array *array, const uint64_t *start, const uint64_t *shape, void *elements,
                                                   size_t n_bytes, const nwbz_fill_options *options, nwbz_error *err);

/*
 * Read a box of a NWBZ_STRING array.
 * Ownership: *elements is one allocation (the elements and their text), the caller's, to be given to nwbz_free().
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_read_strings(const nwbz_array *array, const uint64_t *start, const uint64_t *shape,
                                                           nwbz_string **elements, nwbz_error *err);

/* Write all elements of a NWBZ_STRING array (C order, the whole shape).  Text must be UTF-8 (NWBZ_EINVAL names the element). */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_write_strings(nwbz_array *array, const nwbz_string *elements, nwbz_error *err);

/*
 * Push samples: add `n_rows` rows (whole in the other axes) at the end of the first axis.  Rows wait in memory until a row of objects
 * is full, which is then encoded in parallel and stored, and the array's shape grown; nwbz_array_flush() stores what waits.
 *
 * Threads: one caller at a time; workers live within the call.
 * On disk: the document names only rows whose objects are whole.
 * Returns as nwbz_array_fill().
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_append(nwbz_array *array, const void *elements, uint64_t n_rows,
                                                     const nwbz_fill_options *options, nwbz_error *err);

/* Store the rows that wait from nwbz_array_append() and the array's final shape. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_flush(nwbz_array *array, const nwbz_fill_options *options, nwbz_error *err);

/*
 * Make a source of an array of numbers, to fill another one: nwbz_source_shape() is its shape now; rows that wait from nwbz_array_append()
 * are not in it.
 *
 * Ownership: the array is borrowed until the source is closed.  Threads: any number of readers.
 * Returns NWBZ_OK; NWBZ_EINVAL (text, which is read with nwbz_array_read_strings()); NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_new_array(const nwbz_array *array, nwbz_source **source, nwbz_error *err);

/* ---- Look ---------------------------------------------------------------------------- */

/* One node of a store's tree; pointers are valid during the callback. */
typedef struct nwbz_entry {
    const char *path;            /* "/acquisition/ts" */
    bool is_array;
    const char *attributes_json;
    nwbz_array_info array;       /* where is_array */
    const char *unsupported;     /* why the array cannot be read by this version; NULL: it can */
} nwbz_entry;

/* Called once a node, in the order of paths.  Nonzero stops: nwbz_list() then returns NWBZ_ECANCELED. */
typedef int (*nwbz_entry_fn)(const nwbz_entry *entry, void *user);

/* Visit `path` and what lies below it, down to `depth` levels (0: the node alone; UINT32_MAX: all). */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_list(nwbz_store *store, const char *path, uint32_t depth, nwbz_entry_fn on_entry, void *user,
                                             nwbz_error *err);

/* Count the objects stored for the array, and their bytes. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_array_stored(const nwbz_array *array, uint64_t *n_objects, uint64_t *n_bytes, nwbz_error *err);

/* Write the root's document anew with a copy of all metadata below it ("consolidated metadata").  Call it last. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_consolidate(nwbz_store *store, nwbz_error *err);

#ifdef __cplusplus
}
#endif
#endif
