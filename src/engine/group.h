/* A slot and the group in it: the buffers of its pieces, and how far each object is.
 *
 *   open (buffers, padding, what an earlier run stored) --scatter--> filled --encode, store--> released
 *
 * Nothing here locks: run.c says which functions run under its lock and which on the worker that owns the step.
 */
#ifndef NZ_ENGINE_GROUP_H
#define NZ_ENGINE_GROUP_H

#include "engine/plan.h"
#include "engine/record.h"

typedef enum nz_stage {
    NZ_STAGE_FREE,
    NZ_STAGE_OPENING, /* one worker prepares the buffers */
    NZ_STAGE_FILLING, /* samples are coming */
    NZ_STAGE_FILLED   /* pieces can be encoded */
} nz_stage;

/* One object of the group.  Guarded by the run's lock but for `object`, which belongs to the worker that set `storing`. */
typedef struct nz_group_object {
    nz_target_object *object; /* begun and not finished */
    uint64_t next;            /* the position that is added next */
    bool storing;             /* a worker is adding */
    bool done;                /* stored, or found whole in an earlier run */
} nz_group_object;

typedef struct nz_group {
    const nz_plan *plan;
    nz_target *target;
    size_t transfer;          /* which of the run's */
    uint64_t sequence;        /* groups are finished in the order in which they were begun, where there is a choice */
    nz_stage stage;
    nz_box objects, box;      /* in the target's grid of objects; its elements */
    uint64_t n_objects, n_pieces;
    /* buffers, kept from group to group */
    unsigned char *memory;
    size_t memory_bytes;
    size_t *encoded_bytes;    /* per piece: encoded and waiting, in its buffer; SIZE_MAX: not yet */
    nz_group_object *object_states;
    size_t room_pieces, room_objects;
    /* progress, guarded by the run's lock */
    uint64_t next_read, n_reads, reads_left; /* NZ_FEED_SLABS */
    uint64_t elements_left;                  /* NZ_FEED_BOXES */
    uint64_t next_piece;
    uint64_t objects_left;
    unsigned n_busy;                         /* workers that encode pieces of it now */
} nz_group;

/* Say which group `g` the slot holds from now on.  Under the lock; touches no buffer. */
void nz_group_assign(nz_group *group, const nz_plan *plan, nz_target *target, size_t transfer, uint64_t g);

/* Get buffers, pad the pieces that reach over the array's edge, and find the objects that `record` (NULL: none) says are whole already. */
nwbz_code nz_group_open(nz_group *group, const nz_record *record, nwbz_error *err);

/* Copy the samples of `box` (contiguous C order) into the pieces; what lies outside the group is left. */
void nz_group_scatter(nz_group *group, const nz_box *box, const void *elements);

/* Find where `box` would lie if it is one run within one piece (or in the memory of a direct target), so that it can be read there; NULL: it must be
 * scattered. */
void *nz_group_place(nz_group *group, const nz_box *box);

/* The source has ended at row `n_rows`: cut the group, pad what is missing.  Returns the elements that will not come. */
uint64_t nz_group_truncate(nz_group *group, uint64_t n_rows);

/* Return the buffer of piece `p`; set *box to its whole extent and say whether any of it lies in the array. */
unsigned char *nz_group_piece(const nz_group *group, uint64_t p);
bool nz_group_piece_box(const nz_group *group, uint64_t p, nz_box *box);

/* Set `index` to the place of object `o` in the target's grid. */
void nz_group_object_index(const nz_group *group, uint64_t o, uint64_t *index);

/* Add the object's name to an error: "STORE:/path chunk 0/3". */
nwbz_code nz_group_where(const nz_group *group, uint64_t o, nwbz_code code, nwbz_error *err);

/* The same for the object at `index` of the target's grid. */
nwbz_code nz_object_where(const nz_plan *plan, const nz_target_info *info, const uint64_t *index, nwbz_code code, nwbz_error *err);

/* Find whether `record` (NULL: none) says that the object at `index` is whole, and it is. */
nwbz_code nz_object_is_stored(nz_target *target, const nz_record *record, const uint64_t *index, bool *stored, nwbz_error *err);

/* Drop objects that are begun; free the buffers. */
void nz_group_abort(nz_group *group);
void nz_group_done(nz_group *group);

#endif
