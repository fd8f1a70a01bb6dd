#ifndef TNI_SIZE_TYPES_CUH
#define TNI_SIZE_TYPES_CUH
// <cstddef> and <stddef.h> for NVRTC, in which size_t and ptrdiff_t are built in.

typedef decltype(nullptr) nullptr_t;
typedef union {
    long long number;
    double real;
} max_align_t;

namespace std {
using ::max_align_t;
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;
} // namespace std

#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) ((size_t) & (((type *)0)->member))
#endif

#endif
