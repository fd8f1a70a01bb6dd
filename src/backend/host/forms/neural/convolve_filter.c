/* Gradients of filters: dot products, along the places of a box, of dy with what taps read of x.
 *
 * dy is laid out as the places of x's lattice are, with zeros between its rows. Boxes are shared
 * out among a number of partial sums that the shape decides, not the threads, and these are added
 * up in their order. */
#include "backend/host/forms/neural/convolve_filter.h"

#include "backend/host/forms/neural/convolve_lattice.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum { PARTS = 16, PART_BYTES = 64 << 20, TASKS = 8 };

typedef struct job {
    const tni_convolve *call;
    const tni_convolve_loops *loops;
    tni_lattice lattice;
    tni_lattice_maps maps;
    int64_t chunk, taps, depth; /* depth: of a filter, input channels and taps */
    int64_t parts, splits;      /* splits: of the outputs of a group */
    int64_t *offsets;           /* of a chunk's taps, then zeros */
    char *sums;                 /* [part][output of all groups][depth] */
    atomic_bool has_failed;
} job;

typedef struct task {
    tni_lattice_box box;
    int64_t group, part, begin, end; /* outputs */
    char *source, *rows;
} task;

static int64_t rows_of(const task *t) {
    const int64_t rows = t->end - t->begin;
    return rows == 1 ? 1 : (rows + TNI_DOT_ROWS - 1) / TNI_DOT_ROWS * TNI_DOT_ROWS;
}

/* dy of a box, with zeros at points that are no places. */
static void fill_rows(const job *j, const task *t) {
    const tni_convolve *call = j->call;
    const int last = j->lattice.ndim - 1, batch = j->maps.batch;
    const int64_t bytes = j->lattice.apart * j->loops->element;
    int64_t strides[TNI_LATTICE_AXES];
    const char *from =
        call->y.data + (t->group * call->outputs + t->begin) * call->y.channel_stride;
    strides[batch] = call->y.batch_stride;
    for (int k = 0; k < call->ndim; k++)
        strides[j->maps.spatial[k]] = call->y.strides[k];
    for (int axis = 0; axis <= last; axis++)
        from += t->box.begin[axis] * strides[axis];
    memset(t->rows, 0, (size_t)(rows_of(t) * bytes));
    tni_lattice_row row = {.point = 0};
    do {
        const char *at = from;
        for (int axis = 0; axis < last; axis++)
            at += row.at[axis] * strides[axis];
        for (int64_t k = 0; k < t->end - t->begin; k++)
            j->loops->load(t->rows + k * bytes + row.point * j->loops->element,
                           at + k * call->y.channel_stride, strides[last], t->box.count[last]);
    } while (tni_lattice_next(&row, &j->lattice, t->box.count));
}

/* Adds a tile of dot products to the sums at `to`, rows of which lie a depth apart. */
static void add_tile(const job *j, char *to, const char *tile, int64_t rows, int64_t columns) {
    const int64_t element = j->loops->element;
    for (int64_t k = 0; k < rows; k++)
        j->loops->add(to + k * j->depth * element, tile + k * TNI_DOT_COLUMNS * element, columns);
}

/* The products of a box with `channels` channels from `channel` on. */
static void run_channels(const job *j, const task *t, int64_t channel, int64_t channels) {
    const tni_convolve *call = j->call;
    const int64_t element = j->loops->element, outputs = t->end - t->begin;
    const int64_t columns = channels * j->taps, step = outputs == 1 ? 1 : TNI_DOT_ROWS;
    const int64_t row = (t->part * call->groups + t->group) * call->outputs + t->begin;
    char *to = j->sums + (row * j->depth + channel * j->taps) * element;
    _Alignas(64) char tile[TNI_DOT_ROWS * TNI_DOT_COLUMNS * sizeof(double)];
    tni_convolve_dot dot = {.is_single = outputs == 1,
                            .places = j->lattice.apart,
                            .apart = j->lattice.apart,
                            .source = t->source,
                            .sums = tile};
    for (int64_t k = 0; k < outputs; k += step)
        for (int64_t c = 0; c < columns; c += TNI_DOT_COLUMNS) {
            const int64_t left = outputs - k, across = columns - c;
            memset(tile, 0, sizeof tile);
            dot.rows = t->rows + k * j->lattice.apart * element;
            dot.offsets = j->offsets + c;
            j->loops->dot(&dot);
            add_tile(j, to + (k * j->depth + c) * element, tile, left < step ? left : step,
                     across < TNI_DOT_COLUMNS ? across : TNI_DOT_COLUMNS);
        }
}

static void run_box(const job *j, task *t, int64_t number) {
    const tni_convolve *call = j->call;
    const char *source = call->x.data + t->group * call->inputs * call->x.channel_stride;
    tni_lattice_find(&t->box, &j->lattice, number);
    fill_rows(j, t);
    for (int64_t channel = 0; channel < call->inputs; channel += j->chunk) {
        const int64_t left = call->inputs - channel, some = left < j->chunk ? left : j->chunk;
        tni_lattice_fill(t->source, &j->lattice, &t->box, source + channel * call->x.channel_stride,
                         some);
        run_channels(j, t, channel, some);
    }
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const tni_convolve *call = j->call;
    const int64_t element = j->loops->element;
    /* Zeros of dy meet what is read after the last place, too. */
    const int64_t source =
        ((j->chunk * j->lattice.size + j->loops->slack) * element + 63) / 64 * 64;
    const int64_t most = (call->outputs + j->splits - 1) / j->splits + TNI_DOT_ROWS;
    const int64_t bytes = source + most * j->lattice.apart * element;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)bytes);
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    for (int64_t k = begin; k < end; k++) {
        const int64_t split = k % j->splits, rest = k / j->splits;
        task t = {.group = rest % call->groups,
                  .part = rest / call->groups,
                  .begin = split * call->outputs / j->splits,
                  .end = (split + 1) * call->outputs / j->splits,
                  .source = scratch,
                  .rows = scratch + source};
        for (int64_t box = t.part * j->lattice.boxes / j->parts;
             box < (t.part + 1) * j->lattice.boxes / j->parts; box++)
            run_box(j, &t, box);
    }
}

/* Adds the parts of some filters up and writes them. */
static void store_filters(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const tni_convolve *call = j->call;
    const int64_t element = j->loops->element, width = call->w_shape[call->ndim - 1];
    const int64_t part = call->groups * call->outputs * j->depth * element;
    int64_t r[TN_SPATIAL_MAX];
    for (int64_t k = begin; k < end; k++) {
        char *sums = j->sums + k * j->depth * element,
             *to = call->w.data + k * call->w.batch_stride;
        for (int64_t p = 1; p < j->parts; p++)
            j->loops->add(sums, sums + p * part, j->depth);
        if (j->taps == 1) {
            j->loops->store(to, call->w.channel_stride, sums, j->depth, call->alpha, call->beta);
            continue;
        }
        for (int64_t at = 0; at < j->depth; at += width) {
            char *row = to + at / j->taps * call->w.channel_stride;
            tni_convolve_tap(r, call, at % j->taps);
            for (int axis = 0; axis < call->ndim - 1; axis++)
                row += r[axis] * call->w.strides[axis];
            j->loops->store(row, call->w.strides[call->ndim - 1], sums + at * element, width,
                            call->alpha, call->beta);
        }
    }
}

static void list_offsets(job *j) {
    const tni_convolve *call = j->call;
    int64_t r[TN_SPATIAL_MAX];
    memset(j->offsets + j->chunk * j->taps, 0, sizeof *j->offsets * TNI_DOT_COLUMNS);
    for (int64_t tap = 0; tap < j->taps; tap++) {
        int64_t offset = 0;
        tni_convolve_tap(r, call, tap);
        for (int k = 0; k < call->ndim; k++)
            offset += tni_lattice_tap(&j->lattice.axes[j->maps.spatial[k]], r[k]);
        for (int64_t c = 0; c < j->chunk; c++)
            j->offsets[c * j->taps + tap] = c * j->lattice.size + offset;
    }
}

static void describe(job *j) {
    const tni_convolve *call = j->call;
    j->loops = j->lattice.loops = &tni_loops_level()->convolve[call->dtype];
    tni_convolve_lattice(&j->lattice, &j->maps, call);
    tni_lattice_cut(&j->lattice, call->inputs, TNI_LATTICE_BYTES);
    j->chunk = tni_convolve_channels(&j->lattice, call->inputs);
    j->taps = tni_convolve_taps(call);
    j->depth = call->inputs * j->taps;
    const int64_t bytes = call->groups * call->outputs * j->depth * j->loops->element;
    j->parts = j->lattice.boxes < PARTS ? j->lattice.boxes : PARTS;
    while (j->parts > 1 && j->parts * bytes > PART_BYTES)
        j->parts /= 2;
    const int64_t tasks = call->groups * j->parts;
    const int64_t most = (call->outputs + TNI_DOT_ROWS - 1) / TNI_DOT_ROWS;
    j->splits = (TASKS + tasks - 1) / tasks;
    if (j->splits > most) j->splits = most;
}

tn_status tni_host_convolve_filter(const tni_convolve *call) {
    job j = {.call = call};
    tn_status status = TN_OK;
    describe(&j);
    const size_t table = sizeof *j.offsets * (size_t)(j.chunk * j.taps + TNI_DOT_COLUMNS);
    const int64_t bytes = j.parts * call->groups * call->outputs * j.depth * j.loops->element;
    j.offsets = tni_malloc(table);
    j.sums = tni_malloc((size_t)bytes);
    if (j.offsets && j.sums) {
        const int64_t boxes = (j.lattice.boxes + j.parts - 1) / j.parts;
        const int64_t products =
            j.lattice.apart * j.depth * (call->outputs / j.splits + 1) / j.loops->lanes;
        list_offsets(&j);
        memset(j.sums, 0, (size_t)bytes);
        tni_parallel_units(call->groups * j.parts * j.splits, 100 + boxes * products, run_tasks,
                           &j);
        tni_parallel_units(call->groups * call->outputs, 10 + j.parts * j.depth / 4, store_filters,
                           &j);
    }
    if (!j.offsets || !j.sums || atomic_load(&j.has_failed))
        status = tni_fail_no_memory(bytes + (int64_t)table);
    tni_free(j.offsets);
    tni_free(j.sums);
    return status;
}
