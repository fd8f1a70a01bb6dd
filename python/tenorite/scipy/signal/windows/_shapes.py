"""Windows of other forms: triangles, Gaussians, those of Kaiser, Dolph and Taylor."""

import math
import warnings

from tenorite import _core
from tenorite._numpy.indexing import where
from tenorite.fft import fft as _transform
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import call
from tenorite.scipy.signal.windows._values import made, mirrored, places, window


@window("A window of ones.", "Its spectrum is Dirichlet's kernel.")
def boxcar(M, sym=True):
    return made(M, sym, _core.ones)


@window("A triangle that is not zero at its ends.", "``1 - abs(2 n - (M - 1)) / L``, L = M + M % 2.")
def triang(M, sym=True):
    def values(length):
        return mirrored(length, lambda n: (2 * n + (2 - 1.0 * (length % 2 == 0))) / (length + length % 2))

    return made(M, sym, values)


@window("Bartlett's window: a triangle, zero at its ends.", "``1 - abs(2 n / (M - 1) - 1)`` (Bartlett, 1950).")
def bartlett(M, sym=True):
    def values(length):
        return mirrored(length, lambda n: 2.0 * n / (length - 1))

    return made(M, sym, values)


@window("Parzen's window, of two cubic polynomials.", "Parzen, Mathematical considerations, 1961.")
def parzen(M, sym=True):
    def values(length):
        def half(n):
            n = (length - 1) / 2.0 - n
            x = n / (length / 2.0)
            return where(n <= (length - 1) / 4.0, 1 - 6 * x**2.0 + 6 * x**3.0, 2 * (1 - x) ** 3.0)

        return mirrored(length, half)

    return made(M, sym, values)


@window("Kaiser's window.", "``i0(beta sqrt(1 - x**2)) / i0(beta)``, x from -1 to 1 (Kaiser, 1966).", "5, 14")
def kaiser(M, beta, sym=True):
    def values(length):
        middle, whole = (length - 1) / 2.0, _core._i0(_core.asarray(float(beta)))
        return mirrored(length, lambda n: _core._i0(beta * _core.sqrt(1 - ((n - middle) / middle) ** 2.0)) / whole)

    return made(M, sym, values)


@window(
    "A window of running sums of Kaiser's.", "Bosi and Goldberg, Introduction to digital audio coding, 2003.", "6, 4"
)
def kaiser_bessel_derived(M, beta, sym=True):
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return _core.empty(0)
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    sums = kaiser(M // 2 + 1, beta).cumsum()
    half = _core.sqrt(sums[:-1] / sums[-1])
    return _core.concatenate((half, half[::-1]))


@window("A Gaussian window.", "``exp(-(n / std)**2 / 2)``, n from the middle.", "5, 1")
def gaussian(M, std, sym=True):
    def values(length):
        return mirrored(length, lambda n: _core.exp((n - (length - 1.0) / 2.0) ** 2 / (-2 * std * std)))

    return made(M, sym, values)


@window("A Gaussian window of any power.", "``exp(-abs(n / sig)**(2 p) / 2)``, n from the middle.", "5, 1.5, 2")
def general_gaussian(M, p, sig, sym=True):
    def values(length):
        return mirrored(length, lambda n: _core.exp(-0.5 * abs((n - (length - 1.0) / 2.0) / sig) ** (2 * p)))

    return made(M, sym, values)


@window("A window that decays exponentially from its middle.", "``exp(-abs(n - center) / tau)``.")
def exponential(M, center=None, tau=1.0, sym=True):
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")

    def values(length):
        if center is None:
            return mirrored(length, lambda n: _core.exp((n - (length - 1) / 2) / tau))
        return _core.exp(-abs(places(length) - center) / tau)

    return made(M, sym, values)


@window("Lanczos' window.", "``sinc(2 n / (M - 1) - 1)``.")
def lanczos(M, sym=True):
    def values(length):
        right = _core._sinc(2.0 * _core.arange((length + 1) // 2, length, dtype=float) / (length - 1) - 1.0)
        middle = (_core.ones(1),) if length % 2 else ()
        return _core.concatenate((right[::-1], *middle, right))

    return made(M, sym, values)


_NOT_FOR_SPECTRA = (
    "This window is not suitable for spectral analysis for attenuation values lower than about 45dB because the "
    "equivalent noise bandwidth of a Chebyshev window does not grow monotonically with increasing sidelobe "
    "attenuation when the attenuation is smaller than about 45 dB."
)


@window("The Dolph-Chebyshev window, all of whose side lobes are equal.", "Dolph, 1946.", "5, 60")
def chebwin(M, at, sym=True):
    if abs(at) < 45:
        warnings.warn(_NOT_FOR_SPECTRA, stacklevel=2)

    def values(length):
        order = length - 1.0
        beta = math.cosh(math.acosh(10 ** (abs(at) / 20.0)) / order)
        k = places(length)
        x = beta * _core.cos(math.pi * k / length)
        # The Chebyshev polynomial of the order, by its closed forms within and beyond [-1, 1].
        outside = _core.cosh(order * _core.arccosh(_core.maximum(abs(x), 1.0)))
        outside = where(x < 0, (2 * (length % 2) - 1) * outside, outside)
        inside = _core.cos(order * _core.arccos(_core.maximum(_core.minimum(x, 1.0), -1.0)))
        p = where(abs(x) > 1, outside, inside)
        if length % 2:
            half = _transform(p).real[: (length + 1) // 2]
            w = _core.concatenate((half[:0:-1], half))
        else:
            half = _transform(p * _core.exp(1j * math.pi / length * k)).real[1 : length // 2 + 1]
            w = _core.concatenate((half[::-1], half))
        return w / w.max()

    return made(M, sym, values)


@window("Taylor's window: side lobes near the main one are equal, others decay.", "Taylor, 1955; Doerry, 2017.")
def taylor(M, nbar=4, sll=30, norm=True, sym=True):
    def values(length):
        a = math.acosh(10 ** (sll / 20)) / math.pi
        s2 = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
        factors = []
        for m in range(1, nbar):
            above = math.prod(1 - m * m / s2 / (a**2 + (k - 0.5) ** 2) for k in range(1, nbar))
            below = math.prod(1 - m * m / (k * k) for k in range(1, nbar) if k != m)
            factors.append((1 if m % 2 else -1) * above / (2 * below))
        x = 2 * math.pi * (places(length) - length / 2.0 + 0.5) / length
        w = _core.ones(length)
        for m, factor in enumerate(factors, 1):
            w += 2 * factor * _core.cos(m * x)
        return w / (1 + 2 * math.fsum(factors)) if norm else w

    return made(M, sym, values)


@documented(
    "Slepian's windows: the sequences of finite length whose energy is most concentrated in a band.",
    [("ndarray", "(M,), or (Kmax, M) if Kmax is given."), ("ndarray or float", "The concentrations, if asked for.")],
    """>>> from tenorite.scipy.signal import windows
    >>> windows.dpss(8, 2.5, 2).shape
    (2, 8)""",
    "Computed by SciPy on the host, which must be installed. Slepian, 1978.",
    ("ValueError", "For a band or a number of windows that there are not."),
)
def dpss(M, NW, Kmax=None, sym=True, norm=None, return_ratios=False):
    return call("windows.dpss", M, NW, Kmax, sym, norm, return_ratios)


dpss.__module__ = "tenorite.scipy.signal.windows"
