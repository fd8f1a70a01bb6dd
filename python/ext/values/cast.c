/* Conversions that the core has, and those of _array/stored.py. */
#include "values/cast.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/hold.h"
#include "base/object.h"
#include "base/types.h"

static tn_array *cast_in_python(tn_array *array, tn_dtype dtype, tn_casting casting) {
    PyObject *function = ext_import("tenorite._array.stored", "convert");
    PyObject *object = function ? ext_wrap(tn_array_retain(array)) : NULL;
    PyObject *to = object ? ext_dtype_object(dtype) : NULL;
    PyObject *made =
        to ? PyObject_CallFunction(function, "OOs", object, to, tn_casting_name(casting)) : NULL;
    tn_array *result = made ? tn_array_retain(ext_array(made)) : NULL;
    Py_XDECREF(made);
    Py_XDECREF(object);
    Py_XDECREF(function);
    return result;
}

tn_array *ext_cast(tn_array *array, tn_dtype dtype, tn_order order, tn_casting casting,
                   tn_copy copy) {
    tn_array *made = NULL, *cast = NULL;
    const tn_dtype own = tn_array_dtype(array);
    if (own != dtype && (tn_dtype_is_stored(own) || tn_dtype_is_stored(dtype))) {
        if (!(cast = cast_in_python(array, dtype, casting))) return NULL;
        array = cast;
        dtype = tn_array_dtype(cast); /* a unit where `dtype` has none */
        copy = TN_COPY_IF_NEEDED;
    }
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(array),
                  tn_array_astype(&made, array, dtype, order, casting, copy, NULL));
    tn_array_release(cast);
    if (status) ext_raise(status);
    return status ? NULL : made;
}
