/* Distances of rows: a block a tile of TILE rows of a by TILE of b, a thread the sums of 4 by 4.
 *
 * The program defines the type T, BLOCK (256), the numbers of ops/metrics.h SUM and END, WEIGHTED,
 * NORM and PAIRS (b is a, and only rows i < j count).
 * CHUNK columns at a time lie in shared memory. Sums run over the columns in order, in stretches
 * of STRETCH, as they do on the host. */
#define HEADER "metrics.h"
#define MACROS BLOCK, SUM, END, WEIGHTED, NORM, PAIRS, STRETCH

struct Params {
    const T *a, *b, *weights;
    T *output;
    tn_i64 count_a, count_b, columns, tiles_b;
    double p, scale, total, inverse;
};

#define TILE 64
#define CHUNK 16
#define SIDE 16 /* threads of the tile's side */
#define PER 4   /* rows of a thread along it */
#define HAS_NORMS (NORM != TN_NORM_NONE)
#define HAS_OTHER (SUM == TN_SUM_TWO || SUM == TN_SUM_MATCH)

#define M(function) function
#define N(name) name
#include "metric_stamp.h"

/* Adds a column to s and t. */
__device__ __forceinline__ void add_term(T a, T b, T w, T p, T &s, T &t) {
    const T length = fabs(a - b);
    T term = length;
    if (SUM == TN_SUM_SQUARE) term = (a - b) * (a - b);
    if (SUM == TN_SUM_DOT) term = a * b;
    if (SUM == TN_SUM_POWER) term = pow(length, p);
    if (SUM == TN_SUM_CANBERRA) {
        const T whole = fabs(a) + fabs(b);
        term = whole == 0 ? 0 : length / whole;
    }
    if (SUM == TN_SUM_ENTROPY) term = m_entropy(a, b);
    if (SUM == TN_SUM_JENSEN) term = m_jensen(a, b);
    if (SUM == TN_SUM_TWO) t += WEIGHTED ? w * fabs(a + b) : fabs(a + b);
    if (SUM == TN_SUM_MATCH) {
        s += a != b ? w : 0;
        t += a != 0 && b != 0 ? w : 0;
    } else if (SUM == TN_SUM_FLAGS) {
        s += a != 0 && b != 0 ? w : 0;
    } else if (SUM == TN_SUM_LARGEST) {
        if (length > s && (!WEIGHTED || w > 0)) s = length;
    } else {
        s += WEIGHTED ? w * term : term;
    }
}

__device__ __forceinline__ T norm_term(T a, T w) {
    const T term = NORM == TN_NORM_FLAG ? (T)(a != 0) : NORM == TN_NORM_LINEAR ? a : a * a;
    return WEIGHTED ? w * term : term;
}

/* CHUNK columns from `first` on of TILE rows, column by column; 0 where there are none. */
__device__ __forceinline__ void bring(T (*to)[TILE + 1], const T *from, tn_i64 row, tn_i64 rows,
                                      tn_i64 first, tn_i64 columns) {
    const int column = threadIdx.x % CHUNK;
#pragma unroll
    for (int k = 0; k < TILE * CHUNK / BLOCK; k++) {
        const int at = threadIdx.x / CHUNK + k * (BLOCK / CHUNK);
        const bool is_there = row + at < rows && first + column < columns;
        to[column][at] = is_there ? from[(row + at) * columns + first + column] : (T)0;
    }
}

/* The sums of a thread, and those of the columns before the stretch. */
struct Sums {
    T s[PER][PER], t[PER][PER], a[PER], b[PER];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < PER; i++) {
            a[i] = b[i] = 0;
#pragma unroll
            for (int j = 0; j < PER; j++) s[i][j] = t[i][j] = 0;
        }
    }
    __device__ __forceinline__ void add(const Sums &more) {
#pragma unroll
        for (int i = 0; i < PER; i++) {
            if (HAS_NORMS) a[i] += more.a[i], b[i] += more.b[i];
#pragma unroll
            for (int j = 0; j < PER; j++) {
                if (SUM == TN_SUM_LARGEST)
                    s[i][j] = more.s[i][j] > s[i][j] ? more.s[i][j] : s[i][j];
                else
                    s[i][j] += more.s[i][j];
                if (HAS_OTHER) t[i][j] += more.t[i][j];
            }
        }
    }
};

__device__ __forceinline__ void add_columns(Sums &sums, const T (*a)[TILE + 1],
                                            const T (*b)[TILE + 1], const T *weights, int count,
                                            T p) {
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
#pragma unroll 4
    for (int k = 0; k < count; k++) {
        const T w = WEIGHTED ? weights[k] : (T)1;
        T of_a[PER], of_b[PER];
#pragma unroll
        for (int i = 0; i < PER; i++) {
            of_a[i] = a[k][y * PER + i];
            of_b[i] = b[k][x + i * SIDE];
            if (HAS_NORMS) {
                sums.a[i] += norm_term(of_a[i], w);
                sums.b[i] += norm_term(of_b[i], w);
            }
        }
#pragma unroll
        for (int i = 0; i < PER; i++)
#pragma unroll
            for (int j = 0; j < PER; j++)
                add_term(of_a[i], of_b[j], w, p, sums.s[i][j], sums.t[i][j]);
    }
}

__device__ __forceinline__ void store(const Params &p, const Sums &sums, tn_i64 row_a,
                                      tn_i64 row_b) {
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const tn_i64 at_a = row_a + y * PER + i;
        const tn_i64 row =
            PAIRS ? at_a * (2 * p.count_a - at_a - 1) / 2 - at_a - 1 : at_a * p.count_b;
#pragma unroll
        for (int j = 0; j < PER; j++) {
            const tn_i64 at_b = row_b + x + j * SIDE;
            if (at_a >= p.count_a || at_b >= p.count_b || (PAIRS && at_b <= at_a)) continue;
            p.output[row + at_b] = m_metric_end(END, sums.s[i][j], sums.t[i][j], sums.a[i],
                                                sums.b[j], (T)p.scale, (T)p.total, (T)p.inverse);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ T a[CHUNK][TILE + 1], b[CHUNK][TILE + 1], weights[CHUNK];
    const tn_i64 tiles = (p.count_a + TILE - 1) / TILE * p.tiles_b;
    for (tn_i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const tn_i64 row_a = tile / p.tiles_b * TILE, row_b = tile % p.tiles_b * TILE;
        if (PAIRS && row_b + TILE <= row_a) continue;
        Sums all, some;
        all.clear();
        some.clear();
        for (tn_i64 first = 0; first < p.columns; first += CHUNK) {
            __syncthreads();
            bring(a, p.a, row_a, p.count_a, first, p.columns);
            bring(b, PAIRS ? p.a : p.b, row_b, p.count_b, first, p.columns);
            if (WEIGHTED && threadIdx.x < CHUNK && first + threadIdx.x < p.columns)
                weights[threadIdx.x] = p.weights[first + threadIdx.x];
            __syncthreads();
            const tn_i64 rest = p.columns - first;
            add_columns(some, a, b, weights, rest < CHUNK ? (int)rest : CHUNK, (T)p.p);
            if ((first + CHUNK) % STRETCH == 0 || rest <= CHUNK) {
                all.add(some);
                some.clear();
            }
        }
        store(p, all, row_a, row_b);
    }
}
