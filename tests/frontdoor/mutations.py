"""Give mutated modules to the command: ``python -m tests.frontdoor.mutations --count 100000 --seed 0 --jobs 2``.

Right is a module that LLVM's verifier takes, or one line ``error: ...`` with status 1. A hang, a Python exception, an
internal error, more memory than `MEMORY`, or an invalid module are failures; the first of each kind is made small and
stored in ``--out``. So is a module on which LLVM ends the process, which is counted apart: the command has a process
around it (`enzyme.frontdoor.guard`), and says so in one line. Mutants run in forks of one process that has compiled
something before. ``--replay FILE`` runs one.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import pickle
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .frontdoor_harness import PROGRAMS, command
from .mutators import mutated

CPU_SECONDS = 20
MEMORY = 4 << 30
PER_FORK = 100
_C_PROGRAMS = 25
_LONGEST = 60_000


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: `kind` is "module", "refused", "ended" (by LLVM), or the name of a failure."""

    kind: str
    detail: str = ""

    @property
    def is_failure(self) -> bool:
        return self.kind not in ("module", "refused", "ended")


def corpus(with_c: bool = True) -> tuple[str, ...]:
    """The modules that are mutated: those of the tests, and programs in C if there is a clang."""
    from . import odd_ir
    from .test_frontdoor_odd_ir import CALLS, HEAD, function

    texts = [path.read_text() for path in sorted(PROGRAMS.glob("*.ll"))]
    odd = [*odd_ir.RIGHT.values(), *(text for _, text in odd_ir.REFUSED.values())]
    texts += [HEAD + "".join(function(text)) + CALLS for text in odd]
    if with_c:
        texts += _compiled()
    return tuple(texts)


def _compiled() -> list[str]:
    from enzyme.llvm.compilers import find_clang

    from .c_programs import NAMES, Program

    if find_clang() is None:
        return []
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(NAMES):
            text = (
                Program(name, ("-O0", "-O1", "-O2")[number % 3]).compile(Path(folder)).read_text()
            )
            if len(text) < _LONGEST:
                made.append(text)
    return made


def outcome_of(text: str, *options: str) -> Outcome:
    """Run the command in this process; where it makes a module, also with ``-O``."""
    import llvmlite.binding as llvm

    code, out, err = command(["opt", "-", *options], text)
    if code == 1:
        if "internal error" in err:
            return Outcome(*_internal(text, options, err))
        if out or not err.startswith("error: ") or err.count("\n") != 1 or not err.endswith("\n"):
            return Outcome("not one line", err[:300])
        return Outcome("refused", _words(err))
    if code or err:
        return Outcome("status", f"{code} {err[:300]}")
    try:
        llvm.parse_assembly(out, context=llvm.create_context()).verify()
    except RuntimeError as error:
        return Outcome("invalid", _words(str(error)))
    return Outcome("module") if options else outcome_of(text, "-O")


def _internal(text: str, options: tuple[str, ...], said: str) -> tuple[str, str]:
    """Where an internal error arose."""
    try:
        command(["opt", "-", "--traceback", *options], text)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return "internal", f"{type(error).__name__} {Path(where.filename).name} {where.name}"
    return "internal", said


def _words(text: str) -> str:
    """What is said, without names and numbers: the same for many modules."""
    return re.sub(r"[@%!]?[\w.]*\d[\w.]*|@\S+|%\S+", "_", text)[:200]


# Tells of a text before it is given to LLVM, so that it is known what a child died of.
Announce = Callable[[str], None]
Source = Callable[[Announce], str]


def as_source(text: str) -> Source:
    def announced(announce: Announce) -> str:
        announce(text)
        return text

    return announced


def mutant(seed: int, number: int, texts: tuple[str, ...]) -> Source:
    """A mutant by its number: more than every second is tried again until LLVM takes it, so that more is reached."""

    def made(announce: Announce) -> str:
        import llvmlite.binding as llvm

        chance = random.Random(f"{seed}/{number}")
        tries = chance.choice((1, 1, 8, 8, 8))
        for _ in range(tries):
            text = mutated(texts, chance)
            announce(text)
            if tries == 1 or "\0" in text:
                break
            with contextlib.suppress(RuntimeError):
                llvm.parse_assembly(text, context=llvm.create_context()).verify()
                break
        return text

    return made


def run_in_forks(sources: Sequence[Source]) -> list[tuple[str, Outcome]]:
    """The texts and what becomes of each, run in children of this process."""
    found: list[tuple[str, Outcome]] = []
    while len(found) < len(sources):
        found += _fork(sources[len(found) :])
    return found


def _fork(sources: Sequence[Source]) -> list[tuple[str, Outcome]]:
    """The first of them: all, or up to the one that ended the child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _be_child(sources, write)
    os.close(write)
    found: list[tuple[str, Outcome]] = []
    text = ""
    with os.fdopen(read, "rb") as stream, contextlib.suppress(EOFError, pickle.UnpicklingError):
        while True:
            told = pickle.load(stream)
            if isinstance(told, Outcome):
                found.append((text, told))
            else:
                text = told
    status = os.waitpid(child, 0)[1]
    if len(found) < len(sources):
        found.append((text, _died(status)))
    return found


def _died(status: int) -> Outcome:
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return Outcome("hang" if name == "SIGPROF" else "ended", name)
    code = os.waitstatus_to_exitcode(status)
    # LLVM leaves with 1 where it can say why.
    return Outcome("ended" if code == 1 else "crash", f"status {code}")


def _be_child(sources: Sequence[Source], write: int) -> None:
    os.dup2(os.open(os.devnull, os.O_RDWR), 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(write, "wb") as stream:

        def tell(what: str | Outcome) -> None:
            pickle.dump(what, stream)
            stream.flush()

        for source in sources:
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            try:
                outcome = outcome_of(source(tell))
            except BaseException as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                outcome = Outcome("exception", f"{type(error).__name__} {where.name}")
            tell(outcome)
    os._exit(0)


def warm_up() -> None:
    """Import and compile what every run needs."""
    command(["opt", "-"], (PROGRAMS / "heat_stencil.ll").read_text())


def small(text: str, outcome: Outcome) -> str:
    """Fewer lines that fail in the same way."""
    tries = 5 if outcome.kind == "hang" else 300

    def fails(lines: list[str]) -> bool:
        nonlocal tries
        tries -= 1
        return _fork([as_source("\n".join(lines) + "\n")])[0][1] == outcome

    lines = text.splitlines()
    if not fails(lines):
        return text
    step = max(1, len(lines) // 2)
    while step and tries > 0:
        at = 0
        while at < len(lines) and tries > 0:
            fewer = lines[:at] + lines[at + step :]
            if fails(fewer):
                lines = fewer
            else:
                at += step
        step //= 2
    return "\n".join(lines) + "\n"


def _job(seed: int, job: int, options: argparse.Namespace, texts: tuple[str, ...]) -> int:
    """Every `jobs`-th group of mutants; how many kinds of failures were found."""
    counts: collections.Counter[str] = collections.Counter()
    seen: set[Outcome] = set()
    refusals: collections.Counter[str] = collections.Counter()
    began = time.monotonic()
    for begin in range(job * PER_FORK, options.count, options.jobs * PER_FORK):
        numbers = range(begin, min(begin + PER_FORK, options.count))
        ran = run_in_forks([mutant(seed, number, texts) for number in numbers])
        for number, (text, outcome) in zip(numbers, ran, strict=True):
            counts[outcome.kind] += 1
            if outcome.kind == "refused":
                refusals[outcome.detail] += 1
            if outcome.kind not in ("module", "refused") and outcome not in seen:
                seen.add(outcome)
                path = options.out / f"{seed}-{number}.ll"
                path.write_text(text)
                print(f"{path}: {outcome.kind}: {outcome.detail}", flush=True)
                if len(seen) < 100:
                    path.write_text(small(text, outcome))
        if begin // PER_FORK // options.jobs % 10 == 0:
            _report(options, job, counts, refusals, began)
    _report(options, job, counts, refusals, began)
    return sum(outcome.is_failure for outcome in seen)


def _report(
    options: argparse.Namespace,
    job: int,
    counts: collections.Counter[str],
    refusals: collections.Counter[str],
    began: float,
) -> None:
    seconds = time.monotonic() - began
    (options.out / f"refused-{job}.txt").write_text(
        "".join(f"{n} {said}\n" for said, n in refusals.most_common())
    )
    print(
        f"job {job}: {sum(counts.values())} mutants in {seconds:.0f} s: {dict(counts)}", flush=True
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=10_000, help="number of mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("mutation-failures"))
    parser.add_argument("--replay", type=Path, help="run one stored module in this process")
    options = parser.parse_args(arguments)
    if options.replay:
        outcome = outcome_of(options.replay.read_text())
        print(outcome)
        return int(outcome.is_failure)
    options.out.mkdir(parents=True, exist_ok=True)
    texts = corpus()
    warm_up()
    print(f"{len(texts)} modules", flush=True)
    children = []
    for job in range(options.jobs):
        child = os.fork()
        if child == 0:
            kinds = 1
            try:
                kinds = _job(options.seed, job, options, texts)
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(int(bool(kinds)))
        children.append(child)
    failed = sum(bool(os.waitpid(child, 0)[1]) for child in children)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
