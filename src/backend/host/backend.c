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

/* clang-format off */
#define BACKEND host
#define FAMILY(family) static const tni_##family##_forms family##_forms = {
#define HELD(family, name) .name = tni_host_##name,
#define LACKED(family, name) .name = NULL,
#define TRAIT(family, type, name) .name = tni_host_##name,
#define FAMILY_END(family) };
#include "forms/forms.def"

static const tni_kernels kernels = {
#define KERNELS(result, name, parameters) .name = tni_host_kernels_##name,
#include "forms/kernel.def"
};

static const tni_collectives collectives = {
#define COLLECTIVE(result, name, parameters) .name = tni_host_collective_##name,
#include "forms/collective.def"
};

const tni_backend tni_host_backend = {
    .name = "host",
    .kernels = &kernels,
    .collectives = &collectives,
#define FAMILY(family) .family = &family##_forms,
#include "forms/forms.def"
#define ENTRY(result, name, parameters) .name = tni_host_##name,
#include "backend/entries.def"
};
/* clang-format on */
