"""A pytest plugin for tools/gpu: writes each failure to a file at once, since a run may be cut."""

import os


def pytest_runtest_logreport(report):
    path = os.environ.get("GPU_FAILURES")
    # With xdist the workers' reports come to the controller as well; it alone writes.
    if path and report.failed and not os.environ.get("PYTEST_XDIST_WORKER"):
        with open(path, "a") as file:
            file.write(f"=== {report.nodeid} ({report.when})\n{report.longreprtext[-1200:]}\n")
