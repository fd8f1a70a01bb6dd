/* Steps on vectors. The file that includes this defines V, the type of values, and N(name). Sums
 * have PARTS parts, which the compiler holds in vectors. */

static inline V N(fold)(const V *parts) {
    V sums[PARTS];
    memcpy(sums, parts, sizeof sums);
    for (int half = PARTS / 2; half; half /= 2)
        for (int j = 0; j < half; j++)
            sums[j] += sums[j + half];
    return sums[0];
}

static double N(dot)(const void *first, const void *second, int64_t n) {
    const V *a = first, *b = second;
    V sums[PARTS] = {0};
    int64_t k = 0;
    for (; k + PARTS <= n; k += PARTS)
        for (int j = 0; j < PARTS; j++)
            sums[j] += a[k + j] * b[k + j];
    for (int j = 0; k < n; k++, j++)
        sums[j] += a[k] * b[k];
    return (double)N(fold)(sums);
}

static void N(turn)(void *direction, const void *residual, const void *inverse, double factor,
                    int64_t n) {
    V *restrict p = direction;
    const V *restrict r = residual, *restrict d = inverse;
    const V beta = (V)factor;
    if (d)
        for (int64_t k = 0; k < n; k++)
            p[k] = d[k] * r[k] + beta * p[k];
    else
        for (int64_t k = 0; k < n; k++)
            p[k] = r[k] + beta * p[k];
}

static inline __attribute__((always_inline)) void N(advance_some)(V *restrict x, V *restrict r,
                                                                  const V *restrict p,
                                                                  const V *restrict q,
                                                                  const V *restrict d, V alpha,
                                                                  V *squares, V *products, int n) {
    for (int j = 0; j < n; j++) {
        const V rest = r[j] - alpha * q[j];
        x[j] += alpha * p[j];
        r[j] = rest;
        squares[j] += rest * rest;
        if (d) products[j] += rest * rest * d[j];
    }
}

static void N(advance)(const tni_vector_step *step, int64_t begin, int64_t end, double *sums) {
    V *x = step->x, *r = step->r;
    const V *p = step->p, *q = step->q, *d = step->inverse;
    const V alpha = (V)step->alpha;
    V squares[PARTS] = {0}, products[PARTS] = {0};
    int64_t k = begin;
    if (d)
        for (; k + PARTS <= end; k += PARTS)
            N(advance_some)(x + k, r + k, p + k, q + k, d + k, alpha, squares, products, PARTS);
    else
        for (; k + PARTS <= end; k += PARTS)
            N(advance_some)(x + k, r + k, p + k, q + k, NULL, alpha, squares, products, PARTS);
    const int left = (int)(end - k);
    const V *last = d ? d + k : NULL;
    N(advance_some)(x + k, r + k, p + k, q + k, last, alpha, squares, products, left);
    sums[0] = (double)N(fold)(squares);
    sums[1] = d ? (double)N(fold)(products) : sums[0];
}

static const tni_vector_loops N(vector_loops) = {N(dot), N(turn), N(advance)};

#undef V
#undef N
