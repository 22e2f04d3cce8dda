/* One step for each of many things, by several threads. */
#include "support/test.h"

#include "base/thread.h"
#include "engine/each.h"

#include <string.h>

enum { N = 1000, JOBS = 4 };

typedef struct nz_count {
    unsigned char done[N]; /* each is for one thread alone */
    unsigned per_job[JOBS];
    uint64_t fail_at;
    nz_mutex mutex;
    unsigned n_failed;
} nz_count_state;

static nwbz_code step(uint64_t i, unsigned job, void *user, nwbz_error *err)
{
    nz_count_state *count = user;
    if (i >= N || job >= JOBS)
        return nz_fail(err, NWBZ_EINVAL, "number %u of job %u", (unsigned)i, job);
    count->done[i]++;
    count->per_job[job]++;
    if (i < count->fail_at)
        return NWBZ_OK;
    nz_lock(&count->mutex);
    count->n_failed++;
    nz_unlock(&count->mutex);
    return nz_fail(err, NWBZ_EIO, "number %u failed", (unsigned)i);
}

static nz_count_state new_count(uint64_t fail_at)
{
    nz_count_state count = { .fail_at = fail_at };
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nz_mutex_init(&count.mutex, &err), &err);
    return count;
}

static void every_number_is_done_once_whatever_the_jobs(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    const unsigned numbers[] = { 0, 1, 15, 16, 17, 31, 999, 1000 };
    for (unsigned jobs = 0; jobs <= JOBS; jobs++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            nz_count_state count = new_count(N);
            assert_ok(nz_each(numbers[k], jobs, step, &count, &err), &err);
            unsigned total = 0;
            for (unsigned i = 0; i < N; i++)
                assert_int_equal(count.done[i], i < numbers[k]);
            for (unsigned i = 0; i < JOBS; i++)
                total += count.per_job[i];
            assert_int_equal(total, numbers[k]);
            nz_mutex_done(&count.mutex);
        }
}

static void one_job_goes_in_order_on_the_calling_thread_and_stops_at_the_first_error(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_count_state count = new_count(500);
    assert_code(nz_each(N, 1, step, &count, &err), NWBZ_EIO, "number 500 failed", &err);
    assert_int_equal(count.per_job[0], 501);
    assert_int_equal(count.done[501], 0);
    assert_code(nz_each(N, 1, step, &count, NULL), NWBZ_EIO, NULL, NULL);
    nz_mutex_done(&count.mutex);
}

static void the_error_of_any_thread_stops_all(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_count_state count = new_count(100);
    assert_code(nz_each(N, JOBS, step, &count, &err), NWBZ_EIO, "failed", &err);
    assert_true(count.n_failed >= 1 && count.n_failed <= JOBS);
    unsigned n_done = 0;
    for (unsigned i = 0; i < N; i++)
        n_done += count.done[i];
    assert_true(n_done < N); /* no block is begun after it */
    nz_mutex_done(&count.mutex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_done_once_whatever_the_jobs),
        cmocka_unit_test(one_job_goes_in_order_on_the_calling_thread_and_stops_at_the_first_error),
        cmocka_unit_test(the_error_of_any_thread_stops_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
