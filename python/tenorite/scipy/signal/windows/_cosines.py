"""Windows that are sums of cosines, or made of one."""

import math

from tenorite import _core
from tenorite.scipy.signal.windows._values import is_short, made, places, window


def _sum_of_cosines(M, coefficients, sym):
    def values(length):
        angles = _core.linspace(-math.pi, math.pi, length)
        total = _core.full(length, coefficients[0], dtype=float) if len(coefficients) else _core.zeros(length)
        for k in range(1, len(coefficients)):
            total += coefficients[k] * _core.cos(angles if k == 1 else k * angles)
        return total

    return made(M, sym, values)


@window("A window that is a sum of cosines.", "The sum of ``a[k] cos(k x)``, x from -pi to pi.", "5, [0.5, 0.5]")
def general_cosine(M, a, sym=True):
    return _sum_of_cosines(M, a, sym)


@window("Hamming's window of any coefficient.", "``alpha + (1 - alpha) cos(x)``, x from -pi to pi.", "5, 0.6")
def general_hamming(M, alpha, sym=True):
    return _sum_of_cosines(M, (alpha, 1.0 - alpha), sym)


@window("Hann's window.", "``(1 + cos(x)) / 2``, x from -pi to pi (Blackman and Tukey, 1958).")
def hann(M, sym=True):
    return _sum_of_cosines(M, (0.5, 0.5), sym)


@window("Hamming's window.", "``0.54 + 0.46 cos(x)``, x from -pi to pi (Blackman and Tukey, 1958).")
def hamming(M, sym=True):
    return _sum_of_cosines(M, (0.54, 1.0 - 0.54), sym)


@window("Blackman's window.", "A sum of three cosines (Blackman and Tukey, 1958).")
def blackman(M, sym=True):
    return _sum_of_cosines(M, (0.42, 0.50, 0.08), sym)


@window("Nuttall's window, of four cosines.", "Nuttall, Some windows with very good sidelobe behavior, 1981.")
def nuttall(M, sym=True):
    return _sum_of_cosines(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym)


@window("The Blackman-Harris window, of four cosines.", "Harris, On the use of windows, 1978.")
def blackmanharris(M, sym=True):
    return _sum_of_cosines(M, (0.35875, 0.48829, 0.14128, 0.01168), sym)


@window("A window of five cosines whose main lobe is flat.", "D'Antona and Ferrero, 2006.")
def flattop(M, sym=True):
    return _sum_of_cosines(M, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), sym)


@window("A window with a simple half of a sine.", "``sin(pi (n + 1/2) / M)``.")
def cosine(M, sym=True):
    return made(M, sym, lambda length: _core.sin(math.pi / length * (places(length) + 0.5)))


@window(
    "A mean of Bartlett's and Hann's windows.", "``0.62 - 0.48 x + 0.38 cos(2 pi x)``, x the distance from the middle."
)
def barthann(M, sym=True):
    def values(length):
        far = abs(places(length) / (length - 1.0) - 0.5)
        return 0.62 - 0.48 * far + 0.38 * _core.cos(2 * math.pi * far)

    return made(M, sym, values)


@window(
    "Bohman's window.", "``(1 - x) cos(pi x) + sin(pi x) / pi``, x the distance from the middle, and 0 at the ends."
)
def bohman(M, sym=True):
    def values(length):
        far = abs(_core.linspace(-1, 1, length))
        result = (1 - far) * _core.cos(math.pi * far) + 1.0 / math.pi * _core.sin(math.pi * far)
        result[:: length - 1] = 0
        return result

    return made(M, sym, values)


@window("Tukey's window: flat, with halves of Hann's at both ends.", "Harris, On the use of windows, 1978.")
def tukey(M, alpha=0.5, sym=True):
    if is_short(M) or alpha <= 0:
        return _core.ones(int(M))
    if alpha >= 1.0:
        return hann(M, sym)

    def values(length):
        width = int(math.floor(alpha * (length - 1) / 2.0))
        result, n = _core.ones(length), places(width + 1)
        result[: width + 1] = 0.5 * (1 + _core.cos(math.pi * (-1 + 2.0 * n / alpha / (length - 1))))
        n += length - width - 1
        result[length - width - 1 :] = 0.5 * (
            1 + _core.cos(math.pi * (-2.0 / alpha + 1 + 2.0 * n / alpha / (length - 1)))
        )
        return result

    return made(M, sym, values)
