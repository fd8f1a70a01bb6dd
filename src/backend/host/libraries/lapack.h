/* LAPACK, from the library that the host's BLAS comes from (OpenBLAS has both).
 *
 * Fortran takes every argument by address, so one set of prototypes with int64_t serves integers of
 * 32 bits too: on a little-endian machine the library reads the low half of what it is given, and
 * of what it writes tni_lapack_integer() makes the value. Arrays of integers have elements of the
 * library's width. */
#ifndef TNI_HOST_LAPACK_H
#define TNI_HOST_LAPACK_H

#include <tenorite/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenorite/dtype.h>

/* The functions for one dtype. */
typedef struct tni_lapack {
#define INT int64_t
#define FN(field, of_real, of_complex, arguments) void(*field) arguments;
#include "backend/host/libraries/lapack.fn"
} tni_lapack;

/* The functions of f32, f64, c64 or c128; loads the library. TN_ERROR_RUNTIME, which says what to
 * install, if there is none or it lacks one of them. */
tn_status tni_lapack_get(const tni_lapack **lapack, tn_dtype dtype);

/* Bytes of an element of the library's arrays of integers. */
size_t tni_lapack_integer_bytes(void);
/* What the library wrote to an int64_t that was 0. */
int64_t tni_lapack_integer(int64_t written);
/* Element `at` of an array of integers that the library wrote or reads. */
int64_t tni_lapack_integer_at(const void *integers, int64_t at);
void tni_lapack_integer_put(void *integers, int64_t at, int64_t value);

#endif
