/* Private functions of the module as rows: a name, whether the call gives up the GIL, and what it
 * gets and makes, as kinds and names. The row makes a struct of these, which the function gets.
 *
 *     EXT_CALL(csr_multiply, EXT_SIZED, (csr, a), (optional_array, dense), (made, product)) {
 *         return tn_csr_multiply(&call->product, &call->a, false, call->dense, NULL);
 *     }
 *
 * is _csr_multiply(a, dense), EXT_ENTRY(csr_multiply) in a table of methods. A call that is one
 * expression is EXT_FORWARD. All arguments are there, by position; of several results the call
 * gives a tuple, of none None. */
#ifndef TENORITE_EXT_BASE_CALL_H
#define TENORITE_EXT_BASE_CALL_H

#include "base/ext.h"

#include <stddef.h>

/* What a function does with the GIL. One that may give it up uses no objects. */
typedef enum ext_gil {
    EXT_SHORT, /* keeps it */
    EXT_SIZED, /* gives it up where its arguments are worth it (ext_kind.work) */
    EXT_LONG,  /* gives it up */
} ext_gil;

/* An argument or a result of a row, for messages and for the reader. */
typedef struct ext_parameter {
    const char *function, *name;
    const struct ext_kind *kind;
    size_t at; /* in the struct of the call, which begins as zeros */
} ext_parameter;

/* A kind of arguments, of results, or (out=) of both; NULL: nothing is to be done. The kind `x` is
 * ext_kind_x, and what it has in the struct of a call is an ext_given_x. */
typedef struct ext_kind {
    /* Reads an argument. It may run Python, so no array is borrowed here. */
    int (*read)(void *to, PyObject *object, const ext_parameter *which);
    /* Borrows the arrays of an argument, when all are read. No Python runs. */
    void (*lend)(void *to, PyObject *object);
    /* How many elements it is about. */
    int64_t (*work)(const void *from);
    /* A result as an object, which takes it over; `object` is its argument, if it is one, and
     * `first` the first argument of the call, whose class a new array has. */
    PyObject *(*give)(void *from, PyObject *object, PyObject *first);
    /* Frees what an argument needed, or a result that is not given. */
    void (*release)(void *from);
} ext_kind;

typedef struct ext_row {
    ext_gil gil;
    /* TN_ERROR_CALLBACK: an exception is set. */
    tn_status (*function)(void *call);
    const ext_parameter *parameters; /* to one without a name */
} ext_row;

/* Reads the arguments, calls, and gives the results; the one reader of all rows. */
PyObject *ext_call(const ext_row *row, void *call, PyObject *const *arguments, Py_ssize_t count);
/* TypeError: the argument must be `what`. Gives -1. */
int ext_refuse_kind(const ext_parameter *which, const char *what, PyObject *object);

/* M of each parameter, which come after the ext_gil: M(kind, name). */
#define EXT_EACH(M, ...)                                                                           \
    EXT_PICK(__VA_ARGS__, EXT_12, EXT_11, EXT_10, EXT_9, EXT_8, EXT_7, EXT_6, EXT_5, EXT_4, EXT_3, \
             EXT_2, EXT_1, EXT_0, 0)                                                               \
    (M, __VA_ARGS__)
#define EXT_PICK(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, each, ...) each
#define EXT_0(M, gil)
#define EXT_1(M, gil, p) M p
#define EXT_2(M, gil, p, ...) M p EXT_1(M, gil, __VA_ARGS__)
#define EXT_3(M, gil, p, ...) M p EXT_2(M, gil, __VA_ARGS__)
#define EXT_4(M, gil, p, ...) M p EXT_3(M, gil, __VA_ARGS__)
#define EXT_5(M, gil, p, ...) M p EXT_4(M, gil, __VA_ARGS__)
#define EXT_6(M, gil, p, ...) M p EXT_5(M, gil, __VA_ARGS__)
#define EXT_7(M, gil, p, ...) M p EXT_6(M, gil, __VA_ARGS__)
#define EXT_8(M, gil, p, ...) M p EXT_7(M, gil, __VA_ARGS__)
#define EXT_9(M, gil, p, ...) M p EXT_8(M, gil, __VA_ARGS__)
#define EXT_10(M, gil, p, ...) M p EXT_9(M, gil, __VA_ARGS__)
#define EXT_11(M, gil, p, ...) M p EXT_10(M, gil, __VA_ARGS__)
#define EXT_12(M, gil, p, ...) M p EXT_11(M, gil, __VA_ARGS__)

#define EXT_MEMBER(kind, name) ext_given_##kind name;
#define EXT_PARAMETER(kind, name) {function, #name, &ext_kind_##kind, offsetof(given, name)},

/* EXT_CALL(name, gil, (kind, name), ...) and the body of its function. `self` is the module, or the
 * object of a method. */
#define EXT_CALL(name, ...)                                                                        \
    typedef struct name##_given {                                                                  \
        PyObject *self;                                                                            \
        EXT_EACH(EXT_MEMBER, __VA_ARGS__)                                                          \
    } name##_given;                                                                                \
    static tn_status name(name##_given *call);                                                     \
    static tn_status name##_any(void *call) {                                                      \
        return name(call);                                                                         \
    }                                                                                              \
    static PyObject *name##_called(PyObject *self, PyObject *const *arguments, Py_ssize_t count) { \
        typedef name##_given given;                                                                \
        static const char function[] = #name;                                                      \
        static const ext_parameter parameters[] = {                                                \
            EXT_EACH(EXT_PARAMETER, __VA_ARGS__){function, NULL, NULL, 0}};                        \
        static const ext_row row = {EXT_GIL(__VA_ARGS__, 0), name##_any, parameters};              \
        given call = {.self = self};                                                               \
        return ext_call(&row, &call, arguments, count);                                            \
    }                                                                                              \
    static tn_status name(name##_given *call)
#define EXT_GIL(gil, ...) gil

/* A call that is one expression: EXT_FORWARD(name, expression, gil, (kind, name), ...). */
#define EXT_FORWARD(name, expression, ...)                                                         \
    EXT_CALL(name, __VA_ARGS__) {                                                                  \
        (void)call;                                                                                \
        return expression;                                                                         \
    }

#define EXT_ENTRY(name)                                                                            \
    { "_" #name, (PyCFunction)(void (*)(void))name##_called, METH_FASTCALL, NULL }

#endif
