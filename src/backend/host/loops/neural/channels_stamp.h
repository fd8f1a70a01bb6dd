/* The products of convolve_loops.h that run over channels beside each other, for one working type:
 * a part of convolve_loops.c, which defines W and SUFFIX. */
#define NAME(name) TN_PASTE(name##_, SUFFIX)
#define VECTOR NAME(vector)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(W)))

INLINE VECTOR NAME(channels_at)(const void *row, int64_t channel) {
    return *(const VECTOR *)(const void *)((const W *)row + channel);
}

/* `places` x `vectors` vectors of results. Both are constants where this is inlined. */
INLINE void NAME(channels_tile)(const tni_convolve_vectors *p, int64_t place, int64_t channel,
                                int places, int vectors) {
    W *to = (W *)p->rows + place * p->apart + channel;
    VECTOR sums[PLACES * CHANNEL_VECTORS];
    UNROLL(16)
    for (int k = 0; k < places * vectors; k++)
        sums[k] = (VECTOR){0};
    for (int64_t tap = 0; tap < p->taps; tap++) {
        const W *from = (const W *)p->sources[tap] + place * p->source_apart + channel;
        VECTOR weights[CHANNEL_VECTORS];
        UNROLL(8)
        for (int v = 0; v < vectors; v++)
            weights[v] = NAME(channels_at)(p->filters[tap], channel + v * LANES);
        UNROLL(8)
        for (int k = 0; k < places; k++)
            UNROLL(8)
        for (int v = 0; v < vectors; v++)
            sums[k * vectors + v] +=
                weights[v] * NAME(channels_at)(from, k * p->source_apart + v * LANES);
    }
    UNROLL(8)
    for (int k = 0; k < places; k++)
        UNROLL(8)
    for (int v = 0; v < vectors; v++)
        *(VECTOR *)(void *)(to + k * p->apart + v * LANES) = sums[k * vectors + v];
}

/* The last vector of channels may compute again what the one before has. */
INLINE void NAME(channels_of)(const tni_convolve_vectors *p, int64_t place, int places) {
    int64_t k = 0;
    for (; k + CHANNEL_VECTORS * LANES <= p->channels; k += CHANNEL_VECTORS * LANES)
        NAME(channels_tile)(p, place, k, places, CHANNEL_VECTORS);
    for (; k + LANES <= p->channels; k += LANES)
        NAME(channels_tile)(p, place, k, places, 1);
    if (k < p->channels) NAME(channels_tile)(p, place, p->channels - LANES, places, 1);
}

static void NAME(multiply_channels)(const tni_convolve_vectors *p) {
    int64_t place = 0;
    for (; place + PLACES <= p->places; place += PLACES)
        NAME(channels_of)(p, place, PLACES);
    for (; place < p->places; place++)
        NAME(channels_of)(p, place, 1);
}

/* Of things that lie `apart`, the k-th after those of which k is a multiple of four: few registers
 * reach all of them. */
INLINE int64_t NAME(fourth)(int k, int64_t apart, int64_t third) {
    return k % 4 == 3 ? third : k % 4 * apart;
}

/* `places` x `vectors` vectors of results that are sums over channels of the source, too. */
INLINE void NAME(depth_tile)(const tni_convolve_vectors *p, int64_t place, int64_t channel,
                             int places, int vectors) {
    W *to = (W *)p->rows + place * p->apart + channel;
    VECTOR sums[DEPTH_PLACES * CHANNEL_VECTORS];
    UNROLL(32)
    for (int k = 0; k < places * vectors; k++)
        sums[k] = (VECTOR){0};
    const int64_t apart = p->source_apart, third = 3 * apart;
    for (int64_t tap = 0; tap < p->taps; tap++) {
        const W *from = (const W *)p->sources[tap] + place * apart, *after = from + 4 * apart;
        const W *filter = (const W *)p->filters[tap] + channel;
        for (int64_t d = 0; d < p->depth; d++, filter += p->filter_apart, from++, after++) {
            VECTOR weights[CHANNEL_VECTORS];
            UNROLL(8)
            for (int v = 0; v < vectors; v++)
                weights[v] = NAME(channels_at)(filter, v * LANES);
            UNROLL(8)
            for (int k = 0; k < places; k++) {
                const VECTOR value =
                    (k < 4 ? from : after)[NAME(fourth)(k, apart, third)] - (VECTOR){0};
                UNROLL(8)
                for (int v = 0; v < vectors; v++)
                    sums[k * vectors + v] += value * weights[v];
            }
        }
    }
    UNROLL(8)
    for (int k = 0; k < places; k++)
        UNROLL(8)
    for (int v = 0; v < vectors; v++) {
        VECTOR *at = (VECTOR *)(void *)(to + k * p->apart + v * LANES);
        VECTOR sum = sums[k * vectors + v];
        if (p->accumulates) sum += *at;
        *at = sum;
    }
}

/* The same of one place: sums of every second channel of the source apart, so that they wait less
 * for each other. */
INLINE void NAME(depth_one)(const tni_convolve_vectors *p, int64_t place, int64_t channel,
                            int vectors) {
    W *to = (W *)p->rows + place * p->apart + channel;
    VECTOR sums[2 * CHANNEL_VECTORS];
    UNROLL(8)
    for (int k = 0; k < 2 * vectors; k++)
        sums[k] = (VECTOR){0};
    for (int64_t tap = 0; tap < p->taps; tap++) {
        const W *from = (const W *)p->sources[tap] + place * p->source_apart;
        const W *filter = (const W *)p->filters[tap] + channel;
        for (int64_t d = 0; d < p->depth; d++, filter += p->filter_apart) {
            UNROLL(8)
            for (int v = 0; v < vectors; v++)
                sums[v] += from[d] * NAME(channels_at)(filter, v * LANES);
            if (++d == p->depth) break;
            filter += p->filter_apart;
            UNROLL(8)
            for (int v = vectors; v < 2 * vectors; v++)
                sums[v] += from[d] * NAME(channels_at)(filter, (v - vectors) * LANES);
        }
    }
    UNROLL(8)
    for (int v = 0; v < vectors; v++) {
        VECTOR *at = (VECTOR *)(void *)(to + v * LANES);
        VECTOR sum = sums[v] + sums[vectors + v];
        if (p->accumulates) sum += *at;
        *at = sum;
    }
}

/* What is left of a row is one tile, too, where it has the most vectors; 7 places are 4 and 3. */
INLINE void NAME(depth_places)(const tni_convolve_vectors *p, int64_t channel, int vectors) {
    int64_t place = 0;
    for (; place + DEPTH_PLACES <= p->places; place += DEPTH_PLACES) {
        if (vectors == CHANNEL_VECTORS && p->places - place == DEPTH_PLACES + 1) {
            NAME(depth_tile)(p, place, channel, 4, vectors);
            NAME(depth_tile)(p, place + 4, channel, 3, vectors);
            return;
        }
        NAME(depth_tile)(p, place, channel, DEPTH_PLACES, vectors);
    }
    if (vectors == CHANNEL_VECTORS) switch (p->places - place) {
        case 5: NAME(depth_tile)(p, place, channel, 5, vectors); return;
        case 4: NAME(depth_tile)(p, place, channel, 4, vectors); return;
        case 3: NAME(depth_tile)(p, place, channel, 3, vectors); return;
        }
    for (; place + 2 <= p->places; place += 2)
        NAME(depth_tile)(p, place, channel, 2, vectors);
    if (place < p->places) NAME(depth_one)(p, place, channel, vectors);
}

static void NAME(multiply_depth)(const tni_convolve_vectors *p) {
    int64_t k = 0;
    for (; k + CHANNEL_VECTORS * LANES <= p->channels; k += CHANNEL_VECTORS * LANES)
        NAME(depth_places)(p, k, CHANNEL_VECTORS);
    for (; k + 2 * LANES <= p->channels; k += 2 * LANES)
        NAME(depth_places)(p, k, 2);
    for (; k + LANES <= p->channels; k += LANES)
        NAME(depth_places)(p, k, 1);
    if (k < p->channels) NAME(depth_places)(p, p->channels - LANES, 1);
}

/* Sums of `taps` filters from `first` on, for `vectors` vectors of channels. */
INLINE void NAME(filters_tile)(const tni_convolve_vectors *p, int64_t first, int64_t channel,
                               int taps, int vectors) {
    const W *row = (const W *)p->rows + channel, *from[MOST_FILTERS];
    VECTOR sums[MOST_FILTERS * 2];
    UNROLL(8)
    for (int t = 0; t < taps; t++) {
        from[t] = (const W *)p->sources[first + t] + channel;
        UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[t * vectors + v] = NAME(channels_at)(p->filters[first + t], channel + v * LANES);
    }
    for (int64_t place = 0; place < p->places; place++, row += p->apart) {
        const int64_t at = place * p->source_apart;
        VECTOR values[2];
        UNROLL(2)
        for (int v = 0; v < vectors; v++)
            values[v] = NAME(channels_at)(row, v * LANES);
        UNROLL(8)
        for (int t = 0; t < taps; t++)
            UNROLL(2)
        for (int v = 0; v < vectors; v++)
            sums[t * vectors + v] += values[v] * NAME(channels_at)(from[t], at + v * LANES);
    }
    UNROLL(8)
    for (int t = 0; t < taps; t++)
        UNROLL(2)
    for (int v = 0; v < vectors; v++)
        *(VECTOR *)(void *)((W *)p->filters[first + t] + channel + v * LANES) =
            sums[t * vectors + v];
}

INLINE void NAME(filters_of)(const tni_convolve_vectors *p, int64_t channel, int vectors) {
    int64_t tap = 0;
    for (; tap + MOST_FILTERS <= p->taps; tap += MOST_FILTERS)
        NAME(filters_tile)(p, tap, channel, MOST_FILTERS, vectors);
    for (; tap + MOST_FILTERS / 2 <= p->taps; tap += MOST_FILTERS / 2)
        NAME(filters_tile)(p, tap, channel, MOST_FILTERS / 2, vectors);
    for (; tap < p->taps; tap++)
        NAME(filters_tile)(p, tap, channel, 1, vectors);
}

static void NAME(dot_channels)(const tni_convolve_vectors *p) {
    int64_t k = 0;
    for (; k + 2 * LANES <= p->channels; k += 2 * LANES)
        NAME(filters_of)(p, k, 2);
    for (; k + LANES <= p->channels; k += LANES)
        NAME(filters_of)(p, k, 1);
    for (; k < p->channels; k++)
        for (int64_t tap = 0; tap < p->taps; tap++) {
            const W *from = (const W *)p->sources[tap] + k, *row = (const W *)p->rows + k;
            W sum = ((const W *)p->filters[tap])[k];
            for (int64_t place = 0; place < p->places; place++)
                sum += row[place * p->apart] * from[place * p->source_apart];
            ((W *)p->filters[tap])[k] = sum;
        }
}

/* Sums of `count` k from `first` on, and `vectors` vectors of channels. Addresses of left are those
 * of every fourth k and its next ones. */
INLINE void NAME(outer_tile)(const tni_convolve_outer *p, int64_t first, int count, int vectors) {
    const int64_t apart = p->apart, third = 3 * apart;
    VECTOR sums[MOST_SUMS];
    UNROLL(32)
    for (int s = 0; s < count * vectors; s++)
        sums[s] = (VECTOR){0};
    for (int64_t row = 0; row < p->rows; row++) {
        const W *right = p->right[row], *left[OUTER_ROWS / 4 + 1];
        UNROLL(4)
        for (int q = 0; q <= (count - 1) / 4; q++)
            left[q] = (const W *)p->left[row] + (first + 4 * q) * apart;
        for (int64_t place = 0; place < p->places; place++, right += vectors * LANES) {
            VECTOR values[2];
            UNROLL(2)
            for (int v = 0; v < vectors; v++)
                values[v] = NAME(channels_at)(right, v * LANES);
            UNROLL(16)
            for (int k = 0; k < count; k++) {
                const VECTOR weight = left[k / 4][NAME(fourth)(k, apart, third)] - (VECTOR){0};
                UNROLL(2)
                for (int v = 0; v < vectors; v++)
                    sums[k * vectors + v] += weight * values[v];
            }
            UNROLL(4)
            for (int q = 0; q <= (count - 1) / 4; q++)
                left[q] += p->step;
        }
    }
    UNROLL(32)
    for (int s = 0; s < count * vectors; s++) {
        VECTOR *at = (VECTOR *)(void *)((W *)p->sums + (first * vectors + s) * LANES);
        VECTOR sum = sums[s];
        if (p->accumulates) sum += *at;
        *at = sum;
    }
}

INLINE void NAME(outer_vectors)(const tni_convolve_outer *p, int vectors) {
    int64_t k = 0;
    for (; k + OUTER_ROWS <= p->count; k += OUTER_ROWS)
        NAME(outer_tile)(p, k, OUTER_ROWS, vectors);
    for (; k + 4 <= p->count; k += 4)
        NAME(outer_tile)(p, k, 4, vectors);
    for (; k < p->count; k++)
        NAME(outer_tile)(p, k, 1, vectors);
}
static void NAME(multiply_outer)(const tni_convolve_outer *p) {
    if (p->vectors == 2)
        NAME(outer_vectors)(p, 2);
    else
        NAME(outer_vectors)(p, 1);
}

#undef NAME
#undef VECTOR
#undef LANES
