/* All that the loops of one instruction-set level offer, as loops.c collects it. */
#ifndef TNI_BACKEND_HOST_LOOPS_LEVEL_H
#define TNI_BACKEND_HOST_LOOPS_LEVEL_H

#include "backend/host/loops/entry.h"

/* Receives a loop that stands in for the one of this operation and dtype. */
typedef void (*tni_loop_setter)(int op, int dtype, tni_loop loop);

typedef struct tni_level {
    const char *name;
    const tni_loop_entry *loops[tni_dtype_count];
    const tni_loop_entry *casts[tni_dtype_count];
    const tni_loop_entry *block_casts; /* these replace some of casts */
    /* Looks up the functions of sleef.fn in a loaded library, hands on a loop for each one found. */
    void (*bind_sleef)(void *library, tni_loop_setter set);
    void (*stream_copy)(void *to, const void *from, size_t bytes);
} tni_level;

#endif
