/* Merging of two rows of up to W elements each: a part of move_stamp.h, with W and S(name). */

typedef I S(lanes) __attribute__((vector_size(W * sizeof(I))));

/* Elements of a row, filled up with indexes that none has. */
static inline void S(take)(S(lanes) * to, const void *indices, int64_t place, int64_t count) {
    S(lanes) taken, number, mask;
    for (int k = 0; k < W; k++)
        number[k] = (I)k;
    memcpy(&taken, (const I *)indices + place, sizeof taken);
    mask = number < (I)count;
    *to = (taken & mask) | (~mask & (I)NONE);
}

/* No step needs the one before: the place of an element is its number in its row and how many of
 * the other row come before it. What a row is filled up with has places after all others; 2 * W
 * elements are written. */
static inline int64_t S(merge)(const tni_csr_merge *call, const int64_t *from,
                               const int64_t *counts, I *indices, V *x, V *y) {
    const V *a = (const V *)call->a.values + from[0], *b = (const V *)call->b.values + from[1];
    S(lanes) one, other, place, next, same = {0};
    S(take)(&one, call->a.indices, from[0], counts[0]);
    S(take)(&other, call->b.indices, from[1], counts[1]);
    for (int k = 0; k < W; k++) {
        place[k] = (I)k;
        next[k] = (I)(k + W);
    }
    for (int k = 0; k < W; k++) {
        place -= other[k] < one; /* a true lane is -1 */
        next += other < one[k];
        same |= (other[k] == one) & (one != (I)NONE);
    }
    memset(x, 0, 2 * W * sizeof(V));
    memset(y, 0, 2 * W * sizeof(V));
    I is_shared = 0;
    for (int k = 0; k < W; k++) {
        indices[place[k]] = one[k];
        x[place[k]] = a[k];
        indices[next[k]] = other[k];
        y[next[k]] = b[k];
        is_shared |= same[k];
    }
    return is_shared ? N(join)(indices, x, y, counts[0] + counts[1]) : counts[0] + counts[1];
}

#undef S
#undef W
