/* Bodies of programs: the expressions of the operation table as text for NVRTC.
 *
 * The table's expressions and conversions are made into strings by the C compiler, so a program
 * holds the few that it needs and nothing else. */
#ifndef TNI_CUDA_BODY_H
#define TNI_CUDA_BODY_H

#include "forms/elementwise.h"
#include "kernel/source.h"

/* The types of an element: in memory, and as bodies compute with it. */
const char *tni_body_stored(tn_dtype dtype);
const char *tni_body_working(tn_dtype dtype);

/* An operation's expression over a, b, c, d, and that of its second output ("": it has one). False
 * if there is none for the dtype. `moves`: it works on stored values (SELECT). */
bool tni_body_find(const char **text, const char **second, bool *moves, tn_op op, tn_dtype dtype);

/* Defines functions of one argument, by their name:
 *   load: working form of `loop` from a stored `stored`
 *   store: stored `stored` from the working form of `loop`, rounded to `loop` first
 *   cast: stored `to` from stored `from` */
void tni_body_add_load(tni_source *source, const char *name, tn_dtype stored, tn_dtype loop);
void tni_body_add_store(tni_source *source, const char *name, tn_dtype loop, tn_dtype stored);
void tni_body_add_cast(tni_source *source, const char *name, tn_dtype from, tn_dtype to);

/* Defines the function T name(T a, T b) on working forms, rounded to the dtype; false if the
 * operation has no expression for it. */
bool tni_body_add_binary(tni_source *source, const char *name, tn_op op, tn_dtype dtype);

/* Defines the function `result` name(T a[, T b]) from working forms of T to a stored value, rounded
 * to that. False if the operation has no expression for T. */
bool tni_body_add_step(tni_source *source, const char *name, tn_op op, tn_dtype dtype,
                       tn_dtype result, int count);

/* Defines the function T name() that gives what the fold of an operation may begin with. */
void tni_body_add_neutral(tni_source *source, const char *name, tn_op op, tn_dtype dtype);

#endif
