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
from programs import needs_doubles, on_double, output_of, python

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.rst"))
NEEDS = {"mpi": "mpi4py"}
WITH = sorted(path.stem[5:] for path in (DOCS / "programs").glob("with_*.py"))

sys.path[:0] = [str(DOCS), str(ROOT / "tools")]


# What the programs of these pages find: the host, a compiler or a GPU that is not there, a second
# device.
SURROUNDINGS = {
    "devices": {"TENORITE_BACKEND": "host"},
    "first-steps": {"TENORITE_BACKEND": "host"},
    "missing-library": {"TENORITE_BACKEND": "host", "TENORITE_CXX": "/nowhere"},
    "device-mismatch": {"TENORITE_BACKEND": "host", "TENORITE_HOST_DEVICES": "2"},
    "no-gpu": {"TENORITE_BACKEND": "cuda", "CUDA_VISIBLE_DEVICES": ""},
}
ERRORS = sorted(path.stem for path in (DOCS / "errors").glob("*.rst") if path.stem != "index")


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, program], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def report_of(page):
    """What the programs of a page print otherwise than the page shows."""
    text = Path(page).read_text()
    test = doctest.DocTestParser().get_doctest(text, {}, str(page), str(page), 0)
    runner, report = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    runner.run(test, out=report.append)
    return "".join(report)


def is_run(page):
    """Whether a page has programs, of which those below ``code-block`` are not run."""
    return re.search("^>>>", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", list(filter(is_run, PAGES)), ids=lambda page: page.stem)
def test_page(page, tmp_path):
    """What a page shows is what its programs print."""
    if page.stem in SURROUNDINGS:
        program = (
            f"import sys; sys.path[:0] = {sys.path!r}; import test_site; "
            + f"sys.exit(test_site.report_of({str(page)!r}) or None)"
        )
        done = python("-c", program, variables={"TENORITE_CACHE_DIR": str(tmp_path)} | SURROUNDINGS[page.stem])
        assert done.returncode == 0, done.stderr
    else:
        assert not report_of(page)


@pytest.mark.parametrize("name", ERRORS)
def test_page_of_an_error(name):
    """The error that a page is about names the page. A failed GPU is a test double here."""
    text = (DOCS / f"errors/{name}.rst").read_text()
    assert f"see errors/{name} in the documentation" in text and "What to do" in text
    assert name == "sticky" or is_run(DOCS / f"errors/{name}.rst")


@needs_doubles
def test_sticky(tmp_path):
    """After a kernel's failure."""
    program = """
import ctypes, os, tenorite as cp
cp.ones(3)
ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"]).fake_cuda_break(0, 700)
try:
    cp.cuda.Device().synchronize()
except cp.cuda.runtime.CUDARuntimeError as error:
    print(error, *error.__notes__, sep="\\n")
"""
    text = output_of(program, on_double(tmp_path)).splitlines()
    assert text[0].startswith("cudaErrorIllegalAddress") and text[1:] == ["see errors/sticky in the documentation"]


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

    assert make_names.place_of("linalg.svd") is tn.linalg.svd and make_names.place_of("no.such") is make_names.NOWHERE
    make_names.main(tmp_path / "names.rst")
    text = (tmp_path / "names.rst").read_text()
    here, total = map(int, re.search(r"NumPy: (\d+) of (\d+) names", text).groups())
    assert 400 < here < total
    assert make_names.place_of("newaxis") is None
    here, total = map(int, re.search(r"array API: (\d+) of (\d+) names", text).groups())
    assert here == total > 180


def test_gallery():
    """Every example is shown, and says in a sentence what it is."""
    import make_gallery

    shown = {*make_gallery.DRAWN, *make_gallery.PRINTED, *make_gallery.SHOWN, *make_gallery.NO_PAGES}
    assert shown == {path.name for path in (ROOT / "examples").glob("*.*") if path.suffix in (".py", ".c")}
    for name in shown:
        assert 20 < len(make_gallery.summary(name)) < 200, name


def test_version():
    """The version stands in meson.build; the texts that name it name the same one."""
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
    assert tn.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"`v{version}`" in (ROOT / "CONTRIBUTING.md").read_text()
    assert f'"{version}"' in (ROOT / "include/tenorite/tenorite.h").read_text()
    assert re.search("^## (\\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1] == version


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
