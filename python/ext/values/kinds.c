/* Arrays as arguments and results of rows. */
#include "values/kinds.h"

#include "base/arguments.h"
#include "base/object.h"
#include "values/refusal.h"
#include "values/ufunc_object.h"

/* --- Arguments --- */

static int read_array(void *to, PyObject *object, const ext_parameter *which) {
    (void)to;
    if (ext_is_array(object)) return 0;
    ext_refuse_type(object, which->function, which->name);
    return -1;
}

static void lend_array(void *to, PyObject *object) {
    *(tn_array **)to = ext_array(object);
}

static int64_t array_work(const void *from) {
    const tn_array *array = *(tn_array *const *)from;
    return array ? tn_array_size(array) : 0;
}
const ext_kind ext_kind_array = {.read = read_array, .lend = lend_array, .work = array_work};

static int read_optional_array(void *to, PyObject *object, const ext_parameter *which) {
    return object == Py_None ? 0 : read_array(to, object, which);
}

static void lend_optional_array(void *to, PyObject *object) {
    if (object != Py_None) lend_array(to, object);
}
const ext_kind ext_kind_optional_array = {
    .read = read_optional_array, .lend = lend_optional_array, .work = array_work};

/* Multiplications, roughly: what they take compares with as many elements. */
static int64_t matrix_work(const void *from) {
    const tn_array *array = *(tn_array *const *)from;
    const int ndim = tn_array_ndim(array);
    return ndim ? tn_array_size(array) * tn_array_shape(array)[ndim - 1] : 0;
}
const ext_kind ext_kind_matrix = {.read = read_array, .lend = lend_array, .work = matrix_work};

static int read_csr(void *to, PyObject *object, const ext_parameter *which) {
    tn_csr *csr = to;
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 5)
        return ext_refuse_kind(which, "the tuple of a sparse matrix", object);
    for (int k = 2; k < 5; k++)
        if (read_array(NULL, PyTuple_GetItem(object, k), which)) return -1;
    return ext_int64(PyTuple_GetItem(object, 0), &csr->rows) ||
                   ext_int64(PyTuple_GetItem(object, 1), &csr->columns)
               ? -1
               : 0;
}

static void lend_csr(void *to, PyObject *object) {
    tn_csr *csr = to;
    csr->data = ext_array(PyTuple_GetItem(object, 2));
    csr->indices = ext_array(PyTuple_GetItem(object, 3));
    csr->indptr = ext_array(PyTuple_GetItem(object, 4));
}

static int64_t csr_work(const void *from) {
    const tn_csr *csr = from;
    return tn_array_size(csr->data) + csr->rows;
}
const ext_kind ext_kind_csr = {.read = read_csr, .lend = lend_csr, .work = csr_work};

static int read_ufunc(void *to, PyObject *object, const ext_parameter *which) {
    if (Py_TYPE(object) != Py_TYPE(ext_ufunc_object(TN_OP_ADD)))
        return ext_refuse_kind(which, "a ufunc", object);
    *(tn_op *)to = ext_ufunc_op(object);
    return 0;
}
const ext_kind ext_kind_ufunc = {.read = read_ufunc};

/* --- Results --- */

static PyObject *give_array(void *from, PyObject *object, PyObject *first) {
    (void)object;
    return ext_wrap_like(*(tn_array **)from, first);
}

static void release_array(void *from) {
    tn_array_release(*(tn_array **)from);
}
const ext_kind ext_kind_made = {.give = give_array, .release = release_array};

static PyObject *give_array_or_none(void *from, PyObject *object, PyObject *first) {
    return *(tn_array **)from ? give_array(from, object, first) : Py_NewRef(Py_None);
}
const ext_kind ext_kind_made_or_none = {.give = give_array_or_none, .release = release_array};

static PyObject *give_out(void *from, PyObject *object, PyObject *first) {
    return object == Py_None ? give_array(from, object, first) : Py_NewRef(object);
}
const ext_kind ext_kind_out = {
    .read = read_optional_array, .lend = lend_optional_array, .give = give_out};

static PyObject *give_csr(void *from, PyObject *object, PyObject *first) {
    const tn_csr_arrays *made = from;
    (void)object, (void)first;
    return Py_BuildValue("(NNN)", ext_wrap(made->data), ext_wrap(made->indices),
                         ext_wrap(made->indptr));
}

static void release_csr(void *from) {
    const tn_csr_arrays *made = from;
    tn_array_release(made->data);
    tn_array_release(made->indices);
    tn_array_release(made->indptr);
}
const ext_kind ext_kind_made_csr = {.give = give_csr, .release = release_csr};
