"""Bad input: a clear exception, outputs untouched, nothing leaked, and the process lives."""

import pickle

import numpy as np
import pytest
import tenorite as tn
from oracle import Report

pytestmark = pytest.mark.quick

HOST = [np.ones(3), [1.0, 2.0], (1, 2), "text", None, object(), {1: 2}, np.ma.array([1, 2])]


@pytest.mark.parametrize("other", HOST, ids=lambda v: type(v).__name__)
def test_operands_of_other_types(other):
    """Ufuncs take our arrays and scalars; the message names the type."""
    a = tn.ones(3)
    for call in (
        lambda: tn.add(a, other),
        lambda: tn.add(other, a),
        lambda: tn.sin(other),
        lambda: tn.where(a > 0, a, other),
        lambda: tn.maximum(a, other),
    ):
        with pytest.raises(TypeError, match="Unsupported type <class"):
            call()


def test_message_of_host_arrays():
    a = tn.ones(3)
    for call in (
        lambda: tn.add(a, np.ones(3)),
        lambda: a + np.ones(3),
        lambda: np.ones(3) + a,
        lambda: np.add(np.ones(3), a),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value).startswith("Unsupported type <class 'numpy.ndarray'>")
        assert "tenorite.asarray(x)" in str(caught.value)
    with pytest.raises(TypeError):
        a += np.ones(3)
    with pytest.raises(TypeError):
        host = np.ones(3)
        host += a
    assert host.tolist() == [1, 1, 1]


def test_shapes():
    report = Report()
    calls = {
        "broadcast": lambda m: m.ones((3, 4)) + m.ones((2, 4)),
        "in place": lambda m: m.ones(3).__iadd__(m.ones((2, 3))),
        "assign": lambda m: m.ones(3).__setitem__(slice(None), m.ones(2)),
        "reshape": lambda m: m.ones(6).reshape(4, 2),
        "reshape -1 twice": lambda m: m.ones(6).reshape(-1, -1),
        "reshape -1 does not divide": lambda m: m.ones(6).reshape(4, -1),
        "reshape no copy": lambda m: m.ones((2, 3)).T.reshape(6, copy=False),
        "negative size": lambda m: m.empty((2, -1)),
        "too large": lambda m: m.empty((2**40, 2**40)),
        "too large product": lambda m: m.zeros(2**62),
        "too many axes": lambda m: m.empty((1,) * 65),
        "concatenate sizes": lambda m: m.concatenate((m.ones((2, 3)), m.ones((2, 4)))),
        "concatenate nothing": lambda m: m.concatenate(()),
        "concatenate 0-d": lambda m: m.concatenate((m.array(1), m.array(2))),
        "stack sizes": lambda m: m.stack((m.ones(2), m.ones(3))),
        "matmul": lambda m: m.ones((2, 3)) @ m.ones((2, 3)),
        "matmul scalar": lambda m: m.ones((2, 3)) @ 2,
        "squeeze": lambda m: m.ones((2, 3)).squeeze(0),
        "broadcast_to": lambda m: m.broadcast_to(m.ones(3), (3, 2)),
        "truth of many": lambda m: bool(m.ones(3)),
        "truth of none": lambda m: bool(m.ones(0)),
        "float of many": lambda m: float(m.ones(3)),
        "index of float": lambda m: [1, 2, 3][m.array(1.0)],
        "len of 0-d": lambda m: len(m.array(1)),
        "iterate 0-d": lambda m: list(m.array(1)),
        "item of many": lambda m: m.ones(3).item(),
        "item out of bounds": lambda m: m.ones(3).item(3),
        "transpose axes": lambda m: m.ones((2, 3)).transpose(0, 0),
        "transpose count": lambda m: m.ones((2, 3)).transpose(0),
        "mT of vector": lambda m: m.ones(3).mT,
        "view": lambda m: m.ones(3, "i1").view("i2"),
        "arange step": lambda m: m.arange(0, 1, 0),
        "linspace count": lambda m: m.linspace(0, 1, -1),
        "empty reduction": lambda m: m.ones(0).max(),
        "empty argmax": lambda m: m.ones(0).argmax(),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn), lambda: call(np))
    report.close()


def test_axes():
    report = Report()
    calls = {
        "sum": lambda m: m.ones((2, 3)).sum(axis=2),
        "sum negative": lambda m: m.ones((2, 3)).sum(axis=-3),
        "sum twice": lambda m: m.ones((2, 3)).sum(axis=(0, 0)),
        "sum of 0-d": lambda m: m.array(1).sum(axis=1),
        "axis float": lambda m: m.ones((2, 3)).sum(axis=1.0),
        "argmax": lambda m: m.ones((2, 3)).argmax(axis=2),
        "cumsum": lambda m: m.ones((2, 3)).cumsum(axis=2),
        "concatenate": lambda m: m.concatenate((m.ones(2), m.ones(2)), axis=1),
        "stack": lambda m: m.stack((m.ones(2), m.ones(2)), axis=3),
        "expand_dims": lambda m: m.expand_dims(m.ones(2), 3),
        "swapaxes": lambda m: m.ones((2, 3)).swapaxes(0, 2),
        "moveaxis": lambda m: m.moveaxis(m.ones((2, 3)), 0, 5),
        "moveaxis counts": lambda m: m.moveaxis(m.ones((2, 3)), (0, 1), (0,)),
        "flip": lambda m: m.flip(m.ones(2), 1),
        "roll": lambda m: m.roll(m.ones(2), 1, axis=1),
        "take": lambda m: m.ones((2, 3)).take(m.array([0]), axis=2),
        "huge axis": lambda m: m.ones(2).sum(axis=2**40),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn), lambda: call(np))
    report.close()


def test_indexes():
    report = Report()
    calls = {
        "too high": lambda m: m.ones(3)[3],
        "too low": lambda m: m.ones(3)[-4],
        "too many": lambda m: m.ones(3)[0, 0],
        "two ellipses": lambda m: m.ones(3)[..., ...],
        "float": lambda m: m.ones(3)[1.0],
        "text": lambda m: m.ones(3)["a"],
        "zero step": lambda m: m.ones(3)[::0],
        "mask size": lambda m: m.ones(3)[m.array([True, False])],
        "integers out of bounds": lambda m: m.ones(3)[m.array([0, 5])],
        "integers out of bounds, assigned": lambda m: m.ones(3).__setitem__(m.array([0, 5]), 1),
        "float array": lambda m: m.ones(3)[m.array([1.0])],
        "delete": lambda m: m.ones(3).__delitem__(0),
        "take": lambda m: m.ones(3).take(m.array([7])),
        "nonzero of 0-d": lambda m: m.array(1).nonzero(),
        "assign too many": lambda m: m.ones(5).__setitem__(m.array([True] * 5), m.ones(3)),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn), lambda: call(np))
    report.close()


def test_dtypes_without_a_loop():
    report = Report()
    calls = {
        "bool -": lambda m: m.ones(2, "?") - m.ones(2, "?"),
        "-bool": lambda m: -m.ones(2, "?"),
        "float &": lambda m: m.ones(2) & m.ones(2),
        "~float": lambda m: ~m.ones(2),
        "complex //": lambda m: m.ones(2, "c8") // 2,
        "complex floor": lambda m: m.floor(m.ones(2, "c8")),
        "negative power": lambda m: m.arange(3) ** -1,
        "negative powers": lambda m: m.arange(3) ** m.array([-1, 1, 1]),
        "in-place to int": lambda m: m.ones(2, "i4").__iadd__(1.5),
        "in-place divide of int": lambda m: m.ones(2, "i4").__itruediv__(2),
        "in-place complex": lambda m: m.ones(2).__imul__(1j),
        "astype same_kind": lambda m: m.ones(2).astype("i4", casting="same_kind"),
        "int of complex": lambda m: int(m.array(1j)),
        "shift of float": lambda m: m.ones(2) << 1,
        "int too large": lambda m: m.ones(2, "i1") + 1000,
        "fill too large": lambda m: m.ones(2, "i1").__setitem__(0, 1000),
        "copyto": lambda m: m.copyto(m.ones(2, "i4"), m.ones(2)),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn), lambda: call(np))
    report.close()


def test_read_only():
    a = tn.arange(6.0)
    a.flags.writeable = False
    views = {"itself": a, "slice": a[1:], "broadcast": tn.broadcast_to(tn.ones(1), (6,)), "reshaped": a.reshape(2, 3)}
    for view in views.values():
        for write in (
            lambda: view.__setitem__(..., 1),
            lambda: view.__iadd__(1),
            lambda: view.fill(2),
            lambda: tn.sin(view, out=view),
            lambda: view.set(np.ones(view.shape)),
        ):
            with pytest.raises(ValueError, match="read-only"):
                write()
    assert a.tolist() == [0, 1, 2, 3, 4, 5]


def test_failed_calls_leave_outputs_alone():
    out = tn.full(3, 7.0)
    for call in (
        lambda: tn.add(tn.ones(4), tn.ones(4), out=out),
        lambda: tn.add(tn.ones(3), "x", out=out),
        lambda: tn.sin(tn.ones(3), out=out, dtype="i4"),
        lambda: tn.add(tn.ones(3, "c8"), 1, out=out),
        lambda: tn.concatenate((tn.ones(3), tn.ones(3)), out=out),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert out.tolist() == [7, 7, 7]


@pytest.mark.two_devices
def test_two_devices():
    a = tn.ones(3)
    with tn.cuda.Device(1):
        b = tn.ones(3)
    assert a.device != b.device
    with pytest.raises(ValueError) as caught:
        a + b
    assert str(a.device.id) in str(caught.value) and str(b.device.id) in str(caught.value)
    with pytest.raises(ValueError):
        tn.concatenate((a, b))
    with pytest.raises(ValueError):
        a @ b


def test_no_such_device():
    for bad in (99, -1):
        with pytest.raises((tn.exceptions.CUDARuntimeError, ValueError)):
            tn.cuda.Device(bad).use()
    for bad in ("gpu", "host:99", "host:x", "host:"):
        with pytest.raises(ValueError):
            tn.ones(2).to_device(bad)


def test_out_of_memory():
    """The error says requested, used, cached and limit; a smaller request then works."""
    pool = tn.get_default_memory_pool()
    held = tn.ones(1000)
    before = pool.get_limit()
    pool.free_all_blocks()  # of other tests
    pool.set_limit(size=pool.total_bytes() + (1 << 20))
    size = (1 << 22) + pool.free_bytes() // 8  # more than other tests have left in the pool
    try:
        with pytest.raises(tn.exceptions.OutOfMemoryError) as caught:
            tn.empty(size)
        error = caught.value
        assert error.requested >= 8 * size
        assert error.used >= held.nbytes and error.limit > 0 and error.cached >= 0
        for number in (error.requested, error.used, error.limit):
            assert f"{number:,}" in str(error) or str(number) in str(error)
        assert isinstance(error, MemoryError)
        assert tn.empty(100).size == 100
    finally:
        pool.set_limit(size=before)


def test_memory_that_is_not_there():
    with pytest.raises(MemoryError):
        tn.empty(1 << 55, "i1")
    with pytest.raises(MemoryError):
        np.empty(1 << 55, "i1")


def test_corrupt_pickles():
    good = pickle.dumps(tn.arange(10.0))
    assert pickle.loads(good).tolist() == list(range(10))
    rebuild = tn._array.interop.rebuild
    for arguments in (
        (int, np.ones(2)),
        (tn.ndarray, [1, 2]),
        (tn.ndarray, b"12"),
        (tn.ndarray, None),
        ("ndarray", np.ones(2)),
        (tn.ndarray, np.array(["a"])),
        (tn.ndarray, np.array([object()])),
    ):
        with pytest.raises(TypeError):
            rebuild(*arguments)
    for cut in range(0, len(good) - 1, 7):
        with pytest.raises(Exception):  # noqa: B017, pickle's and NumPy's own
            pickle.loads(good[:cut])
    random = np.random.default_rng(0)
    for _ in range(200):
        bad = bytearray(good)
        bad[random.integers(len(bad))] ^= 1 << random.integers(8)
        try:
            pickle.loads(bytes(bad))
        except Exception:  # any, but no crash
            pass


def test_unknown_attributes():
    for name in ("no_such_name", "matrix", "frompyfunc", "_private"):
        with pytest.raises(AttributeError):
            getattr(tn, name)
        assert not hasattr(tn, name)
    with pytest.raises(AttributeError):
        tn.ones(1).no_such_name


def test_every_operation_with_every_pair_of_scalars():
    """The table's operations, those without a public name as well: a result or a TypeError."""
    scalars = [0, -1, 2**63, 2**64, 1.5, 1j, True, *(np.dtype(kind).type(1) for kind in "?bhilqBHILQefdFD")]
    operations = [op for op in vars(tn._core).values() if isinstance(op, tn.ufunc)]
    made = 0
    for op in operations:
        for first in scalars:
            for second in scalars if op.nin > 1 else [0]:
                try:
                    op(*(first, second, 1, 1)[: op.nin])
                    made += 1
                except (TypeError, OverflowError, ValueError):
                    pass
    assert made > 10_000


def test_out_of_memory_by_the_numbers_of_cupy():
    error = tn.cuda.memory.OutOfMemoryError(124, 1000, 1024)
    assert (error.requested, error.used, error.limit) == (124, 1000, 1024) and "124 bytes" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert copy.args == error.args and copy.used == 1000
