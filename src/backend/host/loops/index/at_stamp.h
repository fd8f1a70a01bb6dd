/* Stamps the loops of at_loops.h for one dtype. Included with D the suffix and PART_TYPE (complex
 * only) defined. Defines the table loops_<D>. */
#define T TN_PASTE(tni_working_, D)
/* A structure cannot be cast. */
#ifdef PART_TYPE
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
#undef PART_TYPE
