/* The entries of the host's communicators, and groups: calls that a thread gathers until the
 * outermost end.
 *
 * A rank that joins within a group has only entered its memory until then, and a split has only
 * queued the exchange of colors. */
#include "backend/host/collectives/table.h"
#include "backend/host/collectives/task.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What each rank gives to a split. */
typedef struct offer {
    int64_t color, order;
    tn_communicator_key key;
} offer;

/* What is left to do at the end of a group. */
typedef struct later {
    tni_rank *joins; /* a rank that has entered, or of a split one that has not */
    offer *offers;   /* of all ranks; NULL: no split */
    int from_count, from_rank;
} later;

/* The open group of a thread, which lasts from the outermost begin to its end. */
typedef struct gathered {
    int depth, count, capacity, later_count, later_capacity;
    tni_step *steps;
    tn_stream **streams;
    later *later;
} gathered;
static _Thread_local gathered *own; /* NULL: no group is open */

enum { VERSION = 22703 }; /* NCCL's, whose calls these are */

tn_status tni_host_collective_version(int *version) {
    *version = VERSION;
    return TN_OK;
}

tn_status tni_host_collective_key_make(tn_communicator_key *key) {
    return tni_segment_key(key);
}

/* --- Growing --- */

static tn_status add_step(const tni_step *step, tn_stream *stream) {
    if (own->count == own->capacity) {
        int capacity = own->capacity ? 2 * own->capacity : 8;
        tni_step *steps = tni_realloc(own->steps, (size_t)capacity * sizeof *steps);
        if (steps) own->steps = steps;
        tn_stream **streams = tni_realloc(own->streams, (size_t)capacity * sizeof *streams);
        if (streams) own->streams = streams;
        if (!steps || !streams) return tni_fail_no_memory((int64_t)capacity * 64);
        own->capacity = capacity;
    }
    own->steps[own->count] = *step;
    own->streams[own->count++] = tn_stream_retain(stream);
    return TN_OK;
}

static tn_status add_later(const later *what) {
    if (own->later_count == own->later_capacity) {
        int capacity = own->later_capacity ? 2 * own->later_capacity : 8;
        later *larger = tni_realloc(own->later, (size_t)capacity * sizeof *larger);
        if (!larger) return tni_fail_no_memory((int64_t)capacity * 64);
        own->later = larger;
        own->later_capacity = capacity;
    }
    own->later[own->later_count++] = *what;
    return TN_OK;
}

/* --- The end of a group --- */

/* Whether `a` comes before `b` among those of one color. */
static bool is_before(const offer *offers, int a, int b) {
    return offers[a].order != offers[b].order ? offers[a].order < offers[b].order : a < b;
}

/* All offers are there: the rank enters the group of its color, whose key is its first rank's. */
static tn_status enter_split(const later *split) {
    const offer *offers = split->offers;
    int64_t color = offers[split->from_rank].color;
    int count = 0, rank = 0, leader = split->from_rank;
    for (int k = 0; k < split->from_count; k++) {
        if (offers[k].color != color) continue;
        count++;
        if (is_before(offers, k, split->from_rank)) rank++;
        if (is_before(offers, k, leader)) leader = k;
    }
    if (leader != split->from_rank) tni_segment_forget(&offers[split->from_rank].key);
    if (color < 0) tni_segment_forget(&offers[split->from_rank].key);
    if (!split->joins) return TN_OK;
    split->joins->count = count;
    split->joins->rank = rank;
    return tni_rank_enter(split->joins, &offers[leader].key);
}

static tn_status run_later(const later *all, int count) {
    tn_status status = TN_OK;
    for (int k = 0; k < count && status == TN_OK; k++)
        if (all[k].offers) status = enter_split(&all[k]);
    for (int k = 0; k < count && status == TN_OK; k++)
        if (all[k].joins) status = tni_rank_wait_for_all(all[k].joins);
    return status;
}

/* Closes the group of the thread, whatever happens. */
static tn_status end_group(void) {
    gathered group = *own;
    tni_free(own);
    own = NULL; /* a wait may run functions that use groups of their own */
    tn_status status = TN_OK;
    /* Ranks that have entered come together first: calls may be theirs. */
    for (int k = 0; k < group.later_count && status == TN_OK; k++)
        if (group.later[k].joins && !group.later[k].offers)
            status = tni_rank_wait_for_all(group.later[k].joins);
    if (status == TN_OK && group.count > 0)
        status = tni_task_launch(group.steps, group.streams, group.count);
    for (int k = 0; k < group.later_count && status == TN_OK; k++)
        if (!group.later[k].offers) group.later[k].joins = NULL;
    if (status == TN_OK) status = run_later(group.later, group.later_count);
    for (int k = 0; k < group.count; k++)
        tn_stream_release(group.streams[k]);
    for (int k = 0; k < group.later_count; k++)
        tni_free(group.later[k].offers);
    tni_free(group.steps);
    tni_free(group.streams);
    tni_free(group.later);
    return status;
}

tn_status tni_host_collective_group_begin(void) {
    if (!own) own = tni_calloc(1, sizeof *own);
    if (!own) return tni_fail_no_memory(sizeof *own);
    own->depth++;
    return TN_OK;
}

tn_status tni_host_collective_group_end(void) {
    if (!own) return tni_fail_collective(TNI_NCCL_USAGE, "groupEnd() without a groupStart()");
    return --own->depth > 0 ? TN_OK : end_group();
}

/* --- Joining --- */

static tn_status begin_joining(tni_rank **result, int count, const tn_communicator_key *key,
                               int rank, int number) {
    TNI_TRY(tni_rank_new(result, count, rank, number));
    tn_status status = tni_rank_enter(*result, key);
    if (status == TN_OK) status = add_later(&(later){.joins = *result});
    if (status != TN_OK) tni_rank_end(*result);
    return status;
}

tn_status tni_host_collective_join(void **communicator, int count, const tn_communicator_key *key,
                                   int rank, const tn_communicator_config *config, int number) {
    tni_rank *made = NULL;
    (void)config;
    if (!own) {
        TNI_TRY(tni_rank_new(&made, count, rank, number));
        tn_status status = tni_rank_enter(made, key);
        if (status == TN_OK) status = tni_rank_wait_for_all(made);
        if (status != TN_OK) {
            tni_rank_end(made);
            return status;
        }
    } else {
        TNI_TRY(begin_joining(&made, count, key, rank, number));
    }
    *communicator = made;
    return TN_OK;
}

tn_status tni_host_collective_join_all(void **communicators, int count, const int *numbers) {
    tn_communicator_key key;
    tn_status status = TN_OK;
    int made = 0;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < k; j++)
            if (numbers[j] == numbers[k])
                return tni_fail_collective(TNI_NCCL_USAGE, "device %d is named twice", numbers[k]);
    TNI_TRY(tni_segment_key(&key));
    for (; made < count && status == TN_OK; made += status == TN_OK) {
        tni_rank *rank = NULL;
        status = tni_rank_new(&rank, count, made, numbers[made]);
        if (status != TN_OK) break;
        communicators[made] = rank;
        status = tni_rank_enter(rank, &key);
        if (status != TN_OK) tni_rank_end(rank);
    }
    for (int k = 0; k < made && status == TN_OK; k++)
        status = tni_rank_wait_for_all(communicators[k]);
    tni_segment_forget(&key);
    for (int k = 0; k < made && status != TN_OK; k++)
        tni_rank_end(communicators[k]);
    return status;
}

/* --- Splitting --- */

/* The exchange of colors is an all_gather, of which each rank's part lies in its place already. */
static tn_status queue_offers(const later *split, tni_rank *from) {
    tni_step step = {.communicator = from->number,
                     .call = {.kind = TN_ALL_GATHER,
                              .send = &split->offers[from->rank],
                              .receive = split->offers,
                              .count = sizeof(offer),
                              .dtype = TN_U8}};
    tn_device device = {TN_BACKEND_HOST, (int16_t)from->device};
    tn_status status = add_later(split);
    if (status == TN_OK) return add_step(&step, tn_stream_default(device));
    tni_free(split->offers); /* else the end of the group frees them */
    return status;
}

tn_status tni_host_collective_split(void **made, void *communicator, int color, int order,
                                    const tn_communicator_config *config, int number) {
    tni_rank *from = communicator;
    later split = {.from_count = from->count, .from_rank = from->rank};
    tn_communicator_key key;
    (void)config;
    TNI_TRY(tni_rank_check(from));
    TNI_TRY(tni_segment_key(&key));
    split.offers = tni_calloc((size_t)from->count, sizeof *split.offers);
    tn_status status = split.offers ? TN_OK : tni_fail_no_memory(sizeof(offer));
    if (status == TN_OK && color >= 0) status = tni_rank_new(&split.joins, 1, 0, number);
    if (status != TN_OK) {
        tni_free(split.offers);
        tni_segment_forget(&key);
        return status;
    }
    split.offers[from->rank] = (offer){color, order, key};
    status = tni_host_collective_group_begin();
    if (status == TN_OK) {
        status = queue_offers(&split, from);
        tn_status ended = tni_host_collective_group_end();
        if (status == TN_OK) status = ended;
    }
    if (status == TN_OK)
        *made = split.joins;
    else if (split.joins)
        tni_rank_end(split.joins);
    return status;
}

/* --- The rest --- */

tn_status tni_host_collective_facts(int *count, int *rank, void *communicator) {
    const tni_rank *of = communicator;
    *count = of->count;
    *rank = of->rank;
    return TN_OK;
}

tn_status tni_host_collective_check(void *communicator, int number) {
    const tni_rank *of = communicator;
    char text[TNI_FAILURE_TEXT];
    (void)number;
    TNI_TRY(tni_rank_check(of));
    for (int other = 0; other < of->count; other++)
        if (!tni_rank_may_come(of, other, text))
            return tni_fail_collective(TNI_NCCL_REMOTE, "%s", text);
    return TN_OK;
}

tn_status tni_host_collective_leave(void *communicator, bool aborts, int number) {
    tni_rank *gone = communicator;
    bool is_own = gone->process == (int)getpid();
    (void)number;
    if (is_own && gone->segment.shared && aborts) {
        char text[96];
        snprintf(text, sizeof text, "rank %d (process %d) has aborted", gone->rank, gone->process);
        tni_segment_break(&gone->segment, text);
    }
    if (is_own && gone->segment.shared && !aborts) tni_task_drain(gone);
    tni_rank_end(gone);
    return TN_OK;
}

tn_status tni_host_collective_start(void *communicator, const tn_collective *call,
                                    tn_stream *stream) {
    tni_rank *of = communicator;
    tni_step step = {.call = *call, .communicator = of->number};
    if (own) return add_step(&step, stream);
    TNI_TRY(tni_rank_check(of));
    return tni_task_launch(&step, &stream, 1);
}
