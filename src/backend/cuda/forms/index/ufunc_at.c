/* op.at on CUDA: the indices are checked by launches of their own, then one launch updates element
 * by element with the machine's atomics, with compare-and-swap, or, for elements of 16 bytes, under
 * locks.
 *
 * Sums and differences of complex numbers are two atomic additions, because their parts do not
 * meet. */
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/index/indexing.h"
#include "backend/cuda/forms/index/take.h"
#include "core/rules/reduce_table.h"

#include <string.h>

enum { BLOCK = 256, PLACES = 4096, NATIVE = 0, SWAP = 1, LOCKED = 2, SHARED = 3 };

typedef struct extra_key {
    int8_t arguments[3];
    bool is_binary;
} extra_key;

/* The machine's own update for an operation and the dtype of everything in it; NULL: none. `at`
 * points to the element, `b` is the operand. */
static const char *native_text(tn_op op, tn_dtype dtype) {
    enum {
        U32 = 1 << TN_U32,
        I32 = 1 << TN_I32,
        U64 = 1 << TN_U64,
        I64 = 1 << TN_I64,
        INTEGERS = U32 | I32 | U64 | I64,
        REALS = 1 << TN_F32 | 1 << TN_F64,
        COMPLEX = 1 << TN_C64 | 1 << TN_C128
    };
    static const struct {
        tn_op op;
        int dtypes;
        const char *text;
    } natives[] = {
        {TN_OP_ADD, U32 | I32 | U64 | REALS, "atomicAdd(at, b)"},
        {TN_OP_ADD, I64, "atomicAdd((tn_u64 *)at, (tn_u64)b)"},
        {TN_OP_ADD, COMPLEX, "atomicAdd(&at->re, b.re), atomicAdd(&at->im, b.im)"},
        {TN_OP_SUBTRACT, U32, "atomicSub(at, b)"},
        {TN_OP_SUBTRACT, I32, "atomicSub(at, b)"},
        {TN_OP_SUBTRACT, U64 | I64, "atomicAdd((tn_u64 *)at, 0 - (tn_u64)b)"},
        {TN_OP_SUBTRACT, REALS, "atomicAdd(at, -b)"},
        {TN_OP_SUBTRACT, COMPLEX, "atomicAdd(&at->re, -b.re), atomicAdd(&at->im, -b.im)"},
        {TN_OP_MAXIMUM, INTEGERS, "atomicMax(at, b)"},
        {TN_OP_MINIMUM, INTEGERS, "atomicMin(at, b)"},
        {TN_OP_FMAX, INTEGERS, "atomicMax(at, b)"},
        {TN_OP_FMIN, INTEGERS, "atomicMin(at, b)"},
        {TN_OP_BITWISE_AND, INTEGERS, "atomicAnd(at, b)"},
        {TN_OP_BITWISE_OR, INTEGERS, "atomicOr(at, b)"},
        {TN_OP_BITWISE_XOR, INTEGERS, "atomicXor(at, b)"},
    };
    for (size_t k = 0; k < sizeof natives / sizeof *natives; k++)
        if (natives[k].op == op && natives[k].dtypes >> dtype & 1) return natives[k].text;
    return NULL;
}

/* dtypes[]: the loop, the array, the operand. */
static void write_body(tni_source *source, const tni_form_key *key) {
    extra_key extra;
    memcpy(&extra, key->extra, sizeof extra);
    tn_op op = (tn_op)key->op;
    tn_dtype loop = (tn_dtype)key->dtypes[0], array = (tn_dtype)key->dtypes[1];
    tn_dtype operand = extra.is_binary ? (tn_dtype)key->dtypes[2] : TN_U8;
    tn_dtype first = (tn_dtype)extra.arguments[0], made = (tn_dtype)extra.arguments[2];
    tn_dtype second = extra.is_binary ? (tn_dtype)extra.arguments[1] : TN_U8;
    tni_source_add(source, "typedef %s Stored;\ntypedef %s Operand;\n", tni_body_stored(array),
                   tni_body_stored(operand));
    tni_body_add_load(source, "load_element", array, first);
    tni_body_add_load(source, "load_operand", operand, second);
    const int way = ((const tni_ufunc_at_macros *)key->macros)->AT_WAY;
    if (way == NATIVE || way == SHARED) {
        tni_source_add(source,
                       "__device__ __forceinline__ void at_native(Stored *at, Operand x) {\n"
                       "    %s b = load_operand(x);\n    %s;\n}\n",
                       tni_body_working(second), native_text(op, loop));
        return;
    }
    const char *text = "no_such_body", *other;
    bool moves;
    tni_body_find(&text, &other, &moves, op, loop);
    tni_body_add_store(source, "save_element", made, array);
    tni_source_add(source,
                   "__device__ __forceinline__ %s at_body(%s a, %s b) {\n    return (%s)(%s);\n}\n",
                   tni_body_working(made), tni_body_working(first), tni_body_working(second),
                   tni_body_working(made), text);
}

/* No form has more launches and parameters: a plan has room for them. */
enum {
    CHECK_BYTES = 96 + 24 * TN_MAX_NDIM,
    UPDATE_BYTES = 512 + (16 + 8 * (TNI_AT_INDICES + 2)) * TN_MAX_NDIM
};
_Static_assert(TNI_AT_INDICES + 1 <= TNI_PLAN_STEPS, "a plan has too few steps");
_Static_assert(CHECK_BYTES *TNI_AT_INDICES + UPDATE_BYTES <= TNI_PLAN_BYTES, "and too few bytes");

static const tni_ufunc_at_form form = TNI_FORM(ufunc_at, write_body);

static int choose_way(const tni_ufunc_at *call) {
    bool is_plain = call->is_binary && call->array_dtype == call->dtype &&
                    call->arguments[0] == call->dtype && call->arguments[1] == call->dtype &&
                    call->arguments[2] == call->dtype;
    bool is_sum = call->op == TN_OP_ADD && call->dtype < TN_C64;
    bool is_few =
        call->index_count == 1 && call->indices[0].size <= PLACES && call->size >= 1 << 16;
    for (int axis = 0; axis < call->ndim; axis++)
        is_few = is_few && call->array_strides[axis] == 0;
    if (is_plain && native_text(call->op, call->dtype)) return is_sum && is_few ? SHARED : NATIVE;
    return tn_dtype_size(call->array_dtype) == 16 ? LOCKED : SWAP;
}

static void check_all(tni_plan *plan, const tni_ufunc_at *call) {
    for (int k = 0; k < call->index_count; k++) {
        int ndim = 0;
        int64_t shape[TN_MAX_NDIM], strides[TN_MAX_NDIM];
        for (int axis = 0; axis < call->ndim; axis++) {
            if (call->indices[k].strides[axis] == 0) continue; /* the same indices again */
            shape[ndim] = call->shape[axis];
            strides[ndim++] = call->indices[k].strides[axis];
        }
        tni_plan_check(plan, call->indices[k].data, TN_I64, ndim, shape, strides,
                       call->indices[k].size, call->indices[k].axis, false);
    }
}

tn_status tni_plan_ufunc_at(tni_plan *plan, const struct tni_ufunc_at *call) {
    check_all(plan, call);
    extra_key extra = {
        {(int8_t)call->arguments[0], (int8_t)call->arguments[1], (int8_t)call->arguments[2]},
        call->is_binary};
    int way = choose_way(call);
    const void *indices[TNI_AT_INDICES];
    int64_t sizes[TNI_AT_INDICES], steps[TNI_AT_INDICES];
    const int64_t *strides[TNI_AT_INDICES + 2] = {call->array_strides, call->operand_strides};
    for (int k = 0; k < call->index_count; k++) {
        indices[k] = call->indices[k].data;
        sizes[k] = call->indices[k].size;
        steps[k] = call->indices[k].stride;
        strides[k + 2] = call->indices[k].strides;
    }
    /* A unary operation reads its own element in the operand's stead, and forgets it. */
    tni_form_key *key = TNI_STEP(
        plan, ufunc_at, &form,
        MACROS(.AT_WAY = way, .BLOCK = BLOCK, .PLACES = PLACES, .INDEX_COUNT = call->index_count,
               .NDIM = call->ndim, .WIDE_INDEX = tni_form_is_wide(call->size)),
        PARAMS(.array = call->array, .operand = call->is_binary ? call->operand : call->array,
               .indices = indices, .sizes = sizes, .steps = steps, .count = call->size,
               .shape = TNI_SHAPE_ANY(call->shape, strides)));
    memcpy(key->extra, &extra, sizeof extra);
    key->op = (int16_t)call->op;
    key->dtypes[0] = (int8_t)call->dtype;
    key->dtypes[1] = (int8_t)call->array_dtype;
    key->dtypes[2] = (int8_t)call->operand_dtype;
    int64_t blocks = tni_form_ceil(call->size, BLOCK);
    if (way == SHARED) blocks = tni_form_min(blocks, 4 * plan->target->multiprocessors);
    tni_plan_grid(plan, blocks, BLOCK);
    return TN_OK;
}
