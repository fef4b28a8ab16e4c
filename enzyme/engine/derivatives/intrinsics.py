"""Elementary functions: LLVM's intrinsics and the C library's names for the same.

Where the result makes the derivative cheap it is used (exp, tanh, sqrt, tan, pow). Kinks follow the
conventions of the semantics: sqrt has derivative 0 at both zeros and at nan; atan2 has 0 at the
origin; the exponent of pow has derivative 0 where the base is 0.
"""

from __future__ import annotations

import math

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import (
    constant,
    define,
    everywhere,
    refused,
    vector_form_of,
)
from enzyme.engine.derivatives.packed_tanh import far_slope
from enzyme.engine.derivatives.products import times
from enzyme.engine.derivatives.table import IDENTITY, Rule, exact
from enzyme.engine.derivatives.terms import (
    PURE,
    Term,
    companion,
    compare,
    intrinsic,
    lanes,
    of,
    splat,
    struct_of,
    where,
)
from enzyme.engine.ir.builder import Builder, mangle
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import (
    DOUBLE,
    FLOAT,
    I32,
    Type,
    VectorType,
    struct_type,
    vector_type,
)
from enzyme.engine.ir.values import ConstInt


def sqrt(x: Term) -> Term:
    return intrinsic("sqrt", x)


# Roots, exponentials, logarithms ------------------------------------------------------------------

define(
    everywhere("sqrt"),
    lambda d, y, x: where(compare("ueq", x, 0.0), 0.0, d * 0.5 / y),
    note="x is looked at because a nan result does not tell a nan input from a negative one",
    bound=bounds.root,
    square_at=0,
)
define(everywhere("exp"), lambda d, y, x: d * y, bound=bounds.exponential, vector="exp")
define(
    everywhere("exp2"),
    lambda d, y, x: d * (y * math.log(2.0)),
    bound=bounds.exponential_to_base,
    vector="exp2",
)
define(
    everywhere("exp10") + " pow10 pow10f pow10l",
    lambda d, y, x: d * (y * math.log(10.0)),
    bound=bounds.exponential_to_base,
)
define(everywhere("log"), lambda d, y, x: d / x, bound=bounds.logarithm, vector="log")
define(
    everywhere("log2"),
    lambda d, y, x: d * (1.0 / math.log(2.0)) / x,
    bound=bounds.logarithm_to_base,
    vector="log2",
)
define(
    everywhere("log10"),
    lambda d, y, x: d * (1.0 / math.log(10.0)) / x,
    bound=bounds.logarithm_to_base,
    vector="log10",
)

# Trigonometry -------------------------------------------------------------------------------------

define(everywhere("sin"), lambda d, y, x: d * companion("cos", x), bound=bounds.wave, vector="sin")
define(everywhere("cos"), lambda d, y, x: -d * companion("sin", x), bound=bounds.wave, vector="cos")
define(everywhere("tan"), lambda d, y, x: d * (1.0 + y * y), vector="tan")
# (1 - x)(1 + x) and not 1 - x²: no cancellation near ±1.
define(everywhere("asin"), lambda d, y, x: d / sqrt((1.0 - x) * (1.0 + x)), vector="asin")
define(everywhere("acos"), lambda d, y, x: -d / sqrt((1.0 - x) * (1.0 + x)), vector="acos")
define(
    everywhere("atan"),
    lambda d, y, x: d / (1.0 + x * x),
    bound=bounds.between(-1.58, 1.58),
    vector="atan",
)


def _atan2_parts(s: Term, c: Term) -> tuple[Term, Term, Term]:
    """Whether c is the larger; the ratio t of the smaller to the larger; and (s² + c²) / larger.

    Squares of the operands themselves would overflow or vanish far inside the range of the
    derivative."""
    c_larger = compare("oge", intrinsic("fabs", c), intrinsic("fabs", s))
    larger, smaller = where(c_larger, c, s), where(c_larger, s, c)
    ratio = smaller / larger
    return c_larger, ratio, larger * (1.0 + ratio * ratio)


def _atan2_sine(d: Term, y: Term, s: Term, c: Term) -> Term:
    c_larger, ratio, scale = _atan2_parts(s, c)
    return where(compare("oeq", _both(s, c), 0.0), 0.0, d * where(c_larger, 1.0, ratio) / scale)


def _atan2_cosine(d: Term, y: Term, s: Term, c: Term) -> Term:
    c_larger, ratio, scale = _atan2_parts(s, c)
    return where(compare("oeq", _both(s, c), 0.0), 0.0, -d * where(c_larger, ratio, 1.0) / scale)


def _both(s: Term, c: Term) -> Term:
    """Zero exactly if both are."""
    return intrinsic("maxnum", intrinsic("fabs", s), intrinsic("fabs", c))


define(
    everywhere("atan2"),
    _atan2_sine,
    _atan2_cosine,
    note="0 at the origin",
    bound=bounds.angle,
    vector="atan2",
)

# Hyperbolic functions -----------------------------------------------------------------------------

define(
    everywhere("sinh"),
    lambda d, y, x: d * companion("cosh", x),
    bound=bounds.hyperbolic_sine,
    vector="sinh",
)
define(
    everywhere("cosh"),
    lambda d, y, x: d * companion("sinh", x),
    bound=bounds.hyperbolic_cosine,
    vector="cosh",
)


# For types that `packed_tanh` does not know.
define(
    everywhere("tanh"),
    lambda d, y, x: d * far_slope(x),
    bound=bounds.between(-1.0, 1.0),
    vector="tanh",
)

# Powers -------------------------------------------------------------------------------------------


def _pow_base(d: Term, y: Term, x: Term, p: Term) -> Term | None:
    """P x^(p-1)."""
    match p.number:
        case 0.0:
            return None
        case 1.0:
            return d
        case 2.0:
            return d * (2.0 * x)
        case 3.0:
            return d * (3.0 * (x * x))
        case -1.0:
            return -d * (y * y)
    if x.type in _SAFE_POWERS:
        return d * of(d.b, d.b.call(_pow_slope(d.b.module, x.type), [x.value, p.value, y.value]))
    slope = p * intrinsic("pow", x, p - 1.0)
    return d * (slope if p.number is not None else where(_zero_to_zero(x, p), 0.0, slope))


def _zero_to_zero(x: Term, p: Term) -> Term:
    """Where the factor p of the slope is zero, and the other infinite."""
    b = x.b
    return of(b, b.and_(compare("oeq", x, 0.0).value, compare("oeq", p, 0.0).value))


# Where x^p is as far inside the range of its type as this and its inverse, p x^p / x is accurate.
_SAFE_POWERS: dict[Type, float] = {DOUBLE: 1e-280, FLOAT: 1e-30}


def _pow_slope(module: Module, type_: Type) -> Function:
    """The function (x, p, x^p) -> p x^(p-1) that calls pow only where x is zero, or the power is zero, nearly so
    or nearly infinite. Small, meant to be inlined. It is differentiated as it stands, so each case has all
    derivatives: x^0 is 1 with slope 0 at zero too, and elsewhere its slope depends on p."""
    name = f"enzyme.pow_slope.{mangle(type_)}"
    found = module.functions.get(name)
    if found is not None:
        return found
    made = new_function(module, name, type_, [(type_, "x"), (type_, "p"), (type_, "y")])
    made.suffix = PURE
    entry, cheap, edge, none, power = (
        made.append_block(n) for n in ("entry", "cheap", "edge", "none", "power")
    )
    b = Builder(entry)
    x, p, y = (of(b, a) for a in made.args)
    size = intrinsic("fabs", y)
    least = _SAFE_POWERS[type_]
    inside = b.and_(
        compare("ogt", size, least).value,
        compare("olt", size, 1.0 / least).value,
    )
    inside = b.and_(inside, compare("une", x, 0.0).value)
    b.cond_br(inside, cheap, edge)
    b.at_end(cheap)
    b.ret((p * y / x).value)
    b.at_end(edge)
    b.cond_br(compare("oeq", p, 0.0).value, none, power)
    b.at_end(none)
    b.ret(b.const(type_, 0.0))
    b.at_end(power)
    b.ret(b.call(_pow_slope_far(module, type_), [x.value, p.value, y.value]))
    return made


vector_form_of("enzyme.pow_slope.far", "pow_slope_far")


def _pow_slope_far(module: Module, type_: Type) -> Function:
    """The function (x, p, x^p) -> p x^(p-1) that calls pow. It is no part of loops: computed for each number, whether
    it is asked for or not, it would be the dearest part. Its form for vectors looks at x^p first."""
    name = f"enzyme.pow_slope.far.{mangle(type_)}"
    found = module.functions.get(name)
    if found is not None:
        return found
    made = new_function(module, name, type_, [(type_, "x"), (type_, "p"), (type_, "y")])
    made.suffix = f"cold noinline {PURE}"
    b = Builder(made.append_block("entry"))
    x, p, y = (of(b, a) for a in made.args)
    # A parameter without use would not be passed; where the power is nan, so is its slope.
    b.ret(where(compare("uno", y, y), y, p * intrinsic("pow", x, p - 1.0)).value)
    return made


def _pow_exponent(d: Term, y: Term, x: Term, p: Term) -> Term:
    """x^p log x, and 0 where x is 0."""
    base = x.number
    if base is not None and base > 0.0:
        return d * (y * math.log(base))
    at_zero = compare("oeq", x, 0.0)
    # A derivative of this must not meet the pole either.
    return where(at_zero, 0.0, d * (y * intrinsic("log", where(at_zero, 1.0, x))))


define(everywhere("pow"), _pow_base, _pow_exponent, is_power=True, vector="pow")


def _ldexp(d: Term, n: Term) -> Term:
    return intrinsic("ldexp", d, n, overload=(d.type, n.type))


define("llvm.ldexp", exact(lambda d, y, x, n: _ldexp(d, n)), None, note="exact: d scaled too")

# Several results ----------------------------------------------------------------------------------
# The derivative of a struct is a struct of the same type.


def _frexp_scale(d: Term, x: Term) -> Term:
    """D / 2^e, with the exponent that frexp finds in x."""
    b = d.b
    exponent_type: Type = I32
    if isinstance(x.type, VectorType):
        exponent_type = vector_type(x.type.count, I32, x.type.scalable)
    callee = f"llvm.frexp.{mangle(x.type)}.{mangle(exponent_type)}"
    pair = b.call_named(callee, struct_type((x.type, exponent_type)), [x.value])
    exponent = b.extract_value(pair, [1])
    return _ldexp(d, of(b, b.isub(b.const(exponent_type, 0), exponent)))


define(
    "llvm.frexp",
    Rule(
        lambda d, y, x: struct_of(d.b, y.type, [(0, _frexp_scale(d, x))]),
        lambda d, y, x: _frexp_scale(d.member(0), x),
        exact=True,
    ),
    note="the mantissa is x / 2^e with e constant",
)
define(
    "llvm.modf",
    Rule(
        lambda d, y, x: struct_of(d.b, y.type, [(0, d)]),
        lambda d, y, x: d.member(0),
        exact=True,
    ),
)


def _sincos(scale: float) -> Rule:
    """Results sin(s x) and cos(s x); each is the other's derivative."""

    def tangent(d: Term, y: Term, x: Term) -> Term:
        sine = times(d, scale * y.member(1))
        cosine = times(d, -scale * y.member(0))
        return struct_of(d.b, y.type, [(0, sine), (1, cosine)])

    def adjoint(d: Term, y: Term, x: Term) -> Term:
        sine, cosine = d.member(0), d.member(1)
        return times(sine, scale * y.member(1)) + times(cosine, -scale * y.member(0))

    return Rule(tangent, adjoint)


define("llvm.sincos", _sincos(1.0))
define("llvm.sincospi", _sincos(math.pi))

# Reductions of a vector ---------------------------------------------------------------------------


def _sum_tangent(d: Term, y: Term, start: Term, v: Term) -> Term:
    b = d.b
    zero = of(b, b.const(start.type, -0.0))
    return intrinsic_reduce(zero, d)


def intrinsic_reduce(start: Term, v: Term) -> Term:
    """The sum of the lanes of a vector, added to `start`."""
    return intrinsic("vector.reduce.fadd", start, v, overload=(v.type,))


def _others(v: Term, start: Term) -> list[Term]:
    """For each lane, the product of `start` and all other lanes. Division by the lane would fail at
    zero."""
    count = lanes(v.type)
    items = [v.lane(k) for k in range(count)]
    before = [start]
    for item in items[:-1]:
        before.append(before[-1] * item)
    after: Term | None = None
    made: list[Term] = []
    for k in reversed(range(count)):
        made.append(before[k] if after is None else before[k] * after)
        if k:
            after = items[k] if after is None else items[k] * after
    return made[::-1]


def _product_lanes_tangent(d: Term, y: Term, start: Term, v: Term) -> Term:
    total: Term | None = None
    for k, other in enumerate(_others(v, start)):
        lane = d.lane(k)
        part = times(lane, other)
        total = part if total is None else total + part
    assert total is not None
    return total


def _product_lanes_adjoint(d: Term, y: Term, start: Term, v: Term) -> Term:
    b = d.b
    made = b.zero(v.type)
    for k, other in enumerate(_others(v, start)):
        share = times(d, other)
        place = ConstInt(I32, k)
        made = b.add(Instruction("insertelement", v.type, (made, share.value, place)))  # type: ignore[assignment]
    return of(b, made)


def _product_of_lanes(v: Term) -> Term:
    one = of(v.b, v.b.const(v.type.scalar, 1.0))
    return intrinsic("vector.reduce.fmul", one, v, overload=(v.type,))


define(
    "llvm.vector.reduce.fadd",
    IDENTITY,
    Rule(_sum_tangent, lambda d, y, start, v: splat(d, v), exact=True),
)
define(
    "llvm.vector.reduce.fmul",
    lambda d, y, start, v: d * _product_of_lanes(v),
    Rule(_product_lanes_tangent, _product_lanes_adjoint),
)

# Derivative one, derivative zero ------------------------------------------------------------------

define("llvm.canonicalize llvm.ssa.copy", IDENTITY, bound=bounds.same)
# Nothing is known of it: results are hidden behind it, see `frontend.functions.weighed`.
define("llvm.arithmetic.fence", IDENTITY)
for _name in ("floor", "ceil", "trunc", "rint"):
    constant(everywhere(_name), bound=bounds.rounded, cheap=True)
for _name in ("nearbyint", "round", "roundeven"):
    constant(everywhere(_name), bound=bounds.rounded)
for _name in ("lround", "llround", "lrint", "llrint"):
    constant(everywhere(_name))
constant("llvm.is.fpclass llvm.fptosi.sat llvm.fptoui.sat llvm.get.rounding")
# x86's conversions of packed numbers to integers and its roundings, as vector code for exponentials uses them.
for _name in ("cvt", "cvtt"):
    constant(f"llvm.x86.sse2.{_name}pd2dq llvm.x86.sse2.{_name}ps2dq")
    constant(f"llvm.x86.avx.{_name}.pd2dq.256 llvm.x86.avx.{_name}.ps2dq.256")
constant("llvm.x86.sse41.round.pd llvm.x86.sse41.round.ps")
constant("llvm.x86.avx.round.pd.256 llvm.x86.avx.round.ps.256")
refused("llvm.vector.insert llvm.vector.extract", "parts of scalable vectors")
