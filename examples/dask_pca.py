"""Principal components of recordings that no worker could hold, by a cluster of Dask's in which one
worker dies.

    python examples/dask_pca.py [--recordings 400000] [--samples 256] [--workers 4]
                                [--memory 400] [--output tasks.svg]

Each worker is a process with a device of its own. The recordings are filtered by Fourier transforms
and then decomposed; their pieces come and go. In the middle of it a worker is killed: Dask computes
again what was lost with it. NumPy computes the same piece by piece. A plot shows which worker did
what and when: r record, f Fourier transforms, d decomposition, m means, s sent or read.
"""

# pyright: reportArgumentType=false
# Dask's types say less than its functions take.

import argparse
import logging
import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import tenorite as tn
from tenorite.dask import local_cluster

KEPT = 5  # what the recordings are made of, but for noise
PIECES = 64
CUTOFF = 40


def record(xp, number, shape):
    """A piece of the recordings: sums of a few waves, in noise."""
    random = np.random.default_rng([7, number])
    weights = random.standard_normal((shape[0], KEPT)) * np.arange(2 * KEPT, KEPT, -1)
    time = np.arange(shape[1]) / shape[1]
    waves = np.array([np.sin(2 * np.pi * (2 * k + 1) * time + k) for k in range(KEPT)])
    return xp.asarray(weights) @ xp.asarray(waves) + xp.asarray(random.standard_normal(shape))


def record_block(block_info=None):
    """A piece by its place in the array."""
    place = block_info[None]
    return record(tn, place["chunk-location"][0], place["chunk-shape"])


def lowpass(xp, recordings):
    """Slow waves alone."""
    spectrum = xp.fft.rfft(recordings, axis=1)
    spectrum[:, CUTOFF:] = 0
    return xp.fft.irfft(spectrum, recordings.shape[1], axis=1)


def components(shape):
    """The singular values and directions of the filtered recordings around their mean, as Dask's
    arrays."""
    chunks = (len_of_pieces(shape[0]), (shape[1],))
    recordings = da.map_blocks(record_block, chunks=chunks, dtype="f8", meta=tn.empty((0, 0)))
    spectrum = da.fft.rfft(recordings, axis=1)
    slow = da.where(da.arange(spectrum.shape[1], chunks=-1) < CUTOFF, spectrum, 0)
    filtered = da.fft.irfft(slow, shape[1], axis=1)
    _, s, vh = da.linalg.svd(filtered - filtered.mean(axis=0))
    return s[:KEPT], vh[:KEPT]


def len_of_pieces(recordings):
    return tuple(int(size) for size in np.diff(np.linspace(0, recordings, PIECES + 1).astype(int)))


def components_of_numpy(shape):
    """The same, of one piece after another: the decomposition of all rows is that of what QR leaves
    of them."""
    sizes = len_of_pieces(shape[0])

    pieces = [lowpass(np, record(np, number, (size, shape[1]))) for number, size in enumerate(sizes)]
    mean = sum(piece.sum(axis=0) for piece in pieces) / shape[0]
    left = np.zeros((0, shape[1]))
    for piece in pieces:
        left = np.linalg.qr(np.concatenate([left, piece - mean]), mode="r")
    _, s, vh = np.linalg.svd(left)
    return s[:KEPT], vh[:KEPT]


def kill_one(client, after, report):
    """Ends a worker without a warning when so many tasks are done."""
    while len(tasks := client.get_task_stream()) < after:
        time.sleep(0.02)
    address, process = next(iter(client.run(os.getpid).items()))
    os.kill(process, signal.SIGKILL)
    report.update(worker=address, after=len(tasks), time=time.time())


def check(found, expected):
    """Equal singular values, and directions but for their signs."""
    (s, vh), (s_numpy, vh_numpy) = found, expected
    np.testing.assert_allclose(s.get(), s_numpy, rtol=1e-9)
    np.testing.assert_allclose(np.abs((vh.get() * vh_numpy).sum(axis=1)), 1, rtol=1e-9)
    print("the components are NumPy's")


# --- The picture ---


STYLE = "text{font:12px sans-serif;fill:#64748b}.grid{stroke:#94a3b8;stroke-opacity:.4}"
KINDS = {
    "record": ("#2563eb", ("record",)),
    "Fourier transforms": ("#16a34a", ("rfft", "irfft", "where")),
    "decomposition": ("#d97706", ("qr", "svd", "getitem", "stack", "dot", "concatenate")),
    "means": ("#9333ea", ("mean", "sub", "sum")),
    "sent or read": ("#dc2626", ()),
}


def kind_of(key):
    name = str(key).lstrip("('").lower()
    return next((kind for kind, (_, starts) in KINDS.items() if name.startswith(starts)), "decomposition")


def spans_of(tasks):
    """(worker, kind, start, stop) of what the workers did, and the workers, the first one first."""
    spans = [
        (
            task["worker"],
            "sent or read" if one["action"] != "compute" else kind_of(task["key"]),
            one["start"],
            one["stop"],
        )
        for task in tasks
        for one in task["startstops"]
    ]
    return spans, list(dict.fromkeys(span[0] for span in sorted(spans, key=lambda span: span[2])))


def sketch(spans, workers, columns=64):
    """The plot as text: a column is what a worker did most of that time, by its first letter."""
    begin, end = min(span[2] for span in spans), max(span[3] for span in spans)
    step = (end - begin) / columns
    lines = []
    for worker in workers:
        line = ""
        for start in (begin + step * k for k in range(columns)):
            shares = dict.fromkeys(KINDS, 0.0)
            for _, kind, first, last in (span for span in spans if span[0] == worker):
                shares[kind] += max(min(last, start + step) - max(first, start), 0)
            kind = max(KINDS, key=lambda kind: shares[kind])
            line += kind[0].lower() if shares[kind] > step / 4 else "."
        lines.append(f"worker {len(lines)}  {line}")
    return "\n".join(lines)


def draw(path, spans, workers, killed):
    """Writes which worker did what and when as an SVG picture."""
    begin, end = min(span[2] for span in spans), max(span[3] for span in spans)
    left, width, lane = 80, 640, 26
    height = lane * len(workers)

    def x(moment):
        return left + width * (moment - begin) / (end - begin)

    parts = []
    for row in range(len(workers)):
        parts.append(f'<text x="{left - 8}" y="{50 + lane * row}" text-anchor="end">worker {row}</text>')
        parts.append(f'<path d="M{left} {58 + lane * row}h{width}" class="grid"/>')
    for worker, kind, start, stop in spans:
        top = 36 + lane * workers.index(worker)
        wide = max(x(stop) - x(start), 0.4)
        parts.append(f'<rect x="{x(start):.1f}" y="{top}" width="{wide:.1f}" height="18" fill="{KINDS[kind][0]}"/>')
    if killed:
        at = x(killed["time"])
        parts.append(f'<path d="M{at:.1f} 30v{height + 6}" stroke="#0f172a" stroke-dasharray="4 2"/>')
        parts.append(
            f'<text x="{at + 4:.1f}" y="{50 + height}">worker {workers.index(killed["worker"])} is killed</text>'
        )
    for number, (kind, (color, _)) in enumerate(KINDS.items()):
        parts.append(f'<text x="{left + 130 * number}" y="20" style="fill:{color}">{kind}</text>')
    parts.append(f'<text x="{left + width}" y="{50 + height}" text-anchor="end">{end - begin:.1f} s</text>')
    with open(path, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 {62 + height}">'
            f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=400_000)
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--memory", type=int, default=400, help="what a worker may hold, in MB")
    parser.add_argument("--output", help="where the picture goes")
    options = parser.parse_args()
    shape = options.recordings, options.samples
    size = 8e-6 * shape[0] * shape[1]
    print(f"{size:.0f} MB of recordings, {options.workers} workers that may hold {options.memory} MB each")
    with (
        local_cluster(
            options.workers, memory_limit=options.memory * 10**6, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as cluster,
        cluster.get_client() as client,
    ):
        client.wait_for_workers(options.workers)
        killed, begin = {}, time.perf_counter()
        client.get_task_stream()  # from now on they are counted
        threading.Thread(target=kill_one, args=(client, 2 * PIECES, killed), daemon=True).start()
        with dask.config.set({"array.backend": "tenorite"}):
            found = client.gather(client.compute(components(shape)))
        print(f"{time.perf_counter() - begin:.1f} s; a worker was killed after {killed['after']} tasks")
        spans, workers = spans_of(client.get_task_stream())
        print(sketch(spans, workers))
        if options.output:
            draw(options.output, spans, workers, killed)
    check(found, components_of_numpy(shape))
    share = (found[0] ** 2).get()
    print("the components have", *(f"{part:.1%}" for part in share / share.sum()), "of what they show")


if __name__ == "__main__":
    main()
