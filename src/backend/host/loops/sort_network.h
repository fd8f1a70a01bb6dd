/* Sorting networks in vector registers, for up to 16 vectors of keys of W bits: Batcher's bitonic
 * sort, in which each step compares upwards. Undefines W.
 *
 * Key i of the whole is lane i / rows of vector i % rows, so that most steps compare vector with
 * vector; at the end lanes and vectors change places. Keys that are missing in the last vectors are
 * taken as the largest. */
#define NAME(what) TN_PASTE(TN_PASTE(what, _), W)
#define V NAME(vector)
#define WORD TN_PASTE(TN_PASTE(uint, W), _t)
#define LANES TN_PASTE(LANES_, W)
#define BIAS TN_PASTE(BIAS_, W)
#define LISTED TN_PASTE(LIST_, LANES)
#define TURNED(m)                                                                                  \
    case m: return __builtin_shufflevector(v, v, LISTED(TURNED_##m, 0))

/* Lanes i and i ^ m exchanged. */
INLINE V NAME(turn)(V v, int m) {
    switch (m) {
        TURNED(1);
        TURNED(2);
        TURNED(3);
        TURNED(4);
        TURNED(7);
        TURNED(8);
        TURNED(15);
        TURNED(16);
    default: return __builtin_shufflevector(v, v, LISTED(TURNED_31, 0));
    }
}

INLINE void NAME(order)(V *low, V *high) {
    const V least = NAME(least)(*low, *high);
    *high = NAME(most)(*low, *high);
    *low = least;
}

/* Each key with the one `apart` places further on, of blocks of twice as many. */
INLINE void NAME(step)(V *v, int rows, int apart) {
    if (apart < rows) {
        UNROLL for (int i = 0; i < rows; i++) if (!(i & apart)) NAME(order)(&v[i], &v[i | apart]);
    } else {
        UNROLL for (int i = 0; i < rows; i++) v[i] =
            NAME(take)(v[i], NAME(turn)(v[i], apart / rows), lanes_with(apart / rows));
    }
}

/* Each key with the one as far from the other end of its block. */
INLINE void NAME(fold)(V *v, int rows, int block) {
    const int lanes = block / rows;
    if (lanes <= 1) {
        UNROLL for (int i = 0; i < rows; i++) if (!(i & block / 2))
            NAME(order)(&v[i], &v[i ^ (block - 1)]);
    } else if (rows == 1) {
        v[0] = NAME(take)(v[0], NAME(turn)(v[0], lanes - 1), lanes_with(lanes / 2));
    } else {
        UNROLL for (int i = 0; i < rows / 2; i++) {
            const V low = v[i], high = NAME(turn)(v[rows - 1 - i], lanes - 1);
            v[i] = NAME(take)(low, high, lanes_with(lanes / 2));
            v[rows - 1 - i] = NAME(turn)(NAME(take)(high, low, ~lanes_with(lanes / 2)), lanes - 1);
        }
    }
}

/* Sorted halves of blocks become sorted blocks. */
INLINE void NAME(merge)(V *v, int rows, int block) {
    if (block > rows * LANES) return;
    NAME(fold)(v, rows, block);
    UNROLL for (int power = 7; power >= 0; power--) if (4 << power <= block)
        NAME(step)(v, rows, 1 << power);
}

/* Lane i of vector k becomes key i * rows + k of the whole. */
INLINE void NAME(swap_places)(V *v, int rows) {
    V zipped[TNI_NETWORK_VECTORS];
    UNROLL for (int power = 0; power < 4; power++) {
        if (1 << power >= rows) break;
        UNROLL for (int i = 0; i < rows / 2; i++) {
            zipped[2 * i] = __builtin_shufflevector(v[i], v[i + rows / 2], LISTED(LOW_ZIP, 0));
            zipped[2 * i + 1] = __builtin_shufflevector(v[i], v[i + rows / 2], LISTED(HIGH_ZIP, 0));
        }
        UNROLL for (int i = 0; i < rows; i++) v[i] = zipped[i];
    }
}

/* More than half of the vectors hold keys. */
INLINE void NAME(sort_vectors)(WORD *to, const WORD *from, int n, int rows) {
    V v[TNI_NETWORK_VECTORS];
    UNROLL for (int i = 0; i < rows; i++) v[i] =
        NAME(load_some)(from + i * LANES, n - i * LANES) ^ BIAS;
    UNROLL for (int power = 1; power <= 9; power++) NAME(merge)(v, rows, 1 << power);
    NAME(swap_places)(v, rows);
    UNROLL for (int i = 0; i < rows; i++)
        NAME(store_some)(to + i * LANES, v[i] ^ BIAS, n - i * LANES);
}

static void NAME(network)(void *to, const void *from, int n) {
    const int vectors = (n + LANES - 1) / LANES;
    if (vectors <= 1)
        NAME(sort_vectors)(to, from, n, 1);
    else if (vectors == 2)
        NAME(sort_vectors)(to, from, n, 2);
    else if (vectors <= 4)
        NAME(sort_vectors)(to, from, n, 4);
    else if (vectors <= 8)
        NAME(sort_vectors)(to, from, n, 8);
    else
        NAME(sort_vectors)(to, from, n, 16);
}

#undef NAME
#undef V
#undef WORD
#undef LANES
#undef BIAS
#undef LISTED
#undef TURNED
#undef W
