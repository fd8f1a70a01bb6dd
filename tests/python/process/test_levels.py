"""Instruction-set levels give the same bits: in every operation, conversion, reduction and scan.

Two things may differ, and are left out: vector mathematics, SLEEF's and ours (loops/maths), whose
functions fuse multiplications and additions where the level can, and matrix products, which do so
too.
"""

import contextlib
import hashlib
import itertools

import pytest
from programs import ROOT, output_of

FOLDS = ("sum", "prod", "mean", "var", "cumsum", "cumprod", "nansum", "argmax")


def digests():
    """(name, dtypes, digest) of results on this process's level."""
    import numpy as np
    import tenorite as tn
    from generator import DTYPES, ordinary, specials, ufunc_names

    def digest(result):
        host = result.get()
        if host.dtype.kind in "fc":  # NaN have many bits
            parts = np.ascontiguousarray(host).view(host.real.dtype)
            host = np.where(parts != parts, np.full_like(parts, np.nan), parts)
        return hashlib.sha256(host.tobytes()).hexdigest()

    def values(dtype, seed):
        return tn.array(np.concatenate([specials(dtype), ordinary(dtype, 1000, seed)])[:1000])

    for name, dtype in itertools.product(ufunc_names(), DTYPES):
        function = getattr(tn, name)
        arrays = [values(dtype, k) for k in range(function.nin)]
        if np.dtype(dtype).kind in "iu" and function.nin == 2:
            arrays[1] = tn.abs(arrays[1]) % 7  # exponents and shifts
        with contextlib.suppress(TypeError):  # no such loop
            result = function(*arrays)
            for k, one in enumerate(result if isinstance(result, tuple) else (result,)):
                yield name, dtype, k, digest(one)
    for dtype, other in itertools.product(DTYPES, DTYPES):
        yield "astype", dtype, other, digest(values(dtype, 0).astype(other))
    for dtype, name in itertools.product(DTYPES, FOLDS):
        matrix = tn.array(ordinary(dtype, 5000, 1).reshape(100, 50))
        for axis in (None, 0, 1):
            yield name, dtype, axis, digest(getattr(tn, name)(matrix, axis))


def run(level):
    program = (
        f"import sys\nsys.path[:0] = {[str(ROOT / 'tests/python'), str(ROOT / 'tests/python/process')]}\n"
        "import warnings\nwarnings.simplefilter('ignore')\n"
        "import test_levels\nfor line in test_levels.digests():\n    print(*line)"
    )
    return output_of(program, {"TENORITE_ISA": level, "TENORITE_SLEEF": "0"}).splitlines()


def test_same_bits(device):
    if device != "host":
        pytest.skip("levels are the host's")
    lowest = run("v2")
    assert len(lowest) > 1000
    for level in ("v3", "v4"):
        different = [line for line, other in zip(run(level), lowest, strict=True) if line != other]
        assert not different, different[:12]
