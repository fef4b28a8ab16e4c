"""Derivatives made of optimised code, as always, against derivatives made of plain code and optimised then.

    python -m benchmarks ablation

Both have registers instead of memory, calls inlined and peepholes done before differentiation: without that, memory
that is never written stands beside memory that has a derivative, and most programs are refused.  What the other side
lacks before differentiation is the rest of LLVM's scalar pipeline: common subexpressions, loads that are known,
code moved out of loops, loop forms.  After differentiation both are optimised alike.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from rich.console import Console

from benchmarks import compare
from benchmarks.families import FAMILIES, FAMILY_OF, PROGRAMS
from benchmarks.report import WIDTH, keep

FOLDER = Path(__file__).parent / "results"


def differentiate_early() -> None:
    """From now on this process leaves most of LLVM's scalar pipeline for later. Nothing may be compiled yet."""
    from enzyme.backend import passes

    assert callable(passes._simplify), "the stage before differentiation has another name"
    passes._simplify = _plain


def _plain(module: Any, builder: Any, names: Container[str] | None) -> None:
    import llvmlite.binding as llvm

    manager = llvm.create_new_function_pass_manager()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration and (names is None or function.name in names):
            manager.run(function, builder)


def said(found: dict[str, dict]) -> list[str]:
    """What it comes to, as lines of the document."""
    good = {name: 1.0 / row["ratio"] for name, row in found.items() if "ratio" in row}
    lines = [
        "`python -m benchmarks ablation`: how much longer a gradient takes whose derivative is made before common",
        "subexpressions, redundant loads and loops are optimised, and optimised in the same way after.",
        "",
    ]
    for family in FAMILIES:
        ratios = [r for name, r in good.items() if FAMILY_OF[name] == family]
        if ratios:
            lines.append(f"* {family}: {geometric_mean(ratios):.2f} times, {len(ratios)} programs")
    if good:
        worst = max(good, key=good.__getitem__)
        mean = geometric_mean(good.values())
        lines.append(
            f"* all: {mean:.2f} times, {len(good)} programs; worst {good[worst]:.1f} (`{worst}`)"
        )
    lines += [f"* `{name}`: {row['error']}" for name, row in found.items() if "error" in row]
    return lines


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ablation", description=__doc__)
    parser.add_argument(
        "--programs", nargs="+", choices=list(PROGRAMS), default=list(PROGRAMS), metavar="NAME"
    )
    parser.add_argument("--repeat", type=int, default=7, help="turns per program")
    parser.add_argument("--out", type=Path, default=FOLDER, help=f"folder (default: {FOLDER})")
    options = parser.parse_args(arguments)
    errors = Console(stderr=True)
    sides = [compare.Side(compare.HERE), compare.Side(compare.HERE, early=True)]
    found = compare.between(sides, options.programs, options.repeat, errors)
    shown = compare.table(found, "derivatives made early")
    Console(width=None if sys.stdout.isatty() else WIDTH).print(shown)
    lines = said(found)
    print("\n".join(lines))
    keep(options.out, "ablation", shown, lines, {"programs": found, "said": lines})
    return 0
