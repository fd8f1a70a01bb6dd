/* Stamps the loops of one 16-bit float. Included, after half_block.h, with these defined:
 *   D the suffix, CASE_f16 or CASE_bf16 as OWN, INFINITE the bits of infinity
 *
 * Decides: halves go through float. A loop converts a block into a buffer that stays in the first
 * cache, runs the f32 loop there (which may be the vector library's), and converts the results.
 * Operations with a body for the half itself, SELECT, which moves 16 bits, and those that look at
 * sign, magnitude and class, for which bits suffice, are stamped directly.
 * Defines the list tni_loops_<D>_<TNI_ISA>. */
#define NAMED(prefix, name) TN_PASTE(TN_PASTE(prefix##name, _), D)
#define LOAD TN_PASTE(load_, D)
#define STORE TN_PASTE(store_, D)
#define TO_FLOAT TN_PASTE(TN_PASTE(m_, D), _to_f32)
#define FROM_FLOAT TN_PASTE(m_f32_to_, D)
#define RUN NAMED(run, )

/* `signature` as in ops.def: T is a half. */
static void RUN(ARGUMENTS, int op, int inputs, const char *signature) {
    float buffers[OPERANDS][BLOCK];
    char *inner[OPERANDS];
    int64_t steps[OPERANDS];
    int operands = (int)strlen(signature);
    tni_loop loop = tni_loop_find(op, tni_dtype_f32);
    if (inputs == 2 && strcmp(signature, "TTT") == 0) {
        if (strides[0] == 0 && strides[2] == 0) {
            float value = TO_FLOAT(*(const tn_u16 *)args[0]);
            for (int64_t done = 0; done < count; done += BLOCK) {
                int64_t size = count - done < BLOCK ? count - done : BLOCK;
                LOAD(buffers[0], args[1] + done * strides[1], strides[1], size);
                loop((char *[]){(char *)&value, (char *)buffers[0], (char *)&value},
                     (int64_t[]){0, sizeof(float), 0}, size);
            }
            if (count > 0) *(tn_u16 *)args[2] = FROM_FLOAT(value);
            return;
        }
        if (args[2] == args[0] + strides[0] && strides[0] != 0 && count > 1) {
            for (int64_t i = 0; i < count; i++)
                RUN((char *[]){args[0] + i * strides[0], args[1] + i * strides[1],
                               args[2] + i * strides[2]},
                    strides, 1, op, inputs, signature);
            return;
        }
    }
    for (int64_t done = 0; done < count; done += BLOCK) {
        int64_t size = count - done < BLOCK ? count - done : BLOCK;
        for (int k = 0; k < operands; k++) {
            char *start = args[k] + done * strides[k];
            if (signature[k] != 'T') {
                inner[k] = start;
                steps[k] = strides[k];
                continue;
            }
            inner[k] = (char *)buffers[k];
            steps[k] = k < inputs && strides[k] == 0 ? 0 : (int64_t)sizeof(float);
            if (k < inputs) LOAD(buffers[k], start, strides[k], steps[k] == 0 ? 1 : size);
        }
        loop(inner, steps, size);
        for (int k = inputs; k < operands; k++)
            if (signature[k] == 'T')
                STORE(args[k] + done * strides[k], buffers[k], strides[k], size);
    }
}

/* For each body a macro of two ways, of which its kind chooses one: THROUGH or OWN (or neither). */
#define THROUGH(through, own) through
#define OWN(through, own) own
#define NEITHER(through, own)
#define CASE_B NEITHER
#define CASE_I NEITHER
#define CASE_F THROUGH
#define CASE_C NEITHER
#define CASE_i64 NEITHER
#define CASE_u64 NEITHER
#define CASE_f64 NEITHER
#define CASE_c128 NEITHER
#ifndef CASE_f16
#define CASE_f16 NEITHER
#endif
#ifndef CASE_bf16
#define CASE_bf16 NEITHER
#endif
#define LOOP(name) NAMED(loop_, name)
#define OWN_LOOP(name) NAMED(own_, name)

#define RUN_LOOP(name, signature)                                                                  \
    static void LOOP(name)(ARGUMENTS) {                                                            \
        RUN(args, strides, count, tni_op_##name, tni_inputs_##name, signature);                    \
    }
#define STAMP(name, form)                                                                          \
    static void OWN_LOOP(name)(ARGUMENTS) {                                                        \
        form(args, strides, count, NAMED(body_, name));                                            \
    }
FORM_1(NAMED(form_, unary), tn_u16, tn_u16)
FORM_2(NAMED(form_, binary), tn_u16, tn_u16, tn_u16)
FORM_3(NAMED(form_, select), tn_u16, tn_u8, tn_u16, tn_u16)
FORM_4(NAMED(form_, close), tn_u8, tn_u16)

#define OWN_1(name, body)                                                                          \
    INLINE tn_u16 NAMED(body_, name)(tn_u16 x) {                                                   \
        float a = TO_FLOAT(x);                                                                     \
        return FROM_FLOAT(body);                                                                   \
    }                                                                                              \
    STAMP(name, NAMED(form_, unary))
#define OWN_2(name, body)                                                                          \
    INLINE tn_u16 NAMED(body_, name)(tn_u16 x, tn_u16 y) {                                         \
        float a = TO_FLOAT(x), b = TO_FLOAT(y);                                                    \
        return FROM_FLOAT(body);                                                                   \
    }                                                                                              \
    STAMP(name, NAMED(form_, binary))
#define OWN_4(name, body)                                                                          \
    INLINE tn_u8 NAMED(body_, name)(tn_u16 x, tn_u16 y, tn_u16 z, tn_u16 w) {                      \
        float a = TO_FLOAT(x), b = TO_FLOAT(y), c = TO_FLOAT(z), d = TO_FLOAT(w);                  \
        return body;                                                                               \
    }                                                                                              \
    STAMP(name, NAMED(form_, close))
#define MOVE_3(name, body)                                                                         \
    INLINE tn_u16 NAMED(body_, name)(tn_u8 a, tn_u16 b, tn_u16 c) {                                \
        return body;                                                                               \
    }                                                                                              \
    static void LOOP(name)(ARGUMENTS) {                                                            \
        NAMED(form_, select)(args, strides, count, NAMED(body_, name));                            \
    }

#define UNARY(name, K, body) CASE_##K(RUN_LOOP(name, "TT"), OWN_1(name, body))
#define BINARY(name, K, body) CASE_##K(RUN_LOOP(name, "TTT"), OWN_2(name, body))
#define CLOSE(name, K, body) CASE_##K(RUN_LOOP(name, "TTTTb"), OWN_4(name, body))
#define SELECT(name, K, body) CASE_##K(MOVE_3(name, body), )
#define BODY(signature, name, K, body, second) CASE_##K(RUN_LOOP(name, signature), )
#include "ops/ops.def"

/* Bodies on bits. */
#define EACH_BITS(UNARY, TEST)                                                                     \
    UNARY(absolute, x & 0x7fff)                                                                    \
    UNARY(fabs, x & 0x7fff)                                                                        \
    UNARY(negative, x ^ 0x8000)                                                                    \
    UNARY(positive, x)                                                                             \
    UNARY(conjugate, x)                                                                            \
    UNARY(real, x)                                                                                 \
    TEST(signbit, x >> 15)                                                                         \
    TEST(isnan, (x & 0x7fff) > INFINITE)                                                           \
    TEST(isinf, (x & 0x7fff) == INFINITE)                                                          \
    TEST(isfinite, (x & 0x7fff) < INFINITE)                                                        \
    TEST(isposinf, x == INFINITE)                                                                  \
    TEST(isneginf, x == (INFINITE | 0x8000))                                                       \
    TEST(logical_not, (x & 0x7fff) == 0)
#define BITS_LOOP(name, form, R, body)                                                             \
    INLINE R NAMED(bits_, name)(tn_u16 x) {                                                        \
        return (R)(body);                                                                          \
    }                                                                                              \
    static void NAMED(bits_loop_, name)(ARGUMENTS) {                                               \
        form(args, strides, count, NAMED(bits_, name));                                            \
    }
#define UNARY_BITS(name, body) BITS_LOOP(name, NAMED(form_, unary), tn_u16, body)
#define TEST_BITS(name, body) BITS_LOOP(name, NAMED(form_, test), tn_u8, body)
FORM_1(NAMED(form_, test), tn_u8, tn_u16)
EACH_BITS(UNARY_BITS, TEST_BITS)

/* A body of its own follows its kind's in the table, so its entry is the later one and wins. */
#define LIST(name, loop) {tni_op_##name, TN_PASTE(tni_dtype_, D), loop},
#define BODY(signature, name, K, body, second)                                                     \
    CASE_##K(LIST(name, LOOP(name)), LIST(name, OWN_LOOP(name)))
extern const tni_loop_entry LEVEL(NAMED(tni_loops, ))[];
const tni_loop_entry LEVEL(NAMED(tni_loops, ))[] = {
#include "ops/ops.def"
#define BITS_ENTRY(name, body) LIST(name, NAMED(bits_loop_, name))
    EACH_BITS(BITS_ENTRY, BITS_ENTRY){0, 0, NULL}};

#undef D
#undef INFINITE
#undef EACH_BITS
#undef BITS_LOOP
#undef UNARY_BITS
#undef TEST_BITS
#undef BITS_ENTRY
#undef CASE_B
#undef CASE_I
#undef CASE_F
#undef CASE_C
#undef CASE_i64
#undef CASE_u64
#undef CASE_f64
#undef CASE_c128
#undef CASE_f16
#undef CASE_bf16
#undef NAMED
#undef LOAD
#undef STORE
#undef TO_FLOAT
#undef FROM_FLOAT
#undef RUN
#undef THROUGH
#undef OWN
#undef NEITHER
#undef LOOP
#undef OWN_LOOP
#undef RUN_LOOP
#undef STAMP
#undef OWN_1
#undef OWN_2
#undef OWN_4
#undef MOVE_3
#undef LIST
