/* What the parts of a run share: its state under the lock, its workers, and the steps they take.
 *
 *   run.c: starts, loops, joins   schedule.c: what is next, under the lock   step.c, copy.c: doing it, without the lock
 */
#ifndef NZ_ENGINE_STATE_H
#define NZ_ENGINE_STATE_H

#include "base/thread.h"
#include "engine/group.h"
#include "engine/run.h"

typedef struct nz_run_state nz_run_state;

/* How far one transfer is.  Guarded by the lock, but for what the reader of boxes alone uses. */
typedef struct nz_run_feed {
    uint64_t next_group; /* not yet in a slot; NZ_FEED_STORED: the next object, or the next of the list of chunks */
    uint64_t n_groups;   /* UINT64_MAX while the length is not known */
    uint64_t *order;     /* NZ_FEED_STORED: the list of chunks by objects, where that is another order; NULL: as it is; never changed in a run */
    unsigned n_open;     /* slots in use */
    unsigned n_readers;  /* workers that read now */
    uint64_t next_box, n_boxes, box_counts[NWBZ_MAX_DIMS]; /* NZ_FEED_BOXES */
    uint64_t n_rows;     /* length of the first axis; NWBZ_UNKNOWN_LENGTH */
    void *box_bytes;     /* the natural box that is being read */
    void *reader;        /* of NZ_FEED_BOXES: the one */
    nz_group **bands;    /* the groups that the reader fills now */
    unsigned n_bands;
    uint64_t started_ns;
    bool done;
} nz_run_feed;

typedef struct nz_copy nz_copy;
typedef struct nz_worker {
    nz_run_state *run;
    unsigned id;         /* 0: the calling thread */
    nz_thread thread;
    bool started;
    size_t transfer;     /* whose contexts these are; SIZE_MAX: none */
    void *context, *reader;
    unsigned char *encoded, *slab;
    nz_copy *copy;       /* of NZ_FEED_STORED */
    nwbz_error err;
} nz_worker;

struct nz_run_state {
    nz_transfer *transfers;
    size_t n_transfers;
    const nz_run_options *options;
    unsigned n_workers, n_slots;
    nz_worker *workers;
    uint64_t started_ns, told_ns, total_bytes;
    /* the lock, and what it guards */
    nz_mutex mutex;
    nz_cond cond;
    nz_run_feed *feeds;
    nz_group *slots;
    size_t current;      /* the transfer whose groups are opened now */
    size_t n_done;       /* transfers that are done */
    uint64_t done_bytes;
    uint64_t sequence;   /* of the group that is opened next */
    uint64_t slot_bytes; /* buffers of all slots, for the budget over several transfers */
    bool stop;
    nwbz_code code;
    nwbz_error error;
};

/* What a worker does next. */
typedef enum nz_step_kind { NZ_STEP_NONE, NZ_STEP_BOX, NZ_STEP_ENCODE, NZ_STEP_SLAB, NZ_STEP_COPY } nz_step_kind;
typedef struct nz_step {
    nz_step_kind kind;
    size_t transfer;
    nz_group *group;   /* NZ_STEP_ENCODE, NZ_STEP_SLAB */
    uint64_t first, n; /* pieces, the number of the read, or what next_group counts */
    bool opens;        /* NZ_STEP_SLAB: the group's buffers are not ready yet */
    nz_box box;        /* NZ_STEP_BOX */
} nz_step;
/* Pick the worker's next step and count it as begun; false: nothing to do until another step has ended. */
bool nz_schedule_pick_locked(nz_worker *w, nz_step *s);

/* The step has been done: say what became of its group and its transfer. */
void nz_schedule_after_locked(nz_run_state *r, const nz_step *s);

/* Note a transfer as done when all its groups have been in a slot and have left it. */
void nz_schedule_check_done_locked(nz_run_state *r, size_t transfer);

/* Do a step; the worker's own error says what failed. */
nwbz_code nz_step_do(nz_worker *w, nz_step *s);

/* Free what the worker holds for the transfer it worked on. */
void nz_step_drop_contexts(nz_worker *w);

/* Get what reading, reading slabs and encoding need, once a transfer. */
nwbz_code nz_step_prepare_reader(nz_worker *w, size_t transfer);
nwbz_code nz_step_prepare_slab(nz_worker *w, size_t transfer);
nwbz_code nz_step_prepare_encode(nz_worker *w, size_t transfer);

/* Encode the samples of the piece that begins where `box` does, to w->encoded. */
nwbz_code nz_step_encode_piece(nz_worker *w, nz_transfer *t, const nz_box *box, const void *elements, size_t *n);

/* Name the source and the rows in an error of the source's. */
nwbz_code nz_step_where_read(const nz_transfer *t, const nz_box *box, nwbz_code code, nwbz_error *err);

/* Finish the object at `index` (`object` NULL: begun now, and holds nothing), read it back where that is wanted, and note it in the journal.  *n_bytes is
 * what was stored, 0: nothing. */
nwbz_code nz_step_finish(nz_worker *w, size_t transfer, const uint64_t *index, nz_target_object *object, uint64_t *n_bytes);

/* Return the bytes of samples of `piece` that lie in the array. */
uint64_t nz_step_sample_bytes(const nz_group *group, const nz_box *piece);

/* ---- NZ_FEED_STORED ---- */

/* Check the list of chunks and find the order in which they are moved; *sample_bytes: of the chunks in it.  NWBZ_EINVAL, NWBZ_ELIMIT, NWBZ_ENOMEM. */
nwbz_code nz_copy_take_list(const nz_transfer *t, uint64_t **order, uint64_t *sample_bytes, nwbz_error *err);

/* Return the bytes of the samples of the chunk at `index` that lie in the array. */
uint64_t nz_copy_sample_bytes(const nz_target_info *info, const uint64_t *index);

/* Count the objects, or chunks of the list, that one step takes from the next on. */
uint64_t nz_copy_n_next(const nz_transfer *t, const nz_run_feed *f, unsigned n_workers);

/* Do a step, and free what the worker keeps for such steps. */
nwbz_code nz_copy_do(nz_worker *w, const nz_step *s);
void nz_copy_free(nz_copy *copy);

#endif
