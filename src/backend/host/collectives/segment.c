/* The memory that the ranks of a group share: a file without a name.
 *
 * Decides: nothing is left after the last process has ended, however it ended, for no file system
 * knows the memory. The process that made the key holds it open until all ranks have come, and the
 * others open it through that process (/proc/<process>/fd). So a key is of use as long as that
 * process lives. Of keys that no rank has used it holds the last 64.
 *
 * The memory, in this order: the struct tni_shared with a member for each rank; the slots of each
 * rank, and of the results; a channel for each pair of ranks. The first rank that comes sets the
 * size. Pages that no call touches cost nothing. */
#include "backend/host/collectives/segment.h"

#include "backend/host/collectives/peers.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "core/base/facts.h"
#include "core/base/forklock.h"
#include "core/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char magic[8] = "TNHOST1";

/* What a key's bytes are. */
typedef struct key {
    char magic[8];
    uint64_t identity[2];
    int process, file;
    int64_t started;
} key;

/* The keys that this process made and still holds. */
typedef struct held {
    struct held *next;
    key key;
    tni_shared *shared; /* its first page */
} held;
static held *keys;
static tni_fork_lock keys_lock = TNI_FORK_LOCK;

static tn_status fail_system(const char *what) {
    return tni_fail_collective(TNI_NCCL_SYSTEM, "%s: %s", what, strerror(errno));
}

/* --- Keys --- */

static void drop(held *gone) {
    munmap(gone->shared, sizeof *gone->shared);
    close(gone->key.file);
    tni_free(gone);
}

void tni_segment_settle(void) {
    tni_fork_lock_take(&keys_lock);
    for (held **at = &keys; *at;) {
        held *each = *at;
        int count = atomic_load(&each->shared->count);
        bool is_child = each->key.process != (int)getpid();
        if (is_child || (count > 0 && atomic_load(&each->shared->joined) == count)) {
            *at = each->next;
            drop(each);
        } else {
            at = &each->next;
        }
    }
    tni_fork_lock_give(&keys_lock);
}

void tni_segment_forget(const tn_communicator_key *of) {
    key wanted;
    memcpy(&wanted, of->bytes, sizeof wanted);
    tni_fork_lock_take(&keys_lock);
    for (held **at = &keys; *at; at = &(*at)->next) {
        held *each = *at;
        if (memcmp(&each->key, &wanted, sizeof wanted) != 0) continue;
        *at = each->next;
        drop(each);
        break;
    }
    tni_fork_lock_give(&keys_lock);
}

/* Lets go of the oldest key that no rank has used, where there are many. Called with the lock. */
static void drop_excess(void) {
    enum { MOST = 64 };
    held **oldest = NULL;
    int unused = 0;
    for (held **at = &keys; *at; at = &(*at)->next) {
        if (atomic_load(&(*at)->shared->sizer) != 0) continue;
        oldest = at;
        unused++;
    }
    if (unused <= MOST) return;
    held *gone = *oldest;
    *oldest = gone->next;
    drop(gone);
}

tn_status tni_segment_key(tn_communicator_key *result) {
    key made = {.process = (int)getpid(), .started = tni_process_started((int)getpid())};
    tni_segment_settle();
    memcpy(made.magic, magic, sizeof magic);
    if (getrandom(made.identity, sizeof made.identity, 0) != sizeof made.identity)
        return fail_system("getrandom");
    made.file = memfd_create("tenorite-collectives", MFD_CLOEXEC);
    if (made.file < 0) return fail_system("memfd_create");
    void *at = MAP_FAILED;
    if (ftruncate(made.file, sizeof(tni_shared)) == 0)
        at = mmap(NULL, sizeof(tni_shared), PROT_READ | PROT_WRITE, MAP_SHARED, made.file, 0);
    held *holder = at == MAP_FAILED ? NULL : tni_malloc(sizeof *holder);
    if (!holder) {
        tn_status status =
            at == MAP_FAILED ? fail_system("shared memory") : tni_fail_no_memory(sizeof *holder);
        if (at != MAP_FAILED) munmap(at, sizeof(tni_shared));
        close(made.file);
        return status;
    }
    tni_shared *shared = at;
    memcpy(shared->magic, magic, sizeof magic);
    memcpy(shared->identity, made.identity, sizeof made.identity);
    shared->maker = made.process;
    shared->maker_started = made.started;
    *holder = (held){.key = made, .shared = shared};
    tni_fork_lock_take(&keys_lock);
    holder->next = keys;
    keys = holder;
    drop_excess();
    tni_fork_lock_give(&keys_lock);
    memset(result, 0, sizeof *result);
    memcpy(result->bytes, &made, sizeof made);
    return TN_OK;
}

/* --- Places --- */

static size_t page_up(size_t bytes) {
    return (bytes + 4095) & ~(size_t)4095;
}

static size_t head_bytes(int count) {
    return page_up(sizeof(tni_shared) + (size_t)count * sizeof(tni_member));
}

static int64_t ring_bytes(int count) {
    return count <= 16 ? 128 << 10 : count <= 64 ? 32 << 10 : 3 << 10;
}

static size_t channel_bytes(int64_t ring) {
    return sizeof(tni_channel) + (size_t)ring;
}

static size_t slots_bytes(int count) {
    return ((size_t)count + 1) * TNI_SLOTS * TNI_CHUNK;
}

static size_t whole_bytes(int count) {
    return page_up(head_bytes(count) + slots_bytes(count) +
                   (size_t)count * (size_t)count * channel_bytes(ring_bytes(count)));
}

char *tni_segment_slot(const tni_segment *segment, int rank, uint64_t piece) {
    return (char *)segment->shared + head_bytes(segment->count) +
           ((size_t)rank * TNI_SLOTS + piece % TNI_SLOTS) * TNI_CHUNK;
}

char *tni_segment_result(const tni_segment *segment, uint64_t piece) {
    return tni_segment_slot(segment, segment->count, piece);
}

tni_channel *tni_segment_channel(const tni_segment *segment, int from, int to) {
    size_t place = (size_t)from * (size_t)segment->count + (size_t)to;
    return (tni_channel *)(void *)((char *)segment->shared + head_bytes(segment->count) +
                                   slots_bytes(segment->count) +
                                   place * channel_bytes(segment->ring));
}

/* --- Opening --- */

static tn_status open_file(int *file, const key *of) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", of->process, of->file);
    *file = open(path, O_RDWR | O_CLOEXEC);
    if (*file >= 0) return TN_OK;
    return tni_fail_collective(TNI_NCCL_USAGE, "the unique id is of process %d, %s", of->process,
                               tni_process_lives(of->process, of->started)
                                   ? "and of a group whose ranks have all come, or of another user"
                                   : "which has ended; it must live until all ranks have come");
}

/* The first rank sets the size; the others wait for that. */
static tn_status agree(tni_shared *shared, int file, int count) {
    int64_t none = 0;
    if (atomic_compare_exchange_strong(&shared->sizer, &none, (int64_t)getpid())) {
        if (ftruncate(file, (off_t)whole_bytes(count)) != 0) {
            atomic_store(&shared->sizer, 0);
            return fail_system("shared memory");
        }
        atomic_store(&shared->count, count);
        return TN_OK;
    }
    int sizer = (int)none, known;
    while ((known = atomic_load(&shared->count)) == 0) {
        if (tni_process_started(sizer) < 0 || atomic_load(&shared->sizer) == 0)
            return tni_fail_collective(TNI_NCCL_REMOTE, "the first rank (process %d) has died",
                                       sizer);
        usleep(200);
    }
    if (known == count) return TN_OK;
    return tni_fail_collective(TNI_NCCL_ARGUMENT,
                               "a group of %d ranks by this one, of %d by others", count, known);
}

static tn_status map_first(tni_shared **result, int file, const key *of) {
    struct stat facts;
    if (tni_facts_of_file(file, &facts) != 0 || facts.st_size < (off_t)sizeof(tni_shared))
        return tni_fail_collective(TNI_NCCL_USAGE, "the unique id is used up");
    tni_shared *at = mmap(NULL, sizeof(tni_shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) return fail_system("shared memory");
    if (memcmp(at->magic, magic, sizeof magic) != 0 ||
        memcmp(at->identity, of->identity, sizeof of->identity) != 0) {
        munmap(at, sizeof(tni_shared));
        return tni_fail_collective(TNI_NCCL_USAGE, "the unique id is used up");
    }
    *result = at;
    return TN_OK;
}

static tn_status map_whole(tni_segment *segment, int file, const key *of, int count) {
    tni_shared *first = NULL;
    TNI_TRY(map_first(&first, file, of));
    tn_status status = agree(first, file, count);
    munmap(first, sizeof *first);
    TNI_TRY(status);
    size_t bytes = whole_bytes(count);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (at == MAP_FAILED) return fail_system("shared memory");
    madvise(at, bytes, MADV_DONTFORK); /* a child is no rank */
    *segment = (tni_segment){at, bytes, count, ring_bytes(count)};
    return TN_OK;
}

tn_status tni_segment_open(tni_segment *segment, const tn_communicator_key *key_bytes, int count) {
    key of;
    int file = -1;
    memcpy(&of, key_bytes->bytes, sizeof of);
    if (memcmp(of.magic, magic, sizeof magic) != 0)
        return tni_fail_collective(TNI_NCCL_ARGUMENT,
                                   "the unique id was not made by get_unique_id() on the host");
    if (count > TNI_RANKS_MAX)
        return tni_fail_collective(TNI_NCCL_ARGUMENT, "%d ranks; the host has %d at most", count,
                                   TNI_RANKS_MAX);
    TNI_TRY(open_file(&file, &of));
    tn_status status = map_whole(segment, file, &of, count);
    close(file);
    return status;
}

void tni_segment_close(tni_segment *segment) {
    munmap(segment->shared, segment->bytes);
    segment->shared = NULL;
}

/* --- The bell: a futex among processes --- */

void tni_segment_ring(const tni_segment *segment) {
    tni_shared *shared = segment->shared;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&shared->sleepers, memory_order_relaxed) == 0) return;
    atomic_fetch_add(&shared->bell, 1);
    syscall(SYS_futex, &shared->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void tni_segment_sleep(const tni_segment *segment, int bell, int64_t timeout_ns) {
    struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, &segment->shared->bell, FUTEX_WAIT, bell, &limit, NULL, 0);
}

/* --- Failures --- */

void tni_segment_break(const tni_segment *segment, const char *text) {
    tni_shared *shared = segment->shared;
    int well = 0;
    if (atomic_compare_exchange_strong(&shared->failing, &well, 1)) {
        snprintf(shared->failure, sizeof shared->failure, "%s", text);
        atomic_store(&shared->failing, 2);
    }
    atomic_fetch_add(&shared->bell, 1);
    syscall(SYS_futex, &shared->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

const char *tni_segment_failure(const tni_segment *segment) {
    int failing = atomic_load_explicit(&segment->shared->failing, memory_order_acquire);
    if (failing == 0) return NULL;
    return failing == 2 ? segment->shared->failure : "another rank has failed";
}
