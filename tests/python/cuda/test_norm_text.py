"""The device text of batch normalisation, run on the host as a RawKernel's, against NumPy."""

import itertools

import device_text
import numpy as np
import pytest
import tenorite as tn
from test_sort_text import pytestmark  # noqa: F401

RANDOM = np.random.default_rng(11)
FORWARD, BACKWARD, GIVEN = range(3)
LONE, SUMS, RESULT = range(3)
THREADS = {LONE: 64, SUMS: 128, RESULT: 32}
EPS, FACTOR = 1e-3, 0.25
# outer, channels, inner, width, lanes, shares of the sums
SHAPES = [
    (37, 24, 1, 4, 4, 3),
    (1, 24, 1, 8, 8, 1),
    (700, 6, 1, 2, 8, 5),
    (33, 7, 1, 1, 8, 2),
    (5, 3, 49, 1, 1, 2),
    (6, 2, 200, 4, 1, 4),
    (1, 5, 8, 8, 1, 1),
    (2, 1, 1600, 2, 1, 7),
]
KINDS = {
    "float16": ("tn_u16", "float", 2e-3),
    "float32": ("float", "float", 2e-6),
    "float64": ("double", "double", 1e-14),
}


def body(dtype):
    stored, working, _ = KINDS[dtype]
    is_half = dtype == "float16"
    load, save = ("__half2float(__ushort_as_half(a))", "__half_as_ushort(__float2half(a))") if is_half else ("a", "a")
    return (
        f"#include <cuda_fp16.h>\ntypedef {stored} Stored; typedef {working} Working;\n"
        f"__device__ Working load_working(Stored a) {{ return {load}; }}\n"
        f"__device__ Stored save_working(Working a) {{ return {save}; }}\n"
        "__device__ float m_sqrt(float a) { return sqrtf(a); }\n__device__ double m_sqrt(double a) { return sqrt(a); }\n"
    )


class Case:
    """Arrays of one call as the kernels get them."""

    def __init__(self, dtype, shape, way):
        self.dtype, self.way = dtype, way
        self.outer, self.channels, self.inner, self.width, self.lanes, self.shares = shape
        self.width = min(self.width, 16 // np.dtype(dtype).itemsize)
        self.working = "f8" if dtype == "float64" else "f4"
        sizes = self.outer, self.channels, self.inner
        self.numbers = {
            name: (RANDOM.standard_normal(sizes) * 2 + 300 * (dtype != "float16")).astype(dtype) for name in ("x", "dy")
        }
        of_channels = ("scale", "bias", "mean", "inverse", "running_mean", "running_variance", "dscale", "dbias")
        self.given = {name: RANDOM.uniform(0.5, 2, self.channels).astype(self.working) for name in of_channels}
        self.arrays = {name: tn.asarray(value) for name, value in {**self.numbers, **self.given}.items()}
        self.arrays["result"] = tn.full(sizes, np.nan, dtype)
        self.items = self.outer if self.inner == 1 else self.outer * self.inner // self.width
        self.counters = tn.zeros(64, "u4")

    def launch(self, step, shares, lanes, wide=False, grid=None):
        last, count = int(self.inner == 1), self.outer * self.inner
        across = -(-self.channels // (lanes * self.width)) if last else self.channels
        macros = dict(
            BLOCK=THREADS[step],
            WAY=self.way,
            STEP=step,
            LAST=last,
            LANES=lanes,
            WIDTH=self.width,
            UNROLL=2,
            WIDE_INDEX=int(wide),
        )
        partials = tn.full((shares, self.channels, 3), np.nan, self.working)
        params = dict(
            self.arrays,
            partials=partials,
            counters=self.counters if step == SUMS else None,
            items=self.items,
            channels=self.channels,
            inner=self.inner,
            shares=shares,
            across=across,
            segment=1 if last else self.inner // self.width,
            epsilon=EPS,
            factor=FACTOR,
            unbiased=count / max(count - 1, 1),
            share=1 / count,
        )
        grid = grid or across * shares
        device_text.launch("batch_norm", macros, grid, THREADS[step], body(self.dtype), **params)

    def get(self, name):
        return self.arrays[name].get().astype("f8")


def expected(case):
    """In float64, of what was given."""
    at = {name: value.astype("f8")[:, None] for name, value in case.given.items()}
    x, dy = (case.numbers[name].astype("f8") for name in ("x", "dy"))
    mean, variance = x.mean((0, 2)), x.var((0, 2))
    count = x.size / len(mean)
    if case.way == GIVEN:
        return {"result": (x - at["mean"]) / np.sqrt(at["inverse"] + EPS) * at["scale"] + at["bias"]}
    if case.way == FORWARD:
        inverse = 1 / np.sqrt(variance + EPS)
        unbiased = variance * count / max(count - 1, 1)
        return {
            "mean": mean,
            "inverse": inverse,
            "result": (x - mean[:, None]) * (inverse[:, None] * at["scale"]) + at["bias"],
            "running_mean": at["running_mean"][:, 0] * (1 - FACTOR) + mean * FACTOR,
            "running_variance": at["running_variance"][:, 0] * (1 - FACTOR) + unbiased * FACTOR,
        }
    by = (x - at["mean"]) * at["inverse"]
    dbias, dscale = dy.sum((0, 2)), (dy * by).sum((0, 2))
    result = (dy - (dbias[:, None] + by * dscale[:, None]) / count) * at["scale"] * at["inverse"]
    return {"dbias": dbias, "dscale": dscale, "result": result}


@pytest.mark.parametrize(("dtype", "shape", "way"), list(itertools.product(KINDS, SHAPES, (FORWARD, BACKWARD, GIVEN))))
def test_steps(dtype, shape, way):
    case = Case(dtype, shape, way)
    if way == GIVEN:
        case.launch(RESULT, 3, case.lanes)
    elif case.shares == 1:
        case.launch(LONE, 1, case.lanes)
    else:
        case.launch(SUMS, case.shares, case.lanes)
        case.launch(RESULT, 2, case.lanes)
    check(case)


@pytest.mark.parametrize("way", [FORWARD, BACKWARD, GIVEN])
@pytest.mark.parametrize("shape", [(37, 24, 1, 4, 4, 1), (5, 7, 9, 1, 1, 1)])
def test_fewer_blocks_than_channels(shape, way):
    """Where channels are more than a grid's blocks each takes several."""
    case = Case("float32", shape, way)
    case.launch(RESULT if way == GIVEN else LONE, 1, case.lanes, wide=True, grid=2)
    check(case)


def check(case):
    assert not case.counters.any()
    dtype = case.dtype
    for name, value in expected(case).items():
        bound = KINDS[dtype][2] * max(np.abs(value).max(), 1)
        np.testing.assert_allclose(
            case.get(name), value, rtol=0, atol=bound * (300 if dtype != "float16" else 1), err_msg=name
        )
