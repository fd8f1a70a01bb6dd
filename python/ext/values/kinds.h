/* Kinds of arguments and results of rows: arrays, and matrices by compressed rows. */
#ifndef TENORITE_EXT_VALUES_KINDS_H
#define TENORITE_EXT_VALUES_KINDS_H

#include "base/kinds.h"

/* What tenorite.scipy.sparse keeps of a matrix, the tuple (rows, columns, data, indices, indptr),
 * is csr, and the tuple (data, indices, indptr) of a new one made_csr. New arrays have the class of
 * the first argument, if that is an array. */
#define EXT_ARRAY_KINDS(KIND)                                                                      \
    KIND(array, tn_array *)                                                                        \
    KIND(optional_array, tn_array *)                                                               \
    KIND(matrix, tn_array *) /* an array, whose work is that of a product */                       \
    KIND(csr, tn_csr)                                                                              \
    KIND(ufunc, tn_op)                                                                             \
    KIND(out, tn_array *) /* an array, which is the result, or None: a new array is */             \
    KIND(made, tn_array *)                                                                         \
    KIND(made_or_none, tn_array *) /* NULL is None */                                              \
    KIND(made_csr, tn_csr_arrays)
EXT_ARRAY_KINDS(EXT_DECLARE_KIND)

#endif
