/* The factors of one small real matrix by columns, for one dtype: the including file defines REAL,
 * NAME(x) and TNI_T_BYTES. No guard: it is included once for each dtype. */
#include "backend/host/loops/small/limits.h"

#define VALUE REAL
#define AREA REAL *
#define GIVEN const REAL *
#define MASK int
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define ROOT(x) ROOT_OF(x)
#define MAGNITUDE(x) ((x) < 0 ? -(x) : (x))
#define NUMBER(x) ((REAL)(x))
#define ANY(mask) (mask)
#define SMALL(name) NAME(small_##name)
#define ONE_MATRIX
#include "backend/host/loops/small/small_matrix.h"

/* In place, for each column of b: the transpose of the factored matrix times x = b. */
static inline void NAME(solve_transposed)(const REAL *lu, const int64_t *pivots, REAL *b,
                                          int64_t columns, int n) {
    for (REAL *x = b; x < b + columns * n; x += n) {
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < k; i++)
                x[k] -= lu[k * n + i] * x[i];
            x[k] /= lu[k * n + k];
        }
        for (int k = n - 1; k >= 0; k--)
            for (int i = k + 1; i < n; i++)
                x[k] -= lu[k * n + i] * x[i];
        for (int k = n - 1; k >= 0; k--) {
            const REAL moved = x[k];
            x[k] = x[pivots[k] - 1];
            x[pivots[k] - 1] = moved;
        }
    }
}

static inline bool NAME(try_lu)(REAL *a, int64_t *pivots, int n) {
    REAL kept[TNI_SMALL_MAX * TNI_SMALL_MAX], places[TNI_SMALL_MAX];
    memcpy(kept, a, (size_t)n * (size_t)n * sizeof(REAL));
    if (!SMALL(unfit)(a, n * n) && !SMALL(lu)(a, places, n)) {
        for (int k = 0; k < n; k++)
            pivots[k] = (int64_t)places[k] + 1;
        return true;
    }
    memcpy(a, kept, (size_t)n * (size_t)n * sizeof(REAL));
    return false;
}

static inline void NAME(solve)(const REAL *lu, const int64_t *pivots, REAL *b, int64_t columns,
                               int n) {
    REAL places[TNI_SMALL_MAX];
    for (int k = 0; k < n; k++)
        places[k] = (REAL)(pivots[k] - 1);
    for (; columns > 0; columns -= TNI_SMALL_MAX, b += n * TNI_SMALL_MAX)
        SMALL(lu_solve)(lu, places, b, n, columns < TNI_SMALL_MAX ? (int)columns : TNI_SMALL_MAX);
}

/* In a copy; what is not finite reaches the diagonal. */
static inline bool NAME(try_cholesky)(REAL *a, bool upper, int n) {
    REAL factor[TNI_SMALL_MAX * TNI_SMALL_MAX], sum = 0;
    factor[0] = a[0]; /* n is not 0 */
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            factor[j * n + i] = a[upper ? i * n + j : j * n + i];
    if (SMALL(cholesky)(factor, n)) return false;
    for (int k = 0; k < n; k++)
        sum += factor[k * (n + 1)] * 0;
    if (sum != 0) return false;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            a[upper ? i * n + j : j * n + i] = factor[j * n + i];
    return true;
}

/* The usual sizes are constants to the compiler, which unrolls them. */
bool NAME(tni_small_lu)(REAL *a, int64_t *pivots, int n) {
    switch (n) {
    case 0: return true;
    case 2: return NAME(try_lu)(a, pivots, 2);
    case 3: return NAME(try_lu)(a, pivots, 3);
    case 4: return NAME(try_lu)(a, pivots, 4);
    case 8: return NAME(try_lu)(a, pivots, 8);
    case 16: return NAME(try_lu)(a, pivots, 16);
    default: return NAME(try_lu)(a, pivots, n);
    }
}

void NAME(tni_small_lu_solve)(const REAL *lu, const int64_t *pivots, REAL *b, int64_t columns,
                              int n, bool transposed) {
#define CASE(size)                                                                                 \
    if (transposed)                                                                                \
        NAME(solve_transposed)(lu, pivots, b, columns, size);                                      \
    else                                                                                           \
        NAME(solve)(lu, pivots, b, columns, size);                                                 \
    break
    switch (n) {
    case 2: CASE(2);
    case 3: CASE(3);
    case 4: CASE(4);
    case 8: CASE(8);
    case 16: CASE(16);
    default: CASE(n);
    }
#undef CASE
}

bool NAME(tni_small_cholesky)(REAL *a, bool upper, int n) {
    switch (n) {
    case 0: return true;
    case 4: return NAME(try_cholesky)(a, upper, 4);
    case 8: return NAME(try_cholesky)(a, upper, 8);
    case 16: return NAME(try_cholesky)(a, upper, 16);
    default: return NAME(try_cholesky)(a, upper, n);
    }
}

#undef VALUE
#undef AREA
#undef GIVEN
#undef MASK
#undef SELECT
#undef ROOT
#undef MAGNITUDE
#undef NUMBER
#undef ANY
#undef SMALL
#undef ONE_MATRIX
