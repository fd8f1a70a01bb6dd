"""Calls whose arguments do harm while they are converted: see adversary_calls.py. The calls run in
processes of their own, so that one that crashes or never ends is named and the others go on.

`make test` runs a share of all cases; TENORITE_ADVERSARY=1 (`make adversary`) all of them.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from adversary_threads import USES

pytestmark = pytest.mark.quick

SHARE = float(os.environ.get("TENORITE_ADVERSARY", 0.06))
SEED = int(os.environ.get("TENORITE_ADVERSARY_SEED", 0))
SHARDS = 2
SECONDS = 60  # for one case
PROGRAM = Path(__file__).with_name("adversary_calls.py")
# Freed memory is overwritten, so that what uses it comes to harm.
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165", "PYTHONFAULTHANDLER": "1"}


def state(progress):
    progress.seek(0)
    return struct.unpack("qq", progress.read(16))


def work(first, shard, progress, output):
    """A worker's run from a case on: (how it ended or None, the case at that moment, its phase)."""
    command = [
        sys.executable,
        PROGRAM,
        "--first",
        first,
        "--share",
        SHARE,
        "--seed",
        SEED,
        "--shard",
        shard,
        SHARDS,
        "--progress",
        progress.name,
    ]
    worker = subprocess.Popen([str(one) for one in command], stdout=output, stderr=output, env=os.environ | ENVIRONMENT)
    since, last = time.monotonic(), None
    try:
        while worker.poll() is None:
            time.sleep(0.02)
            if state(progress) != last:
                since, last = time.monotonic(), state(progress)
            elif time.monotonic() - since > SECONDS:
                return "does not end", *last
    finally:
        worker.kill()
        worker.wait()
    return f"ends the process ({worker.returncode})" if worker.returncode else None, *state(progress)


def reports(text):
    """The lines of JSON among what a worker wrote."""
    for line in text.splitlines():
        if line.startswith("["):
            try:
                yield json.loads(line)
            except ValueError:
                pass


@pytest.mark.host_only("what Python does between two steps is the same on a GPU")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_hostile_arguments(shard):
    found, count, first = [], 0, 0
    while first is not None:
        with tempfile.NamedTemporaryFile() as progress, tempfile.TemporaryFile("w+") as output:
            progress.write(struct.pack("qq", -1, 0))
            progress.flush()
            ending, number, phase = work(first, shard, progress, output)
            output.seek(0)
            text = output.read()
        for report in reports(text):
            if report[0] >= 0:
                found.append(report)
            else:
                count += report[2]
        if ending and number < 0:
            pytest.fail(text)
        if ending and phase == 0:
            found.append([number, text[-3000:], ending])
        first = number + 1 if ending else None
    shown = "\n".join(f"python {PROGRAM} {number}\n    {case}\n    {text}" for number, case, text in found[:20])
    assert not found, f"{len(found)} cases:\n{shown}"
    assert count > 0


@pytest.mark.parametrize("name", USES)
def test_arrays_that_other_threads_change(name):
    """Calls see the old array or the new one, whatever other threads do to the object."""
    command = [sys.executable, PROGRAM.with_name("adversary_threads.py"), str(4 * SHARE), name]
    done = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}"
