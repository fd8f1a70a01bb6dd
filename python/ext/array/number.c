/* Operators of ndarray. Each slot names an operation of the table; operands go straight to
 * tn_elementwise(). An operand that is no array and no scalar, but wants to handle the operator
 * itself (__array_ufunc__ = None, or a higher __array_priority__), gets NotImplemented; any
 * other is a TypeError, as host arrays and lists must be moved to the device by the program. */
#include "array/number.h"

#include "base/dtypes.h"
#include "base/errors.h"
#include "base/object.h"
#include "base/trace.h"
#include "base/wait.h"
#include "exchange/foreign.h"
#include "functions/linalg/linalg.h"
#include "values/operands.h"
#include "values/override.h"
#include "values/take_over.h"
#include "values/ufunc_object.h"

/* An operand of which no class has a say, and that is read without running Python. */
static inline bool read_plain(PyObject *object, tn_operand *into) {
    if (Py_TYPE(object) == ext_ndarray_type) {
        into->array = ext_array(object);
        return true;
    }
    into->array = NULL;
    return (PyFloat_CheckExact(object) || PyLong_CheckExact(object)) &&
           ext_scalar(object, &into->scalar) > 0;
}

static int operand(PyObject *object, tn_operand *into) {
    return read_plain(object, into) ? 0 : ext_operand(object, into);
}

static int operands(PyObject *a, PyObject *b, tn_operand *inputs) {
    if (operand(a, &inputs[0]) || operand(b, &inputs[1])) return -1;
    if (inputs[0].array) inputs[0].array = ext_array(a); /* reading b may have run Python */
    return 0;
}

/* The operand of a subclass, which names the result's class; NULL: there is none. */
static int find_subclass(PyObject *a, PyObject *b, PyObject **found) {
    bool first = Py_TYPE(a) != ext_ndarray_type && ext_is_array(a);
    bool second = Py_TYPE(b) != ext_ndarray_type && ext_is_array(b);
    *found = first && second ? ext_dominant(a, b) : first ? a : second ? b : NULL;
    return (first || second) && !*found ? -1 : 0;
}

static inline bool are_stored(int count, const tn_operand *inputs) {
    bool are = false;
    for (int k = 0; k < count; k++)
        are |= inputs[k].array && tn_dtype_is_stored(tn_array_dtype(inputs[k].array));
    return are;
}

/* What an operator makes of elements that are no numbers is Python's. */
static PyObject *take_over(tn_op op, PyObject *a, PyObject *b, PyObject *out) {
    PyObject *const objects[] = {ext_ufunc_object(op), a, b ? b : out, out};
    PyObject *names = out ? Py_BuildValue("(s)", "out") : NULL;
    const int inputs = b ? 2 : 1;
    if (out && !names) return NULL;
    PyObject *made = ext_take_over("ufunc.__call__", NULL, objects, 1 + inputs, names);
    Py_XDECREF(names);
    return made;
}

/* An operand that we do not take may take the call (its __array_ufunc__), or the operator; else
 * it may stand for an array, with which the operator is tried again. */
typedef PyObject *(*operator)(tn_op op, PyObject *a, PyObject *b);
static PyObject *refuse(tn_op op, PyObject *a, PyObject *b, PyObject *out, operator again) {
    PyObject *result = ext_override_pair(ext_ufunc_object(op), a, b, out);
    if (!result) result = ext_refuse(a, b);
    if (result) return result;
    PyObject *other = ext_is_array(a) ? b : a, *stand_in = ext_stand_in(other, true);
    if (!stand_in) {
        PyObject *const both[] = {a, b};
        if (!PyErr_ExceptionMatches(PyExc_TypeError) || !ext_are_stored(both, 2)) return NULL;
        PyErr_Clear();
        return take_over(op, a, b, out);
    }
    result = again(op, a == other ? stand_in : a, b == other ? stand_in : b);
    Py_DECREF(stand_in);
    return result;
}

static PyObject *run(tn_op op, PyObject *a, PyObject *b, const tn_operand *inputs, PyObject *like) {
    tn_array *output = NULL;
    int64_t size = 0;
    if (are_stored(b ? 2 : 1, inputs)) return take_over(op, a, b, NULL);
    for (int k = 0; k < (b ? 2 : 1); k++)
        if (inputs[k].array && tn_array_size(inputs[k].array) > size)
            size = tn_array_size(inputs[k].array);
    tn_status status;
    EXT_LONG_CALL(status, size, tn_elementwise(&output, op, inputs, NULL, NULL));
    if (status) return ext_raise(status);
    return like ? ext_wrap_like(output, like) : ext_wrap(output);
}

static PyObject *binary_untraced(tn_op op, PyObject *a, PyObject *b) {
    tn_operand inputs[2];
    PyObject *like;
    if (read_plain(a, &inputs[0]) && read_plain(b, &inputs[1])) return run(op, a, b, inputs, NULL);
    if (find_subclass(a, b, &like)) return NULL;
    if (like) {
        PyObject *taken = ext_override_pair(ext_ufunc_object(op), a, b, NULL);
        if (taken || PyErr_Occurred()) return taken;
    }
    if (operands(a, b, inputs)) return refuse(op, a, b, NULL, binary_untraced);
    return run(op, a, b, inputs, like);
}

static EXT_COLD PyObject *traced(operator function, tn_op op, PyObject *a, PyObject *b) {
    PyObject *const objects[] = {a, b};
    int64_t begun = ext_trace_begin();
    PyObject *result = function(op, a, b);
    ext_trace_end(begun, tn_op_name(op), objects, 2, result);
    return result;
}

static PyObject *binary(tn_op op, PyObject *a, PyObject *b) {
    return ext_is_traced() ? traced(binary_untraced, op, a, b) : binary_untraced(op, a, b);
}

static PyObject *unary_untraced(tn_op op, PyObject *a, PyObject *none) {
    (void)none;
    PyObject *like = Py_TYPE(a) == ext_ndarray_type ? NULL : a;
    if (like) {
        PyObject *taken = ext_override_pair(ext_ufunc_object(op), a, NULL, NULL);
        if (taken || PyErr_Occurred()) return taken;
    }
    tn_operand input = {ext_array(a), {0}};
    return run(op, a, NULL, &input, like);
}

static PyObject *unary(tn_op op, PyObject *a) {
    return ext_is_traced() ? traced(unary_untraced, op, a, NULL) : unary_untraced(op, a, NULL);
}

static PyObject *in_place_untraced(tn_op op, PyObject *a, PyObject *b) {
    tn_operand inputs[2];
    PyObject *like;
    if (find_subclass(a, b, &like)) return NULL;
    if (like) {
        PyObject *taken = ext_override_pair(ext_ufunc_object(op), a, b, a);
        if (taken || PyErr_Occurred()) return taken;
    }
    if (operands(a, b, inputs)) return refuse(op, a, b, a, in_place_untraced);
    if (are_stored(2, inputs)) return take_over(op, a, b, a);
    tn_array *output = ext_array(a);
    tn_status status;
    EXT_LONG_CALL(status, tn_array_size(output), tn_elementwise(&output, op, inputs, NULL, NULL));
    if (status) return ext_raise(status);
    Py_INCREF(a);
    return a;
}

static PyObject *in_place(tn_op op, PyObject *a, PyObject *b) {
    return ext_is_traced() ? traced(in_place_untraced, op, a, b) : in_place_untraced(op, a, b);
}

#define BINARY(name, op)                                                                           \
    static PyObject *name(PyObject *a, PyObject *b) {                                              \
        return binary(op, a, b);                                                                   \
    }                                                                                              \
    static PyObject *name##_in_place(PyObject *a, PyObject *b) {                                   \
        return in_place(op, a, b);                                                                 \
    }
#define UNARY(name, op)                                                                            \
    static PyObject *name(PyObject *a) {                                                           \
        return unary(op, a);                                                                       \
    }
BINARY(add, TN_OP_ADD)
BINARY(subtract, TN_OP_SUBTRACT)
BINARY(multiply, TN_OP_MULTIPLY)
BINARY(divide, TN_OP_DIVIDE)
BINARY(floor_divide, TN_OP_FLOOR_DIVIDE)
BINARY(modulo, TN_OP_REMAINDER)
BINARY(bitwise_and, TN_OP_BITWISE_AND)
BINARY(bitwise_or, TN_OP_BITWISE_OR)
BINARY(bitwise_xor, TN_OP_BITWISE_XOR)
BINARY(left_shift, TN_OP_LEFT_SHIFT)
BINARY(right_shift, TN_OP_RIGHT_SHIFT)
UNARY(negative, TN_OP_NEGATIVE)
UNARY(positive, TN_OP_POSITIVE)
UNARY(absolute, TN_OP_ABSOLUTE)
UNARY(invert, TN_OP_INVERT)

static PyObject *divide_and_modulo(tn_op op, PyObject *a, PyObject *b) {
    tn_operand inputs[2];
    PyObject *like;
    if (find_subclass(a, b, &like)) return NULL;
    if (like) {
        PyObject *taken = ext_override_pair(ext_ufunc_object(op), a, b, NULL);
        if (taken || PyErr_Occurred()) return taken;
    } else
        like = a;
    if (operands(a, b, inputs)) return refuse(op, a, b, NULL, divide_and_modulo);
    if (are_stored(2, inputs)) return take_over(op, a, b, NULL);
    tn_array *outputs[2] = {NULL, NULL};
    tn_status status = tn_elementwise(outputs, op, inputs, NULL, NULL);
    if (status) return ext_raise(status);
    PyObject *quotient = ext_wrap_like(outputs[0], like);
    if (!quotient) {
        tn_array_release(outputs[1]);
        return NULL;
    }
    PyObject *remainder = ext_wrap_like(outputs[1], like);
    if (remainder) return Py_BuildValue("NN", quotient, remainder);
    Py_DECREF(quotient);
    return NULL;
}

static PyObject *divide_modulo(PyObject *a, PyObject *b) {
    return divide_and_modulo(TN_OP_DIVMOD, a, b);
}

/* Powers that have an operation of their own, as NumPy's fast scalar powers: TN_OP_NONE if none. */
static tn_op easy_power(PyObject *a, PyObject *exponent) {
    if (!ext_is_array(a)) return TN_OP_NONE;
    tn_kind kind = tn_dtype_kind(tn_array_dtype(ext_array(a)));
    bool inexact = kind == TN_KIND_FLOAT || kind == TN_KIND_COMPLEX;
    double value;
    if (PyLong_CheckExact(exponent))
        value = (double)PyLong_AsLongLong(exponent);
    else if (PyFloat_CheckExact(exponent) && inexact)
        value = PyFloat_AsDouble(exponent);
    else
        return TN_OP_NONE;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return TN_OP_NONE;
    }
    if (value == 2) return TN_OP_SQUARE;
    if (!inexact) return TN_OP_NONE;
    return value == 1     ? TN_OP_POSITIVE
           : value == -1  ? TN_OP_RECIPROCAL
           : value == 0.5 ? TN_OP_SQRT
                          : TN_OP_NONE;
}

static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus) {
    if (modulus != Py_None) {
        Py_INCREF(Py_NotImplemented);
        return Py_NotImplemented;
    }
    tn_op op = easy_power(a, b);
    return op != TN_OP_NONE ? unary(op, a) : binary(TN_OP_POWER, a, b);
}

static PyObject *power_in_place(PyObject *a, PyObject *b, PyObject *modulus) {
    (void)modulus;
    return in_place(TN_OP_POWER, a, b);
}

/* Whether a class has object's own method of a name; -1: an exception. */
static int has_objects_own(PyTypeObject *type, const char *name) {
    PyObject *method = PyObject_GetAttrString((PyObject *)type, name);
    PyObject *own = method ? PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, name) : NULL;
    int same = own ? method == own : -1;
    Py_XDECREF(method);
    Py_XDECREF(own);
    return same;
}

/* Whether nothing equals `other` but itself: text, and whatever has object's own __eq__, and __ne__
 * where that is asked. From Python 3.12 on None has one of its own, which does the same. -1: an
 * exception. */
static int is_incomparable(PyObject *other, int how) {
    PyObject *override;
    if (PyUnicode_Check(other) || PyBytes_Check(other)) return 1;
    if (other == Py_None || other == Py_Ellipsis || other == Py_NotImplemented) return 1;
    if (ext_find_override((PyObject *)Py_TYPE(other), &override)) return -1;
    Py_XDECREF(override);
    if (override) return 0;
    int same = has_objects_own(Py_TYPE(other), "__eq__");
    return same > 0 && how == Py_NE ? has_objects_own(Py_TYPE(other), "__ne__") : same;
}

/* What a == None is, element by element. */
static PyObject *all_of(PyObject *a, bool value) {
    tn_array *like = ext_array(a), *made;
    EXT_TRY(tn_array_new_like(&made, like, TN_B8, 0, NULL, TN_ORDER_K, NULL));
    tn_status status = tn_array_fill(made, tn_scalar_bool(value), NULL);
    if (!status) return ext_wrap_like(made, a);
    tn_array_release(made);
    return ext_raise(status);
}

static PyObject *compare(PyObject *a, PyObject *b, int how) {
    static const tn_op ops[] = {
        [Py_LT] = TN_OP_LESS,      [Py_LE] = TN_OP_LESS_EQUAL, [Py_EQ] = TN_OP_EQUAL,
        [Py_NE] = TN_OP_NOT_EQUAL, [Py_GT] = TN_OP_GREATER,    [Py_GE] = TN_OP_GREATER_EQUAL};
    PyObject *result = binary(ops[how], a, b);
    if (result || (how != Py_EQ && how != Py_NE) || !PyErr_ExceptionMatches(PyExc_TypeError))
        return result;
    ext_error error = ext_error_take();
    int state = ext_is_array(b) ? 0 : is_incomparable(b, how);
    ext_error_settle(error, state != 0);
    return state <= 0 ? NULL : all_of(a, how == Py_NE);
}

/* --- Conversions to Python's numbers: these wait --- */

static int read_item(PyObject *self, tn_scalar *scalar, const char *what) {
    if (!ext_may_wait(what)) return -1;
    int64_t begun = ext_is_traced() ? ext_trace_begin() : 0;
    tn_status status = tn_array_item(scalar, ext_array(self), NULL);
    EXT_SETTLE();
    if (__builtin_expect(begun != 0, 0)) ext_trace_end(begun, what, &self, 1, NULL);
    return status ? (ext_raise(status), -1) : 0;
}

/* bool() of the NumPy array that get() gives, of elements that are no numbers. */
static int truth_of_host(PyObject *self) {
    PyObject *host = PyObject_CallMethod(self, "get", NULL);
    const int is_true = host ? PyObject_IsTrue(host) : -1;
    Py_XDECREF(host);
    return is_true;
}

static int truth(PyObject *self) {
    tn_array *array = ext_array(self);
    tn_scalar scalar;
    bool is_true;
    if (tn_array_size(array) != 1) {
        ext_raise_words(
            PyExc_ValueError,
            tn_array_size(array)
                ? "The truth value of an array with more than one element is ambiguous. "
                  "Use a.any() or a.all()"
                : "The truth value of an empty array is ambiguous. Use `array.size > 0` to "
                  "check that an array is not empty.");
        return -1;
    }
    if (tn_dtype_is_stored(tn_array_dtype(array))) return truth_of_host(self);
    if (read_item(self, &scalar, "bool(x)")) return -1;
    tn_status status = tn_scalar_convert(&is_true, scalar, TN_B8);
    return status ? (ext_raise(status), -1) : is_true;
}

/* The element of an array without axes. */
static int read_lone(PyObject *self, tn_scalar *scalar, const char *what) {
    if (tn_array_ndim(ext_array(self)) == 0) return read_item(self, scalar, what);
    PyErr_SetString(PyExc_TypeError,
                    "only 0-dimensional arrays can be converted to Python scalars");
    return -1;
}

/* As Python converts the element's own object. */
static PyObject *convert_item(const tn_scalar *scalar, PyObject *(*function)(PyObject *)) {
    PyObject *item = ext_scalar_object(scalar);
    PyObject *converted = item ? function(item) : NULL;
    Py_XDECREF(item);
    return converted;
}

static bool is_integer(const tn_scalar *scalar) {
    tn_kind kind = tn_dtype_kind(scalar->dtype);
    return kind == TN_KIND_SIGNED || kind == TN_KIND_UNSIGNED;
}

static PyObject *to_int(PyObject *self) {
    tn_scalar scalar;
    if (read_lone(self, &scalar, "int(x)")) return NULL;
    return is_integer(&scalar) ? ext_scalar_object(&scalar) : convert_item(&scalar, PyNumber_Long);
}

static PyObject *to_float(PyObject *self) {
    tn_scalar scalar;
    if (read_lone(self, &scalar, "float(x)")) return NULL;
    return tn_dtype_kind(scalar.dtype) == TN_KIND_FLOAT ? ext_scalar_object(&scalar)
                                                        : convert_item(&scalar, PyNumber_Float);
}

static PyObject *to_index(PyObject *self) {
    tn_scalar scalar = {.dtype = tn_array_dtype(ext_array(self))};
    if (tn_array_ndim(ext_array(self)) != 0 || !is_integer(&scalar)) {
        PyErr_SetString(PyExc_TypeError,
                        "only integer scalar arrays can be converted to a scalar index");
        return NULL;
    }
    return read_item(self, &scalar, "x as an index") ? NULL : ext_scalar_object(&scalar);
}

const PyType_Slot ext_number_slots[] = {
    {Py_nb_add, (void *)add},
    {Py_nb_inplace_add, (void *)add_in_place},
    {Py_nb_subtract, (void *)subtract},
    {Py_nb_inplace_subtract, (void *)subtract_in_place},
    {Py_nb_multiply, (void *)multiply},
    {Py_nb_inplace_multiply, (void *)multiply_in_place},
    {Py_nb_true_divide, (void *)divide},
    {Py_nb_inplace_true_divide, (void *)divide_in_place},
    {Py_nb_floor_divide, (void *)floor_divide},
    {Py_nb_inplace_floor_divide, (void *)floor_divide_in_place},
    {Py_nb_remainder, (void *)modulo},
    {Py_nb_inplace_remainder, (void *)modulo_in_place},
    {Py_nb_divmod, (void *)divide_modulo},
    {Py_nb_power, (void *)power},
    {Py_nb_inplace_power, (void *)power_in_place},
    {Py_nb_and, (void *)bitwise_and},
    {Py_nb_inplace_and, (void *)bitwise_and_in_place},
    {Py_nb_or, (void *)bitwise_or},
    {Py_nb_inplace_or, (void *)bitwise_or_in_place},
    {Py_nb_xor, (void *)bitwise_xor},
    {Py_nb_inplace_xor, (void *)bitwise_xor_in_place},
    {Py_nb_lshift, (void *)left_shift},
    {Py_nb_inplace_lshift, (void *)left_shift_in_place},
    {Py_nb_rshift, (void *)right_shift},
    {Py_nb_inplace_rshift, (void *)right_shift_in_place},
    {Py_nb_matrix_multiply, (void *)ext_matmul},
    {Py_nb_inplace_matrix_multiply, (void *)ext_matmul_in_place},
    {Py_nb_negative, (void *)negative},
    {Py_nb_positive, (void *)positive},
    {Py_nb_absolute, (void *)absolute},
    {Py_nb_invert, (void *)invert},
    {Py_nb_bool, (void *)truth},
    {Py_nb_int, (void *)to_int},
    {Py_nb_float, (void *)to_float},
    {Py_nb_index, (void *)to_index},
    {Py_tp_richcompare, (void *)compare},
    {0, NULL},
};
