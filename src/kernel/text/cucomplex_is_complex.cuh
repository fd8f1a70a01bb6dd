// The words of cuComplex.h as those of complex<T>, for programs that ask for it.
#ifndef TNI_CUCOMPLEX
#define TNI_CUCOMPLEX
#endif
#define cuFloatComplex complex<float>
#define cuDoubleComplex complex<double>
#define cuComplex complex<float>
#define make_cuFloatComplex complex<float>
#define make_cuDoubleComplex complex<double>
#define make_cuComplex complex<float>
#define cuCreal(z) real(z)
#define cuCrealf(z) real(z)
#define cuCimag(z) imag(z)
#define cuCimagf(z) imag(z)
#define cuConj(z) conj(z)
#define cuConjf(z) conj(z)
#define cuCabs(z) abs(z)
#define cuCabsf(z) abs(z)
#define cuCadd(a, b) ((a) + (b))
#define cuCaddf(a, b) ((a) + (b))
#define cuCsub(a, b) ((a) - (b))
#define cuCsubf(a, b) ((a) - (b))
#define cuCmul(a, b) ((a) * (b))
#define cuCmulf(a, b) ((a) * (b))
#define cuCdiv(a, b) ((a) / (b))
#define cuCdivf(a, b) ((a) / (b))
#define cuCfma(a, b, c) ((a) * (b) + (c))
#define cuCfmaf(a, b, c) ((a) * (b) + (c))
#define cuComplexFloatToDouble(z) complex<double>((z).real(), (z).imag())
#define cuComplexDoubleToFloat(z) complex<float>((z).real(), (z).imag())
