/* The form "distance" on the host: one axis after the other, lines shared out to all threads.
 *
 * The first axis is scanned for columns side by side. Lines along another axis that do not lie side
 * by side are copied, some that are neighbours at once, so that whole cache lines are read. Where
 * an element takes the value of another, it takes its indices, too. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "forms/measure.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { COLUMNS = 64, TOGETHER = 8, SLOT_ROOM = 0, NS = 8, KEPT_BYTES = 8 << 20 };

typedef struct measuring {
    const tni_distance *call;
    const tni_distance_loops *loops;
    int64_t elements;
    int axis;
    int64_t length, inner; /* of the axis: its size, and elements from one index to the next */
    int64_t blocks;        /* of lines side by side, for one index of the axes before */
    atomic_bool is_out_of_memory;
} measuring;

static int32_t *indices_of(const measuring *m, int axis) {
    return m->call->indices ? m->call->indices + axis * m->elements : NULL;
}

/* Memory of a thread: kept for the next call, or (*owned) to be freed where it is much. NULL: there
 * is none, and the call says so. */
static void *take_room(measuring *m, size_t bytes, void **owned) {
    *owned = bytes > KEPT_BYTES ? tni_malloc(bytes) : NULL;
    void *room = bytes > KEPT_BYTES ? *owned : tni_scratch(SLOT_ROOM, bytes);
    if (!room) atomic_store(&m->is_out_of_memory, true);
    return room;
}

/* --- The first axis --- */

static void scan_blocks(void *context, int64_t begin, int64_t end) {
    measuring *m = context;
    const tni_distance *call = m->call;
    const int64_t columns = m->inner < COLUMNS ? m->inner : COLUMNS;
    void *owned;
    int32_t *room = take_room(m, (size_t)((m->length + 1) * columns) * sizeof *room, &owned);
    if (!room) return;
    for (int64_t block = begin; block < end; block++) {
        const int64_t at = block * COLUMNS;
        int32_t *nearest = indices_of(m, 0);
        const tni_distance_columns some = {
            .mask = call->mask + at,
            .values = call->distances + at,
            .nearest = nearest ? nearest + at : NULL,
            .length = m->length,
            .stride = m->inner,
            .columns = m->inner - at < COLUMNS ? m->inner - at : COLUMNS,
            .sampling = call->sampling[0],
            .is_squared = call->metric == TN_DISTANCE_EUCLIDEAN,
            .room = room,
        };
        m->loops->columns(&some);
    }
    tni_free(owned);
}

/* --- The other axes --- */

/* What a thread needs for lines: a copy of some, and what an envelope is made of. */
typedef struct lines_room {
    double *values;
    int32_t *taken; /* indices before they are replaced */
    void *owned;    /* memory that is not kept; NULL: none */
    tni_distance_line line;
} lines_room;

static bool make_room(lines_room *r, measuring *m) {
    const size_t n = (size_t)m->length, pads = TNI_DISTANCE_PAD + TNI_DISTANCE_END;
    const size_t copies = m->inner > 1 ? TOGETHER : 0, doubles = (copies + 2) * n + pads;
    char *memory = take_room(m, doubles * sizeof(double) + 4 * n * sizeof(int32_t), &r->owned);
    if (!memory) return false;
    r->values = (double *)(void *)memory;
    r->line.site_values = r->values + copies * n;
    r->line.padded = r->line.site_values + n + TNI_DISTANCE_PAD;
    r->line.sites = (int32_t *)(void *)(r->values + doubles);
    r->line.begins = r->line.sites + n;
    r->line.nearest = m->call->indices ? r->line.begins + n : NULL;
    r->taken = r->line.begins + 2 * n;
    r->line.length = m->length;
    r->line.sampling = m->call->sampling[m->axis];
    return true;
}

/* The element at `x` has the indices of the one at nearest[x], and that along this axis. */
static void take_indices(const measuring *m, const lines_room *r, int64_t at) {
    const int32_t *nearest = r->line.nearest;
    if (nearest[0] < 0) return;
    for (int axis = 0; axis < m->axis; axis++) {
        int32_t *indices = indices_of(m, axis) + at;
        for (int64_t x = 0; x < m->length; x++)
            r->taken[x] = indices[nearest[x] * m->inner];
        for (int64_t x = 0; x < m->length; x++)
            indices[x * m->inner] = r->taken[x];
    }
    int32_t *own = indices_of(m, m->axis) + at;
    for (int64_t x = 0; x < m->length; x++)
        own[x * m->inner] = nearest[x];
}

static void run_line(const measuring *m, lines_room *r, double *values, int64_t at) {
    const tni_distance *call = m->call;
    r->line.values = values;
    m->loops->line[call->metric](&r->line);
    if (call->indices) take_indices(m, r, at);
    if (m->axis == call->ndim - 1 && call->metric == TN_DISTANCE_EUCLIDEAN)
        m->loops->roots(values, m->length);
}

/* `count` lines that begin at `at` and beside it. */
static void run_together(const measuring *m, lines_room *r, int64_t at, int64_t count) {
    double *values = m->call->distances + at;
    for (int64_t x = 0; x < m->length; x++)
        for (int64_t k = 0; k < count; k++)
            r->values[k * m->length + x] = values[x * m->inner + k];
    for (int64_t k = 0; k < count; k++)
        run_line(m, r, r->values + k * m->length, at + k);
    for (int64_t x = 0; x < m->length; x++)
        for (int64_t k = 0; k < count; k++)
            values[x * m->inner + k] = r->values[k * m->length + x];
}

static void run_blocks(void *context, int64_t begin, int64_t end) {
    measuring *m = context;
    lines_room r;
    if (!make_room(&r, m)) return;
    for (int64_t block = begin; block < end; block++) {
        const int64_t outer = block / m->blocks, first = block % m->blocks * TOGETHER;
        const int64_t at = outer * m->length * m->inner + first;
        const int64_t left = m->inner - first;
        if (m->inner == 1)
            run_line(m, &r, m->call->distances + at, at);
        else
            run_together(m, &r, at, left < TOGETHER ? left : TOGETHER);
    }
    tni_free(r.owned);
}

/* --- No element is 0 --- */

static void measure_none(const measuring *m) {
    const tni_distance *call = m->call;
    int64_t place[TN_MAX_NDIM] = {0};
    for (int64_t at = 0; at < m->elements; at++) {
        double sum = 0;
        for (int axis = 0; axis < call->ndim; axis++) {
            const int64_t first = call->none == TN_DISTANCE_BEFORE && axis == 0 ? -1 : 0;
            const double distance = (double)(place[axis] - first) * call->sampling[axis];
            sum += distance * distance;
            if (call->indices)
                indices_of(m, axis)[at] =
                    (int32_t)(call->none == TN_DISTANCE_ITSELF ? place[axis] : first);
        }
        if (call->none != TN_DISTANCE_FIRST)
            call->distances[at] = call->none == TN_DISTANCE_ITSELF ? -1 : sqrt(sum);
        for (int axis = call->ndim - 1; axis >= 0 && ++place[axis] == call->shape[axis]; axis--)
            place[axis] = 0;
    }
}

/* --- Plan --- */

tn_status tni_host_run_distance(void *parameters) {
    const tni_distance *call = parameters;
    measuring m = {.call = call, .loops = tni_loops_level()->distance};
    m.elements = tni_image_elements(call->ndim, call->shape);
    m.length = call->shape[0];
    m.inner = m.elements / m.length;
    tni_parallel_units((m.inner + COLUMNS - 1) / COLUMNS,
                       m.length * (m.inner < COLUMNS ? m.inner : COLUMNS), scan_blocks, &m);
    for (m.axis = 1; m.axis < call->ndim; m.axis++) {
        m.length = call->shape[m.axis];
        m.inner /= m.length;
        m.blocks = (m.inner + TOGETHER - 1) / TOGETHER;
        const int64_t some = m.inner < TOGETHER ? m.inner : TOGETHER;
        tni_parallel_units(m.elements / (m.length * m.inner) * m.blocks, m.length * some * NS,
                           run_blocks, &m);
    }
    if (atomic_load(&m.is_out_of_memory)) return tni_fail_no_memory(m.length * COLUMNS);
    if (call->ndim == 1 && call->metric == TN_DISTANCE_EUCLIDEAN)
        m.loops->roots(call->distances, m.elements);
    if (isinf(call->distances[0])) measure_none(&m);
    return TN_OK;
}

TNI_HOST_PLAN(distance, tni_image_elements(call->ndim, call->shape))
