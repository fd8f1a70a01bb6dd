"""Arrays from and to other libraries by __cuda_array_interface__ and __cupy_get_ndarray__. What is
of GPUs runs on the test doubles of the driver, too (test_driver_doubles.py), where only copies have
values."""

import gc
import threading
import weakref

import numpy
import pytest
import tenorite as tn
from oracle import comes_true
from tenorite import cuda
from tenorite.exceptions import CUDARuntimeError


class Foreign:
    """An object of a library that knows nothing of ours."""

    def __init__(self, facts, **changes):
        self.__cuda_array_interface__ = {**facts, **changes}


class StandIn:
    """An object that gives one of our arrays."""

    def __init__(self, array):
        self.array = array

    def __cupy_get_ndarray__(self):
        return self.array


def numbers():
    """Made in each test: what a fixture gives lives longer than the test."""
    return tn.asarray(numpy.arange(12, dtype="f4").reshape(3, 4))


def facts_of(array):
    return array.__cuda_array_interface__


# --- Export ---


def test_none_on_the_host():
    host = tn.ones(3).to_device("host")
    assert not hasattr(host, "__cuda_array_interface__")


def test_facts(gpu):
    array = numbers()
    assert facts_of(array) == {
        "shape": (3, 4),
        "typestr": "<f4",
        "descr": [("", "<f4")],
        "data": (array.data.ptr, False),
        "strides": None,
        "stream": 1,
        "version": 3,
    }
    with pytest.raises(AttributeError):
        array.__cuda_array_interface__ = {}


@pytest.mark.parametrize("dtype", "? b B h H i I q Q e f d F D".split())
def test_typestr(gpu, dtype):
    a = tn.empty(2, dtype)
    facts = facts_of(a)
    assert facts["typestr"] == a.dtype.str and facts["descr"] == a.dtype.descr
    back = tn.asarray(Foreign(facts))
    assert back.dtype == a.dtype and back.data.ptr == a.data.ptr


@pytest.mark.parametrize("dtype", ["i4,f8", "V3", "M8[ms]", "m8[s]", [("x", "i1"), ("y", "f4", (2,))]])
def test_structures_and_dates(gpu, dtype):
    a = tn.zeros((3, 4), dtype)
    facts = {
        "shape": a.shape,
        "typestr": a.dtype.str,
        "descr": a.dtype.descr,
        "data": (a.data.ptr, False),
        "version": 3,
    }
    part = {"shape": (2, 4), "strides": (a.strides[0], a.strides[1])}
    for changes, shape in (({}, (3, 4)), ({"strides": None}, (3, 4)), (part, (2, 4)), ({"version": 1}, (3, 4))):
        made = tn.asarray(Foreign(facts, **changes))
        assert made.dtype == a.dtype and made.shape == shape
        assert made.strides == a.strides and made.data.ptr == a.data.ptr
    copied = tn.array(Foreign(facts))
    assert copied.dtype == a.dtype and copied.shape == a.shape and copied.data.ptr != a.data.ptr
    plain = tn.asarray(Foreign(facts, descr=None))
    assert plain.dtype == numpy.dtype(a.dtype.str)


@pytest.mark.parametrize("descr", [[("a", "|O"), ("b", "|O")], [("a", "<i4")]])
def test_structures_that_are_refused(gpu, descr):
    a = tn.zeros(3, "q,q")
    facts = {"shape": a.shape, "typestr": "|V16", "descr": descr, "data": (a.data.ptr, False), "version": 3}
    with pytest.raises(ValueError, match="no array can be of typestr"):
        tn.asarray(Foreign(facts))


def test_bfloat16_has_no_typestr(gpu):
    pytest.importorskip("ml_dtypes")
    a = tn.empty(2, "bfloat16")
    assert not hasattr(a, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="bfloat16; use DLPack"):
        facts_of(a)


LAYOUTS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::-1, ::-1],
    "stepped": lambda a: a[1:, ::2],
    "broadcast": lambda a: tn.broadcast_to(a[1], (5, 4)),
    "scalar": lambda a: a[1, 2],
    "one row": lambda a: a[1:2, ::-1],
    "new axes": lambda a: a[:, None, :, None],
    "empty": lambda a: a[:, :0],
    "empty too": lambda a: a[3:, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_round_trip(gpu, layout):
    array = numbers()
    a = LAYOUTS[layout](array)
    facts = facts_of(a)
    assert facts["shape"] == a.shape
    assert facts["strides"] == (None if a.flags.c_contiguous else a.strides)
    assert facts["data"] == ((a.data.ptr, not a.flags.writeable) if a.size else (0, False))
    for call in (tn.asarray, tn.asanyarray, lambda b: tn.array(b, copy=False), lambda b: tn.asarray(b, copy=False)):
        b = call(Foreign(facts))
        assert type(b) is tn.ndarray and b.shape == a.shape and b.dtype == a.dtype and b.device == a.device
        if not a.size:
            continue
        assert b.data.ptr == a.data.ptr and b.flags.writeable == a.flags.writeable
        assert all(s == t for n, s, t in zip(a.shape, a.strides, b.strides, strict=True) if n > 1)


def test_memory_is_shared(gpu):
    array = numbers()
    b = tn.asarray(Foreign(facts_of(array)))
    array.set(numpy.full((3, 4), 7, "f4"))
    assert b.get().tolist() == [[7] * 4] * 3
    assert tn.asnumpy(Foreign(facts_of(array))).tolist() == [[7] * 4] * 3
    copied = tn.array(Foreign(facts_of(array)))
    assert copied.data.ptr != array.data.ptr and copied.shape == array.shape
    out = numpy.zeros((3, 4), "f4")
    assert tn.asnumpy(Foreign(facts_of(array)), out=out) is out and out[2, 3] == 7


def test_conversions(gpu):
    array = numbers()
    foreign = Foreign(facts_of(array))
    assert tn.asarray(foreign, dtype="f8").dtype == "f8"
    assert tn.asarray(foreign, order="F").flags.f_contiguous
    assert tn.array(foreign, ndmin=3).shape == (1, 3, 4)
    assert tn.ascontiguousarray(foreign).data.ptr == array.data.ptr
    assert tn.asfortranarray(foreign).flags.f_contiguous
    assert tn.array([foreign, foreign]).shape == (2, 3, 4)
    assert tn.array([[foreign], [array]]).shape == (2, 1, 3, 4)
    with pytest.raises(ValueError, match="copy"):
        tn.asarray(foreign, dtype="f8", copy=False)


def test_read_only(gpu):
    array = numbers()
    address = array.data.ptr
    b = tn.asarray(Foreign(facts_of(array), data=(address, True)))
    assert not b.flags.writeable and facts_of(b)["data"] == (address, True)
    with pytest.raises(ValueError):
        b[0] = 1
    assert tn.array(Foreign(facts_of(b))).flags.writeable  # a copy


def test_bare_facts(gpu):
    """The first versions have neither strides nor stream."""
    array = numbers()
    bare = {"shape": (12,), "typestr": "<f4", "data": (array.data.ptr, False)}
    for version in ({}, *({"version": k} for k in range(4))):
        assert tn.asarray(Foreign(bare, **version)).get().tolist() == list(range(12))
    assert tn.asarray(Foreign(bare, mask=None, strides=None, stream=None, descr=None)).shape == (12,)
    reverse = Foreign(bare, data=(array.data.ptr + 44, False), strides=(-4,))
    assert tn.asarray(reverse).strides == (-4,) and tn.asarray(reverse)[::-1].get().tolist() == list(range(12))
    nothing = tn.asarray(Foreign(bare, shape=(0, 5), data=(0, False)))
    assert nothing.shape == (0, 5) and nothing.strides == tn.empty((0, 5), "f4").strides == (0, 0)


BAD = {
    "mask": (ValueError, {"mask": object()}),
    "version": (ValueError, {"version": 4}),
    "negative version": (ValueError, {"version": -1}),
    "other order of bytes": (TypeError, {"typestr": ">f4"}),
    "long double": (TypeError, {"typestr": "<f16"}),
    "text": (TypeError, {"typestr": "<U4"}),
    "no order of bytes": (TypeError, {"typestr": "f4"}),
    "nonsense": (TypeError, {"typestr": "<\u00e44"}),
    "typestr is a dtype": (TypeError, {"typestr": numpy.dtype("f4")}),
    "no typestr": (ValueError, {"typestr": None}),
    "no shape": (ValueError, {"shape": None}),
    "too many axes": (ValueError, {"shape": (1,) * 65}),
    "sizes of floats": (TypeError, {"shape": (3.0, 4.0)}),
    "negative size": (ValueError, {"shape": (-1, 4)}),
    "size overflows": (ValueError, {"shape": (2**62, 2**62)}),
    "stride overflows": (ValueError, {"strides": (2**62, 2**62)}),
    "below zero": (ValueError, {"strides": (-(2**62), 4)}),
    "strides of another shape": (ValueError, {"strides": (4,)}),
    "no data": (ValueError, {"data": None}),
    "null": (ValueError, {"data": (0, False)}),
    "data is a number": (TypeError, {"data": 4096}),
    "address is text": (TypeError, {"data": ("x", False)}),
    "not of a GPU": (ValueError, {"data": (64, False)}),
    "stream is text": (TypeError, {"stream": "x"}),
    "stream is a float": (TypeError, {"stream": 1.0}),
}


@pytest.mark.parametrize("label", BAD)
def test_bad_facts(gpu, label):
    array = numbers()
    error, changes = BAD[label]
    foreign = Foreign(facts_of(array), **changes)
    owner = weakref.ref(foreign)
    for call in (tn.asarray, tn.array, tn.asnumpy, tn.sin, lambda b: array + b):
        with pytest.raises(error):
            call(foreign)
    del foreign
    gc.collect()
    assert comes_true(lambda: owner() is None)


def test_no_dict(device):
    class Bad:
        __cuda_array_interface__ = 3

    with pytest.raises(TypeError, match="must be a dict"):
        tn.asarray(Bad())


def test_attribute_that_fails():
    """AttributeError: there is none; anything else is for the caller."""

    class Hidden:
        @property
        def __cuda_array_interface__(self):
            raise self.error

        def __array__(self, *args, **kwargs):
            return numpy.arange(3)

    Hidden.error = AttributeError("on the CPU")
    assert tn.asarray(Hidden()).tolist() == [0, 1, 2] and tn.asnumpy(Hidden()).tolist() == [0, 1, 2]
    Hidden.error = RuntimeError("needs a gradient")
    with pytest.raises(RuntimeError, match="gradient"):
        tn.asarray(Hidden())


@pytest.mark.host_only("there is a GPU")
def test_without_a_gpu():
    facts = {"shape": (3,), "typestr": "<f4", "data": (64, False), "version": 3}
    with pytest.raises((ValueError, CUDARuntimeError)):
        tn.asarray(Foreign(facts))
    assert tn.asarray(Foreign(facts, shape=(0,))).shape == (0,)


def test_pinned_and_managed(gpu):
    pinned, managed = cuda.alloc_pinned_memory(80), cuda.malloc_managed(80)
    for address in (pinned.ptr, managed.ptr):
        facts = {"shape": (20,), "typestr": "<f4", "data": (address, False), "version": 3}
        assert tn.asarray(Foreign(facts)).data.ptr == address


@pytest.mark.two_devices
def test_device_of_the_pointer(gpu):
    with cuda.Device(1):
        there = tn.asarray(numpy.arange(3.0))
        foreign = Foreign(facts_of(there))
        assert tn.asarray(foreign).data.ptr == there.data.ptr
    here = tn.asarray(foreign)  # as an ndarray of another device: comes to the current one
    assert here.device.id == 0 and here.get().tolist() == [0, 1, 2]
    with cuda.Device(1):
        assert (there + foreign).device.id == 1


# --- Lifetime ---


def test_owner_is_kept(gpu):
    array = numbers()
    foreign = Foreign(facts_of(array))
    owner = weakref.ref(foreign)
    b = tn.asarray(foreign)
    view = b[1:]
    del foreign, b
    gc.collect()
    assert owner() is not None and view.get().tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]
    del view
    gc.collect()
    assert comes_true(lambda: owner() is None)


class Gate:
    """A function in a stream's queue, which goes on when the gate is opened."""

    def __init__(self, stream):
        self.event = threading.Event()
        stream.launch_host_func(lambda _: self.event.wait(60), None)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.event.set()


def new_stream():
    return cuda.Stream(non_blocking=True)


def copy(to, source, stream):
    """Without a kernel, whose loading might wait for the gate."""
    to.data.copy_from_device_async(source.data, source.nbytes, stream)


def test_owner_is_kept_for_the_queue(gpu):
    array = numbers()
    target, stream = tn.empty_like(array), new_stream()
    array.get()
    foreign = Foreign(facts_of(array))
    owner = weakref.ref(foreign)
    b = tn.asarray(foreign)
    with Gate(stream):
        copy(target, b, stream)
        del foreign, b
        gc.collect()
        assert owner() is not None
    stream.synchronize()
    assert comes_true(lambda: owner() is None)


# --- Order ---


def test_import_comes_after_the_producer(gpu):
    array = numbers()
    producer, consumer, third = new_stream(), new_stream(), new_stream()
    target = tn.empty_like(array)
    cuda.Device().synchronize()
    with Gate(producer):
        foreign = Foreign(facts_of(array), stream=producer.ptr)
        with consumer:
            b = tn.asarray(foreign)
        assert not consumer.done and third.done
        copy(target, b, third)  # later uses of the array come after it, too
        assert not third.done
    third.synchronize()
    assert consumer.done and target.get().tolist() == array.get().tolist()


@pytest.mark.parametrize("handle", [0, 1])
def test_import_comes_after_the_default_stream(gpu, handle):
    array = numbers()
    consumer = new_stream()
    cuda.Device().synchronize()
    with Gate(cuda.Stream.null):
        foreign = Foreign(facts_of(array), stream=handle)
        with consumer:
            b = tn.asarray(foreign)
        assert not consumer.done
    consumer.synchronize()
    assert b.data.ptr == array.data.ptr


@pytest.mark.parametrize("how", ["no stream", "switch"])
def test_import_without_order(gpu, how, monkeypatch):
    array = numbers()
    producer, consumer = new_stream(), new_stream()
    cuda.Device().synchronize()
    facts = facts_of(array)
    if how == "switch":
        monkeypatch.setenv("TENORITE_CUDA_ARRAY_INTERFACE_SYNC", "0")
        assert facts_of(array)["stream"] is None
    with Gate(producer):
        with consumer:
            tn.asarray(Foreign(facts, stream=producer.ptr if how == "switch" else None))
        assert consumer.done


def test_export_names_the_current_stream(gpu):
    array = numbers()
    stream = new_stream()
    with stream:
        assert facts_of(array)["stream"] == stream.ptr
        b = tn.asarray(array.__cuda_array_interface__ and Foreign(facts_of(array)))
        assert facts_of(b)["stream"] == stream.ptr
    with cuda.Stream.ptds:
        assert facts_of(array)["stream"] == cuda.Stream.ptds.ptr
    with cuda.ExternalStream(2):
        assert facts_of(array)["stream"] == 2
    assert facts_of(array)["stream"] == 1


def test_export_of_version_2_names_no_stream(gpu, monkeypatch):
    from tenorite._cupy import _util

    for version in (2, 3):
        monkeypatch.setattr(_util, "CUDA_ARRAY_INTERFACE_EXPORT_VERSION", version)
        array = numbers()
        facts = facts_of(array)
        assert facts["version"] == version and ("stream" in facts) == (version == 3)
        assert (tn.asarray(Foreign(facts)).get() == array.get()).all()
    monkeypatch.setattr(_util, "CUDA_ARRAY_INTERFACE_EXPORT_VERSION", 1)
    with pytest.raises(ValueError, match="3 .default. or 2, not 1"):
        facts_of(numbers())


def test_streams_of_dlpack(gpu):
    with pytest.raises(ValueError, match="-2 was provided"):
        numbers().__dlpack__(stream=-2)
    with pytest.warns(UserWarning, match="Stream 0"):
        capsule = numbers().__dlpack__(stream=0)
    assert tn.fromDlpack(capsule).shape == numbers().shape


def test_export_comes_after_users_of_the_array(gpu):
    array = numbers()
    source, target = tn.empty_like(array), tn.empty_like(array)
    writer, exporter, reader = new_stream(), new_stream(), new_stream()
    cuda.Device().synchronize()
    with Gate(writer):
        copy(array, source, writer)
        with exporter:
            facts_of(array)
        assert not exporter.done
    exporter.synchronize()
    with Gate(exporter):  # what another library does there
        copy(target, array, reader)
        assert not reader.done
    reader.synchronize()


def test_capture(gpu):
    """What is recorded keeps to its own stream, and the buffer stays with the graph."""
    array = numbers()
    stream = new_stream()
    target = tn.empty_like(array)
    cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        foreign = Foreign(facts_of(array))
        copy(target, tn.asarray(foreign), stream)
        graph = stream.end_capture()
    owner = weakref.ref(foreign)
    del foreign
    gc.collect()
    assert owner() is not None
    graph.launch(stream)
    stream.synchronize()
    assert target.get().tolist() == array.get().tolist()


# --- As operands ---


def check_operands(a, foreign):
    calls = {
        "ufunc": lambda f: tn.sin(f),
        "two": lambda f: tn.add(f, f),
        "mixed": lambda f: tn.maximum(f, 3),
        "+": lambda f: a + f,
        "reflected": lambda f: f + a,
        "<": lambda f: a < f,
        "==": lambda f: a == f,
        "-": lambda f: a - f,
        "@": lambda f: a @ f,
        "reflected @": lambda f: f @ a,
        "matmul": lambda f: tn.matmul(f, f),
        "dot": lambda f: tn.dot(f, a),
        "sum": lambda f: tn.sum(f, axis=0),
        "argmax": lambda f: tn.argmax(f),
        "full": lambda f: tn.full((3, 3), f),
        "where": lambda f: tn.where(a > 4, f, 0),
        "divmod 0": lambda f: divmod(a + 1, f)[0],
        "array": lambda f: tn.array(f),
        "list": lambda f: tn.array([f, f]),
        "clip": lambda f: tn.clip(f, 2, 5),
        "tril": lambda f: tn.tril(f),
    }
    for label, call in calls.items():
        got, want = call(foreign), call(a)
        assert type(got) is type(want) and got.shape == want.shape and got.dtype == want.dtype, label
        yield label, got, want


@pytest.mark.host_only("on the test doubles kernels compute nothing")
def test_stand_ins():
    a = tn.arange(1, 10).reshape(3, 3)
    for label, got, want in check_operands(a, StandIn(a)):
        assert (got.get() == want.get()).all(), label
    assert tn.asarray(StandIn(a)) is a and tn.array(StandIn(a)) is not a
    assert tn.asnumpy(StandIn(a)).tolist() == a.tolist()
    b = a.copy()
    b += StandIn(a)
    b[0] = StandIn(a[2])
    b[b > 100] = StandIn(a[0, 0])
    assert b.tolist() == [[7, 8, 9], [8, 10, 12], [14, 16, 18]]
    b @= StandIn(tn.eye(3, dtype=int))
    with pytest.raises(TypeError, match="Unsupported type"):
        a + StandIn  # a class has what its objects have
    with pytest.raises(TypeError, match="no ndarray"):
        a + StandIn(numpy.ones(3))
    with pytest.raises(TypeError, match="return arrays must be of ArrayType"):
        tn.sin(a, out=StandIn(a))


def test_foreign_operands(gpu):
    a = tn.asarray(numpy.arange(1, 10).reshape(3, 3))
    for _ in check_operands(a, Foreign(facts_of(a))):
        pass
    a += Foreign(facts_of(a))
    a[0] = Foreign(facts_of(a[1]))


def test_operators_are_left_to_others():
    a = tn.ones((2, 2))

    class Proud(StandIn):
        __array_priority__ = 1000.0

        def __radd__(self, other):
            return "radd"

        def __rmatmul__(self, other):
            return "rmatmul"

    class Refuses(Proud):
        __array_priority__ = 0.0
        __array_ufunc__ = None

    class Overrides(StandIn):
        def __array_ufunc__(self, *args, **kwargs):
            return NotImplemented

    for kind in (Proud, Refuses):
        assert a + kind(a) == "radd" and a @ kind(a) == "rmatmul"
    assert tn.add(a, Proud(a)).shape == (2, 2)
    with pytest.raises(TypeError):
        a + Overrides(a)
    with pytest.raises(TypeError):
        tn.add(a, Overrides(a))
