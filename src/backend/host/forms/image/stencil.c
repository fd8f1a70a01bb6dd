/* The form "stencil" on the host: blocks of outputs are shared out among the threads, and each row
 * of a block is computed of its box by the level's loops.
 *
 * Of a rank among few places a network finds the value for many outputs at once. Where the window
 * is a whole box its columns are sorted first, once for all windows that hold them. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/forms/image/boxes.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/rules/network.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { NETWORK_MOST = 128 };     /* places; more are searched */
enum { PLACES_PER_OUTPUT = 16 }; /* with more a network is not worth making */
/* Of a change of a sorted window, and of a look at an element of one. */
enum { FIND_NS = 30, MOVED_PER_NS = 48, LOOK_NS = 6 };

typedef struct running {
    const tni_stencil *call;
    tni_boxes boxes;
    const tni_sum_loops *sums;
    const tni_order_loops *orders;
    int64_t count; /* of places that count */
    int64_t *offsets;
    char *weights;                  /* NULL: none */
    tni_network *network, *columns; /* NULL: none */
    int64_t height;                 /* of the columns */
    uint8_t order[TNI_NETWORK_WIRES];
    bool follows;  /* a window is sorted from the one before */
    int64_t width; /* of the window, along the last axis */
    int64_t room_bytes;
    atomic_bool has_failed;
} running;

/* --- Rows --- */

static void find_row(const running *r, char *to, const char *from, char *room, int64_t n) {
    const tni_stencil *call = r->call;
    if (call->op == TN_WINDOW_SUM && call->symmetry)
        r->sums->pairs(to, from, r->offsets, r->weights, r->count, call->symmetry, n);
    else if (call->op == TN_WINDOW_SUM)
        r->sums->sum(to, from, r->offsets, r->weights, r->count, n);
    else if (call->op == TN_WINDOW_LEAST)
        r->orders->least(to, from, r->offsets, r->weights, r->count, n);
    else if (call->op == TN_WINDOW_MOST)
        r->orders->most(to, from, r->offsets, r->weights, r->count, n);
    else if (r->network)
        r->orders->find(to, from, r->offsets, r->count, r->network, room, n);
    else if (r->follows)
        r->orders->follow(to, from, r->offsets, r->count / r->width, r->width, call->rank, room, n);
    else
        r->orders->select(to, from, r->offsets, r->count, call->rank, room, n);
}

/* Without a branch, as masks are of any pattern. */
static void keep_bytes(char *restrict to, const char *restrict stay, const char *restrict mask,
                       int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const char set = (char)-(mask[i] != 0);
        to[i] = (char)((to[i] & set) | (stay[i] & ~set));
    }
}

/* Where the mask is not set elements stay: what the row has there is that of the input, of which a
 * line of room holds as many. */
static void mask_row(const running *r, const tni_block *block, int64_t row, char *to, char *room) {
    const tni_image *image = &r->call->image;
    const int last = image->ndim - 1;
    const int64_t element = r->boxes.element, step = r->call->mask_strides[last];
    const char *mask = r->call->mask, *input = image->input;
    for (int k = 0; k <= last; k++) {
        const int64_t at = block->at[k] + (k == last - 1 ? row : 0);
        mask += at * r->call->mask_strides[k];
        input += at * image->input_strides[k];
    }
    tni_convert(tni_cast_find(image->stored, image->working), input, image->input_strides[last],
                room, element, block->columns);
    if (element == 1 && step == 1)
        keep_bytes(to, room, mask, block->columns);
    else
        for (int64_t i = 0; i < block->columns; i++)
            if (!mask[i * step]) memcpy(to + i * element, room + i * element, (size_t)element);
}

static void run_block(const running *r, int64_t number, char *scratch) {
    const tni_boxes *b = &r->boxes;
    const tni_image *image = &r->call->image;
    char *box = scratch, *to = box + tni_box_bytes(b), *sorted = to + tni_line_bytes(b);
    char *room = sorted + r->height * tni_line_bytes(b);
    tni_block block;
    tni_block_find(&block, b, number);
    tni_box_fill(box, b, &block);
    for (int64_t row = 0; row < block.rows; row++) {
        const char *from = box + row * tni_line_bytes(b);
        if (r->columns) {
            r->orders->sort(sorted, from, b->line, r->height, r->columns, r->order, room,
                            block.columns + image->size[image->ndim - 1] - 1);
            from = sorted;
        }
        find_row(r, to, from, room, block.columns);
        if (r->call->mask) mask_row(r, &block, row, to, room);
        tni_row_store(b, &block, row, to);
    }
}

static void run_blocks(void *context, int64_t begin, int64_t end) {
    running *r = context;
    const int64_t lines = 2 + r->height;
    const int64_t bytes = tni_box_bytes(&r->boxes) + lines * tni_line_bytes(&r->boxes) +
                          r->room_bytes + TNI_IMAGE_SLACK;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)bytes);
    if (!scratch) {
        atomic_store(&r->has_failed, true);
        return;
    }
    for (int64_t k = begin; k < end; k++)
        run_block(r, k, scratch);
}

/* --- The window --- */

/* The weight of a place, of the working dtype; whether it counts. */
static bool bring_weight(const running *r, char *to, int64_t k, bool skips) {
    const tni_stencil *call = r->call;
    const int64_t element = r->boxes.element;
    if (call->weights)
        memcpy(to, call->weights + k * element, (size_t)element);
    else
        tni_image_value(to, call->image.working, call->values[k]);
    if (!skips) return true;
    double value;
    float single;
    memcpy(&single, to, sizeof single);
    if (element == 8)
        memcpy(&value, to, sizeof value);
    else
        value = (double)single;
    return !(fabs(value) <= DBL_EPSILON);
}

/* The offsets of the places that count, and their weights. */
static void list_places(running *r) {
    const tni_stencil *call = r->call;
    const bool skips = call->op == TN_WINDOW_SUM && tni_image_has_axes(&call->image);
    r->count = 0;
    for (int64_t k = 0; k < call->count; k++) {
        if (r->weights && !bring_weight(r, r->weights + r->count * r->boxes.element, k, skips))
            continue;
        r->offsets[r->count++] = tni_place_offset(&r->boxes, call->places ? call->places[k] : k);
    }
}

/* Whether to change a sorted window, column by column, is less work than to look at all of it. */
static bool choose_follow(running *r) {
    const tni_stencil *call = r->call;
    const tni_image *image = &call->image;
    r->width = image->size[image->ndim - 1];
    if (call->op != TN_WINDOW_RANK || call->places || r->network ||
        image->order[image->ndim - 1] != 1)
        return false;
    const int64_t height = call->count / r->width;
    for (int64_t k = 0; k < height; k++)
        r->offsets[k] = tni_place_offset(&r->boxes, k * r->width);
    if (height * (FIND_NS + call->count * r->boxes.element / MOVED_PER_NS) < call->count * LOOK_NS)
        return true;
    for (int64_t k = 0; k < call->count; k++)
        r->offsets[k] = tni_place_offset(&r->boxes, k);
    return false;
}

/* The networks of a rank, if it has some. */
static void make_networks(running *r, tni_network *networks) {
    const tni_stencil *call = r->call;
    const tni_image *image = &call->image;
    const int64_t height = image->size[image->ndim - 2], width = image->size[image->ndim - 1];
    r->room_bytes = call->count * 8;
    r->network = r->columns = NULL;
    r->height = 0;
    int64_t outputs = 1;
    for (int k = 0; k < image->ndim; k++)
        outputs *= image->shape[k];
    if (call->op != TN_WINDOW_RANK || call->count > NETWORK_MOST) return;
    if (call->count > PLACES_PER_OUTPUT * outputs) return;
    r->network = &networks[0];
    r->room_bytes = call->count * TNI_RANK_BLOCK;
    if (call->places || call->count != height * width || height == 1 || width == 1) {
        tni_network_make(r->network, (int)call->count, 1, (int)call->rank);
        return;
    }
    r->columns = &networks[1];
    r->height = height;
    tni_network_sort(r->columns, r->order, (int)height);
    tni_network_make(r->network, (int)width, (int)height, (int)call->rank);
    for (int64_t k = 0; k < call->count; k++) /* down one sorted column, then down the next */
        r->offsets[k] = k % height * r->boxes.line + k / height;
}

tn_status tni_host_run_stencil(void *params) {
    const tni_stencil *call = params;
    const bool is_weighted = call->weights || call->has_values;
    const bool is_rank = call->op == TN_WINDOW_RANK;
    running r = {.call = call};
    const size_t bytes = (size_t)(call->count + 1) * 16 + (is_rank ? 2 * sizeof(tni_network) : 0);
    char *memory = tni_scratch(TNI_SLOT_SEGMENTS, bytes);
    if (!memory) return tni_fail_no_memory((int64_t)bytes);
    tni_boxes_make(&r.boxes, &call->image,
                   2 + (is_rank ? call->image.size[call->image.ndim - 2] : 0));
    r.offsets = (int64_t *)(void *)memory;
    r.weights = is_weighted ? memory + (call->count + 1) * 8 : NULL;
    r.sums = tni_loops_level()->sums[call->image.working == TN_F64];
    r.orders = tni_loops_level()->orders[call->image.working];
    list_places(&r);
    make_networks(&r, (tni_network *)(void *)(memory + (call->count + 1) * 16));
    r.follows = choose_follow(&r);
    const int64_t outputs = r.boxes.rows * r.boxes.columns;
    const int64_t steps = is_rank ? (r.network ? r.network->count : 16 * call->count) : r.count;
    tni_parallel_units(r.boxes.blocks, outputs * (steps + 4) / 8 + 100, run_blocks, &r);
    return atomic_load(&r.has_failed) ? tni_fail_no_memory(tni_box_bytes(&r.boxes)) : TN_OK;
}

tni_host_plan tni_host_plan_stencil(const tni_stencil *call) {
    int64_t elements = call->count;
    for (int k = 0; k < call->image.ndim; k++)
        elements *= call->image.shape[k];
    return (tni_host_plan){tni_host_run_stencil, call, sizeof *call, .elements = elements};
}
