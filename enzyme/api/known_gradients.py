"""The short way of `gradient`, for numbers and arrays of kinds that it had before.

`gradient` copies what the function writes to, gives elements that share a place one of their own, finds out which of
its arguments are chunks and which constants need shadows. Where nothing of that is to be done it depends on types
alone: then a function is written that makes the shadows, calls the derivative and puts the result together. It stands
beside the derivative that it calls, and is gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from numpy import may_share_memory, ndarray, zeros

from enzyme.api import settings
from enzyme.api.combined import current, found_before
from enzyme.api.places import generated_file
from enzyme.api.values import INT64, LAYOUT, NATIVE, SCALARS, key_of
from enzyme.contract.kinds import holds_container
from enzyme.contract.layout import PRIMAL, Part
from enzymecore import Active, Annotation, Const, Duplicated, DuplicatedNoNeed
from enzymecore.zeros import arrays_are_leaves

_MOST_ENTRIES = 1024


def known_gradient(mode: Any, f: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """The function of the arguments that gives what `gradient` gives, with a mode that returns the primal a pair of
    that and the derivative; None where it has not been written. Where it gives None the long way must be taken."""
    try:
        table = current(f)
        known, call = table.gradients[id(mode), *map(kind_of_argument, args)]
    except (AttributeError, KeyError, TypeError):
        return None
    if known is not mode or settings.state or arrays_are_leaves():
        return None
    return call  # type: ignore[no-any-return]


def remember(mode: Any, f: Any, args: Sequence[Any], annotated: Sequence[Annotation]) -> None:
    """Write the function for arguments like these, if they can have one; `annotated` is what was differentiated."""
    try:
        table = current(f)
        key = id(mode), *map(kind_of_argument, args)
    except (AttributeError, KeyError, TypeError):
        return
    call = found_before(table, mode, (Active, *annotated))
    program = program_of(call)
    if program is None or key in table.gradients or not all(map(is_plain, args)):
        return
    shadows, given, derivs = [], [], []
    for k, (x, annotation) in enumerate(zip(args, annotated, strict=True)):
        found: Part | None = None
        value = value_of(x)
        if type(value) is ndarray and not value.flags.forc:
            return  # elements may be in one place
        if type(x) is Const:
            given.append(f"Const(a{k})")
        elif type(annotation) is Duplicated and type(x) is ndarray:
            order = "" if x.flags.c_contiguous else ', "F"'
            shadows.append(f"    d{k} = zeros(a{k}.shape, a{k}.dtype{order})")
            given.append(f"Duplicated(a{k}, d{k}, False)")
            found = Part("shadow", k)
        elif type(annotation) in (Active, Const):
            given.append(f"{type(annotation).__name__}(a{k})")
            found = Part("adjoint", k) if type(annotation) is Active else None
        else:
            return
        derivs.append(found)

    def result(of: Callable[[Part], str]) -> str:
        parts = ["None" if d is None else of(d) for d in derivs]
        derivatives = parts[0] if len(args) == 1 else f"({', '.join(parts)})"
        return f"{of(PRIMAL)}, {derivatives}" if mode.return_primal else derivatives

    names = [name_of(k, x) for k, x in enumerate(args)]
    annotated_parts = {Part("adjoint", k): f"r[0][{k}]" for k in range(len(args))}
    annotated_parts[PRIMAL] = "r[1]"
    prelude = [*opened(args), *copies(args, program.writes), *shadows]
    short = short_form(call, names, prelude, ["Active", *given], annotated_parts, result)
    keep(table, key, (mode, short))


def program_of(call: Any) -> Any:
    """The program of a derivative that may have short forms; None where containers are looked at in every call."""
    program = getattr(call, "program", None)
    if program is None or any(map(holds_container, program.signature.argtypes)):
        return None
    return program


def keep(table: Any, key: Any, short: Any) -> None:
    """Keep a short form beside the derivatives of its function."""
    if len(table.gradients) >= _MOST_ENTRIES:
        table.gradients.clear()
    table.gradients[key] = short


def short_form(
    call: Any,
    names: Sequence[str],
    prelude: Sequence[str],
    annotated: Sequence[str],
    parts: Mapping[Part, str],
    result: Callable[[Callable[[Part], str]], str],
) -> Callable[..., Any]:
    """A function of `names` that runs `prelude`, which makes arguments `a0`, ... and shadows `d0`, ..., calls the
    derivative and returns `result`.

    `annotated` is what `call` takes, and `parts` source of what it returns, `r`; the annotations are left out where the
    derivative can be called without. It may return None, for the long way.
    """
    shadows = {Part("shadow", k): f"d{k}" for k in range(len(names))}
    head = ", ".join(names)
    lines = [
        f"def annotated({head}):",
        *prelude,
        f"    r = call({', '.join(annotated)})",
        f"    return {result({**parts, **shadows}.__getitem__)}",
    ]
    scope: dict[str, Any] = {}
    direct: Any = getattr(call, "direct", None)
    returned = ""
    if direct is not None:
        try:
            returned = result({**direct.values, **shadows}.__getitem__)
        except KeyError:  # a zero that `call` makes
            direct = None
    if direct is not None:
        scope |= direct.scope
        lines += [f"def direct({head}):", *prelude, *direct.lines(f"annotated({head})")]
        lines.append(f"    return {returned}")
    scope |= {"call": call, "may_share_memory": may_share_memory, "zeros": zeros}
    scope |= {cls.__name__: cls for cls in (Active, Const, Duplicated, DuplicatedNoNeed)}
    file = generated_file(f"gradient of {call.program.primal.name}")
    exec(compile("\n".join(lines) + "\n", file, "exec"), scope)
    found: Callable[..., Any] = scope["annotated" if direct is None else "direct"]
    return found


def value_of(x: Any) -> Any:
    """An argument without its annotation as a constant."""
    return x.val if type(x) is Const else x


def name_of(k: int, x: Any) -> str:
    """The parameter of a short form for an argument."""
    return f"c{k}" if type(x) is Const else f"a{k}"


def opened(args: Sequence[Any], first: int = 0) -> list[str]:
    """Source that takes what constants are of out of their annotations."""
    pairs = enumerate(args, first)
    return [f"    a{k} = c{k}.val" for k, x in pairs if type(x) is Const]


def copies(args: Sequence[Any], writes: Callable[[int], bool]) -> list[str]:
    """Source that copies what the function writes to. It returns None, for the long way, where memory is shared."""
    arrays = {k: value for k, x in enumerate(args) if type(value := value_of(x)) is ndarray}
    orders = {k: "" if a.flags.c_contiguous else '"F"' for k, a in arrays.items() if writes(k)}
    lines = [f"    a{k} = a{k}.copy({order})" for k, order in orders.items()]
    pairs = [(k, m) for k, m in combinations(arrays, 2) if k in orders or m in orders]
    together = " or ".join(f"may_share_memory(a{k}, a{m})" for k, m in pairs)
    return [f"    if {together}:", "        return None", *lines] if together else lines


def kind_of_argument(x: Any) -> Any:
    """What an argument is, for all that depends on it here; an error for what always takes the long way. For an array
    that `is_plain` refuses it says too little."""
    cls = type(x)
    if cls is ndarray:
        return x.dtype, x.ndim, x.flags.num & LAYOUT
    if cls in SCALARS:
        return cls
    if cls is Const:
        val = x.val
        if type(val) in SCALARS or (type(val) is int and val in INT64):
            return Const, type(val)
        if type(val) is ndarray:
            return Const, key_of(val)
    raise KeyError(cls)


def is_plain(x: Any) -> bool:
    """Is this no array, or one of numbers that are where and as the processor has them?"""
    return type(x) is not ndarray or (x.dtype in NATIVE and x.flags.aligned)
