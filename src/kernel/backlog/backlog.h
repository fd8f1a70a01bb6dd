/* Inside of backlogs: calls of one thread that wait, and the buffers that they read and write.
 *
 * Invariant: a buffer that waiting calls read or write has one *entry*, in the backlog of one
 * thread, and `waiting` of the buffer points to it. The entry holds one reference to the buffer, so
 * that a count of 1 says that no one but the backlog can reach it. Backlogs are never freed: a
 * thread that found an entry through a buffer may always lock its backlog and look again.
 *
 * `lock` guards all of a backlog. It is held while the backlog runs, and taken with
 * tni_wait_lock(); a thread that holds one takes no other. */
#ifndef TNI_KERNEL_BACKLOG_BACKLOG_H
#define TNI_KERNEL_BACKLOG_BACKLOG_H

#include "core/array/array.h"
#include "core/base/waiting.h"
#include "core/reduce/reduce.h"
#include "forms/elementwise.h"

#include <tenorite/backlog.h>

#include <pthread.h>

enum {
    TNI_WAITING_CALLS = 256,
    TNI_WAITING_ENTRIES = 192,
    TNI_WAITING_SLOTS = 512,
    TNI_WAITING_NDIM = TN_BACKLOG_AXES,
    TNI_WAITING_ARGUMENTS = 5, /* as many inputs and outputs has a call */
    TNI_WAITING_AXES = TNI_WAITING_NDIM,
    TNI_WAITING_REASONS = 8
};

typedef struct tni_entry tni_entry;

/* An array as calls name it: a view of the entry's buffer. */
typedef struct tni_slot {
    tni_entry *entry;
    struct tni_slot *next; /* of the entry, or of those that are free */
    unsigned segment;      /* for which the following is set (segment.c) */
    int16_t operand;       /* -1: none */
    int16_t input;         /* the node of that operand; -1: none */
    int16_t value;         /* the node of what it holds; -1: it is the operand's */
    bool is_written, is_filled, is_stored;
    bool is_view; /* it shows a value of another slot, and is in no memory yet */
    _Alignas(8) char block[sizeof(tn_array) + 2 * TNI_WAITING_NDIM * sizeof(int64_t)];
} tni_slot;

/* The array of a slot: a tn_array whose reference to the buffer is the entry's. */
static inline tn_array *tni_slot_array(tni_slot *slot) {
    return (tn_array *)(void *)slot->block;
}

struct tni_entry {
    struct tni_backlog *owner;
    tn_buffer *buffer; /* NULL: the entry is free */
    tni_slot *slots;
    uint64_t last_read, last_write; /* one more than the number of the call; 0: none */
    bool is_made;                   /* calls that wait make all of it, before any reads it */
    bool has_run;                   /* a call that named it has */
    bool has_memory;                /* false: it was given back when the last reference went */
    bool is_dead;                   /* no one but the backlog has a reference */
    struct tni_lost *lost; /* the failure of the call that should have made it; NULL: none */
};

typedef struct tni_waiting_argument {
    tni_slot *slot; /* NULL: a scalar */
    int8_t dtype, loop_dtype;
    _Alignas(16) unsigned char value[16];
} tni_waiting_argument;

/* What a reduction adds. */
typedef struct tni_waiting_reduction {
    tni_reduce_request request; /* without pointers */
    int8_t reduction;           /* the name under which a graph knows it; -1: none */
    bool keepdims, has_initial, without_identity;
    int8_t axis_count;
    int axes[TNI_WAITING_AXES];
    tn_dtype dtype;
    double correction;
    tn_scalar initial;
} tni_waiting_reduction;

typedef struct tni_waiting_call {
    bool is_reduction;
    bool made;      /* the outputs are new arrays that lie as the operation makes them */
    uint64_t known; /* as which faster.h knows it */
    tn_op op;
    tn_dtype dtype;
    int8_t input_count, output_count;
    tni_waiting_argument arguments[TNI_WAITING_ARGUMENTS];
    tni_waiting_reduction of;
} tni_waiting_call;

typedef struct tni_backlog {
    pthread_mutex_t lock;
    struct tni_backlog *next; /* of all that were ever made */
    atomic_bool is_used;      /* a thread has it */
    atomic_int count;         /* calls; written with the lock held */
    tn_stream *stream;        /* of all calls, retained; NULL while there are none */
    atomic_bool has_device;   /* and not the host */
    uint64_t first;           /* the number of the first call */
    uint64_t seen;            /* the first call of the last round (idle.c), and 1 */
    unsigned segment;
    uint64_t offered[3]; /* what the thread's last calls were, the last one first */
    int64_t kept_bytes;  /* of buffers that the backlog alone keeps, about */
    int64_t elements;    /* of all calls' outputs, about: how long a run may take */
    tni_slot *free_slots;
    int free_entry;                           /* no entry before it is free */
    int used_entries;                         /* all from it on are free */
    tn_backlog_run runs[TNI_WAITING_REASONS]; /* the last one first */
    tni_waiting_call calls[TNI_WAITING_CALLS];
    tni_entry entries[TNI_WAITING_ENTRIES];
    tni_slot slots[TNI_WAITING_SLOTS];
} tni_backlog;

static inline int tni_backlog_count(const tni_backlog *backlog) {
    return atomic_load_explicit(&backlog->count, memory_order_relaxed);
}

/* As what the call that was offered last is known: itself, and two before it. Not 0. */
static inline uint64_t tni_backlog_known(const tni_backlog *backlog) {
    const uint64_t many = UINT64_C(0xff51afd7ed558ccd), *offered = backlog->offered;
    const uint64_t hash = ((offered[2] * many ^ offered[1]) * many ^ offered[0]) * many;
    return (hash ^ hash >> 32) | 1;
}

/* The number of a call, and one more: what last_read and last_write compare with. */
static inline uint64_t tni_backlog_after(const tni_backlog *backlog, int call) {
    return backlog->first + (uint64_t)call + 1;
}

#endif
