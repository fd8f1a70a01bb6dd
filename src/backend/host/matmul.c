/* Matrix products on the host.
 *
 * Four ways, by size: matrices of a few elements go to plain loops; a product with a vector reads the
 * matrix once, in the order it lies in; large matrices of the dtypes that BLAS has go to it; the rest
 * runs over packed panels, in tiles that stay in the caches (a block of b's panel in
 * L1, of a in L2). A batch is shared out among the threads by whole matrices, unless they are few and
 * large. Tiles have fixed sizes, so sums do not depend on the number of threads. */
#include "core/matmul.h"
#include "backend/host/blas.h"
#include "backend/host/host.h"
#include "backend/host/loops.h"
#include "backend/host/loops/matmul_loops.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    TINY_WORK = 128,       /* multiplications of a matrix that plain loops do best */
    THREAD_WORK = 1 << 15, /* multiplications that are worth waking a thread */
    STRIP_ROWS = 1008,     /* of one pass over packed operands; a multiple of every tile's */
    STRIP_COLUMNS = 1024,
    DEPTH_BYTES = 1024,  /* of one row of a in a panel: panels of b fill half of L1 */
    BLOCK_ROWS = 96,     /* of a compute task: its part of a stays in L2 */
    BLOCK_PANELS = 8,    /* of b in a compute task */
    DOT_PIECE = 1 << 15, /* of a long dot product */
    DEEP_PIECE = 8192    /* of the depth of a small result */
};

typedef struct product {
    const tni_matmul_kernel *kernel;
    tn_dtype dtype;
    bool conjugate;
    int64_t m, n, k;
    tni_matmul_view out, a, b;
} product;

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t chunks(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}

/* How many pieces of `work` multiplications make a task of their own. */
static int64_t grain_of(int64_t work) {
    return work >= THREAD_WORK ? 1 : THREAD_WORK / (work > 0 ? work : 1);
}

static tni_matmul_view transposed(tni_matmul_view view) {
    return (tni_matmul_view){view.data, view.column_stride, view.row_stride};
}

/* The same product transposed. */
static void turn(product *w) {
    *w = (product){.kernel = w->kernel,
                   .dtype = w->dtype,
                   .m = w->n,
                   .n = w->m,
                   .k = w->k,
                   .out = transposed(w->out),
                   .a = transposed(w->b),
                   .b = transposed(w->a)};
}

static tni_matmul_view at(tni_matmul_view view, int64_t row, int64_t column) {
    view.data += row * view.row_stride + column * view.column_stride;
    return view;
}

/* --- Products over packed panels --- */

/* One pass: a strip of the result, one step of the depth. */
typedef struct pass {
    const tni_matmul_kernel *kernel;
    tni_matmul_view out, a, b;
    int64_t rows, columns, depth;
    char *packed_a, *packed_b;
    bool accumulate, wide;
} pass;

static void pack(void *context, int64_t begin, int64_t end) {
    const pass *p = context;
    const tni_matmul_kernel *kernel = p->kernel;
    int64_t height = kernel->rows, width = kernel->columns, of_a = chunks(p->rows, height);
    for (int64_t i = begin; i < smaller(end, of_a); i++)
        kernel->pack_a(p->packed_a + i * height * p->depth * kernel->a_bytes,
                       at(p->a, i * height, 0), smaller(height, p->rows - i * height), p->depth);
    for (int64_t j = (begin > of_a ? begin : of_a) - of_a; j < end - of_a; j++)
        kernel->pack_b(p->packed_b + j * width * p->depth * kernel->b_bytes, at(p->b, 0, j * width),
                       p->depth, smaller(width, p->columns - j * width));
}

static void compute(void *context, int64_t begin, int64_t end) {
    const pass *p = context;
    const tni_matmul_kernel *kernel = p->kernel;
    int64_t width = (int64_t)kernel->columns * BLOCK_PANELS, across = chunks(p->columns, width);
    for (int64_t task = begin; task < end; task++) {
        int64_t i = task / across * BLOCK_ROWS, j = task % across * width;
        kernel->block(at(p->out, i, j), p->packed_a + i * p->depth * kernel->a_bytes,
                      p->packed_b + j * p->depth * kernel->b_bytes,
                      smaller(BLOCK_ROWS, p->rows - i), smaller(width, p->columns - j), p->depth,
                      p->accumulate, p->wide);
    }
}

static void run_pass(pass *p) {
    int64_t width = (int64_t)p->kernel->columns * BLOCK_PANELS;
    int64_t panels = chunks(p->rows, p->kernel->rows) + chunks(p->columns, p->kernel->columns);
    tni_parallel(panels, grain_of(p->kernel->rows * p->depth), pack, p);
    tni_parallel(chunks(p->rows, BLOCK_ROWS) * chunks(p->columns, width),
                 grain_of(smaller(p->rows, BLOCK_ROWS) * smaller(p->columns, width) * p->depth),
                 compute, p);
}

/* A product no larger than a strip, step by step through the depth; `wide`: out receives sums. */
static tn_status run_strip(const product *w, tni_matmul_view out, bool wide) {
    int64_t step = smaller(DEPTH_BYTES / w->kernel->a_bytes, w->k);
    int64_t rows = chunks(w->m, w->kernel->rows) * w->kernel->rows;
    int64_t columns = chunks(w->n, w->kernel->columns) * w->kernel->columns;
    size_t a_bytes = (size_t)(rows * step * w->kernel->a_bytes);
    size_t b_bytes = (size_t)(columns * step * w->kernel->b_bytes);
    pass p = {.kernel = w->kernel, .out = out, .rows = w->m, .columns = w->n, .wide = wide};
    p.packed_a = tni_scratch(0, a_bytes);
    if (!p.packed_a) return tni_fail_no_memory((int64_t)a_bytes);
    p.packed_b = tni_scratch(1, b_bytes);
    if (!p.packed_b) return tni_fail_no_memory((int64_t)b_bytes);
    for (int64_t d = 0; d < w->k; d += step) {
        p.depth = smaller(step, w->k - d);
        p.a = at(w->a, 0, d);
        p.b = at(w->b, d, 0);
        p.accumulate = d > 0;
        run_pass(&p);
    }
    return TN_OK;
}

/* Sums of m x n elements in C order. */
static tni_matmul_view sums_at(const product *w, char *data) {
    return (tni_matmul_view){data, w->n * w->kernel->sum_bytes, w->kernel->sum_bytes};
}

/* All strips. Sums that a stored element would round wait in a buffer until the depth is through. */
static tn_status run_panels(const product *w) {
    bool wide = w->kernel->rounds_sums && w->k > DEPTH_BYTES / w->kernel->a_bytes;
    for (int64_t i = 0; i < w->m; i += STRIP_ROWS)
        for (int64_t j = 0; j < w->n; j += STRIP_COLUMNS) {
            product strip = *w;
            strip.m = smaller(STRIP_ROWS, w->m - i);
            strip.n = smaller(STRIP_COLUMNS, w->n - j);
            strip.out = at(w->out, i, j);
            strip.a = at(w->a, i, 0);
            strip.b = at(w->b, 0, j);
            tni_matmul_view sums = sums_at(&strip, NULL);
            if (wide && !(sums.data = tni_scratch(2, (size_t)(strip.m * sums.row_stride))))
                return tni_fail_no_memory(strip.m * sums.row_stride);
            TNI_TRY(run_strip(&strip, wide ? sums : strip.out, wide));
            if (wide) w->kernel->store(strip.out, sums, strip.m, strip.n);
        }
    return TN_OK;
}

/* --- Small results of great depth: the depth is shared out --- */

typedef struct deep {
    const product *w;
    char *sums;
    int64_t bytes; /* of the sums of one piece */
    atomic_bool failed;
} deep;

static void multiply_depth(void *context, int64_t begin, int64_t end) {
    deep *d = context;
    for (int64_t k = begin; k < end; k++) {
        product piece = *d->w;
        piece.k = smaller(DEEP_PIECE, d->w->k - k * DEEP_PIECE);
        piece.a = at(d->w->a, 0, k * DEEP_PIECE);
        piece.b = at(d->w->b, k * DEEP_PIECE, 0);
        if (run_strip(&piece, sums_at(&piece, d->sums + k * d->bytes), true)) d->failed = true;
    }
}

static tn_status run_deep(const product *w) {
    int64_t count = chunks(w->k, DEEP_PIECE), bytes = w->m * w->n * w->kernel->sum_bytes;
    deep d = {.w = w, .sums = tni_scratch(3, (size_t)(count * bytes)), .bytes = bytes};
    if (!d.sums) return tni_fail_no_memory(count * bytes);
    tni_parallel(count, 1, multiply_depth, &d);
    if (d.failed) return tni_fail_no_memory(0);
    for (int64_t k = 1; k < count; k++)
        w->kernel->merge(d.sums, d.sums + k * bytes, w->m * w->n);
    w->kernel->store(w->out, sums_at(w, d.sums), w->m, w->n);
    return TN_OK;
}

static bool is_deep(const product *w) {
    return w->k >= 2 * DEEP_PIECE && w->m <= BLOCK_ROWS &&
           w->n <= (int64_t)w->kernel->columns * BLOCK_PANELS;
}

/* The same in one go, for matrices that need no thread and no step of the depth. */
static tn_status run_small(const product *w) {
    const tni_matmul_kernel *kernel = w->kernel;
    int64_t height = kernel->rows, width = kernel->columns;
    size_t a_bytes = (size_t)((w->m + height) * w->k * kernel->a_bytes);
    size_t b_bytes = (size_t)((w->n + width) * w->k * kernel->b_bytes);
    char *a = tni_scratch(0, a_bytes), *b = tni_scratch(1, b_bytes);
    if (!a || !b) return tni_fail_no_memory((int64_t)(a_bytes + b_bytes));
    for (int64_t i = 0; i < w->m; i += height)
        kernel->pack_a(a + i * w->k * kernel->a_bytes, at(w->a, i, 0), smaller(height, w->m - i),
                       w->k);
    for (int64_t j = 0; j < w->n; j += width)
        kernel->pack_b(b + j * w->k * kernel->b_bytes, at(w->b, 0, j), w->k,
                       smaller(width, w->n - j));
    kernel->block(w->out, a, b, w->m, w->n, w->k, false, false);
    return TN_OK;
}

/* --- Products with a vector --- */

static void multiply_rows(void *context, int64_t begin, int64_t end) {
    const product *w = context;
    w->kernel->vector(w->out.data + begin * w->out.row_stride, w->out.row_stride,
                      at(w->a, begin, 0), w->b.data, w->b.row_stride, end - begin, w->k,
                      w->conjugate, false);
}

static void run_vector(product *w) {
    tni_parallel(w->m, grain_of(w->k / 4), multiply_rows, w);
}

/* A long dot product is added up in pieces. */
typedef struct pieces {
    const product *w;
    char *sums;
} pieces;

static void multiply_pieces(void *context, int64_t begin, int64_t end) {
    const pieces *p = context;
    const product *w = p->w;
    for (int64_t piece = begin; piece < end; piece++) {
        int64_t from = piece * DOT_PIECE;
        w->kernel->vector(p->sums + piece * w->kernel->sum_bytes, 0, at(w->a, 0, from),
                          at(w->b, from, 0).data, w->b.row_stride, 1,
                          smaller(DOT_PIECE, w->k - from), w->conjugate, true);
    }
}

static tn_status run_dot(product *w) {
    if (w->k <= DOT_PIECE) {
        multiply_rows(w, 0, 1);
        return TN_OK;
    }
    int64_t count = chunks(w->k, DOT_PIECE);
    pieces p = {w, tni_scratch(0, (size_t)(count * w->kernel->sum_bytes))};
    if (!p.sums) return tni_fail_no_memory(count * w->kernel->sum_bytes);
    tni_parallel(count, 4, multiply_pieces, &p);
    w->kernel->add_sums(w->out.data, p.sums, count);
    return TN_OK;
}

/* --- One product --- */

static void run_tiny(const product *w, int64_t count, const int64_t batch_strides[3]) {
    w->kernel->tiny(count, batch_strides, w->out, w->a, w->b, w->m, w->n, w->k, w->conjugate);
}

static tn_status run_product(product *w) {
    static const int64_t none[3] = {0};
    int64_t work = w->m * w->n * w->k;
    if (work <= TINY_WORK) {
        run_tiny(w, 1, none);
        return TN_OK;
    }
    if (w->m == 1 && w->n == 1) return run_dot(w);
    if (w->m == 1) turn(w);
    if (w->n == 1) {
        run_vector(w);
        return TN_OK;
    }
    if (work > TNI_BLAS_WORK && tni_blas_multiply(w->dtype, w->m, w->n, w->k, w->out, w->a, w->b))
        return TN_OK;
    if (llabs(w->out.row_stride) < llabs(w->out.column_stride)) turn(w); /* store along memory */
    if (work <= THREAD_WORK && w->k * w->kernel->a_bytes <= DEPTH_BYTES) return run_small(w);
    return is_deep(w) ? run_deep(w) : run_panels(w);
}

/* --- Batches --- */

typedef struct batch_job {
    const tni_matmul *call;
    product first;
    bool tiny;
    atomic_int status;
} batch_job;

/* The product of one batch index; `run` receives how many follow it along the last batch axis. */
static product product_at(const batch_job *job, int64_t index, int64_t *run) {
    const tni_matmul *call = job->call;
    product w = job->first;
    int last = call->batch_ndim - 1;
    *run = call->batch_shape[last] - index % call->batch_shape[last];
    for (int axis = last; axis >= 0; axis--) {
        int64_t at = index % call->batch_shape[axis];
        index /= call->batch_shape[axis];
        w.out.data += at * call->out.batch_strides[axis];
        w.a.data += at * call->a.batch_strides[axis];
        w.b.data += at * call->b.batch_strides[axis];
    }
    return w;
}

static void multiply_batch(void *context, int64_t begin, int64_t end) {
    batch_job *job = context;
    int last = job->call->batch_ndim - 1;
    int64_t strides[3] = {job->call->out.batch_strides[last], job->call->a.batch_strides[last],
                          job->call->b.batch_strides[last]};
    while (begin < end && !job->status) {
        int64_t run;
        product w = product_at(job, begin, &run);
        run = smaller(run, end - begin);
        begin += run;
        if (job->tiny) {
            run_tiny(&w, run, strides);
            continue;
        }
        for (; run > 0 && !job->status; run--) {
            product one = w;
            tn_status status = run_product(&one);
            if (status != TN_OK) job->status = status;
            w.out.data += strides[0];
            w.a.data += strides[1];
            w.b.data += strides[2];
        }
    }
}

static tn_status run_batch(const tni_matmul *call, const product *first) {
    int64_t work = call->m * call->n * call->k;
    batch_job job = {.call = call, .first = *first, .tiny = work <= TINY_WORK};
    int threads = tni_thread_count();
    /* Few large matrices: each takes all threads. */
    if (call->batch_count < 2 * threads && work > 16 * THREAD_WORK) {
        multiply_batch(&job, 0, call->batch_count);
    } else {
        bool alone = work > TNI_BLAS_WORK && threads > 1;
        if (alone) tni_blas_begin_single();
        tni_parallel(call->batch_count, grain_of(work), multiply_batch, &job);
        if (alone) tni_blas_end_single();
    }
    if (job.status == TN_ERROR_MEMORY) return tni_fail_no_memory(0);
    return (tn_status)job.status;
}

static tni_matmul_view view_of(const tni_matrix *matrix) {
    return (tni_matmul_view){matrix->data, matrix->row_stride, matrix->column_stride};
}

/* The kernels of the level in use. */
static const tni_matmul_kernel *const *kernels(void) {
    static const struct {
        const char *isa;
        const tni_matmul_kernel *const *kernels;
    } levels[] = {
#ifdef TNI_HAVE_ISA_generic
        {"generic", tni_matmul_kernels_generic},
#endif
#ifdef TNI_HAVE_ISA_v2
        {"v2", tni_matmul_kernels_v2},
#endif
#ifdef TNI_HAVE_ISA_v3
        {"v3", tni_matmul_kernels_v3},
#endif
#ifdef TNI_HAVE_ISA_v4
        {"v4", tni_matmul_kernels_v4},
#endif
    };
    static _Atomic(const tni_matmul_kernel *const *) chosen;
    const tni_matmul_kernel *const *found = atomic_load_explicit(&chosen, memory_order_acquire);
    if (found) return found;
    found = levels[0].kernels;
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++)
        if (strcmp(levels[k].isa, tni_loops_isa()) == 0) found = levels[k].kernels;
    atomic_store_explicit(&chosen, found, memory_order_release);
    return found;
}

static tn_status run(void *params) {
    const tni_matmul *call = params;
    product w = {
        kernels()[call->dtype], call->dtype,       call->conjugate,  call->m, call->n, call->k,
        view_of(&call->out),    view_of(&call->a), view_of(&call->b)};
    return call->batch_ndim == 0 ? run_product(&w) : run_batch(call, &w);
}

tn_status tni_host_matmul(const tni_matmul *call, tn_stream *stream) {
    return tni_host_submit(stream, run, call, sizeof *call);
}
