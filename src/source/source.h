/* The source interface: where samples come from.
 *
 * A source is described once per call, then read by up to max_readers threads, each with its own reader.
 */
#ifndef NZ_SOURCE_SOURCE_H
#define NZ_SOURCE_SOURCE_H

#include "base/json.h"
#include "model/box.h"
#include "model/dtype.h"

#include <nwbz/array.h>

typedef struct nz_source_info {
    nwbz_type type;
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];    /* shape[0] may be NWBZ_UNKNOWN_LENGTH (forward sources) */
    uint64_t natural[NWBZ_MAX_DIMS];  /* the box that is best read at once: raw { 1, channels }; a chunk; an iterator's buffer */
    bool whole_boxes;                 /* boxes asked for must be whole cells of the natural grid, cut at the array's edge */
    bool forward;                     /* ... each once, in C order of that grid; implies whole_boxes */
    unsigned max_readers;             /* 0: no limit */
    bool caller_thread_only;          /* implies max_readers 1 */
    uint64_t reader_bytes;            /* memory of one reader, for the budget */
    const char *name;                 /* for errors: the path, "standard input", "memory"; valid until close */
    uint64_t element_bytes;           /* 0: nwbz_type_size(type) */
    uint64_t stored_bound_bytes;      /* of read_stored: the most bytes of one stored chunk that is usual, for the budget */
} nz_source_info;

/* Return the bytes of an element. */
static inline uint64_t nz_source_element_bytes(const nz_source_info *info)
{
    return info->element_bytes ? info->element_bytes : nwbz_type_size(info->type);
}

/* One chunk as it is stored. */
typedef struct nz_stored {
    size_t offset, n_bytes; /* in the buffer */
    bool is_absent;         /* not stored: reads as the fill value */
    bool is_other;          /* stored in another encoding than the others (a filter was left out): to be read by read_box; no bytes */
} nz_stored;

typedef struct nz_source_class {
    /* One per reading thread; NULL functions: none needed. */
    nwbz_code (*reader_new)(nwbz_source *source, void **reader, nwbz_error *err);
    void (*reader_free)(void *reader);
    /* Read `box` to `elements` as contiguous C order.  *n_rows is box->shape[0] on entry; a forward source of unknown
     * length sets it lower at the end. */
    nwbz_code (*read_box)(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows, nwbz_error *err);
    /*
     * Append the stored bytes of `n` chunks, whose indexes in the grid of natural boxes are `indexes` (n * n_dims values), to `out`, and say of each what
     * it is.  Checksums that the source's format adds are verified and left out, so the bytes are those of the chunk's encoding.  Stops early, with *n lower
     * (at least 1), when `out` holds max_bytes or more.  NULL: there are no stored chunks.
     * NWBZ_ESOURCE names the chunk.
     */
    nwbz_code (*read_stored)(nwbz_source *source, void *reader, const uint64_t *indexes, size_t *n, size_t max_bytes, nz_stored *chunks,
                             nz_buffer *out, nwbz_error *err);
    /* Make a JSON object by which a later run knows the same input: path, size_bytes, mtime_ns, crc32c_first and
     * crc32c_last (of 64 KiB each), dtype, big_endian, shape, offset_bytes, channels.  NULL: it cannot be read again. */
    nwbz_code (*identity)(nwbz_source *source, nz_json **identity, nwbz_error *err);
    void (*close)(nwbz_source *source);
} nz_source_class;

/* Every source begins with this. */
struct nwbz_source {
    const nz_source_class *class;
    nz_source_info info;
};

/*
 * Make a source of an array of any type but text; the natural box is a piece, and any box may be asked for (a piece that is not
 * wholly in it is decoded and cut).  Its stored chunks are the pieces as they went through the array's chain.
 *
 * Ownership: the array is borrowed until close.  Threads: any number of readers.
 * Returns NWBZ_EINVAL for text, which is read with nwbz_array_read_strings().
 */
nwbz_code nz_source_of_array(const nwbz_array *array, nwbz_source **source, nwbz_error *err);

/* Make a source of elements of any type of one size in memory, C order, which is borrowed until close.  Errors: nwbz_source_new_memory(). */
nwbz_code nz_source_of_memory(const void *elements, const nz_dtype *dtype, unsigned n_dims, const uint64_t *shape, nwbz_source **source,
                              nwbz_error *err);

/*
 * Make a source of a dataset of numbers or records in an HDF5 file: natural boxes are its chunks, and it gives stored chunks where it is chunked.
 *
 * Ownership: the dataset is borrowed until close; `name` ("FILE:/path") is copied.  Threads: any number of readers, which wait for each other in the library.
 */
struct nz_hdf5_dataset;
nwbz_code nz_source_of_hdf5(struct nz_hdf5_dataset *dataset, const char *name, nwbz_source **source, nwbz_error *err);

#endif
