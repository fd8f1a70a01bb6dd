"""Where time and memory go: timelines, tables and curves; and ``cupyx.profiler``'s names."""

from tenorite.profiler._ipython_magic import load_ipython_extension
from tenorite.profiler._memory import memory
from tenorite.profiler._profile import profile
from tenorite.profiler._time import benchmark
from tenorite.profiler._time_range import time_range
from tenorite.profiler._trace import trace

__all__ = ["benchmark", "load_ipython_extension", "memory", "profile", "time_range", "trace"]
