/* Calls of the extension as events of a trace. */
#ifndef TENORITE_EXT_BASE_TRACE_H
#define TENORITE_EXT_BASE_TRACE_H

#include "base/arguments.h"
#include "base/origin.h"

/* Begins a call, before anything is borrowed; 0: nothing is traced. */
int64_t ext_trace_begin_slow(void);
static inline int64_t ext_trace_begin(void) {
    return ext_is_traced() ? ext_trace_begin_slow() : 0;
}
/* Ends it (begun is not 0): its name, its arguments and what it gives, of which an entry may be
 * NULL. */
void ext_trace_end(int64_t begun, const char *name, PyObject *const *arguments, Py_ssize_t count,
                   PyObject *result);

/* The same of a function or method of fast calls: its object is the first argument. */
void ext_trace_end_fast(int64_t begun, const char *name, PyObject *self, PyObject *const *arguments,
                        Py_ssize_t count, PyObject *result);

/* EXT_TRACED(function, name) after a function of fast calls makes function_traced, for the table:
 * a call of a trace under that name. */
#define EXT_TRACED(function, name)                                                                 \
    static PyObject *function##_traced(ARGUMENTS) {                                                \
        int64_t begun = ext_trace_begin();                                                         \
        PyObject *result = function(self, arguments, count, keywords);                             \
        if (begun) ext_trace_end_fast(begun, name, self, arguments, count, result);                \
        return result;                                                                             \
    }

#endif
