// The functions that the system's library of vector functions has (TNI_MVEC: 1 the first of them,
// 2 all). Loops call them for several elements at a time, and all else for one: always AVX2's own,
// whose last bits are not those of the scalar function or of other widths. So an element's result
// does not depend on whether the compiler made a vector of its loop, nor on its place there.
//
// A function of the system's, such as exp, gets the assembler's name tni_exp. The compiler names
// the vector forms after that. All are defined here, each by calls of the one of AVX2. They are the
// assembler's macros, since a compiler would need longer for a hundred functions than for a kernel.
#if defined(TNI_MVEC) && defined(__x86_64__) && defined(__AVX2__) && !defined(__clang__)
asm(R"(
.macro tni_begin name
    .hidden \name
    .type \name, @function
    \name:
.endm
.macro tni_forms name, marks, half, whole, wide, broadcast
    tni_begin tni_\name
        \broadcast %xmm0, %ymm0
        \broadcast %xmm1, %ymm1
        subq $8, %rsp
        call _ZGVdN\whole\marks\()_\name\()@PLT
        addq $8, %rsp
        vzeroupper
        ret
    tni_begin _ZGVbN\half\marks\()_tni_\name
        vinsertf128 $1, %xmm0, %ymm0, %ymm0
        vinsertf128 $1, %xmm1, %ymm1, %ymm1
        subq $8, %rsp
        call _ZGVdN\whole\marks\()_\name\()@PLT
        addq $8, %rsp
        vzeroupper
        ret
    tni_begin _ZGVdN\whole\marks\()_tni_\name
        jmp _ZGVdN\whole\marks\()_\name\()@PLT
    tni_wide \name, \marks, \whole, \wide
.endm
.macro tni_vector marks, name
    tni_forms \name, \marks, 2, 4, 8, vbroadcastsd
    tni_forms \name\()f, \marks, 4, 8, 16, vbroadcastss
.endm
)");
#ifdef __AVX512F__
asm(R"(
.macro tni_wide name, marks, whole, wide
    tni_begin _ZGVeN\wide\marks\()_tni_\name
        subq $136, %rsp
        vmovupd %zmm0, (%rsp)
        vmovupd %zmm1, 64(%rsp)
        call _ZGVdN\whole\marks\()_\name\()@PLT
        vmovupd 96(%rsp), %ymm1
        vmovupd %ymm0, 64(%rsp)
        vmovupd 32(%rsp), %ymm0
        call _ZGVdN\whole\marks\()_\name\()@PLT
        vmovupd 64(%rsp), %ymm1
        vinsertf64x4 $1, %ymm0, %zmm1, %zmm0
        addq $136, %rsp
        ret
.endm
)");
#else
asm(".macro tni_wide name, marks, whole, wide\n.endm");
#endif
#define TNI_VECTOR(marks, name)                                                                    \
    extern "C" __attribute__((simd("notinbranch"))) TNI_TAKES_##marks(double, name);               \
    extern "C" __attribute__((simd("notinbranch"))) TNI_TAKES_##marks(float, name##f);             \
    asm("tni_vector " #marks ", " #name);
#define TNI_TAKES_v(T, name) T name(T) noexcept __asm__("tni_" #name)
#define TNI_TAKES_vv(T, name) T name(T, T) noexcept __asm__("tni_" #name)
asm(".text");
TNI_VECTOR(v, sin)
TNI_VECTOR(v, cos)
TNI_VECTOR(v, exp)
TNI_VECTOR(v, log)
TNI_VECTOR(vv, pow)
#if TNI_MVEC > 1
TNI_VECTOR(v, acos)
TNI_VECTOR(v, acosh)
TNI_VECTOR(v, asin)
TNI_VECTOR(v, asinh)
TNI_VECTOR(v, atan)
TNI_VECTOR(v, atanh)
TNI_VECTOR(v, cbrt)
TNI_VECTOR(v, cosh)
TNI_VECTOR(v, erf)
TNI_VECTOR(v, erfc)
TNI_VECTOR(v, exp2)
TNI_VECTOR(v, expm1)
TNI_VECTOR(v, log10)
TNI_VECTOR(v, log1p)
TNI_VECTOR(v, log2)
TNI_VECTOR(v, sinh)
TNI_VECTOR(v, tan)
TNI_VECTOR(v, tanh)
TNI_VECTOR(vv, atan2)
TNI_VECTOR(vv, hypot)
#endif

// The system's own functions of one element, which have more digits: for functions that no loop
// copies, and for complex ones.
#define TNI_ALONE 1
#define TNI_ALONE_1(name)                                                                          \
    extern "C" double name##_alone(double) noexcept __asm__(#name);                                \
    extern "C" float name##f_alone(float) noexcept __asm__(#name "f");                             \
    static inline float name##_alone(float x) {                                                    \
        return name##f_alone(x);                                                                   \
    }
#define TNI_ALONE_2(name)                                                                          \
    extern "C" double name##_alone(double, double) noexcept __asm__(#name);                        \
    extern "C" float name##f_alone(float, float) noexcept __asm__(#name "f");                      \
    static inline float name##_alone(float x, float y) {                                           \
        return name##f_alone(x, y);                                                                \
    }
namespace tni {
TNI_ALONE_1(acos)
TNI_ALONE_1(asin)
TNI_ALONE_1(cos)
TNI_ALONE_1(cosh)
TNI_ALONE_1(exp)
TNI_ALONE_1(log)
TNI_ALONE_1(log1p)
TNI_ALONE_1(sin)
TNI_ALONE_1(sinh)
TNI_ALONE_1(tan)
TNI_ALONE_2(atan2)
TNI_ALONE_2(hypot)
TNI_ALONE_2(pow)
} // namespace tni
#undef TNI_ALONE_1
#undef TNI_ALONE_2
#undef TNI_VECTOR
#undef TNI_TAKES_v
#undef TNI_TAKES_vv
#endif
