/* Opening a file.  What a person can mistake (a missing file, a folder, another format) is found here first, since the
 * library says of all of them that it is unable to open the file.
 *
 * Source: HDF5 File Format Specification 3.0, II.A: the signature is at byte 0, 512, 1024 and so on, doubled each time.
 */
#include "hdf5/file.h"

#include "base/file.h"
#include "base/memory.h"
#include "hdf5/library.h"

#include <inttypes.h>
#include <string.h>

enum { READ_ONLY = 0, FIRST_USER_BLOCK = 512 }; /* H5F_ACC_RDONLY is a macro that ends the process over a version */

/* ---- before the library sees it ----------------------------------------------------- */

static nwbz_code find_signature(const nz_hdf5_file *file, uint64_t size_bytes, nwbz_error *err)
{
    static const char signature[8] = "\x89HDF\r\n\x1a\n"; /* without a NUL */
    for (uint64_t at = 0; at < size_bytes; at = at ? at * 2 : FIRST_USER_BLOCK) {
        char bytes[sizeof signature];
        size_t n_read = 0;
        NZ_TRY(nz_file_read_at(file->descriptor, bytes, sizeof bytes, at, &n_read, NWBZ_ESOURCE, file->path, err));
        if (n_read == sizeof bytes && memcmp(bytes, signature, sizeof bytes) == 0)
            return NWBZ_OK;
    }
    if (size_bytes == 0)
        return nz_fail(err, NWBZ_ESOURCE, "is empty, so it is no HDF5 file");
    return nz_fail(err, NWBZ_ESOURCE, "is no HDF5 file: none of its %" PRIu64 " bytes begin HDF5's signature",
                   size_bytes);
}

static nwbz_code look_first(nz_hdf5_file *file, nwbz_error *err)
{
    nz_file_info look = { 0 };
    NZ_TRY(nz_file_open_read(file->path, NWBZ_ESOURCE, &file->descriptor, err));
    NZ_TRY(nz_file_look_fd(file->descriptor, file->path, &look, err));
    if (look.kind == NZ_FILE_FOLDER)
        return nz_fail(err, NWBZ_ESOURCE, "is a folder, not an HDF5 file (a Zarr store is opened as such)");
    if (look.kind != NZ_FILE_REGULAR)
        return nz_fail(err, NWBZ_ESOURCE, "is no regular file");
    return find_signature(file, look.size_bytes, err);
}

/* ---- the library -------------------------------------------------------------------- */

/* STRONG, as h5py opens files: within one library, a file opened twice must be opened alike.  What is closed is what
 * was opened with this id. */
static nwbz_code open_file(void *argument, nwbz_error *err)
{
    nz_hdf5_file *file = argument;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0) {
        nwbz_code code = nz_hdf5_fail(err, NWBZ_ESOURCE, "the HDF5 library does not start");
        if (access >= 0)
            (void)H5Pclose(access);
        return code;
    }
    file->id = H5Fopen(file->path, READ_ONLY, access);
    nwbz_code code = file->id < 0 ? nz_hdf5_fail(err, NWBZ_ESOURCE, "the HDF5 file cannot be opened") : NWBZ_OK;
    (void)H5Pclose(access);
    return code;
}

static nwbz_code close_file(void *argument, nwbz_error *err)
{
    const nz_hdf5_file *file = argument;
    (void)err;
    (void)H5Fclose(file->id); /* nothing was written, so nothing can be lost */
    return NWBZ_OK;
}

/* ---- the file ----------------------------------------------------------------------- */

nwbz_code nz_hdf5_file_open(const char *path, nz_hdf5_file **file, nwbz_error *err)
{
    *file = NULL;
    nz_hdf5_file *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "an HDF5 file");
    self->descriptor = -1;
    self->id = H5I_INVALID_HID;
    self->path = nz_strdup(path);
    nwbz_code code = self->path ? NWBZ_OK : nz_fail_memory(err, strlen(path) + 1, "the path of an HDF5 file");
    if (code == NWBZ_OK)
        code = look_first(self, err);
    if (code == NWBZ_OK)
        code = nz_hdf5_run(open_file, self, err);
    if (code == NWBZ_OK)
        *file = self;
    else
        nz_hdf5_file_close(self);
    return code;
}

const char *nz_hdf5_file_path(const nz_hdf5_file *file)
{
    return file->path;
}

int nz_hdf5_file_descriptor(const nz_hdf5_file *file)
{
    return file->descriptor;
}

void nz_hdf5_file_close(nz_hdf5_file *file)
{
    if (!file)
        return;
    if (file->id >= 0)
        (void)nz_hdf5_run(close_file, file, NULL);
    nz_file_drop(file->descriptor);
    nz_free(file->path);
    nz_free(file);
}
