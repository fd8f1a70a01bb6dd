/* The form "expression" on CUDA: a graph of operations as the body of the element-wise texts.
 *
 * The body has a local for each value, in its stored form, so that every operation rounds as it
 * does by itself; contraction is off in all programs. A key has no room for a graph: it holds two
 * digests of what the text depends on, and the text is written from the call. */
#include "backend/cuda/forms/expression.h"

#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/walk.h"
#include "forms/fused_rows.h"

#include <stdio.h>
#include <string.h>

typedef struct extra_key {
    uint64_t digests[2];
    uint8_t inputs, outputs;
    uint8_t ways[TNI_EXPRESSION_ARGUMENTS]; /* of arguments, packed */
} extra_key;
_Static_assert(sizeof(extra_key) <= TNI_FORM_EXTRA, "the key of an expression is too long");

/* --- The key --- */

/* inner: 2 bits, is_scalar, is_outer, then the exponent of `transposed` and one, or 0. */
static uint8_t pack(const tni_walk_argument *argument) {
    int transposed = argument->transposed ? __builtin_ctz(argument->transposed) + 1 : 0;
    return (uint8_t)(argument->inner | argument->is_scalar << 2 | argument->is_outer << 3 |
                     transposed << 4);
}

static tni_walk_argument unpack(uint8_t way, int dtype) {
    return (tni_walk_argument){.dtype = (int8_t)dtype,
                               .loop_dtype = (int8_t)dtype,
                               .inner = way & 3,
                               .is_scalar = way >> 2 & 1,
                               .is_outer = way >> 3 & 1,
                               .transposed = (uint8_t)(way >> 4 ? 1 << ((way >> 4) - 1) : 0)};
}

void tni_graph_digest(uint64_t digests[2], const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t k = 0; k < count; k++) {
        digests[0] = (digests[0] ^ at[k]) * UINT64_C(0x100000001b3);
        digests[1] = (digests[1] ^ at[k]) * UINT64_C(0xff51afd7ed558ccd);
        digests[1] ^= digests[1] >> 29;
    }
}

void tni_graph_digest_steps(uint64_t digests[2], const tni_steps *steps) {
    int value_count = steps->value;
    digests[0] = UINT64_C(0xcbf29ce484222325);
    digests[1] = UINT64_C(0x9e3779b97f4a7c15);
    for (int k = 0; k < steps->count; k++) {
        const tni_expression_step *step = &steps->steps[k];
        unsigned char head[5] = {(unsigned char)(step->op & 0xff), (unsigned char)(step->op >> 8),
                                 (unsigned char)step->dtype, (unsigned char)step->count,
                                 (unsigned char)step->made};
        tni_graph_digest(digests, head, sizeof head);
        tni_graph_digest(digests, step->from, (size_t)step->count * sizeof *step->from);
        value_count += step->made;
    }
    tni_graph_digest(digests, steps->dtypes, (size_t)value_count);
    tni_graph_digest(digests, steps->outputs, (size_t)steps->output_count * sizeof *steps->outputs);
}

/* Whether steps do with a scalar what a compiler leaves as it is, to the bit, where it knows the
 * value. It has its own ways with powers. */
static bool is_read_plainly(const tni_expression *call, int input) {
    static const uint8_t plain[TN_OP_COUNT] = {
        [TN_OP_ADD] = 1,        [TN_OP_SUBTRACT] = 1,      [TN_OP_MULTIPLY] = 1,
        [TN_OP_DIVIDE] = 1,     [TN_OP_WHERE] = 1,         [TN_OP_MAXIMUM] = 1,
        [TN_OP_MINIMUM] = 1,    [TN_OP_GREATER] = 1,       [TN_OP_LESS] = 1,
        [TN_OP_LESS_EQUAL] = 1, [TN_OP_GREATER_EQUAL] = 1, [TN_OP_EQUAL] = 1,
        [TN_OP_NOT_EQUAL] = 1};
    for (int k = 0; k < call->step_count; k++)
        for (int from = 0; from < call->steps[k].count; from++)
            if (call->steps[k].from[from] == input &&
                (call->steps[k].op < 0 || !plain[call->steps[k].op]))
                return false;
    return true;
}

/* Whether a scalar is a number in the text. */
static bool is_text(const tni_expression *call, int k) {
    const tn_dtype dtype = (tn_dtype)call->dtypes[k];
    return call->constants >> k & 1 && dtype != TN_F16 && dtype != TN_BF16 &&
           tn_dtype_size(dtype) <= 8 && tn_dtype_kind(dtype) != TN_KIND_COMPLEX &&
           is_read_plainly(call, k);
}

void tni_graph_digest_constants(uint64_t digests[2], const tni_expression *call) {
    for (uint8_t k = 0; call->constants && k < call->input_count; k++) {
        if (!is_text(call, k)) continue;
        tni_graph_digest(digests, &k, sizeof k);
        tni_graph_digest(digests, call->arguments[k].value,
                         (size_t)tn_dtype_size((tn_dtype)call->dtypes[k]));
    }
}

static void set_key(tni_form_key *key, const tni_walk *walk, const void *of) {
    const tni_expression *call = of;
    extra_key extra;
    const tni_steps steps = tni_expression_steps(call);
    memset(&extra, 0, sizeof extra);
    tni_graph_digest_steps(extra.digests, &steps);
    tni_graph_digest_constants(extra.digests, call);
    extra.inputs = walk->inputs;
    extra.outputs = walk->outputs;
    for (int k = 0; k < walk->inputs + walk->outputs; k++)
        extra.ways[k] = pack(&walk->arguments[k]);
    key->dtypes[0] = call->dtypes[call->outputs[0]];
    memcpy(key->extra, &extra, sizeof extra);
}

/* --- The text --- */

static void name_of(char name[32], char letter, int step, int operand) {
    if (operand < 0)
        snprintf(name, 32, "%c%d", letter, step);
    else
        snprintf(name, 32, "%c%d_%d", letter, step, operand);
}

/* The dtype that an operand of a step has. */
static tn_dtype operand_dtype(const tni_steps *of, const tni_expression_step *step, int k) {
    return (tn_dtype)of->dtypes[step->from[k]];
}

/* r3(a, b, ...): what step 3 makes of stored values; s3: its second value. */
static void write_function(tni_source *source, const tni_steps *of, int number, int value,
                           bool is_second) {
    const tni_expression_step *step = &of->steps[number];
    const char *text = "a", *second = NULL;
    bool moves = true;
    char name[32];
    if (!tni_body_find(&text, &second, &moves, (tn_op)step->op, (tn_dtype)step->dtype))
        text = "no_such_body";
    tn_dtype made = (tn_dtype)of->dtypes[value];
    for (int k = 0; k < step->count && !moves && !is_second; k++) {
        name_of(name, 'l', number, k);
        tni_body_add_load(source, name, operand_dtype(of, step, k), operand_dtype(of, step, k));
    }
    if (!moves) {
        name_of(name, is_second ? 'k' : 'j', number, -1);
        tni_body_add_store(source, name, made, made);
    }
    tni_source_add(source, "__device__ __forceinline__ %s %c%d(", tni_body_stored(made),
                   is_second ? 's' : 'r', number);
    for (int k = 0; k < step->count; k++)
        tni_source_add(source, "%s%s x%d", k ? ", " : "",
                       tni_body_stored(operand_dtype(of, step, k)), k);
    tni_source_add(source, ") {\n");
    for (int k = 0; k < step->count; k++) {
        tn_dtype dtype = operand_dtype(of, step, k);
        if (moves)
            tni_source_add(source, "    %s %c = x%d;\n", tni_body_stored(dtype), 'a' + k, k);
        else
            tni_source_add(source, "    %s %c = l%d_%d(x%d);\n", tni_body_working(dtype), 'a' + k,
                           number, k, k);
    }
    text = is_second ? second : text;
    if (moves)
        tni_source_add(source, "    return (%s)(%s);\n}\n", tni_body_stored(made), text);
    else
        tni_source_add(source, "    return %c%d((%s)(%s));\n}\n", is_second ? 'k' : 'j', number,
                       tni_body_working(made), text);
}

void tni_graph_write_functions(tni_source *source, const tni_steps *of) {
    int value = of->value;
    for (int k = 0; k < of->count; k++) {
        const tni_expression_step *step = &of->steps[k];
        char name[32];
        name_of(name, 'r', k, -1);
        if (step->op == (int)TNI_OP_FOLD) {
            value += step->made;
            continue;
        }
        if (step->op == (int)TNI_OP_COPY)
            tni_body_add_cast(source, name, (tn_dtype)step->dtype, (tn_dtype)of->dtypes[value]);
        else
            write_function(source, of, k, value, false);
        if (step->made == 2) write_function(source, of, k, value + 1, true);
        value += step->made;
    }
}

static void write_step(tni_source *source, const tni_steps *of, int number, int value,
                       char function) {
    const tni_expression_step *step = &of->steps[number];
    tni_source_add(source, "    const %s v%d = %c%d(", tni_body_stored((tn_dtype)of->dtypes[value]),
                   value, function, number);
    for (int k = 0; k < step->count; k++)
        tni_source_add(source, "%sv%d", k ? ", " : "", step->from[k]);
    tni_source_add(source, ");\n");
}

void tni_graph_write_steps(tni_source *source, const tni_steps *of) {
    for (int k = 0, value = of->value; k < of->count; k++) {
        write_step(source, of, k, value++, 'r');
        if (of->steps[k].made == 2) write_step(source, of, k, value++, 's');
    }
}

/* The compiler knows the value: a division by 2 becomes a product, and no register holds it. */
bool tni_graph_write_constant(tni_source *source, const tni_expression *call, int k) {
    const tn_dtype dtype = (tn_dtype)call->dtypes[k];
    unsigned long long bits = 0;
    if (!is_text(call, k)) return false;
    memcpy(&bits, call->arguments[k].value, (size_t)tn_dtype_size(dtype));
    const char *text = dtype == TN_F32   ? "__uint_as_float"
                       : dtype == TN_F64 ? "__longlong_as_double"
                                         : tni_body_stored(dtype);
    tni_source_add(source, "    const %s v%d = %s(0x%llx%s);\n", tni_body_stored(dtype), k, text,
                   bits,
                   dtype == TN_F32   ? "u"
                   : dtype == TN_F64 ? "ll"
                                     : "ull");
    return true;
}

static void write_body(tni_source *source, const tni_form_key *key, const void *context) {
    const tni_expression *call = context;
    extra_key extra;
    tni_walk walk = {0};
    memcpy(&extra, key->extra, sizeof extra);
    walk.inputs = extra.inputs;
    walk.outputs = extra.outputs;
    for (int k = 0; k < walk.inputs; k++)
        walk.arguments[k] = unpack(extra.ways[k], call->dtypes[k]);
    for (int k = 0; k < walk.outputs; k++)
        walk.arguments[walk.inputs + k] =
            unpack(extra.ways[walk.inputs + k], call->dtypes[call->outputs[k]]);
    tni_walk_write(source, &walk);
    const tni_steps steps = tni_expression_steps(call);
    tni_graph_write_functions(source, &steps);
    tni_source_add(source, "__device__ __forceinline__ void body(Element &e) {\n");
    for (int k = 0; k < call->input_count; k++)
        if (!tni_graph_write_constant(source, call, k))
            tni_source_add(source, "    const Stored%d v%d = e.a%d;\n", k, k, k);
    tni_graph_write_steps(source, &steps);
    for (int k = 0; k < call->output_count; k++)
        tni_source_add(source, "    e.a%d = v%d;\n", call->input_count + k, call->outputs[k]);
    tni_source_add(source, "}\n");
}

static const tni_walk_forms forms = TNI_WALK_FORMS(NULL);

tn_status tni_plan_expression(tni_plan *plan, const tni_expression *call) {
    const tni_walk_call walk = {
        &forms,     call->input_count, call->output_count, false,   false, call->ndim,
        call->size, call->shape,       call->arguments,    set_key, call,  {write_body, call}};
    tni_plan_walk(plan, &walk);
    plan->may_refuse = true;
    plan->asked = call->asked;
    return TN_OK;
}
