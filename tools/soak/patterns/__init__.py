"""The patterns, one file a theme."""

from support import PATTERNS

from . import arrays, graphs, interop, memory, processes, streams, threads

__all__ = ["PATTERNS", "arrays", "graphs", "interop", "memory", "processes", "streams", "threads"]
