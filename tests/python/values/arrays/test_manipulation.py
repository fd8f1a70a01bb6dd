"""Functions of the package that rearrange arrays, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, LAYOUTS, both, grid
from oracle import Report, assert_same
from tenorite._numpy import repetition

pytestmark = pytest.mark.quick


def test_axes():
    calls = {
        "ndim": lambda m, a: m.ndim(a),
        "size": lambda m, a: m.size(a),
        "size 1": lambda m, a: m.size(a, 1),
        "shape": lambda m, a: m.shape(a),
    }
    for axis in (0, 1, -1, 2, -3, (0, 1), (0, -1), (0, 2), (0, 0), ()):
        calls[f"expand_dims {axis}"] = lambda m, a, axis=axis: m.expand_dims(a, axis)
        calls[f"squeeze {axis}"] = lambda m, a, axis=axis: m.squeeze(a[:, None], axis)
        calls[f"flip {axis}"] = lambda m, a, axis=axis: m.flip(a, axis)
    for one, two in itertools.product((0, 1, -1, 2, -4), repeat=2):
        calls[f"moveaxis {one} {two}"] = lambda m, a, s=one, d=two: m.moveaxis(a[None], s, d)
        calls[f"swapaxes {one} {two}"] = lambda m, a, s=one, d=two: m.swapaxes(a[None], s, d)
        calls[f"rollaxis {one} {two}"] = lambda m, a, s=one, d=two: m.rollaxis(a[None], s, d)
    calls |= {
        "moveaxis two": lambda m, a: m.moveaxis(a[None], (0, 2), (-1, 0)),
        "transpose": lambda m, a: m.transpose(a),
        "permute_dims": lambda m, a: m.permute_dims(a, (1, 0)),
        "matrix_transpose": lambda m, a: m.matrix_transpose(a),
        "mT of vector": lambda m, a: m.matrix_transpose(a[0]),
        "fliplr": lambda m, a: m.fliplr(a),
        "flipud": lambda m, a: m.flipud(a),
        "fliplr 1-d": lambda m, a: m.fliplr(a[0]),
        "flipud 0-d": lambda m, a: m.flipud(m.array(1)),
        "unstack": lambda m, a: m.unstack(a, axis=1),
        "diagonal": lambda m, a: m.diagonal(a, 1),
        "diagonal axes": lambda m, a: m.diagonal(a[None], -1, 2, 0),
    }
    compare(calls, grid("float32"))


def test_shapes():
    calls = {}
    for function in ("atleast_1d", "atleast_2d", "atleast_3d"):
        calls |= {
            function: lambda m, a, f=function: getattr(m, f)(a),
            f"{function} 1-d": lambda m, a, f=function: getattr(m, f)(a[0:1, 0]),
            f"{function} several": lambda m, a, f=function: getattr(m, f)(a, 3, m.array(2)),
            f"{function} none": lambda m, a, f=function: list(getattr(m, f)()),
        }
    for order in "CFA":
        calls[f"ravel {order}"] = lambda m, a, order=order: m.ravel(a, order)
        calls[f"reshape {order}"] = lambda m, a, order=order: m.reshape(a, (-1, 3), order=order)
    calls |= {
        "ravel K": lambda m, a: m.ravel(a.T, "K"),
        "reshape int": lambda m, a: m.reshape(a, -1),
        "broadcast_to": lambda m, a: m.broadcast_to(a, (2, *a.shape)),
        "broadcast_to bad": lambda m, a: m.broadcast_to(a, (3, 2)),
        "broadcast_to scalar": lambda m, a: m.broadcast_to(2, (3, 2)),
        "broadcast_arrays": lambda m, a: m.broadcast_arrays(a, a[:1], a[0, ...]),
        "broadcast_arrays bad": lambda m, a: m.broadcast_arrays(a, m.ones((4, 4, 4))),
        "broadcast_shapes": lambda m, a: m.broadcast_shapes((1, 3), (2, 1)),
        "resize": lambda m, a: m.resize(a, (4, 5, 6)),
        "resize less": lambda m, a: m.resize(a, 3),
        "resize bad": lambda m, a: m.resize(a, (-1, 2)),
    }
    compare(calls, grid("int16"))


def test_elements():
    calls = {}
    for k in (-5, -1, 0, 1, 2, 3, 4):
        calls[f"rot90 {k}"] = lambda m, a, k=k: m.rot90(a, k)
        calls[f"rot90 {k} axes"] = lambda m, a, k=k: m.rot90(a[None], k, axes=(-1, 0))
        calls[f"roll {k}"] = lambda m, a, k=k: m.roll(a, k)
        calls[f"roll {k} axis"] = lambda m, a, k=k: m.roll(a, k, axis=-1)
        calls[f"roll {k} axes"] = lambda m, a, k=k: m.roll(a, (k, 2 * k), axis=(0, 1))
        calls[f"repeat {k}"] = lambda m, a, k=k: m.repeat(a, k)
        calls[f"repeat {k} axis"] = lambda m, a, k=k: m.repeat(a, k, axis=1)
        calls[f"tile {k}"] = lambda m, a, k=k: m.tile(a, abs(k))
        calls[f"tile ({k}, 2)"] = lambda m, a, k=k: m.tile(a, (abs(k), 2))
    calls |= {
        "rot90 same axes": lambda m, a: m.rot90(a, 1, (0, 0)),
        "rot90 no axis": lambda m, a: m.rot90(a, 1, (0, 5)),
        "roll same axis twice": lambda m, a: m.roll(a, (1, 2), axis=(0, 0)),
        "roll int axes": lambda m, a: m.roll(a, 3, axis=(0, 1)),
        "roll counts": lambda m, a: m.roll(a, (1, 2, 3), axis=(0, 1)),
        "roll axis": lambda m, a: m.roll(a, 1, axis=2),
        "repeat each": lambda m, a: m.repeat(a[:, :3], [2, 0, 1][: a[:, :3].shape[1]], axis=1),
        "repeat one in a list": lambda m, a: m.repeat(a, [3], axis=0),
        "repeat counts": lambda m, a: m.repeat(a, [1, 2], axis=0),
        "tile more axes": lambda m, a: m.tile(a, (2, 1, 3)),
        "tile vector": lambda m, a: m.tile(m.arange(3), 2),
        "tile none": lambda m, a: m.tile(a, ()),
        "append": lambda m, a: m.append(a, a),
        "append axis": lambda m, a: m.append(a, a, 0),
        "dstack": lambda m, a: m.dstack((a, a)),
        "dstack 1-d": lambda m, a: m.dstack((a[:, 0], a[:, 0])) if a.size else None,
        "column_stack": lambda m, a: m.column_stack((m.arange(3), m.ones(3))),
        "column_stack 2-d": lambda m, a: m.column_stack((a, a)),
    }
    compare(calls, grid("float64"))


def test_copyto():
    report = Report()
    for dtype, to in itertools.product(DTYPES, ("bool", "int16", "float32", "complex64")):
        x, a = both(grid(dtype))
        mask, m = both(grid("bool"))

        def call(module, value, where):
            out = module.ones((7, 9), dtype=to)
            module.copyto(out, value, where=where)
            return out

        report.check(f"{dtype} {to}", lambda: call(tn, a, True), lambda: call(np, x, True))
        report.check(f"{dtype} {to} where", lambda: call(tn, a, m), lambda: call(np, x, mask))
        for scalar in (1, 2.5, 1000):
            report.check(f"{scalar} to {to}", lambda: call(tn, scalar, m), lambda: call(np, scalar, mask))
    report.close()
    with pytest.raises(TypeError):
        tn.copyto(tn.ones(3), np.ones(3))
    with pytest.raises(TypeError):
        tn.copyto(np.ones(3), tn.ones(3))


@pytest.mark.quick
def test_copyto_leaves_axes_of_one_in_front_out():
    for module in (np, tn):
        out = module.zeros((2, 3, 4), int)
        module.copyto(out, module.ones((1, 2, 1, 4), int), where=module.arange(12).reshape(3, 4) > 2)
        assert int(out.sum()) == 18


def test_copyto_errors():
    def read_only(m):
        a = m.ones(3)
        a.flags.writeable = False
        m.copyto(a, 1)

    report = Report()
    calls = {
        "casting": lambda m: m.copyto(m.ones(3, "i4"), m.ones(3)),
        "no fit": lambda m: m.copyto(m.ones(3), m.ones(2)),
        "casting where": lambda m: m.copyto(m.ones(3, "i4"), m.ones(3), where=m.ones(3, bool)),
        "scalar": lambda m: m.copyto(m.ones(3, "i4"), 2.5),
        "large": lambda m: m.copyto(m.ones(3, "i1"), 1000),
        "rule": lambda m: m.copyto(m.ones(3), 1, casting="none"),
        "read-only": read_only,
    }
    for name, call in calls.items():
        report.check(name, lambda: call(tn), lambda: call(np))
    report.close()
    a = tn.ones(2)
    with pytest.warns(np.exceptions.ComplexWarning):
        tn.copyto(a, tn.array([1j, 2]), casting="unsafe")
    assert a.tolist() == [0, 2]


def test_large_numbers():
    """Shifts that are no C integer, and results that no memory holds."""
    x, a = both(grid("int16"))
    report = Report()
    for shift in (2**70, -(2**70), 2**63, -(2**63)):
        report.check(f"roll {shift}", lambda: tn.roll(a, shift), lambda: np.roll(x, shift))
        report.check(f"roll {shift} axis", lambda: tn.roll(a, shift, 1), lambda: np.roll(x, shift, 1))
    report.close()
    for times in (2**62, 2**63 - 1):
        with pytest.raises((ValueError, MemoryError)):
            tn.repeat(a, times)
        with pytest.raises((ValueError, MemoryError)):
            tn.repeat(a, [times], 1)
        with pytest.raises(ValueError):
            tn.repeat(a[:0], times, 1)
        assert tn.repeat(a[:0], times).shape == (0,)
    assert tn.repeat(a[:, :0], -1, 1).shape == (7, 0)


def test_lists():
    for shape in ((), (0,), (3, 0), (0, 3), (2, 1, 3), (1,) * 20):
        for dtype in DTYPES:
            x = np.ones(shape, dtype)
            assert tn.asarray(x).tolist() == x.tolist() and tn.asarray(x).tobytes() == x.tobytes()
    with pytest.raises(ValueError):
        tn.ones(2).tobytes("Z")
    with tn.cuda.Stream():
        a = tn.arange(6).reshape(2, 3) * 2
        assert a.T.tolist() == [[0, 6], [2, 8], [4, 10]] and a.tobytes("F") == np.array(a.T.tolist()).tobytes()


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_flat(layout, order):
    """ravel is a view where NumPy's is one, flatten never; both lie contiguous in memory."""
    x, a = both(grid("int32"), layout)
    for method in ("ravel", "flatten"):
        ours, theirs = getattr(a, method)(order), getattr(x, method)(order)
        assert_same(ours, theirs)
        assert ours.strides == theirs.strides or x.size < 2
        assert tn.shares_memory(ours, a) == np.shares_memory(theirs, x)


@pytest.mark.parametrize(("size", "times"), [(50, 3), (16, 2), (33, 5)])
def test_tile_of_long_lines_in_pieces(monkeypatch, size, times):
    """As a GPU does it where its cache does not hold the line."""
    monkeypatch.setattr(repetition, "_CACHED_BYTES", 64)
    made = repetition._tile_pieces(tn.arange(size, dtype="f4")[::-1], times)
    assert_same(made, np.tile(np.arange(size, dtype="f4")[::-1], times))
    assert made.base is None


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16"])
def test_transposed_backwards(dtype):
    """Copied in blocks, at once and through a stage."""
    turns = (lambda x: x.T[::-1, ::-1], lambda x: x.T[::-1], lambda x: x.T[:, ::-1])
    for shape in ((8, 8), (100, 1000), (7, 300), (300, 9), (65, 64)):
        host = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
        array = tn.asarray(host)
        for turn, use in itertools.product(turns, (lambda x: x.copy(), lambda x: x + x, lambda x: x.astype("c16"))):
            assert_same(use(turn(array)), use(turn(host)))
