"""Headers of C that NVRTC lacks: types and limits, on both backends."""

import numpy as np
import pytest
import tenorite as cp
from programs import needs_doubles, on_double, output_of
from tenorite.cuda import nvrtc
from tenorite.exceptions import CUDARuntimeError

HEADERS = "cfloat climits cstddef cstdint float.h limits.h stddef.h stdint.h".split()
INCLUDED = "".join(f"#include <{name}>\n" for name in HEADERS)
WHOLE = {
    "CHAR_BIT": 8,
    "SCHAR_MIN": -128,
    "UCHAR_MAX": 255,
    "SHRT_MIN": -(2**15),
    "USHRT_MAX": 2**16 - 1,
    "INT_MIN": -(2**31),
    "UINT_MAX": 2**32 - 1,
    "LONG_MIN": -(2**63),
    "LLONG_MAX": 2**63 - 1,
    "INT8_MIN": -128,
    "INT16_MAX": 2**15 - 1,
    "INT_LEAST32_MIN": -(2**31),
    "UINT32_MAX": 2**32 - 1,
    "INT64_MIN": -(2**63),
    "INTPTR_MAX": 2**63 - 1,
    "INTMAX_MAX": 2**63 - 1,
    "INT64_C(1) << 40": 2**40,
    "UINT32_C(4294967295)": 2**32 - 1,
    "CHAR_MAX - CHAR_MIN": 255,
    "SIZE_MAX == UINT64_MAX && ULONG_MAX == ULLONG_MAX": 1,
    "offsetof(Pair, second)": 8,
    "NULL == 0": 1,
    "FLT_MANT_DIG": 24,
    "DBL_DIG": 15,
    "FLT_MIN_EXP": -125,
    "DBL_MAX_10_EXP": 308,
    "FLT_RADIX": 2,
    **{f"sizeof(std::uint{bits}_t)": bits // 8 for bits in (8, 16, 32, 64)},
    **{f"sizeof(int_least{bits}_t)": bits // 8 for bits in (8, 16, 32, 64)},
    **dict.fromkeys(("sizeof(std::size_t)", "sizeof(ptrdiff_t)", "sizeof(uintptr_t)", "sizeof(std::intmax_t)"), 8),
    "sizeof(std::nullptr_t)": 8,
    "alignof(std::max_align_t) >= 8": 1,
}
REAL = {
    "FLT_MAX": np.finfo("f4").max,
    "FLT_MIN": np.finfo("f4").tiny,
    "FLT_EPSILON": np.finfo("f4").eps,
    "FLT_TRUE_MIN": np.finfo("f4").smallest_subnormal,
    "DBL_MAX": np.finfo("f8").max,
    "DBL_MIN": np.finfo("f8").tiny,
    "DBL_EPSILON": np.finfo("f8").eps,
    "DBL_TRUE_MIN": np.finfo("f8").smallest_subnormal,
}


def test_values():
    lines = [f"whole[{k}] = (long long)({text});" for k, text in enumerate(WHOLE)]
    lines += [f"real[{k}] = {text};" for k, text in enumerate(REAL)]
    text = INCLUDED + "struct Pair { std::int8_t first; double second; };\n"
    text += 'extern "C" __global__ void tell(std::int64_t* whole, double* real) {\n' + "\n".join(lines) + "\n}"
    whole, real = cp.empty(len(WHOLE), "q"), cp.empty(len(REAL))
    cp.RawKernel(text, "tell")((1,), (1,), (whole, real))
    assert dict(zip(WHOLE, whole.get().tolist())) == WHOLE
    assert dict(zip(REAL, real.get().tolist())) == {name: float(value) for name, value in REAL.items()}


PROGRAM = """
import sys
import tenorite as cp
text, *options = {given!r}
try:
    cp.RawModule(code=text + '\\nextern "C" __global__ void touch(int* x) {{}}', options=tuple(options)).get_function("touch")
    print("good")
except cp.exceptions.CompileException as error:
    print(error)
"""


@pytest.fixture
def compiled(tmp_path):
    """What NVRTC itself says of a text, on the double of the driver."""
    try:
        nvrtc.getVersion()
    except CUDARuntimeError as reason:
        pytest.skip(str(reason))
    variables = on_double(tmp_path / "cache")
    del variables["TENORITE_NVRTC_PATH"]
    return lambda *given: output_of(PROGRAM.format(given=given), variables=variables)


@needs_doubles
def test_folders_of_the_program(tmp_path, compiled):
    """A header in a folder of the program's is included, however the option is written."""
    (tmp_path / "cstdint").write_text("#define OURS 1\n")
    text = "#include <cstdint>\n#ifndef OURS\nstd::uint32_t theirs;\n#error theirs\n#endif"
    assert "#error directive: theirs" in compiled(text)
    for options in (
        (f"-I{tmp_path}",),
        ("-I", str(tmp_path)),
        (f"--include-path={tmp_path}",),
        ("--include-path", str(tmp_path)),
    ):
        assert compiled(text, *options).strip() == "good"


@needs_doubles
def test_beside_cuda_std(compiled):
    """The types are those of <cuda/std/...>, in any order."""
    std = "".join(f"#include <cuda/std/{name}>\n" for name in HEADERS[:4])
    if "good" not in compiled(std):
        pytest.skip("CCCL is not installed")
    for text in (INCLUDED + std, std + INCLUDED):
        assert compiled(text).strip() == "good"
    assert compiled(INCLUDED, "-std=c++11").strip() == "good"
