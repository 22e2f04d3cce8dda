/* What a raw layout says: how long a frame is in the file, which of its channels are wanted, in which order, and
 * their byte order.
 *
 *   nwbz_raw_options --init--> nz_rows
 *   frames of row_bytes --pick--> wanted channels --finish--> elements in the machine's order
 *
 * Shared by the raw file and the stream.  Immutable after nz_rows_init(), so any number of threads may use one.
 */
#ifndef NZ_SOURCE_ROWS_H
#define NZ_SOURCE_ROWS_H

#include "source/source.h"

typedef struct nz_rows {
    nwbz_type type;
    size_t element_bytes;
    size_t swap_bytes; /* the unit whose bytes are swapped; 1: none */
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS]; /* in the file, before channels are picked; [0] may be NWBZ_UNKNOWN_LENGTH */
    uint64_t offset_bytes;
    uint64_t row_bytes; /* one frame in the file */
    bool big_endian;
    uint64_t *channels;    /* columns wanted, in this order; NULL: all */
    uint64_t *run_lengths; /* from each place in `channels`: how many follow one another in the file */
    size_t n_channels;
} nz_rows;

/*
 * Check the options and take what they say; describe it in type, n_dims, shape and natural (one row) of *info.
 * `min_dims`: the fewest axes that are fine.  Returns NWBZ_EINVAL for all that cannot be right, NWBZ_ENOMEM.
 */
nwbz_code nz_rows_init(nz_rows *rows, const nwbz_raw_options *options, unsigned min_dims, nz_source_info *info,
                       nwbz_error *err);

void nz_rows_done(nz_rows *rows);

/* The part of a frame between its first and last byte that channels [first, first + n) of the list need. */
void nz_rows_span(const nz_rows *rows, uint64_t first, uint64_t n, uint64_t *skip_bytes, uint64_t *span_bytes);

/*
 * Copy channels [first, first + n) of the list from `n_rows` frames to contiguous rows at `out`.  `in` points
 * `skip_bytes` behind the begin of the first frame; frames are row_bytes apart.
 */
void nz_rows_pick(const nz_rows *rows, const char *in, uint64_t skip_bytes, uint64_t n_rows, uint64_t first, uint64_t n,
                  char *out);

/* Turn elements as they were read into elements as they are in memory, in place: byte order.  NWBZ_ESOURCE: a bool
 * that is neither 0 nor 1. */
nwbz_code nz_rows_finish(const nz_rows *rows, void *elements, uint64_t n_bytes, nwbz_error *err);

#endif
