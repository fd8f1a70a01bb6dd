// What the other texts of scipy.special stand on. They are of double precision, for the host and
// for GPUs alike, with relative errors of the order of 1e-14: functions of one argument are
// quotients of polynomials that meet them at Chebyshev's nodes; others are series where they
// converge fast, continued fractions (Lentz) and asymptotic series elsewhere; inverses go by
// Halley's steps.
#ifndef TNI_SPECIAL_BASE
#define TNI_SPECIAL_BASE

/* Functions for others that are not copied into loops of elements, so that no vector computes them.
 */
#ifdef TNI_ALONE
#define SP_ALONE(name) tni::name##_alone
#else
#define SP_ALONE(name) name
#endif

static __device__ inline double sp_inf() {
    double zero = 0;
    return 1 / zero;
}
static __device__ inline double sp_nan() {
    return sp_inf() - sp_inf();
}
static __device__ inline bool sp_is_infinite(double x) {
    return fabs(x) > 1.7976931348623157e308;
}
/* A polynomial of its coefficients, the constant one first. */
static __device__ inline double sp_poly(double, double last) {
    return last;
}
template <class... Rest>
static __device__ inline double sp_poly(double x, double first, Rest... rest) {
    return first + x * sp_poly(x, rest...);
}
/* What is left of x without the nearest multiple of the period: exact while that is below 2^53. */
static __device__ inline double sp_rest(double x, double period) {
    return fma(-period, rint(x / period), x);
}
static __device__ inline bool sp_is_even(double whole) {
    return sp_rest(whole, 2) == 0;
}
/* A count that a program gave as a double, without its fraction; what no int holds is the least
 * int, as a C program makes it. */
static __device__ inline double sp_count(double n) {
    return n != n || fabs(n) < 2147483648.0 ? trunc(n) : -2147483648.0;
}
#endif
