/* The target interface: where samples go.
 *
 * A target is described once per call; pieces are encoded by many threads, each with its own worker; an object belongs to one group, and its
 * pieces are added in ascending order.  A `direct` target (memory) takes samples where they lie: nothing is encoded or stored.
 */
#ifndef NZ_TARGET_TARGET_H
#define NZ_TARGET_TARGET_H

#include "model/box.h"
#include "model/dtype.h"
#include "base/error.h"

#include <nwbz/array.h>

typedef struct nz_target_info {
    nwbz_type type;
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];        /* shape[0] may be NWBZ_UNKNOWN_LENGTH: then grows() is called at the end */
    uint64_t piece_shape[NWBZ_MAX_DIMS];
    uint64_t object_shape[NWBZ_MAX_DIMS]; /* multiples of piece_shape */
    uint64_t piece_bytes;                 /* in memory */
    uint64_t piece_bound_bytes;           /* encoded, at most */
    uint64_t work_bytes;                  /* of one worker beside those, for the budget */
    const void *fill_element;             /* pads pieces over the array's edge */
    const char *name;                     /* for errors and progress: "/acquisition/ts/data" */
    const char *store_name;               /* for errors: "out.nwb.zarr"; "" for memory */
    void *direct;                         /* not NULL: memory that holds `region`; has only object_key and free */
    nz_box region;                        /* of a direct target: the part of the shape that is wanted */
    uint64_t element_bytes;               /* 0: nwbz_type_size(type) */
} nz_target_info;

/* Return the bytes of an element. */
static inline uint64_t nz_target_element_bytes(const nz_target_info *info)
{
    return info->element_bytes ? info->element_bytes : nwbz_type_size(info->type);
}

typedef struct nz_target nz_target;
typedef struct nz_target_object nz_target_object;

typedef struct nz_target_class {
    nwbz_code (*worker_new)(nz_target *target, void **worker, nwbz_error *err);
    void (*worker_free)(void *worker);
    /* Encode the piece at `index` of the grid of pieces; *n_out 0 means: nothing but fill value, not to be stored. */
    nwbz_code (*encode_piece)(nz_target *target, void *worker, const uint64_t *index, const void *elements, void *out, size_t room, size_t *n_out, nwbz_error *err);
    nwbz_code (*object_begin)(nz_target *target, const uint64_t *index, nz_target_object **object, nwbz_error *err);
    nwbz_code (*object_add)(nz_target_object *object, uint64_t position, const void *bytes, size_t n, nwbz_error *err);
    /* Frees the object, also on failure. */
    nwbz_code (*object_finish)(nz_target_object *object, uint64_t *n_bytes, uint32_t *crc, nwbz_error *err);
    void (*object_abort)(nz_target_object *object);
    /* Format the object's key into new memory, for the journal and errors. */
    char *(*object_key)(nz_target *target, const uint64_t *index);
    /* Say whether the stored object is the one with this size and crc (n_bytes 0: absent).  For resume. */
    nwbz_code (*object_check)(nz_target *target, const uint64_t *index, uint64_t n_bytes, uint32_t crc, bool *same, nwbz_error *err);
    /* The first axis has become known. */
    nwbz_code (*grow)(nz_target *target, uint64_t n_rows, nwbz_error *err);
    void (*free)(nz_target *target);
} nz_target_class;

/* Every target begins with this. */
struct nz_target {
    const nz_target_class *class;
    nz_target_info info;
};

/* Make a target of an array; `unknown_length`: its first axis grows at the end.  The array is borrowed. */
nwbz_code nz_target_of_array(nwbz_array *array, bool unknown_length, nz_target **target, nwbz_error *err);

/*
 * Make a target that stores nothing and compares each piece with what `array` has, bit for bit; the first that differs fails with NWBZ_EIO, naming
 * chunk and element.  The array is borrowed.
 */
nwbz_code nz_target_compare(const nwbz_array *array, nz_target **target, nwbz_error *err);

/* Make a direct target of memory that holds `region` of an array of `shape`; objects and pieces are cells of `cell` (the natural box of the source). */
nwbz_code nz_target_of_memory(void *elements, const nz_dtype *dtype, unsigned n_dims, const uint64_t *shape, const nz_box *region, const uint64_t *cell,
                              nz_target **target, nwbz_error *err);

#endif
