/* Stamps the loops of factors for one dtype: V, R (its real type), N(name), and the operations
 * ADD(sum, a), SUBTRACT(sum, a, b) (sum -= a b), DIVIDE(to, a, b), MAGNITUDE(a), CONJUGATE(a). */

/* y = columns (each `height` from the next) times u, of m rows. */
static void N(multiply)(V *restrict y, const V *restrict l, int64_t height, const V *restrict u,
                        int64_t m, int64_t width) {
    int64_t i = 0;
    memset(y, 0, (size_t)m * sizeof *y);
    for (; i + 4 <= width; i += 4) {
        const V *restrict a = l + i * height, *restrict b = a + height, *restrict c = b + height,
                          *restrict d = c + height;
        const V p = u[i], q = u[i + 1], r = u[i + 2], s = u[i + 3];
        INDEPENDENT for (int64_t k = 0; k < m; k++) {
            V sum = y[k];
            SUBTRACT(sum, a[k], p);
            SUBTRACT(sum, b[k], q);
            SUBTRACT(sum, c[k], r);
            SUBTRACT(sum, d[k], s);
            y[k] = sum;
        }
    }
    for (; i < width; i++) {
        const V *restrict a = l + i * height;
        const V p = u[i];
        INDEPENDENT for (int64_t k = 0; k < m; k++) SUBTRACT(y[k], a[k], p);
    }
}

static void N(one_column)(V *restrict x, const V *restrict l, const int32_t *restrict rows, V u,
                          int64_t m) {
    for (int64_t k = 0; k < m; k++)
        SUBTRACT(x[rows[k]], l[k], u);
}

static void N(eliminate)(tni_lu_sweep *sweep) {
    V *x = sweep->x, *u = sweep->room, *to = sweep->to_values;
    for (int64_t at = 0; at < sweep->count; at++) {
        const tni_lu_block *block = &sweep->blocks[sweep->path[at]];
        const int32_t *list = sweep->lists + block->list;
        const int64_t skipped = sweep->entry[sweep->path[at]] - block->first;
        const int64_t width = block->width - skipped, height = block->height;
        const V *l = (const V *)sweep->values + block->values + skipped * height;
        V *y = u + width;
        for (int64_t i = 0; i < width; i++) {
            u[i] = x[list[skipped + i]];
            memset(&x[list[skipped + i]], 0, sizeof *x);
        }
        for (int64_t i = 0; i + 1 < width; i++) {
            const V *column = l + i * height + skipped;
            const V p = u[i];
            for (int64_t k = i + 1; k < width; k++)
                SUBTRACT(u[k], column[k], p);
        }
        for (int64_t i = 0; i < width; i++) {
            sweep->to_rows[sweep->written] = (int32_t)(block->first + skipped + i);
            to[sweep->written++] = u[i];
        }
        const int32_t *below = list + block->width;
        const int64_t m = height - block->width;
        if (width == 1) {
            N(one_column)(x, l + block->width, below, u[0], m);
            continue;
        }
        N(multiply)(y, l + block->width, height, u, m, width);
        for (int64_t k = 0; k < m; k++)
            ADD(x[below[k]], y[k]);
    }
}

static double N(magnitude)(const void *x, int64_t row) {
    return (double)MAGNITUDE(((const V *)x)[row]);
}

static double N(largest)(const void *x, const int32_t *rows, int64_t n, int64_t *place) {
    const V *values = x;
    R most = 0;
    *place = 0;
    for (int64_t k = 0; k < n; k++) {
        const R found = MAGNITUDE(values[rows[k]]);
        if (found > most) {
            most = found;
            *place = k;
        }
    }
    return (double)most;
}

static void N(divide)(void *to, void *to_pivot, void *x, const int32_t *rows, int64_t n,
                      int64_t pivot) {
    V *values = x, *out = to;
    const V by = values[pivot];
    memset(&values[pivot], 0, sizeof *values);
    memcpy(to_pivot, &by, sizeof by);
    for (int64_t k = 0; k < n; k++) {
        const V one = values[rows[k]];
        memset(&values[rows[k]], 0, sizeof *values);
        DIVIDE(out[k], one, by);
    }
}

static void N(scatter)(void *x, const int32_t *rows, const void *values, int64_t n) {
    const V *from = values;
    V *to = x;
    for (int64_t k = 0; k < n; k++)
        ADD(to[rows[k]], from[k]);
}

static void N(gather)(void *to, void *x, const int32_t *rows, int64_t n) {
    V *from = x, *out = to;
    for (int64_t k = 0; k < n; k++) {
        out[k] = from[rows[k]];
        memset(&from[rows[k]], 0, sizeof *from);
    }
}

static void N(exchange)(void *values, int64_t a, int64_t b) {
    V *at = values;
    const V kept = at[a];
    at[a] = at[b];
    at[b] = kept;
}

static void N(put)(void *x, int64_t row, double value) {
    V one;
    memset(&one, 0, sizeof one);
    *(R *)(void *)&one = (R)value;
    ((V *)x)[row] = one;
}

static void N(solve)(const tni_lu_triangle *t, int is_upper, void *b, int64_t columns) {
    const V *values = t->values, *diagonal = t->diagonal;
    V *x = b;
    for (int64_t step = 0; step < t->n; step++) {
        const int64_t k = is_upper ? t->n - 1 - step : step;
        V *row = x + k * columns;
        if (diagonal)
            for (int64_t c = 0; c < columns; c++)
                DIVIDE(row[c], row[c], diagonal[k]);
        if (columns == 1) {
            N(one_column)
            (x, values + t->starts[k], t->rows + t->starts[k], row[0],
             t->starts[k + 1] - t->starts[k]);
            continue;
        }
        for (int64_t at = t->starts[k]; at < t->starts[k + 1]; at++) {
            V *to = x + t->rows[at] * columns;
            const V by = values[at];
            for (int64_t c = 0; c < columns; c++)
                SUBTRACT(to[c], by, row[c]);
        }
    }
}

static void N(solve_transposed)(const tni_lu_triangle *t, int is_upper, int is_adjoint, void *b,
                                int64_t columns) {
    const V *values = t->values, *diagonal = t->diagonal;
    V *x = b;
    for (int64_t step = 0; step < t->n; step++) {
        const int64_t k = is_upper ? step : t->n - 1 - step;
        V *row = x + k * columns;
        for (int64_t at = t->starts[k]; at < t->starts[k + 1]; at++) {
            const V *from = x + t->rows[at] * columns;
            const V by = is_adjoint ? CONJUGATE(values[at]) : values[at];
            for (int64_t c = 0; c < columns; c++)
                SUBTRACT(row[c], by, from[c]);
        }
        if (!diagonal) continue;
        const V by = is_adjoint ? CONJUGATE(diagonal[k]) : diagonal[k];
        for (int64_t c = 0; c < columns; c++)
            DIVIDE(row[c], row[c], by);
    }
}

static const tni_lu_loops N(loops) = {
    N(eliminate), N(largest),  N(magnitude), N(divide), N(scatter),
    N(gather),    N(exchange), N(put),       N(solve),  N(solve_transposed),
};

#undef V
#undef R
#undef N
