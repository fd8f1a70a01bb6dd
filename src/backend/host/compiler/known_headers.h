/* Headers of CUDA that programs of the host need not have. */
#ifndef TNI_HOST_COMPILER_KNOWN_HEADERS_H
#define TNI_HOST_COMPILER_KNOWN_HEADERS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a directive includes a header whose words the runtime's text has. */
bool tni_host_includes_known(const char *directive, const char *end);

/* "mma.h" for a directive that includes it: a header of what GPUs alone have. NULL: it is another
 * directive. */
const char *tni_host_includes_absent(const char *directive, const char *end, size_t *length);

/* "array" for #include <cuda/std/array>: a header that the compiler's own library has. NULL: it is
 * another directive. */
const char *tni_host_includes_std(const char *directive, const char *end, size_t *length);

#endif
