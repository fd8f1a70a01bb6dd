/* Collects the lists of one level's files: tni_level_<TNI_ISA>. */
#include "backend/host/loops/level.h"

#define TEXT(name) TEXT_(name)
#define TEXT_(name) #name

#define DTYPE(suffix, storage, working, kind, bytes, character, name)                              \
    extern const tni_loop_entry LEVEL(tni_loops_##suffix)[], LEVEL(tni_casts_##suffix)[];
#include "ops/dtypes.def"
extern const tni_loop_entry LEVEL(tni_casts_blocks)[], LEVEL(tni_loops_faster)[];
extern const tni_loop_entry LEVEL(tni_loops_divisions)[];
extern const tni_loop_entry LEVEL(tni_loops_exponents)[];
void LEVEL(tni_sleef_bind)(void *library, tni_loop_setter set);
void LEVEL(tni_stream_copy)(void *to, const void *from, size_t bytes);
void LEVEL(tni_transpose)(const tni_transposition *t);
extern const tni_move_loops LEVEL(tni_move_loops);
extern const tni_mask_loops LEVEL(tni_mask_loops);
extern const tni_fill_loops LEVEL(tni_fill_loops);
extern const tni_reduce_loops LEVEL(tni_reduce_loops);
extern const tni_position_loops LEVEL(tni_position_loops)[];
extern const tni_scan_loops LEVEL(tni_scan_loops)[];
extern const tni_matmul_kernel *const LEVEL(tni_matmul_kernels)[];
extern const tni_at_loop *const LEVEL(tni_at_loops)[];
extern const tni_sort_loops LEVEL(tni_sort_loops);
extern const tni_correlate_loops LEVEL(tni_correlate_loops)[];
extern const tni_random_loops LEVEL(tni_random_loops);
extern const tni_sparse_loops LEVEL(tni_sparse_loops);
extern const tni_spline_loops LEVEL(tni_spline_loops);
extern const tni_lu_loops *const LEVEL(tni_lu_loops)[];
extern const tni_fft_loops LEVEL(tni_fft_loops_f32), LEVEL(tni_fft_loops_f64);
extern const tni_bits_loops LEVEL(tni_bits_loops);
extern const tni_bin_loops LEVEL(tni_bin_loops);
extern const tni_distance_loops LEVEL(tni_distance_loops);
extern const tni_label_loops LEVEL(tni_label_loops)[2];
extern const tni_sum_loops LEVEL(tni_sum_loops_f32), LEVEL(tni_sum_loops_f64);
extern const tni_order_loops *const LEVEL(tni_order_loops)[];
extern const tni_prefilter_loops LEVEL(tni_prefilter_loops);
extern const tni_map_loops LEVEL(tni_map_loops)[2];
extern const tni_fourier_loops LEVEL(tni_fourier_loops);
extern const tni_recursion_loops LEVEL(tni_recursion_loops)[];
extern const tni_upfirdn_loops LEVEL(tni_upfirdn_loops)[];
extern const tni_convolve_loops LEVEL(tni_convolve_loops)[];
extern const tni_pooling_loops LEVEL(tni_pooling_loops_f32), LEVEL(tni_pooling_loops_f64);
extern const tni_metric_loops *const LEVEL(tni_metric_loops)[];
extern const tni_small_loops LEVEL(tni_small_loops_f32), LEVEL(tni_small_loops_f64);
extern const tni_chain_loop LEVEL(tni_chain_loops)[TNI_CHAIN_TYPES];

extern const tni_level LEVEL(tni_level);
const tni_level LEVEL(tni_level) = {
    TEXT(TNI_ISA),
    {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) LEVEL(tni_loops_##suffix),
#include "ops/dtypes.def"
    },
    {
#define DTYPE(suffix, storage, working, kind, bytes, character, name) LEVEL(tni_casts_##suffix),
#include "ops/dtypes.def"
    },
    LEVEL(tni_casts_blocks),
    LEVEL(tni_loops_divisions),
    LEVEL(tni_loops_exponents),
    LEVEL(tni_loops_faster),
    LEVEL(tni_sleef_bind),
    LEVEL(tni_stream_copy),
    LEVEL(tni_transpose),
    &LEVEL(tni_move_loops),
    &LEVEL(tni_mask_loops),
    &LEVEL(tni_fill_loops),
    &LEVEL(tni_reduce_loops),
    LEVEL(tni_position_loops),
    LEVEL(tni_scan_loops),
    LEVEL(tni_matmul_kernels),
    LEVEL(tni_at_loops),
    &LEVEL(tni_sort_loops),
    LEVEL(tni_correlate_loops),
    &LEVEL(tni_random_loops),
    &LEVEL(tni_sparse_loops),
    &LEVEL(tni_spline_loops),
    LEVEL(tni_lu_loops),
    {&LEVEL(tni_fft_loops_f32), &LEVEL(tni_fft_loops_f64)},
    &LEVEL(tni_bits_loops),
    &LEVEL(tni_bin_loops),
    &LEVEL(tni_distance_loops),
    {&LEVEL(tni_label_loops)[0], &LEVEL(tni_label_loops)[1]},
    {&LEVEL(tni_sum_loops_f32), &LEVEL(tni_sum_loops_f64)},
    LEVEL(tni_order_loops),
    &LEVEL(tni_prefilter_loops),
    {&LEVEL(tni_map_loops)[0], &LEVEL(tni_map_loops)[1]},
    &LEVEL(tni_fourier_loops),
    LEVEL(tni_recursion_loops),
    LEVEL(tni_upfirdn_loops),
    LEVEL(tni_convolve_loops),
    {&LEVEL(tni_pooling_loops_f32), &LEVEL(tni_pooling_loops_f64)},
    LEVEL(tni_metric_loops),
    {&LEVEL(tni_small_loops_f32), &LEVEL(tni_small_loops_f64)},
    LEVEL(tni_chain_loops),
};
