/* The loops of sort_keys.c for the dtype D, whose elements are words of W bits; undefines both. */
#define WORD TN_PASTE(word_, W)
#define BYTES (W / 8)
#define NAME(what) TN_PASTE(TN_PASTE(what, _), D)
#define KEY NAME(key)
#define WHOLE NAME(whole)
#define LOADED(step) (*(const WORD *)(const void *)(from + i * (step)))

#define ITEM TN_PASTE(ITEM_, W)

static void NAME(load_key)(void *items, const char *from, int64_t stride, int64_t n, int64_t first,
                           bool flip, int step) {
    const WORD turn = (WORD)(flip ? ~(WORD)0 : 0);
    ITEM *keys = items;
    (void)first;
    (void)step;
    BY_STRIDE(stride, BYTES, keys[i] = (WORD)(KEY(LOADED(at)) ^ turn))
}

static void NAME(load_pair)(void *items, const char *from, int64_t stride, int64_t n, int64_t first,
                            bool flip, int step) {
    const WORD turn = (WORD)(flip ? ~(WORD)0 : 0);
    pair *pairs = items;
    (void)step;
    BY_STRIDE(stride, BYTES,
              pairs[i] = ((pair){(WORD)(KEY(WHOLE(LOADED(at))) ^ turn), (uint64_t)(first + i)}))
}

#if W < 64
static void NAME(load_packed)(void *items, const char *from, int64_t stride, int64_t n,
                              int64_t first, bool flip, int step) {
    const WORD turn = (WORD)(flip ? ~(WORD)0 : 0);
    word_64 *packed = items;
    (void)step;
    BY_STRIDE(stride, BYTES,
              packed[i] =
                  (uint64_t)(WORD)(KEY(WHOLE(LOADED(at))) ^ turn) << 32 | (uint32_t)(first + i))
}
#else
#define load_packed_i64 NULL
#define load_packed_u64 NULL
#define load_packed_f64 NULL
#endif

static void NAME(store)(char *to, int64_t stride, const void *items, int64_t n, bool flip) {
    const WORD turn = (WORD)(flip ? ~(WORD)0 : 0);
    const ITEM *keys = items;
    BY_STRIDE(stride, BYTES,
              *(WORD *)(void *)(to + i * at) = NAME(bits)((WORD)((WORD)keys[i] ^ turn)))
}

/* Read as a key, in which -0 and 0 are equal. */
INLINE WORD NAME(read)(const char *from) {
    return KEY(WHOLE(*(const WORD *)(const void *)from));
}

INLINE bool NAME(is_before)(WORD seen, WORD value, bool is_right) {
    return is_right ? seen <= value : seen < value;
}

SEARCH(D, WORD, BYTES)

#undef WORD
#undef BYTES
#undef NAME
#undef KEY
#undef WHOLE
#undef LOADED
#undef ITEM
#undef W
#undef D
