"""CuPy's private name of what sorts roots."""

import importlib

import tenorite

__all__ = ["_cplxreal"]


def _cplxreal(z, tol=None):
    """(one root of each conjugate pair, the real roots), in order of their real parts."""
    of_scipy = importlib.import_module("scipy.signal._filter_design")
    pairs, reals = of_scipy._cplxreal(tenorite.asnumpy(z), tol)
    return tenorite.asarray(pairs), tenorite.asarray(reals)
