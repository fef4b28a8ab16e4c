"""Derivatives along the unit directions of an argument, in compiled code: a loop for each of its arrays."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numba.core import types
from numba.np.numpy_support import as_dtype

from enzyme.compiled.record_fields import has_complex, is_records, numbers_in, shown
from enzyme.compiled.terms import Term, Writer, at
from enzyme.compiled.unpacked import has_floats, shadowed
from enzyme.contract.derivatives import (
    axes,
    by_structure,
    half_of_derivative,
    no_directions,
)
from enzyme.errors import ActivityError
from enzymecore import NoPrimal

if TYPE_CHECKING:
    from enzyme.compiled.gradients import Call

_NUMBERS = types.Float | types.Complex
_Path = tuple[int, ...]


def columns(call: Call, position: int, value: Term, flat: bool) -> Term:
    """What stands for one argument: with `flat` of `gradient`, laid out like the argument, else of `jacobian`."""
    writer = call.writer
    x, outputs = call.x[position], writer.leaves(value)
    _check(writer, x, outputs)
    is_tuple = isinstance(value.ty, types.BaseTuple)
    if flat:

        def of_leaf(part: Term, path: _Path) -> Term:
            if not part.is_array:
                return Term(value.ty, _tangent(call, position, path))
            if is_tuple:
                raise ActivityError(
                    what=f"derivatives of a result of type {value.ty} along the components of an array",
                    why="they are the elements of an array of objects, which compiled code has not",
                    todo="return a number or an array of numbers",
                )
            return _along(call, position, part, path, [(value, ())], False)[()]

        found = by_structure(writer, x, of_leaf)
        members = writer.parts(x)
        if len(call.x) > 1 or members is None:
            return found
        held = Term(x.ty, writer.name(found.source))
        sources = [part.source for part in writer.parts(held) or ()]
        return writer.joined([part.ty for part in members], sources)
    blocks: dict[tuple[_Path, _Path], Term] = {}
    for part, path in writer.leaves(x):
        made = _along(call, position, part, path, outputs, not is_tuple)
        blocks.update({(output, path): block for output, block in made.items()})
    return by_structure(
        writer,
        value,
        lambda _, output: by_structure(writer, x, lambda _, path: blocks[output, path]),
    )


def _check(writer: Writer, x: Term, outputs: Sequence[tuple[Term, _Path]]) -> None:
    """Refuse arguments without unit directions, and those along which half of the derivative would be missing."""
    inputs = writer.leaves(x)
    kinds = [isinstance(part.dtype, types.Complex) for part, _ in outputs]
    if any(has_complex(part.dtype) for part, _ in inputs) and not all(kinds):
        raise half_of_derivative(any(kinds))
    for part, _ in [*inputs, *outputs]:
        if not isinstance(part.dtype, _NUMBERS) and not _has_directions(part, outputs):
            raise no_directions(shown(part.ty), unasked=True)


def _has_directions(part: Term, outputs: Sequence[tuple[Term, _Path]]) -> bool:
    """Is this an array of records in which all floats are real, as the outputs are?"""
    found = [is_records(part.ty) and not has_complex(part.dtype)]
    return all(found + [isinstance(output.dtype, types.Float) for output, _ in outputs])


def _tangent(call: Call, position: int, path: _Path, component: str = "", number: str = "") -> str:
    """A variable with the derivative along one unit direction; of a record in an array that of one `number` in it."""
    writer = call.writer
    given = []
    for k, x in enumerate(call.copies):
        if k != position:
            given.append(
                shadowed(writer, x) if call.shadowed and has_floats(x) else f"Const({x.source})"
            )
            continue
        place = Term(x.ty, writer.name(x.source))
        zero = writer.zeros(place)
        if component:
            item = f"{at(zero.source, path)}.flat[{component}]"
            writer.line(f"{item}{number} = 1")
        else:
            zero = writer.changed(
                zero,
                lambda part, there: (
                    Term(part.ty, writer.constant(as_dtype(part.ty).type(1)))
                    if there == path
                    else part
                ),
            )
        given.append(f"Duplicated({place.source}, {zero.source})")
    plain = writer.constant(NoPrimal(call.mode))
    arguments = ", ".join([plain, call.function.source, "DuplicatedNoNeed", *given])
    return writer.name(f"repeated({arguments})[0]")


def _along(
    call: Call,
    position: int,
    part: Term,
    path: _Path,
    outputs: Sequence[tuple[Term, _Path]],
    alone: bool,
) -> dict[_Path, Term]:
    """The block of each output with respect to one part of an argument; of a number there is one direction."""
    writer = call.writer
    made: dict[_Path, Term] = {}
    if not part.is_array:
        found = _tangent(call, position, path)
        for output, there in outputs:
            block = at(found, there)
            if axes(output.is_array, alone, False) == ("row",):
                block = f"np.array([{block}])"
            made[there] = Term(output.ty, writer.name(block))
        return made
    if is_records(part.ty):
        return _along_records(call, position, part, path, outputs, alone)
    room = {}
    for output, there in outputs:
        kind = writer.constant(as_dtype(output.dtype))
        shape = (
            f"({part.source}.size, *{output.source}.shape)"
            if output.is_array
            else f"{part.source}.size"
        )
        room[there] = writer.name(f"np.empty({shape}, {kind})")
    component = writer.loop(f"{part.source}.size")
    found = _tangent(call, position, path, component)
    for there, place in room.items():
        writer.line(f"{place}[{component}] = {at(found, there)}")
    writer.end_loop()
    for output, there in outputs:
        block = room[there]
        if output.is_array:
            block = f"{block}.reshape(({part.source}.size, {output.source}.size))"
            block = f"np.ascontiguousarray({block}.T)"
        shape = shape_of(axes(output.is_array, alone, True), output, part)
        made[there] = Term(output.ty, writer.name(f"{block}.reshape({shape})"))
    return made


def _along_records(
    call: Call,
    position: int,
    part: Term,
    path: _Path,
    outputs: Sequence[tuple[Term, _Path]],
    alone: bool,
) -> dict[_Path, Term]:
    """As `_along`, with respect to an array of records: records with a derivative in place of each float."""
    writer = call.writer
    kind = writer.constant(as_dtype(part.dtype))
    zero = writer.name(f"make_zero({part.source}.copy()).ravel()")
    room = {}
    for output, there in outputs:
        count = f"{output.source}.size" if output.is_array else "1"
        room[there] = writer.name(f"np.empty(({count}, {part.source}.size), {kind})")
        row = writer.loop(count)
        writer.line(f"{room[there]}[{row}] = {zero}")
        writer.end_loop()
    component = writer.loop(f"{part.source}.size")
    for number, _ in numbers_in(part.dtype):
        found = _tangent(call, position, path, component, number)
        for output, there in outputs:
            row = writer.loop(f"{output.source}.size" if output.is_array else "1")
            derivative = at(found, there) + (f".flat[{row}]" if output.is_array else "")
            writer.line(f"{room[there]}[{row}, {component}]{number} = {derivative}")
            writer.end_loop()
    writer.end_loop()
    return {
        there: Term(
            output.ty,
            writer.name(
                f"{room[there]}.reshape({shape_of(axes(output.is_array, alone, True), output, part)})"
            ),
        )
        for output, there in outputs
    }


def shape_of(found: Sequence[str], output: Term, part: Term, outputs: str = "") -> str:
    """Source of a shape with these axes; `outputs` is the shape of what is returned, if it is told."""
    sizes = {
        "outputs": outputs or f"{output.source}.shape",
        "row": "(1,)",
        "inputs": f"{part.source}.shape",
    }
    return " + ".join(sizes[axis] for axis in found) or "()"
