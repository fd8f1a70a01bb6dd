"""The host's compiler and the cache of what it makes, in processes of their own."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest
import tenorite

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
host_only = pytest.mark.host_only("it is about the system's compiler")


@pytest.fixture(autouse=True)
def needs_compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


PROGRAM = """
import numpy, sys, tenorite
k = tenorite.RawKernel('extern "C" __global__ void own(int* x) { x[threadIdx.x] = 7 + ' + sys.argv[1] + '; }', "own")
x = tenorite.zeros(3, "i")
try:
    k((1,), (3,), (x,))
    print(x)
except Exception as error:
    print(type(error).__name__, error)
"""


def start(cache, number=0, **environment):
    environment = {**os.environ, "TENORITE_CACHE_DIR": str(cache), **{k: str(v) for k, v in environment.items()}}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(number)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()
    return out.decode()


def script(tmp_path, text):
    path = tmp_path / "compiler"
    path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
    path.chmod(0o755)
    return path


@host_only
def test_the_cache(tmp_path):
    cache = tmp_path / "cache"
    assert finish(start(cache)) == "[7 7 7]\n"
    (entry,) = cache.glob("*.kernel")
    assert finish(start(cache, TMPDIR="/nowhere/at/all")) == "[7 7 7]\n"  # nothing is compiled
    whole = entry.read_bytes()
    entry.write_bytes(whole[: len(whole) // 2])
    assert "no folder can be made" in finish(start(cache, TMPDIR="/nowhere/at/all"))
    assert finish(start(cache)) == "[7 7 7]\n"
    entry.write_bytes(whole[:-100] + bytes(100))
    assert finish(start(cache)) == "[7 7 7]\n"


@host_only
def test_two_processes_compile_one_kernel(tmp_path):
    both = [start(tmp_path, 1) for _ in range(2)]
    assert [finish(process) for process in both] == ["[8 8 8]\n"] * 2
    assert len(list(tmp_path.glob("*.kernel"))) == 1 and not list(tmp_path.glob("*.part"))


@host_only
@pytest.mark.parametrize(
    "text, message",
    [
        ("sleep 60 & sleep 60", "was ended after 1 seconds"),
        ("kill -SEGV $$", "was ended by signal 11"),
        ("echo oh no >&2; exit 3", "exit status 3"),
        ("exit 0", "left no program"),
        ('while [ $# -gt 1 ]; do [ "$1" = -o ] && echo nonsense > "$2"; shift; done', "can't be loaded"),
    ],
)
def test_compilers_that_fail(tmp_path, text, message):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    path = script(tmp_path, text)
    out = finish(start("", TENORITE_CXX=path, TENORITE_COMPILE_SECONDS=1, TMPDIR=temporary))
    assert out.startswith("CompileException") and message in out
    assert not list(temporary.iterdir())


@host_only
def test_a_late_compiler_runs_once(tmp_path):
    """A text of a million characters; it is rewritten first, and not tried again as it was."""
    path = script(tmp_path, f"echo one >> {tmp_path}/runs; sleep 60")
    program = """
import tenorite
text = '__syncthreads(); x[0] = x[0]' + ' + 1' * 250_000 + ';'
try:
    tenorite.RawKernel('extern "C" __global__ void own(int* x) { x[1] = 2;' + text + '}', "own").compile()
except tenorite.exceptions.CompileException as error:
    print(error)
"""
    environment = {**os.environ, "TENORITE_CXX": str(path), "TENORITE_COMPILE_SECONDS": "1", "TENORITE_CACHE_DIR": ""}
    out = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert "kernel own: " in out.stdout and "was ended after 1 seconds" in out.stdout, out
    assert (tmp_path / "runs").read_text() == "one\n"


@host_only
def test_no_compiler(tmp_path):
    assert "kernel own: kernels on the host need a C++ compiler" in finish(start("", PATH=tmp_path, TENORITE_CXX=""))
    assert "install g++ or clang" in finish(start("", PATH=tmp_path, TENORITE_CXX=""))
    assert "/no/such, is not there" in finish(start("", TENORITE_CXX="/no/such"))


def shown(path, **environment):
    """What show_config() says with this PATH."""
    environment = {**os.environ, "TENORITE_CXX": "", **environment, "PATH": str(path)}
    program = "import tenorite; tenorite.show_config()"
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True).stdout


@host_only
def test_the_order_of_compilers(tmp_path):
    """TENORITE_CXX is a path, or a name to look for in PATH; without it c++, g++, clang++."""
    for name in ("c++", "g++", "clang++", "other"):
        script(tmp_path, f"echo this is {name} >&2; exit 1").rename(tmp_path / name)
    assert "this is other" in finish(start("", PATH=tmp_path, TENORITE_CXX="other"))
    assert "this is other" in finish(start("", TENORITE_CXX=tmp_path / "other"))
    for name in ("c++", "g++", "clang++"):
        assert f"this is {name}\n" in finish(start("", PATH=tmp_path, TENORITE_CXX=""))
        assert f"C++ compiler   : {tmp_path / name}\n" in shown(tmp_path)
        (tmp_path / name).unlink()
    assert "C++ compiler   : not found" in shown(tmp_path, TENORITE_CXX="nothing")


@host_only
@pytest.mark.parametrize(
    "text, message",
    [
        ("#include <mma.h>\n", "what <mma.h> has is on GPUs alone"),
        ("#include <curand_kernel.h>\n", "what <curand_kernel.h> has is on GPUs alone"),
        (
            "#define BODY\n__global__ void other(int* x) {} void f(int* x) { other<<<1, 2>>>(x); }\n",
            "kernels that launch kernels can't run on the host",
        ),
        ('void f() { asm volatile("bar.sync 0;"); }\n', "inline PTX can't run on the host"),
        ("#include <cub/cub.cuh>\n", "which serve on GPUs alone"),
        ("#include <thrust/sort.h>\n", "which serve on GPUs alone"),
    ],
)
def test_what_gpus_alone_have_is_refused_by_name(text, message):
    text = text if "BODY" in text else text + "#define BODY\n"
    kernel = tenorite.RawKernel(text + 'extern "C" __global__ void own(int* x) { BODY; }', "own")
    with pytest.raises(tenorite.exceptions.CompileException, match=f"(?s)^kernel own: .*{message}"):
        kernel.compile()
