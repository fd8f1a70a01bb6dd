"""signature= of ufuncs, which names a loop, and other keywords of calls, against NumPy."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import disagreement

pytestmark = pytest.mark.quick

X = np.arange(12.0).reshape(3, 4)
N = np.arange(3)
# Lines in which `m` is the module, x and n its arrays.
SIGNATURES = [
    "m.add(x, x, signature='ff->f')",
    "m.add(x, x, sig='dd->d')",
    "m.add(x, 1, sig='ff->f', casting='same_kind')",
    "m.add(x, x, signature=(None, None, 'f4'))",
    "m.add(n, n, sig=('d', None, None))",
    "m.sin(x, signature='f->f')",
    "m.equal(x, x, signature='dd->?')",
    "m.equal(n, 1, signature=(None, None, bool))",
    "m.frexp(x, signature='f->fi')",
    "m.add(x, x, signature='ii->i', casting='unsafe')",
    "m.add(x, x, out=x, sig='dd->d')",
    "m.divmod(n, 2, sig='dd->dd')",
    "m.add(x, x, x, sig='dd->d')",
    "m.matmul(x, x.T, signature='ff->f')",
    "m.vecdot(x, x, sig='dd->d')",
    "m.matvec(n[:, None], n[:1], sig='dd->d')",
    "m.modf(x, out=(None, x), sig='d->dd')",
    "m.add(n, 2**70, sig='dd->d')",
    # refused
    "m.add(x, x, signature='d')",
    "m.add(x, x, signature='bogus')",
    "m.add(x, x, signature='dd->d', dtype='f8')",
    "m.add(x, x, signature='dd->d', sig='dd->d')",
    "m.add(x, x, signature=('f8', 'f8'))",
    "m.add(x, x, signature='')",
    "m.sin(n, signature='l->l')",
    "m.add(x, x, signature=None)",
    "m.add(x, x, signature=1)",
    "m.add(x, x, sig='ii->i')",
    "m.matmul(x, x.T, sig=3)",
    "m.matmul(x, x.T, keepdims=True)",
]
OTHERS = [
    "m.vecdot(x, x, keepdims=True)",
    "m.vecdot(x, x, axis=0, keepdims=True)",
    "m.vecdot(x, x[0], keepdims=False)",
    "m.vecdot(x, x, axis=0, out=m.zeros((1, 4)), keepdims=True)",
    "m.vecdot(x, x, out=m.zeros(3), keepdims=True)",
    "m.vecdot(x[:, None], x, axes=[(-1,), (-1,), (0,)], keepdims=True)",
    "m.vecdot(x, x, axis=2, keepdims=True)",
    "m.vecdot(x, x, axes=[0, 0, 0], out=m.zeros((1, 4)), keepdims=True)",
    "m.vecdot(x, x, out=m.zeros((3, 1)), keepdims=True)",
    "m.histogramdd(m.zeros((3, 0)))",
    "m.histogramdd(m.zeros((0, 2)), bins=2)",
    "m.asarray(x.flat)",
    "m.add(x.flat, 1)",
    "m.hstack(one for one in (x, x))",
    "m.vstack(one for one in (x, x))",
    "m.concatenate(map(m.sin, (x, x)))",
    "m.dstack(one for one in (x, x))",
    "m.column_stack(one for one in (x, x))",
    "m.stack({1, 2})",
    "m.percentile(x, 5, out=m.zeros(1))",
    "m.quantile(x, 0.5, 0, m.zeros((3, 4)))",
    "m.quantile(x, 0.5, 0, m.zeros(3))",
    "m.isin(n, m.asarray(m.iinfo('i8').max * m.arange(-1, 2, 2)), kind='table')",
    "m.isin(n, n[:2], kind='table')",
    "m.pad(n, 0, 'minimum', stat_length=0)",
    "m.pad(n, 1, 'maximum', stat_length=(1, 0))",
    "m.einsum('', m.asarray(0), dtype='bogus')",
    "m.arange(0, 1, m.inf)",
    "m.arange(0, -1, m.inf)",
    "m.arange(0, -1, -m.inf)",
    "m.array([1, 2], ndmax=1, ndmin=1)",
    "m.array([[1, 2]], ndmax=1)",
    "m.array(m.ones((2, 3)), ndmax=1)",
    "m.array([1], ndmin=3, ndmax=2)",
    "m.array([1], ndmax=-1)",
    "m.array([1], ndmax=1.5)",
    "m.array(((1, 2),), ndmax=2)",
    "m.nanvar(x.astype('f4'), axis=1, mean=m.ones((3, 1)))",
    "m.nanstd(x, dtype=int, mean=1.0)",
    "m.nanvar(n, axis=0, mean=m.ones(1))",
    "m.arange(0, 2e-16, 1e308)",
    "m.arange(3, 3, m.inf)",
]


@pytest.mark.parametrize("text", SIGNATURES + OTHERS)
def test_as_numpy(text):
    def called(module):
        given = {"m": module, "x": module.asarray(X.copy()), "n": module.asarray(N.copy())}
        return lambda: eval(text, given)

    assert not (found := disagreement(called(tn), called(np), 4)), found


def test_mask_without_output():
    """NumPy's warning, where elements that a mask leaves out have no value."""
    x, mask = tn.ones(3), tn.array([True, False, True])
    for call in (lambda: tn.add(x, x, where=mask), lambda: tn.sin(x, where=False), lambda: tn.modf(x, where=mask)):
        with pytest.warns(UserWarning, match="'where' used without 'out'"):
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tn.add(x, x, where=mask, out=None)
        tn.add(x, x, where=True)
        tn.add(x, x, tn.zeros(3), where=mask)
        tn.add(x, x, out=tn.zeros(3), where=mask)


def test_place_of_nothing():
    a = tn.arange(3)
    tn.place(a, tn.zeros(3), [])
    assert a.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="Cannot insert from an empty array"):
        tn.place(a, tn.ones(3), [])


def test_broadcast():
    a, b = tn.arange(6).reshape(2, 3), tn.arange(3)
    x, y = a.get(), b.get()
    ours, theirs = tn.broadcast(a, tn.broadcast(b, 5)), np.broadcast(x, np.broadcast(y, 5))
    assert (ours.shape, ours.numiter, ours.nd, ours.size) == (theirs.shape, theirs.numiter, theirs.nd, theirs.size)
    assert ours.iters[0].base is a and ours.iters[1].base is b
    assert [tuple(map(int, one)) for one in ours] == [tuple(map(int, one)) for one in theirs]
    assert ours.index == theirs.index == 6
    ours.reset()
    assert ours.index == 0 and [int(one) for one in next(ours)] == [0, 0, 5]
    with pytest.raises(ValueError, match="at most 64"):
        tn.broadcast(*[a] * 65)


def test_flags_as_numpy():
    """Of arrays that lie in one piece: of others NumPy calls any farray that is aligned."""
    for theirs, ours in ((X, tn.asarray(X)), (X[1:], tn.asarray(X)[1:]), (X.T, tn.asarray(X).T)):
        for name in "contiguous fortran fnc forc behaved carray farray writebackifcopy aligned".split():
            assert getattr(ours.flags, name) == getattr(theirs.flags, name), name
        for key in "CARRAY CA FARRAY FA BEHAVED B WRITEBACKIFCOPY X FNC FORC".split():
            assert ours.flags[key] == theirs.flags[key], key
