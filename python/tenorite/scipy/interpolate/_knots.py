"""Knots of splines through points."""

import numpy

import tenorite as tn


def not_a_knot(x, k):
    """Knots so that there are as many coefficients as points: no boundary conditions."""
    if k % 2 == 1:
        half = (k + 1) // 2
        inner = x
    else:
        half = k // 2
        inner = (x[1:] + x[:-1]) / 2
    return tn.concatenate((*[x[:1]] * (k + 1), inner[half:-half], *[x[-1:]] * (k + 1)))


def augmented(x, k):
    """All places as knots, those of the ends k times more."""
    return tn.concatenate((*[x[:1]] * k, x, *[x[-1:]] * k))


def periodic_knots(x, k):
    """All places as knots, k more at each end by the period."""
    n = x.shape[0]
    if k % 2 == 0:
        x = x.copy()
        x[1:-1] -= (x[1:] - x[:-1])[:-1] / 2
    period = x[-1:] - x[:1]
    around = tn.asarray(numpy.arange(-k, n + k))
    turns = around // (n - 1)
    return x[around - turns * (n - 1)] + turns * period
