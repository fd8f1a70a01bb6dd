"""Searching for the fastest way to run a program's kernels."""

import contextlib
import importlib
import json
import math
import os
import random
import threading
import time

from tenorite import _core
from tenorite._kernels.elementwise import ElementwiseKernel
from tenorite.cuda.stream import get_current_stream

__all__ = ["optimize"]

_SIZES = (32, 64, 128, 256, 512, 1024)
_found = {}  # {key: {call: block size}}
_lock = threading.RLock()


def _order(sizes, trials, seed):
    """The block sizes in the order in which they are tried, the same in every process."""
    sizes = list(sizes)
    random.Random(seed).shuffle(sizes)
    return sizes[:trials]


def _time(call, total):
    """Seconds of a call: the best of as many as fit into `total` seconds, three at least."""
    best, start = math.inf, time.perf_counter()
    while best == math.inf or time.perf_counter() - start < total:
        for _ in range(3):
            before = time.perf_counter()
            call()
            get_current_stream().synchronize()
            best = min(best, time.perf_counter() - before)
    return best


def _with_optuna(optuna, measure, config):
    study = optuna.create_study(direction="minimize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(
        lambda trial: measure(trial.suggest_categorical("block_size", _SIZES)),
        n_trials=config["max_trials"],
        timeout=config["timeout"],
    )
    return study.best_params["block_size"]


def _search(measure, config):
    """The best block size."""
    try:
        optuna = importlib.import_module("optuna")
    except ImportError:
        start, times = time.perf_counter(), {}
        for size in _order(_SIZES, config["max_trials"], 0):
            times[size] = measure(size)
            if time.perf_counter() - start > config["timeout"]:
                break
        return min(times, key=times.get)
    return _with_optuna(optuna, measure, config)


class _Search:
    """One use of optimize(): what stands for ElementwiseKernel's call meanwhile."""

    def __init__(self, key, readonly, config):
        self.sizes, self.readonly, self.config = _found.setdefault(key, {}), readonly, config

    def call(self, kernel, args, options):
        plain = super(ElementwiseKernel, kernel).__call__
        # A kernel that is tried may not change what it reads, nor what other calls see.
        if len(args) != kernel.nin or "block_size" in options or any(one.raw for one in kernel.params):
            return plain(*args, **options)
        arrays = [f"{one.dtype}{one.shape}" if hasattr(one, "shape") else type(one).__name__ for one in args]
        call = f"{_core._Device()} {kernel.name} {kernel.operation} {' '.join(arrays)}"
        if call not in self.sizes:
            if self.readonly:
                return plain(*args, **options)
            total = self.config["max_total_time_per_trial"]
            measure = lambda size: _time(lambda: plain(*args, **options, block_size=size), total)
            self.sizes[call] = _search(measure, {**self.config})
        return plain(*args, **options, block_size=self.sizes[call])


def _read(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        raise ValueError(f"{path} holds no results of optimize()")
    return found


@contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config):
    """Searches for the best block sizes of the element-wise kernels that run inside.

    The first call of a kernel with arguments of some shapes and dtypes is repeated with several
    block sizes, and the best is kept for later calls. Results are the same. Kernels with raw
    parameters or given outputs run as they are.

    Parameters
    ----------
    key : hashable, optional
        Under which name the results are kept; uses of one name share them.
    path : str, optional
        A file from which results are read, and to which they are written.
    readonly : bool, optional
        Whether results are used, but nothing is searched for or written.
    **config : float
        ``max_trials`` (100), ``timeout`` (1 second a kernel), ``max_total_time_per_trial`` (0.1
        seconds), ``expected_total_time_per_trial``, which has no effect.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> kernel = tenorite.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    >>> with tenorite.optimizing.optimize(key="squares", max_total_time_per_trial=0.001):
    ...     kernel(tenorite.arange(3.0))
    array([0., 1., 4.])
    """
    settings = {"max_trials": 100, "timeout": 1, "expected_total_time_per_trial": 1e-4, "max_total_time_per_trial": 0.1}
    for name in config:
        if name not in settings:
            raise TypeError(f"optimize() got an unexpected keyword argument {name!r}")
    settings.update(config)
    key = repr(key)
    with _lock:
        if path is not None and os.path.exists(path):
            for one, sizes in _read(path).items():
                _found.setdefault(one, {}).update(sizes)
        elif path is not None and readonly:
            raise FileNotFoundError(f"{path} is not there, and readonly=True searches for nothing")
        search = _Search(key, readonly, settings)
        ElementwiseKernel.__call__ = lambda kernel, *args, **options: search.call(kernel, args, options)
        try:
            yield
        finally:
            del ElementwiseKernel.__call__
            if path is not None and not readonly:
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({key: search.sizes}, file)
