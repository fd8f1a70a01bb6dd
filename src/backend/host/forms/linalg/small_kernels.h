/* The factors of small real matrices by columns, for one dtype: the including file defines REAL,
 * NAME(x), ABS, ROOT and EPSILON. No guard: it is included once for each dtype. Each function
 * answers as LAPACK's does: 0, or from 1 the column where it could not go on as it should. */

/* Whether a matrix is so close to a singular one that rounding decides which it is. */
static inline bool NAME(is_doubtful)(const REAL *lu, int n) {
    REAL largest = 0, least = ABS(lu[0]);
    for (int k = 0; k < n; k++) {
        const REAL pivot = ABS(lu[k * n + k]);
        if (!(pivot >= least)) least = pivot;
        for (int i = 0; i <= k; i++)
            if (ABS(lu[k * n + i]) > largest) largest = ABS(lu[k * n + i]);
    }
    return !(least > largest * (16 * EPSILON * (REAL)n));
}

static inline int64_t NAME(factor_lu)(REAL *a, int64_t *pivots, int n) {
    int64_t info = 0;
    for (int k = 0; k < n; k++) {
        REAL *column = a + k * n;
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (ABS(column[i]) > ABS(column[best])) best = i;
        pivots[k] = best + 1;
        if (column[best] == 0) {
            if (!info) info = k + 1;
            continue;
        }
        for (int j = 0; best != k && j < n; j++) {
            const REAL moved = a[j * n + k];
            a[j * n + k] = a[j * n + best];
            a[j * n + best] = moved;
        }
        for (int i = k + 1; i < n; i++)
            column[i] /= column[k];
        for (int j = k + 1; j < n; j++) {
            const REAL factor = a[j * n + k];
            for (int i = k + 1; i < n; i++)
                a[j * n + i] -= column[i] * factor;
        }
    }
    return info;
}

/* In place, for each column of b: L U x = the exchanged b. */
static inline void NAME(solve_lu)(const REAL *lu, const int64_t *pivots, REAL *b, int64_t columns,
                                  int n) {
    for (REAL *x = b; x < b + columns * n; x += n) {
        for (int k = 0; k < n; k++) {
            const REAL moved = x[k];
            x[k] = x[pivots[k] - 1];
            x[pivots[k] - 1] = moved;
        }
        for (int k = 0; k < n; k++)
            for (int i = k + 1; i < n; i++)
                x[i] -= lu[k * n + i] * x[k];
        for (int k = n - 1; k >= 0; k--) {
            x[k] /= lu[k * n + k];
            for (int i = 0; i < k; i++)
                x[i] -= lu[k * n + i] * x[k];
        }
    }
}

/* In place, for each column of b: the transpose of the factored matrix times x = b. */
static inline void NAME(solve_turned)(const REAL *lu, const int64_t *pivots, REAL *b,
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

/* The lower triangle. */
static inline int64_t NAME(factor_cholesky)(REAL *a, int n) {
    for (int k = 0; k < n; k++) {
        REAL *column = a + k * n;
        if (column[k] <= 0) return k + 1; /* NaN goes on, as in OpenBLAS */
        column[k] = ROOT(column[k]);
        const REAL scale = 1 / column[k]; /* 0 of infinity, which makes all 0, as in OpenBLAS */
        for (int i = k + 1; i < n; i++)
            column[i] = scale == 0 ? 0 : column[i] * scale;
        for (int j = k + 1; j < n; j++) {
            const REAL factor = column[j];
            for (int i = j; i < n; i++)
                a[j * n + i] -= column[i] * factor;
        }
    }
    return 0;
}

/* The usual sizes are constants to the compiler, which unrolls them. */
static inline bool NAME(try_lu)(REAL *a, int64_t *pivots, int n) {
    REAL kept[TNI_SMALL_MAX * TNI_SMALL_MAX];
    memcpy(kept, a, (size_t)n * (size_t)n * sizeof(REAL));
    if (!NAME(factor_lu)(a, pivots, n) && !NAME(is_doubtful)(a, n)) return true;
    memcpy(a, kept, (size_t)n * (size_t)n * sizeof(REAL));
    return false;
}

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
                              int n, bool turned) {
#define CASE(size)                                                                                 \
    if (turned)                                                                                    \
        NAME(solve_turned)(lu, pivots, b, columns, size);                                          \
    else                                                                                           \
        NAME(solve_lu)(lu, pivots, b, columns, size);                                              \
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

int64_t NAME(tni_small_cholesky)(REAL *a, int n) {
    switch (n) {
    case 4: return NAME(factor_cholesky)(a, 4);
    case 8: return NAME(factor_cholesky)(a, 8);
    case 16: return NAME(factor_cholesky)(a, 16);
    default: return NAME(factor_cholesky)(a, n);
    }
}
