/* Decompositions of small real matrices (sides up to 32), a group of SIDE lanes each, in shared
 * memory.
 *
 * Algorithms: Gauss' with partial pivoting and Cholesky's, a lane a row, and what is solved with
 * Gauss' factors, a lane a column, or a row of one column; Householder's reflectors with LAPACK's
 * signs, a lane a column; Jacobi's rotations for eigenvalues, those of Hestenes for singular
 * values. Rotations of disjoint pairs of columns are made at a time, in the order of a tournament
 * in which all meet once a sweep (Brent and Luk 1985). Matrices are scaled by their largest element
 * where squares might overflow or vanish. What fails is reported, and its values and vectors are
 * NaN.
 * Invariant: the lanes of a group take the same branches around barriers; groups go their own ways.
 * The program defines BLOCK, OPERATION, VECTORS (whether they are wanted), SIDE (4, 8, 16 or 32: no
 * side of a matrix is longer) and Real. */
#define MACROS BLOCK, OPERATION, VECTORS, SIDE
#include "bounds.cuh"

#define LU 0
#define LU_SOLVE 1
#define CHOLESKY 2
#define QR 3
#define EIGH 4
#define SVD 5

#define WIDTH (SIDE + 1) /* of a column in shared memory: its neighbour is in other banks */
#define GROUPS (BLOCK / SIDE)
#define SWEEPS 40

#define IS_WIDE (sizeof(Real) == 8)
#define ROUNDING ((Real)(IS_WIDE ? 2.220446049250313e-16 : 1.1920928955078125e-7))
#define TINIEST ((Real)(IS_WIDE ? 1e-307 : 1e-37))
#define AT(i, j) ((j)*WIDTH + (i))

struct Params {
    Real *a, *vectors, *values, *other;
    tn_i64 *pivots;                           /* from 1 */
    tn_i64 count, m, n, columns, upper, text; /* text: the address of the host's, or 0 */
    Bounds bounds;
};

__device__ __forceinline__ double root_of(double x) {
    return sqrt(x);
}
__device__ __forceinline__ float root_of(float x) {
    return sqrtf(x);
}
__device__ __forceinline__ Real size_of(Real x) {
    return x < 0 ? -x : x;
}
__device__ __forceinline__ Real not_a_number() {
    return (Real)0 / root_of((Real)0);
}

/* --- Groups --- */

/* A group's matrix: its lane, the lanes of its warp, and its areas. */
struct Group {
    unsigned mask;
    int lane;
    Real *a, *v, *line; /* of SIDE columns each; line: of two numbers a lane */

    __device__ __forceinline__ void meet() const { __syncwarp(mask); }
    __device__ __forceinline__ Real sum(Real x) const {
        for (int step = SIDE / 2; step > 0; step /= 2) x += __shfl_xor_sync(mask, x, step);
        return x;
    }
    __device__ __forceinline__ Real most(Real x) const {
        for (int step = SIDE / 2; step > 0; step /= 2) {
            const Real other = __shfl_xor_sync(mask, x, step);
            x = other > x ? other : x;
        }
        return x;
    }
    __device__ __forceinline__ bool any(bool x) const { return __any_sync(mask, x); }
};

/* Divides the columns by the largest element and returns it; 0: there is none but zeros, NaN: not
 * all are numbers. */
__device__ inline Real scale(const Group &g, int m, int n) {
    Real largest = 0, nothing = 0;
    for (int j = 0; j < n; j++)
        if (g.lane < m) {
            const Real x = g.a[AT(g.lane, j)];
            largest = size_of(x) > largest ? size_of(x) : largest;
            nothing += x * 0;
        }
    largest = g.most(largest);
    nothing = g.sum(nothing);
    if (nothing != nothing) return nothing;
    if (largest < TINIEST) return 0;
    for (int j = 0; j < n; j++)
        if (g.lane < m) g.a[AT(g.lane, j)] /= largest;
    g.meet();
    return largest;
}

/* The two columns of pair k in a step of a tournament of n (an even number). */
__device__ __forceinline__ void meet_in(int step, int k, int n, int *p, int *q) {
    const int up = step + k, down = step - k;
    const int first = k == 0 ? n - 1 : up < n - 1 ? up : up - (n - 1);
    const int second = down < 0 ? down + n - 1 : down;
    *p = first < second ? first : second;
    *q = first < second ? second : first;
}

/* The rotation that makes `beside` zero between `first` and `second`; returns its tangent. */
__device__ __forceinline__ Real rotation(Real first, Real second, Real beside, Real *c, Real *s) {
    const Real theta = (second - first) / (beside + beside);
    const Real size = 1 / (size_of(theta) + root_of(1 + theta * theta));
    const Real t = theta < 0 ? -size : size;
    *c = 1 / root_of(1 + t * t);
    *s = t * *c;
    return t;
}

__device__ __forceinline__ void rotate(Real *x, Real *y, Real c, Real s) {
    const Real before = *x;
    *x = before * c - *y * s;
    *y = before * s + *y * c;
}

/* How many values stand before that of a lane in order, of those of all lanes below n. */
__device__ inline int rank_of(const Group &g, Real mine, int n, bool is_falling) {
    int rank = 0;
    g.line[g.lane] = mine;
    g.meet();
    for (int k = 0; k < n; k++) {
        const Real other = g.line[k];
        rank += is_falling ? other > mine : other < mine;
        rank += other == mine && k < g.lane;
    }
    g.meet();
    return rank;
}

/* --- Elimination --- */

/* The row from k on whose element of column k is the largest, the first of equal ones. */
__device__ inline int pivot_of(const Group &g, int k, int n) {
    int at = g.lane;
    Real most = g.lane >= k && g.lane < n ? size_of(g.a[AT(g.lane, k)]) : (Real)-1;
    for (int step = SIDE / 2; step > 0; step /= 2) {
        const Real other = __shfl_xor_sync(g.mask, most, step);
        const int place = __shfl_xor_sync(g.mask, at, step);
        if (other > most || (other == most && place < at)) {
            most = other;
            at = place;
        }
    }
    at = __shfl_sync(g.mask, at, 0, SIDE); /* lanes may differ where there are NaNs */
    return at >= k && at < n ? at : k;
}

__device__ inline bool run_lu(const Params &p, tn_i64 at, const Group &g) {
    const int n = (int)p.n, i = g.lane;
    Real *a = p.a + at * n * n;
    bool is_singular = false;
    for (int k = i; k < n * n; k += SIDE) g.a[AT(k % n, k / n)] = a[k];
    g.meet();
    for (int k = 0; k < n; k++) {
        const int row = pivot_of(g, k, n);
        if (i < n && row != k) {
            const Real moved = g.a[AT(k, i)];
            g.a[AT(k, i)] = g.a[AT(row, i)];
            g.a[AT(row, i)] = moved;
        }
        if (i == 0) p.pivots[at * n + k] = row + 1;
        g.meet();
        const Real pivot = g.a[AT(k, k)];
        is_singular |= pivot == 0;
        if (i > k && i < n) {
            const Real factor = pivot == 0 ? g.a[AT(i, k)] : g.a[AT(i, k)] / pivot;
            g.a[AT(i, k)] = factor;
            for (int j = k + 1; j < n; j++) g.a[AT(i, j)] -= factor * g.a[AT(k, j)];
        }
        g.meet();
    }
    for (int k = i; k < n * n; k += SIDE) a[k] = g.a[AT(k % n, k / n)];
    return is_singular;
}

/* One column of the right side, in place. */
__device__ inline void solve_column(const Group &g, Real *x, const tn_i64 *pivots, int n) {
    for (int k = 0; k < n; k++) {
        const int row = (int)pivots[k] - 1;
        const Real moved = x[k];
        x[k] = x[row];
        x[row] = moved;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) x[i] -= g.a[AT(i, k)] * x[k];
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= g.a[AT(k, k)];
        for (int i = 0; i < k; i++) x[i] -= g.a[AT(i, k)] * x[k];
    }
}

/* The only column of the right side: its element of the group's lane, solved. */
__device__ inline Real solve_row(const Group &g, Real x, const tn_i64 *pivots, int n) {
    const int i = g.lane, pivot = i < n ? (int)pivots[i] - 1 : i;
    for (int k = 0; k < n; k++) {
        const int row = __shfl_sync(g.mask, pivot, k, SIDE);
        const Real upper = __shfl_sync(g.mask, x, k, SIDE);
        const Real lower = __shfl_sync(g.mask, x, row, SIDE);
        x = i == k ? lower : i == row ? upper : x;
    }
    for (int k = 0; k < n; k++) {
        const Real known = __shfl_sync(g.mask, x, k, SIDE);
        if (i > k && i < n) x -= g.a[AT(i, k)] * known;
    }
    for (int k = n - 1; k >= 0; k--) {
        if (i == k) x /= g.a[AT(k, k)];
        const Real known = __shfl_sync(g.mask, x, k, SIDE);
        if (i < k) x -= g.a[AT(i, k)] * known;
    }
    return x;
}

__device__ inline bool run_lu_solve(const Params &p, tn_i64 at, const Group &g) {
    const int n = (int)p.n, columns = (int)p.columns;
    const Real *a = p.a + at * n * n;
    Real *b = p.vectors + at * n * columns;
    for (int k = g.lane; k < n * n; k += SIDE) g.a[AT(k % n, k / n)] = a[k];
    if (columns == 1) {
        g.meet();
        const Real x = solve_row(g, g.lane < n ? b[g.lane] : (Real)0, p.pivots + at * n, n);
        if (g.lane < n) b[g.lane] = x;
        return false;
    }
    for (int first = 0; first < columns; first += SIDE, b += n * SIDE) {
        const int many = columns - first < SIDE ? columns - first : SIDE;
        for (int k = g.lane; k < n * many; k += SIDE) g.v[AT(k % n, k / n)] = b[k];
        g.meet();
        if (g.lane < many) solve_column(g, g.v + g.lane * WIDTH, p.pivots + at * n, n);
        g.meet();
        for (int k = g.lane; k < n * many; k += SIDE) b[k] = g.v[AT(k % n, k / n)];
        g.meet();
    }
    return false;
}

/* --- Cholesky --- */

/* The other triangle is left as it is. */
__device__ inline bool run_cholesky(const Params &p, tn_i64 at, const Group &g) {
    const int n = (int)p.n, i = g.lane;
    Real *a = p.a + at * n * n;
    bool has_failed = false;
    for (int j = 0; j < n; j++)
        if (i >= j && i < n) g.a[AT(i, j)] = a[p.upper ? i * n + j : j * n + i];
    g.meet();
    for (int k = 0; k < n; k++) {
        const Real pivot = g.a[AT(k, k)], root = root_of(pivot);
        has_failed |= !(pivot > 0);
        g.meet();
        const Real mine = i == k ? root : i < n ? g.a[AT(i, k)] * (1 / root) : (Real)0;
        if (i >= k && i < n) g.a[AT(i, k)] = mine;
        g.meet();
        for (int j = k + 1; j < n; j++)
            if (i >= j && i < n) g.a[AT(i, j)] -= mine * g.a[AT(j, k)];
        g.meet();
    }
    for (int j = 0; j < n; j++)
        if (i >= j && i < n) {
            const Real x = g.a[AT(i, j)];
            a[p.upper ? i * n + j : j * n + i] = x;
            has_failed |= x != x;
        }
    return g.any(has_failed);
}

/* --- Reflectors --- */

/* A lane's column x less tau (v . x) times v, whose first element is 1, both from row k on. */
__device__ inline void reflect(Real *x, const Real *v, Real tau, int k, int m) {
    Real sum = x[k];
    for (int i = k + 1; i < m; i++) sum += v[i] * x[i];
    sum *= tau;
    x[k] -= sum;
    for (int i = k + 1; i < m; i++) x[i] -= v[i] * sum;
}

/* Makes the reflector of column k; returns its factor. */
__device__ inline Real make_reflector(const Group &g, int k, int m) {
    Real *v = g.a + k * WIDTH;
    const bool is_below = g.lane > k && g.lane < m;
    const Real first = v[k], mine = is_below ? v[g.lane] : (Real)0;
    const Real largest = g.most(size_of(g.lane == k ? first : mine));
    const Real unit = largest < TINIEST ? (Real)0 : 1 / largest;
    const Real sum = g.sum(mine * unit * (mine * unit));
    const Real length = root_of(sum + first * unit * (first * unit)) * largest;
    g.meet();
    if (sum == 0) {
        if (is_below) v[g.lane] = 0;
        g.meet();
        return 0;
    }
    const Real beta = first < 0 ? length : -length;
    if (is_below) v[g.lane] = mine * (1 / (first - beta));
    g.meet();
    if (g.lane == k) v[k] = beta;
    return (beta - first) / beta;
}

__device__ inline bool run_qr(const Params &p, tn_i64 at, const Group &g) {
    const int m = (int)p.m, n = (int)p.n, columns = (int)p.columns, least = m < n ? m : n;
    Real *a = p.a + at * m * n, *q = p.vectors + at * m * columns, *tau = p.values + at * least;
    for (int k = g.lane; k < m * n; k += SIDE) g.a[AT(k % m, k / m)] = a[k];
    g.meet();
    for (int k = 0; k < least; k++) {
        const Real factor = make_reflector(g, k, m);
        if (g.lane > k && g.lane < n) reflect(g.a + g.lane * WIDTH, g.a + k * WIDTH, factor, k, m);
        if (g.lane == 0) {
            g.line[k] = factor;
            tau[k] = factor;
        }
        g.meet();
    }
    for (int k = g.lane; k < m * n; k += SIDE) a[k] = g.a[AT(k % m, k / m)];
    if (!VECTORS) return false;
    Real *mine = g.v + g.lane * WIDTH;
    if (g.lane < columns) {
        for (int i = 0; i < m; i++) mine[i] = i == g.lane;
        for (int k = least - 1; k >= 0; k--)
            if (g.lane >= k) reflect(mine, g.a + k * WIDTH, g.line[k], k, m);
    }
    g.meet();
    for (int k = g.lane; k < m * columns; k += SIDE) q[k] = g.v[AT(k % m, k / m)];
    return false;
}

/* --- Eigenvalues --- */

/* A step's rotations of pairs in `line` (c, then s, of each), applied to both sides of a, of which
 * both triangles are kept. The diagonal blocks have been made by their lanes. */
__device__ inline void turn_both_sides(const Group &g, int step, int n) {
    const int half = n / 2;
    for (int e = g.lane; e < half * half; e += SIDE) {
        const int k = e / half, l = e % half;
        if (k >= l) continue;
        int p, q, r, t;
        meet_in(step, k, n, &p, &q);
        meet_in(step, l, n, &r, &t);
        Real pr = g.a[AT(p, r)], pt = g.a[AT(p, t)], qr = g.a[AT(q, r)], qt = g.a[AT(q, t)];
        rotate(&pr, &qr, g.line[2 * k], g.line[2 * k + 1]);
        rotate(&pt, &qt, g.line[2 * k], g.line[2 * k + 1]);
        rotate(&pr, &pt, g.line[2 * l], g.line[2 * l + 1]);
        rotate(&qr, &qt, g.line[2 * l], g.line[2 * l + 1]);
        g.a[AT(p, r)] = g.a[AT(r, p)] = pr;
        g.a[AT(p, t)] = g.a[AT(t, p)] = pt;
        g.a[AT(q, r)] = g.a[AT(r, q)] = qr;
        g.a[AT(q, t)] = g.a[AT(t, q)] = qt;
    }
}

/* Rotates the columns of v by a step's rotations: rows beside one another. */
__device__ inline void turn_columns(const Group &g, int step, int n, int rows) {
    for (int k = 0; VECTORS && k < n / 2; k++) {
        int p, q;
        meet_in(step, k, n, &p, &q);
        if (g.line[2 * k + 1] != 0 && g.lane < rows)
            rotate(g.v + AT(g.lane, p), g.v + AT(g.lane, q), g.line[2 * k], g.line[2 * k + 1]);
    }
}

/* Eigenvalues, in no order, on the diagonal of a; n is even. Returns whether that did not
 * converge. */
__device__ inline bool find_eigenvalues(const Group &g, int n) {
    Real sum = 0;
    for (int j = 0; j < n; j++)
        if (g.lane < n) sum += g.a[AT(g.lane, j)] * g.a[AT(g.lane, j)];
    const Real limit = root_of(g.sum(sum)) * (Real)0.125 * ROUNDING;
    bool is_open = true;
    for (int sweep = 0; is_open && sweep < SWEEPS; sweep++) {
        is_open = false;
        for (int step = 0; step < n - 1; step++) {
            bool is_turned = false;
            if (g.lane < n / 2) {
                int p, q;
                Real c = 1, s = 0;
                meet_in(step, g.lane, n, &p, &q);
                const Real beside = g.a[AT(p, q)];
                is_turned = size_of(beside) > limit;
                if (is_turned) {
                    const Real t = rotation(g.a[AT(p, p)], g.a[AT(q, q)], beside, &c, &s);
                    g.a[AT(p, p)] -= t * beside;
                    g.a[AT(q, q)] += t * beside;
                    g.a[AT(p, q)] = g.a[AT(q, p)] = 0;
                }
                g.line[2 * g.lane] = c;
                g.line[2 * g.lane + 1] = s;
            }
            if (!g.any(is_turned)) continue;
            is_open = true;
            g.meet();
            turn_both_sides(g, step, n);
            turn_columns(g, step, n, n);
            g.meet();
        }
    }
    return is_open;
}

__device__ inline void make_unit(const Group &g, int n) {
    for (int j = 0; j < n; j++)
        if (g.lane < n) g.v[AT(g.lane, j)] = g.lane == j;
}

/* An odd side gets a row and a column of zeros, which no rotation touches. */
__device__ inline bool run_eigh(const Params &p, tn_i64 at, const Group &g) {
    const int n = (int)p.n, even = n + n % 2, i = g.lane;
    Real *a = p.a + at * n * n;
    for (int k = g.lane; k < n * n; k += SIDE) {
        const int row = k % n, column = k / n;
        if (p.upper ? row <= column : row >= column)
            g.a[AT(row, column)] = g.a[AT(column, row)] = a[k];
    }
    if (n < even && i < even) g.a[AT(i, n)] = g.a[AT(n, i)] = 0;
    make_unit(g, even);
    g.meet();
    const Real size = scale(g, n, n);
    const bool has_failed = size != size || find_eigenvalues(g, even);
    const Real nothing = has_failed ? not_a_number() : (Real)0;
    const Real mine = i < n ? g.a[AT(i, i)] : (Real)0;
    const int rank = rank_of(g, mine, n, false);
    if (i < n) p.values[at * n + (has_failed ? i : rank)] = mine * size + nothing;
    for (int j = 0; VECTORS && j < n; j++) {
        const int place = has_failed ? j : __shfl_sync(g.mask, rank, j, SIDE);
        if (i < n) a[place * n + i] = g.v[AT(i, j)] + nothing;
    }
    return has_failed;
}

/* --- Singular values --- */

/* Two lanes rotate each pair of columns, every second row each. Returns whether they were not yet
 * orthogonal. */
__device__ inline bool turn_pair(const Group &g, int step, int m, int n, Real limit) {
    const int k = g.lane / 2, odd = g.lane % 2;
    int p = 0, q = 0;
    Real first = 0, second = 0, beside = 0, c = 1, s = 0;
    if (k < n / 2) {
        meet_in(step, k, n, &p, &q);
        for (int i = odd; i < m; i += 2) {
            const Real x = g.a[AT(i, p)], y = g.a[AT(i, q)];
            first += x * x;
            second += y * y;
            beside += x * y;
        }
    }
    first += __shfl_xor_sync(g.mask, first, 1);
    second += __shfl_xor_sync(g.mask, second, 1);
    beside += __shfl_xor_sync(g.mask, beside, 1);
    const Real bound = root_of(first) * root_of(second) * (2 + (Real)0.125 * m) * ROUNDING;
    const bool is_turned = size_of(beside) > bound && first > limit && second > limit;
    if (is_turned) {
        rotation(first, second, beside, &c, &s);
        for (int i = odd; i < m; i += 2) rotate(g.a + AT(i, p), g.a + AT(i, q), c, s);
        for (int i = odd; VECTORS && i < n; i += 2) rotate(g.v + AT(i, p), g.v + AT(i, q), c, s);
    }
    g.meet();
    return is_turned;
}

/* A vector of length 1 in column j that is orthogonal to those of `known`: of the unit vectors from
 * *next on the first that is far enough from their space. One is, since the squares of all
 * distances add up to the number of dimensions that are left. */
__device__ inline void complete(const Group &g, int m, int j, unsigned known, int *next) {
    Real *x = g.a + j * WIDTH;
    for (;; (*next)++) {
        Real mine = g.lane == *next;
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < SIDE; k++) {
                if (!(known >> k & 1)) continue;
                const Real other = g.lane < m ? g.a[AT(g.lane, k)] : (Real)0;
                mine -= other * g.sum(other * mine);
            }
        const Real square = g.sum(g.lane < m ? mine * mine : (Real)0);
        if (square * 2 * m < 1 && *next + 1 < m) continue;
        if (g.lane < m) x[g.lane] = mine / root_of(square);
        g.meet();
        return;
    }
}

/* The columns of a, of which those that are nothing are made anew, have length 1 from here on. */
__device__ inline void make_lengths_one(const Group &g, int m, int n, Real length, Real limit) {
    unsigned known = 0;
    int next = 0;
    for (int j = 0; j < n; j++) {
        const Real divisor = __shfl_sync(g.mask, length, j, SIDE);
        if (divisor * divisor <= limit) continue;
        known |= 1u << j;
        if (g.lane < m) g.a[AT(g.lane, j)] /= divisor;
    }
    g.meet();
    for (int j = 0; j < n; j++) {
        if (known >> j & 1) continue;
        complete(g, m, j, known, &next);
        known |= 1u << j;
    }
}

/* Of the transpose where there are more columns than rows. An odd number of columns gets one of
 * zeros, which no rotation touches. */
__device__ inline bool run_svd(const Params &p, tn_i64 at, const Group &g) {
    const bool is_wide = p.m < p.n;
    const int m = (int)(is_wide ? p.n : p.m), n = (int)(is_wide ? p.m : p.n), even = n + n % 2;
    const Real *a = p.a + at * m * n;
    for (int k = g.lane; k < m * n; k += SIDE)
        g.a[is_wide ? AT(k / n, k % n) : AT(k % m, k / m)] = a[k];
    if (n < even && g.lane < m) g.a[AT(g.lane, n)] = 0;
    make_unit(g, even);
    g.meet();
    const Real size = scale(g, m, n);
    Real square = 0;
    for (int j = 0; j < n; j++)
        if (g.lane < m) square += g.a[AT(g.lane, j)] * g.a[AT(g.lane, j)];
    const Real limit = g.sum(square) * ROUNDING * ROUNDING * ROUNDING;
    bool has_failed = size == size;
    for (int sweep = 0; has_failed && sweep < SWEEPS; sweep++) {
        bool is_open = false;
        for (int step = 0; step < even - 1; step++) is_open |= turn_pair(g, step, m, even, limit);
        has_failed = g.any(is_open);
    }
    has_failed |= size != size;
    const Real nothing = has_failed ? not_a_number() : (Real)0;
    Real length = 0;
    for (int i = 0; g.lane < n && i < m; i++) length += g.a[AT(i, g.lane)] * g.a[AT(i, g.lane)];
    length = root_of(length);
    const int rank = has_failed ? g.lane : rank_of(g, length, n, true);
    if (g.lane < n) p.values[at * n + rank] = length * size + nothing;
    if (!VECTORS) return has_failed;
    if (!has_failed) make_lengths_one(g, m, n, length, 4 * limit);
    Real *left = is_wide ? p.other + at * m * n : p.vectors + at * m * n;
    Real *right = is_wide ? p.vectors + at * n * n : p.other + at * n * n;
    for (int j = 0; j < n; j++) {
        const int to = __shfl_sync(g.mask, rank, j, SIDE), i = g.lane;
        if (i < m) left[is_wide ? i * n + to : to * m + i] = g.a[AT(i, j)] + nothing;
        if (i < n) right[is_wide ? to * n + i : i * n + to] = g.v[AT(i, j)] + nothing;
    }
    return has_failed;
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    __shared__ Real areas[GROUPS * (2 * SIDE * WIDTH + 2 * SIDE)];
    const int number = threadIdx.x / SIDE;
    Real *area = areas + number * (2 * SIDE * WIDTH + 2 * SIDE);
    const unsigned lanes = SIDE == 32 ? 0xffffffffu : (1u << (SIDE % 32)) - 1;
    const Group g = {lanes << (threadIdx.x % 32 / SIDE * SIDE), (int)(threadIdx.x % SIDE), area,
                     area + SIDE * WIDTH, area + 2 * SIDE * WIDTH};
    for (tn_i64 at = blockIdx.x * (tn_i64)GROUPS + number; at < p.count;
         at += gridDim.x * (tn_i64)GROUPS) {
        const bool has_failed = OPERATION == LU         ? run_lu(p, at, g)
                                : OPERATION == LU_SOLVE ? run_lu_solve(p, at, g)
                                : OPERATION == CHOLESKY ? run_cholesky(p, at, g)
                                : OPERATION == QR       ? run_qr(p, at, g)
                                : OPERATION == EIGH     ? run_eigh(p, at, g)
                                                        : run_svd(p, at, g);
        if (has_failed && p.text && g.lane == 0)
            report_failure(p.bounds, TN_FAILURE_MATRIX, p.text);
        g.meet();
    }
}
