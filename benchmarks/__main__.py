"""`python -m benchmarks`: run the benchmarks and print the tables.

A run of all programs also writes `benchmarks/results/performance.json`, its charts, and `docs/performance.md`.
Other measurements: `python -m benchmarks growth` (cost against size), `ablation` (derivatives made before
optimisation), `scale` (how compilation grows with the program), `first` (what it costs of ordinary programs), `calls`
(what one call from Python costs), `ways` (what NumPy's way to write a program costs over loops), `hosts` (what a
gradient costs more when PyTorch, JAX, SciPy or PyTensor asks for it), `modules` (large modules of LLVM IR), `startup`
(the first gradient in a process that finds it on disk), `factorisations` (linear algebra against JAX), and `page`,
which writes the document again from what was kept.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks import (
    ablation,
    again,
    calls,
    compare,
    factorisations,
    first,
    growth,
    hosts,
    kept,
    measure,
    modes,
    modules,
    page,
    report,
    rules,
    scale,
    ways,
)
from benchmarks.families import FAMILIES, PROGRAMS

# Measurements that are no programs but can be named like one.
EXTRAS = ("startup", "scalar", "rules")
SAMPLES_OF_MODES = 9
COMMANDS = {
    "startup": again.main,
    "calls": calls.main,
    "hosts": hosts.main,
    "factorisations": factorisations.main,
    "modules": modules.main,
    "scale": scale.main,
    "first": first.main,
    "growth": growth.main,
    "ways": ways.main,
    "ablation": ablation.main,
    "page": page.main,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [*PROGRAMS, *EXTRAS]
    parser.add_argument(
        "--programs",
        nargs="+",
        choices=names,
        metavar="NAME",
        help=f"what to run (default: all): {', '.join(names)}",
    )
    parser.add_argument(
        "--families", nargs="+", choices=list(FAMILIES), metavar="NAME", help=", ".join(FAMILIES)
    )
    parser.add_argument("--repeat", type=int, default=21, help="samples per program")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers here too")
    parser.add_argument(
        "--modes", action="store_true", help="forward mode, batches, results and split mode too"
    )
    parser.add_argument("--no-jax", action="store_true", help="leave JAX out even where it is")
    parser.add_argument(
        "--compare", metavar="REV", help="gradients here against a revision's, in turns"
    )
    return parser.parse_args()


def chosen_names(options: argparse.Namespace) -> list[str]:
    """All, or those that were asked for, by name or by family."""
    if not options.programs and not options.families:
        return [*PROGRAMS, *EXTRAS]
    by_family = [p.name for family in options.families or () for p in FAMILIES[family]]
    return list(dict.fromkeys([*by_family, *(options.programs or ())]))


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        return COMMANDS[sys.argv[1]](sys.argv[2:])
    options = arguments()
    names = chosen_names(options)
    with_jax = not options.no_jax and importlib.util.find_spec("jax") is not None
    errors = Console(stderr=True)
    if options.compare:
        programs = [name for name in names if name not in EXTRAS]
        found = compare.compare(programs, options.compare, options.repeat, errors)
        Console(width=report.WIDTH).print(compare.table(found, options.compare))
        return int(any("error" in row for row in found.values()))
    failed = False

    def attempt(function, *args):
        nonlocal failed
        try:
            return function(*args)
        except Exception as error:
            failed = True
            errors.print(f"{function.__name__}: {error}", style="red", markup=False)
            return None

    measure.on_one_core()
    kept.count()
    chosen = [program for name, program in PROGRAMS.items() if name in names]
    results = []
    for program in track(chosen, "measuring", console=errors, transient=True):
        result = measure.measure(program, options.repeat, with_jax)
        results.append(result)
        if not errors.is_terminal:
            shown = report.factor(result.ratio), report.factor(result.against_hand_written)
            errors.print(
                f"{program.name}: {' '.join(shown)} {result.error or result.jax_error}",
                markup=False,
            )
        if options.json:
            report.write_json(options.json, results, None, None, [], None)
    startup = attempt(measure.startup) if "startup" in names else None
    scalar = attempt(measure.scalar_calls, options.repeat) if "scalar" in names else None
    ruled = attempt(rules.seconds_per_call, options.repeat) if "rules" in names else None
    report.show(results, startup, scalar)
    if ruled:
        table = report.small_table("A call in a loop", ruled, "ns", 1e9)
        Console(width=report.WIDTH).print(table)
    wide: list[modes.Modes] = []
    if options.modes:
        wide = modes.show_modes(chosen, SAMPLES_OF_MODES, Console(width=report.WIDTH))
        thunks = attempt(modes.thunk_calls, SAMPLES_OF_MODES)
        if thunks:
            table = report.small_table("Calls of thunks of one float", thunks, "µs", 1e6)
            Console(width=report.WIDTH).print(table)
    if options.json:
        report.write_json(options.json, results, startup, scalar, wide, ruled)
    if len(results) == len(PROGRAMS):
        report.write_json(page.NUMBERS, results, startup, scalar, wide, ruled)
        page.write()
    return int(failed or any(r.error for r in [*results, *wide]))


if __name__ == "__main__":
    sys.exit(main())
