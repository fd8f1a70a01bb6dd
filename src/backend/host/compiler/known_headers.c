#include "backend/host/compiler/known_headers.h"

#include <stddef.h>
#include <string.h>

#define LENGTH(list) (sizeof(list) / sizeof *(list))

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
                                            "cooperative_groups/reduce.h",
                                            "cooperative_groups/scan.h",
                                            "vector_types.h",
                                            "math_functions.h",
                                            "math.h",
                                            "device_atomic_functions.h",
                                            "cuda/std/mdspan"};

/* Headers of what GPUs alone have. */
static const char *const gpu_headers[] = {"mma.h", "curand_kernel.h", "cuda_pipeline.h",
                                          "cuda_pipeline_primitives.h",
                                          "cooperative_groups/memcpy_async.h"};

/* Headers of cuda::std that the compiler's own library has by the same names. */
static const char *const std_headers[] = {
    "algorithm", "array",   "atomic",  "bit",     "bitset",     "cassert",
    "cfloat",    "chrono",  "climits", "cmath",   "complex",    "concepts",
    "cstddef",   "cstdint", "cstdlib", "cstring", "functional", "initializer_list",
    "iterator",  "limits",  "memory",  "new",     "numbers",    "numeric",
    "optional",  "ranges",  "ratio",   "span",    "tuple",      "type_traits",
    "utility",   "variant", "version"};

static bool is_one_of(const char *name, size_t length, const char *const *names, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (strlen(names[k]) == length && memcmp(name, names[k], length) == 0) return true;
    return false;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The name of the file that a directive includes; false: it is no #include. */
static bool find_name(const char *directive, const char *end, const char **name, size_t *length) {
    const char *at = skip_blanks(directive + 1, end);
    if (end - at < 7 || memcmp(at, "include", 7) != 0) return false;
    at = skip_blanks(at + 7, end);
    if (at >= end || (*at != '<' && *at != '"')) return false;
    for (*name = ++at; at < end && *at != '>' && *at != '"';)
        at++;
    *length = (size_t)(at - *name);
    return true;
}

bool tni_host_includes_known(const char *directive, const char *end) {
    const char *name;
    size_t length;
    return find_name(directive, end, &name, &length) &&
           is_one_of(name, length, known_headers, LENGTH(known_headers));
}

const char *tni_host_includes_absent(const char *directive, const char *end, size_t *length) {
    const char *name;
    return find_name(directive, end, &name, length) &&
                   is_one_of(name, *length, gpu_headers, LENGTH(gpu_headers))
               ? name
               : NULL;
}

const char *tni_host_includes_std(const char *directive, const char *end, size_t *length) {
    static const char folder[] = "cuda/std/";
    const char *name;
    if (!find_name(directive, end, &name, length) || *length < sizeof folder - 1 ||
        memcmp(name, folder, sizeof folder - 1) != 0)
        return NULL;
    name += sizeof folder - 1;
    *length -= sizeof folder - 1;
    return is_one_of(name, *length, std_headers, LENGTH(std_headers)) ? name : NULL;
}
