/* Traces, sums and log lines, for the package; and the line of Python that an event is for. */
#include "base/trace_rows.h"

#include "base/errors.h"
#include "base/kinds.h"
#include "base/origin.h"

#include <stdlib.h>

/* Asked by the library, in any thread and at any time. */
static uint32_t find_place(void) {
    ext_origin place;
    ext_visit visit;
    if (ext_origin_get(&place)) return place.line;
    if (!ext_holds_gil() || !ext_visit_open(&visit)) return 0;
    place = ext_origin_find();
    ext_visit_close(&visit);
    return place.line;
}

EXT_CALL(trace_start, EXT_SHORT, (int64, events), (truth, ring)) {
    ext_origin_init();
    return tn_trace_start(call->events, call->ring);
}

EXT_FORWARD(trace_stop, tn_trace_stop(), EXT_LONG)
EXT_FORWARD(trace_write, tn_trace_write(call->path), EXT_LONG, (text, path))
EXT_FORWARD(trace_clear, (tn_trace_clear(), TN_OK), EXT_LONG)

/* How many events there are, how many are not kept, and whether a trace is under way. */
EXT_CALL(trace_counts, EXT_SHORT, (made_int64, recorded), (made_int64, dropped),
         (made_truth, is_on)) {
    tn_trace_counts counts = tn_trace_get_counts();
    call->recorded = counts.recorded;
    call->dropped = counts.dropped;
    call->is_on = counts.is_on;
    return TN_OK;
}

static PyObject *list_of(const tn_trace_sum *rows, int64_t count) {
    PyObject *list = PyList_New(count);
    for (int64_t k = 0; list && k < count; k++) {
        const tn_trace_sum *row = &rows[k];
        PyObject *one = Py_BuildValue(
            "(iOssLLL)", (int)row->kind, row->is_inside ? Py_True : Py_False, row->name, row->place,
            (long long)row->events, (long long)row->total_ns, (long long)row->bytes);
        if (one)
            PyList_SetItem(list, k, one);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* Rows of (kind, is inside a call, name, place, events, nanoseconds, bytes). */
EXT_CALL(trace_sums, EXT_SHORT, (int64, first), (truth, by_place), (made_object, rows)) {
    int64_t count, room = 0;
    tn_trace_sum *rows = NULL;
    tn_status status = tn_trace_sum_up(NULL, 0, &count, call->first, call->by_place);
    if (status) return status;
    room = count + 64; /* a trace may be under way */
    rows = malloc((size_t)room * sizeof *rows);
    if (!rows) {
        PyErr_NoMemory();
        return TN_ERROR_CALLBACK;
    }
    status = tn_trace_sum_up(rows, room, &count, call->first, call->by_place);
    if (status == TN_OK) call->rows = list_of(rows, count < room ? count : room);
    free(rows);
    return status == TN_OK && !call->rows ? TN_ERROR_CALLBACK : status;
}

/* Of the kinds whose lines name places. */
static void look_at_log(void) {
    ext_logs_places = tn_log_is_on("compile") || tn_log_is_on("cache") || tn_log_is_on("wait") ||
                      tn_log_is_on("pool");
}

EXT_CALL(log_set, EXT_SHORT, (text, kinds)) {
    tn_status status = tn_log_set(call->kinds);
    look_at_log();
    return status;
}
EXT_FORWARD(log_is_on, (call->is_on = tn_log_is_on(call->kind), TN_OK), EXT_SHORT, (text, kind),
            (made_truth, is_on))
EXT_FORWARD(log_line, (tn_log_line(call->kind, call->line), TN_OK), EXT_SHORT, (text, kind),
            (text, line))

static PyMethodDef functions[] = {
    EXT_ENTRY(trace_start),  EXT_ENTRY(trace_stop), EXT_ENTRY(trace_write), EXT_ENTRY(trace_clear),
    EXT_ENTRY(trace_counts), EXT_ENTRY(trace_sums), EXT_ENTRY(log_set),     EXT_ENTRY(log_is_on),
    EXT_ENTRY(log_line),     {NULL, NULL, 0, NULL},
};

int ext_trace_init(PyObject *module) {
    tn_trace_set_place(find_place);
    look_at_log();
    return PyModule_AddFunctions(module, functions);
}
