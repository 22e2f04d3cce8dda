/* A counter in front of the calls of the C library that change the file system.  Steps that a run makes elsewhere (rename within one function of the
 * library, the removal of a tree entry by entry) are all met, since they all come through here. */
#define _GNU_SOURCE
#include "fault/kill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static unsigned kill_before; /* 0: never */
static unsigned n_steps;     /* atomic */
static bool no_exchange;

static void step(void)
{
    if (kill_before && __atomic_add_fetch(&n_steps, 1, __ATOMIC_RELAXED) == kill_before)
        kill(getpid(), SIGKILL);
}

#define WRAP(name, type, parameters, ...)                                                                              \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        step();                                                                                                        \
        return __real_##name(__VA_ARGS__);                                                                             \
    }

WRAP(write, ssize_t, (int fd, const void *bytes, size_t n), fd, bytes, n)
WRAP(rename, int, (const char *from, const char *to), from, to)
WRAP(unlink, int, (const char *path), path)
WRAP(unlinkat, int, (int folder, const char *path, int flags), folder, path, flags)
WRAP(mkdir, int, (const char *path, mode_t mode), path, mode)
WRAP(rmdir, int, (const char *path), path)

int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    if (no_exchange) {
        errno = EINVAL;
        return -1;
    }
    step();
    return __real_renameat2(from_folder, from, to_folder, to, flags);
}

void kill_forbid_exchange(bool forbidden)
{
    no_exchange = forbidden;
}

/* Steps, but no syncs: a killed process loses nothing that it wrote, and hundreds of runs would wait for a busy disk. */
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    (void)fd;
    step();
    return 0;
}

int __wrap_syncfs(int fd);
int __wrap_syncfs(int fd)
{
    (void)fd;
    step();
    return 0;
}

/* Opening changes something only when it creates or empties. */
#define WRAP_OPEN(name, parameters, ...)                                                                               \
    __attribute__((weak)) int __real_##name parameters;                                                                \
    int __wrap_##name parameters;                                                                                      \
    int __wrap_##name parameters                                                                                       \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;                                                    \
        va_end(rest);                                                                                                  \
        if (flags & (O_CREAT | O_TRUNC))                                                                               \
            step();                                                                                                    \
        return __real_##name(__VA_ARGS__, mode);                                                                       \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), path, flags)
WRAP_OPEN(open64, (const char *path, int flags, ...), path, flags)
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), folder, path, flags)
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), folder, path, flags)

static unsigned kill_when_armed;

void kill_arm(void)
{
    __atomic_store_n(&n_steps, 0, __ATOMIC_RELAXED);
    kill_before = kill_when_armed;
}

bool kill_at(unsigned k, nwbz_code (*run)(void *user, nwbz_error *err), void *user)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        nwbz_error err = NWBZ_ERROR_INIT;
        kill_when_armed = k;
        kill_arm();
        nwbz_code code = run(user, &err);
        kill_before = 0;
        if (code != NWBZ_OK)
            print_error("not killed: %s: %s: %s\n", nwbz_code_name(code), err.where, err.message);
        fflush(NULL);
        _Exit(code == NWBZ_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    assert_int_equal(status, 0);
    return false;
}
