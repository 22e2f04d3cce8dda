/* Values as people type them: sizes 2G, shapes 40000,64, channels 0:384,385, slices 0:3,0:4.
 *
 * Each returns NWBZ_OK, or NWBZ_EINVAL with err->where naming the option and what was typed.
 */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include "opt.h"

/* A whole number of 0 or more. */
nwbz_code cli_value_count(const char *where, const char *text, uint64_t *value, nwbz_error *err);

/* A finite number. */
nwbz_code cli_value_number(const char *where, const char *text, double *value, nwbz_error *err);

/* Bytes: 1 or more, with an optional K, M, G or T (powers of 1024). */
nwbz_code cli_value_size(const char *where, const char *text, uint64_t *bytes, nwbz_error *err);

/* A shape, `40000,64` or `40000x64`; where `unknown`, the first may be `-` (NWBZ_UNKNOWN_LENGTH) or 0, else each is 1
 * or more. */
typedef struct cli_shape {
    uint64_t axes[NWBZ_MAX_DIMS];
    unsigned n_dims; /* 0: not given */
} cli_shape;
nwbz_code cli_value_shape(const char *where, const char *text, bool unknown, cli_shape *shape, nwbz_error *err);

/* Channels, `0:384,385` (ends are not included).  *channels is the caller's, to be freed; an earlier list is freed. */
nwbz_code cli_value_channels(const char *where, const char *text, uint64_t **channels, size_t *n_channels,
                             nwbz_error *err);

/* One axis of a selection: [start, stop) as typed; negative ones count from the end. */
typedef struct cli_slice {
    bool index; /* one element: start */
    bool has_start, has_stop;
    int64_t start, stop;
} cli_slice;
nwbz_code cli_value_slices(const char *where, const char *text, cli_slice *slices, unsigned *n_slices, nwbz_error *err);

/* Number of jobs: 3, -1 (all), -2 (all but one), 0.5 (half). */
nwbz_code cli_value_jobs(const char *where, const char *text, unsigned *jobs, nwbz_error *err);

#endif
