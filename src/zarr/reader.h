/* Reading pieces as they are stored: what nz_array_read_piece() and text arrays share. */
#ifndef NZ_ZARR_READER_H
#define NZ_ZARR_READER_H

#include "zarr/array.h"

/* Fetch the stored bytes of the piece at `index` into the reader; *found false: it is not stored. */
nwbz_code nz_reader_fetch(const nwbz_array *array, nz_array_reader *reader, const uint64_t *index, bool *found,
                          nwbz_error *err);

/*
 * Decode the text that nz_reader_fetch() got: `n` elements at *elements, which point into the reader, both until its
 * next call. The elements are allocated only after the decoded bytes were seen to be enough for them.
 */
nwbz_code nz_reader_decode_text(const nwbz_array *array, nz_array_reader *reader, uint64_t n,
                                const nwbz_string **elements, nwbz_error *err);

/* Put the piece's place into err->where. */
nwbz_code nz_reader_where(const nwbz_array *array, const uint64_t *index, nwbz_code code, nwbz_error *err);

#endif
