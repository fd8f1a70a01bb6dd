/* What the launches of a long sort share: numbers of elements, and what each pass does with a row.
 *
 * WIDE 1: rows have 2**30 elements or more. */
#ifndef SORT_PASSES_CUH
#define SORT_PASSES_CUH

#include "sort.cuh"

/* A number of a row's elements, in which two bits are free. */
#if WIDE
typedef tn_u64 Total;
#else
typedef unsigned Total;
#endif

/* Where a pass reads and writes: the input, the output, and two rooms of packed rows. */
enum { AT_INPUT, AT_OUTPUT, AT_FIRST, AT_SECOND };
/* What a pass does with a row: nothing, or a move from one place to another; the first pass of a
 * row makes the positions, the last one leaves the elements. */
enum { IS_ACTIVE = 1, IS_FIRST = 2, IS_LAST = 4, FROM_SHIFT = 4, TO_SHIFT = 6 };

#endif
