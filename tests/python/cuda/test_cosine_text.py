"""The device text of cosine and sine transforms, run on the host as a RawKernel's, against SciPy
with NumPy's Fourier transform between its steps: no GPU is needed.
"""

import numpy as np
import pytest
import tenorite as tn
from device_text import launch
from test_sort_text import pytestmark  # noqa: F401

scipy_fft = pytest.importorskip("scipy.fft")

BODY = "typedef double Real;"
LENGTHS = (1, 2, 3, 4, 5, 8, 9, 14, 15)
LINES = 3


def step(kind, is_sine, after, line, scratch, n, given, count, edge):
    scale = (1, 2, 1, 2)[kind - 1]
    macros = {"BLOCK": 32, "WIDE_INDEX": 1, "NDIM": 1, "TYPE": kind, "SINE": is_sine, "AFTER": after}
    launch(
        "cosine",
        macros,
        2,
        32,
        line=line,
        scratch=scratch,
        step=line.strides[1],
        n=n,
        given=given,
        total=LINES * count,
        apart=scratch.size // LINES,
        scale=scale,
        edge=edge,
        count=count,
        shape=([LINES], [line.strides[0]]),
        body=BODY,
    )


def transformed(x, kind, is_sine, n, is_weighed):
    """What the three steps make of lines that may be shorter than n."""
    is_pairs = kind == 4 and n % 2 == 0
    length = 2 * (n + 1 if is_sine else n - 1) if kind == 1 else n // 2 if is_pairs else n
    counts = {1: (n, n), 2: ((n + 1) // 2, n // 2 + 1), 3: (n // 2 + 1, (n + 1) // 2)}.get(
        kind, (n // 2 if is_pairs else n,) * 2
    )
    extent = length // 2 + 1 if kind == 3 else length
    scratch = tn.full((LINES, extent), 77, "D" if kind == 3 or is_pairs else "d")
    before, after = (is_weighed and (kind == 1 or kind == wanted) for wanted in (3, 2))
    step(kind, is_sine, 0, tn.array(x), scratch, n, x.shape[1], counts[0], 2**0.5 if before else 1)
    lines = scratch.get()
    made = np.fft.irfft(lines, length) * length if kind == 3 else np.fft.fft(lines) if is_pairs else np.fft.rfft(lines)
    between = tn.array(made)
    result = tn.full((LINES, n), 77.0)
    step(kind, is_sine, 1, result, between, n, n, counts[1], 0.5**0.5 if after else 1)
    return result.get()


@pytest.mark.parametrize("is_sine", [0, 1])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_steps_around_a_fourier_transform(kind, is_sine):
    reference = scipy_fft.dst if is_sine else scipy_fft.dct
    for n in LENGTHS:
        if kind == 1 and n == 1 and not is_sine:
            continue
        for given in {n, max(1, n - 2)}:
            x = np.random.default_rng(n).normal(size=(LINES, given))
            found = transformed(x, kind, is_sine, n, False)
            np.testing.assert_allclose(found, reference(x, kind, n), atol=1e-13 * n)
        scale = (2 * (n + (0 if kind != 1 else 1 if is_sine else -1))) ** 0.5
        if not is_sine:
            found = transformed(x, kind, is_sine, n, True) / scale
            np.testing.assert_allclose(found, reference(x, kind, n, norm="ortho"), atol=1e-13 * n)
