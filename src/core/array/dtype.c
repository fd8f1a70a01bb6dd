/* Facts of dtypes, promotion and casting, all from src/ops/dtypes.def.
 *
 * Promotion: bool < integers < floats < complex. An integer with a float becomes the smallest float
 * that holds it (8 bits: f16 or bf16, 16 bits: f32, else f64), as NumPy's safe casts say. */
#include "core/array/dtype.h"

#include "core/base/error.h"

#include <string.h>

static const struct {
    const char *suffix, *name;
    char character;
    int8_t bytes;
} facts[TN_DTYPE_COUNT] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    {#suffix, name, character, bytes},
#include "ops/dtypes.def"
};

static bool is_valid(tn_dtype dtype) {
    return (unsigned)dtype < TN_DTYPE_COUNT;
}

int64_t tn_dtype_size(tn_dtype dtype) {
    if (is_valid(dtype)) return facts[dtype].bytes;
    const tni_stored *stored = tni_stored_find(dtype);
    return stored ? stored->bytes : 0;
}

const char *tn_dtype_name(tn_dtype dtype) {
    if (is_valid(dtype)) return facts[dtype].name;
    const tni_stored *stored = tni_stored_find(dtype);
    return stored ? stored->name : "invalid";
}

const char *tn_dtype_suffix(tn_dtype dtype) {
    return is_valid(dtype) ? facts[dtype].suffix : "invalid";
}

char tn_dtype_char(tn_dtype dtype) {
    return is_valid(dtype) ? facts[dtype].character : '\0';
}

tn_kind tn_dtype_kind(tn_dtype dtype) {
    if (dtype >= TN_C64 && dtype <= TN_C128) return TN_KIND_COMPLEX;
    if (dtype >= TN_F16 && dtype <= TN_F64) return TN_KIND_FLOAT;
    if (dtype >= TN_I8 && dtype <= TN_U64)
        return (dtype - TN_I8) % 2 ? TN_KIND_UNSIGNED : TN_KIND_SIGNED;
    return tn_dtype_is_stored(dtype) ? TN_KIND_STORED : TN_KIND_BOOL;
}

tn_dtype tn_dtype_find(const char *name) {
    if (!name) return TN_DTYPE_NONE;
    for (int dtype = 0; dtype < TN_DTYPE_COUNT; dtype++)
        if (!strcmp(name, facts[dtype].name) || !strcmp(name, facts[dtype].suffix)) return dtype;
    return TN_DTYPE_NONE;
}

tn_dtype tn_dtype_real(tn_dtype dtype) {
    return dtype == TN_C64 ? TN_F32 : dtype == TN_C128 ? TN_F64 : dtype;
}

static bool is_integer(tn_dtype dtype) {
    return dtype >= TN_I8 && dtype <= TN_U64;
}

static tn_dtype promote_integers(tn_dtype a, tn_dtype b) {
    bool signed_a = (a - TN_I8) % 2 == 0, signed_b = (b - TN_I8) % 2 == 0;
    if (signed_a == signed_b) return a > b ? a : b;
    tn_dtype s = signed_a ? a : b, u = signed_a ? b : a;
    if (facts[s].bytes > facts[u].bytes) return s;
    return u == TN_U64 ? TN_F64 : (tn_dtype)(u + 1); /* the signed type of twice the size */
}

tn_dtype tn_dtype_promote(tn_dtype a, tn_dtype b) {
    if (a == b) return a;
    if (!is_valid(a) || !is_valid(b)) return TN_DTYPE_NONE;
    if (b == TN_B8) return a;
    if (a == TN_B8) return b;
    if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
    if (is_integer(b)) {
        tn_dtype swap = a;
        a = b;
        b = swap;
    }
    if (is_integer(a)) /* with a float or complex: the float that holds it */
        return facts[a].bytes == 1 ? b : tn_dtype_promote(facts[a].bytes == 2 ? TN_F32 : TN_F64, b);
    if (a > b) {
        tn_dtype swap = a;
        a = b;
        b = swap;
    }
    if (b == TN_BF16) return TN_F32; /* f16 with bf16 */
    if (b == TN_C64) return a == TN_F64 ? TN_C128 : TN_C64;
    return b;
}

/* bool, integers, floats, complex: what "same kind" may not go down. */
static int rank(tn_dtype dtype) {
    switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: return 0;
    case TN_KIND_UNSIGNED: return 1;
    case TN_KIND_SIGNED: return 2;
    case TN_KIND_FLOAT: return 3;
    default: return 4;
    }
}

bool tn_dtype_can_cast(tn_dtype from, tn_dtype to, tn_casting casting) {
    if (!is_valid(from) || !is_valid(to)) return from == to && tn_dtype_is_stored(from);
    if (from == to || casting == TN_CASTING_UNSAFE) return true;
    if (casting <= TN_CASTING_EQUIV) return false;
    if (tn_dtype_promote(from, to) == to) return true;
    return casting == TN_CASTING_SAME_KIND && rank(from) <= rank(to);
}

const char *tn_casting_name(tn_casting casting) {
    static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    return (unsigned)casting < 5 ? names[casting] : "invalid";
}
