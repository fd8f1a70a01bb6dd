/* What the double shares between processes: memory of devices, and how far events are.
 *
 * A handle names a file in memory by the process that has it open. A block of device memory becomes
 * such a file when it is first exported: its pages are copied there and mapped in place. So only
 * the exporter pays. In the process that exported it, a handle gives the block itself. */
#define _GNU_SOURCE
#include "fake.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct shared {
    int process, file;
    size_t bytes, offset;
} shared;

_Static_assert(sizeof(shared) <= sizeof(CUipcMemHandle), "a handle has 64 bytes");

static int open_file(const shared *facts) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", facts->process, facts->file);
    return facts->bytes ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

static void *map(int file, size_t bytes, void *where) {
    void *mapped =
        mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (where ? MAP_FIXED : 0), file, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static int new_file(const char *name, size_t bytes) {
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* --- Memory --- */

enum { EXPORTS = 64 };
static struct {
    char *pages;
    int file;
} exports[EXPORTS];

void fake_forget_export(const char *pages) {
    pthread_mutex_lock(&fake_lock);
    for (int k = 0; k < EXPORTS; k++)
        if (exports[k].pages == pages) {
            close(exports[k].file);
            exports[k].pages = NULL;
        }
    pthread_mutex_unlock(&fake_lock);
}

/* The file after pages, made if there is none. */
static int export_pages(char *pages, size_t bytes) {
    int file = -1, empty = -1;
    pthread_mutex_lock(&fake_lock);
    for (int k = 0; k < EXPORTS; k++) {
        if (exports[k].pages == pages) file = exports[k].file;
        if (!exports[k].pages) empty = k;
    }
    if (file < 0 && empty >= 0 && (file = new_file("fake_cuda", bytes)) >= 0) {
        if (pwrite(file, pages, bytes, 0) != (ssize_t)bytes || !map(file, bytes, pages)) abort();
        exports[empty].pages = pages;
        exports[empty].file = file;
    }
    pthread_mutex_unlock(&fake_lock);
    return file;
}

CUresult fake_cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
    char *pages;
    size_t bytes;
    CUdeviceptr start;
    if (!fake_get_pages(address, &pages, &bytes, &start)) return CUDA_ERROR_INVALID_VALUE;
    shared facts = {getpid(), export_pages(pages, bytes), bytes,
                    (size_t)(start - (CUdeviceptr)(uintptr_t)pages)};
    if (facts.file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &facts, sizeof facts);
    return CUDA_SUCCESS;
}

/* The length of the block itself is not known: up to the guard is what there can be. */
CUresult fake_cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    shared facts;
    memcpy(&facts, &handle, sizeof facts);
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || !fake_current())
        return CUDA_ERROR_INVALID_VALUE;
    if (facts.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
    int file = open_file(&facts);
    if (file < 0) return CUDA_ERROR_INVALID_VALUE;
    char *pages = map(file, facts.bytes, NULL);
    close(file);
    if (!pages) return CUDA_ERROR_OUT_OF_MEMORY;
    fake_add_imported(pages + facts.offset, facts.bytes - facts.offset - FAKE_GUARD, pages);
    *address = (CUdeviceptr)(uintptr_t)(pages + facts.offset);
    return CUDA_SUCCESS;
}

CUresult fake_cuIpcCloseMemHandle(CUdeviceptr address) {
    size_t bytes;
    char *pages = fake_take_imported(address, &bytes);
    if (!pages) return CUDA_ERROR_INVALID_VALUE;
    munmap(pages, (size_t)(address - (CUdeviceptr)(uintptr_t)pages) + bytes + FAKE_GUARD);
    return CUDA_SUCCESS;
}

/* --- Events --- */

fake_progress *fake_progress_new(CUipcEventHandle *handle) {
    shared facts = {getpid(), new_file("fake_event", FAKE_PAGE), FAKE_PAGE, 0};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &facts, sizeof facts);
    return facts.file < 0 ? NULL : map(facts.file, FAKE_PAGE, NULL);
}

fake_progress *fake_progress_open(CUipcEventHandle handle) {
    shared facts;
    memcpy(&facts, &handle, sizeof facts);
    int file = open_file(&facts);
    fake_progress *progress = file < 0 ? NULL : map(file, FAKE_PAGE, NULL);
    if (file >= 0) close(file);
    return progress;
}

void fake_progress_advance(fake_progress *progress) {
    atomic_fetch_add(&progress->completed, 1);
}

void fake_progress_wait(fake_progress *progress) {
    for (uint64_t all = atomic_load(&progress->recorded); atomic_load(&progress->completed) < all;)
        usleep(100);
}
