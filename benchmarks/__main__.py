"""`python -m benchmarks`: run the benchmarks and print the tables.

`python -m benchmarks scale` and `python -m benchmarks first` measure compilation: how it grows with the program, and
what it costs of ordinary programs.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks import compare, first, measure, modes, report, rules, scale
from benchmarks.models import MODELS
from benchmarks.programs import PROGRAMS

# Measurements that are no programs but can be named like one.
EXTRAS = ("startup", "scalar", "rules")
SAMPLES_OF_MODES = 9


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = [*PROGRAMS, *MODELS, *EXTRAS]
    parser.add_argument(
        "--programs",
        nargs="+",
        choices=names,
        default=names,
        metavar="NAME",
        help=f"what to run (default: all): {', '.join(names)}",
    )
    parser.add_argument("--repeat", type=int, default=21, help="samples per program")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers here too")
    parser.add_argument("--modes", action="store_true", help="batches and split mode too")
    parser.add_argument("--no-jax", action="store_true", help="leave JAX out even where it is")
    parser.add_argument(
        "--compare", metavar="REV", help="gradients here against a revision's, in turns"
    )
    return parser.parse_args()


def main() -> int:
    if sys.argv[1:2] == ["scale"]:
        return scale.main(sys.argv[2:])
    if sys.argv[1:2] == ["first"]:
        return first.main(sys.argv[2:])
    options = arguments()
    with_jax = not options.no_jax and importlib.util.find_spec("jax") is not None
    errors = Console(stderr=True)
    if options.compare:
        chosen_names = [name for name in options.programs if name not in EXTRAS]
        found = compare.compare(chosen_names, options.compare, options.repeat, errors)
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

    known = {**PROGRAMS, **MODELS}
    chosen = [program for name, program in known.items() if name in options.programs]
    results = [
        measure.measure(program, options.repeat, with_jax)
        for program in track(chosen, "measuring", console=errors, transient=True)
    ]
    startup = attempt(measure.startup) if "startup" in options.programs else None
    scalar = attempt(measure.scalar_calls, options.repeat) if "scalar" in options.programs else None
    ruled = attempt(rules.seconds_per_call, options.repeat) if "rules" in options.programs else None
    report.show(results, startup, scalar, with_jax)
    if ruled:
        table = report.small_table("A call in a loop", ruled, "ns", 1e9)
        Console(width=report.WIDTH).print(table)
    wide: list[modes.Modes] = []
    if options.modes:
        wide = modes.show_modes(chosen, SAMPLES_OF_MODES, Console(width=report.WIDTH))
        calls = attempt(modes.thunk_calls, SAMPLES_OF_MODES)
        if calls:
            table = report.small_table("Calls of thunks of one float", calls, "µs", 1e6)
            Console(width=report.WIDTH).print(table)
    if options.json:
        report.write_json(options.json, results, startup, scalar, wide, ruled)
    return int(failed or any(r.error for r in [*results, *wide]))


if __name__ == "__main__":
    sys.exit(main())
