/* Conversions between all dtypes. */
#include "backend/host/loops/half_block.h"

#define D f16
#define TO_WORKING(x) m_f16_to_f32(x)
#include "backend/host/loops/cast_stamp.h"

#define D bf16
#define TO_WORKING(x) m_bf16_to_f32(x)
#include "backend/host/loops/cast_stamp.h"

#define STAMP "backend/host/loops/cast_stamp.h"
#include "backend/host/loops/each_dtype.h"

/* Whole blocks of halves have instructions, or formulas that vectorise. */
static void halves_to_floats(ARGUMENTS) {
    if (strides[1] == sizeof(float)) {
        load_f16((float *)args[1], args[0], strides[0], count);
    } else {
        cast_f32_f16(args, strides, count);
    }
}

static void floats_to_halves(ARGUMENTS) {
    if (strides[0] == sizeof(float)) {
        store_f16(args[1], (const float *)args[0], strides[1], count);
    } else {
        cast_f16_f32(args, strides, count);
    }
}

extern const tni_loop_entry LEVEL(tni_casts_blocks)[];
const tni_loop_entry LEVEL(tni_casts_blocks)[] = {{tni_dtype_f16, tni_dtype_f32, halves_to_floats},
                                                  {tni_dtype_f32, tni_dtype_f16, floats_to_halves},
                                                  {0, 0, NULL}};
