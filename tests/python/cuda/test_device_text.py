"""Every body of the operation table and every conversion compiles with NVRTC, for four
architectures.

No GPU is needed. Each program holds all kernels of one dtype, one per operation, each of them the
least that a body needs around it: an index, loads, stores. Prints the time that a kernel took on
average.
"""

import collections
import concurrent.futures
import ctypes
import functools
import glob
import os
import re
import sys
import threading
import time

import pytest
from programs import ROOT

OPS = os.path.join(ROOT, "src", "ops")
ARCHITECTURES = (75, 80, 90, 120)
# 177: bodies of one argument that ignore it, as isfinite of an integer does.
OPTIONS = ("--fmad=false", "-std=c++17", "--device-as-default-execution-space", "--diag-suppress=177")

# --- The tables ---

Dtype = collections.namedtuple("Dtype", "suffix storage working kind")

# Inputs and outputs: T is the loop's dtype, P its part (complex), O the integer of other
# signedness; a capital S before a letter moves the storage form.
SIGNATURES = {
    "UNARY": ("T", "T"),
    "BINARY": ("TT", "T"),
    "TERNARY": ("TTT", "T"),
    "TEST": ("T", "b"),
    "COMPARE": ("TT", "b"),
    "CLOSE": ("TTTT", "b"),
    "PART": ("T", "P"),
    "REPLACE": ("TTTT", "T"),
    "COUNT": ("T", "b"),
    "UNARY2": ("T", "TT"),
    "BINARY2": ("TT", "TT"),
    "FREXP": ("T", "Ti"),
    "LDEXP": ("Ti", "T"),
    "LDEXP64": ("Tl", "T"),
    "MIXED": ("TO", "b"),
    "SCALED": ("lT", "l"),
    "RATIO": ("ll", "T"),
    "SELECT": ("bSS", "S"),
}
OTHERS = {"b": "b8", "i": "i32", "l": "i64"}
PARTS = {"c64": "f32", "c128": "f64"}
OPPOSITES = {"i64": "u64", "u64": "i64"}


def read(name):
    with open(os.path.join(OPS, name), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


@functools.cache
def dtypes():
    rows = re.findall(r"^DTYPE\((\w+), *(\w+), *(\w+), *(\w),", read("dtypes.def"), re.M)
    return {row[0]: Dtype(*row) for row in rows}


def includes(text):
    """What a program begins with: the bodies that it may use, as form.c chooses them."""
    files = ["scalar.h", "failures.h"] + ["half.h"] * ("f16" in text) + ["complex_scalar.h"] * ("tn_c" in text)
    files += ["random.h"] * ("m_fill_" in text or "m_draw_" in text)
    others = {"TN_SUM_": "metrics.h", "m_tree_": "tree.h", "m_triangle_": "triangles.h", "m_spline": "spline.h"}
    files += ["random_trials.h"] * ("_trial" in text) + [file for word, file in others.items() if word in text]
    return "".join(f'#include "{file}"\n' for file in files)


def split(arguments):
    """The arguments of a macro: commas in parentheses do not separate."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


@functools.cache
def bodies():
    """{(operation, kind or suffix): (signature, expressions)}"""
    found = {}
    pattern = rf"^({'|'.join(SIGNATURES)})\((.*)\)$"
    for macro, arguments in re.findall(pattern, read("ops.def"), re.M):
        name, kind, *expressions = split(arguments)
        found[name, kind] = macro, expressions
    return found


def operations(suffix):
    """(operation, signature, expressions) for each that the dtype has; its own body goes first."""
    kind = dtypes()[suffix].kind
    for name in dict.fromkeys(name for name, _ in bodies()):
        found = bodies().get((name, suffix)) or bodies().get((name, kind))
        if found:
            yield name, *found


# --- Programs ---

WIDEN = {"f16": "m_f16_to_f32(%s)", "bf16": "m_bf16_to_f32(%s)"}
NARROW = {"f16": "m_f32_to_f16(%s)", "bf16": "m_f32_to_bf16(%s)"}
KERNEL = """
extern "C" __global__ void %s(%s, tn_i64 count) {
    tn_i64 i = (tn_i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
%s}
"""


def operand(letter, suffix):
    """The dtype of one operand, and whether it stays in its storage form."""
    choice = {"T": suffix, "S": suffix, "P": PARTS.get(suffix), "O": OPPOSITES.get(suffix)}
    return dtypes()[choice.get(letter) or OTHERS[letter]], letter == "S"


def kernel(name, inputs, outputs, expressions):
    parameters, lines = [], ""
    for letter, (dtype, moves) in zip("abcd", inputs):
        parameters.append(f"const {dtype.storage} *p{letter}")
        value = "%s" if moves else WIDEN.get(dtype.suffix, "%s")
        kind = dtype.storage if moves else dtype.working
        lines += f"    {kind} {letter} = {value % f'p{letter}[i]'};\n"
    for number, ((dtype, moves), text) in enumerate(zip(outputs, expressions)):
        parameters.append(f"{dtype.storage} *r{number}")
        value = "%s" if moves else NARROW.get(dtype.suffix, "%s")
        lines += f"    r{number}[i] = {value % f'({dtype.storage if moves else dtype.working})({text})'};\n"
    return KERNEL % (name, ", ".join(parameters), lines)


def program(suffix):
    """All kernels of a dtype: the text and how many they are."""
    kernels = []
    for name, macro, expressions in operations(suffix):
        inputs, outputs = ([operand(x, suffix) for x in side] for side in SIGNATURES[macro])
        kernels.append(kernel(f"{name}_{suffix}", inputs, outputs, expressions))
    for to, kind, text in re.findall(r"^CAST\((\w+), (\w), (.*)\)$", read("casts.def"), re.M):
        if kind == dtypes()[suffix].kind:
            pair = (dtypes()[suffix], False), (dtypes()[to], True)
            kernels.append(kernel(f"cast_{suffix}_{to}", pair[:1], pair[1:], [text]))
    return includes("".join(kernels)) + "".join(kernels), len(kernels)


# --- NVRTC ---


def load():
    """NVRTC and the folder it lies in: from its wheel, else from a toolkit."""
    folders = [os.path.join(path, "nvidia", "cu*", "lib") for path in sys.path]
    folders += [os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"), "lib64")]
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "libnvrtc.so.1[2-9]"))):
            # NVRTC looks its builtins up by bare name, and might find those of another version.
            beside = os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.*")
            for builtins in sorted(glob.glob(beside)):
                ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(path)
    return None


@functools.cache
def headers():
    names = [os.path.basename(path) for path in glob.glob(os.path.join(OPS, "*.h"))]
    texts = []
    for name in names:
        with open(os.path.join(OPS, name), "rb") as file:
            texts.append(file.read())
    return names, texts


def compile_text(nvrtc, text, arch):
    """Compiles to a cubin; what NVRTC says if it fails, else None."""
    names, texts = headers()
    array = ctypes.c_char_p * len(names)
    handle = ctypes.c_void_p()
    assert not nvrtc.nvrtcCreateProgram(
        ctypes.byref(handle),
        text.encode(),
        b"device_text.cu",
        len(names),
        array(*texts),
        array(*(name.encode() for name in names)),
    )
    options = [option.encode() for option in (*OPTIONS, f"--gpu-architecture=sm_{arch}")]
    failed = nvrtc.nvrtcCompileProgram(handle, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(handle, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(handle, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(handle))
    message = log.value.decode()
    return message if failed or message.strip() else None


# --- Tests ---


def test_table_is_read_whole():
    """Nothing is left out by the way this file reads the tables."""
    assert len(dtypes()) == 15
    lines = re.findall(rf"^(?:{'|'.join(SIGNATURES)})\(", read("ops.def"), re.M)
    assert len(bodies()) == len(lines) > 200
    assert len(re.findall(r"^CAST\(", read("casts.def"), re.M)) == 15 * 4


@pytest.mark.timeout(600)
def test_all_bodies_compile(capsys):
    nvrtc = load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    jobs = [(suffix, arch) for suffix in reversed(dtypes()) for arch in ARCHITECTURES]
    seconds, kernels = collections.Counter(), collections.Counter()
    lock = threading.Lock()

    def compile_one(job):
        suffix, arch = job
        text, count = program(suffix)
        start = time.perf_counter()
        message = compile_text(nvrtc, text, arch)
        with lock:
            seconds[suffix] += time.perf_counter() - start
            kernels[suffix] += count
        return message and f"{suffix}, sm_{arch}:\n{message[:3000]}"

    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [message for message in pool.map(compile_one, jobs) if message]
    wall = time.perf_counter() - start
    with capsys.disabled():
        print(f"\ndevice text: {kernels.total()} kernels in {wall:.0f} s, milliseconds each:", end="")
        for suffix in dtypes():
            print(f" {suffix} {1000 * seconds[suffix] / kernels[suffix]:.1f}", end="")
        print()
    assert not failures, "\n".join(failures)
