/* What an evaluation notes of the groups that it runs, for explanations. */
#ifndef TNI_KERNEL_EXPRESSION_NOTES_H
#define TNI_KERNEL_EXPRESSION_NOTES_H

#include "core/array/array.h"
#include "core/reduce/map.h"
#include "core/stream/stream.h"
#include "forms/fused_rows.h"
#include "kernel/expression/places.h"

#include <tenorite/explain.h>

enum { TNI_WHY_TEXT = 512 };

/* A group, and what tells whether a later one reads what it made. */
typedef struct tni_noted {
    tn_explained_group shown; /* its pointers are to the members below */
    unsigned launched;        /* on the stream before the group */
    int made_count;
    struct { /* to be compared, not used */
        const tn_buffer *buffer;
        const tn_array *array;
    } made[TNI_EXPRESSION_ARGUMENTS];
    int64_t shape[TN_MAX_NDIM];
    char why[TNI_WHY_TEXT];
    tn_explained_operation operations[];
} tni_noted;

struct tn_explanation {
    tn_stream *stream; /* while it is made */
    int count, capacity;
    tni_noted **groups;
    char *text;
    tn_explained_cost unfused;
    bool is_cut;             /* at random, for debugging */
    int floor, floor_before; /* of the groups' levels, now and when one was noted last */
    /* Why rows are not one group, and why (of each node) a fold does not take what it reads: the
     * second half of a sentence. NULL: nothing is known. */
    const char *rows_why, **fold_whys;
};

/* What will be evaluated, and what its nodes cost one by one. */
tn_status tni_note_begin(tn_explanation *e, const tni_schedule *s);

/* Each notes a group that runs next, where an explanation is wanted, and adds what it costs where
 * that is. */

/* A call of the form "expression", or (`folds`) of "fused_rows"; `arrays` are those of its
 * arguments, NULL for scalars. */
tn_status tni_note_call(tni_schedule *s, const tni_expression *call, const tn_array *const *arrays,
                        const tni_fused_rows *rows, int ndim, const int64_t *shape);
/* An operation by itself, since the group's program could not be made (`why`); `arrays` are those
 * that it reads (NULL: a scalar), then those that it makes. */
tn_status tni_note_single(tni_schedule *s, const tni_expression_step *step, tn_dtype dtype,
                          const tn_array *const *arrays, int ndim, const int64_t *shape,
                          const char *why);
/* The reduction of a node, of an array or (`array` NULL) of what a map makes of arrays. */
tn_status tni_note_fold(tni_schedule *s, int n, bool is_single, const tn_array *array,
                        const tni_map *map);
/* What the reduction that was noted last made. */
void tni_note_result(tni_schedule *s, const tn_array *made);
/* Elements that are moved from an array, or (NULL) a scalar's. */
tn_status tni_note_copy(tni_schedule *s, const tn_array *to, const tn_array *from, const char *why);
/* The group that was noted last does not run after all. */
void tni_note_undo(tni_schedule *s);
/* The bytes of an array's elements; those that several indexes show count once. */
int64_t tni_note_bytes(const tn_array *array);
/* All groups have run. */
void tni_note_end(tn_explanation *e);

static inline void tni_note_why_rows(tn_explanation *e, const char *why) {
    if (e) e->rows_why = why;
}
static inline void tni_note_why_fold(tn_explanation *e, int n, const char *why) {
    if (e) e->fold_whys[n] = why;
}

#endif
