/* The module: errors, arguments, calls without the lock, and the functions that belong to no object. */
#include "_nwbz.h"

#include <stdio.h>
#include <string.h>

PyObject *py_error_class, *py_store_class, *py_array_class, *py_source_class;

/* ---- Calls ------------------------------------------------------------------------- */

void py_call_begin(py_call *call)
{
    call->thread = PyEval_SaveThread();
}

void py_call_end(py_call *call)
{
    PyEval_RestoreThread(call->thread);
    call->thread = NULL;
}

void py_call_enter(py_call *call)
{
    PyEval_RestoreThread(call->thread);
}

int py_call_leave(py_call *call)
{
    int raised = PyErr_Occurred() != NULL;
    if (raised && call->type == NULL)
        PyErr_Fetch(&call->type, &call->value, &call->traceback);
    else if (raised)
        PyErr_Clear(); /* the first one is the cause */
    call->thread = PyEval_SaveThread();
    return raised;
}

int py_call_progress(const nwbz_progress *progress, void *user)
{
    py_call *call = user;
    py_call_enter(call);
    if (call->type == NULL && PyErr_CheckSignals() == 0 && call->progress != NULL) {
        PyObject *result =
            PyObject_CallFunction(call->progress, "sKKI", progress->dataset, (unsigned long long)progress->done_bytes,
                                  (unsigned long long)progress->total_bytes, progress->number_of_jobs);
        Py_XDECREF(result);
    }
    return py_call_leave(call);
}

PyObject *py_call_result(py_call *call, nwbz_code code, PyObject *result)
{
    if (call->type != NULL) {
        PyErr_Restore(call->type, call->value, call->traceback);
        call->type = call->value = call->traceback = NULL;
        Py_XDECREF(result);
        return NULL;
    }
    if (code == NWBZ_OK)
        return result;
    Py_XDECREF(result);
    return py_raise(code, &call->err);
}

/* ---- Errors and arguments -------------------------------------------------------------- */

static int set_text(PyObject *object, const char *name, const char *text)
{
    PyObject *value = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    int result = value != NULL ? PyObject_SetAttrString(object, name, value) : -1;
    Py_XDECREF(value);
    return result;
}

PyObject *py_raise(nwbz_code code, const nwbz_error *err)
{
    char text[sizeof err->where + sizeof err->message + 4];
    int n = snprintf(text, sizeof text, "%s%s%s", err->where, err->where[0] ? ": " : "",
                     err->message[0] ? err->message : nwbz_code_name(code));
    PyObject *message = PyUnicode_DecodeUTF8(text, n, "replace");
    PyObject *error = message != NULL ? PyObject_CallFunctionObjArgs(py_error_class, message, NULL) : NULL;
    PyObject *number = PyLong_FromLong(err->os_errno);
    if (error != NULL && number != NULL && set_text(error, "code", nwbz_code_name(code)) == 0 &&
        set_text(error, "where", err->where) == 0 && set_text(error, "message", err->message) == 0 &&
        PyObject_SetAttrString(error, "errno", number) == 0)
        PyErr_SetObject(py_error_class, error);
    Py_XDECREF(number);
    Py_XDECREF(error);
    Py_XDECREF(message);
    return NULL;
}

int py_shape(PyObject *object, uint64_t *shape, unsigned *n)
{
    Py_ssize_t length = PySequence_Size(object);
    if (length < 0)
        return -1;
    if (length > NWBZ_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "%zd axes are more than %d", length, NWBZ_MAX_DIMS);
        return -1;
    }
    *n = (unsigned)length;
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        PyObject *index = item != NULL ? PyNumber_Index(item) : NULL;
        shape[i] = index != NULL ? PyLong_AsUnsignedLongLong(index) : 0;
        Py_XDECREF(index);
        Py_XDECREF(item);
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

PyObject *py_shape_tuple(const uint64_t *shape, unsigned n)
{
    PyObject *tuple = PyTuple_New(n);
    for (unsigned i = 0; tuple != NULL && i < n; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(shape[i]);
        if (value == NULL || PyTuple_SetItem(tuple, i, value) != 0) {
            Py_DECREF(tuple);
            return NULL;
        }
    }
    return tuple;
}

int py_type(const char *name, nwbz_type *type, bool *big_endian)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_code code = nwbz_type_parse(name, type, big_endian, &err);
    if (code != NWBZ_OK)
        py_raise(code, &err);
    return code == NWBZ_OK ? 0 : -1;
}

int py_existing(const char *name, nwbz_existing *existing)
{
    static const char *const names[] = { "error", "skip", "overwrite", "resume" };
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *existing = (nwbz_existing)i;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "existing is 'error', 'skip', 'overwrite' or 'resume', not '%s'", name);
    return -1;
}

PyObject *py_none_to_null(PyObject *object)
{
    return object == Py_None ? NULL : object;
}

/* ---- Functions ---------------------------------------------------------------------------- */

static PyObject *jobs_resolve(PyObject *self, PyObject *argument)
{
    unsigned jobs = 0;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)self;
    double number = PyFloat_AsDouble(argument);
    if (PyErr_Occurred())
        return NULL;
    nwbz_code code = nwbz_jobs_resolve(number, &jobs, &err);
    return code == NWBZ_OK ? PyLong_FromUnsignedLong(jobs) : py_raise(code, &err);
}

static PyObject *default_codec(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return PyUnicode_FromString(nwbz_default_codec());
}

/* ---- write ---- */

enum { MAX_FIELDS = 256 };

/* What nwbz_write() is given, and what it points to. */
typedef struct write_arguments {
    nwbz_write_options options;
    uint64_t chunks[NWBZ_MAX_DIMS], shards[NWBZ_MAX_DIMS];
    nwbz_field fields[MAX_FIELDS];
} write_arguments;

/* Metadata fields: a sequence of (object, name, value), each text. */
static int take_fields(PyObject *list, write_arguments *to)
{
    Py_ssize_t n = PyTuple_Size(list);
    if (n < 0)
        return -1;
    if (n > MAX_FIELDS) {
        PyErr_Format(PyExc_ValueError, "%zd metadata fields are more than %d", n, MAX_FIELDS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        nwbz_field *field = &to->fields[i];
        if (!PyArg_ParseTuple(PyTuple_GetItem(list, i), "sss", &field->object, &field->name, &field->value))
            return -1;
    }
    to->options.fields = to->fields;
    to->options.n_fields = (size_t)n;
    return 0;
}

static int take_write(write_arguments *to, PyObject *fields, PyObject *chunks, PyObject *shards, const char *existing)
{
    if (take_fields(fields, to) != 0 || py_existing(existing, &to->options.existing) != 0)
        return -1;
    if (chunks != Py_None) {
        to->options.chunk_shape = to->chunks;
        if (py_shape(chunks, to->chunks, &to->options.n_chunk_dims) != 0)
            return -1;
    }
    if (shards != Py_None) {
        to->options.shard_shape = to->shards;
        if (py_shape(shards, to->shards, &to->options.n_shard_dims) != 0)
            return -1;
    }
    return 0;
}

static PyObject *report_text(const nwbz_report *report, py_call *call, nwbz_code *code)
{
    char *json = NULL;
    *code = nwbz_report_format(report, &json, &call->err);
    PyObject *text = *code == NWBZ_OK ? PyUnicode_FromString(json) : NULL;
    nwbz_free(json);
    return text;
}

/* Run nwbz_write() and return its report as JSON text. */
static PyObject *run_write(py_source *source, py_source *timestamps, const char *path, const write_arguments *arguments,
                           PyObject *progress)
{
    py_call call = PY_CALL_INIT;
    nwbz_report report = NWBZ_REPORT_INIT;
    nwbz_write_options options = arguments->options;
    PyObject *text = NULL;
    if (py_source_take(source, &call) != 0)
        return NULL;
    if (timestamps != NULL && py_source_take(timestamps, &call) != 0) {
        py_source_give(source);
        return NULL;
    }
    options.timestamps = timestamps != NULL ? timestamps->source : NULL;
    options.on_progress = py_call_progress;
    options.user = &call;
    call.progress = progress;
    py_call_begin(&call);
    nwbz_code code = nwbz_write(source->source, path, &options, &report, &call.err);
    py_call_end(&call);
    if (code == NWBZ_OK)
        text = report_text(&report, &call, &code);
    nwbz_report_done(&report);
    if (timestamps != NULL)
        py_source_give(timestamps);
    py_source_give(source);
    return py_call_result(&call, code, text);
}

static PyObject *write_recording(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {
        "source",        "path",         "metadata_json", "metadata_name", "fields",  "electrical", "rate",
        "starting_time", "timestamps",   "source_name",   "chunks",        "shards",  "codec",      "reproducible",
        "jobs",          "memory_bytes", "existing",      "sync",          "dry_run", "progress",   NULL
    };
    PyObject *source, *timestamps = Py_None, *fields, *chunks = Py_None, *shards = Py_None, *progress = Py_None,
                      *path = NULL;
    const char *existing = "error";
    int electrical = 0, reproducible = 0, sync = 1, dry_run = 0;
    unsigned long long memory_bytes = 0;
    write_arguments arguments = { .options = NWBZ_WRITE_OPTIONS_INIT };
    nwbz_write_options *o = &arguments.options;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O&|zzO!pddOzOOzpIKsppO", names, py_source_class, &source,
                                     PyUnicode_FSConverter, &path, &o->metadata_json, &o->metadata_name, &PyTuple_Type,
                                     &fields, &electrical, &o->rate_hz, &o->starting_time_seconds, &timestamps,
                                     &o->source_name, &chunks, &shards, &o->codec, &reproducible, &o->number_of_jobs,
                                     &memory_bytes, &existing, &sync, &dry_run, &progress))
        return NULL;
    PyObject *result = NULL;
    o->electrical = electrical != 0;
    o->reproducible = reproducible != 0;
    o->no_sync = sync == 0;
    o->dry_run = dry_run != 0;
    o->memory_limit_bytes = memory_bytes;
    if (timestamps != Py_None && !PyObject_IsInstance(timestamps, py_source_class))
        PyErr_SetString(PyExc_TypeError, "timestamps must be a Source or None");
    else if (take_write(&arguments, fields, chunks, shards, existing) == 0)
        result = run_write((py_source *)source, (py_source *)py_none_to_null(timestamps), PyBytes_AsString(path),
                           &arguments, py_none_to_null(progress));
    Py_XDECREF(path);
    return result;
}

/* ---- The module ------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
    { "jobs_resolve", jobs_resolve, METH_O, "Turn 3, -1 or 0.5 into a number of jobs." },
    { "default_codec", default_codec, METH_NOARGS, "Return the codec of write where none is chosen." },
    { "write", (PyCFunction)(void (*)(void))write_recording, METH_VARARGS | METH_KEYWORDS,
      "Write a source as an NWB Zarr store; return the report as JSON text." },
    { NULL, NULL, 0, NULL }
};

static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT,
                                         "_nwbz",
                                         "The C library behind nwbz: a translator only.",
                                         -1,
                                         functions,
                                         NULL,
                                         NULL,
                                         NULL,
                                         NULL };

static const char error_doc[] = "What the library could not do.  The text names file, dataset and chunk.\n\n"
                                "code: the name of the code, 'NWBZ_EIO'.  where: file, dataset and chunk.  message: "
                                "what went wrong, with both numbers.\n"
                                "errno: of the system call that failed; 0: none.";

static PyObject *make_error_class(void)
{
    PyObject *attributes =
        Py_BuildValue("{s:s,s:s,s:s,s:i}", "code", "NWBZ_OK", "where", "", "message", "", "errno", 0);
    PyObject *class =
        attributes != NULL ? PyErr_NewExceptionWithDoc("nwbz.Error", error_doc, PyExc_Exception, attributes) : NULL;
    Py_XDECREF(attributes);
    return class;
}

/* Add a class; the global keeps a reference of its own. */
static int add(PyObject *module, const char *name, PyObject **class, PyObject *made)
{
    *class = made;
    return made != NULL ? PyModule_AddObjectRef(module, name, made) : -1;
}

PyMODINIT_FUNC PyInit__nwbz(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    if (add(module, "Error", &py_error_class, make_error_class()) != 0 ||
        add(module, "Store", &py_store_class, py_make_store_class()) != 0 ||
        add(module, "Array", &py_array_class, py_make_array_class()) != 0 ||
        add(module, "Source", &py_source_class, py_make_source_class()) != 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
