// cuda_bf16.h.
#ifndef TNI_BFLOAT
#define TNI_BFLOAT
#include <tni_short_float.cuh>
TNI_SHORT_TYPE(__nv_bfloat16, __nv_bfloat162, bfloat_to_float, float_to_bfloat)
TNI_SHORT_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16)
TNI_SHORT_FLOAT(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static inline nv_bfloat162 make_bfloat162(nv_bfloat16 x, nv_bfloat16 y) {
    return {x, y};
}
#endif
