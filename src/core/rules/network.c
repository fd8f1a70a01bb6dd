/* Batcher's odd-even merges of ascending runs of any lengths (K. E. Batcher, "Sorting networks and
 * their applications", 1968), and then only what the answer depends on. */
#include "core/rules/network.h"

#include <string.h>

typedef uint8_t wires[TNI_NETWORK_WIRES];

static void exchange(tni_network *network, uint8_t low, uint8_t high) {
    network->exchanges[network->count++] = (tni_exchange){low, high, true, true};
}

/* `to` receives the wires of both runs, in the order of their values. */
static void merge(tni_network *network, uint8_t *to, const uint8_t *a, int a_count,
                  const uint8_t *b, int b_count) {
    if (a_count == 0 || b_count == 0) {
        memcpy(to, a_count ? a : b, (size_t)(a_count + b_count));
        return;
    }
    if (a_count == 1 && b_count == 1) {
        exchange(network, a[0], b[0]);
        to[0] = a[0];
        to[1] = b[0];
        return;
    }
    /* The elements of even numbers of both, and those of odd ones; [0]: even. */
    wires parts[2][2], merged[2];
    int counts[2][2] = {{0, 0}, {0, 0}};
    for (int k = 0; k < a_count; k++)
        parts[k % 2][0][counts[k % 2][0]++] = a[k];
    for (int k = 0; k < b_count; k++)
        parts[k % 2][1][counts[k % 2][1]++] = b[k];
    for (int odd = 0; odd < 2; odd++)
        merge(network, merged[odd], parts[odd][0], counts[odd][0], parts[odd][1], counts[odd][1]);
    const int evens = counts[0][0] + counts[0][1], odds = counts[1][0] + counts[1][1];
    int at = 0;
    to[at++] = merged[0][0];
    for (int k = 0; k < odds || k + 1 < evens; k++) {
        if (k < odds && k + 1 < evens) exchange(network, merged[1][k], merged[0][k + 1]);
        if (k < odds) to[at++] = merged[1][k];
        if (k + 1 < evens) to[at++] = merged[0][k + 1];
    }
}

/* The wires from `first` on, sorted. */
static void sort(tni_network *network, uint8_t *to, int first, int runs, int length) {
    if (runs == 1) {
        for (int k = 0; k < length; k++)
            to[k] = (uint8_t)(first + k);
        return;
    }
    wires halves[2];
    const int before = runs / 2;
    sort(network, halves[0], first, before, length);
    sort(network, halves[1], first + before * length, runs - before, length);
    merge(network, to, halves[0], before * length, halves[1], (runs - before) * length);
}

void tni_network_make(tni_network *network, int runs, int length, int rank) {
    wires sorted;
    bool is_needed[TNI_NETWORK_WIRES] = {false};
    network->count = 0;
    sort(network, sorted, 0, runs, length);
    network->wire = sorted[rank];
    is_needed[network->wire] = true;
    int kept = network->count;
    for (int k = network->count - 1; k >= 0; k--) {
        tni_exchange one = network->exchanges[k];
        one.keeps_low = is_needed[one.low];
        one.keeps_high = is_needed[one.high];
        if (!one.keeps_low && !one.keeps_high) continue;
        is_needed[one.low] = is_needed[one.high] = true;
        network->exchanges[--kept] = one;
    }
    memmove(network->exchanges, network->exchanges + kept,
            (size_t)(network->count - kept) * sizeof *network->exchanges);
    network->count -= kept;
}

void tni_network_sort(tni_network *network, uint8_t *order, int count) {
    network->count = 0;
    sort(network, order, 0, count, 1);
}
