/* What a key means.
 *
 * A key becomes a list of entries. Integers, slices, newaxis and the ellipsis are basic: they
 * alone give a view. One array of integers or bools among them is applied to the view that the
 * basic ones make, at the axis where it stands; as in NumPy its axes come first if a slice
 * stands between it and an integer. Several arrays, masks as the places where they are true,
 * index the view together. */
#include "array/key.h"

#include "array/entries.h"
#include "base/errors.h"
#include "base/object.h"

void ext_release_key(ext_parsed_key *m) {
    if (m->is_borrowed) return;
    tn_array_release(m->view);
    for (int k = 0; k < m->count; k++)
        tn_array_release(m->arrays[k]);
}

void ext_own_key(ext_parsed_key *m) {
    if (!m->is_borrowed) return;
    tn_array_retain(m->view);
    for (int k = 0; k < m->count; k++)
        tn_array_retain(m->arrays[k]);
    m->is_borrowed = false;
}

static int check_count(const tn_array *array, int axes) {
    if (axes <= tn_array_ndim(array)) return 0;
    PyErr_Format(PyExc_IndexError,
                 "too many indices for array: array is %d-dimensional, but %d were indexed",
                 tn_array_ndim(array), axes);
    return -1;
}

/* The axes that a key takes; -1 if it takes, or means, too many. */
static int count_axes(const tn_array *array, const ext_entry *entries, int count) {
    int all = 0, arrays = 0;
    for (int k = 0; k < count; k++) {
        int axes = ext_entry_axes(&entries[k]);
        all += axes;
        if (entries[k].array) arrays += axes ? axes : 1;
    }
    if (check_count(array, all)) return -1;
    if (arrays <= TN_MAX_NDIM) return all;
    PyErr_SetString(PyExc_IndexError, "too many indices for array");
    return -1;
}

/* A mask must have the sizes of the axes that it takes, from `axis` on, or the size zero. */
static int check_mask(const tn_array *array, const tn_array *mask, int axis) {
    for (int k = 0; k < tn_array_ndim(mask); k++) {
        int64_t size = tn_array_shape(array)[axis + k], mask_size = tn_array_shape(mask)[k];
        if (size == mask_size || mask_size == 0) continue;
        PyErr_Format(PyExc_IndexError,
                     "boolean index did not match indexed array along axis %d; size of axis is "
                     "%lld but size of corresponding boolean axis is %lld",
                     axis + k, (long long)size, (long long)mask_size);
        return -1;
    }
    return 0;
}

/* Whether something stands between the arrays and integers of the key. */
static bool stands_apart(const ext_entry *entries, int count) {
    int first = count, last = -1;
    for (int k = 0; k < count; k++)
        if (entries[k].array || entries[k].basic.kind == TN_INDEX_INTEGER) {
            if (k < first) first = k;
            last = k;
        }
    for (int k = first; k <= last; k++)
        if (!entries[k].array && entries[k].basic.kind != TN_INDEX_INTEGER) return true;
    return false;
}

/* The view with these `count` axes of it in front. */
static int move_to_front(ext_parsed_key *m, int count, const int *front) {
    int axes[TN_MAX_NDIM], ndim = tn_array_ndim(m->view), used = count;
    uint64_t moved_axes = 0;
    for (int k = 0; k < count; k++)
        moved_axes |= UINT64_C(1) << (axes[k] = front[k]);
    for (int k = 0; k < ndim; k++)
        if (!(moved_axes >> k & 1)) axes[used++] = k;
    tn_array *moved;
    tn_status status = tn_array_transpose(&moved, m->view, ndim, axes);
    if (status) return ext_raise(status), -1;
    tn_array_release(m->view);
    m->view = moved;
    return 0;
}

/* The axes that a lone array takes. */
static int move_lone_to_front(ext_parsed_key *m, int count) {
    int axes[TN_MAX_NDIM];
    for (int k = 0; k < count; k++)
        axes[k] = m->axes[0] + k;
    m->axes[0] = 0;
    return move_to_front(m, count, axes);
}

/* tn_op_at has the axes of neighbours in their place, but NumPy puts them in front where an
 * integer stood apart from them. */
static int move_places_to_front(ext_parsed_key *m) {
    if (m->count == 0 || m->place == m->axes[0]) return 0;
    if (move_to_front(m, m->count, m->axes)) return -1;
    for (int k = 0; k < m->count; k++)
        m->axes[k] = k;
    return 0;
}

/* Notes an array that indexes the view at `axis`; takes it over. */
static void add_array(ext_parsed_key *m, tn_array *index, int axis, int original_axis) {
    m->axes[m->count] = axis;
    m->shown[m->count] = original_axis;
    m->arrays[m->count++] = index;
}

/* A mask among other arrays is the places where it is true: as many arrays as it has axes. One
 * without axes adds one, of size 1 or 0, as if it had been an array of that size. Waits. */
static int add_mask(ext_parsed_key *m, const tn_array *mask, int axis, int original_axis) {
    int ndim = tn_array_ndim(mask);
    tn_array *places[TN_MAX_NDIM];
    tn_status status;
    if (ndim == 0) {
        tn_scalar truth;
        status = tn_array_item(&truth, mask, NULL);
        int64_t size = !status && truth.value.bytes[0];
        if (!status)
            status = tn_array_new_zeros(&places[0], TN_I64, 1, &size, TN_ORDER_C,
                                        tn_stream_get_current(tn_array_device(mask)));
    } else {
        status = tn_array_nonzero(places, mask, NULL);
    }
    if (status) return ext_raise(status), -1;
    for (int k = 0; k < (ndim ? ndim : 1); k++)
        add_array(m, places[k], axis + k, original_axis + k);
    return 0;
}

/* In the basic index, full slices stand for an array. A lone mask is left as it is. */
static int apply_arrays(ext_parsed_key *m, const tn_array *array, const ext_entry *entries,
                        int count, bool is_lone) {
    tn_index items[EXT_ENTRIES + TN_MAX_NDIM];
    int used = 0, taken = 0, before = 0, lone_axes = 0, all = count_axes(array, entries, count);
    bool has_ellipsis = false;
    if (all < 0) return -1;
    for (int k = 0; k < count; k++) {
        tn_array *index = entries[k].array;
        int axes = ext_entry_axes(&entries[k]);
        if (index) {
            if (ext_is_mask(index) && check_mask(array, index, taken)) return -1;
            if (is_lone || !ext_is_mask(index))
                add_array(m, tn_array_retain(index), before, taken);
            else if (add_mask(m, index, before, taken))
                return -1;
            for (int n = 0; n < axes; n++)
                items[used++] = (tn_index){TN_INDEX_SLICE, 0, 0, 1, false, false};
            before += lone_axes = axes;
            if (axes == 0 && !is_lone) { /* a bool */
                items[used++] = (tn_index){TN_INDEX_NEWAXIS, 0, 0, 0, false, false};
                before++;
            }
        } else {
            tn_index_kind kind = entries[k].basic.kind;
            items[used++] = entries[k].basic;
            if (kind == TN_INDEX_ELLIPSIS && !has_ellipsis) {
                has_ellipsis = true;
                axes = tn_array_ndim(array) - all;
                before += axes;
            } else if (kind == TN_INDEX_SLICE || kind == TN_INDEX_NEWAXIS) {
                before++;
            }
        }
        taken += axes;
    }
    tn_status status = tn_array_slice(&m->view, array, used, items);
    if (status) return ext_raise(status), -1;
    bool is_apart = stands_apart(entries, count);
    if (is_apart && is_lone && move_lone_to_front(m, lone_axes)) return -1;
    m->place = is_apart ? 0 : m->axes[0];
    return 0;
}

static int apply_basic(ext_parsed_key *m, const tn_array *array, const ext_entry *entries,
                       int count) {
    tn_index items[EXT_ENTRIES];
    for (int k = 0; k < count; k++)
        items[k] = entries[k].basic;
    tn_status status = tn_array_slice(&m->view, array, count, items);
    if (status) ext_raise(status);
    return status ? -1 : 0;
}

/* A key that is an array needs no view but the indexed array itself; the caller's objects keep
 * both. */
static int read_lone(ext_parsed_key *m, tn_array *array, tn_array *index) {
    int taken = ext_is_mask(index) ? tn_array_ndim(index) : 1;
    if (ext_check_index(index) || check_count(array, taken) ||
        (ext_is_mask(index) && check_mask(array, index, 0)))
        return -1;
    m->view = array;
    m->is_borrowed = true;
    add_array(m, index, 0, 0);
    return 0;
}

/* `as_places`: as ext_read_places() has it. */
static int read_any(ext_parsed_key *m, tn_array *array, PyObject *key, bool as_places) {
    ext_entry entries[EXT_ENTRIES];
    int count = ext_read_entries(entries, key, array), failed;
    if (count < 0) return -1;
    int arrays = ext_count_arrays(entries, count);
    if (arrays == 0)
        failed = apply_basic(m, array, entries, count);
    else
        failed =
            arrays < 0 ? -1 : apply_arrays(m, array, entries, count, arrays == 1 && !as_places);
    ext_release_entries(entries, count);
    if (!failed && as_places) failed = move_places_to_front(m);
    if (failed) ext_release_key(m);
    return failed;
}

static int parse_key_as(ext_parsed_key *m, tn_array *array, PyObject *key, bool as_places) {
    ext_init_key(m);
    if (ext_is_array(key) && !(as_places && ext_is_mask(ext_array(key))))
        return read_lone(m, array, ext_array(key));
    tn_array_retain(array); /* foreign code in the key may give the indexed object another */
    int failed = read_any(m, array, key, as_places);
    tn_array_release(array);
    return failed;
}

int ext_parse_key(ext_parsed_key *m, tn_array *array, PyObject *key) {
    return parse_key_as(m, array, key, false);
}

int ext_read_places(ext_parsed_key *m, tn_array *array, PyObject *key) {
    return parse_key_as(m, array, key, true);
}
