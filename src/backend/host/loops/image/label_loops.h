/* Inner loops of labels: lines of flags as bits, whose runs have numbers.
 *
 * A line is `words` words of 64 bits, the first element in the lowest bit; bits after the last
 * element are 0. Its runs are numbered from `first` on. In a line that is joined a run is as many
 * bits as are set beside each other, else one bit. Parents are T (i32 or i64); what has the lesser
 * number is the parent, so that a root is the first run of its part. */
#ifndef TNI_LABEL_LOOPS_H
#define TNI_LABEL_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tni_label_line {
    const uint64_t *bits;
    int64_t first;
} tni_label_line;

/* Which steps lead from a line to another: by -1, 0 and 1 element. */
enum { TNI_LABEL_BACK = 1, TNI_LABEL_LEVEL = 2, TNI_LABEL_AHEAD = 4 };

typedef struct tni_label_loops {
    /* How many runs a line has. */
    int64_t (*count)(const uint64_t *bits, int64_t words, bool is_joined);
    /* Unites the runs of a line with those of another to which steps lead. */
    void (*unite)(void *parents, tni_label_line line, tni_label_line other, int64_t words,
                  int steps, bool is_joined);
    /* The label of each element of a line: labels[run], or 0. labels[first - 1] may be read. */
    void (*write)(void *to, int64_t length, tni_label_line line, const void *labels,
                  bool is_joined);
} tni_label_loops;

#endif
