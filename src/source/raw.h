/* The raw file as a source, for what builds on it (NPY). */
#ifndef NZ_SOURCE_RAW_H
#define NZ_SOURCE_RAW_H

#include "source/rows.h"

typedef struct nz_raw_source {
    nwbz_source base;
    nz_rows rows;
    char *path;
    int fd;
    bool longer_is_fine; /* the file may go on behind the last element */
} nz_raw_source;

/* The memory of one reader: what is read to be cut. */
#define NZ_RAW_SCRATCH_BYTES ((size_t)256 << 10)

/* nwbz_source_open_raw() that also takes a shape without axes, where `min_dims` is 0. */
nwbz_code nz_raw_open(const char *path, const nwbz_raw_options *options, unsigned min_dims, nwbz_source **source,
                      nwbz_error *err);

/* Read a box: the read_box of the class.  The reader is NZ_RAW_SCRATCH_BYTES of memory. */
nwbz_code nz_raw_read_box(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err);

#endif
