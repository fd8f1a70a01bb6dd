"""What a kernel does wrong ends its launch with an error that names it; the process lives on."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.host_only("a GPU's context is lost by such mistakes"),
    pytest.mark.skipif(
        not (os.environ.get("TENORITE_CXX") or shutil.which("c++") or shutil.which("g++")),
        reason="no C++ compiler is installed",
    ),
]

SCRIPT = r"""
import sys, threading
import numpy, tenorite

DEEP = '''__device__ __noinline__ int deep(int n, const int *x) {
    volatile int a[64]; a[n & 63] = n;
    return n < 0 ? 0 : deep(n + 1 + x[0], x) + a[n & 63];
}
extern "C" void abort() noexcept;
extern "C" void exit(int) noexcept;
struct parts { long quot, rem; };
extern "C" parts ldiv(long, long) noexcept;
'''
# Programs: what stands before them, and their kernels' bodies by name.
PROGRAMS = [
    ("", {
        "assert": "assert(x[0] / n == 1);",
        "trap": "if (threadIdx.x == 3) __trap();",
        "builtin_trap": "__syncwarp(); if (threadIdx.x == 3) __builtin_trap(); __syncwarp();",
        "abort": "if (n) abort();",
        "exit": "if (n) exit(0);",
        "deep": "x[0] = deep(n, x);",
        "deep_met": "__syncwarp(); if (threadIdx.x == 5) x[0] = deep(n, x); __syncwarp();",
        "large": "volatile char a[512 << 10]; for (int k = 0; k < (512 << 10); k++) a[k] = k; x[threadIdx.x] = a[n + 2];",
        "large_met": "volatile char a[256 << 10]; for (int k = 0; k < (256 << 10); k++) a[k] = k; "
        "int other = __shfl_xor_sync(-1, a[threadIdx.x + n], 1); x[threadIdx.x] = other - n;",
        "too_large": "volatile char a[5 << 20]; a[n] = 2; x[threadIdx.x] = a[n];",
        "null": "x += threadIdx.x * 0x1000000000ll; *(volatile int *)(8ull * n) = 1;",
        "nowhere": "*(volatile int *)((unsigned long long)n << 62) = 1;",
        "good": "__syncwarp(); x[threadIdx.x] = n;",
    }),
    ("#include <cassert>\n#include <unistd.h>\n#include <exception>\n#include <array>\n#include <divide.h>\n", {
        "cassert": "if (threadIdx.x == 2) assert(x[0] / n == 1);",
        "_exit": "if (n) _exit(0);",
        "terminate": "if (n) std::terminate();",
        "at": "std::array<int, 3> v{}; v.at(n + 5) = 2; x[0] = v[0];",
        "included": "x[0] = divide(n, x[0]);",
        "library": "x[0] = (int)ldiv(n, x[0]).quot;",
    }),
    ("#define NDEBUG\n#include <assert.h>\n", {"NDEBUG": "assert(x[0] == 1); x[threadIdx.x] = 5;"}),
    ("", {"throw": "if (n) throw 1;"}),
]
ELEMENTS = {
    "deep": "y = deep(x, &x)",
    "null": "y = *(volatile int *)(16 + (size_t)x * 0)",
    "abort": "if (x == 90000) abort(); y = x",
    "meeting": "y = met(x)",
}

def tell(name, call):
    try:
        text = str(call())
    except tenorite.exceptions.CompileException:
        text = "refused"
    except RuntimeError as error:
        text = str(error).splitlines()[0]
    sys.stdout.write(f"{name} -> {text}\n")
    sys.stdout.flush()

def run(module, name):
    x = tenorite.zeros(8, "i4")
    module.get_function("own_" + name)((3,), (8,), (x, numpy.int32(1)))
    return x.tolist()

def run_program(before, bodies):
    code = before + DEEP
    for name, body in bodies.items():
        code += f'extern "C" __global__ void own_{name}(int *x, int n) {{ {body} }}\n'
    module = tenorite.RawModule(code=code, options=("-I" + sys.argv[1],))
    for name in bodies:
        tell(name, lambda: run(module, name))

def run_elements(operation):
    x = tenorite.arange(100000, dtype="i4")
    return tenorite.ElementwiseKernel("T x", "T y", operation, "own", preamble=DEEP + '#include <meeting.h>', options=("-I" + sys.argv[1],))(x)

def reduce():
    x = tenorite.arange(100000, dtype="i4")
    return tenorite.ReductionKernel("T x", "T y", "deep(x, &x)", "a + b", "y = a", "0", "own", preamble=DEEP)(x)

for program in PROGRAMS:
    run_program(*program)
for name, operation in ELEMENTS.items():
    tell("element_" + name, lambda: run_elements(operation))
tell("reduce", reduce)
stream = tenorite.cuda.Stream()
def queued():
    with stream:
        run_elements(ELEMENTS["null"])
    stream.synchronize()
tell("queued", queued)
def elsewhere():
    # A thread of Python's, with a small stack of its own.
    threading.stack_size(256 << 10)
    threads = [threading.Thread(target=tell, args=("thread", lambda: run_elements(ELEMENTS["deep"]))) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
elsewhere()
"""

ASSERTION = "cudaErrorAssert: kernel own: the assertion failed: x[0] / n == 1 (kernel.cu:"
CALLED = "cudaErrorLaunchFailure: kernel own: the kernel called "
STACK = "cudaErrorHardwareStackError: kernel own: a thread's stack is full"
ABSENT = "cudaErrorIllegalAddress: kernel own: memory that is not there is read or written, at "
EXPECTED = {
    "assert": [ASSERTION, "in thread (0,0,0) of block (0,0,0)"],
    "trap": [CALLED + "__trap() (kernel.cu:", "in thread (3,0,0)"],
    "builtin_trap": [CALLED + "__builtin_trap()", "in thread (3,0,0) of block (0,0,0)"],
    "abort": [CALLED + "abort()"],
    "exit": [CALLED + "exit()"],
    "deep": [STACK, "in block (0,0,0)"],
    "deep_met": [STACK, "in thread (5,0,0) of block (0,0,0)"],
    "large": ["[3, 3, 3, 3, 3, 3, 3, 3]"],
    "large_met": ["[1, 0, 3, 2, 5, 4, 7, 6]"],
    "too_large": [STACK],
    "null": [ABSENT + "0x8, in block (0,0,0)"],
    "nowhere": [ABSENT],
    "good": ["[1, 1, 1, 1, 1, 1, 1, 1]"],
    "cassert": [ASSERTION, "in thread (2,0,0) of block (0,0,0)"],
    "_exit": [CALLED + "_exit()"],
    "terminate": [CALLED + "abort()"],
    "at": [CALLED + "abort()"],
    "included": ["[-1, 0, 0, 0, 0, 0, 0, 0]"],
    "library": ["cudaErrorLaunchFailure: kernel own: an integer is divided by 0 outside of the program"],
    "NDEBUG": ["[5, 5, 5, 5, 5, 5, 5, 5]"],
    "throw": ["refused"],
    "element_deep": [STACK],
    "element_null": [ABSENT + "0x10"],
    "element_abort": [CALLED + "abort()"],
    "element_meeting": ["kernel own: a function of an included file waits for other threads"],
    "reduce": [STACK],
    "queued": [ABSENT],
    "thread": [STACK],
}


def run(script, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults")
    (path / "divide.h").write_text("inline __device__ int divide(int a, int b) { return a / b; }\n")
    (path / "meeting.h").write_text("inline __device__ int met(int a) { __syncwarp(); return a; }\n")
    return path


@pytest.mark.parametrize("faulthandler", ["", "1"])
def test_faults(folder, faulthandler):
    out = run(SCRIPT, str(folder), PYTHONFAULTHANDLER=faulthandler, TENORITE_CACHE_DIR=str(folder))
    assert out.returncode == 0, out.stdout + out.stderr
    lines = [line.split(" -> ", 1) for line in out.stdout.splitlines()]
    times = {"thread": 3}
    assert [name for name, _ in lines] == [name for name in EXPECTED for _ in range(times.get(name, 1))]
    for name, text in lines:
        for part in EXPECTED[name]:
            assert part in re.sub(f"kernel own_({name}|kernel):", "kernel own:", text), (name, text)
    assert "Fatal Python error" not in out.stderr


@pytest.mark.parametrize("option", ["-DNDEBUG", "--define-macro=NDEBUG"])
def test_assertions_may_be_left_out(option):
    import tenorite

    x = tenorite.zeros(1, "i4")
    code = 'extern "C" __global__ void own(int *x) { assert(false); x[0] = 3; }'
    tenorite.RawKernel(code, "own", options=(option,))((1,), (1,), (x,))
    assert x.tolist() == [3]


CRASH = r"""
import ctypes, signal, sys, tenorite
x = tenorite.zeros(8, "i4")
tenorite.RawKernel('extern "C" __global__ void own(int *x) { x[threadIdx.x] = 1; }', "own")((1,), (8,), (x,))
print(x.tolist(), flush=True)
if sys.argv[1] == "read":
    ctypes.string_at(8)
elif sys.argv[1] == "raise":
    signal.raise_signal(signal.SIGSEGV)
else:
    ctypes.CDLL(None).abort()
"""


@pytest.mark.parametrize("faulthandler", [False, True])
@pytest.mark.parametrize(
    "how, number", [("read", signal.SIGSEGV), ("raise", signal.SIGSEGV), ("abort", signal.SIGABRT)]
)
def test_signals_that_no_kernel_raised_go_where_they_went(faulthandler, how, number):
    out = run(CRASH, how, PYTHONFAULTHANDLER="1" if faulthandler else "")
    assert out.stdout == "[1, 1, 1, 1, 1, 1, 1, 1]\n" and out.returncode == -number
    assert ("Fatal Python error" in out.stderr) == faulthandler
