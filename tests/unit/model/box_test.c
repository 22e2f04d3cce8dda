#include "support/test.h"

#include "base/memory.h"
#include "model/box.h"

#include <stdlib.h>
#include <string.h>

static nz_box box1(uint64_t start, uint64_t shape)
{
    return (nz_box){ 1, { start }, { shape } };
}

static nz_box box2(uint64_t start0, uint64_t start1, uint64_t shape0, uint64_t shape1)
{
    return (nz_box){ 2, { start0, start1 }, { shape0, shape1 } };
}

/* ---- Arithmetic -------------------------------------------------------------------- */

static void a_box_counts_its_elements(void **state)
{
    (void)state;
    nz_box scalar = { 0 }, flat = box2(5, 5, 3, 0), whole;
    assert_int_equal(nz_box_count(&scalar), 1);
    assert_int_equal(nz_box_count(&flat), 0);
    const uint64_t shape[] = { 3, 4, 5 };
    nz_box_of_shape(&whole, 3, shape);
    assert_int_equal(nz_box_count(&whole), 60);
    assert_int_equal(whole.start[0] + whole.start[1] + whole.start[2], 0);
}

static void cutting_keeps_what_both_have(void **state)
{
    (void)state;
    nz_box a = box2(0, 10, 5, 10), b = box2(3, 0, 10, 15), out;
    assert_true(nz_box_cut(&a, &b, &out));
    nz_box want = box2(3, 10, 2, 5);
    assert_int_equal(out.n_dims, 2);
    assert_memory_equal(out.start, want.start, sizeof want.start);
    assert_memory_equal(out.shape, want.shape, sizeof want.shape);
    assert_true(nz_box_cut(&b, &a, &a)); /* the result may be an argument */
    assert_memory_equal(a.shape, want.shape, sizeof want.shape);
}

static void cutting_what_only_touches_or_is_empty_leaves_nothing(void **state)
{
    (void)state;
    nz_box a = box1(0, 5), b = box1(5, 5), empty = box1(2, 0), out = box1(77, 77);
    assert_false(nz_box_cut(&a, &b, &out));
    assert_false(nz_box_cut(&b, &a, &out));
    assert_false(nz_box_cut(&a, &empty, &out));
    assert_int_equal(out.start[0], 77);
    nz_box scalar = { 0 };
    assert_true(nz_box_cut(&scalar, &scalar, &out));
    assert_int_equal(out.n_dims, 0);
}

static void cutting_at_the_end_of_the_numbers_does_not_overflow(void **state)
{
    (void)state;
    nz_box a = box1(UINT64_MAX - 4, UINT64_MAX), b = box1(UINT64_MAX - 2, 2), out;
    assert_true(nz_box_cut(&a, &b, &out));
    assert_true(out.start[0] == UINT64_MAX - 2 && out.shape[0] == 2);
}

static void cells_are_cut_at_the_edge_of_the_array(void **state)
{
    (void)state;
    const uint64_t shape[] = { 10, 7, 0 }, cell[] = { 4, 7, 3 }, first[] = { 0, 0, 0 }, last[] = { 2, 0, 0 },
                   past[] = { 3, 1, 1 };
    nz_box box;
    nz_box_of_cell(&box, 3, shape, cell, first);
    assert_true(box.shape[0] == 4 && box.shape[1] == 7 && box.shape[2] == 0);
    nz_box_of_cell(&box, 3, shape, cell, last);
    assert_true(box.start[0] == 8 && box.shape[0] == 2);
    nz_box_of_cell(&box, 3, shape, cell, past);
    assert_true(box.shape[0] == 0 && box.shape[1] == 0 && box.shape[2] == 0);
}

static void positions_and_indices_turn_into_each_other(void **state)
{
    (void)state;
    const uint64_t counts[] = { 3, 4, 5 };
    for (uint64_t i = 0; i < 60; i++) {
        uint64_t index[3];
        nz_index_of(i, 3, counts, index);
        assert_int_equal(index[0] * 20 + index[1] * 5 + index[2], i);
        assert_int_equal(nz_position_of(3, counts, index), i);
    }
    const uint64_t none[] = { 0, 4 };
    uint64_t index[2] = { 9, 9 };
    nz_index_of(0, 2, none, index);
    assert_int_equal(index[0] + index[1], 0);
    assert_int_equal(nz_position_of(0, NULL, NULL), 0);
}

static void a_part_is_a_run_when_its_elements_lie_side_by_side(void **state)
{
    (void)state;
    uint64_t offset;
    nz_box whole = { 3, { 2, 0, 10 }, { 4, 5, 6 } };
    const struct {
        nz_box part;
        bool is_run;
        uint64_t offset;
    } cases[] = { { { 3, { 2, 0, 10 }, { 4, 5, 6 } }, true, 0 },   { { 3, { 3, 0, 10 }, { 2, 5, 6 } }, true, 30 },
                  { { 3, { 3, 1, 10 }, { 1, 3, 6 } }, true, 36 },  { { 3, { 3, 1, 12 }, { 1, 1, 3 } }, true, 38 },
                  { { 3, { 3, 1, 12 }, { 1, 2, 3 } }, false, 38 }, { { 3, { 2, 0, 10 }, { 2, 3, 6 } }, false, 0 },
                  { { 3, { 2, 0, 10 }, { 4, 5, 1 } }, false, 0 },  { { 3, { 2, 0, 10 }, { 0, 5, 1 } }, true, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(nz_box_is_run(&cases[i].part, &whole, &offset), cases[i].is_run);
        assert_int_equal(offset, cases[i].offset);
    }
    nz_box scalar = { 0 };
    assert_true(nz_box_is_run(&scalar, &scalar, &offset));
    assert_int_equal(offset, 0);
}

/* ---- Copy -------------------------------------------------------------------------- */

/* Copy element by element: slow and plain. */
static void copy_plainly(const nz_box *part, const char *from, const nz_box *from_box, char *to, const nz_box *to_box,
                         size_t bytes)
{
    for (uint64_t i = 0; i < nz_box_count(part); i++) {
        uint64_t index[NWBZ_MAX_DIMS], in_from[NWBZ_MAX_DIMS], in_to[NWBZ_MAX_DIMS];
        nz_index_of(i, part->n_dims, part->shape, index);
        for (unsigned d = 0; d < part->n_dims; d++) {
            in_from[d] = part->start[d] + index[d] - from_box->start[d];
            in_to[d] = part->start[d] + index[d] - to_box->start[d];
        }
        memcpy(to + nz_position_of(part->n_dims, to_box->shape, in_to) * bytes,
               from + nz_position_of(part->n_dims, from_box->shape, in_from) * bytes, bytes);
    }
}

/* Copy both ways between buffers of exactly the right size, so that a sanitizer sees a byte too many. */
static void check_copy(const nz_box *part, const nz_box *from_box, const nz_box *to_box, size_t bytes)
{
    size_t n_from = nz_box_count(from_box) * bytes, n_to = nz_box_count(to_box) * bytes;
    char *from = nz_malloc(n_from), *to = nz_malloc(n_to), *want = nz_malloc(n_to);
    for (size_t i = 0; i < n_from; i++)
        from[i] = (char)(i * 31 + i / 251);
    memset(to, 0x5A, n_to);
    memset(want, 0x5A, n_to);
    copy_plainly(part, from, from_box, want, to_box, bytes);
    nz_box_copy(part, from, from_box, to, to_box, bytes);
    if (n_to)
        assert_memory_equal(to, want, n_to);
    nz_free(from);
    nz_free(to);
    nz_free(want);
}

static void runs_of_every_length_are_copied_and_nothing_beside_them(void **state)
{
    (void)state;
    const size_t element_bytes[] = { 1, 2, 3, 4, 8, 16 };
    for (size_t e = 0; e < 6; e++)
        for (uint64_t columns = 1; columns <= 300; columns += columns < 140 ? 1 : 13) {
            nz_box from = box2(0, 0, 5, 310), part = box2(1, 7, 3, columns), to = box2(1, 7, 3, columns),
                   wide = box2(0, 3, 5, 307);
            check_copy(&part, &from, &to, element_bytes[e]);
            check_copy(&part, &to, &wide, element_bytes[e]);
        }
}

static void random_parts_of_up_to_four_axes_are_copied(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252;
    for (int round = 0; round < 3000; round++) {
        nz_box from = { 0 }, to = { 0 }, part = { 0 };
        uint64_t numbers[24];
        for (int i = 0; i < 24; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            numbers[i] = random >> 20;
        }
        from.n_dims = to.n_dims = part.n_dims = (unsigned)(numbers[23] % 5);
        for (unsigned d = 0; d < part.n_dims; d++) {
            part.shape[d] = numbers[d] % 5; /* 0 too */
            part.start[d] = 5 + numbers[4 + d] % 3;
            uint64_t before[2] = { numbers[8 + d] % 3, numbers[12 + d] % 3 },
                     behind[2] = { numbers[16 + d] % 2, numbers[20 + d % 3] % 2 };
            from.start[d] = part.start[d] - before[0];
            from.shape[d] = before[0] + part.shape[d] + behind[0];
            to.start[d] = part.start[d] - before[1];
            to.shape[d] = before[1] + part.shape[d] + behind[1];
        }
        check_copy(&part, &from, &to, 1 + numbers[22] % 9);
    }
}

static void a_scalar_and_32_axes_are_copied(void **state)
{
    (void)state;
    nz_box scalar = { 0 }, many = { 0 };
    check_copy(&scalar, &scalar, &scalar, 8);
    many.n_dims = NWBZ_MAX_DIMS;
    for (unsigned d = 0; d < NWBZ_MAX_DIMS; d++)
        many.shape[d] = d % 4 == 3 ? 2 : 1;
    nz_box part = many;
    for (unsigned d = 3; d < NWBZ_MAX_DIMS; d += 8)
        part.shape[d] = 1;
    check_copy(&part, &many, &many, 2);
    check_copy(&part, &many, &part, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_counts_its_elements),
        cmocka_unit_test(cutting_keeps_what_both_have),
        cmocka_unit_test(cutting_what_only_touches_or_is_empty_leaves_nothing),
        cmocka_unit_test(cutting_at_the_end_of_the_numbers_does_not_overflow),
        cmocka_unit_test(cells_are_cut_at_the_edge_of_the_array),
        cmocka_unit_test(positions_and_indices_turn_into_each_other),
        cmocka_unit_test(a_part_is_a_run_when_its_elements_lie_side_by_side),
        cmocka_unit_test(runs_of_every_length_are_copied_and_nothing_beside_them),
        cmocka_unit_test(random_parts_of_up_to_four_axes_are_copied),
        cmocka_unit_test(a_scalar_and_32_axes_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
