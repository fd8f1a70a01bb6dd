"""``python -m tenorite program.py ...`` runs a program written for CuPy: its ``import cupy`` is
ours, and so it is in the processes that it starts.

``python -m tenorite -m module ...`` runs a module, ``-c text`` a text; ``errors NAME`` prints the
page on an error, ``config`` what was found, and ``--help`` says how to use it.
"""

import io
import os
import pkgutil
import runpy
import sys
import types

import tenorite
from tenorite._cupy.alias import FOLDER
from tenorite._lib.commands import answer


def main():
    arguments = sys.argv[1:]
    if answer(arguments):
        return
    if arguments[0] in ("-m", "-c") and len(arguments) < 2:
        raise SystemExit(f"python -m tenorite {arguments[0]}: which {'module' if arguments[0] == '-m' else 'text'}?")
    tenorite.install_as_cupy()
    _tell_processes()
    # The program is __main__ for good: workers look it up there, some of them after its end.
    sys.modules["__main__"] = module = types.ModuleType("__main__")
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy._run_module_as_main(sys.argv[0])
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        _run(arguments[1], "<string>", module)
    else:
        sys.argv = arguments
        _run_program(os.path.abspath(arguments[0]), module)


def _tell_processes():
    """Processes that the program starts by other means than multiprocessing have the alias, too."""
    found = os.path.dirname(tenorite.__path__[0])
    # The program's folder takes the place of that of `python -m`, where this package may lie.
    folders = [FOLDER, found] if found == sys.path[0] else [FOLDER]
    sys.path += folders[1:]
    known = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    os.environ["PYTHONPATH"] = os.pathsep.join([one for one in folders if one not in known] + known)


def _run_program(path, module):
    if pkgutil.get_importer(path) is not None:  # a folder or a zip file
        sys.path[0] = path
        runpy._run_module_as_main("__main__", False)
        return
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    module.__file__ = path
    try:
        with io.open_code(path) as file:
            text = file.read()
    except OSError as error:
        print(f"python -m tenorite: can't open file {path!r}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    _run(text, path, module)


def _run(text, name, module):
    exec(compile(text, name, "exec", dont_inherit=True), vars(module))


main()
