/* The form "label_boxes" on the host: each run of one label along a line widens the label's box.
 * Threads have boxes of their own where these are few beside the elements; the widest of all
 * stay. */
#include "backend/host/forms/forms.h"
#include "backend/host/forms/image/lines.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <string.h>

enum { PIECE_LEAST = 1 << 15 };

typedef struct boxing {
    const tni_label_boxes *call;
    int64_t lines, length, piece; /* lines of a piece */
    int64_t size;                 /* of all boxes, in numbers */
    int64_t *others;              /* those of all pieces but the first */
} boxing;

static inline void widen(int64_t *end, int64_t to) {
    if (to > *end) *end = to;
}

/* A run of elements [begin, end) of a line. */
static void add_run(const tni_label_boxes *call, int64_t *box, const int64_t *place, int64_t begin,
                    int64_t end) {
    const int last = call->ndim - 1;
    for (int axis = 0; axis < last; axis++) {
        widen(&box[2 * axis], call->shape[axis] - place[axis]);
        widen(&box[2 * axis + 1], place[axis] + 1);
    }
    widen(&box[2 * last], call->shape[last] - begin);
    widen(&box[2 * last + 1], end);
}

#define ADD(name, T)                                                                               \
    static void add_line_##name(const boxing *b, int64_t *boxes, int64_t line,                     \
                                const int64_t *place) {                                            \
        const tni_label_boxes *call = b->call;                                                     \
        const T *labels = (const T *)(const void *)call->labels + line * b->length;                \
        for (int64_t x = 0, end; x < b->length; x = end) {                                         \
            const T label = labels[x];                                                             \
            end = x + 1;                                                                           \
            if (label < 1 || (int64_t)label > call->count) continue;                               \
            while (end < b->length && labels[end] == label)                                        \
                end++;                                                                             \
            add_run(call, boxes + 2 * call->ndim * ((int64_t)label - 1), place, x, end);           \
        }                                                                                          \
    }
ADD(i32, int32_t)
ADD(i64, int64_t)

static void add_pieces(void *context, int64_t begin, int64_t end) {
    const boxing *b = context;
    int64_t place[TN_MAX_NDIM];
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t *boxes = piece ? b->others + (piece - 1) * b->size : b->call->boxes;
        const int64_t first = piece * b->piece;
        const int64_t stop = b->lines - first < b->piece ? b->lines : first + b->piece;
        memset(boxes, 0, (size_t)b->size * sizeof *boxes);
        tni_line_place(place, first, b->call->ndim, b->call->shape);
        for (int64_t line = first; line < stop; line++) {
            if (b->call->is_wide)
                add_line_i64(b, boxes, line, place);
            else
                add_line_i32(b, boxes, line, place);
            tni_line_next(place, b->call->ndim, b->call->shape);
        }
    }
}

tn_status tni_host_run_label_boxes(void *parameters) {
    const tni_label_boxes *call = parameters;
    boxing b = {.call = call, .length = call->shape[call->ndim - 1]};
    b.lines = tni_image_elements(call->ndim - 1, call->shape);
    b.size = 2 * call->ndim * call->count;
    int64_t pieces = tni_thread_count(), elements = b.lines * b.length;
    if (elements < PIECE_LEAST * pieces || b.size * pieces > 2 * elements) pieces = 1;
    b.piece = (b.lines + pieces - 1) / pieces;
    pieces = (b.lines + b.piece - 1) / b.piece;
    const int64_t bytes = (pieces - 1) * b.size * (int64_t)sizeof(int64_t);
    b.others = bytes ? tni_malloc((size_t)bytes) : NULL;
    if (bytes && !b.others) return tni_fail_no_memory(bytes);
    tni_parallel(pieces, 1, add_pieces, &b);
    for (int64_t k = 0; k < (pieces - 1) * b.size; k++)
        widen(&call->boxes[k % b.size], b.others[k]);
    tni_free(b.others);
    return TN_OK;
}

TNI_HOST_PLAN(label_boxes, tni_image_elements(call->ndim, call->shape))
