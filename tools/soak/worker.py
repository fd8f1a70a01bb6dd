"""One pattern, run in a process of its own: turns in four quarters, with the figures after each."""

import time
import traceback
from dataclasses import dataclass

import figures

# A pattern that reaches one of these would take the machine down with it, and has failed.
MEMORY_MOST = 2 << 30
THREADS_MOST = 1000
LOOK_EVERY_S = 0.05
# Programs wait for a result now and then, which bounds what is queued; so does the soak, after so
# many turns. A run of few turns waits after each: how far a busy machine lags after, and what is
# kept for that, is then nothing that grows.
WAIT_EVERY, WAIT_EVERY_COUNTED = 16, 1
TURNS_LEAST = 8  # of a quarter: what patterns keep for a while is full by then
TRIES, TRY_AGAIN_S = 5, 0.5  # how often, and after how long, the last figures are read again


@dataclass
class Limit:
    """How long a pattern runs: so many seconds, or so many turns."""

    seconds: float = 0.0
    turns: int = 0


class TooMuch(Exception):
    """A pattern has taken more than a program may."""


def _check_most(turns):
    for name, found, most in (
        ("bytes of memory", figures.resident_bytes(), MEMORY_MOST),
        ("threads", figures.thread_count(), THREADS_MOST),
    ):
        if found > most:
            raise TooMuch(f"{found:,} {name} after {turns:,} turns")


def _run_quarter(turn, limit, before):
    """Runs turns, and gives their number and the seconds that they took."""
    start = look = time.perf_counter()
    wait_every = WAIT_EVERY_COUNTED if limit.turns else WAIT_EVERY
    count = 0
    while True:
        turn()
        count += 1
        if count % wait_every == 0:
            figures.wait_for_devices()
        now = time.perf_counter()
        if now - look > LOOK_EVERY_S:
            _check_most(before + count)
            look = time.perf_counter()
        if count >= limit.turns / 4 if limit.turns else now - start >= limit.seconds / 4 and count >= TURNS_LEAST:
            return count, now - start


def _growth(samples, counts, slack):
    """What grew. Threads of a busy machine may need a while to end what they have begun."""
    grown = figures.growth(samples, counts, slack)
    for _ in range(TRIES):
        if not grown:
            break
        time.sleep(TRY_AGAIN_S)
        samples[-1] = figures.read_at_rest()
        grown = figures.growth(samples, counts, slack)
    return grown


def _run(pattern, limit, result):
    turn = pattern.setup()
    counts = []
    for _ in range(4):
        count, seconds = _run_quarter(turn, limit, result["turns"])
        counts.append(count)
        result["turns"] += count
        result["rates"].append(count / max(seconds, 1e-9))
        result["figures"].append(figures.read_at_rest())
    for name, (first, last) in _growth(result["figures"], counts, pattern.slack).items():
        result["failures"].append(f"{name} grew from {first:,} to {last:,}")


def run(pattern, limit):
    """Runs a pattern; a dict of what was found, for the table."""
    result = {"name": pattern.name, "turns": 0, "rates": [], "figures": [], "failures": []}
    try:
        _run(pattern, limit, result)
    except TooMuch as error:
        result["failures"].append(str(error))
    except BaseException:
        result["failures"].append(traceback.format_exc())
    return result
