"""Programs whose ranks are processes, and ranks that are threads of the test."""

import os
import subprocess
import sys

import pytest
from programs import ROOT
from tenorite import cuda
from tenorite.cuda import nccl
from together import in_threads

BEGIN = """
import os, sys, time
import numpy as np
import tenorite as cp
from tenorite.cuda import nccl
RANK, COUNT = int(os.environ["RANK"]), int(os.environ["COUNT"])
ID = tuple(int(number) for number in os.environ["UNIQUE_ID"].split(","))
if cp.cuda.Device().backend == "cuda":
    cp.cuda.Device(RANK).use()
"""


class Ranks:
    """Processes that run one program, each as a rank."""

    def __init__(self, count, program, **variables):
        self._id = nccl.get_unique_id()
        words = ",".join(map(str, self._id))
        paths = os.pathsep.join([str(ROOT / "tests/python"), os.environ.get("PYTHONPATH", "")])
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-c", BEGIN + program],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ
                | {"RANK": str(rank), "COUNT": str(count), "UNIQUE_ID": words, "PYTHONPATH": paths}
                | variables,
            )
            for rank in range(count)
        ]

    def wait(self, seconds=300):
        """What each rank printed; none may fail, or last so long."""
        found = []
        try:
            for rank, process in enumerate(self.processes):
                out, errors = process.communicate(timeout=seconds)
                assert process.returncode in (0, -9), f"rank {rank}: {out}{errors}"
                found.append(out)
        finally:
            for process in self.processes:
                process.kill()
                process.wait()
        return found


def run_ranks(count, program, **variables):
    """What the ranks of a program print; all have to end well."""
    needs_ranks(count)
    return Ranks(count, program, **variables).wait()


def needs_ranks(count):
    """Skips the test where there are not as many GPUs; of the host each rank may use the first."""
    if cuda.Device().backend == "cuda" and cuda.runtime.getDeviceCount() < count:
        pytest.skip(f"needs {count} GPUs")


def rank_device(rank):
    """The device of a rank that is a thread."""
    return cuda.Device(rank if cuda.Device().backend == "cuda" else rank % cuda.runtime.getDeviceCount())


def in_ranks(count, function):
    """function(communicator) in a thread for each rank; its results."""
    needs_ranks(count)
    key = nccl.get_unique_id()

    def run(rank):
        with rank_device(rank):
            communicator = nccl.NcclCommunicator(count, key, rank)
            result = function(communicator)
            communicator.destroy()
            return result

    return in_threads(count, run)


def shared_memory():
    """How many groups' memory this process still maps. A key that no group has used keeps a page,
    which is not counted."""
    with open("/proc/self/maps") as lines:
        places = [line.split()[0].split("-") for line in lines if "tenorite-collectives" in line]
    return sum(int(end, 16) - int(start, 16) > 8192 for start, end in places)
