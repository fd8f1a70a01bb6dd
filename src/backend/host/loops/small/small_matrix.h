/* Decompositions of small real matrices by loops that vectorise.
 *
 * The including file defines VALUE: a number, or a vector of numbers of as many matrices, which all
 * steps treat alike. AREA and GIVEN are what leads to VALUEs that are written or only read. MASK is
 * what comparing two VALUEs gives. SELECT(mask, a, b), ROOT(x), MAGNITUDE(x), NUMBER(x) (a VALUE of
 * a constant), ANY(mask) and SMALL(name), the name of a function here, are defined there, too, and
 * ROUNDING, LEAST, MOST and TINIEST, whose reciprocal is a number, and ONE_MATRIX where a VALUE is
 * one. A matrix is fit whose largest
 * element is between LEAST and MOST: no square of consequence overflows or vanishes.
 * Matrices lie by columns without gaps: element (i, j) of m rows is at i + j m. No guard: the file
 * is included once for each dtype.
 *
 * Algorithms: Gauss' with partial pivoting; Cholesky's; Householder's reflectors with LAPACK's
 * signs; cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5) for eigenvalues,
 * and rotations of columns (Hestenes 1958) for singular values. A function returns which matrices
 * are to be decomposed elsewhere: those that did not converge, or are so near to singular ones that
 * rounding decides which they are. */

/* Matrices of elements that are not finite, or extreme, or all zero. */
TN_FN MASK SMALL(unfit)(GIVEN a, int count) {
    VALUE largest = NUMBER(0);
    MASK is_bad = largest != largest;
    for (int k = 0; k < count; k++) {
        const VALUE size = MAGNITUDE(a[k]);
        is_bad |= size != size;
        largest = SELECT(size > largest, size, largest);
    }
    return is_bad | (largest < NUMBER(LEAST)) | (largest > NUMBER(MOST));
}

/* --- Triangular factors --- */

/* Row k of n goes to row `at`, and that to k. */
TN_FN void SMALL(exchange)(AREA a, int n, int columns, int k, VALUE at) {
#ifdef ONE_MATRIX
    for (int j = 0; j < columns; j++) {
        AREA column = a + j * n;
        const VALUE moved = column[k];
        column[k] = column[(int)at];
        column[(int)at] = moved;
    }
#else
    if (!ANY(at != NUMBER(k))) return;
    for (int j = 0; j < columns; j++) {
        AREA column = a + j * n;
        const VALUE mine = column[k];
        VALUE found = mine;
        for (int i = k + 1; i < n; i++) {
            const MASK is_there = at == NUMBER(i);
            const VALUE other = column[i];
            found = SELECT(is_there, other, found);
            column[i] = SELECT(is_there, mine, other);
        }
        column[k] = found;
    }
#endif
}

/* In place; pivots[k]: the row, from 0, that row k was exchanged with. */
TN_FN MASK SMALL(lu)(AREA a, AREA pivots, int n) {
    VALUE largest = NUMBER(0), least = NUMBER(0);
    for (int k = 0; k < n; k++) {
        AREA column = a + k * n;
        VALUE best = MAGNITUDE(column[k]), at = NUMBER(k);
        for (int i = k + 1; i < n; i++) {
            const VALUE size = MAGNITUDE(column[i]);
            const MASK is_better = size > best;
            best = SELECT(is_better, size, best);
            at = SELECT(is_better, NUMBER(i), at);
        }
        pivots[k] = at;
        SMALL(exchange)(a, n, n, k, at);
        least = k == 0 ? best : SELECT(best < least, best, least);
        const VALUE unit = NUMBER(1) / SELECT(best == NUMBER(0), NUMBER(1), column[k]);
        for (int i = k + 1; i < n; i++)
            column[i] = column[i] * unit;
        for (int j = k + 1; j < n; j++) {
            const VALUE factor = a[j * n + k];
            for (int i = k + 1; i < n; i++)
                a[j * n + i] -= column[i] * factor;
        }
        for (int i = 0; i <= k; i++) {
            const VALUE size = MAGNITUDE(column[i]);
            largest = SELECT(size > largest, size, largest);
        }
    }
    return least <= largest * NUMBER(16 * ROUNDING * n);
}

/* In place: b is n x columns. */
TN_FN void SMALL(lu_solve)(GIVEN lu, GIVEN pivots, AREA b, int n, int columns) {
    for (int k = 0; k < n; k++)
        SMALL(exchange)(b, n, columns, k, pivots[k]);
    for (int k = 0; k < n; k++)
        for (int c = 0; c < columns; c++) {
            const VALUE factor = b[c * n + k];
            for (int i = k + 1; i < n; i++)
                b[c * n + i] -= lu[k * n + i] * factor;
        }
    for (int k = n - 1; k >= 0; k--) {
        const VALUE unit = NUMBER(1) / lu[k * n + k];
        for (int c = 0; c < columns; c++) {
            const VALUE factor = b[c * n + k] * unit;
            b[c * n + k] = factor;
            for (int i = 0; i < k; i++)
                b[c * n + i] -= lu[k * n + i] * factor;
        }
    }
}

/* In place, the lower triangle. */
TN_FN MASK SMALL(cholesky)(AREA a, int n) {
    MASK is_bad = a[0] != a[0];
    for (int k = 0; k < n; k++) {
        AREA column = a + k * n;
        is_bad |= column[k] <= NUMBER(0);
        column[k] = ROOT(column[k]);
        const VALUE scale = NUMBER(1) / column[k];
        for (int i = k + 1; i < n; i++)
            column[i] = column[i] * scale;
        for (int j = k + 1; j < n; j++) {
            const VALUE factor = column[j];
            for (int i = j; i < n; i++)
                a[j * n + i] -= column[i] * factor;
        }
    }
    return is_bad;
}

/* --- Reflectors --- */

/* In place: x (count elements, the first that of the diagonal) less w = tau (v . x) times v, whose
 * first element is 1. */
TN_FN void SMALL(reflect)(AREA x, GIVEN v, VALUE tau, int count) {
    VALUE sum = x[0];
    for (int i = 1; i < count; i++)
        sum += v[i] * x[i];
    sum = sum * tau;
    x[0] -= sum;
    for (int i = 1; i < count; i++)
        x[i] -= v[i] * sum;
}

/* In place: R, below it the reflectors whose factors are tau[min(m, n)]. */
TN_FN void SMALL(qr)(AREA a, AREA tau, int m, int n) {
    for (int k = 0; k < m && k < n; k++) {
        AREA v = a + k * m + k;
        const VALUE first = v[0];
        VALUE sum = NUMBER(0), largest = MAGNITUDE(first);
        for (int i = 1; i < m - k; i++) {
            const VALUE size = MAGNITUDE(v[i]);
            largest = SELECT(size > largest, size, largest);
        }
        const MASK is_nothing = largest < NUMBER(TINIEST);
        const VALUE unit = SELECT(is_nothing, NUMBER(0), NUMBER(1) / largest);
        for (int i = 1; i < m - k; i++)
            sum += v[i] * unit * (v[i] * unit);
        const VALUE length = ROOT(sum + first * unit * (first * unit)) * largest;
        const MASK is_done = sum == NUMBER(0);
        const VALUE beta = SELECT(first < NUMBER(0), length, NUMBER(0) - length);
        const VALUE scale = SELECT(is_done, NUMBER(0), NUMBER(1) / (first - beta));
        tau[k] = SELECT(is_done, NUMBER(0), (beta - first) / beta);
        for (int i = 1; i < m - k; i++)
            v[i] = v[i] * scale;
        for (int j = k + 1; j < n; j++)
            SMALL(reflect)(a + j * m + k, v, tau[k], m - k);
        v[0] = SELECT(is_done, first, beta);
    }
}

/* The first columns of Q, of so many reflectors. */
TN_FN void SMALL(make_q)(AREA q, GIVEN a, GIVEN tau, int m, int columns, int reflectors) {
    for (int k = 0; k < m * columns; k++)
        q[k] = NUMBER(k % m == k / m);
    for (int k = reflectors - 1; k >= 0; k--)
        for (int j = k; j < columns; j++)
            SMALL(reflect)(q + j * m + k, a + k * m + k, tau[k], m - k);
}

/* --- Rotations --- */

enum { SMALL(sweeps) = 30 };

/* x and y become x c - y s and x s + y c. */
TN_FN void SMALL(rotate)(AREA x, AREA y, VALUE c, VALUE s, int count) {
    for (int i = 0; i < count; i++) {
        const VALUE before = x[i];
        x[i] = before * c - y[i] * s;
        y[i] = before * s + y[i] * c;
    }
}

/* The tangent of the rotation that makes `beside` zero between `first` and `second`. */
TN_FN VALUE SMALL(tangent)(VALUE first, VALUE second, VALUE beside, MASK is_rotated) {
    const VALUE theta = (second - first) / (beside + beside);
    const VALUE size = NUMBER(1) / (MAGNITUDE(theta) + ROOT(NUMBER(1) + theta * theta));
    return SELECT(is_rotated, SELECT(theta < NUMBER(0), NUMBER(0) - size, size), NUMBER(0));
}

/* Eigenvalues, in no order, on the diagonal of a, of which both triangles are given; v has
 * the vectors as columns, if they are wanted. */
TN_FN MASK SMALL(eigh)(AREA a, AREA v, int n, int has_vectors) {
    VALUE sum = NUMBER(0);
    MASK is_open = sum != sum;
    for (int k = 0; k < n * n; k++)
        sum += a[k] * a[k];
    const VALUE limit = ROOT(sum) * NUMBER(0.125 * ROUNDING);
    for (int k = 0; has_vectors && k < n * n; k++)
        v[k] = NUMBER(k % n == k / n);
    for (int sweep = 0; sweep < SMALL(sweeps); sweep++) {
        is_open = sum != sum;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                AREA x = a + p * n;
                AREA y = a + q * n;
                const MASK is_rotated = MAGNITUDE(y[p]) > limit;
                is_open |= is_rotated;
                if (!ANY(is_rotated)) continue;
                const VALUE beside = y[p], t = SMALL(tangent)(x[p], y[q], beside, is_rotated);
                const VALUE c = NUMBER(1) / ROOT(NUMBER(1) + t * t), s = t * c;
                const VALUE first = x[p] - t * beside, second = y[q] + t * beside;
                SMALL(rotate)(x, y, c, s, n);
                for (int i = 0; i < n; i++) {
                    a[i * n + p] = x[i];
                    a[i * n + q] = y[i];
                }
                x[p] = first;
                y[q] = second;
                x[q] = y[p] = SELECT(is_rotated, NUMBER(0), beside);
                if (has_vectors) SMALL(rotate)(v + p * n, v + q * n, c, s, n);
            }
        if (!ANY(is_open)) break;
    }
    return is_open;
}

/* a (m x n, m >= n) becomes columns that are orthogonal to one another, whose lengths are the
 * singular values, in no order. A column is nothing if its square is up to that of the whole times
 * ROUNDING**3: it may lie anyhow. v has the right vectors as columns, if they are wanted. */
TN_FN MASK SMALL(svd)(AREA a, AREA v, int m, int n, int has_vectors) {
    MASK is_open = a[0] != a[0];
    VALUE total = NUMBER(0);
    for (int k = 0; k < m * n; k++)
        total += a[k] * a[k];
    const VALUE limit = total * NUMBER(ROUNDING * ROUNDING * ROUNDING);
    for (int k = 0; has_vectors && k < n * n; k++)
        v[k] = NUMBER(k % n == k / n);
    for (int sweep = 0; sweep < SMALL(sweeps); sweep++) {
        is_open = a[0] != a[0];
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                AREA x = a + p * m;
                AREA y = a + q * m;
                VALUE first = NUMBER(0), second = NUMBER(0), beside = NUMBER(0);
                for (int i = 0; i < m; i++) {
                    first += x[i] * x[i];
                    second += y[i] * y[i];
                    beside += x[i] * y[i];
                }
                const MASK is_rotated =
                    (MAGNITUDE(beside) > ROOT(first) * ROOT(second) * NUMBER(2 * ROUNDING)) &
                    (first > limit) & (second > limit);
                is_open |= is_rotated;
                if (!ANY(is_rotated)) continue;
                const VALUE t = SMALL(tangent)(first, second, beside, is_rotated);
                const VALUE c = NUMBER(1) / ROOT(NUMBER(1) + t * t), s = t * c;
                SMALL(rotate)(x, y, c, s, m);
                if (has_vectors) SMALL(rotate)(v + p * n, v + q * n, c, s, n);
            }
        if (!ANY(is_open)) break;
    }
    return is_open;
}
