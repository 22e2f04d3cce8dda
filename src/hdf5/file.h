/* HDF5 files, opened read-only.
 *
 *   path  --open-->  file  --nz_hdf5_dataset_open-->  dataset  --read-->  box
 *
 * Threads: any; all calls into the HDF5 library wait for one lock of ours, since the library may be built without one.
 * (Another user of the same libhdf5 in this process, outside nwbz, must not be in it at the same time.)
 */
#ifndef NZ_HDF5_FILE_H
#define NZ_HDF5_FILE_H

#include "base/error.h"

typedef struct nz_hdf5_file nz_hdf5_file;

/*
 * Open a file.  Errors do not name it: the caller puts it into err->where.
 *
 * Ownership: *file is the caller's, to be closed after its datasets.
 * Returns NWBZ_OK; NWBZ_ESOURCE (missing, no regular file, no HDF5 signature, truncated, written by a newer HDF5, open
 * elsewhere for writing: the message says what to do, and what HDF5 says); NWBZ_ENOMEM.
 */
nwbz_code nz_hdf5_file_open(const char *path, nz_hdf5_file **file, nwbz_error *err);

/* The path it was opened with, and a descriptor of the file for reading; both valid until it is closed. */
const char *nz_hdf5_file_path(const nz_hdf5_file *file);
int nz_hdf5_file_descriptor(const nz_hdf5_file *file);

/* Close and free.  NULL is fine. */
void nz_hdf5_file_close(nz_hdf5_file *file);

#endif
