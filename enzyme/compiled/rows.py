"""`jacobian` in reverse mode, in compiled code: a reverse pass for every output.

Each differentiates the function that writes one part of the result into an argument.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numba.core import types
from numba.np.numpy_support import as_dtype

from enzyme.compiled.along import shape_of
from enzyme.compiled.calls import function_of
from enzyme.compiled.record_fields import is_records, shown
from enzyme.compiled.terms import Term, Writer, at
from enzyme.compiled.unpacked import Unpacked
from enzyme.contract.derivatives import (
    ambiguous_rows,
    axes,
    by_structure,
    is_constant,
    no_rows,
)
from enzyme.contract.results import ambiguous
from enzyme.errors import ActivityError, ModeError
from enzymecore import NoPrimal

if TYPE_CHECKING:
    from enzyme.compiled.gradients import Call

_Path = tuple[int, ...]
_NUMBERS = types.Float | types.Complex


def rows(call: Call, value: Term) -> list[Term]:
    """The Jacobian with respect to every argument."""
    writer = call.writer
    outputs = writer.leaves(value)
    if not outputs:
        raise no_rows(value.ty)
    blocks: dict[tuple[_Path, int, _Path], Term] = {}
    for output, there in outputs:
        _check(call, output)
        blocks.update(_of_output(call, output, there, alone=not there))
    return [
        writer.nothing() if is_constant(writer, x) else _assembled(writer, value, x, k, blocks)
        for k, x in enumerate(call.x)
    ]


def _assembled(writer: Writer, value: Term, x: Term, k: int, blocks: dict[Any, Term]) -> Term:
    found: Term = by_structure(
        writer,
        value,
        lambda _, output: by_structure(writer, x, lambda _, path: blocks[output, k, path]),
    )
    return found


def _check(call: Call, output: Term) -> None:
    if not isinstance(output.dtype, _NUMBERS):
        raise no_rows(output.ty)
    inputs = [leaf for x in call.x for leaf, _ in call.writer.leaves(x)]
    for x in inputs:
        if not isinstance(x.dtype, _NUMBERS) and not is_records(x.ty):
            raise ActivityError(
                what=f"the Jacobian with respect to a value of type {shown(x.ty)}",
                todo="differentiate with respect to a float, an array of floats or an array of records",
            )
    if isinstance(output.dtype, types.Complex):
        if call.mode.holomorphic:
            raise ModeError(
                what="holomorphic mode in compiled code",
                todo="call autodiff from Python, or differentiate the real and the imaginary part",
            )
        if not output.is_array:
            raise ambiguous(output.ty)
        real = any(isinstance(x.dtype, types.Float) for x in inputs)
        raise ambiguous_rows(as_dtype(output.dtype), real)


def _of_output(call: Call, output: Term, there: _Path, alone: bool) -> dict[Any, Term]:
    """The blocks of one part of the result, for every part of every argument."""
    writer = call.writer
    given = Unpacked(writer, call.x, call.shadowed)
    place = "out[...]" if output.is_array else "out[0]"
    into = writer.constant(
        given.function(
            function_of(call.function.ty), lambda x: f"{place} = {at(f'f({x})', there)}", "out"
        )
    )
    plain = writer.constant(NoPrimal(call.mode))
    kind = writer.constant(as_dtype(output.dtype))
    out = output.source if output.is_array else writer.name(f"np.zeros(1, {kind})")
    count, outputs = f"{out}.size", ""
    told = call.options.get("n_outs") if alone and output.is_array else None
    if told is not None:
        outputs = told.source if isinstance(told.ty, types.BaseTuple) else f"({told.source},)"
        count = writer.name("1")
        for k in range(len(told.ty) if isinstance(told.ty, types.BaseTuple) else 1):
            writer.line(f"{count} *= {outputs}[{k}]")
        writer.line(f"if {count} != {out}.size:")
        text = "the function returns another number of elements than n_outs says; leave it out: it is found by a call"
        writer.line(f"    raise IndexError({text!r})")
    room = {}
    for k, x in enumerate(call.x):
        for part, path in writer.leaves(x):
            size = f"({count}, {part.source}.size)" if part.is_array else count
            room[k, path] = writer.name(
                f"np.zeros({size}, {writer.constant(as_dtype(part.dtype))})"
            )
    row = writer.loop(count)
    own = [
        Term(piece.ty, at(copy.source, path)) if path else copy
        for copy, pieces in zip(call.copies, given.pieces, strict=True)
        for piece, path in pieces
    ]
    annotated, derivatives = given.annotated([Term(x.ty, writer.name(x.source)) for x in own])
    written = writer.name(f"np.empty_like({out})")
    seed = writer.name(f"np.zeros_like({out})")
    writer.line(f"{seed}.flat[{row}] = 1")
    arguments = ", ".join([plain, into, "Const", *annotated, f"Duplicated({written}, {seed})"])
    writer.line(f"adjoints = repeated({arguments})[0]")
    for k, x in enumerate(call.x):
        for part, path in writer.leaves(x):
            found = derivatives.get((k, path)) or at(derivatives[k, ()], path)
            writer.line(f"{room[k, path]}[{row}] = {found}{'.ravel()' * part.is_array}")
    writer.end_loop()
    made = {}
    for k, x in enumerate(call.x):
        for part, path in writer.leaves(x):
            block = room[k, path]
            axes_of = axes(output.is_array, alone, part.is_array)
            shape = shape_of(axes_of, output, part, outputs)
            block = f"{block}.reshape({shape})" if axes_of else f"{block}[0]"
            made[there, k, path] = Term(part.ty, writer.name(block))
    return made
