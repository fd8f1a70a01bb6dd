/* The programs of element-wise kernels: arguments, and the operation as a function that a loop of
 * text/each_range.cuh or text/each_thread.cuh calls. Inputs are copies of elements, outputs are
 * references. Names of ours begin with _tni_. */
#include "kernel/templates/elementwise_text.h"

#include <string.h>

const char *tni_type_name(tn_dtype dtype) {
    static const char *const names[TN_DTYPE_COUNT] = {
        [TN_B8] = "bool",          [TN_I8] = "signed char",     [TN_U8] = "unsigned char",
        [TN_I16] = "short",        [TN_U16] = "unsigned short", [TN_I32] = "int",
        [TN_U32] = "unsigned int", [TN_I64] = "long long",      [TN_U64] = "unsigned long long",
        [TN_F16] = "float16",      [TN_BF16] = "bfloat16",      [TN_F32] = "float",
        [TN_F64] = "double",       [TN_C64] = "complex<float>", [TN_C128] = "complex<double>"};
    return tn_dtype_is_stored(dtype) ? tni_stored_find(dtype)->c_type : names[dtype];
}

/* The structures that the kernel's elements are, each once. */
static void write_structures(tni_source *source, const tni_resolved *call) {
    for (int k = 0; k < call->count; k++) {
        bool is_first = tn_dtype_is_stored(call->types[k]);
        for (int l = 0; l < k; l++)
            is_first = is_first && call->types[l] != call->types[k];
        if (is_first) tni_source_add(source, "%s\n", tni_stored_find(call->types[k])->c_text);
    }
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

void tni_write_head(tni_source *source, const tni_resolved *call, const char *header) {
    const tni_parameters *parameters = &call->kernel->parameters;
    tni_source_add(source, "#include <tenorite/%s.cuh>\n", header);
    write_structures(source, call);
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
        tni_source_add(source, "%stni::operand<%s%s, %d, '%c'> _tni_p_%s", is_const ? "const " : "",
                       parameter->is_const ? "const " : "", type, call->ndim, call->lies[k], name);
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

/* The operation as a function of the elements: `continue` and `break` end it. */
static void write_operation(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "[&](ptrdiff_t i");
    for (int k = 0; k < call->count; k++) {
        const tn_parameter *parameter = &call->kernel->parameters.list[k];
        if (tni_is_walked(call, k))
            tni_source_add(source, parameter->is_const ? ", const %s %s" : ", %s &%s",
                           tni_type_name(call->types[k]), parameter->name);
    }
    tni_source_add(source, ") TNI_WITHIN -> void {\ndo {");
    tni_write_text(source, call->kernel, TNI_TEXT_OPERATION);
    tni_source_add(source, ";} while (0);\n}");
    for (int k = 0; k < call->count; k++)
        if (tni_is_walked(call, k))
            tni_source_add(source, ", _tni_p_%s", call->kernel->parameters.list[k].name);
}

static bool has_parameter(const tni_resolved *call, const char *name) {
    for (int k = 0; k < call->count; k++)
        if (strcmp(call->kernel->parameters.list[k].name, name) == 0) return true;
    return false;
}

static bool writes_raw(const tni_resolved *call) {
    for (int k = 0; k < call->count; k++)
        if (call->lies[k] == TNI_LIES_RAW && !call->kernel->parameters.list[k].is_const)
            return true;
    return false;
}

/* n is the number of elements, unless a parameter has that name. */
static void write_body(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "CIndexer<%d, %s> _ind(_tni_shape);\n{", call->ndim,
                   truth(call->is_small));
    if (!has_parameter(call, "n"))
        tni_source_add(source, "const ptrdiff_t n = _ind.size();\n(void)n;\n");
    tni_source_add(source, "{");
    tni_write_text(source, call->kernel, TNI_TEXT_LOOP_PREP);
    if (call->on_host)
        tni_source_add(source, ";tni::each_range<%s, %s>(_tni_range, _ind, ",
                       truth(call->kernel->sees_index), truth(!writes_raw(call)));
    else
        tni_source_add(source, ";tni::each_thread<%d, %s>(_ind, ",
                       call->kernel->is_short && call->ndim == 1 ? TNI_ELEMENTS_EACH : 1,
                       truth(call->kernel->sees_index));
    write_operation(source, call);
    tni_source_add(source, ");\n");
    tni_write_text(source, call->kernel, TNI_TEXT_AFTER_LOOP);
    tni_source_add(source, ";}}\n}\n");
}

void tni_write_elementwise(tni_source *source, const tni_resolved *call) {
    tni_write_head(source, call, call->on_host ? "each_range" : "each_thread");
    if (call->on_host) {
        tni_source_add(source, "void %s(tni_range _tni_range, const void *const *_tni_a) {\n",
                       call->kernel->symbol);
        tni_write_parameters(source, call);
        tni_source_add(source,
                       "const tni::shape<%d> &_tni_shape = *(const tni::shape<%d> *)_tni_a[%d];\n",
                       call->ndim, call->ndim, call->count);
    } else {
        tni_source_add(source, "extern \"C\" __global__ void %s(", call->kernel->symbol);
        tni_write_parameters(source, call);
        tni_source_add(source, "const tni::shape<%d> _tni_shape) {\n", call->ndim);
    }
    write_body(source, call);
}
