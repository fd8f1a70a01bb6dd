"""Spatial transformers (M. Jaderberg and others, Spatial transformer networks, 2015) with cuDNN's
order of axes: maps (n, 2, 3), grids (n, height, width, 2) of x and y, images (n, c, height, width).

The coordinates -1 and 1 are the middles of the first and last pixel; outside lie zeros. Half
precision is computed in single. On a GPU the sums of the gradient by the image are added in the
machine's order, so that their last bits may differ between calls, as cuDNN's do.
"""

import itertools

import numpy

import tenorite
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, check, dtype_of, ints, over, packed, scalar, tensor


def _computed(array):
    return array.astype("float64" if array.dtype == "float64" else "float32", copy=False)


def _homogeneous(height, width, dtype):
    """(height, width, 3): x, y and 1 of each pixel."""
    found = numpy.ones((height, width, 3))
    found[..., 0], found[..., 1] = numpy.linspace(-1, 1, width), numpy.linspace(-1, 1, height)[:, None]
    return tenorite.asarray(found, dtype=dtype)


def grid(theta, height, width):
    """The places (n, height, width, 2) where affine maps `theta` (n, 2, 3) take the pixels."""
    theta = _computed(theta)
    places = _homogeneous(height, width, theta.dtype).reshape(-1, 3)
    return (places @ theta.swapaxes(1, 2)).reshape(len(theta), height, width, 2)


def grid_backward(dgrid):
    """The gradient (n, 2, 3) by the maps."""
    dgrid = _computed(dgrid)
    count, height, width, _ = dgrid.shape
    places = _homogeneous(height, width, dgrid.dtype).reshape(-1, 3)
    return dgrid.reshape(count, -1, 2).swapaxes(1, 2) @ places


class _Corners:
    """The four pixels around each place of a grid: their rows in `_rows()` of an image, the one of
    zeros where they lie outside, and the place's shares of them along y and x, (places, 1)."""

    def __init__(self, grid, height, width):
        grid = _computed(grid).reshape(-1, 2)
        self.size, self.scale = (height, width), ((height - 1) / 2, (width - 1) / 2)
        self._low, self.upper = [], []
        for axis in range(2):
            place = (grid[:, 1 - axis] + 1) * self.scale[axis]
            low = tenorite.floor(place)
            self._low.append(low)
            self.upper.append((place - low)[:, None])

    def _axis(self, axis, step):
        """Numbers of pixels along an axis, and whether they are there; NaN is not."""
        place = self._low[axis] + step
        inside = (place >= 0) & (place <= self.size[axis] - 1)
        return tenorite.where(inside, place, 0).astype("int64"), inside

    def all(self, samples):
        """(number along y, along x, row, share) of each corner."""
        each = self._low[0].size // samples
        first = tenorite.arange(samples * each) // each * (self.size[0] * self.size[1])
        zeros = samples * self.size[0] * self.size[1]
        for i, j in itertools.product(range(2), range(2)):
            (row, is_row), (column, is_column) = self._axis(0, i), self._axis(1, j)
            inside = is_row & is_column
            share = self.share(0, i) * self.share(1, j)
            where = tenorite.where(inside, first + row * self.size[1] + column, zeros)
            yield i, j, where, tenorite.where(inside[:, None], share, 0)

    def share(self, axis, number):
        """Of the lower or the upper pixel along an axis."""
        return self.upper[axis] if number else 1 - self.upper[axis]


def _rows(x):
    """The pixels of images as rows of their channels, and a row of zeros."""
    pixels = _computed(x).transpose(0, 2, 3, 1)
    found = tenorite.zeros((pixels.size // max(x.shape[1], 1) + 1, x.shape[1]), pixels.dtype)
    found[:-1].reshape(pixels.shape)[...] = pixels
    return found


def _images_of(rows, shape):
    """(n, c, height, width) of rows; a view."""
    return rows.reshape(shape[0], *shape[2:], shape[1]).transpose(0, 3, 1, 2)


@tenorite.fuse
def _blended(a, b, c, d, p, q, r, s):
    return a * p + b * q + c * r + d * s


def sample(x, grid):
    """Images (n, c, height, width) of the grid's size, by `x` at the places of the grid."""
    rows = _rows(x)
    corners = [(rows[where], share) for _, _, where, share in _Corners(grid, *x.shape[2:]).all(len(x))]
    return _images_of(_blended(*[one for parts in zip(*corners) for one in parts]), (*x.shape[:2], *grid.shape[1:3]))


def sample_backward(x, dy, grid):
    """The gradients by the images and by the grid."""
    corners, rows, given = _Corners(grid, *x.shape[2:]), _rows(x), _rows(dy)[:-1]
    dx, slopes = tenorite.zeros(rows.shape, rows.dtype), [0, 0]
    for i, j, where, share in corners.all(len(x)):
        tenorite.add.at(dx, where, share * given)
        met = (given * rows[where]).sum(axis=1, keepdims=True)
        slopes[0] = slopes[0] + (1 if i else -1) * corners.share(1, j) * met
        slopes[1] = slopes[1] + (1 if j else -1) * corners.share(0, i) * met
    dgrid = tenorite.concatenate([slopes[1] * corners.scale[1], slopes[0] * corners.scale[0]], axis=1)
    return _images_of(dx[:-1], x.shape), dgrid.reshape(grid.shape)


class SpatialTransformer:
    """Fields of a descriptor: `number` of the dtype, `shape` of the images made; None: not set."""

    number = None

    def over(self, address, last, name):
        """An array with the axes `last` for each image."""
        check(self.number is not None, "the descriptor of a spatial transformer was not set")
        shape = self.shape[0], *last
        return over(dtype_of(self.number), shape, packed(shape), address, name)

    def grid(self, address, name):
        check(self.number is not None, "the descriptor of a spatial transformer was not set")
        return self.over(address, (*self.shape[2:], 2), name)


def _set(desc, sampler, number, count, sizes):
    found = REGISTRY.find(desc, SpatialTransformer)
    check(sampler == 0, f"there is no sampler {sampler}, only the bilinear one, 0")
    dtype_of(number)
    check(count == 4, f"images of {count} axes: only those of 4, (n, c, height, width)", "NOT_SUPPORTED")
    shape = ints(sizes, count)
    check(shape is not None and min(shape) > 0, f"images of shape {shape}")
    found.number, found.shape = number, shape


def _grid_forward(handle, desc, theta, made):
    found = REGISTRY.find(desc, SpatialTransformer)
    out = found.grid(made, "grid")
    out[...] = grid(found.over(theta, (2, 3), "theta"), *found.shape[2:])


def _grid_backward(handle, desc, dgrid, dtheta):
    found = REGISTRY.find(desc, SpatialTransformer)
    found.over(dtheta, (2, 3), "dtheta")[...] = grid_backward(found.grid(dgrid, "dgrid"))


def _images(found, desc, address, name, is_made=False):
    """An array of images: with as many samples and channels as the descriptor has, or like it."""
    shape = tensor(desc).shape
    count = 4 if is_made else 2
    check(
        len(shape) == 4 and shape[:count] == found.shape[:count],
        f"{name} has shape {shape}, and the images made {found.shape}",
        "BAD_PARAM_SHAPE_MISMATCH",
    )
    return tensor(desc).over(address, name)


def _blend(out, alpha, value, beta):
    """out = alpha value + beta out; where beta is 0 it is not read."""
    factor = scalar(beta, out.dtype)
    value = value * scalar(alpha, out.dtype)
    out[...] = value + factor * out if factor else value


def _sampler_forward(handle, desc, alpha, x_desc, x, at, beta, y_desc, y):
    found = REGISTRY.find(desc, SpatialTransformer)
    places = found.grid(at, "grid")
    out = _images(found, y_desc, y, "y", True)
    _blend(out, alpha, sample(_images(found, x_desc, x, "x"), places), beta)


def _sampler_backward(handle, desc, alpha, x_desc, x, beta, dx_desc, dx, alpha_grid, dy_desc, dy, at, beta_grid, dgrid):
    found = REGISTRY.find(desc, SpatialTransformer)
    places, out_grid = found.grid(at, "grid"), found.grid(dgrid, "dgrid")
    given, out = _images(found, dy_desc, dy, "dy", True), _images(found, dx_desc, dx, "dx")
    slopes, grid_slopes = sample_backward(_images(found, x_desc, x, "x"), given, places)
    _blend(out, alpha, slopes, beta)
    _blend(out_grid, alpha_grid, grid_slopes, beta_grid)


FUNCTIONS = {
    "createSpatialTransformerDescriptor": lambda: REGISTRY.keep(SpatialTransformer()),
    "destroySpatialTransformerDescriptor": lambda desc: REGISTRY.drop(desc, SpatialTransformer),
    "setSpatialTransformerDescriptor": _set,
    "spatialTfGridGeneratorForward": _grid_forward,
    "spatialTfGridGeneratorBackward": _grid_backward,
    "spatialTfSamplerForward": _sampler_forward,
    "spatialTfSamplerBackward": _sampler_backward,
}
