"""Algorithms of tenorite.jit.thrust, parts of arrays, and reductions of cub, against NumPy."""

import numpy as np
import pytest
import tenorite as tn
from tenorite import jit

SEQ = jit.thrust.seq


@jit.rawkernel()
def searches(x, v, out, found, places):
    i = jit.threadIdx.x
    row = x[i]
    out[i, 0] = jit.thrust.lower_bound(SEQ, row.begin(), row.end(), v[i]) - row.begin()
    out[i, 1] = jit.thrust.upper_bound(SEQ, row.begin(), row.end(), v[i]) - row.begin()
    low, high = jit.thrust.equal_range(jit.thrust.device, row.begin(), row.end(), v[i])
    out[i, 2] = high - low
    out[i, 3] = jit.thrust.count(SEQ, row.begin(), row.end(), v[i])
    found[i, 0] = jit.thrust.binary_search(SEQ, row.begin(), row.end(), v[i])
    found[i, 1] = jit.thrust.is_sorted(SEQ, row.begin(), row.end())
    found[i, 2] = jit.thrust.equal(SEQ, row.begin(), row.end(), row.begin())
    found[i, 3] = jit.thrust.find(SEQ, row.begin(), row.end(), v[i]) == low if found[i, 0] else True
    jit.thrust.lower_bound(SEQ, row.begin(), row.end(), v.begin(), v.end(), places[i].begin())


@pytest.mark.parametrize("order", "CF")
def test_searches(order):
    x = np.sort(np.random.default_rng(1).integers(0, 9, (6, 20)), axis=1)
    v = np.array([0, 3, 8, 4, -1, 9])
    out, found, places = tn.zeros((6, 4), "q"), tn.zeros((6, 4), "?"), tn.zeros((6, 6), "i")
    searches[1, 6](tn.array(x, order=order), tn.array(v), out, found, places)
    low = np.array([np.searchsorted(row, one) for row, one in zip(x, v)])
    high = np.array([np.searchsorted(row, one, "right") for row, one in zip(x, v)])
    np.testing.assert_array_equal(out.get(), np.stack([low, high, high - low, high - low], axis=1))
    np.testing.assert_array_equal(found.get()[:, 0], high > low)
    assert found[:, 1:].all()
    np.testing.assert_array_equal(places.get(), [np.searchsorted(row, v) for row in x])


@jit.rawkernel()
def changes(x, keys, values, sums, ends):
    i = jit.threadIdx.x
    jit.thrust.stable_sort_by_key(SEQ, keys[i].begin(), keys[i].end(), values[i].begin())
    jit.thrust.sort(SEQ, x[i].begin(), x[i].end())
    sums[i, 0] = jit.thrust.reduce(SEQ, x[i].begin(), x[i].end())
    sums[i, 1] = jit.thrust.reduce(SEQ, x[i].begin(), x[i].end(), tn.float64(10))
    sums[i, 2] = jit.thrust.inner_product(SEQ, x[i].begin(), x[i].end(), x[i].begin(), tn.float64(1))
    where = jit.thrust.unique(SEQ, x[i].begin(), x[i].end())
    ends[i] = where - x[i].begin()
    jit.thrust.fill(SEQ, where, x[i].end(), -1)


@pytest.mark.parametrize("order, width", [("C", 200), ("F", 77), ("C", 1), ("F", 16)])
def test_changes(order, width):
    make = np.random.default_rng(width)
    x, keys = make.integers(0, 50, (3, width)).astype("f8"), make.integers(0, 7, (3, width))
    given = [tn.array(one, order=order) for one in (x, keys, np.tile(np.arange(width), (3, 1)))]
    sums, ends = tn.zeros((3, 3)), tn.zeros(3, "q")
    changes[1, 3](*given, sums, ends)
    places = np.argsort(keys, axis=1, kind="stable")
    np.testing.assert_array_equal(given[2].get(), places)
    np.testing.assert_array_equal(given[1].get(), np.sort(keys, axis=1))
    total = x.sum(axis=1)
    np.testing.assert_array_equal(sums.get(), np.stack([total, total + 10, (x * x).sum(axis=1) + 1], axis=1))
    for row, end, one in zip(x, ends.get(), given[0].get()):
        np.testing.assert_array_equal(one[:end], np.unique(row))
        assert (one[end:] == -1).all()


@jit.rawkernel()
def streams(x, out, order, keys):
    n = x.size
    jit.thrust.adjacent_difference(SEQ, x.begin(), x.end(), out[0].begin())
    jit.thrust.inclusive_scan(SEQ, x.begin(), x.end(), out[1].begin())
    jit.thrust.exclusive_scan(SEQ, x.begin(), x.end(), out[2].begin(), 5)
    jit.thrust.exclusive_scan_by_key(SEQ, keys.begin(), keys.end(), x.begin(), out[3].begin())
    jit.thrust.inclusive_scan_by_key(SEQ, keys.begin(), keys.end(), x.begin(), out[4].begin())
    jit.thrust.gather(SEQ, order.begin(), order.end(), x.begin(), out[5].begin())
    jit.thrust.scatter(SEQ, x.begin(), x.end(), order.begin(), out[6].begin())
    jit.thrust.reverse_copy(SEQ, x.begin(), x.end(), out[7].begin())
    jit.thrust.replace_copy(SEQ, x.begin(), x.end(), out[8].begin(), 2, 99)
    jit.thrust.sequence(SEQ, out[9].begin(), out[9].end(), 3, 2)
    counting = jit.thrust.make_counting_iterator(7)
    same = jit.thrust.make_constant_iterator(4)
    jit.thrust.copy(SEQ, counting, counting + n, out[10].begin())
    jit.thrust.copy(SEQ, same, same + n, out[11].begin())
    jit.thrust.swap_ranges(SEQ, out[10].begin(), out[10].end(), out[11].begin())
    jit.thrust.reverse(SEQ, out[11].begin(), out[11].end())


def test_streams():
    x = np.array([2, 5, 2, 2, 7, 1])
    order, keys, out = np.array([3, 1, 5, 0, 2, 4]), np.array([0, 0, 1, 1, 1, 0]), tn.zeros((12, 6), "q")
    streams[1, 1](tn.array(x), out, tn.array(order), tn.array(keys))
    scattered = np.zeros(6, "q")
    scattered[order] = x
    expected = [
        np.diff(x, prepend=0),
        x.cumsum(),
        x.cumsum() - x + 5,
        [0, 2, 0, 2, 4, 0],
        [2, 7, 2, 4, 11, 1],
        x[order],
        scattered,
        x[::-1],
        np.where(x == 2, 99, x),
        3 + 2 * np.arange(6),
        np.full(6, 4),
        7 + np.arange(6)[::-1],
    ]
    np.testing.assert_array_equal(out.get(), np.array(expected))


@jit.rawkernel()
def sets(a, b, v, w, out, values, ends):
    T = jit.thrust
    ends[0] = T.set_union(SEQ, a.begin(), a.end(), b.begin(), b.end(), out[0].begin()) - out[0].begin()
    ends[1] = T.set_intersection(SEQ, a.begin(), a.end(), b.begin(), b.end(), out[1].begin()) - out[1].begin()
    ends[2] = T.set_difference(SEQ, a.begin(), a.end(), b.begin(), b.end(), out[2].begin()) - out[2].begin()
    k, u = T.set_symmetric_difference_by_key(
        SEQ, a.begin(), a.end(), b.begin(), b.end(), v.begin(), w.begin(), out[3].begin(), values[0].begin()
    )
    ends[3] = k - out[3].begin()
    k2, u2 = T.reduce_by_key(SEQ, a.begin(), a.end(), v.begin(), out[4].begin(), values[1].begin())
    ends[4] = u2 - values[1].begin()
    k3, u3 = T.mismatch(SEQ, a.begin(), a.end(), b.begin())
    ends[5] = k3 - a.begin()
    ends[6] = T.remove_copy(SEQ, a.begin(), a.end(), out[5].begin(), 2) - out[5].begin()


def test_sets():
    a, b = np.array([1, 2, 2, 2, 5, 6]), np.array([1, 2, 3, 5, 5])
    out, values, ends = tn.zeros((6, 12), "q"), tn.zeros((2, 12), "q"), tn.zeros(7, "q")
    sets[1, 1](tn.array(a), tn.array(b), tn.arange(6), tn.arange(5) + 10, out, values, ends)
    expected = [[1, 2, 2, 2, 3, 5, 5, 6], [1, 2, 5], [2, 2, 6], [2, 2, 3, 5, 6], [1, 2, 5, 6], None, [1, 5, 6]]
    for k, row in enumerate(expected):
        if row is not None:
            assert out[min(k, 5)].get()[: len(row)].tolist() == row and int(ends[k]) == len(row)
    assert values[0].get()[:5].tolist() == [2, 3, 12, 14, 5] and int(ends[5]) == 2
    assert values[1].get()[:4].tolist() == [0, 1 + 2 + 3, 4, 5]


@jit.rawkernel()
def of_parts(x, out):
    i = jit.threadIdx.x
    part = x[i]
    if part.ndim == 2 and part.shape[0] == x.shape[1]:
        row = part[1]
        out[i] = row[2] + part[0, 1] + x[i][-1, 0] + len(part)
        part[0, 0] = 100


def test_parts():
    whole = np.arange(48.0).reshape(2, 6, 4)
    for x in (tn.array(whole), tn.array(whole, order="F"), tn.array(np.flip(np.tile(whole, 2)))[..., ::2]):
        host, out = x.get(), tn.zeros(2)
        of_parts[1, 2](x, out)
        np.testing.assert_array_equal(out.get(), host[:, 1, 2] + host[:, 0, 1] + host[:, -1, 0] + host.shape[1])
        assert (x.get()[:, 0, 0] == 100).all()


@jit.rawkernel()
def largest(x, out):
    block = jit.cub.BlockReduce[tn.complex64, 8]
    memory = jit.shared_memory(block.TempStorage, 2)
    high = block(memory[0]).Reduce(x[jit.threadIdx.x], jit.cub.Max())
    low = block(memory[1]).Reduce(x[jit.threadIdx.x], jit.cub.Min())
    if jit.threadIdx.x == 0:
        out[0] = high
        out[1] = low


@jit.rawkernel()
def half_sum(x, out):
    warp = jit.cub.WarpReduce[tn.float16]
    memory = jit.shared_memory(warp.TempStorage, 1)
    total = warp(memory[0]).Sum(x[jit.threadIdx.x])
    if jit.threadIdx.x == 0:
        out[0] = total


def test_reductions():
    x = np.array([1 + 2j, 1 - 3j, 0, 5 + 1j, 5 + 2j, -1, -1 - 1j, 2], "F")
    out = tn.zeros(2, "F")
    largest[1, 8](tn.array(x), out)
    assert out.get().tolist() == [5 + 2j, -1 - 1j]
    halves, sums = np.linspace(0, 10, 32).astype("e"), tn.zeros(1, "e")
    half_sum[1, 32](tn.array(halves), sums)
    assert sums.get()[0] == np.float16(halves.astype("f").sum())


@jit.rawkernel()
def by_key(a, b, v, w, keys, values, ends):
    T = jit.thrust
    k0, v0 = T.set_union_by_key(
        SEQ, a.begin(), a.end(), b.begin(), b.end(), v.begin(), w.begin(), keys[0].begin(), values[0].begin()
    )
    k1, v1 = T.set_intersection_by_key(
        SEQ, a.begin(), a.end(), b.begin(), b.end(), v.begin(), keys[1].begin(), values[1].begin()
    )
    k2, v2 = T.set_difference_by_key(
        SEQ, a.begin(), a.end(), b.begin(), b.end(), v.begin(), w.begin(), keys[2].begin(), values[2].begin()
    )
    k3 = T.set_symmetric_difference(SEQ, a.begin(), a.end(), b.begin(), b.end(), keys[3].begin())
    ends[0], ends[1], ends[2], ends[3] = (
        k0 - keys[0].begin(),
        v1 - values[1].begin(),
        k2 - keys[2].begin(),
        k3 - keys[3].begin(),
    )
    ends[4] = T.is_sorted_until(SEQ, w.begin(), w.end()) - w.begin()
    k5, v5 = T.unique_by_key(SEQ, a.begin(), a.end(), v.begin())
    ends[5] = v5 - v.begin()
    T.sort_by_key(T.host, w.begin(), w.end(), b.begin())
    T.stable_sort(SEQ, keys[4].begin(), keys[4].end())


def test_by_key():
    a, b = tn.array([1, 2, 2, 4]), tn.array([2, 3, 4, 9])
    v, w = tn.array([10, 11, 12, 13]), tn.array([20, 23, 21, 22])
    keys, values, ends = tn.array(np.arange(40).reshape(5, 8) % 7), tn.zeros((5, 8), "q"), tn.zeros(6, "q")
    by_key[1, 1](a, b, v, w, keys, values, ends)
    assert ends.get().tolist() == [6, 2, 2, 4, 2, 3]
    for k, row in enumerate(([1, 2, 2, 3, 4, 9], [2, 4], [1, 2], [1, 2, 3, 9], sorted(np.arange(32, 40) % 7))):
        assert keys[k].get()[: len(row)].tolist() == row
    for k, row in enumerate(([10, 11, 12, 23, 13, 22], [11, 13], [10, 12])):
        assert values[k].get()[: len(row)].tolist() == row
    assert a[:3].get().tolist() == [1, 2, 4] and v[:3].get().tolist() == [10, 11, 13]
    assert w.get().tolist() == [20, 21, 22, 23] and b.get().tolist() == [2, 4, 9, 3]


def adder(amount):
    @jit.rawkernel(device=True)
    def add(x):
        return x + amount

    return add


@jit.rawkernel()
def made_functions(x):
    x[0] = adder(1)(x[0])
    x[0] = adder(20)(x[0])


def test_made_functions():
    """A function that makes device functions is called while the kernel is translated."""
    x = tn.zeros(1, "i")
    made_functions[1, 1](x)
    assert int(x[0]) == 21


@jit.rawkernel()
def wrong_policy(x):
    jit.thrust.sort(x.begin(), x.end())


@jit.rawkernel()
def wrong_place(x):
    jit.thrust.sort(SEQ, x, x)


@jit.rawkernel()
def wrong_count(x):
    jit.thrust.fill(SEQ, x.begin(), x.end())


@pytest.mark.parametrize(
    "kernel, match",
    [
        (wrong_policy, "must be a policy"),
        (wrong_place, "must be an iterator"),
        (wrong_count, r"takes \(exec_policy, first, last, value\)"),
    ],
)
def test_refused_calls(kernel, match):
    with pytest.raises(TypeError, match=match):
        kernel[1, 1](tn.zeros(3))
    with pytest.raises(RuntimeError, match="in a kernel alone"):
        jit.thrust.sort(SEQ, 1, 2)
