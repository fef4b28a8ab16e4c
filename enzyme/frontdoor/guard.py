"""A process around the command: LLVM ends the process on some modules, where an error of one line is promised."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable


def guarded(run: Callable[[], int]) -> int:
    """The status of `run`, which works in a child; what it says on standard error is shown when it is done.

    Of a child that was killed one line is shown. To fork costs about a millisecond, since nothing is loaded yet.
    """
    said = os.memfd_create("stderr")
    child = os.fork()
    if child == 0:
        os.dup2(said, 2)
        status = run()
        sys.stdout.flush()
        sys.stderr.flush()
        # To take thousands of objects apart one by one would take longer than to start.
        os._exit(status)
    try:
        status = os.waitpid(child, 0)[1]
    except KeyboardInterrupt:
        return 130
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return _ended(f"it was ended by {name}")
    with os.fdopen(said, "rb") as stream:
        stream.seek(0)
        text = stream.read().decode(errors="replace")
    last = text.rstrip().rpartition("\n")[2]
    if last.startswith(_FATAL):
        return _ended(last.removeprefix(_FATAL))
    sys.stderr.write(text)
    return os.waitstatus_to_exitcode(status)


_FATAL = "LLVM ERROR: "  # what LLVM says before it leaves


def _ended(why: str) -> int:
    print(f"error: LLVM cannot work on this module: {why}", file=sys.stderr)
    return 1
