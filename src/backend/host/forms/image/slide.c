/* The form "slide" on the host: a fold over a window by doubling.
 *
 * Two folds over p elements beside each other make one over 2 p. The least of a window is that of
 * two folds that overlap; a sum adds those that the bits of the window's size say. So a window of w
 * elements takes log w steps of whole lines, and rounding errors of sums grow as slowly. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/image/boxes.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

typedef void (*combine)(void *to, const void *a, const void *b, int64_t n);

typedef struct sliding {
    const tni_slide *call;
    tni_boxes boxes;
    combine combine;
    const tni_sum_loops *sums; /* NULL: no sum */
    int64_t size;
    bool is_column; /* it is along the last axis, else along the one before */
    atomic_bool has_failed;
} sliding;

/* Folds of a line that begin `step` elements after each other. */
static void fold_line(const sliding *s, char *to, char *line, int64_t n) {
    const int64_t element = s->boxes.element;
    int64_t length = n + s->size - 1, from = 0, step = 1;
    if (!s->sums) {
        for (; 2 * step <= s->size; step *= 2)
            s->combine(line, line, line + step * element, length -= step);
        s->combine(to, line, line + (s->size - step) * element, n);
        return;
    }
    for (bool is_first = true; step <= s->size; step *= 2) {
        if (s->size & step) {
            if (is_first)
                memcpy(to, line + from * element, (size_t)(n * element));
            else
                s->combine(to, to, line + from * element, n);
            is_first = false;
            from += step;
        }
        if (2 * step <= s->size) s->combine(line, line, line + step * element, length -= step);
    }
}

/* The same of whole lines, the outer places of a window or its rows. `lines` lie `apart`. */
static void fold_lines(const sliding *s, char *to, char *box, int64_t rows, int64_t n) {
    const int64_t apart = tni_line_bytes(&s->boxes);
    int64_t length = rows + s->size - 1, from = 0, step = 1;
    for (bool is_first = true; step <= s->size; step *= 2) {
        const bool is_last = 2 * step > s->size;
        if (s->sums ? (s->size & step) != 0 : is_last) {
            const int64_t other = s->sums ? from : s->size - step;
            for (int64_t k = 0; k < rows; k++) {
                char *here = to + k * apart, *line = box + (k + other) * apart;
                if (!s->sums)
                    s->combine(here, box + k * apart, line, n);
                else if (is_first)
                    memcpy(here, line, (size_t)(n * s->boxes.element));
                else
                    s->combine(here, here, line, n);
            }
            is_first = false;
            from += step;
        }
        if (is_last) return;
        length -= step;
        for (int64_t k = 0; k < length; k++)
            s->combine(box + k * apart, box + k * apart, box + (k + step) * apart, n);
    }
}

static void run_block(const sliding *s, int64_t number, char *box) {
    const tni_boxes *b = &s->boxes;
    char *results = box + tni_box_bytes(b);
    tni_block block;
    tni_block_find(&block, b, number);
    tni_box_fill(box, b, &block);
    if (!s->is_column) fold_lines(s, results, box, block.rows, block.columns);
    for (int64_t row = 0; row < block.rows; row++) {
        char *to = results + row * tni_line_bytes(b);
        if (s->is_column) fold_line(s, to, box + row * tni_line_bytes(b), block.columns);
        if (s->sums) s->sums->divide(to, s->call->divisor, block.columns);
        tni_row_store(b, &block, row, to);
    }
}

static void run_blocks(void *context, int64_t begin, int64_t end) {
    sliding *s = context;
    const tni_boxes *b = &s->boxes;
    const int64_t bytes = tni_box_bytes(b) + b->rows * tni_line_bytes(b) + TNI_IMAGE_SLACK;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)bytes);
    if (!scratch) {
        atomic_store(&s->has_failed, true);
        return;
    }
    for (int64_t k = begin; k < end; k++)
        run_block(s, k, scratch);
}

tn_status tni_host_run_slide(void *params) {
    const tni_slide *call = params;
    const int last = call->image.ndim - 1;
    sliding s = {.call = call};
    tni_boxes_make(&s.boxes, &call->image, 0);
    s.is_column = call->image.size[last - 1] == 1;
    s.size = call->image.size[last - !s.is_column];
    const tni_order_loops *orders = tni_loops_level()->orders[call->image.working];
    s.sums =
        call->op == TN_WINDOW_SUM ? tni_loops_level()->sums[call->image.working == TN_F64] : NULL;
    s.combine = s.sums                        ? s.sums->add
                : call->op == TN_WINDOW_LEAST ? orders->lesser
                                              : orders->larger;
    int64_t steps = 4;
    for (int64_t k = s.size; k > 1; k /= 2)
        steps += 2;
    tni_parallel_units(s.boxes.blocks, s.boxes.rows * s.boxes.columns * steps / 8 + 100, run_blocks,
                       &s);
    return atomic_load(&s.has_failed) ? tni_fail_no_memory(tni_box_bytes(&s.boxes)) : TN_OK;
}

tni_host_plan tni_host_plan_slide(const tni_slide *call) {
    int64_t elements = 1;
    for (int k = 0; k < call->image.ndim; k++)
        elements *= call->image.shape[k];
    return (tni_host_plan){tni_host_run_slide, call, sizeof *call, .elements = elements};
}
