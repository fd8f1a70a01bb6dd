/* The streams other than home that use a buffer. */
#ifndef TNI_BUFFER_USERS_H
#define TNI_BUFFER_USERS_H

#include "core/base/lock.h"
#include "core/memory/buffer.h"

typedef struct tni_user {
    uint64_t stream; /* its number; 0: an empty place */
    unsigned uses;   /* a count: it tells whether the buffer was used again meanwhile */
    bool wrote;
} tni_user;

/* The lock that guards `users` of a buffer and what `users` points to. */
tni_lock *tni_users_lock(const tn_buffer *buffer);

/* --- With the lock held --- */

/* Notes that a stream uses the buffer from now on. Takes constant time, over many calls. */
tn_status tni_users_note(tn_buffer *buffer, uint64_t stream, bool writes);

/* Copies the users that `stream` must wait for to `seen`, those that wrote or all; at most `room`.
 * Returns how many there are. Takes constant time where one at most wrote and only writers are
 * asked for. */
int tni_users_list(tni_user *seen, int room, const tn_buffer *buffer, uint64_t stream, bool all);

/* Drops those that did not use the buffer since they were listed. */
void tni_users_drop(tn_buffer *buffer, const tni_user *seen, int count);

/* --- When only the caller knows the buffer --- */

/* Takes one user out, and returns its number; 0: there is none, and the table is gone. */
uint64_t tni_users_take(tn_buffer *buffer);

#endif
