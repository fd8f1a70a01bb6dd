/* Kinds of arguments and results of rows: arrays, and matrices by compressed rows. New arrays have
 * the class of the first argument, if that is an array. */
#ifndef TENORITE_EXT_VALUES_KINDS_H
#define TENORITE_EXT_VALUES_KINDS_H

#include "base/kinds.h"
#include "base/object.h"

#define EXT_VALUE_KINDS(KIND)                                                                      \
    KIND(ufunc, tn_op)                                                                             \
    KIND(ndarray, PyObject *) /* whose array is borrowed by the function itself */
EXT_VALUE_KINDS(EXT_ARGUMENT_KIND)

/* --- Arguments --- */

/* TypeError for what is no array. Gives -1. */
int ext_refuse_array(const ext_parameter *which, PyObject *object);

typedef tn_array *ext_given_array;
static inline int ext_read_array(void *to, PyObject *object, const ext_parameter *which) {
    (void)to;
    return ext_is_array(object) ? 0 : ext_refuse_array(which, object);
}
static inline void ext_lend_array(void *to, PyObject *object) {
    *(tn_array **)to = ext_array(object);
}
static inline int64_t ext_work_array(const void *from) {
    const tn_array *array = *(tn_array *const *)from;
    return array ? tn_array_size(array) : 0;
}
static const ext_kind ext_kind_array = {
    .read = ext_read_array, .lend = ext_lend_array, .work = ext_work_array};

/* None is NULL. */
typedef tn_array *ext_given_optional_array;
static inline int ext_read_optional_array(void *to, PyObject *object, const ext_parameter *which) {
    return object == Py_None ? 0 : ext_read_array(to, object, which);
}
static inline void ext_lend_optional_array(void *to, PyObject *object) {
    *(tn_array **)to = object == Py_None ? NULL : ext_array(object);
}
static const ext_kind ext_kind_optional_array = {
    .read = ext_read_optional_array, .lend = ext_lend_optional_array, .work = ext_work_array};

/* An array that is decomposed: multiplications, roughly, take as long as so many elements. */
typedef tn_array *ext_given_matrix;
int64_t ext_work_matrix(const void *from);
static const ext_kind ext_kind_matrix = {
    .read = ext_read_array, .lend = ext_lend_array, .work = ext_work_matrix};

/* What tenorite.scipy.sparse keeps of a matrix: (rows, columns, data, indices, indptr). */
typedef tn_csr ext_given_csr;
int ext_read_csr(void *to, PyObject *object, const ext_parameter *which);
void ext_lend_csr(void *to, PyObject *object);
int64_t ext_work_csr(const void *from);
static const ext_kind ext_kind_csr = {
    .read = ext_read_csr, .lend = ext_lend_csr, .work = ext_work_csr};

/* --- Results --- */

typedef tn_array *ext_given_made;
PyObject *ext_give_made(void *from, PyObject *object, PyObject *first);
void ext_release_made(void *from);
static const ext_kind ext_kind_made = {
    .give = ext_give_made, .release = ext_release_made, .pointers = 1};

/* NULL is None. */
typedef tn_array *ext_given_made_or_none;
PyObject *ext_give_made_or_none(void *from, PyObject *object, PyObject *first);
static const ext_kind ext_kind_made_or_none = {
    .give = ext_give_made_or_none, .release = ext_release_made, .pointers = 1};

/* (data, indices, indptr) */
typedef tn_csr_arrays ext_given_made_csr;
PyObject *ext_give_made_csr(void *from, PyObject *object, PyObject *first);
void ext_release_made_csr(void *from);
static const ext_kind ext_kind_made_csr = {
    .give = ext_give_made_csr, .release = ext_release_made_csr, .pointers = 3};

/* The array that the result goes to, which is given back; or None, and a new one is. */
typedef tn_array *ext_given_out;
PyObject *ext_give_out(void *from, PyObject *object, PyObject *first);
static const ext_kind ext_kind_out = {
    .read = ext_read_optional_array, .lend = ext_lend_optional_array, .give = ext_give_out};

#endif
