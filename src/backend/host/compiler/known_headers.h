/* Headers of CUDA that programs of the host need not have. */
#ifndef TNI_HOST_COMPILER_KNOWN_HEADERS_H
#define TNI_HOST_COMPILER_KNOWN_HEADERS_H

#include <stdbool.h>

/* Whether a directive includes a header whose words the runtime's text has. */
bool tni_host_includes_known(const char *directive, const char *end);

#endif
