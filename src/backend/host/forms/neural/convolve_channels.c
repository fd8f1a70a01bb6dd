/* Convolutions whose channels lie beside each other, as vectors of channels of the result: those of
 * single channels, which have a filter each, and those of many, where filters are laid out as
 * panels of channels of the result. What is read lies where it is or, of another dtype than that of
 * the sums, in rows that a task has converted.
 *
 * A row is what the last spatial axis has for one position along the others. Its places are cut
 * into segments, of which the same taps meet elements of the source at each place. The result of dx
 * has a class of segments for each remainder of a stride, as in convolve.c.
 *
 * Rows of y and dx depend on nothing else. dw is a number of partial sums over rows that the shape
 * decides, added up in their order. */
#include "backend/host/forms/neural/convolve_channels.h"

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
    BLOCK_BYTES = 512, /* of channels that a task takes, about */
    KEPT_MOST = 4,     /* converted rows for each that a place reads */
    PARTS = 16,
    PART_BYTES = 64 << 20,
    PANEL_BYTES = 160 << 10, /* of a panel's filters that are used at once, about; */
    SHORT_BYTES = 36 << 10,  /* and where few places of a row share a load of them */
    SHORT = 12,
    KEPT_BYTES = 16 << 20, /* of all filters, in memory that stays */
    PANEL_VECTORS = 4,
    PANEL_PLACES = 96 /* that use them, at least */
};

/* Places begin, begin + step, ... of a row. Its taps stand in the job's list. */
typedef struct segment {
    int64_t begin, count, first, taps;
} segment;

/* Tap r of the last axis reads this element of the source for the first place of a segment. */
typedef struct tap {
    int64_t r, source;
} tap;

typedef struct job {
    const tni_convolve *call;
    const tni_convolve_loops *loops;
    const tni_maps *from, *to; /* to: of the rows, which dw reads */
    const int64_t *from_shape, *to_shape;
    int64_t channels, blocks, rows; /* rows: of an image */
    int64_t taps, outer_taps;       /* of a filter; of all axes but the last */
    int64_t step, source_step;      /* elements from a place of a segment to the next */
    int64_t segment_count, parts;
    int64_t kept[TN_SPATIAL_MAX]; /* converted rows, along each axis */
    int64_t kept_count;           /* 0: rows are read where they lie */
    bool writes_rows;             /* into memory of the task's, or reads them from there */
    /* Of many channels: of the source and of the result in a group; of the source at once; rows of
     * a task. */
    bool is_dense;
    int64_t depth, results, chunk, band;
    segment *segments;
    tap *list;
    int64_t *places; /* of the taps in filters, in bytes */
    char *filters;   /* [part][tap][channel], or panels */
    atomic_bool has_failed;
} job;

/* A row's taps along all axes but the last: the source's row, its element 0. */
typedef struct outer_tap {
    const char *row;
    int64_t number;
} outer_tap;

/* Memory of a task. */
typedef struct room {
    outer_tap *outer;
    const void **sources;
    void **filters;
    int64_t *marks; /* which row each kept one is */
    char *kept, *row;
    int64_t kept_bytes;              /* of a row */
    int64_t begin, count;            /* channels of the result */
    int64_t group, chunk, chunk_end; /* channels of the source, where there are many */
    int64_t image, outer_count;
    int64_t at[TN_SPATIAL_MAX]; /* the row's place */
} room;

/* --- Axes --- */

/* The element of the source that tap r reads for a place along axis k; false: none. */
static bool reads(int64_t *source, const job *j, int k, int64_t place, int64_t r) {
    const tni_convolve *call = j->call;
    if (call->result != TNI_CONVOLVE_DX) {
        *source = place * call->strides[k] + r * call->dilations[k] - call->pads[k];
    } else {
        const int64_t at = place + call->pads[k] - r * call->dilations[k];
        if (at % call->strides[k] != 0) return false;
        *source = at / call->strides[k];
    }
    return *source >= 0 && *source < j->from_shape[k];
}

static bool read_alike(const job *j, int64_t place, int64_t other) {
    const int last = j->call->ndim - 1;
    int64_t source;
    for (int64_t r = 0; r < j->call->w_shape[last]; r++)
        if (reads(&source, j, last, place, r) != reads(&source, j, last, other, r)) return false;
    return true;
}

static void list_segments(job *j) {
    const int last = j->call->ndim - 1;
    const int64_t places = j->to_shape[last];
    int64_t taps = 0;
    j->segment_count = 0;
    for (int64_t rest = 0; rest < j->step && rest < places; rest++)
        for (int64_t place = rest, next; place < places; place = next) {
            segment *s = &j->segments[j->segment_count++];
            *s = (segment){.begin = place, .count = 1, .first = taps};
            for (next = place + j->step; next < places && read_alike(j, place, next);
                 next += j->step)
                s->count++;
            for (int64_t r = 0; r < j->call->w_shape[last]; r++)
                if (reads(&j->list[taps].source, j, last, place, r)) j->list[taps++].r = r;
            s->taps = taps - s->first;
        }
}

/* --- Rows --- */

/* The source's row at a position, in the working type. */
static const char *source_row(const job *j, room *m, const int64_t *at) {
    const int last = j->call->ndim - 1;
    const int64_t stride = j->from->strides[last], size = j->from_shape[last];
    const int64_t channel = j->is_dense ? m->group * j->depth + m->chunk : m->begin;
    const char *row =
        j->from->data + m->image * j->from->batch_stride + channel * j->from->channel_stride;
    int64_t slot = 0, mark = m->image;
    for (int k = 0; k < last; k++) {
        row += at[k] * j->from->strides[k];
        slot = slot * j->kept[k] + at[k] % j->kept[k];
        mark = mark * j->from_shape[k] + at[k];
    }
    if (j->kept_count == 0) return row;
    char *kept = m->kept + slot * m->kept_bytes;
    if (m->marks[slot] == mark) return kept;
    m->marks[slot] = mark;
    for (int64_t k = 0; k < size; k++)
        j->loops->load(kept + k * m->count * j->loops->element, row + k * stride,
                       j->from->channel_stride, m->count);
    return kept;
}

/* The taps of the row at m->at along all axes but the last. */
static void list_outer(const job *j, room *m) {
    const tni_convolve *call = j->call;
    const int last = call->ndim - 1;
    int64_t source[TN_SPATIAL_MAX];
    m->outer_count = 0;
    for (int64_t number = 0; number < j->outer_taps; number++) {
        int64_t rest = number;
        bool is_there = true;
        for (int k = last - 1; k >= 0 && is_there; k--) {
            is_there = reads(&source[k], j, k, m->at[k], rest % call->w_shape[k]);
            rest /= call->w_shape[k];
        }
        if (!is_there) continue;
        m->outer[m->outer_count++] = (outer_tap){source_row(j, m, source), number};
    }
}

static void set_row(const job *j, room *m, int64_t row) {
    m->image = row / j->rows;
    row %= j->rows;
    for (int k = j->call->ndim - 2; k >= 0; k--) {
        m->at[k] = row % j->to_shape[k];
        row /= j->to_shape[k];
    }
}

static char *result_row(const job *j, const room *m) {
    char *row = j->to->data + m->image * j->to->batch_stride + m->begin * j->to->channel_stride;
    for (int k = 0; k < j->call->ndim - 1; k++)
        row += m->at[k] * j->to->strides[k];
    return row;
}

/* Of tap `number`, for the task's channels. Panels are [tap][channel of the source][channel]. */
static int64_t filter_place(const job *j, const room *m, int64_t number) {
    if (!j->is_dense) return number * j->channels + m->begin;
    return m->begin * j->taps * j->depth + (number * j->depth + m->chunk) * m->count;
}

/* Goes over the segments of the row at m->at, whose places lie `apart` bytes at `row`. */
static void run_segments(const job *j, const room *m, char *row, int64_t apart, char *filters) {
    const int last = j->call->ndim - 1;
    const int64_t element = j->loops->element, width = j->call->w_shape[last];
    const int64_t source =
        j->kept_count ? m->count * element : j->from->strides[last]; /* element to element */
    for (int64_t k = 0; k < j->segment_count; k++) {
        const segment *s = &j->segments[k];
        int64_t taps = 0;
        for (int64_t o = 0; o < m->outer_count; o++)
            for (const tap *t = j->list + s->first; t < j->list + s->first + s->taps; t++) {
                const int64_t number = m->outer[o].number * width + t->r;
                m->sources[taps] = m->outer[o].row + t->source * source;
                m->filters[taps++] = filters + filter_place(j, m, number) * element;
            }
        const tni_convolve_vectors product = {.taps = taps,
                                              .places = s->count,
                                              .channels = m->count,
                                              .apart = j->step * apart / element,
                                              .source_apart = j->source_step * source / element,
                                              .sources = m->sources,
                                              .depth = m->chunk_end - m->chunk,
                                              .filter_apart = m->count,
                                              .accumulates = m->chunk > 0,
                                              .filters = m->filters,
                                              .rows = row + s->begin * apart};
        (j->is_dense                          ? j->loops->multiply_depth
         : j->call->result == TNI_CONVOLVE_DW ? j->loops->dot_channels
                                              : j->loops->multiply_channels)(&product);
    }
}

static void run_row(const job *j, room *m, int64_t number, char *filters) {
    const tni_convolve *call = j->call;
    const int last = call->ndim - 1;
    const int64_t bytes = m->count * j->loops->element, stride = j->to->strides[last];
    set_row(j, m, number);
    list_outer(j, m);
    char *row = result_row(j, m);
    if (!j->writes_rows) {
        run_segments(j, m, row, stride, filters);
        return;
    }
    const bool is_dw = call->result == TNI_CONVOLVE_DW;
    for (int64_t k = 0; is_dw && k < j->to_shape[last]; k++)
        j->loops->load(m->row + k * bytes, row + k * stride, j->to->channel_stride, m->count);
    run_segments(j, m, m->row, bytes, filters);
    for (int64_t k = 0; !is_dw && k < j->to_shape[last]; k++)
        j->loops->store(row + k * stride, j->to->channel_stride, m->row + k * bytes, m->count,
                        call->alpha, call->beta);
}

/* --- Tasks --- */

/* Blocks of channels are whole vectors, but for what the last one has more. */
static int64_t block_begin(const job *j, int64_t block) {
    const int64_t all = j->is_dense ? j->results : j->channels;
    const int64_t group = block / j->blocks, rest = block % j->blocks;
    return group * all + rest * all / j->blocks / j->loops->lanes * j->loops->lanes;
}

static void set_block(const job *j, room *m, int64_t block) {
    const int64_t begin = block_begin(j, block);
    if (begin == m->begin && m->count > 0) return;
    m->begin = begin;
    m->count = block_begin(j, block + 1) - begin;
    for (int64_t k = 0; k < j->kept_count; k++)
        m->marks[k] = -1;
}

static bool enter(room *m, job *j) {
    const int last = j->call->ndim - 1;
    const int64_t all = j->is_dense ? j->results : j->channels;
    const int64_t most = all / j->blocks + 2 * j->loops->lanes;
    const int64_t lists = j->outer_taps * (int64_t)sizeof(outer_tap) +
                          j->taps * (int64_t)(sizeof *m->sources + sizeof *m->filters) +
                          j->kept_count * (int64_t)sizeof *m->marks;
    const int64_t before = (lists + 63) / 64 * 64;
    const int64_t row = j->writes_rows ? j->to_shape[last] * most * j->loops->element : 0;
    *m = (room){.kept_bytes = j->from_shape[last] * most * j->loops->element};
    char *scratch =
        tni_scratch(TNI_SLOT_STAGE, (size_t)(before + row + j->kept_count * m->kept_bytes + 64));
    if (!scratch) {
        atomic_store(&j->has_failed, true);
        return false;
    }
    m->outer = (outer_tap *)(void *)scratch;
    m->sources = (const void **)(void *)(m->outer + j->outer_taps);
    m->filters = (void **)(m->sources + j->taps);
    m->marks = (int64_t *)(void *)(m->filters + j->taps);
    m->row = scratch + before;
    m->kept = m->row + row;
    return true;
}

static void run_rows(void *context, int64_t begin, int64_t end) {
    job *j = context;
    room m;
    if (!enter(&m, j)) return;
    const int64_t rows = j->call->batch * j->rows;
    for (int64_t k = begin; k < end; k++) {
        set_block(j, &m, k / rows);
        run_row(j, &m, k % rows, j->filters);
    }
}

/* Bands of rows use a part of a panel's filters after the other. */
static void run_bands(void *context, int64_t begin, int64_t end) {
    job *j = context;
    room m;
    if (!enter(&m, j)) return;
    const int64_t rows = j->call->batch * j->rows, bands = (rows + j->band - 1) / j->band;
    for (int64_t k = begin; k < end; k++) {
        const int64_t first = k % bands * j->band;
        const int64_t after = first + j->band < rows ? first + j->band : rows;
        set_block(j, &m, k / bands);
        m.group = k / bands / j->blocks;
        for (m.chunk = 0; m.chunk < j->depth; m.chunk = m.chunk_end) {
            m.chunk_end = m.chunk + j->chunk < j->depth ? m.chunk + j->chunk : j->depth;
            for (int64_t row = first; row < after; row++)
                run_row(j, &m, row, j->filters);
        }
    }
}

static void run_parts(void *context, int64_t begin, int64_t end) {
    job *j = context;
    room m;
    if (!enter(&m, j)) return;
    const int64_t rows = j->call->batch * j->rows;
    for (int64_t k = begin; k < end; k++) {
        const int64_t part = k % j->parts;
        char *filters = j->filters + part * j->taps * j->channels * j->loops->element;
        set_block(j, &m, k / j->parts);
        for (int64_t row = part * rows / j->parts; row < (part + 1) * rows / j->parts; row++)
            run_row(j, &m, row, filters);
    }
}

/* --- Filters --- */

static int64_t tap_place(const tni_convolve *call, int64_t tap) {
    int64_t r[TN_SPATIAL_MAX], place = 0;
    tni_convolve_tap(r, call, tap);
    for (int k = 0; k < call->ndim; k++)
        place += r[k] * call->w.strides[k];
    return place;
}

static void read_filters(const job *j) {
    const tni_maps *w = &j->call->w;
    for (int64_t tap = 0; tap < j->taps; tap++)
        j->loops->load(j->filters + tap * j->channels * j->loops->element, w->data + j->places[tap],
                       w->batch_stride, j->channels);
}

/* One panel of `count` channels of the result, by what lies nearest in the filters: channels of the
 * source, of the result, or taps. */
static void pack_panel(const job *j, char *to, const char *from, int64_t count,
                       int64_t result_stride, int64_t depth_stride) {
    const int64_t element = j->loops->element, row = count * element;
    const int64_t apart = result_stride / element;
    const bool is_whole = result_stride % element == 0, is_run = result_stride == element;
    const tni_convolve_rows rows = {j->depth, count, depth_stride, result_stride, count};
    if (is_whole && !is_run && j->taps > 1 && j->places[j->taps - 1] == (j->taps - 1) * element) {
        for (int64_t d = 0; d < j->depth; d++)
            j->loops->transpose(to + d * row, j->depth * count, from + d * depth_stride, apart,
                                count, j->taps);
        return;
    }
    for (int64_t tap = 0; tap < j->taps; tap++, to += j->depth * row)
        if (is_whole && !is_run && depth_stride == element)
            j->loops->transpose(to, count, from + j->places[tap], apart, count, j->depth);
        else
            j->loops->load_rows(to, from + j->places[tap], &rows, 0, 0, 0);
}

/* Panels of the blocks from `begin` to before `end`. */
static void pack_panels(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const tni_maps *w = &j->call->w;
    const bool is_y = j->call->result == TNI_CONVOLVE_Y;
    const int64_t result_stride = is_y ? w->batch_stride : w->channel_stride;
    const int64_t depth_stride = is_y ? w->channel_stride : w->batch_stride;
    for (int64_t block = begin; block < end; block++) {
        const int64_t group = block / j->blocks, first = block_begin(j, block);
        const int64_t count = block_begin(j, block + 1) - first;
        const char *from = w->data + group * j->call->outputs * w->batch_stride +
                           (first - group * j->results) * result_stride;
        char *to = j->filters + first * j->taps * j->depth * j->loops->element;
        pack_panel(j, to, from, count, result_stride, depth_stride);
    }
}

static void write_filters(const job *j) {
    const tni_maps *w = &j->call->w;
    const int64_t count = j->taps * j->channels;
    for (int64_t part = 1; part < j->parts; part++)
        j->loops->add(j->filters, j->filters + part * count * j->loops->element, count);
    for (int64_t tap = 0; tap < j->taps; tap++)
        j->loops->store(w->data + j->places[tap], w->batch_stride,
                        j->filters + tap * j->channels * j->loops->element, j->channels,
                        j->call->alpha, j->call->beta);
}

/* --- The call --- */

/* Rows of the source that a place reads, along an axis, from the first to the last. */
static int64_t span_of(const tni_convolve *call, int k) {
    const int64_t reach = (call->w_shape[k] - 1) * call->dilations[k];
    const int64_t step = call->result == TNI_CONVOLVE_DX ? call->strides[k] : 1;
    const int64_t size = call->result == TNI_CONVOLVE_DX ? call->y_shape[k] : call->x_shape[k];
    return reach / step + 1 < size ? reach / step + 1 : size;
}

static bool lies_in_elements(const tni_maps *maps, int ndim, int64_t element) {
    bool is_whole = maps->channel_stride == element && maps->batch_stride % element == 0;
    for (int k = 0; k < ndim; k++)
        is_whole &= maps->strides[k] % element == 0;
    return is_whole;
}

/* Many channels of the source are summed where nothing is converted. */
static bool is_dense(const tni_convolve *call) {
    const bool is_y = call->result == TNI_CONVOLVE_Y;
    const bool is_working = call->dtype == TN_F32 || call->dtype == TN_F64;
    return is_working && call->result != TNI_CONVOLVE_DW && call->inputs * call->outputs > 1 &&
           (is_y ? call->outputs : call->inputs) >= tni_loops_level()->convolve[call->dtype].lanes;
}

bool tni_host_convolves_channels(const tni_convolve *call) {
    const int64_t element = tn_dtype_size(call->dtype);
    int64_t spans = 1, taps = 1;
    for (int k = 0; k < call->ndim - 1; k++) {
        spans *= span_of(call, k);
        taps *= call->w_shape[k];
    }
    const bool is_single = call->inputs == 1 && call->outputs == 1 &&
                           call->groups >= tni_loops_level()->convolve[call->dtype].lanes &&
                           spans <= KEPT_MOST * taps;
    return (is_single || is_dense(call)) && lies_in_elements(&call->x, call->ndim, element) &&
           lies_in_elements(&call->y, call->ndim, element);
}

/* Panels of whole vectors can be used in parts; the sums stand in the result meanwhile. */
static void describe_dense(job *j) {
    const tni_convolve *call = j->call;
    const int64_t lanes = j->loops->lanes, width = PANEL_VECTORS * lanes;
    const bool is_y = call->result == TNI_CONVOLVE_Y;
    j->depth = is_y ? call->inputs : call->outputs;
    j->results = is_y ? call->outputs : call->inputs;
    j->blocks = (j->results + width - 1) / width;
    if (j->blocks * lanes > j->results) j->blocks = 1;
    const int64_t rows = call->batch * j->rows, places = j->to_shape[call->ndim - 1];
    j->band = (PANEL_PLACES + places - 1) / places;
    if (j->band > rows) j->band = rows;
    j->chunk = j->depth;
    if (j->results % lanes || j->writes_rows) return;
    j->chunk = (places < SHORT ? SHORT_BYTES : PANEL_BYTES) / j->loops->element / width / j->taps;
    if (j->chunk < 16) j->chunk = 16;
    const int64_t chunks = (j->depth + j->chunk - 1) / j->chunk;
    j->chunk = (j->depth + chunks - 1) / chunks;
}

static void describe(job *j) {
    const tni_convolve *call = j->call;
    const int last = call->ndim - 1;
    const bool is_dx = call->result == TNI_CONVOLVE_DX, is_dw = call->result == TNI_CONVOLVE_DW;
    const bool is_working = call->dtype == TN_F32 || call->dtype == TN_F64;
    j->loops = &tni_loops_level()->convolve[call->dtype];
    j->from = is_dx ? &call->y : &call->x;
    j->to = is_dx ? &call->x : &call->y;
    j->from_shape = is_dx ? call->y_shape : call->x_shape;
    j->to_shape = is_dx ? call->x_shape : call->y_shape;
    j->step = is_dx ? call->strides[last] : 1;
    j->source_step = is_dx ? 1 : call->strides[last];
    j->channels = call->groups;
    j->blocks = j->channels * j->loops->element / BLOCK_BYTES;
    if (j->blocks < 1) j->blocks = 1;
    j->rows = j->outer_taps = 1;
    j->kept_count = is_working ? 0 : 1;
    j->writes_rows = !is_working || (!is_dw && (call->alpha != 1 || call->beta != 0));
    for (int k = 0; k < last; k++) {
        j->rows *= j->to_shape[k];
        j->outer_taps *= call->w_shape[k];
        j->kept[k] = span_of(call, k);
        j->kept_count *= j->kept[k];
    }
    j->taps = j->outer_taps * call->w_shape[last];
    j->parts = 1;
    j->is_dense = is_dense(call);
    if (j->is_dense) describe_dense(j);
    if (!is_dw) return;
    const int64_t rows = call->batch * j->rows, bytes = j->taps * j->channels * j->loops->element;
    j->parts = rows < PARTS ? rows : PARTS;
    while (j->parts > 1 && j->parts * bytes > PART_BYTES)
        j->parts /= 2;
}

static void run_dense(job *j) {
    const tni_convolve *call = j->call;
    const int64_t rows = call->batch * j->rows, blocks = call->groups * j->blocks;
    const int64_t bands = (rows + j->band - 1) / j->band;
    const int64_t products = j->taps * j->depth * (j->results / j->blocks + 1);
    const int64_t places = j->band * j->to_shape[call->ndim - 1] / j->step + 1;
    tni_parallel_units(blocks, 1 + products, pack_panels, j);
    tni_parallel_units(blocks * bands, 100 + products * places / j->loops->lanes / 4, run_bands, j);
}

static void run_job(job *j) {
    const tni_convolve *call = j->call;
    const int64_t rows = call->batch * j->rows;
    const int64_t vectors = j->channels / j->blocks / j->loops->lanes + 1;
    const int64_t ns = 100 + vectors * j->to_shape[call->ndim - 1] * (2 + j->taps) / 2 / j->step;
    list_segments(j);
    for (int64_t tap = 0; tap < j->taps; tap++)
        j->places[tap] = tap_place(call, tap);
    if (j->is_dense) {
        run_dense(j);
    } else if (call->result != TNI_CONVOLVE_DW) {
        read_filters(j);
        tni_parallel_units(j->blocks * rows, ns, run_rows, j);
    } else {
        memset(j->filters, 0, (size_t)(j->parts * j->taps * j->channels * j->loops->element));
        tni_parallel_units(j->blocks * j->parts, ns * (rows / j->parts + 1), run_parts, j);
        if (!atomic_load(&j->has_failed)) write_filters(j);
    }
}

tn_status tni_host_convolve_channels(const tni_convolve *call) {
    job j = {.call = call};
    tn_status status = TN_OK;
    describe(&j);
    const int last = call->ndim - 1;
    const int64_t width = call->w_shape[last], places = j.to_shape[last];
    const int64_t classes = j.step < places ? j.step : places;
    const int64_t cuts = classes * (2 * width + 1), most = cuts < places ? cuts : places;
    const size_t lists = (size_t)most * (sizeof *j.segments + (size_t)width * sizeof *j.list) +
                         (size_t)j.taps * sizeof *j.places;
    const int64_t channels = call->groups * call->inputs * call->outputs;
    const size_t filters = (size_t)(j.parts * j.taps * channels * j.loops->element);
    j.segments = tni_malloc(lists);
    const bool is_kept = filters <= KEPT_BYTES;
    j.filters = is_kept ? tni_scratch(TNI_SLOT_PARTS, filters) : tni_malloc(filters);
    if (j.segments && j.filters) {
        j.list = (tap *)(void *)(j.segments + most);
        j.places = (int64_t *)(void *)(j.list + most * width);
        run_job(&j);
    }
    if (!j.segments || !j.filters || atomic_load(&j.has_failed))
        status = tni_fail_no_memory((int64_t)(lists + filters));
    tni_free(j.segments);
    if (!is_kept) tni_free(j.filters);
    return status;
}
