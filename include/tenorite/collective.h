/* Collectives: sums, copies and messages among ranks, each of which is a device of a thread or of a
 * process. On GPUs they are NCCL's, which is loaded when it is first needed. On the host the ranks
 * are threads and processes of one machine, which share memory.
 *
 * A failure is TN_ERROR_COLLECTIVE; its message begins with the name of NCCL's number for it. */
#ifndef TENORITE_COLLECTIVE_H
#define TENORITE_COLLECTIVE_H

#include <tenorite/array.h>
#include <tenorite/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rank among others. */
typedef struct tn_communicator tn_communicator;

/* What the ranks of a new group have in common. One process makes it, and lives at least until all
 * ranks have come; its bytes are handed to the others. */
typedef struct tn_communicator_key {
    char bytes[128];
} tn_communicator_key;

/* NCCL's options (ncclConfig_t), which mean nothing on the host; TN_COLLECTIVE_UNSET: as NCCL
 * chooses. */
#define TN_COLLECTIVE_UNSET INT32_MIN
typedef struct tn_communicator_config {
    int blocking, cga_cluster_size, min_ctas, max_ctas, split_share;
    const char *net_name; /* NULL: as NCCL chooses */
} tn_communicator_config;

typedef enum tn_collective_kind {
    TN_ALL_REDUCE,
    TN_REDUCE,
    TN_BROADCAST,
    TN_REDUCE_SCATTER,
    TN_ALL_GATHER,
    TN_SEND,
    TN_RECEIVE
} tn_collective_kind;
typedef enum tn_collective_op { TN_SUM, TN_PROD, TN_MAX, TN_MIN, TN_AVG } tn_collective_op;

/* One call. `count` is NCCL's: elements of `send`; of a reduce_scatter those that each rank
 * receives. dtype: integers of 8, 32 and 64 bits, and floats. */
typedef struct tn_collective {
    tn_collective_kind kind;
    const void *send; /* may be `receive`; of an all_gather a rank's part of it */
    void *receive;
    int64_t count;
    tn_dtype dtype;
    tn_collective_op op; /* of the three that reduce */
    int root;            /* of reduce and broadcast; of messages the other rank */
} tn_collective;

/* NCCL's version, as 22703 for 2.27.3; the host answers the version whose calls it has. */
TN_API tn_status tn_collective_version(int *version, tn_backend backend);

TN_API tn_status tn_communicator_key_new(tn_communicator_key *key, tn_backend backend);

/* A rank of `count`, on a device. Waits for the others, or, in a group, leaves that to its end.
 * `config` may be NULL. */
TN_API tn_status tn_communicator_new(tn_communicator **result, tn_device device, int count,
                                     const tn_communicator_key *key, int rank,
                                     const tn_communicator_config *config);
/* One rank for each device of this process, by their numbers (NULL: the first ones). */
TN_API tn_status tn_communicator_new_all(tn_communicator **results, tn_backend backend, int count,
                                         const int *numbers);
/* A rank of those that give the same `color`, by their `order` and then their rank; color -1: of
 * none, and the result is NULL. All ranks call it. */
TN_API tn_status tn_communicator_split(tn_communicator **result, tn_communicator *communicator,
                                       int color, int order, const tn_communicator_config *config);
/* A failure that showed after the call that caused it, a peer's end among them. */
TN_API tn_status tn_communicator_check(tn_communicator *communicator);
/* Ends it, after its queued work, or at once: all that its group waits for fails then. Later calls
 * are refused. */
TN_API tn_status tn_communicator_finish(tn_communicator *communicator, bool aborts);
/* Ends it if it is not ended, and frees it. NULL is allowed. */
TN_API void tn_communicator_release(tn_communicator *communicator);

typedef struct tn_communicator_facts {
    int count, rank;
    tn_device device;
    uintptr_t handle; /* NCCL's ncclComm_t; 0: it is ended */
} tn_communicator_facts;
TN_API tn_status tn_communicator_get(tn_communicator_facts *facts, tn_communicator *communicator);

/* Queues a call by addresses. `stream` NULL: the current one of the communicator's device; of a
 * default stream that of this device is meant. */
TN_API tn_status tn_collective_start(tn_communicator *communicator, const tn_collective *call,
                                     tn_stream *stream);
/* The same by arrays, whose addresses and dtype the call need not have; NULL where the call has no
 * such part. Their elements lie side by side. No memory of an array is used again before the
 * call's work is done. A complex element counts as two. */
TN_API tn_status tn_collective_start_arrays(tn_communicator *communicator,
                                            const tn_collective *call, const tn_array *send,
                                            tn_array *receive, tn_stream *stream);

/* Calls between the two of a thread are begun together by the outermost end; messages among them
 * may wait for each other. */
TN_API tn_status tn_collective_group_begin(tn_backend backend);
TN_API tn_status tn_collective_group_end(tn_backend backend);

#ifdef __cplusplus
}
#endif
#endif
