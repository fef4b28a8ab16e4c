"""Differentiate random programs in C: ``python -m tests.frontdoor.random_c --count 2000 --seed 0 --jobs 2``.

Each is compiled at two levels of optimisation. With random weights w of what comes out and a random direction v,
w.(J v) of forward mode and (w J).v of reverse mode must agree at both levels, with each other and with a difference of
the program in which every `float` is a `double`; half of the programs are differentiated as such, and agree to twelve
digits. A wrong number, a crash, a hang or an internal error is a failure; what is refused in words is counted apart.
Programs that fail are stored in ``--out``; ``--replay SEED`` runs one, ``--shrink SEED`` makes it small.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import ctypes
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from enzyme.backend.jit import JittedModule
from enzyme.errors import EnzymeError
from enzyme.frontdoor.failures import one_line
from enzyme.frontdoor.lower import lower
from enzyme.llvm.compilers import find_clang

from . import c_random

CPU_SECONDS = 120
MEMORY = 6 << 30
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
COUNT = 2 * c_random.ITEMS + 7
_double, _float, _int, _pointer = ctypes.c_double, ctypes.c_float, ctypes.c_int, ctypes.c_void_p


class CompileError(Exception):
    """Clang does not take the program."""


@dataclass(frozen=True)
class Outcome:
    """`kind` is "right", "refused", "rough" (no difference to be had), or the name of a failure."""

    kind: str
    detail: str = ""

    @property
    def is_failure(self) -> bool:
        return self.kind not in ("right", "refused", "rough")


def compiled(text: str, level: str, *options: str) -> str:
    """The IR of a program."""
    clang = find_clang("c")
    assert clang is not None
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "program.c", Path(folder) / "program.ll"
        source.write_text(text)
        call = [
            *clang,
            "-S",
            "-emit-llvm",
            "-g0",
            "-w",
            level,
            *options,
            "-o",
            str(made),
            str(source),
        ]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(done.stderr)
        return made.read_text()


class Part:
    """`struct part`, where `float` is what is said."""

    def __init__(self, kind: type) -> None:
        fields = [("v", _double), ("w", kind), ("k", _int), ("c", _double * 3)]
        self.type = type("part", (ctypes.Structure,), {"_fields_": fields})
        self.kind = kind


class Runner:
    """The functions of a module, of vectors of all that can change."""

    def __init__(self, text: str, kind: type, n: int) -> None:
        self.module = JittedModule(text, optimise=False)
        self.part = Part(kind)
        self.kind = kind
        self.n = n

    def _held(self, state: np.ndarray):
        items = c_random.ITEMS
        part = self.part.type(v=state[2 * items + 2], w=state[2 * items + 3], k=1)
        part.c[:] = state[2 * items + 4 :]
        return (
            np.array(state[:items]),
            np.array(state[items : 2 * items]),
            float(state[2 * items]),
            float(state[2 * items + 1]),
            part,
        )

    @staticmethod
    def _outputs(x, y, part) -> np.ndarray:
        return np.concatenate([x, y, [part.v, part.w], list(part.c)])

    def primal(self, state: np.ndarray) -> np.ndarray:
        x, y, a, b, part = self._held(state)
        f = self.module.function(
            "f", _double, _pointer, _pointer, _double, self.kind, _int, _pointer
        )
        got = f(x.ctypes.data, y.ctypes.data, a, b, self.n, ctypes.addressof(part))
        return np.concatenate([[got], self._outputs(x, y, part)])

    def forward(self, state: np.ndarray, tangent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tangent of all outputs, and the primal's memory."""
        x, y, a, b, part = self._held(state)
        dx, dy, da, db, dpart = self._held(tangent)
        kinds = [*[_pointer] * 4, _double, _double, self.kind, self.kind, _int, _pointer, _pointer]
        f = self.module.function("forward", _double, *kinds)
        data = [v.ctypes.data for v in (x, dx, y, dy)]
        places = ctypes.addressof(part), ctypes.addressof(dpart)
        got = f(*data, a, da, b, db, self.n, *places)
        return np.concatenate([[got], self._outputs(dx, dy, dpart)]), self._outputs(x, y, part)

    def reverse(self, state: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The adjoint of all inputs, and the primal's memory."""
        items = c_random.ITEMS
        x, y, a, b, part = self._held(state)
        seeds = np.concatenate([weights[1 : 2 * items + 1], [0.0, 0.0], weights[2 * items + 1 :]])
        dx, dy, _, _, dpart = self._held(seeds)
        da, db = _double(0), self.kind(0)
        kinds = [*[_pointer] * 4, _double, _pointer, self.kind, _pointer, _int, _pointer, _pointer]
        f = self.module.function("reverse", None, *kinds)
        data = [v.ctypes.data for v in (x, dx, y, dy)]
        places = ctypes.addressof(part), ctypes.addressof(dpart)
        f(*data, a, ctypes.addressof(da), b, ctypes.addressof(db), self.n, *places)
        rest = [da.value, db.value, dpart.v, dpart.w, *dpart.c]
        return np.concatenate([dx, dy, rest]), self._outputs(x, y, part)


def check(seed: object, text: str | None = None) -> Outcome:
    """Run one program in this process."""
    chance = random.Random(f"{seed}/point")
    drawn = np.random.default_rng(chance.randrange(1 << 30))
    text = c_random.program(seed) if text is None else text
    doubles = chance.random() < 0.5
    levels = chance.sample(LEVELS, 2)
    extra = ["-fno-strict-aliasing"] if chance.random() < 0.2 else []
    n = chance.choice((1, 2, 3, 4, 5, 5))
    state = drawn.uniform(-1.2, 1.2, COUNT)
    tangent = drawn.uniform(-1, 1, COUNT)
    weights = np.concatenate([[1.0], drawn.uniform(-1, 1, COUNT - 2)])
    as_double = ["-Dfloat=double"]
    plain = Runner(compiled(text, "-O1", *as_double), _double, n)

    def slope(h: float) -> float:
        def at(step: float) -> float:
            return float(weights @ plain.primal(state + step * tangent))

        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    expected, finer = slope(1e-4), slope(2.3e-5)
    if not np.isfinite(expected):
        return Outcome("rough")
    rough = abs(expected - finer) > 1e-6 * (1 + abs(expected))
    kind = _double if doubles else _float
    got: dict[str, float] = {}
    scale = 1.0
    for level in levels:
        options = [*(as_double if doubles else ()), *extra]
        ir = compiled(text + c_random.DRIVERS, level, *options)
        try:
            made = lower(ir)
        except EnzymeError as error:
            return Outcome("refused", f"{level} {one_line(error)}")
        runner = Runner(made, kind, n)
        forward, after = runner.forward(state, tangent)
        reverse, also_after = runner.reverse(state, weights)
        for memory in (after, also_after):
            before = runner.primal(state)[1:]
            if not np.allclose(memory, before, rtol=1e-5, atol=1e-6):
                return Outcome("wrong", f"the primal's memory at {level}")
        got[f"forward{level}"] = float(weights @ forward)
        got[f"reverse{level}"] = float(reverse @ tangent)
        scale = max(scale, np.abs(reverse).max(), np.abs(forward).max())
    said = f"{got}, differences {expected}, n={n}, doubles={doubles}, {extra}"
    values = list(got.values())
    # Two levels may round differently; one level does not.
    pairs = [(values[0], values[1], 1), (values[2], values[3], 1), (values[0], values[2], 100)]
    for one, other, looser in pairs:
        if not abs(one - other) <= (1e-11 if doubles else 2e-4) * looser * scale:
            return Outcome("wrong", said)
    if rough:
        return Outcome("rough", said)
    if not abs(values[0] - expected) <= (1e-6 if doubles else 1e-3) * scale:
        return Outcome("wrong", said)
    return Outcome("right")


def in_fork(seed: object, text: str | None = None) -> Outcome:
    """`check` in a child, so that a crash is an outcome."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        try:
            outcome = check(seed, text)
        except CompileError as error:
            outcome = Outcome("clang", str(error)[:500])
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name} {where.name}"
            outcome = Outcome("internal", f"{type(error).__name__} {place}: {str(error)[:300]}")
        with os.fdopen(write, "wb") as stream:
            pickle.dump(outcome, stream)
        os._exit(0)
    os.close(write)
    outcome = None
    with os.fdopen(read, "rb") as stream, contextlib.suppress(EOFError, pickle.UnpicklingError):
        outcome = pickle.load(stream)
    status = os.waitpid(child, 0)[1]
    if outcome is None:
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else str(status)
        outcome = Outcome("hang" if name == "SIGPROF" else "crash", name)
    return outcome


def small(seed: object, outcome: Outcome) -> str:
    """The program with fewer lines, failing in the same way."""
    words = outcome.detail.split(":")[0] if outcome.kind == "internal" else ""

    def fails(lines: list[str]) -> bool:
        found = in_fork(seed, "\n".join(lines) + "\n")
        return found.kind == outcome.kind and found.detail.startswith(words)

    lines = c_random.program(seed).splitlines()
    step = len(lines) // 2
    while step:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + step :]
            if fails(fewer):
                lines = fewer
            else:
                at += step
        step //= 2
    return "\n".join(lines) + "\n"


def _job(job: int, options: argparse.Namespace) -> int:
    counts: collections.Counter[str] = collections.Counter()
    began = time.monotonic()
    for number, seed in enumerate(
        range(options.seed + job, options.seed + options.count, options.jobs)
    ):
        outcome = in_fork(seed)
        counts[outcome.kind] += 1
        if outcome.is_failure:
            (options.out / f"{seed}.c").write_text(f"// {outcome}\n{c_random.program(seed)}")
        if outcome.kind not in ("right", "rough"):
            print(f"{seed}: {outcome.kind}: {outcome.detail[:400]}", flush=True)
        if number % 20 == 19:
            seconds = time.monotonic() - began
            print(
                f"job {job}: {sum(counts.values())} in {seconds:.0f} s: {dict(counts)}", flush=True
            )
    print(f"job {job}: {sum(counts.values())} programs: {dict(counts)}", flush=True)
    return sum(n for kind, n in counts.items() if Outcome(kind).is_failure)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("random-c-failures"))
    parser.add_argument("--replay", type=int, help="run one program in this process")
    parser.add_argument("--shrink", type=int, help="make one program small")
    options = parser.parse_args(arguments)
    if options.replay is not None:
        print(check(options.replay))
        return 0
    if options.shrink is not None:
        print(small(options.shrink, in_fork(options.shrink)))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    lower("define void @f() {\n  ret void\n}\n")
    children = []
    for job in range(options.jobs):
        child = os.fork()
        if child == 0:
            failed = 1
            try:
                failed = _job(job, options)
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(int(bool(failed)))
        children.append(child)
    return int(any([os.waitpid(child, 0)[1] for child in children]))


if __name__ == "__main__":
    sys.exit(main())
