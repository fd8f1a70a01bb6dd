"""Spatial transformers: grids and samples against a loop over pixels, gradients against finite
differences."""

import ctypes

import numpy as np
import pytest
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw

BOUNDS = {"float16": 3e-3, "float32": 1e-5, "float64": 1e-12}
RANDOM = np.random.default_rng(29)


def sampled(x, grid):
    """Bilinear values at a grid's places; -1 and 1 are the middles of the first and last pixel."""
    n, c, height, width = x.shape
    found = np.zeros((n, c, *grid.shape[1:3]))
    for at in np.ndindex(n, *grid.shape[1:3]):
        across, along = (grid[at] + 1) / 2 * (width - 1, height - 1)
        column, row = int(np.floor(across)), int(np.floor(along))
        for i in (row, row + 1):
            for j in (column, column + 1):
                if 0 <= i < height and 0 <= j < width:
                    share = (1 - abs(along - i)) * (1 - abs(across - j))
                    found[at[0], :, at[1], at[2]] += share * x[at[0], :, i, j]
    return found


def grid_of(theta, height, width):
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    return np.einsum("nkl,lhw->nhwk", theta, np.stack([x, y, np.ones_like(x)]))


class Transformer:
    """A descriptor for images (n, c, height, width), and calls of the four functions."""

    def __init__(self, dtype, *shape):
        self.dtype, self.shape, self.handle = np.dtype(dtype), shape, cudnn.get_handle()
        self.factor = ctypes.c_double if dtype == "float64" else ctypes.c_float
        sizes = np.array(shape, "i")
        self.desc = cudnn.create_spatial_transformer_descriptor(
            raw.CUDNN_SAMPLER_BILINEAR, self.dtype, 4, sizes.ctypes.data
        )

    def made(self, *axes):
        return tn.full((self.shape[0], *axes), 2, self.dtype)

    def grid(self, theta):
        found = self.made(*self.shape[2:], 2)
        raw.spatialTfGridGeneratorForward(self.handle, self.desc.value, theta.data.ptr, found.data.ptr)
        return found

    def grid_backward(self, dgrid):
        found = self.made(2, 3)
        raw.spatialTfGridGeneratorBackward(self.handle, self.desc.value, dgrid.data.ptr, found.data.ptr)
        return found

    def sample(self, x, grid, alpha=1.0, beta=0.0):
        found = self.made(*self.shape[1:])
        descs = [raw.createTensorDescriptor() for _ in range(2)]
        for desc, array in zip(descs, (x, found)):
            steps = [step // array.itemsize for step in array.strides]
            raw.setTensor4dDescriptorEx(desc, cudnn.get_data_type(self.dtype), *array.shape, *steps)
        factors = [self.factor(one) for one in (alpha, beta)]
        at = [ctypes.addressof(one) for one in factors]
        raw.spatialTfSamplerForward(
            self.handle, self.desc.value, at[0], descs[0], x.data.ptr, grid.data.ptr, at[1], descs[1], found.data.ptr
        )
        for desc in descs:
            raw.destroyTensorDescriptor(desc)
        return found

    def sample_backward(self, x, grid, dy, factors=(1.0, 0.0, 1.0, 0.0)):
        """The gradients by image and grid; factors of the image's, of the grid's."""
        dx, dgrid = tn.full(x.shape, 2, self.dtype), self.made(*self.shape[2:], 2)
        descs = [cudnn.create_tensor_descriptor(array) for array in (x, dx, dy)]
        factors = [self.factor(one) for one in factors]
        at = [ctypes.addressof(one) for one in factors]
        raw.spatialTfSamplerBackward(
            self.handle,
            self.desc.value,
            at[0],
            descs[0].value,
            x.data.ptr,
            at[1],
            descs[1].value,
            dx.data.ptr,
            at[2],
            descs[2].value,
            dy.data.ptr,
            grid.data.ptr,
            at[3],
            dgrid.data.ptr,
        )
        return dx, dgrid


def near(got, expected, dtype):
    assert got.dtype == dtype and got.shape == expected.shape
    np.testing.assert_allclose(got.get().astype("float64"), expected, rtol=BOUNDS[dtype], atol=4 * BOUNDS[dtype])


@pytest.mark.parametrize("dtype", BOUNDS)
def test_forward(dtype):
    theta, x = RANDOM.normal(0, 0.7, (2, 2, 3)).astype(dtype), RANDOM.normal(size=(2, 3, 5, 4)).astype(dtype)
    one = Transformer(dtype, 2, 3, 6, 7)
    grid = one.grid(tn.asarray(theta))
    near(grid, grid_of(theta.astype("d"), 6, 7), dtype)
    expected = sampled(x.astype("d"), grid.get().astype("d"))
    near(one.sample(tn.asarray(x), grid), expected, dtype)
    near(one.sample(tn.asarray(x), grid, 0.5, -1.0), 0.5 * expected - 2, dtype)
    turned = tn.asarray(np.ascontiguousarray(x.transpose(0, 2, 3, 1))).transpose(0, 3, 1, 2)
    near(one.sample(turned, grid), expected, dtype)


def test_identity_and_outside():
    x = RANDOM.normal(size=(1, 2, 4, 5))
    one = Transformer("float64", 1, 2, 4, 5)
    near(one.sample(tn.asarray(x), one.grid(tn.asarray([[[1.0, 0, 0], [0, 1, 0]]]))), x, "float64")
    away = one.grid(tn.asarray([[[1.0, 0, 9], [0, 1, 0]]]))
    assert not one.sample(tn.asarray(x), away).any()
    assert not any(part.any() for part in one.sample_backward(tn.asarray(x), away, tn.asarray(x)))
    away[...] = np.nan
    assert not one.sample(tn.asarray(x), away).any()
    away[...] = 1e300
    assert not one.sample(tn.asarray(x), away).any()


def test_gradients():
    theta, x, dy = (RANDOM.normal(0, 0.7, shape) for shape in ((2, 2, 3), (2, 3, 5, 4), (2, 3, 6, 7)))
    one = Transformer("float64", 2, 3, 6, 7)
    grid = grid_of(theta, 6, 7)
    dx, dgrid = one.sample_backward(tn.asarray(x), tn.asarray(grid), tn.asarray(dy))
    dtheta = one.grid_backward(dgrid)

    def slope(array, place, make_grid):
        kept, found = array.flat[place], []
        for sign in (1, -1):
            array.flat[place] = kept + sign * 1e-6
            found.append((sampled(x, make_grid()) * dy).sum())
        array.flat[place] = kept
        return (found[0] - found[1]) / 2e-6

    for array, got, make_grid in (
        (x, dx, lambda: grid),
        (grid, dgrid, lambda: grid),
        (theta, dtheta, lambda: grid_of(theta, 6, 7)),
    ):
        for place in RANDOM.permutation(array.size)[:10]:
            np.testing.assert_allclose(got.get().flat[place], slope(array, place, make_grid), rtol=1e-5, atol=1e-7)
    blended = one.sample_backward(tn.asarray(x), tn.asarray(grid), tn.asarray(dy), (0.5, 1.0, 2.0, -1.0))
    near(blended[0], 0.5 * dx.get() + 2, "float64")
    near(blended[1], 2 * dgrid.get() - 2, "float64")


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_gradients_of_other_dtypes(dtype):
    theta, x, dy = (RANDOM.normal(0, 0.7, shape).astype(dtype) for shape in ((2, 2, 3), (2, 3, 5, 4), (2, 3, 6, 7)))
    grid = grid_of(theta, 6, 7).astype(dtype)
    found = []
    for kind in (dtype, "float64"):
        one = Transformer(kind, 2, 3, 6, 7)
        parts = one.sample_backward(*(tn.asarray(array, dtype=kind) for array in (x, grid, dy)))
        found.append((*parts, one.grid_backward(tn.asarray(grid, dtype=kind))))
    for got, expected in zip(*found):
        scale = np.abs(expected.get()).max()
        np.testing.assert_allclose(got.get().astype("d") / scale, expected.get() / scale, atol=BOUNDS[dtype])


def test_refusals():
    sizes = np.array([1, 1, 4, 5, 6], "i")
    for arguments, text in (
        ((1, "f", 4, sizes.ctypes.data), "no sampler 1"),
        ((0, "f", 5, sizes.ctypes.data), "images of 5 axes"),
        ((0, "f", 4, np.zeros(4, "i").ctypes.data), r"images of shape \(0, 0, 0, 0\)"),
    ):
        with pytest.raises(raw.CuDNNError, match=text):
            cudnn.create_spatial_transformer_descriptor(*arguments)
    one = Transformer("float32", 1, 1, 4, 5)
    with pytest.raises(raw.CuDNNError, match=r"y has shape|x has shape \(1, 2, 4, 5\)"):
        one.sample(tn.zeros((1, 2, 4, 5), "f"), one.made(4, 5, 2))
    desc = raw.createSpatialTransformerDescriptor()
    with pytest.raises(raw.CuDNNError, match="was not set"):
        raw.spatialTfGridGeneratorForward(one.handle, desc, 1, 1)
    raw.setSpatialTransformerDescriptor(desc, 0, raw.CUDNN_DATA_DOUBLE, 4, sizes.ctypes.data)
    raw.destroySpatialTransformerDescriptor(desc)
