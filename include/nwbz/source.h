/* Sources: where samples come from.
 *
 *   raw file | NPY | HDF5 | memory | stream | callback | array  --read_box-->  box
 *
 * A source knows its shape and type and reads boxes of it; it never knows where the samples go.
 * Ownership: a source is the caller's, to be closed after the call that used it; paths are copied, memory is borrowed.
 * Threads:   a source is used by one call at a time; within it by many threads, as each constructor says.
 */
#ifndef NWBZ_SOURCE_H
#define NWBZ_SOURCE_H

#include <nwbz/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nwbz_source nwbz_source;

/* Options of nwbz_source_open_raw().  Zero means "default" for every field. */
typedef struct nwbz_raw_options {
    size_t struct_size;         /* set by NWBZ_RAW_OPTIONS_INIT */
    nwbz_type type;             /* required; no NWBZ_STRING */
    bool big_endian;
    unsigned n_dims;            /* required, 1 or more */
    const uint64_t *shape;      /* required, { frames, channels }; shape[0] may be NWBZ_UNKNOWN_LENGTH: from the file's size */
    uint64_t offset_bytes;      /* before the first element */
    const uint64_t *channels;   /* which columns of the last axis, in this order; NULL: all.  Needs n_dims 2 */
    size_t n_channels;
    bool longer_is_fine;        /* the file may go on behind the last element, as a mapped part of it does */
} nwbz_raw_options;

#define NWBZ_RAW_OPTIONS_INIT { sizeof(nwbz_raw_options), NWBZ_TYPE_NONE, false, 0, 0, 0, 0, 0, false }

/*
 * Open a raw binary file: elements in C order, frames outermost.
 *
 * Threads: any number of readers (pread); never memory-mapped, so a file that shrinks is an error and no signal.
 * Returns NWBZ_OK; NWBZ_EINVAL (no type, a channel past the last, a channel twice); NWBZ_ESOURCE (missing, not a regular file, unreadable, or its
 * size is not offset + frames x channels x bytes: the message has both numbers); NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_open_raw(const char *path, const nwbz_raw_options *options, nwbz_source **source,
                                                        nwbz_error *err);

/* Open a NumPy .npy file (format 1 to 3, C order, numbers and bool; either byte order).  NWBZ_ESOURCE, NWBZ_EUNSUPPORTED (Fortran order of
 * more than one axis, other dtypes). */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_open_npy(const char *path, nwbz_source **source, nwbz_error *err);

/*
 * Open the dataset at `dataset` ("/acquisition/raw/data") of an HDF5 file: integers, float16 to float64 (either byte order), h5py's bool
 * (the enumeration FALSE, TRUE) and its complex numbers (the compound r, i).  The natural box is a chunk, or about 1 MiB of a dataset
 * without chunks.  The file is opened read-only and stays open until close; it must not change meanwhile.
 *
 * Threads: one reader, on any thread: the HDF5 library decodes under one lock, which all sources of this process share.
 * Returns NWBZ_OK; NWBZ_ESOURCE (missing, not HDF5, truncated, written by a newer HDF5, open elsewhere for writing, no such dataset: the
 * message says what to do); NWBZ_EUNSUPPORTED (other classes of types, a filter that is not installed, samples that lie in other files:
 * each by its name); NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_open_hdf5(const char *path, const char *dataset, nwbz_source **source, nwbz_error *err);

/* Use `n_dims`-dimensional memory in C order as a source.  Ownership: `elements` is borrowed until close.  Any number of readers. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_new_memory(const void *elements, nwbz_type type, unsigned n_dims, const uint64_t *shape,
                                                          nwbz_source **source, nwbz_error *err);

/*
 * Read a stream (a pipe, standard input) to its end: { frames, rest of shape }, forward only, by one reader.  shape[0] may be
 * NWBZ_UNKNOWN_LENGTH; else a stream that ends early or goes on is NWBZ_ESOURCE when read.  Ownership: `fd` is borrowed, never closed.
 * A read that a signal interrupts asks `interrupted(user)` (NULL: goes on): nonzero ends it with NWBZ_ECANCELED.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_new_stream(int fd, const nwbz_raw_options *options, int (*interrupted)(void *), void *user,
                                                          nwbz_source **source, nwbz_error *err);

/*
 * Read a box for a callback source: rows start[0] .. start[0] + shape[0] - 1 and so on, as contiguous C order, to `elements`.
 *
 * Forward sources of unknown length set *n_rows below shape[0] at the end (0 is fine); all others leave it.
 * Return 0, or nonzero to stop the call: it then fails with NWBZ_ECALLBACK, and the callback's own error is the user's to keep.
 */
typedef int (*nwbz_read_box_fn)(void *user, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows);

/* Options of nwbz_source_new_callback().  Zero means "default" for every field. */
typedef struct nwbz_callback_options {
    size_t struct_size;           /* set by NWBZ_CALLBACK_OPTIONS_INIT */
    nwbz_type type;               /* required; no NWBZ_STRING */
    unsigned n_dims;              /* required, 1 or more */
    const uint64_t *shape;        /* required; shape[0] may be NWBZ_UNKNOWN_LENGTH if `forward` */
    const uint64_t *natural_box;  /* what is best read at once (an iterator's buffer); boxes asked for are whole ones on its grid, cut at
                                     the edge of the array.  NULL: one row */
    bool forward;                 /* boxes must be asked for in C order of the natural grid, each once */
    unsigned max_readers;         /* calls at a time; 0: no limit */
    bool caller_thread_only;      /* call on the thread that runs the fill, as Python needs; implies one reader */
    nwbz_read_box_fn read_box;    /* required */
    void *user;
} nwbz_callback_options;

#define NWBZ_CALLBACK_OPTIONS_INIT { sizeof(nwbz_callback_options), NWBZ_TYPE_NONE, 0, 0, 0, false, 0, false, 0, 0 }

/* Make a source of a callback. */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_source_new_callback(const nwbz_callback_options *options, nwbz_source **source, nwbz_error *err);

/* Return the shape (n_dims values; shape[0] may be NWBZ_UNKNOWN_LENGTH), valid until close. */
NWBZ_API const uint64_t *nwbz_source_shape(const nwbz_source *source, unsigned *n_dims);

/* Return the type of the elements. */
NWBZ_API nwbz_type nwbz_source_type(const nwbz_source *source);

/* Close and free the source.  NULL is fine. */
NWBZ_API void nwbz_source_close(nwbz_source *source);

#ifdef __cplusplus
}
#endif
#endif
