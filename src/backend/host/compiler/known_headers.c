#include "backend/host/compiler/known_headers.h"

#include <stddef.h>
#include <string.h>

/* Headers whose words the runtime's text has. */
static const char *const known_headers[] = {"cupy/complex.cuh",
                                            "cupy/carray.cuh",
                                            "cupy/atomics.cuh",
                                            "math_constants.h",
                                            "cuda_fp16.h",
                                            "cuda_fp16.hpp",
                                            "cuda_bf16.h",
                                            "cuda_runtime.h",
                                            "cuda_runtime_api.h",
                                            "cuda.h",
                                            "device_functions.h",
                                            "device_launch_parameters.h",
                                            "cuComplex.h",
                                            "cooperative_groups.h",
                                            "vector_types.h",
                                            "math_functions.h",
                                            "math.h",
                                            "device_atomic_functions.h"};

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

bool tni_host_includes_known(const char *directive, const char *end) {
    const char *at = skip_blanks(directive + 1, end), *name;
    if (end - at < 7 || memcmp(at, "include", 7) != 0) return false;
    at = skip_blanks(at + 7, end);
    if (at >= end || (*at != '<' && *at != '"')) return false;
    for (name = ++at; at < end && *at != '>' && *at != '"';)
        at++;
    size_t length = (size_t)(at - name);
    for (size_t k = 0; k < sizeof known_headers / sizeof *known_headers; k++)
        if (strlen(known_headers[k]) == length && memcmp(name, known_headers[k], length) == 0)
            return true;
    return false;
}
