/* The public numbers of the library: jobs and version. */
#include "base/thread.h"

#include <math.h>
#include <nwbz/nwbz.h>

enum { MAX_JOBS = 4096 };

const char *nwbz_version(void)
{
    return NWBZ_VERSION;
}

unsigned nwbz_jobs_usable(void)
{
    return nz_cpu_usable();
}

nwbz_code nwbz_jobs_resolve(double number_of_jobs, unsigned *jobs, nwbz_error *err)
{
    unsigned usable = nz_cpu_usable();
    double asked = number_of_jobs;
    if (asked > 0 && asked < 1) {
        asked = floor(asked * usable);
        asked = asked < 1 ? 1 : asked;
    }
    if (isnan(asked) || asked == 0 || asked != floor(asked))
        return nz_fail(err, NWBZ_EINVAL,
                       "%g is no number of jobs: use 1 or more, -1 for all %u CPUs, or a fraction between 0 and 1",
                       asked, usable);
    if (asked > MAX_JOBS)
        return nz_fail(err, NWBZ_EINVAL, "%g jobs are over the limit of %d", asked, MAX_JOBS);
    if (asked < -(double)usable)
        return nz_fail(err, NWBZ_EINVAL, "%g leaves no job: there are %u usable CPUs, -1 means all of them", asked,
                       usable);
    *jobs = asked > 0 ? (unsigned)asked : usable + 1 - (unsigned)-asked;
    return NWBZ_OK;
}
