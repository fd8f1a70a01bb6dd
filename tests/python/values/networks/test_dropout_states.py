"""Dropout: masks, their share, and the generator's states."""

import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

RATIOS = [0.0, 0.1, 0.5, 0.9, 1.0]
MASK_64 = 2**64 - 1


def mixed(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK_64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK_64
    return z ^ (z >> 31)


def numbers(seed, count):
    """The generator's numbers as Python computes them, from 0 to 1: SplitMix64 begins with what it
    draws first from the seed."""
    gamma = 0x9E3779B97F4A7C15
    first = mixed(seed + gamma & MASK_64)
    return [(mixed(first + k * gamma & MASK_64) >> 11) / 2**53 for k in range(1, count + 1)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_passes(dtype, ratio):
    """What remains is divided by the share that does, the rest is 0; the gradient likewise."""
    x = tn.arange(1, 301, dtype=dtype).reshape(3, 100)
    states = cudnn.DropoutStates(None, 3)
    reserve, y = states.forward(None, x, ratio)
    remains = np.array(numbers(3, 300)).reshape(3, 100) >= ratio
    assert reserve.dtype == "int8" and y.dtype == dtype
    np.testing.assert_array_equal(reserve.get().reshape(3, 100), remains)
    expected = np.where(remains, x.get() * np.dtype(dtype).type(1 / (1 - ratio) if ratio < 1 else 0), 0)
    np.testing.assert_allclose(y.get(), expected, rtol=1e-3 if dtype == "float16" else 1e-6)
    dx = states.backward(None, x, ratio, reserve)
    assert dx.tobytes() == y.tobytes()


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1, 2**63])
def test_seeds(seed):
    """Equal seeds give equal masks, calls other ones; the share of what remains is right."""
    x = tn.ones((400, 500), "f")
    one, other = cudnn.DropoutStates(None, seed), cudnn.DropoutStates(None, seed)
    masks = [one.forward(None, x, 0.3)[0] for _ in range(3)]
    assert all(mask.tobytes() == other.forward(None, x, 0.3)[0].tobytes() for mask in masks)
    deviation = np.sqrt(0.3 * 0.7 / x.size)
    for mask, later in zip(masks, masks[1:]):
        assert abs(float(mask.mean()) - 0.7) < 5 * deviation
        assert abs(float((mask == later).mean()) - 0.58) < 5 * np.sqrt(0.58 * 0.42 / x.size)
    assert cudnn.DropoutStates(None, seed ^ 1).forward(None, x, 0.3)[0].tobytes() != masks[0].tobytes()


def test_states_are_saved():
    """A copy of the bytes brings the masks back."""
    x, states = tn.ones((4, 50)), cudnn.DropoutStates(None, 11)
    states.forward(None, x, 0.5)
    size = raw.dropoutGetStatesSize(cudnn.get_handle())
    memory = tn.ndarray(size, "b", states._states)
    kept = memory.copy()
    first = states.forward(None, x, 0.5)[1]
    assert states.forward(None, x, 0.5)[1].tobytes() != first.tobytes()
    memory[...] = kept
    assert states.forward(None, x, 0.5)[1].tobytes() == first.tobytes()


def test_layouts():
    """The mask follows the elements' order, not their places in memory."""
    x = np.arange(1, 121, dtype="f").reshape(4, 5, 6)
    expected = cudnn.DropoutStates(None, 2).forward(None, tn.asarray(x), 0.4)
    for view in (tn.asarray(np.ascontiguousarray(x.T)).T, tn.asarray(x[:, ::-1].copy())[:, ::-1]):
        reserve, y = cudnn.DropoutStates(None, 2).forward(None, view, 0.4)
        assert y.tobytes() == expected[1].tobytes() and reserve.tobytes() == expected[0].tobytes()
        gradient = cudnn.DropoutStates(None, 0).backward(None, view, 0.4, reserve)
        assert gradient.tobytes() == y.tobytes()
    assert cudnn.DropoutStates(None, 2).forward(None, tn.ones((0, 3)), 0.5)[1].shape == (0, 3)


def test_addresses():
    x, y = tn.arange(1, 25, dtype="f").reshape(2, 3, 4), tn.empty((2, 3, 4), "f")
    expected = cudnn.DropoutStates(None, 9).forward(None, x, 0.5)
    handle = cudnn.get_handle()
    states = tn.empty(raw.dropoutGetStatesSize(handle), "b")
    desc = cudnn.create_dropout_descriptor(handle, 0.5, states.data.ptr, states.size, 9)
    of = cudnn.create_tensor_nd_descriptor(x)
    reserve = tn.empty(raw.getDropoutReserveSpaceSize(of.value), "b")
    tail = reserve.data.ptr, reserve.size
    raw.dropoutForward(handle, desc.value, of.value, x.data.ptr, of.value, y.data.ptr, *tail)
    assert y.tobytes() == expected[1].tobytes() and reserve.tobytes() == expected[0].tobytes()
    cudnn.set_dropout_descriptor(desc, handle, 0.5)
    y[...] = 0
    raw.dropoutBackward(handle, desc.value, of.value, x.data.ptr, of.value, y.data.ptr, *tail)
    assert y.tobytes() == expected[1].tobytes()
    with pytest.raises(raw.CuDNNError, match="bytes of reserve space"):
        raw.dropoutForward(handle, desc.value, of.value, x.data.ptr, of.value, y.data.ptr, tail[0], 23)
    with pytest.warns(DeprecationWarning):
        assert cudnn.create_dropout_states(handle).size == states.size


def test_refusals():
    handle, states = cudnn.get_handle(), cudnn.DropoutStates(None, 0)
    with pytest.raises(raw.CuDNNError, match=r"ratio of 1\.5 is not from 0 to 1"):
        states.set_dropout_ratio(1.5)
    with pytest.raises(raw.CuDNNError, match="bytes of dropout states"):
        cudnn.create_dropout_descriptor(handle, 0.5, tn.empty(4, "b").data.ptr, 4, 0)
    with pytest.raises(raw.CuDNNError, match="has no states"):
        desc = cudnn.create_dropout_descriptor(handle, 0.5, 0, 0, 0)
        of = cudnn.create_tensor_nd_descriptor(tn.ones((1, 1, 1)))
        at = tn.ones(8).data.ptr
        raw.dropoutForward(handle, desc.value, of.value, at, of.value, at, at, 1)
    with pytest.raises(TypeError):
        states.forward(None, tn.arange(4), 0.5)
    with pytest.raises(ValueError, match="reserve_space has 4 elements, dy 5"):
        states.backward(None, tn.ones(5), 0.5, tn.ones(4, "b"))
