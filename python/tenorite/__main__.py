"""``python -m tenorite program.py ...`` runs a program written for CuPy: its ``import cupy`` is
ours.

``python -m tenorite -m module ...`` runs a module, and ``python -m tenorite`` or ``--help`` says
how to use it and what is installed.
"""

import os
import runpy
import sys

import tenorite


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"tenorite {tenorite.__version__}\nusage: python -m tenorite [-m module | program.py] ...")
        return
    tenorite.install_as_cupy()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            raise SystemExit("python -m tenorite -m: which module?")
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


main()
