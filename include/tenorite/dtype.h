/* Element types, promotion (NEP 50) and casting rules. */
#ifndef TENORITE_DTYPE_H
#define TENORITE_DTYPE_H

#include <tenorite/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The element types, in NumPy's order of loops. Complex values are two floats, real part first;
 * f16 is IEEE binary16, bf16 the upper half of an f32; b8 holds 0 or 1. */
typedef enum tn_dtype {
    TN_B8,
    TN_I8,
    TN_U8,
    TN_I16,
    TN_U16,
    TN_I32,
    TN_U32,
    TN_I64,
    TN_U64,
    TN_F16,
    TN_BF16,
    TN_F32,
    TN_F64,
    TN_C64,
    TN_C128,
    TN_DTYPE_COUNT,
    TN_DTYPE_NONE = -1
} tn_dtype;

typedef enum tn_kind {
    TN_KIND_BOOL,
    TN_KIND_SIGNED,
    TN_KIND_UNSIGNED,
    TN_KIND_FLOAT,
    TN_KIND_COMPLEX,
    TN_KIND_STORED /* of tn_dtype_new() */
} tn_kind;

/* How far a conversion may go, as in NumPy. */
typedef enum tn_casting {
    TN_CASTING_NO,
    TN_CASTING_EQUIV,
    TN_CASTING_SAFE,
    TN_CASTING_SAME_KIND,
    TN_CASTING_UNSAFE
} tn_casting;

/* A dtype of elements that are stored and moved but are no numbers: structures, void, dates. It is
 * equal to itself alone, no operation has a loop for it, and it lasts as long as the process.
 * Elements have 1 to 2^31 - 1 bytes; `name` is what messages call it. */
TN_API tn_status tn_dtype_new(tn_dtype *result, const char *name, int64_t item_bytes);

/* What elementwise kernels and reductions call elements of such a dtype, which before that they do
 * not take: the type `c_type`, which the text `c_text` defines (of that size, and aligned to the
 * largest power of two up to 16 that divides it). The first type stays. */
TN_API tn_status tn_dtype_set_type(tn_dtype dtype, const char *c_type, const char *c_text);

/* Whether a type is set. */
TN_API bool tn_dtype_has_type(tn_dtype dtype);

/* Whether tn_dtype_new() made it. */
static inline bool tn_dtype_is_stored(tn_dtype dtype) {
    return (int)dtype > TN_DTYPE_COUNT - 1;
}

/* Bytes of one element; 0 for an invalid dtype. */
TN_API int64_t tn_dtype_size(tn_dtype dtype);

/* NumPy's name ("float32", "bool", "bfloat16"), or that of tn_dtype_new(); "invalid" for an invalid
 * dtype. */
TN_API const char *tn_dtype_name(tn_dtype dtype);

/* The short suffix used in names of loops and kernels ("f32", "b8"). */
TN_API const char *tn_dtype_suffix(tn_dtype dtype);

/* NumPy's type character ('f'); 'E' stands for bfloat16. '\0' for an invalid dtype. */
TN_API char tn_dtype_char(tn_dtype dtype);

/* The kind; TN_KIND_BOOL for an invalid dtype. */
TN_API tn_kind tn_dtype_kind(tn_dtype dtype);

/* The dtype with this NumPy name ("float32") or suffix ("f32"); TN_DTYPE_NONE if there is none. */
TN_API tn_dtype tn_dtype_find(const char *name);

/* The real dtype of a complex dtype's parts; any other dtype itself. */
TN_API tn_dtype tn_dtype_real(tn_dtype dtype);

/* The smallest dtype to which both cast safely. Total over dtypes of numbers: f16 with bf16 gives
 * f32, i64 with u64 gives f64; small integers with f16 or bf16 as NumPy does with f16. Of others
 * TN_DTYPE_NONE, unless both are the same. */
TN_API tn_dtype tn_dtype_promote(tn_dtype a, tn_dtype b);

/* Whether a value of `from` may become `to` under the rule. */
TN_API bool tn_dtype_can_cast(tn_dtype from, tn_dtype to, tn_casting casting);

/* The rule's NumPy name ("same_kind"). */
TN_API const char *tn_casting_name(tn_casting casting);

/* One value. A weak scalar is a Python int, float or complex: it takes part in promotion by its
 * kind alone (NEP 50) and then holds i64 (u64 when above INT64_MAX), f64 or c128 in `value`; an
 * integer beyond both is `huge`, its dtype i64, and `value.f64` the nearest double (infinite if
 * there is none). Any other scalar holds its dtype's own representation in `value.bytes`, or, of a
 * stored dtype, the address of it in `value.stored`, which the caller keeps. */
typedef struct tn_scalar {
    tn_dtype dtype;
    bool weak, huge;
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
        double c128[2];
        unsigned char bytes[16];
        const void *stored;
    } value;
} tn_scalar;

/* Constructors of scalars: weak ones as Python's literals, strong ones of exactly that dtype. */
TN_API tn_scalar tn_scalar_weak_int(int64_t value);
TN_API tn_scalar tn_scalar_weak_huge(double nearest);
TN_API tn_scalar tn_scalar_weak_float(double value);
TN_API tn_scalar tn_scalar_weak_complex(double real, double imag);
TN_API tn_scalar tn_scalar_bool(bool value);

/* Converts to `dtype` and writes its representation. A weak int that does not fit an integer dtype
 * is TN_ERROR_OVERFLOW in NumPy's words; other conversions are those of an unsafe cast. Elements of
 * a stored dtype become none of another: TN_ERROR_TYPE. */
TN_API tn_status tn_scalar_convert(void *value, tn_scalar scalar, tn_dtype dtype);

#ifdef __cplusplus
}
#endif
#endif
