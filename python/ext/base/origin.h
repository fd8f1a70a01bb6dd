/* The line of the program from which the library is used, for a trace. */
#ifndef TENORITE_EXT_BASE_ORIGIN_H
#define TENORITE_EXT_BASE_ORIGIN_H

#include "base/ext.h"

#include <tenorite/trace.h>

/* Whether a trace is under way. */
extern const unsigned *ext_trace_flag;
static inline bool ext_is_traced(void) {
    return __builtin_expect(__atomic_load_n(ext_trace_flag, __ATOMIC_RELAXED) & 1, 0);
}

typedef struct ext_origin {
    uint32_t line;     /* the number of its text, "file:line (function)" */
    uint32_t function; /* of the package's function that the line has called; 0: none */
} ext_origin;

/* Whether lines of TENORITE_LOG are, which name the program's line, too. */
extern bool ext_logs_places;

/* The innermost line that is not the package's own. It may run Python (the garbage collector), and
 * needs the GIL; no exception may be set. */
ext_origin ext_origin_find(void);

/* The place of the call of the extension that the thread is in, found once for each outermost call:
 * for events that come where the GIL has been given up. */
void ext_origin_enter(void);
void ext_origin_leave(void);
/* That place; false: the thread is in no call. */
bool ext_origin_get(ext_origin *place);

void ext_origin_init(void);

#endif
