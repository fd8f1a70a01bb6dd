"""The site: the programs on its pages run, every page is reached, the tables name what is there."""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tenorite as tn

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.rst"))
NEEDS = {"mpi": "mpi4py"}
WITH = sorted(path.stem[5:] for path in (DOCS / "programs").glob("with_*.py"))

sys.path[:0] = [str(DOCS), str(ROOT / "tools")]


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, program], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text()], ids=lambda page: page.stem)
def test_page(page):
    """What a page shows is what its programs print."""
    text = page.read_text()
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner, report = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    runner.run(test, out=report.append)
    assert not report, "".join(report)


def test_every_page_is_linked():
    """From a table of contents, and every link of a page leads to one."""
    linked, made = {"index"}, {"reference/index", "c/index", "names"}
    for page in PAGES:
        folder, text = page.parent, page.read_text()
        for block in re.findall(r"\.\. toctree::\n(?:   :.*\n)*\n((?:   .*\n)+)", text):
            linked |= {(folder / name.strip()).relative_to(DOCS).as_posix() for name in block.splitlines()}
        for name in re.findall(r":doc:`(?:[^<`]*<)?([^`>]+)>?`", text):
            target = name[1:] if name.startswith("/") else (folder / name).relative_to(DOCS).as_posix()
            assert target in made or (DOCS / f"{target}.rst").exists(), f"{page}: {name}"
    assert {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} == linked - made


@pytest.mark.parametrize("library", WITH)
def test_program_with(library):
    """The programs of the page on other libraries, where these are installed."""
    pytest.importorskip(NEEDS.get(library, library))
    assert run(DOCS / "programs" / f"with_{library}.py").strip()


def test_two_devices():
    text = run(DOCS / "programs/two_devices.py", TENORITE_BACKEND="host", TENORITE_HOST_DEVICES="2")
    assert text == (DOCS / "programs/two_devices.txt").read_text()


def test_program_of_the_c_api():
    """The first program of the page is README's, which test_c_library builds and runs."""
    assert (DOCS / "programs/mean.c").read_text() in (ROOT / "README.md").read_text()


def test_reference_has_every_name():
    """Each public name stands on one page of the reference."""
    import make_reference

    pages = make_reference.pages()
    names = [name for _, _, entries in pages.values() for name, _ in entries]
    assert len(names) == len(set(names)) > 500 and {"tenorite.add", "tenorite.ndarray"} <= set(names)
    assert make_reference.chapter_of("sum", tn.sum) == "reductions"


def test_c_reference():
    """Every function of the headers is in the reference of the C API."""
    import make_c_reference

    for header in make_c_reference.HEADERS.glob("*.h"):
        text, _ = make_c_reference.page(header)
        shown = set(re.findall(r"c:function:: .*?(\btn_\w+)\(", text))
        code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        wanted = set(re.findall(r"TN_API[^;{]*?(\btn_\w+)\(", code))
        assert shown >= wanted, header.name


def test_names(tmp_path):
    import make_names

    assert make_names.place_of("linalg.svd") is tn.linalg.svd and make_names.place_of("no.such") is None
    make_names.main(tmp_path / "names.rst")
    text = (tmp_path / "names.rst").read_text()
    here, total = map(int, re.search(r"NumPy: (\d+) of (\d+) names", text).groups())
    assert 400 < here < total


def test_charts():
    """The charts are those of the figures."""
    sys.path.append(str(ROOT / "bench"))
    import json

    spec = importlib.util.spec_from_file_location("chart", ROOT / "bench/chart.py")
    chart = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(chart)
    for device, name in (("host", "cpu.svg"), ("cuda", "gpu.svg")):
        facts = json.loads((DOCS / f"bench/{device}.json").read_text())
        assert chart.draw(facts) == (DOCS / "_static" / name).read_text()
