"""The patterns of `make soak` for few turns, in which counts may not grow; and what the soak calls
growth."""

import json
import os
import subprocess
import sys

import pytest
from programs import ROOT

SOAK = ROOT / "tools/soak"
THEMES = ["arrays", "graphs", "interop", "memory", "processes", "streams", "threads"]
TURNS = 80

pytestmark = pytest.mark.quick


def soak(*arguments):
    # With another allocator the interpreter does not count its objects.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONMALLOC"}
    done = subprocess.run([sys.executable, SOAK, *arguments], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("on", ["backend", "double"])
def test_theme(device, on, theme):
    """All patterns of a theme, on the backend under test and on the driver's double."""
    if on == "double" and device == "cuda":
        pytest.skip("the driver itself is there")
    place = device if on == "backend" else on
    status, said = soak("--device", place, "--turns", str(TURNS), "--theme", theme)
    assert status == 0, said
    assert f"patterns on {place} are flat" in said


def test_themes_are_all():
    status, said = soak("--list")
    lines = [line.split() for line in said.splitlines()]
    assert status == 0 and {theme for theme, _ in lines} == set(THEMES) and len(lines) >= 40


def test_unknown_pattern():
    status, said = soak("--pattern", "nonsense")
    assert status == 1 and "nonsense" in said


# --- What is growth ---

PLANTED = """
import os
from support import pattern
import tenorite as tn

kept = []

@pattern
def flat():
    return lambda: tn.ones(1000) + 1

@pattern
def keeps_arrays():
    return lambda: kept.append(tn.ones(1000))

@pattern
def keeps_objects():
    return lambda: kept.extend([object() for _ in range(20)])

@pattern
def keeps_files():
    return lambda: kept.append(os.dup(0))

@pattern
def raises():
    return lambda: 1 / 0

@pattern
def dies():
    return lambda: os.abort()
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the soak finds of the patterns above: a dict from names to texts."""
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.py").write_text(PLANTED)
    status, said = soak(
        "--device", "host", "--turns", "100", "--file", folder / "planted.py", "--json", folder / "found.json"
    )
    assert status == 1 and "1 of 6 patterns on host are flat" in said, said
    results = json.loads((folder / "found.json").read_text())
    return {result["name"]: " ".join(result["failures"]) for result in results}


@pytest.mark.parametrize(
    "name, text",
    [
        ("keeps_arrays", "pool used grew"),
        ("keeps_objects", "objects grew"),
        ("keeps_files", "files grew"),
        ("raises", "ZeroDivisionError"),
        ("dies", "ended with -6"),
    ],
)
def test_growth_is_found(found, name, text):
    assert text in found[name]


def test_what_is_flat(found):
    assert found["flat"] == ""
