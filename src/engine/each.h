/* The same step for each of many small things, by several threads: the second place that starts threads, for what has no samples to move.
 *
 *   0 1 2 ... n-1  --blocks, in order-->  jobs threads, the calling one among them
 */
#ifndef NZ_ENGINE_EACH_H
#define NZ_ENGINE_EACH_H

#include "base/error.h"

#include <stdint.h>

/* Do number `i`.  `job` is that of the thread, below the number of jobs: each has contexts of its own. */
typedef nwbz_code (*nz_each_fn)(uint64_t i, unsigned job, void *user, nwbz_error *err);

/*
 * Call `fn` for each of 0 ... n-1 on `jobs` threads (0: 1; no more than there is work for), which have all ended on return.  One job runs on the
 * calling thread and starts none.
 *
 * Returns NWBZ_OK, or the first error of all threads; the others stop after the number that they are at.
 */
nwbz_code nz_each(uint64_t n, unsigned jobs, nz_each_fn fn, void *user, nwbz_error *err);

#endif
