/* The backends that are built in. Nothing here names one: each offers its table (backend.c of its
 * folder), so that core, below both, reaches them and depends on neither. */
#include "backend/backend.h"

static const tni_backend *backends[TN_BACKEND_COUNT];

void tni_backend_offer(tn_backend number, const tni_backend *table) {
    backends[number] = table;
}

const tni_backend *tni_backend_get(tn_backend backend) {
    return (unsigned)backend < TN_BACKEND_COUNT ? backends[backend] : NULL;
}
