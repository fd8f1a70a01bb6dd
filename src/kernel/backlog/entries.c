/* Entries and slots: how a buffer becomes one that calls wait for, and an ordinary one again.
 *
 * A buffer that is lost keeps its mark, and `waiting` points to the failure (the address with its
 * lowest bit set), which goes with the buffer. */
#include "kernel/backlog/entries.h"

#include "kernel/backlog/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tni_lost {
    tn_status status;
    char text[480];
} tni_lost;

#define WAITED "; failed when it ran, after it had waited: "

/* Where memory is out for a failure. */
static tni_lost no_memory = {TN_ERROR_MEMORY, "an array could not be made: memory is out"};

/* `owner` stays as it is: other threads read it without the lock. */
static void begin(tni_entry *entry, tn_buffer *buffer) {
    entry->buffer = buffer;
    entry->slots = NULL;
    entry->last_read = entry->last_write = 0;
    entry->is_made = entry->has_run = entry->is_dead = false;
    entry->has_memory = true;
    entry->lost = NULL;
}

void tni_entries_init(tni_backlog *backlog) {
    for (int k = 0; k < TNI_WAITING_ENTRIES; k++) {
        backlog->entries[k].owner = backlog;
        begin(&backlog->entries[k], NULL);
    }
    backlog->free_slots = NULL;
    for (int k = TNI_WAITING_SLOTS; k-- > 0;) {
        backlog->slots[k].next = backlog->free_slots;
        backlog->free_slots = &backlog->slots[k];
    }
    backlog->free_entry = backlog->used_entries = 0;
}

/* --- Taking --- */

static tni_entry *find_free(tni_backlog *backlog) {
    for (int k = backlog->free_entry; k < TNI_WAITING_ENTRIES; k++)
        if (!backlog->entries[k].buffer) {
            backlog->free_entry = k;
            if (k >= backlog->used_entries) backlog->used_entries = k + 1;
            return &backlog->entries[k];
        }
    backlog->free_entry = TNI_WAITING_ENTRIES;
    return NULL;
}

static tni_entry *take_entry(tni_backlog *backlog, tn_buffer *buffer) {
    void *known = atomic_load_explicit(&buffer->waiting, memory_order_acquire);
    if (known) {
        tni_entry *entry = tni_is_lost(known) ? NULL : known;
        return entry && entry->owner == backlog && entry->buffer == buffer ? entry : NULL;
    }
    tni_entry *entry = find_free(backlog);
    if (!entry) return NULL;
    void *none = NULL;
    if (!atomic_compare_exchange_strong(&buffer->waiting, &none, entry)) return NULL;
    begin(entry, buffer);
    tni_buffer_retain(buffer);
    atomic_fetch_or(&buffer->home, TNI_BUFFER_AWAITED);
    return entry;
}

static size_t bytes_of(const tn_array *array) {
    return sizeof *array + 2 * sizeof(int64_t) * (size_t)array->ndim;
}

static bool is_same(tni_slot *slot, const tn_array *array) {
    const tn_array *known = tni_slot_array(slot);
    return known->offset == array->offset && known->dtype == array->dtype &&
           known->ndim == array->ndim &&
           !memcmp(known->dims, array->dims, 2 * sizeof(int64_t) * (size_t)array->ndim);
}

tni_slot *tni_slot_take(tni_backlog *backlog, const tn_array *array) {
    tni_entry *entry = take_entry(backlog, array->buffer);
    if (!entry) return NULL;
    for (tni_slot *slot = entry->slots; slot; slot = slot->next)
        if (is_same(slot, array)) return slot;
    tni_slot *slot = backlog->free_slots;
    if (!slot) return NULL;
    backlog->free_slots = slot->next;
    slot->entry = entry;
    slot->next = entry->slots;
    slot->segment = 0;
    entry->slots = slot;
    tn_array *copy = tni_slot_array(slot);
    memcpy((void *)copy, (const void *)array, bytes_of(array));
    atomic_init(&copy->references, 1);
    copy->flags |= TNI_WRITEABLE;
    return slot;
}

/* --- Releasing --- */

void tni_entry_release(tni_entry *entry) {
    tni_backlog *backlog = entry->owner;
    tn_buffer *buffer = entry->buffer;
    tni_lost *lost = entry->lost;
    while (entry->slots) {
        tni_slot *slot = entry->slots;
        entry->slots = slot->next;
        slot->next = backlog->free_slots;
        backlog->free_slots = slot;
    }
    if (entry->is_dead && entry->has_memory) backlog->kept_bytes -= buffer->bytes;
    if (lost) {
        atomic_store_explicit(&buffer->waiting, (void *)((uintptr_t)lost | 1),
                              memory_order_release);
    } else {
        atomic_fetch_and(&buffer->home, ~TNI_BUFFER_AWAITED);
        atomic_store_explicit(&buffer->waiting, NULL, memory_order_release);
    }
    entry->buffer = NULL;
    entry->lost = NULL;
    if ((int)(entry - backlog->entries) < backlog->free_entry)
        backlog->free_entry = (int)(entry - backlog->entries);
    tn_buffer_release(buffer);
}

static bool is_done(const tni_entry *entry, uint64_t first) {
    return entry->last_read <= first && entry->last_write <= first;
}

void tni_entries_release_done(tni_backlog *backlog, uint64_t first) {
    for (int k = 0; k < backlog->used_entries; k++)
        if (backlog->entries[k].buffer && is_done(&backlog->entries[k], first))
            tni_entry_release(&backlog->entries[k]);
}

/* --- Memory --- */

bool tni_entry_is_dead(const tni_entry *entry) {
    return atomic_load_explicit(&entry->buffer->references, memory_order_acquire) == 1;
}

void tni_entry_note_death(tni_entry *entry) {
    entry->is_dead = true;
    if (entry->is_made) {
        tni_buffer_drop_memory(entry->buffer);
        entry->has_memory = entry->buffer->data != NULL;
    }
    if (entry->has_memory) entry->owner->kept_bytes += entry->buffer->bytes;
}

tn_status tni_entry_need_memory(tni_entry *entry) {
    if (entry->has_memory) return TN_OK;
    TNI_TRY(tni_buffer_take_memory(entry->buffer, entry->owner->stream));
    entry->has_memory = true;
    if (entry->is_dead) entry->owner->kept_bytes += entry->buffer->bytes;
    return TN_OK;
}

/* --- Failures --- */

bool tni_is_lost(const void *waiting) {
    return (uintptr_t)waiting & 1;
}

tn_status tni_entry_repeat(const tni_entry *entry) {
    return entry->lost ? tni_fail(entry->lost->status, "%s", entry->lost->text) : TN_OK;
}

void tni_entry_lose(tni_entry *entry, tn_status status, const tn_array *array, const char *what) {
    char shape[TNI_SHAPE_TEXT];
    if (entry->lost) return;
    tni_backlog_add(&tni_backlog_counted.lost, 1);
    tni_lost *lost = malloc(sizeof *lost); /* not from tni_malloc(), which tests let fail */
    if (lost) {
        lost->status = status;
        if (strstr(tn_error_message(), WAITED))
            snprintf(lost->text, sizeof lost->text, "%s", tn_error_message());
        else
            snprintf(lost->text, sizeof lost->text, "%s%s%s that made an array of shape %s and %s",
                     tn_error_message(), WAITED, what,
                     tni_shape_text(shape, array->ndim, tni_shape(array)),
                     tn_dtype_name((tn_dtype)array->dtype));
    }
    entry->lost = lost ? lost : &no_memory;
}

static tni_lost *lost_of(tn_buffer *buffer) {
    void *known = atomic_load_explicit(&buffer->waiting, memory_order_acquire);
    return tni_is_lost(known) ? (tni_lost *)((uintptr_t)known & ~(uintptr_t)1) : NULL;
}

tn_status tni_lost_repeat(tn_buffer *buffer) {
    const tni_lost *lost = lost_of(buffer);
    return lost ? tni_fail(lost->status, "%s", lost->text) : TN_OK;
}

void tni_lost_forget(tn_buffer *buffer) {
    tni_lost *lost = lost_of(buffer);
    if (lost && lost != &no_memory) free(lost);
    atomic_store_explicit(&buffer->waiting, NULL, memory_order_relaxed);
}
