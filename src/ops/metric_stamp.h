/* Distances of rows for one type: T, M(a function of math.h) and N(name) are its own.
 *
 * Terms of sums that are no plain arithmetic, and what becomes of sums (ops/metrics.h). */

TN_FN T N(m_entropy)(T a, T b) {
    if (a > 0 && b > 0) return a * M(log)(a / b);
    if (a == 0 && b >= 0) return 0;
    return a != a || b != b ? a + b : (T)TN_INFINITY;
}

TN_FN T N(m_jensen)(T a, T b) {
    const T mean = (a + b) / 2;
    return N(m_entropy)(a, mean) + N(m_entropy)(b, mean);
}

/* What flags come to: `both` are true in both rows, a and b in one each, of `total`. */
TN_FN T N(m_flags_end)(int end, T both, T a, T b, T total) {
    const T apart = a + b - 2 * both;
    if (end == TN_END_JACCARD) return a + b - both == 0 ? 0 : apart / (a + b - both);
    if (end == TN_END_DICE) return apart / (a + b);
    if (end == TN_END_ROGERS) return 2 * apart / (total + apart);
    if (end == TN_END_RUSSELL) return (total - both) / total;
    if (end == TN_END_SOKAL) return 2 * apart / (both + 2 * apart);
    const T half = (a - both) * (b - both);
    return half == 0 ? 0 : 2 * half / (both * (total - a - b + both) + half);
}

TN_FN T N(m_cosine_end)(T product, T a, T b) {
    const T made = 1 - product / M(sqrt)(a * b);
    return made < 0 ? 0 : made > 2 ? 2 : made;
}

/* The distance of sums s and t and of the norms a and b. `inverse` is 1 / p. */
TN_FN T N(m_metric_end)(int end, T s, T t, T a, T b, T scale, T total, T inverse) {
    switch (end) {
    case TN_END_SUM: return s;
    case TN_END_ROOT: return M(sqrt)(scale * s);
    case TN_END_ABOVE: return M(sqrt)(s < 0 ? 0 : scale * s);
    case TN_END_POWER: return M(pow)(s, inverse);
    case TN_END_COSINE: return N(m_cosine_end)(s, a, b);
    case TN_END_QUOTIENT: return s / t;
    case TN_END_MEAN: return s / total;
    case TN_END_DICE_MATCH: return s / (s + 2 * t);
    default: return N(m_flags_end)(end, s, a, b, total);
    }
}
