/* Source: where samples come from. */
#include "_nwbz.h"

#include <string.h>

/* ---- Making ------------------------------------------------------------------------ */

static py_source *new_source(void)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)py_source_class, Py_tp_alloc);
    return (py_source *)allocate((PyTypeObject *)py_source_class, 0); /* all zero */
}

/* Give the object, or drop it and raise. */
static PyObject *finish(py_source *self, nwbz_code code, const nwbz_error *err)
{
    if (code == NWBZ_OK)
        return (PyObject *)self;
    Py_DECREF(self);
    return py_raise(code, err);
}

static PyObject *source_raw(PyObject *none, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "path", "type", "shape", "offset_bytes", "channels", "longer", NULL };
    PyObject *path = NULL, *shape, *channels = Py_None, *result = NULL;
    const char *type;
    int longer = 0;
    uint64_t dims[NWBZ_MAX_DIMS];
    unsigned long long offset_bytes = 0;
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&sO|KOp", names, PyUnicode_FSConverter, &path, &type, &shape,
                                     &offset_bytes, &channels, &longer))
        return NULL;
    uint64_t *columns = NULL;
    options.shape = dims;
    options.offset_bytes = offset_bytes;
    options.longer_is_fine = longer != 0;
    if (py_type(type, &options.type, &options.big_endian) != 0 || py_shape(shape, dims, &options.n_dims) != 0)
        goto done;
    if (channels != Py_None) {
        Py_ssize_t n = PySequence_Size(channels);
        columns = n >= 0 ? PyMem_Malloc((size_t)(n + 1) * sizeof *columns) : NULL;
        if (columns == NULL)
            goto done;
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *item = PySequence_GetItem(channels, i);
            columns[i] = item != NULL ? PyLong_AsUnsignedLongLong(item) : 0;
            Py_XDECREF(item);
            if (PyErr_Occurred())
                goto done;
        }
        options.channels = columns;
        options.n_channels = (size_t)n;
    }
    py_source *self = new_source();
    if (self != NULL)
        result = finish(self, nwbz_source_open_raw(PyBytes_AsString(path), &options, &self->source, &err), &err);
done:
    PyMem_Free(columns);
    Py_XDECREF(path);
    return result;
}

static PyObject *source_npy(PyObject *none, PyObject *args)
{
    PyObject *path = NULL, *result = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)none;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    py_source *self = new_source();
    if (self != NULL)
        result = finish(self, nwbz_source_open_npy(PyBytes_AsString(path), &self->source, &err), &err);
    Py_XDECREF(path);
    return result;
}

static PyObject *source_hdf5(PyObject *none, PyObject *args)
{
    PyObject *path = NULL, *result = NULL;
    const char *dataset;
    py_call call = PY_CALL_INIT;
    (void)none;
    if (!PyArg_ParseTuple(args, "O&s", PyUnicode_FSConverter, &path, &dataset))
        return NULL;
    py_source *self = new_source();
    if (self != NULL) {
        py_call_begin(&call); /* the lock of the HDF5 library may be held by a call that waits for ours */
        nwbz_code code = nwbz_source_open_hdf5(PyBytes_AsString(path), dataset, &self->source, &call.err);
        py_call_end(&call);
        result = finish(self, code, &call.err);
    }
    Py_XDECREF(path);
    return result;
}

static PyObject *source_memory(PyObject *none, PyObject *args)
{
    PyObject *buffer, *shape;
    const char *name;
    uint64_t dims[NWBZ_MAX_DIMS], n_bytes = 0;
    unsigned n = 0;
    nwbz_type type = NWBZ_TYPE_NONE;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)none;
    if (!PyArg_ParseTuple(args, "OsO", &buffer, &name, &shape) || py_type(name, &type, NULL) != 0 ||
        py_shape(shape, dims, &n) != 0)
        return NULL;
    py_source *self = new_source();
    if (self == NULL)
        return NULL;
    if (PyObject_GetBuffer(buffer, &self->memory, PyBUF_C_CONTIGUOUS) != 0) {
        self->memory.obj = NULL;
        Py_DECREF(self);
        return NULL;
    }
    n_bytes = nwbz_type_size(type);
    for (unsigned d = 0; d < n; d++)
        n_bytes *= dims[d];
    if (n_bytes != (uint64_t)self->memory.len) {
        PyErr_Format(PyExc_ValueError, "the memory has %zd bytes, and the shape needs %llu", self->memory.len,
                     (unsigned long long)n_bytes);
        Py_DECREF(self);
        return NULL;
    }
    return finish(self, nwbz_source_new_memory(self->memory.buf, type, n, dims, &self->source, &err), &err);
}

/* ---- Callbacks ----------------------------------------------------------------------- */

/* Call callback(start, shape, memory), which fills the memory and returns the rows that it gave, or None for all. */
static int call_python(py_source *self, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows)
{
    unsigned n_dims = 0;
    uint64_t n_bytes = nwbz_type_size(nwbz_source_type(self->source));
    nwbz_source_shape(self->source, &n_dims);
    for (unsigned d = 0; d < n_dims; d++)
        n_bytes *= shape[d];
    PyObject *from = py_shape_tuple(start, n_dims), *of = py_shape_tuple(shape, n_dims);
    PyObject *memory = PyMemoryView_FromMemory(elements, (Py_ssize_t)n_bytes, PyBUF_WRITE);
    PyObject *rows = from && of && memory ? PyObject_CallFunctionObjArgs(self->callback, from, of, memory, NULL) : NULL;
    if (rows != NULL && rows != Py_None)
        *n_rows = PyLong_AsUnsignedLongLong(rows);
    Py_XDECREF(rows);
    Py_XDECREF(memory);
    Py_XDECREF(of);
    Py_XDECREF(from);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_box(void *user, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows)
{
    py_source *self = user;
    py_call_enter(self->call);
    call_python(self, start, shape, elements, n_rows);
    return py_call_leave(self->call);
}

static PyObject *source_callback(PyObject *none, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "callback", "type", "shape", "natural_box", "forward", NULL };
    PyObject *callback, *shape, *natural = Py_None;
    const char *type;
    int forward = 0;
    unsigned n_natural = 0;
    uint64_t dims[NWBZ_MAX_DIMS], box[NWBZ_MAX_DIMS];
    nwbz_callback_options options = NWBZ_CALLBACK_OPTIONS_INIT;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OsO|Op", names, &callback, &type, &shape, &natural, &forward) ||
        py_type(type, &options.type, NULL) != 0 || py_shape(shape, dims, &options.n_dims) != 0)
        return NULL;
    if (natural != Py_None) {
        if (py_shape(natural, box, &n_natural) != 0)
            return NULL;
        if (n_natural != options.n_dims) {
            PyErr_Format(PyExc_ValueError, "the natural box has %u axes and the shape %u", n_natural, options.n_dims);
            return NULL;
        }
        options.natural_box = box;
    }
    py_source *self = new_source();
    if (self == NULL)
        return NULL;
    Py_INCREF(callback);
    self->callback = callback;
    options.shape = dims;
    options.forward = forward != 0;
    options.caller_thread_only = true; /* so that no worker ever needs Python's lock */
    options.read_box = read_box;
    options.user = self;
    return finish(self, nwbz_source_new_callback(&options, &self->source, &err), &err);
}

static PyObject *source_array(PyObject *none, PyObject *args)
{
    PyObject *argument;
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)none;
    if (!PyArg_ParseTuple(args, "O!", py_array_class, &argument))
        return NULL;
    py_array *array = (py_array *)argument;
    if (array->array == NULL) {
        PyErr_SetString(PyExc_ValueError, "the array is closed");
        return NULL;
    }
    py_source *self = new_source();
    if (self == NULL)
        return NULL;
    nwbz_code code = nwbz_source_new_array(array->array, &self->source, &err);
    if (code == NWBZ_OK) {
        Py_INCREF((PyObject *)array);
        self->array = array;
        array->n_users++;
    }
    return finish(self, code, &err);
}

/* ---- Using ------------------------------------------------------------------------------ */

int py_source_take(py_source *source, py_call *call)
{
    if (source->source == NULL || source->busy) {
        PyErr_SetString(PyExc_ValueError, source->busy ? "the source is used by another call" : "the source is closed");
        return -1;
    }
    source->busy = true;
    source->call = call;
    return 0;
}

void py_source_give(py_source *source)
{
    source->busy = false;
    source->call = NULL;
}

static void let_go(py_source *self)
{
    nwbz_source_close(self->source);
    self->source = NULL;
    if (self->memory.obj != NULL)
        PyBuffer_Release(&self->memory);
    self->memory.obj = NULL;
    if (self->array != NULL)
        self->array->n_users--;
    Py_CLEAR(self->array);
    Py_CLEAR(self->callback);
}

static PyObject *source_close(PyObject *object, PyObject *none)
{
    py_source *self = (py_source *)object;
    (void)none;
    if (self->busy) {
        PyErr_SetString(PyExc_ValueError, "the source is used by a call");
        return NULL;
    }
    let_go(self);
    Py_RETURN_NONE;
}

static void source_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    let_go((py_source *)object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static int source_traverse(PyObject *object, visitproc visit, void *arg)
{
    py_source *self = (py_source *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->callback);
    Py_VISIT(self->array);
    return 0;
}

static int source_clear(PyObject *object)
{
    Py_CLEAR(((py_source *)object)->callback);
    return 0;
}

static PyObject *source_shape(PyObject *object, void *none)
{
    py_source *self = (py_source *)object;
    unsigned n = 0;
    (void)none;
    if (self->source == NULL)
        return PyErr_Format(PyExc_ValueError, "the source is closed");
    const uint64_t *shape = nwbz_source_shape(self->source, &n);
    return py_shape_tuple(shape, n);
}

static PyObject *source_type(PyObject *object, void *none)
{
    py_source *self = (py_source *)object;
    (void)none;
    if (self->source == NULL)
        return PyErr_Format(PyExc_ValueError, "the source is closed");
    return PyUnicode_FromString(nwbz_type_name(nwbz_source_type(self->source)));
}

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS | METH_STATIC

static PyMethodDef methods[] = { { "raw", WITH_KEYWORDS(source_raw), "Open a raw binary file." },
                                 { "npy", source_npy, METH_VARARGS | METH_STATIC, "Open a NumPy .npy file." },
                                 { "hdf5", source_hdf5, METH_VARARGS | METH_STATIC, "Open a dataset of an HDF5 file." },
                                 { "memory", source_memory, METH_VARARGS | METH_STATIC,
                                   "Use memory in C order; it is held until close()." },
                                 { "callback", WITH_KEYWORDS(source_callback),
                                   "Ask callback(start, shape, memory) for samples, on the thread that fills." },
                                 { "array", source_array, METH_VARARGS | METH_STATIC, "Read from an array." },
                                 { "close", source_close, METH_NOARGS, "Close the source." },
                                 { NULL, NULL, 0, NULL } };

static PyGetSetDef members[] = { { "shape", source_shape, NULL,
                                   "The shape; the first axis may be 2**64 - 1, not known.", NULL },
                                 { "type", source_type, NULL, "The type, by its Zarr name.", NULL },
                                 { NULL, NULL, NULL, NULL, NULL } };

static PyType_Slot slots[] = { { Py_tp_dealloc, source_dealloc },
                               { Py_tp_traverse, source_traverse },
                               { Py_tp_clear, source_clear },
                               { Py_tp_methods, methods },
                               { Py_tp_getset, members },
                               { Py_tp_doc, (void *)"Where samples come from." },
                               { 0, NULL } };

PyObject *py_make_source_class(void)
{
    PyType_Spec spec = { "nwbz._nwbz.Source", sizeof(py_source), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, slots };
    return PyType_FromSpec(&spec);
}
