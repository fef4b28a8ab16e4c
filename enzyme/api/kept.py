"""Programs whose derivatives are on disk, or shall be.

A program is found by the digest of its function and of the call. On disk are the few facts that callers ask for, and
machine code. For anything else the program is compiled, when it is asked for.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from enzyme.api import settings
from enzyme.api.dependents import note
from enzyme.contract.results import Return
from enzyme.contract.signature import Signature, check_writable
from enzyme.disk import made_by, records, switch
from enzyme.disk.captured import Captured
from enzyme.disk.fingerprint import Fingerprint, Unknown
from enzyme.disk.store import Store
from enzyme.frontend import pieces
from enzyme.frontend.numba_compat.callables import global_compiler_lock, is_cached
from enzyme.frontend.numba_compat.contents import add_extensions
from enzyme.frontend.thunks import Thunk, ThunkRecord, record_of, thunks_of
from enzyme.support.per_function_cache import PerFunctionCache
from enzyme.support.watching import is_watched
from enzymecore.record import record

_logger = logging.getLogger("enzyme")
Variant = tuple[str, bool]


@dataclass
class KeptPrimal:
    """What callers ask of the primal; for anything else it is compiled by `program`."""

    name: str
    argtypes: tuple[Any, ...]
    restype: Any
    optional: bool
    nogil: bool
    py_func: Any = None
    program: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or self.program is None:
            raise AttributeError(name)
        return getattr(self.program().primal, name)


@record
class Facts:
    """What callers ask of a program."""

    primal: KeptPrimal
    result: Return
    can_be_distinct: bool
    overlap_matters: bool
    written: tuple[bool, ...]


@dataclass
class Place:
    """Where the derivatives of one program are: the store, the key, and what the program has that records refer to."""

    store: Store
    key: str
    known: list[Any]
    again: Callable[[], str] = field(repr=False)
    functions: tuple[Any, ...] = field(repr=False, default=())

    def read(self) -> tuple[Facts, dict[Variant, ThunkRecord]] | None:
        """What is kept of the program."""
        data = self.store.read(self.key)
        if data is None:
            return None
        try:
            facts, thunks = records.read(data, self.known)
            if not isinstance(facts, Facts) or not isinstance(thunks, dict):
                raise TypeError("it holds something else")
        except Exception as error:
            _logger.warning("%s in %s is not understood: %s", self.key, self.store.folder, error)
            return None
        return facts, thunks

    def keep(self, program: Any, variant: Variant, thunks: Sequence[Thunk]) -> None:
        """Keep the thunks that were made of a program."""
        from enzyme.frontend.registration import type_for_target

        try:
            if program.made.refusals:
                raise Unknown("an error that the derivative raises when it runs")
            bounds = (thunks[0].code.bound, *(thunk.wrapper.code.bound for thunk in thunks))
            if bound := "".join(bounds):
                raise Unknown(f"something of this process: {bound}")
            if self.again() != self.key:
                raise Unknown("a value that changed while the derivative was made")
            record = record_of(thunks, bool(program.primal.options.get("nogil")))
            before = self.read()
            kept = {} if before is None else before[1]
            forms = [[x, type_for_target(x)] for x in self.known]  # as they are in the program
            data = records.write((_facts_of(program), {**kept, variant: record}), forms)
        except Unknown as reason:
            _logger.debug("%s is not kept on disk: it holds %s", program.primal.name, reason)
            return
        self.store.write(self.key, data)


def _facts_of(program: Any) -> Facts:
    primal = program.primal
    return Facts(
        KeptPrimal(
            primal.name,
            primal.argtypes,
            primal.restype,
            primal.optional,
            bool(primal.options.get("nogil")),
        ),
        program.result,
        program.can_be_distinct,
        program.overlap_matters,
        tuple(map(program.writes, range(len(primal.argtypes)))),
    )


class KeptProgram:
    """A program that is on disk; see `compile.Program`, which it becomes for what is not."""

    def __init__(
        self,
        place: Place,
        signature: Signature,
        function: Any,
        content: tuple[Facts, dict[Variant, ThunkRecord]],
        compiled: Callable[[], Any],
    ) -> None:
        facts, self._records = content
        self._place = place
        self._compiled = compiled
        self._program: Any = None
        self._written = facts.written
        self.signature = signature
        self.function = function
        self.result = facts.result
        self.can_be_distinct = facts.can_be_distinct
        self.overlap_matters = facts.overlap_matters
        self.may_refuse_constants = False
        self.late: tuple[Any, ...] = ()
        primal = facts.primal
        self.primal = KeptPrimal(
            primal.name,
            primal.argtypes,
            primal.restype,
            primal.optional,
            primal.nogil,
            function.py_func,
            self._real,
        )

    def writes(self, argument: int) -> bool:
        """May the primal write the memory of an argument?"""
        return self._written[argument]

    def thunk(self, distinct: bool, keep_text: bool = False) -> Thunk:
        """The derivative; with `distinct` it tests that arguments keep apart."""
        found = None if keep_text else self._loaded(("one", distinct))
        return self._real().thunk(distinct, keep_text) if found is None else found[0]

    def split_thunks(self, distinct: bool) -> tuple[Thunk, Thunk]:
        """Augmented primal and reverse function."""
        found = self._loaded(("two", distinct))
        return self._real().split_thunks(distinct) if found is None else (found[0], found[1])

    def _loaded(self, variant: Variant) -> tuple[Thunk, ...] | None:
        record = self._records.get(variant)
        if record is None or self._program is not None:
            return None
        with global_compiler_lock:
            return thunks_of(record)

    def _real(self) -> Any:
        if self._program is None:
            self._program = self._compiled()
            self._program.place = self._place
            self._program.signature = self.signature  # of holomorphic mode with more lanes
        return self._program

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._real(), name)


# Digests of programs --------------------------------------------------------------------------------

# At a function: what it read from outside when it was first looked at. The compiler keeps what it makes of that.
_FIRST = "__enzyme_first__"
_looked_at: weakref.WeakSet[Any] = weakref.WeakSet()
_VARIANTS = "__enzyme_variants__"


def place_of(function: Any, signature: Signature) -> Place | None:
    """Where the derivative of a call is kept; None if it is not."""
    own = function.py_func.__code__.co_filename.startswith("<enzyme")  # written around the user's
    store = switch.store(own or is_cached(function))
    if store is None or is_watched():
        return None
    pieces.use(store)
    try:
        found = _digest_of(function, signature)
        check_unchanged(function, found)
        if own and switch.store(False) is None and not any(map(is_cached, found.compiled)):
            return None
    except (Unknown, RecursionError) as reason:
        name = function.py_func.__name__
        _logger.debug("%s is not looked for on disk: it holds %s", name, reason)
        return None
    return Place(
        store,
        found.digest(),
        [*signature.argtypes, *found.classes],
        lambda: _digest_of(function, signature).digest(),
        tuple(map(weakref.ref, (*found.functions, *found.compiled))),
    )


def _digest_of(function: Any, signature: Signature) -> Fingerprint:
    found = Fingerprint()
    try:
        found.note("made by", made_by.digest())
        found.note("early", str(settings.refuse_early()))
        add_extensions(found)
        found.add(signature.mode)
        found.all("call", (signature.return_activity, signature.annotations, signature.width))
        found.all("types", signature.argtypes)
        found.add(function)
    except (Unknown, RecursionError):
        _remember(found)  # it will be compiled
        raise
    return found


def _first_of(function: Any) -> Captured | None:
    kept = function.__dict__.get(_FIRST)
    return kept.value if kept is not None and kept.belongs_to(function) else None


def _remember(found: Fingerprint) -> None:
    for function in found.functions:
        if _first_of(function) is None:
            function.__dict__[_FIRST] = PerFunctionCache(function, Captured(function))
    for dispatcher in found.compiled:
        _looked_at.add(dispatcher)


def check_unchanged(function: Any, found: Fingerprint) -> None:
    """Refuse a program parts of which were compiled when global values were others."""
    if function not in _looked_at:
        function.py_func.__dict__.pop(
            _FIRST, None
        )  # a plain function is compiled anew when its globals change
    for dispatcher in found.compiled:
        if dispatcher not in _looked_at and _VARIANTS in dispatcher.__dict__:
            raise Unknown(f"{dispatcher.__name__}, which was compiled before anything was kept")
    for each in found.functions:
        first = _first_of(each)
        if first is not None and first.changed(each):
            raise Unknown(f"a value in {each.__qualname__} that changed after it was compiled")
    _remember(found)


def kept_program(
    place: Place,
    signature: Signature,
    function: Any,
    args: Sequence[Any],
    compiled: Callable[[], Any],
) -> KeptProgram | None:
    """The program that is on disk, if it is; `compiled` makes it otherwise."""
    content = place.read()
    if content is None:
        return None
    note(place.functions)
    program = KeptProgram(place, signature, function, content, compiled)
    _logger.debug("the derivative of %s is taken from disk", program.primal.name)
    if signature.forward:
        for position, arg in enumerate(args):
            if not isinstance(arg, type) and hasattr(arg, "dval") and program.writes(position):
                check_writable(position, arg)
    return program
