/* pthreads with the library's errors.  Lock and unlock cannot fail on a mutex that was made here, so they return
 * nothing. */
#define _GNU_SOURCE
#include "base/thread.h"

#include <signal.h>

nwbz_code nz_mutex_init(nz_mutex *mutex, nwbz_error *err)
{
    int failed = pthread_mutex_init(mutex, NULL);
    return failed ? nz_fail_os(err, NWBZ_ENOMEM, failed, "cannot make a lock") : NWBZ_OK;
}

void nz_mutex_done(nz_mutex *mutex)
{
    (void)pthread_mutex_destroy(mutex);
}

void nz_lock(nz_mutex *mutex)
{
    (void)pthread_mutex_lock(mutex);
}

void nz_unlock(nz_mutex *mutex)
{
    (void)pthread_mutex_unlock(mutex);
}

nwbz_code nz_cond_init(nz_cond *cond, nwbz_error *err)
{
    int failed = pthread_cond_init(cond, NULL);
    return failed ? nz_fail_os(err, NWBZ_ENOMEM, failed, "cannot make a condition variable") : NWBZ_OK;
}

void nz_cond_done(nz_cond *cond)
{
    (void)pthread_cond_destroy(cond);
}

void nz_cond_wait(nz_cond *cond, nz_mutex *mutex)
{
    (void)pthread_cond_wait(cond, mutex);
}

void nz_cond_wake_all(nz_cond *cond)
{
    (void)pthread_cond_broadcast(cond);
}

nwbz_code nz_thread_start(nz_thread *thread, void *(*run)(void *), void *argument, nwbz_error *err)
{
    /* A new thread inherits the mask: block everything for the moment of its birth, so that no signal can reach it. */
    sigset_t all, before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, run, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return nz_fail_os(err, NWBZ_ENOMEM, failed, "cannot start a thread");
#ifdef __linux__
    (void)pthread_setname_np(*thread, "nwbz-worker"); /* for top and debuggers; a refusal changes nothing */
#endif
    return NWBZ_OK;
}

void nz_thread_join(nz_thread thread)
{
    (void)pthread_join(thread, NULL);
}
