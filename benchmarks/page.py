"""`docs/performance.md` and the bar chart, from what a whole run has left in `benchmarks/results`.

python -m benchmarks page
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import again, calls, charts, factorisations, growth
from benchmarks.families import PROGRAMS
from benchmarks.measure import Result
from benchmarks.report import COLUMNS, SUMMARY_COLUMNS, Summary

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
NUMBERS = RESULTS / "performance.json"
PAGE = ROOT / "docs" / "performance.md"

HEAD = """# What gradients cost

`python -m benchmarks` writes this page. Each of the {count} programs is ordinary numba code, written without
derivatives in mind; the gradient is that of one number with respect to every array that has one. Each gradient is
compared with finite differences in several directions, with the adjoint written by hand where there is one, and with
JAX's where JAX can express the program, before its time is taken. Primal, gradient, adjoint and JAX take turns in one
process, on one core; seconds are those of the processor, and the shortest sample counts.

{machine}

"gradient / primal" and "gradient / by hand": less is better. "JAX / ours": more is better; "fast" is against the
program with `fastmath=True`, for JAX adds up in any order, too. "kept" is what the reverse
pass gets from the forward pass, in bytes of one call. "first gradient" is the time from the call to the first result
in a process in which everything else is compiled already.
"""


def cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")


def markdown(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield "| " + " | ".join(cell(h) for h in heads) + " |"
    yield "|---" + "|---:" * (len(heads) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(cell(c) for c in row) + " |"


def page(content: dict) -> str:
    results = [Result(**row) for row in content["programs"]]
    machine = ", ".join(
        f"{name} {value}" if name not in ("machine", "processor") else value
        for name, value in content["machine"].items()
        if value
    )
    lines = [HEAD.format(count=len(results), machine=f"Measured with {machine}.")]
    lines += ["## By family", "", "Geometric means over the programs that have the number.", ""]
    found = [Summary(**row) for row in content["families"]]
    lines += markdown(
        list(SUMMARY_COLUMNS), [[f(s) for f in SUMMARY_COLUMNS.values()] for s in found]
    )
    lines += ["", "![gradient over primal](../benchmarks/results/performance.png)", ""]
    failed = [r for r in results if r.error or r.jax_error]
    if failed:
        lines += ["## What failed", ""]
        lines += [f"* `{r.name}`: {r.error or r.jax_error}" for r in failed]
        lines.append("")
    for family in dict.fromkeys(r.family for r in results):
        lines += [f"## {family}", ""]
        rows = [
            [f"`{r.name}`", PROGRAMS[r.name].about, *(f(r) for f in COLUMNS.values())]
            for r in sorted(results, key=lambda r: -(r.ratio or 0.0))
            if r.family == family and r.name in PROGRAMS
        ]
        lines += markdown(["program", "about", *COLUMNS], rows)
        lines.append("")
    if growth.kept_rows():
        lines += [
            "## Cost against size",
            "",
            "`python -m benchmarks growth`: three decades of work.",
            "",
            "![seconds over work](../benchmarks/results/growth.png)",
            "",
        ]
    found = _kept("calls")
    if found is not None:
        said = (
            "`python -m benchmarks calls`: functions that do next to nothing, called from Python."
        )
        rows = calls.rows([calls.Measured(**row) for row in found["results"]])
        lines += ["## One call", "", said, "", *markdown(list(calls.HEADS), rows), ""]
    found = _kept("again")
    if found is not None:
        lines += ["## Derivatives on disk", "", again.said(found["results"]), ""]
    found = _kept("factorisations")
    if found is not None:
        said = (
            "`python -m benchmarks factorisations`: gradients of linear algebra, one thread each."
        )
        rows = factorisations.rows([factorisations.Ratio(**row) for row in found["results"]])
        lines += ["## Linear algebra", "", said, ""]
        lines += [*markdown(list(factorisations.HEADS), rows), ""]
    found = _kept("ablation")
    if found is not None:
        lines += ["## Optimised before, or not", "", *found["said"], ""]
    return "\n".join(lines)


def _kept(name: str) -> Any:
    """What a measurement has kept; None if it has not run."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def write() -> None:
    content = json.loads(NUMBERS.read_text(encoding="utf-8"))
    PAGE.write_text(page(content), encoding="utf-8")
    charts.bars(content["programs"], RESULTS / "performance.png")


def main(arguments: list[str]) -> int:
    argparse.ArgumentParser(prog="python -m benchmarks page", description=__doc__).parse_args(
        arguments
    )
    write()
    return 0
