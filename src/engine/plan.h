/* The plan: which objects are read together.  Pure arithmetic, no input or output.
 *
 * Three units, never mixed.  A piece is what is encoded; an object is what is stored and belongs to exactly one group; a group is what is read
 * together: the objects that share natural boxes of the source, as many as the budget holds.
 */
#ifndef NZ_ENGINE_PLAN_H
#define NZ_ENGINE_PLAN_H

#include "source/source.h"
#include "target/target.h"

/* How samples come into groups. */
typedef enum nz_feed {
    NZ_FEED_SLABS, /* each group is read by itself, in slabs, by any worker */
    NZ_FEED_BOXES  /* the source's natural boxes are read in order, each once, by one reader, and scattered to all open groups they meet */
} nz_feed;

typedef struct nz_plan {
    nz_feed feed;
    unsigned n_dims;
    uint64_t object_counts[NWBZ_MAX_DIMS]; /* grid of objects; [0] is UINT64_MAX while the length is unknown */
    uint64_t group_objects[NWBZ_MAX_DIMS]; /* objects per group along each axis */
    uint64_t group_counts[NWBZ_MAX_DIMS];  /* grid of groups */
    uint64_t pieces_per_object;
    uint64_t slab_shape[NWBZ_MAX_DIMS];    /* what is read at once */
    uint64_t n_groups, n_objects;          /* UINT64_MAX while unknown */
    uint64_t group_bytes;                  /* buffers of one group */
    uint64_t worker_bytes;                 /* buffers of one worker: slab, encoded piece, codec */
    unsigned n_slots;                      /* groups in flight */
    double source_reads;                   /* how often each natural box is read, on average */
} nz_plan;

/*
 * Plan one transfer.  Returns NWBZ_EINVAL (shapes or types differ); NWBZ_ELIMIT (one object, or the band of a forward source, needs more than the limit: names the
 * object and both numbers).
 */
nwbz_code nz_plan_make(const nz_source_info *source, const nz_target_info *target, unsigned number_of_jobs, uint64_t memory_limit_bytes, nz_plan *plan,
                       nwbz_error *err);

/* Set *box to the elements of group `g` (cut at the array's edge), and *objects to its objects in the grid of objects. */
void nz_plan_group(const nz_plan *plan, const nz_target_info *target, uint64_t g, nz_box *box, nz_box *objects);

#endif
