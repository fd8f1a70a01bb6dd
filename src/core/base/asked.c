/* How the calling thread asks for programs. It begins with a mode that is not 0, so that it lies
 * among the few initialised bytes of thread-local memory, where it takes no room. */
#include "core/base/asked.h"

_Thread_local tni_programs tni_programs_asked = {TNI_PROGRAMS_WAIT, 0, 0};
