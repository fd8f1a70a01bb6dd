"""CuPy's private name of what makes a piecewise polynomial smooth."""

from tenorite.scipy.interpolate import BPoly, NdPPoly, PPoly

__all__ = ["BPoly", "NdPPoly", "PPoly", "_fix_continuity"]


def _fix_continuity(coef, x, order):
    """Writes the coefficients of the powers up to `order` of each interval but the first, so that
    the derivatives there are those of the interval before: of c (k, intervals, ...) at places x."""
    for interval in range(1, x.shape[0] - 1):
        before = PPoly.construct_fast(coef[:, interval - 1 : interval], x[interval - 1 : interval + 1])
        factorial = 1
        for power in range(order + 1):
            factorial *= max(power, 1)
            coef[-1 - power, interval] = before(x[interval], power) / factorial
