/* The arenas of a device's part of a pool. */
#include "core/memory/device_pool.h"

#include "core/base/alloc.h"

static void link_arena(tni_device_pool *device, tni_arena *arena) {
    arena->previous = NULL;
    arena->next = device->arenas;
    if (arena->next) arena->next->previous = arena;
    device->arenas = arena;
}

static void unlink_arena(tni_device_pool *device, tni_arena *arena) {
    if (arena->previous)
        arena->previous->next = arena->next;
    else
        device->arenas = arena->next;
    if (arena->next) arena->next->previous = arena->previous;
}

/* The one that is found comes first from now on. */
tni_arena *tni_device_pool_search_arena(tni_device_pool *device, const tn_stream *stream) {
    tni_arena *arena = device->arenas;
    while (arena && arena->stream != stream)
        arena = arena->next;
    if (arena) {
        unlink_arena(device, arena);
        link_arena(device, arena);
    }
    return arena;
}

static void own_arena(tni_device_pool *device, tni_arena *arena, tn_stream *stream) {
    arena->stream = stream;
    if (device->is_default) stream->arena = arena;
}

void tni_device_pool_add_arena(tni_device_pool *device, tni_arena *arena, tn_stream *stream) {
    own_arena(device, arena, stream);
    arena->spare = &device->spare;
    link_arena(device, arena);
}

void tni_device_pool_pass_on(tni_device_pool *device, const tn_stream *ended, tn_stream *heir) {
    tni_arena *from = tni_device_pool_find_arena(device, ended);
    if (!from) return;
    tni_arena *to = tni_device_pool_find_arena(device, heir);
    tni_arena_merge(from);
    tni_arena_dissolve(from);
    tni_arena_end(from);
    if (to) {
        tni_arena_move(to, from);
        unlink_arena(device, from);
        tni_free(from);
    } else {
        own_arena(device, from, heir);
    }
}
