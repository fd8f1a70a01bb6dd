/* The calling thread's struct. */
#include "core/base/thread.h"

_Thread_local tni_thread tni_self __attribute__((tls_model("initial-exec")));
