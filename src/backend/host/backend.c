/* The host's table. */
#include "backend/host/collectives/table.h"
#include "backend/host/compiler/launch.h"
#include "backend/host/forms/forms.h"
#include "backend/host/stream/queues.h"
#include "backend/host/stream/workers.h"
#include "backend/host/table.h"
#include "forms/body.h"

void tni_host_count(tni_backend_counts *counts) {
    counts->queued_calls += tni_host_queued_count();
    counts->worker_threads += tni_host_worker_count();
}

/* What the host lacks. */
#define tni_host_share_memory NULL
#define tni_host_raise_late NULL
#define tni_host_is_page_locked NULL
#define tni_host_stream_launches NULL
#define tni_host_fold_by_program NULL

/* The traits of its forms. */
enum {
    tni_host_computes_unaligned = true,
    tni_host_compiles_ahead = false,
    tni_host_moves_unaligned = true,
    tni_host_takes_strided_bodies = true,
    tni_host_fuses_rows = true,
    tni_host_folds_vectors = false,
    tni_host_sorts_in_workspace = true,
    tni_host_takes_room = false,
};

/* The tables (backend/table.def). */
#define BACKEND host
#define OWN_NAME "host"
#define OWN(name) tni_host_##name
#include "backend/table.def"

/* When the library is loaded, before any thread of it. */
__attribute__((constructor)) static void offer(void) {
    tni_backend_offer(TN_BACKEND_HOST, &table);
}
