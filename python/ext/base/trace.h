/* Calls of the extension as events of a trace. */
#ifndef TENORITE_EXT_BASE_TRACE_H
#define TENORITE_EXT_BASE_TRACE_H

#include "base/arguments.h"
#include "base/origin.h"

/* What is done while something is traced stays out of the way of what is not. */
#define EXT_COLD __attribute__((noinline, cold))

/* Begins a call, before anything is borrowed; 0: nothing is traced. */
EXT_COLD int64_t ext_trace_begin(void);
/* Ends it, unless begun is 0: its name, its arguments and what it gives, of which an entry may be
 * NULL. */
EXT_COLD void ext_trace_end(int64_t begun, const char *name, PyObject *const *arguments,
                            Py_ssize_t count, PyObject *result);

/* Calls a function of fast calls as a call of a trace: its object is the first argument. */
typedef PyObject *(*ext_fast_function)(ARGUMENTS);
EXT_COLD PyObject *ext_trace_fast(ext_fast_function function, const char *name, PyObject *self,
                                  PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);
/* The same of a row (base/call.h), whose object is no argument. */
typedef PyObject *(*ext_row_function)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
EXT_COLD PyObject *ext_trace_row(ext_row_function function, const char *name, PyObject *self,
                                 PyObject *const *arguments, Py_ssize_t count);

/* EXT_TRACED(function, name) after a function of fast calls makes function_traced, for the table:
 * a call of a trace under that name. While nothing is traced it costs a look at the flag. */
#define EXT_TRACED(function, name)                                                                 \
    static PyObject *function##_traced(ARGUMENTS) {                                                \
        return ext_is_traced() ? ext_trace_fast(function, name, self, arguments, count, keywords)  \
                               : function(self, arguments, count, keywords);                       \
    }

#endif
