"""Arrays of a device that is not the current one: results lie beside their operands."""

import numpy as np
import pytest
import tenorite as tn

RESULTS = """
a+1
a.sum()
a.copy()
tn.concatenate([a, a])
a[m]
a[[0, 1]]
a[tn.asnumpy(i)[:1]]
a[True]
tn.where(m, a, 0)
tn.where(m)
tn.meshgrid(a[0], a[1])
tn.ix_(i)
tn.roll(a, 1)
tn.roll(a, 1, 0)
tn.pad(a, 1)
tn.pad(a, 1, 'edge')
tn.pad(a, 1, 'linear_ramp')
tn.pad(a, 1, 'mean')
tn.repeat(a, 2)
tn.repeat(a, [1, 2], 0)
tn.repeat(a, i[:2], 0)
tn.tile(a, 2)
tn.resize(a, (3, 3))
tn.tril(a)
tn.triu(a)
tn.delete(a, 0, 0)
tn.delete(a, i[:1], 0)
tn.insert(a, 0, 1, 0)
tn.insert(a, [0, 1], a[:, 0], 1)
tn.gradient(a)
tn.take_along_axis(a, m.astype(int), 0)
tn.linalg.norm(a)
tn.linalg.matrix_power(sq, 0)
tn.linalg.matrix_power(sq, 3)
tn.linalg.multi_dot([a, sq, sq])
tn.diag(a[0])
tn.diag(a)
tn.diagflat(a)
tn.kron(a, a)
tn.cross(a, a)
tn.cov(a)
tn.cov(a, fweights=i)
tn.corrcoef(a)
tn.bincount(i)
tn.bincount(i, a[0])
tn.choose(i, [a[0], a[1], 3])
tn.choose(i, [a[0], a[1], 3], mode='wrap')
tn.select([m], [a])
tn.select([m], [a], 5)
tn.piecewise(a, [m], [lambda v:v, 3])
tn.vander(a[0])
tn.unwrap(a)
tn.trapezoid(a)
tn.trapezoid(a, a)
tn.ediff1d(a, to_end=3)
tn.ediff1d(a, to_end=a[0])
tn.nan_to_num(a)
tn.round(a, 1)
tn.around(a.astype(int), -1)
tn.isclose(a, a)
tn.allclose(a, 1)
tn.array_equal(a, a)
tn.array_equiv(a, a[:1])
tn.argwhere(m)
tn.apply_along_axis(lambda v:v.sum(), 0, a)
tn.apply_over_axes(tn.sum, a, 0)
tn.block([[a, a], [a, a]])
tn.block([a[0], 3])
tn.r_[a[0], 3]
tn.c_[a[0], a[1]]
tn.append(a, 3)
tn.append(a, a)
tn.column_stack([a[0], a[1]])
tn.dstack([a, a])
tn.split(a, 2)
tn.linspace(a[0], a[1], 3)
tn.linspace(0, a[0], 3)
tn.logspace(a[0], a[1], 3)
tn.geomspace(a[0], a[1], 3)
tn.angle(a)
tn.angle(a, True)
tn.clip(a, 1, 2)
tn.real_if_close(a.astype(complex))
tn.average(a, weights=a)
tn.average(a, axis=1)
tn.diff(a, prepend=0)
tn.diff(a, append=a[:, :1])
tn.ravel_multi_index((i, i), (3, 3))
tn.unravel_index(i, (3, 3))
tn.trim_zeros(a[0])
tn.lib.stride_tricks.sliding_window_view(a, (1, 2))
tn.broadcast(a, 3).values
tn.broadcast_arrays(a, 3)
tn.add.reduceat(a, [0, 1])
tn.add.outer(a, 2)
tn.maximum.reduce(a, initial=3, where=m)
a.take([0, 1])
a.take(1, axis=0)
a.compress([True, False], axis=0)
a.dot(3)
a@sq
tn.vdot(a, a)
tn.extract(m, a)
tn.compress([True, False], a, axis=0)
tn.nanmax(a)
tn.ptp(a)
a.flat[2:4]
a.flat[[0, 1]]
tn.mean(a, where=m)
tn.var(a, ddof=1)
tn.rot90(a)
tn.flip(a)
a.astype('f4')
divmod(a, 2)
tn.linalg.vector_norm(a, axis=1)
tn.tensordot(a, a)
tn.outer(a, a)
tn.inner(a, 3)
tn.i0(a)
tn.sinc(a)
a.view('i8')
a.real
a.astype('c8').imag
a.imag
a.conj()
a.round(1)
""".strip().splitlines()
WRITES = """
tn.place(a, m, a[0])
tn.place(a, m, 3)
tn.putmask(a, m, a[0])
tn.fill_diagonal(a, 3)
tn.fill_diagonal(a, a[0])
tn.put_along_axis(a, m.astype(int), 3, 0)
tn.copyto(a, 3, where=m)
tn.add.at(a, [0, 1], 1)
tn.add.at(a, i[:1], 1)
a.put([0], [9])
a.__setitem__([0], 3)
a.flat.__setitem__(slice(None), a[0])
""".strip().splitlines()


@pytest.fixture
def arrays():
    """Arrays of another device than that which is current in the test."""
    with tn.cuda.Device("host:1"):
        a = tn.arange(6.0).reshape(2, 3) + 1
        found = {"a": a, "i": tn.array([1, 0, 2]), "m": a > 2, "sq": tn.arange(9.0).reshape(3, 3), "tn": tn}
    with tn.cuda.Device("host:0"):
        yield found


def devices(value):
    """The devices of all arrays in a result."""
    if isinstance(value, tn.ndarray):
        return {value.device}
    if isinstance(value, (tuple, list)):
        return {device for one in value for device in devices(one)}
    return set()


@pytest.mark.parametrize("call", RESULTS)
def test_results(arrays, call):
    found = devices(eval(call, arrays))
    assert found == {tn.cuda.Device("host:1")}
    assert tn.cuda.Device() == tn.cuda.Device("host:0")


@pytest.mark.parametrize("call", WRITES)
def test_writes(arrays, call):
    """In place; a value that is no array yet goes where the array is."""
    before = arrays["a"].get()
    eval(call, arrays)
    assert arrays["a"].device == tn.cuda.Device("host:1")
    assert not np.array_equal(arrays["a"].get(), before)
