"""Arrays that can't be what a kernel's pointers point at are refused by name; programs that read
memory as another type on purpose run."""

import functools
import re

import numpy as np
import pytest
import tenorite as cp
from programs import needs_doubles, on_double, python

HEAD = """
#include <cupy/complex.cuh>
#include <cuda_fp16.h>
#include <cstdint>
typedef double number;
template <class T> struct pair { T a, b; };
"""


@functools.cache
def module():
    """A kernel for each parameter of the lists below, as one text."""
    lines = [f'extern "C" __global__ void k{k}({parameter}) {{}}' for k, parameter in enumerate(PARAMETERS)]
    return cp.RawModule(code=HEAD + "\n".join(lines))


def launch(parameter, dtype):
    module().get_function(f"k{PARAMETERS.index(parameter)}")((1,), (1,), (cp.zeros((4, 2), dtype),))


REFUSED = [
    ("const float* x", "d"),
    ("float *__restrict__ x", "i4"),
    ("const double* const x", "f4"),
    ("double x[]", "i8"),
    ("int* x", "i8"),
    ("const int* x", "f4"),
    ("long long* x", "i4"),
    ("long* x", "d"),
    ("unsigned x[4]", "d"),
    ("const unsigned long long int * x", "u4"),
    ("short* x", "i4"),
    ("int64_t* x", "i4"),
    ("std::uint32_t* x", "u8"),
    ("bool* x", "i4"),
    ("complex<float>* x", "D"),
    ("const thrust::complex<double>* __restrict__ x", "F"),
    ("complex<double>* x", "i8"),
    ("float* x", "u1"),
    ("const half* x", "f4"),
]


@pytest.mark.parametrize("parameter, dtype", REFUSED)
def test_other_types_are_refused_by_name(parameter, dtype):
    with pytest.raises(TypeError) as info:
        launch(parameter, dtype)
    message = str(info.value)
    assert re.match(r"argument 0 \([xy]\) of kernel k\d+: an array of ", message)
    assert f"an array of {np.dtype(dtype).name} was given, the kernel takes {parameter.split(' x')[0][:5]}" in message
    assert "TENORITE_KERNEL_TYPES=0" in message


TAKEN = [
    ("const float* x", "f4"),
    ("const __half* x", "e"),
    ("half* x", "u2"),
    ("float* x", "F"),
    ("double* x", "D"),
    ("float2* x", "F"),
    ("float2* x", "f4"),
    ("void* x", "d"),
    ("char* x", "d"),
    ("const unsigned char* x", "i8"),
    ("signed char* x", "f4"),
    ("number* x", "f4"),
    ("pair<float>* x", "D"),
    ("long long* x", "i8"),
    ("long* x", "i8"),
    ("unsigned long long* x", "i8"),
    ("unsigned long long* x", "d"),
    ("unsigned int* x", "f4"),
    ("unsigned int* x", "u1"),
    ("int* x", "u4"),
    ("long long* x", "M8[s]"),
    ("bool* x", "?"),
    ("char* x", "?"),
    ("bool* x", "u1"),
    ("uint8_t* x", "i4"),
    ("complex<float>* x", "F"),
    ("complex<float>* x", "f4"),
    ("float* x", np.dtype([("a", "f4"), ("b", "i4")])),
]


PARAMETERS = list(dict.fromkeys(parameter for parameter, _ in REFUSED + TAKEN))


@pytest.mark.parametrize("parameter, dtype", TAKEN)
def test_what_may_be_meant_is_taken(parameter, dtype):
    launch(parameter, dtype)


def test_words_of_the_programs_own_may_be_anything():
    for text in (
        '#define float double\nextern "C" __global__ void touch(float* x) {}',
        '#define MORE int a, int b\nextern "C" __global__ void touch(MORE, double* x) {}',
        'typedef double int16;\nextern "C" __global__ void touch(int16* x) {}',
        '#define T(x) double* x\nextern "C" __global__ void touch(T(x)) {}',
        '#if 1\n#define A double\n#else\n#define A float\n#endif\nextern "C" __global__ void touch(A* x) {}',
    ):
        kernel = cp.RawKernel(text, "touch")
        count = 3 if "MORE" in text else 1
        kernel((1,), (1,), (np.int32(0),) * (count - 1) + (cp.zeros(4, "d"),))
    cp.RawKernel('extern "C" __global__ void touch(half* x) {}', "touch", options=("-Dhalf=double",))(
        (1,), (1,), (cp.zeros(4),)
    )


def test_branches_and_overloads_agree_or_say_nothing():
    text = """
#ifdef WIDE
extern "C" __global__ void touch(const double* x, int* y) {}
#else
extern "C" __global__ void touch(const float* x, int* y) {}
#endif"""
    kernel = cp.RawKernel(text, "touch", options=("-DWIDE",))
    kernel((1,), (1,), (cp.zeros(2), cp.zeros(2, "i4")))
    with pytest.raises(TypeError, match=r"argument 1 \(y\)"):
        kernel((1,), (1,), (cp.zeros(2), cp.zeros(2)))


def test_templates_tell_what_is_written_out():
    module = cp.RawModule(
        code="template <class T, int N> __launch_bounds__(64) __global__ void scale(T* x, const float *y) {}",
        name_expressions=["scale<double, 3>"],
    )
    kernel = module.get_function("scale<double, 3>")
    kernel((1,), (1,), (cp.zeros(2, "i4"), cp.zeros(2, "f")))
    with pytest.raises(TypeError, match=r"argument 1 \(y\) of kernel scale<double, 3>: an array of float64"):
        kernel((1,), (1,), (cp.zeros(2), cp.zeros(2)))


PROGRAM = """
import tenorite as cp
kernel = cp.RawKernel('typedef float real; extern "C" __global__ void touch(real* x, const double* y) {}', "touch")
for arguments in ((cp.zeros(4, "f"), cp.zeros(4, "f")), (cp.zeros(4), cp.zeros(4))):
    try:
        kernel((1,), (1,), arguments)
        print("taken")
    except TypeError as error:
        print(str(error).split(";")[0])
"""


@pytest.mark.host_only("types by the compiler are the host's")
def test_settings(tmp_path):
    second = "argument 1 (y) of kernel touch: an array of float32 was given, the kernel takes const double* (floats of 8 bytes)"
    first = "argument 0 (x) of kernel touch: an array of float64 was given, the kernel takes real* (floats of 4 bytes)"
    for setting, wanted in (
        ({}, [second, "taken"]),
        ({"TENORITE_KERNEL_CHECK": "1"}, [second, first]),
        ({"TENORITE_KERNEL_TYPES": "0"}, ["taken", "taken"]),
        ({"TENORITE_KERNEL_TYPES": "0", "TENORITE_KERNEL_CHECK": "1"}, ["taken", "taken"]),
    ):
        done = python("-c", PROGRAM, variables={**setting, "TENORITE_CACHE_DIR": str(tmp_path)})
        assert done.stdout.splitlines() == wanted, done.stderr


@needs_doubles
def test_on_the_double(tmp_path):
    program = PROGRAM.replace("real* x", "float* x")
    done = python("-c", program, variables=on_double(tmp_path))
    assert done.stdout.splitlines()[1].startswith("argument 0 (x) of kernel touch: an array of float64"), done.stderr
