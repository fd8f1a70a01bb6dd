/* What stands in a key: its entries, basic ones and arrays. */
#ifndef TENORITE_EXT_ARRAY_ENTRIES_H
#define TENORITE_EXT_ARRAY_ENTRIES_H

#include "base/arguments.h"
#include "base/ext.h"

enum { EXT_ENTRIES = 2 * TN_MAX_NDIM + 1 };

typedef struct ext_entry {
    tn_index basic;
    tn_array *array; /* owned; NULL: basic */
} ext_entry;

/* IndexError: what an index may be. Returns -1. */
int ext_refuse_index(void);
/* Whether an array can index: integers or bools. -1 with an exception: no. */
int ext_check_index(tn_array *array);
/* Reads a key into EXT_ENTRIES entries; `beside`: the indexed array, on whose device arrays are
 * made. Returns how many, or -1. */
int ext_read_entries(ext_entry *entries, PyObject *key, const tn_array *beside);
/* Where several arrays stand in a key, those of one integer are read. How many are left, or -1. */
int ext_count_arrays(ext_entry *entries, int count);
/* Axes of the indexed array that an entry takes. */
int ext_entry_axes(const ext_entry *entry);
void ext_release_entries(ext_entry *entries, int count);

static inline bool ext_is_mask(const tn_array *array) {
    return tn_array_dtype(array) == TN_B8;
}

static inline void ext_set_integer(tn_index *index, int64_t value) {
    index->kind = TN_INDEX_INTEGER;
    index->start = value;
}

static inline int ext_read_slice(tn_index *index, PyObject *slice) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step)) return -1;
    *index = (tn_index){TN_INDEX_SLICE, start, stop, step, true, true};
    return 0;
}

static inline int ext_read_integer(tn_index *index, PyObject *object) {
    int64_t value;
    if (ext_int64(object, &value)) {
        return PyErr_ExceptionMatches(PyExc_OverflowError) ? ext_refuse_index() : -1;
    }
    ext_set_integer(index, value);
    return 0;
}

#endif
