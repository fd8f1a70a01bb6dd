/* The programs of reductions: a class of the parameters and the texts, and kernels that hand it to
 * loops (text/reduction.cuh).
 *
 * The shape is the reduced axes, then those of the outputs: element _j = _J * outputs + _i is the
 * _J-th that output _i is made of.
 *
 * On GPUs the class is the body of the built-in reductions' forms (fold_program.cuh), which choose
 * grids and load vectors. Texts that name threads, or whose fold needs parameters, have loops of
 * their own (reduce_block.cuh). On host a function goes over a range of parts (reduce_range.cuh).
 */
#include "kernel/templates/reduction_text.h"

#include "forms/kernel.h"
#include "kernel/templates/elementwise_text.h"
#include "kernel/tokens.h"

#include <string.h>

static int outs_of(const tni_resolved *call) {
    return call->ndim - call->reduced;
}

static const char *name_of(const tni_resolved *call, int k) {
    return call->kernel->parameters.list[k].name;
}

static const char *truth(bool is) {
    return is ? "true" : "false";
}

static bool has_identity(const tni_resolved *call) {
    return call->kernel->texts[TNI_TEXT_IDENTITY][0] != '\0';
}

/* Bytes of a type by its name in C++ or by the letter of a parameter; 0: neither. */
static int64_t bytes_of_name(const tni_resolved *call, const char *name) {
    const tni_parameters *parameters = &call->kernel->parameters;
    for (int k = 0; k < parameters->count; k++)
        if (parameters->list[k].dtype == TN_DTYPE_NONE &&
            strcmp(parameters->list[k].type, name) == 0)
            return tn_dtype_size(call->types[k]);
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++)
        if (strcmp(tni_type_name((tn_dtype)dtype), name) == 0)
            return tn_dtype_size((tn_dtype)dtype);
    return 0;
}

int64_t tni_reduction_value_bytes(const tni_resolved *call) {
    const tn_template *kernel = call->kernel;
    const char *name = kernel->texts[TNI_TEXT_REDUCE_TYPE];
    if (!*name) return tn_dtype_size(call->types[kernel->parameters.inputs]);
    int64_t bytes = bytes_of_name(call, name);
    return bytes ? bytes : TNI_TOTAL_BYTES;
}

/* Rows are read in long runs, which the processor fetches ahead; lanes stay in the L2 cache. */
int tni_reduction_columns(const tni_resolved *call) {
    enum { LANES_BYTES = 1 << 15 };
    return (int)(LANES_BYTES / tni_reduction_value_bytes(call));
}

/* --- The class --- */

static void write_types(tni_source *source, const tni_resolved *call) {
    const tn_template *kernel = call->kernel;
    tni_source_add(source, "typedef ");
    if (kernel->texts[TNI_TEXT_REDUCE_TYPE][0])
        tni_write_text(source, kernel, TNI_TEXT_REDUCE_TYPE);
    else
        tni_source_add(source, "%s", tni_type_name(call->types[kernel->parameters.inputs]));
    tni_source_add(source,
                   " _type_reduce;\n"
                   "typedef tni::total<_type_reduce, %s> _tni_total;\n"
                   "static_assert(sizeof(_tni_total) <= %d, \"reduce_type is too large\");\n",
                   truth(has_identity(call)), TNI_TOTAL_BYTES);
}

/* The parameters, each after the other at 16 bytes, as launch.c packs them. */
static void write_members(tni_source *source, const tni_resolved *call) {
    tni_source_add(source,
                   "static const bool _tni_is_small = %s;\n"
                   "static const int _tni_reduced = %d, _tni_outs = %d;\n",
                   truth(call->is_small), call->reduced, outs_of(call));
    for (int k = 0; k < call->count; k++) {
        bool changes = call->lies[k] == TNI_LIES_RAW && !call->kernel->parameters.list[k].is_const;
        tni_source_add(source, "__align__(16) %s", changes ? "mutable " : "");
        tni_write_declaration(source, call, k, false);
        tni_source_add(source, ";\n");
    }
    tni_source_add(source,
                   "__align__(16) tni::shape<%d> _tni_shape;\n"
                   "__align__(16) tni::shape<%d> _tni_outs_shape;\n",
                   call->ndim, outs_of(call));
}

/* The fold and what it begins with; without parameters they need no object. */
static void write_reduce(tni_source *source, const tni_resolved *call) {
    bool is_plain = call->kernel->folds_plainly;
    const char *before = is_plain ? "static " : "", *after = is_plain ? "" : " const";
    tni_source_add(source,
                   "%sTNI_CALL _type_reduce _tni_reduce(const _type_reduce &a, "
                   "const _type_reduce &b)%s {\nreturn static_cast<_type_reduce>(",
                   before, after);
    tni_write_text(source, call->kernel, TNI_TEXT_REDUCE);
    tni_source_add(source, ");\n}\n%sTNI_CALL _tni_total _tni_start()%s {\nreturn _tni_total",
                   before, after);
    if (has_identity(call)) {
        tni_source_add(source, "{_type_reduce(");
        tni_write_text(source, call->kernel, TNI_TEXT_IDENTITY);
        tni_source_add(source, ")};\n}\n");
    } else {
        tni_source_add(source, "();\n}\n");
    }
}

/* Indexes that the texts may use; one of them is set. */
static void write_indexes(tni_source *source, const tni_resolved *call, const char *set) {
    if (!call->kernel->sees_index) return;
    tni_source_add(source,
                   "CIndexer<%d, _tni_is_small> _in_ind(_tni_shape);\n"
                   "CIndexer<%d, _tni_is_small> _out_ind(_tni_outs_shape);\n%s;\n",
                   call->ndim, outs_of(call), set);
}

static void write_map(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "TNI_CALL _type_reduce _tni_map(const ptrdiff_t _J, const ptrdiff_t _i");
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (tni_is_walked(call, k))
            tni_source_add(source, ", const %s %s", tni_type_name(call->types[k]),
                           name_of(call, k));
    tni_source_add(source, ") const {\nconst ptrdiff_t _j = _J * _tni_outs_shape.size + _i;\n");
    write_indexes(source, call, "_in_ind.set(_j)");
    tni_source_add(source, "return (void)_j, static_cast<_type_reduce>(");
    tni_write_text(source, call->kernel, TNI_TEXT_OPERATION);
    tni_source_add(source, ");\n}\n");
}

static void write_post_map(tni_source *source, const tni_resolved *call) {
    tni_source_add(source,
                   "TNI_CALL void _tni_write(const ptrdiff_t _i, const _tni_total &_tni_sum) "
                   "const {\nconst tni::output_place<_tni_program> _tni_at(*this, _i);\n"
                   "_type_reduce a = _tni_sum.value;\n");
    write_indexes(source, call, "_out_ind.set(_i)");
    for (int k = call->kernel->parameters.inputs; k < call->count; k++)
        if (tni_is_walked(call, k))
            tni_source_add(source, "%s &%s = _tni_at.of(_tni_p_%s);\n",
                           tni_type_name(call->types[k]), name_of(call, k), name_of(call, k));
    tni_write_text(source, call->kernel, TNI_TEXT_POST_MAP);
    tni_source_add(source, ";\n}\n");
}

/* The operands of inputs, members of `of`, after `before`. */
static void write_inputs(tni_source *source, const tni_resolved *call, const char *before,
                         const char *of) {
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        if (!tni_is_walked(call, k)) continue;
        tni_source_add(source, "%s%s_tni_p_%s", before, of, name_of(call, k));
        before = ", ";
    }
}

/* What a form loads (fold_program.cuh). */
static void write_load(tni_source *source, const tni_resolved *call, int leader) {
    tni_source_add(source, "TNI_CALL ptrdiff_t _tni_leading(const char *from) const {\nreturn ");
    if (leader < 0)
        tni_source_add(source, "(void)from, 0;\n}\n");
    else
        tni_source_add(source, "(const %s *)from - _tni_p_%s.data;\n}\n",
                       tni_type_name(call->types[leader]), name_of(call, leader));
    tni_source_add(source,
                   "template <class F> TNI_CALL void _tni_load(const F &load) const {\nload(");
    write_inputs(source, call, "", "");
    tni_source_add(source, ");\n}\n");
}

static void write_program(tni_source *source, const tni_resolved *call, int leader) {
    tni_source_add(source, "struct __align__(16) _tni_program {\n");
    write_members(source, call);
    write_reduce(source, call);
    write_map(source, call);
    write_post_map(source, call);
    if (call->frame) write_load(source, call, leader);
    tni_source_add(source, "};\n");
}

/* --- The body of a form --- */

static void write_undefinition(tni_source *source, tni_token_reader definition) {
    tni_token name;
    if (tni_token_next(&name, &definition) && name.kind == TNI_WORD)
        tni_source_add(source, "#undef %.*s\n", name.length, name.text);
}

/* Macros of the program's, which the form's text must not see. */
static void write_undefinitions(tni_source *source, const tn_template *kernel) {
    static const char *const defining[] = {"-D", "--define-macro="};
    const char *preamble = kernel->texts[TNI_TEXT_PREAMBLE];
    tni_token_reader reader = tni_token_reader_of(preamble, strlen(preamble)), rest;
    for (tni_token token; tni_token_next(&token, &reader);)
        if (tni_token_directs(&token, "define", &rest)) write_undefinition(source, rest);
    for (int k = 0; k < kernel->option_count; k++)
        for (size_t d = 0; d < sizeof defining / sizeof *defining; d++) {
            const char *option = kernel->options[k];
            size_t length = strlen(defining[d]);
            if (strncmp(option, defining[d], length) == 0)
                write_undefinition(source,
                                   tni_token_reader_of(option + length, strlen(option) - length));
        }
}

static void write_form(tni_source *source, const tni_resolved *call, int leader) {
    const tni_fold_frame *frame = call->frame;
    write_undefinitions(source, call->kernel);
    tni_source_add(source, "#include \"types.h\"\nnamespace tni_form {\n#define KERNEL %s\n",
                   call->kernel->symbol);
    for (int k = 0; k < frame->count; k++)
        tni_source_add(source, "#define %s %d\n", frame->macros[k], frame->numbers[k]);
    tni_source_add(source,
                   "#define FOLD_KIND 6\n#define FOLD_INPUTS 1\n#define FOLD_SKIPS_NAN 0\n"
                   "#define FOLD_MASKED 0\n#define FOLD_EXITS 0\n"
                   "typedef %s Input;\ntypedef _type_reduce Element;\ntypedef _tni_total State;\n"
                   "typedef _tni_program Program;\n#include \"%s.cu\"\n}\n",
                   leader < 0 ? "unsigned char" : tni_type_name(call->types[leader]), frame->form);
}

/* --- Kernels of loops of their own --- */

static void write_member(tni_source *source, const tni_resolved *call, const char *prefix,
                         const char *name, int argument) {
    tni_source_add(source, "_tni_all.%s%s = ", prefix, name);
    if (call->on_host)
        tni_source_add(source, "*(const decltype(_tni_all.%s%s) *)_tni_a[%d];\n", prefix, name,
                       argument);
    else
        tni_source_add(source, "%s%s;\n", prefix, name);
}

/* A kernel, up to the object of the class. */
static void write_begin(tni_source *source, const tni_resolved *call, const char *name) {
    if (call->on_host) {
        tni_source_add(source,
                       "void %s(tni_range _tni_range, const void *const *_tni_a) {\n"
                       "const tni::parts &_tni_parts = *(const tni::parts *)_tni_a[%d];\n",
                       name, call->count + 2);
    } else {
        tni_source_add(source, "extern \"C\" __global__ void %s(", name);
        tni_write_parameters(source, call);
        tni_source_add(source,
                       "const tni::shape<%d> _tni_shape, const tni::shape<%d> _tni_outs_shape, "
                       "const tni::parts _tni_parts) {\n",
                       call->ndim, outs_of(call));
    }
    tni_source_add(source, "_tni_program _tni_all;\n");
    for (int k = 0; k < call->count; k++)
        write_member(source, call, tni_is_walked(call, k) ? "_tni_p_" : "", name_of(call, k), k);
    write_member(source, call, "", "_tni_shape", call->count);
    write_member(source, call, "", "_tni_outs_shape", call->count + 1);
}

static void write_kernels(tni_source *source, const tni_resolved *call) {
    write_begin(source, call, call->kernel->symbol);
    if (call->on_host)
        tni_source_add(source, "tni::reduce_range<%s, %d>(_tni_all, _tni_range, _tni_parts",
                       truth(call->in_columns),
                       call->in_columns ? tni_reduction_columns(call) : TNI_REDUCTION_LANES);
    else
        tni_source_add(source, "tni::reduce_block<%d>(_tni_all, _tni_parts", TNI_REDUCTION_BLOCK);
    write_inputs(source, call, ", ", "_tni_all.");
    tni_source_add(source, ");\n}\n");
    write_begin(source, call, "tni_finish");
    if (call->on_host)
        tni_source_add(source, "tni::finish_range(_tni_all, _tni_range, _tni_parts);\n}\n");
    else
        tni_source_add(source, "tni::finish_block<%d>(_tni_all, _tni_parts);\n}\n",
                       TNI_REDUCTION_BLOCK);
}

void tni_write_reduction(tni_source *source, const tni_resolved *call) {
    int leader = -1;
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (call->lies[k] == TNI_LIES_LEADING) leader = k;
    tni_write_head(source, call,
                   call->on_host ? "reduce_range"
                   : call->frame ? "reduction"
                                 : "reduce_block");
    write_types(source, call);
    write_program(source, call, leader);
    if (call->frame)
        write_form(source, call, leader);
    else
        write_kernels(source, call);
}
