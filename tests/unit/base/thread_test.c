#define _GNU_SOURCE
#include "support/test.h"

#include "base/thread.h"

#include <math.h>
#include <nwbz/types.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Threads ----------------------------------------------------------------------- */

typedef struct shared {
    nz_mutex mutex;
    nz_cond cond;
    /* guarded by the mutex */
    int turn, n_steps;
    bool signals_blocked[2];
} shared;

typedef struct player {
    shared *game;
    int me;
} player;

static void *play(void *argument)
{
    player *p = argument;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    nz_lock(&p->game->mutex);
    p->game->signals_blocked[p->me] = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1;
    for (int i = 0; i < 100; i++) {
        while (p->game->turn != p->me)
            nz_cond_wait(&p->game->cond, &p->game->mutex);
        p->game->n_steps++;
        p->game->turn = !p->me;
        nz_cond_wake_all(&p->game->cond);
    }
    nz_unlock(&p->game->mutex);
    return NULL;
}

static void two_threads_take_turns_with_all_signals_blocked(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    shared game = { .turn = 0 };
    player players[2] = { { &game, 0 }, { &game, 1 } };
    nz_thread threads[2];
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_ok(nz_mutex_init(&game.mutex, &err), &err);
    assert_ok(nz_cond_init(&game.cond, &err), &err);
    for (int i = 0; i < 2; i++)
        assert_ok(nz_thread_start(&threads[i], play, &players[i], &err), &err);
    for (int i = 0; i < 2; i++)
        nz_thread_join(threads[i]);
    assert_int_equal(game.n_steps, 200);
    assert_true(game.signals_blocked[0] && game.signals_blocked[1]);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int signal_number = 1; signal_number < 32; signal_number++)
        assert_int_equal(sigismember(&before, signal_number), sigismember(&after, signal_number));
    nz_cond_done(&game.cond);
    nz_mutex_done(&game.mutex);
}

/* ---- CPUs -------------------------------------------------------------------------- */

static void usable_cpus_follow_the_affinity_mask(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    unsigned usable = nz_cpu_usable();
    assert_true(usable >= 1 && usable <= (unsigned)CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(nz_cpu_usable(), 1);
    assert_int_equal(nwbz_jobs_usable(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* Write a file of the made-up cgroup tree, with the folders that it needs. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", test_path(folder, name));
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    test_file_write(path, text, strlen(text));
}

static unsigned quota(const char *folder, const char *lines)
{
    put(folder, "self", lines);
    return nz_cpu_quota(test_path(folder, "self"), test_path(folder, "fs"));
}

static void the_tightest_quota_up_to_the_root_counts_rounded_up(void **state)
{
    put(*state, "fs/cpu.max", "max 100000\n");
    put(*state, "fs/slurm/cpu.max", "150000 100000\n");
    put(*state, "fs/slurm/job/cpu.max", "max 100000\n");
    put(*state, "fs/slurm/job/step/cpu.max", "800000 100000\n");
    assert_int_equal(quota(*state, "0::/slurm/job/step\n"), 2);
    assert_int_equal(quota(*state, "0::/slurm\n"), 2);
    assert_int_equal(quota(*state, "0::/\n"), 0);
    put(*state, "fs/cpu.max", "50000 100000\n");
    assert_int_equal(quota(*state, "0::/slurm/job/step\n"), 1);
}

static void in_a_container_the_mount_itself_counts(void **state)
{
    put(*state, "fs/cpu.max", "300000 100000\n");
    assert_int_equal(quota(*state, "0::/docker/0123456789abcdef\n"), 3);
}

static void version_1_quotas_count_by_either_name_of_the_folder(void **state)
{
    put(*state, "fs/cpu,cpuacct/x/cpu.cfs_quota_us", "250000\n");
    put(*state, "fs/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(*state, "5:memory:/x\n4:cpu,cpuacct:/x\n1:cpuset:/x\n"), 3);
    put(*state, "fs/cpu/y/cpu.cfs_quota_us", "-1\n");
    put(*state, "fs/cpu/y/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(*state, "4:cpu:/y\n"), 0);
    put(*state, "fs/cpu/y/cpu.cfs_quota_us", "100000\n");
    assert_int_equal(quota(*state, "4:cpu:/y\n"), 1);
    assert_int_equal(quota(*state, "4:cpuset:/y\n"), 0);
}

static void damaged_cgroup_files_mean_no_quota(void **state)
{
    assert_int_equal(nz_cpu_quota(test_path(*state, "absent"), *state), 0);
    const char *damaged[] = { "", "x", "0", "100000 0", "-5 100000", "99999999999999999999 1", "100000" };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        put(*state, "fs/cpu.max", damaged[i]);
        assert_int_equal(quota(*state, "0::/\n"), 0);
    }
    put(*state, "fs/cpu.max", "100000 100000");
    assert_int_equal(quota(*state, "no colon\n:\n\n0:\n"), 0);
    assert_int_equal(quota(*state, "0::/"), 1);
}

/* ---- Jobs -------------------------------------------------------------------------- */

static void jobs_are_a_count_all_but_some_or_a_fraction(void **state)
{
    (void)state;
    nwbz_error err = NWBZ_ERROR_INIT;
    unsigned usable = nwbz_jobs_usable(), jobs = 0;
    const struct {
        double asked;
        unsigned jobs;
    } cases[] = { { 1, 1 },
                  { 3, 3 },
                  { 4096, 4096 },
                  { -1, usable },
                  { -(double)usable, 1 },
                  { 1e-9, 1 },
                  { 0.5, usable > 1 ? usable / 2 : 1 },
                  { 0.999999, usable > 1 ? usable - 1 : 1 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(nwbz_jobs_resolve(cases[i].asked, &jobs, &err), &err);
        assert_int_equal(jobs, cases[i].jobs);
    }
}

static void numbers_that_are_no_jobs_are_refused(void **state)
{
    (void)state;
    const double refused[] = {
        0, -0.0, 1.5, -0.5, -1.5, 4097, 1e300, INFINITY, -INFINITY, NAN, -1.0 - nwbz_jobs_usable()
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        nwbz_error err = NWBZ_ERROR_INIT;
        unsigned jobs = 77;
        assert_code(nwbz_jobs_resolve(refused[i], &jobs, &err), NWBZ_EINVAL, "job", &err);
        assert_int_equal(jobs, 77);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, test_folder_setup, test_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_take_turns_with_all_signals_blocked),
        cmocka_unit_test(usable_cpus_follow_the_affinity_mask),
        IN_FOLDER(the_tightest_quota_up_to_the_root_counts_rounded_up),
        IN_FOLDER(in_a_container_the_mount_itself_counts),
        IN_FOLDER(version_1_quotas_count_by_either_name_of_the_folder),
        IN_FOLDER(damaged_cgroup_files_mean_no_quota),
        cmocka_unit_test(jobs_are_a_count_all_but_some_or_a_fraction),
        cmocka_unit_test(numbers_that_are_no_jobs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
