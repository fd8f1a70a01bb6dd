"""Arrays of 20 axes and more, none of which collapse with their neighbours, and of up to 64."""

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same

AXES = 20
RANDOM = np.random.default_rng(11)
ORDER = RANDOM.permutation(AXES)
OTHER = RANDOM.permutation(AXES)
BACK = (slice(None, None, -1),) * AXES


def fill(shape, dtype):
    values = np.random.default_rng(len(shape)).integers(0, 100, shape)
    return values.astype(dtype)


def every_other(m, wide):
    """Every second element of a flat array of 2**21, as 2 x 2 x ... x 2 in an order of axes that
    lie far apart."""
    return m.array(wide)[::2].reshape((2,) * AXES).transpose(ORDER.tolist())


def transposed(m, dense):
    return m.array(dense).transpose(OTHER.tolist())


def pair(dtype="f4"):
    """NumPy's and ours: a transposed array with gaps, one transposed another way, and one that goes
    backwards."""
    wide, dense = fill((2 << AXES,), dtype), fill((2,) * AXES, dtype)
    made = [(every_other(m, wide), transposed(m, dense), m.array(dense)[BACK]) for m in (np, tn)]
    for theirs, ours in zip(*made):
        assert ours.strides == theirs.strides and ours.ndim == AXES
    return made


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
def test_elementwise(dtype):
    (x, y, z), (a, b, c) = pair(dtype)
    assert_same(a + b, x + y)
    assert_same(a + c, x + z)
    assert_same(b * c, y * z)
    assert_same(a + 1, x + 1)
    assert_same(tn.add(a, b, order="C"), np.add(x, y, order="C"))
    mask, flags = x.real > 50, a.real > 50
    assert_same(tn.where(flags, b, c), np.where(mask, y, z))
    made, wanted = tn.zeros(a.shape, dtype), np.zeros(x.shape, dtype)
    assert_same(tn.add(a, b, where=flags, out=made), np.add(x, y, where=mask, out=wanted))
    a += b
    x += y
    assert_same(a, x)


@pytest.mark.parametrize("to", ["u1", "f4", "c16"])
@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_copies(dtype, to):
    theirs, ours = pair(dtype)
    for x, a in zip(theirs, ours):
        assert_same(a.copy(), x.copy())
        assert_same(tn.ascontiguousarray(a), np.ascontiguousarray(x))
        assert_same(a.astype(to, order="C"), x.astype(to, order="C"))
        assert_same(a.reshape(-1), x.reshape(-1))
        assert_same(a[..., ::-1].T, x[..., ::-1].T)
    (x, y, z), (a, b, c) = theirs, ours
    a[...] = b
    x[...] = y
    assert_same(a, x)
    a[..., 0, :] = c[..., 1, :]
    x[..., 0, :] = z[..., 1, :]
    assert_same(a, x)


# Axes that are reduced lie between such as are kept, so that neither collapse.
REDUCED = [None, 0, 7, -1, tuple(range(0, AXES, 2)), tuple(range(1, AXES, 3)), tuple(range(AXES - 1))]


@pytest.mark.parametrize("axes", REDUCED, ids=str)
@pytest.mark.parametrize("dtype", ["u1", "f8"])
def test_reductions(dtype, axes):
    for x, a in zip(*pair(dtype)):
        assert_same(a.sum(axis=axes), x.sum(axis=axes))
        assert_same(a.max(axis=axes), x.max(axis=axes))
        assert_same((a > 5).all(axis=axes), (x > 5).all(axis=axes))
        assert_same(a.mean(axis=axes), x.mean(axis=axes), 8)
        if not isinstance(axes, tuple):
            assert_same(a.argmax(axis=axes), x.argmax(axis=axes))
            assert_same(a.cumsum(axis=axes), x.cumsum(axis=axes))


@pytest.mark.parametrize("axis", [0, 9, AXES - 1])
def test_indexing(axis):
    for x, a in zip(*pair()):
        for index in ([1, 0, 1], [[1, 1], [0, 1]], [-1]):
            where = tn.array(index)
            assert_same(tn.take(a, where, axis=axis), np.take(x, index, axis=axis))
            key = (slice(None),) * axis
            assert_same(a[(*key, where)], x[(*key, np.array(index))])
        x, a = x.copy(), a.copy()
        a[(*key, tn.array([1, 0]))] = tn.array([[5], [6]]).reshape((2,) + (1,) * (AXES - axis - 1))
        x[(*key, np.array([1, 0]))] = np.array([[5], [6]]).reshape((2,) + (1,) * (AXES - axis - 1))
        assert_same(a, x)


def test_masks():
    for x, a in zip(*pair()):
        mask, flags = x > 50, a > 50
        assert_same(a[flags], x[mask])
        assert_same(list(flags.nonzero())[7], mask.nonzero()[7])
        a[flags] = 3
        x[mask] = 3
        assert_same(a, x)


@pytest.mark.parametrize("ndim", [40, 64])
def test_axes_of_one_element(ndim):
    back = (slice(None, None, -1),) * ndim
    x = np.full((1,) * ndim, 5, "f4")
    one = tn.asarray(x)
    a, x = one[back], x[back]
    assert a.shape == (1,) * ndim and a.data.ptr == one.data.ptr
    some = (0, 5, ndim - 1)
    for call in (
        lambda m, v: v + v,
        lambda m, v: v.copy(),
        lambda m, v: v.astype("i8"),
        lambda m, v: v.sum(),
        lambda m, v: v.sum(axis=3),
        lambda m, v: v.max(axis=some),
        lambda m, v: v.argmax(axis=7),
        lambda m, v: v.cumsum(axis=9),
        lambda m, v: v.T,
        lambda m, v: v[v > 2],
        lambda m, v: m.where(v > 2, v, 0),
        lambda m, v: m.take(v, m.array([0]), axis=11),
    ):
        assert_same(call(tn, a), call(np, x))
    a[...] = 7
    assert one.reshape(-1).tolist() == [7]


@pytest.mark.parametrize("ndim", [24, 40])
def test_axes_that_repeat(ndim):
    """Long and short axes, most of them broadcast or of one element, beside one that lies in
    memory."""
    shape = [1] * ndim
    shape[3], shape[11], shape[ndim - 2] = 5, 7, 64
    x = fill(tuple(shape), "f4")
    y = np.broadcast_to(x[:, :, :, :1], x.shape)[(slice(None, None, -1),) * ndim]
    a = tn.asarray(x)
    b = tn.broadcast_to(a[:, :, :, :1], a.shape)[(slice(None, None, -1),) * ndim]
    assert_same(a + b, x + y)
    assert_same((a * b).sum(axis=(3, ndim - 2)), (x * y).sum(axis=(3, ndim - 2)))
    assert_same(b.copy(), y.copy())
