/* One line of an odd number of real numbers. */
#ifndef TNI_HOST_FFT_REAL_LINE_H
#define TNI_HOST_FFT_REAL_LINE_H

#include "backend/host/forms/fft/line.h"

/* Transforms the real numbers at `from` (plan->n is odd, and not convolved): `to` gets the elements
 * up to n / 2. And back (conjugates: of the conjugates of what is given). */
tn_status tni_fft_real_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                            const tni_fft_place *to);
tn_status tni_fft_hermitian_line(const tni_fft_host_plan *plan, const tni_fft_place *from,
                                 const tni_fft_place *to, bool conjugates);

#endif
