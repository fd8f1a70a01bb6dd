/* Selection on CUDA: ranks of long rows by the digits of their keys, the highest first.
 *
 * A launch for each digit counts the elements that share the higher digits of a pivot, the key of a
 * wanted rank, and finds the pivot's next digit (sort_select.cu). One more launch moves every
 * element into its class: smaller than a pivot, equal or larger (sort_parts.cu). The order within a
 * class stays. A row is read once a digit and written once. */
#include "backend/cuda/forms/sort/sort_select.h"

#include "backend/cuda/forms/sort/sort_key.h"

enum { BLOCK = 256, EACH = 8, PASS_BLOCK = 384, DIGITS = 256, FOLLOW_BLOCK = 256 };

static const tni_sort_select_form select_form = TNI_FORM(sort_select, NULL);
static const tni_sort_parts_form parts_form = TNI_FORM(sort_parts, NULL);
static const tni_sort_follow_form follow_form = TNI_FORM(sort_follow, NULL);

static bool is_wide(const tni_sort *call) {
    return call->length >= INT64_C(1) << 30;
}

static int64_t aligned(int64_t bytes) {
    return (bytes + 255) & -256;
}

/* --- What is selected --- */

static bool add_pivot(tni_selection *s, int64_t rank) {
    if (s->pivot_count > 0 && s->pivots[s->pivot_count - 1] == rank) return true;
    if (s->pivot_count == TNI_SELECT_PIVOTS) return false;
    s->pivots[s->pivot_count++] = rank;
    return true;
}

/* The ends of a range that are no ends of the row, and whether it is sorted. */
static bool add_range(tni_selection *s, const tni_sort *call, tni_ranks range, int64_t longest) {
    if (range.first > 0 && !add_pivot(s, range.first)) return false;
    if (range.end < call->length && !add_pivot(s, range.end - 1)) return false;
    if (range.first == 0 && range.end == call->length) return false;
    if (range.end - range.first == 1 && s->pivot_count > 0 &&
        s->pivots[s->pivot_count - 1] == range.first)
        return true;
    if (range.end - range.first > longest || s->sorted_count == TNI_SELECT_SORTED) return false;
    s->sorted[s->sorted_count++] = range;
    return true;
}

bool tni_selection_choose(tni_selection *s, const tni_sort *call, int64_t longest) {
    const int64_t size = tn_dtype_size(call->dtype);
    s->pivot_count = s->sorted_count = 0;
    s->elements = NULL;
    if (tn_dtype_kind(call->dtype) == TN_KIND_COMPLEX || size < 4 || call->input == call->output)
        return false;
    for (int k = 0; k < call->range_count; k++)
        if (!add_range(s, call, call->ranges[k], longest)) return false;
    /* Of short rows the counts of digits would be more than the elements. */
    return s->pivot_count > 0 && call->length >= s->pivot_count * DIGITS * 16;
}

/* --- Pivots --- */

typedef struct numbers {
    int64_t word; /* bytes of a number of elements */
    char *pivots, *counts, *done, *firsts, *words;
    int64_t tiles, count;
} numbers;

static int64_t pivot_bytes(const tni_sort *call, int64_t word) {
    const int64_t key = tn_dtype_size(call->dtype);
    return key == 8 || word == 8 ? 32 : 16;
}

static void take_numbers(numbers *n, tni_plan *plan, const tni_selection *s, const tni_sort *call) {
    const int64_t size = tn_dtype_size(call->dtype), rows = call->size;
    const int64_t largest = call->gives_positions && call->length > UINT32_MAX ? 8 : size;
    n->word = is_wide(call) ? 8 : 4;
    n->count = largest <= 4 ? 20 : 12;
    n->tiles = tni_form_ceil(call->length, PASS_BLOCK * n->count);
    const int64_t pivots = aligned(rows * s->pivot_count * pivot_bytes(call, n->word));
    const int64_t counts = aligned(rows * size * s->pivot_count * DIGITS * n->word);
    const int64_t done = aligned(rows * size * 4), firsts = aligned(rows * DIGITS * n->word);
    n->pivots = tni_plan_scratch(
        plan, pivots + counts + done + firsts + rows * n->tiles * DIGITS * n->word, 0);
    n->counts = n->pivots + pivots;
    n->done = n->counts + counts;
    n->firsts = n->done + done;
    n->words = n->firsts + firsts;
}

static void plan_digit(tni_plan *plan, const tni_selection *s, const tni_sort *call,
                       const numbers *n, int64_t digit) {
    enum { ROUNDS = 4 };
    const int64_t rows = call->size, row_counts = s->pivot_count * DIGITS * n->word;
    const int64_t blocks = tni_form_ceil(call->length, ROUNDS * BLOCK * EACH);
    const int64_t fair = tni_form_ceil(8 * plan->target->multiprocessors, rows);
    const int64_t portions = tni_form_min(blocks, fair);
    TNI_STEP(plan, sort_select, &select_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = BLOCK, .PIVOTS = s->pivot_count,
                    .WIDE = is_wide(call)),
             PARAMS(.input = call->input, .length = call->length, .input_step = call->input_stride,
                    .portions = portions, .digit = digit, .pivots = n->pivots,
                    .counts = n->counts + digit * rows * row_counts,
                    .done = n->done + digit * rows * 4, .firsts = n->firsts, .ranks = s->pivots,
                    .kept = TNI_SHAPE_1(call->shape, call->input_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, rows * portions, BLOCK);
}

void tni_plan_parts(tni_plan *plan, tni_selection *s, const tni_sort *call) {
    const int64_t size = tn_dtype_size(call->dtype);
    const int position_bytes = !call->gives_positions ? 0 : call->length <= UINT32_MAX ? 4 : 8;
    numbers n;
    take_numbers(&n, plan, s, call);
    if (call->gives_positions)
        s->elements = tni_plan_scratch(plan, aligned(call->size * call->length * size), -1);
    for (int64_t digit = size - 1; digit >= 0; digit--)
        plan_digit(plan, s, call, &n, digit);
    TNI_STEP(plan, sort_parts, &parts_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = PASS_BLOCK, .COUNT = n.count,
                    .POSITION_BYTES = position_bytes, .WIDE = is_wide(call),
                    .PIVOTS = s->pivot_count),
             PARAMS(.input = call->input, .output = call->output, .length = call->length,
                    .input_step = call->input_stride, .output_step = call->output_stride,
                    .tiles = n.tiles, .firsts = n.firsts, .words = n.words, .elements = s->elements,
                    .pivots = n.pivots,
                    .kept = TNI_SHAPE_2(call->shape, call->input_strides, call->output_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, call->size * n.tiles, PASS_BLOCK);
}

void tni_plan_follow(tni_plan *plan, const tni_sort *call, tni_ranks range, const char *order) {
    const int64_t count = range.end - range.first;
    int each = 1;
    while (each * FOLLOW_BLOCK < count)
        each *= 2;
    TNI_STEP(plan, sort_follow, &follow_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = FOLLOW_BLOCK, .COUNT = each),
             PARAMS(.output = call->output + range.first * call->output_stride, .order = order,
                    .rows = call->size, .count = count, .output_step = call->output_stride,
                    .kept = TNI_SHAPE_1(call->shape, call->output_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(plan, call->size, FOLLOW_BLOCK);
}
