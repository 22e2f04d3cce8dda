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
    NZ_FEED_STORED,/* stored chunks of the source are the pieces: they are moved as they are (COPY), each by any worker; one that is stored in another
                      encoding is read and encoded (READ) */
    NZ_FEED_BOXES  /* the source's natural boxes are read in order, each once, by one reader, and scattered to all groups they meet */
} nz_feed;

typedef struct nz_plan {
    nz_feed feed;
    unsigned n_dims;
    bool grows;                            /* the first axis is not known yet; its counts are UINT64_MAX */
    nz_box region;                         /* what is moved, in the coordinates of source and target */
    unsigned n_workers;                    /* the jobs that fit the memory limit, at least 1 */
    uint64_t object_first[NWBZ_MAX_DIMS];  /* first object of the region in the target's grid of objects */
    uint64_t object_counts[NWBZ_MAX_DIMS]; /* objects of the region along each axis */
    uint64_t group_objects[NWBZ_MAX_DIMS]; /* objects per group along each axis */
    uint64_t group_counts[NWBZ_MAX_DIMS];  /* groups along each axis */
    uint64_t pieces_per_object, pieces_per_group;
    uint64_t piece_room_bytes;             /* of one piece's buffer: raw or encoded, whichever is more */
    uint64_t read_shape[NWBZ_MAX_DIMS];    /* what is read at once: a slab, or a natural box */
    bool read_on_grid;                     /* reads are whole cells of read_shape's grid, not cut at the group */
    uint64_t n_groups, n_objects;          /* UINT64_MAX while unknown */
    uint64_t group_bytes;                  /* buffers of one group */
    uint64_t worker_bytes;                 /* buffers of one worker: read, encoded piece, codec */
    uint64_t shared_bytes;                 /* buffers of the run: the natural box of NZ_FEED_BOXES */
    unsigned n_slots;                      /* groups in flight, at most; NZ_FEED_STORED has none: what it moves fits a worker's buffers */
    uint64_t visit_chunks;                 /* NZ_FEED_STORED: chunks asked for at once ... */
    uint64_t visit_bytes;                  /* ... until they have this many bytes stored; ... */
    uint64_t stored_room_bytes;            /* ... the buffer for them, ... */
    uint64_t stored_most_bytes;            /* ... and how far it may grow for chunks that are larger stored than is usual */
    bool never_reads;                      /* no room to read and encode a chunk in another encoding: meeting one is NWBZ_ELIMIT */
    double source_reads;                   /* how often each natural box is read, on average */
} nz_plan;

/*
 * Plan one transfer of `region` (NULL: all).  Its start must lie on the grid of objects, unless the target is direct.
 *
 * Speed knobs never change the bytes: where number_of_jobs workers do not fit the limit beside one object, fewer work.
 * Returns NWBZ_EINVAL (shapes or types differ); NWBZ_ELIMIT (one object, or the band of a forward source, needs more than the limit: names it and both
 * numbers).
 */
nwbz_code nz_plan_make(const nz_source_info *source, const nz_target_info *target, const nz_box *region, unsigned number_of_jobs,
                       uint64_t memory_limit_bytes, nz_plan *plan, nwbz_error *err);

/*
 * The same for chunks that are moved as they are: the source's natural boxes are the target's pieces (NWBZ_EINVAL: they are not), and have its
 * encoding; the caller knows.
 */
nwbz_code nz_plan_make_copy(const nz_source_info *source, const nz_target_info *target, unsigned number_of_jobs, uint64_t memory_limit_bytes,
                            nz_plan *plan, nwbz_error *err);

/* Set *objects to the objects of group `g` in the target's grid, and *box to their elements within the region. */
void nz_plan_group(const nz_plan *plan, const nz_target_info *target, uint64_t g, nz_box *objects, nz_box *box);

/* Count the reads of group `g` (NZ_FEED_SLABS), and set *box to the `i`-th: what is asked of the source. */
uint64_t nz_plan_n_reads(const nz_plan *plan, const nz_box *group_box);
void nz_plan_read(const nz_plan *plan, const nz_target_info *target, const nz_box *group_box, uint64_t i, nz_box *box);

#endif
