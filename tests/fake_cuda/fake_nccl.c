/* A test double of NCCL. The ranks of a group are communicators of this process, in one thread or
 * in several.
 *
 * Algorithm: a call is posted, and done by the thread that posts the last one of its group: each
 * waited for its stream, and computes with the double's memory. A thread that posts waits until its
 * calls are done, so nothing here is asynchronous. A group of one rank is a copy on the stream,
 * which can be captured. */
#include "fake_nccl.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenorite/collective.h>

#define FN(result, name, is_optional, params) FAKE_API result name params;
#include "backend/cuda/libraries/nccl.fn"
#define FN(name, params, args) CUresult name params;
#include "backend/cuda/driver/driver.fn"

enum { MOST = 64, RANKS = 8, INVALID = 4, USAGE = 5 };
enum { ALL_REDUCE, REDUCE, BROADCAST, REDUCE_SCATTER, ALL_GATHER, SEND, RECEIVE };

typedef struct comm {
    char key[128];
    int count, rank, device;
    uint64_t posted; /* calls that are no messages */
} comm;

typedef struct call {
    comm *comm;
    int kind, dtype, op, root;
    const char *send;
    char *receive;
    size_t count;
    CUstream stream;
    uint64_t number;
    bool is_done;
} call;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static call *posted[MOST]; /* and not done */
static int posted_count;
static long living, calls;
static int failure, keys;
static _Thread_local int depth, gathered_count;
static _Thread_local call gathered[MOST];

void fake_nccl_fail(int result) {
    failure = result;
}
long fake_nccl_living(void) {
    return living;
}
long fake_nccl_calls(void) {
    return calls;
}

/* --- Life --- */

int ncclGetVersion(int *version) {
    *version = 22703;
    return 0;
}

int ncclGetUniqueId(tn_communicator_key *key) {
    memset(key, 0, sizeof *key);
    pthread_mutex_lock(&lock);
    snprintf(key->bytes, sizeof key->bytes, "fake %d", ++keys);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* A device below 0 is the current one. */
static comm *make(int count, const char *key, int rank, int device) {
    comm *made = calloc(1, sizeof *made);
    if (device < 0) cuCtxGetDevice(&device);
    memcpy(made->key, key, sizeof made->key);
    made->count = count;
    made->rank = rank;
    made->device = device;
    pthread_mutex_lock(&lock);
    living++;
    pthread_mutex_unlock(&lock);
    return made;
}

int ncclCommInitRank(void **made, int count, tn_communicator_key key, int rank) {
    if (rank < 0 || rank >= count || count > RANKS) return INVALID;
    *made = make(count, key.bytes, rank, -1);
    return 0;
}

int ncclCommInitRankConfig(void **made, int count, tn_communicator_key key, int rank,
                           void *config) {
    unsigned magic;
    memcpy(&magic, (const char *)config + sizeof(size_t), sizeof magic);
    return magic == 0xcafebeef ? ncclCommInitRank(made, count, key, rank) : INVALID;
}

int ncclCommInitAll(void **made, int count, const int *numbers) {
    tn_communicator_key key;
    ncclGetUniqueId(&key);
    for (int k = 0; k < count; k++)
        for (int j = 0; j < k; j++)
            if (numbers[j] == numbers[k]) return USAGE;
    for (int k = 0; k < count; k++)
        made[k] = make(count, key.bytes, k, numbers[k]);
    return 0;
}

/* Of all ranks of one color, or of one rank. */
int ncclCommSplit(void *of, int color, int order, void **made, void *config) {
    const comm *from = of;
    char key[128] = "";
    (void)order, (void)config;
    if (color < 0) return 0;
    snprintf(key, sizeof key, "%.100s color %d", from->key, color);
    *made = make(from->count, key, from->rank, from->device);
    return 0;
}

int ncclCommDestroy(void *of) {
    pthread_mutex_lock(&lock);
    living--;
    pthread_mutex_unlock(&lock);
    free(of);
    return 0;
}
int ncclCommAbort(void *of) {
    return ncclCommDestroy(of);
}
const char *ncclGetLastError(void *of) {
    (void)of;
    return "the double says so";
}
int ncclCommGetAsyncError(void *of, int *result) {
    (void)of;
    *result = failure;
    return 0;
}
int ncclCommCount(const void *of, int *count) {
    *count = ((const comm *)of)->count;
    return 0;
}
int ncclCommUserRank(const void *of, int *rank) {
    *rank = ((const comm *)of)->rank;
    return 0;
}

/* --- Doing calls. With the lock held. --- */

static size_t item_of(int dtype) {
    static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return sizes[dtype];
}

#define FOLD(type)                                                                                 \
    for (size_t k = 0; k < count; k++) {                                                           \
        type *to = (type *)(void *)sum + k, value = ((const type *)(const void *)more)[k];         \
        if (op == 0 || op == 4) *to += value;                                                      \
        if (op == 1) *to *= value;                                                                 \
        if (op == 2) *to = *to > value ? *to : value;                                              \
        if (op == 3) *to = *to < value ? *to : value;                                              \
    }

static void fold(char *sum, const char *more, size_t count, int dtype, int op) {
    if (dtype == 7) FOLD(float)
    if (dtype == 8) FOLD(double)
    if (dtype == 2) FOLD(int)
}

static char *sum_of(call *const *all, int ranks, size_t elements) {
    size_t bytes = elements * item_of(all[0]->dtype);
    char *sum = malloc(bytes + 1);
    memcpy(sum, all[0]->send, bytes);
    for (int k = 1; k < ranks; k++)
        fold(sum, all[k]->send, elements, all[0]->dtype, all[0]->op);
    return sum;
}

static void do_collective(call *const *all, int ranks) {
    const call *first = all[0];
    size_t item = item_of(first->dtype), bytes = first->count * item;
    size_t parts = first->kind == REDUCE_SCATTER ? (size_t)ranks : 1;
    char *made = NULL;
    if (first->kind <= REDUCE || first->kind == REDUCE_SCATTER)
        made = sum_of(all, ranks, first->count * parts);
    if (first->kind == ALL_GATHER) {
        made = malloc(bytes * (size_t)ranks + 1);
        for (int k = 0; k < ranks; k++)
            memcpy(made + (size_t)k * bytes, all[k]->send, bytes);
    }
    for (int k = 0; k < ranks; k++) {
        call *one = all[k];
        if (one->kind == ALL_REDUCE || (one->kind == REDUCE && one->root == k))
            memcpy(one->receive, made, bytes);
        if (one->kind == REDUCE_SCATTER) memcpy(one->receive, made + (size_t)k * bytes, bytes);
        if (one->kind == ALL_GATHER) memcpy(one->receive, made, bytes * (size_t)ranks);
        if (one->kind == BROADCAST) memmove(one->receive, all[one->root]->send, bytes);
    }
    free(made);
}

static void finish(call *const *all, int count) {
    for (int k = 0; k < count; k++) {
        all[k]->is_done = true;
        calls++;
        for (int j = 0; j < posted_count; j++)
            if (posted[j] == all[k]) posted[j--] = posted[--posted_count];
    }
    pthread_cond_broadcast(&changed);
}

/* Does what `one` completes; false: something is missing. */
static bool complete(call *one) {
    call *all[RANKS] = {NULL};
    int found = 0;
    for (int k = 0; k < posted_count; k++) {
        call *other = posted[k];
        if (memcmp(other->comm->key, one->comm->key, sizeof one->comm->key) != 0) continue;
        if (one->kind >= SEND) {
            if (other->kind + one->kind != SEND + RECEIVE || other->root != one->comm->rank ||
                one->root != other->comm->rank)
                continue;
            const call *from = one->kind == SEND ? one : other, *to = from == one ? other : one;
            memcpy(to->receive, from->send, to->count * item_of(to->dtype));
            finish((call *[]){one, other}, 2);
            return true;
        }
        if (other->kind != one->kind || other->number != one->number) continue;
        all[other->comm->rank] = other;
        found++;
    }
    if (found < one->comm->count) return false;
    do_collective(all, found);
    finish(all, found);
    return true;
}

/* Waits for what the stream of a call was given; of one rank, queues it there. The stream is of
 * the communicator's device, whichever is current. */
static void queue(call *one) {
    size_t bytes = one->count * item_of(one->dtype);
    CUcontext context;
    cuDevicePrimaryCtxRetain(&context, one->comm->device);
    cuCtxPushCurrent_v2(context);
    if (one->comm->count > 1 || one->kind >= SEND) {
        cuStreamSynchronize(one->stream);
    } else {
        if (one->send != one->receive)
            cuMemcpyAsync((CUdeviceptr)one->receive, (CUdeviceptr)one->send, bytes, one->stream);
        one->is_done = true;
        calls++;
    }
    cuCtxPopCurrent_v2(&context);
    cuDevicePrimaryCtxRelease_v2(one->comm->device);
}

/* Posts the calls of a thread, and waits for them. */
static int run(call *mine, int count) {
    for (int k = 0; k < count; k++)
        queue(&mine[k]);
    pthread_mutex_lock(&lock);
    for (int k = 0; k < count; k++) {
        if (mine[k].is_done) continue;
        mine[k].number = mine[k].kind < SEND ? mine[k].comm->posted++ : 0;
        posted[posted_count++] = &mine[k];
        complete(&mine[k]);
    }
    for (int k = 0; k < count; k++)
        while (!mine[k].is_done)
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

/* --- Calls --- */

int ncclGroupStart(void) {
    depth++;
    return 0;
}

int ncclGroupEnd(void) {
    if (depth == 0) return USAGE;
    if (--depth > 0) return 0;
    int count = gathered_count;
    gathered_count = 0;
    return run(gathered, count);
}

static int start(call made) {
    if (depth == 0) return run(&made, 1);
    gathered[gathered_count++] = made;
    return 0;
}

int ncclAllReduce(const void *send, void *receive, size_t count, int dtype, int op, void *of,
                  CUstream stream) {
    return start((call){of, ALL_REDUCE, dtype, op, 0, send, receive, count, stream, 0, false});
}
int ncclReduce(const void *send, void *receive, size_t count, int dtype, int op, int root, void *of,
               CUstream stream) {
    return start((call){of, REDUCE, dtype, op, root, send, receive, count, stream, 0, false});
}
int ncclBroadcast(const void *send, void *receive, size_t count, int dtype, int root, void *of,
                  CUstream stream) {
    return start((call){of, BROADCAST, dtype, 0, root, send, receive, count, stream, 0, false});
}
int ncclReduceScatter(const void *send, void *receive, size_t count, int dtype, int op, void *of,
                      CUstream stream) {
    return start((call){of, REDUCE_SCATTER, dtype, op, 0, send, receive, count, stream, 0, false});
}
int ncclAllGather(const void *send, void *receive, size_t count, int dtype, void *of,
                  CUstream stream) {
    return start((call){of, ALL_GATHER, dtype, 0, 0, send, receive, count, stream, 0, false});
}
int ncclSend(const void *send, size_t count, int dtype, int peer, void *of, CUstream stream) {
    return start((call){of, SEND, dtype, 0, peer, send, NULL, count, stream, 0, false});
}
int ncclRecv(void *receive, size_t count, int dtype, int peer, void *of, CUstream stream) {
    return start((call){of, RECEIVE, dtype, 0, peer, NULL, receive, count, stream, 0, false});
}
