/* Communicators of the host: how ranks come together, and how they part.
 *
 * A rank that waits looks from time to time whether those that it waits for live. A rank that ends
 * says so in the shared memory; the memory of one that dies says nothing more, and its process is
 * gone. */
#include "backend/host/collectives/communicator.h"

#include "backend/host/collectives/peers.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tni_lock list_lock;
static tni_rank *living;
static uint64_t numbers;

int64_t tni_collective_timeout_ns(void) {
    const char *text = getenv("TENORITE_NCCL_TIMEOUT");
    double seconds = text && *text ? strtod(text, NULL) : 600;
    return seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : -1;
}

/* --- Life --- */

tn_status tni_rank_new(tni_rank **result, int count, int rank, int device) {
    tni_rank *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->references = 1;
    made->count = count;
    made->rank = rank;
    made->device = device;
    made->process = (int)getpid();
    tni_lock_take(&list_lock);
    made->number = ++numbers;
    made->next = living;
    living = made;
    tni_lock_give(&list_lock);
    *result = made;
    return TN_OK;
}

void tni_rank_release(tni_rank *rank) {
    tni_lock_take(&list_lock);
    bool is_last = --rank->references == 0;
    for (tni_rank **at = &living; is_last && *at; at = &(*at)->next)
        if (*at == rank) {
            *at = rank->next;
            break;
        }
    tni_lock_give(&list_lock);
    if (!is_last) return;
    if (rank->segment.shared && rank->process == (int)getpid()) tni_segment_close(&rank->segment);
    tni_free(rank);
}

tni_rank *tni_rank_find(uint64_t number) {
    tni_lock_take(&list_lock);
    tni_rank *found = living;
    while (found && (found->number != number || found->is_ended))
        found = found->next;
    if (found) found->references++;
    tni_lock_give(&list_lock);
    if (!found || found->process == (int)getpid()) return found;
    tni_rank_release(found);
    return NULL;
}

void tni_rank_end(tni_rank *rank) {
    tni_lock_take(&list_lock);
    rank->is_ended = true;
    tni_lock_give(&list_lock);
    if (rank->segment.shared && rank->process == (int)getpid()) {
        atomic_store(&rank->segment.shared->members[rank->rank].presence, TNI_LEFT);
        tni_segment_ring(&rank->segment);
    }
    tni_rank_release(rank);
}

tn_status tni_rank_check(const tni_rank *rank) {
    if (rank->process != (int)getpid())
        TNI_FAIL(TN_ERROR_FORKED, "a communicator was made before fork: a child needs its own");
    if (!rank->segment.shared)
        return tni_fail_collective(TNI_NCCL_USAGE,
                                   "the communicator joins its group when groupEnd() is called");
    const char *failure = tni_segment_failure(&rank->segment);
    return failure ? tni_fail_collective(TNI_NCCL_REMOTE, "%s", failure) : TN_OK;
}

/* --- Peers --- */

bool tni_rank_may_come(const tni_rank *rank, int other, char text[TNI_FAILURE_TEXT]) {
    const tni_member *member = &rank->segment.shared->members[other];
    int presence = atomic_load(&member->presence), process = atomic_load(&member->process);
    if (presence == TNI_ABSENT) return true;
    if (presence == TNI_LEFT) {
        snprintf(text, TNI_FAILURE_TEXT, "rank %d (process %d) has left", other, process);
        return false;
    }
    if (process == rank->process || tni_process_lives(process, atomic_load(&member->started)))
        return true;
    snprintf(text, TNI_FAILURE_TEXT, "rank %d (process %d) has died", other, process);
    return false;
}

/* --- Joining --- */

tn_status tni_rank_enter(tni_rank *rank, const tn_communicator_key *key) {
    tni_segment segment;
    TNI_TRY(tni_segment_open(&segment, key, rank->count));
    tni_member *own = &segment.shared->members[rank->rank];
    int none = 0;
    if (!atomic_compare_exchange_strong(&own->process, &none, rank->process)) {
        tni_segment_close(&segment);
        return tni_fail_collective(TNI_NCCL_USAGE, "rank %d has come already (process %d)",
                                   rank->rank, none);
    }
    atomic_store(&own->started, tni_process_started(rank->process));
    atomic_store(&own->presence, TNI_PRESENT);
    rank->segment = segment;
    atomic_fetch_add(&segment.shared->joined, 1);
    tni_segment_ring(&segment);
    return TN_OK;
}

/* The ranks that have not come, as "0, 3, 4 ...". */
static void list_missing(char *text, size_t bytes, const tni_rank *rank) {
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0, found = 0; k < rank->count && used + 24 < bytes; k++) {
        if (atomic_load(&rank->segment.shared->members[k].presence) != TNI_ABSENT) continue;
        used += (size_t)snprintf(text + used, bytes - used, found ? ", %d" : "%d", k);
        if (++found < 8) continue;
        snprintf(text + used, bytes - used, " ...");
        break;
    }
}

/* Fails where a rank will never come. */
static tn_status look_around(const tni_rank *rank) {
    const tni_shared *shared = rank->segment.shared;
    char text[TNI_FAILURE_TEXT], missing[96];
    TNI_TRY(tni_rank_check(rank));
    for (int other = 0; other < rank->count; other++)
        if (!tni_rank_may_come(rank, other, text))
            return tni_fail_collective(TNI_NCCL_REMOTE, "%s before all ranks had come", text);
    if (tni_process_lives(shared->maker, shared->maker_started)) return TN_OK;
    list_missing(missing, sizeof missing, rank);
    return tni_fail_collective(TNI_NCCL_REMOTE,
                               "process %d, which made the unique id, ended before all of %d ranks "
                               "had come; missing: %s",
                               shared->maker, rank->count, missing);
}

typedef struct arrival {
    const tni_rank *rank;
    int64_t since_ns;
} arrival;

static tn_status arrive_slice(const void *context, int64_t timeout_ns) {
    const arrival *arrival = context;
    const tni_rank *rank = arrival->rank;
    tni_shared *shared = rank->segment.shared;
    const int64_t nap_ns = 20000000, limit_ns = tni_collective_timeout_ns();
    int64_t begun_ns = tni_now_ns(), now_ns = begun_ns;
    tn_status status = TN_OK;
    atomic_fetch_add(&shared->sleepers, 1);
    for (; status == TN_OK; now_ns = tni_now_ns()) {
        int bell = atomic_load(&shared->bell);
        if (atomic_load(&shared->joined) == rank->count) break;
        if (timeout_ns >= 0 && now_ns - begun_ns >= timeout_ns) {
            status = TN_TIMEOUT;
            break;
        }
        tni_segment_sleep(&rank->segment, bell, nap_ns);
        status = look_around(rank);
        /* All had come, and one has left again. */
        if (status != TN_OK && atomic_load(&shared->joined) == rank->count) status = TN_OK;
        if (status == TN_OK && limit_ns >= 0 && now_ns - arrival->since_ns > limit_ns) {
            char missing[96];
            list_missing(missing, sizeof missing, rank);
            status = tni_fail_collective(TNI_NCCL_REMOTE,
                                         "not all of %d ranks came within %g s "
                                         "(TENORITE_NCCL_TIMEOUT); missing: %s",
                                         rank->count, (double)limit_ns / 1e9, missing);
        }
    }
    atomic_fetch_sub(&shared->sleepers, 1);
    return status;
}

tn_status tni_rank_wait_for_all(tni_rank *rank) {
    arrival arrival = {rank, tni_now_ns()};
    tn_status status = tni_wait(arrive_slice, &arrival, -1);
    if (status == TN_OK)
        tni_segment_settle();
    else
        tni_segment_break(&rank->segment, tn_error_message());
    return status;
}
