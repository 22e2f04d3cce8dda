/* One lock around the library, since it may be built without one; where it has its own (H5is_library_threadsafe), that
 * is one lock too, so nothing is lost.  The lock is of the whole process, as the library's state is: the one global of
 * this project, and no state of ours.
 *
 * What the library prints and where is the host's to choose, per thread or per process as it was built; so printing is
 * switched off around our calls only, on the thread that makes them, and put back.
 */
#include "hdf5/library.h"

#include "base/thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static nz_mutex library_lock = NZ_MUTEX_INIT;

nwbz_code nz_hdf5_run(nz_hdf5_work work, void *argument, nwbz_error *err)
{
    nwbz_code code;
    nz_lock(&library_lock);
    H5E_BEGIN_TRY
    {
        code = work(argument, err);
    }
    H5E_END_TRY;
    nz_unlock(&library_lock);
    return code;
}

/* ---- the error stack ---------------------------------------------------------------- */

/* What to do, by a part of any text of the stack.  The first that is found counts, so the special stand first. */
static const struct {
    const char *part, *advice;
} advices[] = {
    { "truncated file", "it was cut off: copy or download it again" },
    { "unable to lock file, errno = 11", "another program has it open for writing: close it there first" },
    { "unable to lock file", "its file system has no locks: set HDF5_USE_FILE_LOCKING=FALSE in the environment" },
    { "already open for", "another program has it open for writing, or died while it had: close it there, or if none "
                          "has, run h5clear -s on a copy" },
    { "version", "it is damaged, or was written by a newer HDF5 than the one used here: write it again without "
                 "libver='latest', or update HDF5" },
    { "filter returned failure", "a chunk is damaged" },
    { "doesn't exist", "there is none of that name: h5ls -r lists what there is" },
    { "component not found", "there is none of that name: h5ls -r lists what there is" },
    { "not a dataset", "it is a group or a type: h5ls -r lists what there is" },
};

typedef struct stack {
    char innermost[256];
    size_t advice; /* index of advices, or their number */
} stack;

static herr_t look_at(unsigned n, const H5E_error2_t *entry, void *user)
{
    stack *s = user;
    const char *text = entry->desc ? entry->desc : "";
    if (n == 0)
        snprintf(s->innermost, sizeof s->innermost, "%s", text);
    for (size_t i = 0; i < s->advice; i++)
        if (strstr(text, advices[i].part))
            s->advice = i;
    return 0;
}

nwbz_code nz_hdf5_fail(nwbz_error *err, nwbz_code code, const char *format, ...)
{
    enum { N_ADVICES = sizeof advices / sizeof *advices };
    char message[256], version[32] = "";
    stack s = { "no reason given", N_ADVICES };
    unsigned major = 0, minor = 0, release = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at, &s);
    if (H5get_libversion(&major, &minor, &release) >= 0)
        snprintf(version, sizeof version, " %u.%u.%u", major, minor, release);
    return nz_fail(err, code, "%s%s%s (HDF5%s: %s)", message, s.advice < N_ADVICES ? "; " : "",
                   s.advice < N_ADVICES ? advices[s.advice].advice : "", version, s.innermost);
}
