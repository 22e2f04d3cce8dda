/* Datasets of numbers in an HDF5 file: what they are, and boxes of them read by the HDF5 library.
 *
 *   box  --H5Sselect_hyperslab, H5Dread-->  elements in C order, in the machine's byte order
 */
#ifndef NZ_HDF5_DATASET_H
#define NZ_HDF5_DATASET_H

#include "hdf5/file.h"
#include "model/box.h"

typedef struct nz_hdf5_dataset nz_hdf5_dataset;

typedef struct nz_hdf5_dataset_info {
    nwbz_type type;
    unsigned n_dims; /* 0: a scalar */
    uint64_t shape[NWBZ_MAX_DIMS];
    bool is_chunked;                     /* else contiguous or compact */
    uint64_t chunk_shape[NWBZ_MAX_DIMS]; /* of a chunked one; each 1 or more, and may be longer than the axis */
} nz_hdf5_dataset_info;

/*
 * Open the dataset at `path` ("/acquisition/raw/data"), following links within the file.
 *
 * Types: integers of 8 to 64 bits, IEEE floats of 16 to 64, of either byte order; the enumeration FALSE=0, TRUE=1 of
 * one byte (h5py's bool); the compound of two equal floats r, i (h5py's complex).
 * Ownership: *dataset is the caller's, to be closed before the file, which is borrowed.
 * Returns NWBZ_OK; NWBZ_ESOURCE (no such dataset, not a dataset, damaged); NWBZ_EUNSUPPORTED (another class of types,
 * which it names; a null dataspace; a filter that is not installed, with its number and how to get it; samples that lie
 * in other files: virtual datasets, external storage, external links); NWBZ_ENOMEM.
 */
nwbz_code nz_hdf5_dataset_open(nz_hdf5_file *file, const char *path, nz_hdf5_dataset **dataset, nwbz_error *err);

/* What it is; valid until it is closed. */
const nz_hdf5_dataset_info *nz_hdf5_dataset_look(const nz_hdf5_dataset *dataset);

/*
 * Read `box`, which lies in the dataset, to `elements` as contiguous C order; what was never written is the dataset's
 * fill value.  Returns NWBZ_OK, or NWBZ_ESOURCE with what HDF5 says (a damaged chunk, a bool that is neither 0 nor 1).
 */
nwbz_code nz_hdf5_dataset_read(const nz_hdf5_dataset *dataset, const nz_box *box, void *elements, nwbz_error *err);

/* Memory that the library takes while one chunk is read, for the budget. */
uint64_t nz_hdf5_dataset_read_bytes(const nz_hdf5_dataset *dataset);

/* Close and free.  NULL is fine. */
void nz_hdf5_dataset_close(nz_hdf5_dataset *dataset);

#endif
