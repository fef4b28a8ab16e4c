"""The root of a sum of squares, as in a norm.

The square root of zero has an infinite derivative, and a norm has none where it is zero: there zero is taken. So what a
norm calls is

 * ``r = enzyme.known_root(s, r)``, with the derivative ``ds / 2r``, zero where r is; no number where r is none.

What is a length is said with its square, which is smooth where the length is not (`preprocess.squares`):

 * ``r = enzyme.known_length(r, q)``, with the derivative of `r`. `q` need not be in range.

They are declared and never defined: `settle_roots` puts the root in their place when no derivative will be taken any
more.
"""

from __future__ import annotations

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.terms import Term, compare, where
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module

KNOWN_ROOT = "enzyme.known_root.f64"
KNOWN_LENGTH = "enzyme.known_length.f64"


def _in_the_sum(d: Term, y: Term, s: Term, r: Term) -> Term:
    return where(compare("oeq", y, 0.0), 0.0, d * (0.5 / y))


define(KNOWN_ROOT, _in_the_sum, None, bound=bounds.root, cheap=True)
define(KNOWN_LENGTH, lambda d, y, r, q: d, None, cheap=True, square_at=1)


def settle_roots(module: Module) -> None:
    """Put the root in the place of the calls."""
    settle_lengths(module)
    _settle(module, KNOWN_ROOT, 1)


def settle_lengths(module: Module) -> None:
    """Say of no length any more what its square is."""
    _settle(module, KNOWN_LENGTH, 0)


def _settle(module: Module, symbol: str, root_at: int) -> None:
    for function in list(module.functions.values()):
        for call in list(function.instructions()):
            if isinstance(call, Call) and call.callee_name == symbol:
                call.replace_uses_with(call.arguments[root_at])
                call.erase()
