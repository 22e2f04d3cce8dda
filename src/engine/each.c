/* Numbers are handed out in blocks, so that the lock is taken seldom, and in order, so that what lies side by side in a
 * tree (and in a folder) is done at one time.  Blocks are small: the last ones end together. */
#include "engine/each.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/thread.h"

enum { BLOCK = 16 };

typedef struct each {
    nz_each_fn fn;
    void *user;
    uint64_t n;
    nz_mutex mutex;
    /* guarded by the mutex */
    uint64_t next;
    nwbz_code code; /* of the first error, which stops all */
    nwbz_error error;
} each;

typedef struct each_job {
    each *of;
    unsigned job;
    nz_thread thread;
} each_job;

/* Take the next block; false when there is none, or an error stopped all. */
static bool take(each *self, uint64_t *from, uint64_t *to)
{
    nz_lock(&self->mutex);
    bool any = self->code == NWBZ_OK && self->next < self->n;
    *from = self->next;
    *to = any ? *from + nz_min(BLOCK, self->n - *from) : *from;
    self->next = *to;
    nz_unlock(&self->mutex);
    return any;
}

static void fail(each *self, nwbz_code code, const nwbz_error *error)
{
    nz_lock(&self->mutex);
    if (self->code == NWBZ_OK) {
        self->code = code;
        self->error = *error;
    }
    nz_unlock(&self->mutex);
}

static void *work(void *argument)
{
    const each_job *job = argument;
    uint64_t from, to;
    while (take(job->of, &from, &to))
        for (uint64_t i = from; i < to; i++) {
            nwbz_error error = NWBZ_ERROR_INIT;
            nwbz_code code = job->of->fn(i, job->job, job->of->user, &error);
            if (code != NWBZ_OK) {
                fail(job->of, code, &error);
                return NULL;
            }
        }
    return NULL;
}

/* Start the other threads, work, and join them. */
static void work_all(each *self, each_job *list, unsigned jobs)
{
    unsigned n_started = 1;
    nwbz_error error = NWBZ_ERROR_INIT;
    for (nwbz_code code = NWBZ_OK; n_started < jobs && code == NWBZ_OK;) {
        list[n_started] = (each_job){ .of = self, .job = n_started };
        code = nz_thread_start(&list[n_started].thread, work, &list[n_started], &error);
        if (code == NWBZ_OK)
            n_started++;
        else
            fail(self, code, &error);
    }
    list[0] = (each_job){ .of = self };
    work(&list[0]);
    for (unsigned i = 1; i < n_started; i++)
        nz_thread_join(list[i].thread);
}

nwbz_code nz_each(uint64_t n, unsigned jobs, nz_each_fn fn, void *user, nwbz_error *err)
{
    each self = { .fn = fn, .user = user, .n = n, .code = NWBZ_OK, .error = NWBZ_ERROR_INIT };
    jobs = (unsigned)nz_max(1, nz_min(jobs, nz_ceil_div(n, BLOCK)));
    each_job *list = nz_calloc(jobs, sizeof *list);
    if (!list)
        return nz_fail_memory(err, jobs * sizeof *list, "threads");
    nwbz_code code = nz_mutex_init(&self.mutex, err);
    if (code == NWBZ_OK) {
        work_all(&self, list, jobs);
        nz_mutex_done(&self.mutex);
        code = self.code;
        if (code != NWBZ_OK && err)
            *err = self.error;
    }
    nz_free(list);
    return code;
}
