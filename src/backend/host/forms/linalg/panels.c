/* Products of matrices over packed panels.
 *
 * Operands are packed a strip and a step of the depth at a time, panels of a few rows of a and of a
 * few columns of b, and multiplied in tiles that stay in the caches: a panel of b in L1, a block of
 * a in L2. Tasks are blocks of the result, or pieces of the depth where the result is small. All
 * sizes are fixed, so sums do not depend on the number of threads. */
#include "backend/host/forms/linalg/panels.h"

#include "backend/host/product.h"
#include "backend/host/scratch.h"
#include "backend/host/threads.h"

#include <stdatomic.h>
#include <string.h>

enum {
    STRIP_ROWS = 2016, /* of one pass over packed operands; a multiple of every tile's */
    STRIP_COLUMNS = 2048,
    DEPTH = 256,      /* of a panel, in real numbers: a panel of b fills half of L1 */
    BLOCK_ROWS = 96,  /* of a compute task: its part of a stays in L2 */
    BLOCK_PANELS = 8, /* of b in a compute task */
    DEEP_PIECE = 8192 /* of the depth of a small result */
};

/* --- Products over packed panels --- */

/* One pass: a strip of the result, one step of the depth. */
typedef struct pass {
    const tni_matmul_kernel *kernel;
    tni_matmul_view out, a, b;
    int64_t rows, columns, depth;
    char *packed_a, *packed_b;
    bool accumulate, wide;
    bool symmetric; /* what lies below the diagonal is left out; */
    int64_t below;  /* the pass begins so many rows below it */
} pass;

static void pack(void *context, int64_t begin, int64_t end) {
    const pass *p = context;
    const tni_matmul_kernel *kernel = p->kernel;
    int64_t height = kernel->rows, width = kernel->columns, of_a = tni_chunks(p->rows, height);
    for (int64_t i = begin; i < tni_smaller(end, of_a); i++)
        kernel->pack_a(p->packed_a + i * height * p->depth * kernel->a_bytes,
                       tni_matmul_at(p->a, i * height, 0),
                       tni_smaller(height, p->rows - i * height), p->depth);
    for (int64_t j = (begin > of_a ? begin : of_a) - of_a; j < end - of_a; j++)
        kernel->pack_b(p->packed_b + j * width * p->depth * kernel->b_bytes,
                       tni_matmul_at(p->b, 0, j * width), p->depth,
                       tni_smaller(width, p->columns - j * width));
}

static void compute(void *context, int64_t begin, int64_t end) {
    const pass *p = context;
    const tni_matmul_kernel *kernel = p->kernel;
    int64_t width = (int64_t)kernel->columns * BLOCK_PANELS, across = tni_chunks(p->columns, width);
    for (int64_t task = begin; task < end; task++) {
        int64_t i = task / across * BLOCK_ROWS, j = task % across * width;
        if (p->symmetric && p->below + i >= j + width) continue;
        kernel->block(tni_matmul_at(p->out, i, j), p->packed_a + i * p->depth * kernel->a_bytes,
                      p->packed_b + j * p->depth * kernel->b_bytes,
                      tni_smaller(BLOCK_ROWS, p->rows - i), tni_smaller(width, p->columns - j),
                      p->depth, p->accumulate, p->wide);
    }
}

static void run_pass(pass *p) {
    int64_t width = (int64_t)p->kernel->columns * BLOCK_PANELS;
    int64_t panels =
        tni_chunks(p->rows, p->kernel->rows) + tni_chunks(p->columns, p->kernel->columns);
    tni_parallel(panels, tni_matmul_grain(p->kernel->rows * p->depth), pack, p);
    tni_parallel(tni_chunks(p->rows, BLOCK_ROWS) * tni_chunks(p->columns, width),
                 tni_matmul_grain(tni_smaller(p->rows, BLOCK_ROWS) *
                                  tni_smaller(p->columns, width) * p->depth),
                 compute, p);
}

/* Of one pass. */
static int64_t depth_of(const tni_matmul_kernel *kernel) {
    return DEPTH * kernel->a_bytes / kernel->b_bytes;
}

/* A product no larger than a strip, step by step through the depth; `wide`: out receives sums. */
static tn_status run_strip(const tni_product *w, tni_matmul_view out, bool wide, bool symmetric,
                           int64_t below) {
    int64_t step = tni_smaller(depth_of(w->kernel), w->k);
    int64_t rows = tni_chunks(w->m, w->kernel->rows) * w->kernel->rows;
    int64_t columns = tni_chunks(w->n, w->kernel->columns) * w->kernel->columns;
    size_t a_bytes = (size_t)(rows * step * w->kernel->a_bytes);
    size_t b_bytes = (size_t)(columns * step * w->kernel->b_bytes);
    pass p = {.kernel = w->kernel,
              .out = out,
              .rows = w->m,
              .columns = w->n,
              .wide = wide,
              .symmetric = symmetric,
              .below = below};
    p.packed_a = tni_scratch(0, a_bytes);
    if (!p.packed_a) return tni_fail_no_memory((int64_t)a_bytes);
    p.packed_b = tni_scratch(1, b_bytes);
    if (!p.packed_b) return tni_fail_no_memory((int64_t)b_bytes);
    for (int64_t d = 0; d < w->k; d += step) {
        p.depth = tni_smaller(step, w->k - d);
        p.a = tni_matmul_at(w->a, 0, d);
        p.b = tni_matmul_at(w->b, d, 0);
        p.accumulate = d > 0;
        run_pass(&p);
    }
    return TN_OK;
}

/* Sums of m x n elements in C order. */
static tni_matmul_view sums_at(const tni_product *w, char *data) {
    return (tni_matmul_view){data, w->n * w->kernel->sum_bytes, w->kernel->sum_bytes};
}

/* The size of strips: as few as there must be, none much smaller than the others; whole panels. */
static int64_t share_of(int64_t size, int64_t most, int64_t panel) {
    return tni_chunks(tni_chunks(size, tni_chunks(size, most)), panel) * panel;
}

/* All strips. Sums that a stored element would round wait in a buffer until the depth is
 * through. */
static tn_status run_strips(const tni_product *w) {
    bool wide = w->kernel->rounds_sums && w->k > depth_of(w->kernel);
    bool symmetric = w->m == w->n && tni_matmul_is_symmetric(w->a, w->b);
    int64_t rows = share_of(w->m, STRIP_ROWS, w->kernel->rows);
    int64_t columns = share_of(w->n, STRIP_COLUMNS, w->kernel->columns);
    for (int64_t i = 0; i < w->m; i += rows)
        for (int64_t j = 0; j < w->n; j += columns) {
            if (symmetric && i >= j + columns) continue;
            tni_product strip = *w;
            strip.m = tni_smaller(rows, w->m - i);
            strip.n = tni_smaller(columns, w->n - j);
            strip.out = tni_matmul_at(w->out, i, j);
            strip.a = tni_matmul_at(w->a, i, 0);
            strip.b = tni_matmul_at(w->b, 0, j);
            tni_matmul_view sums = sums_at(&strip, NULL);
            if (wide && !(sums.data = tni_scratch(2, (size_t)(strip.m * sums.row_stride))))
                return tni_fail_no_memory(strip.m * sums.row_stride);
            TNI_TRY(run_strip(&strip, wide ? sums : strip.out, wide, symmetric, i - j));
            if (wide) w->kernel->store(strip.out, sums, strip.m, strip.n);
        }
    if (symmetric) tni_matmul_mirror(w->out, w->m, tn_dtype_size(w->dtype));
    return TN_OK;
}

/* --- Small results of great depth: the depth is shared out --- */

typedef struct deep {
    const tni_product *w;
    char *sums;
    int64_t bytes; /* of the sums of one piece */
    atomic_bool failed;
} deep;

static void multiply_depth(void *context, int64_t begin, int64_t end) {
    deep *d = context;
    for (int64_t k = begin; k < end; k++) {
        tni_product piece = *d->w;
        piece.k = tni_smaller(DEEP_PIECE, d->w->k - k * DEEP_PIECE);
        piece.a = tni_matmul_at(d->w->a, 0, k * DEEP_PIECE);
        piece.b = tni_matmul_at(d->w->b, k * DEEP_PIECE, 0);
        if (run_strip(&piece, sums_at(&piece, d->sums + k * d->bytes), true, false, 0))
            d->failed = true;
    }
}

static tn_status run_deep(const tni_product *w) {
    int64_t count = tni_chunks(w->k, DEEP_PIECE), bytes = w->m * w->n * w->kernel->sum_bytes;
    deep d = {.w = w, .sums = tni_scratch(3, (size_t)(count * bytes)), .bytes = bytes};
    if (!d.sums) return tni_fail_no_memory(count * bytes);
    tni_parallel(count, 1, multiply_depth, &d);
    if (d.failed) return tni_fail_no_memory(0);
    for (int64_t k = 1; k < count; k++)
        w->kernel->merge(d.sums, d.sums + k * bytes, w->m * w->n);
    w->kernel->store(w->out, sums_at(w, d.sums), w->m, w->n);
    return TN_OK;
}

static bool is_deep(const tni_product *w) {
    return w->k >= 2 * DEEP_PIECE && w->m <= BLOCK_ROWS &&
           w->n <= (int64_t)w->kernel->columns * BLOCK_PANELS;
}

/* The same in one go, for matrices that need no thread and no step of the depth. */
static tn_status run_small(const tni_product *w) {
    const tni_matmul_kernel *kernel = w->kernel;
    int64_t height = kernel->rows, width = kernel->columns;
    size_t a_bytes = (size_t)((w->m + height) * w->k * kernel->a_bytes);
    size_t b_bytes = (size_t)((w->n + width) * w->k * kernel->b_bytes);
    char *a = tni_scratch(0, a_bytes), *b = tni_scratch(1, b_bytes);
    if (!a || !b) return tni_fail_no_memory((int64_t)(a_bytes + b_bytes));
    for (int64_t i = 0; i < w->m; i += height)
        kernel->pack_a(a + i * w->k * kernel->a_bytes, tni_matmul_at(w->a, i, 0),
                       tni_smaller(height, w->m - i), w->k);
    for (int64_t j = 0; j < w->n; j += width)
        kernel->pack_b(b + j * w->k * kernel->b_bytes, tni_matmul_at(w->b, 0, j), w->k,
                       tni_smaller(width, w->n - j));
    kernel->block(w->out, a, b, w->m, w->n, w->k, false, false);
    return TN_OK;
}

tn_status tni_product_run_panels(const tni_product *w) {
    if (w->m * w->n * w->k <= TNI_MATMUL_THREAD_WORK && w->k <= depth_of(w->kernel))
        return run_small(w);
    return is_deep(w) ? run_deep(w) : run_strips(w);
}
