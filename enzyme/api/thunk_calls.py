"""The functions that users of a thunk call, written as source for each thunk.

They check that annotations are of the types that the thunk was compiled for, fast for what was seen before, take
values and shadows out, call native code, and put the results together.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any

import numba
from numba.core import types
from numba.core.errors import NumbaError

from enzyme.api.caller import converter, for_batch, make_call, operand, result_source, taken
from enzyme.api.containers import check_containers, places_of
from enzyme.api.guards import guard
from enzyme.api.mixed import add_adjoints, contents, ref_to
from enzyme.api.overlaps import examine
from enzyme.api.places import call_site, generated_file, place, shown
from enzyme.api.seeds import (
    batch_of_seeds,
    check_places,
    only_seed,
    same_content,
    same_shadow,
    seed_converter,
    seed_is_known,
    wrong_seed,
    wrong_shadow,
)
from enzyme.api.tapes import tape_class
from enzyme.api.values import jitted, key_of, native, pair_key, spread
from enzyme.contract import layout as layouts
from enzyme.contract.kinds import BATCH, MIXED, holds_container
from enzyme.contract.signature import Signature, check_shadow, check_writable
from enzyme.engine.analysis.kinds import Activity
from enzyme.errors import (
    EnzymeConstStorageError,
    EnzymeError,
    ThunkCallError,
)
from enzyme.frontend.numba_compat.compilers import global_compiler_lock
from enzyme.frontend.visible import ArgumentsOverlap
from enzymecore import (
    Active,
    Annotation,
    BatchMixedDuplicated,
    Const,
    named_shadows,
)

if TYPE_CHECKING:
    from enzyme.api.compile import Program


def wrong_call(name: str, expected: Sequence[str], found: Sequence[str]) -> ThunkCallError:
    """The error for arguments of a wrong number or type; both are shown position by position."""
    return ThunkCallError(
        what=f"a thunk of {name} takes ({', '.join(expected)}), not ({', '.join(found)})",
        why="the order is: function, arguments, seed of the active return, tape",
        expected=tuple(expected),
        found=tuple(found),
    )


class _Checker:
    """Are the annotations of a call those that a thunk was compiled for?"""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signature: Signature = program.signature
        self.function = program.function
        self.accepted: list[set[Any]] = [set() for _ in self.signature.annotations]

    def function_is_right(self, annotation: Any) -> bool:
        if type(annotation) is not Const:
            return False
        func = annotation.val
        count = len(self.signature.annotations)
        if func is self.function or spread(jitted(func, count), count) is self.function:
            return True
        if func is getattr(self.function, "py_func", None):
            raise ThunkCallError(
                what=f"{shown(self.function)} reads global values that have changed since this thunk was compiled",
                todo=(
                    "make the thunk again with autodiff_thunk",
                    "or pass what changes as an argument",
                ),
                where=call_site(),
            )
        return False

    def check(self, given: Sequence[Any], position: int) -> None:
        """Look at one argument closely; what is right is found faster the next time."""
        arg = given[position + 1]
        if type(arg) is not self.signature.annotations[position]:
            self.refuse(given)
        try:
            found = numba.typeof(native(arg.val))
        except (NumbaError, ValueError):
            found = None
        if found != self.signature.argtypes[position]:
            self.refuse(given)
        if not isinstance(arg, Active | Const):
            if len(list(named_shadows(arg))) != self.signature.width:
                self.refuse(given)
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
        name, width = shown(self.function), signature.width
        pairs = zip(signature.annotations, signature.argtypes, strict=True)
        expected = (f"Const[{name}]", *(_in_brackets(cls, ty, width) for cls, ty in pairs))
        expected += tuple(
            f"tuple of {width} seeds" if t == "seed" and width > 1 else t for t in tail
        )
        found = tuple(map(_shown, given))
        if found and found[0] == expected[0] and not self.function_is_right(given[0]):
            found = (f"Const[another function {name}]", *found[1:])
        raise place(wrong_call(name, expected, found), call_site())


def _in_brackets(cls: type, inner: Any, width: int) -> str:
    """An annotation class with its parameters."""
    count = f", {width}" if issubclass(cls, BATCH) else ""
    return f"{cls.__name__}[{inner}{count}]"


def _shown(given: Any) -> str:
    if not isinstance(given, Annotation):
        return f"tuple of {len(given)}" if type(given) is tuple else type(given).__name__
    try:
        inner = shown(given.val) if callable(given.val) else str(numba.typeof(native(given.val)))
    except (NumbaError, ValueError):
        inner = type(given.val).__name__
    return _in_brackets(type(given), inner, len(list(named_shadows(given))))


def key(arg: Any) -> Any:
    """What tells types of annotated values apart: of the value and of every shadow."""
    if isinstance(arg, Active | Const):
        return key_of(arg.val)
    return pair_key(arg.val, arg.dval)


def _words(stem: str, count: int) -> list[str]:
    return [f"{stem}{i}" for i in range(count)]


def _listed(words: Sequence[str]) -> str:
    """For a tuple of any length."""
    return "".join(f"{word}, " for word in words)


def _head(signature: Signature, name: str, tail: Sequence[str], scope: dict[str, Any]) -> list[str]:
    """The first lines of a thunk's function: it takes what is right and refuses the rest."""
    count = len(signature.annotations)
    names = _words("a", count)
    lines = [
        f"def {name}(self, *given):",
        f"    if len(given) != {1 + count + len(tail)}:",
        f"        refuse(given, {tuple(tail)!r})",
        f"    {', '.join(['f', *names, *tail])}{',' * (not names and not tail)} = given",
        "    if type(f) is not Const or f.val is not function and not function_is_right(f):",
        f"        refuse(given, {tuple(tail)!r})",
    ]
    for i, (cls, ty) in enumerate(zip(signature.annotations, signature.argtypes, strict=True)):
        seen = f"key(a{i}) in accepted{i}"
        quick = guard(cls, ty, f"a{i}", scope)
        known = f"({quick} or {seen})" if quick else seen
        lines += [
            f"    if not (type(a{i}) is class{i} and {known}):",
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


def checked_function(
    program: Program, name: str, tail: Sequence[str], call: Callable[..., Any]
) -> Callable[..., Any]:
    """A function that checks its arguments and passes them on, all but the function."""
    scope = _scope(program)
    scope["call"] = call
    names = _listed([*_words("a", len(program.signature.annotations)), *tail])
    lines = [*_head(program.signature, name, tail, scope), f"    return call({names})"]
    return _compiled(lines, scope, program)


def forward_thunk(program: Program) -> Callable[..., Any]:
    """The function of a forward thunk; its first call compiles."""

    def first_call(*args: Any) -> Any:
        scope = made.__globals__
        with global_compiler_lock:
            if scope["call"] is first_call:
                scope["call"] = make_call(program, args, False)
        return scope["call"](*args)

    made = checked_function(program, "forward", (), first_call)
    return Part.mark(made, program, "derivative")


class Bound(partial):  # type: ignore[type-arg]
    """A function of a thunk, bound to what it is pickled by. Methods will not do: some packages pickle their code."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        return getattr, (self.args[0], self.func.__enzyme_part__.name)  # type: ignore[attr-defined]


def _bound(function: Callable[..., Any], owner: ThunkFunctions) -> Bound:
    bound = Bound(function, owner)
    update_wrapper(bound, function)
    return bound


class ThunkFunctions:
    """The functions of a thunk, which are bound to this: so they are pickled by what the thunk was made of.

    `reverse` is None where there is one function.
    """

    def __init__(self, thunk: Any, again: Callable[[], tuple[Any, ...]]) -> None:
        self.thunk = thunk
        self._again = again
        pair = hasattr(thunk, "reverse")
        self.forward = _bound(thunk.forward if pair else thunk, self)
        self.reverse = _bound(thunk.reverse, self) if pair else None

    @property
    def made(self) -> Any:
        """What the user gets."""
        return self.forward if self.reverse is None else (self.forward, self.reverse)

    def __reduce__(self) -> Any:
        return self._again()


@dataclass(frozen=True, slots=True)
class Part:
    """What a function belongs to: a split thunk, or the program of a forward thunk."""

    thunk: Any
    part: str

    @property
    def name(self) -> str:
        """The name of the function among those of its thunk."""
        return "reverse" if self.part == "reverse" else "forward"

    @staticmethod
    def mark(function: Callable[..., Any], thunk: Any, part: str) -> Callable[..., Any]:
        function.__enzyme_part__ = Part(thunk, part)  # type: ignore[attr-defined]
        return function


class SplitThunk:
    """The two functions of a split thunk, and the class of its tapes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signature = program.signature
        distinct = program.can_be_distinct
        self.first = program.split_thunks(distinct)
        self._second = None if distinct else self.first
        if distinct and not self.first[0].plan.has_tape and program.overlap_matters:
            with suppress(EnzymeConstStorageError):  # said where arguments overlap
                self._second = program.split_thunks(False)
            if self._second is not None and self._second[0].plan.has_tape:
                self.first = self._second  # one thunk, one kind of tape
        self.has_tape = self.first[0].plan.has_tape
        self.has_containers = any(map(holds_container, self.signature.argtypes))
        name = f"TapeOf_{program.primal.py_func.__name__}"
        self.tape_class = tape_class(name, self) if self.has_tape else type(None)
        self.forward = Part.mark(self._make_forward(), self, "forward")
        self.reverse = Part.mark(self._make_reverse(), self, "reverse")
        self.compiled: Any = None  # its form in jitted code

    def without_promise(self, annotations: tuple[Any, ...]) -> Any:
        """The pair that promises nothing about overlap, after a close look at the arguments."""
        try:
            examine(self.program, annotations)
        except EnzymeError as error:
            raise place(error, call_site()) from None
        with global_compiler_lock:
            if self._second is None:
                self._second = self.program.split_thunks(False)
        assert self._second[0].plan.has_tape is self.has_tape
        return self._second

    def _operands(self, count: int, source: str) -> str:
        """The flat arguments of the native calls, without seed and tape."""
        words = []
        for role, index in self.first[0].plan.parameters:
            if index < 0:
                continue
            cls = self.signature.annotations[index]
            text = operand(cls, role, f"{source}{index}", self.signature.width)
            dispatched = isinstance(self.signature.argtypes[index], types.FunctionType)
            words.append(f"native({text})" if dispatched else text)
        return ", ".join(words)

    @property
    def _mixed(self) -> list[int]:
        """The positions of mixed arguments."""
        return [i for i, cls in enumerate(self.signature.annotations) if issubclass(cls, MIXED)]

    def _make_forward(self) -> Callable[..., Any]:
        count = len(self.signature.annotations)
        names = _listed(_words("a", count))
        scope = _scope(self.program)
        plan = self.first[0].plan
        width = self.signature.width
        scope.update(
            entry=self.first[0].entry,
            address=self.first[0].address,
            pair=self.first,
            without_promise=self.without_promise,
            Tape=self.tape_class,
            check_containers=partial(check_containers, writes=self.program.writes),
            places_of=places_of,
            contents=contents,
            ref_to=ref_to,
        )
        lines = _head(self.signature, "forward", (), scope)
        if self.has_containers:
            lines.append(f"    check_containers(({names}))")
        lines += taken(self.signature.annotations, _words("a", count))
        given = self._operands(count, "a")
        lines += [
            "    used = pair",
            "    try:",
            f"        r = entry(address, {given})",
            "    except ArgumentsOverlap:",
            f"        used = without_promise(({names}))",
            f"        r = used[0].entry(used[0].address, {given})",
        ]
        values = {}
        mixed = self.program.result.activity is Activity.MIXED
        for position, (role, index) in enumerate(plan.results):
            value = f"r[{position}]"
            if role == "tape":
                places = f"places_of(({names}))" if self.has_containers else "()"
                kept = _listed([f"ma{i}" for i in self._mixed])
                at = next((k for k, (r, _) in enumerate(plan.results) if r == "shadow"), None)
                if mixed and at is not None:
                    kept += f"r[{at}], "
                value = f"Tape({value}, ({names}), used, {places}, ({kept}))"
            else:
                convert = converter(plan.given_type)
                if role == "shadow":
                    convert = for_batch(convert, width)
                if convert is not None:
                    scope[f"convert_{role}"] = convert
                    value = f"convert_{role}({value})"
                if role == "shadow" and mixed:
                    value = f"ref_to({value})" if width == 1 else f"tuple(map(ref_to, {value}))"
            values[layouts.Part(role, index)] = value
        layout = layouts.of_augmented(self.signature, self.program.result, self.has_tape)
        lines.append(f"    return {result_source(layout, values)}")
        return _compiled(lines, scope, self.program)

    def _make_reverse(self) -> Callable[..., Any]:
        count = len(self.signature.annotations)
        plan = self.first[1].plan
        tail = ["seed"] * plan.seeded + ["tape"]
        scope = _scope(self.program)
        scope.update(
            entry=self.first[1].entry,
            address=self.first[1].address,
            TapeClass=self.tape_class,
            same_shadow=same_shadow,
            same_content=same_content,
            wrong_shadow=wrong_shadow,
            wrong_seed=wrong_seed,
            check_containers=partial(check_containers, writes=self.program.writes),
            check_places=check_places,
            without_promise=self.without_promise,
            contents=contents,
            add_adjoints=add_adjoints,
        )
        lines = _head(self.signature, "reverse", tail, scope)
        if plan.seeded:
            lines += self._seed_lines(scope, tail)
        lines += ["    if type(tape) is not TapeClass:", f"        refuse(given, {tuple(tail)!r})"]
        if self.has_tape:
            lines += self._lines_with_tape(count)
        else:
            lines += self._lines_without_tape(count, scope)
        given = self._operands(count, "h" if self.has_tape else "a")
        operands = [given] * bool(given) + ["seed"] * plan.seeded
        operands += ["tape.take()"] * self.has_tape
        given = ", ".join(operands)
        if self.has_tape:
            lines.append(f"    r = entry(tape.pair[1].address, {given})")
        else:
            lines += [
                "    try:",
                f"        r = entry(address, {given})",
                "    except ArgumentsOverlap:",
                f"        used = without_promise(({_listed(_words('a', count))}))[1]",
                f"        r = used.entry(used.address, {given})",
            ]
        values = self._derivatives(scope)
        for i in self._mixed:
            one = plan.width == 1 and self.signature.annotations[i] is BatchMixedDuplicated
            lines.append(f"    add_adjoints(a{i}, {f'({values[i]},)' if one else values[i]})")
        adjoints = {layouts.Part("adjoint", i): value for i, value in values.items()}
        lines.append(f"    return {result_source(layouts.of_reverse(self.signature), adjoints)}")
        return _compiled(lines, scope, self.program)

    def _seed_lines(self, scope: dict[str, Any], tail: Sequence[str]) -> list[str]:
        plan = self.first[1].plan
        convert = batch_of_seeds(seed_converter(plan.restype), plan.width)
        if plan.width == 1 and issubclass(self.signature.return_activity, BatchMixedDuplicated):
            convert = only_seed(convert)
        scope["seed_of"] = convert
        return [
            "    try:",
            "        seed = seed_of(seed)",
            "    except (TypeError, ValueError):",
            f"        refuse(given, {tuple(tail)!r})",
        ]

    def _lines_with_tape(self, count: int) -> list[str]:
        """The arguments are those of the forward call, `h0` ..., which the tape holds."""
        names = _listed(_words("h", count))
        lines = [f"    {names}= tape.held"] if names else []
        for i, activity in enumerate(self.signature.activities):
            if activity.has_shadow or activity is Activity.MIXED:
                differ = f"a{i}.dval is not h{i}.dval"
                if activity is not Activity.MIXED:
                    differ += f" and not same_shadow(a{i}.dval, h{i}.dval)"
                lines += [f"    if {differ}:", f"        wrong_shadow({i})"]
        if self.has_containers:
            lines.append(f"    check_places(tape, ({names}))")
        for k, i in enumerate(self._mixed):
            lines += [
                f"    mh{i} = tape.contents[{k}]",
                f"    if not same_content(contents({i}, a{i}), mh{i}):",
                f"        wrong_shadow({i})",
            ]
        if self.program.result.activity is Activity.MIXED:
            lines += [
                "    if not same_content(seed, tape.contents[-1]):",
                "        wrong_seed()",
            ]
        return lines

    def _lines_without_tape(self, count: int, scope: dict[str, Any]) -> list[str]:
        names = _listed(_words("a", count))
        lines = [f"    check_containers(({names}))"] if self.has_containers else []
        if self.program.result.activity is Activity.MIXED:
            scope["seed_is_known"] = seed_is_known
            lines += [f"    if not seed_is_known(seed, ({names})):", "        wrong_seed()"]
        return lines + taken(self.signature.annotations, _words("a", count))

    def _derivatives(self, scope: dict[str, Any]) -> dict[int, str]:
        """What gives the derivative of each position, from the results `r` of the native call."""
        plan = self.first[1].plan
        values = {}
        for position, (_, index) in enumerate(plan.results):
            values[index] = f"r[{position}]"
            convert = for_batch(converter(plan.argtypes[index]), plan.width)
            if convert is not None and index not in self._mixed:
                scope[f"convert{index}"] = convert
                values[index] = f"convert{index}({values[index]})"
        return values
