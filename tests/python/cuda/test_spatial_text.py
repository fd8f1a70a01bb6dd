"""The device text of distances, trees and triangles, run on the host as a RawKernel's, against the
host's loops: no GPU is needed."""

import re
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from device_text import launch
from programs import ROOT
from tenorite import _core
from tenorite.scipy.interpolate import CloughTocher2DInterpolator, LinearNDInterpolator
from tenorite.scipy.spatial import Delaunay, KDTree
from test_sort_text import pytestmark  # noqa: F401

OPS = Path(ROOT, "src", "ops")
TYPES = """
#define TN_FN template <int = 0> inline
#define TN_INFINITY __builtin_inff()
"""


def ops(*names):
    """Headers of src/ops as a program includes them."""
    texts = (re.sub(r'#include ".*"\n', "", (OPS / name).read_text(encoding="utf-8")) for name in names)
    return TYPES + "\n".join(texts)


# Metrics by the numbers of tenorite/spatial.h, with what is summed and what becomes of it.
SQUARE, ABSOLUTE, LARGEST, POWER, DOT, FLAGS, CANBERRA, TWO, MATCH, ENTROPY, JENSEN = range(11)
SUM, ROOT_OF, ABOVE, POWER_OF, COSINE, QUOTIENT, MEAN, JACCARD, DICE, DICE_MATCH, ROGERS, RUSSELL, SOKAL, YULE = range(
    14
)
METRICS = {
    0: (SQUARE, ROOT_OF, 1.0),
    3: (LARGEST, SUM, 1.0),
    4: (POWER, POWER_OF, 1.0),
    5: (DOT, COSINE, 1.0),
    6: (CANBERRA, SUM, 1.0),
    7: (TWO, QUOTIENT, 1.0),
    8: (MATCH, MEAN, 1.0),
    11: (JENSEN, ABOVE, 0.5),
    12: (ENTROPY, SUM, 1.0),
    14: (FLAGS, JACCARD, 1.0),
    19: (FLAGS, YULE, 1.0),
}


@pytest.mark.parametrize("number", [0, 3, 4, 5, 6, 7, 8, 11, 12, 14, 19])
def test_distances(number):
    pairs, weighted = number % 2, number // 2 % 2
    random, dtype = np.random.default_rng(number), "df"[number % 2]
    count_a, count_b, columns = (70, 131, 300) if number in (0, 5) else (13, 9, 37)
    a, b = (tn.asarray(random.random((n, columns)).astype(dtype)) for n in (count_a, count_b))
    if number >= 14 or number == 8:
        a, b = (a > 0.5).astype(dtype), (b > 0.5).astype(dtype)
    weights = tn.asarray(random.random(columns).astype(dtype)) if weighted else None
    if pairs:
        b, count_b = None, count_a
    total, end, scale = METRICS[number]
    wanted = _core._distances(a, b, number, 3.0, weights, None)
    found = tn.full(wanted.shape, 7, dtype)
    macros = {"BLOCK": 256, "SUM": total, "END": end, "WEIGHTED": weighted, "NORM": {5: 1, 14: 3, 19: 3}.get(number, 0)}
    launch(
        "distances",
        {**macros, "PAIRS": pairs, "STRETCH": 256},
        3,
        256,
        ops("types.h", "metrics.h").replace("#include", "//") + f"\ntypedef {'double' if dtype == 'd' else 'float'} T;",
        a=a,
        b=b,
        weights=weights,
        output=found,
        count_a=count_a,
        count_b=count_b,
        columns=columns,
        tiles_b=-(-count_b // 64),
        p=3.0,
        scale=scale,
        total=1.0 if weighted else float(columns),
        inverse=1 / 3.0,
    )
    np.testing.assert_allclose(found.get(), wanted.get(), rtol=1e-12 if dtype == "d" else 1e-5)


def test_quadratic():
    pairs, random = 1, np.random.default_rng(3)
    a, b, matrix = (tn.asarray(random.random(shape)) for shape in ((20, 6), (15, 6), (6, 6)))
    wanted = _core._distances(a, None if pairs else b, 9, 2.0, matrix, None)
    found = tn.zeros(wanted.shape)
    launch(
        "distances_quadratic",
        {"BLOCK": 64, "END": ROOT_OF, "PAIRS": pairs},
        2,
        64,
        ops("metrics.h") + "\ntypedef double T;",
        a=a,
        b=None if pairs else b,
        matrix=matrix,
        output=found,
        count_a=20,
        count_b=20 if pairs else 15,
        columns=6,
        scale=1.0,
    )
    np.testing.assert_allclose(found.get(), wanted.get(), rtol=1e-13)


@pytest.mark.parametrize("axes", [1, 3])
def test_hilbert(axes):
    bits = min(63 // axes, 10)
    places = tn.asarray(np.random.default_rng(axes).integers(0, 1 << bits, (500, axes)).astype("u4"))
    found = tn.zeros(500, "i8")
    launch(
        "hilbert", {"BLOCK": 64, "AXES": axes}, 3, 64, ops("tree.h"), places=places, keys=found, count=500, bits=bits
    )
    assert (found == _core._hilbert(places, bits)).all()


def test_hilbert_is_a_walk():
    """Places that follow each other along the curve are neighbours."""
    side = np.arange(16)
    for axes in (2, 3):
        every = np.stack(np.meshgrid(*[side] * axes), axis=-1).reshape(-1, axes).astype("u4")
        keys = _core._hilbert(tn.asarray(every), 4).get()
        assert sorted(keys) == list(range(16**axes))
        walk = every[np.argsort(keys)].astype(int)
        assert (abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


@pytest.mark.parametrize("shape", [(3, 2), (1000, 3), (9000, 2), (500, 6)])
def test_boxes(shape):
    tree = KDTree(np.random.default_rng(5).random(shape))
    points, boxes, _, _, levels = tree._tree
    found = tn.full(boxes.shape, 7.0)
    bottom = levels
    while True:  # as tree_boxes.c cuts the levels
        top = max(bottom - 4, 0)
        params = {"count": shape[0], "axes": shape[1], "levels": levels, "top": top, "bottom": bottom}
        launch("tree_boxes", {"BLOCK": 64}, 3, 64, points=points, boxes=found, **params)
        bottom = top - 1
        if top == 0:
            break
    assert (found == boxes).all()


def tree_of(axes, box):
    random = np.random.default_rng(axes)
    tree = KDTree(random.random((700, axes)), boxsize=box)
    return tree, tn.asarray(random.random((150, axes)))


def view(tree):
    points, boxes, order, periods, levels = tree._tree
    count, axes = points.shape
    arrays = {"points": points, "boxes": boxes, "order": order, "periods": periods}
    return {**arrays, "count": count, "axes": axes, "levels": levels}


@pytest.mark.parametrize(
    ("k", "nearest", "norm", "box"),
    [(1, 1, 2, None), (3, 4, 0, 1.0), (8, 8, 2, 1.0), (16, 16, 1, None), (40, 0, 3, None), (40, 0, 2, 1.0)],
)
def test_query(k, nearest, norm, box):
    p = (3.0, 1.0, 2.0, np.inf)[norm]
    for axes in (2, 5) if k == 3 else (3,):
        tree, x = tree_of(axes, box)
        wanted = tree.query(x, k, p=p)
        found = tn.zeros((150, k)), tn.zeros((150, k), "i8")
        macros = {"AXES": axes if axes < 5 else 0, "NORM": norm, "PERIODIC": int(box is not None), "NEAREST": nearest}
        launch(
            "tree_query",
            {"BLOCK": 64, **macros},
            2,
            64,
            ops("tree.h"),
            **view(tree),
            x=x,
            turns=tn.arange(150)[::-1].copy(),
            distances=found[0],
            numbers=found[1],
            rows=150,
            k=k,
            p=p,
            limit=np.inf,
            stretch=1.0,
        )
        assert (found[1].reshape(wanted[1].shape) == wanted[1]).all()
        np.testing.assert_allclose(found[0].reshape(wanted[0].shape).get(), wanted[0].get(), rtol=1e-14)


@pytest.mark.parametrize(("norm", "box"), [(2, None), (0, 1.0), (3, 1.0)])
def test_ball(norm, box):
    p = (3.0, 1.0, 2.0, np.inf)[norm]
    tree, x = tree_of(3, box)
    counts, numbers, distances = tree._collect(x, tn.full(150, 0.3), p, has_distances=True)
    starts = tn.cumsum(counts) - counts
    found = tn.zeros(150, "i8"), tn.zeros(numbers.size, "i8"), tn.zeros(numbers.size)
    nothing = dict.fromkeys(("turns", "only_after", "weights", "starts", "counts", "numbers", "sums", "distances"))
    common = {**view(tree), "x": x, "radii": tn.full(150, 0.3), "rows": 150, "total": numbers.size, "p": p}
    macros = {"BLOCK": 64, "AXES": 3, "NORM": norm, "PERIODIC": int(box is not None)}
    sums, weights = tn.zeros(150), tn.ones(700)
    for given in (
        {"counts": found[0]},
        {"sums": sums, "weights": weights},
        {"numbers": found[1], "distances": found[2], "starts": starts},
    ):
        launch("tree_ball", macros, 2, 64, ops("tree.h"), **{**nothing, **common, **given})
    assert (found[0] == counts).all() and (sums == counts).all() and (found[1] == numbers).all()
    np.testing.assert_allclose(found[2].get(), distances.get(), rtol=1e-14)


def test_locate():
    random = np.random.default_rng(8)
    made = Delaunay(random.random((400, 2)))
    x = tn.asarray(random.random((300, 2)) * 1.2 - 0.1)
    for starts in (None, tn.asarray(random.integers(-5, 2000, 300).astype("i4"))):
        for has_last in (0, 1):
            found = tn.zeros(300, "i4")
            launch(
                "locate",
                {"BLOCK": 64},
                2,
                64,
                ops("triangles.h"),
                points=made.points,
                x=x,
                corners=made.simplices,
                neighbors=made.neighbors,
                starts=starts,
                found=found,
                count=made.nsimplex,
                point_count=400,
                rows=300,
                has_last=has_last,
                eps=1e-12,
            )
            inside = made.find_simplex(x)
            assert (tn.where(found < 0, -1, found) == inside).all() and bool((found[inside < 0] < -1).all()) == has_last


def test_triangle_values():
    random = np.random.default_rng(9)
    points, values = random.random((200, 2)), tn.asarray(random.random((200, 2)))
    made = CloughTocher2DInterpolator(tn.asarray(points), values, fill_value=7.0)
    x = tn.asarray(random.random((150, 2)) * 1.2 - 0.1)
    tri, found = made.tri, tn.zeros((150, 2))
    for slopes, wanted in ((made.grad, made(x)), (None, LinearNDInterpolator(tri, values, fill_value=7.0)(x))):
        launch(
            "triangle_values",
            {"BLOCK": 64},
            2,
            64,
            ops("triangles.h"),
            points=tri.points,
            x=x,
            values=values,
            slopes=slopes,
            corners=tri.simplices,
            neighbors=tri.neighbors,
            found=tri.find_simplex(x),
            output=found,
            count=tri.nsimplex,
            point_count=200,
            rows=150,
            columns=2,
            fill=7.0,
            odd_fill=7.0,
        )
        np.testing.assert_allclose(found.get(), wanted.get(), rtol=1e-12)
