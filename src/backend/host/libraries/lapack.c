/* LAPACK: its functions are looked up once, in the library that libraries/blas.c has found.
 *
 * Invariant: after the first call nothing is written; a function that a dtype does not have is
 * NULL. */
#include "backend/host/libraries/lapack.h"

#include "backend/host/libraries/blas.h"
#include "core/base/error.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { DTYPES = TN_C128 - TN_F32 + 1, NAME_BYTES = 32 };

static const struct {
    size_t offset;
    const char *names[2]; /* of real, of complex dtypes */
} functions[] = {
#define INT int64_t
#define FN(field, of_real, of_complex, arguments)                                                  \
    {offsetof(tni_lapack, field), {of_real, of_complex}},
#include "backend/host/libraries/lapack.fn"
};

static tni_lapack tables[DTYPES];
static char missing[NAME_BYTES]; /* "": nothing is */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_dtype(tni_lapack *table, char letter, bool is_complex) {
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const char *base = functions[k].names[is_complex];
        char name[NAME_BYTES];
        if (!base) continue;
        snprintf(name, sizeof name, "%c%s_", letter, base);
        void *address = tni_blas_symbol(name);
        if (!address) memcpy(missing, name, sizeof missing);
        memcpy((char *)table + functions[k].offset, &address, sizeof address);
    }
}

static void load(void) {
    load_dtype(&tables[TN_F32 - TN_F32], 's', false);
    load_dtype(&tables[TN_F64 - TN_F32], 'd', false);
    load_dtype(&tables[TN_C64 - TN_F32], 'c', true);
    load_dtype(&tables[TN_C128 - TN_F32], 'z', true);
}

static tn_status fail_missing(void) {
    static const char advice[] =
        "install NumPy from its wheel, which brings OpenBLAS, or libopenblas of the system, or "
        "name a library in TENORITE_OPENBLAS_PATH";
    if (!tni_blas_path())
        return tni_fail(TN_ERROR_RUNTIME, "linear algebra needs LAPACK, and no BLAS was found: %s",
                        advice);
    return tni_fail(TN_ERROR_RUNTIME, "linear algebra needs LAPACK, and %s has no %s: %s",
                    tni_blas_path(), missing, advice);
}

tn_status tni_lapack_get(const tni_lapack **lapack, tn_dtype dtype) {
    pthread_once(&once, load);
    if (missing[0]) return fail_missing();
    *lapack = &tables[dtype - TN_F32];
    return TN_OK;
}

size_t tni_lapack_integer_bytes(void) {
    return (size_t)tni_blas_integer_bits() / 8;
}

int64_t tni_lapack_integer(int64_t written) {
    return tni_blas_integer_bits() == 64 ? written : (int32_t)written;
}

int64_t tni_lapack_integer_at(const void *integers, int64_t at) {
    return tni_blas_integer_bits() == 64 ? ((const int64_t *)integers)[at]
                                         : ((const int32_t *)integers)[at];
}

void tni_lapack_integer_put(void *integers, int64_t at, int64_t value) {
    if (tni_blas_integer_bits() == 64)
        ((int64_t *)integers)[at] = value;
    else
        ((int32_t *)integers)[at] = (int32_t)value;
}
