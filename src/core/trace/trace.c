/* Events on their way: they are made whole here, and handed to all readers. */
#include "core/trace/trace.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/threadkeep.h"
#include "core/base/waiting.h"
#include "core/trace/log.h"
#include "core/trace/names.h"
#include "core/trace/record.h"

#include <stddef.h>
#include <string.h>

static _Atomic(uint32_t (*)(void)) find_place;
static _Thread_local int depth; /* calls of this thread that are under way */
/* The depth of a call that begins or ends a range: it is not noted, as neither would lie within the
 * other, which timelines ask for. */
static _Thread_local int depth_of_range;

int64_t tni_trace_begin_slow(unsigned flags) {
    if (tni_trace_look() & TNI_LOG_UNREAD) tni_log_read();
    return tni_trace_look() & flags ? tni_now_ns() : 0;
}

uint32_t tni_trace_place(void) {
    uint32_t (*function)(void) = atomic_load_explicit(&find_place, memory_order_acquire);
    return function ? function() : 0;
}

static void record(const tni_traced *event, int64_t ended) {
    uint32_t name = event->name ? event->name : tn_trace_name(event->text);
    uint32_t place = event->place || event->is_of_stream ? event->place : tni_trace_place();
    int32_t thread = tni_trace_thread_id();
    uint64_t number;
    tni_event *room = tni_record_room(&number);
    if (!room) return;
    room->begin_ns = event->begun;
    room->end_ns = ended;
    room->bytes = event->bytes;
    room->number = event->number;
    room->name = name;
    room->place = place;
    room->thread = thread;
    room->device = event->device;
    room->kind = (uint8_t)event->kind;
    room->depth = (uint8_t)((depth < TNI_EVENT_DEPTH ? depth : TNI_EVENT_DEPTH) |
                            (event->is_of_stream ? TNI_EVENT_OF_STREAM : 0));
    room->direction = event->direction;
    room->shape_bytes = event->shape_bytes;
    memcpy(room->shapes, event->shapes, event->shape_bytes);
    tni_record_ready(room, number);
}

void tni_trace_end(const tni_traced *event) {
    int64_t ended = event->ended ? event->ended : tni_now_ns();
    const unsigned flags = tni_trace_look();
    if (flags & TNI_TRACE_ON) record(event, ended);
    if (flags & ~(unsigned)TNI_TRACE_ON)
        tni_log_event(event, ended - event->begun, tni_trace_place);
}

/* --- Shapes: a byte each for dtype and number of axes, then the extents, 7 bits a byte --- */

void tni_trace_shape(tni_traced *event, tn_dtype dtype, int ndim, const int64_t *shape) {
    unsigned at = event->shape_bytes;
    if (at + 2 > sizeof event->shapes) return;
    event->shapes[at++] = (char)dtype;
    event->shapes[at++] = (char)ndim;
    for (int axis = 0; axis < ndim; axis++) {
        uint64_t extent = (uint64_t)shape[axis];
        do {
            if (at == sizeof event->shapes) return; /* no room: the operand is left out */
            event->shapes[at++] = (char)((extent & 127) | (extent > 127 ? 128 : 0));
            extent >>= 7;
        } while (extent);
    }
    event->shape_bytes = (uint8_t)at;
}

/* --- Calls --- */

int64_t tn_trace_begin(void) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (begun) depth++;
    return begun;
}

void tni_trace_end_call(tni_traced *event) {
    bool is_of_range = depth_of_range == depth;
    if (depth_of_range >= depth) depth_of_range = 0;
    depth--;
    event->kind = TN_TRACE_CALL;
    if (event->text && !is_of_range) tni_trace_end(event);
}

int64_t tn_trace_elapsed(int64_t begun) {
    return tni_now_ns() - begun;
}

void tn_trace_set_place(uint32_t (*place)(void)) {
    atomic_store(&find_place, place);
}

/* --- Ranges of the program --- */

enum { RANGES = 64 };
typedef struct range {
    int64_t begun;
    uint32_t name, place;
} range;
static _Thread_local range *ranges;   /* room for RANGES; NULL: none was open yet */
static _Thread_local int range_count; /* may be more than there is room for */

static void drop_ranges(void) {
    tni_free(ranges);
    ranges = NULL;
}

static bool has_ranges(void) {
    if (!ranges && tni_thread_keeps(drop_ranges)) ranges = tni_calloc(RANGES, sizeof *ranges);
    return ranges != NULL;
}

void tn_trace_push(const char *name) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (range_count < RANGES && (begun ? has_ranges() : ranges != NULL))
        ranges[range_count] =
            begun ? (range){begun, tn_trace_name(name), tni_trace_place()} : (range){0, 0, 0};
    range_count++;
    depth_of_range = depth;
}

static void end_range(range *open) {
    if (open->begun && tni_trace_begin(TNI_TRACE_ON))
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_RANGE,
                                    .begun = open->begun,
                                    .name = open->name,
                                    .place = open->place});
    open->begun = 0;
}

void tn_trace_pop(void) {
    depth_of_range = depth;
    if (range_count > 0 && --range_count < RANGES && ranges) end_range(&ranges[range_count]);
}

void tn_trace_mark(const char *name) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON);
    if (begun)
        tni_trace_end(
            &(tni_traced){.kind = TN_TRACE_MARK, .begun = begun, .ended = begun, .text = name});
}

/* --- From start to end --- */

tn_status tn_trace_start(int64_t most_events, bool is_ring) {
    tni_look_all(TNI_LOOK_RANGE);
    TNI_TRY(tni_record_start(most_events, is_ring));
    void (*gather)(bool) = atomic_load(&tni_trace_gather);
    if (gather) gather(true);
    __atomic_or_fetch(&tni_trace_flags, TNI_TRACE_ON, __ATOMIC_SEQ_CST);
    return TN_OK;
}

tn_status tn_trace_stop(void) {
    tni_look_all(TNI_LOOK_RANGE);
    void (*gather)(bool) = atomic_load(&tni_trace_gather);
    if (gather && tni_is_traced()) gather(false);
    for (int at = range_count < RANGES ? range_count : RANGES; ranges && at-- > 0;)
        end_range(&ranges[at]);
    return tni_record_stop();
}
