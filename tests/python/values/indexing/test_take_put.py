"""Take, put, nonzero, compress, extract; subclasses, streams and devices under indexing."""

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, INTEGERS, LAYOUTS, both, grid
from keys import MASK3, MASK5, MASK34, MASK345, S, after_writing, cube, views
from oracle import Report, assert_same, quiet, to_ours

INDEX_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@pytest.mark.parametrize("dtype", ("i1", "f2", "i4", "f8", "c16"))
def test_large_take_and_put(dtype):
    random = np.random.default_rng(3)
    for shape in ((200_000,), (1000, 300), (300, 3, 250), (5, 40_000), (40_000, 5)):
        x = random.integers(0, 100, shape).astype(dtype)
        a = tn.array(x)
        for axis in range(x.ndim):
            for count in (3, 40_000 if x.ndim == 1 else 700):
                indices = random.integers(-shape[axis], shape[axis], count)
                key = (*[slice(None)] * axis, indices)
                values = random.integers(0, 100, x[key].shape).astype(dtype)
                assert np.array_equal(a.take(tn.array(indices), axis).get(), x.take(indices, axis))
                if x.ndim > 1:
                    transposed = (*[slice(None)] * (x.ndim - 1 - axis), indices)
                    assert np.array_equal(a.T[to_ours(transposed)].get(), x.T[transposed])
                for value in (5, values, values[..., ::-1]):
                    left, right = a.copy(), x.copy()
                    left[to_ours(key)] = to_ours(value)
                    right[key] = value
                    assert np.array_equal(left.get(), right)


# --- Functions ---


@pytest.mark.quick
def test_take():
    report = Report()
    x = cube()
    for name, x, a in views(cube()):
        for axis in (None, 0, 1, 2, -1, -3, 3):
            for indices in (
                0,
                -1,
                [0, 2],
                [[1, 0], [2, 2]],
                np.array([], int),
                np.array([1], "u1"),
                2,
                [True, False],
                77,
            ):
                for mode in ("raise", "wrap", "clip"):
                    report.check(
                        f"{name} {axis} {indices} {mode}",
                        lambda: a.take(to_ours(indices), axis, mode=mode),
                        lambda: x.take(indices, axis, mode=mode),
                    )
    for indices in ([7, -7, 60, -61, 1000], [-(2**20)], []):
        for mode in ("raise", "wrap", "clip", "other"):
            report.check(
                f"{indices} {mode}",
                lambda: tn.take(tn.array(x), indices, mode=mode),
                lambda: np.take(x, indices, mode=mode),
            )
    for shape in ((0,), (0, 3), (3, 0)):
        for axis in (None, 0, -1):
            for indices in ([], [0], [5] if 0 not in shape[:-1] else [2]):  # ours always looks
                report.check(
                    f"{shape} {axis} {indices}",
                    lambda: tn.zeros(shape).take(indices, axis),
                    lambda: np.zeros(shape).take(np.array(indices, int), axis),
                )
    report.check("0-d", lambda: tn.take(tn.array(3), 0), lambda: np.take(np.array(3), 0))
    report.check("0-d axis", lambda: tn.take(tn.array(3), [0, 0], 0), lambda: np.take(np.array(3), [0, 0], 0))
    report.close(500)


def test_take_out():
    x = cube("f4")
    a, indices = tn.array(x), [2, 0]
    for out_dtype in ("f4", "f2", "i2", "?", "f8", "i4", "c8"):
        out, theirs = tn.zeros((3, 2, 5), out_dtype), np.zeros((3, 2, 5), out_dtype)
        if not np.can_cast(out_dtype, "f4"):
            with pytest.raises(TypeError, match="according to the rule 'safe'"):  # NumPy 2.5 warns
                tn.take(a, indices, axis=1, out=out)
            continue
        assert a.take(indices, axis=1, out=out) is out
        assert_same(out, x.take(indices, axis=1, out=theirs))
    for out in (tn.zeros((2, 3, 5), "f4").swapaxes(0, 1), tn.zeros((3, 2, 10), "f4")[..., ::2]):
        tn.take(a, indices, 1, out)
        assert_same(out, x.take(indices, axis=1))
    with pytest.raises(ValueError, match="output array does not match result of ndarray.take"):
        a.take(indices, out=tn.zeros(3, "f4"))
    with pytest.raises(TypeError):
        a.take(indices, out=np.zeros(2, "f4"))


@pytest.mark.quick
def test_put():
    report = Report()
    for name, _, _ in views(cube()):
        for indices in ([0], [5, -1, 5], [[1, 2], [3, 59]], [60], [-61], [0.7], [], np.arange(60)):
            for values in (7, [1, 2], [1.9, 2, 3, 4, 5], [], np.arange(100), np.arange(120)[::-2]):
                for mode in ("raise", "wrap", "clip"):
                    (x, a) = next((x, a) for n, x, a in views(cube()) if n == name)
                    report.check(
                        f"{name} {indices} {values} {mode}",
                        lambda: (a.put(to_ours(indices), to_ours(values), mode), a)[1],
                        lambda: (x.put(indices, values, mode), x)[1],
                    )
    report.check("empty", lambda: tn.zeros(0).put([0], 1), lambda: np.zeros(0).put([0], 1))
    report.close(300)


@pytest.mark.quick
def test_nonzero():
    report = Report()
    for dtype in DTYPES:
        for layout in LAYOUTS:
            x, a = both(np.where(np.arange(63).reshape(7, 9) % 2, grid(dtype), 0), layout)
            label = f"{dtype} {layout}"
            report.check(label, lambda: a.nonzero(), lambda: x.nonzero())
            report.check(label, lambda: tn.nonzero(a), lambda: np.nonzero(x))
            report.check(label, lambda: tn.flatnonzero(a), lambda: np.flatnonzero(x))
            report.check(label, lambda: tn.argwhere(a), lambda: np.argwhere(x))
            report.check(label, lambda: tn.where(a), lambda: np.where(x))
    for shape in ((3, 4, 5, 6), (100, 1, 3), (2, 50_000), (50_000, 2), (1, 1, 1, 1, 9), (0, 4), (4, 0)):
        x = np.random.default_rng(1).integers(0, 3, shape)
        report.check(f"{shape}", lambda: tn.array(x).nonzero(), lambda: x.nonzero())
        report.check(f"{shape}", lambda: tn.argwhere(tn.array(x)), lambda: np.argwhere(x))
    report.close(500)


@pytest.mark.quick
def test_compress_and_extract():
    report = Report()
    for name, x, a in views(cube()):
        for axis in (None, 0, 1, 2, -1, 3):
            for condition in ([], [1], [0, 1, 0], [True] * 4, [0] * 9, [1] * 61, MASK5, [0.0, 2.5], MASK34, 1):
                report.check(
                    f"{name} {condition} {axis}",
                    lambda: a.compress(to_ours(condition), axis),
                    lambda: x.compress(condition, axis),
                )
                report.check(
                    f"{name} {condition} {axis}",
                    lambda: tn.compress(to_ours(condition), a, axis=axis),
                    lambda: np.compress(condition, x, axis=axis),
                )
        for condition in (MASK345, [1, 0, 1], [0] * 70, MASK34, x % 3, []):
            report.check(f"extract {name}", lambda: tn.extract(to_ours(condition), a), lambda: np.extract(condition, x))
    out = tn.zeros(2, int)
    assert tn.compress([1, 0, 1], tn.arange(3), out=out) is out
    assert_same(out, np.array([0, 2]))
    report.close(200)


def test_results_are_views_or_copies():
    a = tn.arange(12).reshape(3, 4)
    for key in (0, slice(1), (0, slice(None)), None, ..., (), (slice(None), 1)):
        assert tn.may_share_memory(a[key], a) if hasattr(tn, "may_share_memory") else a[key].base is not None
    for key in ([0], tn.array([0]), tn.ones(3, bool), True, (slice(None), [0])):
        assert a[key].base is None


def test_subclass_is_kept():
    class Sub(tn.ndarray):
        def __array_finalize__(self, like):
            self.seen = type(like).__name__

    a = tn.arange(6).view(Sub)
    for key in (0, slice(3), [0, 1], tn.ones(6, bool)):
        assert type(a[key]) is Sub and a[key].seen == "Sub"
    assert type(a.take([1])) is Sub


def test_assignment_of_self_is_free():
    a = tn.arange(10)
    a[2:5] += 1
    a[[0, 1]] += 10
    assert_same(a, np.array([10, 11, 3, 4, 5, 5, 6, 7, 8, 9]))


def test_indexing_on_another_stream(device):
    with tn.cuda.Stream() as stream:
        x = np.arange(1000)
        a = tn.array(x)
        b = a[tn.array(x[::-1].copy())]
        b[b > 500] = -1
        c = b[b >= 0]
        stream.synchronize()
        assert_same(c, x[::-1][x[::-1] <= 500])
        # The first wait raises it, and no later one. An event of the host says the time alone.
        waits = [stream.synchronize, tn.cuda.Device().synchronize, a.get]
        if device == "cuda":
            waits.append(lambda: stream.record().synchronize())
        for wait in waits:
            a[tn.array([5000])]
            with pytest.raises(IndexError, match="index 5000 is out of bounds for axis 0 with size 1000"):
                wait()
            tn.cuda.Device().synchronize()


@pytest.mark.two_devices
def test_on_another_device(device):
    with tn.cuda.Device(1):
        x, a = cube(), tn.array(cube())
        indices = tn.array([2, 0])
    here = tn.array([2, 0])
    assert a.device.id == 1 and tn.cuda.Device().id == 0
    for key in ([2, 0], MASK3, S[:, [0, 1]], True, S[0, 1:], S[..., np.array([3, 1])]):
        assert_same(a[key], x[key])
        assert a[key].device.id == 1
        left = a.copy()
        left[key] = 7
        assert_same(left, after_writing(x.copy(), key, 7))
    assert_same(a[indices], x[[2, 0]])
    assert_same(a.take([1, 5]), x.take([1, 5]))
    assert_same(a.compress([1, 0, 1], axis=0), x.compress([1, 0, 1], axis=0))
    assert a.nonzero()[0].device.id == 1 and tn.concatenate((a, a)).device.id == 1
    for call in (
        lambda: a[here],
        lambda: a.take(here),
        lambda: tn.concatenate((a[0, 0], here)),
        lambda: after_writing(a, indices, here),
    ):
        with pytest.raises(ValueError, match=f"{device} device . and {device} device .|{device}:.*{device}:"):
            call()


def test_bytes_seen_as_a_bool():
    """Any byte but zero is true, and its item is Python's True."""
    a = tn.array([165, 0, 2], "u1").view(bool)
    assert [a[k].item() for k in range(3)] == [True, False, True]
    assert [int(a[k]) for k in range(3)] == [1, 0, 1]
    assert bool(a[2]) is True


@pytest.mark.huge
def test_more_than_2_to_31_elements():
    size = 2**31 + 77
    a = tn.zeros(size, "i1")
    a[[5, size - 1, 2**31]] = 3
    assert_same(a[tn.array([5, -1, 2**31, 6])], np.array([3, 3, 3, 0], "i1"))
    assert_same(a[2**31 + 1 :].nonzero()[0], np.array([75]))
    assert_same(tn.flatnonzero(a), np.array([5, 2**31, size - 1]))
    mask = a.view(bool)
    a[mask] = 4
    assert_same(a[a.view(bool)], np.array([4, 4, 4], "i1"))
    assert int(a[size - 1]) == 4
    with quiet():
        assert_same(a[2**31 - 2 : 2**31 + 2], np.array([0, 0, 4, 0], "i1"))


assert set(INDEX_DTYPES) == set(INTEGERS)
