/* The calls into a CBLAS of one integer width, stamped for both.
 *
 * Whoever includes this file defines, and it undefines again: BITS (32 or 64). It makes the struct of
 * the library's functions, and gemm, syrk, gemv and dot over the dtypes. Leading dimensions and
 * increments come in elements. */
#define NAME(name) TNI_BLAS_PASTE(name, BITS)
#define INTEGER TNI_BLAS_INTEGER(BITS)

typedef struct NAME(functions) {
#define INT INTEGER
#define FN(name, result, arguments) result(*name) arguments;
#include "backend/host/blas.fn"
} NAME(functions);

static NAME(functions) NAME(blas);

/* Whether all functions are there. */
static bool NAME(load)(const library *from) {
    bool complete = true;
#define INT INTEGER
#define FN(name, result, arguments)                                                                \
    complete = find(from, #name, &NAME(blas).name, sizeof NAME(blas).name) && complete;
#include "backend/host/blas.fn"
    return complete;
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

/* One triangle of a transpose(a), m x m: the upper one of rows that lie along memory. */
static void NAME(syrk)(const operands *o) {
    INTEGER m = (INTEGER)o->m, k = (INTEGER)o->k, lda = (INTEGER)o->a.step,
            ldc = (INTEGER)o->out.step;
    int order = o->order, ta = o->a.trans, uplo = order == ROWS ? UPPER : LOWER;
    const void *a = o->a.data;
    void *c = o->out.data;
    switch (o->dtype) {
    case TN_F32: NAME(blas).cblas_ssyrk(order, uplo, ta, m, k, 1, a, lda, 0, c, ldc); break;
    case TN_F64: NAME(blas).cblas_dsyrk(order, uplo, ta, m, k, 1, a, lda, 0, c, ldc); break;
    case TN_C64:
        NAME(blas).cblas_csyrk(order, uplo, ta, m, k, one_c64, a, lda, zero_c64, c, ldc);
        break;
    default: NAME(blas).cblas_zsyrk(order, uplo, ta, m, k, one_c128, a, lda, zero_c128, c, ldc);
    }
}

/* out = a b, b and out being vectors; a.trans says how a is stored. */
static void NAME(gemv)(const operands *o) {
    bool stored_turned = o->a.trans == TRANS;
    INTEGER rows = (INTEGER)(stored_turned ? o->k : o->m),
            columns = (INTEGER)(stored_turned ? o->m : o->k), lda = (INTEGER)o->a.step,
            incx = (INTEGER)o->b.step, incy = (INTEGER)o->out.step;
    int ta = o->a.trans;
    const void *a = o->a.data, *x = o->b.data;
    void *y = o->out.data;
    switch (o->dtype) {
    case TN_F32:
        NAME(blas).cblas_sgemv(ROWS, ta, rows, columns, 1, a, lda, x, incx, 0, y, incy);
        break;
    case TN_F64:
        NAME(blas).cblas_dgemv(ROWS, ta, rows, columns, 1, a, lda, x, incx, 0, y, incy);
        break;
    case TN_C64:
        NAME(blas).cblas_cgemv(ROWS, ta, rows, columns, one_c64, a, lda, x, incx, zero_c64, y,
                               incy);
        break;
    default:
        NAME(blas).cblas_zgemv(ROWS, ta, rows, columns, one_c128, a, lda, x, incx, zero_c128, y,
                               incy);
    }
}

static void NAME(dot)(const operands *o, bool conjugate) {
    INTEGER k = (INTEGER)o->k, incx = (INTEGER)o->a.step, incy = (INTEGER)o->b.step;
    const void *x = o->a.data, *y = o->b.data;
    void *out = o->out.data;
    switch (o->dtype) {
    case TN_F32: *(float *)out = NAME(blas).cblas_sdot(k, x, incx, y, incy); break;
    case TN_F64: *(double *)out = NAME(blas).cblas_ddot(k, x, incx, y, incy); break;
    case TN_C64:
        if (conjugate)
            NAME(blas).cblas_cdotc_sub(k, x, incx, y, incy, out);
        else
            NAME(blas).cblas_cdotu_sub(k, x, incx, y, incy, out);
        break;
    default:
        if (conjugate)
            NAME(blas).cblas_zdotc_sub(k, x, incx, y, incy, out);
        else
            NAME(blas).cblas_zdotu_sub(k, x, incx, y, incy, out);
    }
}

static const calls NAME(calls) = {NAME(load), NAME(gemm), NAME(syrk), NAME(gemv), NAME(dot)};

#undef NAME
#undef INTEGER
#undef BITS
