/* The form "join": runs of bytes from several arrays, side by side in every row of one. */
#ifndef TNI_FORMS_JOIN_H
#define TNI_FORMS_JOIN_H

#include <tenorite/array.h>

enum { TNI_JOIN_PARTS = 128 };

/* to[row * row_bytes ...] = part 0's run `row`, then part 1's, ... A part's runs lie one after
 * the other, none is empty; so do the rows of the result, which may have other bytes after the
 * parts. */
typedef struct tni_join {
    char *to;
    int64_t rows, row_bytes;
    int count;
    struct {
        const char *from;
        int64_t run_bytes;
    } parts[TNI_JOIN_PARTS];
} tni_join;

#endif
