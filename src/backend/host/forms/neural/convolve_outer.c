/* Gradients of filters as outer products: at each place, the channels of x times vectors of
 * channels of dy.
 *
 * A task has some blocks of dy's channels and a part of the pieces of its rows. For a few pieces at
 * a time it lays dy out as [block][place][channel], and each tap adds its products to its sums. x
 * is read where it lies or, of another dtype than that of the sums, from a copy. The number of
 * parts is decided by the shape, and they are added up in their order. */
#include "backend/host/forms/neural/convolve_outer.h"

#include "backend/host/forms/neural/convolve_copy.h"
#include "backend/host/forms/neural/convolve_lattice.h"
#include "backend/host/forms/reduce/folding.h"
#include "backend/host/forms/walk.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum {
    TASKS = 8,
    PLACES = 160, /* of the pieces that are taken at once, about */
    VECTORS = 2,
    INPUTS_MIN = 8,
    SUMS_BYTES = 256 << 10, /* of a task, if it has several blocks */
    PART_BYTES = 64 << 20,
    KEPT_BYTES = 16 << 20, /* in memory that stays */
    COPY_BYTES = 512 << 20 /* at most */
};

typedef struct job {
    const tni_convolve *call;
    const tni_convolve_loops *loops, *working; /* of the dtype, of the working type */
    tni_convolve_copy x;
    int64_t taps, width, blocks, parts; /* width: channels of a block */
    int64_t shares;                     /* of the blocks of a group: tasks */
    int64_t cuts, pieces, places, band; /* of a row; of all; of a piece, at most; taken at once */
    char *sums;                         /* [part][group][block][tap][input][channel] */
    atomic_bool has_failed;
} job;

/* Places of a row of dy from begin to before end. */
typedef struct piece {
    int64_t image, at[TN_SPATIAL_MAX], begin, end;
} piece;

typedef struct task {
    int64_t group, begin, end; /* blocks */
    int64_t count;             /* of pieces */
    piece *pieces;
    const void **left, **right;
    char *lines, *dy, *sums;
} task;

/* --- Pieces --- */

static void find_piece(piece *p, const job *j, int64_t number) {
    const int64_t *shape = j->call->y_shape;
    const int last = j->call->ndim - 1;
    p->begin = number % j->cuts * shape[last] / j->cuts;
    p->end = (number % j->cuts + 1) * shape[last] / j->cuts;
    number /= j->cuts;
    for (int k = last - 1; k >= 0; k--) {
        p->at[k] = number % shape[k];
        number /= shape[k];
    }
    p->image = number;
}

/* Channels of a block. */
static int64_t channels_of(const job *j, int64_t block) {
    const int64_t left = j->call->outputs - block * j->width;
    return left < j->width ? left : j->width;
}

/* dy of a piece as [place][channel], with zeros for channels that are not there. */
static void fill_dy(const job *j, const task *t, const piece *p, int64_t block, char *to) {
    const tni_convolve *call = j->call;
    const int last = call->ndim - 1;
    const int64_t channels = channels_of(j, block);
    const int64_t places = p->end - p->begin, element = j->working->element;
    const int64_t apart = call->y.channel_stride, stride = call->y.strides[last];
    const char *from = call->y.data + p->image * call->y.batch_stride +
                       (t->group * call->outputs + block * j->width) * apart + p->begin * stride;
    for (int k = 0; k < last; k++)
        from += p->at[k] * call->y.strides[k];
    if (tni_magnitude(apart) < tni_magnitude(stride)) {
        const tni_convolve_rows rows = {places, channels, stride, apart, j->width};
        j->loops->load_rows(to, from, &rows, 0, j->width - channels, 0);
        return;
    }
    const tni_convolve_rows rows = {channels, places, apart, stride, places};
    const bool is_there = j->loops == j->working && stride == element && apart % element == 0;
    if (!is_there) j->loops->load_rows(t->lines, from, &rows, 0, 0, 0);
    if (channels < j->width) memset(to, 0, (size_t)(places * j->width * element));
    j->working->transpose(to, j->width, is_there ? from : t->lines,
                          is_there ? apart / element : places, channels, places);
}

/* --- Products --- */

/* Where tap r of an axis reads x for place 0. */
static int64_t offset_of(const tni_convolve *call, int k, int64_t r) {
    return r * call->dilations[k] - call->pads[k];
}

/* dy of piece n in a block of the task. */
static char *dy_of(const job *j, const task *t, int64_t block, int64_t n) {
    const int64_t number = (block - t->begin) * j->band + n;
    return t->dy + number * j->places * j->width * j->working->element;
}

/* Of a block in a part, in bytes. */
static int64_t sums_of(const job *j) {
    return j->taps * j->call->inputs * j->width * j->working->element;
}

/* Adds the products of a tap at all pieces to a block; the first ones (`is_first`) are the sums. */
static void add_tap(const job *j, const task *t, int64_t block, int64_t tap, bool is_first) {
    const tni_convolve *call = j->call;
    const tni_maps *x = &j->x.copy;
    const int last = call->ndim - 1;
    const int64_t element = j->working->element, step = call->strides[last];
    int64_t r[TN_SPATIAL_MAX], count = 0;
    tni_convolve_tap(r, call, tap);
    const int64_t offset = offset_of(call, last, r[last]), room = call->x_shape[last] - offset;
    int64_t begin = offset < 0 ? (-offset + step - 1) / step : 0;
    int64_t end = room > 0 ? (room + step - 1) / step : 0;
    if (begin < t->pieces->begin) begin = t->pieces->begin;
    if (end > t->pieces->end) end = t->pieces->end;
    for (int64_t n = 0; n < t->count && begin < end; n++) {
        const piece *p = &t->pieces[n];
        const char *left = x->data + p->image * x->batch_stride +
                           t->group * call->inputs * x->channel_stride +
                           (begin * step + offset) * x->strides[last];
        bool is_there = true;
        for (int k = 0; k < last && is_there; k++) {
            const int64_t at = p->at[k] * call->strides[k] + offset_of(call, k, r[k]);
            is_there = at >= 0 && at < call->x_shape[k];
            left += at * x->strides[k];
        }
        if (!is_there) continue;
        t->left[count] = left;
        t->right[count++] = dy_of(j, t, block, n) + (begin - p->begin) * j->width * element;
    }
    if (count == 0 && !is_first) return;
    const tni_convolve_outer product = {.accumulates = !is_first,
                                        .vectors = (int)(j->width / j->working->lanes),
                                        .rows = count,
                                        .places = end - begin,
                                        .count = call->inputs,
                                        .apart = x->channel_stride / element,
                                        .step = step * x->strides[last] / element,
                                        .left = t->left,
                                        .right = t->right,
                                        .sums = t->sums + (block - t->begin) * sums_of(j) +
                                                tap * call->inputs * j->width * element};
    j->working->multiply_outer(&product);
}

static void run_part(const job *j, task *t, int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += j->band) {
        t->count = end - first < j->band ? end - first : j->band;
        for (int64_t n = 0; n < t->count; n++)
            find_piece(&t->pieces[n], j, first + n);
        for (int64_t block = t->begin; block < t->end; block++) {
            for (int64_t n = 0; n < t->count; n++)
                fill_dy(j, t, &t->pieces[n], block, dy_of(j, t, block, n));
            for (int64_t tap = 0; tap < j->taps; tap++)
                add_tap(j, t, block, tap, first == begin);
        }
    }
}

static void run_tasks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const int64_t lines = j->places * j->width * j->working->element;
    const int64_t lists = j->band * (int64_t)(sizeof(piece) + 2 * sizeof(void *));
    const int64_t some = (j->blocks + j->shares - 1) / j->shares;
    char *scratch = tni_scratch(TNI_SLOT_STAGE, (size_t)((1 + some * j->band) * lines + lists));
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return;
    }
    task t = {.lines = scratch, .dy = scratch + lines};
    t.pieces = (piece *)(void *)(t.dy + some * j->band * lines);
    t.left = (const void **)(void *)(t.pieces + j->band);
    t.right = t.left + j->band;
    for (int64_t k = begin; k < end; k++) {
        const int64_t part = k % j->parts, share = k / j->parts % j->shares;
        t.group = k / j->parts / j->shares;
        t.begin = share * j->blocks / j->shares;
        t.end = (share + 1) * j->blocks / j->shares;
        t.sums = j->sums + ((part * j->call->groups + t.group) * j->blocks + t.begin) * sums_of(j);
        run_part(j, &t, part * j->pieces / j->parts, (part + 1) * j->pieces / j->parts);
    }
}

/* Adds the parts of some blocks up and writes their filters. */
static void store_blocks(void *context, int64_t begin, int64_t end) {
    job *j = context;
    const tni_convolve *call = j->call;
    const tni_maps *w = &call->w;
    const int64_t element = j->working->element, bytes = sums_of(j);
    char *lines = tni_scratch(TNI_SLOT_STAGE, (size_t)(j->width * call->inputs * element));
    if (!lines) {
        atomic_store(&j->has_failed, true);
        return;
    }
    for (int64_t k = begin; k < end; k++) {
        char *sums = j->sums + k * bytes;
        const int64_t group = k / j->blocks, block = k % j->blocks;
        for (int64_t part = 1; part < j->parts; part++)
            j->working->add(sums, sums + part * call->groups * j->blocks * bytes, bytes / element);
        for (int64_t tap = 0; tap < j->taps; tap++) {
            int64_t r[TN_SPATIAL_MAX];
            char *to = w->data + (group * call->outputs + block * j->width) * w->batch_stride;
            tni_convolve_tap(r, call, tap);
            for (int axis = 0; axis < call->ndim; axis++)
                to += r[axis] * w->strides[axis];
            j->working->transpose(lines, call->inputs,
                                  sums + tap * call->inputs * j->width * element, j->width,
                                  call->inputs, j->width);
            for (int64_t o = 0; o < channels_of(j, block); o++)
                j->loops->store(to + o * w->batch_stride, w->channel_stride,
                                lines + o * call->inputs * element, call->inputs, call->alpha,
                                call->beta);
        }
    }
}

/* --- The call --- */

static void describe(job *j) {
    const tni_convolve *call = j->call;
    const int last = call->ndim - 1;
    const int64_t places = call->y_shape[last];
    j->loops = &tni_loops_level()->convolve[call->dtype];
    j->working = &tni_loops_level()->convolve[call->dtype == TN_F64 ? TN_F64 : TN_F32];
    j->taps = tni_convolve_taps(call);
    j->width = call->outputs > j->working->lanes ? VECTORS * j->working->lanes : j->working->lanes;
    j->blocks = (call->outputs + j->width - 1) / j->width;
    j->cuts = (places + PLACES - 1) / PLACES;
    j->places = (places + j->cuts - 1) / j->cuts;
    j->band = j->cuts > 1 ? 1 : (PLACES + places - 1) / places;
    j->pieces = call->batch * j->cuts;
    for (int k = 0; k < last; k++)
        j->pieces *= call->y_shape[k];
    const int64_t bytes = j->blocks * sums_of(j);
    j->shares = bytes > SUMS_BYTES ? (bytes + SUMS_BYTES - 1) / SUMS_BYTES : 1;
    if (j->shares > j->blocks) j->shares = j->blocks;
    const int64_t tasks = call->groups * j->shares;
    j->parts = (TASKS + tasks - 1) / tasks;
    if (j->parts > j->pieces) j->parts = j->pieces;
    while (j->parts > 1 && j->parts * call->groups * bytes > PART_BYTES)
        j->parts /= 2;
    bool is_there = j->loops == j->working;
    for (int k = 0; k < call->ndim; k++)
        is_there &= call->x.strides[k] % j->working->element == 0;
    is_there &= call->x.channel_stride % j->working->element == 0 &&
                call->x.batch_stride % j->working->element == 0;
    j->x = (tni_convolve_copy){.dtype = call->dtype,
                               .ndim = call->ndim,
                               .is_last = tni_magnitude(call->x.channel_stride) <
                                          tni_magnitude(call->x.strides[last]),
                               .batch = call->batch,
                               .channels = call->groups * call->inputs,
                               .shape = call->x_shape,
                               .maps = call->x};
    if (is_there) j->x.copy = call->x;
}

bool tni_host_convolves_outer(const tni_convolve *call) {
    job j = {.call = call};
    describe(&j);
    return call->result == TNI_CONVOLVE_DW && call->inputs >= INPUTS_MIN &&
           call->outputs >= j.working->lanes / 2 &&
           (j.x.copy.data || tni_convolve_copy_bytes(&j.x) <= COPY_BYTES);
}

tn_status tni_host_convolve_outer(const tni_convolve *call) {
    job j = {.call = call};
    tn_status status = TN_OK;
    describe(&j);
    const int64_t blocks = call->groups * j.blocks, tasks = call->groups * j.shares * j.parts;
    const int64_t sums = j.parts * blocks * sums_of(&j);
    const int64_t copy = j.x.copy.data ? 0 : tni_convolve_copy_bytes(&j.x);
    const bool is_kept = sums + copy <= KEPT_BYTES;
    j.sums = is_kept ? tni_scratch(TNI_SLOT_PARTS, (size_t)(sums + copy))
                     : tni_malloc((size_t)(sums + copy));
    if (j.sums) {
        const int64_t products = j.taps * call->inputs * j.blocks / j.shares;
        if (copy) {
            tni_convolve_copy_place(&j.x, j.sums + sums);
            tni_convolve_copy_read(&j.x);
        }
        tni_parallel_units(tasks, 100 + j.pieces / j.parts * j.places * products / 2, run_tasks,
                           &j);
        tni_parallel_units(blocks, 10 + j.parts * sums_of(&j) / 16, store_blocks, &j);
    }
    if (!j.sums || atomic_load(&j.has_failed)) status = tni_fail_no_memory(sums + copy);
    if (!is_kept) tni_free(j.sums);
    return status;
}
