/* The programs of element-wise kernels.
 *
 * On GPUs each thread takes several elements of a flat call where the operation is short: all
 * inputs are loaded before the first operation, so that loads overlap. On host a function goes over
 * a range row by row, so that the inner loop has fixed strides and the compiler vectorises it.
 * In both the operation stands in a loop of one turn: `continue` and `break` end the element.
 * Inputs are copies of elements, outputs are references. Names of ours begin with _tni_. */
#include "kernel/templates/elementwise_text.h"

#include <string.h>

enum { UNROLL = 4 };

const char *tni_type_name(tn_dtype dtype) {
    static const char *const names[TN_DTYPE_COUNT] = {
        [TN_B8] = "bool",          [TN_I8] = "signed char",     [TN_U8] = "unsigned char",
        [TN_I16] = "short",        [TN_U16] = "unsigned short", [TN_I32] = "int",
        [TN_U32] = "unsigned int", [TN_I64] = "long long",      [TN_U64] = "unsigned long long",
        [TN_F16] = "float16",      [TN_BF16] = "bfloat16",      [TN_F32] = "float",
        [TN_F64] = "double",       [TN_C64] = "complex<float>", [TN_C128] = "complex<double>"};
    return names[dtype];
}

static const char *truth(bool is) {
    return is ? "true" : "false";
}

/* --- What all programs have --- */

/* A text of the program's own, with its own line numbers; what follows it begins a line. */
void tni_write_text(tni_source *source, const tn_template *kernel, tni_template_text text) {
    static const char *const names[TNI_TEXT_COUNT] = {[TNI_TEXT_PREAMBLE] = "preamble",
                                                      [TNI_TEXT_OPERATION] = "operation",
                                                      [TNI_TEXT_LOOP_PREP] = "loop_prep",
                                                      [TNI_TEXT_AFTER_LOOP] = "after_loop",
                                                      [TNI_TEXT_REDUCE] = "reduce_expr",
                                                      [TNI_TEXT_POST_MAP] = "post_map_expr",
                                                      [TNI_TEXT_IDENTITY] = "identity",
                                                      [TNI_TEXT_REDUCE_TYPE] = "reduce_type",
                                                      [TNI_TEXT_NAME] = "name"};
    bool is_map = kernel->is_reduction && text == TNI_TEXT_OPERATION;
    const char *words = kernel->texts[text];
    tni_source_add(source, "\n#line 1 \"%s\"\n", is_map ? "map_expr" : names[text]);
    tni_source_add_bytes(source, words, strlen(words));
    tni_source_add(source, "\n\n#line 1 \"%s\"\n", kernel->texts[TNI_TEXT_NAME]);
}

void tni_write_head(tni_source *source, const tni_resolved *call) {
    const tni_parameters *parameters = &call->kernel->parameters;
    tni_source_add(source, "#include <cupy/carray.cuh>\n");
    for (int k = 0; k < call->count; k++) {
        const tn_parameter *parameter = &parameters->list[k];
        bool is_first = parameter->dtype == TN_DTYPE_NONE;
        for (int l = 0; l < k; l++)
            if (strcmp(parameters->list[l].type, parameter->type) == 0) is_first = false;
        if (is_first)
            tni_source_add(source, "typedef %s %s;\n", tni_type_name(call->types[k]),
                           parameter->type);
    }
    tni_write_text(source, call->kernel, TNI_TEXT_PREAMBLE);
}

void tni_write_declaration(tni_source *source, const tni_resolved *call, int k, bool is_const) {
    const tn_parameter *parameter = &call->kernel->parameters.list[k];
    const char *type = tni_type_name(call->types[k]), *name = parameter->name;
    const char *constant = is_const && parameter->is_const ? "const " : "";
    switch (call->lies[k]) {
    case TNI_LIES_SCALAR: tni_source_add(source, "%s%s %s", constant, type, name); break;
    case TNI_LIES_RAW:
        tni_source_add(source, "%sCArray<%s, %d, %s, %s> %s", constant, type, call->arrays[k]->ndim,
                       truth(call->arrays[k]->flags & TNI_C_CONTIGUOUS), truth(call->is_small),
                       name);
        break;
    default:
        tni_source_add(source, "%stni::strided<%s, %d> _tni_p_%s", is_const ? "const " : "", type,
                       call->ndim, name);
    }
}

/* The parameters of a GPU's kernel, up to the shape; those of host are read from the list. */
void tni_write_parameters(tni_source *source, const tni_resolved *call) {
    for (int k = 0; k < call->count; k++) {
        tni_write_declaration(source, call, k, true);
        if (!call->on_host) {
            tni_source_add(source, ", ");
            continue;
        }
        const tn_parameter *parameter = &call->kernel->parameters.list[k];
        const char *name = parameter->name;
        bool is_direct = !tni_is_walked(call, k);
        tni_source_add(source, " = *(decltype(%s%s) *)_tni_a[%d];\n", is_direct ? "" : "_tni_p_",
                       name, k);
    }
}

/* --- Elements --- */

/* The element of a parameter on a GPU, of which `_tni_i` is the number. */
static void write_device_element(tni_source *source, const tni_resolved *call, int k) {
    const char *name = call->kernel->parameters.list[k].name;
    if (call->ndim > 1)
        tni_source_add(source, "_tni_p_%s[_ind.get()]", name);
    else if (call->lies[k] == TNI_LIES_UNIT)
        tni_source_add(source, "_tni_p_%s.data[_tni_i]", name);
    else if (call->lies[k] == TNI_LIES_SAME)
        tni_source_add(source, "*_tni_p_%s.data", name);
    else
        tni_source_add(source, "tni::behind(_tni_p_%s.data, _tni_i * _tni_p_%s.strides[0])", name,
                       name);
}

static void write_host_element(tni_source *source, const tni_resolved *call, int k) {
    const tn_parameter *parameter = &call->kernel->parameters.list[k];
    const char *name = parameter->name;
    if (call->lies[k] == TNI_LIES_SAME && parameter->is_const)
        tni_source_add(source, "_tni_h_%s", name);
    else if (call->lies[k] == TNI_LIES_STRIDED)
        tni_source_add(source, "tni::behind(_tni_q_%s, _tni_k * _tni_s_%s)", name, name);
    else
        tni_source_add(source, "_tni_q_%s[%s]", name,
                       call->lies[k] == TNI_LIES_SAME ? "0" : "_tni_k");
}

/* The names of a parameter's element, for the operation. */
static void write_element(tni_source *source, const tni_resolved *call, int k, bool is_loaded) {
    const tn_parameter *parameter = &call->kernel->parameters.list[k];
    const char *type = tni_type_name(call->types[k]);
    if (!tni_is_walked(call, k)) return;
    tni_source_add(source, parameter->is_const ? "const %s %s = " : "%s &%s = ", type,
                   parameter->name);
    if (is_loaded && parameter->is_const)
        tni_source_add(source, "_tni_v_%s[_tni_u]", parameter->name);
    else if (call->on_host)
        write_host_element(source, call, k);
    else
        write_device_element(source, call, k);
    tni_source_add(source, ";\n");
}

static void write_operation(tni_source *source, const tni_resolved *call, bool is_loaded) {
    for (int k = 0; k < call->count; k++)
        write_element(source, call, k, is_loaded);
    tni_source_add(source, "do {");
    tni_write_text(source, call->kernel, TNI_TEXT_OPERATION);
    tni_source_add(source, ";} while (0);\n");
}

static bool has_parameter(const tni_resolved *call, const char *name) {
    for (int k = 0; k < call->count; k++)
        if (strcmp(call->kernel->parameters.list[k].name, name) == 0) return true;
    return false;
}

/* n is the number of elements, unless a parameter has that name. */
static void write_prologue(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "CIndexer<%d, %s> _ind(_tni_shape);\n{", call->ndim,
                   truth(call->is_small));
    if (!has_parameter(call, "n"))
        tni_source_add(source, "const ptrdiff_t n = _ind.size();\n(void)n;\n");
    tni_source_add(source, "{");
    tni_write_text(source, call->kernel, TNI_TEXT_LOOP_PREP);
}

static void write_epilogue(tni_source *source, const tni_resolved *call) {
    tni_write_text(source, call->kernel, TNI_TEXT_AFTER_LOOP);
    tni_source_add(source, ";}}\n}\n");
}

/* --- GPUs --- */

static void write_loads(tni_source *source, const tni_resolved *call) {
    for (int k = 0; k < call->count; k++)
        if (tni_is_walked(call, k) && call->kernel->parameters.list[k].is_const)
            tni_source_add(source, "%s _tni_v_%s[%d];\n", tni_type_name(call->types[k]),
                           call->kernel->parameters.list[k].name, UNROLL);
    tni_source_add(source,
                   "#pragma unroll\nfor (int _tni_u = 0; _tni_u < %d; _tni_u++) {\n"
                   "const _tni_word _tni_i = _tni_at + _tni_u * (_tni_word)blockDim.x;\n"
                   "if (_tni_i < _ind.size()) {\n",
                   UNROLL);
    for (int k = 0; k < call->count; k++) {
        if (!tni_is_walked(call, k) || !call->kernel->parameters.list[k].is_const) continue;
        tni_source_add(source, "_tni_v_%s[_tni_u] = ", call->kernel->parameters.list[k].name);
        write_device_element(source, call, k);
        tni_source_add(source, ";\n");
    }
    tni_source_add(source, "}\n}\n");
}

static void write_device_loop(tni_source *source, const tni_resolved *call) {
    int unroll = call->kernel->is_short && call->ndim == 1 ? UNROLL : 1;
    tni_source_add(source,
                   "typedef tni::word<%s>::positive _tni_word;\n"
                   "const _tni_word _tni_tile = (_tni_word)blockDim.x * %d;\n"
                   "#pragma unroll 1\n"
                   "for (_tni_word _tni_at = blockIdx.x * _tni_tile + threadIdx.x; "
                   "_tni_at < _ind.size(); _tni_at += gridDim.x * _tni_tile) {\n",
                   truth(call->is_small), unroll);
    if (unroll > 1) write_loads(source, call);
    if (unroll > 1)
        tni_source_add(source, "#pragma unroll\nfor (int _tni_u = 0; _tni_u < %d; _tni_u++) {\n",
                       unroll);
    else
        tni_source_add(source, "{ const int _tni_u = 0;\n");
    tni_source_add(source, "const _tni_word _tni_i = _tni_at + _tni_u * (_tni_word)blockDim.x;\n"
                           "ptrdiff_t i = (ptrdiff_t)_tni_i;\n(void)i;\n"
                           "if (i < _ind.size()) {\n");
    if (call->ndim > 1 || call->kernel->sees_index) tni_source_add(source, "_ind.set(i);\n");
    write_operation(source, call, unroll > 1);
    tni_source_add(source, "}\n}\n}\n");
}

/* --- Host --- */

static bool writes_raw(const tni_resolved *call) {
    for (int k = 0; k < call->count; k++)
        if (call->lies[k] == TNI_LIES_RAW && !call->kernel->parameters.list[k].is_const)
            return true;
    return false;
}

static void write_row_starts(tni_source *source, const tni_resolved *call) {
    for (int k = 0; k < call->count; k++) {
        const tn_parameter *parameter = &call->kernel->parameters.list[k];
        const char *name = parameter->name, *type = tni_type_name(call->types[k]);
        if (!tni_is_walked(call, k)) continue;
        tni_source_add(source, "%s *const _tni_q_%s = &_tni_p_%s[_ind.get()];\n", type, name, name);
        if (call->lies[k] == TNI_LIES_SAME && parameter->is_const)
            tni_source_add(source, "const %s _tni_h_%s = *_tni_q_%s;\n", type, name, name);
        if (call->lies[k] == TNI_LIES_STRIDED)
            tni_source_add(source, "const ptrdiff_t _tni_s_%s = _tni_p_%s.strides[%d];\n", name,
                           name, call->ndim - 1);
    }
}

static void write_host_loop(tni_source *source, const tni_resolved *call) {
    tni_source_add(source,
                   "for (ptrdiff_t _tni_at = _tni_range.begin; _tni_at < _tni_range.end;) {\n"
                   "_ind.set(_tni_at);\n"
                   "ptrdiff_t _tni_count = _ind.shape()[%d] - _ind.get()[%d];\n"
                   "if (_tni_count > _tni_range.end - _tni_at) "
                   "_tni_count = _tni_range.end - _tni_at;\n",
                   call->ndim - 1, call->ndim - 1);
    write_row_starts(source, call);
    if (!writes_raw(call))
        tni_source_add(source, "#ifdef __clang__\n#pragma clang loop vectorize(assume_safety)\n"
                               "#else\n#pragma GCC ivdep\n#endif\n");
    tni_source_add(source, "for (ptrdiff_t _tni_k = 0; _tni_k < _tni_count; _tni_k++) {\n"
                           "ptrdiff_t i = _tni_at + _tni_k;\n(void)i;\n");
    if (call->kernel->sees_index) tni_source_add(source, "_ind.set(i);\n");
    write_operation(source, call, false);
    tni_source_add(source, "}\n_tni_at += _tni_count;\n}\n");
}

void tni_write_elementwise(tni_source *source, const tni_resolved *call) {
    tni_write_head(source, call);
    if (call->on_host) {
        tni_source_add(source, "void %s(tni_range _tni_range, const void *const *_tni_a) {\n",
                       call->kernel->symbol);
        tni_write_parameters(source, call);
        tni_source_add(source,
                       "const tni::shape<%d> &_tni_shape = *(const tni::shape<%d> *)_tni_a[%d];\n",
                       call->ndim, call->ndim, call->count);
        write_prologue(source, call);
        tni_source_add(source, ";");
        write_host_loop(source, call);
    } else {
        tni_source_add(source, "extern \"C\" __global__ void %s(", call->kernel->symbol);
        tni_write_parameters(source, call);
        tni_source_add(source, "const tni::shape<%d> _tni_shape) {\n", call->ndim);
        write_prologue(source, call);
        tni_source_add(source, ";");
        write_device_loop(source, call);
    }
    write_epilogue(source, call);
}
