/* The tables of src/ops as strings, and the functions that programs are made of.
 *
 * Algorithm: an X-macro turns each body into {operation, set of dtypes, text}. A body for one dtype
 * stands before its kind's. Halves are stored as 16 bits and worked on as float; every result of a
 * dtype that is narrower than its working form is rounded where it leaves the body. */
#include "kernel/body.h"

#include "ops/table.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct {
    const char *stored, *working;
} types[] = {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) {#storage, #working},
#include "ops/dtypes.def"
};

typedef struct body {
    int16_t op;
    uint16_t dtypes;
    bool moves;
    const char *text, *second;
} body;

static const body bodies[] = {
#define BODY(signature, name, K, text, second)                                                     \
    {tni_op_##name, tni_dtypes_##K, false, #text, #second},
#define SELECT(name, K, text) {tni_op_##name, tni_dtypes_##K, true, #text, ""},
#include "ops/ops.def"
};

static const struct {
    int8_t to;
    uint16_t from;
    const char *text;
} casts[] = {
#define CAST(to, K, text) {tni_dtype_##to, tni_dtypes_##K, #text},
#include "ops/casts.def"
};

const char *tni_body_stored(tn_dtype dtype) {
    return types[dtype].stored;
}

const char *tni_body_working(tn_dtype dtype) {
    return types[dtype].working;
}

bool tni_body_find(const char **text, const char **second, bool *moves, tn_op op, tn_dtype dtype) {
    const body *found = NULL;
    for (int k = 0; k < LENGTH(bodies); k++) {
        bool own = (bodies[k].dtypes & (bodies[k].dtypes - 1)) == 0;
        if (bodies[k].op == (int)op && bodies[k].dtypes >> dtype & 1 && (own || !found))
            found = &bodies[k];
    }
    if (!found) return false;
    *text = found->text;
    *second = found->second;
    *moves = found->moves;
    return true;
}

/* --- Conversions --- */

static bool is_half(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16;
}

/* The function from the stored to the working form, and back; "" where they are one. */
static const char *widen(tn_dtype dtype) {
    return dtype == TN_F16 ? "m_f16_to_f32" : dtype == TN_BF16 ? "m_bf16_to_f32" : "";
}

static const char *narrow(tn_dtype dtype) {
    return dtype == TN_F16 ? "m_f32_to_f16" : dtype == TN_BF16 ? "m_f32_to_bf16" : "";
}

static const char *cast_text(tn_dtype from, tn_dtype to) {
    for (int k = 0; k < LENGTH(casts); k++)
        if (casts[k].to == (int)to && casts[k].from >> from & 1) return casts[k].text;
    return "a";
}

static void use(tni_source *source, tn_dtype dtype) {
    source->dtypes |= 1u << dtype;
}

static void begin(tni_source *source, const char *result, const char *name, const char *argument) {
    tni_source_add(source, "__device__ __forceinline__ %s %s(%s x) {\n", result, name, argument);
}

void tni_body_add_cast(tni_source *source, const char *name, tn_dtype from, tn_dtype to) {
    use(source, from), use(source, to);
    begin(source, types[to].stored, name, types[from].stored);
    if (from == to)
        tni_source_add(source, "    return x;\n}\n");
    else
        tni_source_add(source, "    %s a = %s(x);\n    return (%s)(%s);\n}\n", types[from].working,
                       widen(from), types[to].stored, cast_text(from, to));
}

void tni_body_add_load(tni_source *source, const char *name, tn_dtype stored, tn_dtype loop) {
    use(source, stored), use(source, loop);
    begin(source, types[loop].working, name, types[stored].stored);
    if (stored == loop)
        tni_source_add(source, "    return %s(x);\n}\n", widen(loop));
    else
        tni_source_add(source, "    %s a = %s(x);\n    return %s((%s)(%s));\n}\n",
                       types[stored].working, widen(stored), widen(loop), types[loop].stored,
                       cast_text(stored, loop));
}

void tni_body_add_store(tni_source *source, const char *name, tn_dtype loop, tn_dtype stored) {
    use(source, stored), use(source, loop);
    begin(source, types[stored].stored, name, types[loop].working);
    if (stored == loop)
        tni_source_add(source, "    return %s(x);\n}\n", narrow(loop));
    else if (is_half(loop))
        tni_source_add(source, "    %s a = %s(%s(x));\n    return (%s)(%s);\n}\n",
                       types[loop].working, widen(loop), narrow(loop), types[stored].stored,
                       cast_text(loop, stored));
    else
        tni_source_add(source, "    %s a = x;\n    return (%s)(%s);\n}\n", types[loop].working,
                       types[stored].stored, cast_text(loop, stored));
}

/* --- Folds --- */

bool tni_body_add_binary(tni_source *source, const char *name, tn_op op, tn_dtype dtype) {
    const char *text, *second, *type = types[dtype].working;
    bool moves;
    if (!tni_body_find(&text, &second, &moves, op, dtype)) return false;
    use(source, dtype);
    tni_source_add(source, "__device__ __forceinline__ %s %s(%s a, %s b) {\n    return ", type,
                   name, type, type);
    if (is_half(dtype))
        tni_source_add(source, "%s(%s((%s)(%s)));\n}\n", widen(dtype), narrow(dtype), type, text);
    else
        tni_source_add(source, "(%s)(%s);\n}\n", type, text);
    return true;
}

bool tni_body_add_step(tni_source *source, const char *name, tn_op op, tn_dtype dtype,
                       tn_dtype result, int count) {
    const char *text, *second, *type = types[dtype].working;
    bool moves;
    if (!tni_body_find(&text, &second, &moves, op, dtype) || moves) return false;
    use(source, dtype), use(source, result);
    tni_source_add(source, "__device__ __forceinline__ %s %s(%s a", types[result].stored, name,
                   type);
    if (count > 1) tni_source_add(source, ", %s b", type);
    tni_source_add(source, ") {\n    return %s((%s)(%s));\n}\n", narrow(result),
                   types[result].working, text);
    return true;
}

static const char *const smallest[] = {[TN_B8] = "0",  [TN_I8] = "-128",
                                       [TN_U8] = "0",  [TN_I16] = "-32768",
                                       [TN_U16] = "0", [TN_I32] = "-2147483647 - 1",
                                       [TN_U32] = "0", [TN_I64] = "-9223372036854775807ll - 1",
                                       [TN_U64] = "0"};
static const char *const largest[] = {[TN_B8] = "1",
                                      [TN_I8] = "127",
                                      [TN_U8] = "255",
                                      [TN_I16] = "32767",
                                      [TN_U16] = "65535",
                                      [TN_I32] = "2147483647",
                                      [TN_U32] = "4294967295u",
                                      [TN_I64] = "9223372036854775807ll",
                                      [TN_U64] = "18446744073709551615ull"};

static const char *neutral_real(tn_op op, tn_dtype dtype) {
    bool is_integer = dtype < TN_F16;
    switch (op) {
    case TN_OP_MULTIPLY:
    case TN_OP_LOGICAL_AND: return "1";
    case TN_OP_BITWISE_AND: return dtype == TN_B8 ? "1" : "~0ll";
    case TN_OP_MAXIMUM: return is_integer ? smallest[dtype] : "-TN_INFINITY";
    case TN_OP_MINIMUM: return is_integer ? largest[dtype] : "TN_INFINITY";
    case TN_OP_FMAX: return is_integer ? smallest[dtype] : "TN_NAN";
    case TN_OP_FMIN: return is_integer ? largest[dtype] : "TN_NAN";
    default: return is_integer || op != TN_OP_ADD ? "0" : "-0.0"; /* -0 + x is x, for -0 too */
    }
}

void tni_body_add_neutral(tni_source *source, const char *name, tn_op op, tn_dtype dtype) {
    const char *type = types[dtype].working, *value = neutral_real(op, dtype);
    tni_source_add(source, "__device__ __forceinline__ %s %s() {\n", type, name);
    if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX)
        tni_source_add(source, "    return m_make_%s(%s, %s);\n}\n", tn_dtype_suffix(dtype), value,
                       op == TN_OP_MULTIPLY ? "0" : value);
    else
        tni_source_add(source, "    return (%s)(%s);\n}\n", type, value);
}
