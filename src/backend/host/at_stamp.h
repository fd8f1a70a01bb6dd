/* Stamps the loops of at_loops.h for one dtype. Included with D the suffix, T the type and
 * PICK_<kind> as KEEP defined, and IS_COMPLEX for complex types. Defines the table loops_<D>. */
#ifndef PICK_B
#define PICK_B DROP
#endif
#ifndef PICK_I
#define PICK_I DROP
#endif
#ifndef PICK_F
#define PICK_F DROP
#endif
#ifndef PICK_C
#define PICK_C DROP
#endif
#ifndef PICK_f64
#define PICK_f64 DROP
#endif
#ifndef PICK_c128
#define PICK_c128 DROP
#endif
#define PICK_i64 DROP
#define PICK_u64 DROP
#define PICK_f16 DROP
#define PICK_bf16 DROP

/* A structure cannot be cast. */
#ifdef IS_COMPLEX
#define RESULT(body) body
#else
#define RESULT(body) (T)(body)
#endif
#define NAME(name) TN_PASTE(TN_PASTE(at_##name, _), D)
/* clang-format off */
#define AT_EACH(place, element, body)                                                              \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const int64_t at = index[i] + (index[i] < 0 ? size : 0);                                   \
        T *x = (void *)(place);                                                                    \
        const T a = *x, b = element;                                                               \
        *x = RESULT(body);                                                                         \
    }
#define BINARY(name, K, body)                                                                      \
    PICK_##K(static void NAME(name)(char *array, int64_t stride, int64_t size,                     \
                                    const int64_t *index, const char *operand, int64_t b_stride,   \
                                    int64_t n) {                                                   \
        if (stride == sizeof(T) && b_stride == sizeof(T))                                          \
            AT_EACH((T *)(void *)array + at, ((const T *)(const void *)operand)[i], body)          \
        else                                                                                       \
            AT_EACH(array + at * stride, *(const T *)(const void *)(operand + i * b_stride), body) \
    })
/* clang-format on */
#include "ops/ops.def"

#define BINARY(name, K, body) PICK_##K([tni_op_##name] = NAME(name), )
static const tni_at_loop TN_PASTE(loops_, D)[tni_op_count] = {
#include "ops/ops.def"
};

#undef NAME
#undef AT_EACH
#undef RESULT
#undef D
#undef T
#undef IS_COMPLEX
#undef PICK_B
#undef PICK_I
#undef PICK_F
#undef PICK_C
#undef PICK_i64
#undef PICK_u64
#undef PICK_f16
#undef PICK_bf16
#undef PICK_f64
#undef PICK_c128
