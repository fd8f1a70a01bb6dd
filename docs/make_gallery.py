"""Run the examples, small, and write the page that shows what they print and draw."""

import ast
import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# Programs that draw: what they are called with, besides --output.
DRAWN = {
    "kmeans.py": ["--points", "50000"],
    "mandelbrot.py": ["--width", "480", "--steps", "80"],
    "spectrum.py": ["--samples", "100000", "--window", "512"],
    "heat_implicit.py": ["--size", "96", "--steps", "12"],
    "pca.py": ["--faces", "150", "--side", "24"],
    "digits.py": ["--train", "4000", "--test", "100"],
    "digits_network.py": ["--train", "3000", "--test", "500"],
    "microscopy.py": ["--size", "512", "--cells", "220"],
    "radio.py": ["--seconds", "0.5"],
    "contract.py": ["--width", "6"],
}
# Programs that print: what they are called with, and how many of the last lines are shown.
PRINTED = {
    "life.py": (["--size", "64", "--steps", "60"], 16),
    "poisson.py": (["--size", "128"], 12),
    "pagerank.py": (["--edges", "20000", "--pages", "2000"], 12),
    "montecarlo.py": (["--paths", "20000"], 8),
    "tabular.py": (["--rows", "20000"], 12),
    "logistic.py": (["--samples", "20000"], 3),
    "fused.py": (["--size", "1000000"], 9),
    "unchanged.py": (["--size", "1000000"], 9),
    "sum_gradients.py": (["--samples", "2000", "--steps", "10"], 3),
}
# Programs that measure, serve, or are in C; the tests run them.
SHOWN = ("dask_pca.py", "heat_mpi.py", "service.py", "kernels.py", "paper.py", "svd.c", "heat.c", "fused.c")
# Pictures that lie beside the program, since a run takes long.
KEPT = {
    "service.py": ("service.svg", "Memory, threads and latency over 100,000 requests"),
    "dask_pca.py": ("dask_pca.svg", "What four workers did and when; one is killed in the middle"),
}
NO_PAGES = ("side_by_side.py", "slow.py")


def run(name, *arguments):
    """What an example prints."""
    command = [sys.executable, EXAMPLES / name, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | {"COLUMNS": "100"})
    return done.stdout


def summary(name):
    """The first sentence of a program's docstring or comment."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    text_of = ast.get_docstring(ast.parse(text)) if name.endswith(".py") else text.partition("*/")[0].lstrip("/* ")
    first = " ".join(line.strip(" *") for line in text_of.partition("\n\n")[0].splitlines())
    return first.partition(". ")[0].rstrip(".") + "."


def indented(text):
    return [f"   {line}".rstrip() for line in text.splitlines()]


def entry(name, folder):
    """The part of the page that shows one example; a picture goes into `folder`."""
    lines = [name, "-" * len(name), "", summary(name).replace("*", r"\*"), ""]
    if name in DRAWN:
        picture = Path(name).with_suffix(".png").name
        run(name, *DRAWN[name], "--output", Path(folder) / picture)
        lines += [".. rst-class:: gallery", "", f".. image:: /made/{picture}", f"   :alt: What {name} draws", ""]
    elif name in PRINTED:
        arguments, count = PRINTED[name]
        shown = "\n".join(run(name, *arguments).rstrip().splitlines()[-count:])
        lines += [".. code-block:: text", "", *indented(shown), ""]
    elif name in KEPT:
        picture, told = KEPT[name]
        lines += [".. rst-class:: gallery", "", f".. image:: /examples/{picture}", f"   :alt: {told}", ""]
    language = "python" if name.endswith(".py") else "c"
    return [
        *lines,
        ".. raw:: html",
        "",
        "   <details><summary>The program</summary>",
        "",
        f".. literalinclude:: /examples/{name}",
        f"   :language: {language}",
        "",
        ".. raw:: html",
        "",
        "   </details>",
        "",
    ]


def main(folder):
    """Write gallery.rst, and the pictures beside it, into `folder`."""
    names = [*DRAWN, *PRINTED, *SHOWN]
    lines = [line for name in names for line in entry(name, folder)]
    (Path(folder) / "gallery.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
