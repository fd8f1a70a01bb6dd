/* The element-wise form on CUDA: the body of one operation, walked by walk.c. */
#include "forms/elementwise.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/walk.h"

#include <string.h>

/* The walk as far as an operation can have arguments, in the key. */
typedef struct extra_key {
    int8_t dtype;
    uint8_t inputs, outputs, masked;
    tni_walk_argument arguments[TNI_ARGUMENTS];
} extra_key;
_Static_assert(sizeof(extra_key) <= TNI_FORM_EXTRA,
               "the key of an element-wise kernel is too long");

static int read_key(tni_walk *walk, const tni_form_key *key) {
    extra_key extra;
    memcpy(&extra, key->extra, sizeof extra);
    walk->inputs = extra.inputs;
    walk->outputs = extra.outputs;
    walk->masked = extra.masked;
    memcpy(walk->arguments, extra.arguments, sizeof extra.arguments);
    return extra.dtype;
}

static void set_key(tni_form_key *key, const tni_walk *walk, const void *of) {
    const tni_elementwise *call = of;
    extra_key extra = {(int8_t)call->dtype, walk->inputs, walk->outputs, walk->masked, {{0}}};
    memcpy(extra.arguments, walk->arguments, sizeof extra.arguments);
    key->op = (int16_t)call->op;
    key->dtypes[0] = (int8_t)call->dtype;
    memcpy(key->extra, &extra, sizeof extra);
}

/* load0 .. and save2 ..: between what is stored and what the body computes with. */
static void write_conversions(tni_source *source, const tni_walk *walk, bool moves) {
    char name[16] = "load0";
    for (int k = 0; k < walk->inputs + walk->outputs; k++) {
        const tni_walk_argument *argument = &walk->arguments[k];
        tn_dtype loop = argument->loop_dtype, stored = argument->is_scalar ? loop : argument->dtype;
        bool is_output = k >= walk->inputs;
        memcpy(name, is_output ? "save" : "load", 4);
        name[4] = (char)('0' + k);
        if (moves)
            tni_body_add_cast(source, name, is_output ? loop : stored, is_output ? stored : loop);
        else if (is_output)
            tni_body_add_store(source, name, loop, stored);
        else
            tni_body_add_load(source, name, stored, loop);
    }
}

static void write_body(tni_source *source, const tni_form_key *key) {
    tni_walk walk;
    int dtype = read_key(&walk, key);
    const char *text = "a", *second = NULL;
    bool moves = true;
    if (key->op != TNI_OP_COPY &&
        !tni_body_find(&text, &second, &moves, (tn_op)key->op, (tn_dtype)dtype))
        text = "no_such_body";
    tni_walk_write(source, &walk);
    write_conversions(source, &walk, moves);
    tni_source_add(source, "__device__ __forceinline__ void body(Element &e) {\n");
    for (int k = 0; k < walk.inputs; k++) {
        tn_dtype loop = walk.arguments[k].loop_dtype;
        tni_source_add(source, "    %s %c = load%d(e.a%d);\n",
                       moves ? tni_body_stored(loop) : tni_body_working(loop), 'a' + k, k, k);
    }
    for (int k = 0; k < walk.outputs; k++) {
        int at = walk.inputs + k;
        tn_dtype loop = walk.arguments[at].loop_dtype;
        tni_source_add(source, "    e.a%d = save%d((%s)(%s));\n", at, at,
                       moves ? tni_body_stored(loop) : tni_body_working(loop), k ? second : text);
    }
    tni_source_add(source, "}\n");
}

static const tni_walk_forms forms = TNI_WALK_FORMS(write_body);

tn_status tni_plan_elementwise(tni_plan *plan, const tni_elementwise *call) {
    const tni_walk_call walk = {
        &forms,     call->input_count, call->output_count, call->masked,    call->op == TNI_OP_COPY,
        call->ndim, call->size,        call->shape,        call->arguments, set_key,
        call,       {NULL, NULL}};
    tni_plan_walk(plan, &walk);
    return TN_OK;
}
