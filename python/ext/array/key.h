/* A key as it is parsed, for a[key] and for ufunc.at. */
#ifndef TENORITE_EXT_ARRAY_KEY_H
#define TENORITE_EXT_ARRAY_KEY_H

#include "base/ext.h"

/* A view and `count` arrays that index it: one, of integers or a mask, or several of integers. */
typedef struct ext_parsed_key {
    tn_array *view, *arrays[TN_MAX_NDIM];
    int count, place;                          /* of their axes in the result */
    int axes[TN_MAX_NDIM], shown[TN_MAX_NDIM]; /* of the view, of the indexed array */
    bool is_borrowed;                          /* from the objects that are being indexed */
} ext_parsed_key;

static inline void ext_init_key(ext_parsed_key *m) { /* the rest is long, and not read */
    m->view = NULL;
    m->count = m->place = 0;
    m->is_borrowed = false;
}

/* Any key that NumPy takes. -1: an exception. */
int ext_parse_key(ext_parsed_key *m, tn_array *array, PyObject *key);
/* As tn_op_at has it: arrays of integers alone, masks being the places where they are true,
 * whose axes in view[arrays] stand where NumPy has them. Waits for masks. */
int ext_read_places(ext_parsed_key *m, tn_array *array, PyObject *key);
/* Before foreign code runs, which may give the indexed objects other arrays. */
void ext_own_key(ext_parsed_key *m);
void ext_release_key(ext_parsed_key *m);

#endif
