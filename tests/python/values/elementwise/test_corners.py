"""Corners of functions that NumPy's own tests look into: results and refusals are NumPy's.

A line is a call in which `m` is the module and `np` NumPy itself.
"""

import copy
import pickle

import numpy as np
import pytest
import tenorite as tn
from oracle import disagreement

CALLS = """
m.hanning(m.array(10, dtype='u1'))
m.bartlett(m.array(9, dtype='i1'))
m.kaiser(m.array(10, dtype='u1'), 2)
m.blackman(4.5)
m.insert(m.array([0, 1, 2]), m.array([], dtype=float), m.array([]))
m.insert(m.array([0, 1, 2]), [], m.array([]))
m.insert(m.arange(10).reshape(2, 5, order='F'), m.array([1, 1]), 7, axis=1).flags.f_contiguous
m.delete(m.array([0, 1, 2]), m.array([], dtype=float))
m.delete(m.array([0, 1, 2]), [])
m.delete(m.arange(10).reshape(2, 5, order='F'), slice(60, None), axis=1).flags.f_contiguous
m.digitize(m.array([1, 2, 3]), m.array([1, 2, 3 + 1j]))
m.piecewise(m.array(3), m.array(3) > 3, [4, 0])
m.piecewise(m.array(3), [m.array(3) > 2], [lambda x: x + 1])
m.interp(m.array(0.5), m.array([np.nan, 1]), m.array([0.0, 10]))
m.interp(m.array([0.5, 2]), m.array([np.nan, 1]), m.array([10.0, 10]))
m.interp(m.array([0.5, 2]), m.array([np.nan]), m.array([3.0]), left=7)
m.interp(m.array([0.5, np.nan]), m.array([np.nan, 1]), m.array([1j, 10]))
m.unravel_index(m.array([0]), ())
m.unravel_index(m.array([1]), ())
m.ravel_multi_index((m.array([], dtype=int),) * 2, (5, 0))
m.ravel_multi_index((m.array([1]),) * 2, (5, 0), mode='wrap')
m.ravel_multi_index((m.array([1]),) * 2, (5, 0), mode='clip')
m.ogrid[0:4:np.float32(1), 0:2]
m.mgrid[np.float32(0):1:0.25, np.float32(0):1:3j]
m.mgrid[0:4, 0:1]
m.mgrid[0.1:0.3:np.complex64(3j)]
m.r_[0:36:np.complex128(100j)]
m.ix_(m.array([0, 1], dtype='f4'), m.array([], dtype='f4'))
m.ix_([], m.array([], dtype=bool))
m.unique(m.array([0, np.nan, np.nan]), axis=0)
m.unique(m.array([0, np.nan, np.nan]), axis=-1, equal_nan=False, return_inverse=True)
m.unique(m.array([0, 1]), axis=1)
m.unique(m.array([[[1, 1], [1, 0]], [[0, 1], [0, 0]]]), axis=2)
m.unique(m.array([[[1, 1], [1, 0]], [[0, 1], [0, 0]]]), axis=1, return_index=True, return_inverse=True)
m.array([0.1, 1, 0.3], 'f4') == 0.1
m.array([0.1, 1, 0.3], 'f4') <= 0.1
0.1 > m.array([0.1, 1, 0.3], 'f4')
m.not_equal(m.array([0.1, 1, 0.3], 'f2'), 0.1)
m.array([1.0, 2], 'f4') < 0.9999999999999998
m.array([0.1 + 0.1j], 'c8') == 0.1 + 0.1j
m.array([0.1], 'f4') == np.float64(0.1)
m.array([0.1], 'f4') == m.array(0.1)
m.array([16777216], 'f4') == 16777217
m.array([0, 1], 'u1') < 0.5
m.array([0, 1, 255], 'u1') == 256
m.add(m.ones(2), 4.0, out=...)
m.add(m.ones(2), 4.0, ...)
m.add.reduce(m.ones((2, 2)), axis=0, out=...)
m.multiply.accumulate(m.arange(3), out=...)
m.modf(m.ones(2), out=...)
m.sum(m.ones(2), out=...)
m.empty((1, 0, 2)).strides
m.zeros((2, 0, 3), order='F').strides
(m.ones((2, 0), 'f4') + 1).strides
m.zeros(0)[::2].copy().strides
m.zeros((2, 3))[:0].strides
m.zeros((2, 3))[:0].copy().strides
m.zeros((0, 4), 'f8').view('f4').shape
m.zeros((2, 0), 'f8').view('f4').shape
m.zeros((0,), 'f4').view('f8').shape
m.zeros((3, 0)).reshape(0, 5).shape
m.zeros((3, 0)).T.flags.c_contiguous
m.zeros((3, 0)).ravel('F').shape
m.empty(None)
m.zeros(None)
m.repeat(m.arange(3), [1, 2])
m.gradient(m.arange(4.0), [0, 1, 3, 4])
m.gradient(m.arange(4.0), (0, 1, 3))
m.einsum('', m.array(0), casting='blah')
m.einsum('i->i', m.arange(3), casting='blah')
m.cov(m.ones((1, 3)), m.ones((1, 3)), rowvar=False)
m.cov(m.ones((1, 3)), m.ones((3, 1)), rowvar=False)
m.cov(m.arange(6.0).reshape(3, 2), m.arange(3.0).reshape(3, 1), rowvar=False)
m.cov(m.arange(3.0), m.array([[2.0, 1, 5]]), rowvar=False)
m.dstack(m.ones((2, 3)))
m.quantile(m.array([False, True, True]), m.array([False, True, True]))
m.quantile(m.array(True), m.array(False))
m.diff(m.arange(3), n=0)
m.take(m.arange(3, dtype='f4'), m.array([1]), out=m.zeros(1, 'f2'))
m.arange(3).take(m.array([1]), out=m.zeros(1, 'i1'))
m.arange(3)[np.array([1], object)]
m.arange(3)[np.array(['1'])]
m.arange(3)[np.array([(1, 2)], 'i4,i4')]
m.min_scalar_type([m.array([1], 'i2'), m.array([2], 'i2')])
m.ediff1d(m.array([1, 2, 3]), to_begin=m.array([7, 8]), to_end=m.array([9]))
m.logspace(0, 3, num=4, base=m.array([2.0, 3]))
m.logspace(m.array([0, 1]), 3, num=4, base=m.array([2.0, 3]), axis=1)
m.logspace(0, m.array([[1], [2]]), num=3, base=m.array([2.0, 3]), axis=-1)
m.block([1, []])
m.block([[], []])
m.block([])
m.cov(m.ones((3, 1)), ddof=0)
m.cov(m.ones((1, 3)), ddof=0, rowvar=False)
m.cov(m.array([[1, 2.0], [2, 1]]), dtype='f2')
m.arange(5).argpartition(m.array([], dtype='i2'))
m.partition(m.arange(5)[::-1], [])
m.partition(m.arange(5)[::-1], m.array([], dtype='u1'))
m.can_cast('i4', 'S11')
m.can_cast('i4', 'i4,i4')
m.promote_types('f4', 'S5')
m.promote_types('f4', 'no such')
m.result_type('M8[s]', 'M8[ms]')
m.einsum(m.arange(6).reshape(2, 3), range(2))
m.einsum(m.arange(6).reshape(2, 3), np.array([0, 1]), np.array([1]))
m.einsum(m.arange(6).reshape(2, 3), [0, 1.5])
m.cross(m.array(0), m.array([1, 2, 3]))
m.zeros(3).flags.aligned
m.zeros(3).flags['A']
m.pad(m.arange(5.0), 3, 'median')
m.pad(m.arange(12).reshape(3, 4), ((1, 2), (3, 0)), 'median', stat_length=((2, 1), (3, 3)))
m.pad(m.arange(5.0), 3, 'mean', stat_length=-1)
m.pad(m.arange(5.0), 3, 'maximum', stat_length=0)
m.pad(m.arange(5.0), (0, 7), 'reflect', reflect_type='odd')
m.pad(m.arange(6).reshape(2, 3, order='F'), 2, 'wrap').flags.f_contiguous
m.pad(m.arange(6).reshape(2, 3), [(1, 0), (0, 9)], 'symmetric')
m.pad(m.array([[7]]), 3, 'reflect', reflect_type='odd')
m.pad(m.arange(3), {0: (1, 2)}, 'linear_ramp', end_values=(4, 9))
m.pad(m.arange(3), m.array([1, 2]), constant_values=m.array(7))
m.pad(m.arange(3), 1.5)
m.pad(m.arange(3), 1, 'edge', stat_length=1)
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_call(call):
    compiled = compile(call, call, "eval")
    found = disagreement(lambda: eval(compiled, {"m": tn, "np": np}), lambda: eval(compiled, {"m": np, "np": np}), 16)
    assert not found, f"{call}: {found}"


@pytest.mark.parametrize(
    "made", ["m.arange(12.0).reshape(3, 4).T", "m.arange(12)[::2]", "m.array(3)", "m.zeros((0, 3))"]
)
def test_pickles_share_nothing(made):
    """Elements are pickled in their place; what is loaded or copied is another array."""
    array, expected = eval(made, {"m": tn}), eval(made, {"m": np})
    array.flags.writeable = False
    made = [pickle.loads(pickle.dumps(array, protocol)) for protocol in range(6)] + [copy.copy(array)]
    for one in made:
        assert one.flags.writeable and one.dtype == expected.dtype and one.flags.fnc == expected.flags.fnc
        assert (one.get() == expected).all() and not (one.size and tn.shares_memory(one, array))
