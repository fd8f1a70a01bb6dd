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

#include "base/errors.h"
#include "base/hold.h"
#include "base/trace.h"

/* What a function does with the GIL. One that may give it up uses no objects. */
#define EXT_SHORT(work) 0        /* it keeps it */
#define EXT_SIZED(work) work     /* gives it up where its arguments are worth it (ext_kind.work) */
#define EXT_LONG(work) INT64_MAX /* gives it up */

/* An argument or a result of a row, for messages. */
typedef struct ext_parameter {
    const char *function, *name;
} ext_parameter;

/* A kind of arguments, of results, or (out=) of both; NULL: nothing is to be done. The kind `x` is
 * ext_kind_x, and what it has in the struct of a call is an ext_given_x. Kinds are constants of
 * headers, so that the compiler makes plain calls of a row. */
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
    /* So many pointers are NULL before anything is read. */
    int pointers;
} ext_kind;

/* TypeError: the argument must be `what`. Gives -1. */
int ext_refuse_kind(const ext_parameter *which, const char *what, PyObject *object);
/* TypeError: there are so many arguments, not `count`. Gives NULL. */
PyObject *ext_refuse_count(const char *function, Py_ssize_t arguments, Py_ssize_t count);
/* A tuple of results, which are taken over: NULL where one of them is. */
PyObject *ext_pack_results(PyObject *const *results, int count);

/* --- The reader, one kind after the other --- */

/* Where the reader is. */
typedef struct ext_reader {
    PyObject *const *next; /* argument */
    const ext_parameter *which;
    PyObject *first, **results;
    int64_t work;
    int count; /* of results */
    bool has_failed;
} ext_reader;

#define EXT_INLINE static inline __attribute__((always_inline))

EXT_INLINE void ext_clear(const ext_kind *kind, void *to) {
    for (int k = 0; k < kind->pointers; k++)
        ((void **)to)[k] = NULL;
}

EXT_INLINE void ext_read(const ext_kind *kind, void *to, ext_reader *reader) {
    const ext_parameter *which = reader->which++;
    if (!kind->read) return;
    PyObject *object = *reader->next++;
    if (!reader->has_failed) reader->has_failed = kind->read(to, object, which) != 0;
}

EXT_INLINE void ext_lend_part(const ext_kind *kind, void *to, ext_reader *reader) {
    if (kind->lend) kind->lend(to, *reader->next);
    if (kind->work) reader->work += kind->work(to);
    if (kind->read) reader->next++;
}

EXT_INLINE void ext_give(const ext_kind *kind, void *from, ext_reader *reader) {
    PyObject *own = kind->read ? *reader->next++ : NULL, *made = NULL;
    if (!kind->give) return;
    if (!reader->has_failed)
        made = kind->give(from, own, reader->first);
    else if (kind->release)
        kind->release(from);
    reader->has_failed |= made == NULL;
    reader->results[reader->count++] = made;
}

EXT_INLINE PyObject *ext_given(const ext_reader *reader) {
    if (reader->count == 0) return Py_NewRef(Py_None);
    return reader->count == 1 ? reader->results[0]
                              : ext_pack_results(reader->results, reader->count);
}

EXT_INLINE void ext_release(const ext_kind *kind, void *from) {
    if (kind->release && !kind->give) kind->release(from);
}

/* M(kind, name) of each parameter; they come after what the function does with the GIL. */
#define EXT_GIL(gil, ...) gil
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
#define EXT_PARAMETER(kind, name) {function, #name},
#define EXT_ARGUMENT(kind, name) +(ext_kind_##kind.read != NULL)
#define EXT_CLEAR(kind, name) ext_clear(&ext_kind_##kind, &call.name);
#define EXT_READ(kind, name) ext_read(&ext_kind_##kind, &call.name, &reader);
#define EXT_LEND(kind, name) ext_lend_part(&ext_kind_##kind, &call.name, &reader);
#define EXT_GIVE(kind, name) ext_give(&ext_kind_##kind, &call.name, &reader);
#define EXT_RELEASE(kind, name) ext_release(&ext_kind_##kind, &call.name);

/* EXT_CALL(name, gil, (kind, name), ...) and the body of its function, which gives
 * TN_ERROR_CALLBACK where it has set an exception. `self` is the module, or the object of a method.
 * Arrays are borrowed when all arguments are read, so that no Python runs before the call (ext.h
 * has the rule). */
#define EXT_CALL(name, ...)                                                                        \
    typedef struct name##_given {                                                                  \
        PyObject *self;                                                                            \
        EXT_EACH(EXT_MEMBER, __VA_ARGS__)                                                          \
    } name##_given;                                                                                \
    static tn_status name(name##_given *call);                                                     \
    static PyObject *name##_row(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {    \
        static const char function[] = #name;                                                      \
        static const ext_parameter row_parameters[] = {EXT_EACH(EXT_PARAMETER, __VA_ARGS__){0}};   \
        const Py_ssize_t wanted = 0 EXT_EACH(EXT_ARGUMENT, __VA_ARGS__);                           \
        PyObject *results[sizeof row_parameters / sizeof *row_parameters], *result = NULL;         \
        ext_reader reader = {.next = arguments, .which = row_parameters, .results = results};      \
        tn_status status;                                                                          \
        name##_given call;                                                                         \
        call.self = self;                                                                          \
        if (count != wanted) return ext_refuse_count(function, wanted, count);                     \
        EXT_EACH(EXT_CLEAR, __VA_ARGS__)                                                           \
        EXT_EACH(EXT_READ, __VA_ARGS__)                                                            \
        if (!reader.has_failed) {                                                                  \
            reader.next = arguments;                                                               \
            EXT_EACH(EXT_LEND, __VA_ARGS__)                                                        \
            EXT_LONG_CALL(status, EXT_GIL(__VA_ARGS__, 0)(reader.work), name(&call));              \
            reader.next = arguments;                                                               \
            reader.first = count ? *arguments : Py_None;                                           \
            if (status) {                                                                          \
                ext_raise(status);                                                                 \
            } else {                                                                               \
                EXT_EACH(EXT_GIVE, __VA_ARGS__)                                                    \
                result = ext_given(&reader);                                                       \
            }                                                                                      \
        }                                                                                          \
        EXT_EACH(EXT_RELEASE, __VA_ARGS__)                                                         \
        return result;                                                                             \
    }                                                                                              \
    static PyObject *name##_called(PyObject *self, PyObject *const *arguments, Py_ssize_t count) { \
        return ext_is_traced() ? ext_trace_row(name##_row, #name, self, arguments, count)          \
                               : name##_row(self, arguments, count);                               \
    }                                                                                              \
    static tn_status name(name##_given *call)

/* A call that is one expression: EXT_FORWARD(name, expression, gil, (kind, name), ...). */
#define EXT_FORWARD(name, expression, ...)                                                         \
    EXT_CALL(name, __VA_ARGS__) {                                                                  \
        (void)call;                                                                                \
        return expression;                                                                         \
    }

#define EXT_ENTRY(name)                                                                            \
    { "_" #name, (PyCFunction)(void (*)(void))name##_called, METH_FASTCALL, NULL }

#endif
