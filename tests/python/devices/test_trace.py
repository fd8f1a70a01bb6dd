"""Timelines: the trace of a known program, and what a file of Chrome's trace format must be."""

import json
import os
import threading

import numpy as np
import pytest
import tenorite as cp
from programs import python
from tenorite import profiler

ON_HOST = cp.cuda.Device().backend == "host"


def events_of(path, category=None):
    """The events of a file, each checked against the format; those of a category alone."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    assert set(document) == {"displayTimeUnit", "traceEvents", "otherData"}
    for event in document["traceEvents"]:
        check(event)
    check_nesting([event for event in document["traceEvents"] if event["ph"] == "X"])
    return [event for event in document["traceEvents"] if category in (None, event.get("cat"))]


def check(event):
    assert event["ph"] in "XiCM" and isinstance(event["name"], str)
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
    if event["ph"] == "M":
        assert event["name"] in ("process_name", "thread_name", "process_sort_index")
        return
    assert event["ts"] >= 0 and isinstance(event["args"], dict)
    if event["ph"] == "X":
        assert event["dur"] >= 0
    if event["ph"] == "i":
        assert event["s"] == "t"
    if event["ph"] == "C":
        assert set(event["args"]) == {"used", "held"}


def check_nesting(slices):
    """Perfetto drops a slice that overlaps another one of its track without lying within it. Its
    own reader is a program that its package downloads when it is used, so these are its rules."""
    tracks = {}
    for event in slices:
        begin, length = round(1000 * event["ts"]), round(1000 * event["dur"])
        tracks.setdefault((event["pid"], event["tid"]), []).append((begin, -length, event["name"]))
    for track in tracks.values():
        open_ends = []
        for begin, length, name in sorted(track):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or begin - length <= open_ends[-1], name
            open_ends.append(begin - length)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.json"


def line_of(event):
    return event["args"]["line"]


def test_known_program(path):
    host = np.ones((300, 200), np.float32)
    a = cp.asarray(host)
    with profiler.trace(path) as trace:
        b = a + 1
        total = float(b.sum())
        with profiler.time_range("a part"):
            c = b[b > 1]
        back = b.get()
        del c
    assert total == 120000 and (back == 2).all() and trace.dropped == 0
    calls = events_of(path, "call")
    names = [event["name"] for event in calls]
    assert [name for name in names if "range" not in name] == ["add", "sum", "float(x)", "greater", "getitem", "get"]
    add = calls[0]
    assert add["args"]["arrays"] == "float32[300,200] float32[300,200]" and add["args"]["bytes"] == 480000
    assert line_of(add).endswith("(test_known_program)") and "test_trace.py:" in line_of(add)
    (part,) = events_of(path, "range")
    getitem = calls[names.index("getitem")]
    assert part["name"] == "a part" and part["ts"] <= getitem["ts"]
    assert getitem["ts"] + getitem["dur"] <= part["ts"] + part["dur"]
    copies = [event["args"] for event in events_of(path, "copy")]
    assert [(copy["bytes"], copy["direction"]) for copy in copies] == [
        (4, "device to host"),
        *([] if ON_HOST else [(8, "device to host")]),  # how many elements the mask takes
        (240000, "device to host"),
    ]
    assert {event["args"]["device"] for event in events_of(path, "malloc")} == {
        f"{'host' if ON_HOST else 'cuda'}:{cp.cuda.get_device_id()}"
    }
    works = [event["name"] for event in events_of(path, "work" if ON_HOST else "launch")]
    assert not ON_HOST or works[:2] == ["add", "sum"]
    assert works


def test_memory_curve(path):
    with profiler.trace(path):
        a = cp.empty(1 << 20, np.uint8)
        b = cp.empty(1 << 20, np.uint8)
        del a
        del b
    points = [event["args"]["used"] for event in events_of(path) if event["ph"] == "C"]
    assert max(points) == 2 << 20 and points[-1] == 0
    frees = events_of(path, "free")
    mallocs = events_of(path, "malloc")
    assert sorted(event["args"]["address"] for event in frees) == sorted(event["args"]["address"] for event in mallocs)
    assert all("test_memory_curve" in line_of(event) for event in frees + mallocs)


def test_streams_and_waits(path):
    a = cp.ones(100000)
    with profiler.trace(path), cp.cuda.Stream() as stream:
        cp.sin(a, out=a)
        stream.synchronize()
    (wait,) = events_of(path, "wait")
    assert wait["name"] == "wait for a stream"
    work = [event for event in events_of(path) if event.get("cat") in ("work", "kernel")]
    assert {event["args"]["stream"] for event in work} == {wait["args"]["stream"]}
    tracks = {event["args"]["name"] for event in events_of(path) if event["name"] == "thread_name"}
    assert f"stream {wait['args']['stream']}" in tracks


@pytest.mark.skipif(ON_HOST, reason="it is about a GPU's clock")
def test_times_by_cupti(path):
    """Kernels of libraries and copies have a GPU's times, their streams and lines."""
    if not any(name == "cupti" and is_found for name, is_found, *_ in cp._core._cuda_libraries(False)):
        pytest.skip("needs CUPTI")
    if os.environ.get("TENORITE_CUPTI") != "1":
        pytest.skip("needs TENORITE_CUPTI=1")
    a, host = cp.ones((512, 512), np.float32), np.arange(1 << 20)
    (a @ a + 1).sum().item()
    with profiler.trace(path), cp.cuda.Stream() as stream:
        a @ a + 1
        b = cp.asarray(host)
        stream.synchronize()
    wait = events_of(path, "wait")[-1]
    kernels = events_of(path, "kernel")
    copies = [event for event in events_of(path, "work") if event["name"] == "copy to the device"]
    assert len(kernels) >= 2 and sum(event["args"]["bytes"] for event in copies) >= b.nbytes
    for event in kernels + copies:
        assert event["args"]["stream"] == wait["args"]["stream"], event
        assert event["dur"] > 0, event
        assert event["ts"] <= wait["ts"] + wait["dur"] + 1000, event  # one clock for both
    assert sum("test_times_by_cupti" in line_of(event) for event in kernels) >= 2
    assert all("test_times_by_cupti" in line_of(event) for event in copies)


def test_threads(path):
    def work():
        (cp.ones(1000) * 3).sum()

    with profiler.trace(path):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    multiplied = [event for event in events_of(path, "call") if event["name"] == "multiply"]
    assert len(multiplied) == 3 and all(line_of(event).endswith("(work)") for event in multiplied)


def test_exception(path):
    with pytest.raises(ZeroDivisionError), profiler.trace(path):
        cp.ones(3)
        raise ZeroDivisionError
    assert events_of(path, "call")
    with profiler.trace(path):  # none is under way any more
        pass


def test_failing_calls_are_noted(path):
    with profiler.trace(path), pytest.raises(ValueError, match="broadcast"):
        cp.ones(3) + cp.ones(4)
    assert [event["name"] for event in events_of(path, "call")] == ["ones", "ones", "add"]


def test_bounds(path):
    a = cp.ones(3)
    for ring in (False, True):
        with profiler.trace(path, events=50, ring=ring) as trace:
            for _ in range(50):
                a + 1
            a - 1
        assert trace.recorded > 50 and trace.dropped == trace.recorded - 50
        kept = {event["name"] for event in events_of(path)}
        assert any("subtract" in name for name in kept) == ring  # on a GPU also in kernels' names
    assert len([event for event in events_of(path) if event["ph"] != "M" and event["ph"] != "C"]) == 50


def test_refusals(path, tmp_path):
    with pytest.raises(FileNotFoundError):
        profiler.trace(tmp_path / "nothing" / "run.json")
    with pytest.raises(ValueError, match="1 to 2\\^32 events, not 0"):
        profiler.trace(path, events=0)
    with profiler.trace(path), pytest.raises(RuntimeError, match="under way"):
        profiler.trace(tmp_path / "other.json")


def test_without_a_block(path):
    trace = profiler.trace(path)
    cp.ones(3)
    trace.stop()
    trace.stop()
    assert events_of(path, "call")


def test_composed_functions_have_the_programs_line(path):
    a = cp.ones((20, 30))
    with profiler.trace(path):
        cp.median(a, axis=0)
    calls = events_of(path, "call")
    assert calls and all("test_composed" in line_of(event) for event in calls)
    assert any(event["name"].startswith("median: ") for event in calls)


def test_kernels_and_compilations(path):
    kernel = cp.ElementwiseKernel("float32 x", "float32 y", f"y = x + {np.random.randint(1 << 30)}", "traced")
    with profiler.trace(path):
        kernel(cp.ones(10, np.float32))
    (compiled,) = events_of(path, "compile")
    assert compiled["dur"] > 0
    assert any("traced" in event["name"] for event in events_of(path) if event["ph"] == "X")
    assert any(event["name"].startswith("miss ") for event in events_of(path, "cache"))


# --- Tables ---


def test_profile(capsys):
    a = cp.ones((300, 200))
    with profiler.profile() as found:
        for _ in range(5):
            b = a + 1
        float(b.sum())
    rows = {row[:2]: row for row in found.table}
    assert rows["calls", "add"][3] == 5 and rows["calls", "add"][6] == 5 * 2 * a.nbytes
    assert rows["calls", "float(x)"][3] == 1 and rows["within calls", "read an element"][6] == 8
    assert any(part == "on streams" for part, _ in rows)
    totals = [row[4] for row in found.table]
    assert totals == sorted(totals, reverse=True)
    printed = capsys.readouterr().out
    assert "total ms" in printed and "add " in printed and str(found) in printed


def test_profile_by_line():
    a = cp.ones(1000)
    with profiler.profile(by="line", sort="calls", file=False) as found:
        a + 1
        for _ in range(2):
            a + 2
    added = [(row[2], row[3]) for row in found.table if row[:2] == ("calls", "add")]
    assert [count for _, count in added] == [2, 1] and all("test_trace.py:" in line for line, _ in added)


def test_profile_refusals():
    with pytest.raises(ValueError, match="by must be"):
        profiler.profile(by="file")
    with pytest.raises(ValueError, match="sort must be one of total, calls"):
        profiler.profile(sort="size")
    with pytest.raises(ZeroDivisionError), profiler.profile(file=False):
        raise ZeroDivisionError
    with profiler.profile(file=False):
        pass


# --- Memory ---


def test_memory(tmp_path, capsys):
    kept = []
    page = tmp_path / "memory.html"
    with profiler.memory(page) as found:
        for _ in range(3):
            kept.append(cp.empty(1 << 20, np.uint8))
            passing = cp.empty(1 << 18, np.uint8)
            del passing
    assert found.used_bytes == 3 << 20 and found.peak_bytes == (3 << 20) + (1 << 18)
    ((owner, size, count),) = found.owners()
    assert (size, count) == (3 << 20, 3) and "test_trace.py:" in owner and owner.endswith("(test_memory)")
    found.print_report()
    assert owner in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    data = json.loads(text.split('type="application/json">')[1].split("</script>")[0])
    assert sum(event[2] for event in data["events"]) == 3 << 20 and len(data["events"]) == 9
    assert owner in data["owners"] and "http" not in text


# --- Waits ---


HIDDEN = {
    "float(x)": lambda a: float(a.sum()),
    "int(x)": lambda a: int(a.sum()),
    "bool(x)": lambda a: bool(a.sum()),
    "item()": lambda a: a.sum().item(),
    "tolist()": lambda a: a.tolist(),
    "this call": lambda a: a[a > 1],
}


@pytest.mark.parametrize("what", HIDDEN)
def test_hidden_waits(what):
    a = cp.arange(4.0)
    wait = HIDDEN[what]
    with cp.waits("warn"), pytest.warns(cp.exceptions.PerformanceWarning, match="waits for the device") as told:
        wait(a)
    assert len(told) == 1 and told[0].filename == __file__ and str(told[0].message).startswith(what)
    with cp.waits("raise"), pytest.raises(cp.x.DeviceSynchronized, match=r"waits for the device.*test_trace\.py:\d+"):
        wait(a)
    wait(a)


def test_written_waits_are_not_told():
    a = cp.arange(4.0)
    with cp.waits("raise"):
        assert a.get()[1] == 1 and cp.asnumpy(a)[2] == 2
        cp.asarray(np.ones(3))
        cp.cuda.Device().synchronize()
        cp.cuda.get_current_stream().synchronize()
        with cp.waits("allow"):
            assert float(a.sum()) == 6
    with pytest.raises(ValueError, match="'warn', 'raise' or 'allow', not 'off'"), cp.waits("off"):
        pass


def test_waits_are_of_one_thread():
    found = []
    with cp.waits("raise"):
        thread = threading.Thread(target=lambda: found.append(float(cp.ones(3).sum())))
        thread.start()
        thread.join()
    assert found == [3.0]


# --- Lines ---

PROGRAM = """
import numpy as np, tenorite as cp
a = cp.ones(1 << 22, np.float32)
with cp.cuda.Stream() as stream:
    b = a + 1
    stream.synchronize()
cp.ElementwiseKernel("float32 x", "float32 y", "y = x + 4", "logged")(a)
"""


@pytest.mark.parametrize("kind", ["compile", "cache", "wait", "pool"])
def test_log(kind, tmp_path):
    variables = {"TENORITE_LOG": kind, "TENORITE_CACHE_DIR": str(tmp_path)}
    done = python("-c", PROGRAM, variables=variables)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines and all(line.startswith(f"tenorite {kind}: ") for line in lines)
    assert any("<string>:" in line for line in lines)


def test_log_is_silent_and_refuses():
    assert python("-c", PROGRAM, variables={"TENORITE_LOG": ""}).stderr == ""
    said = python("-c", PROGRAM, variables={"TENORITE_LOG": "waits"}).stderr
    assert said == "tenorite log: TENORITE_LOG names compile, cache, wait, pool, progress or all, not 'waits'\n"


def test_progress_is_told_on_request():
    program = """
import numpy as np
import tenorite as cp
from tenorite._lib import progress
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg import eigsh, lobpcg, lsmr, lsqr
progress.SECONDS = 0
rng = np.random.default_rng(0)
a = sparse.csr_matrix(cp.asarray(np.diag(np.arange(1.0, 201)) + 1e-3))
eigsh(a, 3, ncv=8)
lobpcg(a, cp.asarray(rng.random((200, 3))), largest=True)
lsqr(a, cp.ones(200))
lsmr(a, cp.ones(200))
"""
    told = python("-c", program, variables={"TENORITE_LOG": "progress"})
    assert told.returncode == 0, told.stderr
    for name in ("eigsh", "lobpcg", "lsqr", "lsmr"):
        assert f"progress: {name}: " in told.stderr, told.stderr
    silent = python("-c", program, variables={"TENORITE_LOG": ""})
    assert silent.returncode == 0 and "progress" not in silent.stderr
