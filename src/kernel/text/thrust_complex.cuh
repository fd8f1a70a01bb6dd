// thrust/complex.h: complex<T> with the functions of CUDA's programs. Both compilers read it:
// NVRTC, where what has no qualifier is the device's, and the system's after the host's runtime.
#ifndef TNI_COMPLEX
#define TNI_COMPLEX
namespace thrust {
template <class T> struct __align__(sizeof(T) * 2) complex {
    typedef T value_type;
    constexpr complex(T real = T(), T imag = T()) : re(real), im(imag) {}
    template <class U> constexpr complex(const complex<U> &z) : re((T)z.real()), im((T)z.imag()) {}
    constexpr T real() const {
        return re;
    }
    constexpr T imag() const {
        return im;
    }
    void real(T value) {
        re = value;
    }
    void imag(T value) {
        im = value;
    }
    complex &operator=(T value) {
        return *this = complex(value);
    }
    template <class U> complex &operator+=(const U &z) {
        return *this = *this + z;
    }
    template <class U> complex &operator-=(const U &z) {
        return *this = *this - z;
    }
    template <class U> complex &operator*=(const U &z) {
        return *this = *this * z;
    }
    template <class U> complex &operator/=(const U &z) {
        return *this = *this / z;
    }
    T re, im;
};

// Two types of numbers in one operation: what C++ makes of them.
template <class T> struct tni_number {};
#define TNI_NUMBER(type)                                                                           \
    template <> struct tni_number<type> { typedef type of; };
TNI_NUMBER(bool)
TNI_NUMBER(char)
TNI_NUMBER(signed char)
TNI_NUMBER(unsigned char)
TNI_NUMBER(short)
TNI_NUMBER(unsigned short)
TNI_NUMBER(int)
TNI_NUMBER(unsigned)
TNI_NUMBER(long)
TNI_NUMBER(unsigned long)
TNI_NUMBER(long long)
TNI_NUMBER(unsigned long long)
TNI_NUMBER(float)
TNI_NUMBER(double)
#undef TNI_NUMBER
template <class T, class U>
using tni_both = decltype(typename tni_number<T>::of() + typename tni_number<U>::of());

template <class T> static inline complex<T> tni_sum(const complex<T> &a, const complex<T> &b) {
    return {a.re + b.re, a.im + b.im};
}
template <class T>
static inline complex<T> tni_difference(const complex<T> &a, const complex<T> &b) {
    return {a.re - b.re, a.im - b.im};
}
template <class T> static inline complex<T> tni_product(const complex<T> &a, const complex<T> &b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
// Smith's algorithm, as arrays are divided: through the larger part first, so that no square
// overflows, and by zero part by part.
template <class T> static inline complex<T> tni_quotient(const complex<T> &a, const complex<T> &b) {
    const bool is_wide = ::fabs(b.re) >= ::fabs(b.im);
    const T larger = is_wide ? b.re : b.im, smaller = is_wide ? b.im : b.re;
    if (larger == 0 && smaller == 0) return {a.re / (T)::fabs(b.re), a.im / (T)::fabs(b.re)};
    const T ratio = smaller / larger, scale = 1 / (larger + smaller * ratio);
    if (is_wide) return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
template <class T> static inline bool tni_equal(const complex<T> &a, const complex<T> &b) {
    return a.re == b.re && a.im == b.im;
}
template <class T> static inline bool tni_unequal(const complex<T> &a, const complex<T> &b) {
    return !tni_equal(a, b);
}
#define TNI_OPERATOR(result, operation, function)                                                  \
    template <class T, class U, class V = tni_both<T, U>>                                          \
    static inline result operator operation(const complex<T> &a, const complex<U> &b) {            \
        return function(complex<V>(a), complex<V>(b));                                             \
    }                                                                                              \
    template <class T, class U, class V = tni_both<T, U>>                                          \
    static inline result operator operation(const complex<T> &a, const U &b) {                     \
        return function(complex<V>(a), complex<V>((V)b));                                          \
    }                                                                                              \
    template <class T, class U, class V = tni_both<T, U>>                                          \
    static inline result operator operation(const T &a, const complex<U> &b) {                     \
        return function(complex<V>((V)a), complex<V>(b));                                          \
    }
TNI_OPERATOR(complex<V>, +, tni_sum)
TNI_OPERATOR(complex<V>, -, tni_difference)
TNI_OPERATOR(complex<V>, *, tni_product)
TNI_OPERATOR(complex<V>, /, tni_quotient)
TNI_OPERATOR(bool, ==, tni_equal)
TNI_OPERATOR(bool, !=, tni_unequal)
#undef TNI_OPERATOR
template <class T> static inline complex<T> operator-(const complex<T> &a) {
    return {-a.re, -a.im};
}
template <class T> static inline complex<T> operator+(const complex<T> &a) {
    return a;
}
template <class T> static inline T real(const complex<T> &z) {
    return z.real();
}
template <class T> static inline T imag(const complex<T> &z) {
    return z.imag();
}
template <class T> static inline T abs(const complex<T> &z) {
    return ::hypot(z.re, z.im);
}
template <class T> static inline T arg(const complex<T> &z) {
    return ::atan2(z.im, z.re);
}
template <class T> static inline T norm(const complex<T> &z) {
    return z.re * z.re + z.im * z.im;
}
template <class T> static inline complex<T> conj(const complex<T> &z) {
    return {z.re, -z.im};
}
template <class T> static inline complex<T> polar(T radius, T angle = T()) {
    return {radius * ::cos(angle), radius * ::sin(angle)};
}
template <class T> static inline complex<T> exp(const complex<T> &z) {
    T size = ::exp(z.re);
    return z.im == 0 ? complex<T>(size, z.im) : complex<T>(size * ::cos(z.im), size * ::sin(z.im));
}
template <class T> static inline complex<T> log(const complex<T> &z) {
    return {::log(abs(z)), arg(z)};
}
template <class T> static inline complex<T> log10(const complex<T> &z) {
    return log(z) / complex<T>((T)2.302585092994045684);
}
template <class T> static inline complex<T> sqrt(const complex<T> &z) {
    if (z.re == 0 && z.im == 0) return {0, z.im};
    T size = ::sqrt((::fabs(z.re) + abs(z)) / 2);
    return z.re >= 0 ? complex<T>(size, z.im / (2 * size))
                     : complex<T>(::fabs(z.im) / (2 * size), ::copysign(size, z.im));
}
template <class T, class U, class V = tni_both<T, U>>
static inline complex<V> pow(const complex<T> &a, const complex<U> &b) {
    if (a.re == 0 && a.im == 0) return complex<V>(b.re == 0 && b.im == 0 ? 1 : 0);
    return exp(log(complex<V>(a)) * b);
}
template <class T, class U, class V = tni_both<T, U>>
static inline complex<V> pow(const complex<T> &a, const U &b) {
    return pow(a, complex<V>((V)b));
}
template <class T, class U, class V = tni_both<T, U>>
static inline complex<V> pow(const T &a, const complex<U> &b) {
    return pow(complex<V>((V)a), b);
}
template <class T> static inline complex<T> sin(const complex<T> &z) {
    return {::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im)};
}
template <class T> static inline complex<T> cos(const complex<T> &z) {
    return {::cos(z.re) * ::cosh(z.im), -(::sin(z.re) * ::sinh(z.im))};
}
template <class T> static inline complex<T> sinh(const complex<T> &z) {
    return {::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im)};
}
template <class T> static inline complex<T> cosh(const complex<T> &z) {
    return {::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im)};
}
template <class T> static inline complex<T> tanh(const complex<T> &z) {
    if (::fabs(z.re) > 20) {
        T rest = 4 * ::exp(-2 * ::fabs(z.re)) * ::sin(z.im) * ::cos(z.im);
        return {::copysign((T)1, z.re), rest};
    }
    T tangent = ::tan(z.im), s = ::sinh(z.re), slope = 1 + tangent * tangent;
    T by = 1 + slope * s * s;
    return {slope * ::sqrt(1 + s * s) * s / by, tangent / by};
}
template <class T> static inline complex<T> tan(const complex<T> &z) {
    complex<T> turned = tanh(complex<T>(-z.im, z.re));
    return {turned.im, -turned.re};
}
// The point at infinity is one.
template <class T> static inline complex<T> proj(const complex<T> &z) {
    T size = ::fabs(z.re) + ::fabs(z.im);
    return size > 0 && size == 2 * size ? complex<T>(size, ::copysign((T)0, z.im)) : z;
}
// The inverse functions as W. Kahan has them, without cancellation near their cuts.
template <class T> static inline complex<T> asin(const complex<T> &z) {
    complex<T> below = sqrt(complex<T>(1 - z.re, -z.im)), above = sqrt(complex<T>(1 + z.re, z.im));
    return {::atan2(z.re, (below * above).re), ::asinh((conj(below) * above).im)};
}
template <class T> static inline complex<T> acos(const complex<T> &z) {
    complex<T> below = sqrt(complex<T>(1 - z.re, -z.im)), above = sqrt(complex<T>(1 + z.re, z.im));
    return {2 * ::atan2(below.re, above.re), ::asinh((conj(above) * below).im)};
}
template <class T> static inline complex<T> acosh(const complex<T> &z) {
    complex<T> below = sqrt(complex<T>(z.re - 1, z.im)), above = sqrt(complex<T>(z.re + 1, z.im));
    return {::asinh((conj(below) * above).re), 2 * ::atan2(below.im, above.re)};
}
template <class T> static inline complex<T> atanh(const complex<T> &z) {
    T x = z.re, y = z.im;
    return {::log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4,
            ::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2};
}
template <class T> static inline complex<T> asinh(const complex<T> &z) {
    complex<T> turned = asin(complex<T>(-z.im, z.re));
    return {turned.im, -turned.re};
}
template <class T> static inline complex<T> atan(const complex<T> &z) {
    complex<T> turned = atanh(complex<T>(-z.im, z.re));
    return {turned.im, -turned.re};
}
template <class T> static inline bool isnan(const complex<T> &z) {
    return ::isnan(z.re) || ::isnan(z.im);
}
template <class T> static inline bool isinf(const complex<T> &z) {
    return ::isinf(z.re) || ::isinf(z.im);
}
template <class T> static inline bool isfinite(const complex<T> &z) {
    return ::isfinite(z.re) && ::isfinite(z.im);
}
} // namespace thrust
#endif
