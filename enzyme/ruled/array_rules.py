"""Rules of a function of arrays, made of three functions that say what its derivative is.

``factor(result, *args)`` is what the derivative needs, a tuple of arrays that nobody else writes to; it is computed
once, and is the tape. The function's result is memory of its own. ``push(kept, *tangents)`` is the tangent of the
result, ``pull(kept, *adjoints)`` is the tuple of adjoints of the arguments, for the adjoint of each result. All are
differentiated themselves where derivatives nest.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme.ruled.apart import apart, compiled
from enzyme.ruled.choice import FORGETS
from enzyme.ruled.linear import lane_suffixes
from enzyme_rules import AugmentedReturn, augmented_primal, forward, linear, reverse
from enzymecore import Const

_RULES = """
def {name}_forward(config, func, RT, {names}):
    result = primal({values})
    if config.needs_shadow:
        shadow = pushed(config, factor(result, {values}), {names})
        if config.needs_primal:
            return linear.both(config, result, shadow)
        return shadow
    if config.needs_primal:
        return result
    return None

def {name}_augmented(config, func, RT, {names}):
    result = primal({values})
    given = result if config.needs_primal else None
    if config.needs_shadow:
        shadow = linear.zeros(config, result)
        return AugmentedReturn(given, shadow, (factor(result, {values}), shadow))
    return AugmentedReturn(given, None, None)

def {name}_reverse(config, func, dret, tape, {names}):
    if config.needs_shadow:
        kept, shadow = tape
        pulled(config, kept, shadow, {names})
        linear.clear(config, shadow)
    return ({nothing},)
"""


def with_rules(
    name: str,
    function: Any,
    variables: tuple[str, ...],
    constants: tuple[str, ...] = (),
    *,
    factor: Any,
    push: Any,
    pull: Any,
) -> Any:
    """The jitted function of `variables` and then `constants`, called `name` in messages, with its rules."""
    function.__qualname__ = name
    setattr(function, FORGETS, True)
    made = compiled(function)
    names = (*variables, *constants)
    scope: dict[str, Any] = {
        "AugmentedReturn": AugmentedReturn,
        "linear": linear,
        "primal": apart(made),
        "factor": apart(factor),
        "pushed": _lanes_of_tangents(apart(push), variables, names),
        "pulled": _lanes_of_adjoints(apart(pull), variables, names),
    }
    source = _RULES.format(
        name=function.__name__,
        names=", ".join(names),
        values=", ".join(f"{each}.val" for each in names),
        nothing=", ".join("None" for _ in names),
    )
    exec(compile(source, f"<enzyme rules of {name}>", "exec"), scope)
    for kind, add in (("forward", forward), ("augmented", augmented_primal), ("reverse", reverse)):
        add(made)(scope[f"{function.__name__}_{kind}"])
    return made


def _lanes_of_tangents(push: Any, variables: tuple[str, ...], names: tuple[str, ...]) -> Any:
    """In compiled code: the tangent of the result in all lanes."""
    parameters = ", ".join(("config", "kept", *names))
    scope: dict[str, Any] = {"push": push, "np": np}
    exec(f"def pushed({parameters}): pass", scope)

    def lanes(config, *given):
        annotations = dict(zip(names, given[1:], strict=True))

        def tangent(each: str, lane: str) -> str:
            constant = annotations[each].cls is Const
            return f"np.zeros_like({each}.val)" if constant else f"{each}.dval{lane}"

        calls = [
            f"push(kept, {', '.join(tangent(each, lane) for each in variables)})"
            for lane in lane_suffixes(config)
        ]
        result = calls[0] if len(calls) == 1 else f"({', '.join(calls)})"
        return _written("lanes", parameters, [f"return {result}"], scope)

    overload(scope["pushed"])(_with_parameters(lanes, parameters))
    return scope["pushed"]


def _lanes_of_adjoints(pull: Any, variables: tuple[str, ...], names: tuple[str, ...]) -> Any:
    """In compiled code: adjoints of the arguments are added to their shadows in all lanes."""
    parameters = ", ".join(("config", "kept", "shadow", *names))
    scope: dict[str, Any] = {"pull": pull, "add": _add}
    exec(f"def pulled({parameters}): pass", scope)

    def lanes(config, *given):
        annotations = dict(zip(names, given[2:], strict=True))
        lane_type = given[1] if len(lane_suffixes(config)) == 1 else given[1].types[0]
        count = len(lane_type.types) if isinstance(lane_type, types.BaseTuple) else 0
        lines = []
        for lane in lane_suffixes(config):
            seeds = [f"shadow{lane}[{k}]" for k in range(count)] or [f"shadow{lane}"]
            lines.append(f"adjoints = pull(kept, {', '.join(seeds)})")
            for k, each in enumerate(variables):
                if annotations[each].cls is not Const:
                    lines.append(f"add({each}.dval{lane}, adjoints[{k}])")
        return _written("lanes", parameters, lines, scope)

    overload(scope["pulled"])(_with_parameters(lanes, parameters))
    return scope["pulled"]


def _written(name: str, parameters: str, lines: list[str], scope: dict[str, Any]) -> Any:
    made = dict(scope)
    exec("\n    ".join([f"def {name}({parameters}):", *lines]), made)
    return made[name]


def _with_parameters(function: Any, parameters: str) -> Any:
    """Numba compares the names of parameters."""
    return _written("typed", parameters, [f"return function({parameters})"], {"function": function})


def _add(shadow, adjoint):
    raise NotImplementedError


@overload(_add)
def _add_to(shadow, adjoint):
    """What is real gets the real part."""
    takes_real = isinstance(adjoint.dtype, types.Complex) and not isinstance(
        shadow.dtype, types.Complex
    )
    part = ".real" if takes_real else ""
    counters = [f"i{k}" for k in range(shadow.ndim)]
    place = ", ".join(counters) or "()"
    lines = [f"{'    ' * k}for i{k} in range(shadow.shape[{k}]):" for k in range(shadow.ndim)]
    lines.append(f"{'    ' * shadow.ndim}shadow[{place}] += adjoint[{place}]{part}")
    return _written("add", "shadow, adjoint", lines, {})
