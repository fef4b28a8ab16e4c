"""A quick look: ``python -m enzyme_testutils module:function --args 2.0 "np.ones(3)"``."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

try:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
except ImportError as error:
    raise SystemExit("rich is missing: pip install 'enzyme-autodiff[testutils]'") from error

import enzyme
from enzyme_testutils.activities import BATCH
from enzyme_testutils.arguments import is_activity
from enzyme_testutils.differences import DEFAULT
from enzyme_testutils.forward import run_forward
from enzyme_testutils.report import Check
from enzyme_testutils.reverse import ReverseRun
from enzyme_testutils.tester import Tester
from enzymecore import ActiveState, AnyState, MixedState, active_register_state
from enzymecore.copying import copied


def _function(text: str) -> Any:
    """The function named by ``module:function`` or ``file.py:function``."""
    place, _, name = text.rpartition(":")
    if not place:
        raise argparse.ArgumentTypeError(f"write module:function, not {text!r}")
    if place.endswith(".py"):
        path = Path(place).resolve()
        sys.path.insert(0, str(path.parent))
        place = path.stem
    else:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(place)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return found


def _activity(name: str) -> Any:
    """The annotation class of a name."""
    found = getattr(enzyme, name, None)
    if not is_activity(found):
        raise argparse.ArgumentTypeError(f"no activity is called {name!r}")
    return found


def _argument(text: str) -> Any:
    """A value, or a value and its activity, from ``expression`` or ``expression:Activity``."""
    expression, _, activity = text.rpartition(":")
    chosen = getattr(enzyme, activity, None) if expression else None
    if not is_activity(chosen):
        chosen = None
        expression = text
    try:
        value = eval(expression, {"np": np})
    except Exception as error:
        raise argparse.ArgumentTypeError(f"{expression!r}: {error}") from error
    return (value, chosen) if chosen is not None else (value, _guess)


_guess = object()


def _with_activity(x: tuple[Any, Any], reverse: bool) -> Any:
    """The pair with the activity that fits the type, where none was chosen."""
    value, activity = x
    if activity is _guess:
        state = active_register_state(value)
        if state is AnyState:
            activity = enzyme.Const
        elif state is MixedState and reverse:
            activity = enzyme.MixedDuplicated
        else:
            activity = enzyme.Active if state is ActiveState and reverse else enzyme.Duplicated
    return value, activity


def _short(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return np.array2string(x, precision=6, threshold=8, separator=", ")
    return f"{x:.8g}" if isinstance(x, float | np.floating) else repr(x)


def _table(title: str, checks: list[Check]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for column in ("check", "derived code", "expected", "distance", "allowed", ""):
        table.add_column(column, justify="right" if column in ("distance", "allowed") else "left")
    for check in checks:
        verdict = Text("ok", "green") if check.ok else Text("FAILED", "bold red")
        if not check.leaves and not check.ok:
            lines = "\n".join([check.problem, *check.lines])
            table.add_row(Text(check.subject), Text(lines), "", "", "", verdict)
        for leaf in check.leaves:
            mark = Text("ok", "green") if leaf.ok else Text("FAILED", "bold red")
            numbers = ("", "") if leaf.problem else (f"{leaf.distance:.2g}", f"{leaf.allowed:.2g}")
            name = Text(f"{check.subject} {leaf.path}".rstrip())
            table.add_row(name, Text(_short(leaf.x)), Text(_short(leaf.y)), *numbers, mark)
    return table


def main(arguments: list[str] | None = None) -> int:
    """Run the command; status 1 if something disagrees, 2 if it cannot be tested."""
    parser = argparse.ArgumentParser("python -m enzyme_testutils", description=__doc__)
    parser.add_argument("function", type=_function, help="module:function or file.py:function")
    parser.add_argument(
        "--args",
        nargs="*",
        type=_argument,
        default=[],
        metavar="ARG",
        help="Python expressions (np is numpy), each with :Activity if the usual one is wrong",
    )
    parser.add_argument("--mode", choices=("forward", "reverse", "both"), default="both")
    parser.add_argument("--ret", type=_activity, default=None, help="activity of the result")
    parser.add_argument("--seed", type=int, default=0, help="of the tangents")
    parser.add_argument("--rtol", type=float, default=None)
    parser.add_argument("--atol", type=float, default=None)
    options = parser.parse_args(arguments)
    console = Console()
    try:
        return _compare(options, console)
    except Exception as error:  # whatever the function says at this point is the answer
        console.print(Text(f"{type(error).__name__}: {error}"))
        return 2


def _compare(options: argparse.Namespace, console: Console) -> int:
    """Print one table for each mode."""
    failed = False
    for mode in ("forward", "reverse"):
        if options.mode not in (mode, "both"):
            continue
        reverse = mode == "reverse"
        args = tuple(_with_activity(x, reverse) for x in options.args)
        tester = Tester(
            f"test_{mode}",
            options.function,
            _return_activity(options, args, reverse),
            args,
            fdm=DEFAULT,
            fkwargs=None,
            rtol=options.rtol,
            atol=options.atol,
            testset_name=None,
            rng=options.seed,
            runtime_activity=False,
        )
        if reverse:
            ReverseRun(tester, None).check()
        else:
            run_forward(tester)
        console.print(_table(tester.checks.name, tester.checks.made))
        failed |= not all(check.ok for check in tester.checks.made)
    return int(failed)


def _return_activity(options: Any, args: tuple[Any, ...], reverse: bool) -> Any:
    """The activity of the result: the one asked for, or what fits its type."""
    if options.ret is not None:
        return options.ret
    result = options.function(*copied(tuple(value for value, _ in args)))
    found = _with_activity((result, _guess), reverse)[1]
    batch = any(is_activity(cls) and issubclass(cls, BATCH) for _, cls in args)
    return enzyme.BatchDuplicated if batch and found is enzyme.Duplicated else found


if __name__ == "__main__":
    sys.exit(main())
