"""Options and fixtures of all Python tests: the device, memory that must come back, marks."""

import gc
import os

import pytest

HUGE_BYTES = 10 << 30


def pytest_addoption(parser):
    parser.addoption("--device", choices=("host", "cuda"), default="host", help="where arrays live")


def pytest_configure(config):
    config.addinivalue_line("markers", "huge: needs 10 GiB of memory; skipped where they are not free")
    config.addinivalue_line("markers", "two_devices: skipped where there is one device")
    config.addinivalue_line("markers", "host_only(reason): skipped on a GPU, because of that reason")
    # Read when the library is loaded, so before any test file is imported.
    os.environ["TENORITE_BACKEND"] = config.getoption("--device")
    os.environ.setdefault("TENORITE_HOST_DEVICES", "2")
    # What waits is run by what looks, not by a thread that sees an idle GPU at some time.
    os.environ.setdefault("TENORITE_WAIT_IDLE", "0")


def _available_bytes(config):
    """The host's, which holds what is expected, and the device's."""
    with open("/proc/meminfo") as lines:
        facts = dict(line.split(":", 1) for line in lines)
    available = int(facts["MemAvailable"].split()[0]) * 1024
    if config.getoption("--device") != "cuda":
        return available
    import tenorite

    return min(available, tenorite.cuda.Device().mem_info[0])


def pytest_collection_modifyitems(config, items):
    huge = [item for item in items if item.get_closest_marker("huge")]
    if not huge or _available_bytes(config) >= HUGE_BYTES:
        return
    for item in huge:
        item.add_marker(pytest.mark.skip(reason="needs 10 GiB of free memory"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        item.stash[passed] = report.passed
    return report


def pytest_runtest_setup(item):
    host_only = item.get_closest_marker("host_only")
    if host_only and item.config.getoption("--device") != "host":
        pytest.skip(host_only.args[0])
    if item.get_closest_marker("two_devices"):
        import tenorite

        if tenorite.cuda.runtime.getDeviceCount() < 2:
            pytest.skip("needs two devices")


passed = pytest.StashKey[bool]()


def pending_errors(devices):
    """The mistakes that kernels found and no call has reported yet, taken away so that they hit no
    other test."""
    import tenorite

    found = []
    for number in range(devices):
        for _ in range(20):  # a context that is broken says so for ever
            try:
                tenorite.cuda.Device(number).synchronize()
                break
            except Exception as error:
                found.append(error)
    return found


@pytest.fixture(autouse=True)
def nothing_is_left(request):
    """After each test no error is pending; and, if it passed, the default pool has handed out as
    many bytes as before it."""
    import tenorite

    pool = tenorite.get_default_memory_pool()
    before = pool.used_bytes()
    yield
    if request.config.getoption("--device") == "cuda":
        errors = pending_errors(2 if request.node.get_closest_marker("two_devices") else 1)
        assert not errors or not request.node.stash.get(passed, False), f"left pending: {errors}"
    # Less than before: a test that failed earlier had kept arrays in its traceback.
    if pool.used_bytes() > before and request.node.stash.get(passed, False):
        from oracle import comes_true

        gc.collect()
        assert comes_true(lambda: pool.used_bytes() <= before), "the test leaked device memory"


@pytest.fixture
def device(request):
    """The name of the backend under test: "host" or "cuda"."""
    return request.config.getoption("--device")


@pytest.fixture
def gpu(device):
    """Skips the test where the backend is not "cuda"."""
    if device != "cuda":
        pytest.skip("of GPUs only")


@pytest.fixture
def pool():
    """A pool of device memory of its own."""
    import tenorite

    return tenorite.cuda.MemoryPool()


@pytest.fixture
def waits():
    """A function that says whether calls of the thread, and of threads that begin, wait."""
    from tenorite import _core

    least = int(os.environ.get("TENORITE_WAIT_LEAST") or -1)
    before = _core._backlog_use_in_process(False, least)
    own = _core._backlog_use(0)

    def choose(waiting):
        _core._backlog_use_in_process(waiting, 0)
        _core._backlog_use(1 if waiting else -1)

    yield choose
    _core._backlog_use_in_process(before, least)
    _core._backlog_use(own)
