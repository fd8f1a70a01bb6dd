"""Arrays of indices and coordinates, against NumPy."""

import numpy as np
import pytest
import tenorite as tn
from calls import MANY, compare
from generator import DTYPES, grid
from oracle import assert_same

pytestmark = pytest.mark.quick

GRIDS = """
    m.meshgrid(a[0:1].ravel(), b.ravel())
    m.meshgrid(a[0:1].ravel(), b.ravel(), indexing="ij")
    m.meshgrid(a, sparse=True)
    m.meshgrid(a, b, sparse=True)
    m.meshgrid(a, b[:2], a[:1], sparse=True, indexing="ij")
    m.meshgrid(a[:2], b[:2], copy=False)
    m.meshgrid()
    m.meshgrid(a, indexing="bogus")
    m.meshgrid(a[:1], 3)
    m.ix_(a[:, 0], a[0] if a.shape[0] else a[:0, 0])
    m.ix_(a)
    m.ix_(a[:, 0] > 1, a[:, 0])
"""
PLAIN = """
    m.indices((2, 3))
    m.indices((2, 3), dtype="f4")
    m.indices((2, 3), sparse=True)
    m.indices(())
    m.indices((2, 0))
    m.indices((-1,))
    m.fromfunction(lambda i, j: i + j, (3, 2))
    m.fromfunction(lambda i: i == 1, (3,), dtype=int)
    m.mgrid[0:3]
    m.mgrid[0:3, 1:5:2]
    m.mgrid[0:1:5j, 0:3]
    m.mgrid[:2, :3]
    m.mgrid[-1:1:3j]
    m.mgrid[0:2.5, 0:2]
    m.ogrid[0:3, 1:5:2]
    m.ogrid[0:1:5j, 0:3]
    m.ogrid[2:5]
    m.r_[1, 2, 3]
    m.r_[0:3, 7]
    m.r_[0:1:3j, 2.5]
    m.r_[m.array([1, 2]), 0, m.array([3.5])]
    m.r_[m.ones((2, 2)), m.zeros((1, 2))]
    m.r_["-1", m.ones((2, 2)), m.zeros((2, 1))]
    m.r_["0,2", m.array([1, 2]), m.array([3, 4])]
    m.r_["1,2,0", m.array([1, 2]), m.array([3, 4])]
    m.r_["0,2,0", 0:3, 0:2]
    m.r_[np.int8(1), m.array([1], dtype="i1")]
    m.r_[m.array([1], dtype="i1"), 300]
    m.r_["x", 1]
    m.c_[m.array([1, 2]), m.array([3, 4])]
    m.c_[m.ones((2, 2)), m.array([3, 4])]
    m.c_[0:3, 1:4]
    m.s_[1:2, ..., None]
    m.index_exp[1:2]
    m.diag_indices(3)
    m.diag_indices(2, 3)
    m.diag_indices_from(m.ones((3, 3)))
    m.diag_indices_from(m.ones((3, 2)))
    m.diag_indices_from(m.ones(3))
    m.tril_indices(3)
    m.tril_indices(3, 1, 4)
    m.tril_indices(3, -1)
    m.triu_indices(3)
    m.triu_indices(3, -1, 2)
    m.triu_indices(0)
    m.tril_indices_from(m.ones((3, 4)), 1)
    m.triu_indices_from(m.ones((3, 4)))
    m.triu_indices_from(m.ones(3))
    m.mask_indices(3, m.triu)
    m.mask_indices(3, m.tril, -1)
    m.iterable([1])
    m.iterable(3)
    list(m.ndindex(2, 2))
"""


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
def test_meshgrid(dtype):
    compare(GRIDS, grid(dtype, 3, 4), grid("float64", 2, 3), layouts=("contiguous", "fortran", "negative", "empty"))


def test_builders():
    compare(PLAIN, layouts=("contiguous",))


def test_meshgrid_views():
    """copy=False gives read-only views that share memory; a copy does not."""
    a = tn.arange(3)
    first, _ = tn.meshgrid(a, a, copy=False)
    assert tn.shares_memory(first, a) and not first.flags.writeable
    assert not tn.shares_memory(tn.meshgrid(a, a)[0], a)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64"])
def test_flat_indices(dtype, order):
    shape = (3, 4, 5)
    x = np.arange(60, dtype=dtype).reshape(6, 10)
    for layout in MANY:
        if layout == "0-d":
            continue
        calls = f"""
            m.unravel_index(a, {shape}, "{order}")
            m.ravel_multi_index(m.unravel_index(a, {shape}, "{order}"), {shape}, order="{order}")
            m.ravel_multi_index((a, a, 2), (70, 61, 3), order="{order}")
            m.ravel_multi_index((a, a - 1), (7, 5), mode="wrap", order="{order}")
            m.ravel_multi_index((a, a), (7, 5), mode=("clip", "wrap"), order="{order}")
        """
        compare(calls, x, layouts=(layout,))


def test_flat_index_errors():
    calls = """
        m.unravel_index(a, 60)
        m.unravel_index(a, (3, 4))
        m.unravel_index(a - 1, (3, 40))
        m.unravel_index(a * 1.5, (3, 40))
        m.unravel_index(7, (3, 40))
        m.ravel_multi_index((a, a), (3, 4))
        m.ravel_multi_index((a, a - 1), (60, 60))
        m.ravel_multi_index((a,), (60, 60))
        m.ravel_multi_index((a, a * 1.0), (60, 60))
        m.ravel_multi_index((a, a), (60, 60), mode="bogus")
        m.ravel_multi_index((3, 4), (6, 7))
        m.ravel_multi_index((3, 4), (6.0, 7.0))
        m.ravel_multi_index((3, 4), (6, 7), order="V")
        m.ravel_multi_index((3, 4), (6, 7), order=None)
        m.ravel_multi_index((a > 2, a > 4), (6, 7))
        m.unravel_index(7, (3, 40), order=None)
        m.unravel_index(7, (3, 40), order="V")
    """
    compare(calls, np.arange(60).reshape(6, 10), layouts=("contiguous",))


@pytest.mark.parametrize("dtype", DTYPES)
def test_index_dtypes(dtype):
    """Index arrays are int64; a grid has the dtype that is asked for."""
    if dtype != "bool":
        assert_same(tn.indices((2, 2), dtype=dtype), np.indices((2, 2), dtype=dtype))
    assert tn.tril_indices(2)[0].dtype == np.int64


def test_grids_between_arrays():
    for m, results in ((np, expected := []), (tn, made := [])):
        x, y, i = m.zeros(10)[:, None], m.ones(10)[:, None], m.arange(4, dtype="f4")
        results += [m.mgrid[x:y:10j], m.mgrid[x:y:10j, x:y:10j], *m.ogrid[x:y:10j, x:y:10j], m.mgrid[i : i + 3 : 4j]]
        results += [*m.ogrid[i : i + 3 : 4j, 0:3:4], m.mgrid[m.array(0) : 3, 0 : m.array(2)], m.ogrid[x:y:1j]]
    for ours, theirs in zip(made, expected):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)
