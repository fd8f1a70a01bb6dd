/* What an emulator of another processor can't do: qemu-user ends a child that a process with
 * threads forks, and starts no program of that processor by execl(). */
#ifndef TESTS_EMULATED_H
#define TESTS_EMULATED_H

#include "replay.h"

#include <stdlib.h>

/* Ends the test, for `make test-arm`. */
static inline void skip_emulated(void) {
    if (getenv("TENORITE_EMULATED")) skip();
}

#endif
