/* The form "value_indices" on the host: a table (open addressing) numbers the values as they come,
 * then the numbers are sorted by their values, and each element goes to the next place of its
 * group. Equal elements beside each other need one look into the table. */
#include "backend/host/forms/forms.h"
#include "core/base/alloc.h"
#include "core/base/error.h"
#include "forms/measure.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_LEAST = 64 };

/* A value, how many elements have it, and its number before the values are sorted. */
typedef struct group {
    int64_t value, count, number;
} group;

typedef struct grouping {
    const tni_value_indices *call;
    int64_t elements, count, slots; /* a power of two, twice as many as groups have room */
    group *groups;                  /* by their numbers */
    int64_t *table;                 /* numbers, -1 where nothing is */
    int64_t *numbers;               /* of the group of each element */
} grouping;

static inline int64_t slot_of(const grouping *g, int64_t value) {
    uint64_t mixed = (uint64_t)value * UINT64_C(0x9E3779B97F4A7C15);
    int64_t slot = (int64_t)((mixed >> 32) & (uint64_t)(g->slots - 1));
    while (g->table[slot] >= 0 && g->groups[g->table[slot]].value != value)
        slot = (slot + 1) & (g->slots - 1);
    return slot;
}

/* Doubles the room. */
static bool widen(grouping *g) {
    const int64_t slots = g->slots ? 2 * g->slots : SLOTS_LEAST;
    const size_t bytes = (size_t)slots * sizeof *g->table;
    int64_t *table = tni_malloc(bytes);
    group *groups = tni_malloc((size_t)slots / 2 * sizeof *groups);
    if (!table || !groups) {
        tni_free(table);
        tni_free(groups);
        return false;
    }
    if (g->count) memcpy(groups, g->groups, (size_t)g->count * sizeof *groups);
    tni_free(g->groups);
    tni_free(g->table);
    g->groups = groups;
    g->table = memset(table, 0xFF, bytes);
    g->slots = slots;
    for (int64_t k = 0; k < g->count; k++)
        g->table[slot_of(g, groups[k].value)] = k;
    return true;
}

static bool number_elements(grouping *g) {
    const int64_t *elements = g->call->elements;
    int64_t number = 0;
    if (!widen(g)) return false;
    for (int64_t k = 0; k < g->elements; k++) {
        if (k == 0 || elements[k] != elements[k - 1]) {
            const int64_t slot = slot_of(g, elements[k]);
            number = g->table[slot];
            if (number < 0) {
                number = g->table[slot] = g->count++;
                g->groups[number] = (group){.value = elements[k], .number = number};
                if (2 * g->count == g->slots && !widen(g)) return false;
            }
        }
        g->groups[number].count++;
        g->numbers[k] = number;
    }
    return true;
}

static int compare_signed(const void *a, const void *b) {
    const int64_t x = ((const group *)a)->value, y = ((const group *)b)->value;
    return (x > y) - (x < y);
}
static int compare_unsigned(const void *a, const void *b) {
    const uint64_t x = (uint64_t)((const group *)a)->value;
    const uint64_t y = (uint64_t)((const group *)b)->value;
    return (x > y) - (x < y);
}

/* Sorts the groups and says where each begins: in the table, by its number. */
static void place_groups(grouping *g) {
    int64_t *groups = *g->call->groups;
    int64_t end = 0;
    qsort(g->groups, (size_t)g->count, sizeof *g->groups,
          g->call->is_unsigned ? compare_unsigned : compare_signed);
    for (int64_t k = 0; k < g->count; k++) {
        g->table[g->groups[k].number] = end;
        end += g->groups[k].count;
        groups[2 * k] = g->groups[k].value;
        groups[2 * k + 1] = end;
    }
    *g->call->count = g->count;
}

static void place_elements(const grouping *g) {
    const tni_value_indices *call = g->call;
    const int last = call->ndim - 1;
    int64_t at[TN_MAX_NDIM] = {0};
    for (int64_t k = 0; k < g->elements; k++) {
        const int64_t to = g->table[g->numbers[k]]++;
        for (int axis = 0; axis <= last; axis++)
            call->indices[axis * g->elements + to] = at[axis];
        for (int axis = last; axis >= 0; axis--) {
            if (++at[axis] < call->shape[axis]) break;
            at[axis] = 0;
        }
    }
}

tn_status tni_host_run_value_indices(void *parameters) {
    const tni_value_indices *call = parameters;
    grouping g = {.call = call, .elements = tni_image_elements(call->ndim, call->shape)};
    const int64_t bytes = g.elements * (int64_t)sizeof *g.numbers;
    g.numbers = tni_malloc((size_t)bytes);
    bool is_done = g.numbers && number_elements(&g);
    if (is_done) *call->groups = tni_malloc((size_t)(2 * g.count) * sizeof **call->groups);
    is_done = is_done && *call->groups;
    if (is_done) {
        place_groups(&g);
        place_elements(&g);
    }
    tni_free(g.numbers);
    tni_free(g.table);
    tni_free(g.groups);
    return is_done ? TN_OK : tni_fail_no_memory(bytes);
}

TNI_HOST_PLAN(value_indices, tni_image_elements(call->ndim, call->shape))
