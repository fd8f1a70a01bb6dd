/* Stamps the conversions from one dtype, from the table. Included, after half_block.h, with D the
 * suffix and, for halves, TO_WORKING(x) defined. Defines the list tni_casts_<D>_<TNI_ISA>. */
#ifndef TO_WORKING
#define TO_WORKING(x) x
#endif
#define A TN_PASTE(tni_stored_, D)
#define T TN_PASTE(tni_working_, D)
#define NAMED(prefix, name) TN_PASTE(TN_PASTE(prefix##name, _), D)

#define CAST(to, K, body)                                                                          \
    PICK_##K(                                                                                      \
        INLINE tni_stored_##to NAMED(body_, to)(A x) {                                             \
            T a = TO_WORKING(x);                                                                   \
            return body;                                                                           \
        } FORM_1(NAMED(form_, to), tni_stored_##to, A) static void NAMED(cast_, to)(ARGUMENTS) {   \
            NAMED(form_, to)(args, strides, count, NAMED(body_, to));                              \
        })
#include "ops/casts.def"

#define CAST(to, K, body) PICK_##K({TN_PASTE(tni_dtype_, D), tni_dtype_##to, NAMED(cast_, to)}, )
extern const tni_loop_entry LEVEL(NAMED(tni_casts, ))[];
const tni_loop_entry LEVEL(NAMED(tni_casts, ))[] = {
#include "ops/casts.def"
    {0, 0, NULL}};

#undef NAMED
#undef D
#undef A
#undef T
#undef TO_WORKING
#undef PART_TYPE
