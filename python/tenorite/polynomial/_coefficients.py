"""Arithmetic on coefficients, on the host with arrays of NumPy's: one definition for all bases.

The functions take series that `polyutils.read_series` made, and give such.
"""

import functools

import numpy


def trimmed(series):
    """The series without zeros at its end, one coefficient at least."""
    places = series.nonzero()[0]
    return series[: int(places[-1]) + 1 if places.size else 1]


def add(one, other):
    """The sum."""
    if one.size < other.size:
        one, other = other, one
    made = one.copy()
    made[: other.size] += other
    return trimmed(made)


def times_x(basis, series):
    """The series multiplied by the variable."""
    if series.size == 1 and not series[0]:
        return series
    j = numpy.arange(series.size, dtype=float)
    made = numpy.zeros(series.size + 1, series.dtype)
    real = made.real.dtype
    made[1:] = series * basis.up(j).astype(real)
    made[:-1] += series * basis.here(j).astype(real)
    made[:-2] += (series * basis.down(j).astype(real))[1:]
    return made


def clenshaw(basis, series, times, one):
    """The value of a series where the variable is an operator on series (Clenshaw's recurrence,
    DLMF 3.11.27): a product, a conversion or a composition, by what `times` multiplies with."""
    after = numpy.zeros(1, series.dtype)
    value = series[-1] * one
    for k in range(series.size - 2, -1, -1):
        factor, shift, before = basis.step(k)
        made = add(factor * times(value), series[k] * one)
        if shift:
            made = add(made, shift * value)
        if k + 2 < series.size:
            made = add(made, -basis.step(k + 1)[2] * after)
        value, after = made, value
    return value


def _chebyshev_product(one, other):
    """2 T_i T_j is T_(i+j) + T_|i-j| (DLMF 18.18.21)."""
    made, apart = 0.5 * numpy.convolve(one, other), 0.5 * numpy.convolve(one, other[::-1])
    made[: one.size] += apart[other.size - 1 :]
    made[1 : other.size] += apart[: other.size - 1][::-1]
    return made


def multiply(basis, one, other):
    """The product of two series of a basis."""
    if basis.is_power:
        return trimmed(numpy.convolve(one, other))
    if basis.has_products:
        return trimmed(_chebyshev_product(one, other))
    if one.size > other.size:
        one, other = other, one
    return trimmed(clenshaw(basis, one, functools.partial(times_x, basis), other))


def convert(series, basis, other):
    """The series of a basis in another."""
    return clenshaw(basis, series, functools.partial(times_x, other), numpy.ones(1, series.dtype))


def divide(basis, one, other):
    """The quotient and the remainder. ZeroDivisionError for a divisor of 0."""
    if not other[-1]:
        raise ZeroDivisionError(f"{basis.prefix}div: the divisor is 0")
    if one.size < other.size:
        return one[:1] * 0, one
    if other.size == 1:
        return one / other[-1], one[:1] * 0
    rest, steps = one.copy(), one.size - other.size
    quotient = numpy.zeros(steps + 1, rest.dtype)
    for k in range(steps, -1, -1):
        unit = numpy.zeros(k + 1, rest.dtype)
        unit[k] = 1
        product = multiply(basis, unit, other)
        quotient[k] = rest[-1] / product[-1]
        rest = rest[:-1] - quotient[k] * product[:-1]
    return quotient, trimmed(rest)


def power(basis, series, exponent, most):
    """The series to a power, an int of at least 0."""
    count = int(exponent)
    if count != exponent or count < 0:
        raise ValueError("Power must be a non-negative integer.")
    if most is not None and count > most:
        raise ValueError("Power is too large")
    made = numpy.ones(1, series.dtype)
    for _ in range(count):
        made = multiply(basis, made, series)
    return made


def from_roots(basis, roots):
    """The series that has these roots, of which the highest power of x has the factor 1."""
    if not roots.size:
        return numpy.ones(1)
    roots = numpy.sort(roots).astype(numpy.result_type(roots, numpy.float64))
    constant, slope = basis.x
    parts = [numpy.array([constant - root, slope], roots.dtype) for root in roots]
    while len(parts) > 1:
        last = [parts.pop()] if len(parts) % 2 else []
        parts = [multiply(basis, a, b) for a, b in zip(parts[::2], parts[1::2])] + last
    return parts[0]


def companion(basis, series):
    """The companion matrix (symmetric for series of one P_n, but for the powers): the matrix of
    the multiplication by x modulo the series. ValueError below degree 1."""
    count = series.size - 1
    if count < 1:
        raise ValueError("Series must have maximum degree of at least 1.")
    j = numpy.arange(count, dtype=float)
    up, down = basis.up(j), basis.down(j)
    matrix = numpy.diag(basis.here(j)).astype(series.dtype)
    if basis.is_power:
        beside, scale = up[:-1], 1.0
        matrix[range(1, count), range(count - 1)] = beside
    else:
        ratio = numpy.sqrt(down[1:] / up[:-1])
        beside = up[:-1] * ratio
        matrix[range(1, count), range(count - 1)] = beside
        matrix[range(count - 1), range(1, count)] = beside
        scale = 1 / numpy.append(numpy.cumprod(ratio[::-1])[::-1], 1.0)
        scale = scale.astype(series.real.dtype)
    matrix[:, -1] -= (series[:-1] / series[-1]) * scale * series.real.dtype.type(up[-1])
    return matrix
