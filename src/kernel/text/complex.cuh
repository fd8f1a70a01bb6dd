// cupy/complex.cuh: thrust::complex by its bare name, with the functions that no argument finds.
#ifndef TNI_BARE_COMPLEX
#define TNI_BARE_COMPLEX
#include <thrust/complex.h>
using thrust::arg;
using thrust::complex;
using thrust::conj;
using thrust::imag;
using thrust::norm;
using thrust::polar;
using thrust::proj;
using thrust::real;
#endif
