"""The names of CUDA's that kernels on the host have: all of its mathematical and atomic functions,
with its values, and no others."""

import collections
import functools
import itertools
import math
import os
import re
import sys

import numpy
import pytest
import tenorite
from cuda_reference import FLOATS, INTEGERS, PAIRS, expected, wrapped
from programs import ROOT

sys.path.append(os.path.join(ROOT, "tests", "python", "cuda"))
import test_device_text as device_text

Function = collections.namedtuple("Function", "header result name parameters")
DEVICE = ROOT / "src/backend/host/compiler/device"


@functools.cache
def functions():
    """The table: every prototype of CUDA's."""
    found, header = [], ""
    path = os.path.join(os.path.dirname(__file__), "cuda_functions.txt")
    with open(path, encoding="ascii") as file:
        for line in file.read().splitlines():
            if line.startswith("["):
                header = line[1:-1]
            elif not line.startswith("#"):
                name, prototypes = line.split(": ")
                for prototype in prototypes.split("; "):
                    result, parameters = prototype[:-1].split("(")
                    found.append(Function(header, result, name, [one for one in parameters.split(", ") if one]))
    return found


HEADERS = sorted({function.header for function in functions()})


def include(header):
    return f"#include <{header}>\n" if header else ""


# --- The table is CUDA's, and the host's ---

CHECK = """template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
template <class T> T&& any();
"""


def is_called(function):
    values = ", ".join(f"any<{parameter}>()" for parameter in function.parameters)
    name = function.name
    return f'static_assert(same<{function.result}, decltype({name}({values}))>::value, "{name}");\n'


def checked(header):
    return include(header) + CHECK + "".join(is_called(one) for one in functions() if one.header == header)


def nvrtc_says(text, headers=False):
    """What NVRTC says of a text; None: it is good."""
    nvrtc = device_text.load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed")
    options = ["-std=c++17", "-default-device"]
    if headers:
        folder = tenorite._kernels.headers.find("cudart")
        if folder is None:
            pytest.skip("CUDA's headers are not installed")
        options += [f"-I{folder}", f"-I{folder}/cccl"]
    try:
        tenorite.cuda.compiler.compile_using_nvrtc(text, tuple(options), arch="75", filename="names.cu")
    except tenorite.exceptions.CompileException as error:
        return str(error)
    return None


@pytest.mark.parametrize("header", HEADERS)
def test_table_is_of_cuda(header):
    assert nvrtc_says(checked(header), bool(header)) is None


@pytest.mark.host_only("NVRTC has its own test")
@pytest.mark.parametrize("header", HEADERS)
def test_all_are_on_host(header):
    tenorite.RawModule(code=checked(header), options=("-O0",)).compile()


# --- Their values ---

ROWS, SLOTS = 12, 8
REALS = [0.5, -0.3, 2.75, -1.25, 0.0, 30.5, 1e-3, -7.0, 0.99, numpy.inf, -numpy.inf, numpy.nan]
WHOLES = [0, 1, -1, 5, -7, 123456789, -(1 << 31), (1 << 31) - 1, 0x80FF7F01, (1 << 63) - 1, 40, 0x0103FE80]
ORDERS = [0, 1, 2, 3, 5, -2, 4, 7, -1, 6, 8, -3]


def samples(function):
    """Rows of arguments. An int beside a floating-point number is an order or an exponent."""
    is_real = any(one.split(" *")[0].removeprefix("const ") in FLOATS for one in function.parameters)
    rows = []
    for row in range(ROWS):
        values = []
        for place, parameter in enumerate(function.parameters):
            type_ = parameter.removesuffix(" *").removeprefix("const ")
            at = (row * (2 * place + 1) + 3 * place) % ROWS
            if parameter.startswith("const"):
                values.append(tuple(REALS[(at + k) % 9] for k in range(3)))
            elif type_ in PAIRS:
                part = FLOATS[PAIRS[type_]]
                values.append([part(REALS[at]), part(REALS[at - 1])])
            elif type_ in FLOATS:
                values.append(FLOATS[type_](REALS[at]))
            elif function.name.startswith(("norm", "rnorm")):
                values.append(1 + row % 3)
            else:
                values.append(wrapped((ORDERS if is_real else WHOLES)[at], type_ if type_ in INTEGERS else "unsigned"))
        rows.append(values)
    return rows


def slots(type_):
    return 3 if type_.startswith("const") else 2 if type_ in PAIRS else 1


def stored(type_, text):
    """Statements that put a value into the next slots."""
    if type_ == "void":
        return f"{text};"
    if type_ in PAIRS:
        return f"{{ {type_} pair = {text}; *to++ = bits((float)pair.x); *to++ = bits((float)pair.y); }}"
    word = f"bits((double){text})" if type_ in FLOATS else f"(unsigned long long)(long long)({text})"
    return f"*to++ = {word};"


def call_of(function):
    """A block that calls it with the values at `from` and writes all that it returns to `to`."""
    text, values, after = "", [], ""
    for place, parameter in enumerate(function.parameters):
        type_ = parameter.removesuffix(" *").removeprefix("const ")
        if parameter == "const char *":
            values.append('""')
            text += "from += 3; "
            continue
        if parameter.startswith("const"):
            made = f"{type_} v{place}[3] = {{ real(*from++), real(*from++), real(*from++) }}; "
        elif type_ in PAIRS:
            part = PAIRS[type_]
            made = f"{part} a{place} = real(*from++), b{place} = real(*from++); {type_} v{place}; "
            made += f"v{place}.x = a{place}, v{place}.y = b{place}; "
        elif type_ in FLOATS:
            made = f"{type_} v{place} = {'(float)' * (type_ != 'double')}real(*from++); "
        elif type_ in INTEGERS:
            made = f"{type_} v{place} = ({type_})*from++; "
        else:
            made = f"{type_} v{place} = *(const {type_}*)from++; "
        text += made
        is_address = parameter.endswith("*") and not parameter.startswith("const")
        values.append(f"{'&' * is_address}v{place}")
        after += stored(type_, f"v{place}") if is_address else ""
    called = f"{function.name}({', '.join(values)})"
    return f"{{ {text}{stored(function.result, called)} {after} }}\n"


def program(header, all_):
    blocks = ""
    for number, function in enumerate(all_):
        place = f"({number} * {ROWS} + threadIdx.x) * {SLOTS}"
        blocks += f"{{ const unsigned long long* from = in + {place}; unsigned long long* to = out + {place};\n"
        blocks += call_of(function) + "}\n"
    return f"""{include(header)}
    __device__ unsigned long long bits(double x) {{ return (unsigned long long)__double_as_longlong(x); }}
    __device__ double real(unsigned long long x) {{ return __longlong_as_double((long long)x); }}
    extern "C" __global__ void k(const unsigned long long* in, unsigned long long* out) {{
    {blocks}
    }}"""


def packed(values):
    flat = itertools.chain.from_iterable(value if isinstance(value, (list, tuple)) else [value] for value in values)
    words = [numpy.float64(value).view("u8") if not isinstance(value, int) else value & (1 << 64) - 1 for value in flat]
    return words + [0] * (SLOTS - len(words))


def results(function, words):
    """What the slots hold, by the types of what the function returns."""
    types = [function.result] * (function.result != "void")
    types += [one.removesuffix(" *") for one in function.parameters if one.endswith("*") and "const" not in one]
    found = []
    for type_ in types:
        for _ in range(slots(type_)):
            word = int(words[len(found)])
            is_real = type_ in FLOATS or type_ in PAIRS
            found.append((PAIRS.get(type_, type_), numpy.uint64(word).view("f8") if is_real else wrapped(word, type_)))
    return found


EXACT = re.compile(r"_r[nzud]$|^atomic|^__v|^(c?eil|floor|trunc|r?int|round|fabs|copysign|f?max|f?min|fmod)f?$|2_mask$")
TOLERANCES = {"double": 2e-14, "float": 6e-7, "__half": 1e-3, "__nv_bfloat16": 8e-3}


def wrong(function, values, found):
    """What is wrong with the results of a call, or nothing."""
    if not function.name.startswith("atomic"):  # what is at an address is written alone
        values = [
            value for value, one in zip(values, function.parameters) if not one.endswith("*") or one.startswith("const")
        ]
    with numpy.errstate(all="ignore"):
        try:
            made = expected(function.name, function.result, values)
        except (ValueError, ZeroDivisionError, OverflowError):
            return ""  # no finite number: Python refuses
    assert made is not None, f"the reference knows no {function.name}"
    made = [made] if not isinstance(made, (list, tuple)) else made
    flat = itertools.chain.from_iterable(one if isinstance(one, (list, tuple)) else [one] for one in made)
    for (type_, value), wanted in itertools.zip_longest(found, flat):
        if type_ in FLOATS:
            with numpy.errstate(all="ignore"):
                wanted = float(FLOATS[type_](wanted))
            good = value == wanted or (math.isnan(value) and math.isnan(wanted))
            if not good and not EXACT.search(function.name):
                good = math.isclose(value, wanted, rel_tol=TOLERANCES[type_], abs_tol=TOLERANCES[type_] / 4)
        else:
            good = math.isnan(wanted) or math.isinf(wanted) or value == wrapped(int(wanted), type_)
        if not good:
            return f"{function.name}{tuple(values)}: {value} is not {wanted}"
    return ""


def parts():
    """The table in parts of some 200 functions, each of which is a program."""
    for header in HEADERS:
        all_ = [one for one in functions() if one.header == header]
        for first in range(0, len(all_), 200):
            yield pytest.param(header, all_[first : first + 200], id=f"{header or 'CUDA'} {first}")


@pytest.mark.host_only("a GPU's functions are CUDA's own")
@pytest.mark.parametrize("header, all_", list(parts()))
def test_values(header, all_):
    rows = [samples(function) for function in all_]
    given = numpy.array([[packed(values) for values in one] for one in rows], "u8")
    out = tenorite.zeros(given.shape, "u8")
    tenorite.RawKernel(program(header, all_), "k", options=("-O1",))((1,), (ROWS,), (tenorite.asarray(given), out))
    found = [
        wrong(function, values, results(function, words))
        for function, one, all_words in zip(all_, rows, out.get())
        for values, words in zip(one, all_words)
    ]
    assert not any(found), "\n".join(filter(None, found))


# --- Nothing else has a name ---

TYPES = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
    "half",
    "complex",
]
OWN = "struct half { unsigned short x; }; struct complex { float re, im; };\n"


def missing():
    """Definitions of the atomic operations that CUDA has not."""
    there = {
        (one.name, one.parameters[0].removesuffix(" *"))
        for one in functions()
        if one.name.startswith("atomic") and not one.header
    }
    text = OWN
    for name in sorted({name for name, _ in there}):
        values = "{0} expected, {0} v" if "CAS" in name else "{0} v"
        for type_ in TYPES:
            if (name, type_) not in there:
                text += f"__device__ {type_} {name}({type_}* a, {values.format(type_)}) {{ *a = v; return v; }}\n"
    text += 'extern "C" __global__ void k(long* x, half* h, complex* z, float* y) {\n'
    text += "atomicAdd(x, 5l), atomicMax(y, 7.0f), atomicAdd(h, half{3}), atomicAdd(z, complex{1, 2}); }\n"
    return text


def test_atomics_of_a_program(device):
    """A program defines the overloads of atomic operations that CUDA has not."""
    if device == "host":
        assert nvrtc_says(missing()) is None
    x, y, h, z = (tenorite.zeros(1, kind) for kind in "lfeF")
    tenorite.RawKernel(missing(), "k")((1,), (1,), (x, h, z, y))
    assert (x.item(), y.item(), int(h.view("u2")[0]), z.item()) == (5, 7, 3, 1 + 2j)


def test_atomics_of_complex_numbers():
    """Templates, too, and beside the headers that CuPy's programs include."""
    code = """#include <cupy/complex.cuh>
    #include <cuda_fp16.h>
    template <typename T> __device__ complex<T> atomicAdd(complex<T>* a, complex<T> v) {
        T* at = (T*)a;
        return complex<T>(atomicAdd(at, v.real()), atomicAdd(at + 1, v.imag()));
    }
    __device__ long atomicAdd(long* a, long v) {
        return (long)atomicAdd((unsigned long long*)a, (unsigned long long)v);
    }
    __device__ half atomicMax(half* a, half v) { half old = *a; if (v > old) *a = v; return old; }
    extern "C" __global__ void k(complex<float>* z, long* n, half* h) {
        atomicAdd(z, complex<float>(1, threadIdx.x)), atomicAdd(n, -3l), atomicMax(h, half(2.5f));
    }"""
    z, n, h = tenorite.zeros(1, "F"), tenorite.zeros(1, "l"), tenorite.zeros(1, "e")
    tenorite.RawKernel(code, "k")((1,), (4,), (z, n, h))
    assert (z.item(), n.item(), h.item()) == (4 + 6j, -12, 2.5)


def words():
    """The words of the texts that stand before every program of the host."""
    with open(DEVICE.parent / "meson.build", encoding="utf-8") as file:
        names = re.findall(r"'device/(\w+\.\w+)'", file.read())
    found = set()
    for name in names[: names.index("std.cuh") + 1]:
        text = re.sub(r"//.*|/\*(.|\n)*?\*/|\"[^\"\n]*\"", " ", (DEVICE / name).read_text())
        found |= set(re.findall(r"\b[a-zA-Z_]\w*", text))
    return sorted(word for word in found if not word.lower().startswith(("tni", "_")))


def test_words_are_free():
    """A name that CUDA leaves to programs is free: each word of our texts is tried."""
    free = [f"struct {word} {{ int own; }};" for word in words()]
    while said := nvrtc_says("\n".join(free)):
        lines = {int(line) for line in re.findall(r"names\.cu\((\d+)\): (?:catastrophic )?error", said)}
        assert lines, said
        free = [text if number not in lines else "" for number, text in enumerate(free, 1)]
    assert sum(map(bool, free)) > 100
    options = ("-O0",) if tenorite.cuda.runtime.is_host else ()
    tenorite.RawModule(code="\n".join(free), options=options).compile()
