/* The factors of small real matrices by columns, for one dtype: the including file defines REAL,
 * NAME(x), ABS and ROOT. No guard: it is included once for each dtype. Each function answers as
 * LAPACK's does: 0, or from 1 the column where it could not go on as it should. */

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
int64_t NAME(tni_small_lu)(REAL *a, int64_t *pivots, int n) {
    switch (n) {
    case 2: return NAME(factor_lu)(a, pivots, 2);
    case 3: return NAME(factor_lu)(a, pivots, 3);
    case 4: return NAME(factor_lu)(a, pivots, 4);
    case 8: return NAME(factor_lu)(a, pivots, 8);
    case 16: return NAME(factor_lu)(a, pivots, 16);
    default: return NAME(factor_lu)(a, pivots, n);
    }
}

void NAME(tni_small_lu_solve)(const REAL *lu, const int64_t *pivots, REAL *b, int64_t columns,
                              int n) {
    switch (n) {
    case 2: NAME(solve_lu)(lu, pivots, b, columns, 2); break;
    case 3: NAME(solve_lu)(lu, pivots, b, columns, 3); break;
    case 4: NAME(solve_lu)(lu, pivots, b, columns, 4); break;
    case 8: NAME(solve_lu)(lu, pivots, b, columns, 8); break;
    case 16: NAME(solve_lu)(lu, pivots, b, columns, 16); break;
    default: NAME(solve_lu)(lu, pivots, b, columns, n);
    }
}

int64_t NAME(tni_small_cholesky)(REAL *a, int n) {
    switch (n) {
    case 4: return NAME(factor_cholesky)(a, 4);
    case 8: return NAME(factor_cholesky)(a, 8);
    case 16: return NAME(factor_cholesky)(a, 16);
    default: return NAME(factor_cholesky)(a, n);
    }
}
