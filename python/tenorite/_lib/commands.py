"""``python -m tenorite``: its help, the pages on errors, and what an installation is like."""

import os
from pathlib import Path

import tenorite

USAGE = """\
usage: python -m tenorite program.py [argument ...]
       python -m tenorite -m module [argument ...]
       python -m tenorite -c text [argument ...]
       python -m tenorite errors [name]
       python -m tenorite config
       python -m tenorite --version | --help

Runs a program that was written for CuPy: its `import cupy` and `import cupyx` are Tenorite, also in
the processes that it starts, on a GPU or without one.

errors   prints the page on an error, as a message names it ("see errors/singular"); without a name,
         all names
config   prints what this installation has found: devices, cores, memory, libraries, the C++
         compiler, caches, and the variables that are set"""

_HERE = Path(__file__).resolve().parent
# In a wheel, and beside the package's source.
_PAGES = (_HERE / "errors", _HERE.parents[2] / "docs/errors")


def _pages():
    """{name: path} of the pages on errors."""
    folder = next((folder for folder in _PAGES if folder.is_dir()), None)
    found = sorted(folder.glob("*.rst")) if folder else []
    return {path.stem: path for path in found if path.stem != "index"}


def errors(names):
    """Prints pages; without a name, all names with their titles."""
    pages = _pages()
    for name in names:
        name = name.removeprefix("errors/").removesuffix(".rst")
        if name not in pages:
            raise SystemExit(f"python -m tenorite errors: there is no page {name!r}; there are {', '.join(pages)}")
        print(pages[name].read_text(encoding="utf-8").rstrip())
    if not names:
        for name, path in pages.items():
            print(f"{name:22} {path.read_text(encoding='utf-8').splitlines()[0]}")


def _memory():
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * size / 2**30:.1f} GiB"


def _config():
    """(name, value) of what `show_config` does not say."""
    yield "cores", f"{len(os.sched_getaffinity(0))} of {os.cpu_count()}"
    yield "memory", _memory()
    for name in sorted(os.environ):
        if name.startswith(("TENORITE_", "CUPY_", "CUDA_")):
            yield name, os.environ[name]


def config():
    """Prints what this installation has found."""
    tenorite.show_config()
    for name, value in _config():
        print(f"{name:<15}: {value}")


def answer(arguments):
    """Whether the arguments asked for one of these, which was printed."""
    word = arguments[0] if arguments else "--help"
    if word in ("-h", "--help"):
        print(f"tenorite {tenorite.__version__}\n{USAGE}")
    elif word in ("-V", "--version"):
        print(f"tenorite {tenorite.__version__}")
    elif word == "errors" and not os.path.exists(word):
        errors(arguments[1:])
    elif word == "config" and not os.path.exists(word):
        config()
    else:
        return False
    return True
