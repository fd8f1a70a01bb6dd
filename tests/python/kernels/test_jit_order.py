"""Translated functions compute in Python's order, each thing as often and only if Python does: the
same functions run in Python are the oracle. A log says what is computed."""

import os
import shutil

import numpy
import pytest
import tenorite
from tenorite import jit

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def note(log, value):
    """The value, which is written to the log."""
    log[0] += 1
    log[log[0]] = value
    return value


def put(x, i, value):
    x[i] = value
    return value


def row_of(x, log, i):
    note(log, 50 + i)
    return x[i]


def rows_in_conditions(a, b, x, out, log):
    i = 0
    while a[i][0] > 0:
        i += 1
        if i == 2:
            continue
        out[0] += i
    n = 3
    j = 0
    while j < n and a[b[j]][0] > 0:
        j += 1
    out[1] = j
    if j > 90 and a[b[j + 1000]][0] > 0:
        out[2] = 1
    elif a[b[0]][1] > 0 or a[b[j + 1000]][0] > 0:
        out[2] = 2
    row = a[i]
    i = 0
    out[3] = row[0] * 100 + row[1]
    out[4] = a[1][0] if j < 90 else a[b[j + 1000]][0]
    while row_of(a, log, i)[0] > 0:
        i += 1
        if i == 2:
            continue
        out[5] += i


def lazy(a, b, x, out, log):
    for k in range(4):
        if note(log, k) > 1 and note(log, 10 + k) < 13 or note(log, 20 + k) == 20 and note(log, 30) > 0:
            out[k] = 1
        if not (note(log, k) > 2 or row_of(a, log, k)[0] > 0 and row_of(a, log, 0)[0] == x[k]):
            out[4 + k] = note(log, 5) if row_of(a, log, k)[1] > 0 else row_of(a, log, 1)[0]
        out[8 + k] = row_of(a, log, 0)[0] if k % 2 else row_of(a, log, 1)[1]


def chained(a, b, x, out, log):
    for k in range(4):
        if 0 < note(log, k) < note(log, 3) <= note(log, 4):
            out[k] = 1
        if k < row_of(a, log, k)[0] < row_of(a, log, 1)[0] * 3 != x[note(log, 2)]:
            out[4 + k] = 1
        if 1 <= x[k] <= put(x, k, x[k] + 1):
            out[8 + k] = x[k]


def operands(a, b, x, out, log):
    out[0] = x[0] + put(x, 0, 7) * 10 + x[0] * 1000
    out[1] = put(x, 1, 5) - x[1] + put(x, 1, 6)
    out[2] = max(note(log, 3), note(log, 4), note(log, 2))
    out[3] = a[note(log, 1)][note(log, 0)] + a[note(log, 0), note(log, 1)]
    i, j = note(log, 8), note(log, 9)
    i, j = j, i
    out[4] = 10 * i + j
    x[0], x[1] = x[1], x[0]
    out[5] = put(x, note(log, 2), note(log, 4)) + put(x, note(log, 3), note(log, 5))
    out[6] = (x[0] - x[1]) * 2 ** note(log, 3)
    for k in range(note(log, 1), note(log, 6), note(log, 2)):
        out[7] += k
    out[8] = -note(log, 4) + (note(log, 1) == note(log, 1))
    assert note(log, 1) == 1 and row_of(a, log, 0)[0] > 0


def places(a, b, x, out, log):
    x[note(log, 1)] += note(log, 10)
    a[note(log, 0)][note(log, 1)] += 5
    a[note(log, 1), note(log, 0)] -= row_of(a, log, 0)[0]
    x[0] += put(x, 0, 100)
    x[b[note(log, 2)]] *= 3
    row_of(a, log, 2)[1] += note(log, 3)
    out[note(log, 3)] = out[note(log, 4)] = note(log, 77)
    x[put(b, 3, 2)] = x[b[3]] + put(b, 3, 1)
    total = 0
    total += put(x, 1, 4) + x[1]
    out[5] = total


FUNCTIONS = (rows_in_conditions, lazy, chained, operands, places)


def arguments():
    a = numpy.array([[5, 2], [3, -4], [7, 1], [-1, 9], [0, 3]])
    return a, numpy.array([0, 2, 1, 4]), numpy.array([1, 2, 3, 4, 5]), numpy.zeros(12, int), numpy.zeros(200, int)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("layout", ["contiguous", "strided"])
def test_as_python(function, layout):
    expected = arguments()
    function(*expected)
    assert expected[-1].any() and expected[-2].any()
    given = [tenorite.asarray(one) for one in arguments()]
    if layout == "strided":
        given = [tenorite.stack([one, one], axis=-1)[..., 1] for one in given]
    jit.rawkernel()(function)[1, 1](*given)
    for one, two in zip(given, expected):
        numpy.testing.assert_array_equal(one.get(), two)


def test_in_vectorize():
    def first_nonpositive(k, rows, log):
        i = 0
        while rows[k + i][0] > 0 and (i < 2 or note(log, k) < 0):
            i += 1
        return i if 0 <= i < rows[k + i][1] else -i

    made = tenorite.vectorize(first_nonpositive, excluded={1, 2})
    rows, _, _, _, log = map(tenorite.asarray, arguments())
    ours = made(tenorite.arange(3), rows, log).get()
    host, _, _, _, log = arguments()
    assert ours.tolist() == [first_nonpositive(k, host, log) for k in range(3)]
