/* The kernels of matrix products, stamped for every dtype. Signed and unsigned integers share one;
 * 8-bit integers are multiplied as 16 bits, which the vector unit can, and whose low halves are
 * right; the halves are converted to f32 when they are packed and rounded once, at the end. */
#include "backend/host/loops/entry.h"

#include <tenorite/dtype.h>

#define SUFFIX b8
#define S tn_u8
#define W tn_u8
#define STORE(a) ((tn_u8)(a))
#define MUL(a, b) ((a) & (b))
#define ADD(a, b) ((a) | (b))
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX u8
#define S tn_u8
#define W tn_u16
#define STORE(a) ((tn_u8)(a))
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX u16
#define S tn_u16
#define W tn_u16
#define STORE(a) ((tn_u16)(a))
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX u32
#define S tn_u32
#define W tn_u32
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX u64
#define S tn_u64
#define W tn_u64
#include "backend/host/loops/matmul/matmul_kernel.h"

#ifdef __F16C__
/* The one conversion that compilers do not vectorise by themselves. */
static void convert_f16_run(float *to, const tn_u16 *from, int64_t count) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
    }
    for (; i < count; i++)
        to[i] = m_f16_to_f32(from[i]);
}
#define LOAD_RUN(to, from, count) convert_f16_run(to, from, count)
#endif
#define SUFFIX f16
#define S tn_u16
#define W float
#define WIDE_SUM 1
#define LOAD m_f16_to_f32
#define STORE m_f32_to_f16
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX bf16
#define S tn_u16
#define W float
#define WIDE_SUM 1
#define LOAD m_bf16_to_f32
#define STORE m_f32_to_bf16
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX f32
#define S float
#define W float
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX f64
#define S double
#define W double
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX c64
#define S float
#define W float
#define COMPLEX 1
#include "backend/host/loops/matmul/matmul_kernel.h"

#define SUFFIX c128
#define S double
#define W double
#define COMPLEX 1
#include "backend/host/loops/matmul/matmul_kernel.h"

extern const tni_matmul_kernel *const LEVEL(tni_matmul_kernels)[];
const tni_matmul_kernel *const LEVEL(tni_matmul_kernels)[] = {
    [TN_B8] = &kernel_b8,   [TN_I8] = &kernel_u8,     [TN_U8] = &kernel_u8,
    [TN_I16] = &kernel_u16, [TN_U16] = &kernel_u16,   [TN_I32] = &kernel_u32,
    [TN_U32] = &kernel_u32, [TN_I64] = &kernel_u64,   [TN_U64] = &kernel_u64,
    [TN_F16] = &kernel_f16, [TN_BF16] = &kernel_bf16, [TN_F32] = &kernel_f32,
    [TN_F64] = &kernel_f64, [TN_C64] = &kernel_c64,   [TN_C128] = &kernel_c128,
};
