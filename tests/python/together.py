"""What runs beside the test: threads, a forked child, a stream that is held up."""

import os
import signal
import threading
import traceback


def in_threads(count, function):
    """The results of function(k) in `count` threads that begin together; raises what one of them
    raised."""
    barrier, errors, results = threading.Barrier(count), [], [None] * count

    def body(k):
        try:
            barrier.wait()
            results[k] = function(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def in_child(function):
    """Runs a function in a forked child, which has to end well."""
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(30)
            function()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 0, f"the child ended with {status}"


def gate(stream, seconds=300):
    """Holds a stream up until the returned event is set, or for so long."""
    opened = threading.Event()
    stream.launch_host_func(lambda event: event.wait(seconds), opened)
    return opened
