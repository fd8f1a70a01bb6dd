/* The buffers and arrays that the calls of a backlog name. All with its lock held. */
#ifndef TNI_KERNEL_BACKLOG_ENTRIES_H
#define TNI_KERNEL_BACKLOG_ENTRIES_H

#include "kernel/backlog/backlog.h"

/* Makes all entries and slots free. */
void tni_entries_init(tni_backlog *backlog);

/* The slot of an array, made if it is missing; NULL: there is no room, or the buffer is another
 * backlog's by now. What was made stays until tni_entries_drop_unused(). */
tni_slot *tni_slot_take(tni_backlog *backlog, const tn_array *array);

/* Frees an entry that no waiting call names any more: the buffer is as any other, or lost. */
void tni_entry_release(tni_entry *entry);
/* The same for all entries that no call from number `first` on names. */
void tni_entries_release_done(tni_backlog *backlog, uint64_t first);

/* The last reference outside went. */
void tni_entry_note_death(tni_entry *entry);
/* Whether nothing outside of the backlog can reach the buffer. */
bool tni_entry_is_dead(const tni_entry *entry);
/* Memory for elements that will be written after all. */
tn_status tni_entry_need_memory(tni_entry *entry);

/* The array that a call should have made is lost, with the thread's last message; `what` names the
 * call. Where the message is that of another lost array it is kept. And that failure again; TN_OK:
 * there is none. */
void tni_entry_lose(tni_entry *entry, tn_status status, const tn_array *array, const char *what);
tn_status tni_entry_repeat(const tni_entry *entry);
/* The failure of a buffer that is lost, again; TN_OK: it is not. */
tn_status tni_lost_repeat(tn_buffer *buffer);
/* tni_waiting_table.forget */
void tni_lost_forget(tn_buffer *buffer);
/* Whether `waiting` of a buffer is a failure, not an entry. */
bool tni_is_lost(const void *waiting);

#endif
