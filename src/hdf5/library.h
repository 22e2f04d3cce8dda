/* The HDF5 library behind one lock, and its errors in ours.  For this folder alone. */
#ifndef NZ_HDF5_LIBRARY_H
#define NZ_HDF5_LIBRARY_H

#include "hdf5/dataset.h"

#include <hdf5.h>

struct nz_hdf5_file {
    char *path;
    int descriptor; /* ours; the library has one of its own */
    hid_t id;
};

/* Calls of the library, all that belong together. */
typedef nwbz_code (*nz_hdf5_work)(void *argument, nwbz_error *err);

/*
 * Run `work` under the lock, with the library's own printing of errors off; it is as before when this returns.
 * Not to be called within itself.  Returns what `work` returns.
 */
nwbz_code nz_hdf5_run(nz_hdf5_work work, void *argument, nwbz_error *err);

/*
 * Fail because a call of the library failed: the message, what to do where that is known, and the innermost text of the
 * library's error stack.  Within `work`, right after the call, since the next one clears the stack.
 */
nwbz_code nz_hdf5_fail(nwbz_error *err, nwbz_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Find our type for one of the library's, and the type to read it as: the same with little-endian bytes.
 * Ownership: *memory_type is the caller's (H5Tclose).  Returns NWBZ_EUNSUPPORTED naming the class, or NWBZ_ESOURCE.
 */
nwbz_code nz_hdf5_type_of(hid_t file_type, nwbz_type *type, hid_t *memory_type, nwbz_error *err);

#endif
