"""Masks, arrays and views that tests of indexing share."""

import numpy as np
import tenorite as tn

S = np.s_
MASK3 = np.array([True, False, True])
MASK4 = np.array([False, True, True, False])
MASK5 = np.array([True, True, False, False, True])
MASK34 = (np.arange(12).reshape(3, 4) % 3) == 0
MASK45 = (np.arange(20).reshape(4, 5) % 3) == 1
MASK345 = (np.arange(60).reshape(3, 4, 5) % 7) < 3


def cube(dtype="int64"):
    return np.arange(60).reshape(3, 4, 5).astype(dtype)


def views(host):
    """(name, NumPy's, ours) of one cube in several layouts."""
    yield "C", host, tn.array(host)
    yield "F", np.asfortranarray(host), tn.asfortranarray(tn.array(host))
    wide = np.zeros((6, 8, 15), host.dtype)
    wide[::2, 1::2, ::3] = host
    yield "strided", wide[::2, 1::2, ::3], tn.array(wide)[::2, 1::2, ::3]
    yield (
        "negative",
        host[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
        tn.array(host[::-1, ::-1, ::-1].copy())[::-1, ::-1, ::-1],
    )
    transposed = host.transpose(1, 2, 0).copy()
    yield "transposed", transposed.transpose(2, 0, 1), tn.array(transposed).transpose(2, 0, 1)


def after_writing(array, key, value):
    """The array once array[key] = value has been done, or the exception."""
    array[key] = value
    return array
