/* Scalars: weak ones as Python's literals, and their conversion to any dtype. A value is first
 * widened to i64, u64, f64 or c128, which loses nothing, and then converted by the bodies of
 * src/ops/casts.def, so that a scalar and an element convert alike. */
#include "core/array/scalar.h"

#include "core/array/dtype.h"
#include "core/base/error.h"
#include "ops/scalar.h"

#include <math.h>
#include <string.h>

tn_scalar tn_scalar_weak_int(int64_t value) {
    tn_scalar scalar = {TN_I64, true, false, {.i64 = value}};
    return scalar;
}

tn_scalar tn_scalar_weak_huge(double nearest) {
    tn_scalar scalar = {TN_I64, true, true, {.f64 = nearest}};
    return scalar;
}

tn_scalar tn_scalar_weak_float(double value) {
    tn_scalar scalar = {TN_F64, true, false, {.f64 = value}};
    return scalar;
}

tn_scalar tn_scalar_weak_complex(double real, double imag) {
    tn_scalar scalar = {TN_C128, true, false, {.c128 = {real, imag}}};
    return scalar;
}

tn_scalar tn_scalar_bool(bool value) {
    tn_scalar scalar = {TN_B8, false, false, {.bytes = {value}}};
    return scalar;
}

static bool fits(const tn_scalar *scalar, tn_dtype dtype) {
    if (scalar->huge) return false;
    int bits = 8 * (int)tn_dtype_size(dtype);
    if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) {
        if (scalar->dtype == TN_I64 && scalar->value.i64 < 0) return false;
        return bits == 64 || scalar->value.u64 >> bits == 0;
    }
    if (scalar->dtype == TN_U64) return scalar->value.u64 >> (bits - 1) == 0;
    return bits == 64 || (scalar->value.i64 >= -(INT64_C(1) << (bits - 1)) &&
                          scalar->value.i64 < INT64_C(1) << (bits - 1));
}

bool tni_scalar_fits(const tn_scalar *scalar, tn_dtype dtype) {
    bool integer = dtype >= TN_I8 && dtype <= TN_U64;
    return !(scalar->weak && integer && (scalar->dtype == TN_I64 || scalar->dtype == TN_U64)) ||
           fits(scalar, dtype);
}

/* --- Conversion --- */

typedef union wide {
    tn_i64 I;
    tn_u64 U;
    double F;
    tn_c128 C;
} wide;

#define LOAD(storage) (*(const storage *)(const void *)from->value.bytes)

/* Returns the kind of what `to` holds: I, U (u64 alone), F or C. */
static char widen(wide *to, const tn_scalar *from) {
    if (from->huge) {
        to->F = from->value.f64;
        return 'F';
    }
    switch (from->dtype) {
    case TN_F16: to->F = (double)m_f16_to_f32(LOAD(tn_u16)); return 'F';
    case TN_BF16: to->F = (double)m_bf16_to_f32(LOAD(tn_u16)); return 'F';
    case TN_F32: to->F = (double)LOAD(float); return 'F';
    case TN_F64: to->F = LOAD(double); return 'F';
    case TN_C64: to->C = m_make_c128((double)LOAD(tn_c64).re, (double)LOAD(tn_c64).im); return 'C';
    case TN_C128: to->C = LOAD(tn_c128); return 'C';
    case TN_I8: to->I = LOAD(tn_i8); return 'I';
    case TN_I16: to->I = LOAD(tn_i16); return 'I';
    case TN_U16: to->I = LOAD(tn_u16); return 'I';
    case TN_I32: to->I = LOAD(tn_i32); return 'I';
    case TN_U32: to->I = LOAD(tn_u32); return 'I';
    case TN_I64: to->I = LOAD(tn_i64); return 'I';
    case TN_U64: to->U = LOAD(tn_u64); return 'U';
    default: to->I = LOAD(tn_u8); return 'I';
    }
}

/* One function for each body of casts.def, from the widest type of its kind (I: also from u64,
 * whose bodies for K I see the same text). */
#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    typedef storage storage_##suffix;
#include "ops/dtypes.def"
#define STORE(to, K, wide_type, body)                                                              \
    static void to##_from_##K(void *at, wide_type a) {                                             \
        storage_##to value = body;                                                                 \
        memcpy(at, &value, sizeof value);                                                          \
    }
#define STORE_B(to, body)
#define STORE_I(to, body) STORE(to, I, tn_i64, body) STORE(to, U, tn_u64, body)
#define STORE_F(to, body) STORE(to, F, double, body)
#define STORE_C(to, body) STORE(to, C, tn_c128, body)
#define CAST(to, K, body) STORE_##K(to, body)
#include "ops/casts.def"

static const struct {
    void (*from_I)(void *, tn_i64);
    void (*from_U)(void *, tn_u64);
    void (*from_F)(void *, double);
    void (*from_C)(void *, tn_c128);
} stores[TN_DTYPE_COUNT] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    {suffix##_from_I, suffix##_from_U, suffix##_from_F, suffix##_from_C},
#include "ops/dtypes.def"
};

tn_status tn_scalar_convert(void *value, tn_scalar scalar, tn_dtype dtype) {
    if (tn_dtype_is_stored(dtype) && scalar.dtype == dtype) {
        memcpy(value, scalar.value.stored, (size_t)tn_dtype_size(dtype));
        return TN_OK;
    }
    if ((unsigned)dtype >= TN_DTYPE_COUNT || (unsigned)scalar.dtype >= TN_DTYPE_COUNT)
        TNI_FAIL(TN_ERROR_TYPE, "invalid dtype of a scalar");
    if (!tni_scalar_fits(&scalar, dtype)) {
        if (scalar.huge)
            TNI_FAIL(TN_ERROR_OVERFLOW,
                     "Python int too large to convert to C long: int64 ends at 2**63 - 1 and "
                     "uint64 at 2**64 - 1; float(x) is the nearest float64");
        if (scalar.dtype == TN_U64)
            TNI_FAIL(TN_ERROR_OVERFLOW, "Python integer %llu out of bounds for %s",
                     (unsigned long long)scalar.value.u64, tn_dtype_name(dtype));
        TNI_FAIL(TN_ERROR_OVERFLOW, "Python integer %lld out of bounds for %s",
                 (long long)scalar.value.i64, tn_dtype_name(dtype));
    }
    if (scalar.huge && isinf(scalar.value.f64) && dtype != TN_B8)
        TNI_FAIL(TN_ERROR_OVERFLOW, "int too large to convert to float");
    if (scalar.dtype == dtype) {
        tni_element_move(value, scalar.value.bytes, dtype);
        return TN_OK;
    }
    wide widened;
    switch (widen(&widened, &scalar)) {
    case 'I': stores[dtype].from_I(value, widened.I); break;
    case 'U': stores[dtype].from_U(value, widened.U); break;
    case 'F': stores[dtype].from_F(value, widened.F); break;
    default: stores[dtype].from_C(value, widened.C); break;
    }
    return TN_OK;
}
