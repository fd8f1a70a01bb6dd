"""The patterns, one file a theme."""

from . import arrays, graphs, interop, memory, processes, streams, threads

__all__ = ["arrays", "graphs", "interop", "memory", "processes", "streams", "threads"]
