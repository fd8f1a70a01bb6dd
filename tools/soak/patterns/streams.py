"""Streams that come and go while arrays, events and pools stay."""

import gc
import itertools

import tenorite as tn
from support import cycled, expect, pattern, recent, refused, short_stream, weights
from tenorite import cuda


@pattern
def read_on_short_streams():
    """The pattern of a service: weights that are read on a stream per request."""
    shared = weights(100, 100)

    def turn():
        with short_stream():
            expect(shared + 1, shared.get() + 1)

    return turn


@pattern
def read_on_unawaited_streams():
    """The stream is let go of while its work is still queued."""
    shared = weights(1000)

    def turn():
        with short_stream():
            shared * 2

    return turn


@pattern
def write_on_short_streams():
    shared = tn.zeros(1000, "f4")
    counted = itertools.count(1)

    def turn():
        with short_stream():
            shared.__iadd__(1)
        expect(shared[:3], next(counted))

    return turn


@pattern
def copy_on_short_streams():
    shared, target = weights(1000), tn.zeros(1000, "f4")

    def turn():
        with short_stream() as stream:
            tn.copyto(target, shared.copy())
            stream.synchronize()

    return turn


@pattern
def element_of_shared():
    """One element of an array that lives on, in what a stream computes."""
    shared, x = weights(1000), weights(100)

    def turn():
        with short_stream():
            x + shared[0]

    return turn


@pattern
def blocking_streams():
    """Streams that the default one waits for, with priorities."""
    shared = weights(1000)
    kinds = cycled((False, 0), (True, 0), (False, -1))

    def turn():
        non_blocking, priority = kinds()
        with cuda.Stream(non_blocking=non_blocking, priority=priority):
            result = shared * 3
        result.sum()

    return turn


@pattern
def views_on_short_streams():
    """Views of one buffer, each on a stream of its own."""
    shared = weights(60, 100)

    def turn():
        for view in (shared[::2], shared.T, shared[3], tn.broadcast_to(shared[0], (4, 100))):
            with short_stream():
                view + 1

    return turn


@pattern(cost=2)
def nested_streams():
    shared = weights(1000)

    def turn():
        outer, inner = short_stream(), short_stream()
        with outer:
            a = shared + 1
            with inner:
                b = a + 1
                with outer:
                    c = b + 1
            d = c + b
        expect(d, 2 * shared.get() + 5)

    return turn


@pattern
def event_kept():
    """One event, recorded on a new stream each time."""
    shared, event = weights(1000), cuda.Event()

    def turn():
        with short_stream():
            shared + 1
            event.record()
        event.synchronize()

    return turn


@pattern
def event_waited_for():
    """record, wait_event, then a read: what keeps one stream from another's memory."""
    shared, kept = weights(1000), short_stream()

    def turn():
        stream, event = short_stream(), cuda.Event(disable_timing=True)
        with stream:
            made = shared + 1
            event.record(stream)
        kept.wait_event(event)
        with kept:
            expect(made + shared, 2 * shared.get() + 1)

    return turn


@pattern
def null_waits_for_streams():
    shared, null = weights(1000), cuda.Stream.null

    def turn():
        stream = short_stream()
        with stream:
            made = shared * 2
        null.wait_event(stream.record())
        made.sum()

    return turn


@pattern
def elapsed_time():
    shared = weights(1000)

    def turn():
        start, end = cuda.Event(), cuda.Event()
        with short_stream() as stream:
            start.record()
            shared + 1
            end.record()
            stream.synchronize()
        assert cuda.get_elapsed_time(start, end) >= 0

    return turn


@pattern
def callbacks():
    """Functions that streams call, with arrays as their arguments."""
    shared, seen = weights(100), recent(4)

    def turn():
        stream = short_stream()
        with stream:
            stream.launch_host_func(seen.append, shared + 1)
            stream.add_callback(lambda stream, status, value: seen.append(value), shared)
        stream.synchronize()
        seen.append(None)

    return turn


@pattern(cost=20, slack={"threads": 50, "core worker_threads": 50})
def callbacks_of_many_streams():
    """Many streams at a time, each with a function in its queue, for which a thread each may be
    needed."""
    shared = weights(100)

    def turn():
        called, streams = [], [short_stream() for _ in range(50)]
        for stream in streams:
            with stream:
                stream.launch_host_func(called.append, shared + 1)
        for stream in streams:
            stream.synchronize()
        assert len(called) == 50

    return turn


@pattern(cost=5)
def many_at_once():
    shared = weights(1000)

    def turn():
        streams = [short_stream() for _ in range(10)]
        results = []
        for stream in streams:
            with stream:
                results.append(shared + 1)
        with streams[0]:
            expect(sum(results[1:], results[0]), 10 * (shared.get() + 1))

    return turn


@pattern
def errors_in_streams():
    shared = weights(10)

    def turn():
        def fail():
            with short_stream():
                kept = shared + 1
                return kept + tn.ones(7)

        refused(fail, ValueError)
        assert cuda.get_current_stream() == cuda.Stream.null

    return turn


@pattern
def results_kept():
    """Results outlive the streams that made them, for a while."""
    shared, results = weights(1000), recent(16)

    def turn():
        with short_stream():
            results.append(shared + 1)
        if results[0] is not None:
            expect(results[0][:2] + results[-1][:2], [2, 4])

    return turn


@pattern
def streams_in_cycles():
    """Streams and arrays that only the garbage collector finds."""
    shared, number = weights(100), itertools.count()

    def turn():
        stream = short_stream()
        with stream:
            cycle = [stream, shared + 1]
        cycle.append(cycle)
        if next(number) % 8 == 0:  # by itself it looks after hundreds of objects
            gc.collect()

    return turn


@pattern
def generators_abandoned():
    """A generator that is let go of in the middle of `with Stream()`."""
    shared = weights(100)

    def parts():
        with short_stream():
            yield shared + 1
            yield shared + 2

    def turn():
        generator = parts()
        next(generator)
        del generator
        assert cuda.get_current_stream() == cuda.Stream.null

    return turn


@pattern
def streams_by_handle():
    """Streams and events of the runtime's functions, ended by its functions."""
    shared, runtime = weights(1000), cuda.runtime

    def turn():
        handle, event = runtime.streamCreateWithFlags(runtime.streamNonBlocking), runtime.eventCreate()
        with cuda.ExternalStream(handle):
            shared + 1
            runtime.eventRecord(event, handle)
        runtime.eventSynchronize(event)
        runtime.streamSynchronize(handle)
        runtime.eventDestroy(event)
        runtime.streamDestroy(handle)

    return turn


@pattern
def done_polled():
    shared = weights(1000)

    def turn():
        stream = short_stream()
        with stream:
            shared + 1
        while not stream.done:
            pass

    return turn
