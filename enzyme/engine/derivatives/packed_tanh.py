"""The hyperbolic tangent and its slope out of one number, so that a reverse pass keeps one of them.

For small x, the slope of y = tanh x is 1 - y². Further out y says too little of x, and it takes x. But |y| < 1, and
there |x| > 1: one number e, which is y near the origin and x elsewhere, tells both. So the engine sees

 * ``e = enzyme.tanh_packed(x)``, with the derivative ``slope(e) dx``: that of y;
 * ``y = enzyme.tanh_unpacked(e)``, with the derivative ``de``;
 * ``enzyme.tanh_slope(e)`` in derivatives, whose derivative is ``-2 y de``.

All are declared and never defined. `settle_tanh` writes out what they stand for when no derivative of the module
will be taken any more; where e was made, y is at hand.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.derivatives import bounds
from enzyme.engine.derivatives.catalogue import define, vector_form_of
from enzyme.engine.derivatives.table import IDENTITY
from enzyme.engine.derivatives.terms import PURE, Term, compare, intrinsic, of
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module, new_function
from enzyme.engine.ir.types import DOUBLE, FLOAT, Type
from enzyme.engine.ir.values import Value

PACKED = "enzyme.tanh_packed"
UNPACKED = "enzyme.tanh_unpacked"
SLOPE = "enzyme.tanh_slope"
_KINDS: dict[Type, str] = {DOUBLE: "f64", FLOAT: "f32"}
_TANH: dict[Type, str] = {DOUBLE: "tanh", FLOAT: "tanhf"}
_INTRINSICS = ("llvm.tanh.f64", "llvm.tanh.f32")
# Up to there 1 - y² has lost less than two digits.
_NOT_YET_FLAT: dict[Type, float] = {DOUBLE: 0.99, FLOAT: 0.9}


def _names(stem: str) -> str:
    return " ".join(f"{stem}.{kind}" for kind in _KINDS.values())


def _call(stem: str, x: Term) -> Term:
    return of(x.b, _marked(x.b, stem, x.value))


def _marked(b: Builder, stem: str, x: Value) -> Call:
    return b.call_named(f"{stem}.{_KINDS[x.type]}", x.type, [x], declaration_suffix=PURE)


define(_names(PACKED), lambda d, e, x: d * _call(SLOPE, e), bound=bounds.same)  # x or its tangent
define(_names(UNPACKED), IDENTITY, bound=bounds.between(-1.0, 1.0), cheap=True)
define(
    _names(SLOPE),
    lambda d, s, e: d * (-2.0 * _call(UNPACKED, e)),
    bound=bounds.between(0.0, 1.0),
    cheap=True,
)


vector_form_of("enzyme.tanh.far", "tanh_kept")
vector_form_of("enzyme.tanh.far_slope", "tanh_slope")


def pack_tanh(function: Function) -> None:
    """Let the calls of `tanh` be packed and unpacked ones."""
    for block in function.blocks:
        for call in list(block.instructions):
            if not isinstance(call, Call) or not _is_tanh(call):
                continue
            b = Builder()
            b.before(call)
            packed = _marked(b, PACKED, call.arguments[0])
            made = _marked(b, UNPACKED, packed)
            for one in (packed, made):
                one.flags, one.metadata = call.flags, dict(call.metadata)
            call.replace_uses_with(made)
            call.erase()


def _is_tanh(call: Call) -> bool:
    callee = call.callee
    return (
        isinstance(callee, Function)
        and callee.is_declaration
        and callee.name in (_TANH.get(call.type), *_INTRINSICS)
    )


def settle_tanh(module: Module) -> None:
    """Write out packing, unpacking and slopes."""
    calls = [
        call
        for function in list(module.functions.values())
        for call in function.instructions()
        if isinstance(call, Call) and call.callee_name.startswith((PACKED, UNPACKED, SLOPE))
    ]
    values = {}
    for call in calls:
        if call.callee_name.startswith(PACKED):
            values[call] = _evaluated(call)
    for call in calls:
        (e,) = call.arguments
        if call in values:
            continue
        b = Builder()
        b.before(call)
        known = values.get(e) if isinstance(e, Call) else None
        if call.callee_name.startswith(UNPACKED):
            made = known or b.call(_function(module, "of", e.type, _write_value), [e])
        else:
            made = b.call(_function(module, "slope_of", e.type, _write_slope), [e])
        call.replace_uses_with(made)
        call.erase()
    for call, y in values.items():
        _pack(call, y)


def _evaluated(call: Call) -> Call:
    b = Builder()
    b.before(call)
    y = b.call_named(_TANH[call.type], call.type, call.arguments, call.name)
    y.flags, y.metadata = call.flags, dict(call.metadata)
    return y


def _pack(call: Call, y: Call) -> None:
    b = Builder()
    b.before(call)
    call.replace_uses_with(b.select(_is_near(of(b, y)).value, y, call.arguments[0]))
    call.erase()


def _is_near(e: Term) -> Term:
    return compare("olt", intrinsic("fabs", e), _NOT_YET_FLAT[e.type])


def _function(
    module: Module, stem: str, type_: Type, write: Callable[[Builder, Term], None], hints: str = ""
) -> Function:
    """The function ``enzyme.tanh.<stem>`` of one number, meant to be inlined."""
    name = f"enzyme.tanh.{stem}.{_KINDS[type_]}"
    if name in module.functions:
        return module.functions[name]
    made = new_function(module, name, type_, [(type_, "e")])
    made.suffix = f"{hints}{PURE}"
    b = Builder(made.append_block("entry"))
    write(b, of(b, made.args[0]))
    return made


def _write_value(b: Builder, e: Term) -> None:
    _write(b, e, lambda b, e: e, "far", lambda b, x: b.call_named(_TANH[x.type], x.type, [x.value]))


def _write_slope(b: Builder, e: Term) -> None:
    _write(b, e, lambda b, e: (1.0 - e) * (1.0 + e), "far_slope", lambda b, x: far_slope(x).value)


def _write(
    b: Builder,
    e: Term,
    near: Callable[[Builder, Term], Term],
    stem: str,
    far: Callable[[Builder, Term], Value],
) -> None:
    """What is near the origin, and what is elsewhere as a rare call, which has a form for vectors: a loop over numbers
    computes both."""
    module = b.module
    blocks = [b.function.append_block(name) for name in ("near", "far")]
    b.cond_br(_is_near(e).value, *blocks)
    b.at_end(blocks[0])
    b.ret(near(b, e).value)
    b.at_end(blocks[1])

    def rare(b: Builder, x: Term) -> None:
        b.ret(far(b, x))

    b.ret(b.call(_function(module, stem, e.type, rare, "cold noinline "), [e.value]))


def far_slope(x: Term) -> Term:
    """1 / cosh² x from x, which is right everywhere."""
    e = intrinsic("exp", -2.0 * intrinsic("fabs", x))
    return 4.0 * e / ((1.0 + e) * (1.0 + e))
