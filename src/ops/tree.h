/* Trees of points (forms/spatial.h): how far boxes and points are from a point, the walk through a
 * tree, and places along Hilbert's curve.
 *
 * Decides: distances as powers. Of the exponent p they are sums of |d|^p, and for an infinite p the
 * largest |d|; m_tree_root makes lengths of them. An axis of a period wraps around.
 * Invariant: rounding keeps order, so that no point of a box is nearer than m_tree_near says of the
 * box, nor farther than m_tree_far: what is found does not depend on the shape of the tree. */
#ifndef TNI_OPS_TREE_H
#define TNI_OPS_TREE_H

#include "types.h"

/* What p is, so that the usual ones need no power. */
typedef enum tn_tree_norm { TN_TREE_ANY, TN_TREE_ONE, TN_TREE_TWO, TN_TREE_LARGEST } tn_tree_norm;

/* A tree and a point, as the walks take them. */
typedef struct tn_tree_view {
    const double *points, *boxes, *periods;
    const tn_i64 *order;
    const double *x;
    tn_i64 count;
    int axes, levels, norm; /* norm: a tn_tree_norm */
    double p;
} tn_tree_view;

/* Deepest level + 1. */
enum { TN_TREE_DEPTH = 32 };

TN_FN int m_tree_norm(double p) {
    if (p == 2) return TN_TREE_TWO;
    return p == 1 ? TN_TREE_ONE : p > 1.7e308 ? TN_TREE_LARGEST : TN_TREE_ANY;
}

TN_FN double m_tree_add(double sum, double d, int norm, double p) {
    if (norm == TN_TREE_TWO) return sum + d * d;
    if (norm == TN_TREE_ONE) return sum + d;
    if (norm == TN_TREE_LARGEST) return d > sum ? d : sum;
    return sum + pow(d, p);
}

TN_FN double m_tree_power(double length, int norm, double p) {
    if (norm == TN_TREE_TWO) return length * length;
    return norm == TN_TREE_ANY ? pow(length, p) : length;
}

TN_FN double m_tree_root(double power, int norm, double p) {
    if (norm == TN_TREE_TWO) return sqrt(power);
    return norm == TN_TREE_ANY ? pow(power, 1 / p) : power;
}

TN_FN double m_tree_distance(const tn_tree_view *t, const double *point) {
    double sum = 0;
    for (int k = 0; k < t->axes; k++) {
        double d = fabs(t->x[k] - point[k]);
        if (t->periods) {
            const double other = t->periods[k] - d;
            if (t->periods[k] > 0 && other < d) d = other;
        }
        sum = m_tree_add(sum, d, t->norm, t->p);
    }
    return sum;
}

/* The least distance of a point that lies in the box of a node. */
TN_FN double m_tree_near(const tn_tree_view *t, tn_u32 node) {
    const double *low = t->boxes + (tn_i64)node * 2 * t->axes, *high = low + t->axes;
    double sum = 0;
    for (int k = 0; k < t->axes; k++) {
        const double below = low[k] - t->x[k], above = t->x[k] - high[k];
        double d = below > above ? below : above;
        d = 0.5 * (d + fabs(d)); /* 0 below 0, without a jump that is hard to foresee */
        if (t->periods) {
            const double far = below > above ? high[k] - t->x[k] : t->x[k] - low[k];
            double other = t->periods[k] - far;
            other = other > 0 ? other : 0;
            if (t->periods[k] > 0 && other < d) d = other;
        }
        sum = m_tree_add(sum, d, t->norm, t->p);
    }
    return sum;
}

/* The largest distance, or more where an axis wraps around. */
TN_FN double m_tree_far(const tn_tree_view *t, tn_u32 node) {
    const double *low = t->boxes + (tn_i64)node * 2 * t->axes, *high = low + t->axes;
    double sum = 0;
    for (int k = 0; k < t->axes; k++) {
        const double a = fabs(t->x[k] - low[k]), b = fabs(t->x[k] - high[k]);
        sum = m_tree_add(sum, a > b ? a : b, t->norm, t->p);
    }
    return sum;
}

/* Where the points of a node begin; those of the next node of its level begin where they end. */
TN_FN tn_i64 m_tree_start(const tn_tree_view *t, tn_u32 node, int level) {
    return (tn_i64)(node - (1u << level)) * t->count >> level;
}

/* --- Nearest points --- */

/* Whether the point of this distance and number comes before another. */
TN_FN int m_tree_before(double distance, tn_i64 number, double other, tn_i64 other_number) {
    return distance < other || (distance == other && number < other_number);
}

/* A heap of the nearest points so far, the farthest first. */
TN_FN void m_tree_sift(double *distances, tn_i64 *numbers, tn_i64 k, double distance,
                       tn_i64 number) {
    tn_i64 at = 0;
    for (tn_i64 child; (child = 2 * at + 1) < k; at = child) {
        if (child + 1 < k && m_tree_before(distances[child], numbers[child], distances[child + 1],
                                           numbers[child + 1]))
            child++;
        if (!m_tree_before(distance, number, distances[child], numbers[child])) break;
        distances[at] = distances[child];
        numbers[at] = numbers[child];
    }
    distances[at] = distance;
    numbers[at] = number;
}

/* Powers in a heap become lengths in order; numbers below 0 are none. */
TN_FN void m_tree_deliver(const tn_tree_view *t, double *distances, tn_i64 *numbers, tn_i64 k) {
    for (tn_i64 last = k - 1; last > 0; last--) {
        const double distance = distances[last];
        const tn_i64 number = numbers[last];
        distances[last] = distances[0];
        numbers[last] = numbers[0];
        m_tree_sift(distances, numbers, last, distance, number);
    }
    for (tn_i64 i = 0; i < k; i++) {
        const int is_there = numbers[i] >= 0;
        distances[i] = is_there ? m_tree_root(distances[i], t->norm, t->p) : TN_INFINITY;
        if (!is_there) numbers[i] = t->count;
    }
}

/* Nodes that are still to be seen, with the least distances of their points. */
typedef struct tn_tree_walk {
    tn_u32 nodes[TN_TREE_DEPTH];
    double nears[TN_TREE_DEPTH];
    int depth;
} tn_tree_walk;

TN_FN void m_tree_begin(tn_tree_walk *walk) {
    walk->nodes[0] = 1;
    walk->nears[0] = 0;
    walk->depth = 1;
}

TN_FN int m_tree_level(tn_u32 node) {
#ifdef TN_DEVICE
    return 31 - __clz((int)node);
#else
    return 31 - __builtin_clz(node);
#endif
}

/* The next leaf that has points within `worst`, or 0: near ones come first. Distances of boxes are
 * stretched by a factor. */
TN_FN tn_u32 m_tree_next(const tn_tree_view *t, tn_tree_walk *walk, double worst, double stretch) {
    while (walk->depth && walk->nears[walk->depth - 1] > worst)
        walk->depth--;
    if (!walk->depth) return 0;
    tn_u32 node = walk->nodes[--walk->depth];
    for (int level = m_tree_level(node); level < t->levels; level++) {
        const double left = m_tree_near(t, 2 * node), right = m_tree_near(t, 2 * node + 1);
        const int is_right = right < left;
        const double other = (is_right ? left : right) * stretch;
        node = 2 * node + (tn_u32)is_right;
        if (other <= worst) {
            walk->nodes[walk->depth] = node ^ 1u;
            walk->nears[walk->depth++] = other;
        }
    }
    return node;
}

/* Fills both rows; `limit` is the power of the bound, `stretch` the power of 1 + eps. */
TN_FN void m_tree_query(const tn_tree_view *t, double *distances, tn_i64 *numbers, tn_i64 k,
                        double limit, double stretch) {
    tn_tree_walk walk;
    for (tn_i64 i = 0; i < k; i++) {
        distances[i] = limit;
        numbers[i] = -1;
    }
    m_tree_begin(&walk);
    for (tn_u32 leaf; (leaf = m_tree_next(t, &walk, distances[0], stretch)) != 0;) {
        const tn_i64 end = m_tree_start(t, leaf + 1, t->levels);
        for (tn_i64 i = m_tree_start(t, leaf, t->levels); i < end; i++) {
            const double distance = m_tree_distance(t, t->points + i * t->axes);
            if (distance <= distances[0] &&
                m_tree_before(distance, t->order[i], distances[0], numbers[0]))
                m_tree_sift(distances, numbers, k, distance, t->order[i]);
        }
    }
    m_tree_deliver(t, distances, numbers, k);
}

/* --- Points within a radius --- */

/* What a walk adds up or writes; NULL: not. */
typedef struct tn_tree_found {
    tn_i64 after, count, most; /* the place before the first one; places that follow `numbers` */
    double sum;
    const double *weights;
    tn_i64 *numbers;
    double *distances;
} tn_tree_found;

TN_FN void m_tree_take(const tn_tree_view *t, tn_tree_found *found, tn_i64 i, double distance) {
    if (i <= found->after) return;
    if (found->weights) found->sum += found->weights[i];
    if (found->numbers && found->count < found->most) {
        found->numbers[found->count] = t->order[i];
        if (found->distances) found->distances[found->count] = m_tree_root(distance, t->norm, t->p);
    }
    found->count++;
}

TN_FN void m_tree_ball(const tn_tree_view *t, tn_tree_found *found, double limit) {
    tn_u32 nodes[TN_TREE_DEPTH];
    int depth = 0;
    nodes[depth++] = 1;
    while (depth) {
        const tn_u32 node = nodes[--depth];
        const int level = m_tree_level(node);
        const tn_i64 start = m_tree_start(t, node, level), end = m_tree_start(t, node + 1, level);
        if (end <= found->after + 1 || !(m_tree_near(t, node) <= limit)) continue;
        const int is_inside = !found->distances && m_tree_far(t, node) <= limit;
        if (level < t->levels && !is_inside) {
            nodes[depth++] = 2 * node + 1;
            nodes[depth++] = 2 * node;
            continue;
        }
        if (is_inside && !found->weights && !found->numbers && start > found->after) {
            found->count += end - start;
            continue;
        }
        for (tn_i64 i = start; i < end; i++) {
            const double distance = is_inside ? 0 : m_tree_distance(t, t->points + i * t->axes);
            if (distance <= limit) m_tree_take(t, found, i, distance);
        }
    }
}

/* --- Hilbert's curve --- */

/* So many points at a time, at most. */
enum { TN_HILBERT_LANES = 16 };

/* The places of points of `axes` coordinates below 2^bits (J. Skilling, Programming the Hilbert
 * curve, 2004): coordinate k of point j is at[k * lanes + j]. `at` is overwritten. */
TN_FN void m_hilbert(tn_i64 *keys, tn_u32 *at, int axes, int bits, int lanes) {
    tn_u32 flips[TN_HILBERT_LANES];
    for (tn_u32 high = 1u << (bits - 1); high > 1; high >>= 1)
        for (int k = 0; k < axes; k++)
            for (int j = 0; j < lanes; j++) {
                tn_u32 *first = at + j, *own = at + k * lanes + j;
                const tn_u32 low = high - 1, is_high = 0u - (tn_u32)((*own & high) != 0);
                const tn_u32 swapped = (*first ^ *own) & low & ~is_high;
                *first ^= swapped | (low & is_high);
                *own ^= swapped;
            }
    for (int k = 1; k < axes; k++)
        for (int j = 0; j < lanes; j++)
            at[k * lanes + j] ^= at[(k - 1) * lanes + j];
    for (int j = 0; j < lanes; j++)
        flips[j] = 0, keys[j] = 0;
    for (tn_u32 high = 1u << (bits - 1); high > 1; high >>= 1)
        for (int j = 0; j < lanes; j++)
            flips[j] ^= (high - 1) & (0u - (tn_u32)((at[(axes - 1) * lanes + j] & high) != 0));
    for (int bit = bits - 1; bit >= 0; bit--)
        for (int k = 0; k < axes; k++)
            for (int j = 0; j < lanes; j++)
                keys[j] = keys[j] << 1 | ((at[k * lanes + j] ^ flips[j]) >> bit & 1);
}

#endif
