/* Scratch space of threads: a few slots each, which grow and are given back with the thread. */
#include "backend/host/scratch.h"

#include "core/base/alloc.h"
#include "core/base/threadkeep.h"

#include <stdint.h>
#include <string.h>

enum { PAGE = 4096, SLOTS = 5 };

static _Thread_local struct {
    void *given;
    void *aligned;
    size_t bytes;
} scratch[SLOTS];

static void drop_scratch(void) {
    for (int slot = 0; slot < SLOTS; slot++)
        tni_free(scratch[slot].given);
    memset(scratch, 0, sizeof scratch);
}

/* Aligned to a page: large arrays begin on pages too, and a load from one would wait for a store
 * into a stage just before that differs from it in the higher bits of the address alone. */
void *tni_scratch(int slot, size_t bytes) {
    if (bytes <= scratch[slot].bytes) return scratch[slot].aligned;
    if (!tni_thread_keeps(drop_scratch)) return NULL;
    bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1); /* grows seldom */
    void *given = tni_malloc(bytes + PAGE);
    if (!given) return NULL;
    tni_free(scratch[slot].given);
    scratch[slot].given = given;
    scratch[slot].aligned = (void *)(((uintptr_t)given + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    scratch[slot].bytes = bytes;
    return scratch[slot].aligned;
}
