"""Threads that come and go, pools of them, and loops of asyncio."""

import asyncio
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

from support import expect, pattern, short_stream, weights
from tenorite import cuda
from together import in_threads


@pattern(cost=2)
def stream_in_fresh_threads():
    """`with Stream(): y = x + shared[0]` in a thread per task."""
    shared, x = weights(1000), weights(100)

    def work(_):
        with short_stream():
            x + shared[0]

    return lambda: in_threads(2, work)


@pattern(cost=2)
def default_in_fresh_threads():
    shared = weights(1000)

    def work(k):
        expect(shared[:10] + k, shared.get()[:10] + k)

    return lambda: in_threads(2, work)


@pattern(cost=2)
def own_default_in_fresh_threads():
    """Each thread's own default stream."""
    shared = weights(1000)

    def work(_):
        with cuda.Stream.ptds as stream:
            shared + 1
            stream.synchronize()

    return lambda: in_threads(2, work)


@pattern(cost=2)
def results_from_threads():
    """What one thread makes on its stream another uses and lets go of."""
    shared = weights(1000)

    def turn():
        made = queue.SimpleQueue()

        def work(k):
            with short_stream():
                made.put(shared + k)

        in_threads(2, work)
        expect(made.get() + made.get(), 2 * shared.get() + 1)

    return turn


@pattern(cost=2)
def executor_with_streams():
    """A pool of threads that live on, with a stream each."""
    shared, own = weights(1000), threading.local()
    pool, all_there = ThreadPoolExecutor(4), threading.Barrier(4)

    def work(k):
        if not hasattr(own, "stream"):
            own.stream = short_stream()
            all_there.wait()  # so that each of the threads has a stream from the first turn on
        with own.stream:
            return (shared * k).get()[1]

    return lambda: list(pool.map(work, range(8)))


@pattern(cost=2)
def executor_with_short_streams():
    """A pool of threads that live on, with a stream per task."""
    shared = weights(1000)
    pool = ThreadPoolExecutor(4)

    def work(k):
        with short_stream():
            return (shared * k).get()[1]

    return lambda: list(pool.map(work, range(8)))


@pattern(cost=5)
def executors_come_and_go():
    shared = weights(1000)

    def work(k):
        with short_stream():
            return (shared * k).get()[1]

    def turn():
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(8)))

    return turn


@pattern(cost=2)
def asyncio_polls_events():
    """Tasks of one loop, each with a stream and an event that it polls between those of others."""
    shared = weights(1000)
    loop = asyncio.new_event_loop()

    async def request(k):
        event = cuda.Event(disable_timing=True)
        with short_stream():
            result = shared * k
            event.record()
        while not event.done:
            await asyncio.sleep(0)
        expect(result[1:3], [k, 2 * k])

    async def requests():
        await asyncio.gather(*map(request, range(4)))

    return lambda: loop.run_until_complete(requests())


@pattern(cost=2)
def asyncio_is_called_back():
    """Callbacks of streams that wake up tasks of a loop."""
    shared = weights(1000)
    loop = asyncio.new_event_loop()

    async def request(k):
        done = asyncio.Event()
        with short_stream() as stream:
            result = shared * k
            stream.launch_host_func(lambda _: loop.call_soon_threadsafe(done.set), None)
        await done.wait()
        return result

    async def requests():
        await asyncio.gather(*map(request, range(4)))

    return lambda: loop.run_until_complete(requests())
