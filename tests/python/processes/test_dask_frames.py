"""Arrays as frames: what distributed sends is the array's memory, what it receives becomes one."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tenorite as tn
from programs import needs_doubles, on_double, output_of

distributed = pytest.importorskip("distributed")
from distributed.protocol import deserialize, deserialize_bytes, serialize, serialize_bytes  # noqa: E402

LAYOUTS = {
    "contiguous": lambda: tn.arange(24.0).reshape(4, 6),
    "transposed": lambda: tn.arange(24.0).reshape(4, 6).T,
    "columns first": lambda: tn.asfortranarray(tn.arange(24, dtype="i2").reshape(2, 3, 4)),
    "reversed": lambda: tn.arange(24)[::-2],
    "repeated": lambda: tn.broadcast_to(tn.arange(3, dtype="c8"), (5, 3)),
    "all repeated": lambda: tn.broadcast_to(tn.array(3.5), (5, 3)),
    "0-d": lambda: tn.array(3, dtype="u1"),
    "empty": lambda: tn.empty((0, 3), dtype="f2"),
    "one axis of nothing": lambda: tn.empty((3, 0)),
    "bool": lambda: tn.arange(5) > 2,
    "axes of one": lambda: tn.ones((1, 4, 1)),
}


def round_trip(array):
    header, frames = serialize(array)
    assert header["serializer"] == "dask"
    # As a socket gives them: bytes of their own, here at an odd address.
    received = [memoryview(bytearray(b"x" + bytes(frame)))[1:] for frame in frames]
    return deserialize(header, received)


@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS)
def test_layout(make):
    array = make()
    made = round_trip(array)
    assert type(made) is tn.ndarray and made.dtype == array.dtype and made.shape == array.shape
    assert made.flags.fnc == array.flags.fnc
    np.testing.assert_array_equal(made.get(), array.get())
    np.testing.assert_array_equal(deserialize_bytes(serialize_bytes(array)).get(), array.get())
    assert (made == array).all()


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLefdFD", "bfloat16", "M8[s]", "m8[ns]", "V3", "i4,f8"])
def test_dtype(dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
        dtype = tn.bfloat16
    dtype = np.dtype(dtype)
    array = tn.asarray(np.arange(5 * dtype.itemsize, dtype="u1").view(dtype) if dtype != "?" else np.ones(5, "?"))
    made = round_trip(array)
    assert made.dtype == dtype and made.get().tobytes() == array.get().tobytes()


@pytest.mark.host_only("frames of a GPU are copies")
def test_nothing_is_copied():
    """A round of 100 MB takes no memory."""
    array = tn.zeros(100_000_000 // 8)
    used = tn.get_default_memory_pool().used_bytes()
    header, frames = serialize(array)
    frames[0][:8] = np.float64(7).tobytes()
    assert array[0] == 7
    made = deserialize(header, frames)
    assert tn.get_default_memory_pool().used_bytes() == used
    made[1] = 8
    assert array[1] == 8 and made.size == array.size


def test_frames_that_may_not_be_written():
    header, frames = serialize(tn.arange(5))
    made = deserialize(header, [bytes(frames[0])])
    made += 1
    assert made.tolist() == [1, 2, 3, 4, 5]


class Named(tn.ndarray):
    """A subclass with an attribute."""


def test_subclass_and_sparse():
    array = tn.arange(3).view(Named)
    array.name = "kept"
    header, frames = serialize(array)
    made = deserialize(header, frames)
    assert header["serializer"] == "pickle" and type(made) is Named and made.name == "kept" and made.sum() == 3
    sparse = pytest.importorskip("tenorite.scipy.sparse")
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.dia_matrix):
        matrix = kind(tn.eye(4, k=1))
        header, frames = serialize(matrix)
        made = deserialize(header, frames)
        assert type(made) is kind and header["serializer"] == "dask"
        np.testing.assert_array_equal(made.toarray().get(), np.eye(4, k=1))


def test_collection():
    value = {"a": tn.arange(3), "b": [tn.ones(2), "text"]}
    header, frames = serialize(value)
    made = deserialize(header, frames)
    assert made["a"].tolist() == [0, 1, 2] and made["b"][1] == "text" and type(made["b"][0]) is tn.ndarray


GPU = """
import numpy as np, tenorite as tn
from distributed.protocol import serialize, deserialize
array = tn.asarray(np.arange(6.0).reshape(2, 3)).T
header, (frame,) = serialize(array, serializers=("cuda",))
assert header["serializer"] == "cuda" and type(frame) is tn.ndarray and frame.dtype == "u1"
assert frame.data.ptr == array.data.ptr
class Received:
    __cuda_array_interface__ = frame.__cuda_array_interface__
made = deserialize(header, [Received()])
assert made.data.ptr == array.data.ptr
assert made.T.get().tolist() == array.T.get().tolist() and made.flags.fnc
header, frames = serialize(array)
assert header["serializer"] == "dask" and isinstance(frames[0], memoryview)
assert deserialize(header, frames).T.get().tolist() == array.T.get().tolist()
print("equal")
"""


@needs_doubles
def test_frames_of_a_gpu(tmp_path):
    """The family `cuda` hands out the device's memory; the driver's double has copies."""
    assert output_of(GPU, on_double(tmp_path)) == "equal\n"


SPILL = """
import numpy as np, tenorite as tn
from tenorite.dask import device_buffer
buffer = device_buffer(FOLDER, device_memory=3_000_000, host_memory=HOST)
used = tn.get_default_memory_pool().used_bytes
for number in range(8):
    buffer[number] = tn.asarray(np.full(125_000, number))
buffer["pair"] = (tn.asarray(np.arange(5)), "text")
buffer["of the host"] = np.arange(5)
print(sorted(map(str, buffer.fast)), len(buffer), used() <= 3_100_000)
for number in range(8):
    assert buffer[number].get().tolist() == [number] * 125_000
print(used() <= 4_100_000)
assert buffer["pair"][0].get().tolist() == list(range(5)) and buffer["pair"][1] == "text"
assert type(buffer["of the host"]) is np.ndarray
while buffer.evict() > 0:
    pass
del buffer[3]
print(len(buffer), 3 in buffer)
buffer.clear()
print(used())
"""


@needs_doubles
@pytest.mark.parametrize("host_memory", [0, 2_500_000])
def test_spilling(tmp_path, host_memory):
    """What a GPU does not hold goes to the host, and from there to a disk, and comes back."""
    program = SPILL.replace("FOLDER", repr(str(tmp_path / "disk"))).replace("HOST", str(host_memory))
    lines = output_of(program, on_double(tmp_path)).splitlines()
    assert lines == ["['6', '7', 'of the host', 'pair'] 10 True", "True", "9 False", "0"]
    assert (tmp_path / "disk").exists() == bool(host_memory)


def test_without_dask(tmp_path):
    """The package says what is missing."""
    (tmp_path / "distributed.py").write_text("raise ModuleNotFoundError('No module named distributed')")
    program = "from tenorite.dask import local_cluster\nlocal_cluster(1)"
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and "distributed" in done.stderr.splitlines()[-1]
