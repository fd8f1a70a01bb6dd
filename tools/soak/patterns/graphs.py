"""Graphs: captured, launched, abandoned, on streams that stay and that go."""

import itertools

import tenorite as tn
from support import COMPUTES, expect, pattern, refused, short_stream, weights
from tenorite import cuda


def captured(stream, function):
    """The graph of a call, and its result."""
    with stream:
        stream.begin_capture()
        result = function()
        return stream.end_capture(), result


@pattern
def launch_graph():
    a, stream = weights(1000), short_stream()
    graph, result = captured(stream, lambda: (a + 1) * 2)

    def turn():
        graph.launch(stream)
        expect(result, 2 * a.get() + 2)

    return turn


@pattern
def launch_graph_on_short_streams():
    total = tn.zeros(1000, "f4")
    graph, _ = captured(short_stream(), lambda: total.__iadd__(1))
    counted = itertools.count(1)

    def turn():
        stream = short_stream()
        graph.launch(stream)
        stream.synchronize()
        expect(total[:2], next(counted))

    return turn


@pattern(cost=2)
def capture_and_launch():
    """A graph per turn, on a stream per turn."""
    a = weights(1000)

    def turn():
        stream = short_stream()
        graph, result = captured(stream, lambda: (a + 1) * 2)
        graph.launch(stream)
        expect(result, 2 * a.get() + 2)

    return turn


@pattern(cost=2)
def drop_running_graph():
    """A graph and its stream that are let go of while they run."""
    a = weights(1000)

    def turn():
        stream = short_stream()
        graph, result = captured(stream, lambda: a.sum() + 1)
        for _ in range(3):
            graph.launch(stream)

    return turn


@pattern(cost=2)
def capture_with_two_streams():
    a = weights(1000)

    def turn():
        stream, branch = short_stream(), short_stream()
        with stream:
            stream.begin_capture()
            b = a + 1
            branch.wait_event(stream.record())
            with branch:
                c = b * 2
            stream.wait_event(branch.record())
            d = b + c
            graph = stream.end_capture()
        graph.launch(stream)
        expect(d, 3 * a.get() + 3)

    return turn


@pattern(cost=2)
def capture_is_refused():
    """A wait in the middle of a capture, which ends it."""
    a = weights(1000)

    def turn():
        stream = short_stream()
        with stream:
            stream.begin_capture()
            a + 1
            refused(stream.synchronize)
            refused(stream.end_capture)
        a.sum()

    return turn


@pattern(cost=2)
def capture_is_abandoned():
    """An exception in the middle of a capture; the stream is let go of as it is."""
    a = weights(1000)

    def capture():
        stream = short_stream()
        with stream:
            stream.begin_capture()
            try:
                (a + 1) + tn.ones(7)
            finally:
                stream.end_capture()

    return lambda: refused(capture, ValueError)


@pattern(cost=2)
def graph_reads_new_inputs():
    """A graph that lives on, with inputs that come from streams per request."""
    slot, weight, own = tn.zeros(100, "f4"), weights(100, 100), short_stream()
    graph, result = captured(own, lambda: (weight * slot).sum(axis=1))
    request = weights(100).get()

    def turn():
        with short_stream():
            slot.set(request)
            graph.launch()
            found = result.get()
        assert not COMPUTES or found.shape == (100,)
        assert cuda.get_current_stream() == cuda.Stream.null

    return turn
