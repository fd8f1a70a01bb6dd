"""Programs in plain style (bench/plain_programs.py): the same bits, and bytes in use, waiting."""

import sys

import numpy as np
import pytest
import tenorite as tn
from programs import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import plain_programs

FEW, MANY = 2000, 100_000


def bits(found):
    return [np.asarray(tn.asnumpy(one)).tobytes() for one in (found if isinstance(found, list | tuple) else [found])]


def run(program, arrays, waits, waiting):
    """What it gives, and how many bytes are in use while that is kept."""
    waits(waiting)
    made = program.run(tn, *arrays)
    used = tn.get_default_memory_pool().used_bytes()
    waits(False)
    return bits(made), used


@pytest.mark.parametrize("program", plain_programs.PROGRAMS, ids=lambda program: program.name)
@pytest.mark.filterwarnings("ignore")
def test_bits_and_memory(program, waits):
    for n in (FEW, MANY):
        arrays = [tn.asarray(array) for array in program.make(np.random.default_rng(0), n)]
        assert run(program, arrays, waits, True) == run(program, arrays, waits, False)
