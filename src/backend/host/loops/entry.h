/* How a file of loops makes them known: lists of entries, one list per dtype and level, NULL-ended.
 *
 * Invariant: TNI_ISA is in the name of every symbol that these files export, so that one process
 * holds all levels. */
#ifndef TNI_BACKEND_HOST_LOOPS_ENTRY_H
#define TNI_BACKEND_HOST_LOOPS_ENTRY_H

#include "backend/host/loops.h"
#include "ops/scalar.h"
#include "ops/table.h"

#ifndef TNI_ISA
#define TNI_ISA generic
#endif

#define LEVEL(name) TN_PASTE(TN_PASTE(name, _), TNI_ISA)

typedef struct tni_loop_entry {
    short op, dtype; /* of a conversion: from, to */
    tni_loop loop;
} tni_loop_entry;

/* Receives a loop that stands in for the one of this operation and dtype. */
typedef void (*tni_loop_setter)(int op, int dtype, tni_loop loop);

/* The storage types by suffix: tni_stored_f16 is tn_u16. */
#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    typedef storage tni_stored_##suffix;
#include "ops/dtypes.def"

#define KEEP(...) __VA_ARGS__
#define DROP(...)

#endif
