"""``%gpu_timeit`` in IPython."""

import argparse
import math
import shlex

from tenorite.profiler._time import benchmark

_FLAGS = {"-n": ("--n-repeat", int, 10000), "-w": ("--n-warmup", int, 10), "-d": ("--max-duration", float, 1.0)}


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(f"%gpu_timeit: {message}")


def _options(line):
    """The options at the beginning of a line, and the statement after them."""
    parser = _Parser(prog="%gpu_timeit", add_help=False)
    for short, (long, kind, default) in _FLAGS.items():
        parser.add_argument(short, long, type=kind, default=default)
    words, given = line.strip(), []
    while words.startswith("-"):
        flag, *rest = words.split(None, 1)
        value, *rest = rest[0].split(None, 1) if rest else [""]
        given += [flag, value]
        words = rest[0] if rest else ""
    return parser.parse_args([shlex.quote(word) for word in given]), words


def _magic(ip):
    def gpu_timeit(line, cell=None):
        """Times a statement on the processor and on the device.

        %gpu_timeit [-n REPEATS] [-w WARMUPS] [-d SECONDS] statement

        As a cell's magic it times the cell; what follows the options is run once before.
        """
        options, words = _options(line)
        if cell is not None and words:
            exec(words, ip.user_ns)
        code = compile(words if cell is None else cell, "<gpu_timeit>", "exec")
        result = benchmark(
            lambda: exec(code, ip.user_ns),
            n_repeat=options.n_repeat,
            n_warmup=options.n_warmup,
            max_duration=math.inf if options.max_duration <= 0 else options.max_duration,
            name="run",
        )
        print(result)

    return gpu_timeit


def load_ipython_extension(ip):
    """Give IPython the magic ``%gpu_timeit``: ``%load_ext tenorite.profiler`` calls this.

    ``%gpu_timeit [-n REPEATS] [-w WARMUPS] [-d SECONDS] statement`` prints what `benchmark` finds.

    Parameters
    ----------
    ip : IPython's InteractiveShell
        The shell that gets it.

    Examples
    --------
    >>> import tenorite as cp
    >>> class Shell:
    ...     user_ns = {"cp": cp}
    ...     def register_magic_function(self, function, magic_kind, magic_name):
    ...         print(magic_kind, magic_name)
    >>> cp.profiler.load_ipython_extension(Shell())
    line_cell gpu_timeit
    """
    ip.register_magic_function(_magic(ip), magic_kind="line_cell", magic_name="gpu_timeit")
