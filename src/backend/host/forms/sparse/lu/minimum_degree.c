/* An order of elimination by approximate minimum degree (Amestoy, Davis and Duff, An approximate
 * minimum degree ordering algorithm, 1996).
 *
 * The graph is kept as a quotient graph. A node is a variable (a column that is not eliminated) or
 * an element (a clique: what eliminated columns left). The list of a variable names the elements
 * that it belongs to and then the variables that are its neighbours by an edge of their own; the
 * list of an element names its variables. Rows of a matrix are such elements from the start where
 * the graph is that of the product with the transposed matrix, so this is never made.
 *
 * Variables that cannot be distinguished are one, whose weight is their number. Degrees are bounds
 * from above: elements count what they have outside of the newest one. */
#include "backend/host/forms/sparse/lu/minimum_degree.h"
#include "core/base/alloc.h"
#include "core/base/error.h"

#include <math.h>
#include <string.h>

enum { NONE = -1, DENSE_LEAST = 16 };

typedef struct graph {
    int32_t n, nodes; /* variables; and with the elements of the start */
    int64_t *start;   /* of a node's list in `items` */
    int32_t *items;
    int64_t used, place;        /* of items */
    int32_t *length, *elements; /* of a node's list, and how many of it are elements */
    int32_t *weight; /* of a variable: 0: it is none any more; below 0: in the new element */
    int32_t *degree; /* of variables and elements */
    int64_t *mark;   /* of an element: 0: it is none any more */
    int64_t stamp;
    int32_t *head, *next, *previous; /* variables by degree; `next` and head_of_hash serve hashes */
    int32_t *hash_head;
    uint32_t *hash;
    int32_t *follower; /* variables that were merged into one: a chain */
    int32_t *tail;
    int32_t least, eliminated;
} graph;

/* --- Lists by degree --- */

static void enlist(graph *g, int32_t i) {
    const int32_t degree = g->degree[i];
    const int32_t first = g->head[degree];
    g->next[i] = first;
    g->previous[i] = NONE;
    if (first != NONE) g->previous[first] = i;
    g->head[degree] = i;
    if (degree < g->least) g->least = degree;
}

static void remove_from_list(graph *g, int32_t i) {
    if (g->next[i] != NONE) g->previous[g->next[i]] = g->previous[i];
    if (g->previous[i] != NONE)
        g->next[g->previous[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
}

/* Variable `other` becomes part of `i`. */
static void chain(graph *g, int32_t i, int32_t other) {
    g->follower[g->tail[i]] = other;
    g->tail[i] = g->tail[other];
    g->weight[other] = 0;
    g->length[other] = 0;
}

/* --- Lists of nodes --- */

/* Moves the lists that live to the front of the items. The first item of each stands in `start`
 * meanwhile, and the node in its place. */
static void collect(graph *g) {
    for (int32_t node = 0; node < g->nodes; node++) {
        if (!g->length[node]) continue;
        const int64_t at = g->start[node];
        g->start[node] = g->items[at];
        g->items[at] = -(node + 2);
    }
    int64_t to = 0;
    for (int64_t at = 0; at < g->used;) {
        if (g->items[at] >= 0) { /* of a list that is none any more */
            at++;
            continue;
        }
        const int32_t node = -(g->items[at] + 2);
        const int32_t first = (int32_t)g->start[node];
        g->start[node] = to;
        g->items[to++] = first;
        for (int32_t k = 1; k < g->length[node]; k++)
            g->items[to++] = g->items[at + k];
        at += g->length[node];
    }
    g->used = to;
}

/* Adds the variables of a list to the new element, which is at the end of the items. */
static void take(graph *g, const int32_t *list, int64_t count, int32_t *size) {
    for (int64_t k = 0; k < count; k++) {
        const int32_t i = list[k], weight = g->weight[i];
        if (weight <= 0) continue;
        *size += weight;
        g->weight[i] = -weight;
        g->items[g->used++] = i;
        remove_from_list(g, i);
    }
}

/* The elements of `pivot` and its neighbours become one element, of the pivot's number. */
static void make_element(graph *g, int32_t pivot) {
    int64_t wanted = g->length[pivot];
    for (int32_t k = 0; k < g->elements[pivot]; k++)
        wanted += g->length[g->items[g->start[pivot] + k]];
    if (wanted > g->n) wanted = g->n;
    if (wanted > g->place - g->used) collect(g);
    const int64_t begin = g->used, own = g->start[pivot];
    int32_t size = 0;
    for (int32_t k = 0; k < g->elements[pivot]; k++) {
        const int32_t element = g->items[own + k];
        take(g, g->items + g->start[element], g->length[element], &size);
        g->length[element] = 0;
        g->mark[element] = 0;
    }
    take(g, g->items + own + g->elements[pivot], g->length[pivot] - g->elements[pivot], &size);
    g->start[pivot] = begin;
    g->length[pivot] = (int32_t)(g->used - begin);
    g->elements[pivot] = 0;
    g->degree[pivot] = size;
}

/* --- Degrees --- */

/* mark[e] - stamp becomes what element e has outside of the new one. */
static void measure(graph *g, int32_t pivot) {
    const int32_t *list = g->items + g->start[pivot];
    for (int32_t at = 0; at < g->length[pivot]; at++) {
        const int32_t i = list[at], weight = -g->weight[i];
        const int32_t *elements = g->items + g->start[i];
        for (int32_t k = 0; k < g->elements[i]; k++) {
            int64_t *mark = &g->mark[elements[k]];
            if (*mark >= g->stamp)
                *mark -= weight;
            else if (*mark)
                *mark = g->degree[elements[k]] + g->stamp - weight;
        }
    }
}

/* Shortens the list of a variable of the new element, and finds its degree without that. False: it
 * has no neighbour outside, so it is eliminated with the pivot. */
static bool shorten(graph *g, int32_t i, int32_t pivot) {
    int32_t *list = g->items + g->start[i];
    const int32_t elements = g->elements[i], length = g->length[i];
    int64_t degree = 0;
    int32_t kept = 0, kept_elements;
    uint32_t hash = 0;
    for (int32_t k = 0; k < elements; k++) {
        const int32_t e = list[k];
        if (!g->mark[e]) continue;
        const int64_t outside = g->mark[e] - g->stamp;
        if (outside > 0) {
            degree += outside;
            list[kept++] = e;
            hash += (uint32_t)e;
        } else { /* the new element has all of it */
            g->mark[e] = 0;
            g->length[e] = 0;
        }
    }
    kept_elements = kept;
    for (int32_t k = elements; k < length; k++) {
        const int32_t j = list[k], weight = g->weight[j];
        if (weight <= 0) continue;
        degree += weight;
        list[kept++] = j;
        hash += (uint32_t)j;
    }
    if (!kept) return false;
    /* The element comes first. A place is there: that of the pivot, or of an element of it. */
    list[kept] = list[kept_elements];
    list[kept_elements] = list[0];
    list[0] = pivot;
    g->elements[i] = kept_elements + 1;
    g->length[i] = kept + 1;
    if (degree < g->degree[i]) g->degree[i] = (int32_t)degree;
    g->hash[i] = hash % (uint32_t)g->n;
    return true;
}

/* Shortens all, and sorts them by their hashes. */
static void shorten_all(graph *g, int32_t pivot) {
    const int32_t *list = g->items + g->start[pivot];
    for (int32_t at = 0; at < g->length[pivot]; at++) {
        const int32_t i = list[at];
        if (shorten(g, i, pivot)) {
            g->next[i] = g->hash_head[g->hash[i]];
            g->hash_head[g->hash[i]] = i;
            continue;
        }
        g->degree[pivot] += g->weight[i];
        g->eliminated -= g->weight[i];
        chain(g, pivot, i);
    }
}

/* --- Variables that are alike --- */

static bool is_alike(const graph *g, int32_t i, int32_t j) {
    if (g->length[i] != g->length[j] || g->elements[i] != g->elements[j]) return false;
    const int32_t *list = g->items + g->start[j];
    for (int32_t k = 1; k < g->length[j]; k++)
        if (g->mark[list[k]] != g->stamp) return false;
    return true;
}

/* Merges those of one hash with i that have its neighbours. */
static void merge_with(graph *g, int32_t i) {
    const int32_t *list = g->items + g->start[i];
    for (int32_t k = 1; k < g->length[i]; k++)
        g->mark[list[k]] = g->stamp;
    int32_t last = i;
    for (int32_t j = g->next[i]; j != NONE;) {
        const int32_t next = g->next[j];
        if (is_alike(g, i, j)) {
            g->weight[i] += g->weight[j];
            chain(g, i, j);
            g->next[last] = next;
        } else {
            last = j;
        }
        j = next;
    }
    g->stamp++;
}

static void merge(graph *g, int32_t pivot) {
    const int32_t *list = g->items + g->start[pivot];
    for (int32_t at = 0; at < g->length[pivot]; at++) {
        int32_t i = list[at];
        if (!g->weight[i]) continue;
        i = g->hash_head[g->hash[i]];
        g->hash_head[g->hash[list[at]]] = NONE;
        for (; i != NONE && g->next[i] != NONE; i = g->next[i])
            merge_with(g, i);
    }
}

/* Gives the variables of the new element their degrees; those that are none any more leave it. */
static void finish(graph *g, int32_t pivot) {
    int32_t *list = g->items + g->start[pivot];
    const int32_t size = g->degree[pivot];
    int32_t kept = 0;
    for (int32_t at = 0; at < g->length[pivot]; at++) {
        const int32_t i = list[at], own = -g->weight[i];
        if (own <= 0) continue;
        g->weight[i] = own;
        int64_t degree = (int64_t)g->degree[i] + size - own;
        const int32_t most = g->n - g->eliminated - own;
        g->degree[i] = degree < most ? (int32_t)degree : most;
        enlist(g, i);
        list[kept++] = i;
    }
    g->weight[pivot] = 0;
    g->length[pivot] = kept;
    g->used = g->start[pivot] + kept;
    if (!kept) g->mark[pivot] = 0;
}

static void eliminate(graph *g, int32_t pivot) {
    const int32_t weight = g->weight[pivot];
    remove_from_list(g, pivot);
    g->eliminated += weight;
    g->weight[pivot] = -weight;
    make_element(g, pivot);
    g->mark[pivot] = 1; /* below every stamp */
    measure(g, pivot);
    shorten_all(g, pivot);
    g->stamp += 2 * (int64_t)g->n + 2;
    merge(g, pivot);
    g->stamp += 2 * (int64_t)g->n + 2;
    finish(g, pivot);
}

/* --- The graph of a matrix --- */

static void release(graph *g) {
    tni_free(g->start);
    tni_free(g->items);
    tni_free(g->length);
    tni_free(g->mark);
}

/* `lists` nodes and place for so many items. */
static tn_status make(graph *g, int32_t n, int32_t nodes, int64_t place) {
    memset(g, 0, sizeof *g);
    g->n = n;
    g->nodes = nodes;
    g->place = place;
    g->stamp = 2;
    const size_t counts = (size_t)nodes + 1, variables = (size_t)n + 1;
    g->start = tni_malloc(counts * sizeof *g->start);
    g->items = tni_malloc((size_t)(place + 1) * sizeof *g->items);
    g->mark = tni_malloc(counts * sizeof *g->mark);
    g->length = tni_malloc((counts * 3 + variables * 8) * sizeof *g->length);
    if (!g->start || !g->items || !g->mark || !g->length) {
        release(g);
        return tni_fail_no_memory((int64_t)(counts * 60) + place * 4);
    }
    g->elements = g->length + counts;
    g->degree = g->elements + counts;
    g->weight = g->degree + counts;
    g->head = g->weight + variables;
    g->next = g->head + variables;
    g->previous = g->next + variables;
    g->hash_head = g->previous + variables;
    g->hash = (uint32_t *)(g->hash_head + variables);
    g->follower = g->hash_head + 2 * variables;
    g->tail = g->follower + variables;
    for (int32_t i = 0; i < n; i++) {
        g->weight[i] = 1;
        g->head[i] = g->hash_head[i] = g->follower[i] = NONE;
        g->tail[i] = i;
    }
    memset(g->length, 0, counts * sizeof *g->length);
    memset(g->elements, 0, counts * sizeof *g->elements);
    for (int32_t node = 0; node < nodes; node++)
        g->mark[node] = 1;
    return TN_OK;
}

static int32_t dense_from(int64_t n) {
    const double most = 10 * sqrt((double)n);
    return most < DENSE_LEAST ? DENSE_LEAST : (int32_t)most;
}

/* Neighbours of a column in a + transposed a, each once. */
static void fill_sum(graph *g, const tni_lu_pattern *p) {
    for (int32_t i = 0; i < g->n; i++) {
        g->start[i] = g->used;
        for (int side = 0; side < 2; side++) {
            const int64_t *starts = side ? p->row_starts : p->starts;
            const int32_t *list = side ? p->columns : p->rows;
            for (int64_t at = starts[i]; at < starts[i + 1]; at++) {
                const int32_t j = list[at];
                if (j == i || g->mark[j] == i + 2) continue;
                g->mark[j] = i + 2;
                g->items[g->used++] = j;
            }
        }
        g->length[i] = (int32_t)(g->used - g->start[i]);
        g->degree[i] = g->length[i];
    }
    for (int32_t i = 0; i < g->n; i++)
        g->mark[i] = 1;
}

/* Rows are elements; those with very many columns are left out. */
static void fill_product(graph *g, const tni_lu_pattern *p) {
    const int32_t dense = dense_from(g->n);
    for (int32_t r = 0; r < g->n; r++) {
        const int32_t node = g->n + r;
        const int64_t count = p->row_starts[r + 1] - p->row_starts[r];
        if (count > dense || !count) {
            g->mark[node] = 0;
            continue;
        }
        g->start[node] = g->used;
        g->length[node] = g->degree[node] = (int32_t)count;
        memcpy(g->items + g->used, p->columns + p->row_starts[r], (size_t)count * 4);
        g->used += count;
    }
    for (int32_t i = 0; i < g->n; i++) {
        int64_t degree = 0;
        g->start[i] = g->used;
        for (int64_t at = p->starts[i]; at < p->starts[i + 1]; at++) {
            const int32_t node = g->n + p->rows[at];
            if (!g->mark[node]) continue;
            g->items[g->used++] = node;
            degree += g->length[node] - 1;
        }
        g->length[i] = g->elements[i] = (int32_t)(g->used - g->start[i]);
        g->degree[i] = (int32_t)(degree < g->n - 1 ? degree : g->n - 1);
    }
}

/* Lists the variables by degree. Variables of very many neighbours leave the graph: they come last,
 * and are written to the end of the order. */
static int32_t enlist_all(graph *g, int32_t *order, const tni_lu_pattern *p, bool is_product) {
    const int32_t dense = dense_from(g->n);
    int32_t last = g->n;
    g->least = g->n;
    for (int32_t i = 0; i < g->n; i++) {
        const int64_t many = is_product ? p->starts[i + 1] - p->starts[i] : g->length[i];
        if (many > dense) {
            g->weight[i] = 0;
            for (int64_t at = p->starts[i]; is_product && at < p->starts[i + 1]; at++)
                g->degree[g->n + p->rows[at]]--;
            g->length[i] = 0;
            order[--last] = i;
        } else {
            enlist(g, i);
        }
    }
    g->eliminated = g->n - last;
    return last;
}

tn_status tni_lu_minimum_degree(int32_t *order, const tni_lu_pattern *p, bool is_product) {
    graph g;
    const int64_t n = p->n, count = p->starts[n];
    TNI_TRY(make(&g, (int32_t)n, (int32_t)(is_product ? 2 * n : n), 2 * count + count / 2 + 4 * n));
    if (is_product)
        fill_product(&g, p);
    else
        fill_sum(&g, p);
    int32_t written = 0;
    const int32_t last = enlist_all(&g, order, p, is_product);
    while (written < last) {
        while (g.head[g.least] == NONE)
            g.least++;
        const int32_t pivot = g.head[g.least];
        eliminate(&g, pivot);
        for (int32_t i = pivot; i != NONE; i = g.follower[i])
            order[written++] = i;
    }
    release(&g);
    return TN_OK;
}
