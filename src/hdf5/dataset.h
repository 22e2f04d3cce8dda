/* Datasets in an HDF5 file: what they are, boxes of them read by the HDF5 library, and their chunks as they are stored.
 *
 *   box    --H5Sselect_hyperslab, H5Dread, conversion-->  elements in C order, in the machine's byte order, as Zarr will hold them
 *   chunk  --H5Dread_chunk, fletcher32 verified and cut-->  stored bytes
 *
 * A dataset is a description without open handles; each thread reads with a reader of its own.
 */
#ifndef NZ_HDF5_DATASET_H
#define NZ_HDF5_DATASET_H

#include "base/buffer.h"
#include "base/json.h"
#include "hdf5/file.h"
#include "model/box.h"
#include "model/dtype.h"

typedef struct nz_hdf5_dataset nz_hdf5_dataset;
typedef struct nz_hdf5_reader nz_hdf5_reader;

enum { NZ_HDF5_MAX_FILTERS = 32, NZ_HDF5_MAX_FILTER_VALUES = 20 };

/* One filter of the pipeline, in the order of writing. */
typedef struct nz_hdf5_filter {
    int id; /* 1 gzip, 2 shuffle, 3 fletcher32, 32001 blosc, 32015 zstd ... */
    unsigned n_values, values[NZ_HDF5_MAX_FILTER_VALUES];
} nz_hdf5_filter;

typedef struct nz_hdf5_dataset_info {
    nz_dtype dtype;            /* of the elements as Zarr will hold them (docs/ON-DISK.md section 4); NWBZ_STRING for text and references */
    unsigned n_dims;           /* 0: a scalar */
    unsigned n_own_dims;       /* axes behind these come from the element: opaque bytes, arrays, rows of varying length */
    uint64_t shape[NWBZ_MAX_DIMS];
    bool is_reference;         /* dtype is NWBZ_STRING, and the elements name objects */
    bool is_written;           /* false: nothing was ever stored; all reads as the fill value, and needs not be read */
    bool is_chunked;           /* else contiguous, compact, virtual or external */
    uint64_t chunk_shape[NWBZ_MAX_DIMS]; /* of a chunked one, with the element's axes whole; each 1 or more, and may be longer than the axis */
    nz_hdf5_filter *filters;
    unsigned n_filters;        /* up to NZ_HDF5_MAX_FILTERS */
    bool stored_as_is;         /* stored elements are, byte for byte, those of Zarr (little-endian, packed, no text): chunks can be copied */
    uint64_t shuffle_bytes;    /* unit that a kept shuffle has in Zarr: the file's element, a record's packed size; 0 for text, references, rows and odd
                                  widths, whose shuffle is not kept */
    bool has_fill;             /* the file gives a fill value (else 0, false, "") */
    void *fill;                /* one element of dtype, zeros without has_fill; text: a nwbz_string */
    bool fill_is_lossy;        /* opaque or array elements whose fill value is no repetition: unwritten chunks must be written out */
    uint64_t n_chunks_stored;  /* of a chunked one; UINT64_MAX: not counted */
} nz_hdf5_dataset_info;

/*
 * Open the dataset of numbers at `path` ("/acquisition/raw/data"), following links within the file, as a source of samples for the engine.
 *
 * Types: those whose elements need nothing but the file: integers, floats, h5py's bool and complex.
 * Ownership: *dataset is the caller's, to be closed before the file, which is borrowed.
 * Returns NWBZ_OK; NWBZ_ESOURCE (no such dataset, not a dataset, damaged); NWBZ_EUNSUPPORTED (another class of types,
 * which it names; a null dataspace; a filter that is not installed, with its number and how to get it; samples that lie
 * in other files: virtual datasets, external storage, external links); NWBZ_ENOMEM.
 */
nwbz_code nz_hdf5_dataset_open(nz_hdf5_file *file, const char *path, nz_hdf5_dataset **dataset, nwbz_error *err);

/* What it is; valid until it is closed. */
const nz_hdf5_dataset_info *nz_hdf5_dataset_look(const nz_hdf5_dataset *dataset);

/* Say whether all filters are there.  NWBZ_EUNSUPPORTED names the first that is not, with its number and how to get it. */
nwbz_code nz_hdf5_dataset_check_filters(const nz_hdf5_dataset *dataset, nwbz_error *err);

/* As nz_hdf5_reader_read(), with the handle that nz_hdf5_dataset_open() keeps. */
nwbz_code nz_hdf5_dataset_read(const nz_hdf5_dataset *dataset, const nz_box *box, void *elements, nwbz_error *err);

/* Memory that the library takes while one chunk is read, for the budget. */
uint64_t nz_hdf5_dataset_read_bytes(const nz_hdf5_dataset *dataset);

/* Close and free.  NULL is fine. */
void nz_hdf5_dataset_close(nz_hdf5_dataset *dataset);

/* ---- reading: one reader per thread ---- */

nwbz_code nz_hdf5_reader_new(const nz_hdf5_dataset *dataset, nz_hdf5_reader **reader, nwbz_error *err);
void nz_hdf5_reader_free(nz_hdf5_reader *reader);

/*
 * Read `box`, which lies in the dataset and has the element's axes whole, to `elements` as contiguous C order; what was never written is the
 * dataset's fill value.  Not for text.  Returns NWBZ_OK, or NWBZ_ESOURCE with what HDF5 says (a damaged chunk, a bool that is neither 0 nor 1).
 */
nwbz_code nz_hdf5_reader_read(nz_hdf5_reader *reader, const nz_box *box, void *elements, nwbz_error *err);

/* Read text or references: *elements is one allocation (nz_free), with the text behind the elements.  NWBZ_ESOURCE names the element that is not UTF-8. */
nwbz_code nz_hdf5_reader_read_strings(nz_hdf5_reader *reader, const nz_box *box, nwbz_string **elements, nwbz_error *err);

/* One chunk as it is stored. */
typedef struct nz_hdf5_stored {
    size_t offset, n_bytes; /* in the buffer, without fletcher32 */
    bool is_absent;         /* never written */
    bool is_other;          /* a filter was left out for it: to be read as a box; no bytes */
} nz_hdf5_stored;

/*
 * (Edge chunks of a dataset whose partial chunks are not filtered, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS, are `is_other` too.)
 *
 * Append the stored bytes of up to *n chunks, whose indexes in the grid of chunks are `indexes` (*n * n_dims values), to `out`; *n becomes how many: fewer,
 * but at least 1, when `out` has reached max_bytes.  One visit to the library.  fletcher32 at the end of the pipeline is verified and cut off.
 * NWBZ_ESOURCE: damaged, or the checksum is wrong; the message names the chunk's index.
 */
nwbz_code nz_hdf5_reader_read_stored(nz_hdf5_reader *reader, const uint64_t *indexes, size_t *n, size_t max_bytes, nz_hdf5_stored *chunks,
                                     nz_buffer *out, nwbz_error *err);

/*
 * List the indexes of the chunks that are stored (n * n_dims values, in C order of the grid), where that is cheaper than asking for each of the grid:
 * *indexes is NULL where it is not (few chunks are missing).  Ownership: nz_free().
 */
nwbz_code nz_hdf5_dataset_list_chunks(const nz_hdf5_dataset *dataset, uint64_t **indexes, uint64_t *n, nwbz_error *err);

#endif
