/* Raw blocks of the host's memory.
 *
 * Blocks of a huge page (2 MiB) or more are mapped on such a boundary with the advice to use huge
 * pages: a fresh array then costs one page fault per 2 MiB, not 512. Smaller blocks come from the
 * C heap, aligned to 64 bytes, with the distance to what malloc gave in the byte before them.
 * More than the machine has is refused here, because the system would only find out while the pages
 * are touched, and end the process. */
#include "backend/host/table.h"
#include "core/base/alloc.h"

#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, PAGE = 4096 };
static const int64_t huge_page = 2 << 20;

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
