/* Array: filling, reading and appending without Python's lock. */
#include "_nwbz.h"

#include <string.h>

/* ---- Opening and closing --------------------------------------------------------------- */

PyObject *py_array_open(py_store *store, const char *path)
{
    py_call call = PY_CALL_INIT;
    if (store->store == NULL)
        return PyErr_Format(PyExc_ValueError, "the store is closed");
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)py_array_class, Py_tp_alloc);
    py_array *self = (py_array *)allocate((PyTypeObject *)py_array_class, 0);
    if (self == NULL)
        return NULL;
    Py_INCREF((PyObject *)store);
    self->store = store;
    store->n_users++;
    py_call_begin(&call);
    nwbz_code code = nwbz_array_open(store->store, path, &self->array, &call.err);
    py_call_end(&call);
    return py_call_result(&call, code, (PyObject *)self);
}

static void let_go(py_array *self)
{
    nwbz_array_close(self->array);
    self->array = NULL;
    if (self->store != NULL)
        self->store->n_users--;
    Py_CLEAR(self->store);
}

static PyObject *array_close(PyObject *object, PyObject *none)
{
    py_array *self = (py_array *)object;
    (void)none;
    if (self->n_users > 0)
        return PyErr_Format(PyExc_ValueError, "%u sources or calls still use the array", self->n_users);
    let_go(self);
    Py_RETURN_NONE;
}

static void array_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    let_go((py_array *)object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

/* ---- One call on an array ------------------------------------------------------------------ */

/* Take the array for a call: any number that read, or one that writes. */
static int take(py_array *self, bool writes)
{
    if (self->array == NULL || self->writing || (writes && self->n_users > 0)) {
        PyErr_SetString(PyExc_ValueError,
                        self->array == NULL ? "the array is closed" : "the array is used by another call");
        return -1;
    }
    self->n_users++;
    self->writing = writes;
    return 0;
}

static void give(py_array *self)
{
    self->n_users--;
    self->writing = false;
}

/* Translate jobs, memory and progress. */
static nwbz_fill_options options_of(py_call *call, unsigned jobs, unsigned long long memory_bytes, PyObject *progress)
{
    nwbz_fill_options options = NWBZ_FILL_OPTIONS_INIT;
    call->progress = py_none_to_null(progress);
    options.number_of_jobs = jobs;
    options.memory_limit_bytes = memory_bytes;
    options.on_progress = py_call_progress;
    options.user = call;
    return options;
}

static PyObject *array_fill(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "source", "jobs", "memory_bytes", "progress", NULL };
    py_array *self = (py_array *)object;
    PyObject *source, *progress = Py_None;
    unsigned jobs = 0;
    unsigned long long memory_bytes = 0;
    py_call call = PY_CALL_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!|IKO", names, py_source_class, &source, &jobs, &memory_bytes,
                                     &progress) ||
        take(self, true) != 0)
        return NULL;
    if (py_source_take((py_source *)source, &call) != 0) {
        give(self);
        return NULL;
    }
    nwbz_fill_options options = options_of(&call, jobs, memory_bytes, progress);
    py_call_begin(&call);
    nwbz_code code = nwbz_array_fill(self->array, ((py_source *)source)->source, &options, &call.err);
    py_call_end(&call);
    py_source_give((py_source *)source);
    give(self);
    Py_INCREF(Py_None);
    return py_call_result(&call, code, Py_None);
}

/* A box of the array: as many values as it has axes. */
static int box_of(py_array *self, PyObject *start, PyObject *shape, uint64_t *from, uint64_t *of)
{
    unsigned n_start = 0, n_shape = 0;
    nwbz_array_info info;
    if (self->array == NULL) {
        PyErr_SetString(PyExc_ValueError, "the array is closed");
        return -1;
    }
    if (py_shape(start, from, &n_start) != 0 || py_shape(shape, of, &n_shape) != 0)
        return -1;
    nwbz_array_get_info(self->array, &info);
    if (n_start == info.n_dims && n_shape == info.n_dims)
        return 0;
    PyErr_Format(PyExc_ValueError, "start has %u values and shape %u; the array has %u axes", n_start, n_shape,
                 info.n_dims);
    return -1;
}

static PyObject *array_read(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "start", "shape", "buffer", "jobs", "memory_bytes", "progress", NULL };
    py_array *self = (py_array *)object;
    PyObject *start, *shape, *target, *progress = Py_None;
    unsigned jobs = 0;
    unsigned long long memory_bytes = 0;
    uint64_t from[NWBZ_MAX_DIMS], of[NWBZ_MAX_DIMS];
    Py_buffer memory;
    py_call call = PY_CALL_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|IKO", names, &start, &shape, &target, &jobs, &memory_bytes,
                                     &progress) ||
        box_of(self, start, shape, from, of) != 0 ||
        PyObject_GetBuffer(target, &memory, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0)
        return NULL;
    if (take(self, false) != 0) {
        PyBuffer_Release(&memory);
        return NULL;
    }
    nwbz_fill_options options = options_of(&call, jobs, memory_bytes, progress);
    py_call_begin(&call);
    nwbz_code code = nwbz_array_read(self->array, from, of, memory.buf, (size_t)memory.len, &options, &call.err);
    py_call_end(&call);
    give(self);
    PyBuffer_Release(&memory);
    Py_INCREF(Py_None);
    return py_call_result(&call, code, Py_None);
}

static PyObject *array_read_strings(PyObject *object, PyObject *args)
{
    py_array *self = (py_array *)object;
    PyObject *start, *shape, *list = NULL;
    uint64_t from[NWBZ_MAX_DIMS], of[NWBZ_MAX_DIMS], n = 1;
    nwbz_array_info info;
    nwbz_string *elements = NULL;
    py_call call = PY_CALL_INIT;
    if (!PyArg_ParseTuple(args, "OO", &start, &shape) || box_of(self, start, shape, from, of) != 0 ||
        take(self, false) != 0)
        return NULL;
    nwbz_array_get_info(self->array, &info);
    py_call_begin(&call);
    nwbz_code code = nwbz_array_read_strings(self->array, from, of, &elements, &call.err);
    py_call_end(&call);
    give(self);
    for (unsigned d = 0; d < info.n_dims; d++)
        n *= of[d];
    if (code == NWBZ_OK)
        list = PyList_New((Py_ssize_t)n);
    for (uint64_t i = 0; list != NULL && i < n; i++) {
        PyObject *text =
            PyUnicode_DecodeUTF8(elements[i].bytes ? elements[i].bytes : "", (Py_ssize_t)elements[i].n_bytes, "strict");
        if (text == NULL || PyList_SetItem(list, (Py_ssize_t)i, text) != 0)
            Py_CLEAR(list);
    }
    nwbz_free(elements);
    return py_call_result(&call, code, list);
}

static PyObject *array_append(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "buffer", "n_rows", "jobs", "memory_bytes", "progress", NULL };
    py_array *self = (py_array *)object;
    PyObject *source, *progress = Py_None;
    unsigned jobs = 0;
    unsigned long long n_rows, memory_bytes = 0;
    nwbz_array_info info;
    Py_buffer memory;
    py_call call = PY_CALL_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OK|IKO", names, &source, &n_rows, &jobs, &memory_bytes,
                                     &progress) ||
        PyObject_GetBuffer(source, &memory, PyBUF_C_CONTIGUOUS) != 0)
        return NULL;
    if (take(self, true) != 0) {
        PyBuffer_Release(&memory);
        return NULL;
    }
    nwbz_array_get_info(self->array, &info);
    uint64_t row_bytes = info.element_bytes;
    for (unsigned d = 1; d < info.n_dims; d++)
        row_bytes *= info.shape[d];
    nwbz_code code = NWBZ_OK;
    if (row_bytes * n_rows != (uint64_t)memory.len) {
        PyErr_Format(PyExc_ValueError, "%llu rows of %llu bytes are not the %zd bytes given", n_rows,
                     (unsigned long long)row_bytes, memory.len);
        PyErr_Fetch(&call.type, &call.value, &call.traceback);
    } else {
        nwbz_fill_options options = options_of(&call, jobs, memory_bytes, progress);
        py_call_begin(&call);
        code = nwbz_array_append(self->array, memory.buf, n_rows, &options, &call.err);
        py_call_end(&call);
    }
    give(self);
    PyBuffer_Release(&memory);
    Py_INCREF(Py_None);
    return py_call_result(&call, code, Py_None);
}

static PyObject *array_flush(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "jobs", "memory_bytes", "progress", NULL };
    py_array *self = (py_array *)object;
    PyObject *progress = Py_None;
    unsigned jobs = 0;
    unsigned long long memory_bytes = 0;
    py_call call = PY_CALL_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|IKO", names, &jobs, &memory_bytes, &progress) ||
        take(self, true) != 0)
        return NULL;
    nwbz_fill_options options = options_of(&call, jobs, memory_bytes, progress);
    py_call_begin(&call);
    nwbz_code code = nwbz_array_flush(self->array, &options, &call.err);
    py_call_end(&call);
    give(self);
    Py_INCREF(Py_None);
    return py_call_result(&call, code, Py_None);
}

/* ---- What it is -------------------------------------------------------------------------- */

static PyObject *array_info(PyObject *object, PyObject *none)
{
    py_array *self = (py_array *)object;
    nwbz_array_info info;
    (void)none;
    if (self->array == NULL)
        return PyErr_Format(PyExc_ValueError, "the array is closed");
    nwbz_array_get_info(self->array, &info);
    PyObject *shape = py_shape_tuple(info.shape, info.n_dims), *chunks = py_shape_tuple(info.chunk_shape, info.n_dims);
    PyObject *shards = info.shard_shape ? py_shape_tuple(info.shard_shape, info.n_dims) : Py_None;
    if (info.shard_shape == NULL)
        Py_INCREF(Py_None);
    PyObject *result =
        shape && chunks && shards
            ? Py_BuildValue("{s:s,s:O,s:O,s:O,s:z,s:z}", "type", nwbz_type_name(info.type), "shape", shape, "chunks",
                            chunks, "shards", shards, "codec", info.codec, "attributes", info.attributes_json)
            : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(chunks);
    Py_XDECREF(shards);
    return result;
}

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = { { "info", array_info, METH_NOARGS, "Return what the array is." },
                                 { "fill", WITH_KEYWORDS(array_fill), "Write all of a source, in parallel." },
                                 { "read", WITH_KEYWORDS(array_read), "Read a box into a buffer, in parallel." },
                                 { "read_strings", array_read_strings, METH_VARARGS, "Read a box of text as a list." },
                                 { "append", WITH_KEYWORDS(array_append), "Add rows at the end." },
                                 { "flush", WITH_KEYWORDS(array_flush), "Store the rows that wait from append()." },
                                 { "close", array_close, METH_NOARGS, "Close the array." },
                                 { NULL, NULL, 0, NULL } };

static PyType_Slot slots[] = { { Py_tp_dealloc, array_dealloc },
                               { Py_tp_methods, methods },
                               { Py_tp_doc, (void *)"An array of a store." },
                               { 0, NULL } };

PyObject *py_make_array_class(void)
{
    PyType_Spec spec = { "nwbz._nwbz.Array", sizeof(py_array), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
    return PyType_FromSpec(&spec);
}
