/* Functions of numbers for the module, as rows of tables: a name, the format of the arguments,
 * what is given back, and a function that one wrapper calls. */
#ifndef TENORITE_EXT_CUDA_TABLE_H
#define TENORITE_EXT_CUDA_TABLE_H

#include "base/ext.h"

/* An argument or the result. */
typedef union ext_value {
    int number;       /* "i", "p" */
    unsigned flags;   /* "I" */
    uintptr_t handle; /* "K" */
    uint64_t count;   /* "K", of what is no address */
    int64_t bytes;    /* "L" */
    Py_ssize_t size;  /* "n", and the length behind "y#" */
    const char *text; /* "s", "y#" */
    PyObject *object; /* "O" */
    bool truth;
} ext_value;

/* What a call gives back: None, or the member of given[0] that the function has set. */
typedef enum ext_gives {
    EXT_NONE,
    EXT_NUMBER,
    EXT_HANDLE,
    EXT_COUNT,
    EXT_BYTES,
    EXT_TRUTH,
    EXT_OBJECT, /* new; NULL with an exception */
} ext_gives;

typedef struct ext_function {
    PyMethodDef definition;
    const char *format; /* of PyArg_ParseTuple() */
    ext_gives gives;
    bool is_long; /* called without the GIL */
    /* Gets the arguments in `given`, and leaves its result in given[0]. TN_ERROR_CALLBACK: an
     * exception is set. */
    tn_status (*function)(ext_value *given);
} ext_function;

/* A row; the module's function is called _cuda_ and the name. A long one may wait, and uses no
 * objects. */
#define EXT_ENTRY(name, format, gives, function)                                                   \
    { {"_cuda_" name, ext_function_call, METH_VARARGS, NULL}, format, gives, false, function }
#define EXT_LONG_ENTRY(name, format, gives, function)                                              \
    { {"_cuda_" name, ext_function_call, METH_VARARGS, NULL}, format, gives, true, function }

/* The wrapper; `row` is a capsule of an ext_function. */
PyObject *ext_function_call(PyObject *row, PyObject *arguments);
/* Adds the functions of a table, which ends with a NULL name. */
int ext_function_add_all(PyObject *module, ext_function *table);

#endif
