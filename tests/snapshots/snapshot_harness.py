"""Derivatives of the functions in `programs/` as the engine writes them, and as machine code.

A program holds `@f`; its comments say at which arguments it is called, as in `tests.frontdoor.frontdoor_harness`.
Numbers are active, arrays have shadows, unless they hold integers or are marked `const`. The text of a derivative is
that which leaves the engine, before LLVM sees it; the functions of the arena are declared in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from enzyme.backend import passes
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.differentiate import differentiate
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.synthesis.arena import arena_text
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.frontdoor.c_library import C_LIBRARY
from tests.frontdoor.frontdoor_harness import Argument, Program, Runner, jacobian

FOLDER = Path(__file__).parent
PROGRAMS = FOLDER / "programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.ll"))
MODES = {"forward": DiffMode.FORWARD, "reverse": DiffMode.REVERSE}
SYMBOLS = {"forward": "fwd.f", "reverse": "grad.f"}
_BEHIND = {"f64": "Float@double", "f32": "Float@float", "const": "Float@double", "i64": "Integer"}


def program(name: str) -> Program:
    return Program.read(PROGRAMS / f"{name}.ll")


def snapshot(name: str, mode: str) -> Path:
    """Where the derivative is kept."""
    return FOLDER / mode / f"{name}.ll"


def derivative(program: Program, mode: str) -> str:
    """The module with the derivative that the engine adds."""
    active = Activity.DUPLICATED if mode == "forward" else Activity.ACTIVE
    request = DiffRequest(
        "f",
        MODES[mode],
        tuple(_activity(a, active) for a in program.arguments),
        Activity.CONST if program.returns == "void" else active,
        return_primal=False,
        seeds=tuple(map(_seed, program.arguments)),
        runtime=C_LIBRARY,
        distinct_arguments=True,
    )
    made = differentiate(program.text, request, stand_alone=False)
    assert made.symbol == SYMBOLS[mode]
    return made.text


def _activity(argument: Argument, number: Activity) -> Activity:
    if not argument.active:
        return Activity.CONST
    return Activity.DUPLICATED if argument.is_array else number


def _seed(argument: Argument) -> str:
    behind = _BEHIND.get(argument.kind)
    return f"{{[-1]:Pointer, [-1,-1]:{behind}}}" if argument.is_array else ""


def check_numbers(program: Program, forward: str, reverse: str) -> None:
    """<Jv, w> = <v, J'w> for the two derivatives, and Jv is what differences of the program say."""
    runner = Runner(program, _program_with(program, {"forward": forward, "reverse": reverse}))
    point = program.point()
    rng = np.random.default_rng(7)
    tangent = rng.uniform(-1, 1, len(point))
    along = runner.forward(point, tangent)
    has_result = int(program.returns != "void")
    seeds = rng.uniform(0.5, 1.5, len(along) - has_result)
    weights = np.concatenate([np.ones(has_result), seeds])
    back = runner.reverse(point, seeds)
    rounding, step, near = (1e-5, 1e-2, 3e-3) if program.single else (1e-12, 1e-3, 1e-6)
    np.testing.assert_allclose(back @ tangent, weights @ along, rtol=rounding, atol=rounding)
    expected = jacobian(runner.primal, point, step) @ tangent
    np.testing.assert_allclose(along, expected, rtol=near, atol=near)


def _program_with(program: Program, derivatives: dict[str, str]) -> str:
    """One module with the program, and `forward` and `reverse` that store what the derivatives return."""
    whole = passes.parse(program.text)
    for mode, text in derivatives.items():
        part = passes.parse(text + "\n".join(_entry(text, SYMBOLS[mode], mode)))
        passes.isolate(part, mode)
        whole.link_in(part)
    whole.link_in(llvm.parse_assembly(arena_text(C_LIBRARY, linkage="linkonce_odr")))
    return str(whole)


def _entry(text: str, symbol: str, name: str) -> Iterator[str]:
    """A function that calls a derivative, with the seed 1 of a result, and stores what it returns."""
    function = parse_module(text).functions[symbol]
    arguments = function.args
    passed = [f"{a.type} %a{k}" for k, a in enumerate(arguments)]
    given = list(passed)
    if arguments and arguments[-1].name.startswith("seed"):
        given.pop()
        passed[-1] = f"{arguments[-1].type} 1.0"
    result = function.function_type.ret
    yield f"\ndefine void @{name}({', '.join([*given, 'ptr %out'])}) {{"
    if result.is_void:
        yield f"  call void @{symbol}({', '.join(passed)})"
    else:
        yield f"  %made = call {result} @{symbol}({', '.join(passed)})"
        yield f"  store {result} %made, ptr %out"
    yield "  ret void\n}\n"
