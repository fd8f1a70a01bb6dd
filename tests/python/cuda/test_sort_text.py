"""The device text of sorting, run on the host as a RawKernel's: no GPU is needed."""

import itertools
import os
import shutil

import numpy as np
import pytest
import tenorite as tn
from device_text import launch

BLOCK, COUNT = 256, 3
has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
pytestmark = [
    pytest.mark.host_only("it is about the text on the host"),
    pytest.mark.skipif(not has_compiler, reason="no C++ compiler is installed"),
]


def key(dtype, descending=0):
    part = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    return {
        "ELEMENT_BYTES": dtype.itemsize,
        "KIND": {"b": 0, "u": 0, "i": 1, "f": 2, "c": 3}[dtype.kind],
        "MANTISSA": {2: 10, 4: 23, 8: 52}.get(part, 0),
        "DESCENDING": descending,
        "TIES": int(dtype.kind in "fc"),
        "KEPT_NDIM": 1,
        "WIDE_INDEX": 0,
    }


def values(dtype, shape, kind):
    random, count = np.random.default_rng(7), int(np.prod(shape))
    if kind == "bits" and dtype.kind != "b":
        return np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape)
    if kind == "few" and dtype.kind in "fc":
        some = np.array([np.nan, -np.nan, 0.0, -0.0, 1, -np.inf, np.inf], dtype)
        if dtype.kind == "c":
            some = (some.real[:, None] + np.zeros(7, dtype)).ravel()
            some.imag = np.tile(some.real[::7], 7)
        return random.choice(some, shape)
    return random.integers(0, 2 if kind == "few" else 100, shape).astype(dtype)


def expected(host, positions, descending):
    if descending:
        order = host.shape[-1] - 1 - np.argsort(host[:, ::-1], kind="stable")[:, ::-1]
    else:
        order = np.argsort(host, kind="stable")
    return order if positions else np.take_along_axis(host, order, -1)


def check(result, host, positions, descending):
    """Bit by bit: NaNs keep theirs, zeros their signs."""
    wanted = np.ascontiguousarray(expected(host, positions, descending))
    assert result.get().tobytes() == wanted.tobytes(), (host.dtype, host.shape, positions, descending)


def rows_of(host, *arrays):
    """The shape of the rows, of arrays like `host`."""
    rows, length = host.shape
    return [rows], *([length * array.itemsize] for array in arrays)


def sort_short(host, positions, descending):
    rows, length = host.shape
    result = tn.zeros(host.shape, "i8" if positions else host.dtype)
    macros = {**key(host.dtype, descending), "BLOCK": 128, "TEAM": 64, "POSITIONS": positions}
    launch(
        "sort_short",
        macros,
        2,
        128,
        input=tn.array(host),
        output=result,
        rows=rows,
        length=length,
        input_step=host.itemsize,
        output_step=result.itemsize,
        kept=rows_of(host, host, result),
    )
    check(result, host, positions, descending)


def sort_rows(host, positions, descending):
    rows, length = host.shape
    result = tn.zeros(host.shape, "i8" if positions else host.dtype)
    macros = {**key(host.dtype, descending), "BLOCK": 64, "COUNT": 8, "POSITIONS": positions}
    launch(
        "sort_rows",
        macros,
        2,
        64,
        input=tn.array(host),
        output=result,
        rows=rows,
        length=length,
        input_step=host.itemsize,
        output_step=result.itemsize,
        kept=rows_of(host, host, result),
    )
    check(result, host, positions, descending)


def sort_long(host, positions, descending, in_place=False):
    rows, length = host.shape
    digits, tiles, portions = host.itemsize, -(-length // (BLOCK * COUNT)), 3
    source = tn.array(host)
    result = source if in_place else tn.zeros(host.shape, "i8" if positions else host.dtype)
    totals, roles = tn.zeros((rows, digits, 256), "u4"), tn.zeros((rows, digits), "u4")
    common = {**key(host.dtype, descending), "BLOCK": BLOCK, "WIDE": 0}
    launch(
        "sort_count",
        common,
        rows * portions,
        BLOCK,
        input=source,
        length=length,
        input_step=host.itemsize,
        portions=portions,
        totals=totals,
        done=tn.zeros(rows, "u4"),
        roles=roles,
        is_in_place=int(in_place),
        is_room=1 - positions,
        kept=rows_of(host, host),
    )
    if digits == 1 and not positions:
        launch(
            "sort_fill",
            common,
            rows * portions,
            BLOCK,
            output=result,
            length=length,
            output_step=1,
            portions=portions,
            totals=totals,
            kept=rows_of(host, result),
        )
    else:
        rooms = tn.zeros((2, *host.shape), host.dtype)
        places = tn.zeros((2, *host.shape), "u4")
        macros = {**common, "COUNT": COUNT, "POSITION_BYTES": 4 * positions}
        for digit in range(digits):
            launch(
                "sort_digits",
                macros,
                rows * tiles,
                BLOCK,
                input=source,
                output=result,
                length=length,
                input_step=host.itemsize,
                output_step=result.itemsize,
                tiles=tiles,
                digit=digit,
                totals=totals,
                roles=roles,
                words=tn.zeros((rows, tiles, 256), "u4"),
                rooms=rooms,
                place_rooms=places,
                kept=rows_of(host, host, result),
            )
    check(result, host, positions, descending)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "int64", "complex64", "complex128"])
@pytest.mark.parametrize("positions", [0, 1])
def test_text_sorts(dtype, positions):
    dtype = np.dtype(dtype)
    descending = int(dtype.itemsize > 2)
    with np.errstate(all="ignore"):
        for kind in ("bits", "few", "equal"):
            sort_short(values(dtype, (5, 50), kind), positions, descending)
            sort_rows(values(dtype, (3, 333), kind), positions, descending)
            sort_long(values(dtype, (2, 3000), kind), positions, descending)
            if not positions:
                sort_long(values(dtype, (2, 3000), kind), positions, descending, in_place=True)


def select(host, positions, descending, ranks, ordered):
    """Ranks of long rows; `ordered`: a range that is sorted by itself after the parting."""
    rows, length = host.shape
    tiles, portions, size = -(-length // (BLOCK * COUNT)), 3, host.itemsize
    source, result = tn.array(host), tn.zeros(host.shape, "i8" if positions else host.dtype)
    pivots = tn.zeros((rows, len(ranks), 32 if size == 8 else 16), "u1")
    firsts, elements = tn.zeros((rows, 256), "u4"), tn.zeros(host.shape, host.dtype)
    common = {**key(host.dtype, descending), "BLOCK": BLOCK, "WIDE": 0, "PIVOTS": len(ranks)}
    for digit in reversed(range(size)):
        launch(
            "sort_select",
            common,
            rows * portions,
            BLOCK,
            input=source,
            length=length,
            input_step=size,
            portions=portions,
            digit=digit,
            pivots=pivots,
            counts=tn.zeros((rows, len(ranks), 256), "u4"),
            done=tn.zeros(rows, "u4"),
            firsts=firsts,
            ranks=ranks,
            kept=rows_of(host, host),
        )
    macros = {**common, "COUNT": COUNT, "POSITION_BYTES": 4 * positions}
    launch(
        "sort_parts",
        macros,
        rows * tiles,
        BLOCK,
        input=source,
        output=result,
        length=length,
        input_step=size,
        output_step=result.itemsize,
        tiles=tiles,
        firsts=firsts,
        words=tn.zeros((rows, tiles, 256), "u4"),
        elements=elements,
        pivots=pivots,
        kept=rows_of(host, host, result),
    )
    wanted, made = expected(host, positions, descending), result.get()
    if ordered and positions:
        begin, end = ordered
        order = np.ascontiguousarray(expected(elements.get()[:, begin:end], 1, descending))
        macros = {**key(host.dtype, descending), "BLOCK": 64, "COUNT": 8}
        launch(
            "sort_follow",
            macros,
            2,
            64,
            output=result[:, begin:],
            order=tn.array(order),
            rows=rows,
            count=end - begin,
            output_step=8,
            kept=rows_of(host, result),
        )
        made = result.get()
        np.testing.assert_array_equal(made[:, begin:end], wanted[:, begin:end])
    values_of = lambda order: np.take_along_axis(host, order, -1) if positions else order
    bounds = [0, *(bound for rank in ranks for bound in (rank, rank + 1)), length]
    for begin, end in itertools.pairwise(bounds):
        parts = [np.sort(np.ascontiguousarray(values_of(one)[:, begin:end])) for one in (made, wanted)]
        np.testing.assert_array_equal(*parts)
    if positions:
        assert (np.sort(made) == np.arange(length)).all()


@pytest.mark.parametrize("dtype", ["int32", "float32", "uint64", "float64"])
@pytest.mark.parametrize("positions", [0, 1])
def test_text_selects(dtype, positions):
    dtype = np.dtype(dtype)
    with np.errstate(all="ignore"):
        for kind in ("bits", "few", "equal"):
            host = values(dtype, (2, 3000), kind)
            select(host, positions, 0, [1499], None)
            select(host, positions, 1, [0, 7, 2000, 2001, 2999], None)
            select(host, positions, 1, [99], (0, 100))


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex128"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_text_searches(dtype, side):
    dtype = np.dtype(dtype)
    macros = {**key(dtype), "BLOCK": 128, "NDIM": 1, "RIGHT": int(side == "right")}
    macros.pop("KEPT_NDIM")
    with np.errstate(all="ignore"):
        for kind in ("bits", "few"):
            sorted_, wanted = np.sort(values(dtype, 1000, kind)), values(dtype, 300, kind)
            result = tn.zeros(300, "i8")
            launch(
                "searchsorted",
                macros,
                2,
                128,
                sorted=tn.array(sorted_),
                values=tn.array(wanted),
                output=result,
                length=1000,
                sorted_step=dtype.itemsize,
                count=300,
                shape=([300], [dtype.itemsize], [8]),
            )
            np.testing.assert_array_equal(result.get(), np.searchsorted(sorted_, wanted, side))
