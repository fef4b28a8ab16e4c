"""The Python function that stands between `autodiff` and a compiled derivative.

It is written for one signature: takes the annotations out, calls native code, and puts the result
together as the mode asks. Written as source, because this is what every call pays for.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core import types

from enzyme.api.mixed import add_adjoints, contents
from enzyme.api.places import call_site, generated_file, place
from enzyme.api.values import native
from enzyme.contract import layout as layouts
from enzyme.contract.kinds import BATCH, MIXED, holds_container
from enzyme.errors import EnzymeError
from enzyme.frontend.leaves import is_fixed
from enzyme.frontend.numba_compat.callables import global_compiler_lock
from enzyme.frontend.thunks import Thunk
from enzyme.frontend.visible import ArgumentsOverlap
from enzymecore import Active, Const, Duplicated, DuplicatedNoNeed, make_zero
from enzymecore.record import record

if TYPE_CHECKING:
    from enzyme.api.compile import Program

_NARROW = {types.float32: np.float32, types.complex64: np.complex64}
_PLAIN = (Active, Const, Duplicated, DuplicatedNoNeed)
_KEPT = (np.float32, np.float64, np.complex64, np.complex128)


def converter(ty: types.Type) -> Callable[[Any], Any] | None:
    """What numba gives back as a double but is single precision; None if nothing needs to be done."""
    if ty in _NARROW:
        return _NARROW[ty]
    if isinstance(ty, types.Optional):
        inner = converter(ty.type)
        return None if inner is None else lambda value: None if value is None else inner(value)
    if not isinstance(ty, types.BaseTuple):
        return None
    parts = [converter(member) for member in ty.types]
    if not any(parts):
        return None
    make = ty.instance_class._make if isinstance(ty, types.BaseNamedTuple) else tuple

    def convert(value: Any) -> Any:
        return make([part(x) if part else x for part, x in zip(parts, value, strict=True)])

    return convert


def for_batch(convert: Callable[[Any], Any] | None, width: int) -> Callable[[Any], Any] | None:
    """The converter of a tuple with one member per lane."""
    if convert is None or width == 1:
        return convert
    return lambda members: tuple(map(convert, members))


def operand(cls: type, role: str, name: str, width: int) -> str:
    """Source of one flat argument, out of the annotation `name` of class `cls`."""
    if role == "primal":
        return f"{name}.val"
    held = f"m{name}" if issubclass(cls, MIXED) else f"{name}.dval"
    return f"{held}[0]" if issubclass(cls, BATCH) and width == 1 else held


def taken(classes: Sequence[type], names: Sequence[str]) -> list[str]:
    """Source that takes shadows out of their Refs, where `operand` finds them."""
    pairs = enumerate(zip(classes, names, strict=True))
    return [f"    m{a} = contents({i}, {a})" for i, (cls, a) in pairs if issubclass(cls, MIXED)]


def _of_adjoint(ty: types.Type, value: Any) -> Callable[[Any], Any] | None:
    """An adjoint is of its argument's own class."""
    return type(value) if type(value) in _KEPT else converter(ty)


def make_call(
    program: Program, args: Sequence[Any], return_given: bool, seeds: str = ""
) -> Callable[..., Any]:
    """The function that takes what `autodiff` got behind the function: [return class], annotations.

    The seed of an active result is one, or as the source `seeds` says.

    Compiles the derivative that may rely on distinct arguments if their memory can be tested, and
    the other one at the first call that needs it.
    """
    distinct = program.can_be_distinct
    thunk = program.thunk(distinct)
    others: list[Any] = []

    def without_promise(*annotations: Any) -> Any:
        """Entry of the derivative that promises nothing, after a close look at the arguments."""
        from enzyme.api.overlaps import examine

        try:
            examine(program, annotations)
        except EnzymeError as error:
            raise place(error, call_site()) from None
        if not others:
            with global_compiler_lock:
                if not others:
                    other = program.thunk(False)
                    others.append(partial(_entry(program, other), other.address))
        return others[0]

    scope: dict[str, Any] = {
        "entry": _entry(program, thunk),
        "address": thunk.address,
        "without_promise": without_promise,
        "ArgumentsOverlap": ArgumentsOverlap,
        "make_zero": make_zero,
        "native": native,
    }
    names = [f"a{index}" for index in range(len(args))]
    width = program.signature.width
    operands = []
    for role, index in thunk.plan.parameters:
        if role == "seed":
            operands.append(seeds or ("1.0" if width == 1 else f"(1.0,) * {width}"))
        else:
            text = operand(type(args[index]), role, f"a{index}", width)
            held = getattr(args[index], "val", None)
            operands.append(f"native({text})" if native(held) is not held else text)
    values = {}
    for position, (role, index) in enumerate(thunk.plan.results):
        ty = thunk.plan.given_type if index < 0 else thunk.plan.argtypes[index]
        convert = converter(ty) if index < 0 else _of_adjoint(ty, args[index].val)
        if role != "primal":
            convert = for_batch(convert, width)
        value = f"r[{position}]"
        if convert is not None:
            scope[f"convert{position}"] = convert
            value = f"convert{position}({value})"
        values[layouts.Part(role, index)] = value
    scope.update(contents=contents, add_adjoints=add_adjoints)
    given = ", ".join(operands)
    parameters = ["return_class", *names] if return_given else names
    lines = [f"def call({', '.join(parameters)}):"]
    if any(map(holds_container, thunk.plan.argtypes)):
        scope["check"] = partial(_checked, program)
        lines.append(f"    check(({', '.join(names)},))")
    lines += taken([type(a) for a in args], names)
    lines += [
        "    try:",
        f"        r = entry(address, {given})",
        "    except ArgumentsOverlap:",
        f"        r = without_promise({', '.join(names)})({given})",
    ]
    for position, (role, index) in enumerate(thunk.plan.results):
        if role == "adjoint" and isinstance(args[index], MIXED):
            one = isinstance(args[index], BATCH) and width == 1
            lines.append(
                f"    add_adjoints(a{index}, {f'(r[{position}],)' if one else f'r[{position}]'})"
            )
    layout = layouts.of_autodiff(program.signature, program.result)
    lines.append(f"    return {result_source(layout, values, values.get(layouts.PRIMAL, ''))}")
    source = "\n".join(lines) + "\n"
    exec(compile(source, generated_file(f"call of d_{program.primal.name}"), "exec"), scope)
    call: Callable[..., Any] = scope["call"]
    call.__enzyme_thunk__ = thunk  # type: ignore[attr-defined]
    plain = all(type(a) in _PLAIN for a in args) and not any("native(" in one for one in operands)
    if plain and "check" not in scope and not seeds:
        call.direct = Direct(scope, thunk.plan.parameters, values)  # type: ignore[attr-defined]
    return call


@record
class Direct:
    """A call of the derivative without annotations, where they would only be taken apart: what its source refers to,
    the flat arguments in their order, and source of each part of the result `r`."""

    scope: Mapping[str, Any]
    parameters: Sequence[tuple[str, int]]
    values: Mapping[layouts.Part, str]

    def lines(self, otherwise: str) -> list[str]:
        """Source of the call for arguments `a0`, ... and shadows `d0`, ...; `otherwise` returns the result where memory
        is shared."""
        texts = {"primal": "a{}", "shadow": "d{}", "seed": "1.0"}
        given = ", ".join(texts[role].format(index) for role, index in self.parameters)
        return [
            "    try:",
            f"        r = entry(address, {given})",
            "    except ArgumentsOverlap:",
            f"        return {otherwise}",
        ]


def _checked(program: Program, annotations: tuple[Any, ...]) -> None:
    """Look at the containers of a call; errors name the user's line."""
    from enzyme.api.containers import check_containers

    try:
        check_containers(annotations, program.writes)
    except EnzymeError as error:
        raise place(error, call_site()) from None


def _entry(program: Program, thunk: Thunk) -> Callable[..., Any]:
    """The function that takes address and arguments; it checks types where a fixed signature converts arguments."""
    given = program.signature.argtypes
    pairs = zip(given, thunk.plan.argtypes, strict=False)
    exact = all(a == b or is_fixed(b) for a, b in pairs)
    return thunk.entry if exact else thunk.dispatcher


def result_source(
    layout: layouts.Layout, values: Mapping[layouts.Part, str], primal: str = ""
) -> str:
    """Source of a result of this layout, from that of its parts; `primal` is what a zero is made like."""

    def source(part: layouts.Part | None) -> str:
        if part is None:
            return "None"
        return f"make_zero({primal})" if part is layouts.ZERO else values[part]

    return layouts.fold(layout, source, _tuple)


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)},)" if parts else "()"
