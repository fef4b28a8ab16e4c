"""The product of a cotangent with results, of which the cotangent may leave out some.

Where an infinite result is left out, the product is NaN, and its derivative nevertheless that of the others. So the
product is hidden from what holds that nobody asks for the derivative of something infinite (`synthesis.absorbed`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, no-untyped-call, untyped-decorator"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def weighed(typing_context: Any, product: Any) -> Any:
    """The number itself, in compiled code."""
    if not isinstance(product, types.Float):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = context.get_value_type(signature.args[0])
        fence = builder.module.declare_intrinsic(
            "llvm.arithmetic.fence", [kind], fnty=ir.FunctionType(kind, [kind])
        )
        return builder.call(fence, args)

    return product(product), codegen


__all__ = ["weighed"]
