"""The cases of bench/, at small sizes: what is measured is also right."""

import dataclasses
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same, is_partition, to_host
from programs import ROOT

sys.path.append(str(ROOT / "bench"))

import barriers
import goals
import scipy_cases
import sweep
from cases import CASES, prepare
from sweep_cases import LAYOUTS, cases, operand

SIZES = {
    "calls on 10 elements": 10,
    "1e7 elements": 20_000,
    "1e6 elements, indexed": 10_000,
    "kernels of the program's own, 1e7 elements": 20_000,
}


def with_signs_of(made, expected):
    """Vectors of eigh and svd with the signs of others, which libraries choose differently."""
    first = 1 if len(made) == 2 else 0
    signs = np.sign((made[first] * expected[first]).sum(axis=-2, keepdims=True))
    if len(made) == 2:
        return made[0], made[1] * signs
    return made[0] * signs, made[1], made[2] * signs.swapaxes(-1, -2)


def compare_parts(made, expected):
    """Arrays within results of SciPy's families, and of programs that fuse; objects are there."""
    if isinstance(expected, (tuple, list)):
        assert len(made) == len(expected)
        for one, other in zip(made, expected):
            compare_parts(one, other)
    elif isinstance(expected, dict):
        assert made.keys() == expected.keys()
        compare_parts([made[key] for key in expected], list(expected.values()))
    elif isinstance(expected, (np.ndarray, np.generic, float, int)):
        expected = np.asarray(expected)
        is_single = {expected.dtype.char, getattr(made, "dtype", expected.dtype).char} & {"f", "F"}
        error = (2e-4 if is_single else 1e-7) * max(1.0, np.abs(expected).max(initial=0))
        np.testing.assert_allclose(to_host(made), expected, rtol=0, atol=error)
    else:
        assert type(made).__name__ == type(expected).__name__


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}: {case.name}")
def test_case(case):
    n = SIZES.get(case.group, 70)
    if case.group.startswith("sparse") or case.group == "transformed images":
        pytest.importorskip("scipy.sparse")
    ours, theirs = prepare(case, tn, n), prepare(case, np, n)
    made, expected = eval(case.expression, ours), eval(case.expression, theirs)
    if case in scipy_cases.CASES or case.group == "fused programs":
        compare_parts(made, expected)
    elif case.group.startswith("sparse"):
        made, expected = (one.toarray() if hasattr(one, "toarray") else one for one in (made, expected))
        np.testing.assert_allclose(to_host(made), expected, rtol=2e-5)
    elif case.group == "linear algebra":
        made, expected = (both if isinstance(both, tuple) else (both,) for both in (made, expected))
        made = tuple(to_host(one) for one in made)
        if case.name in ("eigh", "svd"):
            made = with_signs_of(made, expected)
        for one, other in zip(made, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    elif case.group in ("Fourier transforms", "filters of signals", "transformed images"):
        error = 100 * np.finfo(made.dtype).eps * np.abs(expected).max()
        np.testing.assert_allclose(to_host(made), expected, rtol=0, atol=error)
    elif case.expression.startswith("xp.partition"):  # any order on either side will do
        kth = eval(case.expression, {**theirs, "xp": SimpleNamespace(partition=lambda _, kth: kth)})
        assert made.dtype == expected.dtype and is_partition(to_host(made), theirs["a"], kth)
    elif isinstance(made, np.ndarray):
        np.testing.assert_array_equal(made, expected, strict=True)
    elif case.name.startswith("empty") or case.group == "random numbers":
        assert made.shape == expected.shape and made.dtype == expected.dtype
    elif (
        "matmul" in case.group
        or case.name
        in ("sum", "a.sum()", "var", "cumsum", "m @ m (3, 3)", "add.at of 1000 bins", "convolve", "Gram-Schmidt")
        or "sum," in case.name
    ):
        made, expected = to_host(made), expected
        if expected is not None:
            assert made.dtype == expected.dtype and made.shape == np.shape(expected)
            np.testing.assert_allclose(made, expected, rtol=2e-5, atol=2e-4)
    elif isinstance(expected, str):
        assert made == expected
    elif expected is not None and not case.name.startswith("raw"):
        assert_same(made, expected, 8)
    for name, host in theirs.items():  # what the expression wrote into
        if isinstance(host, np.ndarray) and isinstance(ours.get(name), tn.ndarray):
            np.testing.assert_allclose(ours[name].get(), host, rtol=2e-5, atol=2e-4)


def test_cases_are_told_apart():
    names = [(case.group, case.name) for case in CASES]
    assert len(set(names)) == len(names)
    assert all(0 < case.goal <= 1.3 for case in CASES)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_matrix", [False, True])
def test_layouts_of_the_sweep(layout, is_matrix):
    ours, theirs = (operand(layout, is_matrix, xp, xp.asarray, 60, np.dtype("f4")) for xp in (tn, np))
    np.testing.assert_array_equal(to_host(ours), theirs, strict=True)
    assert ours.strides == theirs.strides
    assert theirs.size in (54, 56, 60)


def test_any_start_of_the_sweep_holds_operations_alike():
    first = cases(tn, 100)
    names = [name for name, *_ in first]
    count = len(set(names))
    assert sorted(names[:count]) == sorted(set(names))
    assert len({(case.name, case.n) for *_, case in first}) == len(first)


def test_sweep(tmp_path, capsys):
    result, picture = tmp_path / "sweep.json", tmp_path / "sweep.svg"
    sweep.main(
        [
            "--filter",
            "add int32 C",
            "--max",
            "3",
            "--above",
            "0",
            "--json",
            str(result),
            "--picture",
            str(picture),
            "--device",
            tn.cuda.Device().backend,
        ]
    )
    text = capsys.readouterr().out
    assert "of 2 cases were measured" in text
    if tn.cuda.Device().backend == "host":
        assert [r["n"] for r in sorted(json.loads(result.read_text())["cases"], key=lambda r: r["n"])] == [1, 3]
        assert "add, int32, C: " in text and picture.read_text().count("<circle") == 2


@pytest.mark.skipif(tn.cuda.Device().backend != "host", reason="levels are the host's")
def test_levels_stand_beside_each_other(tmp_path, capfd):
    """Each level is a process, in which Tenorite's loops and NumPy's are held there."""
    result = tmp_path / "levels.json"
    sweep.main(["--filter", "add int32 C", "--max", "1", "--levels", "v2", "--json", str(result)])
    machine = json.loads(result.read_text())["levels"]["v2"]["machine"]
    assert machine["tenorite"].split()[1] in ("v2", "generic") and machine["numpy"].split()[1] in ("X86_V2", "none")
    assert "v2: " in capfd.readouterr().out


def test_goals_print_a_row_each_and_survive_failures(tmp_path, capsys, monkeypatch):
    broken = dataclasses.replace(goals.GOALS[0].case, name="broken", setup="raise ValueError('of the case')")
    first = next(goal for goal in goals.GOALS if goal.case.name == "pad of 10")
    monkeypatch.setattr(goals, "GOALS", [dataclasses.replace(first, case=broken), first])
    place = tmp_path / "goals.json"
    rows = goals.main(["--device", tn.cuda.Device().backend, "--json", str(place)])
    assert [row["name"] for row in rows] == ["broken", "pad of 10"] and json.loads(place.read_text()) == rows
    assert rows[0]["faults"]["tenorite"] == "ValueError: of the case" and rows[1]["seconds"]["tenorite"] > 0
    text = capsys.readouterr().out
    assert "tenorite: ValueError: of the case" in text and text.count("\npad of 10 ") == 2


@pytest.mark.skipif(tn.cuda.Device().backend != "host", reason="fibers are the host's")
@pytest.mark.parametrize("name", barriers.KERNELS)
def test_barriers(name):
    """Kernels are right as loops and on fibers, in the same block sizes that are measured."""
    for threads in barriers.BLOCKS:
        assert len(barriers.measure(name, threads, 64 if name == "product" else 4096, 1)) == 2


def test_goals_name_a_case_once_at_a_size():
    assert len({(goal.case.group, goal.case.name, goal.n) for goal in goals.GOALS}) == len(goals.GOALS)


def test_modules_share_the_numbers_drawn():
    draws = goals.Draws()
    first, many = draws.random(3), draws.normal(size=30_000_000)
    again = draws.again()
    assert again.random(3) is first and again.normal(size=30_000_000) is many
    assert many.shape == (30_000_000,) and (many[:1000] == many[1_000_000:1_001_000]).all()
