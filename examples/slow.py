"""A relaxation that is slow for three reasons and leaks, for the guide "Where time goes".

    python examples/slow.py [--steps N] [--size N] [--fixed] [--trace run.json] [--memory page.html]

Each step moves a field half the way to a target and adds what the step has changed. `relax` has
four mistakes that a trace shows; `relax_well` does the same without them.
"""

import argparse
import contextlib
import time

import tenorite as cp


def make(size):
    """A field, and a target whose rows lie where columns should."""
    target = cp.arange(size * size, dtype=cp.float64).reshape(size, size).T
    return cp.zeros((size, size)), target / target.size


def relax(field, target, steps):
    """The slow one."""
    seen, total = [], 0.0
    for _ in range(steps):
        after = 0.5 * (field + target)  # the target is transposed
        if abs(after - field).max() < 1e-12:  # each step waits for its own end
            break
        total += cp.asnumpy(after - field).sum()  # the whole field goes to the host
        seen.append(after)  # and none is ever dropped
        field = after
    return field, float(total)


def relax_well(field, target, steps, every=10):
    """The same without the mistakes."""
    target = cp.ascontiguousarray(target)
    total = cp.zeros(())
    for step in range(steps):
        after = 0.5 * (field + target)
        change = after - field
        total += change.sum()
        field = after
        if step % every == every - 1 and float(abs(change).max()) < 1e-12:
            break
    return field, float(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--trace")
    parser.add_argument("--memory")
    options = parser.parse_args()
    field, target = make(options.size)
    function = relax_well if options.fixed else relax
    with contextlib.ExitStack() as stack:
        if options.memory:
            stack.enter_context(cp.profiler.memory(options.memory))
        if options.trace:
            stack.enter_context(cp.profiler.trace(options.trace))
        start = time.perf_counter()
        _, total = function(field, target, options.steps)
        seconds = time.perf_counter() - start
    print(f"{function.__name__}: {seconds * 1e3:.1f} ms, the field has changed by {total:.6g}")


if __name__ == "__main__":
    main()
