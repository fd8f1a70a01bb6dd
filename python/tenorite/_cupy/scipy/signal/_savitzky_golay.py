"""CuPy's private name of a derivative."""

import tenorite

__all__ = ["_polyder"]


def _polyder(p, m):
    """The m-th derivatives of polynomials, whose coefficients are columns, highest first."""
    if m >= len(p):
        return tenorite.zeros_like(p[:1])
    for _ in range(m):
        degrees = tenorite.arange(len(p) - 1, 0, -1)
        p = p[:-1] * degrees.reshape(-1, *[1] * (p.ndim - 1))
    return p
