/* What the files of the extension share. They see Python's limited API and include/tenorite alone.
 *
 * A function that returns PyObject * sets an exception and returns NULL on failure; one that returns int
 * gives 0, or -1 with an exception set.
 *
 * What is borrowed, and for how long. An ndarray holds one tn_array, which ext_array() lends. Whatever runs
 * Python may give the object another array and drop the old one: converting an argument (__bool__,
 * __index__, __class__, ...), a warning, __array_finalize__, Py_DECREF, another thread while the GIL is
 * given up. So
 *  1. a function converts all its arguments first and borrows arrays last: between that and the call of the
 *     library that uses them no Python runs;
 *  2. through that one call borrowed arrays stay, although Python may run inside it (hold.c sees to that),
 *     and no longer;
 *  3. what is used behind it, or across Python, is held: a reference is taken (tn_array_retain), or the
 *     object is asked again.
 * Objects that came as arguments stay through the whole function; their parts do in a tuple alone. What a list,
 * a dict or an attribute gave is held by a reference. tools/check_borrowed.py reads every function for it. */
#ifndef TENORITE_EXT_H
#define TENORITE_EXT_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <tenorite/tenorite.h>

/* --- Errors (errors.c) --- */

/* An attribute (new reference), NULL where it is absent. Any other exception than AttributeError is the
 * program's, and comes out: -1 (foreign.c). */
int ext_find(PyObject *object, PyObject *name, PyObject **value);
/* The same of __array_ufunc__ (override.c). */
int ext_find_override(PyObject *type, PyObject **value);
/* Sets the exception of a status with tn_error_message(); returns NULL. An exception that is set
 * already (by a callback) stays. */
PyObject *ext_raise(tn_status status);
/* NumPy's ComplexWarning, if a cast drops imaginary parts. -1: it is an exception. */
int ext_warn_complex(tn_dtype from, tn_dtype to);
/* Returns from a PyObject * function when the call fails. */
#define EXT_TRY(expression)                                                                        \
    do {                                                                                           \
        tn_status ext_status_ = (expression);                                                      \
        EXT_SETTLE();                                                                              \
        if (ext_status_ != TN_OK) return ext_raise(ext_status_);                                   \
    } while (0)

/* --- Python inside calls of the library (hold.c) --- */

/* A stretch of Python inside a call, for which the arrays that the call may use are kept. */
typedef struct ext_pause {
    struct ext_pause *older, *newer, *outer;
    struct retired *retired;
    PyThreadState *thread;
    uint64_t number;
    bool is_unsettled; /* the Python is over, the call may not be */
} ext_pause;

/* Gives the GIL up around one call of the library, and takes it back behind it. */
void ext_give_up(ext_pause *pause);
void ext_take_back(ext_pause *pause);

void ext_hold_init(void);
bool ext_holds_gil(void);

/* The same within a call, where its end is not known. NULL: there is no memory, and the GIL stays. */
ext_pause *ext_give_up_inside(void);
void ext_take_back_inside(ext_pause *pause);

/* Around Python that the library calls, in any thread; takes the GIL. */
typedef struct ext_python {
    PyGILState_STATE state;
    ext_pause *pause;
} ext_python;
ext_python ext_python_open(void);
void ext_python_close(ext_python python);

/* Behind a call of the library: what was kept for it may go. */
extern int ext_unsettled;
void ext_settle(void);
#define EXT_SETTLE()                                                                               \
    do {                                                                                           \
        if (ext_unsettled) ext_settle();                                                           \
    } while (0)

/* Lets go of an array that an object has had since then (ext_now() at that time; 0: it was made with it). */
void ext_let_go(tn_array *array, uint64_t since);
uint64_t ext_now(void);
/* Lets go of a stream (NULL is allowed) that was the thread's current one, and takes over the reference. */
void ext_let_go_stream(tn_stream *stream);

/* Gives the GIL up around a call that may take long: when `size` elements are worth it. */
#define EXT_LONG_CALL(status, size, expression)                                                    \
    do {                                                                                           \
        if ((size) >= 32768) {                                                                     \
            ext_pause ext_pause_;                                                                  \
            ext_give_up(&ext_pause_);                                                              \
            status = (expression);                                                                 \
            ext_take_back(&ext_pause_);                                                            \
        } else                                                                                     \
            status = (expression);                                                                 \
        EXT_SETTLE();                                                                              \
    } while (0)
#define EXT_WITHOUT_GIL(status, expression) EXT_LONG_CALL(status, INT64_MAX, expression)

/* --- Arrays (array/type.c) --- */

extern PyTypeObject *ext_ndarray_type;
static inline int ext_is_array(PyObject *object) {
    return Py_TYPE(object) == ext_ndarray_type || PyObject_TypeCheck(object, ext_ndarray_type);
}
/* The array of an ndarray (borrowed, see above); the caller has checked the type. */
tn_array *ext_array(PyObject *object);
/* A new ndarray that takes over the reference (also on failure). */
PyObject *ext_wrap(tn_array *array);
/* ext_raise on failure, else ext_wrap. */
PyObject *ext_wrap_status(tn_status status, tn_array *array);
/* A view for Python: type of `like` (subclasses get __array_finalize__), base set to its owner. */
PyObject *ext_wrap_view(tn_array *array, PyObject *like);
/* The result of an operation on `like`: its type if a subclass, no base. */
PyObject *ext_wrap_like(tn_array *array, PyObject *like);

/* --- Arguments (arguments.c) --- */

/* The parameters of a function that is called by METH_FASTCALL | METH_KEYWORDS (self is the module, or
 * the object of a method), and its entry in a table of methods. */
#define ARGUMENTS                                                                                  \
    PyObject *self __attribute__((unused)), PyObject *const *arguments, Py_ssize_t count,          \
        PyObject *keywords
#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL | METH_KEYWORDS

/* Reads METH_FASTCALL|METH_KEYWORDS arguments by name. `names` ends with NULL; a name that starts
 * with '*' begins the keyword-only ones ("*out"); "arrays|tup" is one that CuPy calls otherwise, known
 * by both names. values[] receives borrowed objects, NULL where
 * absent. The first `required` must be there. Errors are Python's TypeErrors with `function`. */
int ext_parse(const char *function, PyObject *const *arguments, Py_ssize_t count,
              PyObject *keywords, const char *const *names, int required, PyObject **values);

/* An array, a NumPy scalar or a Python bool, int, float or complex as an operand; anything else is
 * TypeError "Unsupported type <class ...>" (NULL or None: the same). */
int ext_operand(PyObject *object, tn_operand *operand);
/* A scalar only. 1: it is one, 0: it is not (no exception), -1: failed. */
int ext_scalar(PyObject *object, tn_scalar *scalar);
/* Makes a scalar what an element of that dtype takes of it, as NumPy's a[k] = scalar: a float goes to
 * an integer dtype by int(), with its exceptions; a Python complex to a real one is a TypeError. */
int ext_element(tn_scalar *scalar, tn_dtype dtype);
/* A dtype-like; None or NULL gives TN_DTYPE_NONE. Unsupported ones are TypeError. */
int ext_dtype(PyObject *object, tn_dtype *dtype);
/* NumPy's dtype object (borrowed). NULL with an exception for bfloat16 without ml_dtypes. */
PyObject *ext_dtype_object(tn_dtype dtype);
/* An int or a sequence of ints as a shape (TN_MAX_NDIM long). */
int ext_shape(PyObject *object, int *ndim, int64_t *shape);
/* None (count -1), an int or a tuple of ints as axes. */
int ext_axes(PyObject *object, int *count, int *axes);
/* Anything with __index__; NULL leaves *value as it is. */
int ext_int64(PyObject *object, int64_t *value);
/* An int as an axis; NULL leaves *axis as it is. One that is no C int is out of bounds in any case: AxisError. */
int ext_axis(PyObject *object, int *axis);
/* A number as an axis of `ndim` ones: 0 <= *axis < ndim, or AxisError. */
int ext_check_axis(int64_t number, int ndim, int *axis);
/* "C", "F", "A", "K"; NULL or None gives `absent`. */
int ext_order(PyObject *object, tn_order *order, tn_order absent);
/* "no" .. "unsafe"; NULL gives `absent`. */
int ext_casting(PyObject *object, tn_casting *casting, tn_casting absent);
/* True/False/None as NumPy 2's copy=; NULL gives `absent`. */
int ext_copy(PyObject *object, tn_copy *copy, tn_copy absent);
/* The array of an ndarray (borrowed); anything else is NULL and TypeError "Unsupported type ...". */
tn_array *ext_only_array(PyObject *object);
/* An operand that need be no ndarray: a scalar, on the device of the ndarray `beside` (NULL: the current one),
 * or another library's array becomes *owned, which is NULL for an ndarray. When all arguments are converted
 * ext_lend() borrows the array. */
int ext_own(PyObject *object, PyObject *beside, tn_array **owned);
tn_array *ext_lend(PyObject *object, tn_array *owned);
/* Borrows the arrays of operands again, after reading the others may have run Python. */
void ext_lend_operands(int count, PyObject *const *objects, tn_operand *operands);
/* An ndarray or None/NULL (NULL); `name` for the TypeError. */
int ext_optional_array(PyObject *object, tn_array **array, const char *name);
/* out=: an array, None, or a tuple of one; *object becomes the array's object or NULL. */
int ext_out(PyObject **object, tn_array **array);
/* What a call with out= returns: `out`, or if that is NULL or None what was made, in the class of `like`.
 * ext_raise on failure. */
PyObject *ext_result(tn_status status, PyObject *out, tn_array *made, PyObject *like);
/* Truth of an object; NULL gives `absent`. */
int ext_bool(PyObject *object, bool *value, bool absent);
/* A tuple of int64 values. */
PyObject *ext_tuple(int count, const int64_t *values);
/* An element, of which the bytes are given, as a Python bool, int, float or complex. */
PyObject *ext_element_object(const void *element, tn_dtype dtype);
/* The same of a scalar that is not huge. */
PyObject *ext_scalar_object(const tn_scalar *scalar);

/* Anything array-like made an array on the current device: an ndarray as it is, else lists, scalars,
 * NumPy arrays (copied to the device). `dtype` TN_DTYPE_NONE: its own. New reference. */
tn_array *ext_convert(PyObject *object, tn_dtype dtype, tn_order order, tn_copy copy);

/* --- What each file adds; module.c gathers them. Arrays end with a zero entry. --- */
extern PyMethodDef ext_array_methods[], ext_convert_methods[]; /* of ndarray */
extern PyMethodDef ext_reduce_methods[], ext_index_methods[], ext_linalg_methods[],
    ext_interop_methods[];
extern PyMethodDef ext_create_functions[], ext_reduce_functions[], ext_index_functions[],
    ext_join_functions[], ext_linalg_functions[], ext_memory_functions[], ext_interop_functions[],
    ext_rearrange_functions[], ext_cuda_functions[], ext_driver_functions[]; /* of tenorite._core */
int ext_ndarray_init(PyObject *module);
int ext_ufunc_init(PyObject *module);
int ext_memory_init(PyObject *module);

/* Operators (number.c): slots of ndarray, ended by slot 0. */
extern const PyType_Slot ext_number_slots[];

/* After an operand's TypeError: NotImplemented where the other operand may know better, else NULL. */
PyObject *ext_refuse(PyObject *a, PyObject *b);
/* Whether the other operand, another library's array, would have the operator itself; -1 with an exception. */
int ext_defers(PyObject *a, PyObject *b);

/* a @ b (linalg.c). */
PyObject *ext_matmul(PyObject *a, PyObject *b);
PyObject *ext_matmul_in_place(PyObject *a, PyObject *b);

/* Memory and devices as objects (memory.c): a MemoryPointer to an array's first element, the buffer
 * and offset behind one (new reference), a Device. */
PyObject *ext_memory_pointer(tn_array *array);
tn_buffer *ext_memory_buffer(PyObject *pointer, int64_t *offset);
PyObject *ext_device_object(tn_device device);

/* A tenorite.cuda.Stream (or an object with a stream's handle in .ptr) as a borrowed stream; None and
 * NULL give NULL (memory.c). */
int ext_stream(PyObject *object, tn_stream **stream);
/* Waits without the GIL, checking for signals; TN_ERROR_CALLBACK with the exception set if one came. */
tn_status ext_wait_stream(tn_stream *stream);
/* Keeps the owner of memory that was lent to queued work until that work is done; for good with the graph that
 * the stream captures (wait.c). */
void ext_keep_behind(tn_stream *stream, PyObject *owner);

/* A view of another ndarray type, for ndarray.view(type) (array/type.c). */
PyObject *ext_wrap_as(tn_array *array, PyTypeObject *type, PyObject *like);
PyObject *ext_flag_values(PyObject *module, PyObject *array);
PyObject *ext_set_writeable(PyObject *module, PyObject *arguments);

/* ndarray's subscript slots (index.c): any index that NumPy takes. */
PyObject *ext_subscript(PyObject *self, PyObject *key);
int ext_assign_subscript(PyObject *self, PyObject *key, PyObject *value); /* value NULL: del */

#endif
