/* The programs of reductions.
 *
 * The shape is the reduced axes, then those of the outputs: element _j = _J * outputs + _i is the
 * _J-th that output _i is made of. Outputs are made in parts where they are few: each part leaves a
 * total in memory, and the second kernel makes one of them.
 *
 * On GPUs the texts are the body of the built-in reductions' forms (fold.cuh: FOLD_IS_USER), which
 * choose grids and load vectors. Texts that name threads, or whose fold needs parameters, have
 * loops of their own: a block has `width` outputs side by side and its other threads go over the
 * elements; a tree in shared memory ends it.
 *
 * On host a unit of the range is one part of one output, or of several neighbouring ones where
 * outputs lie closer in memory than what they are made of. What it has so far is in lanes, which
 * the compiler keeps in vectors. */
#include "kernel/templates/reduction_text.h"

#include "kernel/templates/elementwise_text.h"

#include "forms/kernel.h"

#include <string.h>

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static int outs_of(const tni_resolved *call) {
    return call->ndim - call->reduced;
}

static bool is_output(const tni_resolved *call, int k) {
    return k >= call->kernel->parameters.inputs;
}

/* Whether the form loads the input. */
static bool is_loaded(const tni_resolved *call, int k) {
    return call->lies[k] == TNI_LIES_LEADING || call->lies[k] == TNI_LIES_TOGETHER;
}

static const char *name_of(const tni_resolved *call, int k) {
    return call->kernel->parameters.list[k].name;
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

/* --- Types and functions --- */

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
                   has_identity(call) ? "true" : "false", TNI_TOTAL_BYTES);
}

/* What begins both functions. */
static void write_scope(tni_source *source, const tni_resolved *call) {
    int reduced = call->reduced, outs = outs_of(call);
    tni_source_add(source,
                   "const ptrdiff_t _tni_outs = _tni_outs_shape.size;\n"
                   "CIndexer<%d, %s> _in_ind(_tni_shape);\n(void)_in_ind;\n"
                   "CIndexer<%d, %s> _out_ind(_tni_outs_shape);\n(void)_out_ind;\n"
                   "const ptrdiff_t *const _tni_inner = _tni_shape.shape;\n(void)_tni_inner;\n"
                   "ptrdiff_t _tni_index[tni::room(%d)];\n(void)_tni_index;\n",
                   call->ndim, call->is_small ? "true" : "false", outs,
                   call->is_small ? "true" : "false", reduced > outs ? reduced : outs);
    tni_source_add(source, "auto _tni_reduce = [&](const _type_reduce &a, const _type_reduce &b) "
                           "-> _type_reduce {\nreturn static_cast<_type_reduce>(");
    tni_write_text(source, call->kernel, TNI_TEXT_REDUCE);
    tni_source_add(source, ");};\n");
}

/* A total of nothing. */
static void write_start(tni_source *source, const tni_resolved *call) {
    if (!has_identity(call)) {
        tni_source_add(source, "_tni_total()");
        return;
    }
    tni_source_add(source, "_tni_total{_type_reduce(");
    tni_write_text(source, call->kernel, TNI_TEXT_IDENTITY);
    tni_source_add(source, ")}");
}

/* Pointers to what output `at` begins with, or is. */
static void write_bases(tni_source *source, const tni_resolved *call, const char *at,
                        bool outputs) {
    int outs = outs_of(call);
    tni_source_add(source, "tni::unravel<%s, %d>(%s, _tni_outs_shape.shape, _tni_index);\n",
                   call->is_small ? "true" : "false", outs, at);
    for (int k = 0; k < call->count; k++) {
        if (!tni_is_walked(call, k) || is_output(call, k) != outputs || is_loaded(call, k))
            continue;
        tni_source_add(source,
                       "%s *const _tni_o_%s = &tni::behind(_tni_p_%s.data, "
                       "tni::dot<%d>(_tni_index, _tni_p_%s.strides + %d));\n",
                       tni_type_name(call->types[k]), name_of(call, k), name_of(call, k), outs,
                       name_of(call, k), call->reduced);
    }
}

/* Output _i made of the total. */
static void write_post_map(tni_source *source, const tni_resolved *call, const char *total) {
    tni_source_add(source, "{\n_type_reduce a = %s.value;\n", total);
    write_bases(source, call, "_i", true);
    if (call->kernel->sees_index) tni_source_add(source, "_out_ind.set(_i);\n");
    for (int k = call->kernel->parameters.inputs; k < call->count; k++)
        if (tni_is_walked(call, k))
            tni_source_add(source, "%s &%s = *_tni_o_%s;\n", tni_type_name(call->types[k]),
                           name_of(call, k), name_of(call, k));
    tni_write_text(source, call->kernel, TNI_TEXT_POST_MAP);
    tni_source_add(source, ";}\n");
}

/* The mapped element: `_J` and `_i` are known. */
static void write_map(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "const ptrdiff_t _j = _J * _tni_outs + _i;\n(void)_j;\n");
    if (call->kernel->sees_index) tni_source_add(source, "_in_ind.set(_j);\n");
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        const char *name = name_of(call, k), *type = tni_type_name(call->types[k]);
        if (!tni_is_walked(call, k)) continue;
        if (is_loaded(call, k))
            tni_source_add(source, "const %s %s = _tni_v_%s;\n", type, name, name);
        else if (!call->on_host)
            tni_source_add(source, "const %s %s = tni::behind(_tni_o_%s, %s_tni_p_%s.strides%s);\n",
                           type, name, name,
                           call->reduced == 1  ? "_J * "
                           : call->reduced > 1 ? "tni::dot<TNI_REDUCED>(_tni_place, "
                                               : "0 * ",
                           name, call->reduced > 1 ? ")" : "[0]");
        else if (call->lies[k] == TNI_LIES_UNIT)
            tni_source_add(source, "const %s %s = _tni_q_%s[_tni_k];\n", type, name, name);
        else
            tni_source_add(source, "const %s %s = tni::behind(_tni_q_%s, _tni_k * _tni_s_%s);\n",
                           type, name, name, name);
    }
}

static void write_mapped(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "static_cast<_type_reduce>(");
    tni_write_text(source, call->kernel, TNI_TEXT_OPERATION);
    tni_source_add(source, ")");
}

/* --- GPUs --- */

static void write_device_begin(tni_source *source, const tni_resolved *call, const char *name) {
    tni_source_add(source, "extern \"C\" __global__ void %s(", name);
    tni_write_parameters(source, call);
    tni_source_add(source,
                   "const tni::shape<%d> _tni_shape, const tni::shape<%d> _tni_outs_shape, "
                   "const tni::parts _tni_parts) {\n",
                   call->ndim, outs_of(call));
    write_scope(source, call);
    tni_source_add(source,
                   "__shared__ __align__(16) char _tni_room[sizeof(_tni_total) * %d];\n"
                   "_tni_total *const _tni_shared = (_tni_total *)_tni_room;\n"
                   "_tni_total *const _tni_kept = (_tni_total *)_tni_parts.totals;\n"
                   "const int _tni_width = _tni_parts.width, _tni_x = threadIdx.x %% _tni_width, "
                   "_tni_y = threadIdx.x / _tni_width, _tni_height = blockDim.x / _tni_width;\n"
                   "for (ptrdiff_t _tni_first = (ptrdiff_t)blockIdx.x * _tni_width; "
                   "_tni_first < _tni_outs; _tni_first += (ptrdiff_t)gridDim.x * _tni_width) {\n"
                   "const ptrdiff_t _i = _tni_first + _tni_x;\n"
                   "_tni_total _tni_sum = ",
                   TNI_REDUCTION_BLOCK);
    write_start(source, call);
    tni_source_add(source, ";\nif (_i < _tni_outs) {\n");
}

/* The tree over the threads of one output; what the first of them does with the total follows. */
static void write_device_tree(tni_source *source) {
    tni_source_add(source,
                   "}\n_tni_shared[threadIdx.x] = _tni_sum;\n__syncthreads();\n"
                   "for (int _tni_half = _tni_height / 2; _tni_half > 0; _tni_half /= 2) {\n"
                   "if (_tni_y < _tni_half) _tni_shared[threadIdx.x].merge(_tni_reduce, "
                   "_tni_shared[threadIdx.x + _tni_half * _tni_width]);\n"
                   "__syncthreads();\n}\n"
                   "if (_tni_y == 0 && _i < _tni_outs) {\n");
}

static void write_device_fold(tni_source *source, const tni_resolved *call) {
    write_bases(source, call, "_i", false);
    tni_source_add(source, "const ptrdiff_t _tni_begin = blockIdx.y * _tni_parts.length;\n"
                           "ptrdiff_t _tni_end = _tni_begin + _tni_parts.length;\n"
                           "if (_tni_end > _tni_parts.elements) _tni_end = _tni_parts.elements;\n"
                           "#pragma unroll 4\n"
                           "for (ptrdiff_t _J = _tni_begin + _tni_y; _J < _tni_end; "
                           "_J += _tni_height) {\n");
    if (call->reduced > 1)
        tni_source_add(source,
                       "ptrdiff_t _tni_place[%d];\n"
                       "tni::unravel<%s, %d>(_J, _tni_inner, _tni_place);\n",
                       call->reduced, call->is_small ? "true" : "false", call->reduced);
    write_map(source, call);
    tni_source_add(source, "_tni_sum.add(_tni_reduce, ");
    write_mapped(source, call);
    tni_source_add(source, ");\n}\n");
}

static void write_device(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "#define TNI_REDUCED %d\n", call->reduced);
    write_device_begin(source, call, call->kernel->symbol);
    write_device_fold(source, call);
    write_device_tree(source);
    tni_source_add(source, "if (_tni_parts.count > 1) "
                           "_tni_kept[blockIdx.y * _tni_outs + _i] = _tni_shared[threadIdx.x];\n"
                           "else ");
    write_post_map(source, call, "_tni_shared[threadIdx.x]");
    tni_source_add(source, "}\n__syncthreads();\n}\n}\n");
    write_device_begin(source, call, "tni_finish");
    tni_source_add(source, "for (ptrdiff_t _tni_at = _tni_y; _tni_at < _tni_parts.count; "
                           "_tni_at += _tni_height)\n"
                           "_tni_sum.merge(_tni_reduce, _tni_kept[_tni_at * _tni_outs + _i]);\n");
    write_device_tree(source);
    write_post_map(source, call, "_tni_shared[threadIdx.x]");
    tni_source_add(source, "}\n__syncthreads();\n}\n}\n");
}

/* --- The body of a form --- */

/* The program's arguments as launch.c packs them, each behind the other at 16 bytes. */
static void write_arguments(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "struct __align__(16) _tni_arguments {\n");
    for (int k = 0; k < call->count; k++) {
        tni_source_add(source, "__align__(16) ");
        tni_write_declaration(source, call, k, false);
        tni_source_add(source, ";\n");
    }
    tni_source_add(source,
                   "__align__(16) tni::shape<%d> _tni_shape;\n"
                   "__align__(16) tni::shape<%d> _tni_outs_shape;\n};\n",
                   call->ndim, outs_of(call));
}

/* The arguments by their names, and what begins the functions of other programs. */
static void write_names(tni_source *source, const tni_resolved *call) {
    for (int k = 0; k < call->count; k++) {
        const tn_parameter *parameter = &call->kernel->parameters.list[k];
        const char *prefix = tni_is_walked(call, k) ? "_tni_p_" : "", *name = parameter->name;
        bool copies = !parameter->is_const && !tni_is_walked(call, k);
        tni_source_add(source, "%s%s%s = _tni_args.%s%s;\n(void)%s%s;\n",
                       copies ? "auto " : "const auto &", prefix, name, prefix, name, prefix, name);
    }
    tni_source_add(source, "const auto &_tni_shape = _tni_args._tni_shape;\n"
                           "const auto &_tni_outs_shape = _tni_args._tni_outs_shape;\n");
    write_scope(source, call);
    tni_source_add(source, "(void)_tni_reduce, (void)_tni_outs;\n");
}

static void write_reducer(tni_source *source, const tni_resolved *call) {
    tni_source_add(source,
                   "struct _tni_reducer {\n__device__ __forceinline__ _type_reduce operator()("
                   "const _type_reduce &a, const _type_reduce &b) const {\n"
                   "return static_cast<_type_reduce>(");
    tni_write_text(source, call->kernel, TNI_TEXT_REDUCE);
    tni_source_add(source, ");\n}\n};\n"
                           "__device__ __forceinline__ _tni_total _tni_start() {\nreturn ");
    write_start(source, call);
    tni_source_add(source, ";\n}\n");
}

static void write_mapper(tni_source *source, const tni_resolved *call) {
    tni_source_add(source, "__device__ __forceinline__ _type_reduce _tni_map("
                           "const _tni_arguments &_tni_args, const ptrdiff_t _i, "
                           "const ptrdiff_t _J");
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (is_loaded(call, k))
            tni_source_add(source, ", const %s &_tni_v_%s", tni_type_name(call->types[k]),
                           name_of(call, k));
    tni_source_add(source, ") {\n");
    write_names(source, call);
    write_bases(source, call, "_i", false);
    if (call->reduced > 1)
        tni_source_add(source,
                       "ptrdiff_t _tni_place[%d];\n"
                       "tni::unravel<%s, %d>(_J, _tni_inner, _tni_place);\n(void)_tni_place;\n",
                       call->reduced, call->is_small ? "true" : "false", call->reduced);
    write_map(source, call);
    tni_source_add(source, "return ");
    write_mapped(source, call);
    tni_source_add(source, ";\n}\n__device__ __forceinline__ void _tni_write("
                           "const _tni_total &_tni_sum, const _tni_arguments &_tni_args, "
                           "const ptrdiff_t _i) {\n");
    write_names(source, call);
    write_post_map(source, call, "_tni_sum");
    tni_source_add(source, "}\n");
}

/* Macros of the program's, which the form's text must not see. */
static void write_undefinitions(tni_source *source, const tn_template *kernel) {
    const char *at = kernel->texts[TNI_TEXT_PREAMBLE];
    while ((at = strchr(at, '#'))) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "define", 6) != 0) continue;
        at += 6 + strspn(at + 6, " \t");
        int length = (int)strspn(at, NAME_LETTERS);
        if (length > 0) tni_source_add(source, "#undef %.*s\n", length, at);
    }
    for (int k = 0; k < kernel->option_count; k++) {
        const char *option = kernel->options[k];
        bool is_short = strncmp(option, "-D", 2) == 0;
        if (!is_short && strncmp(option, "--define-macro=", 15) != 0) continue;
        option += is_short ? 2 : 15;
        int length = (int)strspn(option, NAME_LETTERS);
        if (length > 0) tni_source_add(source, "#undef %.*s\n", length, option);
    }
}

/* user_load() of fold.cuh: `from` is where the leading input has the first element. */
static void write_loader(tni_source *source, const tni_resolved *call, int leader) {
    tni_source_add(source,
                   "#include \"access.cuh\"\n"
                   "template <int N> __device__ __forceinline__ void user_load(Element (&to)[N], "
                   "const char *from, const UserArguments &arguments, tn_i64 row, int row_step, "
                   "tn_i64 at, int at_step, tn_i64 length) {\n(void)from;\n");
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        const char *type = tni_type_name(call->types[k]), *name = name_of(call, k);
        if (!is_loaded(call, k)) continue;
        tni_source_add(source, "%s _tni_v_%s[N];\nload_vector<%s, N>(_tni_v_%s, ", type, name, type,
                       name);
        if (k == leader)
            tni_source_add(source, "from);\n");
        else
            tni_source_add(
                source,
                "(const char *)arguments._tni_p_%s.data + (from - (const char *)"
                "arguments._tni_p_%s.data) / (tn_i64)sizeof(%s) * (tn_i64)sizeof(%s));\n",
                name, name_of(call, leader), tni_type_name(call->types[leader]), type);
    }
    tni_source_add(source, "#pragma unroll\nfor (int k = 0; k < N; k++) {\n"
                           "const tn_i64 place = at + k * at_step;\n"
                           "if (place >= 0 && place < length)\n"
                           "to[k] = _tni_map(arguments, row + k * row_step, place");
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (is_loaded(call, k)) tni_source_add(source, ", _tni_v_%s[k]", name_of(call, k));
    tni_source_add(source, ");\nelse to[k] = Element();\n}\n}\n");
}

static void write_form(tni_source *source, const tni_resolved *call) {
    const tni_fold_frame *frame = call->frame;
    int leader = -1;
    for (int k = 0; k < call->kernel->parameters.inputs; k++)
        if (call->lies[k] == TNI_LIES_LEADING) leader = k;
    tni_source_add(source, "#define TNI_REDUCED %d\n", call->reduced);
    write_arguments(source, call);
    write_reducer(source, call);
    write_mapper(source, call);
    write_undefinitions(source, call->kernel);
    tni_source_add(source, "#include \"types.h\"\nnamespace tni_form {\n#define KERNEL %s\n",
                   call->kernel->symbol);
    for (int k = 0; k < frame->count; k++)
        tni_source_add(source, "#define %s %d\n", frame->macros[k], frame->numbers[k]);
    tni_source_add(source,
                   "#define FOLD_KIND 6\n#define FOLD_INPUTS 1\n#define FOLD_SKIPS_NAN 0\n"
                   "#define FOLD_MASKED 0\n#define FOLD_EXITS 0\n"
                   "typedef %s Input;\ntypedef _type_reduce Element;\ntypedef _tni_total State;\n"
                   "typedef _tni_arguments UserArguments;\n",
                   leader < 0 ? "unsigned char" : tni_type_name(call->types[leader]));
    write_loader(source, call, leader);
    tni_source_add(source,
                   "__device__ __forceinline__ State user_empty() {\nreturn _tni_start();\n}\n"
                   "__device__ __forceinline__ void user_merge(State &a, const State &b) {\n"
                   "a.merge(_tni_reducer(), b);\n}\n"
                   "__device__ __forceinline__ void user_add(State &a, const Element &b) {\n"
                   "a.add(_tni_reducer(), b);\n}\n"
                   "__device__ __forceinline__ Element user_reduce(const Element &a, "
                   "const Element &b) {\nreturn _tni_reducer()(a, b);\n}\n"
                   "__device__ __forceinline__ void user_write(const State &s, "
                   "const UserArguments &arguments, tn_i64 row) {\n"
                   "_tni_write(s, arguments, row);\n}\n"
                   "#include \"%s.cu\"\n}\n",
                   frame->form);
}

/* --- Host --- */

static void write_host_begin(tni_source *source, const tni_resolved *call, const char *name) {
    int outs = outs_of(call);
    tni_source_add(source, "void %s(tni_range _tni_range, const void *const *_tni_a) {\n", name);
    tni_write_parameters(source, call);
    tni_source_add(source,
                   "const tni::shape<%d> &_tni_shape = *(const tni::shape<%d> *)_tni_a[%d];\n"
                   "const tni::shape<%d> &_tni_outs_shape = *(const tni::shape<%d> *)_tni_a[%d];\n"
                   "const tni::parts &_tni_parts = *(const tni::parts *)_tni_a[%d];\n"
                   "_tni_total *const _tni_kept = (_tni_total *)_tni_parts.totals;\n",
                   call->ndim, call->ndim, call->count, outs, outs, call->count + 1,
                   call->count + 2);
    write_scope(source, call);
}

/* Pointers to a run of elements: one output's, or one of each of several neighbours. */
static void write_host_run(tni_source *source, const tni_resolved *call) {
    int axis = call->in_columns ? call->ndim - 1 : call->reduced - 1;
    tni_source_add(source, "tni::unravel<%s, %d>(_tni_at, _tni_inner, _tni_index);\n",
                   call->is_small ? "true" : "false", call->reduced);
    if (call->in_columns)
        tni_source_add(source, "const ptrdiff_t _tni_count = _tni_width;\n");
    else if (call->reduced > 0)
        tni_source_add(source,
                       "ptrdiff_t _tni_count = _tni_inner[%d] - _tni_index[%d];\n"
                       "if (_tni_count > _tni_end - _tni_at) _tni_count = _tni_end - _tni_at;\n",
                       axis, axis);
    else
        tni_source_add(source, "const ptrdiff_t _tni_count = 1;\n");
    for (int k = 0; k < call->kernel->parameters.inputs; k++) {
        const char *name = name_of(call, k);
        if (!tni_is_walked(call, k)) continue;
        tni_source_add(source,
                       "%s *const _tni_q_%s = &tni::behind(_tni_o_%s, "
                       "tni::dot<%d>(_tni_index, _tni_p_%s.strides));\n"
                       "const ptrdiff_t _tni_s_%s = _tni_p_%s.strides[%d];\n(void)_tni_s_%s;\n",
                       tni_type_name(call->types[k]), name, name, call->reduced, name, name, name,
                       axis > 0 ? axis : 0, name);
    }
    tni_source_add(source,
                   "auto _tni_map = [&](ptrdiff_t _tni_k) -> _type_reduce {\n"
                   "const ptrdiff_t _J = _tni_at%s, _i = _tni_first%s;\n(void)_J, (void)_i;\n",
                   call->in_columns ? "" : " + _tni_k", call->in_columns ? " + _tni_k" : "");
    write_map(source, call);
    tni_source_add(source, "return ");
    write_mapped(source, call);
    tni_source_add(source, ";};\n");
}

/* With an identity totals begin as that. Without one lanes are plain values that the first run of
 * elements sets, so that the loop has no question in it. */
static void write_host_lanes(tni_source *source, const tni_resolved *call, int lanes,
                             const char *used) {
    tni_source_add(source,
                   "const ptrdiff_t _tni_begin = _tni_part * _tni_parts.length;\n"
                   "ptrdiff_t _tni_end = _tni_begin + _tni_parts.length;\n"
                   "if (_tni_end > _tni_parts.elements) _tni_end = _tni_parts.elements;\n"
                   "bool _tni_used = %s;\n_type_reduce _tni_lanes[%d];\n"
                   "_tni_total _tni_sum = ",
                   has_identity(call) ? "true" : "false", lanes);
    write_start(source, call);
    tni_source_add(source, ";\n");
    if (has_identity(call))
        tni_source_add(source,
                       "for (ptrdiff_t _tni_l = 0; _tni_l < %s; _tni_l++) "
                       "_tni_lanes[_tni_l] = _tni_sum.value;\n",
                       used);
    tni_source_add(source, "for (ptrdiff_t _tni_at = _tni_begin; _tni_at < _tni_end;) {\n");
}

static void write_host_columns(tni_source *source, const tni_resolved *call) {
    write_host_lanes(source, call, tni_reduction_columns(call), "_tni_width");
    write_host_run(source, call);
    tni_source_add(source,
                   "tni::begin_row();\nif (_tni_used)\n"
                   "for (ptrdiff_t _tni_k = 0; _tni_k < _tni_count; _tni_k++)\n"
                   "_tni_lanes[_tni_k] = _tni_reduce(_tni_lanes[_tni_k], _tni_map(_tni_k));\n"
                   "else for (ptrdiff_t _tni_k = 0; _tni_k < _tni_count; _tni_k++)\n"
                   "_tni_lanes[_tni_k] = _tni_map(_tni_k);\n"
                   "_tni_used = true;\n_tni_at++;\n}\n");
}

static void write_host_rows(tni_source *source, const tni_resolved *call) {
    int lanes = TNI_REDUCTION_LANES;
    write_host_lanes(source, call, lanes, "sizeof _tni_lanes / sizeof *_tni_lanes");
    write_host_run(source, call);
    tni_source_add(source,
                   "ptrdiff_t _tni_k = 0;\n"
                   "if (!_tni_used && _tni_count >= %d) {\n"
                   "for (; _tni_k < %d; _tni_k++) _tni_lanes[_tni_k] = _tni_map(_tni_k);\n"
                   "_tni_used = true;\n}\n"
                   "if (_tni_used) for (; _tni_k + %d <= _tni_count; _tni_k += %d)\n"
                   "for (int _tni_l = 0; _tni_l < %d; _tni_l++)\n"
                   "_tni_lanes[_tni_l] = _tni_reduce(_tni_lanes[_tni_l], "
                   "_tni_map(_tni_k + _tni_l));\n"
                   "for (; _tni_k < _tni_count; _tni_k++)\n"
                   "_tni_sum.add(_tni_reduce, _tni_map(_tni_k));\n"
                   "_tni_at += _tni_count;\n}\n"
                   "if (_tni_used) {\n"
                   "for (int _tni_half = %d; _tni_half > 0; _tni_half /= 2)\n"
                   "for (int _tni_l = 0; _tni_l < _tni_half; _tni_l++)\n"
                   "_tni_lanes[_tni_l] = _tni_reduce(_tni_lanes[_tni_l], "
                   "_tni_lanes[_tni_l + _tni_half]);\n"
                   "_tni_sum.add(_tni_reduce, _tni_lanes[0]);\n}\n",
                   lanes, lanes, lanes, lanes, lanes, lanes / 2);
}

/* Which outputs and which part a unit of the range is. */
static void write_host_unit(tni_source *source, const tni_resolved *call) {
    int columns = tni_reduction_columns(call);
    tni_source_add(source,
                   "for (ptrdiff_t _tni_unit = _tni_range.begin; _tni_unit < _tni_range.end; "
                   "_tni_unit++) {\n"
                   "const ptrdiff_t _tni_part = _tni_unit %% _tni_parts.count, "
                   "_tni_tile = _tni_unit / _tni_parts.count;\n");
    if (call->in_columns)
        tni_source_add(source,
                       "const ptrdiff_t _tni_row = _tni_outs_shape.shape[%d], "
                       "_tni_most = _tni_parts.width < %d ? _tni_parts.width : %d, "
                       "_tni_tiles = (_tni_row + _tni_most - 1) / _tni_most, "
                       "_tni_start = _tni_tile %% _tni_tiles * _tni_most, "
                       "_tni_first = _tni_tile / _tni_tiles * _tni_row + _tni_start, "
                       "_tni_width = _tni_row - _tni_start < _tni_most ? _tni_row - _tni_start : "
                       "_tni_most;\n",
                       outs_of(call) - 1, columns, columns);
    else
        tni_source_add(source, "const ptrdiff_t _tni_first = _tni_tile, _tni_width = 1;\n");
    write_bases(source, call, "_tni_first", false);
}

static void write_host(tni_source *source, const tni_resolved *call) {
    write_host_begin(source, call, call->kernel->symbol);
    write_host_unit(source, call);
    if (call->in_columns)
        write_host_columns(source, call);
    else
        write_host_rows(source, call);
    tni_source_add(source,
                   "for (ptrdiff_t _tni_l = 0; _tni_l < _tni_width; _tni_l++) {\n"
                   "const ptrdiff_t _i = _tni_first + _tni_l;\n%s"
                   "if (_tni_parts.count > 1) "
                   "_tni_kept[_tni_part * _tni_outs + _i] = _tni_sum;\nelse ",
                   !call->in_columns ? "" : "if (_tni_used) _tni_sum.put(_tni_lanes[_tni_l]);\n");
    write_post_map(source, call, "_tni_sum");
    tni_source_add(source, "}\n}\n}\n");
    write_host_begin(source, call, "tni_finish");
    tni_source_add(source, "for (ptrdiff_t _i = _tni_range.begin; _i < _tni_range.end; _i++) {\n"
                           "_tni_total _tni_sum = _tni_kept[_i];\n"
                           "for (ptrdiff_t _tni_at = 1; _tni_at < _tni_parts.count; _tni_at++)\n"
                           "_tni_sum.merge(_tni_reduce, _tni_kept[_tni_at * _tni_outs + _i]);\n");
    write_post_map(source, call, "_tni_sum");
    tni_source_add(source, "}\n}\n");
}

void tni_write_reduction(tni_source *source, const tni_resolved *call) {
    tni_write_head(source, call);
    write_types(source, call);
    if (call->on_host)
        write_host(source, call);
    else if (call->frame)
        write_form(source, call);
    else
        write_device(source, call);
}
