/* Conversions between all dtypes. */
#include "backend/host/loops/elementwise/half_block.h"

#define D f16
#define TO_WORKING(x) m_f16_to_f32(x)
#include "backend/host/loops/elementwise/cast_stamp.h"

#define D bf16
#define TO_WORKING(x) m_bf16_to_f32(x)
#include "backend/host/loops/elementwise/cast_stamp.h"

#define STAMP "backend/host/loops/elementwise/cast_stamp.h"
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

/* Bytes side by side. glibc's memcpy() of more than 2 KiB takes 25 times as long on AMD's Zen 4
 * where the target begins up to 63 bytes after the source, seen within their pages. */
static void move_bytes(char *to, const char *from, size_t bytes) {
    const size_t after = ((uintptr_t)to - (uintptr_t)from) % 4096;
    const size_t piece = after && after < 64 ? 1024 : bytes;
    for (size_t at = 0; at < bytes; at += piece)
        memcpy(to + at, from + at, bytes - at < piece ? bytes - at : piece);
}

/* A dtype to itself: items of `type` are moved, whatever they mean. The usual steps become vectors
 * (of items smaller than those); of the others several are in flight at a time. */
#define MOVE_FROM(type, step)                                                                      \
    if (sizeof(type) < 16 && sr == size && sa == (step)*size) {                                    \
        INDEPENDENT EACH((type *)r)[i] = ((const type *)a)[(step)*i];                              \
        return;                                                                                    \
    }
#define MOVE(bytes, type)                                                                          \
    static void move_##bytes(ARGUMENTS) {                                                          \
        const char *a = args[0];                                                                   \
        char *r = args[1];                                                                         \
        const int64_t sa = strides[0], sr = strides[1], size = sizeof(type);                       \
        if (sr == size && sa == size) {                                                            \
            if (r != a) move_bytes(r, a, (size_t)(count * size));                                  \
            return;                                                                                \
        }                                                                                          \
        if (sr == size && sa == 0) {                                                               \
            const type one = *(const type *)a;                                                     \
            INDEPENDENT EACH((type *)r)[i] = one;                                                  \
            return;                                                                                \
        }                                                                                          \
        MOVE_FROM(type, -1)                                                                        \
        MOVE_FROM(type, 2)                                                                         \
        MOVE_FROM(type, 3)                                                                         \
        MOVE_FROM(type, 4)                                                                         \
        for (; count >= 4; count -= 4, a += 4 * sa, r += 4 * sr) {                                 \
            const type w = *(const type *)a, x = *(const type *)(a + sa);                          \
            const type y = *(const type *)(a + 2 * sa), z = *(const type *)(a + 3 * sa);           \
            *(type *)r = w;                                                                        \
            *(type *)(r + sr) = x;                                                                 \
            *(type *)(r + 2 * sr) = y;                                                             \
            *(type *)(r + 3 * sr) = z;                                                             \
        }                                                                                          \
        EACH AT(type, r, sr) = READ(type, a, sa);                                                  \
    }

/* Items at any address. */
typedef tn_u16 item_2 __attribute__((may_alias, aligned(1)));
typedef tn_u32 item_4 __attribute__((may_alias, aligned(1)));
typedef tn_u64 item_8 __attribute__((may_alias, aligned(1)));
typedef tn_u64 item_16 __attribute__((vector_size(16), may_alias, aligned(1)));
MOVE(1, tn_u8)
MOVE(2, item_2)
MOVE(4, item_4)
MOVE(8, item_8)
MOVE(16, item_16)

extern const tni_loop_entry LEVEL(tni_casts_blocks)[];
const tni_loop_entry LEVEL(tni_casts_blocks)[] = {{tni_dtype_f16, tni_dtype_f32, halves_to_floats},
                                                  {tni_dtype_f32, tni_dtype_f16, floats_to_halves},
#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    {tni_dtype_##suffix, tni_dtype_##suffix, move_##bytes},
#include "ops/dtypes.def"
                                                  {0, 0, NULL}};
