/* The body of a fold as device text: how an element is read, what combines two, what begins, what
 * is written. */
#include "backend/cuda/forms/reduce/fold.h"

#include "backend/cuda/forms/expression.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(tni_fold_key) <= TNI_FORM_EXTRA, "the body has room in a key");

void tni_fold_set(tni_form_key *key, const tni_fold_key *fold, tn_op op, tn_dtype input,
                  tn_dtype accumulator, tn_dtype output) {
    key->op = (int16_t)op;
    key->dtypes[0] = (int8_t)input;
    key->dtypes[1] = (int8_t)accumulator;
    key->dtypes[2] = (int8_t)output;
    memcpy(key->extra, fold, sizeof *fold);
}

/* Whether an input lies as the array that is never made. */
static bool is_dense(const tni_body *body, int k) {
    int64_t stride = tn_dtype_size((tn_dtype)body->dtypes[k]);
    for (int axis = body->ndim - 1; axis >= 0; axis--) {
        if (body->shape[axis] == 1) continue;
        if (body->strides[k][axis] != stride) return false;
        stride *= body->shape[axis];
    }
    return true;
}

int tni_fold_words(const tni_fold_key *fold) {
    return (fold->axes * (1 + __builtin_popcount(fold->strided)) + 1) & ~1;
}

void tni_fold_set_body(tni_fold_key *fold, const tni_body *body) {
    const tni_value last = tni_body_last(body);
    const tni_steps steps = tni_body_steps(body, &last);
    fold->input_count = (uint8_t)body->input_count;
    for (int k = 0; k < body->input_count; k++)
        if (!body->inputs[k])
            fold->scalars |= UINT32_C(1) << k;
        else if (!is_dense(body, k))
            fold->strided |= UINT32_C(1) << k;
    if (fold->strided) fold->axes = (uint8_t)body->ndim;
    tni_graph_digest_steps(fold->digests, &steps);
}

int tni_fold_kind(tn_op op, tn_dtype accumulator) {
    bool is_extreme =
        op == TN_OP_MAXIMUM || op == TN_OP_MINIMUM || op == TN_OP_FMAX || op == TN_OP_FMIN;
    return is_extreme && tn_dtype_kind(accumulator) == TN_KIND_COMPLEX ? TNI_FOLD_FIRST
                                                                       : TNI_FOLD_VALUE;
}

/* The types of what is folded: a body's element is the Input. */
static void write_types(tni_source *source, const tni_form_key *key, const tni_fold_key *fold) {
    tni_source_add(source, "typedef %s Input;\ntypedef Input Element;\n",
                   tni_body_stored((tn_dtype)key->dtypes[0]));
    tni_source_add(source, "typedef %s Accumulator;\ntypedef %s Output;\n",
                   tni_body_working((tn_dtype)key->dtypes[1]),
                   tni_body_stored((tn_dtype)key->dtypes[2]));
    tni_source_define(source, "FOLD_INPUTS", " %d", fold->input_count);
    if (!fold->strided) return;
    tni_source_define(source, "FOLD_AXES", " %d", fold->axes);
    tni_source_define(source, "FOLD_WORDS", " %d", tni_fold_words(fold));
}

static const char *stored(const tni_body *body, int value) {
    return tni_body_stored((tn_dtype)body->dtypes[value]);
}

/* fold_value(v0, v1, ...): what the body's steps make of the inputs' elements. */
static void write_value(tni_source *source, const tni_body *body) {
    const tni_value last = tni_body_last(body);
    const tni_steps steps = tni_body_steps(body, &last);
    tni_graph_write_functions(source, &steps);
    tni_source_add(source, "__device__ __forceinline__ Input fold_value(");
    for (int k = 0; k < body->input_count; k++)
        tni_source_add(source, "%s%s v%d", k ? ", " : "", stored(body, k), k);
    tni_source_add(source, ") {\n");
    tni_graph_write_steps(source, &steps);
    tni_source_add(source, "    return v%d;\n}\n", last);
}

/* One input's elements, into v3: `nth` of the strided ones. */
static void write_load_of(tni_source *source, const tni_body *body, const tni_fold_key *fold, int k,
                          int nth) {
    tni_source_add(source, "    %s v%d[N];\n", stored(body, k), k);
    if (fold->strided >> k & 1)
        tni_source_add(source,
                       "    load_strided<FOLD_AXES>(v%d, inputs[%d], at, total, lies,\n"
                       "                            lies + %d * FOLD_AXES);\n",
                       k, k, nth + 1);
    else
        tni_source_add(source, "    load_body<%d, %d>(v%d, inputs[%d], at, total);\n",
                       fold->scalars >> k & 1, fold->aligned >> k & 1, k, k);
}

/* fold_body(to, at, inputs, total): N elements from number `at` on, as body.cuh loads the inputs'.
 * After the inputs stands where they lie. */
void tni_fold_write_body(tni_source *source, const tni_form_key *key, const void *context) {
    const tni_body *body = context;
    tni_fold_key fold;
    memcpy(&fold, key->extra, sizeof fold);
    tni_source_add(source, "#include \"body.cuh\"\n");
    write_value(source, body);
    tni_source_add(source,
                   "template <int N> __device__ __forceinline__ void fold_body(\n"
                   "    Input (&to)[N], tn_i64 at, const BodyInput *inputs, tn_i64 total) {\n");
    if (fold.strided)
        tni_source_add(source,
                       "    const tn_i64 *lies = (const tn_i64 *)(inputs + FOLD_INPUTS);\n");
    for (int k = 0, nth = 0; k < body->input_count; k++) {
        write_load_of(source, body, &fold, k, nth);
        nth += fold.strided >> k & 1;
    }
    tni_source_add(source, "    for (int k = 0; k < N; k++) to[k] = fold_value(");
    for (int k = 0; k < body->input_count; k++)
        tni_source_add(source, "%sv%d[k]", k ? ", " : "", k);
    tni_source_add(source, ");\n}\n");
}

/* The element as it is folded; with `counts` 1 or 0. */
static void write_load(tni_source *source, const tni_form_key *key, const tni_fold_key *fold) {
    tn_dtype input = (tn_dtype)key->dtypes[0], accumulator = (tn_dtype)key->dtypes[1];
    if (!fold->counts) {
        tni_body_add_load(source, "fold_load", input, accumulator);
        return;
    }
    tni_body_add_cast(source, "fold_truth", input, TN_B8);
    tni_body_add_load(source, "fold_count", TN_B8, accumulator);
    tni_source_add(source, "__device__ __forceinline__ Accumulator fold_load(Element x) {\n"
                           "    return fold_count(fold_truth(x));\n}\n");
}

static void write_nan(tni_source *source, const tni_form_key *key) {
    tn_dtype input = (tn_dtype)key->dtypes[0];
    bool is_complex = tn_dtype_kind(input) == TN_KIND_COMPLEX;
    tni_body_add_load(source, "fold_working", input, input);
    tni_source_add(source,
                   "__device__ __forceinline__ bool fold_is_nan(Element x) {\n"
                   "    %s a = fold_working(x);\n    return %s;\n}\n",
                   tni_body_working(input), is_complex ? "m_isnan(a)" : "a != a");
}

/* Whether b, which comes later, takes the place of a: what the operation's own body says of the
 * two. */
static const char *better_text(tn_op op, tn_dtype dtype) {
    static const struct {
        tn_op op;
        const char *truth, *integer, *real, *complex;
    } texts[] = {
        {TN_OP_MAXIMUM, "(b != 0) > (a != 0)", "b > a", "b > a || (b != b && a == a)",
         "!(m_isnan(a) || m_less_equal(b, a))"},
        {TN_OP_MINIMUM, "(b != 0) < (a != 0)", "b < a", "b < a || (b != b && a == a)",
         "!(m_isnan(a) || m_less_equal(a, b))"},
        {TN_OP_FMAX, "(b != 0) > (a != 0)", "b > a", "b > a || (a != a && b == b)",
         "!(m_isnan(b) || m_less_equal(b, a))"},
        {TN_OP_FMIN, "(b != 0) < (a != 0)", "b < a", "b < a || (a != a && b == b)",
         "!(m_isnan(b) || m_less_equal(a, b))"},
    };
    int k = 0;
    while (texts[k].op != op)
        k++;
    return tn_dtype_kind(dtype) == TN_KIND_COMPLEX ? texts[k].complex
           : dtype == TN_B8                        ? texts[k].truth
           : dtype >= TN_F16                       ? texts[k].real
                                                   : texts[k].integer;
}

static void write_better(tni_source *source, const tni_form_key *key) {
    tni_source_add(source,
                   "__device__ __forceinline__ bool fold_better(Accumulator b, Accumulator a) {\n"
                   "    return %s;\n}\n",
                   better_text((tn_op)key->op, (tn_dtype)key->dtypes[1]));
}

/* What scans read: where NaN is skipped it changes nothing. */
static void write_scan_load(tni_source *source, bool skips_nan) {
    tni_source_add(source,
                   "__device__ __forceinline__ Accumulator scan_load(Element x) {\n"
                   "    return %sfold_load(x);\n}\n",
                   skips_nan ? "fold_is_nan(x) ? fold_neutral() : " : "");
}

/* The fold as an output, or the root of that. */
static void write_store(tni_source *source, const tni_form_key *key, bool root) {
    tn_dtype accumulator = (tn_dtype)key->dtypes[1], output = (tn_dtype)key->dtypes[2];
    tni_body_add_store(source, root ? "fold_output" : "fold_store", accumulator, output);
    if (!root) return;
    tni_body_add_load(source, "fold_square", output, output);
    tni_body_add_step(source, "fold_root", TN_OP_SQRT, output, output, 1);
    tni_source_add(source, "__device__ __forceinline__ Output fold_store(Accumulator x) {\n"
                           "    return fold_root(fold_square(fold_output(x)));\n}\n");
}

void tni_fold_write(tni_source *source, const tni_form_key *key) {
    tni_fold_key fold;
    memcpy(&fold, key->extra, sizeof fold);
    tn_op op = (tn_op)key->op;
    tn_dtype accumulator = (tn_dtype)key->dtypes[1];
    write_types(source, key, &fold);
    tni_source_define(source, "FOLD_KIND", " %d", fold.kind);
    tni_source_define(source, "FOLD_SKIPS_NAN", " %d", fold.skips_nan);
    tni_source_define(source, "FOLD_MASKED", " %d", fold.masked);
    tni_source_define(source, "FOLD_EXITS", " %d", fold.exits);
    write_load(source, key, &fold);
    if (fold.skips_nan) write_nan(source, key);
    tni_body_add_neutral(source, "fold_neutral", op, accumulator);
    if (fold.kind == TNI_FOLD_ARG || fold.kind == TNI_FOLD_FIRST) write_better(source, key);
    if (fold.kind == TNI_FOLD_ARG) return;
    write_scan_load(source, fold.skips_nan);
    tni_body_add_binary(source, "fold_op", op, accumulator);
    write_store(source, key, fold.root);
    if (fold.exits)
        tni_source_add(source,
                       "__device__ __forceinline__ bool fold_is_done(Accumulator a) {\n"
                       "    return %sa;\n}\n",
                       op == TN_OP_LOGICAL_AND ? "!" : "");
}
