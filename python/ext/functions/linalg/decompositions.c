/* Decompositions of matrices, and what is solved with them, for the shells of tenorite.linalg,
 * which have seen to their types. */
#include "functions/linalg/decompositions.h"

#include "values/kinds.h"

#include <tenorite/linalg.h>

EXT_FORWARD(linalg_cholesky, tn_linalg_cholesky(&call->factor, call->a, call->upper, NULL),
            EXT_SIZED, (matrix, a), (truth, upper), (made, factor))
EXT_FORWARD(linalg_solve, tn_linalg_solve(&call->x, call->a, call->b, NULL), EXT_SIZED, (matrix, a),
            (array, b), (made, x))
EXT_FORWARD(linalg_inv, tn_linalg_inv(&call->inverse, call->a, NULL), EXT_SIZED, (matrix, a),
            (made, inverse))
EXT_FORWARD(linalg_det, tn_linalg_det(&call->det, call->a, NULL), EXT_SIZED, (matrix, a),
            (made, det))
EXT_FORWARD(linalg_slogdet, tn_linalg_slogdet(&call->sign, &call->log, call->a, NULL), EXT_SIZED,
            (matrix, a), (made, sign), (made, log))
EXT_FORWARD(linalg_lu, tn_linalg_lu(&call->lu, &call->pivots, call->a, NULL), EXT_SIZED,
            (matrix, a), (made, lu), (made, pivots))
EXT_FORWARD(linalg_lu_parts, tn_linalg_lu_parts(&call->lower, &call->upper, call->lu, NULL),
            EXT_SIZED, (matrix, lu), (made, lower), (made, upper))
EXT_FORWARD(linalg_lu_solve,
            tn_linalg_lu_solve(&call->x, call->lu, call->pivots, call->b,
                               (tn_transposition)call->transposition, NULL),
            EXT_SIZED, (matrix, lu), (array, pivots), (array, b), (number, transposition),
            (made, x))
EXT_FORWARD(linalg_permutation,
            tn_linalg_permutation(&call->places, call->pivots, call->rows, NULL), EXT_SIZED,
            (matrix, pivots), (int64, rows), (made, places))
EXT_FORWARD(linalg_cholesky_solve,
            tn_linalg_cholesky_solve(&call->x, call->factor, call->b, call->upper, NULL), EXT_SIZED,
            (matrix, factor), (array, b), (truth, upper), (made, x))

EXT_CALL(linalg_triangular, EXT_SIZED, (matrix, a), (array, b), (number, transposition),
         (truth, upper), (truth, unit), (made, x)) {
    const tn_triangular_options options = {(tn_transposition)call->transposition, call->upper,
                                           call->unit};
    return tn_linalg_triangular(&call->x, call->a, call->b, options, NULL);
}

EXT_FORWARD(linalg_qr, tn_linalg_qr(&call->q, &call->r, call->a, call->complete, NULL), EXT_SIZED,
            (matrix, a), (truth, complete), (made, q), (made, r))
EXT_FORWARD(linalg_qr_r, tn_linalg_qr(NULL, &call->r, call->a, false, NULL), EXT_SIZED, (matrix, a),
            (made, r))
EXT_FORWARD(linalg_qr_raw, tn_linalg_qr_raw(&call->h, &call->tau, call->a, NULL), EXT_SIZED,
            (matrix, a), (made, h), (made, tau))
EXT_FORWARD(linalg_eigh, tn_linalg_eigh(&call->values, &call->vectors, call->a, call->upper, NULL),
            EXT_SIZED, (matrix, a), (truth, upper), (made, values), (made, vectors))
EXT_FORWARD(linalg_eigvalsh, tn_linalg_eigh(&call->values, NULL, call->a, call->upper, NULL),
            EXT_SIZED, (matrix, a), (truth, upper), (made, values))
EXT_FORWARD(linalg_eig, tn_linalg_eig(&call->values, &call->vectors, call->a, NULL), EXT_SIZED,
            (matrix, a), (made, values), (made, vectors))
EXT_FORWARD(linalg_eigvals, tn_linalg_eig(&call->values, NULL, call->a, NULL), EXT_SIZED,
            (matrix, a), (made, values))
EXT_FORWARD(linalg_svd, tn_linalg_svd(&call->u, &call->s, &call->vh, call->a, call->full, NULL),
            EXT_SIZED, (matrix, a), (truth, full), (made, u), (made, s), (made, vh))
EXT_FORWARD(linalg_svdvals, tn_linalg_svd(NULL, &call->s, NULL, call->a, false, NULL), EXT_SIZED,
            (matrix, a), (made, s))
EXT_FORWARD(linalg_lstsq,
            tn_linalg_lstsq(&call->x, &call->residuals, &call->rank, &call->s, call->a, call->b,
                            call->rcond, NULL),
            EXT_SIZED, (matrix, a), (array, b), (real, rcond), (made, x), (made, residuals),
            (made, rank), (made, s))

/* The number of a tn_linalg_failures; gives back the one before. */
EXT_CALL(linalg_set_failures, EXT_SHORT, (number, failures), (made_number, before)) {
    call->before = (int)tn_linalg_set_failures((tn_linalg_failures)call->failures);
    return TN_OK;
}

PyMethodDef ext_decomposition_functions[] = {
    EXT_ENTRY(linalg_cholesky),    EXT_ENTRY(linalg_solve),
    EXT_ENTRY(linalg_inv),         EXT_ENTRY(linalg_det),
    EXT_ENTRY(linalg_slogdet),     EXT_ENTRY(linalg_lu),
    EXT_ENTRY(linalg_lu_parts),    EXT_ENTRY(linalg_lu_solve),
    EXT_ENTRY(linalg_permutation), EXT_ENTRY(linalg_cholesky_solve),
    EXT_ENTRY(linalg_triangular),  EXT_ENTRY(linalg_qr),
    EXT_ENTRY(linalg_qr_r),        EXT_ENTRY(linalg_qr_raw),
    EXT_ENTRY(linalg_eigh),        EXT_ENTRY(linalg_eigvalsh),
    EXT_ENTRY(linalg_eig),         EXT_ENTRY(linalg_eigvals),
    EXT_ENTRY(linalg_svd),         EXT_ENTRY(linalg_svdvals),
    EXT_ENTRY(linalg_lstsq),       EXT_ENTRY(linalg_set_failures),
    {NULL, NULL, 0, NULL}};
