"""Timelines: the trace of a known program, and what a file of Chrome's trace format must be."""

import json
import threading

import numpy as np
import pytest
import tenorite as cp
from tenorite import profiler

ON_HOST = cp.cuda.Device().backend == "host"


def events_of(path, category=None):
    """The events of a file, each checked against the format; those of a category alone."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    assert set(document) == {"displayTimeUnit", "traceEvents", "otherData"}
    for event in document["traceEvents"]:
        check(event)
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
        assert ("subtract" in kept) == ring
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
    assert events_of(path, "cache")[0]["name"].startswith("miss ")
