/* Loops of distances for one type: T, the integer I of its size, M(a function of math.h), N(name).
 * Undefines them. */
enum { N(LANES) = VECTOR_BYTES / sizeof(T) };
typedef T N(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef I N(whole) __attribute__((vector_size(VECTOR_BYTES)));
typedef T N(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
#include "ops/metric_stamp.h"

#define V N(vector)
#define W N(whole)
#define L N(LANES)

INLINE V N(magnitude)(V a) {
    const W sign = (W)(-(V){0});
    return (V)((W)a & ~sign);
}

INLINE V N(masked)(V a, W mask) {
    return (V)((W)a & mask);
}

INLINE V N(logarithms)(tn_metric_sum sum, V a, V b) {
    V made;
    for (int k = 0; k < L; k++)
        made[k] = sum == TN_SUM_ENTROPY ? N(m_entropy)(a[k], b[k]) : N(m_jensen)(a[k], b[k]);
    return made;
}

/* Adds a column. `w` are the weights, ones where there are none. */
INLINE void N(add)(tn_metric_sum sum, bool is_weighted, V a, V b, V w, T p, V *s, V *t) {
    const V difference = a - b;
    V term;
    switch (sum) {
    case TN_SUM_SQUARE: term = difference * difference; break;
    case TN_SUM_DOT: term = a * b; break;
    case TN_SUM_LARGEST: {
        const V length = N(magnitude)(difference);
        W mask = (W)(length > *s);
        if (is_weighted) mask &= (W)(w > 0);
        *s = (V)(((W)length & mask) | ((W)*s & ~mask));
        return;
    }
    case TN_SUM_POWER:
        for (int k = 0; k < L; k++)
            term[k] = M(pow)(M(fabs)(difference[k]), p);
        break;
    case TN_SUM_CANBERRA: {
        const V whole = N(magnitude)(a) + N(magnitude)(b);
        term = N(masked)(N(magnitude)(difference) / whole, (W)(whole != 0));
        break;
    }
    case TN_SUM_TWO: {
        const V whole = N(magnitude)(a + b);
        *t += is_weighted ? w * whole : whole;
        term = N(magnitude)(difference);
        break;
    }
    case TN_SUM_FLAGS: *s += N(masked)(w, (W)(a != 0) & (W)(b != 0)); return;
    case TN_SUM_MATCH:
        *s += N(masked)(w, (W)(a != b));
        *t += N(masked)(w, (W)(a != 0) & (W)(b != 0));
        return;
    case TN_SUM_ENTROPY:
    case TN_SUM_JENSEN: term = N(logarithms)(sum, a, b); break;
    default: term = N(magnitude)(difference); break;
    }
    *s += is_weighted ? w * term : term;
}

INLINE void N(run)(const tni_distance_block *block, tn_metric_sum sum, bool is_weighted) {
    const T *panel = block->panel, *weights = block->weights, *rows[ROWS];
    N(loose) *sums = block->sums, *others = block->others;
    const T p = (T)block->p;
    for (int i = 0; i < ROWS; i++)
        rows[i] = block->rows[i];
    memset(sums, 0, ROWS * VECTORS * sizeof(V));
    memset(others, 0, ROWS * VECTORS * sizeof(V));
    for (int64_t done = 0; done < block->columns; done += TNI_METRIC_STRETCH) {
        const int64_t rest = block->columns - done;
        const int64_t end = done + (rest < TNI_METRIC_STRETCH ? rest : TNI_METRIC_STRETCH);
        V s[ROWS][VECTORS] = {{{0}}}, t[ROWS][VECTORS] = {{{0}}};
        if (sum == TN_SUM_LARGEST) memcpy(s, sums, sizeof s);
        for (int64_t k = done; k < end; k++) {
            const V w = (is_weighted ? weights[k] : 1) - (V){0};
            _Pragma("GCC unroll 4") for (int i = 0; i < ROWS; i++) {
                const V a = rows[i][k] - (V){0};
                _Pragma("GCC unroll 2") for (int v = 0; v < VECTORS; v++) {
                    const V b = *(const N(loose) *)(const void *)(panel + (k * VECTORS + v) * L);
                    N(add)(sum, is_weighted, a, b, w, p, &s[i][v], &t[i][v]);
                }
            }
        }
        for (int i = 0; i < ROWS; i++)
            for (int v = 0; v < VECTORS; v++) {
                const int k = i * VECTORS + v;
                sums[k] = sum == TN_SUM_LARGEST ? s[i][v] : (V)sums[k] + s[i][v];
                if (sum == TN_SUM_TWO || sum == TN_SUM_MATCH) others[k] = (V)others[k] + t[i][v];
            }
    }
}

/* The columns of the quadratic form's matrix stand where weights do. */
static void N(quadratic)(const tni_distance_block *block) {
    const T *panel = block->panel, *matrix = block->weights;
    const int64_t n = block->columns;
    N(loose) *sums = block->sums;
    memset(sums, 0, ROWS * VECTORS * sizeof(V));
    for (int64_t k = 0; k < n; k++) {
        V products[ROWS][VECTORS] = {{{0}}};
        for (int64_t m = 0; m < n; m++) {
            const V weight = matrix[k * n + m] - (V){0};
            _Pragma("GCC unroll 4") for (int i = 0; i < ROWS; i++) {
                const V a = ((const T *)block->rows[i])[m] - (V){0};
                _Pragma("GCC unroll 2") for (int v = 0; v < VECTORS; v++) {
                    const V b = *(const N(loose) *)(const void *)(panel + (m * VECTORS + v) * L);
                    products[i][v] += weight * (a - b);
                }
            }
        }
        for (int i = 0; i < ROWS; i++)
            for (int v = 0; v < VECTORS; v++) {
                const V a = ((const T *)block->rows[i])[k] - (V){0};
                const V b = *(const N(loose) *)(const void *)(panel + (k * VECTORS + v) * L);
                sums[i * VECTORS + v] = (V)sums[i * VECTORS + v] + (a - b) * products[i][v];
            }
    }
}

#define SUM(NAME)                                                                                  \
    static void N(NAME)(const tni_distance_block *block) {                                         \
        N(run)(block, TN_SUM_##NAME, false);                                                       \
    }                                                                                              \
    static void N(weighted_##NAME)(const tni_distance_block *block) {                              \
        N(run)(block, TN_SUM_##NAME, true);                                                        \
    }
SUM(SQUARE)
SUM(ABSOLUTE)
SUM(LARGEST)
SUM(POWER)
SUM(DOT)
SUM(FLAGS)
SUM(CANBERRA)
SUM(TWO)
SUM(MATCH)
SUM(ENTROPY)
SUM(JENSEN)
#undef SUM

INLINE void N(finish)(tn_metric_end end, const tni_distance_ends *ends) {
    T *sums = ends->sums;
    const T *others = ends->others, *norms = ends->norms, *panel = ends->panel_norms;
    const T scale = (T)ends->scale, total = (T)ends->total, inverse = (T)(1 / ends->p);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < L * VECTORS; k++) {
            const int at = i * L * VECTORS + k;
            sums[at] = N(m_metric_end)(end, sums[at], others[at], norms[i], panel[k], scale, total,
                                       inverse);
        }
}

static void N(end)(const tni_distance_ends *ends) {
    switch (ends->end) {
#define END(NAME)                                                                                  \
    case NAME: N(finish)(NAME, ends); break;
        END(TN_END_ROOT)
        END(TN_END_ABOVE)
        END(TN_END_POWER)
        END(TN_END_COSINE)
        END(TN_END_QUOTIENT)
        END(TN_END_MEAN)
        END(TN_END_JACCARD)
        END(TN_END_DICE)
        END(TN_END_DICE_MATCH)
        END(TN_END_ROGERS)
        END(TN_END_RUSSELL)
        END(TN_END_SOKAL)
        END(TN_END_YULE)
#undef END
    default: break;
    }
}

/* In the order of the sums of the block, so that the norm of a row is its product with itself. */
static void N(norms)(void *to, const void *from, const void *beside, int64_t count, int64_t columns,
                     tn_metric_norm kind) {
    T *norms = to;
    const T *weights = beside;
    for (int64_t i = 0; i < count; i++) {
        const T *row = (const T *)from + i * columns;
        T norm = 0;
        for (int64_t done = 0; done < columns; done += TNI_METRIC_STRETCH) {
            const int64_t rest = columns - done;
            const int64_t end = done + (rest < TNI_METRIC_STRETCH ? rest : TNI_METRIC_STRETCH);
            T part = 0;
            for (int64_t k = done; k < end; k++) {
                const T term = kind == TN_NORM_FLAG     ? row[k] != 0
                               : kind == TN_NORM_LINEAR ? row[k]
                                                        : row[k] * row[k];
                part += weights ? weights[k] * term : term;
            }
            norm += part;
        }
        norms[i] = norm;
    }
}

#define BOTH(NAME) [TN_SUM_##NAME] = {N(NAME), N(weighted_##NAME)}
static const tni_metric_loops N(loops) = {
    .lanes = VECTORS * L,
    .sums = {BOTH(SQUARE), BOTH(ABSOLUTE), BOTH(LARGEST), BOTH(POWER), BOTH(DOT), BOTH(FLAGS),
             BOTH(CANBERRA), BOTH(TWO), BOTH(MATCH), BOTH(ENTROPY),
             BOTH(JENSEN), [TN_SUM_QUADRATIC] = {N(quadratic), N(quadratic)}},
    .end = N(end),
    .norms = N(norms)};
#undef BOTH

#undef V
#undef W
#undef L
#undef T
#undef I
#undef M
#undef N
