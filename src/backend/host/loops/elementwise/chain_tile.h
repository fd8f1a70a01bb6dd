/* All links for COUNT vectors, or for n bytes of one (WAY: WHOLE or PART), as NAME(tile). Included
 * by chain_stamp.h. */
#define EACH TN_PASTE(TIMES_, COUNT)
#define LOADED TN_PASTE(LOAD_, WAY)
#define STORED TN_PASTE(STORE_, WAY)
#define ELEMENTS (TN_PASTE(BYTES_, WAY)(COUNT) / (int)sizeof(T))
#define STREAMED TN_PASTE(STREAM_, WAY)

static inline __attribute__((always_inline)) void TILE(COUNT, WAY)(const tni_link *links,
                                                                   int64_t offset, int64_t n,
                                                                   bool is_rest) {
    EACH(ZERO, )
    (void)n, (void)is_rest;
    for (const tni_link *link = links;; link++) {
        char *at = AT(link);
        switch (link->code) {
        case CODE(END, MEMORY): return;
        default: __builtin_trap(); /* a link that forms/operations.c does not write */
#define PAIR(name, K, text)                                                                        \
    IF_##K(CASE(name, MEMORY, EACH(OF_MEMORY, text)) CASE(name, NUMBER, EACH(OF_NUMBER, text)))
#define SHIFT(name, many, one)                                                                     \
    IF_I(CASE(name, MEMORY, EACH(OF_MEMORY, many)) CASE(name, NUMBER, EACH(OF_COUNT, one)))
#define ALONE(name, K, text) IF_##K(CASE(name, MEMORY, EACH(OF_A, text)))
#include "backend/host/loops/elementwise/chain.def"
            CASE(BEGIN, MEMORY, EACH(OF_MEMORY, b))
            CASE(BEGIN, NUMBER, EACH(OF_NUMBER, b))
            CASE(SELECT, MEMORY, EACH(CHOSEN, OTHER_MEMORY, CHOICE(is, a, b)) link++)
            CASE(SELECT, NUMBER, EACH(CHOSEN, OTHER_NUMBER, CHOICE(is, a, b)) link++)
            CASE(SELECT_OTHER, MEMORY, EACH(CHOSEN, OTHER_MEMORY, CHOICE(is, b, a)) link++)
            CASE(SELECT_OTHER, NUMBER, EACH(CHOSEN, OTHER_NUMBER, CHOICE(is, b, a)) link++)
            CASE(EXPAND, MEMORY, EXPANDED(link++, offset, 1, ELEMENTS))
            CASE(EXPAND, NUMBER, EXPANDED(link++, 0, 0, ELEMENTS))
            CASE(STORE, MEMORY, EACH(TO, STORED))
            CASE(STREAM, MEMORY, EACH(TO, STREAMED))
            CASE(NARROW, MEMORY, NARROWED(link++, offset, ELEMENTS))
            CASE(SQUARE_ADD, MEMORY, link++; at = AT(link); EACH(OF_MEMORY, a * a + b))
            CASE(SQUARE_ADD, NUMBER, link++; at = AT(link); EACH(OF_NUMBER, a * a + b))
            CASE(SCALE_ADD, MEMORY, const V factor = NUMBER(at); link++; at = AT(link);
                 EACH(OF_MEMORY, a * factor + b))
            CASE(SCALE_ADD, NUMBER, const V factor = NUMBER(at); link++; at = AT(link);
                 EACH(OF_NUMBER, a * factor + b))
#define FOLD(name, text)                                                                           \
    IF_F(CASE(FOLD_##name, MEMORY, LANES(EACH(TO, STORED), EACH(TAKE_IN, text))))
#include "backend/host/loops/elementwise/chain.def"
        }
    }
}

#undef EACH
#undef LOADED
#undef STORED
#undef STREAMED
#undef ELEMENTS
#undef COUNT
#undef WAY
