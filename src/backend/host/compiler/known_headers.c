#include "backend/host/compiler/known_headers.h"

#include "backend/host/compiler/host_text.h"
#include "kernel/user_text.h"

#include <string.h>

#define LENGTH(list) (sizeof(list) / sizeof *(list))

/* Headers whose words every program of the host has. */
static const char *const built_in[] = {"builtin_types.h",
                                       "channel_descriptor.h",
                                       "common_functions.h",
                                       "cuda.h",
                                       "cuda_device_runtime_api.h",
                                       "cuda_runtime.h",
                                       "cuda_runtime_api.h",
                                       "cuda_surface_types.h",
                                       "cuda_texture_types.h",
                                       "device_atomic_functions.h",
                                       "device_double_functions.h",
                                       "device_functions.h",
                                       "device_launch_parameters.h",
                                       "device_types.h",
                                       "driver_functions.h",
                                       "driver_types.h",
                                       "host_defines.h",
                                       "math_functions.h",
                                       "sm_20_atomic_functions.h",
                                       "sm_20_intrinsics.h",
                                       "sm_30_intrinsics.h",
                                       "sm_32_atomic_functions.h",
                                       "sm_32_intrinsics.h",
                                       "sm_35_atomic_functions.h",
                                       "sm_35_intrinsics.h",
                                       "sm_60_atomic_functions.h",
                                       "sm_61_intrinsics.h",
                                       "surface_indirect_functions.h",
                                       "surface_types.h",
                                       "texture_indirect_functions.h",
                                       "texture_types.h",
                                       "vector_functions.h",
                                       "vector_types.h"};

/* By what name a program includes each text of the host's own. */
static const tni_user_header served[] = {{"cuda_fp16.h", "half.cuh"},
                                         {"cuda_fp16.hpp", "half.cuh"},
                                         {"cuda_bf16.h", "bfloat.cuh"},
                                         {"cuda_bf16.hpp", "bfloat.cuh"},
                                         {"tni_short_float.cuh", "short_float.cuh"},
                                         {"cooperative_groups.h", "groups.cuh"},
                                         {"cooperative_groups/reduce.h", "groups.cuh"},
                                         {"cooperative_groups/scan.h", "groups.cuh"},
                                         {"cuda/std/mdspan", "mdspan.cuh"},
                                         {"math.h", "math_names.cuh"}};

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

bool tni_host_include_read(tni_host_include *result, const char *directive, const char *end) {
    const char *at = skip_blanks(directive + 1, end);
    if (end - at < 7 || memcmp(at, "include", 7) != 0) return false;
    at = skip_blanks(at + 7, end);
    if (at >= end || (*at != '<' && *at != '"')) return false;
    result->is_quoted = *at == '"';
    for (result->name = ++at; at < end && *at != '>' && *at != '"';)
        at++;
    result->length = (size_t)(at - result->name);
    return true;
}

static bool is_named(const tni_user_header *header, const tni_host_include *include) {
    return strlen(header->name) == include->length &&
           memcmp(header->name, include->name, include->length) == 0;
}

static const tni_text *find_text(const char *name) {
    for (size_t k = 0; k < tni_host_text_count; k++)
        if (strcmp(tni_host_texts[k].name, name) == 0) return &tni_host_texts[k];
    return NULL;
}

const tni_text *tni_host_include_text(const tni_host_include *include) {
    for (size_t k = 0; k < LENGTH(served); k++)
        if (is_named(&served[k], include)) return find_text(served[k].text);
    for (size_t k = 0; k < TNI_USER_HEADERS; k++)
        if (is_named(&tni_user_headers[k], include))
            return tni_user_text_find(tni_user_headers[k].text);
    return NULL;
}

bool tni_host_text_is_included(const tni_text *text) {
    for (size_t k = 0; k < LENGTH(served); k++)
        if (strcmp(served[k].text, text->name) == 0) return true;
    return false;
}

bool tni_host_include_is_built_in(const tni_host_include *include) {
    return is_one_of(include->name, include->length, built_in, LENGTH(built_in));
}

bool tni_host_include_is_absent(const tni_host_include *include) {
    return is_one_of(include->name, include->length, gpu_headers, LENGTH(gpu_headers));
}

bool tni_host_include_is_std(const tni_host_include *include, tni_host_include *own) {
    static const char folder[] = "cuda/std/";
    *own = *include;
    if (include->length < sizeof folder - 1 ||
        memcmp(include->name, folder, sizeof folder - 1) != 0)
        return false;
    own->name += sizeof folder - 1;
    own->length -= sizeof folder - 1;
    return is_one_of(own->name, own->length, std_headers, LENGTH(std_headers));
}

bool tni_host_include_is_known(const tni_host_include *include) {
    tni_host_include own;
    return tni_host_include_is_built_in(include) || tni_host_include_text(include) ||
           tni_host_include_is_std(include, &own);
}
