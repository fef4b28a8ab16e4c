"""Powers with integer exponents.

Numba computes ``x ** n`` by squaring: a loop in which as many numbers are overwritten as n has digits, whose reversal
would keep all of them. The front end calls ``enzyme.power(x, n)`` instead, for exponents of 64 bits. That is declared
until nothing will be differentiated any more, and gets a body then with numba's steps (`define_integer_powers`). What
has turned out to be constant is multiplied out (`multiply_out`), natural powers before differentiation. The others are
quotients: their derivatives would be products of the quotient with itself, which vanish or overflow long before the
power of which the derivative is a multiple.

The derivative is ``n x^(n-1)``, and 0 for n = 0, for derivatives of all orders.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.table import Formula
from enzyme.engine.derivatives.terms import (
    PURE,
    Term,
    cast,
    compare,
    intrinsic,
    of,
    splat,
    where,
)
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I64, FloatType
from enzyme.engine.ir.values import ConstInt, Value

POWER = "enzyme.power"
# Beyond it numba takes the power of floats.
LARGEST = 0x10000
# Up to here they are computed again rather than kept.
_FEW = 64
_KINDS = {"f64": DOUBLE, "f32": FLOAT}


# The derivative -----------------------------------------------------------------------------------


def _base(power: Callable[[Term, Term], Term]) -> Formula:
    """N x^(n-1) by a function that computes powers."""

    def base(d: Term, y: Term, x: Term, n: Term) -> Term | None:
        number = n.number
        match number:
            case 0:
                return None
            case 1:
                return d
            case 2:
                return d * (2.0 * x)
            case 3:
                return d * (3.0 * (x * x))
        b = d.b
        if number is not None and number < 0:
            return d * (float(number) * power(x, of(b, b.const(n.type, int(number) - 1))))
        if number is not None:
            # Multiplied out: a power by a constant needs no library, so its slope must not either.
            return d * (float(number) * constant_power(x, int(number) - 1))
        factor = splat(cast("sitofp", n, x.type.scalar), x)
        # Not x^-1 for n = 0: where x is 0 too, neither this nor a derivative of it would be finite.
        less = of(b, b.isub(n.value, b.const(n.type, 1)))
        return d * (factor * power(x, where(compare("eq", n, 0), 0, less)))

    return base


def constant_power(x: Term, n: int) -> Term:
    """x^n by squaring."""
    made: Term | None = None
    square, rest = x, abs(n)
    while rest:
        if rest & 1:
            made = square if made is None else made * square
        rest >>= 1
        if rest:
            square = square * square
    if made is None:
        return x.like(1.0)
    return 1.0 / made if n < 0 else made


def _call(x: Term, n: Term) -> Term:
    name = f"{POWER}.{mangle(x.type)}"
    made = x.b.call_named(name, x.type, [x.value, n.value], declaration_suffix=PURE)
    return of(x.b, made)


def _powi(x: Term, n: Term) -> Term:
    return intrinsic("powi", x, n, overload=(x.type, n.type))


define(" ".join(f"{POWER}.{kind}" for kind in _KINDS), _base(_call), None, is_power=True)
define("llvm.powi __powidf2 __powisf2 __powixf2", _base(_powi), None, is_power=True)


# What stands for it -------------------------------------------------------------------------------


def declarations() -> str:
    """What a program that calls the powers declares."""
    return "".join(
        f"declare {type_} @{POWER}.{kind}({type_}, i64) {PURE}\n" for kind, type_ in _KINDS.items()
    )


def _calls(function: Function) -> list[Call]:
    return [
        i
        for i in function.instructions()
        if isinstance(i, Call) and i.callee_name.startswith(f"{POWER}.")
    ]


def is_product(call: Call) -> bool:
    """Is it a power that will be a few products?"""
    if not call.callee_name.startswith(f"{POWER}."):
        return False
    exponent = call.arguments[1]
    return isinstance(exponent, ConstInt) and abs(exponent.value) <= _FEW


def multiply_out(function: Function, natural: bool = True) -> None:
    """Write powers with constant exponents as products, with the steps of the loop; natural ones, or all."""
    for call in _calls(function):
        base, exponent = call.arguments
        if not isinstance(exponent, ConstInt) or abs(exponent.value) > LARGEST:
            continue
        if natural and exponent.value < 0:
            continue
        b = Builder()
        b.before(call)
        made = constant_power(of(b, base), exponent.value)
        call.replace_uses_with(made.value)
        call.erase()


def define_integer_powers(module: Module) -> None:
    """Give the powers their bodies, where nothing will be differentiated any more."""
    declared = [f for kind in _KINDS if (f := module.functions.get(f"{POWER}.{kind}")) is not None]
    for function in module.functions.values() if declared else ():
        multiply_out(function, natural=False)
    for power in declared:
        if power.is_declaration:
            _write_body(power)
            power.prefix, power.suffix = "internal", PURE


def _write_body(function: Function) -> None:
    entry, large, start, loop, end = (
        function.append_block(name) for name in ("entry", "large", "start", "loop", "end")
    )
    x, n = function.args
    type_ = x.type
    assert isinstance(type_, FloatType)
    zero, one = ConstInt(I64, 0), ConstInt(I64, 1)

    b = Builder(entry)
    below = b.icmp("slt", n, zero)
    size = b.select(below, b.isub(zero, n), n)
    b.cond_br(b.icmp("ugt", size, ConstInt(I64, LARGEST)), large, start)

    b.at_end(large)
    wide: Value = x if type_ is DOUBLE else b.cast("fpext", x, DOUBLE)
    power: Value = b.intrinsic("pow", [wide, b.cast("sitofp", n, DOUBLE)])
    b.ret(power if type_ is DOUBLE else b.cast("fptrunc", power, type_))

    b.at_end(start)
    b.cond_br(b.icmp("eq", size, zero), end, loop)

    b.at_end(loop)
    rest, made, square = b.phi(I64), b.phi(type_), b.phi(type_)
    odd = b.icmp("ne", b.and_(rest, one), zero)
    product = b.select(odd, b.fmul(made, square), made)
    shifted = b.binary("lshr", rest, one)
    squared = b.fmul(square, square)
    for phi, first, later in (
        (rest, size, shifted),
        (made, b.const(type_, 1.0), product),
        (square, x, squared),
    ):
        phi.add_incoming(first, start)
        phi.add_incoming(later, loop)
    b.cond_br(b.icmp("eq", shifted, zero), end, loop)

    b.at_end(end)
    natural = b.phi(type_)
    natural.add_incoming(b.const(type_, 1.0), start)
    natural.add_incoming(product, loop)
    inverse = b.fdiv(b.const(type_, 1.0), natural)
    b.ret(b.select(below, inverse, natural))
