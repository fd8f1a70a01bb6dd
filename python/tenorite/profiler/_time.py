"""Timing functions: on the processor, and between events on the devices."""

import math
import time

import numpy

from tenorite import _core, cuda


class _PerfCaseResult:
    """How long a function took; `benchmark` makes it.

    Parameters
    ----------
    name : str
        The function's.
    ts : numpy.ndarray
        Seconds: a row of the processor's times, and one for each device.
    devices : tuple of int
        Their numbers.

    Examples
    --------
    >>> import tenorite as cp
    >>> result = cp.profiler.benchmark(cp.ones, ((2, 3),), n_repeat=4)
    >>> result.cpu_times.shape, result.gpu_times.shape
    ((4,), (1, 4))
    """

    def __init__(self, name, ts, devices):
        assert ts.ndim == 2 and ts.shape[0] == len(devices) + 1 and ts.shape[1] > 0
        self.name = name
        self._ts = ts
        self._devices = devices

    @property
    def cpu_times(self):
        """Seconds that the calls took, as the processor's clock has it: a numpy.ndarray.

        Examples
        --------
        >>> import tenorite as cp
        >>> bool((cp.profiler.benchmark(cp.ones, (3,), n_repeat=2).cpu_times > 0).all())
        True
        """
        return self._ts[0]

    @property
    def gpu_times(self):
        """Seconds between events around the calls: a numpy.ndarray, a row for each device.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.profiler.benchmark(cp.ones, (3,), n_repeat=2).gpu_times.shape
        (1, 2)
        """
        return self._ts[1:]

    @staticmethod
    def _to_str_per_item(device_name, t):
        us = t * 1e6
        text = f"    {device_name}:{us.mean():10.03f} us"
        if us.size > 1:
            text += f"   +/-{us.std():7.03f} (min:{us.min():10.03f} / max:{us.max():10.03f}) us"
        return text

    def to_str(self, show_gpu=False):
        """The mean, its standard deviation, the least and the largest time as a line.

        Parameters
        ----------
        show_gpu : bool, optional
            Whether the devices' times are in it.

        Returns
        -------
        str
            In microseconds.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.profiler.benchmark(cp.ones, (3,), n_repeat=2).to_str().startswith("ones ")
        True
        """
        results = [self._to_str_per_item("CPU", self.cpu_times)]
        if show_gpu:
            results += [
                self._to_str_per_item(f"GPU-{number}", times)
                for number, times in zip(self._devices, self.gpu_times, strict=True)
            ]
        return f"{self.name:<20s}:{' '.join(results)}"

    def __str__(self):
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None):
    """Time a function: how long its calls take, and how long the devices work on each.

    Parameters
    ----------
    func : callable
        What is timed.
    args : tuple, optional
        Its arguments.
    kwargs : dict, optional
        Its keyword arguments.
    n_repeat : int, optional
        How many calls are timed at most.
    name : str, optional
        The result's; the function's name if it is not given.
    n_warmup : int, optional
        How many calls go before, untimed.
    max_duration : float, optional
        After so many seconds no further call begins. They do not count the warm-up.
    devices : tuple of int, optional
        Whose streams are timed. None: the current device.

    Returns
    -------
    _PerfCaseResult
        With `cpu_times` and `gpu_times` in seconds; its text has them in microseconds.

    Raises
    ------
    ValueError
        If an argument has another type.

    Examples
    --------
    >>> import tenorite as cp
    >>> result = cp.profiler.benchmark(cp.sin, (cp.ones(100),), n_repeat=20)
    >>> print(result)  # doctest: +SKIP
    sin                 :    CPU:     4.407 us   +/-  0.428 (min:     4.116 / max:     6.098) us
    """
    if not callable(func):
        raise ValueError(f"`func` should be a callable object, not {type(func).__name__}")
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    if devices is None:
        devices = (cuda.get_device_id(),)
    for what, value, kinds, said in (
        ("args", args, tuple, "of tuple type"),
        ("kwargs", kwargs, dict, "of dict type"),
        ("n_repeat", n_repeat, int, "an integer"),
        ("name", name, str, "a string"),
        ("n_warmup", n_warmup, int, "an integer"),
        ("max_duration", max_duration, (int, float), "given in seconds"),
        ("devices", devices, tuple, "of tuple type"),
    ):
        if not isinstance(value, kinds):
            raise ValueError(f"`{what}` should be {said}, not {type(value).__name__}")
    if n_repeat < 1:
        raise ValueError(f"`n_repeat` should be at least 1, not {n_repeat}")
    return _repeat(func, args, kwargs, n_repeat, name, n_warmup, max_duration, devices)


def _events(devices):
    made = []
    for number in devices:
        with cuda.Device(number):
            made.append(cuda.Event())
    return made


def _record(devices, events):
    for number, event in zip(devices, events, strict=True):
        with cuda.Device(number):
            event.record()


def _synchronize(events):
    for event in events:
        event.synchronize()


def _repeat(func, args, kwargs, n_repeat, name, n_warmup, max_duration, devices):
    starts, ends = _events(devices), _events(devices)
    for _ in range(n_warmup):
        kept = func(*args, **kwargs)
        _core._backlog_run()
        del kept
    _record(devices, starts)
    _synchronize(starts)
    columns, duration = [], 0
    for _ in range(n_repeat):
        _record(devices, starts)
        begin = time.perf_counter()
        kept = func(*args, **kwargs)  # what nobody can look at is not computed where calls wait
        _core._backlog_run()
        cpu_time = time.perf_counter() - begin
        _record(devices, ends)
        _synchronize(ends)
        del kept
        gpu_times = [cuda.get_elapsed_time(*pair) * 1e-3 for pair in zip(starts, ends, strict=True)]
        columns.append([cpu_time, *gpu_times])
        duration += time.perf_counter() - begin
        if duration > max_duration:
            break
    return _PerfCaseResult(name, numpy.array(columns, numpy.float64).T, devices)
