/* Factors of sparse matrices as capsules, for the class SuperLU of tenorite.scipy.sparse.linalg. */
#include "functions/sparse/sparse_lu.h"

#include "values/kinds.h"

EXT_CAPSULE_KINDS(sparse_lu, tn_sparse_lu, tn_sparse_lu_release)

/* The matrix is given by columns; most: of elements, or 0. */
EXT_CALL(sparse_lu, EXT_LONG, (csr, matrix), (number, order), (real, threshold), (real, drop),
         (real, fill), (int64, most), (made_sparse_lu, factors)) {
    const tn_sparse_lu_options options = {
        .order = (tn_sparse_order)call->order,
        .diagonal_threshold = call->threshold,
        .drop_tolerance = call->drop,
        .fill = call->fill,
        .most_elements = call->most,
    };
    return tn_sparse_lu_new(&call->factors, &call->matrix, &options, NULL);
}

EXT_CALL(sparse_lu_size, EXT_SHORT, (sparse_lu, factors), (made_int64, n), (made_int64, lower),
         (made_int64, upper)) {
    tn_sparse_lu_size(call->factors, &call->n, &call->lower, &call->upper);
    return TN_OK;
}

EXT_FORWARD(sparse_lu_solve,
            tn_sparse_lu_solve(&call->x, call->factors, (tn_sparse_solve)call->how, call->b, NULL),
            EXT_LONG, (sparse_lu, factors), (number, how), (array, b), (made, x))
/* L and U, by columns. */
EXT_FORWARD(sparse_lu_factors, tn_sparse_lu_factors(&call->lower, &call->upper, call->factors),
            EXT_LONG, (sparse_lu, factors), (made_csr, lower), (made_csr, upper))
EXT_FORWARD(sparse_lu_places, tn_sparse_lu_places(&call->rows, &call->columns, call->factors),
            EXT_SHORT, (sparse_lu, factors), (made, rows), (made, columns))

PyMethodDef ext_sparse_lu_functions[] = {EXT_ENTRY(sparse_lu),        EXT_ENTRY(sparse_lu_size),
                                         EXT_ENTRY(sparse_lu_solve),  EXT_ENTRY(sparse_lu_factors),
                                         EXT_ENTRY(sparse_lu_places), {NULL, NULL, 0, NULL}};
