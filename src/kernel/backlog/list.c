/* The list of all backlogs. It has as many as threads had calls that waited at the same time. */
#include "kernel/backlog/list.h"

#include "core/base/alloc.h"
#include "kernel/backlog/entries.h"

static _Atomic(tni_backlog *) backlogs;

tni_backlog *tni_backlogs_first(void) {
    return atomic_load_explicit(&backlogs, memory_order_acquire);
}

static tni_backlog *find_unused(void) {
    for (tni_backlog *b = tni_backlogs_first(); b; b = b->next) {
        bool used = false;
        if (atomic_compare_exchange_strong(&b->is_used, &used, true)) return b;
    }
    return NULL;
}

static tni_backlog *make(void) {
    tni_backlog *b = tni_calloc(1, sizeof *b);
    if (!b) return NULL;
    pthread_mutex_init(&b->lock, NULL);
    atomic_init(&b->is_used, true);
    tni_entries_init(b);
    b->next = atomic_load(&backlogs);
    while (!atomic_compare_exchange_weak(&backlogs, &b->next, b))
        continue;
    return b;
}

tni_backlog *tni_backlogs_take(void) {
    tni_backlog *unused = find_unused();
    return unused ? unused : make();
}

void tni_backlogs_give(tni_backlog *backlog) {
    atomic_store_explicit(&backlog->is_used, false, memory_order_release);
}
