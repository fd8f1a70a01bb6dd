/* The C types of elements, for the host's compiler and for NVRTC alike.
 *
 * Decides: the names tn_i8 .. tn_u64, tn_c64, tn_c128; how a body that is a function is declared
 * (TN_FN) and named (TN_NAME); where the math functions come from.
 * Invariant: on the device nothing is included, and no name here is one of a standard header's, so
 * that a user's kernel may bring those headers. */
#ifndef TNI_OPS_TYPES_H
#define TNI_OPS_TYPES_H

#ifdef __CUDACC_RTC__
#define TN_DEVICE 1
typedef signed char tn_i8;
typedef unsigned char tn_u8;
typedef short tn_i16;
typedef unsigned short tn_u16;
typedef int tn_i32;
typedef unsigned int tn_u32;
typedef long long tn_i64;
typedef unsigned long long tn_u64;
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef int8_t tn_i8;
typedef uint8_t tn_u8;
typedef int16_t tn_i16;
typedef uint16_t tn_u16;
typedef int32_t tn_i32;
typedef uint32_t tn_u32;
typedef int64_t tn_i64;
typedef uint64_t tn_u64;
#endif

/* Complex numbers are structures: C and C++ disagree on everything else. */
typedef struct tn_c64 {
    float re, im;
} tn_c64;
typedef struct tn_c128 {
    double re, im;
} tn_c128;

/* In C++ a name is overloaded by its arguments' types; in C the type is part of the name, and
 * generic.h chooses. TN_NAME(sin, f32) is m_sin or m_sin_f32. TN_LOCAL keeps the type in the name
 * where arguments do not tell it. On the device they are templates, whose bodies are only looked
 * into if they are called. */
#define TN_PASTE(a, b) TN_PASTE_(a, b)
#define TN_PASTE_(a, b) a##b
#ifdef TN_DEVICE
#define TN_FN template <int = 0> __device__ inline
#else
#define TN_FN static inline __attribute__((always_inline, unused))
#endif
#ifdef __cplusplus
#define TN_NAME(name, suffix) m_##name
#else
#define TN_NAME(name, suffix) TN_PASTE(m_##name##_, suffix)
#endif
#define TN_LOCAL(name, suffix) TN_PASTE(m_##name##_, suffix)

/* A product that is rounded before it is added: gcc 12 fuses complex products into vectors of
 * multiply-and-add even where contraction is off. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 &&                                  \
    (!defined(TN_DEVICE) || defined(__TENORITE_HOST__))
#define TN_ROUNDED(product) __builtin_assoc_barrier(product)
#else
#define TN_ROUNDED(product) (product)
#endif

/* Infinity and NaN of a float type, without <math.h> on the device. */
#ifdef TN_DEVICE
#define TN_INFINITY __int_as_float(0x7f800000)
#define TN_NAN __int_as_float(0x7fc00000)
#else
#define TN_INFINITY INFINITY
#define TN_NAN NAN
#endif

#endif
