/* The plan is pure arithmetic: every promise of engine/plan.h on made-up sources and targets. */
#include "engine/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)

static nz_source_info raw_source(uint64_t frames, uint64_t channels)
{
    nz_source_info source = { .type = NWBZ_INT16, .n_dims = 2, .shape = { frames, channels }, .natural = { 1, channels }, .name = "raw" };
    return source;
}

static nz_target_info target_of(const nz_source_info *source, const uint64_t *piece, const uint64_t *object)
{
    nz_target_info target = { .type = source->type, .n_dims = source->n_dims, .name = "/data", .store_name = "out" };
    target.piece_bytes = nwbz_type_size(source->type);
    for (unsigned d = 0; d < source->n_dims; d++) {
        target.shape[d] = source->shape[d];
        target.piece_shape[d] = piece[d];
        target.object_shape[d] = object ? object[d] : piece[d];
        target.piece_bytes *= piece[d];
    }
    target.piece_bound_bytes = target.piece_bytes + 64;
    return target;
}

/* Count how often each object is in a group, and each element of the region is read. */
static void every_object_is_in_one_group(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 300; round++) {
        nz_source_info source = { .type = NWBZ_UINT8, .n_dims = 1 + (unsigned)rand() % 3, .name = "s", .whole_boxes = rand() % 2 };
        uint64_t piece[3], object[3];
        for (unsigned d = 0; d < source.n_dims; d++) {
            source.shape[d] = (uint64_t)rand() % 40;
            source.natural[d] = 1 + (uint64_t)rand() % 50;
            piece[d] = 1 + (uint64_t)rand() % 9;
            object[d] = piece[d] * (1 + (uint64_t)rand() % 3);
        }
        nz_target_info target = target_of(&source, piece, object);
        nz_plan plan;
        uint64_t limit = rand() % 2 ? 64 * MIB : 20000;
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_code code = nz_plan_make(&source, &target, NULL, 1 + (unsigned)rand() % 4, limit, &plan, &err);
        if (code == NWBZ_ELIMIT)
            continue;
        assert_int_equal(code, NWBZ_OK);
        uint64_t seen = 0, expected = 1;
        for (unsigned d = 0; d < source.n_dims; d++)
            expected *= source.shape[d] == 0 ? 0 : (source.shape[d] - 1) / object[d] + 1;
        assert_int_equal(plan.n_objects, expected);
        unsigned char *count = calloc(expected + 1, 1);
        for (uint64_t g = 0; g < plan.n_groups; g++) {
            nz_box objects, box;
            nz_plan_group(&plan, &target, g, &objects, &box);
            uint64_t n = nz_box_count(&objects);
            assert_true(n * plan.pieces_per_object * plan.piece_room_bytes <= plan.group_bytes);
            for (uint64_t i = 0; i < n; i++, seen++) {
                uint64_t index[NWBZ_MAX_DIMS];
                nz_index_of(i, source.n_dims, objects.shape, index);
                for (unsigned d = 0; d < source.n_dims; d++)
                    index[d] += objects.start[d];
                count[nz_position_of(source.n_dims, plan.object_counts, index)]++;
            }
            if (plan.feed != NZ_FEED_SLABS)
                continue;
            uint64_t covered = 0;
            for (uint64_t i = 0; i < nz_plan_n_reads(&plan, &box); i++) {
                nz_box read, cut;
                nz_plan_read(&plan, &target, &box, i, &read);
                assert_true(nz_box_cut(&read, &box, &cut));
                covered += nz_box_count(&cut);
            }
            assert_int_equal(covered, nz_box_count(&box));
        }
        assert_int_equal(seen, expected);
        for (uint64_t i = 0; i < expected; i++)
            assert_int_equal(count[i], 1);
        free(count);
        assert_true(plan.n_workers * plan.worker_bytes + plan.shared_bytes + (plan.n_groups ? plan.group_bytes : 0) <= limit);
    }
}

static void column_blocks_of_a_row_band_are_read_together(void **state)
{
    (void)state;
    nz_source_info source = raw_source(3600000, 384);
    nz_target_info target = target_of(&source, (const uint64_t[]){ 78125, 64 }, NULL);
    nz_plan plan;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 2, 1024 * MIB, &plan, NULL), NWBZ_OK);
    assert_int_equal(plan.group_objects[0], 1);
    assert_int_equal(plan.group_objects[1], 6);
    assert_true(plan.source_reads == 1.0);
    assert_true(plan.n_slots >= 2);
}

static void a_band_over_the_memory_limit_is_cut_and_says_how_often_the_source_is_read(void **state)
{
    (void)state;
    nz_source_info source = raw_source(3600000, 384);
    nz_target_info target = target_of(&source, (const uint64_t[]){ 215625, 23 }, NULL);
    nz_plan plan;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 2, 128 * MIB, &plan, NULL), NWBZ_OK);
    assert_int_equal(plan.group_objects[1], 9); /* 17 column blocks in two equal parts */
    assert_true(plan.source_reads == 2.0);
    assert_int_equal(plan.n_workers, 2);
}

static void an_object_over_the_memory_limit_is_named_with_both_numbers(void **state)
{
    (void)state;
    nz_source_info source = raw_source(3600000, 384);
    nz_target_info target = target_of(&source, (const uint64_t[]){ 100000, 384 }, NULL);
    nz_plan plan;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 1, 64 * MIB, &plan, &err), NWBZ_ELIMIT);
    assert_non_null(strstr(err.message, "{ 100000, 384 }"));
    assert_non_null(strstr(err.message, "76800064"));
    assert_non_null(strstr(err.message, "67108864"));
    assert_string_equal(err.where, "out:/data");
}

static void jobs_that_do_not_fit_the_memory_limit_are_left_out(void **state)
{
    (void)state;
    nz_source_info source = raw_source(3600000, 384);
    nz_target_info target = target_of(&source, (const uint64_t[]){ 13653, 384 }, NULL);
    nz_plan plan;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 64, 64 * MIB, &plan, NULL), NWBZ_OK);
    assert_in_range(plan.n_workers, 2, 6);
}

static void a_forward_band_over_the_limit_is_an_error_that_names_the_band(void **state)
{
    (void)state;
    nz_source_info source = raw_source(3600000, 384);
    source.forward = source.whole_boxes = true;
    source.max_readers = 1;
    source.natural[0] = 100;
    nz_target_info target = target_of(&source, (const uint64_t[]){ 215625, 23 }, NULL);
    nz_plan plan;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 1, 128 * MIB, &plan, &err), NWBZ_ELIMIT);
    assert_non_null(strstr(err.message, "band of rows"));
}

static void buffers_that_do_not_line_up_are_read_once(void **state)
{
    (void)state;
    nz_source_info source = { .type = NWBZ_INT32, .n_dims = 2, .shape = { 40000, 4 }, .natural = { 100, 4 }, .whole_boxes = true, .max_readers = 1, .name = "it" };
    nz_target_info target = target_of(&source, (const uint64_t[]){ 730, 4 }, NULL);
    nz_plan plan;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 2, 64 * MIB, &plan, NULL), NWBZ_OK);
    assert_int_equal(plan.feed, NZ_FEED_BOXES);
    assert_true(plan.source_reads == 1.0);
}

static void a_zero_length_axis_has_no_groups_and_a_scalar_has_one(void **state)
{
    (void)state;
    nz_source_info source = raw_source(0, 384);
    nz_target_info target = target_of(&source, (const uint64_t[]){ 10, 64 }, NULL);
    nz_plan plan;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 2, 64 * MIB, &plan, NULL), NWBZ_OK);
    assert_int_equal(plan.n_groups, 0);
    nz_source_info scalar = { .type = NWBZ_FLOAT64, .n_dims = 0, .name = "s" };
    nz_target_info zero = target_of(&scalar, NULL, NULL);
    assert_int_equal(nz_plan_make(&scalar, &zero, NULL, 2, 64 * MIB, &plan, NULL), NWBZ_OK);
    assert_int_equal(plan.n_groups, 1);
    assert_int_equal(plan.n_objects, 1);
}

static void shapes_and_types_that_differ_are_refused(void **state)
{
    (void)state;
    nz_source_info source = raw_source(100, 4), other = raw_source(100, 5);
    nz_target_info target = target_of(&source, (const uint64_t[]){ 10, 4 }, NULL);
    nz_plan plan;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nz_plan_make(&other, &target, NULL, 1, MIB, &plan, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "5 long in the source and 4"));
    source.type = NWBZ_UINT16;
    assert_int_equal(nz_plan_make(&source, &target, NULL, 1, MIB, &plan, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "uint16"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_object_is_in_one_group),
        cmocka_unit_test(column_blocks_of_a_row_band_are_read_together),
        cmocka_unit_test(a_band_over_the_memory_limit_is_cut_and_says_how_often_the_source_is_read),
        cmocka_unit_test(an_object_over_the_memory_limit_is_named_with_both_numbers),
        cmocka_unit_test(jobs_that_do_not_fit_the_memory_limit_are_left_out),
        cmocka_unit_test(a_forward_band_over_the_limit_is_an_error_that_names_the_band),
        cmocka_unit_test(buffers_that_do_not_line_up_are_read_once),
        cmocka_unit_test(a_zero_length_axis_has_no_groups_and_a_scalar_has_one),
        cmocka_unit_test(shapes_and_types_that_differ_are_refused),
    };
    return cmocka_run_group_tests_name("engine.plan", tests, NULL, NULL);
}
