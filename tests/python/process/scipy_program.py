"""SciPy's own functions, called with NumPy's arrays and with ours under the alias: prints what
differs, then how many calls there were. SciPy asks for SCIPY_ARRAY_API when it is imported."""

import sys
import warnings
from pathlib import Path

import numpy as np
import tenorite as tn

tn.install_as_cupy()

sys.path.append(str(Path(__file__).resolve().parents[1] / "values" / "drawn"))

import drawn  # noqa: E402
import drawn_ndimage  # noqa: E402
import drawn_signal  # noqa: E402
import drawn_stats  # noqa: E402
from scipy import differentiate, fft, integrate, ndimage, optimize, signal, special, stats  # noqa: E402
from scipy.cluster import vq  # noqa: E402
from scipy.optimize import elementwise  # noqa: E402

_MODULES = (differentiate, elementwise, fft, integrate, ndimage, optimize, signal, special, stats, vq)

# A line is an expression of the modules above and of two arrays, `a` and `b` [6, 20]; `u` are a's
# values within (0, 1), `p` its absolute ones.
CALLS = """
    stats.moment(a, 2, axis=1)
    stats.skew(a, axis=1)
    stats.kurtosis(a, axis=1)
    stats.describe(a)[2:]
    stats.zscore(a)
    stats.zmap(a, b)
    stats.gzscore(p)
    stats.gmean(p)
    stats.hmean(p)
    stats.pmean(p, 2)
    stats.variation(a)
    stats.sem(a)
    stats.iqr(a)
    stats.median_abs_deviation(a)
    stats.entropy(p)
    stats.differential_entropy(a, axis=1)
    stats.ttest_ind(a, b)[:]
    stats.ttest_rel(a, b)[:]
    stats.ttest_1samp(a, 0.0)[:]
    stats.pearsonr(a, b, axis=1)[:]
    stats.spearmanrho(a, b, axis=1)[:]
    stats.chisquare(p)[:]
    stats.power_divergence(p, lambda_=0)[:]
    stats.bartlett(a[0], b[0])[:]
    stats.levene(a[0], b[0])[:]
    stats.fligner(a[0], b[0])[:]
    stats.kruskal(a[0], b[0])[:]
    stats.f_oneway(a[0], b[0])[:]
    stats.jarque_bera(a[0])[:]
    stats.skewtest(a, axis=1)[:]
    stats.kurtosistest(a, axis=1)[:]
    stats.normaltest(a, axis=1)[:]
    stats.rankdata(a, axis=1)
    stats.mannwhitneyu(a, b, axis=1)[:]
    stats.quantile(a, 0.3, axis=1)
    stats.trim_mean(a, 0.1)
    stats.tmean(a, (-1, 1))
    stats.tvar(a, (-1, 1))
    stats.tmin(a, -1)
    stats.mode(a)[:]
    stats.combine_pvalues(u[0])[:]
    stats.circmean(a)
    stats.circvar(a)
    stats.lmoment(a, axis=1)
    stats.boxcox_llf(0.5, p)
    stats.false_discovery_control(u)
    stats.sigmaclip(a[0]).lower
    stats.bootstrap((a[0],), lambda z, axis: z.mean(axis=axis), n_resamples=99, rng=1).standard_error
    integrate.trapezoid(a, axis=1)
    integrate.cumulative_trapezoid(a, axis=1)
    integrate.cumulative_simpson(a, dx=1.0, axis=1)
    integrate.tanhsinh(lambda z: z * z, p[0] * 0, p[0]).integral
    integrate.nsum(lambda k: 1 / k**2, p[0, :1] * 0 + 1, p[0, :1] * 0 + np.inf).sum
    integrate.cubature(lambda z: z[:, 0] ** 2, a[0, :1] * 0, a[0, :1] * 0 + 1).estimate
    elementwise.find_root(lambda z, c: z * z - c, (p[0] * 0, p[0] * 0 + 9), args=(p[0],)).x
    elementwise.find_minimum(lambda z, c: (z - c) ** 2, (a[0] - 2, a[0] + 0.1, a[0] + 2), args=(a[0],)).f_x
    elementwise.bracket_root(lambda z: z * z * z - 5, a[0] * 0, a[0] * 0 + 1).bracket[0]
    optimize.rosen(a)
    optimize.rosen_der(a)
    optimize.rosen_hess_prod(a[0], b[0])
    vq.whiten(a)
    special.gamma(p)
    special.gammaln(p)
    special.betainc(p, p + 1, u)
    special.betaincinv(p, p + 1, u)
    special.logsumexp(a, axis=1)
    special.softmax(a, axis=1)
    special.log_softmax(a, axis=1)
    special.xlogy(p, p + 1)
    special.chdtr(p, p + 1)
    special.stdtrit(p + 1, u)
    special.sinc(a)
    special.ndtri(u)
    special.log_ndtr(a)
    special.i0(a)
    special.rel_entr(p, p + 1)
    fft.fft(a)
    fft.ifft(a)
    fft.rfft2(a)
    fft.fht(a, 0.1, 0.5)
    fft.fftshift(a)
    differentiate.derivative(lambda z: z**3, a[0]).df
    differentiate.jacobian(lambda z: z**2, a[0, :3]).df
    differentiate.hessian(lambda z: (z * z).sum(axis=0), a[0, :3]).ddf
    signal.convolve(a, b)
    signal.correlate(a, b, mode="same")
    signal.fftconvolve(a, b)
    signal.oaconvolve(a, b)
    signal.convolve2d(a, b, boundary="wrap", mode="same")
    signal.detrend(a)
    signal.hilbert(a)
    signal.lfilter(b[0, :3], a[0, :3] + 9, a)
    signal.filtfilt(b[0, :3], a[0, :3] + 9, a)
    signal.sosfilt(xp.asarray(signal.butter(4, 0.3, output="sos")), a)
    signal.sosfiltfilt(xp.asarray(signal.butter(4, 0.3, output="sos")), a)
    signal.freqz(b[0, :3], a[0, :3] + 9, worN=16)
    signal.firwin(9, xp.asarray([0.2, 0.4]))
    signal.tf2zpk(b[0, :3], a[0, :3] + 9)
    signal.buttord(xp.asarray(0.2), xp.asarray(0.3), 3, 40)
    signal.savgol_filter(a, 5, 2)
    signal.medfilt(a, 3)
    signal.wiener(a, 3)
    signal.order_filter(a, xp.ones((3, 3)), 4)
    signal.resample(a, 30, axis=1)
    signal.resample_poly(a, 3, 2, axis=1)
    signal.decimate(a, 2, n=2)
    signal.upfirdn(b[0, :3], a, 2, 3)
    signal.cspline1d(a[0], 1.0)
    signal.welch(a[0], nperseg=16)
    signal.periodogram(a[0])
    signal.csd(a[0], b[0], nperseg=8)
    signal.coherence(a[0], b[0], nperseg=8)
    signal.lombscargle(p[0], a[0], u[0] + 1)
    signal.argrelextrema(a[0], np.greater if xp is np else tn.greater)
    signal.chirp(p[0], 1.0, 2.0, 3.0)
    signal.get_window("hann", 8, xp=xp)
    ndimage.gaussian_filter(a, 1)
    ndimage.uniform_filter(a, 3)
    ndimage.median_filter(a, 3)
    ndimage.maximum_filter(a, 3)
    ndimage.percentile_filter(a, 30, 3)
    ndimage.convolve(a, b[:3, :3])
    ndimage.sobel(a)
    ndimage.gaussian_laplace(a, 1)
    ndimage.label(a > 0)
    ndimage.sum_labels(a, ndimage.label(a > 0)[0], xp.arange(1, 4))
    ndimage.center_of_mass(p)
    ndimage.extrema(a)
    ndimage.binary_erosion(a > -1)
    ndimage.binary_fill_holes(a > 0)
    ndimage.grey_opening(a, (3, 3))
    ndimage.distance_transform_edt(a > -1)
    ndimage.map_coordinates(a, p[:2] * 2)
    ndimage.affine_transform(a, xp.asarray([[0.9, 0.1], [-0.1, 0.9]]))
    ndimage.rotate(a, 30)
    ndimage.shift(a, 0.5)
    ndimage.zoom(a, 1.5)
    ndimage.spline_filter(a)
    ndimage.fourier_gaussian(fft.fft2(a), 1.5)
"""


def flat(value):
    """The arrays and numbers of a result, which may be tuples of tuples."""
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in flat(part)]
    return [value]


def difference(line, names, theirs):
    """What is wrong with a call of ours, or None."""
    wanted = flat(eval(line, names | theirs | {"xp": np}))
    found = flat(eval(line, names | {name: tn.asarray(one) for name, one in theirs.items()} | {"xp": tn}))
    if len(wanted) != len(found):
        return f"{len(found)} results instead of {len(wanted)}"
    for own, their in zip(found, wanted):
        if isinstance(their, np.ndarray) and not isinstance(own, tn.ndarray):
            return f"{type(own).__name__} instead of an array of the device"
        np.testing.assert_allclose(tn.asnumpy(own), their, rtol=1e-6, atol=1e-8)
    return None


# What SciPy says to arrays of a device, CuPy's too, where a function is written for NumPy's alone,
# or where one of the arguments is NumPy's.
_NOT_TAKEN = ("Implicit conversion to a NumPy array", "Multiple namespaces for array inputs")


def draw(count):
    """Calls of all functions that tests/python/values/drawn draws: prints those that differ, and
    how many functions took our arrays at least once."""
    takers = 0
    with np.errstate(all="ignore"):
        for family in (drawn_stats, drawn_signal, drawn_ndimage):
            for name in family.NAMES:
                if "." not in name:
                    takers += sum(draw_one(family, name, number) for number in range(count)) > 0
    print(takers, "functions")


def draw_one(family, name, number):
    """Whether a call of SciPy's function took our arrays."""
    call = drawn.Call(family, name, number)
    undefined = family.UNDEFINED.get(name)
    if call.width() == 1 or undefined and undefined(call):
        return False
    function = getattr(family.THEIRS, name)
    wanted, found = call.run(function, "host"), call.run(function, "device")
    if isinstance(wanted, Exception):
        return False
    if isinstance(found, Exception):
        if not any(text in str(found) for text in _NOT_TAKEN):
            print(call, repr(found)[:300], sep=" -> ")
        return False
    rule = family.RULES.get(name, drawn.Rule())
    rule = rule(call) if callable(rule) else rule
    wrong = [drawn.differs(one, other, rule, call.width()) for one, other in zip(found, wanted, strict=True)]
    if any(wrong):
        print(call, " ".join(next(filter(None, wrong)).split())[:300], sep=" -> ")
    return True


def main():
    warnings.simplefilter("ignore")
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 6, 20))
    theirs = {"a": a, "b": b, "p": abs(a), "u": special.expit(a)}
    names = {"np": np, "tn": tn} | {one.__name__.rpartition(".")[2]: one for one in _MODULES}
    lines = [line.strip() for line in CALLS.strip().splitlines()]
    for line in lines:
        try:
            wrong = difference(line, names, theirs)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            print(line, " ".join(wrong.split())[:300], sep=" -> ")
    print(len(lines), "calls")
    draw(10)


main()
