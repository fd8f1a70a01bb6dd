/* All that the loops of one instruction-set level offer. */
#ifndef TNI_BACKEND_HOST_LOOPS_LEVEL_H
#define TNI_BACKEND_HOST_LOOPS_LEVEL_H

#include "backend/host/loops/elementwise/chain_loops.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/fft/fft_loops.h"
#include "backend/host/loops/image/distance_loops.h"
#include "backend/host/loops/image/fourier_loops.h"
#include "backend/host/loops/image/image_loops.h"
#include "backend/host/loops/image/label_loops.h"
#include "backend/host/loops/image/map_loops.h"
#include "backend/host/loops/image/prefilter_loops.h"
#include "backend/host/loops/index/at_loops.h"
#include "backend/host/loops/index/index_loops.h"
#include "backend/host/loops/matmul/matmul_loops.h"
#include "backend/host/loops/neural/convolve_loops.h"
#include "backend/host/loops/neural/pooling_loops.h"
#include "backend/host/loops/random/loops.h"
#include "backend/host/loops/reduce/reduce_loops.h"
#include "backend/host/loops/samples/bin_loops.h"
#include "backend/host/loops/samples/bits.h"
#include "backend/host/loops/samples/correlate_loops.h"
#include "backend/host/loops/signal/recursion_loops.h"
#include "backend/host/loops/signal/upfirdn_loops.h"
#include "backend/host/loops/small/small_loops.h"
#include "backend/host/loops/sort/sort_loops.h"
#include "backend/host/loops/sparse/lu_loops.h"
#include "backend/host/loops/sparse/sparse_loops.h"
#include "backend/host/loops/spatial/metric_loops.h"
#include "backend/host/loops/spline/spline_loops.h"

struct tni_level {
    const char *name;
    const tni_loop_entry *loops[tni_dtype_count];
    const tni_loop_entry *casts[tni_dtype_count];
    const tni_loop_entry *block_casts; /* these replace some of casts */
    const tni_loop_entry *divisions;   /* and these some loops */
    const tni_loop_entry *exponents;   /* as these do */
    const tni_loop_entry *faster;      /* these some loops, also the vector library's */
    /* Looks up the functions of sleef.fn in a loaded library, hands on a loop for each one
     * found. */
    void (*bind_sleef)(void *library, tni_loop_setter set);
    void (*stream_copy)(void *to, const void *from, size_t bytes);
    void (*transpose)(const tni_transposition *t);
    const tni_move_loops *moves;
    const tni_mask_loops *masks;
    const tni_fill_loops *fills;
    const tni_reduce_loops *reduce;
    const tni_position_loops *positions; /* these and scans end with op -1 */
    const tni_scan_loops *scans;
    const tni_matmul_kernel *const *matmul; /* by dtype */
    const tni_at_loop *const *at;           /* by dtype, then operation; NULL: none */
    const tni_sort_loops *sort;
    const tni_correlate_loops *correlate; /* by dtype; all 0: computed as another */
    const tni_random_loops *random;
    const tni_sparse_loops *sparse;
    const tni_spline_loops *spline;
    const tni_lu_loops *const *lu; /* by dtype; NULL: none */
    const tni_fft_loops *fft[2];   /* of f32, of f64 */
    const tni_bits_loops *bits;
    const tni_bin_loops *bins;
    const tni_distance_loops *distance;
    const tni_label_loops *label[2];      /* of i32, of i64 */
    const tni_sum_loops *sums[2];         /* of f32, of f64 */
    const tni_order_loops *const *orders; /* by dtype; NULL: none */
    const tni_prefilter_loops *prefilter;
    const tni_map_loops *map[2]; /* of f32, of f64 */
    const tni_fourier_loops *fourier;
    const tni_recursion_loops *recursion; /* by dtype; these and the next: 0 where there are none */
    const tni_upfirdn_loops *upfirdn;
    const tni_convolve_loops *convolve;     /* by dtype, as the last two */
    const tni_pooling_loops *pooling[2];    /* of f32, of f64 */
    const tni_metric_loops *const *metrics; /* of f32, of f64 */
    const tni_small_loops *small[2];        /* of f32, of f64 */
    const tni_chain_loop *chains;           /* by tni_chain_type */
};

#endif
