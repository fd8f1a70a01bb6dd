"""Threads that reshape, replace and drop arrays while others use them: python adversary_threads.py
SECONDS USE...

A use must see the old or the new array: all have the same elements in the same order, so what a use
finds out does not depend on which it got. Exceptions that say that two shapes do not fit are right.
"""

import random
import sys
import threading
import time

import numpy as np
import tenorite as tn

# Large enough that calls give up the GIL.
SHAPES = ((40_000,), (200, 200), (400, 100), (2, 100, 200), (1, 40_000))
SMALL = ((6,), (2, 3), (3, 2), (1, 6))


def total(array):
    return array.sum().item()


# Each gives the same number for every array of the same elements.
USES = {
    "sum": total,
    "sum of sums": lambda a: total(a.sum(axis=0)),
    "max": lambda a: a.max().item(),
    "argmax": lambda a: a.argmax().item(),
    "mean": lambda a: round(a.mean(axis=-1).mean().item(), 6),
    "add": lambda a: total(a + 1),
    "add itself": lambda a: total(a + a),
    "in place": lambda a: total(a.__imul__(1)),
    "ufunc": lambda a: total(tn.multiply(a, 2, out=tn.empty_like(a))),
    "get": lambda a: float(a.get().sum()),
    "get transposed": lambda a: float(a.T.get().sum()),
    "tolist": lambda a: float(np.sum(a[..., :2].tolist()) >= 0),
    "index": lambda a: total(a[...]) + a.flat[3].item(),
    "mask": lambda a: float(a[a >= 0].size),
    "take": lambda a: total(a.take(tn.array([1, 5]))),
    "assign": lambda a: a.__setitem__(..., a) or total(a),
    "astype": lambda a: total(a.astype("f4").astype("f8")),
    "copy": lambda a: total(a.T.copy()),
    "reshape": lambda a: total(a.reshape(-1)),
    "view": lambda a: float(a.view("u1").size),
    "cumsum": lambda a: a.cumsum()[-1].item(),
    "concatenate": lambda a: total(tn.concatenate([a, a])),
    "where": lambda a: total(tn.where(a >= 0, a, 0)),
    "dlpack": lambda a: total(tn.from_dlpack(a)),
    "pickle": lambda a: total(tn.asarray(np.frombuffer(a.tobytes()))),
    "repr": lambda a: float(len(repr(a)) > 0),
}


def change(shared, shapes, stop, seed):
    """Gives the arrays other shapes, and now and then puts another in the place of one."""
    draw = random.Random(seed)
    while not stop.is_set():
        at = draw.randrange(len(shared))
        if draw.random() < 0.2:
            shared[at] = shared[at].copy()
        shared[at].shape = draw.choice(shapes)


def use(shared, function, expected, stop, wrong):
    while not stop.is_set() and not wrong:
        for at in range(len(shared)):
            try:
                found = function(shared[at])
            except (ValueError, IndexError):
                continue
            if found != expected:
                wrong.append(f"{found} for {expected}")


def run(name, shapes, seconds):
    function, stop, wrong = USES[name], threading.Event(), []
    made = tn.arange(float(np.prod(shapes[0]))) % 1000
    expected = function(made.reshape(shapes[1]))
    shared = [made.reshape(draw).copy() for draw in shapes[:3]]
    threads = [threading.Thread(target=change, args=(shared, shapes, stop, 1))]
    threads += [threading.Thread(target=use, args=(shared, function, expected, stop, wrong)) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong, f"{name}: {wrong[0]}"


if __name__ == "__main__":
    sys.setswitchinterval(1e-5)
    for wanted in sys.argv[2:] or USES:
        print(wanted, flush=True)
        for sizes in (SHAPES, SMALL):
            run(wanted, sizes, float(sys.argv[1]) / 2)
