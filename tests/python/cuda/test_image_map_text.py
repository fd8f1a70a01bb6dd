"""The device text of interpolated images, run on the host as a RawKernel's, against SciPy: no GPU
is needed."""

import re
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from device_text import launch
from programs import ROOT
from test_sort_text import pytestmark  # noqa: F401

ndimage = pytest.importorskip("scipy.ndimage")

SPLINE = re.sub("#include.*", "", Path(ROOT, "src", "ops", "spline.h").read_text(encoding="utf-8"))
HEAD = f"""
#define TN_FN static inline
#define TN_LOCAL(name, S) m_##name##_##S
{SPLINE}
"""
BORDERS = ["nearest", "wrap", "reflect", "mirror", "constant", "grid-wrap", "grid-constant"]
FOLDS = {"reflect": 1, "nearest": 1, "grid-wrap": 2}
POLES = {2: [8**0.5 - 3], 3: [3**0.5 - 2], 5: [-0.43057534709997379, -0.043096288203264654]}
PAD = 12


def filtered(image, axis, order, border, beside, pad=0, cval=0.0):
    """The kernel along one axis, in pieces of at most 20 numbers."""
    outer, length = int(np.prod(image.shape[:axis])), image.shape[axis]
    inner = image.size // (outer * length)
    padded, poles = length + 2 * pad, POLES[order]
    pieces = -(-padded // 20)
    piece = -(-padded // pieces)
    pieces = -(-padded // piece)
    halo, block = 48, 8
    groups = -(-inner // block)
    tiles = outer * pieces * groups if beside else -(-outer * inner * pieces // block)
    output = tn.full((*image.shape[:axis], padded, *image.shape[axis + 1 :]), 77.0)
    launch(
        "image_spline",
        {"BLOCK": block, "ROWS": 128, "POLES": len(poles), "BESIDE": int(beside)},
        3,
        block,
        "typedef double Real;",
        input=tn.array(image),
        output=output,
        outer=outer,
        length=length,
        inner=inner,
        pad=pad,
        fold=FOLDS.get(border, 0),
        is_constant=border == "grid-constant",
        parts=1,
        pieces=pieces,
        piece=piece,
        halo=halo,
        tiles=tiles,
        groups=groups,
        outside=[cval, 0.0],
        poles=[*poles, 0.0][:2],
    )
    return output.get()


@pytest.mark.parametrize("border", ["mirror", "reflect", "grid-wrap"])
@pytest.mark.parametrize("order", [2, 5])
def test_filter(order, border):
    rng = np.random.default_rng(order)
    for shape in ((3, 45, 11), (2, 7, 3)):
        image = rng.standard_normal(shape)
        for axis in range(3):
            found = filtered(image, axis, order, border, axis < 2)
            if border == "reflect":  # there and back is a period; SciPy before 1.18 errs
                there = [image, np.flip(image, axis)] * 9
                expected = ndimage.spline_filter1d(np.concatenate(there, axis), order, axis, mode="grid-wrap")
                expected = expected.take(range(image.shape[axis]), axis)
            else:
                expected = ndimage.spline_filter1d(image, order, axis, mode=border)
            np.testing.assert_allclose(found, expected, atol=1e-12 * abs(expected).max())


def body(order, stored="double", bits=0):
    del order, bits
    return f"""{HEAD}
typedef double Real; typedef {stored} Stored;
#define image_weights m_spline_weights_f64
static inline Stored image_cast(double x) {{ return (Stored)x; }}
"""


def coefficients(image, order, border, cval):
    if order < 2:
        return image, 0
    pad = PAD if border in ("nearest", "grid-constant") else 0
    for axis in range(image.ndim):
        image = filtered(image, axis, order, border, axis == 0, pad, cval)
    return image, pad


def mapped(image, order, border, shape, cval=-2.5, **places):
    """The values of an image by one of the two kernels."""
    values, pad = coefficients(image, order, border, cval)
    mapped = image.ndim
    steps = [value // 8 for value in values.strides]
    result, zooms = tn.full(shape, 77.0), "zoom" in places
    kind = 3 if zooms else 2 if "matrix" in places else 0
    common = dict(
        input=tn.array(values),
        result=result,
        border=BORDERS.index(border),
        after=places.get("after", 0.0),
        pad=float(pad),
        sizes=list(values.shape),
        steps=steps,
        of=list(range(mapped)),
        offset=places.get("offset", [0.0] * mapped),
        zoom=places.get("zoom", [0.0] * mapped),
        outside=[cval, 0.0],
    )
    macros = {"BLOCK": 8, "WIDE_INDEX": order % 2, "MAPPED": mapped, "ORDER": order, "BITS": 0, "IS_SIGNED": 0}
    if zooms and places.get("by_rows"):
        launch(
            "image_zoom",
            {**macros, "NDIM": len(shape)},
            3,
            8,
            body(order),
            **common,
            rows=result.size // shape[-1],
            width=shape[-1],
            walk=[0] * len(shape),
            shape=list(shape),
            groups=-(-shape[-1] // 8),
        )
        return result.get()
    axes = list(shape) if kind else [result.size]
    launch(
        "image_map",
        {**macros, "NDIM": len(axes), "PLACES": kind},
        3,
        8,
        body(order),
        **common,
        coordinates=places.get("coordinates"),
        count=result.size,
        inner=1,
        parts=1,
        walk=[0] * len(axes),
        matrix=places.get("matrix", [0.0] * mapped * len(axes)),
        shape=axes,
    )
    return result.get()


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("order", [0, 1, 3])
def test_values(order, border):
    least = 1e-3 if border == "reflect" and order > 1 else 1e-11  # SciPy before 1.18 errs so
    rng = np.random.default_rng(order)
    image, options = rng.standard_normal((6, 9)), {"order": order, "mode": border, "cval": -2.5}
    places = rng.uniform(-9, 15, (2, 30))
    expected = ndimage.map_coordinates(image, places, **options)
    found = mapped(image, order, border, (30,), coordinates=tn.array(places))
    np.testing.assert_allclose(found, expected, atol=least)
    matrix, offset = np.array([[0.81, -0.7318], [0.6123, 0.912]]), [1.51, -2.03]
    expected = ndimage.affine_transform(image, matrix, offset, (7, 10), **options)
    found = mapped(image, order, border, (7, 10), matrix=list(matrix.ravel()), offset=offset)
    np.testing.assert_allclose(found, expected, atol=least)
    expected = ndimage.shift(image, (1.27, -3.6), **options)
    for by_rows in (False, True):
        found = mapped(image, order, border, (6, 9), zoom=[1.0, 1.0], offset=[-1.27, 3.6], by_rows=by_rows)
        np.testing.assert_allclose(found, expected, atol=least)


def test_values_of_one_and_three_axes():
    rng = np.random.default_rng(1)
    for shape in ((30,), (4, 5, 6)):
        image = rng.standard_normal(shape)
        expected = ndimage.shift(image, 0.7, mode="mirror")
        options = {"zoom": [1.0] * len(shape), "offset": [-0.7] * len(shape)}
        for by_rows in (False, True):
            found = mapped(image, 3, "mirror", shape, by_rows=by_rows, **options)
            np.testing.assert_allclose(found, expected, atol=1e-11)


@pytest.mark.parametrize("name", ["gaussian", "uniform", "ellipsoid", "shift"])
def test_fourier(name):
    number, rng = ["gaussian", "uniform", "ellipsoid", "shift"].index(name), np.random.default_rng(2)
    for shape in ((9,), (4, 7), (3, 4, 6)):
        image = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        sizes, n = [1.5, 2.5, 3.0][: len(shape)], 2 * shape[-1] - 1
        for given in (-1, n):
            output = tn.zeros(shape, complex)
            launch(
                "image_fourier",
                {"BLOCK": 32, "WIDE_INDEX": 0, "NDIM": len(shape), "PARTS": 2, "FILTER": number},
                2,
                32,
                "typedef double Real;",
                input=tn.array(image),
                output=output,
                count=image.size,
                is_half=[0] * (len(shape) - 1) + [int(given >= 0)],
                n=[*map(float, shape[:-1]), float(n if given >= 0 else shape[-1])],
                sizes=sizes,
                shape=list(shape),
            )
            expected = getattr(ndimage, "fourier_" + name)(image, sizes, given)
            np.testing.assert_allclose(output.get(), expected, atol=1e-13)
