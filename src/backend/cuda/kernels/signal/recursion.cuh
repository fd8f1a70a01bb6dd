/* Recursive filters: their step, and states of many threads as a scan.
 *
 * The program defines Value, Wide (the same kind of number in double precision), COMPLEX, TWOFOLD
 * (whether the parts of Value are doubles), SECTIONS and ORDER. forms/signal.h has the recurrence.
 * Algorithm: after n elements the state is the power A^n of a matrix times the state before them,
 * plus the state that the elements alone would leave. So pieces of a line are filtered from zeros,
 * their last states are scanned in higher precision with powers of A (Blelloch, Prefix Sums and
 * Their Applications, 1990, 1.4.1), and pieces are filtered again from where they begin. */
#ifndef RECURSION_CUH
#define RECURSION_CUH

#define STATES (SECTIONS * ORDER)

/* a b + c */
__device__ __forceinline__ float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
    return __fma_rn(a, b, c);
}
__device__ __forceinline__ float opposite(float a) {
    return -a;
}
__device__ __forceinline__ double opposite(double a) {
    return -a;
}
__device__ __forceinline__ double quotient(double a, double b) {
    return a / b;
}
__device__ __forceinline__ void convert(float &to, double from) {
    to = (float)from;
}
__device__ __forceinline__ void convert(double &to, double from) {
    to = from;
}
#if COMPLEX
template <typename Z> __device__ __forceinline__ Z fused(Z a, Z b, Z c) {
    c.re = fused(a.re, b.re, fused(-a.im, b.im, c.re));
    c.im = fused(a.re, b.im, fused(a.im, b.re, c.im));
    return c;
}
template <typename Z> __device__ __forceinline__ Z opposite(Z a) {
    a.re = -a.re;
    a.im = -a.im;
    return a;
}
__device__ __forceinline__ tn_c128 quotient(tn_c128 a, tn_c128 b) {
    return m_divide(a, b);
}
template <typename Z> __device__ __forceinline__ void convert(Z &to, tn_c128 from) {
    convert(to.re, from.re);
    convert(to.im, from.im);
}
#endif

/* `coefficients` are [SECTIONS][2][ORDER + 1]. */
struct Filter {
    Value b[SECTIONS][ORDER + 1], a[SECTIONS][ORDER + 1];

    __device__ __forceinline__ void load(const Wide *coefficients) {
#pragma unroll
        for (int s = 0; s < SECTIONS; s++) {
            const Wide *from = coefficients + s * 2 * (ORDER + 1);
            const Wide by = from[ORDER + 1];
#pragma unroll
            for (int k = 0; k <= ORDER; k++) {
                convert(b[s][k], quotient(from[k], by));
                convert(a[s][k], opposite(quotient(from[ORDER + 1 + k], by)));
            }
        }
    }
};

struct State {
    Value z[STATES];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int k = 0; k < STATES; k++) z[k] = Value();
    }
    __device__ __forceinline__ Value step(const Filter &f, Value x) {
#pragma unroll
        for (int s = 0; s < SECTIONS; s++) {
            Value *own = z + s * ORDER;
            const Value y = fused(f.b[s][0], x, own[0]);
#pragma unroll
            for (int k = 0; k < ORDER; k++) {
                const Value next = k < ORDER - 1 ? own[k + 1] : Value();
                own[k] = fused(f.a[s][k + 1], y, fused(f.b[s][k + 1], x, next));
            }
            x = y;
        }
        return x;
    }
};

/* Where a line's states lie: [SECTIONS][outer][ORDER][inner]. */
struct Line {
    tn_i64 outer, place; /* of how many, which */
    tn_i64 inner, beside;

    __device__ __forceinline__ Line(tn_i64 line, tn_i64 outer, tn_i64 inner)
        : outer(outer), place(line / inner), inner(inner), beside(line % inner) {}
    __device__ __forceinline__ tn_i64 at(int state) const {
        return ((state / ORDER * outer + place) * ORDER + state % ORDER) * inner + beside;
    }
    /* The line's first element. */
    __device__ __forceinline__ tn_i64 begin(tn_i64 length) const {
        return place * length * inner + beside;
    }
};

/* --- States that are scanned --- */

/* Of a scan. Where elements are doubles it is the sum of two (Dekker, A floating-point technique
 * for extending the available precision, 1971): the products of a power and a state are large
 * numbers whose sum is small where poles are near 1. */
struct Number {
    double high;
#if TWOFOLD
    double low;
#endif

    __device__ __forceinline__ void set(double value) {
        high = value;
#if TWOFOLD
        low = 0;
#endif
    }
    /* + a b */
    __device__ __forceinline__ void add(const Number &a, const Number &b) {
#if TWOFOLD
        const double product = a.high * b.high;
        double rest = __fma_rn(a.high, b.high, -product);
        rest = __fma_rn(a.high, b.low, __fma_rn(a.low, b.high, rest));
        const double sum = high + product, part = sum - high;
        rest += (high - (sum - part)) + (product - part) + low;
        high = sum + rest;
        low = rest - (high - sum);
#else
        high = __fma_rn(a.high, b.high, high);
#endif
    }
};

/* Complex numbers are two of it, and a matrix has two rows and columns for them. */
#define SIDE (STATES * (1 + COMPLEX))

struct WideState {
    Number z[SIDE];

    __device__ __forceinline__ void set(const State &state) {
#pragma unroll
        for (int k = 0; k < STATES; k++) {
#if COMPLEX
            z[2 * k].set(state.z[k].re);
            z[2 * k + 1].set(state.z[k].im);
#else
            z[k].set(state.z[k]);
#endif
        }
    }
    __device__ __forceinline__ void get(State &state) const {
#pragma unroll
        for (int k = 0; k < STATES; k++) {
#if COMPLEX
            convert(state.z[k].re, z[2 * k].high);
            convert(state.z[k].im, z[2 * k + 1].high);
#else
            convert(state.z[k], z[k].high);
#endif
        }
    }
    /* + matrix times other, of which zeros stay so where the matrix has left the range. */
    __device__ __forceinline__ void add(const Number *matrix, const WideState &other) {
        for (int row = 0; row < SIDE; row++) {
            Number sum = z[row];
#pragma unroll
            for (int k = 0; k < SIDE; k++)
                if (other.z[k].high != 0) sum.add(matrix[row * SIDE + k], other.z[k]);
            z[row] = sum;
        }
    }
};

/* A line's states before its first element; `initial` may be NULL. */
__device__ __forceinline__ void load_initial(State &state, const Value *initial, const Line &line) {
#pragma unroll
    for (int k = 0; k < STATES; k++) state.z[k] = initial ? initial[line.at(k)] : Value();
}

/* Each thread's state becomes what it is after all threads up to it. `powers` are LEVELS matrices:
 * over one thread's piece, over two, over four, ... */
template <int THREADS>
__device__ __forceinline__ void scan_states(WideState &own, WideState *shared,
                                            const Number *powers) {
    shared[threadIdx.x] = own;
    for (int by = 1, level = 0; by < THREADS; by *= 2, level++) {
        __syncthreads();
        const bool adds = (int)threadIdx.x >= by;
        WideState before;
        if (adds) before = shared[threadIdx.x - by];
        __syncthreads();
        if (adds) {
            own.add(powers + level * SIDE * SIDE, before);
            shared[threadIdx.x] = own;
        }
    }
    __syncthreads();
}

#endif
