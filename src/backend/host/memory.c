/* Memory of the host: raw blocks, bytes copied and filled, and scratch space of threads.
 *
 * Blocks of a huge page (2 MiB) or more are mapped on such a boundary with the advice to use huge
 * pages: a fresh array then costs one page fault per 2 MiB, not 512. Smaller blocks come from the
 * C heap, aligned to 64 bytes, with the distance to what malloc gave in the byte before them.
 * More than the machine has is refused here, because the system would only find out while the pages
 * are touched, and end the process. */
#include "backend/host/memory.h"

#include "backend/host/device.h"
#include "backend/host/loops.h"
#include "backend/host/stream/stream.h"
#include "backend/host/table.h"
#include "backend/host/threads.h"
#include "core/base/threadkeep.h"
#include "core/stream/capture.h"

#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, PAGE = 4096, SCRATCH_SLOTS = 4 };
static const int64_t huge_page = 2 << 20;

/* --- Raw blocks --- */

static int64_t total_memory(void) {
    static _Atomic(int64_t) known;
    int64_t total = atomic_load_explicit(&known, memory_order_relaxed), free_bytes;
    if (total == 0) {
        tni_host_memory_info(0, &free_bytes, &total);
        atomic_store_explicit(&known, total, memory_order_relaxed);
    }
    return total;
}

static void *map_aligned(int64_t bytes) {
    size_t wanted = (size_t)bytes, spare = (size_t)huge_page;
    char *start =
        mmap(NULL, wanted + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    size_t before = (size_t)(-(uintptr_t)start & (uintptr_t)(huge_page - 1));
    if (before) munmap(start, before);
    if (spare - before) munmap(start + before + wanted, spare - before);
#ifdef MADV_HUGEPAGE
    madvise(start + before, wanted, MADV_HUGEPAGE);
#endif
    return start + before;
}

/* What is mapped for so many bytes: whole huge pages where that adds no more than an eighth. */
static int64_t mapped_bytes(int64_t bytes) {
    int64_t page = bytes >= 8 * huge_page ? huge_page : PAGE;
    return (bytes + page - 1) & -page;
}

tn_status tni_host_memory_allocate(void **address, int64_t bytes, int number) {
    if (bytes > total_memory()) return tni_fail_memory(bytes, 0, 0, 0, "the host");
    if (bytes >= huge_page) {
        void *block = map_aligned(mapped_bytes(bytes));
        if (!block) return tni_fail_memory(bytes, 0, 0, 0, "the host");
        *address = block;
        return TN_OK;
    }
    (void)number;
    unsigned char *given = tni_malloc((size_t)bytes + ALIGNMENT);
    if (!given) return tni_fail_memory(bytes, 0, 0, 0, "the host");
    size_t distance = ALIGNMENT - ((uintptr_t)given & (ALIGNMENT - 1));
    given[distance - 1] = (unsigned char)distance;
    *address = given + distance;
    return TN_OK;
}

void tni_host_memory_free(void *address, int64_t bytes, int number) {
    (void)number;
    if (!address) return;
    if (bytes >= huge_page) {
        munmap(address, (size_t)mapped_bytes(bytes));
        return;
    }
    unsigned char *block = address;
    tni_free(block - block[-1]);
}

tn_status tni_host_pinned_allocate(void **address, int64_t bytes) {
    return tni_host_memory_allocate(address, bytes, 0);
}

void tni_host_pinned_free(void *address, int64_t bytes) {
    tni_host_memory_free(address, bytes, 0);
}

/* --- Bytes --- */

typedef struct transfer {
    char *to;
    const char *from;
    int value;
    int64_t bytes;
} transfer;

static const int64_t bytes_per_range = 32 << 10;

static void copy_range(void *context, int64_t begin, int64_t end) {
    const transfer *all = context;
    if (2 * all->bytes < TNI_STREAM_BYTES) {
        memcpy(all->to + begin, all->from + begin, (size_t)(end - begin));
        return;
    }
    tni_stream_copy(all->to + begin, all->from + begin, (size_t)(end - begin));
    tni_stream_finish();
}

static tn_status copy_bytes(void *params) {
    transfer *all = params;
    bool overlaps = all->to < all->from + all->bytes && all->from < all->to + all->bytes;
    if (overlaps)
        memmove(all->to, all->from, (size_t)all->bytes);
    else
        tni_parallel_short(all->bytes, bytes_per_range, copy_range, all);
    return TN_OK;
}

tn_status tni_host_copy(void *to, const void *from, int64_t bytes, tni_direction direction,
                        tn_stream *stream) {
    transfer all = {to, from, 0, bytes};
    if (direction != TNI_DEVICE_TO_DEVICE) TNI_TRY(tni_capture_check_host(stream));
    return tni_host_submit_sized(stream, copy_bytes, &all, sizeof all, bytes / 8);
}

static void fill_range(void *context, int64_t begin, int64_t end) {
    const transfer *all = context;
    _Alignas(64) char piece[2048];
    const int64_t step = sizeof piece;
    if (all->bytes < TNI_STREAM_BYTES) {
        memset(all->to + begin, all->value, (size_t)(end - begin));
        return;
    }
    memset(piece, all->value, sizeof piece);
    for (int64_t at = begin; at < end; at += step)
        tni_stream_copy(all->to + at, piece, (size_t)(end - at < step ? end - at : step));
    tni_stream_finish();
}

static tn_status fill_bytes(void *params) {
    transfer *all = params;
    tni_parallel_short(all->bytes, bytes_per_range, fill_range, all);
    return TN_OK;
}

tn_status tni_host_fill(void *to, int value, int64_t bytes, tn_stream *stream) {
    transfer all = {to, NULL, value, bytes};
    return tni_host_submit_sized(stream, fill_bytes, &all, sizeof all, bytes / 8);
}

/* --- Scratch --- */

static _Thread_local struct {
    void *given;
    void *aligned;
    size_t bytes;
} scratch[SCRATCH_SLOTS];

static void drop_scratch(void) {
    for (int slot = 0; slot < SCRATCH_SLOTS; slot++)
        tni_free(scratch[slot].given);
    memset(scratch, 0, sizeof scratch);
}

/* Aligned to a page: large arrays begin on pages too, and a load from one would wait for a store into
 * a stage just before that differs from it in the higher bits of the address alone. */
void *tni_scratch(int slot, size_t bytes) {
    if (bytes <= scratch[slot].bytes) return scratch[slot].aligned;
    if (!tni_thread_keeps(drop_scratch)) return NULL;
    bytes = (bytes + PAGE - 1) & ~(size_t)(PAGE - 1); /* grows seldom */
    void *given = tni_malloc(bytes + PAGE);
    if (!given) return NULL;
    tni_free(scratch[slot].given);
    scratch[slot].given = given;
    scratch[slot].aligned = (void *)(((uintptr_t)given + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    scratch[slot].bytes = bytes;
    return scratch[slot].aligned;
}
