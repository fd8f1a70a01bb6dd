"""The site: the programs on its pages run, every page is reached, the tables name what is there."""

import ast
import builtins
import concurrent.futures
import contextlib
import doctest
import importlib.util
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import symtable
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from programs import needs_doubles, on_double, output_of, python

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.rst"))
NEEDS = {"mpi": "mpi4py"}
WITH = sorted(path.stem[5:] for path in (DOCS / "programs").glob("with_*.py"))

sys.path[:0] = [str(DOCS), str(ROOT / "tools"), str(ROOT / "bench")]


# What the programs of these pages find: the host, a compiler or a GPU that is not there, a second
# device.
SURROUNDINGS = {
    "devices": {"TENORITE_BACKEND": "host"},
    "first-steps": {"TENORITE_BACKEND": "host"},
    "debug-a-kernel": {"TENORITE_BACKEND": "host", "TENORITE_KERNEL_CHECK": "1"},
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


def relative(path):
    return os.path.relpath(path, DOCS)


def test_every_page_is_linked():
    """From a table of contents, and every link of a page leads to one."""
    import make_papers

    linked, made = {"index"}, {"reference/index", "c/index", "names", "changes"}
    made |= set(make_papers.PAPERS.values())
    for page in PAGES:
        folder, text = page.parent, page.read_text()
        for block in re.findall(r"\.\. toctree::\n(?:   :.*\n)*\n((?:   .*\n)+)", text):
            linked |= {relative(folder / name.strip()) for name in block.splitlines()}
        for name in re.findall(r":doc:`(?:[^<`]*<)?([^`>]+)>?`", text):
            target = name[1:] if name.startswith("/") else relative(folder / name)
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


@pytest.fixture(scope="module")
def reference():
    import make_reference

    return make_reference.Reference()


def test_readme():
    """README is also the page of the package: no link or picture of it needs the tree. Its times
    are those of the figures."""
    import chart

    text = (ROOT / "README.md").read_text()
    assert not re.findall(r"\]\((?!https?:)[^)]*\)", text)
    found = re.findall(r"^\| ([\w ]+) \| (\S+ \w+) \| (\S+ \w+) \| (\S+ \w+) \| (\S+ \w+) \|$", text, re.MULTILINE)
    facts = [json.loads((DOCS / f"bench/{device}.json").read_text())["cases"] for device in ("host", "cuda")]
    host, cuda = ({(case["name"], case["n"]): case["seconds"] for case in cases} for cases in facts)
    assert len(found) == 6
    for name, *told in found:
        case = (name, 10_000_000)
        seconds = host[case]["numpy"], host[case]["tenorite"], cuda[case]["cupy"], cuda[case]["tenorite"]
        assert told == [chart.shown(one) for one in seconds], name


def test_reference_has_every_name(reference):
    """Each public name stands in a table of the reference and has a place."""
    names = {f"{page.module}.{name}" for page in reference.pages for name in page.names()}
    assert names == set(reference.things) and {"tenorite.add", "tenorite.ndarray"} <= names
    assert set(reference.things) <= set(reference.places)
    assert reference.topic_of["tenorite.sum"].name == "reductions"


def test_topics():
    """docs/topics.txt names what is there, and leaves out nothing of the modules that it orders."""
    import make_reference
    import topics

    there = make_reference.modules_of(make_reference.public())
    optional = {page.module for page in topics.read() if page.module.startswith("tenorite.polynomial.")}
    for page in topics.read():
        missing = [name for name in page.names() if name not in there[page.module]]
        assert page.module in optional or not missing, f"{page.name}: {missing}"
    for module in {page.module for page in topics.read()}:
        known = {name for page in topics.read() if page.module == module for name in page.names()}
        assert set(there[module]) <= known, f"topics.txt lacks {set(there[module]) - known} of {module}"


def test_siblings_and_errors(reference):
    """Pages have See Also where there are siblings, and Raises where the text of a function
    raises."""
    import entries

    page = "\n".join(entries.body(tn.sum, "tenorite.sum", reference.related("tenorite.sum")))
    assert "rubric:: See also" in page and "``tenorite.prod``: " in page
    page = "\n".join(entries.body(tn.poly, "tenorite.poly"))
    assert "rubric:: Raises" in page and "ValueError" in page


def test_every_page_has_siblings(reference):
    """Each page of a function, class or member has See Also; the names of members.txt are there."""
    import entries
    import make_reference
    import topics

    without = []
    for name, thing in reference.things.items():
        if name.rpartition(".")[0] not in make_reference.OF_CUDA:
            if not reference.related(name) and "See Also" not in entries.sections_of(thing)[1]:
                without.append(name)
    for kind, members in reference.members.items():
        for last, member in members:
            if reference.places[f"{kind}.{last}"] == f"{make_reference.FOLDER}/{kind}.{last}":
                if "rubric:: See also" not in "\n".join(make_reference.member_page(reference, kind, last, member)):
                    without.append(f"{kind}.{last}")
    assert not without
    unknown = set(topics.siblings_of_members()) - set(reference.things) - set(reference.homes)
    assert not unknown


def takes_host(name, thing):
    """Whether a function takes an array of the host as its first argument, in the call of its
    example; None if there is no such call, or the first argument is no array."""
    sections = entries_of(thing)
    first = next((line for line in sections.get("Parameters", ()) if line[:1].strip()), "")
    parameter, _, kind = first.partition(" : ")
    if not re.match(r"ndarray\b", kind) or parameter not in inspect.signature(thing).parameters:
        return None
    code = "".join(one.source for one in doctest.DocTestParser().get_examples("\n".join(sections["Examples"])))
    names = {"tenorite": tn, "cp": tn, "tn": tn, "np": np, "numpy": np}
    position = list(inspect.signature(thing).parameters).index(parameter)
    for statement in ast.parse(code).body:
        for node in ast.walk(statement):
            is_call = isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name
            if is_call and len(node.args) > position:
                node.args[position] = ast.parse(f"tn.asnumpy({ast.unparse(node.args[position])})", mode="eval").body
                call = ast.fix_missing_locations(ast.Expression(node))
                try:
                    eval(compile(call, name, "eval"), names)
                except TypeError as refusal:
                    return False if re.search("host|Unsupported", str(refusal)) else None
                return True
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module([statement], []), name, "exec"), names)
    return None


def entries_of(thing):
    import entries

    return entries.sections_of(thing)[1]


@pytest.mark.filterwarnings("ignore")
def test_refusals(reference):
    """The functions of refusals.txt refuse an array of the host, and no other ones do without
    saying so."""
    import entries

    found = set()
    for full, thing in reference.things.items():
        is_plain = not full.startswith("tenorite.cuda.") and not isinstance(thing, type)
        if is_plain and "TypeError" not in entries_of(thing).get("Raises", ()) and entries_of(thing).get("Examples"):
            try:
                if takes_host(full.rpartition(".")[2], thing) is False:
                    found.add(full)
            except Exception as failure:  # of the example, for the other array's sake
                assert full not in entries.refusing(), f"{full}: {failure!r}"
    assert found == entries.refusing(), found ^ entries.refusing()


def pages_of_errors(reference):
    """Yield (full name, class of a method, thing, what is documented) of each function, class and
    method that a page or a part of one is about, but the names of CUDA's libraries, exceptions and
    properties."""
    import make_reference

    for name, thing in reference.things.items():
        is_error = isinstance(thing, type) and issubclass(thing, BaseException)
        if not is_error and name.rpartition(".")[0] not in make_reference.OF_CUDA:
            yield name, None, thing, thing
    for kind, members in reference.members.items():
        for last, member in members:
            name = f"{kind}.{last}"
            directive, _, documented = make_reference.kind_of(member)
            if reference.homes[name] == name and directive != "py:property":
                yield name, reference.things[kind], getattr(reference.things[kind], last), documented


def parameters_of(thing):
    """The public parameters of a signature, but the object of a method."""
    names = inspect.signature(thing).parameters
    return [name for name in names if name not in ("self", "cls") and not name.startswith("_")]


def failure_of(*facts):
    """What a call of a file of docs/raises raises, or None. It has a thread of its own, whose state
    (a group of NCCL's calls that was begun, say) ends with it."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(_failure_of, *facts).result()


def _failure_of(name, kind, thing, call):
    import example_calls

    try:
        with contextlib.redirect_stderr(io.StringIO()):
            if call.startswith("f("):
                eval(call, {"cp": tn, "np": np, "f": thing, "kind": kind})
            else:
                parameter, _, value = call.partition("=")
                example_calls.call_with(name.rpartition(".")[2], thing, parameter, value)
            tn.cuda.Device().synchronize()  # a GPU reports indexes and matrices later
    except (Exception, SystemExit) as failure:
        return failure
    return None


@pytest.mark.filterwarnings("ignore")
def test_errors_of_pages(reference):
    """Each call of docs/raises raises what the pages say, and each block is some function's."""
    import entries

    seen, wrong = set(), []
    for name, kind, thing, _ in pages_of_errors(reference):
        for error, when, call in entries.errors_of(name):
            seen.add((error, when, call))
            failure = failure_of(name, kind, thing, call)
            if error not in [base.__name__ for base in type(failure).__mro__]:
                wrong.append(f"{name}: {call} raises {failure!r}, no {error}")
    wrong += [f"no function has {block[:3]}" for block in entries.errors() if block[:3] not in seen]
    assert not wrong, "\n".join(wrong)


def test_every_page_has_errors(reference):
    """A function or method with parameters says what it raises, or stands in nothing.txt."""
    import entries

    lacking, wrong = [], set(entries.without_errors())
    for name, _, thing, documented in pages_of_errors(reference):
        told = entries.raised(documented, name, entries.sections_of(documented)[1].get("Raises"))
        if not told and parameters_of(thing):
            wrong.discard(name)
            lacking.append(name)
    assert set(lacking) <= entries.without_errors(), sorted(set(lacking) - entries.without_errors())
    assert not wrong, f"nothing.txt has names whose pages say what they raise, or that are not there: {wrong}"


def test_examples_of_pages(reference):
    """An example as a page shows it imports the package once, as `cp`, and all that it uses."""
    import entries

    for name, thing in reference.things.items():
        lines = entries.sections_of(thing)[1].get("Examples")
        shown = lines and "\n".join(entries.example(lines))
        if shown:
            code = "".join(one.source for one in doctest.DocTestParser().get_examples(shown))
            table = symtable.symtable(code, name, "exec")
            used = {one.get_name() for one in table.get_symbols() if one.is_referenced()}
            set_here = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
            assert used - set_here <= set(dir(builtins)) | {"__file__"}, f"{name}: {used - set_here}"
            assert "import tenorite as tn" not in shown and shown.count("import tenorite as cp") <= 1, name


@pytest.mark.parametrize("name", ["tenorite.scipy.signal.welch", "tenorite.fuse", "tenorite.RawKernel"])
def test_example_of_a_page_runs(name, reference):
    import entries

    shown = "\n".join(entries.example(entries.sections_of(reference.things[name])[1]["Examples"]))
    runner, report = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    runner.run(doctest.DocTestParser().get_doctest(shown, {}, name, name, 0), out=report.append)
    assert not report, "".join(report)


def test_links(tmp_path, reference):
    """Which names in prose become links, and where to."""
    pytest.importorskip("furo")
    import links
    import make_reference

    (tmp_path / "reference").mkdir()
    make_reference.write_places(reference, tmp_path)
    names = links.Names(tmp_path)
    signal = ("tenorite.scipy.signal",)
    assert names.find("cp.fft.rfft(x)") == "tenorite.fft.rfft" and names.find("cuda.Stream") == "tenorite.cuda.Stream"
    assert names.find("convolve") == "tenorite.convolve"
    assert names.find("convolve", signal) == "tenorite.scipy.signal.convolve"
    assert names.find("scipy.signal") is None and names.find("a * b") is None and names.find("mode") is None
    assert names.place("tenorite.scipy.signal") == ("reference/tenorite.scipy.signal", "")
    assert names.place("tenorite.ndarray.sum") == ("reference/names/tenorite.ndarray.sum", "")
    assert names.find("a.get()") == "tenorite.ndarray.get" and names.find("ndimage") == "tenorite.scipy.ndimage"
    error = "tenorite.exceptions.CompileException"
    assert names.find("CompileException") == error and names.find("ValueError") is None
    page, fragment = names.place("tenorite.memoize")
    assert page == "reference/names/tenorite.memoize" and not fragment


def with_addresses():
    """Our pyproject.toml with two addresses."""
    urls = "[project.urls]\nDocumentation = 'https://d.example'\nSource = 'https://s.example/t'\n"
    text = (ROOT / "pyproject.toml").read_text()
    assert text.count("[project.urls]\n\n") == 1
    return text.replace("[project.urls]\n", urls)


def test_addresses_of_the_wheel():
    """The addresses that pages have are in the wheel's metadata, by the words of its builder."""
    metadata = pytest.importorskip("pyproject_metadata").StandardMetadata
    made = metadata.from_pyproject(tomllib.loads(with_addresses()), ROOT)
    made.version = "0"
    lines = str(made.as_rfc822()).splitlines()
    wanted = ["Documentation, https://d.example", "Source, https://s.example/t"]
    assert [line for line in lines if line.startswith("Project-URL")] == [f"Project-URL: {one}" for one in wanted]


def test_small_site(tmp_path, reference):
    """Sphinx builds three pages, with addresses: names of a guide lead to the page of a function,
    which leads to its source."""
    for module in ("sphinx", "furo", "myst_parser", "sphinx_copybutton"):
        pytest.importorskip(module)
    import make_reference

    source = tmp_path / "source"
    (source / "reference/names").mkdir(parents=True)
    for name in ("conf.py", "links.py", "pages.py", "_static", "_templates"):
        copy = shutil.copytree if (DOCS / name).is_dir() else shutil.copy
        copy(DOCS / name, source / name)
    (source / "pyproject.toml").write_text(with_addresses())
    (source / "versions.txt").write_text("0.1.0\n")
    make_reference.write_places(reference, source)
    page = make_reference.function_page(reference, "tenorite.unwrap")
    page = [line for line in page if ":doc:" not in line]  # the other pages are not here
    make_reference.write(source / "reference/names/tenorite.unwrap.rst", [":orphan:", "", *page])
    toc = ".. toctree::\n\n   changes\n   names\n"
    (source / "index.rst").write_text(f"Home\n====\n\nA phase goes on by ``cp.unwrap(x)``, not by ``mode``.\n\n{toc}")
    (source / "changes.md").write_text("# Changes\n\n- `unwrap` is there.\n")
    table = "Names\n=====\n\n:name:`unwrap <tenorite.unwrap>`, which ignores ``where`` and ``unwrap``\n"
    (source / "names.rst").write_text(table)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", source, tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    home, function, changes, names = (
        (tmp_path / "html" / name).read_text()
        for name in ("index.html", "reference/names/tenorite.unwrap.html", "changes.html", "names.html")
    )
    assert 'href="reference/names/tenorite.unwrap.html"' in home and home.count("tenorite.unwrap.html") == 1
    assert 'content="A phase goes on by cp.unwrap(x), not by mode."' in home
    assert "https://s.example/t/edit/main/docs/index.rst" in home and "/edit/main/" not in function
    assert 'value="https://d.example/0.1.0/index.html"' in home
    assert 'href="https://s.example/t/blob/main/python/tenorite/_numpy/calculus.py#L' in function
    assert "Parameters" in function and "See also" in function and "import tenorite as cp" not in home
    assert 'href="reference/names/tenorite.unwrap.html"' in changes
    assert names.count("reference/names/") == 1


def test_broken_links_are_found(tmp_path):
    import check_site

    (tmp_path / "a.html").write_text('<a href="b.html#there">1</a><a href="b.html#no">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="there">x</p><a href="https://example.org">4</a>')
    assert sorted(check_site.broken(tmp_path)) == [("a.html", "b.html#no"), ("a.html", "c.html")]


CHROMIUM = next(filter(shutil.which, ("chromium", "chromium-browser", "google-chrome")), None)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_looks(tmp_path):
    """What a browser shows of a page is looked at: planted faults are found, and no other ones."""
    pytest.importorskip("playwright")
    import check_site

    head = '<!doctype html><html lang="en"><title>A</title><meta name="description" content="A"><body><h1>A</h1>'
    (tmp_path / "good.html").write_text(head + '<p>text</p><img alt="x" src="x.png">')
    wide = '<div style="width: 500px">x</div>'
    (tmp_path / "bad.html").write_text(head + f'<p style="color: #999">pale</p><img src="x.png">{wide}')
    found = list(check_site.looks(tmp_path, CHROMIUM, ["good.html", "bad.html"]))
    assert {name for name, _, _ in found} == {"bad.html"}
    told = [(width, re.sub(r"[^a-z ]+.*", "", fault)) for _, width, fault in found]
    assert sorted(told) == [
        (380, ""),
        (380, "contrast "),
        (380, "no text for file"),
        (1280, "contrast "),
        (1280, "no text for file"),
    ]


def test_papers():
    """The papers of the tree as pages: their links lead to pages, or are text."""
    import make_papers

    text = make_papers.linked("[a](GLOSSARY.md), [b](src/core/sort/README.md), [c](Makefile)", "ARCHITECTURE.md")
    assert text == "[a](/built/glossary.md), [b](/built/sorting.md), c"
    assert make_papers.with_headings("Arrays\n\n- one\n") == "### Arrays\n\n- one\n"
    pages = make_papers.releases("# Changes\n\n## 2 (now)\n\n- two\n\n## 1 (then)\n\nArrays\n\n- one\n")
    assert list(pages) == ["changes", "changes-1"] and "- two" in pages["changes"] and "- one" not in pages["changes"]
    assert "changes-1" in pages["changes"] and pages["changes-1"] == "# Changes in 1 (then)\n\n## Arrays\n\n- one\n"


# Pages that say what is not here, in a section of this title.
ABSENT = re.compile(r"^What is not here\n-+\n(.*?)(?=^\S[^\n]*\n[-=~]{3,}\n|\Z)", re.MULTILINE | re.DOTALL)


def test_claims_of_what_is_not_here():
    """What differences.txt and the guides say is not here, is not; what differs, is here."""
    import make_names

    for name, (state, note) in make_names.claims().items():
        names = [name] if not name.endswith(".*") else []
        for one in names:
            is_here = make_names.place_of(one) is not make_names.NOWHERE
            assert is_here == (state == "here"), f"differences.txt says of {one}, which is otherwise: {state}: {note}"
    checked = 0
    for page in PAGES:
        for text in ABSENT.findall(page.read_text()):
            for name in re.findall(r"``([A-Za-z_][\w.]*)``", text):
                checked += 1
                for space in ("", "scipy.sparse." if page.stem == "sparse" else "cuda."):
                    assert make_names.place_of(space + name) is make_names.NOWHERE, f"{page.name}: {name} is here"
    assert checked > 5


def test_variables():
    """Every environment variable that the library reads is on the page of variables, and no other
    one."""
    told = set(re.findall(r"``(TENORITE_[A-Z0-9_]+)``", (DOCS / "guide/environment.rst").read_text()))
    read = set()
    for path in [
        *(ROOT / "src").rglob("*.[ch]"),
        *(ROOT / "python").rglob("*.py"),
        *(ROOT / "python/ext").rglob("*.[ch]"),
    ]:
        text = path.read_text()
        read |= set(re.findall(r'(?:getenv\(|environ(?:\.get\(|\[)|_size\()"(TENORITE_[A-Z0-9_]+)"', text))
    assert read - {"TENORITE_SEED", "TENORITE_FAKE_CUDA"} <= told, read - told  # of tests alone
    for page in PAGES:
        for name in re.findall(r"\bTENORITE_[A-Z0-9_]+\b", page.read_text()):
            assert name in told or name.endswith("_PATH"), f"{page.name}: {name}"


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


def test_pictures_of_pages():
    """A page's picture is one of the tree, or one that the gallery draws in each build; none is
    left that no page shows."""
    import make_gallery

    made = {f"/made/{Path(name).stem}.png" for name in make_gallery.DRAWN}
    shown = {name for page in PAGES for name in re.findall(r"^\.\. image:: (\S+)", page.read_text(), re.M)}
    for name in shown - made:
        folder = ROOT if name.startswith("/examples/") else DOCS
        assert (folder / name.lstrip("/")).is_file(), name
    assert {"/made/microscopy.png", "/made/radio.png"} <= shown
    pictures = {path.name for path in (DOCS / "_static").iterdir() if path.suffix in (".png", ".svg")}
    assert pictures - {Path(name).name for name in shown} == {"favicon.svg"}


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
    spec = importlib.util.spec_from_file_location("chart", ROOT / "bench/chart.py")
    chart = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(chart)
    for device, name in (("host", "cpu.svg"), ("cuda", "gpu.svg")):
        facts = json.loads((DOCS / f"bench/{device}.json").read_text())
        assert chart.draw(facts) == (DOCS / "_static" / name).read_text()


def test_addresses(tmp_path):
    """The addresses of the site are those of pyproject.toml."""
    pytest.importorskip("docutils")
    import pages

    (tmp_path / "versions.txt").write_text("# none\n0.3.0\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert pages.settings(tmp_path) == {"site": "", "versions": ["0.3.0"], "edit": "", "source": ""}
    urls = "[project.urls]\nDocumentation = 'https://d.example/'\nSource = 'https://s.example/t'\n"
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n" + urls)
    found = pages.settings(tmp_path)
    assert found["site"] == "https://d.example" and found["edit"] == "https://s.example/t/edit/main/{path}"
    assert found["source"].format(path="a.py", line=3) == "https://s.example/t/blob/main/a.py#L3"
