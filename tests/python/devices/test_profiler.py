"""tenorite.profiler, .time and .tools, and what cupyx has of waits and of this installation."""

import math
import subprocess
import sys
import threading
from unittest import mock

import numpy as np
import pytest
import tenorite as tn
from tenorite import profiler, time, x
from tenorite.profiler._time import _PerfCaseResult
from tenorite.tools import install_library

# --- Times ---


def test_result():
    times = np.array([[5.4, 7.1, 6.0, 5.4, 4.2], [6.4, 4.3, 8.9, 9.6, 3.8]]) * 1e-6
    result = _PerfCaseResult("test_name_xxx", times, (0,))
    cpu = "test_name_xxx       :    CPU:     5.620 us   +/-  0.943 (min:     4.200 / max:     7.100) us"
    gpu = "     GPU-0:     6.600 us   +/-  2.344 (min:     3.800 / max:     9.600) us"
    assert str(result) == repr(result) == cpu + gpu == result.to_str(show_gpu=True)
    assert result.to_str() == cpu
    assert result.cpu_times is not None and result.gpu_times.shape == (1, 5)
    single = _PerfCaseResult("a", np.array([[5.4e-6], [6.4e-6]]), (0,))
    assert str(single) == f"{'a':<20}:    CPU:     5.400 us     GPU-0:     6.400 us"


@pytest.mark.parametrize(
    ("options", "calls", "repeats"),
    [
        ({"n_repeat": 10, "n_warmup": 3}, 13, 10),
        ({"n_warmup": 3, "max_duration": 3.0}, 6, 3),
        ({"n_warmup": 0, "n_repeat": 1, "name": "other"}, 1, 1),
    ],
)
def test_benchmark_counts(options, calls, repeats):
    """With clocks that are made up."""
    clock = mock.Mock(side_effect=[2.4, 3.8, 3.8] * 13)
    function = mock.Mock(__name__="function")
    elapsed = mock.Mock(return_value=2500)
    with mock.patch("time.perf_counter", clock), mock.patch("tenorite.cuda.get_elapsed_time", elapsed):
        result = profiler.benchmark(function, (1, 2), {"a": 3}, **options)
    assert result.name == options.get("name", "function")
    assert function.call_args_list == [mock.call(1, 2, a=3)] * calls
    np.testing.assert_allclose(result.cpu_times, np.full(repeats, 1.4))
    np.testing.assert_allclose(result.gpu_times, np.full((1, repeats), 2.5))


def test_benchmark():
    a = tn.ones(1000)
    result = profiler.benchmark(lambda: a + 1, n_repeat=5, n_warmup=1)
    assert result.name == "<lambda>" and (result.cpu_times > 0).all() and (result.gpu_times >= 0).all()
    with pytest.warns(UserWarning, match="benchmark"):
        assert time.repeat(tn.sin, (a,), n_repeat=2).gpu_times.shape == (1, 2)


@pytest.mark.two_devices
def test_benchmark_devices():
    a = tn.ones(1000)
    assert profiler.benchmark(tn.sin, (a,), n_repeat=3, devices=(0, 1)).gpu_times.shape == (2, 3)
    with tn.cuda.Device(1):
        assert profiler.benchmark(tn.ones, (3,), n_repeat=3).to_str(True).count("GPU-1") == 1


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((3,), {}, "func"),
        ((len, [1]), {}, "args"),
        ((len, (), 3), {}, "kwargs"),
        ((len,), {"n_repeat": 2.0}, "n_repeat"),
        ((len,), {"n_repeat": 0}, "n_repeat"),
        ((len,), {"name": 3}, "name"),
        ((len,), {"n_warmup": "a"}, "n_warmup"),
        ((len,), {"max_duration": "a"}, "max_duration"),
        ((len,), {"devices": [0]}, "devices"),
    ],
)
def test_benchmark_refuses(arguments, options, said):
    with pytest.raises(ValueError, match=f"`{said}`"):
        profiler.benchmark(*arguments, **options)


# --- Ranges ---


@pytest.mark.parametrize(
    ("options", "pushed"),
    [
        ({"color_id": 3}, mock.call.RangePush("name", 3)),
        ({"argb_color": 0xFF00FF00}, mock.call.RangePushC("name", 0xFF00FF00)),
        ({"sync": True}, mock.call.RangePush("name", -1)),
    ],
)
def test_time_range(options, pushed):
    with mock.patch("tenorite.profiler._time_range.nvtx") as nvtx:
        with profiler.time_range("name", **options):
            assert nvtx.mock_calls == [pushed]
        with pytest.raises(KeyError), profiler.time_range("name", **options):
            raise KeyError
    assert nvtx.mock_calls == [pushed, mock.call.RangePop()] * 2


def test_time_range_decorates():
    @profiler.time_range()
    def factorial(n):
        return n * factorial(n - 1) if n else 1

    with mock.patch("tenorite.profiler._time_range.nvtx") as nvtx:
        assert factorial(3) == 6 and factorial.__name__ == "factorial"
    assert nvtx.mock_calls == [mock.call.RangePush("factorial", -1)] * 4 + [mock.call.RangePop()] * 4
    assert factorial(3) == 6  # with NVTX or without it
    with pytest.raises(ValueError, match="message"), profiler.time_range():
        pass
    with pytest.raises(ValueError, match="color"):
        profiler.time_range("a", color_id=1, argb_color=2)


def test_profile():
    with profiler.profile():
        tn.ones(3)


# --- IPython ---


class Shell:
    def __init__(self):
        self.user_ns, self.magics = {"tn": tn, "runs": []}, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_name] = function, magic_kind


def test_magic(capsys):
    shell = Shell()
    profiler.load_ipython_extension(shell)
    magic, kind = shell.magics["gpu_timeit"]
    assert kind == "line_cell"
    magic("-n 3 -w 1 runs.append(tn.ones(3)[-1 + 1])")
    assert len(shell.user_ns["runs"]) == 4 and "GPU-" in capsys.readouterr().out
    magic("--n-repeat 2 --n-warmup 0 start = 7", "runs.append(start)\nother = start + 1")
    assert shell.user_ns["runs"][4:] == [7, 7] and shell.user_ns["other"] == 8
    with pytest.raises(ValueError, match="gpu_timeit"):
        magic("-n three pass")


# --- Waits that are refused ---

WAITS = [
    lambda a: a.get(),
    lambda a: tn.asnumpy(a),
    lambda a: a.item(1),
    lambda a: a[0].item(),
    lambda a: float(a[0]),
    lambda a: int(a[0]),
    lambda a: bool(a[0]),
    lambda a: a.tolist(),
    lambda a: a.tobytes(),
    lambda a: repr(a),
    lambda a: tn.ones(1000).get(),
    lambda a: tn.ones(1000).tolist(),
    lambda a: tn.cuda.get_current_stream().synchronize(),
    lambda a: tn.cuda.Stream().synchronize(),
    lambda a: tn.cuda.Device().synchronize(),
    lambda a: tn.cuda.runtime.deviceSynchronize(),
    lambda a: tn.cuda.Event().synchronize(),
]


@pytest.mark.parametrize("wait", WAITS)
def test_synchronize(wait):
    a = tn.arange(3.0)
    with x.allow_synchronize(False):
        with pytest.raises(x.DeviceSynchronized, match="disallowed"):
            wait(a)
        with x.allow_synchronize(True):
            wait(a)
        with pytest.raises(RuntimeError):
            wait(a)
    wait(a)


def test_synchronize_of_threads():
    """Each thread has its own answer, and what does not wait works."""
    a, got = tn.arange(3.0), []
    with x.allow_synchronize(False):
        b = (a + 1).sum(axis=0, keepdims=True)
        c = tn.asarray(np.ones(3))
        thread = threading.Thread(target=lambda: got.append(a.tolist()))
        thread.start()
        thread.join()
    assert got == [[0, 1, 2]] and float(b[0]) == 6 and c.tolist() == [1, 1, 1]
    with pytest.raises(KeyError), x.allow_synchronize(False):
        raise KeyError
    assert a.tolist() == [0, 1, 2]


# --- The installation ---


def test_runtime_info():
    facts = x.get_runtime_info().facts
    assert x.get_runtime_info().cupy_version == tn.__version__
    assert facts["NumPy"] == np.__version__ and "NumPy" in str(x.get_runtime_info())
    short = x.get_runtime_info(full=False).facts
    assert any(name.startswith("host:") for name in facts) and not any(name.startswith("host:") for name in short)


def test_names_of_cupyx():
    assert x.profiler is profiler and x.time is time and x.tools.install_library is install_library
    with pytest.raises(AttributeError, match="bogus"):
        x.bogus
    with pytest.raises(AttributeError):
        x._bogus
    assert math.isinf(profiler.benchmark.__kwdefaults__["max_duration"])


def test_install_library(capsys):
    assert install_library.main(["--library", "nccl", "--cuda", "12.8", "--action", "dump"]) == 0
    assert "nvidia-nccl-cu12" in capsys.readouterr().out
    with mock.patch("subprocess.run", return_value=subprocess.CompletedProcess([], 3)) as run:
        assert install_library.main(["--library", "cutensor", "--cuda", "13.x", "--prefix", "here"]) == 3
    assert run.call_args.args[0] == [sys.executable, "-m", "pip", "install", "--target", "here", "cutensor-cu13"]
    for wrong in (["--library", "bogus", "--cuda", "12.x"], ["--library", "nccl", "--cuda", "9.x"]):
        with pytest.raises(SystemExit):
            install_library.main(wrong)
    assert "12.x, 13.x" in capsys.readouterr().err
