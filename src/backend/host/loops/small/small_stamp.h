/* The decompositions of small matrices for one dtype: the including file defines `real`, `integer`
 * (a signed one of its size), SMALL(x) and TNI_T_BYTES.
 *
 * Lane k of a VALUE belongs to matrix k. Lanes without a matrix repeat the first. */
#include "backend/host/loops/entry.h"
#include "backend/host/loops/small/limits.h"
#include "backend/host/loops/small/small_loops.h"
#include "backend/host/loops/vector_bytes.h"

enum { LANES = VECTOR_BYTES / TNI_T_BYTES, MOST_ELEMENTS = TNI_SMALL_SIDE * TNI_SMALL_SIDE };

typedef real vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef real loose __attribute__((vector_size(VECTOR_BYTES), aligned(TNI_T_BYTES), may_alias));
typedef integer bits __attribute__((vector_size(VECTOR_BYTES), may_alias));

#include "backend/host/loops/transpose.h"

INLINE vector choose(bits mask, vector a, vector b) {
    return (vector)(((bits)a & mask) | ((bits)b & ~mask));
}
INLINE vector root(vector x) {
    for (int k = 0; k < LANES; k++)
        x[k] = ROOT_OF(x[k]);
    return x;
}
INLINE bool any(bits mask) {
    integer found = 0;
    for (int k = 0; k < LANES; k++)
        found |= mask[k];
    return found != 0;
}
INLINE vector everywhere(real x) {
    return x - (vector){0};
}

#define VALUE vector
#define AREA vector *
#define GIVEN const vector *
#define MASK bits
#define SELECT(mask, a, b) choose((bits)(mask), a, b)
#define ROOT(x) root(x)
#define MAGNITUDE(x) choose((bits)((x) < 0), -(x), x)
#define NUMBER(x) everywhere((real)(x))
#define ANY(mask) any((bits)(mask))
#include "backend/host/loops/small/small_matrix.h"

/* --- Lanes and matrices --- */

static void load(vector *to, const real *from, int count, int elements) {
    const int whole = elements - elements % LANES;
    real *lanes = (real *)to;
    vector rows[LANES];
    for (int first = 0; first < whole; first += LANES) {
        for (int k = 0; k < LANES; k++)
            rows[k] = *(const loose *)(from + (int64_t)(k < count ? k : 0) * elements + first);
        transpose(rows);
        for (int e = 0; e < LANES; e++)
            to[first + e] = rows[e];
    }
    for (int k = 0; k < LANES; k++)
        for (int e = whole; e < elements; e++)
            lanes[e * LANES + k] = from[(int64_t)(k < count ? k : 0) * elements + e];
}

/* The matrices whose bit is not set. */
static void store(real *to, const vector *from, int count, int elements, uint32_t bad) {
    const int whole = elements - elements % LANES;
    const real *lanes = (const real *)from;
    vector rows[LANES];
    for (int first = 0; first < whole; first += LANES) {
        for (int e = 0; e < LANES; e++)
            rows[e] = from[first + e];
        transpose(rows);
        for (int k = 0; k < count; k++)
            if (!(bad >> k & 1)) *(loose *)(to + (int64_t)k * elements + first) = rows[k];
    }
    for (int k = 0; k < count; k++)
        for (int e = whole; e < elements && !(bad >> k & 1); e++)
            to[(int64_t)k * elements + e] = lanes[e * LANES + k];
}

static uint32_t bits_of(bits mask, int count) {
    uint32_t found = 0;
    for (int k = 0; k < count; k++)
        found |= (uint32_t)(mask[k] != 0) << k;
    return found;
}

/* --- Triangular factors --- */

/* Rows become columns. */
static void transpose_square(vector *a, int n) {
    for (int j = 1; j < n; j++)
        for (int i = 0; i < j; i++) {
            const vector above = a[j * n + i];
            a[j * n + i] = a[i * n + j];
            a[i * n + j] = above;
        }
}

static uint32_t run_lu(const tni_small_call *call) {
    vector a[MOST_ELEMENTS], pivots[TNI_SMALL_SIDE];
    const int n = call->n;
    load(a, call->a, call->count, n * n);
    if (call->transposed) transpose_square(a, n);
    bits mask = SMALL(unfit)(a, n * n);
    mask |= SMALL(lu)(a, pivots, n);
    const uint32_t bad = bits_of(mask, call->count);
    store(call->a, a, call->count, n * n, bad);
    for (int k = 0; k < call->count; k++)
        for (int i = 0; i < n && !(bad >> k & 1); i++)
            call->pivots[(int64_t)k * n + i] = (int64_t)pivots[i][k] + 1;
    return bad;
}

static uint32_t run_lu_solve(const tni_small_call *call) {
    vector lu[MOST_ELEMENTS], b[MOST_ELEMENTS], pivots[TNI_SMALL_SIDE];
    const int n = call->n, size = n * call->columns;
    load(lu, call->a, call->count, n * n);
    load(b, call->vectors, call->count, size);
    for (int k = 0; k < LANES; k++)
        for (int i = 0; i < n; i++)
            pivots[i][k] = (real)(call->pivots[(int64_t)(k < call->count ? k : 0) * n + i] - 1);
    SMALL(lu_solve)(lu, pivots, b, n, call->columns);
    if (call->transposed) transpose_square(b, n);
    store(call->vectors, b, call->count, size, 0);
    return 0;
}

/* The lower triangle is factored; the other keeps its elements elsewhere meanwhile. */
static uint32_t run_cholesky(const tni_small_call *call) {
    vector a[MOST_ELEMENTS], other[MOST_ELEMENTS];
    const int n = call->n;
    load(a, call->a, call->count, n * n);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < j; i++) {
            const vector above = a[j * n + i], below = a[i * n + j];
            other[j * n + i] = call->upper ? below : above;
            a[j * n + i] = a[i * n + j] = call->upper ? above : below;
        }
    bits mask = SMALL(unfit)(a, n * n);
    mask |= SMALL(cholesky)(a, n);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < j; i++) {
            const vector mine = a[i * n + j];
            a[j * n + i] = call->upper ? mine : other[j * n + i];
            a[i * n + j] = call->upper ? other[j * n + i] : mine;
        }
    const uint32_t bad = bits_of(mask, call->count);
    store(call->a, a, call->count, n * n, bad);
    return bad;
}

/* --- Reflectors --- */

static uint32_t run_qr(const tni_small_call *call) {
    vector a[MOST_ELEMENTS], q[MOST_ELEMENTS], tau[TNI_SMALL_SIDE];
    const int m = call->m, n = call->n, least = m < n ? m : n;
    load(a, call->a, call->count, m * n);
    const bits mask = SMALL(unfit)(a, m * n);
    SMALL(qr)(a, tau, m, n);
    const uint32_t bad = bits_of(mask, call->count);
    store(call->a, a, call->count, m * n, bad);
    store(call->values, tau, call->count, least, bad);
    if (!call->vectors) return bad;
    SMALL(make_q)(q, a, tau, m, call->columns, least);
    store(call->vectors, q, call->count, m * call->columns, bad);
    return bad;
}

/* --- Rotations --- */

/* Places of a lane's values in ascending order. */
static void order(int *places, const vector *values, int step, int n, int lane) {
    for (int k = 0; k < n; k++) {
        int at = k;
        for (; at > 0 && values[places[at - 1] * step][lane] > values[k * step][lane]; at--)
            places[at] = places[at - 1];
        places[at] = k;
    }
}

static uint32_t run_eigh(const tni_small_call *call) {
    vector a[MOST_ELEMENTS], v[MOST_ELEMENTS];
    const int n = call->n;
    int places[TNI_SMALL_SIDE];
    load(a, call->a, call->count, n * n);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < j; i++) {
            const vector element = a[call->upper ? j * n + i : i * n + j];
            a[j * n + i] = a[i * n + j] = element;
        }
    bits mask = SMALL(unfit)(a, n * n);
    mask |= SMALL(eigh)(a, v, n, call->vectors != NULL);
    const uint32_t bad = bits_of(mask, call->count);
    for (int k = 0; k < call->count; k++) {
        if (bad >> k & 1) continue;
        real *values = (real *)call->values + (int64_t)k * n;
        real *vectors = call->vectors ? (real *)call->vectors + (int64_t)k * n * n : NULL;
        order(places, a, n + 1, n, k);
        for (int j = 0; j < n; j++) {
            values[j] = a[places[j] * (n + 1)][k];
            for (int i = 0; vectors && i < n; i++)
                vectors[j * n + i] = v[places[j] * n + i][k];
        }
    }
    return bad;
}

/* Of a matrix of more columns than rows the transpose is decomposed. */
static void load_tall(vector *to, const tni_small_call *call) {
    vector given[MOST_ELEMENTS];
    load(call->m < call->n ? given : to, call->a, call->count, call->m * call->n);
    for (int k = 0; call->m < call->n && k < call->m * call->n; k++)
        to[k % call->m * call->n + k / call->m] = given[k];
}

/* The vectors of one lane: `rows` elements of each column, each column in its place, as columns or
 * (transposed) as rows. */
static void put_vectors(real *to, const vector *from, const vector *lengths, const int *places,
                        int rows, int n, int lane, bool transposed) {
    for (int j = 0; j < n; j++) {
        const int place = places[n - 1 - j];
        const real scale = lengths ? 1 / lengths[place][lane] : 1;
        for (int i = 0; i < rows; i++)
            to[transposed ? i * n + j : j * rows + i] = from[place * rows + i][lane] * scale;
    }
}

static uint32_t run_svd(const tni_small_call *call) {
    vector a[MOST_ELEMENTS], v[MOST_ELEMENTS], lengths[TNI_SMALL_SIDE];
    const bool is_wide = call->m < call->n;
    const int m = is_wide ? call->n : call->m, n = is_wide ? call->m : call->n;
    int places[TNI_SMALL_SIDE];
    load_tall(a, call);
    bits mask = SMALL(unfit)(a, m * n);
    mask |= SMALL(svd)(a, v, m, n, call->vectors != NULL);
    vector total = {0};
    for (int j = 0; j < n; j++) {
        vector sum = {0};
        for (int i = 0; i < m; i++)
            sum += a[j * m + i] * a[j * m + i];
        lengths[j] = root(sum);
        total += sum;
    }
    for (int j = 0; j < n; j++)
        mask |=
            (bits)(lengths[j] * lengths[j] <= total * NUMBER(4 * ROUNDING * ROUNDING * ROUNDING));
    const uint32_t bad = bits_of(mask, call->count);
    for (int k = 0; k < call->count; k++) {
        if (bad >> k & 1) continue;
        real *values = (real *)call->values + (int64_t)k * n;
        order(places, lengths, 1, n, k);
        for (int j = 0; j < n; j++)
            values[j] = lengths[places[n - 1 - j]][k];
        if (!call->vectors) continue;
        real *u = (real *)call->vectors + (int64_t)k * call->m * n;
        real *vh = (real *)call->other + (int64_t)k * call->n * n;
        put_vectors(is_wide ? vh : u, a, lengths, places, m, n, k, is_wide);
        put_vectors(is_wide ? u : vh, v, NULL, places, n, n, k, !is_wide);
    }
    return bad;
}

#define LOOPS                                                                                      \
    { LANES, run_lu, run_lu_solve, run_cholesky, run_qr, run_eigh, run_svd }
