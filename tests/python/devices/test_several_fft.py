"""Complex transforms that go over two devices, against NumPy's."""

import numpy as np
import pytest
import tenorite as cp
from tenorite.cuda import cufft

pytestmark = pytest.mark.two_devices
CONFIG = cp.fft.config
NORMS = (None, "ortho", "forward")


@pytest.fixture(params=([0, 1], [1, 0], 2), ids=str)
def spread(request):
    CONFIG.set_cufft_gpus(request.param)
    CONFIG.use_multi_gpus = True
    yield
    CONFIG.use_multi_gpus = False


def numbers(shape, dtype):
    random = np.random.default_rng(len(shape))
    made = random.random(shape) + (1j * random.random(shape) if dtype in "FD" else 0)
    return made.astype(dtype)


def close(result, expected, is_half=False):
    """NumPy rounds the factor of halves."""
    rtol, atol = (1e-3, 1e-5) if is_half else (1e-4, 1e-5) if result.dtype == "F" else (1e-12, 1e-13)
    np.testing.assert_allclose(result.get(), expected, rtol, atol)


@pytest.mark.parametrize("dtype", "FDfe")
@pytest.mark.parametrize("shape", ((64,), (60,), (7,), (1,), (4, 64), (5, 7, 6)), ids=str)
def test_transforms(spread, shape, dtype):
    a = numbers(shape, dtype)
    for norm in NORMS:
        for n in (None, 5, 100):
            for axis in range(-1, len(shape)):
                for name in ("fft", "ifft"):
                    expected = getattr(np.fft, name)(a, n, axis, norm)
                    close(getattr(cp.fft, name)(cp.asarray(a), n, axis, norm), expected, dtype == "e")


def test_layouts_and_out(spread):
    a = numbers((6, 10), "D")
    device = cp.asarray(a)
    close(cp.fft.fft(device.T[::-1, ::2]), np.fft.fft(a.T[::-1, ::2]))
    out = cp.empty((6, 10), "D")
    assert cp.fft.fft(device, axis=0, out=out) is out
    close(out, np.fft.fft(a, axis=0))
    with pytest.raises(ValueError, match="out is of shape"):
        cp.fft.fft(device, out=cp.empty((6, 9), "D"))
    with cp.cuda.Device(1):
        result = cp.fft.ifft(device.to_device(1))
        assert result.device.id == 1
    close(result, np.fft.ifft(a))
    for shape in ((6, 10), (60,)):  # of the device that is not current
        result = cp.fft.fft(device.reshape(shape).to_device(1))
        assert result.device.id == 1
        close(result, np.fft.fft(a.reshape(shape)))


def test_long_line(spread):
    a = numbers((3 << 18,), "F")
    close(cp.fft.fft(cp.asarray(a)) / 1000, np.fft.fft(a) / 1000)


@pytest.mark.parametrize("axis", (0, 1, 2))
def test_refusals(spread, axis):
    """Those of one device."""
    with pytest.raises((ValueError, cp.exceptions.AxisError)):
        cp.fft.fft(cp.ones((0, 0), "F"), axis=axis)
    with pytest.raises(ValueError, match="Invalid number of FFT data points"):
        cp.fft.fft(cp.ones((2, 2, 2), "F"), 0, axis)


def test_contexts():
    """A thread chooses for itself."""
    from together import in_threads

    CONFIG.set_cufft_gpus(2)
    CONFIG.use_multi_gpus = True
    try:
        assert CONFIG.devices == (0, 1)
        assert in_threads(1, lambda k: (CONFIG.use_multi_gpus, CONFIG.devices)) == [(False, None)]
    finally:
        CONFIG.use_multi_gpus = False
    assert CONFIG.devices is None


@pytest.mark.parametrize("shape", ((64,), (3, 64), (13,)), ids=str)
def test_plans(shape):
    """Arrays of the device and of NumPy."""
    a = numbers(shape, "F")
    plan = cufft.Plan1d(shape[-1], cufft.CUFFT_C2C, a.size // shape[-1], devices=(1, 0))
    out = np.empty_like(a)
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out, np.fft.fft(a), rtol=1e-3, atol=1e-5)
    result = cp.empty(shape, "F")
    plan.fft(cp.asarray(a), result, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(result.get(), np.fft.ifft(a) * shape[-1], rtol=1e-3, atol=1e-5)
    with plan:
        np.testing.assert_allclose(cp.fft.fft(cp.asarray(a)).get(), np.fft.fft(a), rtol=1e-3, atol=1e-5)
        with pytest.raises(ValueError, match="does not match the plan"):
            cp.fft.fft(cp.ones(12, "F"))
    twice = cufft.Plan1d(shape[-1], cufft.CUFFT_C2C, a.size // shape[-1], devices=(1, 1))
    twice.fft(a, out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out, np.fft.fft(a), rtol=1e-3, atol=1e-5)
    with pytest.raises(ValueError, match="only C2C and Z2Z"):
        cufft.Plan1d(8, cufft.CUFFT_R2C, 1, devices=2)
    with pytest.raises(ValueError, match="at least 2"):
        cufft.Plan1d(8, cufft.CUFFT_C2C, 1, devices=[0])
    with pytest.raises(ValueError, match="the plan is for 'F'"):
        plan.fft(a.astype("D"), out, cufft.CUFFT_FORWARD)
