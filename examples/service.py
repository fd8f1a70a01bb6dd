"""An inference service: a small network after HTTP, with a stream per request, on the standard
library.

    python examples/service.py [--port 8000]
        POST /predict {"inputs": [[32 numbers], ...]} answers {"outputs": [[10 numbers], ...]};
        GET /metrics reports requests, latency, memory, streams, threads and files.

    python examples/service.py --requests 100000 --clients 8 [--plot service.svg]
        loads itself: so many processes send so many requests, over connections that they keep for a
        while, and compare a sample of the answers with NumPy's. Ends with 1 where an answer is
        wrong, or where memory, threads, files, streams or latency grow from the first quarter of
        the requests to the last.
"""

import argparse
import collections
import http.client
import json
import multiprocessing
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import tenorite as tn

INPUTS, HIDDEN, OUTPUTS = 32, 256, 10


# --- The network ---


def make_weights(xp, seed=7):
    """The weights of both layers, as arrays of NumPy or Tenorite: always the same ones."""
    rng = np.random.default_rng(seed)
    shapes = (INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, OUTPUTS), (OUTPUTS,)
    return [xp.asarray(rng.normal(0, 0.3, shape).astype(np.float32)) for shape in shapes]


def forward(xp, weights, x):
    """The outputs for the rows of `x`."""
    first, first_bias, second, second_bias = weights
    return xp.tanh(x @ first + first_bias) @ second + second_bias


# --- The service ---


class Service(ThreadingHTTPServer):
    """A thread per connection; the weights are shared by all of them, for ever."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.weights = make_weights(tn)
        self.lock = threading.Lock()
        self.requests = self.errors = 0
        self.latencies = collections.deque(maxlen=2000)  # seconds, of the last requests

    def predict(self, inputs):
        """The outputs for rows of inputs, computed on a stream of their own."""
        x = np.asarray(inputs, np.float32)
        if x.ndim != 2 or x.shape[1] != INPUTS:
            raise ValueError(f"inputs have to be rows of {INPUTS} numbers")
        with tn.cuda.Stream(non_blocking=True):
            return forward(tn, self.weights, tn.asarray(x)).get()

    def note(self, seconds, is_error):
        with self.lock:
            self.requests += 1
            self.errors += is_error
            self.latencies.append(seconds)

    def metrics(self):
        """All figures of this moment: a dict from names to numbers."""
        with self.lock:
            latencies = np.array(self.latencies or [0.0])
            figures = {"requests": self.requests, "errors": self.errors}
        for percent in (50, 90, 99):
            figures[f"latency_p{percent}_ms"] = round(1e3 * float(np.percentile(latencies, percent)), 3)
        return figures | process_figures()


def process_figures():
    """Memory, threads and files of this process, the pool's bytes, and what the library holds."""
    pool, library = tn.get_default_memory_pool(), tn.cuda.get_statistics()
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return {
        "resident_bytes": resident,
        "threads": len(os.listdir("/proc/self/task")),
        "files": len(os.listdir("/proc/self/fd")),
        "pool_used_bytes": pool.used_bytes(),
        "pool_total_bytes": pool.total_bytes(),
    } | {name: library[name] for name in ("arrays", "streams", "events", "worker_threads", "queued_calls")}


class Handler(BaseHTTPRequestHandler):
    """The requests of one connection."""

    server: Service
    protocol_version = "HTTP/1.1"  # connections are kept
    wbufsize = -1  # an answer leaves as one packet
    disable_nagle_algorithm = True

    def do_POST(self):
        start, status = time.perf_counter(), 200
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = {"outputs": self.server.predict(body["inputs"]).tolist()}
        except (ValueError, TypeError, KeyError) as error:
            status, answer = 400, {"error": str(error)}
        self.answer(status, "application/json", json.dumps(answer))
        self.server.note(time.perf_counter() - start, status != 200)

    def do_GET(self):
        if self.path != "/metrics":
            self.answer(404, "text/plain", "there are /predict and /metrics\n")
            return
        lines = (f"tenorite_service_{name} {value}\n" for name, value in self.server.metrics().items())
        self.answer(200, "text/plain; version=0.0.4", "".join(lines))

    def answer(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Quiet: /metrics tells."""


# --- The load ---

PER_CONNECTION = 250  # requests; each connection is a thread of the service
CHECKED_OF = 50  # one of so many answers is compared with NumPy's


def client(port, count, seed, results):
    """Sends requests; puts (times when answers came, latencies in seconds, wrong answers) into a
    queue."""
    rng, weights = np.random.default_rng(seed), make_weights(np)
    times, latencies, wrong, connection = [], [], 0, None
    for number in range(count):
        if number % PER_CONNECTION == 0:
            if connection:
                connection.close()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        x = rng.normal(size=(int(rng.integers(1, 5)), INPUTS)).astype(np.float32)
        body = json.dumps({"inputs": x.tolist()})
        start = time.monotonic()
        connection.request("POST", "/predict", body)
        answer = connection.getresponse()
        text = answer.read()
        times.append(time.monotonic())
        latencies.append(times[-1] - start)
        if answer.status != 200:
            wrong += 1
        elif number % CHECKED_OF == 0:
            wrong += not np.allclose(json.loads(text)["outputs"], forward(np, weights, x), rtol=1e-4, atol=1e-4)
    connection.close()
    results.put((times, latencies, wrong))


def load(service, requests, clients):
    """Loads the service; the figures after each hundredth, the sorted latencies' times, and wrong
    answers."""
    context = multiprocessing.get_context("spawn")  # a process that has used a GPU does not fork
    results = context.Queue()
    port = service.server_address[1]
    workers = [
        context.Process(target=client, args=(port, requests // clients, seed, results), daemon=True)
        for seed in range(clients)
    ]
    for worker in workers:
        worker.start()
    samples, every, answers = [], max(1, requests // 100), []
    while len(answers) < clients:
        if service.requests >= every * (len(samples) + 1):
            samples.append(process_figures() | {"requests": service.requests})
        try:
            answers.append(results.get(timeout=0.002))
        except queue.Empty:
            if any(worker.exitcode for worker in workers):
                raise SystemExit("service: a client failed") from None
    times, latencies = (np.concatenate([answer[part] for answer in answers]) for part in (0, 1))
    return samples, 1e3 * latencies[np.argsort(times)], sum(answer[2] for answer in answers)


# What a figure of the last quarter may be, from the median of the second: (factor, more).
MOST = {
    "resident_bytes": (1.02, 4 << 20),
    "pool_total_bytes": (1, 8 << 20),
    "threads": (1, 4),
    "files": (1, 4),
    "streams": (1, 8),
    "arrays": (1, 64),
    "events": (1, 16),
}
JUDGED_REQUESTS = 10_000  # fewer say nothing of time and bytes


def judge(samples, latencies):
    """Prints what there was in the second quarter of the requests and in the last; what has
    grown."""
    grown, quarter = [], len(samples) // 4
    print(f"{'':<18}{'second quarter':>16}{'last quarter':>16}")
    for name, (factor, more) in MOST.items():
        early, late = (
            np.median([sample[name] for sample in part])
            for part in (samples[quarter : 2 * quarter], samples[-quarter:])
        )
        print(f"{name:<18}{early:>16,.0f}{late:>16,.0f}")
        is_judged = len(latencies) >= JUDGED_REQUESTS or not name.endswith("bytes")
        if is_judged and late > early * factor + more:
            grown.append(name)
    quarter = len(latencies) // 4
    for percent in (50, 90, 99):
        early, late = (
            np.percentile(part, percent) for part in (latencies[quarter : 2 * quarter], latencies[-quarter:])
        )
        print(f"{f'latency p{percent} ms':<18}{early:>16.2f}{late:>16.2f}")
        if percent == 50 and len(latencies) >= JUDGED_REQUESTS and late > 1.5 * early:
            grown.append("latency")
    return grown


# --- The picture ---


def panel(top, title, unit, lines, most_x):
    """The SVG elements of one diagram: lines of (name, colour, xs, ys) over the requests, from
    zero."""
    left, width, height = 60, 560, 140
    most_y = 1.15 * max(max(ys) for _, _, _, ys in lines)
    parts = [f'<text x="{left}" y="{top - 8}" class="title">{title}, {unit}</text>']
    for share in (0, 0.5, 1):
        y = top + height * (1 - share)
        parts.append(
            f'<path d="M{left} {y:.1f}h{width}" class="grid"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{most_y * share:.3g}</text>'
            f'<text x="{left + width * share:.0f}" y="{top + height + 16}" text-anchor="middle">'
            f"{int(most_x * share):,}</text>"
        )
    for k, (name, color, xs, ys) in enumerate(lines):
        points = " ".join(
            f"{left + width * x / most_x:.1f},{top + height * (1 - y / most_y):.1f}" for x, y in zip(xs, ys)
        )
        parts.append(
            f'<polyline points="{points}" stroke="{color}" class="line"/>'
            f'<text x="{left + width - 90 * (len(lines) - k)}" y="{top - 8}" fill="{color}">{name}</text>'
        )
    return parts


def draw(path, samples, latencies):
    """Writes memory, threads and latency over the requests as an SVG picture."""
    xs, most = [sample["requests"] for sample in samples], len(latencies)
    bins = np.array_split(latencies, 100)
    middles = [(k + 0.5) * most / len(bins) for k in range(len(bins))]
    memory = [
        ("resident", "#2563eb", xs, [sample["resident_bytes"] / 1e6 for sample in samples]),
        ("pool", "#16a34a", xs, [sample["pool_total_bytes"] / 1e6 for sample in samples]),
    ]
    times = [
        (f"p{p}", color, middles, [np.percentile(part, p) for part in bins])
        for p, color in ((50, "#2563eb"), (99, "#dc2626"))
    ]
    counts = [
        (name, color, xs, [sample[name] for sample in samples])
        for name, color in (("threads", "#2563eb"), ("streams", "#16a34a"))
    ]
    style = (
        "text{font:12px sans-serif;fill:#64748b}.title{font-weight:bold}.grid{stroke:#94a3b8;stroke-opacity:.4}"
        ".line{fill:none;stroke-width:1.5}"
    )
    parts = panel(30, "Memory", "MB", memory, most) + panel(230, "Threads and streams", "count", counts, most)
    parts += panel(430, "Latency", "ms over requests", times, most)
    with open(path, "w") as file:
        file.write(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 600">'
            f"<style>{style}</style>\n" + "\n".join(parts) + "\n</svg>\n"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="0: one that is free")
    parser.add_argument("--requests", type=int, default=0, help="load the service with so many, and end")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--plot", metavar="FILE", help="draw memory, threads and latency as SVG")
    options = parser.parse_args()

    service = Service(options.port)
    serving = threading.Thread(target=service.serve_forever, daemon=True)
    serving.start()
    if not options.requests:
        print(f"http://127.0.0.1:{service.server_address[1]}/metrics")
        serving.join()
    start = time.monotonic()
    samples, latencies, wrong = load(service, options.requests, options.clients)
    seconds = time.monotonic() - start
    print(f"{len(latencies):,} requests of {options.clients} clients in {seconds:.1f} s, {wrong} wrong answers")
    grown = judge(samples, latencies)
    if options.plot:
        draw(options.plot, samples, latencies)
    print(f"grown: {', '.join(grown)}" if grown else "flat")
    return 1 if grown or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
