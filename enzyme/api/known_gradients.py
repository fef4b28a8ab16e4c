"""The short way of `gradient`, for numbers and arrays of kinds that it had before.

`gradient` copies what the function writes to, gives elements that share a place one of their own, finds out which of
its arguments are chunks and which constants need shadows. Where nothing of that is to be done it depends on types
alone: then a function is written that makes the shadows, calls the derivative and puts the result together. It stands
beside the derivative that it calls, and is gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy import ndarray

from enzyme.api import settings
from enzyme.api.combined import current, found_before
from enzyme.api.places import generated_file
from enzyme.api.values import INT64, NATIVE, SCALARS, fingerprint, key_of
from enzyme.contract.derivatives import WithValue
from enzymecore import Active, Annotation, Const, Duplicated
from enzymecore.zeros import registered_leaf, zeros_like

_MOST_ENTRIES = 1024


def known_gradient(mode: Any, f: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """The function of the arguments that gives what `gradient` gives; None where it has not been written."""
    try:
        table = current(f)
        known, call = table.gradients[id(mode), *map(_kind, args)]
    except (AttributeError, KeyError, TypeError):
        return None
    return call if known is mode and not settings.state else None  # type: ignore[no-any-return]


def remember(mode: Any, f: Any, args: Sequence[Any], annotated: Sequence[Annotation]) -> None:
    """Write the function for arguments like these, if they can have one; `annotated` is what was differentiated."""
    try:
        table = current(f)
        key = id(mode), *map(_kind, args)
    except (AttributeError, KeyError, TypeError):
        return
    call = found_before(table, mode, (Active, *annotated))
    program = getattr(call, "program", None)
    if program is None or key in table.gradients:
        return
    shadows, given, derivs = [], [], []
    for k, (x, annotation) in enumerate(zip(args, annotated, strict=True)):
        found = "None"
        value = x.val if type(x) is Const else x
        if type(value) is ndarray and not value.flags.forc:
            return  # elements may be in one place
        if type(annotation) is Const and program.writes(k):
            return  # it gets a copy
        if type(x) is Const:
            given.append(f"a{k}")
        elif type(annotation) is Duplicated and type(x) is ndarray and not program.writes(k):
            shadows.append(f"    d{k} = zeros_like(a{k})")
            given.append(f"Duplicated(a{k}, d{k}, False)")
            found = f"d{k}"
        elif type(annotation) in (Active, Const):
            given.append(f"{type(annotation).__name__}(a{k})")
            found = f"r[0][{k}]"
        else:
            return
        derivs.append(found)
    result = derivs[0] if len(args) == 1 else f"({', '.join(derivs)})"
    lines = [
        f"def gradient({', '.join(f'a{k}' for k in range(len(args)))}):",
        *shadows,
        f"    r = call(Active, {', '.join(given)})",
        f"    return {f'WithValue({result}, r[1])' if mode.return_primal else result}",
    ]
    scope: dict[str, Any] = {
        "Active": Active,
        "Const": Const,
        "Duplicated": Duplicated,
        "WithValue": WithValue,
        "call": call,
        "zeros_like": zeros_like,
    }
    file = generated_file(f"gradient of {program.primal.name}")
    exec(compile("\n".join(lines) + "\n", file, "exec"), scope)
    if len(table.gradients) >= _MOST_ENTRIES:
        table.gradients.clear()
    table.gradients[key] = (mode, scope["gradient"])


def _kind(x: Any) -> Any:
    """What an argument is, for all that depends on it here; an error for what always takes the long way."""
    cls = type(x)
    if cls is ndarray and x.dtype in NATIVE and x.flags.aligned and registered_leaf(x) is None:
        return fingerprint(x)
    if cls in SCALARS:
        return cls
    if cls is Const:
        val = x.val
        if type(val) in SCALARS or (type(val) is int and val in INT64):
            return Const, type(val)
        if type(val) is ndarray:
            return Const, key_of(val)
    raise KeyError(cls)
