"""Device text of the CUDA backend run on the host as a RawKernel's: no GPU is needed."""

import re
import struct
from pathlib import Path

import numpy as np
import tenorite as tn
from programs import ROOT

KERNELS = Path(ROOT, "src", "backend", "cuda", "kernels")
TYPES = """
typedef signed char tn_i8; typedef unsigned char tn_u8; typedef short tn_i16; typedef unsigned short tn_u16;
typedef int tn_i32; typedef unsigned tn_u32; typedef long long tn_i64; typedef unsigned long long tn_u64;
"""


def text_of(name, seen):
    """A file of kernels/ or src/ops with what it includes."""
    if name in seen or name == "types.h":
        return ""
    seen.add(name)
    path = next(KERNELS.rglob(name), KERNELS.parents[2] / "ops" / name)
    with open(path, encoding="utf-8") as file:
        return re.sub(r'#include "(.*)"\n', lambda found: text_of(found[1], seen), file.read())


def kernel(form, body="", **macros):
    """The form as a kernel that gets the address of its parameters; each has a name of its own.
    body: what the program defines besides macros."""
    name = "_".join([form, *(str(value) for value in macros.values())])
    text = text_of(form + ".cu", set())
    text = text.replace(
        "KERNEL(const __grid_constant__ Params p) {", f"{name}(const Params *p_) {{ const Params &p = *p_;"
    )
    defines = "".join(f"#define {macro} {value}\n" for macro, value in macros.items())
    return tn.RawKernel(f"{TYPES}{body}\n{defines}{text}", name)


def address(value):
    return value if isinstance(value, int) else value.data.ptr if value is not None else 0


def bounds():
    """Where a kernel reports failures: the call that failed, the epoch, the record, the call."""
    record = tn.zeros(6, "i8")
    record[5] = 1
    return tn.zeros(1, "u8"), tn.zeros(1, "u4"), record, 1


def launch(form, macros, blocks, threads, *values, body=""):
    """Values are arrays (their addresses), integers, None and bytes as they are."""
    packed = b"".join(value if isinstance(value, bytes) else struct.pack("q", address(value)) for value in values)
    kernel(form, body, **macros)((blocks,), (threads,), (tn.array(np.frombuffer(packed, np.uint8)),))
