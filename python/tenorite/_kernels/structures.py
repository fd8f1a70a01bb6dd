"""Elements that are no numbers as types of C, for the kernels that programs write."""

import hashlib
import math

_NUMBERS = {
    "b1": "bool",
    "i1": "signed char",
    "i2": "short",
    "i4": "int",
    "i8": "long long",
    "u1": "unsigned char",
    "u2": "unsigned short",
    "u4": "unsigned int",
    "u8": "unsigned long long",
    "f4": "float",
    "f8": "double",
}
# Classes of C++ are not packed: their parts, or their bits.
_PARTS = {"c8": ("float", 2), "c16": ("double", 2), "f2": ("unsigned short", 1)}


def define(dtype):
    """(the name of a type, the text that defines it); (None, None) where fields share bytes."""
    if dtype.kind in "Mm":
        return "long long", ""
    members, before = _members(dtype)
    if members is None:
        return None, None
    alignment = math.gcd(dtype.itemsize, 16)
    digest = hashlib.sha256(f"{before}{members}{alignment}".encode()).hexdigest()[:16]
    name = f"tenorite_{digest}"
    by_number = _by_number(dtype, alignment)
    text = f"struct __attribute__((packed, aligned({alignment}))) {name} {{ {members}{by_number} }};"
    return name, before + text


def _by_number(dtype, alignment):
    """What gives the fields by their numbers, as CuPy's structures do: T::field_count, x.at<0>().

    Fields of which C++ has no type, and those that do not lie at a multiple of their size, have no
    at().
    """
    names = dtype.names or ()
    if not names or {"at", "field_count"} & set(names):
        return ""
    found = []
    for k, name in enumerate(names):
        field, offset = dtype[name], dtype.fields[name][1]
        type = "long long" if field.base.kind in "Mm" else _NUMBERS.get(field.base.str[1:])
        size = field.base.itemsize
        if type is None or offset % size or alignment % size:
            continue
        sizes = "".join(f"[{length}]" for length in field.shape)
        found.append(f"using tni_type{k} = {type}{sizes};")
        for const in ("", "const "):
            place = f"*({const}tni_type{k} *)(({const}char *)this + {offset})"
            found.append(f"__host__ __device__ {const}tni_type{k} &tni_at(tni_field<{k}>) {const}{{ return {place}; }}")
    if not found:
        return f" static constexpr int field_count = {len(names)};"
    found += [
        f"template <int K> __host__ __device__ auto &at() {const}{{ return tni_at(tni_field<K>()); }}"
        for const in ("", "const ")
    ]
    return " ".join(
        ["", f"static constexpr int field_count = {len(names)};", "template <int K> struct tni_field {};", *found]
    )


def _members(dtype):
    """The members in the order of their offsets with bytes between them, and what defines their
    types."""
    fields = sorted((dtype.fields[name][1], name) for name in dtype.names or ())
    members, before, at = [], "", 0
    for offset, name in fields:
        if offset < at:
            return None, ""
        if offset > at:
            members.append(f"unsigned char _gap{at}[{offset - at}];")
        base, shape = dtype[name].base, dtype[name].shape
        type, count = _NUMBERS.get(base.str[1:]), 1
        if base.kind in "Mm":
            type = "long long"
        elif base.names is not None:
            inner, more = _members(base)
            if inner is None:
                return None, ""
            type = f"tenorite_{hashlib.sha256((more + inner).encode()).hexdigest()[:16]}_part"
            more += f"struct __attribute__((packed)) {type} {{ {inner} }};\n"
            before += "" if more in before else more
        elif type is None:
            type, count = _PARTS.get(base.str[1:], ("unsigned char", base.itemsize))
        sizes = "".join(f"[{size}]" for size in (*shape, *([count] if count > 1 else [])))
        members.append(f"{type} {name if name.isidentifier() else f'_field{offset}'}{sizes};")
        at = offset + dtype[name].itemsize
    if at < dtype.itemsize:
        members.append(f"unsigned char _gap{at}[{dtype.itemsize - at}];")
    return " ".join(members), before
