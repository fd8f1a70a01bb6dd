/* Matrices by compressed rows, for the classes of tenorite.scipy.sparse, which check and complete
 * what they were given. */
#include "functions/sparse/sparse.h"

#include "values/kinds.h"

/* What is to be said of the matrix, as tn_csr_inspect has the bits. */
EXT_FORWARD(csr_inspect, tn_csr_inspect(&call->findings, &call->a, NULL), EXT_SIZED, (csr, a),
            (made_number, findings))
/* dense None: sums. */
EXT_FORWARD(csr_multiply,
            tn_csr_multiply(&call->product, &call->a, call->is_transposed, call->dense, NULL),
            EXT_SIZED, (csr, a), (optional_array, dense), (truth, is_transposed), (made, product))
/* Adds to an array. */
EXT_FORWARD(csr_scatter, tn_csr_scatter(call->to, &call->a, NULL), EXT_SIZED, (csr, a), (array, to))
EXT_FORWARD(csr_compress,
            tn_csr_compress(&call->compressed, call->rows, call->columns, call->data, call->row,
                            call->column, NULL),
            EXT_SIZED, (elements, rows), (int64, columns), (array, data), (array, row),
            (array, column), (made_csr, compressed))
EXT_FORWARD(csr_transpose, tn_csr_transpose(&call->transposed, &call->a, NULL), EXT_SIZED, (csr, a),
            (made_csr, transposed))
/* Neighbours of equal index are summed. */
EXT_FORWARD(csr_unite, tn_csr_unite(&call->united, &call->a, NULL), EXT_SIZED, (csr, a),
            (made_csr, united))
/* In place. */
EXT_FORWARD(csr_sort, tn_csr_sort(&call->a, NULL), EXT_SIZED, (csr, a))
EXT_FORWARD(csr_product, tn_csr_product(&call->product, &call->a, &call->b, NULL), EXT_SIZED,
            (csr, a), (csr, b), (made_csr, product))
EXT_FORWARD(csr_merge,
            tn_csr_merge(&call->merged, (int)call->op, call->dtype, &call->a, &call->b, NULL),
            EXT_SIZED, (ufunc, op), (dtype, dtype), (csr, a), (csr, b), (made_csr, merged))
/* chosen: an array of int64 or None. */
EXT_FORWARD(csr_rows,
            tn_csr_rows(&call->made, &call->a, call->chosen, call->first, call->step, call->rows,
                        NULL),
            EXT_SIZED, (csr, a), (optional_array, chosen), (int64, first), (int64, step),
            (int64, rows), (made_csr, made))
/* Steps in place. */
EXT_FORWARD(csr_conjugate,
            tn_csr_conjugate(&call->a, call->inverse, call->x, call->r, call->p, call->numbers,
                             call->limit, call->steps, NULL),
            EXT_LONG, (csr, a), (optional_array, inverse), (array, x), (array, r), (array, p),
            (array, numbers), (real, limit), (int64, steps))

PyMethodDef ext_sparse_functions[] = {
    EXT_ENTRY(csr_inspect),  EXT_ENTRY(csr_multiply),  EXT_ENTRY(csr_scatter),
    EXT_ENTRY(csr_compress), EXT_ENTRY(csr_transpose), EXT_ENTRY(csr_unite),
    EXT_ENTRY(csr_sort),     EXT_ENTRY(csr_product),   EXT_ENTRY(csr_merge),
    EXT_ENTRY(csr_rows),     EXT_ENTRY(csr_conjugate), {NULL, NULL, 0, NULL}};
