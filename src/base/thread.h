/* Threads, locks and CPUs: the only folder door to pthreads. */
#ifndef NZ_BASE_THREAD_H
#define NZ_BASE_THREAD_H

#include "base/error.h"

#include <pthread.h>

typedef pthread_mutex_t nz_mutex;
typedef pthread_cond_t nz_cond;
typedef pthread_t nz_thread;

/* For a lock that lives as long as the process. */
#define NZ_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER

nwbz_code nz_mutex_init(nz_mutex *mutex, nwbz_error *err);
void nz_mutex_done(nz_mutex *mutex);
void nz_lock(nz_mutex *mutex);
void nz_unlock(nz_mutex *mutex);

nwbz_code nz_cond_init(nz_cond *cond, nwbz_error *err);
void nz_cond_done(nz_cond *cond);
/* Wait until woken; the mutex is held before and after.  Always in a loop over one predicate, written next to it. */
void nz_cond_wait(nz_cond *cond, nz_mutex *mutex);
void nz_cond_wake_all(nz_cond *cond);

/* Start a thread with all signals blocked (signals are for the thread that called the library). */
nwbz_code nz_thread_start(nz_thread *thread, void *(*run)(void *), void *argument, nwbz_error *err);
void nz_thread_join(nz_thread thread);

/* Count the CPUs this process may use: affinity and cgroup quota, at least 1. */
unsigned nz_cpu_usable(void);

/*
 * Read the smallest CPU quota of a process from the cgroup up to the root, rounded up; 0: none.  `cgroups` is /proc/self/cgroup and `mount`
 * /sys/fs/cgroup, elsewhere in tests.  Version 2 (cpu.max) and version 1 (cpu.cfs_quota_us of the cpu controller).
 */
unsigned nz_cpu_quota(const char *cgroups, const char *mount);

#endif
