/* Stamps the loops of every operation for one dtype, from the table. Included, after entry.h, with
 * D the suffix, PART_TYPE (complex only) and OTHER (64-bit integers only: the type of other
 * signedness) defined. Defines the list tni_loops_<D>_<TNI_ISA>. */
#include "backend/host/loops/form.h"

#define T TN_PASTE(tni_working_, D)
#define NAMED(prefix, name) TN_PASTE(TN_PASTE(prefix##name, _), D)
#define BODY(name) NAMED(body_, name)
#define SECOND(name) NAMED(second_, name)
#define LOOP(name) NAMED(loop_, name)
#define FORM(name) NAMED(form_, name)

/* Bodies, as functions of one to four inputs; one that ignores an input is no mistake. */
#define BODY_1(function, R, A, body)                                                               \
    INLINE R function(A a) {                                                                       \
        (void)a;                                                                                   \
        return body;                                                                               \
    }
#define BODY_2(function, R, A, B, body)                                                            \
    INLINE R function(A a, B b) {                                                                  \
        return body;                                                                               \
    }
#define BODY_3(function, R, A, B, C, body)                                                         \
    INLINE R function(A a, B b, C c) {                                                             \
        return body;                                                                               \
    }
#define BODY_4(function, R, A, body)                                                               \
    INLINE R function(A a, A b, A c, A d) {                                                        \
        (void)b, (void)c, (void)d;                                                                 \
        return body;                                                                               \
    }
#define STAMP(name, form, ...)                                                                     \
    static void LOOP(name)(ARGUMENTS) {                                                            \
        form(args, strides, count, __VA_ARGS__);                                                   \
    }

FORM_1(FORM(unary), T, T)
FORM_1(FORM(test), tn_u8, T)
FORM_2_REDUCING(FORM(binary), FORM(combine), T)
FORM_2(FORM(compare), tn_u8, T, T)
FORM_3(FORM(ternary), T, T, T, T)
FORM_3(FORM(select), T, tn_u8, T, T)
FORM_4(FORM(replace), T, T)
FORM_4(FORM(close), tn_u8, T)
FORM_1_2(FORM(unary2), T, T, T)
FORM_1_2(FORM(frexp), T, tn_i32, T)
FORM_2_2(FORM(binary2), T, T)
FORM_2(FORM(ldexp), T, T, tn_i32)
FORM_2(FORM(ldexp64), T, T, tn_i64)
FORM_1(FORM(count), tn_u8, T)
#ifdef PART_TYPE
FORM_1(FORM(part), PART_TYPE, T)
#endif
#ifdef OTHER
FORM_2(FORM(mixed), tn_u8, T, OTHER)
#endif

#define UNARY(name, K, body)                                                                       \
    PICK_##K(BODY_1(BODY(name), T, T, body) STAMP(name, FORM(unary), BODY(name)))
#define BINARY(name, K, body)                                                                      \
    PICK_##K(BODY_2(BODY(name), T, T, T, body) STAMP(name, FORM(binary), BODY(name)))
#define TERNARY(name, K, body)                                                                     \
    PICK_##K(BODY_3(BODY(name), T, T, T, T, body) STAMP(name, FORM(ternary), BODY(name)))
#define TEST(name, K, body)                                                                        \
    PICK_##K(BODY_1(BODY(name), tn_u8, T, body) STAMP(name, FORM(test), BODY(name)))
#define COMPARE(name, K, body)                                                                     \
    PICK_##K(BODY_2(BODY(name), tn_u8, T, T, body) STAMP(name, FORM(compare), BODY(name)))
#define CLOSE(name, K, body)                                                                       \
    PICK_##K(BODY_4(BODY(name), tn_u8, T, body) STAMP(name, FORM(close), BODY(name)))
#define PART(name, K, body)                                                                        \
    PICK_##K(BODY_1(BODY(name), PART_TYPE, T, body) STAMP(name, FORM(part), BODY(name)))
#define REPLACE(name, K, body)                                                                     \
    PICK_##K(BODY_4(BODY(name), T, T, body) STAMP(name, FORM(replace), BODY(name)))
#define COUNT(name, K, body)                                                                       \
    PICK_##K(BODY_1(BODY(name), tn_u8, T, body) STAMP(name, FORM(count), BODY(name)))
#define UNARY2(name, K, body, other)                                                               \
    PICK_##K(BODY_1(BODY(name), T, T, body) BODY_1(SECOND(name), T, T, other)                      \
                 STAMP(name, FORM(unary2), BODY(name), SECOND(name)))
#define BINARY2(name, K, body, other)                                                              \
    PICK_##K(BODY_2(BODY(name), T, T, T, body) BODY_2(SECOND(name), T, T, T, other)                \
                 STAMP(name, FORM(binary2), BODY(name), SECOND(name)))
#define FREXP(name, K, body, other)                                                                \
    PICK_##K(BODY_1(BODY(name), T, T, body) BODY_1(SECOND(name), tn_i32, T, other)                 \
                 STAMP(name, FORM(frexp), BODY(name), SECOND(name)))
#define LDEXP(name, K, body)                                                                       \
    PICK_##K(BODY_2(BODY(name), T, T, tn_i32, body) STAMP(name, FORM(ldexp), BODY(name)))
#define LDEXP64(name, K, body)                                                                     \
    PICK_##K(BODY_2(BODY(name), T, T, tn_i64, body) STAMP(name, FORM(ldexp64), BODY(name)))
#define MIXED(name, K, body)                                                                       \
    PICK_##K(BODY_2(BODY(name), tn_u8, T, OTHER, body) STAMP(name, FORM(mixed), BODY(name)))
#define SELECT(name, K, body)                                                                      \
    PICK_##K(BODY_3(BODY(name), T, tn_u8, T, T, body) STAMP(name, FORM(select), BODY(name)))
#include "ops/ops.def"

#define ENTRY(name, K) PICK_##K({tni_op_##name, TN_PASTE(tni_dtype_, D), LOOP(name)}, )
#define UNARY(name, K, body) ENTRY(name, K)
#define BINARY(name, K, body) ENTRY(name, K)
#define TERNARY(name, K, body) ENTRY(name, K)
#define TEST(name, K, body) ENTRY(name, K)
#define COMPARE(name, K, body) ENTRY(name, K)
#define CLOSE(name, K, body) ENTRY(name, K)
#define PART(name, K, body) ENTRY(name, K)
#define REPLACE(name, K, body) ENTRY(name, K)
#define COUNT(name, K, body) ENTRY(name, K)
#define UNARY2(name, K, body, other) ENTRY(name, K)
#define BINARY2(name, K, body, other) ENTRY(name, K)
#define FREXP(name, K, body, other) ENTRY(name, K)
#define LDEXP(name, K, body) ENTRY(name, K)
#define LDEXP64(name, K, body) ENTRY(name, K)
#define MIXED(name, K, body) ENTRY(name, K)
#define SELECT(name, K, body) ENTRY(name, K)
extern const tni_loop_entry LEVEL(NAMED(tni_loops, ))[];
const tni_loop_entry LEVEL(NAMED(tni_loops, ))[] = {
#include "ops/ops.def"
    {0, 0, NULL}};

#undef NAMED
#undef BODY
#undef SECOND
#undef LOOP
#undef FORM
#undef BODY_1
#undef BODY_2
#undef BODY_3
#undef BODY_4
#undef STAMP
#undef ENTRY
#undef D
#undef T
#undef PART_TYPE
#undef OTHER
