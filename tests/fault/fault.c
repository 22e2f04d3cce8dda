/* Counters in front of the library's doors.  Each wrapper counts a step of its kind and fails the k-th; threads share the counter, so that some
 * thread meets it.  Live allocations are counted all the time, in every kind of build; sanitizers see what other libraries keep. */
#define _GNU_SOURCE
#include "fault/fault.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

static struct {
    fault_kind kind;
    bool is_armed;
    unsigned k, n_steps; /* n_steps is atomic while a run lasts */
    const char *failed;  /* the name of what failed */
} fault;

static long n_live; /* atomic */

static bool is_hit(fault_kind kind, const char *name)
{
    if (!__atomic_load_n(&fault.is_armed, __ATOMIC_ACQUIRE) || fault.kind != kind)
        return false;
    unsigned step = __atomic_add_fetch(&fault.n_steps, 1, __ATOMIC_RELAXED);
    bool hit = kind == FAULT_FULL ? step >= fault.k : step == fault.k;
    if (hit)
        __atomic_store_n(&fault.failed, name, __ATOMIC_RELAXED);
    return hit;
}

static nwbz_code fail_step(nwbz_code code, int os_errno, const char *name, nwbz_error *err)
{
    return nz_fail_os(err, code, os_errno, "made to fail in %s", name);
}

/* ---- Memory -------------------------------------------------------------------------- */

static void *live(void *pointer)
{
    __atomic_add_fetch(&n_live, pointer != NULL, __ATOMIC_RELAXED);
    return pointer;
}

#define WRAP_ALLOCATION(name, type, parameters, ...)                                                                   \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return is_hit(FAULT_ALLOCATION, #name) ? NULL : live(__real_##name(__VA_ARGS__));                              \
    }

WRAP_ALLOCATION(nz_malloc, void *, (size_t n_bytes), n_bytes)
WRAP_ALLOCATION(nz_malloc_large, void *, (size_t n_bytes), n_bytes)
WRAP_ALLOCATION(nz_calloc, void *, (size_t n, size_t element_bytes), n, element_bytes)
WRAP_ALLOCATION(nz_strdup, char *, (const char *text), text)
WRAP_ALLOCATION(nz_strndup, char *, (const char *text, size_t n), text, n)
WRAP_ALLOCATION(nz_memdup, void *, (const void *bytes, size_t n_bytes), bytes, n_bytes)

void *__real_nz_realloc(void *pointer, size_t n_bytes);
void *__wrap_nz_realloc(void *pointer, size_t n_bytes);
void *__wrap_nz_realloc(void *pointer, size_t n_bytes)
{
    if (is_hit(FAULT_ALLOCATION, "nz_realloc"))
        return NULL;
    void *larger = __real_nz_realloc(pointer, n_bytes);
    return pointer ? larger : live(larger);
}

#define WRAP_FREE(name)                                                                                                \
    void __real_##name(void *pointer);                                                                                 \
    void __wrap_##name(void *pointer);                                                                                 \
    void __wrap_##name(void *pointer)                                                                                  \
    {                                                                                                                  \
        __atomic_sub_fetch(&n_live, pointer != NULL, __ATOMIC_RELAXED);                                                \
        __real_##name(pointer);                                                                                        \
    }

WRAP_FREE(nz_free)
WRAP_FREE(nwbz_free)

/* ---- Files ----------------------------------------------------------------------------- */

/* `code` is what the function gives when the system fails it. */
#define WRAP_STEP(kind, name, code, parameters, ...)                                                                   \
    nwbz_code __real_##name parameters;                                                                                \
    nwbz_code __wrap_##name parameters;                                                                                \
    nwbz_code __wrap_##name parameters                                                                                 \
    {                                                                                                                  \
        return is_hit(kind, #name) ? fail_step(code, EIO, #name, err) : __real_##name(__VA_ARGS__);                    \
    }

WRAP_STEP(FAULT_READ, nz_file_open_read, code, (const char *path, nwbz_code code, int *fd, nwbz_error *err), path, code,
          fd, err)
WRAP_STEP(FAULT_READ, nz_file_read_stream, NWBZ_ESOURCE,
          (int fd, void *bytes, size_t n, int64_t *n_read, nwbz_error *err), fd, bytes, n, n_read, err)
WRAP_STEP(FAULT_READ, nz_file_look, NWBZ_EIO, (const char *path, bool follow, nz_file_info *info, nwbz_error *err),
          path, follow, info, err)
WRAP_STEP(FAULT_READ, nz_file_look_fd, NWBZ_EIO, (int fd, const char *path, nz_file_info *info, nwbz_error *err), fd,
          path, info, err)
WRAP_STEP(FAULT_READ, nz_folder_each, NWBZ_EIO, (const char *path, nz_folder_fn on_entry, void *user, nwbz_error *err),
          path, on_entry, user, err)
WRAP_STEP(FAULT_READ, nz_file_read_at, code,
          (int fd, void *bytes, size_t n, uint64_t offset, size_t *n_read, nwbz_code code, const char *path,
           nwbz_error *err),
          fd, bytes, n, offset, n_read, code, path, err)

/* These leave NULL behind. */
nwbz_code __real_nz_file_read_all(const char *path, size_t max_bytes, char **bytes, size_t *n_bytes, nwbz_code code,
                                  nwbz_error *err);
nwbz_code __wrap_nz_file_read_all(const char *path, size_t max_bytes, char **bytes, size_t *n_bytes, nwbz_code code,
                                  nwbz_error *err);
nwbz_code __wrap_nz_file_read_all(const char *path, size_t max_bytes, char **bytes, size_t *n_bytes, nwbz_code code,
                                  nwbz_error *err)
{
    *bytes = NULL;
    *n_bytes = 0;
    if (is_hit(FAULT_READ, "nz_file_read_all"))
        return fail_step(code, EIO, "nz_file_read_all", err);
    return __real_nz_file_read_all(path, max_bytes, bytes, n_bytes, code, err);
}

nwbz_code __real_nz_path_resolve(const char *path, char **resolved, nwbz_error *err);
nwbz_code __wrap_nz_path_resolve(const char *path, char **resolved, nwbz_error *err);
nwbz_code __wrap_nz_path_resolve(const char *path, char **resolved, nwbz_error *err)
{
    *resolved = NULL;
    if (is_hit(FAULT_READ, "nz_path_resolve"))
        return fail_step(NWBZ_EIO, EIO, "nz_path_resolve", err);
    return __real_nz_path_resolve(path, resolved, err);
}

WRAP_STEP(FAULT_WRITE, nz_file_rename, NWBZ_EIO, (const char *from, const char *to, bool exchange, nwbz_error *err),
          from, to, exchange, err)
WRAP_STEP(FAULT_WRITE, nz_file_remove, NWBZ_EIO, (const char *path, nwbz_error *err), path, err)
WRAP_STEP(FAULT_WRITE, nz_folder_remove, NWBZ_EIO, (const char *path, nwbz_error *err), path, err)
WRAP_STEP(FAULT_WRITE, nz_tree_remove, NWBZ_EIO, (const char *path, nwbz_error *err), path, err)
WRAP_STEP(FAULT_WRITE, nz_folder_sync, NWBZ_EIO, (const char *path, nwbz_error *err), path, err)
WRAP_STEP(FAULT_WRITE, nz_tree_sync, NWBZ_EIO, (const char *path, nwbz_error *err), path, err)

/* What needs room fails on a full disk too. */
#define WRAP_ROOM(name, parameters, ...)                                                                               \
    nwbz_code __real_##name parameters;                                                                                \
    nwbz_code __wrap_##name parameters;                                                                                \
    nwbz_code __wrap_##name parameters                                                                                 \
    {                                                                                                                  \
        if (is_hit(FAULT_WRITE, #name))                                                                                \
            return fail_step(NWBZ_EIO, EIO, #name, err);                                                               \
        return is_hit(FAULT_FULL, #name) ? fail_step(NWBZ_EIO, ENOSPC, #name, err) : __real_##name(__VA_ARGS__);       \
    }

WRAP_ROOM(nz_folder_make, (const char *path, nwbz_error *err), path, err)
WRAP_ROOM(nz_folder_make_parents, (const char *root, const char *path, nwbz_error *err), root, path, err)
WRAP_ROOM(nz_file_write_all, (const char *path, const void *bytes, size_t n_bytes, nwbz_error *err), path, bytes,
          n_bytes, err)

static nwbz_code open_or_fail(int *fd, const char *name, nwbz_error *err, bool *failed)
{
    *fd = -1;
    *failed = true;
    if (is_hit(FAULT_WRITE, name))
        return fail_step(NWBZ_EIO, EIO, name, err);
    if (is_hit(FAULT_FULL, name))
        return fail_step(NWBZ_EIO, ENOSPC, name, err);
    *failed = false;
    return NWBZ_OK;
}

nwbz_code __real_nz_file_open_write(const char *path, bool append, int *fd, nwbz_error *err);
nwbz_code __wrap_nz_file_open_write(const char *path, bool append, int *fd, nwbz_error *err);
nwbz_code __wrap_nz_file_open_write(const char *path, bool append, int *fd, nwbz_error *err)
{
    bool failed;
    nwbz_code code = open_or_fail(fd, "nz_file_open_write", err, &failed);
    return failed ? code : __real_nz_file_open_write(path, append, fd, err);
}

nwbz_code __real_nz_file_lock(const char *path, int *fd, nwbz_error *err);
nwbz_code __wrap_nz_file_lock(const char *path, int *fd, nwbz_error *err);
nwbz_code __wrap_nz_file_lock(const char *path, int *fd, nwbz_error *err)
{
    bool failed;
    nwbz_code code = open_or_fail(fd, "nz_file_lock", err, &failed);
    return failed ? code : __real_nz_file_lock(path, fd, err);
}

nwbz_code __real_nz_file_write(int fd, const void *bytes, size_t n, const char *path, nwbz_error *err);
nwbz_code __wrap_nz_file_write(int fd, const void *bytes, size_t n, const char *path, nwbz_error *err);
nwbz_code __wrap_nz_file_write(int fd, const void *bytes, size_t n, const char *path, nwbz_error *err)
{
    bool is_full = is_hit(FAULT_FULL, "nz_file_write");
    if (!is_full && !is_hit(FAULT_WRITE, "nz_file_write"))
        return __real_nz_file_write(fd, bytes, n, path, err);
    (void)__real_nz_file_write(fd, bytes, n / 2, path, NULL); /* what a full disk leaves */
    return fail_step(NWBZ_EIO, is_full ? ENOSPC : EIO, "nz_file_write", err);
}

nwbz_code __real_nz_file_close(int fd, const char *path, nwbz_error *err);
nwbz_code __wrap_nz_file_close(int fd, const char *path, nwbz_error *err);
nwbz_code __wrap_nz_file_close(int fd, const char *path, nwbz_error *err)
{
    nwbz_code code = __real_nz_file_close(fd, path, err); /* a failed close closes too */
    return is_hit(FAULT_WRITE, "nz_file_close") ? fail_step(NWBZ_EIO, EIO, "nz_file_close", err) : code;
}

/* ---- The runs ---------------------------------------------------------------------------- */

unsigned fault_count_descriptors(void)
{
    unsigned n = 0;
    DIR *listing = opendir("/proc/self/fd");
    assert_non_null(listing);
    while (readdir(listing))
        n++;
    closedir(listing);
    return n;
}

int fault_folder_setup(void **state)
{
    if (!getenv("TMPDIR") && access("/dev/shm", W_OK | X_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return test_folder_setup(state);
}

static const char *name_of(fault_kind kind)
{
    static const char *const names[] = { "allocation", "read", "write", "full disk" };
    return names[kind];
}

static void arm(fault_kind kind, unsigned k)
{
    fault.kind = kind;
    fault.k = k;
    fault.n_steps = 0;
    fault.failed = NULL;
    __atomic_store_n(&fault.is_armed, true, __ATOMIC_RELEASE);
}

static void check_error(nwbz_code code, const nwbz_error *err, unsigned k)
{
    if (!err->message[0] || err->code != code)
        fail_msg("%s %u, %s: %s returned, and err has %s: '%s'", name_of(fault.kind), k, fault.failed,
                 nwbz_code_name(code), nwbz_code_name(err->code), err->message);
    if (fault.kind == FAULT_ALLOCATION)
        assert_int_equal(code, NWBZ_ENOMEM);
    if (fault.kind == FAULT_FULL)
        assert_int_equal(code, NWBZ_ENOSPACE);
}

/* Run once; false when nothing was made to fail. */
static bool try_one(const fault_scenario *scenario, fault_kind kind, unsigned k)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    if (scenario->prepare)
        scenario->prepare(scenario->user);
    long live_before = __atomic_load_n(&n_live, __ATOMIC_RELAXED);
    unsigned open_before = fault_count_descriptors();
    arm(kind, k);
    nwbz_code code = scenario->run(scenario->user, &err);
    __atomic_store_n(&fault.is_armed, false, __ATOMIC_RELEASE);
    long live_after = __atomic_load_n(&n_live, __ATOMIC_RELAXED);
    unsigned open_after = fault_count_descriptors();
    if (live_after != live_before || open_after != open_before)
        fail_msg("%s %u, %s: %ld allocations and %d descriptors are left", name_of(kind), k,
                 fault.failed ? fault.failed : "none", live_after - live_before, (int)open_after - (int)open_before);
    if (!fault.failed && code != NWBZ_OK)
        fail_msg("nothing was made to fail: %s: %s: %s", nwbz_code_name(code), err.where, err.message);
    if (code != NWBZ_OK)
        check_error(code, &err, k);
    if (code != NWBZ_OK && scenario->check_failed)
        scenario->check_failed(scenario->user, kind, &err);
    if (code == NWBZ_OK && scenario->check_done)
        scenario->check_done(scenario->user);
    return fault.failed != NULL;
}

unsigned fault_try_all(const fault_scenario *scenario, fault_kind kind)
{
    unsigned k = 1;
    while (try_one(scenario, kind, k))
        k += scenario->stride ? scenario->stride : 1;
    assert_true(k > 1); /* a scenario without a single step shows nothing */
    return k - 1;
}
