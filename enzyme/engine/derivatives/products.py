"""Products of a derivative with a partial, and what becomes of them where one factor is zero and the other infinite."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme.engine.derivatives.terms import PURE, Guard, Term, compare, of, where
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.values import Value


def times(d: Term, partial: Term) -> Term:
    """The product of a derivative with a partial, exactly zero where `d` is zero if that is asked for. Rows do this
    for every lane by themselves; formulas whose `d` and product differ in shape do it where they multiply."""
    return kept(d, d * partial, lambda: partial)


def kept(d: Term, product: Term, partial: Callable[[], Term]) -> Term:
    """`product` guarded as `d` asks for: the product as it is, in its own order of operations, or zero. The partial
    alone may overflow or underflow where the product does not."""
    if d.guard in _PRODUCTS:
        return strong_product(d, partial(), product, _PRODUCTS[d.guard])
    return guarded(d, product) if d.guard else product


def guarded(d: Term, product: Term) -> Term:
    """`product`, or exactly zero where `d` is zero."""
    zero = of(d.b, d.b.zero(product.type))
    return where(compare("oeq", d, 0.0), zero, product)


STRONG_PRODUCT = "enzyme.strong_product"
EITHER_ZERO = "enzyme.either_zero"
_PRODUCTS: dict[Guard, str] = {"call": STRONG_PRODUCT, "either": EITHER_ZERO}
# The same in code that is differentiated for the last time.
LAST_STRONG_PRODUCT = "enzyme.last.strong_product"
LAST_EITHER_ZERO = "enzyme.last.either_zero"
_LAST = {STRONG_PRODUCT: LAST_STRONG_PRODUCT, EITHER_ZERO: LAST_EITHER_ZERO}
_STRONG = (STRONG_PRODUCT, LAST_STRONG_PRODUCT)
_EITHER = (EITHER_ZERO, LAST_EITHER_ZERO)


def strong_product(
    d: Term, partial: Term, product: Term | None = None, name: str = STRONG_PRODUCT
) -> Term:
    """The product of a derivative and a partial, zero where d is zero, as a call: what a comparison decides has no
    derivative there, the product has. With EITHER_ZERO, also zero where the partial is and the product is NaN.
    `product` is what the formula computes, ``d * partial`` if not given."""
    symbol = f"{name}.{mangle(d.type)}"
    values = [d.value, partial.value, (d * partial if product is None else product).value]
    return of(d.b, d.b.call_named(symbol, d.type, values, declaration_suffix=PURE))


def ignored_operands(call: Call) -> Sequence[Value]:
    """What such a product does not look at where its first factor, or one of both, is zero."""
    if call.callee_name.startswith(_STRONG):
        return call.arguments[1:]
    return call.arguments if call.callee_name.startswith(_EITHER) else ()


def is_product(call: Call) -> bool:
    """Is it one of these products?"""
    return call.callee_name.startswith((*_STRONG, *_EITHER))


def settle_products(module: Module) -> None:
    """Say of the products that their derivatives will have none."""
    for function in list(module.functions.values()):
        for name, last in _LAST.items():
            if function.name.startswith(name):
                del module.functions[function.name]
                function.name = last + function.name.removeprefix(name)
                module.functions[function.name] = function


def define_products(module: Module) -> None:
    """Give `strong_product` and its relative their bodies, where nothing will be differentiated any more."""
    for function in list(module.functions.values()):
        either = function.name.startswith(_EITHER)
        if not function.is_declaration or not (either or function.name.startswith(_STRONG)):
            continue
        b = Builder(function.append_block("entry"))
        d, partial, product = (of(b, a) for a in function.args)
        if either:
            product = unless_lost(partial, product, 0.0, product)
        b.ret(guarded(d, product).value)
        function.prefix, function.suffix = "internal", f"{PURE} alwaysinline"


def unless_lost(partial: Term, product: Term, lost: Term | float, other: Term | float) -> Term:
    """`lost` where a partial of zero met an infinite derivative, else `other`."""
    met = where(compare("oeq", partial, 0.0), lost, other)
    return where(compare("uno", product, product), met, other)
