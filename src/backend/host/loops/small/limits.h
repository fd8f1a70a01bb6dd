/* What the text of small_matrix.h asks of a dtype, whose size is TNI_T_BYTES. No guard: the
 * file is included once for each dtype. */
#include <float.h>
#include <math.h>

#undef ROUNDING
#undef LEAST
#undef TINIEST
#undef MOST
#undef ROOT_OF
#if TNI_T_BYTES == 4
#define ROUNDING FLT_EPSILON
#define LEAST 0x1p-20
#define TINIEST 0x1p-124
#define MOST 0x1p40
#define ROOT_OF(x) sqrtf(x)
#else
#define ROUNDING DBL_EPSILON
#define LEAST 0x1p-300
#define TINIEST 0x1p-1020
#define MOST 0x1p300
#define ROOT_OF(x) sqrt(x)
#endif
