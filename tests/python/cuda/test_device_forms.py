"""The device forms compile with NVRTC, for four architectures and without a warning; no GPU is
needed. Each program is compiled for one of these, and all together for another; with
TENORITE_WHOLE=1 each for all.

The forms that `cache.warm` knows (element-wise, reductions, scans) are compiled through it, with
the bodies that the C side writes. The others, whose bodies are a type or two, are written here.
"""

import os
import re
from pathlib import Path

import pytest
import test_device_text as device_text
from device_text import KERNELS, checked, end_of_program
from programs import ROOT, python

STORED = {suffix: dtype.storage for suffix, dtype in device_text.dtypes().items()}
INDEX_TYPES = [s for s in STORED if s[0] in "iu"]
SIZES = (1, 2, 4, 8, 16)
WHOLE = os.environ.get("TENORITE_WHOLE") == "1"
# The oldest one, whose compiler has most to refuse; with TENORITE_WHOLE=1 all of them.
WARMED = device_text.ARCHITECTURES if WHOLE else device_text.ARCHITECTURES[:1]

WARM = """
import sys, time, tenorite
start = time.time()
tenorite.cache.warm(archs=[int(sys.argv[1])], progress=False)
info = tenorite.cache.info()
assert info["compiled"] < 60, "batches fell apart: %s" % info
print("%d kernels in %.0f s" % (info["files"], time.time() - start))
"""


def program(form, body="", **macros):
    """As program.c writes it."""
    checked(form, macros)
    name = f"kernel_{form}"
    lines = [device_text.includes(body), f"namespace of_{name} {{", f"#define KERNEL {name}"]
    lines += [f"#define {macro} {value}" for macro, value in macros.items()]
    lines += [body, f'#include "{form}.cu"', "}", '#include "end.cuh"']
    lines += [f"#undef {macro}" for macro in re.findall(r"^#define (\w+)", body, re.MULTILINE)]
    return "\n".join(lines) + "\n"


def moves():
    """take, put and their helpers: every index dtype, mode and size of a unit at least once."""
    for k, index in enumerate(INDEX_TYPES):
        body = f"typedef {STORED[index]} IndexType;"
        common = {"BLOCK": 256, "WIDE_INDEX": k % 2, "INDEX_MODE": k % 3}
        yield program("check", body, BLOCK=256, NDIM=k % 4, WIDE_INDEX=k % 2, SEGMENTS=k % 2)
        yield program("own", body, BLOCK=256, INDEX_MODE=k % 3, OWNERS=1 + k % 2, STEP=k % 3 if k % 2 == 0 else 0)
        yield program(
            "put_last", body, BLOCK=256, INDEX_MODE=k % 3, UNIT_BYTES=SIZES[k % 5], UNROLL=4, STEP=k % 3, LOOKS=k % 2
        )
        yield program(
            "take",
            body,
            **common,
            UNROLL=4,
            UNIT_BYTES=SIZES[k % 5],
            NDIM=1 + k % 3,
            PUT=0,
            CHECKED=k % 2,
            OWNERS=0,
            VALUE=0,
        )
        yield program(
            "take",
            body,
            **common,
            UNROLL=4,
            UNIT_BYTES=SIZES[k % 5],
            NDIM=1 + k % 3,
            PUT=1,
            CHECKED=1,
            OWNERS=k % 3,
            VALUE=int(k % 3 == 0),
        )


def places():
    """Several index arrays: places of each step, and elements of every size."""
    for k, size in enumerate((0, 0, *SIZES)):
        yield program(
            "places",
            BLOCK=256,
            UNROLL=4,
            INDEX_MODE=0,
            COUNT=1 + k % 4,
            NDIM=k % 3,
            WIDE_INDEX=k % 2,
            ADDS=int(k == 1),
            UNIT_BYTES=size,
        )


def masks():
    yield program("count", WIDE_INDEX=0)
    for size in SIZES:
        for expand, value in ((0, 0), (1, 0), (1, 1), (1, 2)):
            yield program(
                "compress", UNIT_BYTES=size, NDIM=1 + expand, WIDE_INDEX=value % 2, EXPAND=expand, VALUE=value
            )
    for ndim in (1, 3):
        yield program("nonzero", NDIM=ndim, WIDE_INDEX=0)


def joins():
    for k, size in enumerate(SIZES):
        yield program("join", BLOCK=256, UNIT_BYTES=size, UNROLL=4, WIDE_INDEX=k % 2, PARTS=(32, 128)[k % 2])


def updates():
    """ufunc.at: elements of every dtype, replaced by their operand."""
    for k, (suffix, stored) in enumerate(STORED.items()):
        way = 2 if suffix == "c128" else 1
        body = (
            f"typedef {stored} Stored; typedef {stored} Operand;\n"
            "#define load_element(x) x\n#define load_operand(x) x\n#define save_element(x) x\n"
            "__device__ Stored at_body(Stored, Operand b) { return b; }"
        )
        yield program(
            "ufunc_at",
            body,
            AT_WAY=way,
            BLOCK=256,
            PLACES=4096,
            INDEX_COUNT=1 + k % 3,
            NDIM=1 + k % 2,
            WIDE_INDEX=k % 2,
        )
    for stored in ("float", "double", "int", "unsigned", "tn_u64"):
        for way in (0, 3):
            body = (
                f"typedef {stored} Stored; typedef {stored} Operand;\n"
                "__device__ void at_native(Stored *at, Operand b) { atomicAdd(at, b); }"
            )
            yield program("ufunc_at", body, AT_WAY=way, BLOCK=256, PLACES=4096, INDEX_COUNT=1, NDIM=1, WIDE_INDEX=0)


def images():
    """Labels and distances: every rank, metric and room at least once."""
    for wide in (0, 1):
        common = {"BLOCK": 256, "WIDE_INDEX": wide}
        for joined in (0, 1):
            yield program("label_runs", **common, JOINED=joined)
            yield program("label_tiles", **common, JOINED=joined)
            for ndim in (1, 2, 3, 5):
                yield program(
                    "label_merge", **common, JOINED=joined, NDIM=ndim, TILED=int(ndim > 1), STEPS=(8, 64)[wide]
                )
            yield program("label_write", **common, WIDE_LABEL=joined)
            yield program("label_boxes", **common, NDIM=1 + wide + joined, WIDE_LABEL=joined)
        yield program("label_count", **common)
        yield program("label_number", **common)
    for metric in (0, 1, 2):
        for last in (0, 1):
            common = {"METRIC": metric, "NONE": metric, "NDIM": 2 + metric, "IS_LAST": last}
            yield program("distance_scan", **common, BLOCK=1024 >> metric, LANES=32 >> metric)
            lanes, length = ((1, 4096), (4, 1024), (1, 0))[(metric + last) % 3]
            yield program("distance_lines", **common, BLOCK=256, LANES=lanes, LENGTH=length)


def products():
    for suffix, stored in STORED.items():
        is_complex = suffix[0] == "c"
        body = (
            f"typedef {stored} Stored; typedef {stored} Sum; typedef {stored} Working;\n"
            "#define load_working(x) x\n#define save_working(x) x\n"
            "__device__ Sum matmul_add(Sum c, Sum a, Sum b) { return "
            + ("m_add(c, m_multiply(a, b)); }" if is_complex else "(Sum)(c + a * b); }")
        )
        yield program(
            "matmul", body, CONJUGATE=int(is_complex), TILE=16 if suffix == "c128" else 64, BATCH_NDIM=1, WIDE_INDEX=0
        )


def scans():
    """With and without a look back, for every size of a fold and of its place in memory."""
    for k, (suffix, stored) in enumerate(STORED.items()):
        total = {"b8": "tn_i64", "f16": "float", "bf16": "float"}.get(suffix, stored)
        sum_of = "m_add(a, b)" if suffix[0] == "c" else f"({total})(a + b)"
        body = (
            f"typedef {stored} Input; typedef {total} Accumulator; typedef {total} Output;\n"
            "__device__ Accumulator scan_load(Input a) { return (Accumulator)a; }\n"
            f"__device__ Accumulator fold_op(Accumulator a, Accumulator b) {{ return {sum_of}; }}\n"
            "__device__ Accumulator fold_neutral() { return Accumulator(); }\n"
            "__device__ Output fold_store(Accumulator a) { return a; }"
        )
        place = {"b8": 16, "i64": 16, "u64": 16, "f64": 16, "c64": 16, "c128": 32}.get(suffix, 8)
        for packed in (0, 1):
            yield program(
                "scan_short",
                body,
                BLOCK=256,
                TEAM=1 << k % 6,
                CHUNK=9,
                PACKED=packed,
                WIDTH=1 << k % 2,
                OUTPUT_WIDTH=1,
                KEPT_NDIM=1 + k % 3,
                WIDE_INDEX=packed,
            )
        for look in (0, 1):
            yield program(
                "scan_rows",
                body,
                BLOCK=256,
                COUNT=8 if suffix == "c128" else 16,
                LOOK=look,
                GROUP=32,
                PLACE_BYTES=place,
                WIDTH=1 if suffix == "c128" else 2,
                OUTPUT_WIDTH=1,
                KEPT_NDIM=k % 3,
                WIDE_INDEX=look,
            )
            yield program(
                "scan_columns",
                body,
                BLOCK=256,
                LOOK=look,
                GROUP=16,
                PLACE_BYTES=place,
                ORDERED=0,
                LANES=1 << k % 6,
                ROWS=8,
                KEPT_NDIM=k % 3,
                WIDE_INDEX=look,
            )


def running_products():
    for stored, one in (
        ("float", "1"),
        ("double", "1"),
        ("tn_c64", "m_make_c64(1, 0)"),
        ("tn_c128", "m_make_c128(1, 0)"),
    ):
        product = "m_multiply(a, b)" if stored.startswith("tn") else "a * b"
        body = (
            f"typedef {stored} Input; typedef {stored} Accumulator; typedef {stored} Output;\n"
            "__device__ Accumulator scan_load(Input a) { return a; }\n"
            "__device__ Output fold_store(Accumulator a) { return a; }\n"
            f"__device__ Accumulator fold_neutral() {{ return {one}; }}\n"
            f"__device__ Accumulator fold_op(Accumulator a, Accumulator b) {{ return {product}; }}"
        )
        for phase in range(4):
            yield program("scan_product", body, BLOCK=256, COUNT=8, PHASE=phase, KEPT_NDIM=phase % 2, WIDE_INDEX=0)


def linear_algebra():
    yield program("failures", BLOCK=256)
    yield program("permutation", BLOCK=256)
    for words in (1, 2, 4):
        yield program("triangle", BLOCK=256, WORDS=words, UPPER=words % 2)
    for number in range(12):
        real = ("float", "double")[number % 2]
        yield program(
            "group_matrices",
            f"typedef {real} Real;",
            BLOCK=64,
            OPERATION=number // 2,
            VECTORS=int(number > 1),
            SIDE=4 << number // 2 % 4,
        )
    for real in ("float", "double"):
        yield program("not_numbers", f"typedef {real} Real;", BLOCK=256)
        yield program("eigenvectors", f"typedef {real} Real;", BLOCK=256)
        for is_complex in (0, 1):
            yield program("diagonal_zeros", f"typedef {real} Real;", BLOCK=256, COMPLEX=is_complex)
            for lanes in (1, 4, 32):
                yield program("determinant", f"typedef {real} Real;", BLOCK=256, COMPLEX=is_complex, LANES=lanes)


def randoms():
    """Every distribution: filled ones of each dtype, drawn ones with numbers and with arrays."""
    for name in ("uniform", "normal", "exponential"):
        for suffix in ("f32", "f64"):
            body = (
                f"typedef {STORED[suffix]} Stored;\n#define RANDOM_BOUNDED 0\n"
                f"__device__ void random_make(Stored *to, const tn_u32 *w) {{ m_fill_{name}_{suffix}(to, w); }}\n"
            )
            yield program("random_fill", body, BLOCK=256, PER=4 if suffix == "f32" else 2, WIDE_INDEX=1)
    for bits in (8, 16, 32, 64):
        body = f"typedef tn_u{bits} Stored;\n#define RANDOM_BOUNDED 1\n/* m_fill_bounded */"
        for per in (4, 2):
            yield program("random_fill", body, BLOCK=256, PER=per, WIDE_INDEX=1)
    for k, (name, kind) in enumerate(drawn()):
        stored = "tn_i64" if kind == "I" else ("float", "double")[k % 2]
        body = (
            f"typedef {stored} Stored;\n"
            "__device__ Stored random_draw(tn_draws *draws, const double *p, double, double) "
            f"{{ return (Stored)m_draw_{name}(draws, p); }}"
        )
        yield program("random_draw", body, BLOCK=256, NDIM=k % 3, WIDE_INDEX=k % 2, RANDOM_PARAMETERS=3)
    for k, (name, value, stored) in enumerate(
        (("gamma", "double", "float"), ("poisson", "tn_i64", "tn_i64"), ("binomial", "tn_i64", "tn_i64"))
    ):
        body = (
            f"typedef {stored} Stored; typedef tn_{name}_trial Trial; typedef {value} Drawn;\n"
            f"#define RANDOM_READY m_{name}_trial_of\n#define RANDOM_ATTEMPT m_{name}_attempt"
        )
        yield program(
            "random_trial", body, BLOCK=128, NDIM=k % 2, WIDE_INDEX=k % 2, HAS_ARRAYS=k % 2, RANDOM_PARAMETERS=3
        )
    elements = ["m_lane_normal_f32(draws)", "m_draw_gamma(draws, p)", "(Stored)m_next_bounded(draws, params.span)"]
    for k, element in enumerate(elements):
        body = f"typedef float Stored;\n#define RANDOM_ELEMENT {element} /* m_draw_ */"
        yield program(
            "random_lanes", body, BLOCK=64, NDIM=k, WIDE_INDEX=k % 2, GENERATOR=1 + k % 2, RANDOM_PARAMETERS=3
        )


def drawn():
    with open(os.path.join(ROOT, "include", "tenorite", "distributions.def")) as file:
        return re.findall(r"^DRAWN\(\w+, (\w+), \d, (\w)\)", file.read(), re.MULTILINE)


def sorts():
    """Every dtype in both directions, elements and positions, and numbers of both widths."""
    kinds = {"b": 0, "u": 0, "i": 1, "f": 2, "c": 3}
    for k, suffix in enumerate(STORED):
        size = max(int(suffix.lstrip("bfiuc")) // 8, 1)
        mantissa = {"f16": 10, "bf16": 7, "f32": 23, "c64": 23, "f64": 52, "c128": 52}.get(suffix, 0)
        key = {
            "ELEMENT_BYTES": size,
            "KIND": 2 if suffix == "bf16" else kinds[suffix[0]],
            "MANTISSA": mantissa,
            "TIES": int(suffix[0] == "c" or k % 2),
        }
        positions, common = k % 2, {**key, "DESCENDING": k // 2 % 2, "KEPT_NDIM": k % 3, "WIDE_INDEX": k // 4 % 2}
        yield program("sort_short", **common, BLOCK=128, TEAM=1 << k % 8, POSITIONS=positions)
        yield program("sort_rows", **common, BLOCK=32 << k % 4, COUNT=8, POSITIONS=1 - positions)
        yield program("sort_count", **common, BLOCK=256, WIDE=positions)
        yield program("sort_fill", **{**common, "ELEMENT_BYTES": 1, "KIND": k % 2}, BLOCK=256, WIDE=positions)
        yield program(
            "sort_digits",
            **common,
            BLOCK=384,
            COUNT=20 if size <= 4 else 96 // size,
            POSITION_BYTES=4 * positions,
            WIDE=positions,
        )
        yield program(
            "searchsorted", **{**key, "DESCENDING": 0}, BLOCK=256, NDIM=k % 3, RIGHT=k % 2, WIDE_INDEX=(k + 1) % 2
        )
    yield program("sort_digits", **common, BLOCK=384, COUNT=6, POSITION_BYTES=8, WIDE=1)
    for size, kind, positions, pivots in ((4, 2, 0, 1), (8, 1, 1, 3)):
        common = {
            "ELEMENT_BYTES": size,
            "KIND": kind,
            "MANTISSA": 23 if size == 4 else 52,
            "DESCENDING": positions,
            "TIES": positions,
            "KEPT_NDIM": 1,
            "WIDE_INDEX": 0,
        }
        yield program("sort_select", **common, BLOCK=256, PIVOTS=pivots, WIDE=positions)
        yield program(
            "sort_parts",
            **common,
            BLOCK=384,
            COUNT=20 if size == 4 else 12,
            POSITION_BYTES=4 * positions,
            WIDE=0,
            PIVOTS=pivots,
        )
        yield program("sort_follow", **common, BLOCK=256, COUNT=1 << pivots % 4)


def samples():
    """Rows of values: every dtype that a form loads, every way to a bin, tables in shared memory or
    none."""
    for k, (suffix, stored) in enumerate(STORED.items()):
        if suffix in ("c64", "c128", "f16", "bf16"):
            continue
        working = "double" if suffix[0] == "f" else "tn_u64" if suffix[0] == "u" else "tn_i64"
        for form in ("extent", "histogram"):
            body = (
                f"typedef {stored} Stored; typedef {working} Working;\n"
                f"__device__ Working {form}_load(Stored a) {{ return (Working)a; }}"
            )
            if form == "extent":
                yield program(form, body, BLOCK=256, PHASE=k % 2, WIDE_INDEX=1)
                continue
            for weighted in (0, 1):
                yield program(
                    form,
                    body,
                    BLOCK=512,
                    HISTOGRAM_WAY=k % 3,
                    WEIGHTED=weighted,
                    TABLE=(0, 128, 4096)[(k + weighted) % 3],
                    COPIES=1,
                )
    for suffix in ("u8", "u16", "u32", "u64", "f32", "f64", "c64", "c128"):
        is_complex = suffix[0] == "c"
        body = (
            f"typedef {STORED[suffix]} Element;\n__device__ Element correlate_add(Element a, Element b) {{ return "
            + ("m_add(a, b)" if is_complex else "(Element)(a + b)")
            + "; }\n"
            "__device__ Element correlate_multiply(Element a, Element b) { return "
            + ("m_multiply(a, b)" if is_complex else "(Element)(a * b)")
            + "; }"
        )
        yield program("correlate", body, BLOCK=128, OUTPUTS=4, CHUNK=128)
    for is_complex in (0, 1):
        yield program("interpolate", BLOCK=256, IS_COMPLEX=is_complex)
    for form in ("peak_bases", "peak_ends", "peak_widths"):
        yield program(form, BLOCK=128, PART=256)
    for unpacks in (0, 1):
        yield program("bits", BLOCK=256, UNPACKS=unpacks, IS_LITTLE=unpacks)


def neural():
    """Convolutions of each way, pooling of each kind, for each dtype and number of axes."""
    for k, suffix in enumerate(("f16", "bf16", "f32", "f64")):
        working = "double" if suffix == "f64" else "float"
        body = (
            f"typedef {STORED[suffix]} Stored; typedef {working} Working;\n"
            "__device__ Working load_working(Stored a) { return (Working)a; }\n"
            "__device__ Stored save_working(Working a) { return (Stored)a; }"
        )
        for way in range(4):
            for divides, parts in ((0, 1), (1, 0)):
                yield program(
                    "convolve",
                    body,
                    WAY=way,
                    BLOCK=256,
                    NDIM=1 + (k + way) % 3 + 3 * (k == 0) * divides,
                    DIVIDES=divides,
                    PARTS=parts,
                    WIDE_INDEX=(k + way + divides) % 2,
                )
        for kind in range(3):
            for backward in (0, 1):
                yield program(
                    "pooling",
                    body,
                    BLOCK=256,
                    NDIM=1 + (k + kind) % 3 + 3 * (k == 0) * backward,
                    KIND=kind,
                    BACKWARD=backward,
                    NAN_COUNTS=(k + backward) % 2,
                    WIDE_INDEX=(k + kind) % 2,
                )


def signals():
    """Recursive filters of every kind of number, windows over every way to add."""
    for k, suffix in enumerate(("f32", "f64", "c64", "c128")):
        is_complex, stored = int(suffix[0] == "c"), STORED[suffix]
        wide = "tn_c128" if is_complex else "double"
        body = f"typedef {stored} Value;\ntypedef {wide} Wide;\n"
        for sections, order in (((1, 1), (3, 2)), ((8, 2),), ((1, 4),), ((2, 2),))[k]:
            twofold, side = int(suffix in ("f64", "c128")), sections * order * (1 + is_complex)
            common = {"COMPLEX": is_complex, "TWOFOLD": twofold, "SECTIONS": sections, "ORDER": order}
            room = 384 - side * (8 + 8 * twofold)  # of a thread, in shared memory
            count = next(
                n for n in (32, 16, 8, 4) if (n + 1) * {"f32": 4, "f64": 8, "c64": 8, "c128": 16}[suffix] <= room
            )
            yield program("recursion_powers", body, BLOCK=256, **common)
            yield program("recursion_carry", body, BLOCK=128, **common)
            yield program("recursion_lines", body, BLOCK=128, **common, REVERSED=k % 2)
            for phase in (0, 1):
                yield program(
                    "recursion_tiles", body, BLOCK=128, COUNT=count, **common, REVERSED=(k + phase) % 2, PHASE=phase
                )
        yield program("recursion_long", body, BLOCK=256, COMPLEX=is_complex, TWOFOLD=k % 2, REVERSED=k % 2)
        if not is_complex:
            for wide_index in (0, 1):
                yield program("upfirdn", body, BLOCK=256, WIDE_INDEX=wide_index)
    for k, suffix in enumerate(("u8", "u16", "u32", "u64", "f32", "f64", "c64", "c128")):
        is_complex = suffix[0] == "c"
        body = (
            f"typedef {STORED[suffix]} Element;\n__device__ Element windowed_add(Element a, Element b) {{ return "
            + ("m_add(a, b)" if is_complex else "(Element)(a + b)")
            + "; }\n"
            "__device__ Element windowed_multiply(Element a, Element b) { return "
            + ("m_multiply(a, b)" if is_complex else "(Element)(a * b)")
            + "; }"
        )
        yield program("windowed", body, BLOCK=128, NDIM=1 + k % 3, OUTPUTS=1 << k % 3)


IMAGES = """typedef %s Stored; typedef %s Working; typedef %s Result;
__device__ __forceinline__ Working image_load(Stored a) { return (Working)a; }
__device__ __forceinline__ Result image_store(Working a) { return (Result)a; }
__device__ __forceinline__ Working find_rank(Working (&v)[%d]) {
    Working low, high;
    low = v[1] < v[0] ? v[1] : v[0]; high = v[0] < v[1] ? v[1] : v[0]; v[0] = low; v[1] = high;
    return v[0];
}"""


def windows():
    """Every operation, weights from both places, places of both kinds, windows of two sizes."""
    dtypes = ("tn_u8", "tn_i8", "tn_u16", "tn_i32", "tn_u64", "float", "double")
    for k, working in enumerate(dtypes):
        for op in range(5):
            wires = (3 + k) * 3 if op == 3 else 2 if op == 4 else 1
            body = IMAGES % (dtypes[(k + op) % 7], working, dtypes[(k + 2 * op) % 7], max(wires, 2))
            wires = wires if op == 3 else 1
            weighted = op < 3 and k % 3
            common = {
                "BLOCK": 256,
                "WIDE_INDEX": k % 2,
                "OP": op,
                "WEIGHTED": int(weighted == 1),
                "SKIPS": k % 2,
                "WIRES": wires,
                "DIVIDED": int(op == 0 and k % 2),
            }
            values = 9 if weighted == 2 else 0
            symmetry = 1 + k // 3 % 2 if values and op == 0 else 0
            if (k + op) % 2:
                yield program(
                    "stencil",
                    body,
                    **common,
                    VALUES=values,
                    SYMMETRY=symmetry,
                    NDIM=2 + k % 3,
                    PLACED=int(op != 0 and k % 2),
                    TABLE=(0, 16, 512)[k % 3],
                    MASKED=int(op in (1, 2) and k % 2),
                )
            if (k + op) % 2:
                continue
            height, width = (3 + k, 3) if op == 3 else (1, 9) if symmetry else (3, 3) if k % 2 else (11, 13)
            values = height * width if values and height * width <= 64 else 0
            symmetry = symmetry if values else 0
            yield program(
                "tile",
                body,
                **common,
                VALUES=values,
                SYMMETRY=symmetry,
                OUTER=k % 3,
                HEIGHT=height,
                WIDTH=width,
                ROWS=4,
            )


def cosines():
    for kind in (1, 2, 3, 4):
        for after in (0, 1):
            real = ("float", "double")[(kind + after) % 2]
            yield program(
                "cosine",
                f"typedef {real} Real;",
                BLOCK=256,
                WIDE_INDEX=after,
                NDIM=kind % 3,
                TYPE=kind,
                SINE=kind // 2 % 2,
                AFTER=after,
            )


def measures():
    """Interpolated images: every order, source of places, kind of result and way along lines."""
    for k in range(24 if WHOLE else 6):
        suffix, stored = (
            (("f32", "float"), ("f64", "double"))[k // 2 % 2],
            ("float", "double", "tn_u8", "tn_i32")[k % 4],
        )
        bits, order = (0, 0, 8, 32)[k % 4], k % 6
        body = (
            f"typedef {suffix[1]} Real; typedef {stored} Stored;\n#define image_weights m_spline_weights_{suffix[0]}\n"
            "__device__ __forceinline__ Stored image_cast(double x) { return (Stored)x; }"
        )
        common = {"BLOCK": 128, "WIDE_INDEX": k // 3 % 2, "ORDER": order, "BITS": bits, "IS_SIGNED": int(bits == 32)}
        mapped = 1 + k % 3 if order < 4 else 2
        yield program("image_map", body, **common, MAPPED=mapped, NDIM=1 + (k + 1) % 3, PLACES=k // 3 % 4)
        yield program("image_zoom", body, **common, MAPPED=mapped, NDIM=mapped + k // 3 % 2)
    for k in range(8) if WHOLE else (0, 3, 4, 7):
        real = f"typedef {('float', 'double')[k % 2]} Real;"
        rows = (84, 92, 100, 108) if k % 2 == 0 else (108, 124, 142, 160)
        yield program(
            "image_spline", real, BLOCK=64 - 32 * (k % 2), ROWS=rows[k // 2], POLES=1 + k // 4, BESIDE=k // 2 % 2
        )
        yield program(
            "image_fourier", real, BLOCK=256, WIDE_INDEX=k // 4, NDIM=1 + k % 3, PARTS=1 + (k > 2), FILTER=k // 2
        )


def sparses():
    """Sparse matrices: both widths of indexes, dtypes whose bodies differ, all sizes of values."""
    for k, suffix in enumerate(STORED if WHOLE else ("b8", "f32", "c128")):
        if suffix in ("f16", "bf16"):
            continue
        is_complex, stored, common = suffix[0] == "c", STORED[suffix], {"BLOCK": 256, "WIDE": k % 2}
        body = (
            f"typedef {stored} Value;\n__device__ Value csr_add(Value a, Value b) {{ return "
            + ("m_add(a, b)" if is_complex else "(Value)(a + b)")
            + "; }\n"
            "__device__ Value csr_multiply(Value a, Value b) { return "
            + ("m_multiply(a, b)" if is_complex else "(Value)(a * b)")
            + "; }\n"
            "__device__ bool csr_is_zero(Value a) { return "
            + ("a.re == 0 && a.im == 0" if is_complex else "a == 0")
            + "; }"
        )
        yield program("csr_multiply", body, **common, TILE=2048)
        yield program("csr_multiply_dense", body, **common, TILE=128, LANES=2 << k % 5, PER=1 << k % 3)
        yield program("csr_carry", body, **common, TEAM=(1, 32)[k % 2])
        yield program("csr_keep", body, **common, PHASE=k % 2)
        for team in (32, 256):
            yield program("csr_product", body, **{**common, "BLOCK": max(team, 128)}, SHORT=256, TEAM=team)
        if suffix in ("f32", "f64"):
            for inverse in (0, 1):
                yield program("csr_conjugate", body, **common, TILE=1024, PER=4, INVERSE=inverse)
        for name in ("csr_scatter", "csr_unite", "csr_merge"):
            yield program(name, body, **common)
    for k, size in enumerate(SIZES):
        common = {"BLOCK": 256, "WIDE": k % 2}
        yield program("csr_gather", **common, UNIT_BYTES=size, EACH=4)
        yield program("csr_pack", **common, UNIT_BYTES=size)
        yield program("csr_choose", **common, UNIT_BYTES=size, PHASE=k // 2 % 2)
    for look in (0, 1):
        common = {"BLOCK": 256, "WIDE": look}
        yield program("csr_cuts", **common, TILE=2048)
        yield program("csr_keys", **common)
        yield program("csr_terms", **common, SHORT=256)
        yield program("csr_ends", **common)
        yield program("csr_look", **common, TILE=2048, LOOK=1 - look)
        yield program("csr_heads", **common, PHASE=look)


def splines():
    """Every basis and what may stand beyond the knots, one and several variables, few terms and
    many; systems of few diagonals."""
    for k in range(11):
        dims, terms, weights = (1, 3, 2, 8)[k % 4], (4, 2, 6, 1, 12)[k % 5], int(k in (3, 10))
        yield program(
            "spline",
            BLOCK=256,
            BASIS=k % 5,
            OUTSIDE=k % 4,
            DIMS=dims,
            TERMS=terms if terms**dims < 1000 else 2,
            EACH=int(k % 3 > 0),
            PARTS=1 + k % 2,
            WEIGHTS=weights,
            REPORTS=k // 2 % 2,
        )
    for lower, upper in ((0, 0), (1, 1), (3, 3), (5, 0), (15, 16)):
        yield program("banded_factor", LOWER=lower, COLUMNS=lower + upper + 1)
        yield program("banded_solve", BLOCK=64, LOWER=lower, COLUMNS=lower + upper + 1)


def spatials():
    """Every sum and every end of distances, of both types, and trees of each norm."""
    for k, (total, end) in enumerate((i % 11, i) for i in range(14)):
        body = f"typedef {('float', 'double')[k % 2]} T; /* TN_SUM_ */"
        ways = {"WEIGHTED": k // 2 % 2, "NORM": 0, "PAIRS": k // 4 % 2, "STRETCH": 256}
        yield program("distances", body, BLOCK=256, SUM=total, END=end, **ways)
        if total == 4:  # products, which have norms
            for norm in (1, 2, 3):
                yield program("distances", body, BLOCK=256, SUM=total, END=4 + norm, **{**ways, "NORM": norm})
        if k < 3:
            yield program("distances_quadratic", body, BLOCK=256, END=k, PAIRS=k % 2)
    for k in range(8):
        common = {"BLOCK": 128, "AXES": k % 5, "NORM": k % 4, "PERIODIC": k // 2 % 2}
        yield program("tree_query", "/* m_tree_ */", **common, NEAREST=(0, 1, 2, 4, 8, 16)[k % 6])
        yield program("tree_ball", "/* m_tree_ */", **common)
    for axes in (3, 63):
        yield program("hilbert", "/* m_tree_ */", BLOCK=256, AXES=axes)
    yield program("tree_boxes", BLOCK=256)
    yield program("locate", "/* m_triangle_ */", BLOCK=128)
    yield program("triangle_values", "/* m_triangle_ */", BLOCK=128)


ALL = [
    moves,
    places,
    masks,
    joins,
    updates,
    images,
    measures,
    products,
    scans,
    running_products,
    sorts,
    randoms,
    samples,
    neural,
    signals,
    windows,
    cosines,
    sparses,
    splines,
    spatials,
    linear_algebra,
]


def headers():
    texts = {path.name: path.read_bytes() for path in (*Path(device_text.OPS).glob("*.h"), *KERNELS.rglob("*.cu*"))}
    texts["end.cuh"] = end_of_program(texts)
    return list(texts), list(texts.values())


@pytest.fixture(scope="module")
def nvrtc():
    library = device_text.load()
    if library is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    return library


@pytest.mark.timeout(600)
@pytest.mark.parametrize("arch", device_text.ARCHITECTURES)
@pytest.mark.parametrize("programs", ALL)
def test_form_compiles(nvrtc, monkeypatch, programs, arch):
    monkeypatch.setattr(device_text, "headers", headers)
    texts = list(programs())
    if not WHOLE:
        texts = texts[device_text.ARCHITECTURES.index(arch) :: len(device_text.ARCHITECTURES)]
    for text in texts:
        message = device_text.compile_text(nvrtc, text, arch)
        assert message is None, f"sm_{arch}\n{text}\n{message[:3000]}"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("arch", WARMED)
def test_usual_kernels_compile(nvrtc, capsys, tmp_path, arch):
    variables = {"TENORITE_BACKEND": "host", "TENORITE_CACHE_DIR": str(tmp_path)}
    done = python("-c", WARM, arch, variables=variables)
    with capsys.disabled():
        print(f"\nsm_{arch}: {done.stdout.strip()}", end="")
    assert done.returncode == 0, done.stderr[-3000:]


def test_programs_follow_each_other(nvrtc, monkeypatch):
    """Many programs in one file: end.cuh leaves nothing after."""
    monkeypatch.setattr(device_text, "headers", headers)
    texts = [text for programs in ALL for text in programs()]
    whole = "\n".join(text.replace("kernel_", f"kernel{k}_") for k, text in enumerate(texts))
    assert device_text.compile_text(nvrtc, whole, 90) is None
