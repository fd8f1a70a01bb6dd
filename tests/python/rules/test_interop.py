"""NumPy's dispatch, the array API's attributes, DLPack with friends and enemies, programs for
CuPy."""

import ctypes
import gc
import sys
import weakref

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, LAYOUTS, both, grid
from oracle import Report, assert_same, to_host
from programs import python

pytestmark = pytest.mark.quick

# --- numpy.f(our array) ---


def test_numpy_functions():
    report = Report()
    x, a = both(grid("float64", 4, 4).clip(-3, 3))
    calls = {
        "sin": lambda v: np.sin(v),
        "add": lambda v: np.add(v, 1),
        "sum": lambda v: np.sum(v, axis=0),
        "concatenate": lambda v: np.concatenate([v, v]),
        "where": lambda v: np.where(v > 0, v, 0),
        "mean": lambda v: np.mean(v),
        "reshape": lambda v: np.reshape(v, (2, 8)),
        "dot": lambda v: np.dot(v, v),
        "matmul": lambda v: np.matmul(v, v),
        "linalg.norm": lambda v: np.linalg.norm(v),
        "clip": lambda v: np.clip(v, 0, 1),
        "transpose": lambda v: np.transpose(v),
        "zeros_like": lambda v: np.zeros_like(v),
        "shape": lambda v: np.shape(v),
        "reduce": lambda v: np.add.reduce(v, axis=1),
        "accumulate": lambda v: np.maximum.accumulate(v),
        "outer": lambda v: np.multiply.outer(v[0], v[1]),
        "out": lambda v: np.sin(v, out=v.copy()),
        "modf": lambda v: np.modf(v),
        "isclose": lambda v: np.isclose(v, v),
        "expand_dims": lambda v: np.expand_dims(v, 0),
        "numpy scalar first": lambda v: np.float64(2) * v,
        "numpy scalar": lambda v: v / np.float32(2),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(a), lambda: call(x), 8)
    report.close()


def test_numpy_functions_that_we_lack():
    for call in (
        lambda a: np.busday_count(a, a),
        lambda a: np.char.upper(a),
        lambda a: np.array(a),
        lambda a: np.asarray(a),
        lambda a: np.frompyfunc(lambda v: v, 1, 1)(a),
        lambda a: np.concatenate([a, np.ones(3)]),
        lambda a: np.add(a, a, out=np.ones(3)),
    ):
        with pytest.raises(TypeError):
            call(tn.ones(3))


def test_array_refuses():
    with pytest.raises(TypeError) as caught:
        np.asarray(tn.ones(3))
    assert str(caught.value) == (
        "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy "
        "array explicitly (see errors/implicit-conversion in the documentation)."
    )
    for name in ("__array_interface__", "__array_struct__", "__buffer__"):
        assert not hasattr(tn.ones(3), name)
    with pytest.raises(TypeError):
        memoryview(tn.ones(3))


def test_third_kinds_of_arrays():
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return "other"

        def __array_ufunc__(self, *args, **kwargs):
            return "other"

    assert np.concatenate([tn.ones(2), Other()]) == "other"


def test_get_array_module():
    assert tn.get_array_module(np.ones(1)) is np
    assert tn.get_array_module(np.ones(1), tn.ones(1)) is tn
    assert tn.get_array_module() is np and tn.get_array_module(3) is np


def test_array_namespace():
    a = tn.ones(3)
    assert a.__array_namespace__() is tn
    for version in ("2024.12", tn.__array_api_version__):
        assert a.__array_namespace__(api_version=version) is tn
    assert tn.__array_api_version__ == "2025.12"
    with pytest.raises(ValueError):
        a.__array_namespace__(api_version="1066.10")


def test_to_device():
    a = tn.ones(3)
    assert a.to_device(a.device) is a and a.to_device(a.device.id) is a
    host = a.to_device("host")
    assert host.tolist() == [1, 1, 1]


@pytest.mark.two_devices
def test_to_another_device():
    a = tn.ones(3)
    b = a.to_device(1)
    assert b.device.id == 1 and b.tolist() == [1, 1, 1] and b.to_device(0).device == a.device
    f = tn.array(np.arange(6).reshape(2, 3).T).to_device(1)
    assert f.tolist() == [[0, 3], [1, 4], [2, 5]]


# --- DLPack ---


@pytest.mark.host_only("NumPy takes host memory only")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_dlpack_to_numpy_and_back(layout):
    for dtype in DTYPES:
        x, a = both(grid(dtype), layout)
        if layout.startswith("broadcast"):
            with pytest.raises(BufferError, match="readonly"):
                a.toDlpack()
        there = np.from_dlpack(a)
        assert_same(a, there)
        assert x.size == 0 or there.__array_interface__["data"][0] == a.data.ptr
        again = tn.from_dlpack(there if there.flags.writeable else there)
        assert_same(again, x)
        assert x.size == 0 or again.data.ptr == a.data.ptr
        assert again.flags.writeable == there.flags.writeable


def test_dlpack_shares_memory_and_lifetime():
    x = np.arange(5)
    a = tn.from_dlpack(x)
    if a.device != tn.cuda.Device() or tn._core._device_count("cuda"):
        pytest.skip("host memory only")
    a[0] = 9
    assert x[0] == 9
    x[1] = 8
    assert a[1].item() == 8
    owner = weakref.ref(x)
    del x
    gc.collect()
    assert owner() is None or a[1].item() == 8  # NumPy keeps the memory, perhaps not the object
    b = np.from_dlpack(tn.arange(4.0))
    gc.collect()
    assert b.tolist() == [0, 1, 2, 3]


def test_dlpack_read_only():
    x = np.arange(3)
    x.flags.writeable = False
    a = tn.from_dlpack(x)
    assert not a.flags.writeable
    with pytest.raises(ValueError):
        a[0] = 1
    assert not np.from_dlpack(a).flags.writeable
    with pytest.raises(BufferError):
        a.__dlpack__()


def test_dlpack_arguments(device):
    a = tn.arange(3)
    kind = {"host": 1, "cuda": 2}[device]
    assert a.__dlpack_device__() == (kind, a.device.id)
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    assert name(a.__dlpack__()) == b"dltensor" == name(a.toDlpack())
    assert name(a.__dlpack__(max_version=(0, 8))) == b"dltensor"
    assert name(a.__dlpack__(max_version=(1, 0))) == b"dltensor_versioned"
    copied = tn._core._from_capsule(a.__dlpack__(copy=True))
    assert copied.data.ptr != a.data.ptr and copied.tolist() == [0, 1, 2]
    shared = tn._core._from_capsule(a.__dlpack__(copy=False))
    assert shared.data.ptr == a.data.ptr
    assert tn.from_dlpack(a.__dlpack__ and a, copy=True).data.ptr != a.data.ptr
    assert tn.from_dlpack(a, device="host").device.id == 0
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(7, 0))
    for bad in ({"max_version": 1}, {"dl_device": "host"}, {"unknown": 1}):
        with pytest.raises(TypeError):
            a.__dlpack__(**bad)
    if device == "host":
        with pytest.raises(BufferError):
            a.__dlpack__(stream=1)
    with pytest.raises(AttributeError):
        tn.from_dlpack([1, 2, 3])


def test_dlpack_used_and_foreign_capsules():
    capsule = tn.arange(3).__dlpack__()
    tn._core._from_capsule(capsule)
    with pytest.raises(ValueError, match="multiple times"):
        tn._core._from_capsule(capsule)
    with pytest.raises(TypeError):
        tn._core._from_capsule(3)
    import datetime  # noqa: F401, has a capsule

    with pytest.raises(ValueError):
        tn._core._from_capsule(sys.modules["datetime"].datetime_CAPI)


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("kind", ctypes.c_int32),
        ("number", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_NAMES = {_Managed: b"dltensor", _Versioned: b"dltensor_versioned"}


class Hostile:
    """A capsule whose every field can be a lie. `deleted` counts calls of its deleter."""

    def __init__(self, struct=_Managed, shape=(3,), strides=None, major=1, flags=0, **fields):
        self.memory = (ctypes.c_double * 64)(*range(64))
        self.deleted = 0
        self.deleter = _DELETER(self.delete)
        facts = dict(
            kind=1, number=0, ndim=len(shape), code=2, bits=64, lanes=1, offset=0, data=ctypes.addressof(self.memory)
        )
        facts.update(fields)
        self.managed = struct()
        self.managed.deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        if struct is _Versioned:
            self.managed.major, self.managed.flags = major, flags
        tensor = self.managed.tensor
        for name, value in facts.items():
            setattr(tensor, name, value)
        if shape and "shape" not in fields:
            tensor.shape = (ctypes.c_int64 * len(shape))(*shape)
        if strides:
            tensor.strides = (ctypes.c_int64 * len(strides))(*strides)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.capsule = make(ctypes.addressof(self.managed), _NAMES[struct], None)

    def delete(self, pointer):
        self.deleted += 1


def test_dlpack_of_an_honest_stranger():
    for kind in (_Managed, _Versioned):
        stranger = Hostile(kind, (2, 3), (3, 1), offset=8)
        a = tn._core._from_capsule(stranger.capsule)
        assert a.tolist() == [[1, 2, 3], [4, 5, 6]]
        view = a[1:]
        del a
        assert stranger.deleted == 0
        del view
        assert stranger.deleted == 1
    for strides, expected in (((-1,), [10, 9, 8]), ((0,), [10, 10, 10]), ((2,), [10, 12, 14])):
        stranger = Hostile(strides=strides, offset=80)
        assert tn._core._from_capsule(stranger.capsule).tolist() == expected
        assert stranger.deleted == 1
    assert tn._core._from_capsule(Hostile(shape=()).capsule).item() == 0
    assert tn._core._from_capsule(Hostile(shape=(0, 5), data=None).capsule).shape == (0, 5)
    assert not tn._core._from_capsule(Hostile(_Versioned, flags=1).capsule).flags.writeable


BIG = 2**62
HOSTILE = {
    "no data": dict(data=None),
    "ndim too large": dict(ndim=65),
    "ndim huge": dict(ndim=2**31 - 1),
    "ndim negative": dict(ndim=-1),
    "no shape": dict(shape=()) | dict(ndim=2),
    "negative size": dict(shape=(3, -1)),
    "size overflows": dict(shape=(BIG, BIG)),
    "bytes overflow": dict(shape=(BIG,)),
    "stride overflows": dict(shape=(3,), strides=(BIG,)),
    "stride negative, overflows": dict(shape=(3,), strides=(-BIG,)),
    "strides that sum up": dict(shape=(2, 2, 2), strides=(2**59, 2**59, 2**59)),
    "offset wraps": dict(offset=2**64 - 8),
    "below zero": dict(shape=(3,), strides=(-(2**58),)),
    "unknown code": dict(code=9),
    "opaque": dict(code=3),
    "odd bits": dict(bits=17),
    "float128": dict(bits=128),
    "int4": dict(code=0, bits=4),
    "lanes": dict(lanes=4),
    "no lanes": dict(lanes=0),
    "unknown device": dict(kind=7),
    "device 0": dict(kind=0),
    "device number": dict(number=99),
    "device negative": dict(number=-1),
}


@pytest.mark.parametrize("label", HOSTILE)
@pytest.mark.parametrize("kind", [_Managed, _Versioned])
def test_dlpack_of_an_enemy(label, kind):
    """Refused with BufferError, and left to its owner: not renamed, not deleted."""
    stranger = Hostile(kind, **HOSTILE[label])
    for _ in range(2):
        with pytest.raises(BufferError):
            tn._core._from_capsule(stranger.capsule)
    assert stranger.deleted == 0


def test_dlpack_of_another_version():
    with pytest.raises(BufferError, match="version"):
        tn._core._from_capsule(Hostile(_Versioned, major=2).capsule)


def test_dlpack_capsule_that_nobody_takes():
    pool = tn.get_default_memory_pool()
    before = pool.used_bytes()
    for version in (None, (1, 0)):
        capsule = tn.zeros(1000).__dlpack__(max_version=version)
        assert pool.used_bytes() > before
        del capsule
        assert pool.used_bytes() == before


# --- Programs for CuPy ---


def test_program_for_cupy(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport cupy as cp\nimport cupy\nfrom cupy import linalg\nimport cupy.cuda\n"
        "import tenorite\nassert cp is cupy is tenorite and cupy.cuda is tenorite.cuda\n"
        "assert linalg.norm(cp.ones(4)).item() == 2\n"
        "print(sys.argv[1:], __name__, cp.arange(3).sum())\n"
    )
    done = python("-m", "tenorite", program, "one", "two")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['one', 'two'] __main__ 3\n"
    done = python("-m", "tenorite", "-m", "program", "x", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['x'] __main__")
    assert "tenorite" in python("-m", "tenorite").stdout


def test_install_as_cupy_refuses_what_is_not_there():
    done = python(
        "-c",
        "import tenorite; tenorite.install_as_cupy(); tenorite.install_as_cupy()\n"
        "try:\n    import cupy.no_such_module\nexcept ModuleNotFoundError as e:\n    print(e.name)",
    )
    assert done.stdout == "cupy.no_such_module\n", done.stderr


NAMES_OF_CUPY = """
import tenorite
own = tenorite.__version__
tenorite.install_as_cupy()
import cupy.testing
from cupy import testing
from cupy.testing import _condition, _loops, _parameterized, _random
import cupyx.profiler, cupyx.time
from cupyx import profiler
from cupyx.profiler import benchmark, time_range
import cupyx.tools.install_library
import cupyx
import cupy_backends.cuda.api.runtime
from cupy_backends.cuda.api import driver, runtime
from cupy_backends.cuda import stream
assert runtime is tenorite.cuda.runtime is cupy_backends.cuda.api.runtime and not runtime.is_hip
assert driver is tenorite.cuda.driver and stream is tenorite.cuda.stream
assert testing is tenorite.testing is cupy.testing and _loops.numpy_cupy_equal is testing.numpy_cupy_equal
assert cupyx is tenorite.x and profiler is tenorite.profiler and cupyx.tools is tenorite.tools
assert cupy.__version__ == "14.0.0" != own == tenorite._core.version()
print("good")
"""


def test_names_of_cupy():
    done = python("-c", NAMES_OF_CUPY)
    assert done.stdout == "good\n", done.stderr


# --- Import ---


def test_import_is_light():
    """Only NumPy and the extension; no thread."""
    code = (
        "import sys, numpy\nbefore = set(sys.modules)\nimport tenorite\n"
        "import os\nnew = {m.split('.')[0] for m in set(sys.modules) - before}\n"
        "print(sorted(new), len(os.listdir('/proc/self/task')))"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    names, threads = done.stdout.rsplit(" ", 1)
    allowed = {"tenorite", "importlib", "os"}
    assert set(eval(names)) <= allowed | set(sys.stdlib_module_names)
    # NumPy's BLAS has threads of its own; ours come with the first large loop.
    base = python("-c", "import numpy, os; print(len(os.listdir('/proc/self/task')))").stdout
    assert int(threads) == int(base)


def test_names_resolve():
    for name in dir(tn):
        assert getattr(tn, name) is not None or name == "newaxis", name
    assert to_host(tn.ones(2)).tolist() == [1, 1]
