/* One line of complex numbers, as long as any. */
#ifndef TNI_HOST_FFT_LINE_H
#define TNI_HOST_FFT_LINE_H

#include "backend/host/forms/fft/plan.h"

/* Slots of tni_scratch(): a block's buffers, a line's matrix, Bluestein's line, a caller's. */
enum { TNI_FFT_SLOT_BLOCK, TNI_FFT_SLOT_MATRIX, TNI_FFT_SLOT_CHIRP, TNI_FFT_SLOT_LINE };

/* Transforms the line at `from` to `to`, which may be the same. Of the places only parts and step
 * count, and of `to` the scales. Shares a long line among the threads. */
tn_status tni_fft_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                       const tni_fft_place *to);

/* Memory of a slot; the failure is told. */
tn_status tni_fft_scratch(void *result, int slot, int64_t bytes);

/* The place of the part that lies so many real numbers on. */
static inline void *tni_fft_at(const void *part_at, int64_t count, int64_t part) {
    return part_at ? (char *)(uintptr_t)part_at + count * part : NULL;
}

/* Copies `count` complex numbers from one place to another, times the scales of `to`. */
void tni_fft_copy(const tni_fft_place *to, const tni_fft_place *from, int64_t count, int64_t part);

#endif
