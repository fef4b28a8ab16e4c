"""Complex functions: numba's power, the C library's, and the compiler's product and quotient.

Every row here is real-linear over real and imaginary parts, written from the complex partial P of a
holomorphic function: a tangent dz gives P dz, an adjoint g gives conj(P) g, which is the convention
u_x + i u_y of the reverse mode. To the synthesis such a row is like any other: operand positions
are those of the call, and the derivative of the result has the result's type.

How a complex number travels:
 * two float operands, result ``{double, double}``: C's complex double on x86-64, ``__muldc3``,
   and `enzyme.cpow`;
 * one operand ``{double, double}``, and such a result: SciPy's functions (`scipy.of_complex`);
 * one operand ``<2 x float>``, result ``<2 x float>``: C's complex float on x86-64.

Numba's power has its operands behind pointers. The front end calls `enzyme.cpow(ar, ai, br, bi)` instead, which is
declared, and gets a body that calls numba's where nothing will be differentiated any more (`define_powers`).

At z = 0 the partial of z**w in z is that of the real power (1 for w = 1, 0 for w = 0 and Re w > 1, else
nan) and that in w is 0; abs and arg have derivative 0 at 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

from enzyme.engine.derivatives.catalogue import define
from enzyme.engine.derivatives.products import times
from enzyme.engine.derivatives.table import Rule
from enzyme.engine.derivatives.terms import PURE, Term, compare, intrinsic, libm, of, where
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

    def scaled(self, factor: float | Term) -> Pair:
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
            made.append(whole_rule(partial(_whole, slope)))
    return made


def _part_rule(slope: Slope, part: int) -> Rule:
    """One of the two floats of a complex operand: P times 1 or times i, and its transpose."""

    def column(y: Term, x: tuple[Term, ...]) -> Pair:
        p = slope(cache(partial(pair_of, y)), *_numbers(x, True))
        return p.times_i() if part else p

    def tangent(d: Term, y: Term, *x: Term) -> Term:
        p = column(y, x)
        return packed(Pair(times(d, p.re), times(d, p.im)), y.type)

    def adjoint(d: Term, y: Term, *x: Term) -> Term:
        p, g = column(y, x), pair_of(d)
        return times(g.re, p.re) + times(g.im, p.im)

    return Rule(tangent, adjoint)


def product(d: Term, p: Pair, conjugate: bool) -> Pair:
    """A tangent times a partial derivative, or an adjoint times its conjugate."""
    g, sign = pair_of(d), -1.0 if conjugate else 1.0
    re = times(g.re, p.re) + times(g.im, -sign * p.im)
    im = times(g.re, sign * p.im) + times(g.im, p.re)
    return Pair(re, im)


def _whole(slope: Slope, y: Term, x: tuple[Term, ...]) -> Pair:
    return slope(cache(partial(pair_of, y)), *_numbers(x, False))


def whole_rule(column: Callable[[Term, tuple[Term, ...]], Pair]) -> Rule:
    """Of a complex operand, whose partial derivative is a function of the result and the operands."""

    def with_factor(d: Term, y: Term, x: tuple[Term, ...], conjugate: bool) -> Term:
        return packed(product(d, column(y, x), conjugate), d.type)

    def tangent(d: Term, y: Term, *x: Term) -> Term:
        return with_factor(d, y, x, False)

    def adjoint(d: Term, y: Term, *x: Term) -> Term:
        return with_factor(d, y, x, True)

    return Rule(tangent, adjoint)


def add(name: str, *slopes: Slope, single: str = "") -> None:
    """Rows of `name` (complex double, split into floats) and of `single` (complex float, packed)."""
    define(name, *_rules(slopes, split=True))
    if single:
        define(single, *_rules(slopes, split=False))


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


def choose(condition: Term, then: Pair, other: Pair) -> Pair:
    return Pair(where(condition, then.re, other.re), where(condition, then.im, other.im))


def _power_base(y: Numbers, z: Numbers, w: Numbers) -> Pair:
    """W z^w / z; for z = 0 the limit where there is one."""
    base, exponent = z(), w()
    slope = exponent * (y() / base)
    one = base.re.b.and_(
        compare("oeq", exponent.re, 1.0).value, compare("oeq", exponent.im, 0.0).value
    )
    above = base.re.b.or_(compare("ogt", exponent.re, 1.0).value, _is_zero(exponent).value)
    at_zero = where(
        of(base.re.b, one), 1.0, where(of(base.re.b, above), base.re.like(0.0), math.nan)
    )
    return choose(_is_zero(base), Pair(at_zero, base.re.like(0.0)), slope)


def _power_exponent(y: Numbers, z: Numbers, w: Numbers) -> Pair:
    """z^w log z; 0 for z = 0."""
    base = z()
    # The logarithm of 1 there, so that no derivative of this meets the pole either.
    base = choose(_is_zero(base), _one(base), base)
    return y() * Pair(intrinsic("log", _modulus(base)), _angle(base))


def _own_power_base(y: Numbers, z: Numbers, w: Numbers) -> Pair:
    """The same for our function, whose value at z = 0 is told, and so are its derivatives."""
    base, exponent = z(), w()
    b = base.re.b
    if exponent.im.number == 0.0 and (exponent.re.number or 0.0) in _SMALL_EXPONENTS:
        return _constant_slope(base, int(exponent.re.number or 0))
    power = y()
    parts = (base.re, base.im, exponent.re, exponent.im, power.re, power.im)
    called = b.call(_power_slope(b.module, base.re.type), [part.value for part in parts])
    return pair_of(of(b, called))


_SMALL_EXPONENTS = (1.0, 2.0, 3.0)


def _constant_slope(z: Pair, n: int) -> Pair:
    """N z^(n-1)."""
    made = _one(z)
    for k in range(n - 1):
        made = made * z if k else z
    return made.scaled(float(n))


def _power_slope(module: Module, type_: Type) -> Function:
    """The function (z, w, z^w) -> w z^(w-1), which is differentiated as it stands: at z = 0 by the function."""
    name = "enzyme.cpow_slope" + "f" * (type_ is FLOAT)
    found = module.functions.get(name)
    if found is not None:
        return found
    result = struct_type((type_, type_))
    made = new_function(module, name, result, [(type_, "") for _ in range(6)])
    made.suffix = PURE
    entry, away, origin, none, lower = (
        made.append_block(n) for n in ("entry", "away", "origin", "none", "lower")
    )
    b = Builder(entry)
    parts = [of(b, argument) for argument in made.args]
    z, w, y = (Pair(*parts[k : k + 2]) for k in (0, 2, 4))
    b.cond_br(_is_zero(z).value, origin, away)
    b.at_end(away)
    b.ret(packed(w * (y / z), result).value)
    b.at_end(origin)
    b.cond_br(_is_zero(w).value, none, lower)
    b.at_end(none)
    b.ret(b.zero(result))
    b.at_end(lower)
    one_less = w.plus(-1.0)
    operands = [p.value for p in (z.re, z.im, one_less.re, one_less.im)]
    power = pair_of(of(b, b.call(_power_function(module, type_), operands)))
    b.ret(packed(w * power, result).value)
    return made


add("cpow", _power_base, _power_exponent)
define("cpowf", *_rules((_power_base, _power_exponent), split=False))
define("enzyme.cpow", *_rules((_own_power_base, _power_exponent), split=True))
define("enzyme.cpowf", *_rules((_own_power_base, _power_exponent), split=True))


POWERS: dict[str, tuple[str, Type]] = {
    "enzyme.cpow": ("numba_cpow", DOUBLE),
    "enzyme.cpowf": ("numba_cpowf", FLOAT),
}


def _power_function(module: Module, type_: Type) -> Function:
    """The function (ar, ai, br, bi) -> {re, im} that stands for numba's helper with pointers."""
    name = next(name for name, (_, kind) in POWERS.items() if kind is type_)
    found = module.functions.get(name)
    if found is not None:
        return found
    made = module.declare(name, function_type(struct_type((type_, type_)), [type_] * 4))
    made.suffix = PURE
    return made


def define_powers(module: Module) -> None:
    """Give the powers their bodies, where nothing will be differentiated any more."""
    for name, (target, type_) in POWERS.items():
        made = module.functions.get(name)
        if made is None or not made.is_declaration:
            continue
        b = Builder(made.append_block("entry"))
        kind = struct_type((type_, type_))
        places = [b.alloca(kind) for _ in range(3)]
        for k, argument in enumerate(made.args):
            size = 4 if type_ is FLOAT else 8
            b.store(argument, b.byte_offset(places[k // 2], size * (k % 2)))
        helper: FunctionType = function_type(VOID, [PTR, PTR, PTR])
        b.call(module.declare(target, helper), places)
        b.ret(b.load(kind, places[2]))
        made.prefix, made.suffix = "internal", f"{PURE} noinline"


def power_declarations() -> str:
    """What a program that calls the powers declares."""
    return "".join(
        f"declare {{{t}, {t}}} @{name}({t}, {t}, {t}, {t}) {PURE}\n"
        for name, t in ((name, kind.text) for name, (_, kind) in POWERS.items())
    )


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


def _inverse(z: Pair, w: Pair) -> Pair:
    """1 / (z w), whose product may be beyond the range of numbers."""
    return _one(z) / z / w


def _inverse_square(z: Pair) -> Pair:
    return _inverse(z, z)


def _around_one(z: Pair) -> tuple[Pair, Pair]:
    """1 - z and 1 + z: their product is 1 - z², and loses nothing where z is 1, or beyond the range of its square."""
    return Pair(1.0 - z.re, -z.im), Pair(1.0 + z.re, z.im)


def _arcsine_slope(z: Pair) -> Pair:
    below, above = _around_one(z)
    return _inverse(_call("csqrt", below), _call("csqrt", above))


def _area_tangent_slope(z: Pair) -> Pair:
    return _inverse(*_around_one(z))


_UNARY: dict[str, Slope] = {
    "cexp": lambda y, z: y(),
    "clog": lambda y, z: _one(z()) / z(),
    "csqrt": lambda y, z: choose(
        _is_zero(y()), Pair(y().re.like(0.0), y().re.like(0.0)), _one(y()) / y().scaled(2.0)
    ),
    "csin": lambda y, z: _call("ccos", z()),
    "ccos": lambda y, z: -_call("csin", z()),
    "ctan": lambda y, z: _inverse_square(_call("ccos", z())),
    "csinh": lambda y, z: _call("ccosh", z()),
    "ccosh": lambda y, z: _call("csinh", z()),
    "ctanh": lambda y, z: _inverse_square(_call("ccosh", z())),
    "casin": lambda y, z: _arcsine_slope(z()),
    "cacos": lambda y, z: -_arcsine_slope(z()),
    "catan": lambda y, z: _area_tangent_slope(z().times_i()),
    "casinh": lambda y, z: _arcsine_slope(z().times_i()),
    "cacosh": lambda y, z: _inverse(_call("csqrt", z().plus(-1.0)), _call("csqrt", z().plus(1.0))),
    "catanh": lambda y, z: _area_tangent_slope(z()),
}
for _name, _slope in _UNARY.items():
    add(_name, _slope, single=_name + "f")


# Real results -------------------------------------------------------------------------------------

define(
    "cabs",
    lambda d, y, re, im: where(compare("oeq", y, 0.0), 0.0, d * re.over(y)),
    lambda d, y, re, im: where(compare("oeq", y, 0.0), 0.0, d * im.over(y)),
)


def _angle_slope(z: Pair, part: int) -> Term:
    """-im / |z|² and re / |z|²; 0 at 0."""
    steep = compare("ogt", intrinsic("fabs", z.im), intrinsic("fabs", z.re))
    large, small = where(steep, z.im, z.re), where(steep, z.re, z.im)
    ratio = small / large
    scale = large + small * ratio  # |z|² / large
    share = where(steep, ratio, 1.0) if part else -where(steep, 1.0, ratio)
    return where(_is_zero(z), 0.0, share / scale)


define(
    "carg",
    lambda d, y, re, im: d * _angle_slope(Pair(re, im), 0),
    lambda d, y, re, im: d * _angle_slope(Pair(re, im), 1),
)


def _packed_real_rule(gradient: Callable[[Term, Pair], Pair]) -> Rule:
    """A real function of a packed complex number."""

    def tangent(d: Term, y: Term, z: Term) -> Term:
        found, dz = gradient(y, pair_of(z)), pair_of(d)
        return times(dz.re, found.re) + times(dz.im, found.im)

    def adjoint(d: Term, y: Term, z: Term) -> Term:
        found = gradient(y, pair_of(z))
        return packed(Pair(times(d, found.re), times(d, found.im)), z.type)

    return Rule(tangent, adjoint)


def _modulus_gradient(y: Term, z: Pair) -> Pair:
    origin = compare("oeq", y, 0.0)
    return Pair(where(origin, 0.0, z.re.over(y)), where(origin, 0.0, z.im.over(y)))


define("cabsf", _packed_real_rule(_modulus_gradient))
define("cargf", _packed_real_rule(lambda y, z: Pair(_angle_slope(z, 0), _angle_slope(z, 1))))
