"""Differentiate many random programs: ``python -m tests.fuzz.long_run --count 5000 --jobs 2``.

Every batch is a process, every program a fork of it, so that a crash or an endless loop is a
failure like any other and is shrunk as well.  All are forks of one process, which has compiled what
most programs use of numba: that is half the work otherwise.  The smallest form of a failing program is stored as
``<out>/<seed>.txt`` with the failure as a comment at its end, and the batch goes on with other programs;
``--replay FILE`` runs the program again.  Leaves with status 1 when something failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from pathlib import Path

CPU_SECONDS_PER_PROGRAM = 120
# A program that waits uses no processor; a machine that sleeps or is busy must not look like one.
SECONDS_PER_PROGRAM = 3600
_SKIPPED = 3


class ProgramFailed(AssertionError):
    """A program failed in the child process; the text says how."""


def check_in_child(program) -> bool:
    """`law.check` in a fork; a crash or an endless loop raises `ProgramFailed` too.

    False for a program that numba itself gets wrong.
    """
    from tests.fuzz import law

    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS_PER_PROGRAM)
        signal.alarm(SECONDS_PER_PROGRAM)
        text, status = "", 0
        try:
            law.check(program)
        except law.NumbaDiffersError:
            status = _SKIPPED
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            text = f"{type(error).__name__}: {str(error)[:2000]}\n@ {place} {where.name}"
        os.write(write, text.encode()[:60_000])
        os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        text = stream.read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        text = f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    if text:
        raise ProgramFailed(text)
    return os.waitstatus_to_exitcode(status) != _SKIPPED


class Batch:
    """The programs of one process; those that fail are shrunk and stored."""

    # One mistake makes many programs fail, and each takes long to become small.
    MOST_FAILURES = 5

    def __init__(self, seed: int, count: int, out: Path) -> None:
        self.seed, self.count, self.out = seed, count, out
        self.ran = 0
        self.stored: list[Path] = []

    def run(self) -> list[Path]:
        """Run all programs; the files of those that failed."""
        while self.ran < self.count and len(self.stored) < self.MOST_FAILURES:
            if not self._run_until_failure():
                break
        return self.stored

    def _run_until_failure(self) -> bool:
        """Run what is left of the programs; True when one failed, which is then shrunk and stored."""
        import hypothesis

        from tests.fuzz import drawing, generator

        smallest = None

        # Behind a failure come other programs than before it.
        @hypothesis.seed(f"{self.seed}/{len(self.stored)}" if self.stored else self.seed)
        @drawing.settings(
            self.count - self.ran,
            verbosity=hypothesis.Verbosity.quiet,
            phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
            report_multiple_bugs=False,
        )
        @hypothesis.given(generator.programs())
        def obeys(program):
            nonlocal smallest
            self.ran += smallest is None  # what comes behind a failure is smaller forms of it
            try:
                if not check_in_child(program):
                    print(f"seed {self.seed}: numba itself is wrong on a program, left out")
            except ProgramFailed as error:
                smallest = program, str(error)
                raise

        try:
            obeys()
        except Exception as error:
            program, text = smallest or ("# no program\n", repr(error))
            self._store(str(program), text)
            return smallest is not None
        return False

    def _store(self, program: str, text: str) -> None:
        name = f"{self.seed}.txt" if not self.stored else f"{self.seed}.{len(self.stored)}.txt"
        path = self.out / name
        comment = "".join(f"# {line}\n" for line in text.splitlines())
        path.write_text(f"{program}\n{comment}")
        self.stored.append(path)
        print(f"{path}, program {self.ran}: {text.splitlines()[0][:150]}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=1000, help="number of programs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=200, help="programs per process")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first batch")
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--replay", type=Path, help="run one stored program in this process")
    options = parser.parse_args(arguments)
    if options.replay:
        from tests.fuzz import generator, law

        law.check(generator.from_text(options.replay.read_text()))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)

    from tests.fuzz.warm_up import warm_up

    begin = time.monotonic()
    warm_up(min(100, options.count // 50))
    size = min(options.batch, -(-options.count // options.jobs))
    batches = -(-options.count // size)
    waiting = list(range(options.seed, options.seed + batches))
    sizes = dict.fromkeys(waiting, size)
    sizes[waiting[-1]] = options.count - (batches - 1) * size
    running: dict[int, int] = {}
    failed: list[int] = []
    done = 0
    while waiting or running:
        while waiting and len(running) < options.jobs:
            seed = waiting.pop(0)
            child = os.fork()
            if child == 0:
                right = False
                try:
                    right = not Batch(seed, sizes[seed], options.out).run()
                except BaseException:
                    traceback.print_exc()
                sys.stdout.flush()
                os._exit(0 if right else 1)
            running[child] = seed
        child, status = os.wait()
        seed = running.pop(child)
        done += 1
        if status:
            failed.append(seed)
            if os.WIFSIGNALED(status):
                (options.out / f"{seed}.txt").write_text(f"# the batch died: {status}\n")
        seconds = time.monotonic() - begin
        print(f"{done}/{batches} batches, {len(failed)} failed, {seconds:.0f} s", flush=True)
    print(f"{options.count} programs in {batches} batches, {len(failed)} failed: {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
