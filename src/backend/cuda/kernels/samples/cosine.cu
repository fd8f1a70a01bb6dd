/* Cosine and sine transforms: the step before a Fourier transform of about the same length, and the
 * one after it. A thread has one number k of a line's `count`, and mostly the two elements of the
 * line that go with it.
 *
 * The program defines Real, BLOCK, WIDE_INDEX, NDIM (axes of the lines), TYPE (of the sums that are
 * computed, 1 to 4), SINE and AFTER (0: the step before). In the scratch memory lines lie one
 * after the other.
 * The transform between is, of n numbers:
 *   type 1  the half of 2 (n - 1) real numbers (sines: 2 (n + 1)) that mirror each other
 *   type 2  the half of n real numbers: the even ones, then the odd ones backwards
 *   type 3  the opposite, from a half to real numbers
 *   type 4  n / 2 complex numbers, made of evens and of odds backwards; if n is odd the half of n
 *           real numbers: those at n + 8 k, of what mirrors itself at 2 n and at 4 n */
#define MACROS BLOCK, WIDE_INDEX, NDIM, TYPE, SINE, AFTER
#include "access.cuh"

struct Params {
    char *line;    /* of the caller's array; read before, written after */
    char *scratch; /* the other way round */
    tn_i64 step;   /* bytes along a line */
    tn_i64 n, given, total;
    tn_i64 apart; /* from a line of the scratch to the next */
    double scale; /* of what is written */
    double edge;  /* of the ends that orthogonal transforms weigh, beside the scale */
    Axis count;
    Shape<NDIM, 1> shape;
};

struct __align__(2 * sizeof(Real)) Couple {
    Real re, im;
};

/* One line: x(j) of its n numbers, counted backwards where `turns`, and its place in the scratch
 * memory. */
struct Line {
    const Params &p;
    char *numbers;
    tn_i64 at;

    __device__ __forceinline__ Real *x(tn_i64 j, bool turns) const {
        return (Real *)(numbers + (turns ? p.n - 1 - j : j) * p.step);
    }
    __device__ __forceinline__ Real given(tn_i64 j, bool turns) const {
        if (turns) j = p.n - 1 - j;
        return j < p.given ? *(const Real *)(numbers + j * p.step) : (Real)0;
    }
    __device__ __forceinline__ Real &real(tn_i64 k) const { return ((Real *)p.scratch)[at + k]; }
    __device__ __forceinline__ Couple &couple(tn_i64 k) const {
        return ((Couple *)p.scratch)[at + k];
    }
};

__device__ __forceinline__ void cosine_and_sine(float angle, float *c, float *s) {
    sincospif(angle, s, c);
}
__device__ __forceinline__ void cosine_and_sine(double angle, double *c, double *s) {
    sincospi(angle, s, c);
}

/* (re + i im) exp(-pi i part / whole) */
__device__ __forceinline__ Couple turn(Real re, Real im, tn_i64 part, tn_i64 whole) {
    Real c, s;
    cosine_and_sine((Real)((double)part / (double)whole), &c, &s);
    return Couple{re * c + im * s, im * c - re * s};
}

__device__ __forceinline__ void before_1(const Line &line, tn_i64 j) {
    const tn_i64 n = line.p.n;
    const Real value = line.given(j, false);
    if (SINE) {
        line.real(j + 1) = value;
        line.real(2 * n + 1 - j) = -value;
        if (j == 0) line.real(0) = line.real(n + 1) = 0;
        return;
    }
    const bool is_end = j == 0 || j == n - 1;
    line.real(j) = is_end ? value * (Real)line.p.edge : value;
    if (!is_end) line.real(2 * (n - 1) - j) = value;
}

__device__ __forceinline__ void before_2(const Line &line, tn_i64 j) {
    const tn_i64 n = line.p.n;
    line.real(j) = line.given(2 * j, false);
    if (2 * j + 1 < n)
        line.real(n - 1 - j) = SINE ? -line.given(2 * j + 1, false) : line.given(2 * j + 1, false);
}

__device__ __forceinline__ void before_3(const Line &line, tn_i64 k) {
    const tn_i64 n = line.p.n;
    if (k == 0) {
        line.couple(0) = Couple{line.given(0, SINE) * (Real)line.p.edge, 0};
        return;
    }
    const Couple turned = turn(line.given(k, SINE), line.given(n - k, SINE), k, 2 * n);
    line.couple(k) = Couple{turned.re, 2 * k == n ? (Real)0 : -turned.im};
}

/* Of an odd n: the number at `at` = 2 j + 1 of what mirrors itself at 4 n, and with the other sign
 * at 2 n. */
__device__ __forceinline__ void before_4_odd(const Line &line, tn_i64 k) {
    const tn_i64 n = line.p.n;
    tn_i64 at = (n + 8 * k) % (8 * n);
    if (at > 4 * n) at = 8 * n - at;
    const bool is_negative = at > 2 * n;
    if (is_negative) at = 4 * n - at;
    const Real value = line.given((at - 1) / 2, SINE);
    line.real(k) = is_negative ? -value : value;
}

__device__ __forceinline__ void before_4(const Line &line, tn_i64 k) {
    const tn_i64 n = line.p.n;
    if (n % 2) {
        before_4_odd(line, k);
        return;
    }
    const Real even = line.given(2 * k, SINE), odd = line.given(n - 1 - 2 * k, SINE);
    line.couple(k) = turn(even, odd, 8 * k + 1, 8 * n);
}

__device__ __forceinline__ void after_1(const Line &line, tn_i64 k) {
    const bool is_end = k == 0 || k == line.p.n - 1;
    const double edge = is_end ? line.p.scale * line.p.edge : line.p.scale;
    *line.x(k, false) =
        SINE ? line.couple(k + 1).im * -(Real)line.p.scale : line.couple(k).re * (Real)edge;
}

__device__ __forceinline__ void after_2(const Line &line, tn_i64 k) {
    const tn_i64 n = line.p.n;
    const Real scale = (Real)line.p.scale;
    const Couple value = line.couple(k), turned = turn(value.re, value.im, k, 2 * n);
    *line.x(k, SINE) = turned.re * (k == 0 ? (Real)(line.p.scale * line.p.edge) : scale);
    if (k > 0 && 2 * k < n) *line.x(n - k, SINE) = turned.im * -scale;
}

__device__ __forceinline__ void after_3(const Line &line, tn_i64 j) {
    const tn_i64 n = line.p.n;
    const Real scale = (Real)line.p.scale;
    *line.x(2 * j, false) = line.real(j) * scale;
    if (2 * j + 1 < n) *line.x(2 * j + 1, false) = line.real(n - 1 - j) * (SINE ? -scale : scale);
}

/* Element 2 k + 1 (modulo n) of the half, times exp(-pi i (2k + 1) / 4), of which parts are roots
 * of 1/2 that the scale has. */
__device__ __forceinline__ void after_4_odd(const Line &line, tn_i64 k) {
    const tn_i64 n = line.p.n, at = (2 * k + 1) % n;
    const bool is_mirrored = at > n / 2;
    const Couple value = line.couple(is_mirrored ? n - at : at);
    const Real scale = (Real)(line.p.scale * 0.70710678118654752440);
    const Real outer = SINE && k % 2 ? -scale : scale;
    const Real re = k % 4 == 0 || k % 4 == 3 ? outer : -outer;
    const Real im = (k % 4 < 2) != is_mirrored ? outer : -outer;
    *line.x(k, false) = value.re * re + value.im * im;
}

__device__ __forceinline__ void after_4(const Line &line, tn_i64 k) {
    const tn_i64 n = line.p.n;
    const Real scale = (Real)line.p.scale;
    if (n % 2) {
        after_4_odd(line, k);
        return;
    }
    const Couple value = line.couple(k), turned = turn(value.re, value.im, 8 * k + 1, 8 * n);
    *line.x(2 * k, false) = turned.re * scale;
    *line.x(n - 1 - 2 * k, false) = turned.im * (SINE ? scale : -scale);
}

__device__ __forceinline__ void step(const Line &line, tn_i64 k) {
#if AFTER
    if (TYPE == 1) after_1(line, k);
    if (TYPE == 2) after_2(line, k);
    if (TYPE == 3) after_3(line, k);
    if (TYPE == 4) after_4(line, k);
#else
    if (TYPE == 1) before_1(line, k);
    if (TYPE == 2) before_2(line, k);
    if (TYPE == 3) before_3(line, k);
    if (TYPE == 4) before_4(line, k);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK) KERNEL(const __grid_constant__ Params p) {
    for (Index at = blockIdx.x * (Index)BLOCK + threadIdx.x; at < (Index)p.total;
         at += (Index)gridDim.x * BLOCK) {
        const Index number = divide(p.count, at), k = at - number * (Index)p.count.size;
        tn_i64 offset[1] = {0};
        p.shape.walk(number, offset);
        const Line line = {p, p.line + offset[0], number * p.apart};
        step(line, k);
    }
}
