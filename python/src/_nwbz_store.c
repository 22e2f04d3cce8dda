/* Store and its nodes. */
#include "_nwbz.h"

#include <string.h>

static py_store *new_store(void)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)py_store_class, Py_tp_alloc);
    return (py_store *)allocate((PyTypeObject *)py_store_class, 0);
}

/* Run `open` without the lock and give the object; None where the library gives no store. */
static PyObject *finish(py_store *self, py_call *call, nwbz_code code)
{
    if (code == NWBZ_OK && self->store == NULL) {
        Py_DECREF(self);
        Py_RETURN_NONE;
    }
    return py_call_result(call, code, (PyObject *)self);
}

static PyObject *store_create(PyObject *none, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "path", "existing", "sync", NULL };
    PyObject *path = NULL, *result = NULL;
    const char *existing = "error";
    int sync = 1;
    nwbz_create_options options = NWBZ_CREATE_OPTIONS_INIT;
    py_call call = PY_CALL_INIT;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|sp", names, PyUnicode_FSConverter, &path, &existing, &sync))
        return NULL;
    options.no_sync = sync == 0;
    py_store *self = py_existing(existing, &options.existing) == 0 ? new_store() : NULL;
    if (self != NULL) {
        py_call_begin(&call);
        nwbz_code code = nwbz_store_create(PyBytes_AsString(path), &options, &self->store, &call.err);
        py_call_end(&call);
        result = finish(self, &call, code);
    }
    Py_XDECREF(path);
    return result;
}

static PyObject *store_open(PyObject *none, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "path", "writable", NULL };
    PyObject *path = NULL, *result = NULL;
    int writable = 0;
    py_call call = PY_CALL_INIT;
    (void)none;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|p", names, PyUnicode_FSConverter, &path, &writable))
        return NULL;
    py_store *self = new_store();
    if (self != NULL) {
        py_call_begin(&call);
        nwbz_code code = nwbz_store_open(PyBytes_AsString(path), writable != 0, &self->store, &call.err);
        py_call_end(&call);
        result = finish(self, &call, code);
    }
    Py_XDECREF(path);
    return result;
}

/* Raise where the store is closed. */
static int check_open(const py_store *self)
{
    if (self->store != NULL)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the store is closed");
    return -1;
}

typedef nwbz_code (*store_function)(nwbz_store *store, nwbz_error *err);

static PyObject *run(py_store *self, store_function function)
{
    py_call call = PY_CALL_INIT;
    if (check_open(self) != 0)
        return NULL;
    self->n_users++;
    py_call_begin(&call);
    nwbz_code code = function(self->store, &call.err);
    py_call_end(&call);
    self->n_users--;
    Py_INCREF(Py_None);
    return py_call_result(&call, code, Py_None);
}

static nwbz_code commit(nwbz_store *store, nwbz_error *err)
{
    return nwbz_store_commit(store, err);
}

static nwbz_code consolidate(nwbz_store *store, nwbz_error *err)
{
    return nwbz_consolidate(store, err);
}

static PyObject *store_commit(PyObject *self, PyObject *none)
{
    (void)none;
    return run((py_store *)self, commit);
}

static PyObject *store_consolidate(PyObject *self, PyObject *none)
{
    (void)none;
    return run((py_store *)self, consolidate);
}

static PyObject *store_open_array(PyObject *self, PyObject *args)
{
    const char *path;
    return PyArg_ParseTuple(args, "s", &path) ? py_array_open((py_store *)self, path) : NULL;
}

/* Make a text without axes at `path`. */
static nwbz_code make_text(nwbz_store *store, const char *path, const nwbz_string *text, nwbz_error *err)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nwbz_array *array = NULL;
    options.type = NWBZ_STRING;
    nwbz_code code = nwbz_array_create(store, path, &options, &array, err);
    if (code == NWBZ_OK)
        code = nwbz_array_write_strings(array, text, err);
    nwbz_array_close(array);
    return code;
}

static PyObject *store_write_text(PyObject *object, PyObject *args)
{
    py_store *self = (py_store *)object;
    const char *path, *bytes;
    Py_ssize_t n_bytes;
    py_call call = PY_CALL_INIT;
    if (!PyArg_ParseTuple(args, "ss#", &path, &bytes, &n_bytes) || check_open(self) != 0)
        return NULL;
    nwbz_string text = { bytes, (uint64_t)n_bytes };
    self->n_users++;
    py_call_begin(&call);
    nwbz_code code = make_text(self->store, path, &text, &call.err);
    py_call_end(&call);
    self->n_users--;
    Py_INCREF(Py_None);
    return py_call_result(&call, code, Py_None);
}

/* ---- list ---- */

typedef struct listing {
    PyObject *list;
} listing;

/* (path, is_array, attributes, type, shape, chunks, unsupported) */
static int add_entry(const nwbz_entry *entry, void *user)
{
    const listing *to = user;
    PyObject *shape = Py_None, *chunks = Py_None;
    if (entry->is_array && entry->unsupported == NULL) {
        shape = py_shape_tuple(entry->array.shape, entry->array.n_dims);
        chunks = py_shape_tuple(entry->array.chunk_shape, entry->array.n_dims);
    } else {
        Py_INCREF(shape);
        Py_INCREF(chunks);
    }
    PyObject *item =
        shape && chunks
            ? Py_BuildValue("(sOzzOOz)", entry->path, entry->is_array ? Py_True : Py_False, entry->attributes_json,
                            entry->is_array && entry->unsupported == NULL ? nwbz_type_name(entry->array.type) : NULL,
                            shape, chunks, entry->unsupported)
            : NULL;
    int failed = item == NULL || PyList_Append(to->list, item) != 0;
    Py_XDECREF(item);
    Py_XDECREF(shape);
    Py_XDECREF(chunks);
    return failed;
}

/* With the lock held: listing is metadata only, and each entry becomes an object. */
static PyObject *store_list(PyObject *object, PyObject *args)
{
    py_store *self = (py_store *)object;
    const char *path = "/";
    unsigned depth = UINT32_MAX;
    nwbz_error err = NWBZ_ERROR_INIT;
    if (!PyArg_ParseTuple(args, "|sI", &path, &depth) || check_open(self) != 0)
        return NULL;
    listing to = { PyList_New(0) };
    if (to.list == NULL)
        return NULL;
    self->n_users++;
    nwbz_code code = nwbz_list(self->store, path, depth, add_entry, &to, &err);
    self->n_users--;
    if (code == NWBZ_OK)
        return to.list;
    Py_DECREF(to.list);
    return PyErr_Occurred() ? NULL : py_raise(code, &err);
}

/* ---- closing ---- */

static PyObject *store_close(PyObject *object, PyObject *none)
{
    py_store *self = (py_store *)object;
    py_call call = PY_CALL_INIT;
    (void)none;
    if (self->n_users > 0)
        return PyErr_Format(PyExc_ValueError, "%u arrays or calls still use the store", self->n_users);
    nwbz_store *store = self->store;
    self->store = NULL;
    py_call_begin(&call); /* a tree that is dropped may be large */
    nwbz_store_close(store);
    py_call_end(&call);
    Py_RETURN_NONE;
}

static void store_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    nwbz_store_close(((py_store *)object)->store);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *store_path(PyObject *object, void *none)
{
    py_store *self = (py_store *)object;
    (void)none;
    if (check_open(self) != 0)
        return NULL;
    const char *path = nwbz_store_path(self->store);
    if (path == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(path);
}

#define WITH_KEYWORDS(function) (PyCFunction)(void (*)(void)) function, METH_VARARGS | METH_KEYWORDS | METH_STATIC

static PyMethodDef methods[] = {
    { "create", WITH_KEYWORDS(store_create),
      "Begin a store that becomes visible at commit(); None where existing='skip' finds one." },
    { "open", WITH_KEYWORDS(store_open), "Open a store in place." },
    { "open_array", store_open_array, METH_VARARGS, "Open the array at a path." },
    { "write_text", store_write_text, METH_VARARGS, "Make an array without axes that holds one text." },
    { "list", store_list, METH_VARARGS,
      "List (path, is_array, attributes, type, shape, chunks, unsupported) from a path down." },
    { "consolidate", store_consolidate, METH_NOARGS, "Renew the copy of all metadata in the root's document." },
    { "commit", store_commit, METH_NOARGS, "Make the store visible at its final name." },
    { "close", store_close, METH_NOARGS, "Close; what was created and not committed is removed." },
    { NULL, NULL, 0, NULL }
};

static PyGetSetDef members[] = { { "path", store_path, NULL, "The folder that holds the tree now.", NULL },
                                 { NULL, NULL, NULL, NULL, NULL } };

static PyType_Slot slots[] = { { Py_tp_dealloc, store_dealloc },
                               { Py_tp_methods, methods },
                               { Py_tp_getset, members },
                               { Py_tp_doc, (void *)"A place for groups and arrays." },
                               { 0, NULL } };

PyObject *py_make_store_class(void)
{
    PyType_Spec spec = { "nwbz._nwbz.Store", sizeof(py_store), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
    return PyType_FromSpec(&spec);
}
