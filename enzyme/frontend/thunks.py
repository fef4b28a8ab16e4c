"""A compiled derivative as Python calls it, made from machine code: of this process, or of another one.

What stands in a record runs in any process with the same versions on the same processor: an object file that calls
what it needs by name, and the wrapper for its types.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any

from enzyme.backend import symbols
from enzyme.backend.objects import LoadedObject
from enzyme.frontend import named_calls, runtime_pieces
from enzyme.frontend.numba_compat.executable import fill_environment
from enzyme.frontend.plans import CallPlan
from enzyme.frontend.roomy import roomy
from enzyme.frontend.wrapped import Wrapper, WrapperCode
from enzymecore.record import record

_logger = logging.getLogger("enzyme")
# Names that are known in one process only: of Python objects, of addresses, of errors that a derivative raises late.
_BOUND = re.compile(r"enzyme\.object\.|numba\.dynamic\.globals|_ZN\d|enzyme_refuse|enzyme_nan_")


@record
class ElementaryCode:
    """Machine code of elementary functions, and their names and types."""

    defined: tuple[tuple[str, str], ...]
    loaded: LoadedObject


# By the symbols that they define.
elementary: dict[str, ElementaryCode] = {}


def register_elementary(code: ElementaryCode) -> None:
    """Let the JIT find elementary functions, unless it does."""
    for name, shape in code.defined:
        if name not in elementary:
            elementary[name] = code
            symbols.register(name, code.loaded.get_pointer_to_function(name), shape)


def bound_to_process(called: Iterable[str], names: Iterable[str]) -> str:
    """What binds code that calls these functions to its process; "" if nothing does. `names` are of this process."""
    found = {name for name in called if not named_calls.is_known(name)}
    return next((n for n in sorted(found) if _BOUND.match(n)), "") or min(
        found.intersection(names), default=""
    )


# Names of places in loaded code, and the Python objects that a function finds there.
Environments = tuple[tuple[str, tuple[Any, ...]], ...]
_kept: list[Any] = []


def fill_environments(loaded: LoadedObject, environments: Environments) -> None:
    """Give loaded code the environments of its functions, for as long as the process lives."""
    for name, constants in environments:
        _kept.append(fill_environment(loaded.place_of(name), constants))


@record
class Code:
    """Machine code of a derivative: what it calls, which pieces have it, what binds it to its process, and its cost.

    `size` is the length of the derivative as text, `text` the optimised module, where it was asked for.
    """

    loaded: LoadedObject
    called: tuple[str, ...]
    pieces: tuple[str, ...]
    environments: Environments
    bound: str
    size: int
    stages: dict[str, float]
    text: str = ""


@record
class Thunk:
    """A compiled derivative.

    `entry` takes its `address` and the flat arguments in the order of `plan.parameters`, which must be of exactly
    `plan.flat_types`, and returns the tuple that `plan.results` describes. `dispatcher` is the same with a check of
    types, like any jitted function.
    """

    address: int
    entry: Callable[..., Any]
    plan: CallPlan
    stages: dict[str, float]
    code: Code = field(repr=False)
    wrapper: Wrapper = field(repr=False)
    keepalive: Any = field(repr=False, compare=False, default=())

    @property
    def dispatcher(self) -> Callable[..., Any]:
        return self.wrapper.dispatcher

    @property
    def derivative_text(self) -> str:
        return self.code.text

    def call(self, *args: Any) -> Any:
        """The derivative of flat arguments, whose types are checked."""
        return self.dispatcher(self.address, *args)


def make_thunk(
    plan: CallPlan, code: Code, wrapper: Wrapper, keepalive: Any = (), seconds: float = 0.0
) -> Thunk:
    """The function `plan.symbol` of loaded code, as Python calls it; the wrapper took `seconds`."""
    return Thunk(
        address=code.loaded.get_pointer_to_function(plan.symbol),
        entry=roomy(wrapper.entry, code.size),
        plan=plan,
        stages={**code.stages, "wrapper": seconds},
        code=code,
        wrapper=wrapper,
        keepalive=keepalive,
    )


# Records ------------------------------------------------------------------------------------------


@record
class Needs:
    """What kept machine code calls: functions by name, pieces that have some, elementary functions and functions of
    numba that come along."""

    called: tuple[str, ...]
    pieces: tuple[str, ...]
    elementary: tuple[tuple[tuple[tuple[str, str], ...], bytes], ...]
    named: named_calls.Kept = ()

    def provide(self) -> list[str]:
        """Let the JIT find all of it; what is not there."""
        runtime_pieces.register(self.called, self.pieces)
        named_calls.provide(self.named)
        missing = symbols.missing(self.called)
        for defined, data in () if missing else self.elementary:
            if any(name not in elementary for name, _ in defined):
                register_elementary(ElementaryCode(defined, LoadedObject(data)))
        return missing


def needs_of(called: Iterable[str], pieces: Iterable[str]) -> Needs:
    """What code needs that calls these functions, some of which are in these pieces."""
    names = sorted(set(called))
    functions = {id(elementary[n]): elementary[n] for n in names if n in elementary}
    return Needs(
        called=tuple(name for name in names if name not in elementary),
        pieces=tuple(pieces),
        elementary=tuple((f.defined, f.loaded.data) for f in functions.values()),
        named=named_calls.kept(names),
    )


@record
class ThunkRecord:
    """One thunk, or the two of split mode, as they are kept."""

    data: bytes
    needs: Needs
    environments: Environments
    size: int
    parts: tuple[tuple[CallPlan, WrapperCode, bool], ...]


def record_of(thunks: Sequence[Thunk], nogil: bool) -> ThunkRecord:
    """What is kept of thunks that share their machine code, which must not be bound to its process."""
    code = thunks[0].code
    assert not code.bound and all(thunk.code is code for thunk in thunks)
    return ThunkRecord(
        data=code.loaded.data,
        needs=needs_of(code.called, code.pieces),
        environments=code.environments,
        size=code.size,
        parts=tuple((thunk.plan, thunk.wrapper.code, nogil) for thunk in thunks),
    )


def thunks_of(record: ThunkRecord) -> tuple[Thunk, ...] | None:
    """The thunks of a record; None if something that they call is not there."""
    wrapped = [name for _, wrapper, _ in record.parts for name in wrapper.called]
    missing = record.needs.provide() or symbols.missing(wrapped)
    if missing:
        _logger.debug("a derivative is not taken from disk: there is no %s", ", ".join(missing))
        return None
    loaded = LoadedObject(record.data)
    fill_environments(loaded, record.environments)
    needs = record.needs
    code = Code(loaded, needs.called, needs.pieces, record.environments, "", record.size, stages={})
    return tuple(
        make_thunk(plan, code, Wrapper(plan, wrapper, nogil))
        for plan, wrapper, nogil in record.parts
    )
