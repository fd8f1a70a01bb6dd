/* NCCL: loading it, communicators, and its calls on our streams.
 *
 * Decides: a call is given to NCCL at once, so that its place in the order of work is that of the
 * call; what waits for a kernel is launched before (tni_cuda_enter).
 *
 * A peer that ends leaves the others waiting on their streams. While a thread waits (core/base/
 * wait.c) it asks NCCL about each communicator; one that has failed is aborted, which ends its
 * kernels and the wait, and the wait reports it. NCCL does not notice each end. Where
 * TENORITE_NCCL_TIMEOUT is set, a call that is not done so many seconds after it was queued is
 * aborted, too: an event after each call tells.
 *
 * Invariant: `comm` of a rank is NCCL's own, and NULL once it was destroyed or aborted. */
#include "backend/cuda/libraries/nccl.h"

#include "backend/cuda/driver/device.h"
#include "backend/cuda/driver/library.h"
#include "backend/cuda/driver/queues.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/stream/stream.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct functions {
#define FN(result, name, is_optional, params) result(*name) params;
#include "backend/cuda/libraries/nccl.fn"
} functions;

static functions nccl;
static const tni_symbol symbols[] = {
#define FN(result, name, is_optional, params) {#name, offsetof(functions, name), is_optional},
#include "backend/cuda/libraries/nccl.fn"
};

typedef struct tni_cuda_rank {
    struct tni_cuda_rank *next; /* all living ones */
    void *comm;
    int number;
    int count, rank;   /* -1: NCCL knows only after the group in which it was made */
    char call[96];     /* the last one, for messages */
    char failure[256]; /* why it was aborted; "": it was not */
    int64_t queued_ns; /* when the last call was queued, if there is a timeout */
    CUevent done;      /* after the last call; NULL: none was recorded */
    CUstream stream;   /* of calls of an open group */
    bool is_in_group;  /* it has calls in the open group of a thread */
} tni_cuda_rank;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static tni_cuda_rank *living;
static _Thread_local int depth; /* of open groups */

static tn_status load(void) {
    return tni_cuda_library_load(TNI_LIBRARY_NCCL, symbols, sizeof symbols / sizeof *symbols,
                                 &nccl);
}

static tn_status check(int answer, const char *call, void *comm) {
    if (__builtin_expect(answer == 0 || answer == TNI_NCCL_IN_PROGRESS, 1)) return TN_OK;
    const char *more = nccl.ncclGetLastError ? nccl.ncclGetLastError(comm) : NULL;
    bool has_more = more && *more;
    return tni_fail_collective(answer, "%s%s%s", call, has_more ? ": " : "", has_more ? more : "");
}

#define LACKS(function)                                                                            \
    if (!nccl.function)                                                                            \
    TNI_FAIL(TN_ERROR_NOT_IMPLEMENTED, "the installed NCCL has no function %s", #function)

tn_status tni_cuda_collective_version(int *version) {
    TNI_TRY(load());
    return check(nccl.ncclGetVersion(version), "ncclGetVersion", NULL);
}

tn_status tni_cuda_collective_key_make(tn_communicator_key *key) {
    TNI_TRY(load());
    return check(nccl.ncclGetUniqueId(key), "ncclGetUniqueId", NULL);
}

/* --- Timeouts --- */

static int64_t timeout_ns(void) {
    const char *text = getenv("TENORITE_NCCL_TIMEOUT");
    double seconds = text && *text ? strtod(text, NULL) : 0;
    return seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : -1;
}

/* Notes a call of which the streams are known, for the look while threads wait. */
static void note_queued(tni_cuda_rank *rank, CUstream stream) {
    if (timeout_ns() < 0) return;
    pthread_mutex_lock(&list_lock);
    bool is_made = rank->done || tni_driver.cuEventCreate(&rank->done, 2) == CUDA_SUCCESS;
    if (is_made && tni_driver.cuEventRecord(rank->done, stream) == CUDA_SUCCESS)
        rank->queued_ns = tni_now_ns();
    pthread_mutex_unlock(&list_lock);
}

static void abort_rank(tni_cuda_rank *rank, int result, const char *why) {
    snprintf(rank->failure, sizeof rank->failure, "%s as rank %d of %d: %s",
             *rank->call ? rank->call : "a communicator", rank->rank, rank->count, why);
    nccl.ncclCommAbort(rank->comm);
    rank->comm = NULL;
    tni_fail_collective(result, "%s", rank->failure);
}

/* Whether the last call of a rank is late. */
static bool is_late(const tni_cuda_rank *rank, int64_t limit_ns) {
    return limit_ns >= 0 && rank->queued_ns > 0 && tni_now_ns() - rank->queued_ns > limit_ns &&
           tni_driver.cuEventQuery(rank->done) == CUDA_ERROR_NOT_READY;
}

/* A look at all communicators while a thread waits: the first that has failed is aborted, and the
 * wait fails. */
static tn_status look_around(void) {
    const int64_t limit_ns = timeout_ns();
    tn_status status = TN_OK;
    pthread_mutex_lock(&list_lock);
    for (tni_cuda_rank *rank = living; rank && status == TN_OK; rank = rank->next) {
        int result = 0;
        if (!rank->comm || nccl.ncclCommGetAsyncError(rank->comm, &result) != 0) continue;
        if (result != 0 && result != TNI_NCCL_IN_PROGRESS) {
            const char *more = nccl.ncclGetLastError ? nccl.ncclGetLastError(rank->comm) : "";
            abort_rank(rank, result, more ? more : "");
            status = TN_ERROR_COLLECTIVE;
        } else if (is_late(rank, limit_ns)) {
            char why[96];
            snprintf(why, sizeof why, "not done after %g s (TENORITE_NCCL_TIMEOUT)",
                     (double)limit_ns / 1e9);
            abort_rank(rank, TNI_NCCL_REMOTE, why);
            status = TN_ERROR_COLLECTIVE;
        }
    }
    pthread_mutex_unlock(&list_lock);
    return status;
}

/* --- Life --- */

static tn_status rank_new(void **result, void *comm, int count, int place, int number) {
    tni_cuda_rank *made = tni_calloc(1, sizeof *made);
    if (!made) return tni_fail_no_memory(sizeof *made);
    made->comm = comm;
    made->count = count;
    made->rank = place;
    made->number = number;
    pthread_mutex_lock(&list_lock);
    made->next = living;
    living = made;
    pthread_mutex_unlock(&list_lock);
    tni_wait_watch(look_around);
    *result = made;
    return TN_OK;
}

/* ncclConfig_t of 2.18, which later versions take, too. */
typedef struct config {
    size_t size;
    unsigned magic, version;
    int blocking, cga_cluster_size, min_ctas, max_ctas;
    const char *net_name;
    int split_share;
} config;

static config config_of(const tn_communicator_config *given) {
    return (config){sizeof(config),          0xcafebeef,      21800,           given->blocking,
                    given->cga_cluster_size, given->min_ctas, given->max_ctas, given->net_name,
                    given->split_share};
}

tn_status tni_cuda_collective_join(void **communicator, int count, const tn_communicator_key *key,
                                   int rank, const tn_communicator_config *options, int number) {
    void *comm = NULL;
    TNI_TRY(load());
    if (options) LACKS(ncclCommInitRankConfig);
    config config;
    if (options) config = config_of(options);
    TNI_CUDA_ON(number, options
                            ? check(nccl.ncclCommInitRankConfig(&comm, count, *key, rank, &config),
                                    "ncclCommInitRankConfig", NULL)
                            : check(nccl.ncclCommInitRank(&comm, count, *key, rank),
                                    "ncclCommInitRank", NULL));
    return rank_new(communicator, comm, count, rank, number);
}

tn_status tni_cuda_collective_join_all(void **communicators, int count, const int *numbers) {
    void *comms[TNI_MAX_DEVICES];
    TNI_TRY(load());
    TNI_CUDA_ON(numbers[0],
                check(nccl.ncclCommInitAll(comms, count, numbers), "ncclCommInitAll", NULL));
    for (int k = 0; k < count; k++)
        TNI_TRY(rank_new(&communicators[k], comms[k], count, k, numbers[k]));
    return TN_OK;
}

/* The rank's communicator of NCCL; the failure for which it was aborted. */
static tn_status open_rank(const tni_cuda_rank *rank) {
    if (rank->comm) return TN_OK;
    return tni_fail_collective(TNI_NCCL_REMOTE, "%s", rank->failure);
}

tn_status tni_cuda_collective_split(void **made, void *communicator, int color, int order,
                                    const tn_communicator_config *options, int number) {
    tni_cuda_rank *from = communicator;
    void *comm = NULL;
    config config;
    LACKS(ncclCommSplit);
    TNI_TRY(open_rank(from));
    if (options) config = config_of(options);
    TNI_CUDA_ON(number,
                check(nccl.ncclCommSplit(from->comm, color, order, &comm, options ? &config : NULL),
                      "ncclCommSplit", from->comm));
    *made = NULL;
    return color < 0 ? TN_OK : rank_new(made, comm, -1, -1, number);
}

tn_status tni_cuda_collective_facts(int *count, int *rank, void *communicator) {
    tni_cuda_rank *of = communicator;
    if (of->count < 0) {
        TNI_TRY(open_rank(of));
        TNI_TRY(check(nccl.ncclCommCount(of->comm, &of->count), "ncclCommCount", of->comm));
        TNI_TRY(check(nccl.ncclCommUserRank(of->comm, &of->rank), "ncclCommUserRank", of->comm));
    }
    *count = of->count;
    *rank = of->rank;
    return TN_OK;
}

tn_status tni_cuda_collective_check(void *communicator, int number) {
    const tni_cuda_rank *of = communicator;
    int result = 0;
    (void)number;
    TNI_TRY(open_rank(of));
    TNI_TRY(
        check(nccl.ncclCommGetAsyncError(of->comm, &result), "ncclCommGetAsyncError", of->comm));
    return result ? tni_fail_collective(result, "%s", of->call) : TN_OK;
}

tn_status tni_cuda_collective_leave(void *communicator, bool aborts, int number) {
    tni_cuda_rank *gone = communicator;
    tn_status status = TN_OK;
    pthread_mutex_lock(&list_lock);
    for (tni_cuda_rank **at = &living; *at; at = &(*at)->next)
        if (*at == gone) {
            *at = gone->next;
            break;
        }
    pthread_mutex_unlock(&list_lock);
    tni_cuda_scope scope;
    if (tni_cuda_enter_quietly(&scope, number) == TN_OK) {
        if (gone->comm)
            status = aborts ? check(nccl.ncclCommAbort(gone->comm), "ncclCommAbort", NULL)
                            : check(nccl.ncclCommDestroy(gone->comm), "ncclCommDestroy", NULL);
        if (gone->done) tni_driver.cuEventDestroy_v2(gone->done);
        tni_cuda_leave(&scope);
    }
    tni_free(gone);
    return status;
}

/* --- Groups --- */

tn_status tni_cuda_collective_group_begin(void) {
    TNI_TRY(load());
    TNI_TRY(check(nccl.ncclGroupStart(), "ncclGroupStart", NULL));
    depth++;
    return TN_OK;
}

/* Notes the calls of the group that has ended. */
static void note_group(void) {
    for (tni_cuda_rank *rank = living; rank; rank = rank->next) {
        if (!rank->is_in_group) continue;
        rank->is_in_group = false;
        note_queued(rank, rank->stream);
    }
}

tn_status tni_cuda_collective_group_end(void) {
    if (depth == 0) return tni_fail_collective(TNI_NCCL_USAGE, "groupEnd() without a groupStart()");
    depth--;
    TNI_CUDA_ON(tn_device_get_current().number, check(nccl.ncclGroupEnd(), "ncclGroupEnd", NULL));
    if (depth == 0) note_group();
    return TN_OK;
}

/* --- Calls --- */

static const struct {
    tn_dtype dtype;
    int number;
} dtypes[] = {{TN_I8, 0},  {TN_U8, 1},  {TN_I32, 2}, {TN_U32, 3}, {TN_I64, 4},
              {TN_U64, 5}, {TN_F16, 6}, {TN_F32, 7}, {TN_F64, 8}, {TN_BF16, 9}};

static int number_of(tn_dtype dtype) {
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        if (dtypes[k].dtype == dtype) return dtypes[k].number;
    return -1;
}

static tn_status call_nccl(tni_cuda_rank *rank, const tn_collective *call, CUstream stream) {
    const void *send = call->send;
    void *receive = call->receive, *comm = rank->comm;
    size_t count = (size_t)call->count;
    int dtype = number_of(call->dtype), op = (int)call->op, root = call->root;
    switch (call->kind) {
#define CALL(kind, function, ...)                                                                  \
    case kind: return check(nccl.function(__VA_ARGS__), #function, comm)
        CALL(TN_ALL_REDUCE, ncclAllReduce, send, receive, count, dtype, op, comm, stream);
        CALL(TN_REDUCE, ncclReduce, send, receive, count, dtype, op, root, comm, stream);
        CALL(TN_BROADCAST, ncclBroadcast, send, receive, count, dtype, root, comm, stream);
        CALL(TN_REDUCE_SCATTER, ncclReduceScatter, send, receive, count, dtype, op, comm, stream);
        CALL(TN_ALL_GATHER, ncclAllGather, send, receive, count, dtype, comm, stream);
        CALL(TN_SEND, ncclSend, send, count, dtype, root, comm, stream);
        CALL(TN_RECEIVE, ncclRecv, receive, count, dtype, root, comm, stream);
#undef CALL
    }
    return TN_OK;
}

tn_status tni_cuda_collective_start(void *communicator, const tn_collective *call,
                                    tn_stream *stream) {
    static const char *const names[] = {"allReduce", "reduce", "broadcast", "reduceScatter",
                                        "allGather", "send",   "recv"};
    tni_cuda_rank *rank = communicator;
    CUstream queue = tni_cuda_stream_handle(stream);
    TNI_TRY(open_rank(rank));
    if (call->kind == TN_SEND) LACKS(ncclSend);
    if (call->kind == TN_RECEIVE) LACKS(ncclRecv);
    snprintf(rank->call, sizeof rank->call, "%s of %lld %s", names[call->kind],
             (long long)call->count, tn_dtype_name(call->dtype));
    tni_cuda_stream_note(stream, names[call->kind], 0, (unsigned[3]){0}, (unsigned[3]){0});
    TNI_CUDA_ON(rank->number, call_nccl(rank, call, queue));
    if (tni_stream_capture(stream)) return TN_OK;
    rank->stream = queue;
    rank->is_in_group = depth > 0;
    if (depth == 0) note_queued(rank, queue);
    return TN_OK;
}
