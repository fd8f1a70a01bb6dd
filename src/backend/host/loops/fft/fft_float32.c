/* Loops of Fourier transforms in f32. */
typedef float real;
#define TNI_T_BYTES 4
#include "backend/host/loops/fft/vectors.h"

#include "backend/host/loops/fft/butterflies.h"

#include "backend/host/loops/fft/moves.h"

#include "backend/host/loops/fft/ends.h"

#include "backend/host/loops/fft/real.h"

#include "backend/host/loops/fft/cosines.h"

extern const tni_fft_loops LEVEL(tni_fft_loops_f32);
const tni_fft_loops LEVEL(tni_fft_loops_f32) = LOOPS;
