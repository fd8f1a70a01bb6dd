"""A hook that reports which lines of a program allocate how much."""

import sys

from tenorite.cuda.memory_hook import MemoryHook


class _Node:
    def __init__(self, place):
        self.place = place  # (file, function, line)
        self.used = self.acquired = 0  # bytes from the pool, and from the device
        self.children = {}


class LineProfileHook(MemoryHook):
    """Sums up bytes by the lines that led to an allocation; ``print_report()`` prints the tree.

    max_depth: how many of the innermost calls are kept apart; 0: all.

    Parameters
    ----------
    max_depth : int, optional
        How many callers are shown; 0: all.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.memory_hooks.LineProfileHook().name
    'LineProfileHook'
    """

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._max_depth = max_depth
        self._root = _Node(("_root", "", 0))

    def malloc_preprocess(self, **kwargs):
        """Notes the line that an array's memory is for.

        Examples
        --------
        >>> import tenorite as cp
        >>> hook = cp.cuda.memory_hooks.LineProfileHook()
        >>> hook.malloc_preprocess(device_id=0, size=8, mem_size=512)
        """
        self._add(used=kwargs["mem_size"])

    def alloc_preprocess(self, **kwargs):
        """Notes the line that makes the pool grow.

        Examples
        --------
        >>> import tenorite as cp
        >>> hook = cp.cuda.memory_hooks.LineProfileHook()
        >>> hook.alloc_preprocess(device_id=0, size=8, mem_size=512)
        """
        self._add(acquired=kwargs["mem_size"])

    def _places(self):
        places, frame = [], sys._getframe(3)  # from the caller of the library on
        while frame is not None and not (self._max_depth and len(places) == self._max_depth):
            if frame.f_globals.get("__name__") != "tenorite.cuda.memory_hook":
                code = frame.f_code
                places.append((code.co_filename, code.co_name, frame.f_lineno))
            frame = frame.f_back
        return reversed(places)

    def _add(self, used=0, acquired=0):
        node, nodes = self._root, [self._root]
        for place in self._places():
            node = node.children.setdefault(place, _Node(place))
            nodes.append(node)
        for node in nodes:
            node.used += used
            node.acquired += acquired

    def print_report(self, file=None):
        """Prints, for each line: bytes used from the pool and bytes acquired from the device.

        Examples
        --------
        >>> import tenorite as cp
        >>> import io
        >>> text = io.StringIO()
        >>> cp.cuda.memory_hooks.LineProfileHook().print_report(text)
        >>> text.getvalue().splitlines()[0]
        '_root (0B, 0B)'
        """
        self._print(self._root, 0, sys.stdout if file is None else file)

    def _print(self, node, depth, file):
        name, function, line = node.place
        place = name if depth == 0 else f"{name}:{line}:{function}"
        sizes = f"({_human(node.used)}, {_human(node.acquired)})"
        print("  " * depth + f"{place} {sizes}", file=file)
        for child in node.children.values():
            self._print(child, depth + 1, file)


def _human(size):
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.2f}{unit}" if unit != "B" else f"{size}B"
        size /= 1024
    return f"{size:.2f}TB"
