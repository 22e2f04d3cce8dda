/* Streams: what a pipe does that a file does not. */
#include "unit/source/fixture.h"

#include "base/thread.h"

#include <signal.h>
#include <unistd.h>

static nwbz_raw_options options_of(const uint64_t *shape)
{
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    options.type = NWBZ_INT16;
    options.n_dims = 2;
    options.shape = shape;
    return options;
}

/* The other end of a pipe: gives `n_bytes` of the known samples, `at_once` at a time. */
typedef struct giver {
    int fds[2];
    uint64_t n_bytes, at_once;
    nz_thread thread;
} giver;

static void *give(void *argument)
{
    giver *g = argument;
    for (uint64_t at = 0; at < g->n_bytes;) {
        char part[4096];
        uint64_t n = g->at_once < g->n_bytes - at ? g->at_once : g->n_bytes - at;
        for (uint64_t i = 0; i < n; i++) {
            int16_t sample = sample_at((at + i) / 2);
            part[i] = ((char *)&sample)[(at + i) % 2];
        }
        if (write(g->fds[1], part, n) != (ssize_t)n)
            break;
        at += n;
    }
    close(g->fds[1]);
    return NULL;
}

static void start_giving(giver *g, uint64_t n_bytes, uint64_t at_once)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(pipe(g->fds), 0);
    g->n_bytes = n_bytes;
    g->at_once = at_once;
    assert_ok(nz_thread_start(&g->thread, give, g, &err), &err);
}

static void stop_giving(giver *g)
{
    close(g->fds[0]);
    nz_thread_join(g->thread);
}

/* Read the next `n` rows of 3 channels and check those that came. */
static nwbz_code read_rows(nwbz_source *source, uint64_t at, uint64_t n, uint64_t *n_rows, nwbz_error *err)
{
    const uint64_t shape[2] = { at + n, 3 };
    nz_box box = { 2, { at, 0 }, { n, 3 } };
    int16_t *elements = nz_malloc(n * 3 * sizeof *elements);
    nwbz_code code = read_once(source, &box, elements, n_rows, err);
    box.shape[0] = *n_rows;
    if (code == NWBZ_OK)
        assert_true(is_known(&box, shape, elements));
    nz_free(elements);
    return code;
}

static void frames_that_come_in_parts_are_put_together(void **state)
{
    (void)state;
    const uint64_t parts[] = { 1, 5, 6, 7, 4096 }, shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_source *source = NULL;
        giver g;
        uint64_t n_rows = 0;
        nwbz_raw_options options = options_of(shape);
        start_giving(&g, 1000 * 6, parts[i]);
        assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
        assert_string_equal(source->info.name, "stream");
        for (uint64_t at = 0; at < 1000; at += 300) {
            assert_ok(read_rows(source, at, 300, &n_rows, &err), &err);
            assert_int_equal(n_rows, at == 900 ? 100 : 300);
        }
        assert_ok(read_rows(source, 1000, 300, &n_rows, &err), &err);
        assert_int_equal(n_rows, 0);
        nwbz_source_close(source);
        stop_giving(&g);
    }
}

static void an_end_within_a_frame_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    giver g;
    uint64_t n_rows;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 };
    nwbz_raw_options options = options_of(shape);
    start_giving(&g, 100 * 6 + 4, 4096);
    assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
    assert_ok(read_rows(source, 0, 50, &n_rows, &err), &err);
    assert_fails(read_rows(source, 50, 100, &n_rows, &err), NWBZ_ESOURCE, "middle of a frame", "4 of 6 bytes",
                 "after 100 whole frames");
    assert_string_equal(err.where, "stream");
    nwbz_source_close(source);
    stop_giving(&g);
}

static void a_declared_length_must_be_the_real_one(void **state)
{
    (void)state;
    const uint64_t shape[2] = { 100, 3 }, given[] = { 99, 100, 101 };
    for (size_t i = 0; i < 3; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_source *source = NULL;
        giver g;
        uint64_t n_rows;
        nwbz_raw_options options = options_of(shape);
        start_giving(&g, given[i] * 6, 4096);
        assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
        assert_int_equal(source->info.natural[0], 100);
        assert_ok(read_rows(source, 0, 60, &n_rows, &err), &err);
        nwbz_code code = read_rows(source, 60, 40, &n_rows, &err);
        if (given[i] == 99)
            assert_fails(code, NWBZ_ESOURCE, "after 99 of 100 frames");
        else if (given[i] == 101)
            assert_fails(code, NWBZ_ESOURCE, "goes on after the 100 frames");
        else
            assert_ok(code, &err);
        nwbz_source_close(source);
        stop_giving(&g);
    }
}

static void an_end_before_the_offset_is_an_error_with_both_numbers(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    giver g;
    uint64_t n_rows;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 };
    nwbz_raw_options options = options_of(shape);
    options.offset_bytes = 3 << 20;
    start_giving(&g, 1000, 4096);
    assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
    assert_fails(read_rows(source, 0, 10, &n_rows, &err), NWBZ_ESOURCE, "after 1000 bytes", "offset 3145728");
    nwbz_source_close(source);
    stop_giving(&g);
}

static void an_offset_longer_than_a_block_is_skipped(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    giver g;
    uint64_t n_rows;
    int16_t elements[30];
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 }, skipped = (2 << 20) + 600;
    nz_box box = { 2, { 0, 0 }, { 10, 3 } };
    nwbz_raw_options options = options_of(shape);
    options.offset_bytes = skipped;
    start_giving(&g, skipped + 60, 4096);
    assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
    assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
    assert_int_equal(n_rows, 10);
    for (uint64_t i = 0; i < 30; i++)
        assert_int_equal(elements[i], sample_at(skipped / 2 + i));
    nwbz_source_close(source);
    stop_giving(&g);
}

/* The box holds few channels of many frames: what is read is larger than what they are picked from. */
static void a_box_of_more_frames_than_a_block_has_its_channels(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    giver g;
    uint64_t n_rows;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 300 }, channels[2] = { 299, 7 }, n = 5000;
    nz_box box = { 2, { 0, 0 }, { n + 1, 2 } };
    nwbz_raw_options options = options_of(shape);
    options.channels = channels;
    options.n_channels = 2;
    start_giving(&g, n * 600, 4096);
    assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
    int16_t *elements = nz_malloc((n + 1) * 2 * sizeof *elements);
    assert_ok(read_once(source, &box, elements, &n_rows, &err), &err);
    assert_int_equal(n_rows, n);
    for (uint64_t i = 0; i < n * 2; i++)
        assert_int_equal(elements[i], sample_at(i / 2 * 300 + channels[i % 2]));
    nz_free(elements);
    nwbz_source_close(source);
    stop_giving(&g);
}

static void boxes_out_of_order_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    giver g;
    uint64_t n_rows;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 };
    nwbz_raw_options options = options_of(shape);
    start_giving(&g, 600, 4096);
    assert_ok(nwbz_source_new_stream(g.fds[0], &options, NULL, NULL, &source, &err), &err);
    assert_fails(read_rows(source, 10, 10, &n_rows, &err), NWBZ_EINVAL, "frame 0 comes next, not 10");
    assert_ok(read_rows(source, 0, 10, &n_rows, &err), &err);
    assert_fails(read_rows(source, 0, 10, &n_rows, &err), NWBZ_EINVAL, "frame 10 comes next, not 0");
    nwbz_source_close(source);
    stop_giving(&g);
}

/* ---- signals ---------------------------------------------------------------------------- */

static volatile sig_atomic_t n_signals;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    n_signals++;
}

static unsigned n_asked;

/* Stop at the second question. */
static int stop_at_second(void *user)
{
    assert_ptr_equal(user, &n_asked);
    return ++n_asked == 2;
}

static void a_signal_asks_whether_to_go_on(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    int fds[2];
    uint64_t n_rows;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 };
    nwbz_raw_options options = options_of(shape);
    struct sigaction action = { 0 };
    action.sa_handler = on_alarm;
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(pipe(fds), 0);
    assert_ok(nwbz_source_new_stream(fds[0], &options, stop_at_second, &n_asked, &source, &err), &err);
    timer_t timer;
    struct itimerspec often = { { 0, 20 * 1000 * 1000 }, { 0, 20 * 1000 * 1000 } };
    assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
    nwbz_code code = read_rows(source, 0, 10, &n_rows, &err); /* nothing ever comes */
    assert_int_equal(timer_delete(timer), 0);
    assert_fails(code, NWBZ_ECANCELED, "interrupted");
    assert_int_equal(n_asked, 2);
    assert_true(n_signals >= 2);
    nwbz_source_close(source);
    close(fds[0]);
    close(fds[1]);
}

static void options_that_cannot_be_right_are_refused(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_source *source = NULL;
    const uint64_t shape[2] = { NWBZ_UNKNOWN_LENGTH, 3 }, no_frame[2] = { NWBZ_UNKNOWN_LENGTH, 0 };
    nwbz_raw_options options = options_of(no_frame), unset = { 0 };
    assert_fails(nwbz_source_new_stream(0, &options, NULL, NULL, &source, &err), NWBZ_EINVAL, "0 bytes");
    assert_fails(nwbz_source_new_stream(0, &unset, NULL, NULL, &source, &err), NWBZ_EINVAL, "struct_size");
    assert_null(source);
    options = options_of(shape);
    assert_ok(nwbz_source_new_stream(0, &options, NULL, NULL, &source, &err), &err);
    assert_string_equal(source->info.name, "standard input");
    assert_null(source->class->identity);
    nwbz_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_that_come_in_parts_are_put_together),
        cmocka_unit_test(an_end_within_a_frame_is_an_error_with_both_numbers),
        cmocka_unit_test(a_declared_length_must_be_the_real_one),
        cmocka_unit_test(an_end_before_the_offset_is_an_error_with_both_numbers),
        cmocka_unit_test(an_offset_longer_than_a_block_is_skipped),
        cmocka_unit_test(a_box_of_more_frames_than_a_block_has_its_channels),
        cmocka_unit_test(boxes_out_of_order_are_refused),
        cmocka_unit_test(a_signal_asks_whether_to_go_on),
        cmocka_unit_test(options_that_cannot_be_right_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
