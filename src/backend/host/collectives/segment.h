/* The memory that the ranks of a group share (segment.c). */
#ifndef TNI_HOST_COLLECTIVES_SEGMENT_H
#define TNI_HOST_COLLECTIVES_SEGMENT_H

#include "forms/collective.h"

#include <stdatomic.h>

enum {
    TNI_CHUNK = 256 << 10, /* bytes of a piece: a few of them lie in a core's cache */
    TNI_SLOTS = 4,         /* pieces of a rank that may be under way */
    TNI_RANKS_MAX = 1024,
    TNI_NOTES = 8,
    TNI_FAILURE_TEXT = 384
};

/* What a rank says about a call, for the others to compare. */
typedef struct tni_note {
    int32_t kind, dtype, op, root;
    int64_t count;
} tni_note;

typedef enum tni_presence { TNI_ABSENT, TNI_PRESENT, TNI_LEFT } tni_presence;

/* A rank, written by that rank alone. The counters go up with each piece of all calls so far. */
typedef struct tni_member {
    _Alignas(64) atomic_int process; /* 0: no rank has come */
    atomic_int presence;
    _Atomic(int64_t) started; /* when the process began, in its system's ticks */
    _Alignas(64) _Atomic(uint64_t) published;
    _Atomic(uint64_t) reduced, taken;
    tni_note notes[TNI_NOTES];
} tni_member;

/* Messages from one rank to another: a ring of bytes. */
typedef struct tni_channel {
    _Alignas(64) _Atomic(uint64_t) written; /* bytes so far, by the sender */
    _Alignas(64) _Atomic(uint64_t) read;    /* by the receiver */
    _Alignas(64) char data[];
} tni_channel;

typedef struct tni_shared {
    char magic[8];
    uint64_t identity[2];
    int maker; /* the process that made the key */
    int64_t maker_started;
    _Atomic(int64_t) sizer; /* the process that sets the size and `count`; 0: none has come */
    atomic_int count;       /* ranks; 0: the size is not set */
    atomic_int joined;
    atomic_int sleepers, bell; /* a futex word, which changes when something came that may be
                                  waited for */
    atomic_int failing;        /* 0: all is well; 1: `failure` is being written; 2: it is there */
    char failure[TNI_FAILURE_TEXT];
    tni_member members[];
} tni_shared;

/* A process's view of it. */
typedef struct tni_segment {
    tni_shared *shared;
    size_t bytes;
    int count;
    int64_t ring; /* bytes of a channel's data */
} tni_segment;

tn_status tni_segment_key(tn_communicator_key *key);
/* Gives back what a key holds that no rank will use. */
void tni_segment_forget(const tn_communicator_key *key);
/* Maps the segment of a key for `count` ranks. */
tn_status tni_segment_open(tni_segment *segment, const tn_communicator_key *key, int count);
void tni_segment_close(tni_segment *segment);
/* After all ranks have come: the keys of this process hold it no more. */
void tni_segment_settle(void);

/* Where a rank puts a piece, by the piece's number, and where the ranks make the result of it. */
char *tni_segment_slot(const tni_segment *segment, int rank, uint64_t piece);
char *tni_segment_result(const tni_segment *segment, uint64_t piece);
tni_channel *tni_segment_channel(const tni_segment *segment, int from, int to);

/* Says that something has come, and waits until something has. */
void tni_segment_ring(const tni_segment *segment);
void tni_segment_sleep(const tni_segment *segment, int bell, int64_t timeout_ns);

/* Says to all ranks that the group is broken, and why. The first reason stays. */
void tni_segment_break(const tni_segment *segment, const char *text);
/* The reason; NULL: all is well. */
const char *tni_segment_failure(const tni_segment *segment);

#endif
