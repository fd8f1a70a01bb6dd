// cuda_fp16.h.
#ifndef TNI_HALF
#define TNI_HALF
#include <tni_short_float.cuh>
TNI_SHORT_TYPE(__half, __half2, half_to_float, float_to_half)
TNI_SHORT_CONVERSIONS(__half, __half2, half)
TNI_SHORT_FLOAT(__half, __half2)
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
static inline half2 make_half2(half x, half y) {
    return {x, y};
}
namespace tni {
template <> constexpr char kind_of<__half> = 'f';
template <> struct element<__half *> { static constexpr char kind = 'f', bytes = '2'; };
template <> struct element<const __half *> : element<__half *> {};
} // namespace tni
#endif
