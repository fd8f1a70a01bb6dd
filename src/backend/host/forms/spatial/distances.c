/* The form "distances" on the host: the rows of b become panels (loops/spatial/metric_loops.h);
 * tiles of rows of a by panels are shared out among the threads. */
#include "backend/host/forms/forms.h"
#include "backend/host/loops/level.h"
#include "backend/host/threads.h"
#include "core/base/alloc.h"
#include "forms/spatial.h"

#include <string.h>

enum {
    ROWS = TNI_DISTANCE_ROWS,
    TILE_ROWS = 64,     /* of a, at most */
    TILE_BYTES = 32768, /* that these rows have, about */
    TILE_PANELS = 16,
    FEW_BYTES = 16384 /* of panels, which lie on the stack */
};

typedef struct measuring {
    const tni_distances *call;
    const tni_metric_loops *loops;
    int64_t item, tile_rows, panels, panel_tiles;
    char *packed, *norms_a, *norms_b;
    bool is_pairs;
} measuring;

static void pack_f32(float *to, const float *from, int64_t columns, int lanes, int64_t rows) {
    for (int64_t k = 0; k < columns; k++)
        for (int j = 0; j < lanes; j++)
            to[k * lanes + j] = from[(j < rows ? j : rows - 1) * columns + k];
}

static void pack_f64(double *to, const double *from, int64_t columns, int lanes, int64_t rows) {
    for (int64_t k = 0; k < columns; k++)
        for (int j = 0; j < lanes; j++)
            to[k * lanes + j] = from[(j < rows ? j : rows - 1) * columns + k];
}

static void pack(void *context, int64_t begin, int64_t end) {
    const measuring *m = context;
    const int lanes = m->loops->lanes;
    const int64_t columns = m->call->columns, bytes = columns * lanes * m->item;
    for (int64_t panel = begin; panel < end; panel++) {
        const char *from = (const char *)(m->is_pairs ? m->call->a : m->call->b) +
                           panel * lanes * columns * m->item;
        char *to = m->packed + panel * bytes;
        const int64_t rest = m->call->count_b - panel * lanes;
        if (m->item == 4)
            pack_f32((float *)(void *)to, (const float *)(const void *)from, columns, lanes, rest);
        else
            pack_f64((double *)(void *)to, (const double *)(const void *)from, columns, lanes,
                     rest);
    }
}

/* Writes the distances of row i with the panel's rows, as far as they are wanted. */
static void store(const measuring *m, int64_t i, int64_t panel, const char *values) {
    const tni_distances *call = m->call;
    const int64_t lanes = m->loops->lanes, first = panel * lanes;
    const int64_t end = first + lanes < call->count_b ? first + lanes : call->count_b;
    const int64_t from = m->is_pairs && i + 1 > first ? i + 1 : first;
    const int64_t row =
        m->is_pairs ? i * (2 * call->count_a - i - 1) / 2 - i - 1 : i * call->count_b;
    if (from < end)
        memcpy((char *)call->output + (row + from) * m->item, values + (from - first) * m->item,
               (size_t)((end - from) * m->item));
}

static void measure_block(const measuring *m, int64_t i, int64_t rows, int64_t panel) {
    const tni_distances *call = m->call;
    const int64_t lanes = m->loops->lanes, item = m->item;
    _Alignas(64) char sums[ROWS * TNI_DISTANCE_BYTES], others[ROWS * TNI_DISTANCE_BYTES];
    _Alignas(64) char norms[ROWS * 8] = {0}, panel_norms[TNI_DISTANCE_BYTES] = {0};
    tni_distance_block block = {.panel = m->packed + panel * lanes * call->columns * item,
                                .weights = call->weights,
                                .columns = call->columns,
                                .p = call->p,
                                .sums = sums,
                                .others = others};
    for (int64_t k = 0; k < ROWS; k++)
        block.rows[k] =
            (const char *)call->a + (i + (k < rows ? k : rows - 1)) * call->columns * item;
    m->loops->sums[call->sum][call->weights != NULL](&block);
    if (m->norms_a) {
        const int64_t rest = call->count_b - panel * lanes;
        memcpy(norms, m->norms_a + i * item, (size_t)(rows * item));
        memcpy(panel_norms, m->norms_b + panel * lanes * item,
               (size_t)((rest < lanes ? rest : lanes) * item));
    }
    if (call->end != TN_END_SUM) {
        const tni_distance_ends ends = {call->end,   norms,       panel_norms, call->p,
                                        call->scale, call->total, sums,        others};
        m->loops->end(&ends);
    }
    for (int64_t k = 0; k < rows; k++)
        store(m, i + k, panel, sums + k * lanes * item);
}

static void measure(void *context, int64_t begin, int64_t end) {
    const measuring *m = context;
    const int64_t lanes = m->loops->lanes;
    for (int64_t tile = begin; tile < end; tile++) {
        const int64_t first = tile / m->panel_tiles * m->tile_rows;
        const int64_t first_panel = tile % m->panel_tiles * TILE_PANELS;
        for (int64_t panel = first_panel; panel < first_panel + TILE_PANELS && panel < m->panels;
             panel++)
            for (int64_t i = first; i < first + m->tile_rows && i < m->call->count_a; i += ROWS) {
                const int64_t rest = m->call->count_a - i;
                if (m->is_pairs && (panel + 1) * lanes <= i + 1) break;
                measure_block(m, i, rest < ROWS ? rest : ROWS, panel);
            }
    }
}

static void find_norms(measuring *m) {
    const tni_distances *call = m->call;
    m->loops->norms(m->norms_a, call->a, call->weights, call->count_a, call->columns, call->norm);
    if (m->is_pairs)
        m->norms_b = m->norms_a;
    else
        m->loops->norms(m->norms_b, call->b, call->weights, call->count_b, call->columns,
                        call->norm);
}

/* Nanoseconds of a column of two rows, roughly. */
static double column_ns(const tni_distances *call) {
    const bool is_slow =
        call->sum == TN_SUM_POWER || call->sum == TN_SUM_ENTROPY || call->sum == TN_SUM_JENSEN;
    return is_slow ? 20 : call->sum == TN_SUM_QUADRATIC ? 0.2 * (double)call->columns : 0.2;
}

tn_status tni_host_run_distances(void *parameters) {
    const tni_distances *call = parameters;
    _Alignas(64) char few[FEW_BYTES];
    measuring m = {.call = call,
                   .loops = tni_loops_level()->metrics[call->dtype == TN_F64],
                   .item = tn_dtype_size(call->dtype),
                   .is_pairs = call->b == NULL};
    const int64_t lanes = m.loops->lanes, row_bytes = call->columns * m.item;
    m.panels = (call->count_b + lanes - 1) / lanes;
    m.panel_tiles = (m.panels + TILE_PANELS - 1) / TILE_PANELS;
    m.tile_rows = row_bytes ? TILE_BYTES / row_bytes & -ROWS : TILE_ROWS;
    m.tile_rows = m.tile_rows < ROWS ? ROWS : m.tile_rows > TILE_ROWS ? TILE_ROWS : m.tile_rows;
    const int64_t norms = call->norm != TN_NORM_NONE ? (call->count_a + call->count_b) * m.item : 0;
    const int64_t bytes = m.panels * lanes * row_bytes + norms + 64;
    char *all = bytes <= FEW_BYTES ? few : tni_malloc((size_t)bytes);
    if (!all) return tni_fail_no_memory(bytes);
    m.packed = all;
    if (norms) {
        m.norms_a = all + m.panels * lanes * row_bytes;
        m.norms_b = m.norms_a + call->count_a * m.item;
        find_norms(&m);
    }
    tni_parallel_units(m.panels, lanes * call->columns, pack, &m);
    const int64_t row_tiles = (call->count_a + m.tile_rows - 1) / m.tile_rows;
    const int64_t panels = m.panels < TILE_PANELS ? m.panels : TILE_PANELS;
    const double pairs = (double)(m.tile_rows * panels * lanes);
    tni_parallel_units(row_tiles * m.panel_tiles,
                       (int64_t)(pairs * (1 + column_ns(call) * (double)call->columns)), measure,
                       &m);
    if (all != few) tni_free(all);
    return TN_OK;
}

TNI_HOST_PLAN(distances, call->count_a * call->count_b * (call->columns + 1))
