/* The module tenorite._core: gathers the functions, types and ufunc objects of the other files. */
#include "array/flags.h"
#include "array/iterate.h"
#include "array/type.h"
#include "base/kinds.h"
#include "base/trace_rows.h"
#include "base/wait.h"
#include "cuda/driver.h"
#include "cuda/runtime.h"
#include "device/allocator.h"
#include "device/device.h"
#include "device/event.h"
#include "device/graph.h"
#include "device/memory.h"
#include "device/pinned.h"
#include "device/pointer.h"
#include "device/pool.h"
#include "device/stream.h"
#include "exchange/interop.h"
#include "functions/backlog.h"
#include "functions/choose.h"
#include "functions/collective.h"
#include "functions/create.h"
#include "functions/cudnn.h"
#include "functions/fft.h"
#include "functions/flat_index.h"
#include "functions/image/filters.h"
#include "functions/image/image_map.h"
#include "functions/image/measure.h"
#include "functions/join.h"
#include "functions/kernels/expression.h"
#include "functions/kernels/kernel.h"
#include "functions/kernels/template.h"
#include "functions/linalg/decompositions.h"
#include "functions/linalg/linalg.h"
#include "functions/neural.h"
#include "functions/promote.h"
#include "functions/random/random.h"
#include "functions/random/random_draw.h"
#include "functions/rearrange.h"
#include "functions/reduce.h"
#include "functions/samples.h"
#include "functions/signal.h"
#include "functions/sort.h"
#include "functions/sparse/csgraph.h"
#include "functions/sparse/sparse.h"
#include "functions/sparse/sparse_lu.h"
#include "functions/spatial.h"
#include "functions/spline/spline.h"
#include "functions/take.h"
#include "ufunc/ufunc.h"
#include "values/refusal.h"

static PyObject *version(PyObject *module, PyObject *unused) {
    (void)module;
    (void)unused;
    return PyUnicode_FromString(tn_version());
}

EXT_CALL(refuse, EXT_SHORT, (object, object), (optional_text, function),
         (optional_text, argument)) {
    ext_refuse_type(call->object, call->function, call->argument);
    return TN_ERROR_CALLBACK;
}

static PyMethodDef own_functions[] = {
    {"version", version, METH_NOARGS, "The version of libtenorite."},
    EXT_ENTRY(refuse),
    {NULL, NULL, 0, NULL},
};

static int add_functions(PyObject *module) {
    PyMethodDef *const tables[] = {own_functions,
                                   ext_backlog_functions,
                                   ext_choose_functions,
                                   ext_collective_functions,
                                   ext_create_functions,
                                   ext_csgraph_functions,
                                   ext_cuda_functions,
                                   ext_cudnn_functions,
                                   ext_decomposition_functions,
                                   ext_driver_functions,
                                   ext_expression_functions,
                                   ext_fft_functions,
                                   ext_flat_index_functions,
                                   ext_image_filter_functions,
                                   ext_image_map_functions,
                                   ext_index_functions,
                                   ext_interop_functions,
                                   ext_join_functions,
                                   ext_kernel_functions,
                                   ext_linalg_functions,
                                   ext_measure_functions,
                                   ext_neural_functions,
                                   ext_promote_functions,
                                   ext_random_functions,
                                   ext_rearrange_functions,
                                   ext_reduce_functions,
                                   ext_samples_functions,
                                   ext_signal_functions,
                                   ext_sort_functions,
                                   ext_sparse_functions,
                                   ext_sparse_lu_functions,
                                   ext_spatial_functions,
                                   ext_spline_functions};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (PyModule_AddFunctions(module, tables[k])) return -1;
    return 0;
}

/* In the order in which the files build on each other. */
static int add_types(PyObject *module) {
    static int (*const inits[])(PyObject *) = {
        ext_ndarray_init,   ext_iterate_init,     ext_ufunc_init,      ext_wait_init,
        ext_trace_init,     ext_device_init,      ext_stream_init,     ext_event_init,
        ext_graph_init,     ext_memory_init,      ext_pointer_init,    ext_pool_init,
        ext_allocator_init, ext_pinned_init,      ext_expression_init, ext_template_init,
        ext_random_init,    ext_random_draw_init, ext_flags_init,      ext_backlog_init};
    for (size_t k = 0; k < sizeof inits / sizeof *inits; k++)
        if (inits[k](module)) return -1;
    return 0;
}

static int execute(PyObject *module) {
    if (add_types(module)) return -1;
    Py_AtExit(tn_cuda_end_compiling); /* 0, or -1 and exit() calls it, if a little late */
    return add_functions(module);
}

/* What newer Pythons ask of a module, by their numbers: its state is the process's, so interpreters
 * that share none can't have it (3.12), and the GIL guards that (3.13). An older one would refuse
 * what it does not know. docs/design/free-threading.rst says what else would be needed. */
enum { MULTIPLE_INTERPRETERS = 3, NEEDS_GIL = 4 };
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute}, {MULTIPLE_INTERPRETERS, NULL}, {NEEDS_GIL, NULL}, {0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "tenorite._core",
                                        "The extension under tenorite.",
                                        0,
                                        NULL,
                                        slots,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    if (Py_Version < 0x030D0000) slots[2].slot = 0;
    if (Py_Version < 0x030C0000) slots[1].slot = 0;
    return PyModuleDef_Init(&definition);
}
