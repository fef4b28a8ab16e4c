"""The code of a derivative must not depend on chance: not on the process, nor on what was compiled before.

``python -m tests.programs.bytes [NAME ...]`` prints, for each program and mode, the SHA-256 of the primal as the engine
gets it and of the derivative as it leaves the engine.  Two runs must print the same lines up to their order, whatever
their PYTHONHASHSEED: also with ``--reversed``, which goes through the programs and modes from the end, and with
``--scattered``, where sets of the engine's objects have another order than that of their addresses.  ``--keep FOLDER``
keeps the texts for a look at what differs.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from enzyme.api.compile import Program
from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.module import Block
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.request import DiffResult
from tests.programs import harness
from tests.programs.cases import Case
from tests.programs.values import perturbed


class _Made(BaseException):
    """A derivative that was made, in place of its machine code."""

    def __init__(self, program: Program, made: DiffResult) -> None:
        super().__init__()
        self.primal, self.made = program.primal.text, made


def _stop(program: Program, distinct: bool, *_: Any, **__: Any) -> Any:
    raise _Made(program, program.differentiate(distinct))


def _calls(case: Case) -> dict[str, Callable[[], Any]]:
    """The calls of the law, by mode."""
    args, rng = case.inputs()
    shadows = perturbed(args, rng.standard_normal)
    function, result = case.function, harness.run_primal(case.plain, args).result
    return {
        "reverse": lambda: harness.run_reverse(function, args, shadows, result),
        "forward": lambda: harness.run_forward(function, args, shadows),
        "split": lambda: harness.run_split(function, args, shadows, result),
    }


def texts(case: Case, backwards: bool = False) -> Iterator[tuple[str, str, str]]:
    """Mode, primal and derivative of a program, in each mode; no machine code is made."""
    compiling = Program.thunk, Program.split_thunks
    calls = list(_calls(case).items())
    for mode, call in reversed(calls) if backwards else calls:
        Program.thunk = Program.split_thunks = _stop  # type: ignore[method-assign, assignment]
        try:
            call()
        except _Made as found:
            yield (
                mode,
                found.primal,
                f"; {found.made.symbol} {found.made.reverse_symbol}\n{found.made.text}",
            )
        else:
            raise AssertionError(f"{case.name}: no derivative was compiled")
        finally:
            Program.thunk, Program.split_thunks = compiling  # type: ignore[method-assign]


def scatter() -> None:
    """Let no order of the engine's objects in sets be the one of their addresses, which processes have in common."""
    for cls in (Value, Block, Loop):
        cls.__hash__ = lambda self: hash((id(self), "scattered"))  # type: ignore[method-assign]


def digest(text: str) -> str:
    """What stands for a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> None:
    from tests.programs.suite import CASES

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="programs; all where none is named")
    parser.add_argument("--reversed", action="store_true", help="from the end")
    parser.add_argument("--scattered", action="store_true", help="with other hashes of objects")
    parser.add_argument("--keep", type=Path, help="a folder for the texts")
    given = parser.parse_args()
    names = given.names or list(CASES)
    if given.scattered:
        scatter()
    for name in reversed(names) if given.reversed else names:
        for mode, primal, derivative in texts(CASES[name], given.reversed):
            if given.keep is not None:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{name}.{mode}.primal.ll").write_text(primal)
                (given.keep / f"{name}.{mode}.ll").write_text(derivative)
            print(name, mode, digest(primal), digest(derivative))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
