/* Selections of an array, cut into boxes that are read one after the other in C order, so that any size
 * streams through a bounded buffer. */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <nwbz/array.h>

#include "value.h"

typedef struct cli_selection {
    unsigned n_dims;
    uint64_t start[NWBZ_MAX_DIMS], shape[NWBZ_MAX_DIMS];         /* what is selected */
    uint64_t step[NWBZ_MAX_DIMS];                                /* the largest box */
    uint64_t chunk[NWBZ_MAX_DIMS];                               /* boxes end at its edges where they can */
    uint64_t box_start[NWBZ_MAX_DIMS], box_shape[NWBZ_MAX_DIMS]; /* the current box */
    bool begun;
} cli_selection;

/*
 * Resolve slices against an array's shape: negative ones count from the end, ends are cut at the edge as NumPy does,
 * axes that are not named are whole.  NWBZ_ESOURCE: more slices than axes, or an index past the edge.
 */
nwbz_code cli_selection_resolve(cli_selection *selection, const cli_slice *slices, unsigned n_slices,
                                const nwbz_array_info *array, nwbz_error *err);

/* Choose boxes of at most `most` elements: whole in the last axes, then rows of whole chunks where they fit. */
void cli_selection_cut(cli_selection *selection, const nwbz_array_info *array, uint64_t most);

/* Step to the next box.  False: no more (or nothing is selected). */
bool cli_selection_next(cli_selection *selection);

/* Count the elements of the largest box that there can be. */
uint64_t cli_selection_most_elements(const cli_selection *selection);

/* Count the elements of the current box. */
uint64_t cli_selection_box_elements(const cli_selection *selection);

#endif
