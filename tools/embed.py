"""Turn text files into one C file: an array of {name, text, length}, sorted by name.

    python tools/embed.py [--host | --user] OUTPUT.c INPUT...
    python tools/embed.py --usual OUTPUT.c RECORD

The array is the one that src/backend/cuda/compile/device_text.h declares; with --host that of
src/backend/host/compiler/host_text.h, with --user that of src/kernel/headers.h. These two keep
the order of the command. A name is the bare name of its file, because that is what an #include in
device text says; two files of one name are an error. Among device texts is one more, end.cuh: many
programs stand in one text, each before it, and it undefines what kernels and their headers define
and what they name as their MACROS.

With --usual the texts are those of a record of src/backend/cuda/precompile/record_kernels.c. Few
of their lines are not the same, so each is stored as the numbers of its lines, in which @ is the
kernel's name (warm.h beside that file).
"""

import os
import re
import sys

HEAD = """/* Made by tools/embed.py; do not edit. */
#include "%s.h"

const tni_text tni_%s_texts[] = {
"""
HEADERS = {
    "device": "backend/cuda/compile/device_text",
    "host": "backend/host/compiler/host_text",
    "user": "kernel/headers",
}
TAIL = """};
const size_t tni_%s_text_count = sizeof tni_%s_texts / sizeof tni_%s_texts[0];
"""


def c_string(line: bytes) -> str:
    """One line as a C string literal. Octal escapes have a fixed width, so no digit can follow."""
    out = []
    for byte in line:
        char = chr(byte)
        if char == "\n":
            out.append("\\n")
        elif char in '"\\?':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def entry(name: str, text: bytes) -> str:
    lines = text.splitlines(keepends=True) or [b""]
    body = "\n".join("     " + c_string(line) for line in lines)
    return f'    {{"{name}",\n{body},\n     {len(text)}}},\n'


def end_of_program(texts: dict[str, bytes]) -> bytes:
    kernels = "".join(text.decode() for name, text in texts.items() if name.endswith((".cu", ".cuh")))
    names = set(re.findall(r"^\s*#\s*define (\w+)", kernels, re.MULTILINE))
    for macros in re.findall(r"^#define MACROS((?:.*\\\n)*.*)", kernels, re.MULTILINE):
        names.update(re.findall(r"\w+", macros))
    return "".join(f"#undef {name}\n" for name in sorted({"KERNEL", *names})).encode()


def usual(output: str, record: str) -> int:
    with open(record, encoding="ascii") as file:
        _, *parts = re.split(r"^// kernel (\w+)\n", file.read(), flags=re.MULTILINE)
    numbers: dict[str, int] = {}
    kernels, texts = [], []
    if any("@" in text for text in parts):
        print(f"embed.py: a text of {record} has an @ of its own", file=sys.stderr)
        return 1
    for name, text in zip(parts[::2], parts[1::2]):
        kernels.append(f'    {{"{name}", {len(texts)}}},\n')
        for line in text.replace(name, "@").splitlines(keepends=True):
            texts.append(numbers.setdefault(line, len(numbers)))
    with open(output, "w", encoding="ascii") as file:
        file.write('/* Made by tools/embed.py; do not edit. */\n#include "backend/cuda/precompile/warm.h"\n\n')
        file.write("const char *const tni_usual_lines[] = {\n")
        file.writelines(f"    {c_string(line.encode())},\n" for line in numbers)
        file.write("};\nconst uint16_t tni_usual_texts[] = {\n")
        file.writelines(f"    {number},\n" for number in texts)
        file.write("};\nconst tni_usual_kernel tni_usual_kernels[] = {\n")
        file.writelines(kernels)
        file.write(f"    {{NULL, {len(texts)}}}}};\nconst int tni_usual_count = {len(kernels)};\n")
    return 0


def main(kind: str, output: str, inputs: list[str]) -> int:
    texts: dict[str, bytes] = {}
    for path in inputs:
        name = os.path.basename(path)
        if name in texts:
            print(f"embed.py: two files are named {name}", file=sys.stderr)
            return 1
        with open(path, "rb") as file:
            texts[name] = file.read().replace(b"\r\n", b"\n")
        if b"\0" in texts[name]:
            print(f"embed.py: {path} holds a NUL byte", file=sys.stderr)
            return 1
    if kind == "device":
        texts["end.cuh"] = end_of_program(texts)
    with open(output, "w", encoding="ascii") as file:
        file.write(HEAD % (HEADERS[kind], kind))
        for name in sorted(texts) if kind == "device" else texts:
            file.write(entry(name, texts[name]))
        file.write(TAIL % (kind, kind, kind))
    return 0


if __name__ == "__main__":
    kind = sys.argv[1].removeprefix("--") if sys.argv[1].startswith("--") else "device"
    first = 1 if kind == "device" else 2
    if kind == "usual":
        sys.exit(usual(*sys.argv[2:]))
    sys.exit(main(kind, sys.argv[first], sys.argv[first + 1 :]))
