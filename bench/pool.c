/* Nanoseconds for one allocation and free from the default pool, as JSON: blocks of mixed sizes are
 * held for a while, as in a program, so that the pool has something to search. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/lock.h"

#include <tenorite/tenorite.h>

enum { HELD = 64, ROUNDS = 2000000 };

int main(void) {
    tn_buffer *held[HELD] = {NULL};
    tn_allocator pool = tn_allocator_get();
    tn_device device = tn_device_get_current();
    tn_stream *stream = tn_stream_get_current(device);
    unsigned random = 1;
    for (int k = 0; k < HELD; k++) {
        random = random * 1664525u + 1013904223u;
        if (tn_buffer_new(&held[k], 512 + (random >> 12), NULL)) return EXIT_FAILURE;
    }
    int64_t start = tni_now_ns();
    for (int round = 0; round < ROUNDS; round++) {
        void *address;
        random = random * 1664525u + 1013904223u;
        int64_t bytes = 512 + (random >> 16);
        if (pool.allocate(pool.context, &address, bytes, device, stream)) return EXIT_FAILURE;
        pool.free(pool.context, address, bytes, device, stream);
    }
    printf("{\"nanoseconds\": %.1f}\n", (double)(tni_now_ns() - start) / ROUNDS);
    for (int k = 0; k < HELD; k++)
        tn_buffer_release(held[k]);
    return EXIT_SUCCESS;
}
