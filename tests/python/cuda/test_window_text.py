"""The device text of images, run on the host as a RawKernel's, against SciPy: no GPU is needed."""

import struct

import numpy as np
import pytest
import scipy.ndimage as theirs
import tenorite as tn
from device_text import launch
from test_sort_text import pytestmark  # noqa: F401

EDGES = ("nearest", "wrap", "reflect", "mirror", "constant")
TYPES = {"f4": "float", "f8": "double", "i4": "tn_i32", "u1": "tn_u8"}
OPS = {"sum": 0, "least": 1, "most": 2, "network": 3, "search": 4}
BODY = """typedef %s Stored; typedef %s Working; typedef %s Result;
static inline Working image_load(Stored a) { return (Working)a; }
static inline Result image_store(Working a) { return (Result)a; }
static inline Working find_rank(Working (&v)[%d]) {
    for (int i = 1; i < %d; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--) { Working a = v[k]; v[k] = v[k - 1]; v[k - 1] = a; }
    return v[%d];
}
"""


def values_of(weights, working):
    data = np.zeros(len(weights) + 1, working)
    data[: len(weights)] = weights
    return data.tobytes() + bytes(-data.nbytes % 8)


class Image:
    """An image, its window and a launch of both texts."""

    def __init__(self, a, size, working=None, edge="reflect", beyond=2.0, low=None):
        self.a, self.size, self.edge, self.beyond = a, size, edge, beyond
        self.working = np.dtype(working or a.dtype)
        self.low = low or tuple(one // 2 for one in size)
        self.device, self.output = tn.asarray(a), tn.zeros(a.shape, a.dtype)

    def body(self, count, rank):
        stored, working = TYPES[self.a.dtype.str[1:]], TYPES[self.working.str[1:]]
        return BODY % (stored, working, stored, count, count, rank)

    def common(self, op, count, weights, rank, symmetry, values, divisor):
        macros = {
            "BLOCK": 64,
            "WIDE_INDEX": len(self.size) % 2,
            "OP": OPS[op],
            "VALUES": count if values else 0,
            "WEIGHTED": int(weights is not None and not values),
            "SYMMETRY": symmetry % 3,
            "SKIPS": int(weights is not None and sum(one > 1 for one in self.size) > 1),
            "WIRES": count if op == "network" else 1,
            "DIVIDED": int(divisor != 1),
        }
        params = {
            "input": self.device,
            "output": self.output,
            "weights": None if values or weights is None else tn.asarray(np.asarray(weights, self.working)),
            "rank": rank,
            "beyond": self.beyond,
            "divisor": divisor,
            "values": values_of(weights if values else [], self.working),
        }
        return macros, params

    def stencil(
        self, op, weights=None, places=None, rank=0, symmetry=0, values=False, divisor=1.0, table=64, mask=None
    ):
        count, ndim = int(np.prod(self.size)) if places is None else len(places), self.a.ndim
        macros, params = self.common(op, count, weights, rank, symmetry, values, divisor)
        macros |= {"NDIM": ndim, "PLACED": int(places is not None), "TABLE": table, "MASKED": int(mask is not None)}
        mask = None if mask is None else tn.asarray(mask)
        strides = (self.device.strides, self.output.strides, mask.strides if mask is not None else (0,) * ndim)
        params |= {
            "mask": mask,
            "places": None if places is None else tn.asarray(np.asarray(places, "i4")),
            "total": self.a.size,
            "count": count,
            "shape": (self.a.shape, *strides),
            "sizes": self.a.shape,
            "size": self.size,
            "low": self.low,
            "order": [int(np.prod(self.size[k + 1 :])) for k in range(ndim)],
            "edges": [EDGES.index(self.edge)] * ndim,
        }
        launch("stencil", macros, 3, 64, self.body(max(macros["WIRES"], 2), rank), **params)
        return self.output.get()

    def tile(self, op, weights=None, rank=0, symmetry=0, values=False, divisor=1.0):
        (height, width), outer = self.size[-2:], self.a.ndim - 2
        macros, params = self.common(op, height * width, weights, rank, symmetry, values, divisor)
        macros |= {"OUTER": outer, "HEIGHT": height, "WIDTH": width, "ROWS": 4}
        rows, columns = -(-self.a.shape[-2] // 8), -(-self.a.shape[-1] // 32)
        params |= {
            "tiles": int(np.prod(self.a.shape[:-2])) * rows * columns,
            "row_tiles": rows,
            "column_tiles": columns,
            "sizes": self.a.shape[-2:],
            "low": self.low[-2:],
            "edges": [EDGES.index(self.edge)] * 2,
            "input_strides": self.device.strides[-2:],
            "output_strides": self.output.strides[-2:],
            "outer": (self.a.shape[:-2], self.device.strides[:-2], self.output.strides[:-2]),
        }
        launch("tile", macros, 3, 64, self.body(max(macros["WIRES"], 2), rank), **params)
        return self.output.get()


def near(found, wanted):
    """A compiler of the host may contract products and sums."""
    return np.allclose(found, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max() if wanted.dtype.kind == "f" else 0)


def image(shape, dtype):
    rng = np.random.default_rng(len(shape))
    return (100 * rng.standard_normal(shape)).astype(dtype) if dtype[0] == "f" else rng.integers(0, 99, shape, dtype)


def test_values_have_no_gap():
    assert len(values_of([], "u1")) == 8 and len(values_of([1.0] * 9, "f4")) == 40
    assert struct.unpack("d", values_of([2.5], "f8")[:8]) == (2.5,)


@pytest.mark.parametrize("edge", EDGES)
def test_sums(edge):
    mode = {"mode": edge, "cval": 2.0}
    weights = np.random.default_rng(1).standard_normal((3, 4))
    weights[1, 1] = 0
    for dtype in ("f8", "i4"):
        a = image((13, 70), dtype)
        wanted = theirs.correlate(a, weights, **mode)
        for values in (False, True):
            one = Image(a, (3, 4), "f8", edge)
            assert near(one.stencil("sum", weights.ravel(), values=values, table=64 * values), wanted)
            assert near(one.tile("sum", weights.ravel(), values=values), wanted)
    a = image((3, 6, 9), "f8")
    cube = np.random.default_rng(2).standard_normal((2, 3, 3))
    assert near(Image(a, (2, 3, 3), edge=edge).stencil("sum", cube.ravel()), theirs.correlate(a, cube, **mode))
    a = image((2, 13, 40), "f4")
    wanted = theirs.correlate(a, weights[None], **mode)
    assert np.allclose(Image(a, (1, 3, 4), edge=edge).tile("sum", weights.ravel(), values=True), wanted, atol=1e-3)


@pytest.mark.parametrize("symmetry", [1, -1])
def test_mirrored_weights(symmetry):
    half = np.random.default_rng(3).standard_normal(4)
    weights = np.concatenate([half, [0.7], symmetry * half[::-1]])
    a = image((41, 37), "f8")
    for axis, size in ((0, (9, 1)), (1, (1, 9))):
        wanted = theirs.correlate1d(a, weights, axis)
        one = Image(a, size)
        assert near(one.stencil("sum", weights, symmetry=symmetry, values=True), wanted)
        assert near(one.tile("sum", weights, symmetry=symmetry, values=True), wanted)
        assert near(one.tile("sum", weights, symmetry=symmetry), wanted)


@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_extremes_and_means(dtype):
    a = image((21, 40), dtype)
    for size, low in (((3, 5), (1, 2)), ((4, 1), (3, 0))):
        origin = [at - one // 2 for at, one in zip(low, size, strict=True)]
        one = Image(a, size, low=low, edge="mirror")
        given = {"mode": "mirror", "origin": origin}
        assert (one.tile("least") == theirs.minimum_filter(a, size, **given)).all()
        assert (one.stencil("most", table=0) == theirs.maximum_filter(a, size, **given)).all()
    one = Image(a, (5, 1), "f8")
    wanted = theirs.uniform_filter1d(a, 5, 0)
    assert np.allclose(one.tile("sum", divisor=5.0), wanted, atol=1e-4)
    footprint = np.array([[1, 0, 1], [0, 1, 1]], bool)
    wanted = theirs.minimum_filter(a, footprint=footprint)
    one, places = Image(a, (2, 3)), np.flatnonzero(footprint)
    assert (one.stencil("least", places=places) == wanted).all()
    mask = np.random.default_rng(4).random(a.shape) < 0.5
    assert (one.stencil("least", places=places, mask=mask) == np.where(mask, wanted, a)).all()
    structure = np.arange(6.0).reshape(2, 3)
    wanted = theirs.grey_erosion(a, structure=structure)
    assert (one.stencil("least", structure.ravel()) == wanted).all()
    assert (one.tile("least", structure.ravel(), values=True) == wanted).all()


@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_ranks(dtype):
    a = image((19, 45), dtype) - (0 if dtype == "u1" else 30)
    a = a.astype(dtype)
    for op in ("network", "search"):
        one = Image(a, (3, 5), edge="constant")
        wanted = theirs.rank_filter(a, 6, (3, 5), mode="constant", cval=2.0)
        assert (one.tile(op, rank=6) == wanted).all()
        assert (one.stencil(op, rank=6) == wanted).all()
