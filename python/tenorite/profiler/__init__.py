"""How long functions take, and ranges for profilers, by the names of ``cupyx.profiler``."""

from tenorite.cuda.profiler import profile
from tenorite.profiler._ipython_magic import load_ipython_extension
from tenorite.profiler._time import benchmark
from tenorite.profiler._time_range import time_range
from tenorite.profiler._trace import trace

__all__ = ["benchmark", "load_ipython_extension", "profile", "time_range", "trace"]
