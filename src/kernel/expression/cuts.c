/* TENORITE_DEBUG_CUTS is a number from 1 on; each gives other cuts. */
#include "kernel/expression/cuts.h"

#include <stdatomic.h>
#include <stdlib.h>

uint64_t tni_cuts_of(const tn_expression *expression) {
    static _Atomic uint64_t asked; /* twice the number, and 1 where it was asked for */
    uint64_t known = atomic_load_explicit(&asked, memory_order_relaxed);
    if (__builtin_expect(known == 0, 0)) {
        const char *text = getenv("TENORITE_DEBUG_CUTS");
        known = (text ? strtoull(text, NULL, 10) : 0) << 1 | 1;
        atomic_store_explicit(&asked, known, memory_order_relaxed);
    }
    if (__builtin_expect(known == 1, 1)) return 0;
    uint64_t number = (known >> 1) * UINT64_C(0x9e3779b97f4a7c15) ^ expression->hash;
    return number ? number : 1;
}
