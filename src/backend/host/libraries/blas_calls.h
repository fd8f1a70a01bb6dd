/* The calls into a CBLAS of one integer width, stamped for both.
 *
 * A file that includes this defines BITS (32 or 64), which is undefined at the end. It makes the
 * struct of the library's functions, and gemm and syrk over the dtypes. */
#define NAME(name) TNI_BLAS_PASTE(name, BITS)
#define INTEGER TNI_BLAS_INTEGER(BITS)

typedef struct NAME(functions) {
#define INT INTEGER
#define FN(name, result, arguments) result(*name) arguments;
#include "backend/host/libraries/blas.fn"
} NAME(functions);

static NAME(functions) NAME(blas);

static const tni_symbol NAME(symbols)[] = {
#define INT INTEGER
#define FN(name, result, arguments) {#name, offsetof(NAME(functions), name), false},
#include "backend/host/libraries/blas.fn"
};

/* Whether all functions are there. */
static bool NAME(load)(const library *from) {
    return !tni_library_bind(from->handle, from->prefix, from->suffix, NAME(symbols),
                             sizeof NAME(symbols) / sizeof *NAME(symbols), &NAME(blas));
}

static void NAME(gemm)(const operands *o) {
    INTEGER m = (INTEGER)o->m, n = (INTEGER)o->n, k = (INTEGER)o->k, lda = (INTEGER)o->a.step,
            ldb = (INTEGER)o->b.step, ldc = (INTEGER)o->out.step;
    int order = o->order, ta = o->a.trans, tb = o->b.trans;
    const void *a = o->a.data, *b = o->b.data;
    void *c = o->out.data;
    switch (o->dtype) {
    case TN_F32:
        NAME(blas).cblas_sgemm(order, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
        break;
    case TN_F64:
        NAME(blas).cblas_dgemm(order, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
        break;
    case TN_C64:
        NAME(blas).cblas_cgemm(order, ta, tb, m, n, k, one_c64, a, lda, b, ldb, zero_c64, c, ldc);
        break;
    default:
        NAME(blas).cblas_zgemm(order, ta, tb, m, n, k, one_c128, a, lda, b, ldb, zero_c128, c, ldc);
    }
}

/* The upper triangle of a transpose(a), m x m. */
static void NAME(syrk)(const operands *o) {
    INTEGER m = (INTEGER)o->m, k = (INTEGER)o->k, lda = (INTEGER)o->a.step,
            ldc = (INTEGER)o->out.step;
    int order = o->order, ta = o->a.trans;
    const void *a = o->a.data;
    void *c = o->out.data;
    switch (o->dtype) {
    case TN_F32: NAME(blas).cblas_ssyrk(order, UPPER, ta, m, k, 1, a, lda, 0, c, ldc); break;
    case TN_F64: NAME(blas).cblas_dsyrk(order, UPPER, ta, m, k, 1, a, lda, 0, c, ldc); break;
    case TN_C64:
        NAME(blas).cblas_csyrk(order, UPPER, ta, m, k, one_c64, a, lda, zero_c64, c, ldc);
        break;
    default: NAME(blas).cblas_zsyrk(order, UPPER, ta, m, k, one_c128, a, lda, zero_c128, c, ldc);
    }
}

static const calls NAME(calls) = {NAME(load), NAME(gemm), NAME(syrk)};

#undef NAME
#undef INTEGER
#undef BITS
