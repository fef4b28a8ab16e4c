"""Complex functions: numba's power, the C library's, and the compiler's product and quotient.

Every row here is real-linear over real and imaginary parts, written from the complex partial P of a
holomorphic function: a tangent dz gives P dz, an adjoint g gives conj(P) g, which is the convention
u_x + i u_y of the reverse mode. To the synthesis such a row is like any other: operand positions
are those of the call, and the derivative of the result has the result's type.

How a complex number travels:
 * two float operands, result ``{double, double}``: C's complex double on x86-64, ``__muldc3``,
   and `enzyme.cpow`;
 * one operand ``<2 x float>``, result ``<2 x float>``: C's complex float on x86-64;
 * behind pointers: `numba_cpow(a, b, out)`. `libm.expand` rewrites it to loads, a call of the
   internal function `enzyme.cpow(ar, ai, br, bi)` and stores; call `libm.expand_all` on a function
   before it is analysed.

At z = 0 the partial of z**w in z is that of the real power (1 for w = 1, 0 for Re w > 1, else nan)
and that in w is 0; abs and arg have derivative 0 at 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

from enzyme.engine.derivatives.libm import register_expansion
from enzyme.engine.derivatives.table import (
    PURE,
    SYMBOLS,
    Rule,
    Term,
    compare,
    intrinsic,
    libm,
    of,
    where,
)
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Instruction
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import (
    DOUBLE,
    FLOAT,
    I32,
    PTR,
    VOID,
    FunctionType,
    StructType,
    Type,
    VectorType,
    function_type,
    struct_type,
    vector_type,
)
from enzyme.engine.ir.values import ConstInt, Value


class Pair:
    """A complex number inside a formula."""

    __slots__ = ("im", "re")

    def __init__(self, re: Term, im: Term) -> None:
        self.re = re
        self.im = im

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Pair) -> Pair:
        return Pair(self.re - other.re, self.im - other.im)

    def __neg__(self) -> Pair:
        return Pair(-self.re, -self.im)

    def __mul__(self, other: Pair) -> Pair:
        return Pair(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def __truediv__(self, other: Pair) -> Pair:
        """Smith's method: no square of a part is formed."""
        steep = compare("ogt", intrinsic("fabs", other.im), intrinsic("fabs", other.re))
        large, small = where(steep, other.im, other.re), where(steep, other.re, other.im)
        ratio = small / large
        scale = large + small * ratio
        re = where(steep, self.re * ratio + self.im, self.re + self.im * ratio)
        im = where(steep, self.im * ratio - self.re, self.im - self.re * ratio)
        return Pair(re / scale, im / scale)

    def scaled(self, factor: float) -> Pair:
        return Pair(factor * self.re, factor * self.im)

    def plus(self, number: float) -> Pair:
        return Pair(self.re + number, self.im)

    def times_i(self) -> Pair:
        return Pair(-self.im, self.re)

    def conjugate(self) -> Pair:
        return Pair(self.re, -self.im)


def pair_of(term: Term) -> Pair:
    """The parts of a struct or of a vector of two."""
    if isinstance(term.type, VectorType):
        return Pair(term.lane(0), term.lane(1))
    return Pair(term.member(0), term.member(1))


def packed(pair: Pair, type_: Type) -> Term:
    """The parts in a struct or in a vector of two."""
    b = pair.re.b
    made: Value = b.zero(type_)
    for index, part in enumerate((pair.re, pair.im)):
        if isinstance(type_, StructType):
            made = b.insert_value(made, part.value, [index])
        else:
            place = ConstInt(I32, index)
            made = b.add(Instruction("insertelement", type_, (made, part.value, place)))
    return of(b, made)


# From a complex partial to rules ------------------------------------------------------------------

# A complex function's partial P as a function of (result, operands), all complex and lazy.
Numbers = Callable[[], Pair]
Slope = Callable[..., Pair]


def _numbers(x: tuple[Term, ...], split: bool) -> list[Numbers]:
    """The complex operands, each read when first called: from pairs of floats if `split`."""
    if split:
        return [partial(Pair, x[k], x[k + 1]) for k in range(0, len(x), 2)]
    return [cache(partial(pair_of, term)) for term in x]


def _rules(slopes: tuple[Slope, ...], split: bool) -> list[Rule]:
    made = []
    for slope in slopes:
        if split:
            made += [_part_rule(slope, part) for part in (0, 1)]
        else:
            made.append(_whole_rule(slope))
    return made


def _part_rule(slope: Slope, part: int) -> Rule:
    """One of the two floats of a complex operand: P times 1 or times i, and its transpose."""

    def column(y: Term, x: tuple[Term, ...]) -> Pair:
        p = slope(cache(partial(pair_of, y)), *_numbers(x, True))
        return p.times_i() if part else p

    def tangent(d: Term, y: Term, *x: Term) -> Term:
        p = column(y, x)
        return packed(Pair(_product(d, p.re), _product(d, p.im)), y.type)

    def adjoint(d: Term, y: Term, *x: Term) -> Term:
        p, g = column(y, x), pair_of(d)
        return _product(g.re, p.re) + _product(g.im, p.im)

    return Rule(tangent, adjoint)


def _whole_rule(slope: Slope) -> Rule:
    def with_factor(d: Term, y: Term, x: tuple[Term, ...], conjugate: bool) -> Term:
        p = slope(cache(partial(pair_of, y)), *_numbers(x, False))
        g = pair_of(d)
        sign = -1.0 if conjugate else 1.0
        re = _product(g.re, p.re) + _product(g.im, -sign * p.im)
        im = _product(g.re, sign * p.im) + _product(g.im, p.re)
        return packed(Pair(re, im), d.type)

    def tangent(d: Term, y: Term, *x: Term) -> Term:
        return with_factor(d, y, x, False)

    def adjoint(d: Term, y: Term, *x: Term) -> Term:
        return with_factor(d, y, x, True)

    return Rule(tangent, adjoint)


def _product(d: Term, partial: Term) -> Term:
    product = d * partial
    if not d.strong:
        return product
    return where(compare("oeq", d, 0.0), 0.0, product)


def add(name: str, *slopes: Slope, single: str = "") -> None:
    """Rows of `name` (complex double, split into floats) and of `single` (complex float, packed)."""
    SYMBOLS.add(name, *_rules(slopes, split=True))
    if single:
        SYMBOLS.add(single, *_rules(slopes, split=False))


# Arithmetic ---------------------------------------------------------------------------------------
# __mulsc3 and __divsc3 take four floats; the packed result is the vector of two.

for _suffix in ("dc3", "sc3", "xc3"):
    add(f"__mul{_suffix}", lambda y, z, w: w(), lambda y, z, w: z())
    add(
        f"__div{_suffix}",
        lambda y, z, w: Pair(w().re.like(1.0), w().re.like(0.0)) / w(),
        lambda y, z, w: -(y() / w()),
    )


# Powers -------------------------------------------------------------------------------------------


def _modulus(z: Pair) -> Term:
    return libm("hypot", z.re.type, z.re, z.im)


def _angle(z: Pair) -> Term:
    return libm("atan2", z.re.type, z.im, z.re)


def _is_zero(z: Pair) -> Term:
    both = z.re.b.and_(compare("oeq", z.re, 0.0).value, compare("oeq", z.im, 0.0).value)
    return of(z.re.b, both)


def _choose(condition: Term, then: Pair, other: Pair) -> Pair:
    return Pair(where(condition, then.re, other.re), where(condition, then.im, other.im))


def _power_base(y: Numbers, z: Numbers, w: Numbers) -> Pair:
    """W z^w / z; for z = 0 the limit where there is one."""
    base, exponent = z(), w()
    slope = exponent * (y() / base)
    one = base.re.b.and_(
        compare("oeq", exponent.re, 1.0).value, compare("oeq", exponent.im, 0.0).value
    )
    above = compare("ogt", exponent.re, 1.0)
    at_zero = where(of(base.re.b, one), 1.0, where(above, base.re.like(0.0), math.nan))
    return _choose(_is_zero(base), Pair(at_zero, base.re.like(0.0)), slope)


def _power_exponent(y: Numbers, z: Numbers, w: Numbers) -> Pair:
    """z^w log z; 0 for z = 0."""
    base = z()
    slope = y() * Pair(intrinsic("log", _modulus(base)), _angle(base))
    zero = base.re.like(0.0)
    return _choose(_is_zero(base), Pair(zero, zero), slope)


add("cpow", _power_base, _power_exponent)
SYMBOLS.add("cpowf", *_rules((_power_base, _power_exponent), split=False))
SYMBOLS.add("enzyme.cpow", *_rules((_power_base, _power_exponent), split=True))
SYMBOLS.add("enzyme.cpowf", *_rules((_power_base, _power_exponent), split=True))


def _wrapper(module: Module, type_: Type) -> Function:
    """The function (ar, ai, br, bi) -> {re, im} around numba's helper. Kept out of line, so that the
    pointers do not come back before differentiation."""
    name, target = (
        ("enzyme.cpowf", "numba_cpowf") if type_ is FLOAT else ("enzyme.cpow", "numba_cpow")
    )
    found = module.functions.get(name)
    if found is not None:
        return found
    made = new_function(module, name, struct_type((type_, type_)), [(type_, "") for _ in range(4)])
    made.suffix = PURE + " noinline"
    b = Builder(made.append_block("entry"))
    kind = struct_type((type_, type_))
    places = [b.alloca(kind) for _ in range(3)]
    for k, argument in enumerate(made.args):
        size = 4 if type_ is FLOAT else 8
        b.store(argument, b.byte_offset(places[k // 2], size * (k % 2)))
    helper: FunctionType = function_type(VOID, [PTR, PTR, PTR])
    b.call(module.declare(target, helper), places)
    b.ret(b.load(kind, places[2]))
    return made


def _expand_power(type_: Type) -> Callable[[Builder, list[Value]], None]:
    size = 4 if type_ is FLOAT else 8

    def expansion(b: Builder, arguments: list[Value]) -> None:
        first, second, out = arguments
        parts = [
            b.load(type_, b.byte_offset(pointer, size * part))
            for pointer in (first, second)
            for part in (0, 1)
        ]
        power = b.call(_wrapper(b.module, type_), parts)
        for part in (0, 1):
            b.store(b.extract_value(power, [part]), b.byte_offset(out, size * part))

    return expansion


register_expansion("numba_cpow", _expand_power(DOUBLE))
register_expansion("numba_cpowf", _expand_power(FLOAT))


# The C library ------------------------------------------------------------------------------------


def _call(name: str, z: Pair) -> Pair:
    """A complex C function of the type at hand, in that type's calling convention."""
    b, type_ = z.re.b, z.re.type
    if type_ is FLOAT:
        pair = vector_type(2, FLOAT)
        packed_z = packed(z, pair)
        made = b.call_named(name + "f", pair, [packed_z.value], declaration_suffix=PURE)
        return pair_of(of(b, made))
    suffix = {"double": "", "x86_fp80": "l"}[type_.text]
    result = struct_type((type_, type_))
    arguments = [z.re.value, z.im.value]
    called = b.call_named(name + suffix, result, arguments, declaration_suffix=PURE)
    return pair_of(of(b, called))


def _one(z: Pair) -> Pair:
    return Pair(z.re.like(1.0), z.re.like(0.0))


_UNARY: dict[str, Slope] = {
    "cexp": lambda y, z: y(),
    "clog": lambda y, z: _one(z()) / z(),
    "csqrt": lambda y, z: _choose(
        _is_zero(y()), Pair(y().re.like(0.0), y().re.like(0.0)), _one(y()) / y().scaled(2.0)
    ),
    "csin": lambda y, z: _call("ccos", z()),
    "ccos": lambda y, z: -_call("csin", z()),
    "ctan": lambda y, z: (y() * y()).plus(1.0),
    "csinh": lambda y, z: _call("ccosh", z()),
    "ccosh": lambda y, z: _call("csinh", z()),
    "ctanh": lambda y, z: (-(y() * y())).plus(1.0),
    "casin": lambda y, z: _one(z()) / _call("csqrt", (-(z() * z())).plus(1.0)),
    "cacos": lambda y, z: -(_one(z()) / _call("csqrt", (-(z() * z())).plus(1.0))),
    "catan": lambda y, z: _one(z()) / (z() * z()).plus(1.0),
    "casinh": lambda y, z: _one(z()) / _call("csqrt", (z() * z()).plus(1.0)),
    "cacosh": lambda y, z: (
        _one(z()) / (_call("csqrt", z().plus(-1.0)) * _call("csqrt", z().plus(1.0)))
    ),
    "catanh": lambda y, z: _one(z()) / (-(z() * z())).plus(1.0),
}
for _name, _slope in _UNARY.items():
    add(_name, _slope, single=_name + "f")


# Real results -------------------------------------------------------------------------------------

SYMBOLS.add(
    "cabs",
    lambda d, y, re, im: where(compare("oeq", y, 0.0), 0.0, d * (re / y)),
    lambda d, y, re, im: where(compare("oeq", y, 0.0), 0.0, d * (im / y)),
)


def _angle_slope(z: Pair, part: int) -> Term:
    """-im / |z|² and re / |z|²; 0 at 0."""
    steep = compare("ogt", intrinsic("fabs", z.im), intrinsic("fabs", z.re))
    large, small = where(steep, z.im, z.re), where(steep, z.re, z.im)
    ratio = small / large
    scale = large + small * ratio  # |z|² / large
    share = where(steep, ratio, 1.0) if part else -where(steep, 1.0, ratio)
    return where(_is_zero(z), 0.0, share / scale)


SYMBOLS.add(
    "carg",
    lambda d, y, re, im: d * _angle_slope(Pair(re, im), 0),
    lambda d, y, re, im: d * _angle_slope(Pair(re, im), 1),
)


def _packed_real_rule(gradient: Callable[[Term, Pair], Pair]) -> Rule:
    """A real function of a packed complex number."""

    def tangent(d: Term, y: Term, z: Term) -> Term:
        found, dz = gradient(y, pair_of(z)), pair_of(d)
        return _product(dz.re, found.re) + _product(dz.im, found.im)

    def adjoint(d: Term, y: Term, z: Term) -> Term:
        found = gradient(y, pair_of(z))
        return packed(Pair(_product(d, found.re), _product(d, found.im)), z.type)

    return Rule(tangent, adjoint)


def _modulus_gradient(y: Term, z: Pair) -> Pair:
    origin = compare("oeq", y, 0.0)
    return Pair(where(origin, 0.0, z.re / y), where(origin, 0.0, z.im / y))


SYMBOLS.add("cabsf", _packed_real_rule(_modulus_gradient))
SYMBOLS.add("cargf", _packed_real_rule(lambda y, z: Pair(_angle_slope(z, 0), _angle_slope(z, 1))))
