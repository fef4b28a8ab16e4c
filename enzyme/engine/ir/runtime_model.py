"""What the engine is told of the run time that a program was compiled for: data, and a few templates of IR.

Whoever hands a program to the engine hands in the model: numba's is in `frontend.runtime_model`, that of C and C++ in
`frontdoor.c_library`. It is part of the request, and hangs at the module; two models are the same if they are one
object. A module without any run time has `NO_RUNTIME`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from enzyme.engine.ir.known_function import COUNTED, KnownFunction


@dataclass(frozen=True, slots=True)
class StatusConvention:
    """An integer return value that reports success or failure.

    Exits whose status is not one of `success` have no derivative: the generated function returns the
    same status there and leaves shadows unspecified. When storage for caches cannot be had, the external
    function `no_memory_hook` is called (if named) and the status is `no_memory`.
    """

    success: tuple[int, ...] = (0,)
    no_memory: int = -1
    no_memory_hook: str = ""


@dataclass(frozen=True, slots=True)
class Storage:
    """Functions that give derivatives their memory, with the parameters of C's.

    `free_held` frees what the program would have freed itself: one function for all of the model's of kind ``free``.
    `advise`, if there is one, is told that a large block should have huge pages, as Linux' ``madvise`` is.
    """

    allocate: str = "malloc"
    reallocate: str = "realloc"
    free: str = "free"
    free_held: str = "free"
    advise: str = ""


@dataclass(frozen=True, slots=True)
class CountedObjects:
    """Objects that count references, as the arena holds them: IR in which ``$object`` is the pointer to one.

    `declarations` are of what the other templates call. `retain` and `release` change the count by one. `reset`
    stands before the last release of an object that a failure left behind: it makes the count one, and sees to it that
    an object with the ``$tag`` ``$holder`` keeps its references to others, and one with the tag ``$owner`` frees its
    memory and keeps the references in it. `empty` does so for an object that was not filled yet. `paired`, if given,
    sets ``%paired`` to whether the count is two. Values that a template names begin with the name of its field
    (``%reset.size``). Data begin at a multiple of `alignment`. `make`, if given, is a function of a number of bytes
    that makes an object, and `let_go` is what it is given to in the end.
    """

    retain: str
    release: str
    reset: str
    empty: str = ""
    paired: str = ""
    declarations: str = ""
    alignment: int = 16
    make: str = ""
    let_go: str = ""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Functions that run what is not compiled.

    The names of its own begin with `prefix`, those of functions that hand objects to it or get objects from it with one
    of `adapters`. `described` is what errors call this.
    """

    prefix: str
    adapters: tuple[str, ...] = ()
    described: str = "code that runs in an interpreter"


@dataclass(frozen=True, slots=True)
class FixedAddresses:
    """Globals that hold addresses of this process: how their names begin, and what errors call a function there."""

    prefix: str
    described: str = "a call of a function by its address"


@dataclass(frozen=True, slots=True, eq=False)
class RuntimeModel:
    """The run time of a program.

    `functions` has the rows of its functions: allocation, reference counts, growing objects, helpers without
    derivatives. `status` says how functions of the program report failure, if they do; `abort` is called where a
    failure cannot be reported. `shared` are functions that the front end defines in every
    module that calls them, always alike: when a derivative becomes part of a program, it shares them with others.
    `ends` are functions that end an object which owns memory and refers to other objects; told that its size is zero,
    they free the memory and let go of nothing. `tells_alignment`: what is aligned as a number of eight bytes is one.
    """

    name: str
    functions: Mapping[str, KnownFunction] = field(default_factory=dict)
    storage: Storage = Storage()
    counted: CountedObjects | None = None
    interpreter: Interpreter | None = None
    fixed_addresses: FixedAddresses | None = None
    status: StatusConvention | None = None
    abort: str = "abort"
    shared: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    tells_alignment: bool = False
    data_offsets: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        rows = self.functions.values()
        for row in rows:
            if (row.returns == COUNTED) != (row.data_offset is not None):
                raise ValueError(f"{row.name}: a counted object, and no other, has a data_offset")
            if self.counted is None and (row.returns == COUNTED or row.kind in _COUNTING):
                raise ValueError(f"{row.name} needs to be told how objects are `counted`")
        offsets = frozenset(row.data_offset for row in rows if row.data_offset is not None)
        object.__setattr__(self, "data_offsets", offsets)
        object.__setattr__(self, "functions", MappingProxyType(dict(self.functions)))

    def row_of(self, name: str) -> KnownFunction | None:
        """The row of a symbol; the interpreter's functions have no effect on numbers."""
        found = self.functions.get(name)
        if found is None and self.interprets(name):
            return KnownFunction(name, "inactive")
        return found

    def interprets(self, name: str) -> bool:
        """Is this a function of the interpreter?"""
        return self.interpreter is not None and name.startswith(self.interpreter.prefix)

    def adapts(self, name: str) -> bool:
        """Does this function hand objects to the interpreter, or get them from it?"""
        return self.interpreter is not None and name.startswith(self.interpreter.adapters)


def by_name(rows: Iterable[KnownFunction]) -> dict[str, KnownFunction]:
    """Rows as `RuntimeModel.functions` has them."""
    return {row.name: row for row in rows}


_COUNTING = ("retain", "release")
NO_RUNTIME = RuntimeModel("none")
