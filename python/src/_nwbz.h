/* What the files of the extension share.
 *
 *   Python arguments --> nwbz_* call, without Python's lock --> result, or nwbz.Error, or the exception of a callback
 *
 * The extension only translates.  While the library runs, the lock is given up; callbacks come on the thread that
 * called, take the lock for as long as they run Python, and keep the first exception, which is raised as it is when the
 * call has ended.
 */
#ifndef PY_NWBZ_H
#define PY_NWBZ_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <nwbz/nwbz.h>

/* ---- One call of the library ------------------------------------------------------ */

typedef struct py_call {
    PyThreadState *thread;              /* of the caller, while the lock is given up */
    PyObject *progress;                 /* called with (dataset, done, total, jobs); NULL: none.  Borrowed */
    PyObject *type, *value, *traceback; /* the first exception of a callback */
    nwbz_error err;
} py_call;

#define PY_CALL_INIT                                                                                                   \
    {                                                                                                                  \
        NULL, NULL, NULL, NULL, NULL, NWBZ_ERROR_INIT                                                                  \
    }

/* Give the lock up; take it again. */
void py_call_begin(py_call *call);
void py_call_end(py_call *call);

/* Take the lock within a callback; give it up again, keeping the exception that was raised (then nonzero). */
void py_call_enter(py_call *call);
int py_call_leave(py_call *call);

/* An nwbz_progress_fn whose user is the py_call: sees to signals, calls `progress`. */
int py_call_progress(const nwbz_progress *progress, void *call);

/* After py_call_end(): `result`; if the call failed, NULL with the callback's exception or nwbz.Error set. */
PyObject *py_call_result(py_call *call, nwbz_code code, PyObject *result);

/* ---- Arguments ---------------------------------------------------------------------- */

/* Set nwbz.Error from a failure.  Always returns NULL. */
PyObject *py_raise(nwbz_code code, const nwbz_error *err);

/* A sequence of integers, 0 or more; `n` is how many there are.  -1 and ValueError or TypeError on failure. */
int py_shape(PyObject *object, uint64_t *shape, unsigned *n);

/* A tuple of integers. */
PyObject *py_shape_tuple(const uint64_t *shape, unsigned n);

/* The type that a name means; `big_endian` may be NULL. */
int py_type(const char *name, nwbz_type *type, bool *big_endian);

/* "error", "skip", "overwrite", "resume". */
int py_existing(const char *name, nwbz_existing *existing);

/* None becomes NULL. */
PyObject *py_none_to_null(PyObject *object);

/* ---- Objects -------------------------------------------------------------------------- */

typedef struct py_store {
    PyObject_HEAD nwbz_store *store; /* NULL: closed */
    unsigned n_users;                /* arrays that are open, calls that run */
} py_store;

typedef struct py_array {
    PyObject_HEAD nwbz_array *array; /* NULL: closed */
    py_store *store;
    unsigned n_users; /* sources that are open, calls that run */
    bool writing;     /* a call that changes it runs */
} py_array;

typedef struct py_source {
    PyObject_HEAD nwbz_source *source; /* NULL: closed */
    bool busy;                         /* a source is used by one call at a time */
    PyObject *callback;                /* of a callback source */
    py_array *array;                   /* of an array source */
    Py_buffer memory;                  /* of a memory source; obj NULL: none */
    py_call *call;                     /* the one that runs, for the callback */
} py_source;

extern PyObject *py_error_class, *py_store_class, *py_array_class, *py_source_class;

PyObject *py_make_store_class(void);
PyObject *py_make_array_class(void);
PyObject *py_make_source_class(void);

/* nwbz.open_array: make the object. */
PyObject *py_array_open(py_store *store, const char *path);

/* Take the source for a call, or raise; give it back. */
int py_source_take(py_source *source, py_call *call);
void py_source_give(py_source *source);

#endif
