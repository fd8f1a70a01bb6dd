/* Elements in another order on CUDA: their places are sorted by a key (stably), and then they are
 * gathered. */
#include "backend/cuda/forms/sparse/csr.h"

#include "forms/elementwise.h"
#include "forms/sort.h"

#include <string.h>

enum {
    GATHERED = 4,     /* elements of a thread at a time */
    CACHED = 16 << 20 /* bytes that any GPU's L2 cache of today holds, or half of one */
};

static const tni_csr_gather_form gather_form = TNI_FORM(csr_gather, NULL);
static const tni_csr_keys_form keys_form = TNI_FORM(csr_keys, NULL);

/* order[k] = the place of the k-th of `count` integers. */
static tn_status plan_order(tni_plan *plan, tn_dtype dtype, const char *keys, char *order,
                            int64_t count) {
    tni_sort call;
    memset(&call, 0, sizeof call);
    call.dtype = dtype;
    call.gives_positions = call.is_stable = true;
    call.output = order;
    call.input = keys;
    call.length = count;
    call.output_stride = 8;
    call.input_stride = tn_dtype_size(dtype);
    call.size = 1;
    call.range_count = 1;
    call.ranges[0].end = count;
    return tni_plan_sort(plan, &call);
}

/* What a gather reads, each NULL where another launch does. */
typedef struct gathered {
    const void *major, *minor, *values;
} gathered;

static void plan_part(tni_plan *plan, const tni_csr_group *call, const char *order,
                      const gathered *from) {
    TNI_STEP(plan, csr_gather, &gather_form,
             MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = call->is_wide, .UNIT_BYTES = call->item,
                    .EACH = GATHERED),
             PARAMS(.order = order, .major = from->major, .minor = from->minor,
                    .values = from->values, .lines = call->lines, .count = call->count,
                    .to_starts = call->to_starts, .to_indices = call->to_indices,
                    .to_values = call->to_values, .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, tni_form_ceil(call->count + 1, GATHERED));
}

/* `major` NULL: no starts are made. Arrays that the cache does not hold at once are gathered one
 * after the other: places that are read in any order are then in the cache. */
static void plan_gather(tni_plan *plan, const tni_csr_group *call, const char *order,
                        const void *major) {
    const int64_t bytes = call->count * (call->item + 2 * tni_csr_index_bytes(call->is_wide));
    const gathered all = {major, call->minor, call->values};
    const gathered parts[] = {
        {NULL, NULL, all.values}, {NULL, all.minor, NULL}, {major, NULL, NULL}};
    if (bytes <= CACHED) {
        plan_part(plan, call, order, &all);
        return;
    }
    for (int k = 0; k < 2 + (major != NULL); k++)
        plan_part(plan, call, order, &parts[k]);
}

/* Keys that sort elements by row and then by index. */
static tn_status plan_keys(tni_plan *plan, const tni_csr *a, bool is_wide, const void *rows,
                           const void *indices, const char *keys) {
    int64_t largest;
    if (__builtin_mul_overflow(a->rows, a->columns, &largest))
        TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED,
                 "rows of a sparse matrix of shape (%lld,%lld) are not sorted on cuda",
                 (long long)a->rows, (long long)a->columns);
    TNI_STEP(plan, csr_keys, &keys_form, MACROS(.BLOCK = TNI_CSR_BLOCK, .WIDE = is_wide),
             PARAMS(.rows = rows, .indices = indices, .columns = a->columns, .count = a->count,
                    .keys = keys, .text = TNI_CSR_TEXT));
    tni_csr_grid(plan, a->count);
    return TN_OK;
}

/* Sorted lines: one sort by both indexes, and a look at the result. */
static tn_status plan_sorted_group(tni_plan *plan, const tni_csr_group *call) {
    const tni_csr made = {call->lines,     call->columns,    call->count,
                          call->to_starts, call->to_indices, NULL};
    const tni_csr_inspect inspect = {call->is_wide, made, call->flags};
    const int64_t longs = tni_csr_room(call->count, 8);
    char *keys = tni_plan_scratch(plan, 2 * longs, -1), *order = keys + longs;
    TNI_TRY(plan_keys(plan, &made, call->is_wide, call->major, call->minor, keys));
    TNI_TRY(plan_order(plan, TN_I64, keys, order, call->count));
    plan_gather(plan, call, order, call->major);
    return tni_plan_csr_inspect(plan, &inspect);
}

tn_status tni_plan_csr_group(tni_plan *plan, const tni_csr_group *call) {
    const int64_t index = tni_csr_index_bytes(call->is_wide);
    if (call->count == 0) {
        tni_plan_clear(plan, call->to_starts, (call->lines + 1) * index);
        if (call->flags) tni_plan_clear(plan, call->flags, sizeof *call->flags);
        return TN_OK;
    }
    if (call->flags) return plan_sorted_group(plan, call);
    const tni_csr a = {call->rows, 0, call->count, call->starts, NULL, NULL};
    const int64_t longs = tni_csr_room(call->count, 8);
    const int64_t cuts = call->minor ? 0 : tni_csr_room(tni_csr_pieces(&a, TNI_CSR_TILE) + 1, 8);
    const int64_t rows = call->minor ? 0 : tni_csr_room(call->count, index);
    char *order = tni_plan_scratch(plan, longs + cuts, -1), *cuts_at = order + longs;
    tni_csr_group own = *call;
    if (!call->minor) {
        own.minor = tni_plan_scratch(plan, rows, 0); /* broken starts leave elements without row */
        tni_csr_plan_rows(plan, &a, call->is_wide, cuts_at, (char *)(uintptr_t)own.minor);
    }
    TNI_TRY(plan_order(plan, call->is_wide ? TN_I64 : TN_I32, call->major, order, call->count));
    plan_gather(plan, &own, order, call->major);
    return TN_OK;
}

/* Copies packed items of 1, 2, 4, 8 or 16 bytes. */
static tn_status plan_copy(tni_plan *plan, int64_t item, char *to, const void *from,
                           int64_t count) {
    tni_elementwise call;
    memset(&call, 0, sizeof call);
    call.op = TNI_OP_COPY;
    call.dtype = item == 1   ? TN_U8
                 : item == 2 ? TN_U16
                 : item == 4 ? TN_U32
                 : item == 8 ? TN_U64
                             : TN_C128;
    call.input_count = call.output_count = call.ndim = 1;
    call.size = call.shape[0] = count;
    for (int k = 0; k < 2; k++) {
        tni_argument *argument = &call.arguments[k];
        argument->dtype = argument->loop_dtype = call.dtype;
        argument->strides[0] = item;
        argument->data = k ? to : (char *)(uintptr_t)from;
    }
    return tni_plan_elementwise(plan, &call);
}

/* All rows at once, by row * columns + index. */
tn_status tni_plan_csr_sort(tni_plan *plan, const tni_csr_sort *call) {
    const int64_t count = call->a.count, index = tni_csr_index_bytes(call->is_wide);
    if (count == 0) return TN_OK;
    const int64_t longs = tni_csr_room(count, 8), indices = tni_csr_room(count, index);
    const int64_t cuts = tni_csr_room(tni_csr_pieces(&call->a, TNI_CSR_TILE) + 1, 8);
    char *keys =
        tni_plan_scratch(plan, 2 * longs + cuts + indices + tni_csr_room(count, call->item), 0);
    char *order = keys + longs, *cuts_at = order + longs, *rows = cuts_at + cuts;
    char *values = rows + indices;
    tni_csr_plan_rows(plan, &call->a, call->is_wide, cuts_at, rows);
    TNI_TRY(plan_keys(plan, &call->a, call->is_wide, rows, call->indices, keys));
    TNI_TRY(plan_order(plan, TN_I64, keys, order, count));
    TNI_TRY(plan_copy(plan, index, rows, call->indices, count));
    TNI_TRY(plan_copy(plan, call->item, values, call->values, count));
    const tni_csr_group sorted = {.item = call->item,
                                  .is_wide = call->is_wide,
                                  .count = count,
                                  .minor = rows,
                                  .values = values,
                                  .to_indices = call->indices,
                                  .to_values = call->values};
    plan_gather(plan, &sorted, order, NULL);
    return TN_OK;
}
