"""A process that checks programs, each in a fork: ``python -m tests.fuzz.apart`` in a pipe.

Test processes grow to gigabytes, and a fork of such a one takes as long as the program. This one has compiled what
programs share, and nothing else. A line of JSON for each program goes in, one for what became of it comes out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.long_run import ProgramFailed, check_in_child
from tests.fuzz.program import Program, from_text

ROOT = Path(__file__).parents[2]


class Apart:
    """The process, as seen from the tests."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.apart"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def check(self, program: Program) -> bool:
        """As `long_run.check_in_child`."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(str(program)) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        assert answer, f"the process that checks programs has ended with status {process.wait()}"
        found = json.loads(answer)
        if isinstance(found, str):
            raise ProgramFailed(found)
        return bool(found)

    def close(self) -> None:
        self._process.communicate()


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is no answer
    from tests.fuzz.warm_up import warm_up
    from tests.memory import poison

    if poison.SWITCH in os.environ:
        poison.settle_in()
    warm_up()
    for line in sys.stdin:
        try:
            found: bool | str = check_in_child(from_text(json.loads(line)))
        except ProgramFailed as error:
            found = str(error)
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
