/* Memory hooks: functions of the program that are called around requests of the calling thread. */
#include "core/memory/hooks.h"

#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/threadkeep.h"
#include "core/base/waiting.h"

typedef struct tni_hook {
    const tn_memory_hook *hook;
    struct tni_hook *next;
} tni_hook;

static void drop_hooks(void) {
    while (tni_self.hooks) {
        tni_hook *first = tni_self.hooks;
        tni_self.hooks = first->next;
        tni_free(first);
    }
}

tn_status tn_memory_hook_add(const tn_memory_hook *hook) {
    tni_hook **place = &tni_self.hooks;
    tni_look_all(TNI_LOOK_HOOK);
    for (; *place; place = &(*place)->next)
        if ((*place)->hook == hook) TNI_FAIL(TN_ERROR_VALUE, "the hook is already added");
    if (!tni_thread_keeps(drop_hooks)) TNI_FAIL(TN_ERROR_RUNTIME, "out of thread-specific keys");
    tni_hook *entry = tni_malloc(sizeof *entry);
    if (!entry) return tni_fail_no_memory(sizeof *entry);
    *entry = (tni_hook){hook, NULL};
    *place = entry;
    return TN_OK;
}

void tn_memory_hook_remove(const tn_memory_hook *hook) {
    for (tni_hook **place = &tni_self.hooks, *entry; (entry = *place); place = &entry->next) {
        if (entry->hook != hook) continue;
        *place = entry->next;
        tni_free(entry);
        return;
    }
}

static const struct {
    const char *hook, *text;
    tn_trace_kind kind;
    unsigned flags;
} events[] = {
    [TNI_MEMORY_ALLOC] = {"alloc", "grow", TN_TRACE_GROW, TNI_TRACE_ON | TNI_LOG_POOL},
    [TNI_MEMORY_MALLOC] = {"malloc", "malloc", TN_TRACE_MALLOC, TNI_TRACE_ON},
    [TNI_MEMORY_FREE] = {"free", "free", TN_TRACE_FREE, TNI_TRACE_ON},
};

static void call_hooks(bool is_after, const char *event, tn_device device, int64_t bytes,
                       int64_t rounded_bytes, void *address) {
    for (tni_hook *entry = tni_self.runs_backlog ? NULL : tni_self.hooks, *next; entry;
         entry = next) {
        const tn_memory_hook *hook = entry->hook;
        next = entry->next; /* a hook may remove itself */
        void (*function)(void *, const char *, tn_device, int64_t, int64_t, void *) =
            is_after ? hook->after : hook->before;
        if (function) function(hook->context, event, device, bytes, rounded_bytes, address);
    }
}

int64_t tni_hooks_before(tni_memory_event event, tn_device device, int64_t bytes,
                         int64_t rounded_bytes, void *address) {
    call_hooks(false, events[event].hook, device, bytes, rounded_bytes, address);
    return tni_trace_begin(events[event].flags);
}

void tni_hooks_after(int64_t begun, tni_memory_event event, tn_device device, int64_t bytes,
                     int64_t rounded_bytes, void *address) {
    if (begun && address)
        tni_trace_end(&(tni_traced){.kind = events[event].kind,
                                    .begun = begun,
                                    .text = events[event].text,
                                    .bytes = rounded_bytes,
                                    .number = (uint64_t)(uintptr_t)address,
                                    .device = device});
    call_hooks(true, events[event].hook, device, bytes, rounded_bytes, address);
}

void tni_hooks_trim(tn_device device, int64_t bytes, void *address) {
    int64_t begun = tni_trace_begin(TNI_TRACE_ON | TNI_LOG_POOL);
    if (begun)
        tni_trace_end(&(tni_traced){.kind = TN_TRACE_TRIM,
                                    .begun = begun,
                                    .text = "trim",
                                    .bytes = bytes,
                                    .number = (uint64_t)(uintptr_t)address,
                                    .device = device});
}
