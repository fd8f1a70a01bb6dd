/* Sorting networks in vector registers, for up to 32 vectors of keys of W bits, by Batcher:
 * odd-even merges sort the keys of each lane, bitonic ones, in which each step compares upwards,
 * then join lanes. Undefines W.
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

/* Each key with the one as far from the other end of its block of lanes. */
INLINE void NAME(fold)(V *v, int rows, int lanes) {
    const uint32_t upper = lanes_with(lanes / 2);
    if (rows == 1) v[0] = NAME(take)(v[0], NAME(turn)(v[0], lanes - 1), upper);
    UNROLL for (int i = 0; i < rows / 2; i++) {
        const V low = v[i], high = NAME(turn)(v[rows - 1 - i], lanes - 1);
        v[i] = NAME(take)(low, high, upper);
        v[rows - 1 - i] = NAME(turn)(NAME(take)(high, low, ~upper), lanes - 1);
    }
}

/* Sorted runs of `half` rows become runs of twice as many. */
INLINE void NAME(merge_rows)(V *v, int rows, int half) {
    UNROLL for (int power = 3; power >= 0; power--) {
        const int apart = 1 << power;
        UNROLL for (int i = 0; i < rows - apart; i++) {
            const bool is_low = apart == half ? !(i & apart) : i & apart;
            if (apart <= half && is_low && i / (2 * half) == (i + apart) / (2 * half))
                NAME(order)(&v[i], &v[i + apart]);
        }
    }
}

/* Sorted halves of blocks of lanes become sorted blocks. */
INLINE void NAME(merge_lanes)(V *v, int rows, int lanes) {
    if (lanes > LANES) return;
    NAME(fold)(v, rows, lanes);
    UNROLL for (int power = 7; power >= 0; power--) if (4 << power <= lanes * rows)
        NAME(step)(v, rows, 1 << power);
}

#define SWAPPED(bit)                                                                               \
    case bit:                                                                                      \
        *a = __builtin_shufflevector(low, high, LISTED(LOW_SWAP_##bit, 0));                        \
        *b = __builtin_shufflevector(low, high, LISTED(HIGH_SWAP_##bit, 0));                       \
        break

/* The lanes of a with the bit exchanged for those of b without it. */
INLINE void NAME(swap_lanes)(V *a, V *b, int bit) {
    const V low = *a, high = *b;
    switch (bit) {
        SWAPPED(1);
        SWAPPED(2);
        SWAPPED(4);
        SWAPPED(8);
    }
}

/* Lane i of vector k becomes key i * rows + k of the whole: bits of the number of a lane change
 * places with those of the vector or, where there are more lanes, vectors are zipped. */
INLINE void NAME(swap_places)(V *v, int rows) {
    V swapped[TNI_NETWORK_VECTORS];
    if (rows >= LANES) {
        UNROLL for (int power = 0; power < 4; power++) {
            const int bit = 1 << power;
            UNROLL for (int i = 0; i < rows; i++) if (bit < LANES && !(i & bit))
                NAME(swap_lanes)(&v[i], &v[i | bit], bit);
        }
        UNROLL for (int i = 0; i < rows; i++) swapped[i % LANES * (rows / LANES) + i / LANES] =
            v[i];
        UNROLL for (int i = 0; i < rows; i++) v[i] = swapped[i];
        return;
    }
    UNROLL for (int power = 0; power < 4; power++) {
        if (1 << power >= rows) break;
        UNROLL for (int i = 0; i < rows / 2; i++) {
            swapped[2 * i] = __builtin_shufflevector(v[i], v[i + rows / 2], LISTED(LOW_ZIP, 0));
            swapped[2 * i + 1] =
                __builtin_shufflevector(v[i], v[i + rows / 2], LISTED(HIGH_ZIP, 0));
        }
        UNROLL for (int i = 0; i < rows; i++) v[i] = swapped[i];
    }
}

/* More than half of the vectors hold keys. */
INLINE void NAME(sort_vectors)(WORD *to, const WORD *from, int n, int rows) {
    V v[TNI_NETWORK_VECTORS];
    UNROLL for (int i = 0; i < rows; i++) v[i] =
        NAME(load_some)(from + i * LANES, n - i * LANES) ^ BIAS;
    UNROLL for (int power = 0; power < 4; power++) if (1 << power < rows)
        NAME(merge_rows)(v, rows, 1 << power);
    UNROLL for (int power = 1; power <= 5; power++) NAME(merge_lanes)(v, rows, 1 << power);
    NAME(swap_places)(v, rows);
    UNROLL for (int i = 0; i < rows; i++)
        NAME(store_some)(to + i * LANES, v[i] ^ BIAS, n - i * LANES);
}

/* Keys that rise and then fall, in the order of lanes and vectors, become sorted. */
INLINE void NAME(sort_bitonic)(V *v) {
    UNROLL for (int power = 3; power >= 0; power--) {
        UNROLL for (int i = 0; i < TNI_NETWORK_VECTORS; i++) if (!(i >> power & 1))
            NAME(order)(&v[i], &v[i | 1 << power]);
    }
    UNROLL for (int power = 4; power >= 0; power--) {
        UNROLL for (int i = 0; i < TNI_NETWORK_VECTORS; i++) if (1 << power < LANES) v[i] =
            NAME(take)(v[i], NAME(turn)(v[i], 1 << power), lanes_with(1 << power));
    }
}

/* More keys than vectors hold, and up to twice as many: both halves, and a merge. */
static void NAME(sort_twice)(WORD *to, const WORD *from, int n) {
    enum { HALF = TNI_NETWORK_VECTORS * LANES };
    WORD room[2 * HALF];
    V low[TNI_NETWORK_VECTORS], high[TNI_NETWORK_VECTORS];
    memset(room + HALF, 0xFF, sizeof room / 2);
    NAME(sort_vectors)(room, from, HALF, TNI_NETWORK_VECTORS);
    NAME(sort_vectors)(room + HALF, from + HALF, n - HALF, TNI_NETWORK_VECTORS);
    UNROLL for (int i = 0; i < TNI_NETWORK_VECTORS; i++) {
        low[i] = *(const NAME(loose) *)(room + i * LANES) ^ BIAS;
        high[i] =
            NAME(turn)(*(const NAME(loose) *)(room + 2 * HALF - (i + 1) * LANES), LANES - 1) ^ BIAS;
        NAME(order)(&low[i], &high[i]);
    }
    NAME(sort_bitonic)(low);
    UNROLL for (int i = 0; i < TNI_NETWORK_VECTORS; i++)
        NAME(store_some)(to + i * LANES, low[i] ^ BIAS, LANES);
    NAME(sort_bitonic)(high);
    UNROLL for (int i = 0; i < TNI_NETWORK_VECTORS; i++)
        NAME(store_some)(to + HALF + i * LANES, high[i] ^ BIAS, n - HALF - i * LANES);
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
    else if (vectors <= 16)
        NAME(sort_vectors)(to, from, n, 16);
    else
        NAME(sort_twice)(to, from, n);
}

#undef NAME
#undef V
#undef WORD
#undef LANES
#undef BIAS
#undef LISTED
#undef TURNED
#undef SWAPPED
#undef W
