"""What calls that wait launch, read, write and compile on CUDA: counted by the driver's double."""

import json
import os

import pytest
from programs import ROOT, needs_doubles, on_double, output_of
from test_fuse_launches import BYTES

pytestmark = [needs_doubles, pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="graphs are cut at random")]

PROGRAM = """
import ctypes, json, os, time
import fused_cases
import tenorite as tn
from tenorite import _core

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
DEVICE = tn.cuda.Device()


def figures():
    return _core._backlog_figures()


def compiled():
    # What has been begun to be compiled is there, whoever compiles.
    for _ in range(2000):
        before = figures()["graphs"]
        yield
        if figures()["graphs"] > before:
            return
        time.sleep(0.01)


def told(function, *shapes):
    arrays = [tn.ones(shape, "f") for shape in shapes]
    DEVICE.synchronize()
    plain, first, programs = function.__wrapped__, None, figures()["programs"]
    for _ in compiled():
        launched = FAKE.fake_cuda_launches()
        kept = plain(*arrays)
        assert FAKE.fake_cuda_launches() == launched, (function.name, tn.explain().runs[0])
        DEVICE.synchronize()
        launched = FAKE.fake_cuda_launches() - launched
        run = tn.explain().runs[0]
        first = first or (run.cost, run.unfused)
    return {"first": first[0], "unfused": first[1], "cost": run.cost, "launches": launched, "look": run.look,
            "programs": figures()["programs"] - programs}


def turns(looks):
    a, b = tn.ones(5000, "f"), tn.zeros(5000, "f")
    programs = figures()["programs"]
    for turn in range(2000):
        b = b + (turn + 0.5)
        c = b + a
        if looks and turn % looks == 0:
            DEVICE.synchronize()
    DEVICE.synchronize()
    return figures()["programs"] - programs


found = {}
with tn.eager(False):
    for function, (count, is_matrix, *_) in fused_cases.PROGRAMS.items():
        found[function.name] = told(function, *[(2000, 1000) if is_matrix else 10_000] * count)
    for looks in (1, 10, 0):
        found[f"turns {looks}"] = turns(looks)
    # A graph that changes every time has no program.
    a, programs = tn.ones(3000, "f"), figures()["programs"]
    for length in range(2, 30):
        b = a
        for k in range(length):
            b = tn.maximum(b, a) if length >> k % 5 & 1 else b * a
        DEVICE.synchronize()
    found["others"] = figures()["programs"] - programs
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    variables = on_double(tmp_path_factory.mktemp("cache"), PYTHONPATH=str(ROOT / "bench"), TENORITE_WAIT_IDLE="0")
    return json.loads(output_of(PROGRAM, variables))


@pytest.mark.parametrize("name", BYTES)
def test_one_launch(found, name):
    """Single calls first; when the graph was seen again and compiled, one launch."""
    one = found[name]
    assert one["first"] == one["unfused"]
    assert one["launches"] == one["cost"][0] == 1
    assert tuple(one["cost"][1:]) == BYTES[name]
    assert (one["look"], one["programs"]) == ("DEVICE_WAIT", 1)


@pytest.mark.parametrize("looks", [1, 10, 0])
def test_loops_have_few_programs(found, looks):
    """New scalars in each turn, looked at each turn, each tenth or never."""
    assert found[f"turns {looks}"] <= 3


def test_what_is_seen_once_is_not_compiled(found):
    assert found["others"] == 0
