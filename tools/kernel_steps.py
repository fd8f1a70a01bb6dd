"""Write what a launch of each device kernel takes as C: one header of structs and functions.

    python tools/kernel_steps.py OUTPUT.h KERNEL.cu...

A kernel says it once, in its own text: `#define MACROS A, B` names the macros that its key holds,
`struct Params` has the parameters of a launch, and `#define HEADER "random.h"`, where there is one,
names what its program includes outside of the kernel's namespace. The header has, of each kernel,
both as C structs whose members are set by name (TNI_STEP of forms/step.h), and the function that
packs them. A member's type decides what C gives for it:

    tn_i64 x, tn_u64 x, double x    a number
    T *x                            an address, or one within scratch memory
    ... x[N]                        where N of them are; of ScalarValue, N addresses of 16 bytes
    Shape<AXES, ARRAYS> x           TNI_SHAPE: sizes and the strides of each array
    Axis x, NarrowAxis x            a size
    Counters x                      whether there are any: an address, or NULL
    Locks x, Bounds x               nothing: launching writes them
    any other struct                TNI_BYTES: its bytes as they are

Lengths are expressions over MACROS. A member between `#if MACRO` and `#endif` is packed where the
macro is not 0.
"""

import os
import re
import sys
from dataclasses import dataclass

# Types of device text, and how C declares a member of them, or where N of them are.
SCALARS = {
    "*": "const void *",
    "tn_i64": "int64_t ",
    "tn_u64": "uint64_t ",
    "double": "double ",
    "Axis": "int64_t ",
    "NarrowAxis": "int64_t ",
    "Counters": "bool ",
}
ARRAYS = {
    "*": "const void *const *",
    "ScalarValue": "const void *const *",
    "tn_i64": "const int64_t *",
    "tn_u64": "const void *",
    "double": "const double *",
    "Axis": "const int64_t *",
}
SHAPE = re.compile(r"Shape<(.+), ?(.+)>$")


@dataclass
class Member:
    type: str  # as the kernel has it, without const; "*": an address
    name: str
    length: str | None  # of an array, an expression
    condition: str | None  # a macro


@dataclass
class Kernel:
    name: str
    header: str | None  # in quotes
    macros: list[str]
    members: list[Member]


def read_members(text: str) -> list[Member]:
    members, condition = [], None
    text = re.sub(r"^ *#(if|endif)(.*)$", r"@\1\2;", text, flags=re.MULTILINE)
    for part in (part.strip() for part in text.split(";")):
        if part.startswith("@"):
            condition = part[4:].strip() if part.startswith("@if ") else None
            continue
        found = re.match(r"(?:const )?(?:unsigned (?=\w))?([\w:]+(?:<[^>]*>)?(?:::\w+)?)\s+(.*)", part, re.DOTALL)
        for item in found[2].split(",") if found else ():
            name = re.fullmatch(r"\s*(\*?)\s*(\w+)(?:\[(.+)\])?", item)
            if not name:
                raise ValueError(f"struct Params: {part!r} is not understood")
            members.append(Member("*" if name[1] else found[1], name[2], name[3], condition))
        if part and not found:
            raise ValueError(f"struct Params: {part!r} is not understood")
    return members


def read(name: str, text: str) -> Kernel | None:
    """What the text of a file says of its kernel; None: it says nothing of a launch."""
    text = re.sub(r"/\*.*?\*/", "", text.replace("\\\n", " "), flags=re.DOTALL)
    macros = re.search(r"^#define MACROS (.*)$", text, re.MULTILINE)
    params = re.search(r"^struct Params \{(.*?)^\};", text, re.MULTILINE | re.DOTALL)
    if not macros or not params:
        return None
    include = re.search(r'^#define HEADER ("[\w.]+")$', text, re.MULTILINE)
    return Kernel(
        name, include and include[1], [macro.strip() for macro in macros[1].split(",")], read_members(params[1])
    )


def in_c(kernel: Kernel, expression: str) -> str:
    """An expression of device text over the macros that C was given."""
    unknown = set(re.findall(r"[A-Za-z_]\w*", expression)) - set(kernel.macros)
    if unknown:
        raise ValueError(f"{kernel.name}: {unknown.pop()} of {expression} is not among its MACROS")
    return "(" + re.sub(r"[A-Za-z_]\w*", r"m->\g<0>", expression) + ")"


def declared(member: Member) -> str:
    """The member of the C struct; empty: C gives nothing."""
    shape = SHAPE.match(member.type)
    if shape:
        return f"tni_shape_{shape[2] if shape[2].isdecimal() else 'any'} {member.name};"
    if member.type in ("Locks", "Bounds"):
        return ""
    kinds = ARRAYS if member.length else SCALARS
    return f"{kinds.get(member.type, 'tni_bytes ')}{member.name};"


def packed(kernel: Kernel, member: Member) -> str:
    """The statement that packs the member."""
    value, shape, kind = f"p->{member.name}", SHAPE.match(member.type), member.type
    if shape:
        axes, arrays = in_c(kernel, shape[1]), in_c(kernel, shape[2])
        return f"tni_pack_shape(plan, {axes}, {value}.sizes, {arrays}, {value}.strides, m->WIDE_INDEX);"
    if kind == "Counters":
        return f"tni_pack_counters(plan, {value});"
    if kind in ("Locks", "Bounds"):
        return f"tni_pack_{kind.lower()}(plan);"
    item = f"{value}[k]" if member.length else value
    each = f"for (int k = 0; k < {in_c(kernel, member.length)}; k++) " if member.length else ""
    if kind == "*":
        return f"{each}tni_pack_pointer(plan, {item});"
    if kind in ("Axis", "NarrowAxis"):
        return f"{each}tni_pack_axis(plan, {item}, {'m->WIDE_INDEX' if kind == 'Axis' else 'false'});"
    if kind == "ScalarValue":
        return f"{each}tni_pack(plan, {item}, 16);"
    if kind == "tn_u64" and member.length:
        return f"tni_pack(plan, {value}, {in_c(kernel, member.length)} * 8);"
    if kind in SCALARS:
        return f"{each}tni_pack(plan, &{item}, sizeof {item});"
    return f"tni_pack(plan, {value}.data, {value}.size);"


def header(kernel: Kernel) -> str:
    name, given = kernel.name, [text for text in map(declared, kernel.members) if text]
    macros = ", ".join(f'"{macro}"' for macro in kernel.macros)
    lines = [
        f'#define TNI_TEXT_{name} "{name}", {kernel.header or "NULL"}, {{{macros}}}',
        f"typedef struct tni_{name}_form {{ tni_form is; }} tni_{name}_form;",
        f"typedef struct TNI_BY_NAME tni_{name}_macros {{ int16_t {', '.join(kernel.macros)}; }} tni_{name}_macros;",
        f"typedef struct TNI_BY_NAME tni_{name}_params {{ {' '.join(given)} }} tni_{name}_params;",
        f"enum {{ TNI_MACROS_{name} = {len(kernel.macros)}, TNI_PARAMS_{name} = {len(given)} }};",
        f"static inline tni_form_key *tni_step_{name}(tni_plan *plan, const tni_{name}_form *form, "
        f"const tni_{name}_macros *m, const tni_{name}_params *p) {{",
        "    tni_form_key *key = tni_plan_step(plan, &form->is, m, sizeof *m);",
    ]
    for member in kernel.members:
        statement = packed(kernel, member)
        lines.append(f"    if (m->{member.condition}) {{ {statement} }}" if member.condition else f"    {statement}")
    return "\n".join([*lines, "    return key;", "}", ""])


def main(output: str, inputs: list[str]) -> int:
    parts = ["/* Made by tools/kernel_steps.py; do not edit. */"]
    for path in inputs:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            kernel = read(os.path.splitext(os.path.basename(path))[0], text)
            parts += [header(kernel)] if kernel else []
        except ValueError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
