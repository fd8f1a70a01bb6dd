// cufft.h, cufftXt.h and cufftXtPriv.h: what they declare of callbacks.
#ifndef TNI_CUFFT_CALLBACKS
#define TNI_CUFFT_CALLBACKS
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;

#define TNI_CALLBACKS_OF(letter, type)                                                             \
    typedef type (*cufftCallbackLoad##letter)(void *, size_t, void *, void *);                     \
    typedef void (*cufftCallbackStore##letter)(void *, size_t, type, void *, void *);              \
    typedef type (*cufftJITCallbackLoad##letter)(void *, unsigned long long, void *, void *);      \
    typedef void (*cufftJITCallbackStore##letter)(void *, unsigned long long, type, void *, void *);
TNI_CALLBACKS_OF(R, cufftReal)
TNI_CALLBACKS_OF(D, cufftDoubleReal)
TNI_CALLBACKS_OF(C, cufftComplex)
TNI_CALLBACKS_OF(Z, cufftDoubleComplex)
#undef TNI_CALLBACKS_OF
#endif
