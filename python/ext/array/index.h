/* What an index means, for a[key] and for ufunc.at. */
#ifndef TENORITE_EXT_ARRAY_INDEX_H
#define TENORITE_EXT_ARRAY_INDEX_H

#include "base/ext.h"

/* A view and `count` arrays that index it: one, of integers or a mask, or several of integers. */
typedef struct ext_meaning {
    tn_array *view, *arrays[TN_MAX_NDIM];
    int count, place;                          /* of their axes in the result */
    int axes[TN_MAX_NDIM], shown[TN_MAX_NDIM]; /* of the view, of the indexed array */
    bool is_borrowed;                          /* from the objects that are being indexed */
} ext_meaning;

/* As tn_op_at has it: arrays of integers alone, masks being the places where they are true,
 * whose axes in view[arrays] stand where NumPy has them. Waits for masks. */
int ext_read_places(ext_meaning *m, tn_array *array, PyObject *key);
void ext_release_meaning(ext_meaning *m);

/* ndarray's subscript slots: any index that NumPy takes. */
PyObject *ext_subscript(PyObject *self, PyObject *key);
int ext_assign_subscript(PyObject *self, PyObject *key, PyObject *value); /* value NULL: del */

#endif
