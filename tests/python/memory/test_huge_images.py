"""Stencils over more than 2**31 elements: of a line and of a plane, in each way that they run."""

import os

import numpy as np
import pytest
from tenorite.scipy import ndimage
from test_huge import MATRICES, ON_GPU, SIZES, alone, check_flat, check_matrix, pattern, value  # noqa: F401

WHOLE = os.environ.get("TENORITE_WHOLE") == "1"

pytestmark = [pytest.mark.huge, pytest.mark.skipif(not (ON_GPU or WHOLE), reason="on the host with TENORITE_WHOLE=1")]


def at(i, k):
    return value(i + k).astype(int)


# The call, and what it makes of elements 0, 1 and 2 before, at and after a place.
LINES = {
    "correlate1d": (lambda a: ndimage.correlate1d(a, [0, 0, 1]), lambda i: at(i, 2)),
    "correlate": (lambda a: ndimage.correlate(a, np.array([1, 0, 0])), lambda i: at(i, 0)),
    "uniform_filter1d": (lambda a: ndimage.uniform_filter1d(a, 3), lambda i: (at(i, 0) + at(i, 1) + at(i, 2)) // 3),
    "maximum_filter1d": (lambda a: ndimage.maximum_filter1d(a, 3), lambda i: np.max([at(i, k) for k in range(3)], 0)),
    "grey_erosion": (lambda a: ndimage.grey_erosion(a, 3), lambda i: np.min([at(i, k) for k in range(3)], 0)),
    "median_filter": (lambda a: ndimage.median_filter(a, 3), lambda i: np.median([at(i, k) for k in range(3)], 0)),
    "binary_erosion": (
        lambda a: ndimage.binary_erosion(a).view("u1"),
        lambda i: np.min([at(i, k) for k in range(3)], 0) > 0,
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_lines(name):
    call, function = LINES[name]
    found = call(pattern(SIZES[31], "u1"))
    check_flat(found[1:-1], function)


@pytest.mark.parametrize("name", ["correlate", "maximum_filter"])
def test_planes(name):
    rows, columns = MATRICES[31]
    image = pattern(rows * columns, "u1").reshape(rows, columns)
    corner = np.zeros((3, 3), int)
    corner[2, 2] = 1  # the element a row below and a column to the right
    found = ndimage.correlate(image, corner) if name == "correlate" else ndimage.maximum_filter(image, footprint=corner)
    check_matrix(found[:-1, :-1], lambda i, j: value((i + 1) * columns + j + 1))
