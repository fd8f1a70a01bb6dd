/* Products of matrices and vectors: functions, methods of ndarray, and the operator @.
 *
 * Arguments are arrays or scalars; a scalar becomes an array of no dimensions, which dot, inner and
 * outer multiply with and the others refuse. */
#include "functions/linalg/linalg.h"

#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/ext.h"
#include "base/object.h"
#include "documents.h"
#include "functions/linalg/core_axes.h"
#include "values/kinds.h"
#include "values/operands.h"
#include "values/override.h"
#include "values/signature.h"

typedef tn_status (*product)(tn_array **result, const tn_array *a, const tn_array *b,
                             const tn_matmul_options *options, tn_stream *stream);
typedef tn_status (*plain_product)(tn_array **result, const tn_array *a, const tn_array *b,
                                   tn_stream *stream);

/* --- Operands --- */

/* The two operands as arrays, borrowed; scalars are made arrays, which are `owned`. */
typedef struct pair {
    tn_array *arrays[2], *owned[2];
} pair;

/* A scalar goes where `other` is. */
static int own_operand(PyObject *object, PyObject *other, tn_array **owned) {
    return ext_own(object, ext_is_array(other) ? other : NULL, owned);
}

static void release_pair(pair *p) {
    tn_array_release(p->owned[0]);
    tn_array_release(p->owned[1]);
}

static int read_pair(PyObject *a, PyObject *b, pair *p) {
    p->owned[1] = NULL;
    if (own_operand(a, b, &p->owned[0])) return -1;
    if (own_operand(b, a, &p->owned[1])) {
        release_pair(p);
        return -1;
    }
    p->arrays[0] = ext_lend(a, p->owned[0]);
    p->arrays[1] = ext_lend(b, p->owned[1]);
    return 0;
}

/* Multiplications of a product, by an eighth: what they take compares with as many elements. */
static int64_t work(const pair *p) {
    const tn_array *a = p->arrays[0], *b = p->arrays[1];
    int ndim = tn_array_ndim(b);
    return tn_array_size(a) / 8 * (ndim > 1 ? tn_array_shape(b)[ndim - 1] : 1);
}

/* The object of a product: the given one, or what was made, in the class of a subclass. */
static PyObject *wrap(tn_status status, tn_array *result, PyObject *out, PyObject *a, PyObject *b) {
    PyObject *like = ext_is_array(a) && Py_TYPE(a) != ext_ndarray_type ? a : b;
    return ext_result(status, out, result, like);
}

/* --- matmul and its kin --- */

/* Puts a view with `axis` last in the place of an operand. */
static int move_last(tn_array **array, tn_array **owned, int axis) {
    int ndim = tn_array_ndim(*array), order[TN_MAX_NDIM];
    tn_array *moved;
    for (int k = 0; k < ndim; k++)
        order[k] = k < axis ? k : k + 1;
    order[ndim - 1] = axis;
    tn_status status = tn_array_transpose(&moved, *array, ndim, order);
    if (status) return ext_raise(status), -1;
    tn_array_release(*owned);
    *array = *owned = moved;
    return 0;
}

static int move_axis(int64_t number, pair *p) {
    int axis;
    for (int k = 0; k < 2; k++)
        if (!p->owned[k]) p->owned[k] = tn_array_retain(p->arrays[k]);
    for (int k = 0; k < 2; k++)
        if (ext_check_axis(number, tn_array_ndim(p->arrays[k]), &axis) ||
            move_last(&p->arrays[k], &p->owned[k], axis))
            return -1;
    return 0;
}

/* How many axes of operands and result are the core of a product. */
static void count_core(product function, const pair *p, int counts[3]) {
    if (function == tn_matmul) {
        for (int k = 0; k < 2; k++)
            counts[k] = tn_array_ndim(p->arrays[k]) > 1 ? 2 : 1;
        counts[2] = counts[0] + counts[1] - 2;
        return;
    }
    counts[0] = function == tn_matvec ? 2 : 1;
    counts[1] = function == tn_vecmat ? 2 : 1;
    counts[2] = counts[0] + counts[1] - 2;
}

/* What is said of the axes of a product: axes=, or NULL; vecdot's axis and keepdims=. */
typedef struct axes_said {
    PyObject *object;
    int64_t axis;
    bool is_kept;
} axes_said;

/* Puts views with the core axes last in the places of the operands. */
static int move_core(const axes_said *said, const char *name, product function, pair *p,
                     ext_core_axes *axes) {
    count_core(function, p, axes->counts);
    if (said->is_kept) axes->counts[2] = 1;
    for (int k = 0; k < 3; k++)
        axes->axes[k][0] = said->axis;
    if (said->object && ext_core_axes_read(said->object, name, said->is_kept, axes)) return -1;
    for (int k = 0; k < 2; k++) {
        tn_array *view;
        if (ext_core_axes_last(axes, k, p->arrays[k], &view)) return -1;
        tn_array_release(p->owned[k]);
        p->arrays[k] = p->owned[k] = view;
    }
    return 0;
}

/* Takes the last axis, of one element, from a view, or (`is_added`) adds it. */
static int change_last(tn_array **view, bool is_added) {
    const int last = -1;
    tn_array *made = NULL;
    tn_status status = is_added ? tn_array_expand_dims(&made, *view, 1, &last)
                                : tn_array_squeeze(&made, *view, 1, &last);
    tn_array_release(*view);
    *view = made;
    return status ? (ext_raise(status), -1) : 0;
}

/* A product over the axes that were said; `out` is the given array, or NULL. The result is new. */
static PyObject *product_over(const char *name, product function, PyObject *const *values, pair *p,
                              const tn_matmul_options *options, const axes_said *said) {
    ext_core_axes axes;
    tn_array *out, *view = NULL, *result;
    PyObject *given = values[2];
    tn_status status;
    if (move_core(said, name, function, p, &axes) || ext_out(&given, &out)) return NULL;
    if (out && ext_core_axes_last(&axes, 2, out, &view)) return NULL;
    if (view && said->is_kept && change_last(&view, false)) return NULL;
    result = view;
    EXT_LONG_CALL(status, work(p), function(&result, p->arrays[0], p->arrays[1], options, NULL));
    if (view || status) {
        tn_array_release(view);
        return wrap(status, NULL, given, values[0], values[1]);
    }
    if (said->is_kept && change_last(&result, true)) return NULL;
    int failed = ext_core_axes_put(&axes, result, &view);
    tn_array_release(result);
    return failed ? NULL : wrap(TN_OK, view, NULL, values[0], values[1]);
}

static PyObject *call_product(const char *name, product function, PyObject *const *arguments,
                              Py_ssize_t count, PyObject *keywords) {
    /* Only vecdot, whose core is one axis, takes another than the last by its number. */
    static const char *const names[] = {"x1",        "x2",    "out",   "*casting", "order",
                                        "dtype",     "subok", "*axis", "axes",     "keepdims",
                                        "signature", "sig",   NULL};
    static const char *const without_axis[] = {"x1",        "x2",    "out",   "*casting",
                                               "order",     "dtype", "subok", "*axes",
                                               "signature", "sig",   NULL};
    PyObject *values[12] = {NULL};
    tn_matmul_options options = TN_MATMUL_DEFAULTS;
    tn_array *result;
    axes_said said = {.axis = -1};
    bool subok, has_axis = function == tn_vecdot;
    pair p;
    if (ext_parse(name, arguments, count, keywords, has_axis ? names : without_axis, 2, values) ||
        ext_casting(values[3], &options.casting, TN_CASTING_SAME_KIND) ||
        ext_order(values[4], &options.order, TN_ORDER_C) || ext_dtype(values[5], &options.dtype) ||
        ext_bool(values[6], &subok, true) ||
        ext_bool(has_axis ? values[9] : NULL, &said.is_kept, false))
        return NULL;
    if (values[has_axis ? 10 : 8] || values[has_axis ? 11 : 9])
        return ext_by_signature_of(name, arguments, count, keywords);
    if (!has_axis) values[8] = values[7], values[7] = NULL;
    said.object = values[8] == Py_None ? NULL : values[8];
    if (values[7] && said.object)
        return PyErr_Format(PyExc_TypeError, "cannot specify both 'axis' and 'axes'");
    if (ext_int64(values[7], &said.axis) || read_pair(values[0], values[1], &p)) return NULL;
    if (said.object || said.is_kept) {
        PyObject *made = product_over(name, function, values, &p, &options, &said);
        release_pair(&p);
        return made;
    }
    tn_status status;
    if ((values[7] && move_axis(said.axis, &p)) || ext_out(&values[2], &result)) {
        release_pair(&p);
        return NULL;
    }
    EXT_LONG_CALL(status, work(&p), function(&result, p.arrays[0], p.arrays[1], &options, NULL));
    release_pair(&p);
    if (!subok && !status && !values[2]) return ext_wrap(result);
    return wrap(status, result, values[2], values[0], values[1]);
}

#define PRODUCT(name)                                                                              \
    static PyObject *name(ARGUMENTS) {                                                             \
        return call_product(#name, tn_##name, arguments, count, keywords);                         \
    }
PRODUCT(matmul)
PRODUCT(vecdot)
PRODUCT(matvec)
PRODUCT(vecmat)

static PyObject *leave(void) {
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
}

PyObject *ext_matmul(PyObject *a, PyObject *b) {
    pair p;
    tn_array *result = NULL;
    tn_status status;
    int defers = ext_defers(a, b);
    if (defers) return defers < 0 ? NULL : leave();
    if (read_pair(a, b, &p)) return ext_refuse(a, b);
    EXT_LONG_CALL(status, work(&p), tn_matmul(&result, p.arrays[0], p.arrays[1], NULL, NULL));
    release_pair(&p);
    return wrap(status, result, NULL, a, b);
}

PyObject *ext_matmul_in_place(PyObject *a, PyObject *b) {
    pair p;
    tn_status status;
    int defers = ext_defers(a, b);
    if (defers) return defers < 0 ? NULL : leave();
    if (read_pair(a, b, &p)) return ext_refuse(a, b);
    tn_array *result = p.arrays[0];
    if (tn_array_ndim(result) < 1 || tn_array_ndim(p.arrays[1]) < 2) {
        release_pair(&p);
        PyErr_SetString(PyExc_ValueError,
                        "inplace matrix multiplication requires the first operand to have at least "
                        "one and the second at least two dimensions.");
        return NULL;
    }
    EXT_LONG_CALL(status, work(&p), tn_matmul(&result, p.arrays[0], p.arrays[1], NULL, NULL));
    release_pair(&p);
    return wrap(status, result, a, a, b);
}

/* --- dot and its kin --- */

static PyObject *plain(plain_product function, PyObject *a, PyObject *b, PyObject *out) {
    pair p;
    tn_array *result;
    tn_status status;
    if (read_pair(a, b, &p)) return NULL;
    if (ext_out(&out, &result)) {
        release_pair(&p);
        return NULL;
    }
    EXT_LONG_CALL(status, work(&p), function(&result, p.arrays[0], p.arrays[1], NULL));
    release_pair(&p);
    return wrap(status, result, out, a, b);
}

#define PLAIN(name, ...)                                                                           \
    static PyObject *name(ARGUMENTS) {                                                             \
        static const char *const names[] = {"a", "b", __VA_ARGS__};                                \
        PyObject *values[3] = {NULL, NULL, NULL};                                                  \
        if (ext_parse(#name, arguments, count, keywords, names, 2, values)) return NULL;           \
        return plain(tn_##name, values[0], values[1], values[2]);                                  \
    }
PLAIN(dot, "out", NULL)
PLAIN(vdot, NULL)
PLAIN(inner, NULL)
PLAIN(outer, "out", NULL)

static PyObject *dot_method(ARGUMENTS) {
    static const char *const names[] = {"b", "out", NULL};
    PyObject *values[2];
    if (ext_parse("dot", arguments, count, keywords, names, 1, values)) return NULL;
    return plain(tn_dot, self, values[0], values[1]);
}

/* Whether an object is one int: an array of several has a length, too. */
static bool is_one(PyObject *object) {
    if (!PyIndex_Check(object)) return false;
    bool has_length = PySequence_Check(object) && PySequence_Size(object) >= 0;
    PyErr_Clear();
    return !has_length;
}

/* One side of tensordot's pair of axes: an int or any sequence of ints. */
static int read_side(PyObject *object, int *count, int *axes) {
    if (is_one(object)) return ext_axes(object, count, axes);
    PyObject *tuple = PySequence_Tuple(object);
    int failed = !tuple || ext_axes(tuple, count, axes);
    Py_XDECREF(tuple);
    return failed ? -1 : 0;
}

/* The last `count` axes of a with the first of b. */
static int read_axis_count(PyObject *object, int *count, int *a_axes, int *b_axes) {
    int64_t wanted;
    if (ext_int64(object, &wanted)) return -1;
    if (wanted > TN_MAX_NDIM) {
        PyErr_SetString(PyExc_IndexError, "tuple index out of range");
        return -1;
    }
    *count = wanted < 0 ? 0 : (int)wanted;
    for (int k = 0; k < *count; k++) {
        a_axes[k] = k - *count;
        b_axes[k] = k;
    }
    return 0;
}

static int read_axis_pairs(PyObject *object, int *count, int *a_axes, int *b_axes) {
    PyObject *sides = PySequence_Tuple(object);
    int b_count = 0, failed = -1;
    if (!sides) return -1;
    if (PyTuple_Size(sides) != 2)
        PyErr_Format(PyExc_ValueError, "axes must be an integer or a pair, not %zd values",
                     PyTuple_Size(sides));
    else if (!read_side(PyTuple_GetItem(sides, 0), count, a_axes) &&
             !read_side(PyTuple_GetItem(sides, 1), &b_count, b_axes))
        failed = 0;
    Py_DECREF(sides);
    if (!failed && *count != b_count) {
        PyErr_SetString(PyExc_ValueError, "shape-mismatch for sum");
        failed = -1;
    }
    return failed;
}

static PyObject *tensordot(PyObject *module, PyObject *const *arguments, Py_ssize_t argument_count,
                           PyObject *keywords) {
    static const char *const names[] = {"a", "b", "axes", NULL};
    PyObject *values[3];
    int count = 2, a_axes[TN_MAX_NDIM] = {-2, -1}, b_axes[TN_MAX_NDIM] = {0, 1};
    pair p;
    (void)module;
    if (ext_parse("tensordot", arguments, argument_count, keywords, names, 2, values)) return NULL;
    if (values[2] && (is_one(values[2]) ? read_axis_count(values[2], &count, a_axes, b_axes)
                                        : read_axis_pairs(values[2], &count, a_axes, b_axes)))
        return NULL;
    if (read_pair(values[0], values[1], &p)) return NULL;
    tn_array *result = NULL;
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(p.arrays[0]),
                  tn_tensordot(&result, p.arrays[0], p.arrays[1], count, a_axes, b_axes, NULL));
    release_pair(&p);
    return wrap(status, result, NULL, values[0], values[1]);
}

/* --- trace --- */

/* `values`: offset, axis1, axis2, dtype, out; NULL where absent. */
static PyObject *trace_of(PyObject *array, PyObject *const *values) {
    int64_t offset = 0;
    int axis1 = 0, axis2 = 1;
    tn_dtype dtype;
    PyObject *out = values[4];
    tn_array *result;
    if (!ext_only_array(array) ||
        ext_warn_made(tn_array_dtype(ext_array(array)), values[3], values[4]) ||
        ext_int64(values[0], &offset) || ext_axis(values[1], &axis1) ||
        ext_axis(values[2], &axis2) || ext_dtype(values[3], &dtype) || ext_out(&out, &result))
        return NULL;
    tn_status status = tn_trace(&result, ext_array(array), offset, axis1, axis2, dtype, NULL);
    return wrap(status, result, out, array, array);
}

static PyObject *trace(ARGUMENTS) {
    static const char *const names[] = {"a", "offset", "axis1", "axis2", "dtype", "out", NULL};
    PyObject *values[6];
    if (ext_parse("trace", arguments, count, keywords, names, 1, values)) return NULL;
    return trace_of(values[0], values + 1);
}

static PyObject *trace_method(ARGUMENTS) {
    static const char *const names[] = {"offset", "axis1", "axis2", "dtype", "out", NULL};
    PyObject *values[5];
    if (ext_parse("trace", arguments, count, keywords, names, 0, values)) return NULL;
    return trace_of(self, values);
}

/* --- Norms --- */

/* Over all axes for None; the shell's checks of order and axes come first. */
EXT_CALL(vector_norm, EXT_SIZED, (array, x), (real, ord), (axes, axis), (truth, keepdims),
         (made, norm)) {
    tn_reduce_options options = TN_REDUCE_DEFAULTS;
    options.axis_count = call->axis.count;
    options.axes = call->axis.at;
    options.keepdims = call->keepdims;
    return tn_vector_norm(&call->norm, call->x, call->ord, &options, NULL);
}

/* --- Libraries --- */

/* The path of a library in use, or ''. */
EXT_CALL(library_path, EXT_SHORT, (text, name), (made_object, path)) {
    const char *path = tn_library_get_path(call->name);
    call->path = PyUnicode_FromString(path ? path : "");
    return TN_OK;
}

#define ENTRY(name, doc)                                                                           \
    { #name, (PyCFunction)(void (*)(void))name, METH_FASTCALL | METH_KEYWORDS, doc }

PyMethodDef ext_linalg_functions[] = {
    ENTRY(matmul, DOC_matmul), ENTRY(vecdot, DOC_vecdot), ENTRY(matvec, DOC_matvec),
    ENTRY(vecmat, DOC_vecmat), ENTRY(dot, DOC_dot),       ENTRY(vdot, DOC_vdot),
    ENTRY(inner, DOC_inner),   ENTRY(outer, DOC_outer),   ENTRY(tensordot, DOC_tensordot),
    ENTRY(trace, DOC_trace),   EXT_ENTRY(vector_norm),    EXT_ENTRY(library_path),
    {NULL, NULL, 0, NULL},
};

PyMethodDef ext_linalg_methods[] = {
    {"dot", (PyCFunction)(void (*)(void))dot_method, METH_FASTCALL | METH_KEYWORDS,
     DOC_ndarray_dot},
    {"trace", (PyCFunction)(void (*)(void))trace_method, METH_FASTCALL | METH_KEYWORDS,
     DOC_ndarray_trace},
    {NULL, NULL, 0, NULL},
};
