"""Functions that leave a second result behind a pointer, and the pass that rewrites their calls.

Formulas speak of values. So such a call becomes one of a form without pointers, which has a derivative, and the
stores.
"""

from __future__ import annotations

import math

from enzyme.engine.derivatives.catalogue import entry_of, expanded, in_c, is_number
from enzyme.engine.derivatives.terms import compare, intrinsic, libm, of
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.types import I32, struct_type
from enzyme.engine.ir.values import Value


def _sincos(b: Builder, arguments: list[Value]) -> None:
    x, sine, cosine = arguments
    b.store(b.intrinsic("sin", [x]), sine)
    b.store(b.intrinsic("cos", [x]), cosine)


def _modf(b: Builder, arguments: list[Value]) -> Value:
    x, whole = arguments
    pair = b.call_named(f"llvm.modf.{mangle(x.type)}", struct_type((x.type, x.type)), [x])
    b.store(b.extract_value(pair, [1]), whole)
    return b.extract_value(pair, [0])


def _frexp(b: Builder, arguments: list[Value]) -> Value:
    x, exponent = arguments
    symbol = f"llvm.frexp.{mangle(x.type)}.i32"
    pair = b.call_named(symbol, struct_type((x.type, I32)), [x])
    b.store(b.extract_value(pair, [1]), exponent)
    return b.extract_value(pair, [0])


def _lgamma_r(b: Builder, arguments: list[Value]) -> Value:
    """Gamma is negative between an odd negative integer and the next one up, and at -0."""
    x, sign = arguments
    term = of(b, x)
    below = intrinsic("floor", term)
    half = 0.5 * below
    odd = compare("one", half, intrinsic("floor", half))
    negative = b.and_(compare("olt", term, 0.0).value, odd.value)
    inverse = compare("oeq", 1.0 / term, -math.inf)
    negative = b.or_(negative, inverse.value)
    b.store(b.select(negative, b.const(I32, -1), b.const(I32, 1)), sign)
    return libm("lgamma", x.type, term).value


def _remquo(b: Builder, arguments: list[Value]) -> Value:
    """Three bits of the quotient, with its sign."""
    x, y, quotient = (of(b, a) for a in arguments)
    rest = libm("remainder", x.type, x, y)
    ratio = intrinsic("rint", (x - rest) / y)
    low = b.binary("frem", ratio.value, b.const(x.type, 8.0))
    b.store(b.cast("fptosi", low, I32), quotient.value)
    return rest.value


expanded(in_c("sincos"), _sincos, numbers=(1, 2))
expanded(in_c("modf"), _modf, numbers=(1,))
expanded(in_c("frexp") + " numba_frexp numba_frexpf", _frexp, integers=(1,))
expanded("lgamma_r lgammaf_r lgammal_r", _lgamma_r, integers=(1,))
expanded(in_c("remquo"), _remquo, integers=(2,))


def expand(call: Call) -> bool:
    """Rewrite the call of a function that writes through pointers into value form and stores.

    True if it was one; the call is then erased. Types are checked, so that another function of the
    same name is left alone."""
    entry = entry_of(call)
    if entry is None or entry.expand is None or call.opcode != "call":
        return False
    given = {k for k, a in enumerate(call.arguments) if a.type.is_pointer}
    fits = given == entry.numbers | entry.integers and len(call.arguments) == max(given) + 1
    plain = all(a.type.is_pointer or is_number(a.type) for a in call.arguments)
    if not fits or not plain:
        return False
    b = Builder()
    b.before(call)
    result = entry.expand(b, call.arguments)
    if result is not None:
        result.name = result.name or call.name
        call.replace_uses_with(result)
    call.erase()
    return True


def expand_all(function: Function) -> int:
    """`expand` every call of a function; the number rewritten."""
    calls = [i for i in function.instructions() if isinstance(i, Call)]
    return sum(expand(call) for call in calls)
