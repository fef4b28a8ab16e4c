"""How code for our target states derivatives, and the table of implementations that stand for numba's.

`with_derivative_of(value, model)` is `value`, with the derivative of `model`; `differential(slope, x)` is a
term of a model, whose derivative is ``slope * dx``; `constant(value)` has none. All take floats and complex
numbers, and leave nothing behind where no derivative is asked for (`engine.derivatives.stated`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from enzyme.engine.derivatives.stated import DIFFERENTIAL, WITH_DERIVATIVE_OF

TARGET = "enzyme"

Implementation = Callable[..., Any]
_IN_PLACE_OF: dict[Implementation, Implementation] = {}


def implements(*theirs: Implementation) -> Callable[[Implementation], Implementation]:
    """Register what our target uses in place of these implementations of numba's."""

    def register(ours: Implementation) -> Implementation:
        for implementation in theirs:
            _IN_PLACE_OF[implementation] = ours
        return ours

    return register


def in_place_of(implementation: Implementation) -> Implementation:
    """The implementation that our target uses: `implementation` itself, or what stands for it."""
    return _IN_PLACE_OF.get(implementation, implementation)


def in_place_of_loops(loops: Mapping[str, Implementation]) -> dict[str, Implementation]:
    """The same for all loops of a ufunc."""
    return {kind: in_place_of(loop) for kind, loop in loops.items()}


def replaced() -> list[Implementation]:
    """Numba's implementations that are not used."""
    return list(_IN_PLACE_OF)


# For code that is built instruction by instruction ------------------------------------------------


def _call(builder: Any, stem: str, first: Any, second: Any) -> Any:
    kind = first.type
    name = f"{stem}.{'f32' if isinstance(kind, ir.FloatType) else 'f64'}"
    module = builder.module
    callee = module.globals.get(name)
    if callee is None:
        callee = ir.Function(module, ir.FunctionType(kind, (kind, kind)), name)
    return builder.call(callee, (first, second))


def emit_with_derivative_of(builder: Any, value: Any, model: Any) -> Any:
    """The call for two LLVM floats of one type."""
    return _call(builder, WITH_DERIVATIVE_OF, value, model)


def emit_constant(builder: Any, value: Any) -> Any:
    """The value without its derivative."""
    return _call(builder, WITH_DERIVATIVE_OF, value, value.type(0.0))


def emit_differential(builder: Any, slope: Any, x: Any) -> Any:
    """A term of a model."""
    return _call(builder, DIFFERENTIAL, slope, x)


# For code in Python -------------------------------------------------------------------------------


def _parts(context: Any, builder: Any, ty: Any, value: Any) -> list[Any]:
    if isinstance(ty, types.Float):
        return [value]
    number = context.make_complex(builder, ty, value=value)
    return [number.real, number.imag]


def _number(context: Any, builder: Any, ty: Any, parts: list[Any]) -> Any:
    if isinstance(ty, types.Float):
        return parts[0]
    made = context.make_complex(builder, ty)
    made.real, made.imag = parts
    return made._getvalue()


def _is_number(ty: Any) -> bool:
    return isinstance(ty, (types.Float, types.Complex))


_intrinsic: Any = intrinsic  # what it makes is called without the typing context


@_intrinsic
def with_derivative_of(typingctx: Any, value: Any, model: Any) -> Any:
    """`value`, with the derivative of `model`."""
    if not (_is_number(value) and _is_number(model)):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        ours, theirs = (_parts(context, builder, value, a) for a in args)
        pairs = zip(ours, theirs, strict=True)
        parts = [emit_with_derivative_of(builder, v, m) for v, m in pairs]
        return _number(context, builder, value, parts)

    return value(value, value), codegen


@_intrinsic
def constant(typingctx: Any, value: Any) -> Any:
    """`value`, without a derivative."""
    if not _is_number(value):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        parts = [emit_constant(builder, v) for v in _parts(context, builder, value, args[0])]
        return _number(context, builder, value, parts)

    return value(value), codegen


@_intrinsic
def differential(typingctx: Any, slope: Any, x: Any) -> Any:
    """A term of a model, with derivative ``slope * dx``; what it is itself is of no concern."""
    if not (_is_number(slope) and _is_number(x)):
        return None

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        p, z = (_parts(context, builder, x, a) for a in args)
        if len(p) == 1:
            return emit_differential(builder, p[0], z[0])
        products = [[emit_differential(builder, a, b) for b in z] for a in p]
        real = builder.fsub(products[0][0], products[1][1])
        imag = builder.fadd(products[0][1], products[1][0])
        return _number(context, builder, x, [real, imag])

    return x(x, x), codegen
