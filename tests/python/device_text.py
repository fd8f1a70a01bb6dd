"""Device text of the CUDA backend run on the host as a RawKernel's: no GPU is needed.

What a launch takes is read where the build reads it, from the kernel's own text.
"""

import re
import struct
import sys
from pathlib import Path

import numpy as np
import tenorite as tn
from programs import ROOT

sys.path.append(str(Path(ROOT, "tools")))
import kernel_steps
from embed import end_of_program  # noqa: F401

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
    if isinstance(value, int):
        return value
    return value.data.ptr if value is not None and value.size else 0


def bounds():
    """Where a kernel reports failures: the call that failed, the epoch, the record, the call."""
    record = tn.zeros(6, "i8")
    record[5] = 1
    return tn.zeros(1, "u8"), tn.zeros(1, "u4"), record, 1


def checked(form, macros, params=None):
    """What the form's text says of its launch, which names these and no others."""
    kernel = kernel_steps.read(form, next(KERNELS.rglob(form + ".cu")).read_text(encoding="utf-8"))
    assert set(macros) == set(kernel.macros), (form, set(macros) ^ set(kernel.macros))
    names = {member.name for member in kernel.members}
    assert params is None or set(params) == names, (form, set(params) ^ names)
    return kernel


def axis(size, wide):
    """As tni_pack_axis packs it."""
    if wide:
        return struct.pack("2q", size, 0)
    shift = (size - 1).bit_length()
    return struct.pack("4I", size, ((((1 << shift) - size) << 32) // size + 1) & 0xFFFFFFFF, shift, 0)


def packed(member, value, macros):
    """Arrays stand for their addresses, bytes for themselves; a shape is its sizes, then the
    strides of each array."""
    if isinstance(value, bytes):
        return value
    if kernel_steps.SHAPE.match(member.type):
        sizes, *strides = value
        axes = b"".join(axis(size, macros["WIDE_INDEX"]) for size in sizes)
        return axes + b"".join(struct.pack(f"{len(sizes)}q", *one) for one in strides)
    if member.type in ("Axis", "NarrowAxis"):
        wide = member.type == "Axis" and macros["WIDE_INDEX"]
        return b"".join(axis(size, wide) for size in (value if member.length else [value]))
    values = value if member.length or member.type == "Bounds" else [value]
    code = "d" if member.type == "double" else "q"
    return b"".join(struct.pack(code, one if code == "d" else address(one)) for one in values)


def launch(form, macros, blocks, threads, body="", **params):
    """params: the values of the form's struct Params, by their names."""
    members = checked(form, macros, params).members
    data = b"".join(packed(member, params[member.name], macros) for member in members)
    kernel(form, body, **macros)((blocks,), (threads,), (tn.array(np.frombuffer(data, np.uint8)),))
