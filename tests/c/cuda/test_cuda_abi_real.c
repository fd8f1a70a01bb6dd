/* What we declare of the CUDA driver, of NVRTC and of CUPTI, beside the real headers, which the
 * command line includes: names and numbers of constants, attributes and errors, every prototype,
 * and the beginnings of CUPTI's records. */
#include "cuda_layout.h"

#define CONSTANT(name, value) _Static_assert((long long)(name) == (value), #name);
#include "backend/cuda/driver/constants.def"

#define ATTRIBUTE(number, name) _Static_assert(cudaDevAttr##name == (number), #name);
#include "backend/cuda/driver/attributes.def"

#define CUDA_ERROR(number, name) _Static_assert(cudaError##name == (number), #name);
#include "backend/cuda/driver/errors.def"

#define OLD(name, params, args) /* the headers mean their successors by these names */
#define FN(name, params, args)                                                                     \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(CUresult params)),    \
                   #name);
#include "backend/cuda/driver/driver.fn"

#define FN(result, name, params)                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result params)),      \
                   #name);
#include "backend/cuda/driver/nvrtc.fn"

#define TNI_CUPTI_IS_REAL
#include "backend/cuda/stream/cupti_types.h"
#define CONSTANT(name, value) _Static_assert((long long)(name) == (value), #name);
#define FIELD(own, real, member)                                                                   \
    _Static_assert(offsetof(own, member) == offsetof(real, member) &&                              \
                       sizeof(((own *)0)->member) == sizeof(((real *)0)->member),                  \
                   #member);
#include "backend/cuda/stream/cupti.def"
#define OPTIONAL(name, params) FN(name, params)
#define FN(name, params)                                                                           \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(CUptiResult params)), \
                   #name);
#include "backend/cuda/stream/cupti.fn"

const size_t *real_layout(size_t *count);
const size_t *real_layout(size_t *count) {
    *count = sizeof layout / sizeof *layout;
    return layout;
}
