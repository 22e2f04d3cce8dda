/* Boxes.
 *
 * The copy sees a box as nested loops of (count, step in `from`, step in `to`), bytes innermost.  Axes of length 1
 * go, and an axis that continues the next one on both sides melts into it, so the innermost loop becomes the longest
 * run that both sides have in common, and the fewest loops stay around it.  Scattering { rows, 384 } int16 into {
 * rows, 64 } leaves one loop over rows of 128 bytes: there the call of memcpy costs more than the bytes, so short
 * runs are copied by moves of fixed sizes, the last one overlapping the one before.
 */
#include "model/box.h"

#include <string.h>

uint64_t nz_box_count(const nz_box *box)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < box->n_dims; d++)
        n *= box->shape[d];
    return n;
}

bool nz_box_cut(const nz_box *a, const nz_box *b, nz_box *out)
{
    nz_box cut = { 0 };
    cut.n_dims = a->n_dims;
    for (unsigned d = 0; d < a->n_dims; d++) {
        /* lengths from the later start on: ends are never computed, which could overflow */
        uint64_t start = a->start[d] > b->start[d] ? a->start[d] : b->start[d];
        uint64_t skip_a = start - a->start[d], skip_b = start - b->start[d];
        if (skip_a >= a->shape[d] || skip_b >= b->shape[d])
            return false;
        uint64_t left_a = a->shape[d] - skip_a, left_b = b->shape[d] - skip_b;
        cut.start[d] = start;
        cut.shape[d] = left_a < left_b ? left_a : left_b;
    }
    *out = cut;
    return true;
}

void nz_box_of_shape(nz_box *box, unsigned n_dims, const uint64_t *shape)
{
    memset(box, 0, sizeof *box);
    box->n_dims = n_dims;
    for (unsigned d = 0; d < n_dims; d++)
        box->shape[d] = shape[d];
}

void nz_box_of_cell(nz_box *box, unsigned n_dims, const uint64_t *array_shape, const uint64_t *cell,
                    const uint64_t *index)
{
    memset(box, 0, sizeof *box);
    box->n_dims = n_dims;
    for (unsigned d = 0; d < n_dims; d++) {
        uint64_t start = index[d] * cell[d], left = start < array_shape[d] ? array_shape[d] - start : 0;
        box->start[d] = start;
        box->shape[d] = cell[d] < left ? cell[d] : left;
    }
}

void nz_index_of(uint64_t i, unsigned n_dims, const uint64_t *counts, uint64_t *index)
{
    for (unsigned d = n_dims; d-- > 0;) {
        index[d] = counts[d] ? i % counts[d] : 0;
        i = counts[d] ? i / counts[d] : 0;
    }
}

uint64_t nz_position_of(unsigned n_dims, const uint64_t *counts, const uint64_t *index)
{
    uint64_t i = 0;
    for (unsigned d = 0; d < n_dims; d++)
        i = i * counts[d] + index[d];
    return i;
}

bool nz_box_is_run(const nz_box *part, const nz_box *whole, uint64_t *offset_elements)
{
    uint64_t offset = 0, stride = 1;
    bool must_be_one = false, is_run = true; /* once an axis is cut, every axis outside of it must have length 1 */
    for (unsigned d = part->n_dims; d-- > 0;) {
        if (must_be_one && part->shape[d] != 1)
            is_run = false;
        if (part->shape[d] != whole->shape[d])
            must_be_one = true;
        offset += (part->start[d] - whole->start[d]) * stride;
        stride *= whole->shape[d];
    }
    *offset_elements = offset;
    return is_run || nz_box_count(part) == 0;
}

/* ---- Copy ------------------------------------------------------------------------ */

typedef struct loop {
    size_t count, from_step, to_step; /* steps in bytes */
} loop;

/* Copy `n` runs whose size is a constant at each call below, so that memcpy becomes a few moves. */
static inline __attribute__((always_inline)) void copy_fixed(const char *from, char *to, const loop *rows, size_t bytes)
{
    for (size_t i = 0; i < rows->count; i++, from += rows->from_step, to += rows->to_step)
        memcpy(to, from, bytes);
}

/* Copy runs of `bytes`, part <= bytes <= 2 * part, as two moves of `part` bytes that may overlap. */
static inline __attribute__((always_inline)) void copy_twice(const char *from, char *to, const loop *rows, size_t bytes,
                                                             size_t part)
{
    for (size_t i = 0; i < rows->count; i++, from += rows->from_step, to += rows->to_step) {
        memcpy(to, from, part);
        memcpy(to + bytes - part, from + bytes - part, part);
    }
}

/* Copy runs of 64 < bytes < 256 as moves of 64 bytes, the last overlapping. */
static void copy_blocks(const char *from, char *to, const loop *rows, size_t bytes)
{
    for (size_t i = 0; i < rows->count; i++, from += rows->from_step, to += rows->to_step) {
        size_t at = 0;
        for (; at + 64 < bytes; at += 64)
            memcpy(to + at, from + at, 64);
        memcpy(to + bytes - 64, from + bytes - 64, 64);
    }
}

static void copy_short(const char *from, char *to, const loop *rows, size_t bytes)
{
    if (bytes > 64)
        copy_blocks(from, to, rows, bytes);
    else if (bytes > 32)
        copy_twice(from, to, rows, bytes, 32);
    else if (bytes > 16)
        copy_twice(from, to, rows, bytes, 16);
    else if (bytes > 8)
        copy_twice(from, to, rows, bytes, 8);
    else if (bytes > 4)
        copy_twice(from, to, rows, bytes, 4);
    else if (bytes > 2)
        copy_twice(from, to, rows, bytes, 2);
    else
        copy_fixed(from, to, rows, 1);
}

/* Copy the innermost loop: runs of `bytes`. */
static void copy_rows(const char *from, char *to, const loop *rows, size_t bytes)
{
    switch (bytes) {
    case 2:
        copy_fixed(from, to, rows, 2);
        break;
    case 4:
        copy_fixed(from, to, rows, 4);
        break;
    case 8:
        copy_fixed(from, to, rows, 8);
        break;
    case 16:
        copy_fixed(from, to, rows, 16);
        break;
    case 32:
        copy_fixed(from, to, rows, 32);
        break;
    case 64:
        copy_fixed(from, to, rows, 64);
        break;
    case 128:
        copy_fixed(from, to, rows, 128);
        break;
    default:
        if (bytes < 256)
            copy_short(from, to, rows, bytes);
        else
            copy_fixed(from, to, rows, bytes);
    }
}

static void copy_loops(const char *from, char *to, const loop *loops, unsigned n, size_t run_bytes)
{
    if (n == 1) {
        copy_rows(from, to, loops, run_bytes);
        return;
    }
    for (size_t i = 0; i < loops->count; i++, from += loops->from_step, to += loops->to_step)
        copy_loops(from, to, loops + 1, n - 1, run_bytes);
}

/* Build the loops from the innermost out: loops[*first .. MAX) and the bytes of a run; moves the pointers to the
 * first element of `part`. */
static unsigned build_loops(const nz_box *part, const nz_box *from_box, const nz_box *to_box, size_t element_bytes,
                            loop *loops, size_t *run_bytes, size_t *from_offset, size_t *to_offset)
{
    unsigned first = NWBZ_MAX_DIMS;
    size_t from_step = element_bytes, to_step = element_bytes, run = element_bytes;
    for (unsigned d = part->n_dims; d-- > 0;) {
        size_t count = (size_t)part->shape[d];
        *from_offset += (size_t)(part->start[d] - from_box->start[d]) * from_step;
        *to_offset += (size_t)(part->start[d] - to_box->start[d]) * to_step;
        loop *inner = loops + first;
        bool has_inner = first < NWBZ_MAX_DIMS;
        if (count != 1 && !has_inner && from_step == run && to_step == run)
            run *= count;
        else if (count != 1 && has_inner && from_step == inner->count * inner->from_step &&
                 to_step == inner->count * inner->to_step)
            inner->count *= count;
        else if (count != 1)
            loops[--first] = (loop){ count, from_step, to_step };
        from_step *= (size_t)from_box->shape[d];
        to_step *= (size_t)to_box->shape[d];
    }
    *run_bytes = run;
    return first;
}

void nz_box_copy(const nz_box *part, const void *from, const nz_box *from_box, void *to, const nz_box *to_box,
                 size_t element_bytes)
{
    loop loops[NWBZ_MAX_DIMS];
    size_t run_bytes, from_offset = 0, to_offset = 0;
    if (nz_box_count(part) == 0)
        return;
    unsigned first = build_loops(part, from_box, to_box, element_bytes, loops, &run_bytes, &from_offset, &to_offset);
    const char *source = (const char *)from + from_offset;
    char *target = (char *)to + to_offset;
    if (first == NWBZ_MAX_DIMS)
        memcpy(target, source, run_bytes);
    else
        copy_loops(source, target, loops + first, NWBZ_MAX_DIMS - first, run_bytes);
}
