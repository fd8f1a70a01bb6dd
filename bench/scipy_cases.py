"""Images, signals, splines and points beside SciPy: a part of bench/cases.py, with its names."""

from case import Case


def _image_transforms():
    """Interpolated images, of n elements; goals are those of the issue."""
    square = "nd = ndimage_of(xp); k = int(n**0.5); a = dev(rng.random((k, k)).astype('f4'))"
    places = f"{square}; c = dev((rng.random((2, n)) * (k - 1)).astype('f4'))"
    waves = f"{square}; a = a + 0j"
    rows = [
        ("zoom 2", square, "nd.zoom(a, 2)", 0.15),
        ("rotate", square, "nd.rotate(a, 30)", 0.2),
        ("map_coordinates", places, "nd.map_coordinates(a, c)", 0.2),
        ("shift, order 1", square, "nd.shift(a, 0.5, order=1)", 0.2),
        ("spline_filter", square, "nd.spline_filter(a, output=a.dtype)", 0.4),
        ("fourier_shift", waves, "nd.fourier_shift(a, 1.5)", 0.4),
    ]
    small = [
        Case(f"{name}, 3x3", setup, text, 1.0, 9, "transformed images", 8)
        for name, setup, text, _ in rows
        if name != "shift, order 1"
    ]
    return [
        *small,
        *(Case(name, setup, text, goal, 1 << 20, "transformed images", 8) for name, setup, text, goal in rows),
    ]


def _image_filters():
    """Windows over images of n elements; goals are those of the issue."""
    square = "nd = ndimage_of(xp); k = int(n**0.5); a = dev(rng.random((k, k)).astype('f4'))"
    rows = [
        ("gaussian_filter, sigma 2", square, "nd.gaussian_filter(a, 2)", 0.15, 1 << 22),
        ("median_filter 5x5", square, "nd.median_filter(a, 5)", 0.06, 1 << 20),
        ("convolve 7x7", f"{square}; w = dev(rng.random((7, 7)).astype('f4'))", "nd.convolve(a, w)", 0.1, 1 << 22),
        ("uniform_filter 15", square, "nd.uniform_filter(a, 15)", 0.3, 1 << 22),
        ("maximum_filter 21", square, "nd.maximum_filter(a, 21)", 0.3, 1 << 22),
        ("binary_erosion, 10 times", f"{square}; a = a > 0.02", "nd.binary_erosion(a, iterations=10)", 0.3, 1 << 20),
        ("gaussian_filter, 3x3", square, "nd.gaussian_filter(a, 1)", 1.0, 9),
        ("median_filter, 3x3", square, "nd.median_filter(a, 3)", 1.0, 9),
        ("maximum_filter, 3x3", square, "nd.maximum_filter(a, 3)", 1.0, 9),
    ]
    return [Case(name, setup, text, goal, n, "filtered images", 8) for name, setup, text, goal, n in rows]


def _spectra():
    """Spectra, peaks and windows of SciPy's names, beside SciPy."""
    x = "x = dev(rng.normal(size=n).astype('f4')); s = signal_of(xp)"
    wide = "x = dev(rng.normal(size=n)); s = signal_of(xp)"
    rows = [
        ("welch f4", x, "s.welch(x)", 0.3, 1_000_000),
        ("spectrogram f4", x, "s.spectrogram(x)", 0.7, 1_000_000),
        ("stft f4", x, "s.stft(x)", 0.5, 1_000_000),
        ("istft", wide + "; z = s.stft(x)[2]", "s.istft(z)", 0.5, 1_000_000),
        ("periodogram", wide, "s.periodogram(x)", 0.5, 1_000_000),
        ("welch of 100", x, "s.welch(x, nperseg=32)", 1.0, 100),
        ("czt", wide, "s.czt(x)", 0.8, 100_000),
        (
            "lombscargle",
            wide + "; t = xp.cumsum(abs(x)); f = xp.linspace(0.1, 9, n)",
            "s.lombscargle(t, x, f)",
            0.4,
            1000,
        ),
        ("find_peaks", wide, "s.find_peaks(x)", 0.6, 1_000_000),
        ("find_peaks, prominence", wide, "s.find_peaks(x, prominence=1)", 0.8, 1_000_000),
        ("find_peaks, distance", wide, "s.find_peaks(x, distance=10)", 0.8, 1_000_000),
        ("find_peaks, rising", wide + "; x = x + 0.01 * xp.arange(n)", "s.find_peaks(x, prominence=1)", 0.2, 100_000),
        ("find_peaks of 100", wide, "s.find_peaks(x, height=0)", 1.0, 100),
        ("argrelmax", wide, "s.argrelmax(x)", 0.3, 1_000_000),
        ("chirp", wide, "s.chirp(x, 1, 2, 3)", 0.8, 1_000_000),
        ("hann", "s = signal_of(xp)", "s.windows.hann(n)", 0.4, 100_000),
        ("hann of 100", "s = signal_of(xp)", "s.windows.hann(n)", 0.5, 100),
        ("freqz", "s = signal_of(xp)", "s.freqz([1.0, 0.5], [1.0, 0.3, 0.1], n)", 0.8, 100_000),
    ]
    return [Case(name, setup, text, goal, n, "spectra and peaks") for name, setup, text, goal, n in rows]


def _interpolation():
    """Splines and grids beside SciPy; goals are those of the issue."""
    spline = "i = interpolate_of(xp); k = dev(np.arange(1000.0)); x = dev(rng.random(n) * 999); "
    grid = (
        "i = interpolate_of(xp); k = dev(np.arange(64.0)); x = dev(rng.random((n, 3)) * 63); "
        "f = i.RegularGridInterpolator((k, k, k), dev(rng.random((64, 64, 64))){})"
    )
    few = "i = interpolate_of(xp); k = dev(np.arange(float(n))); y = dev(rng.random(n)); f = i.CubicSpline(k, y)"
    rows = [
        ("cubic spline of 1e3", spline + "f = i.CubicSpline(k, dev(rng.random(1000)))", "f(x)", 0.2, 1_000_000),
        ("B-spline of 1e3", spline + "f = i.make_interp_spline(k, dev(rng.random(1000)))", "f(x)", 0.2, 1_000_000),
        ("regular grid, 3-D", grid.format(""), "f(x)", 0.1, 1_000_000),
        ("regular grid, 3-D, nearest", grid.format(", 'nearest'"), "f(x)", 0.2, 1_000_000),
        ("spline through points", few, "i.make_interp_spline(k, y)", 1.0, 100_000),
        ("cubic spline at 10", few, "f(y)", 1.0, 10),
        ("cubic spline through 10", few, "i.CubicSpline(k, y)", 1.0, 10),
    ]
    return [Case(name, setup, text, goal, n, "interpolation") for name, setup, text, goal, n in rows]


_BUTTERWORTH = (
    "b = dev(np.array([0.00482434, 0.01929737, 0.02894606, 0.01929737, 0.00482434]).astype(x.dtype)); "
    "a = dev(np.array([1, -2.36951301, 2.31398841, -1.05466541, 0.18737949]).astype(x.dtype))"
)
_SECTIONS = (
    "sos = dev(np.array([[3.4054e-4, 6.8108e-4, 3.4054e-4, 1, -1.03206941, 0.27570794], "
    "[1, 2, 1, 1, -1.1429805, 0.4128016], [1, 2, 1, 1, -1.40438489, 0.73591519]]).astype(x.dtype))"
)


def _linear_filters():
    """Filters, convolutions and other rates of SciPy's names, beside SciPy."""
    x = "x = dev(rng.normal(size=n).astype('f4')); s = signal_of(xp)"
    wide = "x = dev(rng.normal(size=n)); s = signal_of(xp)"
    plane = "x = dev(rng.normal(size=(n, n)).astype('f4')); s = signal_of(xp)"
    rows = [
        ("fftconvolve with 4096 f4", x + "; h = dev(rng.normal(size=4096).astype('f4'))", "s.fftconvolve(x, h)", 0.4),
        ("lfilter f4", f"{x}; {_BUTTERWORTH}", "s.lfilter(b, a, x)", 0.6),
        ("lfilter", f"{wide}; {_BUTTERWORTH}", "s.lfilter(b, a, x)", 0.6),
        ("sosfilt of six poles f4", f"{x}; {_SECTIONS}", "s.sosfilt(sos, x)", 0.6),
        ("sosfiltfilt of six poles", f"{wide}; {_SECTIONS}", "s.sosfiltfilt(sos, x)", 0.6),
        ("resample_poly", wide, "s.resample_poly(x, 3, 2)", 0.9),
        ("hilbert", wide, "s.hilbert(x)", 0.6),
        ("savgol_filter", wide, "s.savgol_filter(x, 11, 3)", 0.3),
        ("detrend", wide, "s.detrend(x)", 0.3),
        (
            "convolve2d 7x7 f4",
            plane + "; h = dev(rng.normal(size=(7, 7)).astype('f4'))",
            "s.convolve2d(x, h)",
            0.1,
            1000,
        ),
        ("wiener", plane.replace("f4", "f8"), "s.wiener(x, 5)", 0.5, 1000),
        ("lfilter of 10", f"{wide}; {_BUTTERWORTH}", "s.lfilter(b, a, x)", 1.0, 10),
        ("sosfilt of 10", f"{wide}; {_SECTIONS}", "s.sosfilt(sos, x)", 1.0, 10),
        ("convolve of 10", wide, "s.convolve(x, x)", 1.0, 10),
        ("upfirdn of 10", wide, "s.upfirdn(x, x, 2, 1)", 1.0, 10),
    ]
    return [Case(row[0], *row[1:4], [*row, 1_000_000][4], "filters of signals") for row in rows]


def _measures():
    """Labels, distances and sums by label of images of n x n; goals are those of the issue."""
    bits = "m = ndimage_of(xp); b = rng.integers(0, 2, (n, n)).astype('?'); a = dev(b)"
    sparse = "m = ndimage_of(xp); a = dev(rng.random((n, n)) > 0.001)"
    parts = (
        "m = ndimage_of(xp); v = dev(rng.random((n, n), dtype='f4')); l, k = m.label(dev(rng.random((n, n)) < 0.5)); "
        "i = xp.arange(1, k + 1)"
    )
    rows = [
        ("label of random bits", bits, "m.label(a)", 0.3, 2048),
        ("label, 8 neighbours", bits, "m.label(a, np.ones((3, 3), '?'))", 0.3, 2048),
        ("edt of random bits", bits, "m.distance_transform_edt(a)", 0.15, 2048),
        ("edt of few zeros", sparse, "m.distance_transform_edt(a)", 0.15, 2048),
        ("edt with indices", sparse, "m.distance_transform_edt(a, return_indices=True)", 0.15, 2048),
        ("sum by label", parts, "m.sum(v, l, i)", 1.0, 1024),
        ("maximum by label", parts, "m.maximum(v, l, i)", 0.2, 1024),
        ("find_objects", parts, "m.find_objects(l)", 1.0, 1024),
        ("label", bits, "m.label(a)", 1.0, 3),
        ("edt", bits, "m.distance_transform_edt(a)", 1.0, 3),
    ]
    return [Case(name, setup, text, goal, n, "images") for name, setup, text, goal, n in rows]


def _spatial():
    """Distances, trees and triangles; goals are those of the issue."""
    rows = "a = dev(rng.random((n, 64), dtype='f4'))"
    points = "p = dev(rng.random((n, 3)))"
    cases = [
        ("cdist, 64 columns", rows, "spatial_of(xp).distance.cdist(a, a)", 0.3, 4_000),
        ("cdist of 3 x 3", "a = dev(rng.random((3, 3)))", "spatial_of(xp).distance.cdist(a, a)", 1.0, 3),
        ("KDTree of 3 axes", points, "spatial_of(xp).KDTree(p)", 1.0, 100_000),
        ("8 neighbours", points + "; t = spatial_of(xp).KDTree(p)", "t.query(p, 8)", 1.0, 100_000),
        ("Delaunay", "p = dev(rng.random((n, 2)))", "spatial_of(xp).Delaunay(p)", 0.5, 100_000),
    ]
    return [Case(name, setup, text, goal, n, "distances and trees") for name, setup, text, goal, n in cases]


CASES = [
    *_image_transforms(),
    *_image_filters(),
    *_spectra(),
    *_interpolation(),
    *_linear_filters(),
    *_measures(),
    *_spatial(),
]
