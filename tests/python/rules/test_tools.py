"""The tools that keep the house refuse planted faults."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools"))
check_borrowed = pytest.importorskip("check_borrowed")
check_headers = pytest.importorskip("check_headers")
check_includes = pytest.importorskip("check_includes")
check_imports = pytest.importorskip("check_imports")
check_strings = pytest.importorskip("check_strings")
check_tree = pytest.importorskip("check_tree")


def test_a_file_without_a_room_is_refused():
    for place in ("src/core/attic/dust.c", "src/attic.c", "src/core/loose.h"):
        (text,) = check_includes.complaints(Path(place))
        assert place in text and "in no room" in text
    assert not list(check_includes.complaints(Path("docs/conf.py")))


@pytest.mark.parametrize("text", ['#include "core/linalg/svd.h"', "#include <cuda.h>", '#include "backend/none.h"'])
def test_an_include_upwards_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    for name in ("src/core/sparse/dot.h", "src/backend/cuda/kernels/sparse/csr.cuh", "src/core/linalg/svd.h"):
        place = tmp_path / name
        place.parent.mkdir(parents=True)
        place.write_text(text if "linalg" not in name else "")
    assert list(check_includes.complaints(Path("src/backend/cuda/kernels/sparse/csr.cuh")))
    is_downwards = "svd" in text  # sparse is above linalg
    assert bool(list(check_includes.complaints(Path("src/core/sparse/dot.h")))) is not is_downwards


@pytest.mark.parametrize("text", ["int tni_x(int a);", "__attribute__((cold)) int tni_x(int a);"])
@pytest.mark.parametrize("place", ["src/backend/backend.h", "src/backend/host/loops/level.h", "src/core/y.h"])
def test_a_declaration_of_another_file_is_refused(place, text):
    files = {Path(place): text, Path("src/core/x.c"): "int tni_x(int a) {", Path("src/core/x.h"): text}
    (found,) = check_headers.complaints(files)
    assert found == f"{place}: declares tni_x, which src/core/x.c defines"


def test_a_flat_folder_is_refused():
    paths = [Path(f"src/core/{name}.c") for name in range(41)]
    (text,) = check_tree.check_folders(paths)
    assert text.startswith("src/core: 41 files")
    assert not check_tree.check_folders(paths[1:])
    assert not check_tree.check_folders(paths[1:] + [path.with_suffix(".pyi") for path in paths])


@pytest.mark.parametrize(
    "files, complaint",
    [
        ({"fft/one.py": "from tenorite.fft import two", "fft/two.py": "import tenorite.fft.one"}, "a circle of 2: "),
        (
            {
                "fft/one.py": "from tenorite.fft.two import a",
                "fft/two.py": "def f():\n    from tenorite.fft import one",
            },
            "a circle of 2: ",
        ),
        (
            {"fft/__init__.py": "from tenorite.fft._a import f", "fft/_a.py": "from tenorite.fft import g"},
            "a circle of 2: ",
        ),
        (
            {
                "scipy/one/__init__.py": "from tenorite.scipy import two",
                "scipy/one/_a.py": "",
                "scipy/two.py": "import tenorite.scipy.one._a",
            },
            "a circle of 2: ",
        ),
        (
            {
                "linalg/a.py": "from tenorite._numpy import a",
                "_numpy/a.py": "",
                "_numpy/b.py": "from tenorite.linalg import a",
            },
            "b.py:1: _numpy may not import tenorite.linalg.a",
        ),
        ({"_attic.py": ""}, "in no room"),
        ({"attic/a.py": ""}, "in no room"),
        ({"backend.py": "from tenorite._cupy import alias", "_cupy/alias.py": ""}, "backend may not import"),
        ({"fft/a.py": "import tenorite"}, None),
        ({"fft/one.py": "from tenorite._core import two", "fft/two.py": "import tenorite.fft.one"}, None),
    ],
)
def test_imports_in_a_circle_and_upwards_are_refused(tmp_path, monkeypatch, files, complaint):
    paths = [tmp_path / "tenorite" / name for name in files]
    for path, text in zip(paths, files.values()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(check_imports, "tracked", lambda pattern: paths)
    found = list(check_imports.complaints(tmp_path))
    assert complaint in found[0] if complaint else not found


_ROW = """EXT_CALL(f, EXT_{gil}, (array, a), (object, b), (made, c)) {{
    {before}
    return tn_f(&call->c, call->a, NULL);
}}
"""


@pytest.mark.parametrize(
    ("gil", "before", "said"),
    [
        ("SHORT", "int kind = 3;", ""),
        ("SHORT", "if (PyObject_IsTrue(call->b) < 0) return TN_ERROR_CALLBACK;", "call->a was borrowed"),
        ("SIZED", "Py_INCREF(call->b);", "may give up the GIL"),
        ("LONG", "int kind = 3;", ""),
    ],
)
def test_a_row_that_uses_python_is_refused(monkeypatch, gil, before, said):
    monkeypatch.chdir(ROOT)
    kinds = check_borrowed.kinds_lent()
    assert {"array", "optional_array", "csr"} <= kinds and not kinds & {"object", "made"}
    text = _ROW.format(gil=gil, before=before)
    assert said in "".join(found := check_borrowed.check(Path("f.c"), text, kinds)) and len(found) == bool(said)
    forward = f"EXT_FORWARD(f, ext_look(call->a), EXT_{gil}, (array, a))\n"
    assert bool(check_borrowed.check(Path("f.c"), forward, kinds)) is (gil != "SHORT")


@pytest.mark.parametrize(
    "text, rule",
    [("import os\n", "F401"), ("def f():\n    import os\n\n    return os\n", "PLC0415"), ("x = y\n", "F821")],
)
def test_faults_of_python_are_refused(text, rule):
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("no ruff is installed")
    command = [ruff, "check", "--no-cache", "--stdin-filename", "python/tenorite/planted.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and rule in done.stdout


_STATEMENTS = [f"    y[{k}] = x[{k}];" for k in range(4)]
_KERNEL = ['extern "C" __global__ void k(float *x) {', *_STATEMENTS, "}"]


@pytest.mark.parametrize(
    ("lines", "is_refused"),
    [
        (_KERNEL, True),
        (_KERNEL[:2] + _KERNEL[3:], False),
        (["#define N 3", "typedef float T;", *_KERNEL[:2], *_KERNEL[3:]], False),
        (["struct A {", *_STATEMENTS, "};"], True),
        (["What an array is:", *["it has elements"] * 6], False),
    ],
)
def test_cpp_in_strings_is_refused(lines, is_refused):
    text = "\n".join(lines)
    formatted = "f" + repr(text).replace("{", "{{").replace("}", "}}")
    for string in (repr(text), formatted):
        assert bool(list(check_strings.complaints(Path("a.py"), f"TEXT = {string}\n"))) is is_refused
    assert not list(check_strings.complaints(Path("a.py"), f"{text!r}\n"))  # a docstring
    quoted = ['"' + line.replace('"', '\\"') + '\\n"' for line in lines]
    for between in (" ", ");\n    add(source, "):  # one string, or several that are appended
        code = f"static void f(void) {{\n    add(source, {between.join(quoted)});\n}}\n"
        assert bool(list(check_strings.complaints(Path("a.c"), code))) is is_refused
    apart = "\n".join(f"if (n) add(source, {one});" for one in quoted)
    assert not list(check_strings.complaints(Path("a.c"), f"static void f(int n) {{\n{apart}\n}}\n"))
    assert not list(check_strings.complaints(Path("a.c"), f'__asm__({" ".join(quoted)} : : "r"(n));\n'))


@pytest.mark.parametrize(("place", "is_refused"), [("src/backend/cuda/forms/a/b.c", True), ("src/kernel/b.c", False)])
def test_macros_in_strings_of_forms_are_refused(place, is_refused):
    code = 'static void f(tni_source *s) {\n    tni_source_add(s, "#define A %d\\n", 1);\n}\n'
    assert bool(list(check_strings.complaints(Path(place), code))) is is_refused
    assert not list(check_strings.complaints(Path(place), code.replace("#define A ", "int a = ")))
