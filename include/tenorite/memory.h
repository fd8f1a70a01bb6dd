/* Buffers (reference-counted memory of a device), allocators, and the pools after them. */
#ifndef TENORITE_MEMORY_H
#define TENORITE_MEMORY_H

#include <tenorite/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_buffer tn_buffer;
typedef struct tn_pool tn_pool;
typedef struct tn_pinned_pool tn_pinned_pool;

/* Where memory comes from. `allocate` gives at least `bytes` bytes (> 0) on a device for use on a
 * stream, aligned to 64 bytes or more, or fails with TN_ERROR_MEMORY; `free` takes them back, with
 * the stream that they were allocated for, or, where that has ended, the device's default one. Both
 * are called from any thread. */
typedef struct tn_allocator {
    void *context;
    tn_status (*allocate)(void *context, void **address, int64_t bytes, tn_device device,
                          tn_stream *stream);
    void (*free)(void *context, void *address, int64_t bytes, tn_device device, tn_stream *stream);
} tn_allocator;

/* The allocator that asks the device itself (malloc, cuMemAlloc). */
TN_API const tn_allocator *tn_allocator_raw(void);

/* The allocator that new buffers use: the default pool at first. Process-wide, or for the calling
 * thread alone (which wins while it is set; NULL unsets). The struct is copied; its context must
 * outlive every buffer made with it. NULL process-wide means tn_allocator_raw(). */
TN_API tn_status tn_allocator_set(const tn_allocator *allocator);
TN_API tn_status tn_allocator_set_thread(const tn_allocator *allocator);
TN_API tn_allocator tn_allocator_get(void);

/* A new buffer from the current allocator (zero bytes: no memory, address NULL). The contents are
 * undefined. `stream` NULL: the current stream of the current device. */
TN_API tn_status tn_buffer_new(tn_buffer **result, int64_t bytes, tn_stream *stream);

/* The same from a given allocator. */
TN_API tn_status tn_buffer_new_from(tn_buffer **result, const tn_allocator *allocator,
                                    int64_t bytes, tn_stream *stream);

/* Memory that is not the library's; `release(context)` is called once when the buffer goes (it may
 * be NULL). */
TN_API tn_status tn_buffer_new_unowned(tn_buffer **result, void *address, int64_t bytes,
                                       tn_device device, void (*release)(void *context),
                                       void *context);
TN_API tn_buffer *tn_buffer_retain(tn_buffer *buffer);
TN_API void tn_buffer_release(tn_buffer *buffer);
TN_API int64_t tn_buffer_bytes(const tn_buffer *buffer);
TN_API tn_device tn_buffer_device(const tn_buffer *buffer);
/* The raw address, for other libraries. The library does not see accesses by it, so the caller
 * orders them by streams, as with tn_buffer_order(). */
TN_API void *tn_buffer_address(const tn_buffer *buffer);
/* Before work of the program's own on `stream` uses that address (NULL: the current stream of the
 * buffer's device): later work of the stream comes after what other streams do with the buffer
 * now, and what they do with it later comes after the work that the stream has then. */
TN_API tn_status tn_buffer_order(tn_buffer *buffer, tn_stream *stream);

/* Raw copies and fills between buffers and host memory, queued on a stream (NULL: the current one).
 * Offsets and counts in bytes; ranges outside a buffer are TN_ERROR_VALUE. Page-locked host memory
 * is read or written when the stream gets there, and so is any in a queue of the host: it must stay
 * valid until then. Copies to and from other host memory are done when the call returns on a
 * default stream. */
TN_API tn_status tn_buffer_copy(tn_buffer *to, int64_t to_offset, const tn_buffer *from,
                                int64_t from_offset, int64_t bytes, tn_stream *stream);
TN_API tn_status tn_buffer_read(void *host, const tn_buffer *from, int64_t from_offset,
                                int64_t bytes, tn_stream *stream);
TN_API tn_status tn_buffer_write(tn_buffer *to, int64_t to_offset, const void *host, int64_t bytes,
                                 tn_stream *stream);
TN_API tn_status tn_buffer_fill(tn_buffer *to, int64_t offset, int value, int64_t bytes,
                                tn_stream *stream);

/* The best-fit pool: 512-byte units, splitting and coalescing, one arena per device and stream.
 * `source` NULL: the raw allocator. A pool lives until released and all its memory came back. */
TN_API tn_status tn_pool_new(tn_pool **result, const tn_allocator *source);
TN_API tn_pool *tn_pool_retain(tn_pool *pool);
TN_API void tn_pool_release(tn_pool *pool);
/* The process's default pool (borrowed). */
TN_API tn_pool *tn_pool_default(void);
/* An allocator on this pool; the pool must outlive its use. */
TN_API tn_allocator tn_pool_allocator(tn_pool *pool);
/* Gives unused whole chunks back to the source: of one stream, or of all (NULL) of the device. A
 * function that a stream calls can't wait for streams, so there none is given back that one may
 * still use. */
TN_API void tn_pool_trim(tn_pool *pool, tn_device device, tn_stream *stream);
/* Upper bound of bytes held from the source on a device; 0: none. */
TN_API tn_status tn_pool_set_limit(tn_pool *pool, tn_device device, int64_t bytes);

/* A function that every pool calls once when memory is out, after trimming and before it gives up:
 * it may drop what it can (a garbage collector). Process-wide; NULL unsets. */
TN_API void tn_pool_set_reclaim(void (*reclaim)(void *context), void *context);

typedef struct tn_pool_statistics {
    int64_t used_bytes;      /* handed out, rounded to units */
    int64_t free_bytes;      /* held, not handed out */
    int64_t total_bytes;     /* held from the source */
    int64_t peak_used_bytes; /* since the pool began */
    int64_t peak_total_bytes;
    int64_t limit_bytes; /* 0: none */
    int64_t free_blocks; /* number of free blocks held */
    int64_t allocations; /* calls so far */
    int64_t source_allocations;
} tn_pool_statistics;
TN_API tn_pool_statistics tn_pool_get_statistics(tn_pool *pool, tn_device device);

/* Called around allocation and free, in the calling thread: event is "alloc" (from the source),
 * "malloc" (from the pool) or "free". Hooks see sizes and addresses; they can't fail a call. */
typedef struct tn_memory_hook {
    void *context;
    void (*before)(void *context, const char *event, tn_device device, int64_t bytes,
                   int64_t rounded_bytes, void *address);
    void (*after)(void *context, const char *event, tn_device device, int64_t bytes,
                  int64_t rounded_bytes, void *address);
} tn_memory_hook;
/* Adds or removes a hook of the calling thread (by address of the struct, which must stay
 * valid). */
TN_API tn_status tn_memory_hook_add(const tn_memory_hook *hook);
TN_API void tn_memory_hook_remove(const tn_memory_hook *hook);

/* Whether copies between the device and this host memory go on when the call that asked for them
 * has returned, because the memory is page-locked. Never true for a device of the host. */
TN_API bool tn_memory_is_page_locked(const void *address, tn_device device);

/* Where a pool of host memory gets it: `allocate` gives at least `bytes` bytes (> 0) or fails with
 * TN_ERROR_MEMORY. Both are called from any thread. */
typedef struct tn_pinned_source {
    void *context;
    tn_status (*allocate)(void *context, void **address, int64_t bytes);
    void (*free)(void *context, void *address, int64_t bytes);
} tn_pinned_source;

/* Page-locked host memory, pooled by size rounded up to a power of two; plain memory on host.
 * `source` NULL: the primary backend; the struct is copied, its context must outlive the pool and
 * all its memory. */
TN_API tn_status tn_pinned_pool_new(tn_pinned_pool **result, const tn_pinned_source *source);
TN_API tn_pinned_pool *tn_pinned_pool_default(void);
TN_API void tn_pinned_pool_release(tn_pinned_pool *pool);
TN_API tn_status tn_pinned_pool_allocate(tn_pinned_pool *pool, void **address, int64_t bytes);
/* Gives a block back; if `event` is not NULL the block is reused only once it is done. */
TN_API void tn_pinned_pool_free(tn_pinned_pool *pool, void *address, tn_event *event);
/* The same, after the work that a stream (NULL: the current one) has now. On failure the block is
 * not given back. */
TN_API tn_status tn_pinned_pool_free_after(tn_pinned_pool *pool, void *address, tn_stream *stream);
TN_API int64_t tn_pinned_pool_free_blocks(tn_pinned_pool *pool);
TN_API void tn_pinned_pool_trim(tn_pinned_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
