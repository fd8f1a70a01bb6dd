"""Where the C library that this package carries lies: ``python -m tenorite.config --cflags
--libs``.

The output is for a C compiler's command line::

    cc heat.c $(python -m tenorite.config --cflags --libs)
"""

import argparse
import os
import shlex

_HERE = os.path.dirname(os.path.abspath(__file__))


def include_dir() -> str:
    """The folder that holds ``tenorite/tenorite.h``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.config.include_dir().endswith('include')
    True
    """
    return os.path.join(_HERE, "include")


def library_dir() -> str:
    """The folder that holds ``libtenorite.so``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.config.library_dir() != ''
    True
    """
    return os.path.join(_HERE, "lib")


def cflags() -> list[str]:
    """The flags that a C compiler needs to find the headers.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.config.cflags()[0].startswith('-I')
    True
    """
    return [f"-I{include_dir()}"]


def libs() -> list[str]:
    """The flags also record the folder in the program, so it runs where it was linked.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.config.libs()[-1]
    '-ltenorite'
    """
    return [f"-L{library_dir()}", f"-Wl,-rpath,{library_dir()}", "-ltenorite"]


def main(arguments: list[str] | None = None) -> int:
    """Prints the flags that the arguments ask for: ``python -m tenorite.config --cflags --libs``.

    Parameters
    ----------
    arguments : list of str, optional
        The arguments; those of the program if it is None.

    Returns
    -------
    int
        The status of the process.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.config.main(['--cflags'])  # doctest: +ELLIPSIS
    -I...
    0
    """
    parser = argparse.ArgumentParser(
        prog="python -m tenorite.config", description="Flags to compile C programs with Tenorite."
    )
    parser.add_argument("--cflags", action="store_true", help="print the compiler's flags")
    parser.add_argument("--libs", action="store_true", help="print the linker's flags")
    options = parser.parse_args(arguments)
    if not (options.cflags or options.libs):
        parser.error("ask for --cflags, --libs or both")
    for place in (os.path.join(include_dir(), "tenorite", "tenorite.h"), os.path.join(library_dir(), "libtenorite.so")):
        if not os.path.exists(place):
            parser.exit(1, f"{place} is missing: install the package with pip install, or make build\n")
    flags = (cflags() if options.cflags else []) + (libs() if options.libs else [])
    print(shlex.join(flags))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
