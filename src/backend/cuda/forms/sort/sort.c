/* Sorting on CUDA: which device form a length takes.
 *
 *   short   a thread an element, which counts the elements before it
 *   rows    a block a row, digit after digit, in shared memory
 *   long    tiles: a launch counts the digits, one for each digit moves the elements
 *           (sort_digits.cu); bytes are written from the counts alone
 *
 *   parts   of long rows of which only some ranks are wanted, and few of them in order: digits of
 *           the wanted keys are found without moving anything, and the elements then parted by
 *           them (sort_select.c)
 *
 * But for that all ranks are computed, whichever the call asks for. All orders are stable, but for
 * -0 and 0 where the call does not ask for it. */
#include "forms/sort.h"
#include "backend/cuda/forms/forms.h"
#include "backend/cuda/forms/sort/sort_key.h"
#include "backend/cuda/forms/sort/sort_select.h"
#include "backend/cuda/forms/step.h"

#include <string.h>

enum {
    BLOCK = 256,
    SHORT_BLOCK = 128,
    SHORT_LENGTH = 128,
    PASS_BLOCK = 384,
    DIGITS = 256,
    COUNT_EACH = 8, /* elements of a thread in one round of counting */
    FILL_EACH = 16
};

static const tni_sort_short_form short_form = TNI_FORM(sort_short, NULL);
static const tni_sort_rows_form rows_form = TNI_FORM(sort_rows, NULL);
static const tni_sort_count_form count_form = TNI_FORM(sort_count, NULL);
static const tni_sort_fill_form fill_form = TNI_FORM(sort_fill, NULL);
static const tni_sort_digits_form digits_form = TNI_FORM(sort_digits, NULL);

/* A call on its way into a plan. */
typedef struct problem {
    const tni_sort *call;
    int size; /* of an element */
    tni_plan *plan;
} problem;

/* --- Rows that a block sorts --- */

static void plan_short(problem *p) {
    const tni_sort *call = p->call;
    int team = 1;
    while (team < call->length)
        team *= 2;
    TNI_STEP(p->plan, sort_short, &short_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = SHORT_BLOCK, .TEAM = team,
                    .POSITIONS = call->gives_positions),
             PARAMS(.input = call->input, .output = call->output, .rows = call->size,
                    .length = call->length, .input_step = call->input_stride,
                    .output_step = call->output_stride,
                    .kept = TNI_SHAPE_2(call->shape, call->input_strides, call->output_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(p->plan, tni_form_ceil(call->size, SHORT_BLOCK / team), SHORT_BLOCK);
}

/* What fits into the shared memory of a block without a permission. */
static int rows_length_max(const problem *p) {
    return p->size <= 8 ? 4096 : 2048;
}

static void plan_rows(problem *p) {
    const tni_sort *call = p->call;
    int threads = 32, count = 8;
    while (threads * count < call->length) {
        if (threads >= 64 && count == 8 && p->size <= 8)
            count = 16;
        else
            threads *= 2;
    }
    TNI_STEP(p->plan, sort_rows, &rows_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = threads, .COUNT = count,
                    .POSITIONS = call->gives_positions),
             PARAMS(.input = call->input, .output = call->output, .rows = call->size,
                    .length = call->length, .input_step = call->input_stride,
                    .output_step = call->output_stride,
                    .kept = TNI_SHAPE_2(call->shape, call->input_strides, call->output_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(p->plan, call->size, threads);
}

/* --- Long rows --- */

/* The memory of a long sort. */
typedef struct memory {
    int position_bytes;                  /* 0: elements are sorted */
    bool is_wide;                        /* numbers of elements are 64 bits */
    bool is_room;                        /* the output is the second room */
    int count;                           /* elements of a thread */
    int64_t tiles;                       /* of a row */
    int64_t word;                        /* bytes of a number of elements */
    char *totals, *done, *roles, *words; /* zero before */
    const void *rooms[2], *places[2];
} memory;

static int64_t aligned(int64_t bytes) {
    return (bytes + 255) & -256;
}

static void choose(memory *m, const problem *p) {
    const tni_sort *call = p->call;
    m->position_bytes = !call->gives_positions ? 0 : call->length <= UINT32_MAX ? 4 : 8;
    m->is_wide = call->length >= INT64_C(1) << 30;
    m->is_room = !call->gives_positions && call->output_stride == p->size;
    int largest = p->size > m->position_bytes ? p->size : m->position_bytes;
    m->count = largest <= 4 ? 20 : largest == 8 ? 12 : 6;
    m->tiles = tni_form_ceil(call->length, PASS_BLOCK * m->count);
    m->word = m->is_wide ? 8 : 4;
}

static void take_numbers(memory *m, problem *p, int passes) {
    const int64_t rows = p->call->size, digits = rows * p->size;
    const int64_t totals = aligned(digits * DIGITS * m->word), done = aligned(rows * 4),
                  roles = aligned(digits * 4), words = rows * m->tiles * DIGITS * m->word;
    m->totals = tni_plan_scratch(p->plan, totals + done + roles + passes * words, 0);
    m->done = m->totals + totals;
    m->roles = m->done + done;
    m->words = m->roles + roles;
}

static void take_rooms(memory *m, problem *p) {
    const int64_t elements = p->call->size * p->call->length;
    const int64_t room = aligned(elements * p->size),
                  places = aligned(elements * m->position_bytes);
    char *first = tni_plan_scratch(p->plan, room * (m->is_room ? 1 : 2) + 2 * places, -1);
    m->rooms[0] = first;
    m->rooms[1] = m->is_room ? NULL : first + room;
    char *after = first + room * (m->is_room ? 1 : 2);
    m->places[0] = places ? after : NULL;
    m->places[1] = places ? after + places : NULL;
}

/* Blocks of a row that share `length` elements, each of which takes some rounds of `round`. */
static int64_t portions_of(const problem *p, int64_t round) {
    enum { ROUNDS = 4 };
    int64_t blocks = tni_form_ceil(p->call->length, ROUNDS * round);
    int64_t fair = tni_form_ceil(4 * p->plan->target->multiprocessors, p->call->size);
    return tni_form_min(blocks, fair);
}

static void plan_count(problem *p, const memory *m) {
    const tni_sort *call = p->call;
    const int64_t portions = portions_of(p, BLOCK * COUNT_EACH);
    TNI_STEP(p->plan, sort_count, &count_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = BLOCK, .WIDE = m->is_wide),
             PARAMS(.input = call->input, .length = call->length, .input_step = call->input_stride,
                    .portions = portions, .totals = m->totals, .done = m->done, .roles = m->roles,
                    .is_in_place = call->output == call->input, .is_room = m->is_room,
                    .kept = TNI_SHAPE_1(call->shape, call->input_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(p->plan, call->size * portions, BLOCK);
}

static void plan_fill(problem *p, const memory *m) {
    const tni_sort *call = p->call;
    const int64_t portions = portions_of(p, BLOCK * FILL_EACH);
    TNI_STEP(p->plan, sort_fill, &fill_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = BLOCK, .WIDE = m->is_wide),
             PARAMS(.output = call->output, .length = call->length,
                    .output_step = call->output_stride, .portions = portions, .totals = m->totals,
                    .kept = TNI_SHAPE_1(call->shape, call->output_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(p->plan, call->size * portions, BLOCK);
}

static void plan_pass(problem *p, const memory *m, int digit) {
    const tni_sort *call = p->call;
    TNI_STEP(p->plan, sort_digits, &digits_form,
             MACROS(TNI_SORT_MACROS(call), .BLOCK = PASS_BLOCK, .COUNT = m->count,
                    .POSITION_BYTES = m->position_bytes, .WIDE = m->is_wide),
             PARAMS(.input = call->input, .output = call->output, .length = call->length,
                    .input_step = call->input_stride, .output_step = call->output_stride,
                    .tiles = m->tiles, .digit = digit, .totals = m->totals, .roles = m->roles,
                    .words = m->words + digit * call->size * m->tiles * DIGITS * m->word,
                    .rooms = m->rooms, .place_rooms = m->places,
                    .kept = TNI_SHAPE_2(call->shape, call->input_strides, call->output_strides)))
        ->dtypes[0] = (int8_t)call->dtype;
    tni_plan_grid(p->plan, call->size * m->tiles, PASS_BLOCK);
}

static void plan_long(problem *p) {
    const bool fills = p->size == 1 && !p->call->gives_positions;
    memory m;
    choose(&m, p);
    take_numbers(&m, p, fills ? 0 : p->size);
    plan_count(p, &m);
    if (fills) {
        plan_fill(p, &m);
        return;
    }
    take_rooms(&m, p);
    for (int digit = 0; digit < p->size; digit++)
        plan_pass(p, &m, digit);
}

/* --- Some ranks --- */

static void plan_block(problem *p) {
    if (p->call->length <= SHORT_LENGTH)
        plan_short(p);
    else
        plan_rows(p);
}

/* Strides of packed rows. */
static void pack_rows(int64_t *strides, const tni_sort *call, int64_t row_bytes) {
    for (int axis = call->ndim - 1; axis >= 0; axis--) {
        strides[axis] = row_bytes;
        row_bytes *= call->shape[axis];
    }
}

/* Sorts a range of each row, which the parting has left in its place. */
static void plan_range(const problem *p, const tni_selection *s, tni_ranks range) {
    const tni_sort *call = p->call;
    tni_sort part = *call;
    problem sorted = {.call = &part, .size = p->size, .plan = p->plan};
    part.length = range.end - range.first;
    part.input = part.output = call->output + range.first * call->output_stride;
    part.input_stride = call->output_stride;
    memcpy(part.input_strides, call->output_strides, sizeof part.input_strides);
    if (!call->gives_positions) {
        plan_block(&sorted);
        return;
    }
    part.input = s->elements + range.first * p->size;
    part.input_stride = p->size;
    pack_rows(part.input_strides, call, call->length * p->size);
    part.output = tni_plan_scratch(p->plan, call->size * part.length * 8, -1);
    part.output_stride = 8;
    pack_rows(part.output_strides, call, part.length * 8);
    plan_block(&sorted);
    tni_plan_follow(p->plan, call, range, part.output);
}

static void plan_selection(problem *p, tni_selection *s) {
    tni_plan_parts(p->plan, s, p->call);
    for (int k = 0; k < s->sorted_count; k++)
        plan_range(p, s, s->sorted[k]);
}

tn_status tni_plan_sort(tni_plan *plan, const tni_sort *call) {
    problem p = {.call = call, .plan = plan};
    tni_selection selection;
    p.size = (int)tn_dtype_size(call->dtype);
    if (call->length <= rows_length_max(&p))
        plan_block(&p);
    else if (tni_selection_choose(&selection, call, rows_length_max(&p)))
        plan_selection(&p, &selection);
    else
        plan_long(&p);
    return TN_OK;
}
