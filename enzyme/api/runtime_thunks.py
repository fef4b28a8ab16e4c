"""Thunks with runtime activity: which arguments are constant is seen in each call, and decides which thunk it gets.

Each combination of constants is a thunk of its own, made from the types when it first occurs; a tape knows its own.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from enzyme.api.places import call_site, place
from enzyme.api.runtime import (
    constants_promoted,
    named_constants,
    places_of_constants,
    restored,
    without_constants,
)
from enzyme.api.seeds import same_shadow, wrong_shadow
from enzyme.api.tapes import TapeClass
from enzyme.api.thunk_calls import checked_function
from enzyme.contract.tapes import no_travelling, other_tape, used_tape
from enzyme.engine.analysis.kinds import Activity
from enzyme.errors import EnzymeRuntimeActivityError
from enzymecore import Annotation, Const, clear_err_if_const_written, clear_runtime_activity, typeof

if TYPE_CHECKING:
    from enzyme.api.compile import Program

# Gives the thunk of a mode, for the types of annotations.
Find = Callable[[Any, tuple[Any, ...]], Any]


def runtime_forward_thunk(program: Program, run: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a forward thunk; `run` is `autodiff` with runtime activity, behind the function."""
    return checked_function(program, "forward", (), run)


class _RuntimeTape(metaclass=TapeClass):
    """What one augmented call keeps: the tape of its thunk, and what stands for its arguments there."""

    __slots__ = ("__weakref__", "_left", "given", "inner", "pair", "passed")
    thunk: Any = None

    def __init__(self, given: tuple[Any, ...], passed: tuple[Any, ...], pair: Any, inner: Any):
        self.given = given
        self.passed = passed
        self.pair = pair
        self.inner = inner
        self._left = [None]

    def take(self) -> None:
        """Use the tape, once."""
        try:
            self._left.pop()
        except IndexError:
            raise used_tape() from None

    @property
    def nbytes(self) -> int:
        """Bytes that the tape keeps; 0 when it has been used."""
        return getattr(self.inner, "nbytes", 0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {f'{self.nbytes} bytes' if self._left else 'used'}>"

    def __reduce__(self) -> Any:
        raise no_travelling()


class RuntimeSplit:
    """The two functions of a split thunk, and the class of its tapes."""

    def __init__(self, program: Program, mode: Any, find: Find) -> None:
        self.program = program
        self.signature = program.signature
        self.find = find
        self.plain = clear_runtime_activity(mode)
        # What the caller calls constant may be written: nothing of it is differentiated.
        self.careless = clear_err_if_const_written(self.plain)
        self._promoted: dict[tuple[type, ...], set[int]] = {}
        name = f"TapeOf_{program.primal.py_func.__name__}"
        self.tape_class = TapeClass(name, (_RuntimeTape,), {"__slots__": (), "thunk": self})
        seeded = program.result.activity in (Activity.ACTIVE, Activity.MIXED)
        tail = (*["seed"] * seeded, "tape")
        self.forward = checked_function(program, "forward", (), self._forward)
        self.reverse = checked_function(program, "reverse", tail, self._reverse)

    def _forward(self, *args: Any) -> Any:
        found = [without_constants(arg) for arg in args]
        constant = any(isinstance(new, Const) and new is not arg for new, arg in zip(found, args))
        mode = self.careless if constant else self.plain
        promoted = self._promoted.setdefault(tuple(map(type, found)), set())
        while True:
            passed, scratch = constants_promoted(found, promoted, self.signature.width, False)
            try:
                pair = self.find(mode, tuple(map(_type_of, passed)))
            except EnzymeRuntimeActivityError as error:
                more = named_constants(error, self.program.function, passed) - promoted
                if not more:
                    raise
                promoted |= more
                continue
            break
        function = Const(self.program.function)
        tape, primal, shadow = pair.forward(function, *passed)
        if self.program.result.activity is not Activity.MIXED:
            shadow = restored(shadow, places_of_constants(scratch))
        return self.tape_class(args, tuple(passed), pair, tape), primal, shadow

    def _reverse(self, *given: Any) -> Any:
        *rest, tape = given
        count = len(self.signature.annotations)
        args, seeds = rest[:count], rest[count:]
        if type(tape) is not self.tape_class:
            raise place(other_tape(type(tape).__name__), call_site())
        for position, (arg, held) in enumerate(zip(args, tape.given, strict=True)):
            if not _same(arg, held):
                wrong_shadow(position)
        tape.take()
        return tape.pair.reverse(Const(self.program.function), *tape.passed, *seeds, tape.inner)


def _same(given: Annotation, held: Annotation) -> bool:
    if not hasattr(held, "dval"):
        return True
    return given.dval is held.dval or same_shadow(given.dval, held.dval)


def _type_of(arg: Annotation) -> Any:
    """The annotation class of a value."""
    described = typeof(arg.val)
    if "N" in arg._parameter_names:
        return type(arg)[described, len(arg.dval)]
    return type(arg)[described]
