"""What is slower than in SciPy: images, signals, points, splines, samples over shapes and dtypes.

    python bench/scipy_sweep.py [--family spatial] [--least 1.1] [--most 4194304]

A row of CASES is a family, a name, what makes the arguments and the call; `m` is the module. The
host's ratios of ours to SciPy's are minima of calls in turn. Rows above --least are printed.
"""

import argparse
import importlib
import time
import warnings

import numpy as np
import tenorite as tn

SHAPES = [(3,), (100,), (100_000,), (3, 3), (32, 32), (512, 512), (2048, 2048), (3, 3, 3), (64, 64, 64), (2, 3, 4, 5)]

# For each shape and dtype: `a` is an array of that shape, `s` its shape.
OF_SHAPES = {
    "ndimage": """
        gaussian_filter(a, 1.5) | uniform_filter(a, 3) | median_filter(a, 3) | maximum_filter(a, 3)
        percentile_filter(a, 30, 3) | sobel(a) | laplace(a) | gaussian_gradient_magnitude(a, 1)
        convolve(a, w3) | correlate1d(a, w1) | grey_opening(a, (3,) * a.ndim) | morphological_gradient(a, 3)
        binary_erosion(a > mid) | binary_dilation(a > mid) | binary_fill_holes(a > mid) | binary_opening(a > mid)
        label(a > mid) | find_objects(labels) | sum_labels(a, labels, few) | mean(a, labels, few)
        variance(a, labels, few) | extrema(a, labels, few) | median(a, labels, few) | center_of_mass(a, labels, few)
        value_indices(labels) | distance_transform_edt(a > mid) | distance_transform_cdt(a > mid)
        zoom(a, 1.5) | shift(a, 0.5) | spline_filter(a) | map_coordinates(a, places) | affine_transform(a, turn)
        fourier_gaussian(waves, 1.5) | histogram(a, 0, 9, 5)
    """,
    "stats": """
        describe(a, None) | skew(a, -1) | kurtosis(a, None) | moment(a, 3, -1) | sem(a, -1) | iqr(a, -1) | mode(a, -1)
        zscore(a, None) | zmap(a, a, None) | gmean(a + 1, -1) | hmean(a + 1, -1) | variation(a, -1) | entropy(a + 1)
        trim_mean(a, 0.1, -1) | rankdata(a) | rankdata(a, axis=-1) | ttest_1samp(a, 4.5, None)
        ttest_ind(a, a + 1, axis=None) | ttest_rel(a, a + 1, None) | chisquare(a + 1, axis=None)
        norm.pdf(a) | norm.cdf(a) | norm.ppf(a / 10) | gamma.cdf(a, 2.0) | gamma.ppf(a / 10, 2.0) | t.cdf(a, 5.0)
        beta.cdf(a / 9, 2.0, 3.0) | expon.logpdf(a) | poisson.pmf(k, 3.0) | binom.cdf(k, 9, 0.3)
    """,
    "signal": """
        fftconvolve(a, a) | convolve(a, w3) | correlate(a, w3, 'same') | medfilt(a, 3) | wiener(a, 3) | detrend(a)
        hilbert(a) | lfilter([1.0, 0.5], [1.0, 0.3], a) | sosfilt(sos, a) | resample(a, 2 * s[-1], axis=-1)
        resample_poly(a, 3, 2, axis=-1) | upfirdn([1.0, 2, 1], a, 2) | savgol_filter(a, 3, 1) | argrelmax(a)
        sosfiltfilt(sos, a, padlen=1) | decimate(a, 2, ftype='fir')
    """,
}
# Calls of their own sizes.
OTHERS = {
    "ndimage": [
        ("value_indices", "a = h(rng.integers(0, 9, (n,)))", "m.value_indices(a)", (9, 1000, 1_000_000)),
        ("medfilt2d", "a = h(rng.random((n, n)))", "signal.medfilt2d(a, 3)", (3, 30, 500)),
    ],
    "signal": [
        ("find_peaks plateau", "a = h(np.round(rng.random(n) * 9))", "m.find_peaks(a, plateau_size=1)", (100, 100_000)),
        ("find_peaks", "a = h(rng.random(n))", "m.find_peaks(a, height=0.5, distance=3)", (100, 100_000)),
        ("max_len_seq", "", "m.max_len_seq(n)", (3, 5, 12)),
        ("welch", "a = h(rng.random(n))", "m.welch(a)", (300, 100_000)),
        ("stft", "a = h(rng.random(n))", "m.stft(a)", (300, 100_000)),
        ("firwin", "", "m.firwin(n, 0.3)", (5, 101)),
        ("butter", "", "m.butter(n, 0.3)", (2, 8)),
        ("lfilter_zi", "b, a = scipy_signal.butter(n, 0.3)", "m.lfilter_zi(b, a)", (2, 8)),
        ("freqz", "", "m.freqz([1.0, 0.5], [1.0, 0.3], n)", (16, 10_000)),
        ("cwt window", "", "m.windows.kaiser(n, 5.0)", (16, 10_000)),
    ],
    "interpolate": [
        (
            "CubicSpline",
            XY := "x = h(np.sort(rng.random(n))); y = h(rng.random(n))",
            "m.CubicSpline(x, y)",
            N := (10, 1000),
        ),
        ("CubicSpline call", XY + "; f = m.CubicSpline(x, y)", "f(x)", N),
        ("Pchip", XY, "m.PchipInterpolator(x, y)", N),
        ("Akima", XY, "m.Akima1DInterpolator(x, y)", N),
        ("make_interp_spline", XY, "m.make_interp_spline(x, y)", N),
        ("BSpline call", XY + "; f = m.make_interp_spline(x, y)", "f(x)", N),
        ("UnivariateSpline", XY, "m.UnivariateSpline(x, y)", N),
        ("InterpolatedUnivariateSpline", XY, "m.InterpolatedUnivariateSpline(x, y)", N),
        ("UnivariateSpline call", XY + "; f = m.UnivariateSpline(x, y)", "f(x)", N),
        ("interp1d", XY, "m.interp1d(x, y)", N),
        ("interp1d call", XY + "; f = m.interp1d(x, y)", "f(x)", N),
        ("PPoly.integrate", XY + "; f = m.CubicSpline(x, y)", "f.integrate(0.3, 0.6)", N),
        ("PPoly.derivative", XY + "; f = m.CubicSpline(x, y)", "f.derivative()", N),
        ("PPoly.roots", XY + "; f = m.CubicSpline(x, y - 0.5)", "f.roots()", N),
        ("Krogh", XY, "m.krogh_interpolate(x, y, x)", (10,)),
        *(
            (
                f"CubicSpline {kind}, {ndim}-D",
                f"x = h(np.sort(rng.random(n)).astype('d')); y = h((rng.random((n, {'3, ' * (ndim - 1)})) * 9).astype('{kind}'))",
                "m.CubicSpline(x, y)(x)",
                N,
            )
            for kind, ndim in (("f", 1), ("i", 1), ("D", 1), ("d", 2), ("d", 3), ("D", 3))
        ),
        (
            "RegularGrid, 3-D",
            "x = h(np.linspace(0, 1, n)); y = h(rng.random((n, n, n))); p = h(rng.random((9 * n, 3)))",
            "m.RegularGridInterpolator((x, x, x), y)(p)",
            (4, 40),
        ),
        (
            "RegularGrid, cubic",
            "x = h(np.linspace(0, 1, n)); y = h(rng.random((n, n))); p = h(rng.random((9 * n, 2)))",
            "m.RegularGridInterpolator((x, x), y, 'cubic')(p)",
            (6, 40),
        ),
        (
            "NdPPoly",
            "c = h(rng.random((3, 3, n, n))); x = h(np.linspace(0, 1, n + 1)); p = h(rng.random((9 * n, 2)))",
            "m.NdPPoly(c, (x, x))(p)",
            (4, 40),
        ),
        ("barycentric", XY, "m.barycentric_interpolate(x, y, x)", (10,)),
        (
            "RegularGrid",
            GRID := "x = h(np.linspace(0, 1, n)); y = h(rng.random((n, n))); p = h(rng.random((n, 2)))",
            "m.RegularGridInterpolator((x, x), y)(p)",
            N,
        ),
        ("RectBivariateSpline", GRID, "m.RectBivariateSpline(x, x, y)", (10, 100)),
        (
            "LinearND",
            POINTS := "p = h(rng.random((n, 2))); v = h(rng.random(n)); q = h(rng.random((10, 2)))",
            "m.LinearNDInterpolator(p, v)",
            N,
        ),
        ("LinearND call", POINTS + "; f = m.LinearNDInterpolator(p, v); f(q)", "f(q)", N),
        ("CloughTocher", POINTS, "m.CloughTocher2DInterpolator(p, v)", N),
        ("CloughTocher call", POINTS + "; f = m.CloughTocher2DInterpolator(p, v); f(q)", "f(q)", N),
        ("NearestND", POINTS, "m.NearestNDInterpolator(p, v)(q)", N),
        ("RBF", POINTS, "m.RBFInterpolator(p, v)(q)", (10, 200)),
        ("griddata", POINTS, "m.griddata(p, v, q)", N),
    ],
    "stats": [
        *(
            (name, "a = h(rng.random(n)); b = h(rng.random(n))", call, (10, 300, 3000))
            for name, call in (
                ("pearsonr", "m.pearsonr(a, b)"),
                ("spearmanr", "m.spearmanr(a, b)"),
                ("kendalltau", "m.kendalltau(a, b)"),
                ("linregress", "m.linregress(a, b)"),
                ("mannwhitneyu", "m.mannwhitneyu(a, b, method='asymptotic')"),
                ("ks_2samp", "m.ks_2samp(a, b, method='asymp')"),
                ("kstest", "m.kstest(a, 'norm')"),
                ("normaltest", "m.normaltest(xp.r_[a, b])"),
                ("jarque_bera", "m.jarque_bera(a)"),
                ("gaussian_kde", "m.gaussian_kde(a)(b)"),
                ("boxcox_llf", "m.boxcox_llf(0.5, a + 1)"),
                ("bootstrap", "m.bootstrap((a,), xp.mean, n_resamples=99, axis=-1)"),
            )
        ),
        *(
            (f"beta({a}, {b}).cdf", "x = h(rng.random(n))", f"m.beta.cdf(x, {a}, {b})", (10, 100_000))
            for a, b in ((0.5, 0.5), (1, 1), (7, 1), (2.5, 3.5), (10, 20), (100, 200), (1000, 0.5), (1500, 2000))
        ),
        (
            "multivariate_normal.pdf",
            "a = h(rng.random((n, 3)))",
            "m.multivariate_normal.pdf(a, cov=np.eye(3))",
            (10, 3000),
        ),
    ],
    "spatial": [
        *(
            (f"cdist {metric}", "a = h(rng.random((n, 3)))", f"m.distance.cdist(a, a, {metric!r})", (3, 300))
            for metric in (
                "euclidean cityblock chebyshev sqeuclidean minkowski cosine correlation jensenshannon canberra "
                "braycurtis hamming jaccard seuclidean mahalanobis"
            ).split()
        ),
        ("cdist flags", "a = h(rng.random((n, 8)) < 0.5)", "m.distance.cdist(a, a, 'dice')", (3, 300)),
        ("pdist", "a = h(rng.random((n, 3)))", "m.distance.pdist(a)", (3, 300)),
        ("squareform", "a = h(rng.random(n * (n - 1) // 2))", "m.distance.squareform(a)", (3, 300)),
        ("euclidean", "a = h(rng.random(n))", "m.distance.euclidean(a, a)", (3, 300)),
        ("directed_hausdorff", "a = h(rng.random((n, 3)))", "m.distance.directed_hausdorff(a, a)", (3, 300)),
        *(
            (
                f"cdist {kind}, {columns} columns",
                f"a = h(rng.random((n, {columns})).astype('{kind}') * 9)",
                call,
                (3, 300),
            )
            for kind, columns in (("f", 3), ("i", 3), ("?", 3), ("d", 1), ("d", 64))
            for call in ("m.distance.cdist(a, a)",)
        ),
        ("query in a plane", "p = h(rng.random((n, 2))); t = m.KDTree(p)", "t.query(p, 3)", (3, 300, 100_000)),
        ("query of 8 axes", "p = h(rng.random((n, 8))); t = m.KDTree(p)", "t.query(p[:100], 3)", (300, 10_000)),
        (
            "query of a torus",
            "p = h(rng.random((n, 3))); t = m.KDTree(p, boxsize=1)",
            "t.query(p, 3)",
            (3, 300, 10_000),
        ),
        ("KDTree", TREE := "p = h(rng.random((n, 3)))", "m.KDTree(p)", T := (3, 300, 100_000)),
        ("query own", TREE + "; t = m.KDTree(p)", "t.query(p)", T),
        ("query 8 of own", TREE + "; t = m.KDTree(p)", "t.query(p, 8)", T),
        ("query others", TREE + "; t = m.KDTree(p); q = h(rng.random((n, 3)))", "t.query(q)", T),
        ("query one", TREE + "; t = m.KDTree(p); q = h(rng.random(3))", "t.query(q)", T),
        ("query_ball_point", TREE + "; t = m.KDTree(p)", "t.query_ball_point(p, 0.02)", T),
        ("query_ball_tree", TREE + "; t = m.KDTree(p)", "t.query_ball_tree(t, 0.02)", (3, 300)),
        ("query_pairs", TREE + "; t = m.KDTree(p)", "t.query_pairs(0.05)", (3, 300)),
        ("count_neighbors", TREE + "; t = m.KDTree(p)", "t.count_neighbors(t, 0.05)", (3, 300)),
        ("sparse_distance_matrix", TREE + "; t = m.KDTree(p)", "t.sparse_distance_matrix(t, 0.05)", (3, 300)),
        ("Delaunay", FLAT := "p = h(rng.random((n, 2)))", "m.Delaunay(p)", (5, 300, 10_000)),
        ("find_simplex", FLAT + "; t = m.Delaunay(p)", "t.find_simplex(p)", (5, 300, 10_000)),
        ("ConvexHull", FLAT, "m.ConvexHull(p)", (5, 300, 10_000)),
        ("distance_matrix", FLAT, "m.distance_matrix(p, p)", (5, 300)),
    ],
}


def seconds(call, least=9e9):
    """A call's time: the mean of so many that they take a millisecond."""
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    count = max(1, int(1e-3 / max(once, 1e-9)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return min(least, (time.perf_counter() - start) / count)


def ratio(ours, theirs, turns=7):
    """Ours by SciPy's, and ours in seconds; the dearer a call, the fewer turns."""
    a = b = 9e9
    for turn in range(turns):
        a, b = seconds(ours, a), seconds(theirs, b)
        if turn and a + b > 0.3:
            break
    return a / b, a


def sides(family):
    """The module and what makes an array, of ours and of SciPy's."""
    import scipy
    from tenorite import scipy as own

    scipy_module = importlib.import_module(f"scipy.{family}")
    own_module = importlib.import_module(f"tenorite.scipy.{family}")
    yield {"m": own_module, "h": tn.asarray, "signal": own.signal, "xp": tn, "scipy_signal": scipy.signal}
    yield {"m": scipy_module, "h": np.asarray, "signal": scipy.signal, "xp": np, "scipy_signal": scipy.signal}


def shape_setup(names, shape, dtype):
    """The arguments that OF_SHAPES names, of a shape."""
    from scipy import ndimage, signal

    rng = np.random.default_rng(7)
    a = rng.random(shape) * 9
    made = {"a": a.astype(dtype), "w3": np.ones((3,) * a.ndim, dtype if dtype in "fd" else "d"), "w1": np.ones(3)}
    made |= {
        "k": np.round(a).astype("d"),
        "labels": ndimage.label(a > 4.5)[0],
        "few": np.arange(1, 4),
        "waves": np.fft.fftn(a),
    }
    made |= {"places": rng.random((a.ndim, a.size)) * (max(shape) - 1), "turn": np.eye(a.ndim) * 0.9}
    made = {key: names["h"](one) for key, one in made.items()}
    return made | {"s": shape, "mid": 4.5, "sos": names["h"](signal.butter(4, 0.3, output="sos"))}


def cases(family, most):
    """Label and two calls for each row, shape and dtype."""
    own, theirs = sides(family)
    for shape in SHAPES:
        if np.prod(shape) > most:
            continue
        for dtype in "fdBi" if np.prod(shape) < 200_000 else "f":
            pair = [one | shape_setup(one, shape, dtype) for one in (own, theirs)] if family in OF_SHAPES else []
            for text in OF_SHAPES.get(family, "").replace("\n", "|").split("|"):
                if text.strip() and pair:
                    code = compile(f"m.{text.strip()}", family, "eval")
                    calls = [lambda one=one, code=code: eval(code, one) for one in pair]
                    yield f"{text.strip()}, {'x'.join(map(str, shape))} {dtype}", *calls
    for name, setup, text, sizes in OTHERS[family]:
        for n in sizes:
            calls = []
            for one in (own, theirs):
                scope = one | {"n": n, "np": np, "rng": np.random.default_rng(7)}
                exec(setup, scope)
                code = compile(text, family, "eval")
                calls.append(lambda scope=scope, code=code: eval(code, scope))
            yield f"{name}, {n}", *calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", choices=OTHERS, action="append")
    parser.add_argument("--least", type=float, default=1.1)
    parser.add_argument("--most", type=int, default=1 << 22, help="elements")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for family in options.family or OTHERS:
        rows = []
        for label, ours, theirs in cases(family, options.most):
            if options.filter not in label:
                continue
            try:
                theirs()
            except Exception:  # nothing of SciPy's to compare with
                continue
            try:
                rows.append((*ratio(ours, theirs), label))
            except Exception as error:
                rows.append((9e9, 0, f"{label}: {type(error).__name__}: {str(error)[:60]}"))
        rows.sort(reverse=True)
        share = np.exp(np.mean([np.log(row[0]) for row in rows if row[0] < 9e8])) if rows else 0
        print(f"{family}: {len(rows)} cases, geometric mean {share:.2f} of SciPy's time")
        for found, took, label in rows:
            if found > options.least:
                print(f"  {found:5.2f}  {took * 1e6:10.1f} us  {label}", flush=True)


if __name__ == "__main__":
    main()
