/* The ndarray type: its constructor, its attributes and its table of methods and slots. The
 * object itself is base/object.c's. */
#include "array/type.h"

#include "array/flags.h"
#include "array/index.h"
#include "array/iterate.h"
#include "array/methods.h"
#include "array/number.h"
#include "array/transfer.h"
#include "base/arguments.h"
#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/types.h"
#include "device/device.h"
#include "device/pointer.h"
#include "documents.h"
#include "exchange/cuda_array.h"
#include "exchange/interop.h"
#include "functions/linalg/linalg.h"
#include "functions/reduce.h"
#include "functions/sort.h"
#include "functions/take.h"

#include <string.h>
#include <structmember.h>

/* The same memory with other strides; the array that was is given up. */
static int restride(tn_array **array, const int64_t *strides) {
    tn_array *view, *old = *array;
    tn_status status =
        tn_array_new_view(&view, tn_array_buffer(old), tn_array_offset(old), tn_array_dtype(old),
                          tn_array_ndim(old), tn_array_shape(old), strides);
    tn_array_release(old);
    if (status == TN_ERROR_VALUE)
        PyErr_SetString(PyExc_ValueError,
                        "ndarray() with strides and without memptr: every element must lie in as "
                        "many bytes as the shape has");
    else if (status)
        ext_raise(status);
    if (!status) *array = view;
    return status ? -1 : 0;
}

/* ndarray(shape, dtype=float, memptr=None, strides=None, order='C') */
static PyObject *construct(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *const names[] = {"shape", "dtype", "memptr", "strides", "order", NULL};
    PyObject *shape_object, *dtype_object = NULL, *memory = NULL, *strides_object = NULL;
    PyObject *order_object = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOOO:ndarray",
                                     (char **)(uintptr_t)names, &shape_object, &dtype_object,
                                     &memory, &strides_object, &order_object))
        return NULL;
    int ndim, stride_count = 0;
    int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM], offset = 0;
    tn_dtype dtype;
    tn_order order;
    tn_array *array;
    if (ext_shape(shape_object, &ndim, shape) || ext_dtype(dtype_object, &dtype) ||
        ext_order(order_object, &order, TN_ORDER_C))
        return NULL;
    if (dtype == TN_DTYPE_NONE) dtype = TN_F64;
    bool has_strides = strides_object && strides_object != Py_None;
    if (has_strides && ext_shape(strides_object, &stride_count, strides)) return NULL;
    if (has_strides && stride_count != ndim) {
        PyErr_SetString(PyExc_ValueError, "strides must have the same length as shape");
        return NULL;
    }
    if (!memory || memory == Py_None) {
        EXT_TRY(tn_array_new(&array, dtype, ndim, shape, order, NULL));
        if (has_strides && restride(&array, strides)) return NULL;
    } else {
        tn_buffer *buffer = ext_memory_buffer(memory, &offset);
        if (!buffer) return NULL;
        if (!has_strides && order == TN_ORDER_F) {
            int64_t stride = tn_dtype_size(dtype);
            for (int axis = 0; axis < ndim; axis++) {
                strides[axis] = stride;
                stride *= shape[axis];
            }
            has_strides = true;
        }
        tn_status status = tn_array_new_view(&array, buffer, offset, dtype, ndim, shape,
                                             has_strides ? strides : NULL);
        tn_buffer_release(buffer);
        if (status) return ext_raise(status);
    }
    return ext_finalize(ext_wrap_new(type, array, NULL), Py_None);
}

/* --- Attributes --- */

static PyObject *get_shape(PyObject *self, void *closure) {
    (void)closure;
    return ext_tuple(tn_array_ndim(ext_array(self)), tn_array_shape(ext_array(self)));
}

/* Whether as many elements have the shape, where one size may be unknown. */
static bool is_shape_of(int64_t size, int ndim, const int64_t *shape) {
    int64_t known = 1;
    int unknown = 0;
    for (int axis = 0; axis < ndim; axis++)
        if (shape[axis] < 0)
            unknown++;
        else if (__builtin_mul_overflow(known, shape[axis], &known))
            return false;
    return unknown == 0 ? known == size : unknown == 1 && known > 0 && size % known == 0;
}

static int set_shape(PyObject *self, PyObject *value, void *closure) {
    (void)closure;
    int ndim;
    int64_t shape[TN_MAX_NDIM];
    tn_array *array;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete array shape");
        return -1;
    }
    if (ext_shape(value, &ndim, shape)) return -1;
    tn_status status =
        tn_array_reshape(&array, ext_array(self), ndim, shape, TN_ORDER_C, TN_COPY_NEVER, NULL);
    if (status == TN_ERROR_VALUE && is_shape_of(tn_array_size(ext_array(self)), ndim, shape)) {
        PyErr_SetString(PyExc_AttributeError,
                        "Incompatible shape for in-place modification. Use `.reshape()` to make a "
                        "copy with the desired shape.");
        return -1;
    }
    if (status) return ext_raise(status), -1;
    ext_replace_array(self, array);
    return 0;
}

static PyObject *get_strides(PyObject *self, void *closure) {
    (void)closure;
    return ext_tuple(tn_array_ndim(ext_array(self)), tn_array_strides(ext_array(self)));
}

static PyObject *get_dtype(PyObject *self, void *closure) {
    (void)closure;
    PyObject *dtype = ext_dtype_object(tn_array_dtype(ext_array(self)));
    Py_XINCREF(dtype);
    return dtype;
}

enum { ATTRIBUTE_NDIM, ATTRIBUTE_SIZE, ATTRIBUTE_ITEMSIZE, ATTRIBUTE_NBYTES };
static PyObject *get_number(PyObject *self, void *closure) {
    tn_array *array = ext_array(self);
    switch ((intptr_t)closure) {
    case ATTRIBUTE_NDIM: return PyLong_FromLong(tn_array_ndim(array));
    case ATTRIBUTE_SIZE: return PyLong_FromLongLong(tn_array_size(array));
    case ATTRIBUTE_ITEMSIZE: return PyLong_FromLongLong(tn_dtype_size(tn_array_dtype(array)));
    default: return PyLong_FromLongLong(tn_array_bytes(array));
    }
}

static PyObject *get_transposed(PyObject *self, void *closure) {
    tn_array *array = ext_array(self), *view;
    int ndim = tn_array_ndim(array), axes[TN_MAX_NDIM];
    if (!closure) {
        EXT_TRY(tn_array_transpose(&view, array, 0, NULL));
        return ext_wrap_view(view, self);
    }
    if (ndim < 2) {
        PyErr_Format(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined (ndim is %d)",
                     ndim);
        return NULL;
    }
    for (int axis = 0; axis < ndim; axis++)
        axes[axis] = axis;
    axes[ndim - 2] = ndim - 1;
    axes[ndim - 1] = ndim - 2;
    EXT_TRY(tn_array_transpose(&view, array, ndim, axes));
    return ext_wrap_view(view, self);
}

static PyObject *get_part(PyObject *self, void *closure) {
    tn_array *array = ext_array(self), *part;
    bool imaginary = closure != NULL;
    if (tn_dtype_kind(tn_array_dtype(array)) == TN_KIND_COMPLEX) {
        EXT_TRY(tn_array_part(&part, array, imaginary));
        return ext_wrap_view(part, self);
    }
    if (!imaginary) {
        Py_INCREF(self);
        return self;
    }
    tn_array *zeros;
    EXT_TRY(tn_array_new_like(&zeros, array, tn_array_dtype(array), 0, NULL, TN_ORDER_K, NULL));
    tn_status status = tn_array_fill(zeros, tn_scalar_bool(false), NULL);
    tn_array_set_writeable(zeros, false); /* as NumPy's: nothing would keep what is written */
    if (status) {
        tn_array_release(zeros);
        return ext_raise(status);
    }
    return ext_wrap_like(zeros, self);
}

static int set_part(PyObject *self, PyObject *value, void *closure) {
    tn_array *array = ext_array(self), *part;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "cannot delete array parts");
        return -1;
    }
    if (tn_dtype_kind(tn_array_dtype(array)) != TN_KIND_COMPLEX && closure) {
        PyErr_SetString(PyExc_TypeError, "array does not have imaginary part to set");
        return -1;
    }
    tn_status status = tn_array_part(&part, array, closure != NULL);
    if (status) return ext_raise(status), -1;
    PyObject *view = ext_wrap_view(part, self);
    int failed = view ? ext_assign_subscript(view, Py_Ellipsis, value) : -1;
    Py_XDECREF(view);
    return failed;
}

static PyObject *get_base(PyObject *self, void *closure) {
    (void)closure;
    PyObject *base = ext_base(self) ? ext_base(self) : Py_None;
    Py_INCREF(base);
    return base;
}

static PyObject *get_flags(PyObject *self, void *closure) {
    (void)closure;
    return ext_flags(self);
}

/* As CuPy has it, for programs that ask an array itself: of Fortran's order, of C's if NULL. */
static PyObject *get_is_contiguous(PyObject *self, void *is_fortran) {
    tn_array *a = ext_array(self);
    return PyBool_FromLong(is_fortran ? tn_array_is_f_contiguous(a) : tn_array_is_c_contiguous(a));
}

static PyObject *get_device(PyObject *self, void *closure) {
    (void)closure;
    return ext_device_object(tn_array_device(ext_array(self)));
}

static PyObject *get_data(PyObject *self, void *closure) {
    (void)closure;
    return ext_memory_pointer(ext_array(self));
}

static PyObject *get_flat(PyObject *self, void *closure) {
    (void)closure;
    static PyObject *type;
    if (!type && !(type = ext_import("tenorite._array.flatiter", "flatiter"))) return NULL;
    return ext_elements((PyTypeObject *)type, self);
}

static int set_flat(PyObject *self, PyObject *value, void *closure) {
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete array flat iterator");
        return -1;
    }
    PyObject *flat = get_flat(self, closure);
    if (!flat) return -1;
    int failed = PyObject_SetItem(flat, Py_Ellipsis, value);
    Py_DECREF(flat);
    return failed;
}

#define READ_ONLY(name, getter, closure, doc)                                                      \
    { name, getter, NULL, doc, closure }
static PyGetSetDef attributes[] = {
    {"shape", get_shape, set_shape, "Sizes of the axes; assigning reshapes without a copy.", NULL},
    READ_ONLY("strides", get_strides, NULL, "Bytes from one element to the next along each axis."),
    READ_ONLY("dtype", get_dtype, NULL, "The numpy.dtype of the elements."),
    READ_ONLY("ndim", get_number, (void *)ATTRIBUTE_NDIM, "Number of axes."),
    READ_ONLY("size", get_number, (void *)ATTRIBUTE_SIZE, "Number of elements."),
    READ_ONLY("itemsize", get_number, (void *)ATTRIBUTE_ITEMSIZE, "Bytes of one element."),
    READ_ONLY("nbytes", get_number, (void *)ATTRIBUTE_NBYTES, "Bytes of all elements."),
    READ_ONLY("T", get_transposed, NULL, "A view with the axes reversed."),
    READ_ONLY("mT", get_transposed, (void *)1, "A view with the last two axes exchanged."),
    {"real", get_part, set_part, "The real part: a view of a complex array, else the array.", NULL},
    {"imag", get_part, set_part, "The imaginary part: a view of a complex array, else zeros.",
     (void *)1},
    READ_ONLY("base", get_base, NULL, "The array whose memory this one views, or None."),
    READ_ONLY("flags", get_flags, NULL, "Memory layout: c_contiguous, f_contiguous, owndata."),
    READ_ONLY("_c_contiguous", get_is_contiguous, NULL, "flags.c_contiguous."),
    READ_ONLY("_f_contiguous", get_is_contiguous, (void *)1, "flags.f_contiguous."),
    READ_ONLY("device", get_device, NULL, "The device that holds the elements."),
    READ_ONLY("data", get_data, NULL, "A MemoryPointer to the first element."),
    READ_ONLY(
        "__cuda_array_interface__", ext_cuda_array, NULL,
        "The array for other libraries on a GPU: a dict with its address, its layout and the "
        "current\nstream, on which it is ready. With TENORITE_CUDA_ARRAY_INTERFACE_SYNC=0 in "
        "the environment\nthe stream is None, and that of other libraries is not waited for."),
    {"flat", get_flat, set_flat, "A one-dimensional iterator over the elements.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_ndarray, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* --- Sequence --- */

static Py_ssize_t length(PyObject *self) {
    tn_array *array = ext_array(self);
    if (tn_array_ndim(array) == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
        return -1;
    }
    return (Py_ssize_t)tn_array_shape(array)[0];
}

/* a[i] for the sequence protocol. */
static PyObject *item(PyObject *self, Py_ssize_t at) {
    tn_array *view;
    tn_index index = {.kind = TN_INDEX_INTEGER, .start = at};
    EXT_TRY(tn_array_slice(&view, ext_array(self), 1, &index));
    return ext_wrap_view(view, self);
}

/* --- The type --- */

int ext_ndarray_init(PyObject *module) {
    PyMethodDef *const tables[] = {ext_array_methods, ext_transfer_methods, ext_reduce_methods,
                                   ext_index_methods, ext_linalg_methods,   ext_interop_methods,
                                   ext_sort_methods};
    static PyMethodDef methods[256];
    int count = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (PyMethodDef *m = tables[t]; m->ml_name; m++) {
            if (count == 255) Py_FatalError("too many ndarray methods");
            methods[count++] = *m;
        }
    PyType_Slot slots[64] = {
        {Py_tp_doc, (void *)(uintptr_t)DOC_ndarray},
        {Py_tp_new, (void *)construct},
        {Py_tp_dealloc, (void *)ext_dealloc},
        {Py_tp_getset, attributes},
        {Py_tp_members, members},
        {Py_tp_methods, methods},
        {Py_tp_iter, (void *)ext_iterate},
        {Py_mp_length, (void *)length},
        {Py_sq_length, (void *)length},
        {Py_sq_item, (void *)item},
        {Py_mp_subscript, (void *)ext_subscript},
        {Py_mp_ass_subscript, (void *)ext_assign_subscript},
        {Py_tp_hash, (void *)PyObject_HashNotImplemented},
    };
    int used = 13;
    for (const PyType_Slot *slot = ext_number_slots; slot->slot; slot++)
        slots[used++] = *slot;
    PyType_Spec spec = {"tenorite.ndarray", sizeof(ext_ndarray), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    ext_ndarray_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!ext_ndarray_type) return -1;
    return PyModule_AddObjectRef(module, "ndarray", (PyObject *)ext_ndarray_type);
}
