/* Boxes: rectangular parts of an array, and copying between them.  Pure arithmetic, C order.  */
#ifndef NZ_MODEL_BOX_H
#define NZ_MODEL_BOX_H

#include <nwbz/types.h>

/* The elements start[d] .. start[d] + shape[d] - 1 of each axis d. */
typedef struct nz_box {
    unsigned n_dims;
    uint64_t start[NWBZ_MAX_DIMS], shape[NWBZ_MAX_DIMS];
} nz_box;

/* Count the elements (1 for n_dims = 0).  The caller knows that it fits: shapes were checked with nz_count(). */
uint64_t nz_box_count(const nz_box *box);

/* Cut `a` with `b` into *out; false when nothing is left. */
bool nz_box_cut(const nz_box *a, const nz_box *b, nz_box *out);

/* Set *box to the whole of an array. */
void nz_box_of_shape(nz_box *box, unsigned n_dims, const uint64_t *shape);

/* Set *box to cell `index` of a regular grid of `cell` shapes, cut at the edge of the array (an axis of 0 stays 0). */
void nz_box_of_cell(nz_box *box, unsigned n_dims, const uint64_t *array_shape, const uint64_t *cell, const uint64_t *index);

/* Turn position `i` of a C-order walk over `counts` into an index, and back. */
void nz_index_of(uint64_t i, unsigned n_dims, const uint64_t *counts, uint64_t *index);
uint64_t nz_position_of(unsigned n_dims, const uint64_t *counts, const uint64_t *index);

/*
 * Copy the elements of `part` from an array part in memory to another.  `from` holds the box `from_box` as contiguous C order, `to` holds
 * `to_box`; `part` lies in both.  Runs that are contiguous on both sides are copied at once.
 */
void nz_box_copy(const nz_box *part, const void *from, const nz_box *from_box, void *to, const nz_box *to_box, size_t element_bytes);

/* Say whether `part` is one contiguous run in memory that holds `whole` in C order; *offset_elements is where it begins. */
bool nz_box_is_run(const nz_box *part, const nz_box *whole, uint64_t *offset_elements);

#endif
