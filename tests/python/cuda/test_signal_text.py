"""The device text of recursive filters, resampled lines and windows, run on the host as a
RawKernel's, against the host's loops: no GPU is needed."""

import numpy as np
import pytest
import tenorite as tn
from device_text import launch
from tenorite import _core
from test_sort_text import pytestmark  # noqa: F401

COMPLEX = """
struct tn_c64 { float re, im; };
struct tn_c128 { double re, im; };
__device__ inline tn_c128 m_divide(tn_c128 a, tn_c128 b) {
    double square = b.re * b.re + b.im * b.im;
    tn_c128 to;
    to.re = (a.re * b.re + a.im * b.im) / square;
    to.im = (a.im * b.re - a.re * b.im) / square;
    return to;
}
"""
TYPES = {"f": ("float", "double"), "d": ("double",) * 2, "F": ("tn_c64", "tn_c128"), "D": ("tn_c128",) * 2}
RANDOM = np.random.default_rng(3)


def body_of(dtype):
    value, wide = TYPES[dtype]
    return (COMPLEX if dtype in "FD" else "") + f"typedef {value} Value;\ntypedef {wide} Wide;\n"


def filters(sections, order, dtype):
    """Poles inside the unit circle."""
    made = np.zeros((sections, 2, order + 1), "D" if dtype in "FD" else "d")
    for rows in made:
        poles = 0.97 * np.exp(2j * np.pi * RANDOM.random(order // 2))
        poles = np.concatenate((poles, poles.conj(), [0.9] * (order % 2)))
        rows[0], rows[1] = RANDOM.standard_normal(order + 1), np.poly(poles).real
        rows[1] *= 2
        if dtype in "FD":
            rows[1, 1:] *= np.exp(0.05j * np.arange(1, order + 1))
    return made


def sample(shape, dtype):
    values = RANDOM.standard_normal(shape)
    return (values + 1j * RANDOM.standard_normal(shape) if dtype in "FD" else values).astype(dtype)


CASES = [
    ("f", 1, 4, 32, (1, 9000, 1), 0),
    ("d", 3, 2, 32, (1, 9000, 1), 0),
    ("d", 1, 2, 16, (2, 5000, 1), 1),
    ("F", 1, 2, 16, (1, 4500, 2), 0),
    ("D", 2, 2, 4, (1, 1300, 3), 1),
    ("d", 1, 9, 16, (2, 3, 2), 0),
]


@pytest.mark.parametrize(("dtype", "sections", "order", "count", "shape", "is_reversed"), CASES)
def test_recursion(dtype, sections, order, count, shape, is_reversed):
    block, levels = 128, 7
    coefficients, initial = filters(sections, order, dtype), sample((sections, shape[0], order, shape[2]), dtype)
    given = tn.asarray(coefficients), tn.asarray(sample(shape, dtype)), tn.asarray(initial)
    wanted, last = _core._recursion(given[0], given[1], 1, bool(is_reversed), given[2], True)
    outer, length, inner = shape
    tiles, lines, side = -(-length // (block * count)), outer * inner, sections * order * (1 + (dtype in "FD"))
    twofold = int(dtype in "dD")
    number = 2 if twofold else 1
    powers, ends = tn.zeros(2 * levels * side * side * number), tn.zeros(lines * tiles * side * number)
    filter_macros = {"COMPLEX": int(dtype in "FD"), "TWOFOLD": twofold, "SECTIONS": sections, "ORDER": order}
    common = {"outer": outer, "inner": inner}
    arrays = {"input": given[1], "initial": given[2], "coefficients": given[0]}
    body = body_of(dtype)

    def check(found, final):
        for one, other in ((found, wanted), (final, last)):
            scale = float(np.abs(other.get()).max())
            np.testing.assert_allclose(one.get(), other.get(), rtol=0, atol=scale * (1e-12 if twofold else 1e-4))

    first = {"first": count.bit_length() - 1, "levels": 2 * levels}
    launch(
        "recursion_powers", {"BLOCK": 256, **filter_macros}, 1, 256, body, coefficients=given[0], powers=powers, **first
    )
    found, final = tn.zeros(shape, dtype), tn.zeros(initial.shape, dtype)
    for phase in (0, 1):
        jobs = lines * (tiles - 1 + phase)
        if jobs == 0:
            continue
        launch(
            "recursion_tiles",
            {"BLOCK": block, "COUNT": count, **filter_macros, "REVERSED": is_reversed, "PHASE": phase},
            3,
            block,
            body,
            **arrays,
            **common,
            powers=powers,
            output=found,
            final=final,
            ends=ends,
            length=length,
            tiles=tiles,
            jobs=jobs,
        )
        if phase == 0:
            after = powers[levels * side * side * number :]
            macros = {"BLOCK": block, **filter_macros}
            launch(
                "recursion_carry",
                macros,
                2,
                block,
                body,
                powers=after,
                initial=given[2],
                ends=ends,
                tiles=tiles,
                **common,
            )
    check(found, final)
    found, final = tn.zeros(shape, dtype), tn.zeros(initial.shape, dtype)
    macros = {"BLOCK": block, **filter_macros, "REVERSED": is_reversed}
    launch("recursion_lines", macros, 2, block, body, **arrays, **common, output=found, final=final, length=length)
    check(found, final)


@pytest.mark.parametrize("dtype", "dF")
def test_long_recursion(dtype):
    shape, order = (2, 60, 2), 12
    coefficients, initial = filters(1, order, dtype), sample((1, 2, order, 2), dtype)
    given = tn.asarray(coefficients), tn.asarray(sample(shape, dtype)), tn.asarray(initial)
    wanted, last = _core._recursion(given[0], given[1], 1, False, given[2], True)
    found, final = tn.zeros(shape, dtype), tn.zeros(initial.shape, dtype)
    launch(
        "recursion_long",
        {"BLOCK": 8, "COMPLEX": int(dtype == "F"), "TWOFOLD": int(dtype == "d"), "REVERSED": 0},
        2,
        8,
        body_of(dtype),
        coefficients=given[0],
        input=given[1],
        initial=given[2],
        output=found,
        final=final,
        room=tn.zeros(2 * 3 * (order + 1), dtype),
        outer=2,
        length=60,
        inner=2,
        order=order,
    )
    for one, other in ((found, wanted), (final, last)):
        scale = float(np.abs(other.get()).max())
        np.testing.assert_allclose(one.get(), other.get(), rtol=0, atol=scale * (1e-12 if dtype == "d" else 1e-4))


@pytest.mark.parametrize("wide", [0, 1])
def test_upfirdn(wide):
    for (outer, length, inner), taps, up, down in (
        ((1, 90, 1), 7, 1, 1),
        ((2, 40, 3), 20, 3, 2),
        ((3, 30, 1), 33, 2, 5),
    ):
        h, x = tn.asarray(sample(taps, "d")), tn.asarray(sample((outer, length, inner), "d"))
        count = ((length - 1) * up + taps - 1) // down
        wanted = _core._upfirdn(h, x, 1, up, down, 1, count)
        found = tn.zeros(wanted.shape)
        launch(
            "upfirdn",
            {"BLOCK": 64, "WIDE_INDEX": wide},
            2,
            64,
            body_of("d"),
            taps=h,
            input=x,
            output=found,
            outer=outer,
            length=length,
            inner=inner,
            count=count,
            tap_count=taps,
            up=up,
            down=down,
            first=1,
        )
        np.testing.assert_allclose(found.get(), wanted.get(), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("shape", "window", "outputs"), [((50,), (7,), 4), ((20, 33), (3, 5), 2), ((6, 7, 19), (2, 3, 4), 4)]
)
def test_windowed(shape, window, outputs):
    a, w = tn.asarray(sample(shape, "d")), tn.asarray(sample(window, "d"))
    wanted = _core._windowed(a, w, (0,) * a.ndim, (0,) * a.ndim, None)
    found = tn.zeros(wanted.shape)
    body = """
    typedef double Element;
    __device__ inline Element windowed_multiply(Element a, Element b) { return a * b; }
    __device__ inline Element windowed_add(Element a, Element b) { return a + b; }
    """
    launch(
        "windowed",
        {"BLOCK": 64, "NDIM": a.ndim, "OUTPUTS": outputs},
        2,
        64,
        body,
        array=a,
        window=w,
        output=found,
        shape=shape,
        window_shape=window,
        rows=int(np.prod(wanted.shape[:-1])),
        windows=int(np.prod(window[:-1])),
        pieces=-(-wanted.shape[-1] // outputs),
    )
    np.testing.assert_allclose(found.get(), wanted.get(), rtol=0, atol=1e-13)
