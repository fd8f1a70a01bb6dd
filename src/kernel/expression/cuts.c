/* TENORITE_DEBUG_CUTS is a number from 1 on; each gives other cuts. */
#include "kernel/expression/cuts.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Asked for once for each process. */
static uint64_t find_seed(void) {
    static _Atomic uint64_t asked; /* twice the number, and 1 where it was asked for */
    uint64_t known = atomic_load_explicit(&asked, memory_order_relaxed);
    if (__builtin_expect(known == 0, 0)) {
        const char *text = getenv("TENORITE_DEBUG_CUTS");
        known = (text ? strtoull(text, NULL, 10) : 0) << 1 | 1;
        atomic_store_explicit(&asked, known, memory_order_relaxed);
    }
    return (known >> 1) * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t tni_cuts_of(const tn_expression *expression) {
    const uint64_t seed = find_seed();
    if (__builtin_expect(seed == 0, 1)) return 0;
    const uint64_t number = seed ^ expression->hash;
    return number ? number : 1;
}

bool tni_cuts_at(int what, uint64_t call) {
    const uint64_t seed = find_seed();
    return __builtin_expect(seed != 0, 0) && tni_cuts_hash(seed, what, call) >> 61 == 0;
}
