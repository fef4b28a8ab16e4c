"""What the rules of `custom_vjp` and `custom_jvp` compute with; each function has its meaning in compiled code only."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call"
# mypy: disable-error-code="misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.compiled.terms import Term, Writer
from enzyme.errors import CustomRuleError
from enzyme.frontend.leaves import is_differentiable
from enzyme.functional.places_in_code import meet
from enzyme.ruled.linear import is_none, lane_suffixes
from enzyme.ruled.partials import are_literals
from enzyme.typed.annotations import AnnotationType
from enzyme.typed.refs import RefType
from enzyme_rules.linear import compiled_only
from enzymecore import Active, Const, make_zero

# The pair that a rule of a function returns, or an error: pair(name, found).
pair = compiled_only("pair")
# An argument that may be kept; a copy if something overwrites it: own(config, position, value).
own = compiled_only("own")
# A shadow of zeros for a result in memory, one for each lane: zeros(config, omega).
zeros = compiled_only("zeros")
# Residuals that share no memory with the result, which may be overwritten: apart(kept, omega).
apart = compiled_only("apart")
# A tangent that shares memory only as the result does: own_tangent(tangent, omega, values, shadows).
own_tangent = compiled_only("own_tangent")
# A tangent, its arrays in the order in which those of the result are: laid_out(tangent, result).
laid_out = compiled_only("laid_out")
# The shadow of an argument, None if it has none: shadow(x).
shadow = compiled_only("shadow")
# The adjoints of all arguments: adjoints(name, config, bwd, places, dret, shadow, constants, kept, *args).
adjoints = compiled_only("adjoints")
# An error: no_tangent(name).
no_tangent = compiled_only("no_tangent")
# The result and its tangent: along(name, config, jvp, constants, primals, *args).
along = compiled_only("along")
# The product of two things that are laid out alike, None being zero: dot(a, b).
dot = compiled_only("dot")
# The adjoint of a value that is given back: adjoint(name, value, cotangent).
adjoint = compiled_only("adjoint")
# A shadow, or what a Ref holds, with a cotangent added: added(name, shadow, cotangent).
added = compiled_only("added")
# The cotangents of all arguments, or an error: cotangents(name, count, found).
cotangents = compiled_only("cotangents")


def _wrong(name: Any, what: str, todo: str) -> CustomRuleError:
    return CustomRuleError(what=f"{what} of {name.literal_value}", todo=todo)


@overload(pair, prefer_literal=True)
def _pair(name, found):
    if not are_literals(name):
        return None
    if not isinstance(found, types.BaseTuple) or len(found) != 2:
        raise _wrong(
            name,
            f"a value of type {found} is what comes from the rule",
            "let fwd return (result, residuals), and a rule of defjvp (result, tangent)",
        )
    return lambda name, found: found


@overload(own, prefer_literal=True)
def _own(config, position, value):
    if not are_literals(position):
        return None
    writer = Writer({})
    overwritten = config.python_value.overwritten[position.literal_value + 1]
    term = Term(value, "value")
    found = writer.copied(term) if overwritten else term
    return writer.function("own_of", ["config", "position", "value"], found.source)


@overload(zeros)
def _zeros(config, omega):
    writer = Writer({"make_zero": make_zero})
    lanes = [writer.zeros(Term(omega, "omega")).source for _ in lane_suffixes(config)]
    result = lanes[0] if len(lanes) == 1 else f"({', '.join(lanes)},)"
    return writer.function("zeros_of", ["config", "omega"], result)


@overload(apart)
def _apart(kept, omega):
    writer = Writer({"meet": meet})
    results = list(_arrays(writer, Term(omega, "omega")))

    def own(part: Term, _: Any) -> Term:
        if not part.is_array or not results:
            return part
        made = writer.name(part.source)
        _copy_if(writer, made, " or ".join(f"meet({made}, {other})" for other in results))
        return Term(part.ty, made)

    result = writer.changed(Term(kept, "kept"), own)
    return writer.function("apart_of", ["kept", "omega"], result.source)


def _copy_if(writer: Writer, name: str, condition: str) -> None:
    writer.line(f"if {condition}:")
    writer.line(f"    {name} = {name}.copy()")


@overload(own_tangent)
def _own_tangent(tangent, omega, values, shadows):
    writer = Writer({"meet": meet})
    given = list(_arrays(writer, Term(values, "values")))
    theirs = list(_arrays(writer, Term(shadows, "shadows")))
    results = list(_arrays(writer, Term(omega, "omega")))
    before: list[tuple[str, str]] = []

    def own(part: Term, _: Any) -> Term:
        if not part.is_array:
            return part
        # In a batch there are as many tangents as lanes for each result.
        result, made = results[len(before) % len(results)], writer.name(part.source)
        shared = [f"meet({made}, {other})" for other in theirs]
        alike = [f"meet({result}, {other})" for other in given]
        for name, its in before:
            if its != result:
                shared.append(f"(meet({made}, {name}) and not meet({result}, {its}))")
            else:
                shared.append(f"meet({made}, {name})")
        # Numba copies to C order.
        if shared and part.ty.layout == "C" and part.ty.mutable:
            apart = f" and not ({' or '.join(alike)})" if alike else ""
            _copy_if(writer, made, f"({' or '.join(shared)}){apart}")
        before.append((made, result))
        return Term(part.ty, made)

    result = writer.changed(Term(tangent, "tangent"), own)
    return writer.function("own_of", ["tangent", "omega", "values", "shadows"], result.source)


def _arrays(writer: Writer, x: Term) -> Iterator[str]:
    """The arrays in a value."""
    parts = writer.parts(x)
    if parts is not None:
        for part in parts:
            yield from _arrays(writer, part)
    elif x.is_array:
        yield x.source


@overload(shadow)
def _shadow(x):
    if x.shadow is None:
        return lambda x: None
    return lambda x: x.dval


@overload(laid_out)
def _laid_out(tangent, result):
    writer = Writer({"laid_out": laid_out, "np": np})
    parts, others = writer.parts(Term(tangent, "tangent")), writer.parts(Term(result, "result"))
    if parts is not None and others is not None and len(parts) == len(others):
        made = [f"laid_out({p.source}, {q.source})" for p, q in zip(parts, others, strict=True)]
        source = writer.joined([part.ty for part in parts], made, tangent).source
        return writer.function("laid", ["tangent", "result"], source)
    if isinstance(tangent, types.Array) and isinstance(result, types.Array):
        if result.layout == "C" != tangent.layout:
            return lambda tangent, result: np.ascontiguousarray(tangent)
        if result.layout == "F" != tangent.layout:
            return lambda tangent, result: np.asfortranarray(tangent)
    return lambda tangent, result: tangent


@overload(cotangents, prefer_literal=True)
def _cotangents(name, count, found):
    if not are_literals(name, count):
        return None
    due = count.literal_value
    if not isinstance(found, types.BaseTuple) or len(found) != due:
        raise _wrong(
            name,
            f"a value of type {found} is what bwd returns, where a tuple of {due} is due: bwd",
            "return a tuple with a cotangent for each argument, None for one that is zero",
        )
    return lambda name, count, found: found


@overload(adjoints, prefer_literal=True)
def _adjoints(name, config, bwd, places, dret, shadow, constants, kept, *args):
    if not are_literals(name, *places.types):
        return None
    writer = Writer({"added": added, "adjoint": adjoint, "cotangents": cotangents})
    order = [ty.literal_value for ty in places.types]
    front = "".join(f"constants[{k}], " for k in range(len(constants)))
    found: dict[int, list[str]] = {}
    of_number = isinstance(dret, types.BaseTuple | AnnotationType)
    for lane in lane_suffixes(config) if of_number or not is_none(shadow) else ():
        seed = f"dret{lane}.val" if is_none(shadow) else f"shadow{lane}"
        call = f"bwd({front}kept, {seed})"
        c = writer.name(f"cotangents({name.literal_value!r}, {len(order)}, {call})")
        for n, k in enumerate(order):
            x, ct = args[k], f"{name.literal_value!r}, {{}}, {c}[{n}]"
            if x.cls is Const:
                continue
            if x.cls is Active:
                found.setdefault(k, []).append(
                    writer.name(f"adjoint({ct.format(f'args[{k}].val')})")
                )
                continue
            place = f"args[{k}].dval{lane}"
            held = x.shadow.types[0] if lane else x.shadow
            if isinstance(held, RefType):
                writer.line(f"{place}[()] = added({ct.format(f'{place}[()]')})")
            else:
                writer.line(f"added({ct.format(place)})")
    every = []
    for k, x in enumerate(args):
        made = found.get(k)
        if made is None and x.cls is Active:  # nothing comes to it
            made = [f"adjoint('', args[{k}].val, None)" for _ in lane_suffixes(config)]
        if made is None:
            every.append("None")
        else:
            every.append(made[0] if len(made) == 1 else f"({', '.join(made)},)")
    names = ["name", "config", "bwd", "places", "dret", "shadow", "constants", "kept", "*args"]
    return writer.function("adjoints_of", names, f"({', '.join(every)},)")


@overload(adjoint, prefer_literal=True)
def _adjoint(name, value, cotangent):
    if not are_literals(name):
        return None
    writer = Writer({"adjoint": adjoint})
    parts = writer.parts(Term(value, "value"))
    if parts is not None:
        given = _members(name, writer, value, cotangent)
        members = [
            f"adjoint(name, {part.source}, {source})"
            for part, source in zip(parts, given, strict=True)
        ]
        source = writer.joined([part.ty for part in parts], members, value).source
        return writer.function("adjoint_of", ["name", "value", "cotangent"], source)
    value = types.unliteral(value)
    if not isinstance(value, types.Number):
        return lambda name, value, cotangent: value
    kind = as_dtype(value).type
    if is_none(cotangent):
        return lambda name, value, cotangent: kind(0)
    if not isinstance(types.unliteral(cotangent), types.Number):
        raise _wrong_cotangent(name, value, cotangent)
    if isinstance(cotangent, types.Complex) and not isinstance(value, types.Complex):
        return lambda name, value, cotangent: kind(cotangent.real)
    return lambda name, value, cotangent: kind(cotangent)


def _members(name: Any, writer: Writer, value: Any, cotangent: Any) -> list[str]:
    """The source of a cotangent for each member of a tuple, or of what stands for a dictionary."""
    count = len(value.types)
    if is_none(cotangent):
        return ["None"] * count
    keys = getattr(getattr(value, "instance_class", None), "keys_of_it", None)
    if isinstance(cotangent, types.BaseTuple) and len(cotangent) == count:
        fields, others = (getattr(ty, "fields", None) for ty in (value, cotangent))
        if others is None or keys is not None or others == fields:
            return [f"cotangent[{k}]" for k in range(count)]
    elif keys is not None and isinstance(cotangent, types.LiteralStrKeyDict):
        if sorted(cotangent.fields) == sorted(keys):
            return [f"cotangent[{key!r}]" for key in keys]
    elif keys is not None and isinstance(cotangent, types.DictType):
        listed = " and ".join(f"{key!r} in cotangent" for key in keys)
        writer.line(f"if not (len(cotangent) == {count} and {listed}):")
        writer.line(f"    raise KeyError({_KEYS!r})")
        return [f"cotangent[{key!r}]" for key in keys]
    raise _wrong_cotangent(name, value, cotangent)


_KEYS = "a cotangent has other keys than the dictionary that it is for; return one with the same"


def _wrong_cotangent(name: Any, value: Any, cotangent: Any) -> CustomRuleError:
    return _wrong(
        name,
        f"bwd returns a cotangent of type {cotangent} for an argument of type {value}: the rule",
        "return one that is like the argument, or None for zero",
    )


_SHAPE = (
    "a cotangent has another shape than the argument that it is for; return one that is like it"
)


@overload(added, prefer_literal=True)
def _added(name, shadow, cotangent):
    if not are_literals(name):
        return None
    parameters = ["name", "shadow", "cotangent"]
    if is_none(cotangent):
        return lambda name, shadow, cotangent: shadow
    writer = Writer({"added": added})
    parts = writer.parts(Term(shadow, "shadow"))
    if parts is not None:
        given = _members(name, writer, shadow, cotangent)
        made = [
            writer.name(f"added(name, {part.source}, {source})")
            for part, source in zip(parts, given, strict=True)
        ]
        source = writer.joined([part.ty for part in parts], made, shadow).source
        return writer.function("added_of", parameters, source)
    if not is_differentiable(shadow):
        return lambda name, shadow, cotangent: shadow
    if isinstance(shadow, types.Array):
        if not isinstance(cotangent, types.Array) or cotangent.ndim != shadow.ndim:
            raise _wrong_cotangent(name, shadow, cotangent)
        real = "" if isinstance(shadow.dtype, types.Complex) else ".real"
        real = real if isinstance(cotangent.dtype, types.Complex) else ""
        writer.line("if shadow.shape != cotangent.shape:")
        writer.line(f"    raise ValueError({_SHAPE!r})")
        writer.line(f"shadow += cotangent{real}")
        return writer.function("added_of", parameters, "shadow")
    if not isinstance(shadow, types.Number):
        raise _wrong_cotangent(name, shadow, cotangent)
    kind = as_dtype(shadow).type
    return lambda name, shadow, cotangent: kind(shadow + cotangent)


@overload(dot)
def _dot(a, b):
    if is_none(a) or is_none(b) or not is_differentiable(a):
        return lambda a, b: 0.0
    writer = Writer({"dot": dot})
    parts, others = writer.parts(Term(a, "a")), writer.parts(Term(b, "b"))
    if parts is not None and others is not None and len(parts) == len(others):
        terms = [f"dot({p.source}, {q.source})" for p, q in zip(parts, others, strict=True)]
        return writer.function("dot_of", ["a", "b"], " + ".join(terms) or "0.0")
    one, other = (getattr(ty, "dtype", types.unliteral(ty)) for ty in (a, b))
    is_complex = isinstance(one, types.Complex)
    like = isinstance(other, (types.Float, types.Complex) if is_complex else types.Float)
    if isinstance(a, types.Array) and isinstance(b, types.Array) and a.ndim == b.ndim and like:
        writer.line("if a.shape != b.shape:")
        writer.line(f"    raise ValueError({_OTHER_SHAPE!r})")
        # Real and imaginary parts are numbers of their own.
        each = "np.conj(a) * b" if is_complex else "a * b"
        total = f"({each})[()]" if a.ndim == 0 else f"({each}).sum()"
        writer.scope["np"] = np
        return writer.function("dot_of", ["a", "b"], f"{total}.real" if is_complex else total)
    if isinstance(types.unliteral(a), types.Number) and not isinstance(b, types.Array) and like:
        return (lambda a, b: (np.conj(a) * b).real) if is_complex else (lambda a, b: a * b)
    raise CustomRuleError(
        what=f"a rule gives something of type {b} in place of something of type {a}",
        todo="return tangents that are like results, and cotangents that are like arguments",
    )


_OTHER_SHAPE = (
    "a tangent has another shape than the result that it is for; return one that is like it"
)


@overload(no_tangent, prefer_literal=True)
def _no_tangent(name):
    if not are_literals(name):
        return None
    raise CustomRuleError(
        what=f"forward mode of {name.literal_value}, whose rule takes cotangents back",
        why="a rule given with custom_vjp need not be linear in the cotangent: nothing follows for directions",
        todo=(
            "use reverse mode",
            "or state the rule with custom_jvp, which serves both modes",
            f"or, where {name.literal_value} is called in its own fwd, write out there what it computes",
        ),
    )


@overload(along, prefer_literal=True)
def _along(name, config, jvp, constants, primals, *args):
    if not are_literals(name):
        return None
    writer = Writer({"make_zero": make_zero, "pair": pair, "laid_out": laid_out})
    front = "".join(f"constants[{k}], " for k in range(len(constants)))
    made = []
    for lane in lane_suffixes(config):
        given = [
            f"make_zero(args[{k}].val)" if x.cls is Const else f"args[{k}].dval{lane}"
            for k, x in enumerate(args)
        ]
        call = f"jvp({front}primals, ({', '.join(given)},))"
        made.append(writer.name(f"pair({name.literal_value!r}, {call})"))
    several = ", ".join(f"laid_out({one}[1], {made[0]}[0])" for one in made)
    tangent = several if len(made) == 1 else f"({several},)"
    names = ["name", "config", "jvp", "constants", "primals", "*args"]
    return writer.function("along_of", names, f"{made[0]}[0], {tangent}")
