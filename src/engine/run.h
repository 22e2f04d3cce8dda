/* The engine: many threads, bounded memory.
 *
 *   source --read_box--> slabs / boxes --scatter--> pieces of a group --encode--> object --store--> target
 *   source --read_stored--> stored chunks, as they are ------------------------> object --store--> target
 *
 * Design and reasons: docs/ARCHITECTURE.md, "The engine".
 */
#ifndef NZ_ENGINE_RUN_H
#define NZ_ENGINE_RUN_H

#include "engine/plan.h"
#include "engine/record.h"

#include <nwbz/array.h>

/* One dataset's way: all borrowed. */
typedef struct nz_transfer {
    nwbz_source *source;
    nz_target *target;
    nz_plan plan;              /* made by nz_plan_make() or nz_plan_make_copy() */
    /* NZ_FEED_STORED: the indexes of the chunks that are stored (n_chunks * n_dims values), each once, in C order, so that a huge grid of mostly absent
     * chunks costs what is stored; objects without any of them are not touched, so the array must be new.  NULL: each chunk of the grid is asked for. */
    const uint64_t *chunk_list;
    uint64_t n_chunks;
    /* out */
    uint64_t n_rows;           /* length of the first axis: what came, where it was not known */
    uint64_t stored_bytes, n_objects_stored;
    uint64_t n_copied, n_read; /* pieces by kind of move; those that are absent, or were stored by an earlier run, count for neither */
    double seconds;
} nz_transfer;

typedef struct nz_run_options {
    unsigned number_of_jobs;
    uint64_t memory_limit_bytes;
    nwbz_progress_fn on_progress;
    void *user;
    const char *kind;          /* "write", "read" */
    nz_record *record;         /* journal of whole objects, for resume; NULL: none */
    bool verify_crc;           /* read each stored object back: size and CRC-32C must be those of what was written (NWBZ_EIO names the chunk) */
} nz_run_options;

/*
 * Move all samples of all transfers, in order.
 *
 * Threads: starts number_of_jobs - 1 and joins them before it returns; one job starts none.  Progress is told on the calling thread.
 * The first error wins; its where names dataset and chunk.
 * NWBZ_EINVAL: a chunk_list that is not in C order, or leads out of the grid.
 */
nwbz_code nz_run(nz_transfer *transfers, size_t n_transfers, const nz_run_options *options, nwbz_error *err);

/* Resolve zero fields of public options: jobs to the usable CPUs, memory to 1 GiB. */
void nz_run_options_of(const nwbz_fill_options *options, nz_run_options *run);

#endif
