/* Texts by numbers: a table of entries that are added and never dropped.
 *
 * Invariant: an entry of the table is whole before it is seen, and stays where it is; its place is
 * its number. So a reader takes no lock. Place 0 is never used. When the table is nearly full, or
 * memory is out, new texts have the number 0. */
#include "core/trace/names.h"

#include "core/base/alloc.h"
#include "core/trace/trace.h"

#include <string.h>

typedef struct entry {
    uint32_t hash;
    uint32_t bytes;
    char text[];
} entry;

enum { MOST = TNI_TRACE_NAMES / 4 * 3 };

static _Atomic(entry *) entries[TNI_TRACE_NAMES];
static atomic_int count;

/* FNV-1a, eight bytes at a time. */
static uint32_t hash_of(const char *text, size_t bytes) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325), word;
    for (; bytes >= 8; text += 8, bytes -= 8) {
        memcpy(&word, text, 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (; bytes; text++, bytes--)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

static entry *make(const char *text, size_t bytes, uint32_t hash) {
    entry *made = atomic_load(&count) < MOST ? tni_malloc(sizeof *made + bytes + 1) : NULL;
    if (!made) return NULL;
    made->hash = hash;
    made->bytes = (uint32_t)bytes;
    memcpy(made->text, text, bytes);
    made->text[bytes] = 0;
    return made;
}

uint32_t tni_trace_name_of(const char *text, size_t bytes) {
    uint32_t hash = hash_of(text, bytes), at = hash % TNI_TRACE_NAMES;
    entry *made = NULL;
    for (;; at = (at + 1) % TNI_TRACE_NAMES) {
        if (at == 0) continue;
        entry *found = atomic_load_explicit(&entries[at], memory_order_acquire);
        if (!found) {
            if (!made) made = make(text, bytes, hash);
            if (!made) return 0;
            if (atomic_compare_exchange_strong(&entries[at], &found, made)) {
                atomic_fetch_add(&count, 1);
                return at;
            }
        }
        if (found->hash == hash && found->bytes == bytes && !memcmp(found->text, text, bytes)) {
            tni_free(made); /* another thread has added it meanwhile */
            return at;
        }
    }
}

uint32_t tn_trace_name(const char *text) {
    return text ? tni_trace_name_of(text, strlen(text)) : 0;
}

const char *tn_trace_text(uint32_t name) {
    const entry *found =
        atomic_load_explicit(&entries[name % TNI_TRACE_NAMES], memory_order_acquire);
    return found ? found->text : "";
}
