"""The product of a partial and a derivative, zero where a zero meets an infinity, for rules that state partials.

The engine cannot see how large the partials of a rule may be, so none of these products goes unguarded. In code that
will be differentiated itself the guard is a call that has the derivative of the product
(`engine.derivatives.products.strong_product`), and elsewhere a select.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from enzyme.engine.derivatives.products import EITHER_ZERO, STRONG_PRODUCT
from enzyme.frontend.registration import EnzymeContext

_intrinsic: Any = intrinsic  # what it makes is called without the typing context


def _guarded(context: Any, builder: Any, d: Any, partial: Any, either: bool) -> Any:
    """The guarded product of two LLVM floats."""
    product = builder.fmul(d, partial)
    if isinstance(context, EnzymeContext):
        kind = d.type
        suffix = "f32" if isinstance(kind, ir.FloatType) else "f64"
        name = f"{EITHER_ZERO if either else STRONG_PRODUCT}.{suffix}"
        callee = builder.module.globals.get(name)
        if callee is None:
            callee = ir.Function(builder.module, ir.FunctionType(kind, (kind,) * 3), name)
        return builder.call(callee, (d, partial, product))
    zero = d.type(0.0)
    vanishes = builder.fcmp_ordered("==", d, zero)
    if either:
        lost = builder.fcmp_unordered("uno", product, product)
        met = builder.and_(builder.fcmp_ordered("==", partial, zero), lost)
        vanishes = builder.or_(vanishes, met)
    return builder.select(vanishes, zero, product)


def _product(either: bool) -> Any:
    def typed(typingctx: Any, partial: Any, d: Any) -> Any:
        common = typingctx.unify_types(types.unliteral(partial), types.unliteral(d), types.float32)
        if not isinstance(common, types.Float | types.Complex):
            return None

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if isinstance(common, types.Float):
                return _guarded(context, builder, args[1], args[0], either)
            p, t = (context.make_complex(builder, common, value=a) for a in args)

            def times(d: Any, partial: Any) -> Any:
                return _guarded(context, builder, d, partial, either)

            made = context.make_complex(builder, common)
            made.real = builder.fsub(times(t.real, p.real), times(t.imag, p.imag))
            made.imag = builder.fadd(times(t.imag, p.real), times(t.real, p.imag))
            return made._getvalue()

        return common(common, common), codegen

    return _intrinsic(typed)


# ``partial * seed``, zero where the seed is.
pulled = _product(either=False)
# ``partial * tangent``, zero where the tangent is, and where a partial of zero meets an infinite tangent.
pushed = _product(either=True)
