"""tenorite.backend and tenorite.backends: programs that run on NumPy's arrays and on ours."""

import numpy as np
import pytest
import tenorite as tn
from tenorite import backend
from tenorite.backends import cuda, intel64


class Variable:
    def __init__(self, array):
        self.array = array


def test_names():
    assert cuda.cupy is tn and cuda.cupyx is tn.x and cuda.ndarray is tn.ndarray
    assert cuda.Device is tn.cuda.Device and cuda.Event is tn.cuda.Event and cuda.Stream is tn.cuda.Stream
    assert cuda.available is True and cuda.cudnn_enabled is False and not intel64.is_ideep_available()
    assert tn.backend is backend and tn.backends.cuda is cuda
    assert {*cuda.__all__} <= {*dir(cuda)} and cuda.fuse is tn.fuse and cuda.clear_memo is tn.clear_memo
    cuda.check_cuda_available()


def test_array_module():
    for module in (backend, cuda):
        assert module.get_array_module() is np and module.get_array_module(np.ones(2), 3) is np
        assert module.get_array_module(np.ones(2), tn.ones(2)) is tn
        assert module.get_array_module(Variable(tn.ones(2))) is tn
        assert module.get_array_module(Variable(np.ones(2)), Variable(None)) is np


@pytest.mark.parametrize("from_dtype", ["f4", "f8", "i4"])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("source", [np, tn])
@pytest.mark.parametrize("target", [np, tn])
def test_copyto(target, source, order, from_dtype):
    expected = np.arange(6, dtype=from_dtype).reshape(2, 3)
    dst, src = target.zeros((2, 3), "f4", order=order), source.asarray(expected)
    if from_dtype == "i4":
        with pytest.raises(TypeError):
            backend.copyto(target.zeros((2, 3), "i2", order=order), source.asarray(expected, "f4"))
    backend.copyto(dst, src)
    assert (tn.asnumpy(dst) == expected).all()
    backend.copyto(dst, src[1])
    assert (tn.asnumpy(dst) == expected[1]).all()
    backend.copyto(dst[:, ::2], src[:, :2])
    assert (tn.asnumpy(dst)[:, ::2] == expected[:, :2]).all()


def test_copyto_refuses():
    with pytest.raises(TypeError, match="to non-array"):
        backend.copyto([1], tn.ones(1))
    with pytest.raises(TypeError, match="from non-array"):
        backend.copyto(tn.ones(1), [1])
    with pytest.raises(TypeError, match="converted"):
        backend.copyto(np.ones(1), [object()])


def test_devices():
    assert cuda.get_device_from_id(0) == tn.cuda.Device(0) and cuda.get_device_from_id(np.int32(0)).id == 0
    dummy = cuda.get_device_from_id(None)
    assert dummy is cuda.DummyDevice is cuda.get_device_from_id(-1) is cuda.get_device_from_array(np.ones(1), 3)
    assert dummy == cuda.DummyDeviceType() and dummy != tn.cuda.Device(0) and int(dummy) == dummy.id == -1
    assert len({dummy, cuda.DummyDeviceType()}) == 1
    with dummy as entered:
        assert entered is dummy
    dummy.use(), dummy.synchronize()
    assert cuda.get_device_from_array(np.ones(1), tn.ones(1)) == tn.ones(1).device
    for arguments, expected in (
        ((0,), 0),
        ((None, tn.ones(1)), 0),
        ((True, tn.cuda.Device(0)), 0),
        ((np.ones(1),), -1),
        ((), -1),
    ):
        with pytest.warns(DeprecationWarning):
            assert int(cuda.get_device(*arguments).id) == expected


SCALARS = [np.float32(2), np.bool_(True), np.arange(3), np.ones((2, 3), order="F")]


@pytest.mark.parametrize("value", SCALARS)
def test_to_gpu_and_back(value):
    there = cuda.to_gpu(value)
    assert isinstance(there, tn.ndarray) and there.dtype == value.dtype and there.shape == value.shape
    assert cuda.to_gpu(there) is there and cuda.to_gpu(there, device=0) is there
    back = cuda.to_cpu(there)
    assert isinstance(back, np.ndarray) and (back == value).all() and cuda.to_cpu(back) is back
    if isinstance(value, np.ndarray):
        there[...] = 0
        assert value.any()  # a copy


def test_lists():
    a, b = np.ones(2), tn.zeros(2)
    made = cuda.to_gpu([a, None, b, a])
    assert type(made) is list and made[1] is None and made[2] is b and made[0] is made[3]
    back = cuda.to_cpu((made[0], b, None, a, 3.0))
    assert type(back) is tuple and back[2] is None and back[3] is a and back[4].shape == ()
    assert cuda.to_gpu(None) is None and cuda.to_cpu(None) is None


def test_copies_on_streams():
    stream = tn.cuda.Stream()
    with pytest.warns(DeprecationWarning):
        there = cuda.to_gpu(np.arange(3), stream=stream)
    copied = cuda.copy(there, stream=stream)
    stream.synchronize()
    assert copied is not there and cuda.to_cpu(copied, stream=stream).tolist() == [0, 1, 2]


@pytest.mark.two_devices
def test_two_devices():
    a = cuda.to_gpu(np.arange(3), device=1)
    assert a.device.id == 1 and cuda.to_gpu(a, device=tn.cuda.Device(1)) is a
    b = cuda.to_gpu(a, device=0)
    assert b.device.id == 0 and b.tolist() == [0, 1, 2] and cuda.to_gpu(b, cuda.DummyDevice) is b
    c = cuda.copy(b, out_device=1)
    assert c.device.id == 1 and c.tolist() == [0, 1, 2]
    out = tn.empty(3)
    assert cuda.copy(a, out=out) is out and out.tolist() == [0, 1, 2]
    assert cuda.copy(b, out_device=a).device.id == 1


def test_refusals():
    for wrong in ([1.0], "a", object()):
        with pytest.raises(TypeError, match="sent to gpu"):
            cuda.to_gpu(wrong)
    with pytest.raises(TypeError, match="converted"):
        cuda.to_cpu(object())
    for wrong in (-1, "a", True, 1.0):
        with pytest.raises(ValueError, match="device specifier"):
            cuda.to_gpu(np.ones(1), device=wrong)
    with pytest.raises(ValueError, match="workspace"):
        cuda.set_max_workspace_size(-1)


def test_kernels():
    squared = cuda.elementwise("T x", "T y", "y = x * x", "squared_here")
    assert squared is cuda.elementwise("T x", "T y", "y = x * x", "squared_here")
    assert squared(tn.arange(3.0)).dtype == np.float64
    squares = cuda.reduce("T x", "T y", "x * x", "a + b", "y = a", "0", "squares_here")
    assert squares is cuda.reduce("T x", "T y", "x * x", "a + b", "y = a", "0", "squares_here")
    assert squares.name == "squares_here"
    text = 'extern "C" __global__ void one_here(double *x) { x[threadIdx.x] = 1; }'
    assert cuda.raw(text, "one_here") is cuda.raw(text, "one_here")

    @cuda.memoize(for_each_device=True)
    def made():
        return object()

    assert made() is made()


def test_workspace():
    before = cuda.get_max_workspace_size()
    cuda.set_max_workspace_size(100)
    assert before == 8 << 20 and cuda.get_max_workspace_size() == 100
    cuda.set_max_workspace_size(before)
