"""Thunks: derivatives compiled from types, before there are values.

A forward thunk is one function; split reverse mode makes a pair, joined by a tape. The functions
that users call are written as source for each thunk, because this is what every call pays for.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba._dispatcher import compute_fingerprint
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock

from enzyme.api.caller import converter
from enzyme.api.combined import collector_paused
from enzyme.api.compile import Program, check_count, prepare
from enzyme.api.containers import check_containers, holds_container
from enzyme.api.overlaps import examine
from enzyme.api.places import call_site, generated_file, place, shown
from enzyme.api.signature import (
    Signature,
    check_annotations,
    check_mode,
    check_shadow,
    check_writable,
    of_call,
)
from enzyme.api.tapes import Tape
from enzyme.api.values import SCALARS, jitted, key_of, native, spread
from enzyme.engine.synthesis.request import Activity
from enzyme.errors import (
    ActivityError,
    BatchSizeError,
    EnzymeError,
    ShadowLayoutError,
    ThunkCallError,
)
from enzyme.frontend.overlap import ArgumentsOverlap
from enzymecore import (
    Active,
    Annotation,
    Const,
    FunctionType,
    ReverseModeSplit,
    StructType,
    TupleType,
)
from enzymecore.annotation_base import AnnotationMeta
from enzymecore.structure import arrays_in

__all__ = ["autodiff_deferred_thunk", "autodiff_thunk", "tape_type"]

_ATTRIBUTE = "__enzyme_thunks__"
_ORDER = "the order is: function, arguments, seed of the active return, tape"


def autodiff_thunk(mode: Any, function: Any, return_activity: Any, *argtypes: Any) -> Any:
    """Compile a derivative for types: ``autodiff_thunk(mode, Const[typeof(f)], RA, *argtypes)``.

    Parameters
    ----------
    mode
        A forward mode or a split reverse mode.
    function
        ``Const[typeof(f)]``.
    return_activity
        The class of the result: ``Const``, ``Active`` (split mode), ``Duplicated`` or
        ``DuplicatedNoNeed``.
    *argtypes
        One annotation class with its type per argument, as ``Duplicated[typeof(x)]``.

    Returns
    -------
    callable or tuple of two
        Forward mode: a function that takes ``Const(f)`` and the annotated arguments and returns
        what `autodiff` returns. Split mode: ``forward(Const(f), *args)`` returns ``(tape, primal,
        shadow)``, and ``reverse(Const(f), *args[, seed], tape)`` the tuple of adjoints, in a tuple;
        the seed is there for an active return only. Each tape is used once, in any order; it may
        be None. A duplicated result is seeded by writing into its shadow between the calls.

    Raises
    ------
    EnzymeError
        As `autodiff`; `ModeError` for a combined reverse mode. The compiled functions raise
        `ThunkCallError` for arguments of other types and `EnzymeRuntimeException` for a tape that
        has been used.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import Active, Const, Duplicated, ReverseSplitWithPrimal, autodiff_thunk, typeof
    >>> def f(a, v):
    ...     r = a[0] * v
    ...     a[0] = 0.0
    ...     return r
    >>> a, da = np.array([2.2]), np.array([0.0])
    >>> types = Duplicated[typeof(a)], Active[float]
    >>> forward, reverse = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(f)], Active, *types)
    >>> tape, primal, shadow = forward(Const(f), Duplicated(a, da), Active(3.3))
    >>> reverse(Const(f), Duplicated(a, da), Active(3.3), 1.0, tape)
    ((None, 2.2),)
    >>> float(da[0])
    3.3
    """
    try:
        found = _find(mode, function, return_activity, argtypes)
    except EnzymeError as error:
        place(error, call_site())
        raise
    return (found.forward, found.reverse) if isinstance(found, SplitThunk) else found


def tape_type(mode: Any, function: Any, return_activity: Any, *argtypes: Any) -> Any:
    """The class of the tapes of a split thunk; parameters as for `autodiff_thunk`.

    ``type(None)`` where nothing need be kept. The same parameters give the same class.
    """
    try:
        found = _find(mode, function, return_activity, argtypes)
        if not isinstance(found, SplitThunk):
            raise ActivityError(
                what=f"only split reverse mode has tapes, not {mode!r}",
                todo="use ReverseSplitNoPrimal or ReverseSplitWithPrimal",
            )
        return found.tape_class
    except EnzymeError as error:
        place(error, call_site())
        raise


def autodiff_deferred_thunk(
    mode: Any, tape: Any, function: Any, return_activity: Any, *argtypes: Any
) -> Any:
    """`autodiff_thunk` with the type of its tape, ``autodiff_deferred_thunk(mode, T, FA, RA, *argtypes)``.

    The return activity may be followed by its concrete form, as ``Active, Active[float]``.

    Raises
    ------
    ThunkCallError
        If the tape is that of another thunk.
    """
    candidates = [argtypes]
    given = argtypes[0] if argtypes else None
    if isinstance(given, AnnotationMeta) and issubclass(given, return_activity):
        candidates.append(argtypes[1:])
    if tape is not None and tape is not type(None):
        known = getattr(tape, "thunk", None)
        count = None if known is None else len(known.signature.annotations)
        candidates = [c for c in candidates if len(c) == count]
    for candidate in candidates:
        try:
            found = _find(mode, function, return_activity, candidate)
        except (EnzymeError, TypeError):
            if candidate is candidates[-1]:
                raise
            continue
        if isinstance(found, SplitThunk) and found.tape_class is (tape or type(None)):
            return found.forward, found.reverse
    raise ThunkCallError(
        what=f"{getattr(tape, '__name__', tape)!s} is not the type of the tapes of this thunk",
        todo="take it from tape_type with the same mode, function and types",
        where=call_site(),
    )


def _find(mode: Any, function: Any, wanted: Any, argtypes: tuple[Any, ...]) -> Any:
    """The thunk, compiled once for each mode and types; it hangs at the function."""
    func = _function_of(function)
    check_mode(mode, func, split=True)
    if getattr(mode, "width", 0) > 1:
        raise BatchSizeError(
            what=f"batches are not supported yet (the mode has width {mode.width})",
            todo="leave the width out",
        )
    if not (isinstance(wanted, type) and issubclass(wanted, Annotation)):
        raise ActivityError(
            what=f"the return activity must be an annotation class, not {wanted!r:.60}",
            todo="write autodiff_thunk(mode, Const[typeof(f)], Active, *argtypes)",
        )
    _check_types(argtypes)
    check_annotations(argtypes, types_too=True)
    dispatcher = spread(jitted(func, len(argtypes)), len(argtypes))
    check_count(dispatcher, len(argtypes))
    owner = func if hasattr(func, "__dict__") else dispatcher
    with global_compiler_lock:
        kept, table = owner.__dict__.get(_ATTRIBUTE, (None, {}))
        if kept is None or kept() is not owner:
            table = {}
            owner.__dict__[_ATTRIBUTE] = weakref.ref(owner), table
        key = (mode, wanted, argtypes)
        found = table.get(key)
        if found is None:
            with collector_paused():
                signature = of_call(mode, wanted, argtypes)
                program = prepare(dispatcher, signature, [_Known(t.eltype) for t in argtypes])
                split = isinstance(mode, ReverseModeSplit)
                found = SplitThunk(program) if split else _forward_thunk(program)
            table[key] = found
    return found


def _function_of(annotation: Any) -> Any:
    """The function of ``Const[typeof(f)]``; ``Const(f)`` and `f` itself will do."""
    if isinstance(annotation, AnnotationMeta) and annotation.parameters:
        if annotation.origin is not Const:
            raise ActivityError(
                what=f"{annotation!r} of a function is not supported yet",
                todo="use Const[typeof(f)] and pass the data as an argument",
            )
        return getattr(annotation.eltype, "function", annotation.eltype)
    if isinstance(annotation, Const):
        return annotation.val
    if isinstance(annotation, type) and issubclass(annotation, Annotation):
        raise ActivityError(
            what=f"{annotation!r} does not say which function",
            todo="write Const[typeof(f)]",
        )
    return annotation


def _check_types(argtypes: Sequence[Any]) -> None:
    for position, given in enumerate(argtypes):
        if isinstance(given, AnnotationMeta) and given.parameters:
            continue
        raise ActivityError(
            what=f"argument {position}: {given!r:.60} is not an annotation class with a type",
            why="a thunk is compiled from types, before there are values",
            todo="write e.g. Duplicated[typeof(x)]",
        )


class _Known:
    """Stands for an annotation: what of its value is known from the type, the functions."""

    __slots__ = ("val",)

    def __init__(self, described: Any) -> None:
        self.val = _functions_in(described)


def _functions_in(described: Any) -> Any:
    if isinstance(described, FunctionType):
        return described.function
    if isinstance(described, TupleType | StructType):
        return tuple(map(_functions_in, described.types))
    return None


# --- calls ----------------------------------------------------------------------------------------


class _Checker:
    """Are the annotations of a call those that a thunk was compiled for?"""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signature: Signature = program.signature
        self.function = program.primal.function
        self.accepted: list[set[Any]] = [set() for _ in self.signature.annotations]

    def function_is_right(self, annotation: Any) -> bool:
        if type(annotation) is not Const:
            return False
        func = annotation.val
        count = len(self.signature.annotations)
        return func is self.function or spread(jitted(func, count), count) is self.function

    def check(self, given: Sequence[Any], position: int) -> None:
        """Look at one argument closely; what is right is found faster the next time."""
        arg = given[position + 1]
        if type(arg) is not self.signature.annotations[position]:
            self.refuse(given)
        try:
            found = numba.typeof(native(arg.val))
        except ValueError:
            found = None
        if found != self.signature.argtypes[position]:
            self.refuse(given)
        if not isinstance(arg, Active | Const):
            forward = self.signature.forward
            try:
                check_shadow(position, arg, True, forward)
                if forward and self.program.writes(position):
                    check_writable(position, arg)
            except EnzymeError as error:
                raise place(error, call_site()) from None
        self.accepted[position].add(key(arg))

    def refuse(self, given: Sequence[Any], tail: Sequence[str] = ()) -> None:
        signature = self.signature
        pairs = zip(signature.annotations, signature.argtypes, strict=True)
        expected = ("Const[function]", *(f"{cls.__name__}[{ty}]" for cls, ty in pairs), *tail)
        found = tuple(map(_shown, given))
        raise ThunkCallError(
            what=f"a thunk of {shown(self.function)} takes ({', '.join(expected)}), not "
            f"({', '.join(found)})",
            why=_ORDER,
            expected=expected,
            found=found,
            where=call_site(),
        )


def _shown(given: Any) -> str:
    if not isinstance(given, Annotation):
        return type(given).__name__
    try:
        inner = str(numba.typeof(native(given.val)))
    except ValueError:
        inner = type(given.val).__name__
    return f"{type(given).__name__}[{'function' if callable(given.val) else inner}]"


def key(arg: Any) -> Any:
    """What tells types of annotated values apart, fast."""
    value = arg.val
    kind = type(value)
    if kind in SCALARS:
        return kind
    try:
        if isinstance(arg, Active | Const):
            return compute_fingerprint(value)
        return compute_fingerprint((value, arg.dval))
    except (NotImplementedError, TypeError, ValueError):
        return key_of(value)


def _head(name: str, count: int, tail: Sequence[str]) -> list[str]:
    """The first lines of a thunk's function: it takes what is right and refuses the rest."""
    names = [f"a{i}" for i in range(count)]
    lines = [
        f"def {name}(*given):",
        f"    if len(given) != {1 + count + len(tail)}:",
        f"        refuse(given, {tuple(tail)!r})",
        f"    {', '.join(['f', *names, *tail])}{',' * (not names and not tail)} = given",
        "    if type(f) is not Const or f.val is not function and not function_is_right(f):",
        f"        refuse(given, {tuple(tail)!r})",
    ]
    for i in range(count):
        lines += [
            f"    if type(a{i}) is not class{i} or key(a{i}) not in accepted{i}:",
            f"        check(given, {i})",
        ]
    return lines


def _scope(program: Program) -> dict[str, Any]:
    checker = _Checker(program)
    scope: dict[str, Any] = {
        "Const": Const,
        "key": key,
        "native": native,
        "function": checker.function,
        "function_is_right": checker.function_is_right,
        "refuse": checker.refuse,
        "check": checker.check,
        "ArgumentsOverlap": ArgumentsOverlap,
    }
    for i, cls in enumerate(checker.signature.annotations):
        scope[f"class{i}"], scope[f"accepted{i}"] = cls, checker.accepted[i]
    return scope


def _compiled(lines: Sequence[str], scope: dict[str, Any], program: Program) -> Callable[..., Any]:
    source = "\n".join(lines) + "\n"
    name = lines[0].split("(")[0].removeprefix("def ")
    file = generated_file(f"{name} thunk of {program.primal.name}")
    exec(compile(source, file, "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made


def _forward_thunk(program: Program) -> Callable[..., Any]:
    """The function of a forward thunk."""
    from enzyme.api.caller import make_call

    count = len(program.signature.annotations)
    scope = _scope(program)
    calls: list[Any] = []

    def call(*args: Any) -> Any:
        if not calls:
            with global_compiler_lock:
                if not calls:
                    calls.append(make_call(program, args, False))
        return calls[0](*args)

    scope["call"] = call
    names = ", ".join(f"a{i}" for i in range(count))
    return _compiled([*_head("forward", count, ()), f"    return call({names})"], scope, program)


class SplitThunk:
    """The two functions of a split thunk, and the class of its tapes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signature = program.signature
        distinct = program.can_be_distinct
        self.first = program.split_thunks(distinct)
        self._second = None if distinct else self.first
        plan = self.first[0].plan
        self.has_tape = plan.has_tape
        namespace = {"__slots__": (), "thunk": self, "__doc__": Tape.__doc__}
        name = f"TapeOf_{program.primal.py_func.__name__}"
        self.tape_class = type(name, (Tape,), namespace) if self.has_tape else type(None)
        self.forward = self._make_forward()
        self.reverse = self._make_reverse()

    def without_promise(self, annotations: tuple[Any, ...]) -> Any:
        """The pair that promises nothing about overlap, after a close look at the arguments."""
        try:
            examine(self.program, annotations)
        except EnzymeError as error:
            raise place(error, call_site()) from None
        with global_compiler_lock:
            if self._second is None:
                self._second = self.program.split_thunks(False)
        return self._second

    def _operands(self, count: int, source: str) -> str:
        """The flat arguments of the native calls, without seed and tape."""
        words = []
        for role, index in self.first[0].plan.parameters:
            text = f"{source}{index}.{'val' if role == 'primal' else 'dval'}"
            dispatched = isinstance(self.signature.argtypes[index], types.FunctionType)
            words.append(f"native({text})" if dispatched else text)
        return ", ".join(words)

    def _make_forward(self) -> Callable[..., Any]:
        count = len(self.signature.annotations)
        names = "".join(f"a{i}, " for i in range(count))
        scope = _scope(self.program)
        plan = self.first[0].plan
        scope.update(
            entry=self.first[0].entry,
            pair=self.first,
            without_promise=self.without_promise,
            Tape=self.tape_class,
            check_containers=check_containers,
            writes=self.program.writes,
        )
        lines = _head("forward", count, ())
        if any(map(holds_container, self.signature.argtypes)):
            lines.append(f"    check_containers(({names}), writes)")
        given = self._operands(count, "a")
        lines += [
            "    used = pair",
            "    try:",
            f"        r = entry({given})",
            "    except ArgumentsOverlap:",
            f"        used = without_promise(({names}))",
            f"        r = used[0].entry({given})",
        ]
        found = {"tape": "None", "primal": "None", "shadow": "None"}
        for position, (role, _) in enumerate(plan.results):
            value = f"r[{position}]"
            if role == "tape":
                found[role] = f"Tape({value}, ({names}), used)"
                continue
            convert = converter(plan.restype)
            if convert is not None:
                scope["convert"] = convert
                value = f"convert({value})"
            found[role] = value
        result = self.program.result
        primal = found["primal"] if result.primal else "None"
        shadow = found["shadow"] if result.shadow else "None"
        lines.append(f"    return ({found['tape']}, {primal}, {shadow})")
        return _compiled(lines, scope, self.program)

    def _make_reverse(self) -> Callable[..., Any]:
        count = len(self.signature.annotations)
        plan = self.first[1].plan
        tail = ["seed"] * plan.seeded + ["tape"]
        scope = _scope(self.program)
        scope.update(
            entry=self.first[1].entry,
            TapeClass=self.tape_class,
            same_shadow=same_shadow,
            wrong_shadow=_wrong_shadow,
        )
        lines = _head("reverse", count, tail)
        if plan.seeded:
            scope["seed_of"] = _seed_converter(plan.restype)
            lines += [
                "    try:",
                "        seed = seed_of(seed)",
                "    except (TypeError, ValueError):",
                f"        refuse(given, {tuple(tail)!r})",
            ]
        lines += ["    if type(tape) is not TapeClass:", f"        refuse(given, {tuple(tail)!r})"]
        source = "a"
        if self.has_tape:
            source = "h"
            names = "".join(f"h{i}, " for i in range(count))
            if names:
                lines.append(f"    {names}= tape.held")
            for i, activity in enumerate(self.signature.activities):
                if activity.has_shadow:
                    lines += [
                        f"    if a{i}.dval is not h{i}.dval and not same_shadow(a{i}.dval, h{i}.dval):",
                        f"        wrong_shadow({i})",
                    ]
            lines.append("    entry = tape.pair[1].entry")
        given = self._operands(count, source)
        operands = [given] * bool(given) + ["seed"] * plan.seeded
        operands += ["tape.take()"] * self.has_tape
        values = {}
        for position, (_, index) in enumerate(plan.results):
            value = f"r[{position}]"
            convert = converter(plan.argtypes[index])
            if convert is not None:
                scope[f"convert{index}"] = convert
                value = f"convert{index}({value})"
            values[index] = value
        entries = "".join(
            f"{values[i] if a is Activity.ACTIVE else None}, "
            for i, a in enumerate(self.signature.activities)
        )
        lines += [f"    r = entry({', '.join(operands)})", f"    return (({entries}),)"]
        if self.has_tape:
            lines = [line.replace("    entry = tape", "    entry = tape") for line in lines]
        return _compiled(lines, scope, self.program)


def _seed_converter(restype: types.Type) -> Callable[[Any], Any]:
    """A function that makes a seed of the type that native code takes, or raises TypeError."""
    if isinstance(restype, types.Float):
        return float
    if isinstance(restype, types.Complex):
        return complex

    def convert(seed: Any) -> Any:
        if isinstance(restype, types.BaseTuple) and isinstance(seed, tuple):
            members = zip(restype.types, seed, strict=True)
            made = [_seed_converter(member)(value) for member, value in members]
            cls = getattr(restype, "instance_class", None)
            return cls(*made) if cls not in (None, tuple) else tuple(made)
        if numba.typeof(seed) != restype:
            raise TypeError(f"a seed is of type {restype}")
        return seed

    return convert


def same_shadow(given: Any, held: Any) -> bool:
    """Is the shadow in another object the same memory?"""
    one, other = dict(arrays_in(given)), dict(arrays_in(held))
    if not one or one.keys() != other.keys():
        return False
    return all(_place(one[path]) == _place(other[path]) for path in one)


def _place(x: np.ndarray) -> tuple[Any, ...]:
    return x.__array_interface__["data"][0], x.shape, x.strides, x.dtype


def _wrong_shadow(position: int) -> None:
    raise ShadowLayoutError(
        what=f"argument {position} has another shadow than in the forward call of this tape",
        why="the reverse call goes on with the memory of the forward call",
        todo="pass the same annotations to both calls",
        where=call_site(),
    )
