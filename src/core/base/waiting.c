/* The table of the backlog; NULL as long as no program asks for waiting calls. */
#include "core/base/waiting.h"

_Atomic(const tni_waiting_table *) tni_waiting;
