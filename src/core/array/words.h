/* Arrays of elements that are moved as words of the same memory: elements of any size (stored.h),
 * and numbers that are not aligned. So no form knows of either. */
#ifndef TNI_WORDS_H
#define TNI_WORDS_H

#include "core/array/array.h"

enum { TNI_WORDS_MAX = 2 };

/* The same memory as unsigned words, the widest that divide the element's size and every address
 * and stride of all arrays, which have one element size: one more axis, the last, unless an element
 * is a word. NULL stays NULL. */
typedef struct tni_words {
    tn_array *views[TNI_WORDS_MAX];
} tni_words;

tn_status tni_words_open(tni_words *words, int count, const tn_array *const *arrays);
void tni_words_close(tni_words *words);

#endif
