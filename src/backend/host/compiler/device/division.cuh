// Division of integers by 0, and of the least by -1, which no C++ program may do, no GPU minds and
// an x86 processor answers by a signal. C++ lets no program define `/` of integers, so translate.c
// writes an operator by name where the program has one:
//   a / b   as   a % ::tni::over % b          a /= b   as   a %= ::tni::over %= b
//   a % b   as   a % ::tni::rest % b          a %= b   as   a %= ::tni::rest %= b
// `%` has the precedence of `/` and groups as it does, so each operand is the one that it was; and
// no class has an operator% that takes whatever comes. Operands that are not both integers are
// divided as they were. A divisor that the compiler knows leaves the plain division.
#define TNI_DIVIDE inline __attribute__((always_inline))
namespace tni {
enum division { OVER, REST };
template <division which> struct sign {};
static constexpr sign<OVER> over;
static constexpr sign<REST> rest;
template <division which, class A> struct dividend { A &&value; };
template <division which, class B> struct divisor { B &&value; };

template <class T> constexpr bool is_divided = is_integer<T> || __is_enum(T);
template <> constexpr bool is_divided<__int128> = true;
template <> constexpr bool is_divided<unsigned __int128> = true;
template <class T> constexpr bool is_divided<T &> = is_divided<T>;
template <class T> constexpr bool is_divided<const T> = is_divided<T>;
template <class T> constexpr bool is_divided<volatile T> = is_divided<T>;
template <class T> constexpr bool is_divided<const volatile T> = is_divided<T>;

// What a GPU gives for 0: all bits set; of 64 bits the lower half alone where the dividend fits
// there, since it divides such numbers as 32 bits (seen on an H200).
template <class C> TNI_DIVIDE constexpr C divide_by_zero(C a) {
    return sizeof(C) == 8 && !((unsigned long long)a >> 32) ? (C)0xffffffffu : (C)-1;
}
// Of 32 bits by way of doubles, which is exact, and with masks for branches: so a loop does it for
// several elements at a time, as no processor divides integers. C may be larger.
template <division which, class C> TNI_DIVIDE constexpr C divide_by_double(int a, int b) {
    typedef unsigned long long wide;
    const int zero = -(b == 0), minus = -(b == -1), other = ~(zero | minus);
    const int part = (int)((double)a / (double)((b & other) | (1 & ~other)));
    const wide quotient = ((wide)part ^ (wide)minus) - (wide)minus; // -part by b = -1
    const wide result = which == OVER ? quotient : (wide)a - quotient * (wide)b;
    const wide ones = sizeof(C) == 8 ? (wide)(a >> 31) << 32 | 0xffffffffu : (wide)-1;
    return (C)((result & ~(wide)zero) | (ones & (wide)zero));
}
// The compiler knows it of what was an int.
template <class C> TNI_DIVIDE constexpr bool is_narrow(C a) {
    return a == (C)(int)a;
}

// Of C, which is int or larger.
template <division which, class C> TNI_DIVIDE constexpr C divide(C a, C b) {
    constexpr C least = (C)-1 < (C)0 ? (C)((C)1 << (8 * sizeof(C) - 1)) : (C)0;
    if constexpr ((C)-1 < (C)0 && sizeof(C) <= 8)
        if (!__builtin_constant_p(b) && is_narrow(a) && is_narrow(b))
            return divide_by_double<which, C>((int)a, (int)b);
    if (__builtin_expect(b == 0, 0)) return divide_by_zero(a);
    if ((C)-1 < (C)0 && b == (C)-1 && a == least) return which == OVER ? least : (C)0;
    return which == OVER ? a / b : a % b;
}

template <division which, class A>
TNI_DIVIDE constexpr dividend<which, A> operator%(A &&a, sign<which>) {
    return {(A &&) a};
}
template <division which, class B>
TNI_DIVIDE constexpr divisor<which, B> operator%=(sign<which>, B &&b) {
    return {(B &&) b};
}
#define TNI_DIVISION(which, op)                                                                    \
    template <class A, class B>                                                                    \
    TNI_DIVIDE constexpr auto operator%(dividend<which, A> a, B &&b)                               \
        ->decltype((A &&) a.value op(B &&) b) {                                                    \
        if constexpr (is_divided<A> && is_divided<B>)                                              \
            return divide<which, decltype(a.value op b)>(a.value, b);                              \
        else                                                                                       \
            return (A &&) a.value op(B &&) b;                                                      \
    }                                                                                              \
    template <class A, class B>                                                                    \
    TNI_DIVIDE constexpr decltype(auto) operator%=(A &&a, divisor<which, B> b) {                   \
        if constexpr (is_divided<A> && is_divided<B>)                                              \
            return (a = divide<which, decltype(a op b.value)>(a, b.value));                        \
        else                                                                                       \
            return (A &&) a op## = (B &&) b.value;                                                 \
    }
TNI_DIVISION(OVER, /)
TNI_DIVISION(REST, %)
#undef TNI_DIVISION
} // namespace tni
