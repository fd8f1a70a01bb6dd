/* Distances of rows: what is summed over the columns of two rows, and what becomes of the sums.
 *
 * `s` is the sum and `t` the second one, where there is one. TN_SUM_DOT and TN_SUM_FLAGS come with
 * norms of the two rows. A weight w is 1 where there are none. */
#ifndef TNI_OPS_METRICS_H
#define TNI_OPS_METRICS_H

typedef enum tn_metric_sum {
    TN_SUM_SQUARE,    /* s: w (a - b)^2 */
    TN_SUM_ABSOLUTE,  /* s: w |a - b| */
    TN_SUM_LARGEST,   /* s: the largest |a - b| of a weight above 0; NaN is none */
    TN_SUM_POWER,     /* s: w |a - b|^p */
    TN_SUM_DOT,       /* s: w a b */
    TN_SUM_FLAGS,     /* s: w where neither is 0 */
    TN_SUM_CANBERRA,  /* s: w |a - b| / (|a| + |b|), 0 where both are 0 */
    TN_SUM_TWO,       /* s: w |a - b|, t: w |a + b| */
    TN_SUM_MATCH,     /* s: w of a != b, t: w where neither is 0 */
    TN_SUM_ENTROPY,   /* s: a log(a / b), 0 for a = 0 <= b, infinite where one is negative or b 0 */
    TN_SUM_JENSEN,    /* s: a log(a / m) + b log(b / m) of the mean m, terms as above */
    TN_SUM_QUADRATIC, /* s: the quadratic form of a - b by a matrix of weights */
    tn_metric_sum_count
} tn_metric_sum;

/* What a row's norm is the sum of. */
typedef enum tn_metric_norm {
    TN_NORM_NONE,
    TN_NORM_SQUARE, /* w a a */
    TN_NORM_LINEAR, /* w a */
    TN_NORM_FLAG    /* w where a is not 0 */
} tn_metric_norm;

typedef enum tn_metric_end {
    TN_END_SUM,      /* s */
    TN_END_ROOT,     /* sqrt(scale s) */
    TN_END_ABOVE,    /* the same, and 0 of s below 0 */
    TN_END_POWER,    /* s^(1 / p) */
    TN_END_COSINE,   /* 1 - s / sqrt(norm a * norm b), within 0 and 2 */
    TN_END_QUOTIENT, /* s / t */
    TN_END_MEAN,     /* s / total */
    /* Of flags: s are true in both, the norms in each, `total` columns. */
    TN_END_JACCARD,
    TN_END_DICE,
    TN_END_DICE_MATCH, /* the same of TN_SUM_MATCH */
    TN_END_ROGERS,
    TN_END_RUSSELL,
    TN_END_SOKAL,
    TN_END_YULE,
    tn_metric_end_count
} tn_metric_end;

#endif
