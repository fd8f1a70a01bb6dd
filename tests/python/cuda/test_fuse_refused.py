"""Fused programs without a compiler, with one that fails, and of kernels that can't be launched:
the operations run one by one. Counted by the driver's double."""

import json
import os

import pytest
from programs import needs_doubles, on_double, output_of

pytestmark = [needs_doubles, pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="graphs are cut at random")]

BEGIN = """
import ctypes, json, os
import tenorite as tn

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
x, y = tn.zeros((70, 300), "f"), tn.zeros((70, 300), "f")


def chain(x, y):
    return tn.sqrt(x * x + 1) * 2 - y


def total(x, y):
    return ((x - y) * (x - y)).sum()


def softmax(x, y):
    e = tn.exp(x - x.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def adam(x, y):
    x *= 0.9
    x += y * 0.1
    y[1:] -= x[1:] / (tn.sqrt(x[1:]) + 1)


def count(function):
    # Launches of two calls, and of the function itself; groups and why they run as they do.
    fused, launches = tn.fuse(function), []
    for call in (function, function, fused, fused):
        before = FAKE.fake_cuda_launches()
        call(x, y)
        tn.cuda.Device().synchronize()
        launches.append(FAKE.fake_cuda_launches() - before)
    told = fused.explain(x, y)
    return {"launches": launches, "forms": [group.form for group in told.groups],
            "explained": told.cost.launches, "whys": [group.why for group in told.groups]}
"""

PROGRAM = """
found = {function.__name__: count(function) for function in (chain, total, softmax, adam)}
found["used"] = tn.get_default_memory_pool().used_bytes() - x.nbytes - y.nbytes
print(json.dumps(found))
"""
NAMES = ("chain", "total", "softmax", "adam")
REFUSED = "It runs by itself, since its group has no program: "


def serves(found):
    for name in NAMES:
        one = found[name]
        _, single, first, second = one["launches"]
        assert single <= first == second == one["explained"], (name, one)
        assert any(text.startswith(REFUSED) for text in one["whys"]) and "rows" not in one["forms"]
    assert found["chain"]["launches"][3] == 5


def test_a_compiler_that_fails(tmp_path):
    """It is asked once for each program; the single calls have programs of their own."""
    program = """
NVRTC = ctypes.CDLL(os.environ["TENORITE_NVRTC_PATH"])
before = NVRTC.fake_nvrtc_compilations()
for function in (chain, total, softmax, adam):
    count(function)
assert NVRTC.fake_nvrtc_compilations() == before
"""
    found = json.loads(output_of(BEGIN + PROGRAM + program, on_double(tmp_path, FAKE_NVRTC_REFUSED=" r1(")))
    serves(found)
    assert found["used"] <= 4096


@pytest.mark.parametrize("is_fused", [False, True])
def test_without_a_compiler(tmp_path, is_fused):
    """An archive of the functions' single calls serves their groups, too, and one of the groups
    these as they are."""
    archive = tmp_path / "kernels.archive"
    run = "for function in (chain, total, softmax, adam):\n    count(function)\n"
    if not is_fused:
        run = "tn.fuse = lambda function: function\n" + run.replace("count(function)", "function(x, y)")
    pack = f"tn.cuda.Device().synchronize()\ntn.cache.pack({str(archive)!r})"
    copies = "z = x[1:].copy()\nz[...] = x[1:]\n"  # of what is stored at the end
    output_of(BEGIN + run + copies + pack, on_double(tmp_path / "first"))
    variables = on_double(tmp_path / "second", TENORITE_KERNEL_ARCHIVE=str(archive))
    variables["TENORITE_NVRTC_PATH"] = "/nonexistent"
    found = json.loads(output_of(BEGIN + PROGRAM, variables))
    if is_fused:
        assert [found[name]["explained"] for name in NAMES[:3]] == [1, 1, 1]
    else:
        serves(found)
        assert all("nvrtc" in text for text in found["chain"]["whys"])


def test_a_kernel_that_can_not_be_launched(tmp_path):
    """cudaErrorLaunchOutOfResources: its registers are too many for a block."""
    program = """
fused = tn.fuse(chain)
fused(x, y), chain(x, y)
tn.cuda.Device().synchronize()
before = FAKE.fake_cuda_launches()
FAKE.fake_cuda_fail(b"cuLaunchKernel", ctypes.c_long(1), 701)
made = fused(x, y)
tn.cuda.Device().synchronize()
FAKE.fake_cuda_failed.restype = ctypes.c_char_p
assert FAKE.fake_cuda_failed() == b"cuLaunchKernel"
print(json.dumps([FAKE.fake_cuda_launches() - before, made.shape]))
"""
    assert json.loads(output_of(BEGIN + program, on_double(tmp_path))) == [5, [70, 300]]


def test_programs_are_compiled_together(tmp_path):
    """A graph of several groups asks for all their programs before it waits for the first."""
    program = """
NVRTC = ctypes.CDLL(os.environ["TENORITE_NVRTC_PATH"])


def passes(x, y):
    row, column = tn.sqrt(x[0] * 2 + 1), tn.exp(y[:, :1] * 3 - 1)
    return row * column + x, (row * 3 - row * row).sum()


tn.cuda.Device().synchronize()
assert NVRTC.fake_nvrtc_most_at_once() <= 1
fused = tn.fuse(passes)
made = fused(x, y)
found = [NVRTC.fake_nvrtc_most_at_once()]
tn.cuda.Device().synchronize()
found.append(NVRTC.fake_nvrtc_compilations())
fused(x, y)
tn.cuda.Device().synchronize()
found += [NVRTC.fake_nvrtc_compilations(), len(fused.explain(x, y).groups)]
del made
print(json.dumps(found + [tn.get_default_memory_pool().used_bytes() - x.nbytes - y.nbytes]))
"""
    variables = on_double(tmp_path, FAKE_NVRTC_MS="300", TENORITE_COMPILE_THREADS="4")
    at_once, first, second, groups, used = json.loads(output_of(BEGIN + program, variables))
    assert at_once > 1 and first == second and groups > 3 and used <= 4096


@pytest.mark.parametrize("form, name", [("fused_rows", "softmax"), ("reduce_rows", "total"), ("flat", "chain")])
def test_kernels_that_need_too_many_registers(tmp_path, form, name):
    """A block of theirs would be too small: other passes serve, whichever form it is."""
    program = f"""
print(json.dumps([count({name}), tn.get_default_memory_pool().used_bytes() - x.nbytes - y.nbytes]))
"""
    found = {}
    for few in ("", form):
        variables = on_double(tmp_path / f"with{few}", **({"FAKE_CUDA_FEW_THREADS": few} if few else {}))
        found[few], used = json.loads(output_of(BEGIN + program, variables))
        assert used <= 4096
    assert found[""]["explained"] == 1 and len(found[form]["forms"]) > 1
    assert found[form]["launches"][2] == found[form]["launches"][3] == found[form]["explained"] > 1
