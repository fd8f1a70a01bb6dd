/* The form "image_map" on the host.
 *
 * Outputs along a row whose places depend on their column alone share tables: a unit of the
 * threads' work is a number of rows of some columns. All other outputs are computed point by point,
 * a block of them at a time. */
#include "backend/host/forms/convert.h"
#include "backend/host/forms/forms.h"
#include "backend/host/loops.h"
#include "backend/host/loops/level.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"
#include "forms/image_map.h"

#include <string.h>

enum { SLOT = 0, ROWS = 32, NUMBERS = TNI_MAP_BLOCK * TNI_MAP_INNER };

typedef struct mapping {
    const tni_image_map *call;
    const tni_map_loops *loops;
    tni_loop convert; /* NULL: values are the result */
    int bits;         /* of an integer; 1: bool; 0: a float */
    bool is_signed;
    int64_t item, width; /* bytes of a number of the result; outputs of a row */
    int64_t groups;      /* of columns */
    int64_t rows;        /* of a unit */
} mapping;

/* n numbers of the result from the one at `at` on. */
static void store(const mapping *m, int64_t at, const void *values, int64_t n) {
    char *to = m->call->result + at * m->item;
    double integers[NUMBERS];
    int64_t from_item = m->call->dtype == TN_F32 ? 4 : 8;
    for (int64_t done = 0, some; m->convert && done < n; done += some) {
        const void *from = (const char *)values + done * from_item;
        some = n - done < NUMBERS ? n - done : NUMBERS;
        if (m->bits) {
            m->loops->integers(integers, from, some, m->bits, m->is_signed);
            from = integers;
        }
        tni_convert(m->convert, from, m->bits ? (int64_t)sizeof *integers : from_item,
                    to + done * m->item, m->item, some);
    }
    if (!m->convert) memcpy(to, values, (size_t)(n * m->item));
}

/* Outputs [begin, end), cut at the ends of rows. */
static void map_points(void *context, int64_t begin, int64_t end) {
    const mapping *m = context;
    const int inner = m->call->inner;
    _Alignas(64) double values[NUMBERS];
    for (int64_t at = begin, n; at < end; at += n) {
        const int64_t left = m->width - at % m->width;
        n = end - at < TNI_MAP_BLOCK ? end - at : TNI_MAP_BLOCK;
        n = n < left ? n : left;
        m->loops->points(m->call, at, n, values);
        store(m, at * inner, values, n * inner);
    }
}

static void map_rows(void *context, int64_t begin, int64_t end) {
    mapping *m = context;
    const int64_t rows = m->call->count / m->width;
    _Alignas(64) double values[TNI_MAP_COLUMNS];
    tni_map_columns *columns = tni_scratch(SLOT, sizeof *columns);
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t first = unit % m->groups * TNI_MAP_COLUMNS, row = unit / m->groups * m->rows;
        const int64_t last = row + m->rows < rows ? row + m->rows : rows;
        const int64_t left = m->width - first;
        const int64_t n = left < TNI_MAP_COLUMNS ? left : TNI_MAP_COLUMNS;
        if (columns) {
            columns->first = first;
            columns->count = n;
        }
        const bool has_tables = columns && m->loops->columns(m->call, columns);
        for (int64_t k = row; k < last; k++) {
            const int64_t at = k * m->width + first;
            if (!has_tables) {
                map_points(m, at, at + n);
                continue;
            }
            m->loops->row(m->call, columns, k, values);
            store(m, at, values, n);
        }
    }
}

static int64_t taps_of(const tni_image_map *call) {
    int64_t taps = 1;
    for (int k = 0; k < call->mapped && taps < 4096; k++)
        taps *= call->order + 1;
    return taps;
}

tn_status tni_host_run_image_map(void *parameters) {
    const tni_image_map *call = parameters;
    const int last = call->mapped - 1;
    mapping m = {.call = call};
    m.loops = tni_loops_level()->map[call->dtype == TN_F64];
    const tn_kind kind = tn_dtype_kind(call->output);
    m.item = tn_dtype_size(call->output);
    m.bits = kind == TN_KIND_BOOL ? 1 : kind < TN_KIND_FLOAT ? (int)(8 * m.item) : 0;
    m.is_signed = kind == TN_KIND_SIGNED;
    m.convert = call->output == call->dtype
                    ? NULL
                    : tni_cast_find(m.bits ? TN_F64 : call->dtype, call->output);
    m.width = call->shape[call->axes - 1];
    const bool has_columns = call->places == TNI_MAP_APART && call->axes > 1 && call->inner == 1 &&
                             call->of[last] == call->axes - 1 && call->steps[last] == 1;
    if (!has_columns) {
        const int64_t ns = 10 + taps_of(call) * call->inner / 2;
        tni_parallel_short(call->count, 1 + 1000 / ns, map_points, &m);
        return TN_OK;
    }
    const int64_t rows = call->count / m.width;
    m.groups = (m.width + TNI_MAP_COLUMNS - 1) / TNI_MAP_COLUMNS;
    m.rows = rows < ROWS ? rows : ROWS;
    const int64_t columns = m.width < TNI_MAP_COLUMNS ? m.width : TNI_MAP_COLUMNS;
    tni_parallel_units(m.groups * ((rows + m.rows - 1) / m.rows),
                       columns * (m.rows * (2 + taps_of(call) / 4) + 20), map_rows, &m);
    return TN_OK;
}

TNI_HOST_PLAN(image_map, call->count * call->inner)
