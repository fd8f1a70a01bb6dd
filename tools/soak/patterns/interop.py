"""Arrays that go to others and come back: DLPack, __cuda_array_interface__, files, pickles,
devices."""

import io
import os
import pickle
import tempfile

import numpy as np
import tenorite as tn
from support import DEVICE, expect, pattern, recent, short_stream, weights
from tenorite import cuda


@pattern
def dlpack_round_trips():
    shared, kept = weights(100, 10), recent(4)

    def turn():
        with short_stream():
            made = shared + 1
            kept.append(tn.from_dlpack(made))
        expect(kept[-1][::2], shared.get()[::2] + 1)

    return turn


@pattern(on=("host",))
def dlpack_to_numpy():
    """NumPy reads our memory, and we NumPy's."""
    shared, kept = weights(1000), recent(4)

    def turn():
        there = np.from_dlpack(shared * 2)
        kept.append(tn.from_dlpack(there[::2].copy()))
        shared.__dlpack__()  # and no consumer takes it

    return turn


@pattern
def dlpack_on_streams():
    """The consumer names its stream."""
    shared = weights(1000)

    def turn():
        producer, consumer = short_stream(), short_stream()
        with producer:
            made = shared + 1
        with consumer:
            taken = tn.from_dlpack(made)
            expect(taken + 1, shared.get() + 2)

    return turn


class Stranger:
    """An object of another library with __cuda_array_interface__."""

    def __init__(self, array, stream=None):
        self.array = array
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__, stream=stream)


@pattern(on=("cuda", "double"))
def cuda_array_interface():
    """Another library's arrays, of streams that come and go."""
    shared = weights(1000)

    def turn():
        stream = short_stream()
        with stream:
            stranger = Stranger(shared + 1, stream.ptr)
        taken = tn.asarray(stranger)
        expect(taken + shared, 2 * shared.get() + 1)

    return turn


@pattern(on=("cuda", "double"))
def cuda_array_interface_kept():
    """One array of another library, read on streams that come and go."""
    taken = tn.asarray(Stranger(weights(1000)))

    def turn():
        with short_stream():
            expect(taken + 1, taken.get() + 1)

    return turn


@pattern
def numpy_functions():
    """NumPy's functions, which call ours."""
    shared = weights(20, 30)

    def turn():
        with short_stream():
            np.concatenate([shared, np.sin(shared)], axis=1).sum()
            np.where(shared > 3, shared, 0)
            expect(np.sum(shared, axis=0), shared.get().sum(axis=0))

    return turn


@pattern
def pickles():
    shared = weights(100, 10)

    def turn():
        with short_stream():
            again = pickle.loads(pickle.dumps(shared * 2))
        expect(again, 2 * shared.get())

    return turn


@pattern(cost=5)
def files():
    shared, folder = weights(100, 10), tempfile.mkdtemp(dir=os.environ.get("SOAK_FOLDER"))
    path = os.path.join(folder, "array.npy")

    def turn():
        tn.save(path, shared)
        expect(tn.load(path), shared.get())
        file = io.BytesIO()
        tn.savez(file, a=shared, b=shared[0])
        file.seek(0)
        with tn.load(file) as found:
            expect(found["b"], shared.get()[0])

    return turn


@pattern
def between_devices():
    shared = weights(1000)
    if cuda.runtime.getDeviceCount() < 2:
        return lambda: shared.to_device(0)

    def turn():
        with cuda.Device(1), short_stream():
            there = tn.asarray(shared) + 1
        with short_stream():
            expect(there.to_device(0), shared.get() + 1)

    return turn


@pattern
def streams_of_devices():
    """A stream of each device at once, in nested blocks."""
    count = cuda.runtime.getDeviceCount()
    shared = []
    for number in range(count):
        with cuda.Device(number):
            shared.append(weights(1000))

    def turn():
        for number in range(count):
            with cuda.Device(number), short_stream():
                expect(shared[number] + 1, shared[number].get() + 1)

    return turn


@pattern
def to_the_host_and_back():
    """Between the backends, which wait for each other's events."""
    shared = weights(1000)

    def turn():
        with short_stream():
            there = (shared + 1).to_device("host")
        if DEVICE != "host":
            back = there.to_device(0)
            expect(back, shared.get() + 1)

    return turn
