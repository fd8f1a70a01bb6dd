/* The form "random": to[i] = what the distribution makes of element i's words (ops/random.h). */
#ifndef TNI_FORMS_RANDOM_H
#define TNI_FORMS_RANDOM_H

#include <tenorite/random.h>

typedef struct tni_random {
    tn_distribution distribution;
    tn_dtype dtype;
    char *to; /* contiguous */
    int64_t count;
    uint64_t key, block; /* the first block that the call may use */
    tn_generator_kind generator;
    uint32_t *lanes; /* the states of a generator that is not Philox */
    double location, scale;
    uint64_t low, span; /* of TN_RANDOM_BOUNDED */
    /* Of drawn distributions: arrays of 8 bytes an element, walked with the elements in order C, or
     * NULL and a number. */
    const char *arrays[TN_RANDOM_PARAMETERS];
    double numbers[TN_RANDOM_PARAMETERS];
    int ndim;
    int64_t shape[TN_MAX_NDIM], strides[TN_RANDOM_PARAMETERS][TN_MAX_NDIM];
} tni_random;

static inline bool tni_random_is_filled(tn_distribution distribution) {
    static const bool is_filled[] = {
#define FILLED(NAME, name) [TN_RANDOM_##NAME] = true,
#define DRAWN(NAME, name, parameters, kind) [TN_RANDOM_##NAME] = false,
#include <tenorite/distributions.def>
    };
    return is_filled[distribution];
}

/* Whether an element takes two words. */
static inline bool tni_random_is_wide(const tni_random *call) {
    if (call->distribution == TN_RANDOM_BOUNDED) return call->span > UINT32_MAX;
    return tn_dtype_size(call->dtype) == 8;
}

/* Elements of one block of words. */
static inline int64_t tni_random_per_block(const tni_random *call) {
    return tni_random_is_wide(call) ? 2 : 4;
}

#endif
