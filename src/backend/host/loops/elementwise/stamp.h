/* Stamps the loops of every operation for one dtype, from the table. Included, after entry.h, with
 * D the suffix, PART_TYPE (complex only) and OTHER (64-bit integers only: the type of other
 * signedness) defined. Defines the list tni_loops_<D>_<TNI_ISA>. */
#include "backend/host/loops/elementwise/form.h"

#define T TN_PASTE(tni_working_, D)
#define NAMED(prefix, name) TN_PASTE(TN_PASTE(prefix##name, _), D)
#define FIRST(name) NAMED(body_, name)
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
FORM_2(FORM(scaled), tn_i64, tn_i64, T)
FORM_2(FORM(ratio), T, tn_i64, tn_i64)
FORM_1(FORM(count), tn_u8, T)
#ifdef PART_TYPE
FORM_1(FORM(part), PART_TYPE, T)
#endif
#ifdef OTHER
FORM_2(FORM(mixed), tn_u8, T, OTHER)
#endif

#define UNARY(name, K, body)                                                                       \
    PICK_##K(BODY_1(FIRST(name), T, T, body) STAMP(name, FORM(unary), FIRST(name)))
#define BINARY(name, K, body)                                                                      \
    PICK_##K(BODY_2(FIRST(name), T, T, T, body) STAMP(name, FORM(binary), FIRST(name)))
#define TERNARY(name, K, body)                                                                     \
    PICK_##K(BODY_3(FIRST(name), T, T, T, T, body) STAMP(name, FORM(ternary), FIRST(name)))
#define TEST(name, K, body)                                                                        \
    PICK_##K(BODY_1(FIRST(name), tn_u8, T, body) STAMP(name, FORM(test), FIRST(name)))
#define COMPARE(name, K, body)                                                                     \
    PICK_##K(BODY_2(FIRST(name), tn_u8, T, T, body) STAMP(name, FORM(compare), FIRST(name)))
#define CLOSE(name, K, body)                                                                       \
    PICK_##K(BODY_4(FIRST(name), tn_u8, T, body) STAMP(name, FORM(close), FIRST(name)))
#define PART(name, K, body)                                                                        \
    PICK_##K(BODY_1(FIRST(name), PART_TYPE, T, body) STAMP(name, FORM(part), FIRST(name)))
#define REPLACE(name, K, body)                                                                     \
    PICK_##K(BODY_4(FIRST(name), T, T, body) STAMP(name, FORM(replace), FIRST(name)))
#define COUNT(name, K, body)                                                                       \
    PICK_##K(BODY_1(FIRST(name), tn_u8, T, body) STAMP(name, FORM(count), FIRST(name)))
#define UNARY2(name, K, body, other)                                                               \
    PICK_##K(BODY_1(FIRST(name), T, T, body) BODY_1(SECOND(name), T, T, other)                     \
                 STAMP(name, FORM(unary2), FIRST(name), SECOND(name)))
#define BINARY2(name, K, body, other)                                                              \
    PICK_##K(BODY_2(FIRST(name), T, T, T, body) BODY_2(SECOND(name), T, T, T, other)               \
                 STAMP(name, FORM(binary2), FIRST(name), SECOND(name)))
#define FREXP(name, K, body, other)                                                                \
    PICK_##K(BODY_1(FIRST(name), T, T, body) BODY_1(SECOND(name), tn_i32, T, other)                \
                 STAMP(name, FORM(frexp), FIRST(name), SECOND(name)))
#define LDEXP(name, K, body)                                                                       \
    PICK_##K(BODY_2(FIRST(name), T, T, tn_i32, body) STAMP(name, FORM(ldexp), FIRST(name)))
#define LDEXP64(name, K, body)                                                                     \
    PICK_##K(BODY_2(FIRST(name), T, T, tn_i64, body) STAMP(name, FORM(ldexp64), FIRST(name)))
#define SCALED(name, K, body)                                                                      \
    PICK_##K(BODY_2(FIRST(name), tn_i64, tn_i64, T, body) STAMP(name, FORM(scaled), FIRST(name)))
#define RATIO(name, K, body)                                                                       \
    PICK_##K(BODY_2(FIRST(name), T, tn_i64, tn_i64, body) STAMP(name, FORM(ratio), FIRST(name)))
#define MIXED(name, K, body)                                                                       \
    PICK_##K(BODY_2(FIRST(name), tn_u8, T, OTHER, body) STAMP(name, FORM(mixed), FIRST(name)))
#define SELECT(name, K, body)                                                                      \
    PICK_##K(BODY_3(FIRST(name), T, tn_u8, T, T, body) STAMP(name, FORM(select), FIRST(name)))
#include "ops/ops.def"

#define BODY(signature, name, K, body, second)                                                     \
    PICK_##K({tni_op_##name, TN_PASTE(tni_dtype_, D), LOOP(name)}, )
extern const tni_loop_entry LEVEL(NAMED(tni_loops, ))[];
const tni_loop_entry LEVEL(NAMED(tni_loops, ))[] = {
#include "ops/ops.def"
    {0, 0, NULL}};

#undef NAMED
#undef FIRST
#undef SECOND
#undef LOOP
#undef FORM
#undef BODY_1
#undef BODY_2
#undef BODY_3
#undef BODY_4
#undef STAMP
#undef D
#undef T
#undef PART_TYPE
#undef OTHER
