"""A kernel's macros and parameters, set by their names: what is missing, misnamed, there twice or
without a name does not compile.

The kernel is a newcomer's: hypot3.cu and the launch in hypot3.c are all that there is to write.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TOOL = ROOT / "tools/kernel_steps.py"
COMPILER = shutil.which("gcc")
pytestmark = [
    pytest.mark.skipif(not COMPILER, reason="no gcc is installed"),
    pytest.mark.skipif(not TOOL.exists(), reason="a source tree is needed"),
    pytest.mark.skipif(not list(ROOT.glob("build/include")), reason="a build in the folder build is needed"),
]

KERNEL = """/* hypot3: the length of vectors of three parts. */
#define MACROS BLOCK, NDIM, WIDE_INDEX
#include "access.cuh"

struct Params {
    const double *x, *y, *z;
    double *result;
    tn_i64 count;
    double scales[2 + NDIM];
    Shape<NDIM, 2> shape; /* inputs, result */
};
"""
MACROS = ".BLOCK = 256, .NDIM = 1, .WIDE_INDEX = 0"
PARAMS = ".x = x, .y = x, .z = x, .result = x, .count = 5, .scales = scales, .shape = TNI_SHAPE_2(sizes, sizes, sizes)"
FORM = """#include "backend/cuda/forms/step.h"

static const tni_hypot3_form form = TNI_FORM(hypot3, NULL);

void plan_hypot3(tni_plan *plan, const char *x, const double *scales, const int64_t *sizes);
void plan_hypot3(tni_plan *plan, const char *x, const double *scales, const int64_t *sizes) {
    TNI_STEP(plan, hypot3, &form, MACROS(%s), PARAMS(%s));
    tni_plan_grid(plan, 1, 256);
}
"""
REFUSED = ("override-init", "designated-init", "incompatible-pointer-types", "int-conversion")


def compiled(folder, macros, params, kernel=KERNEL):
    """What the tool and the compiler say of a form, with the build's own flags; empty: nothing."""
    (folder / "backend/cuda").mkdir(parents=True, exist_ok=True)
    (folder / "hypot3.cu").write_text(kernel)
    (folder / "hypot3.c").write_text(FORM % (macros, params))
    header = folder / "backend/cuda/kernel_steps.h"
    made = subprocess.run([sys.executable, TOOL, header, folder / "hypot3.cu"], capture_output=True, text=True)
    if made.returncode:
        return made.stderr
    flags = [f"-Werror={name}" for name in REFUSED if f"'-Werror={name}'" in (ROOT / "meson.build").read_text()]
    assert len(flags) == len(REFUSED)
    folders = [f"-I{path}" for path in (folder, ROOT / "src", ROOT / "include", *ROOT.glob("build/include"))]
    command = [
        COMPILER,
        "-std=c11",
        "-Wextra",
        "-fsyntax-only",
        "-D_GNU_SOURCE=",
        *flags,
        *folders,
        folder / "hypot3.c",
    ]
    return subprocess.run(command, capture_output=True, text=True).stderr


def test_the_right_names_compile(tmp_path):
    assert compiled(tmp_path, MACROS, PARAMS) == ""


@pytest.mark.parametrize("name", ["BLOCK", "WIDE_INDEX", "x", "count", "scales", "shape"])
def test_a_missing_name_is_refused(tmp_path, name):
    kind, given = ("macro", MACROS) if name.isupper() else ("parameter", PARAMS)
    parts = given.replace("sizes, sizes, sizes", "sizes; sizes; sizes").split(", ")
    left = ", ".join(part for part in parts if not part.startswith(f".{name} ")).replace(";", ",")
    assert left != given
    texts = (left, PARAMS) if kind == "macro" else (MACROS, left)
    assert f"a {kind} of the kernel is missing" in compiled(tmp_path, *texts)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (PARAMS.replace(".count", ".length"), "has no member named"),
        (PARAMS.replace(".y = x", ".x = x"), "initialized field overwritten"),
        (PARAMS.replace(".y = x", "x"), "positional initialization"),
        (PARAMS.replace("SHAPE_2(sizes, sizes, ", "SHAPE_3(sizes, sizes, sizes, "), "tni_shape_3"),
        (PARAMS.replace(".count = 5", ".count = x"), "makes integer from pointer"),
    ],
)
def test_a_wrong_parameter_is_refused(tmp_path, wrong, said):
    text = compiled(tmp_path, MACROS, wrong)
    assert "error" in text and said in text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2 + NDIM", "LANES", "hypot3: LANES of LANES is not among its MACROS"),
        ("tn_i64 count;", "tn_i64 (*count);", "is not understood"),
    ],
)
def test_a_kernel_that_c_cannot_follow_is_refused(tmp_path, old, new, said):
    assert said in compiled(tmp_path, MACROS, PARAMS, KERNEL.replace(old, new))
