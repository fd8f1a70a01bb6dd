"""A regression whose data lie with several processes: each computes a gradient, NCCL sums them.

    python examples/sum_gradients.py [--ranks N] [--samples N] [--steps N] [--picture FILE]

The program starts itself once for each rank. A rank has a device (of GPUs its own one) and its part
of the samples. In each step it computes the gradient of its part, all ranks sum their gradients by
one call, and each takes the same step. The weights must be those of NumPy, which has all samples.
On the host the calls are the same, and shared memory is what they go through.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np
import tenorite as cp
from tenorite.cuda import nccl

FEATURES = 64


def samples_of(part: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The samples of a part, the same wherever they are made."""
    chance = np.random.default_rng(part)
    x = chance.standard_normal((count, FEATURES))
    truth = np.linspace(-1, 1, FEATURES)
    return x, x @ truth + 0.1 * chance.standard_normal(count)


def run_rank(rank: int, key: bytes, options: argparse.Namespace) -> None:
    """A rank's whole work; rank 0 prints."""
    if cp.cuda.Device().backend == "cuda":
        cp.cuda.Device(rank).use()
    group = nccl.NcclCommunicator(options.ranks, key, rank)
    stream = cp.cuda.get_current_stream().ptr
    host_x, host_y = samples_of(rank, options.samples)
    x, y = cp.asarray(host_x), cp.asarray(host_y)
    weights, total = cp.zeros(FEATURES), options.ranks * options.samples
    losses, begun, talked = [], time.perf_counter(), 0.0
    for _ in range(options.steps):
        error = x @ weights - y
        # The gradient, and the loss after it, so that one call sums both.
        sums = cp.concatenate((x.T @ error, (error @ error)[None]))
        before = time.perf_counter()
        group.allReduce(sums.data.ptr, sums.data.ptr, sums.size, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, stream)
        talked += time.perf_counter() - before
        weights -= 0.5 / total * sums[:-1]
        losses.append(sums[-1:] / total)
    curve = cp.concatenate(losses).get()
    seconds = time.perf_counter() - begun
    if rank == 0:
        report(weights.get(), curve, seconds, talked, options)
    group.destroy()


def expected(options: argparse.Namespace) -> np.ndarray:
    """The weights by NumPy, from the samples of all parts."""
    parts = [samples_of(part, options.samples) for part in range(options.ranks)]
    x, y = np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])
    weights = np.zeros(FEATURES)
    for _ in range(options.steps):
        weights -= 0.5 / len(y) * (x.T @ (x @ weights - y))
    return weights


def report(weights: np.ndarray, curve: np.ndarray, seconds: float, talked: float, options: argparse.Namespace) -> None:
    """Prints, compares with NumPy, and draws the losses if there is Matplotlib."""
    difference = np.abs(weights - expected(options)).max()
    print(f"{options.ranks} ranks, {options.samples} samples each, {options.steps} steps")
    print(f"loss {curve[0]:.4f} -> {curve[-1]:.4f}; greatest difference from NumPy {difference:.1e}")
    print(
        f"{1e3 * seconds / options.steps:.2f} ms a step, {1e3 * talked / options.steps:.2f} of them in the sum, where a rank waits for the others"
    )
    assert difference < 1e-10, "the ranks have other weights than NumPy"
    if options.picture:
        import matplotlib.pyplot as plt

        plt.semilogy(curve)
        plt.xlabel("step")
        plt.ylabel("loss")
        plt.savefig(options.picture)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--samples", type=int, default=20_000, help="of each rank")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--picture", help="a file for the curve of losses; needs Matplotlib")
    options = parser.parse_args()
    if "SUM_GRADIENTS_RANK" in os.environ:
        key = bytes.fromhex(os.environ["SUM_GRADIENTS_KEY"])
        return run_rank(int(os.environ["SUM_GRADIENTS_RANK"]), key, options)
    written = nccl.get_unique_id().hex()
    running = [
        subprocess.Popen(
            [sys.executable, *sys.argv],
            env=os.environ | {"SUM_GRADIENTS_RANK": str(rank), "SUM_GRADIENTS_KEY": written},
        )
        for rank in range(options.ranks)
    ]
    if max(process.wait() for process in running):
        sys.exit("a rank has failed")


if __name__ == "__main__":
    main()
