/* How many CPUs the process may use: the size of its affinity mask, cut by the quotas of its cgroup and of those
 * above, each of which can be the tightest.  Files that are not there mean no quota. */
#define _GNU_SOURCE
#include "base/thread.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CPUS = 1 << 20, MAX_CGROUP_BYTES = 1 << 20 };

#ifdef __linux__
/* Count the CPUs of the affinity mask; the kernel refuses a mask that is smaller than its own. */
static unsigned count_affinity(void)
{
    for (int n = 1024; n <= MAX_CPUS; n *= 2) {
        size_t n_bytes = CPU_ALLOC_SIZE(n);
        cpu_set_t *mask = nz_calloc(1, n_bytes);
        if (!mask)
            return 0;
        bool done = sched_getaffinity(0, n_bytes, mask) == 0, retry = !done && errno == EINVAL;
        unsigned count = done ? (unsigned)CPU_COUNT_S(n_bytes, mask) : 0;
        nz_free(mask);
        if (!retry)
            return count;
    }
    return 0;
}
#else
static unsigned count_affinity(void)
{
    return 0;
}
#endif

/* ---- Quotas ---------------------------------------------------------------------- */

/* Read a small file as text; NULL when it is not there. */
static char *read_small(const char *folder, const char *name)
{
    char *path = nz_path_join(folder, name), *text = NULL;
    size_t n;
    if (path)
        (void)!nz_file_read_all(path, MAX_CGROUP_BYTES, &text, &n, NWBZ_EIO, NULL);
    nz_free(path);
    return text;
}

/* Round quota / period up; 0: no limit. */
static unsigned cpus_of(int64_t quota, int64_t period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    int64_t cpus = quota / period + (quota % period != 0);
    return cpus < MAX_CPUS ? (unsigned)cpus : 0;
}

/* "max 100000" or "150000 100000". */
static unsigned quota_v2(const char *folder)
{
    char *text = read_small(folder, "cpu.max");
    int64_t quota, period;
    unsigned cpus = text && sscanf(text, "%" SCNd64 " %" SCNd64, &quota, &period) == 2 ? cpus_of(quota, period) : 0;
    nz_free(text);
    return cpus;
}

/* -1 for no limit. */
static unsigned quota_v1(const char *folder)
{
    char *quota = read_small(folder, "cpu.cfs_quota_us"), *period = read_small(folder, "cpu.cfs_period_us");
    unsigned cpus = quota && period ? cpus_of(strtoll(quota, NULL, 10), strtoll(period, NULL, 10)) : 0;
    nz_free(quota);
    nz_free(period);
    return cpus;
}

static unsigned tighter(unsigned a, unsigned b)
{
    return a && (!b || a < b) ? a : b;
}

/* Go from the cgroup `path` below `mount` up to the mount itself.  In a container the path can be the host's, and
 * only the mount is there. */
static unsigned quota_up(const char *mount, const char *path, unsigned (*quota_of)(const char *))
{
    unsigned least = quota_of(mount);
    char *whole = nz_format("%s%s", mount, path);
    size_t n_mount = strlen(mount);
    for (size_t n = whole ? strlen(whole) : 0; n > n_mount; n--) {
        if (whole[n] != 0 && whole[n] != '/')
            continue;
        whole[n] = 0;
        least = tighter(quota_of(whole), least);
    }
    nz_free(whole);
    return least;
}

/* Say whether the list "cpu,cpuacct" names "cpu". */
static bool names_cpu(const char *controllers)
{
    for (const char *at = controllers; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
    return false;
}

/* One line of /proc/self/cgroup: "0::/user.slice/x" (version 2) or "4:cpu,cpuacct:/x" (version 1). */
static unsigned quota_of_line(char *line, const char *mount)
{
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(++controllers, ':') : NULL;
    if (!path)
        return 0;
    *path++ = 0;
    if (!*controllers)
        return quota_up(mount, path, quota_v2);
    if (!names_cpu(controllers))
        return 0;
    char *folder = nz_path_join(mount, controllers), *link = nz_path_join(mount, "cpu");
    unsigned least = folder && link ? tighter(quota_up(folder, path, quota_v1), quota_up(link, path, quota_v1)) : 0;
    nz_free(folder);
    nz_free(link);
    return least;
}

unsigned nz_cpu_quota(const char *cgroups, const char *mount)
{
    char *text = read_small("", cgroups), *rest = text;
    unsigned least = 0;
    while (rest && *rest) {
        char *line = rest;
        rest += strcspn(rest, "\n");
        if (*rest)
            *rest++ = 0;
        least = tighter(quota_of_line(line, mount), least);
    }
    nz_free(text);
    return least;
}

unsigned nz_cpu_usable(void)
{
    unsigned cpus = count_affinity();
    if (!cpus) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cpus = online > 0 ? (unsigned)online : 1;
    }
    return tighter(nz_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup"), cpus);
}
