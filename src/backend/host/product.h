/* What the files of matrix products on the host share. */
#ifndef TNI_HOST_PRODUCT_H
#define TNI_HOST_PRODUCT_H

#include "backend/host/loops/matmul/matmul_loops.h"
#include "backend/host/table.h"

#include <tenorite/dtype.h>

/* Multiplications that are worth waking a thread. */
#define TNI_MATMUL_THREAD_WORK (1 << 15)

/* One product: out = a b, m x k times k x n. */
typedef struct tni_product {
    const tni_matmul_kernel *kernel;
    tn_dtype dtype;
    bool conjugate;
    int64_t m, n, k;
    tni_matmul_view out, a, b;
} tni_product;

static inline int64_t tni_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t tni_chunks(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}

/* How many pieces of `work` multiplications make a task of their own. */
static inline int64_t tni_matmul_grain(int64_t work) {
    return work >= TNI_MATMUL_THREAD_WORK ? 1 : TNI_MATMUL_THREAD_WORK / (work > 0 ? work : 1);
}

static inline tni_matmul_view tni_matmul_transposed(tni_matmul_view view) {
    return (tni_matmul_view){view.data, view.column_stride, view.row_stride};
}

static inline tni_matmul_view tni_matmul_at(tni_matmul_view view, int64_t row, int64_t column) {
    view.data += row * view.row_stride + column * view.column_stride;
    return view;
}

/* Whether b is a transposed, so that the result is symmetric. */
bool tni_matmul_is_symmetric(tni_matmul_view a, tni_matmul_view b);
/* Puts below the diagonal of a square matrix of elements of `size` bytes what is above it. */
void tni_matmul_mirror(tni_matmul_view out, int64_t side, int64_t size);

#endif
